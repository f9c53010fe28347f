"""Weights and an input from PyTorch, as files that tracer reads (docs/weights.md).

    python3 docs/weights_from_torch.py        (needs torch and numpy; writes model.safetensors and input.npz)
    ./dev tracer encoder-block --convention paper --heads 2 --weights model.safetensors --input input.npz
"""
import json
import struct

import numpy as np


def write_safetensors(path, arrays):
    """{name: array} as safetensors: the header's length, the header in JSON, the numbers. Floats, as tracer computes."""
    header, numbers = {}, b""
    for name, array in arrays.items():
        data = np.ascontiguousarray(array, dtype="<f4").tobytes()
        place = [len(numbers), len(numbers) + len(data)]
        header[name] = {"dtype": "F32", "shape": list(np.shape(array)), "data_offsets": place}
        numbers += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + numbers)


def weights_of(model):
    """Every parameter under the name that PyTorch gives it, which is the one that tracer expects. Tables that are computed
    (positional_encoding.pe) are buffers, not parameters, and stay away."""
    return {name: parameter.detach().cpu().numpy() for name, parameter in model.named_parameters()}


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
