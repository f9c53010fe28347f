"""Writes random_jax.npz, random_torch.npz and random_numpy.npz beside this file: what real JAX, PyTorch and NumPy
draw, for tests/random. Run with a Python that has jax, flax, torch and numpy.

Keys say the call: "normal/seed=42/n=17". Numbers that float32 cannot hold are kept as digits: arrays with one more
axis of 16-bit pieces, least significant first, under "digits/...". version/... hold the versions as integers.
"""
import pathlib
import re

import flax
import flax.linen
import jax
import numpy as np
import torch

jax.config.update("jax_threefry_partitionable", False)  # the behaviour before JAX 0.5, used for the tutorial
jax.config.update("jax_platforms", "cpu")

SEEDS = [0, 1, 42, 2**32 + 7]
SIZES = [1, 2, 5, 15, 16, 17, 33, 100]
HERE = pathlib.Path(__file__).parent


def digits(values):
    values = np.ascontiguousarray(values)
    pieces = values.view(np.uint16).reshape(values.shape + (values.dtype.itemsize // 2,))
    return pieces.astype(np.int32)


def version(module):
    return np.array([int(part) for part in re.findall(r"\d+", module.__version__)[:3]], np.int32)


def save(name, arrays):
    np.savez_compressed(HERE / name, **arrays)


def make_jax():
    random = jax.random
    out = {"version/jax": version(jax), "version/flax": version(flax)}
    for seed in SEEDS:
        key = random.PRNGKey(seed)
        at = f"seed={seed}"
        out[f"digits/key/{at}"] = digits(np.asarray(key))
        out[f"digits/split/{at}"] = digits(np.asarray(random.split(key, 5)))
        out[f"digits/fold_in/{at}"] = digits(np.asarray(random.fold_in(key, 123456789)))
        for n in SIZES:
            out[f"digits/bits/{at}/n={n}"] = digits(np.asarray(random.bits(key, (n,), np.uint32)))
            out[f"normal/{at}/n={n}"] = random.normal(key, (n,))
            out[f"uniform/{at}/n={n}"] = random.uniform(key, (n,), minval=-0.3, maxval=0.7)
        out[f"normal/{at}/shape"] = random.normal(key, (3, 3, 2))
        out[f"truncated/{at}"] = random.truncated_normal(key, -2, 2, (100,))
        out[f"truncated_aside/{at}"] = random.truncated_normal(key, -0.5, 3, (100,))
        out[f"randint/{at}"] = random.randint(key, (40,), -3, 10)
        out[f"digits/randint/{at}"] = digits(np.asarray(random.randint(key, (40,), -(2**31), 2**31 - 1)))
        out[f"permutation/{at}/n=10"] = random.permutation(key, 10)
        out[f"permutation/{at}/n=1700"] = random.permutation(key, 1700)
        # One draw after another, as in the tutorial.
        main = key
        for step, shape in enumerate([(3, 3, 2), (4, 8), (5,)]):
            main, rng = random.split(main)
            out[f"stream/{at}/{step}"] = random.normal(rng, shape)
        main, rng = random.split(main)
        out[f"stream/{at}/bernoulli"] = random.bernoulli(rng, 0.3, (50,)).astype(np.float32)
        initialisers = flax.linen.initializers
        rng = random.split(key)[1]
        for shape in [(12, 5), (7, 3), (32, 96)]:
            fans = f"{shape[0]}x{shape[1]}"
            out[f"xavier/{at}/{fans}"] = initialisers.xavier_uniform()(rng, shape)
            out[f"lecun/{at}/{fans}"] = initialisers.lecun_normal()(rng, shape)
    # Far tails and both branches of the polynomial.
    edges = np.float32([-1, -0.99999994, -0.9999, -0.99, -0.7, -0.5, -1e-3, -1e-30, 0, 1e-7, 0.3, 0.9, 0.999, 0.9999999, 1])
    grid = np.linspace(-0.999999, 0.999999, 2001, dtype=np.float32)
    points = np.concatenate([edges, grid])
    out["erfinv/points"] = points
    out["erfinv/values"] = jax.lax.erf_inv(points)
    save("random_jax.npz", {k: np.asarray(v) for k, v in out.items()})


def make_torch():
    out = {"version/torch": version(torch)}

    def draw(name, seed, call):
        torch.manual_seed(seed)
        out[name] = call().numpy()

    for seed in SEEDS:
        at = f"seed={seed}"
        for n in SIZES:
            draw(f"normal/{at}/n={n}", seed, lambda: torch.randn(n))
            draw(f"normal_scaled/{at}/n={n}", seed, lambda: torch.empty(n).normal_(0.5, 0.02))
            draw(f"rand/{at}/n={n}", seed, lambda: torch.rand(n))
            draw(f"uniform/{at}/n={n}", seed, lambda: torch.empty(n).uniform_(-0.3, 0.7))
            draw(f"permutation/{at}/n={n}", seed, lambda: torch.randperm(n))
        draw(f"normal/{at}/shape", seed, lambda: torch.randn(4, 8))
        draw(f"randint/{at}", seed, lambda: torch.randint(-3, 10, (40,)))
        for bits in (27, 28, 40, 62):
            draw(f"wide/{at}/bits={bits}", seed, lambda: torch.randint(-5, 2**bits, (20,)))
            out[f"digits/randint/{at}/bits={bits}"] = digits(out.pop(f"wide/{at}/bits={bits}"))
        draw(f"bernoulli/{at}", seed, lambda: torch.empty(50).bernoulli_(0.3))
        draw(f"dropout/{at}", seed, lambda: torch.nn.functional.dropout(torch.ones(50), 0.25))
        # One state through calls of many sizes: the cached normal, the tails, uniforms and integers in between.
        torch.manual_seed(seed)
        mixed = []
        for n in [3, 16, 1, 5, 17, 2, 33, 1, 1, 15, 100, 7]:
            mixed += [torch.randn(n), torch.rand(2), torch.randint(10, (3,)).float()]
        out[f"mixed/{at}"] = torch.cat(mixed).numpy()
        for shape in [(5, 12), (3, 7), (96, 32)]:  # (out, in)
            fans = f"{shape[1]}x{shape[0]}"
            draw(f"xavier/{at}/{fans}", seed, lambda: torch.nn.init.xavier_uniform_(torch.empty(shape)))
            torch.manual_seed(seed)
            linear = torch.nn.Linear(shape[1], shape[0])
            out[f"linear/{at}/{fans}/weight"] = linear.weight.detach().numpy()
            out[f"linear/{at}/{fans}/bias"] = linear.bias.detach().numpy()
    save("random_torch.npz", out)


def make_numpy():
    out = {"version/numpy": version(np)}
    for seed in SEEDS + [2**64 - 1]:
        at = f"seed={seed}"
        generator = lambda: np.random.default_rng(seed)
        out[f"integers/{at}"] = generator().integers(10, size=100)
        for bits in (31, 32, 40, 63):
            out[f"digits/integers/{at}/bits={bits}"] = digits(generator().integers(-5, 2**bits - 5, size=21))
        out[f"digits/integers/{at}/full"] = digits(generator().integers(-(2**63), 2**63 - 1, size=21, endpoint=True))
        # A range for which nearly half the draws are rejected.
        out[f"digits/integers/{at}/refusing"] = digits(generator().integers(2**31 + 1, size=21))
        out[f"digits/random/{at}"] = digits(generator().random(20))
        out[f"digits/uniform/{at}"] = digits(generator().uniform(-0.3, 0.7, 20))
        out[f"digits/normal/{at}"] = digits(generator().standard_normal(2000))
        out[f"permutation/{at}"] = generator().permutation(100)
        state = generator()
        mixed = []
        for _ in range(4):
            mixed += [state.integers(7, size=3), state.standard_normal(5), state.random(2), state.permutation(5)]
        out[f"digits/mixed/{at}"] = digits(np.concatenate(mixed))
    # The first draws beyond the lowest layer, which use the tail.
    far = np.random.default_rng(5).standard_normal(200_000)
    places = np.flatnonzero(np.abs(far) > 3.6541528853610088)
    out["tail/places"] = places
    out["digits/tail/values"] = digits(far[places])
    out["digits/tail/sum"] = digits(np.array([far.sum()]))
    save("random_numpy.npz", out)


if __name__ == "__main__":
    make_jax()
    make_torch()
    make_numpy()
