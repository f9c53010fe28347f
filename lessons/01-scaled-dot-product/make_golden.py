"""Makes golden.npz: inputs and every step of scaled dot-product attention, by real JAX and real PyTorch.

    pip install numpy jax torch
    python lessons/01-scaled-dot-product/make_golden.py

Keys are "<case>/<step>". Both frameworks compute in double from inputs that a float holds exactly, and must agree to
1e-12; JAX's numbers are stored.
"""

import math
import pathlib

import jax
import numpy as np
import torch

jax.config.update("jax_threefry_partitionable", False)  # as the tutorial was printed
FILL = -9e15


def jax_steps(Q, K, V, mask):
    logits = jax.numpy.matmul(Q, jax.numpy.swapaxes(K, -2, -1))
    scaled = logits / math.sqrt(Q.shape[-1])
    masked = jax.numpy.where(mask == 0, FILL, scaled)
    attention = jax.nn.softmax(masked, axis=-1)
    return logits, scaled, masked, attention, jax.numpy.matmul(attention, V)


def torch_steps(Q, K, V, mask):
    Q, K, V, mask = (torch.from_numpy(np.array(x)) for x in (Q, K, V, mask))
    logits = torch.matmul(Q, K.transpose(-2, -1))
    scaled = logits / math.sqrt(Q.shape[-1])
    masked = scaled.masked_fill(mask == 0, FILL)
    attention = torch.softmax(masked, dim=-1)
    return logits, scaled, masked, attention, torch.matmul(attention, V)


def normal(rng, *shape):
    """Normal numbers rounded to 1/256: floats hold them and their products exactly."""
    return np.round(rng.standard_normal(shape) * 256) / 256


def example():
    """The tutorial's worked example: key of 42, split, one draw of shape (3, seq, d_k)."""
    _, key = jax.random.split(jax.random.PRNGKey(42))
    Q, K, V = np.asarray(jax.random.normal(key, (3, 3, 2), dtype=np.float32), dtype=np.float64)
    return Q, K, V, np.ones((3, 3))


def sizes(rng):
    return normal(rng, 4, 3), normal(rng, 6, 3), normal(rng, 6, 5), np.ones((4, 6))


def causal(rng):
    return normal(rng, 2, 3, 5, 4), normal(rng, 2, 3, 5, 4), normal(rng, 2, 3, 5, 2), np.tril(np.ones((5, 5)))


def padding(rng):
    lengths = np.array([6, 3])
    mask = (np.arange(6) < lengths[:, None]).astype(np.float64)[:, None, None, :]
    return normal(rng, 2, 2, 3, 5), normal(rng, 2, 2, 6, 5), normal(rng, 2, 2, 6, 4), mask


def large(rng):
    """Scores near 1000 and near -1000, a few units apart: exp of them is infinite, or 0 in a whole row."""
    direction = np.array([32.0, 32.0, 0.0, 0.0])
    Q = np.array([1.0, -1.0, 0.5])[:, None] * direction + np.array([0, 0, 1.0, -0.5])
    K = direction + rng.integers(-2, 3, (5, 4)) * np.array([0.0, 0.03125, 1.0, 1.0])
    return Q, K, normal(rng, 5, 3), np.ones((3, 5))


def main():
    rng = np.random.default_rng(1)
    cases = {"example": example(), "sizes": sizes(rng), "causal": causal(rng), "padding": padding(rng),
             "large": large(rng)}
    arrays = {"made_by": np.array(f"jax {jax.__version__}, torch {torch.__version__}, numpy {np.__version__}")}
    jax.config.update("jax_enable_x64", True)
    for name, (Q, K, V, mask) in cases.items():
        for x in (Q, K, V):
            assert np.array_equal(x, x.astype(np.float32)), name
        mask = np.broadcast_to(mask, (*Q.shape[:-1], K.shape[-2]))
        steps = [np.asarray(step) for step in jax_steps(Q, K, V, mask)]
        for ours, theirs in zip(steps, torch_steps(Q, K, V, mask)):
            np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-12, atol=1e-12)
        inputs = [np.float32(x) for x in (Q, K, V, mask)]
        for key, array in zip("Q K V mask logits scaled masked attention values".split(), inputs + steps):
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
