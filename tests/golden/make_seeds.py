"""The tutorials' worked example for several seeds and sizes, by real JAX and real PyTorch.

    python3 tests/golden/make_seeds.py             (needs numpy, torch, jax)

Writes seeds.npz: "jax/42/3x2/values", "torch/7/20x5/attention", …: Q, K, V are drawn in float, the rest is computed in
double. "versions" is text as bytes.
"""
import os
import zipfile

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import numpy as np
import torch

jax.config.update("jax_threefry_partitionable", False)  # the behaviour before JAX 0.5, used for the tutorial
HERE = os.path.dirname(os.path.abspath(__file__))


def draw_jax(seed, n, d):
    _, key = jax.random.split(jax.random.PRNGKey(seed))
    return np.asarray(jax.random.normal(key, (3, n, d)))


def draw_torch(seed, n, d):
    torch.manual_seed(seed)
    return [torch.randn(n, d).numpy() for _ in range(3)]


if __name__ == "__main__":
    text = f"numpy {np.__version__}, jax {jax.__version__}, torch {torch.__version__}"
    arrays = {"versions": np.frombuffer(text.encode(), np.uint8)}
    for name, draw in (("jax", draw_jax), ("torch", draw_torch)):
        for seed in (0, 1, 42, 43, 12345, 4294967295):
            for n, d in ((3, 2), (1, 1), (2, 7), (4, 4), (5, 3), (20, 5)):
                Q, K, V = (np.asarray(x, np.float64) for x in draw(seed, n, d))
                scores = np.exp(Q @ K.T / np.sqrt(d))
                attention = scores / scores.sum(-1, keepdims=True)
                arrays[f"{name}/{seed}/{n}x{d}/attention"] = attention
                arrays[f"{name}/{seed}/{n}x{d}/values"] = attention @ V
    path = os.path.join(HERE, "seeds.npz")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for key, value in arrays.items():
            member = zipfile.ZipInfo(key + ".npy", (1980, 1, 1, 0, 0, 0))  # reproducible bytes
            member.compress_type = zipfile.ZIP_DEFLATED
            with file.open(member, "w") as out:
                np.lib.format.write_array(out, np.ascontiguousarray(value))
    print(path, os.path.getsize(path), "bytes,", len(arrays), "arrays")
