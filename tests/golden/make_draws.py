"""Writes draws_torch.npz and draws_jax.npz beside this file: what programs draw that do it otherwise than the sources.

    python3 tests/golden/make_draws.py torch     (needs torch, numpy)
    python3 tests/golden/make_draws.py jax       (needs jax, numpy)

Keys say the case and the array: "torch, Q V K/Q". Everything is drawn with seed 42, in the way that the case names; for
tests/tracer/test_check_draws.cpp. versions/... hold the versions as integers.
"""
import pathlib
import re
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent


def version(module):
    return np.array([int(part) for part in re.findall(r"\d+", module.__version__)[:3]], np.int32)


def named(case, names, arrays):
    return {f"{case}/{name}": np.asarray(array) for name, array in zip(names, arrays)}


def make_torch():
    import torch

    out = {"versions/torch": version(torch), "versions/numpy": version(np)}

    torch.manual_seed(42)
    out |= named("torch, Q V K", "QVK", [torch.randn(3, 2) for _ in range(3)])
    torch.manual_seed(42)
    out |= named("torch, K Q V, 4 x 8", "KQV", [torch.randn(4, 8) for _ in range(3)])
    torch.manual_seed(42)
    out |= named("torch, rand", "QKV", [torch.rand(3, 2) for _ in range(3)])
    torch.manual_seed(42)
    out |= named("torch, one draw", "QKV", torch.randn(3, 3, 2))
    torch.manual_seed(42)
    for _ in range(2):
        twice = [torch.randn(3, 2) for _ in range(3)]
    out |= named("torch, second run", "QKV", twice)
    torch.manual_seed(42)
    out |= named("torch, Q V K, 5 keys", "QVK", [torch.randn(3, 2), torch.randn(5, 2), torch.randn(5, 2)])

    np.random.seed(42)
    out |= named("numpy, legacy", "QKV", [np.random.randn(3, 2) for _ in range(3)])
    np.random.seed(42)
    out |= named("numpy, legacy, rand", "QKV", [np.random.rand(3, 2) for _ in range(3)])
    rng = np.random.default_rng(42)
    out |= named("numpy, V K Q", "VKQ", [rng.standard_normal((3, 2)) for _ in range(3)])

    # Multi-head attention of width 4: a layer's parameters, and its input.
    linear = torch.nn.Linear
    together, apart = ["qkv.weight", "qkv.bias", "o.weight", "o.bias", "x"], []
    for name in "qkvo":
        apart += [f"{name}.weight", f"{name}.bias"]
    apart.append("x")

    def layers(*made):
        return [array.detach() for layer in made for array in (layer.weight, layer.bias)]

    def xavier(*made):
        for layer in made:
            torch.nn.init.xavier_uniform_(layer.weight)
            layer.bias.data.fill_(0)
        return layers(*made)

    torch.manual_seed(42)
    x = torch.randn(3, 4)
    out |= named("linear layers", together, layers(linear(4, 12), linear(4, 4)) + [x])
    torch.manual_seed(42)
    out |= named("linear layers, then x", together, layers(linear(4, 12), linear(4, 4)) + [torch.randn(3, 4)])
    torch.manual_seed(42)
    out |= named("a layer each, then x", apart, layers(*[linear(4, 4) for _ in range(4)]) + [torch.randn(3, 4)])
    torch.manual_seed(42)
    x = torch.randn(3, 4)
    out |= named("a layer each, Xavier", apart, xavier(*[linear(4, 4) for _ in range(4)]) + [x])
    torch.manual_seed(42)
    out |= named("Xavier, then x", together, xavier(linear(4, 12), linear(4, 4)) + [torch.randn(3, 4)])
    np.savez_compressed(HERE / "draws_torch.npz", **out)


def make_jax():
    import jax

    jax.config.update("jax_platforms", "cpu")
    random = jax.random
    out = {"versions/jax": version(jax)}
    for new in [False, True]:
        jax.config.update("jax_threefry_partitionable", new)
        age = "new" if new else "old"
        key = random.PRNGKey(42)
        main, one = random.split(key)
        out |= named(f"jax {age}, one draw", "QKV", random.normal(one, (3, 3, 2)))
        out |= named(f"jax {age}, split(key, 3)", "QKV", [random.normal(k, (3, 2)) for k in random.split(key, 3)])
        out |= named(f"jax {age}, same key", "QKV", [random.normal(key, (3, 2)) for _ in range(3)])
        main, each = key, []
        for _ in range(3):
            main, k = random.split(main)
            each.append(random.normal(k, (3, 2)))
        out |= named(f"jax {age}, each its key, Q V K", "QVK", each)
        main, each = key, []
        for _ in range(3):
            k, main = random.split(main)
            each.append(random.normal(k, (3, 2)))
        out |= named(f"jax {age}, first of split", "QKV", each)
    np.savez_compressed(HERE / "draws_jax.npz", **out)


if __name__ == "__main__":
    {"torch": make_torch, "jax": make_jax}[sys.argv[1]]()
