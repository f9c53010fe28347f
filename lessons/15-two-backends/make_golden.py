"""Makes golden.npz: softmax in blocks, with the maximum and the sum of each block and of all blocks so far, by real PyTorch.

    pip install numpy torch
    python lessons/15-two-backends/make_golden.py

Keys are "<case>/<step>". Nothing here rescales a sum: the sums come from torch.logsumexp and torch.logcumsumexp, the maxima
from torch.cummax, the weights from torch.softmax of the whole row, all in double. The last sum must be what NumPy finds from
the whole row, to 1e-12.
"""

import pathlib

import numpy as np
import torch

HIDDEN = -np.inf


def seen_only(sums, maxima):
    """0 where nothing has been seen: there the logarithm of the sum is -inf, less a maximum of -inf."""
    return torch.where(torch.isneginf(maxima), torch.zeros_like(sums), sums)


def steps_of(x, size):
    blocks = x.split(size, dim=-1)
    m = torch.stack([block.amax(dim=-1) for block in blocks], dim=-1)
    log_s = torch.stack([torch.logsumexp(block, dim=-1) for block in blocks], dim=-1)  # of exp(x), without m
    merged_m = torch.cummax(m, dim=-1).values
    merged_log_s = torch.logcumsumexp(torch.where(torch.isneginf(log_s), torch.full_like(log_s, -1e300), log_s), dim=-1)
    return {"block/m": m, "block/s": seen_only(torch.exp(log_s - m), m), "merged/m": merged_m,
            "merged/s": seen_only(torch.exp(merged_log_s - merged_m), merged_m), "softmax": torch.softmax(x, dim=-1)}


def hide(x, *places):
    for row, first, last in places:
        x[row, first:last] = HIDDEN
    return x


def cases(rng):
    """Name, x, size of a block. The numbers are multiples of 1/256: floats hold them exactly."""
    def draw(rows, n, scale=2.0, shift=0.0):
        return np.round((rng.standard_normal((rows, n)) * scale + shift) * 256) / 256

    yield "example", np.array([[1.0, 3, 2, 5, 0, 4], [4, 1, 0, 2, 2, 3]]), 2
    yield "sizes", draw(3, 10), 4
    yield "one", draw(2, 7), 1
    yield "negative", draw(3, 8, shift=-20), 3
    yield "large", draw(3, 9) + np.array([[1000.0], [-1000], [0]]) + np.array([[0.0], [0], [1]]) * np.repeat([-1000.0, 1000, 0], 4)[:9], 4
    yield "hidden", hide(draw(4, 12), (0, 8, 12), (1, 0, 4), (2, 4, 8), (3, 0, 9), (3, 10, 12)), 4


def main():
    rng = np.random.default_rng(15)
    arrays = {"made_by": np.array(f"torch {torch.__version__}, numpy {np.__version__}")}
    for name, x, size in cases(rng):
        steps = steps_of(torch.from_numpy(x), size)
        whole = np.exp(x - x.max(-1, keepdims=True))
        np.testing.assert_allclose(steps["merged/s"][:, -1], whole.sum(-1), rtol=1e-12)
        np.testing.assert_allclose(steps["softmax"], whole / whole.sum(-1, keepdims=True), rtol=1e-12)
        for key, value in {"x": torch.from_numpy(x), "size": torch.tensor(size), **steps}.items():
            arrays[f"{name}/{key}"] = np.float32(value.numpy())
            print(f"{name}/{key}", np.array2string(arrays[f"{name}/{key}"], precision=4, suppress_small=True))
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
