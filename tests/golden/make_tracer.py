"""Golden data for the command's tests, from NumPy's printing and from real JAX and PyTorch.

    python tests/golden/make_tracer.py

writes tracer_numpy.json: arrays, as text, and what numpy prints for them in float32 and float64; and
tracer_attention.json with tracer_attention.npz: command lines and the tensors that the tutorials' own code computes
for them. JAX draws as before 0.5.0 (jax_threefry_partitionable off), as the tutorial was printed.
"""
import json
import math
import os

import jax
import jax.numpy as jnp
import numpy as np
import torch

FOLDER = os.path.dirname(os.path.abspath(__file__))
jax.config.update("jax_threefry_partitionable", False)
jax.config.update("jax_platforms", "cpu")


def arrays_to_print():
    r = np.random.default_rng(7)
    nan, inf = math.nan, math.inf
    yield "one", [1.0]
    yield "whole numbers", [1, 2, 3, -4]
    yield "whole matrix", [[1, 0], [0, 1]]
    yield "halves", [0.5, 1.25, -3.125]
    yield "negative zero", [0.0, -0.0, 1.5]
    yield "only negative zero", [-0.0, -0.0]
    yield "zeros", np.zeros((2, 3))
    yield "tutorial", [[-0.6613315, 0.70056266], [0.08239268, -1.7793142], [-0.04378588, 1.0965251]]
    yield "thirds", [1 / 3, 2 / 3, 1.0]
    yield "small", [1e-5, 2e-5, 3.25e-5]
    yield "just not small", [1.5e-4, 0.1]
    yield "tiny beside one", [1e-5, 1.0]
    yield "1000 between", [1.0, 1000.0]
    yield "more than 1000 between", [1.0, 1000.5]
    yield "large", [12345678.0, 23456789.0]
    yield "hundred million", [1e8, 2e8]
    yield "a million and one", [1e6, 1.0]
    yield "ten million", [1e7, 9e6]
    yield "nan among", [1.5, nan, -2.25]
    yield "inf among", [1.5, inf, -inf]
    yield "nan among whole", [1, nan, 3]
    yield "all nan", [[nan, nan], [nan, nan]]
    yield "all inf", [-inf, inf]
    yield "nan among small", [1e-6, nan, 1.0]
    yield "exponents of two lengths", [1e-30, 1e30]
    yield "mixed lengths", [100.125, 1.0, -10.5]
    yield "3-d", r.standard_normal((2, 2, 3))
    yield "4-d", r.standard_normal((2, 1, 2, 2))
    yield "wrapped row", r.standard_normal(20)
    yield "wrapped whole row", np.arange(60)
    yield "wrapped matrix", r.standard_normal((2, 9))
    yield "wrapped 3-d", r.standard_normal((1, 2, 8))
    yield "exactly at the edge", np.full((2, 6), 0.12345678)
    yield "long", np.arange(1001)
    yield "long matrix", r.standard_normal((40, 30))
    yield "long and narrow", r.standard_normal((600, 2))
    yield "long 3-d", r.standard_normal((3, 20, 20))
    yield "long 4-d", r.standard_normal((7, 2, 9, 9))
    yield "long with a hidden nan", np.where(np.arange(1200) == 600, nan, np.arange(1200) / 8)
    yield "not yet long", np.arange(1000) % 7


def print_numpy():
    cases = []
    for name, values in arrays_to_print():
        narrow = np.asarray(values, dtype=np.float32)
        for precision in (8, 4, 2):
            if precision != 8 and narrow.size > 100:
                continue
            with np.printoptions(precision=precision):
                cases.append({
                    "name": name, "precision": precision, "shape": list(narrow.shape),
                    "values": [repr(float(v)) for v in narrow.ravel()],
                    "float32": str(narrow), "float64": str(narrow.astype(np.float64))})
    with open(os.path.join(FOLDER, "tracer_numpy.json"), "w") as file:
        json.dump({"numpy": np.__version__, "cases": cases}, file, separators=(",", ":"))
        file.write("\n")


def draw_jax(seed, shapes):
    main = jax.random.PRNGKey(seed)
    if shapes[0] == shapes[1] == shapes[2]:
        main, key = jax.random.split(main)
        return list(jax.random.normal(key, (3, *shapes[0])))
    drawn = []
    for shape in shapes:
        main, key = jax.random.split(main)
        drawn.append(jax.random.normal(key, shape))
    return drawn


def attend_jax(Q, K, V, mask):
    logits = jnp.matmul(Q, jnp.swapaxes(K, -2, -1))
    scaled = logits / math.sqrt(Q.shape[-1])
    steps = {"Q": Q, "K": K, "V": V, "logits": logits, "scaled": scaled}
    if mask is not None:
        scaled = steps["masked"] = jnp.where(mask == 0, -9e15, scaled)
    steps["attention"] = jax.nn.softmax(scaled, axis=-1)
    steps["values"] = jnp.matmul(steps["attention"], V)
    return steps


def attend_torch(Q, K, V, mask):
    logits = torch.matmul(Q, K.transpose(-2, -1))
    scaled = logits / math.sqrt(Q.size(-1))
    steps = {"Q": Q, "K": K, "V": V, "logits": logits, "scaled": scaled}
    if mask is not None:
        scaled = steps["masked"] = scaled.masked_fill(torch.tensor(mask) == 0, -9e15)
    steps["attention"] = torch.softmax(scaled, dim=-1)
    steps["values"] = torch.matmul(steps["attention"], V)
    return steps


def attention():
    sizes = [
        ("--seq 3 --dk 2", (), 3, 3, 2, 2), ("--seq 5 --dk 4", (), 5, 5, 4, 4), ("--seq 1 --dk 1", (), 1, 1, 1, 1),
        ("--seq 4 --keys 6 --dk 3 --dv 5", (), 4, 6, 3, 5), ("--seq 2 --dk 8 --batch 2", (2,), 2, 2, 8, 8),
        ("--seq 3 --dk 4 --batch 2 --heads 3", (2, 3), 3, 3, 4, 4),
    ]
    cases, arrays = [], {}
    for rng in ("jax", "torch"):
        for seed in (42, 0, 7, 4294967303):
            for size, lead, n_q, n_k, d_k, d_v in sizes:
                for mask in ("none", "causal"):
                    if mask == "causal" and seed != 42:
                        continue
                    shapes = [(*lead, n_q, d_k), (*lead, n_k, d_k), (*lead, n_k, d_v)]
                    visible = np.tril(np.ones((n_q, n_k))) if mask == "causal" else None
                    if rng == "jax":
                        steps = attend_jax(*draw_jax(seed, shapes), visible)
                    else:
                        torch.manual_seed(seed)
                        steps = attend_torch(*[torch.randn(*shape) for shape in shapes], visible)
                    key = str(len(cases))
                    cases.append({"key": key, "arguments":
                                  f"{size} --rng {rng} --seed {seed} --mask {mask}".split(), "steps": list(steps)})
                    flat = [np.asarray(step, dtype=np.float32).ravel() for step in steps.values()]
                    arrays[key] = np.concatenate(flat)
    np.savez_compressed(os.path.join(FOLDER, "tracer_attention.npz"), **arrays)
    versions = {"jax": jax.__version__, "torch": torch.__version__, "numpy": np.__version__}
    with open(os.path.join(FOLDER, "tracer_attention.json"), "w") as file:
        json.dump({"versions": versions, "cases": cases}, file, separators=(",", ":"))
        file.write("\n")


print_numpy()
attention()
