"""Makes golden.npz: the sinusoidal positional encoding, its sum with x, and its shift matrices, by real PyTorch.

    pip install numpy torch
    python lessons/03-positional-encoding/make_golden.py

Keys are "<case>/<step>". The encoding is the tutorial's, written anew from its description, in double and for odd widths
too. The same angles as complex numbers, cos + i sin, in NumPy, where moving by k positions is a product with exp(i ω k),
must agree to 1e-12; and the matrices must move every encoding to the one `shift` positions further.
"""

import math
import pathlib

import numpy as np
import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        position = torch.arange(max_len, dtype=torch.float64)[:, None]
        self.omega = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model, dtype=torch.float64)
        pe[:, 0::2] = torch.sin(position * self.omega)
        pe[:, 1::2] = torch.cos(position * self.omega[: d_model // 2])
        self.register_buffer("pe", pe)

    def forward(self, x):  # (…, T, d_model)
        return x + self.pe[: x.shape[-2]]


def shift_matrices(omega, shift):
    """(pairs, 2, 2): PE(t + shift) from PE(t), pair by pair."""
    cos, sin = torch.cos(shift * omega), torch.sin(shift * omega)
    return torch.stack([torch.stack([cos, sin], -1), torch.stack([-sin, cos], -1)], -2)


def check_with_complex_numbers(pe, M, shift):
    T, d_model = pe.shape
    omega = 10000.0 ** (-2.0 * np.arange((d_model + 1) // 2) / d_model)
    z = np.exp(1j * np.outer(np.arange(T), omega))
    np.testing.assert_allclose(pe[:, 0::2], z.imag, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(pe[:, 1::2], z.real[:, : d_model // 2], rtol=1e-12, atol=1e-12)
    pairs = d_model // 2
    moved = np.einsum("pab,tpb->tpa", M, pe[:, : 2 * pairs].reshape(T, pairs, 2))
    further = (z * np.exp(1j * omega * shift))[:, :pairs]
    np.testing.assert_allclose(moved, np.stack([further.imag, further.real], -1), rtol=1e-12, atol=1e-12)


CASES = {  # shape of x, shift
    "example": ((4, 4), 1),
    "sizes": ((6, 10), 3),
    "odd": ((5, 7), 2),
    "long": ((60, 6), 25),
    "batch": ((3, 5, 8), 4),
}


def main():
    rng = np.random.default_rng(3)
    arrays = {"made_by": np.array(f"torch {torch.__version__}, numpy {np.__version__}")}
    for name, (shape, shift) in CASES.items():
        x = torch.from_numpy(np.round(rng.standard_normal(shape) * 256) / 256)  # floats hold it exactly
        module = PositionalEncoding(shape[-1], shape[-2])
        M = shift_matrices(module.omega[: shape[-1] // 2], shift)
        check_with_complex_numbers(module.pe.numpy(), M.numpy(), shift)
        for key, value in dict(x=x, shift=torch.tensor(shift), encoding=module.pe, output=module(x), M=M).items():
            arrays[f"{name}/{key}"] = np.float32(value.numpy())
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
