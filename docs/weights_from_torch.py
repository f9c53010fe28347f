"""Weights and an input from PyTorch, as files that tracer reads (docs/weights.md).

    python3 docs/weights_from_torch.py        (needs torch and numpy; writes model.safetensors and input.npz)
    ./dev tracer encoder-block --convention paper --heads 2 --weights model.safetensors --input input.npz
"""
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))  # in a checkout; else that of the wheel

from glassbox.safetensors import write_safetensors
from glassbox.weights import of_torch as weights_of


def example():
    import torch

    torch.manual_seed(42)
    block = torch.nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, batch_first=True).eval()
    return block, torch.randn(1, 3, 8)


if __name__ == "__main__":
    model, x = example()
    write_safetensors("model.safetensors", weights_of(model))
    np.savez("input.npz", x=x.numpy())
    print(model(x).detach().numpy())  # what tracer's last step, norm2, shows
