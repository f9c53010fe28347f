"""Golden values and gradients of attention, by real PyTorch and by real JAX with Flax, in double.

    python3 tests/golden/make_attention.py         (needs numpy, torch, jax, flax)

Writes attention_torch_1.npz … and attention_jax_1.npz …: a few cases in each. Keys are "case3/Q", "case3/logits", "case3/grad/logits", …: inputs,
every step, and d sum(values * w) / d step. Inputs are numbers that a float holds exactly. "versions" is text as bytes.
"""
import os
import zipfile

os.environ["JAX_PLATFORMS"] = "cpu"
import flax
import flax.linen
import jax
import jax.numpy as jnp
import numpy as np
import torch

jax.config.update("jax_enable_x64", True)
HERE = os.path.dirname(os.path.abspath(__file__))
FILLS = [-9e15, -1e14, -np.inf]
SCORES = ["scaled", "unscaled", "additive"]


def tutorial_mask(mask, rank):
    """The tutorial's expand_mask: one mask per batch entry for all heads."""
    if mask.ndim == 3 and rank == 4:
        mask = mask[:, None]
    return mask


def visible(case):
    """1 where query i sees key j, in the shape of the scores."""
    n_q, n_k = case["Q"].shape[-2], case["K"].shape[-2]
    shape = case["Q"].shape[:-1] + (n_k,)
    seen = np.ones(shape)
    if "causal" in case:
        seen = seen * np.tril(np.ones((n_q, n_k)))
    if "lengths" in case:
        lengths = case["lengths"].reshape((-1,) + (1,) * (len(shape) - 1))
        seen = seen * (np.arange(n_k) < lengths)
    if "mask" in case:
        seen = seen * tutorial_mask(case["mask"], len(shape))
    return seen


def make_case(rng, leading, n_q, n_k, d_k, d_v, masks, score, fill):
    def normal(*shape):
        return rng.standard_normal(shape).astype(np.float32).astype(np.float64)

    case = {"Q": normal(*leading, n_q, d_k), "K": normal(*leading, n_k, d_k), "V": normal(*leading, n_k, d_v),
            "w": normal(*leading, n_q, d_v), "fill": np.array(fill), "score": np.array(float(SCORES.index(score)))}
    if score == "additive":
        case.update(W_q=normal(d_k, 4), W_k=normal(d_k, 4), v=normal(4))
    if "causal" in masks:
        case["causal"] = np.array(1.0)
    if "lengths" in masks:
        case["lengths"] = rng.integers(1, n_k + 1, leading[0]).astype(np.float64)
    for axes in (2, 3, 4):
        if f"mask{axes}" in masks:
            shape = {2: (), 3: leading[:1], 4: leading}[axes] + (n_q, n_k)
            case["mask"] = (rng.random(shape) < 0.7).astype(np.float64)
    if "hidden row" in masks:
        case["mask"][..., 0, :] = 0
    elif np.isinf(fill) and masks:  # avoid fully hidden rows: 0/0
        while (visible(case).sum(-1) == 0).any():
            case["mask"] = (rng.random(case["mask"].shape) < 0.8).astype(np.float64)
    return case


def all_cases(seed):
    rng = np.random.default_rng(seed)
    plans = []
    for leading, n_q, n_k, d_k, d_v in [((), 3, 3, 2, 2), ((), 1, 1, 1, 1), ((), 4, 6, 3, 5), ((2,), 5, 3, 4, 2),
                                        ((2, 3), 4, 4, 8, 8), ((1, 2), 7, 5, 64, 3), ((), 16, 16, 16, 4)]:
        plans.append((leading, n_q, n_k, d_k, d_v, [], "scaled", -9e15))
        plans.append((leading, n_q, n_k, d_k, d_v, ["causal"], "scaled", FILLS[len(plans) % 3]))
    for fill in FILLS:
        plans.append(((2,), 4, 5, 3, 2, ["lengths"], "scaled", fill))
        plans.append(((), 4, 5, 3, 2, ["mask2"], "scaled", fill))
        plans.append(((2, 3), 4, 5, 3, 2, ["mask2"], "scaled", fill))
        plans.append(((2, 2), 4, 5, 3, 2, ["mask3"], "scaled", fill))
        plans.append(((2, 3), 4, 5, 3, 2, ["mask4"], "scaled", fill))
        plans.append(((2, 2), 5, 5, 3, 2, ["mask3", "causal", "lengths"], "scaled", fill if fill > -1e300 else -9e15))
        if not np.isinf(fill):
            plans.append(((2, 2), 4, 5, 3, 2, ["mask3", "hidden row"], "scaled", fill))
    for score in ("unscaled", "additive"):
        plans.append(((), 3, 4, 2, 3, [], score, -9e15))
        plans.append(((2,), 3, 4, 3, 2, ["causal"], score, -np.inf))
        plans.append(((2, 2), 3, 4, 3, 2, ["mask3"], score, -1e14))
    return [make_case(rng, *plan) for plan in plans]


def forward(case, lib, step):
    """The steps, as in the tutorials. `step` takes a name and a value and returns the value."""
    transpose = (lambda x: x.transpose(-2, -1)) if lib is torch else (lambda x: jnp.swapaxes(x, -2, -1))
    score = SCORES[int(case["score"])]
    Q, K, V = (step(name, case[name]) for name in ("Q", "K", "V"))
    if score == "additive":
        W_q, W_k, v = (step(name, case[name]) for name in ("W_q", "W_k", "v"))
        query_part = step("query_part", lib.matmul(Q, W_q))
        key_part = step("key_part", lib.matmul(K, W_k))
        hidden = step("hidden", lib.tanh(query_part[..., :, None, :] + key_part[..., None, :, :]))
        scores = step("logits", lib.matmul(hidden, v))
    else:
        scores = step("logits", lib.matmul(Q, transpose(K)))
        if score == "scaled":
            scores = step("scaled", scores / np.sqrt(K.shape[-1]))
    if any(key in case for key in ("causal", "lengths", "mask")):
        seen = visible({key: np.asarray(value) if key in ("causal", "lengths", "mask") else value
                        for key, value in case.items()})
        fill = float(case["fill"])
        if lib is torch:
            scores = scores.masked_fill(torch.from_numpy(seen) == 0, fill)
        else:
            scores = jnp.where(seen == 0, fill, scores)
        scores = step("masked", scores)
    attention = step("attention", torch.softmax(scores, -1) if lib is torch else flax.linen.softmax(scores, axis=-1))
    return step("values", lib.matmul(attention, V))


INPUTS = ("Q", "K", "V", "W_q", "W_k", "v")


def by_torch(case):
    steps = {}

    def step(name, value):
        value = value if value.requires_grad or name not in INPUTS else value.clone().requires_grad_(True)
        value.retain_grad()
        steps[name] = value
        return value

    tensors = {key: torch.from_numpy(value) if key in INPUTS else value for key, value in case.items()}
    values = forward(tensors, torch, step)
    (values * torch.from_numpy(case["w"])).sum().backward()
    return ({name: value.detach().numpy() for name, value in steps.items()},
            {name: value.grad.numpy() for name, value in steps.items()})


def by_jax(case):
    arrays = {key: jnp.asarray(value) if key in INPUTS else value for key, value in case.items()}
    steps = {}

    def keep(name, value):
        steps[name] = value
        return value

    forward(arrays, jnp, keep)

    def loss(nudges):  # d loss / d step: perturb each step by an array of zeros
        return (forward(arrays, jnp, lambda name, value: value + nudges[name]) * case["w"]).sum()

    gradients = jax.grad(loss)({name: jnp.zeros_like(value) for name, value in steps.items()})
    return ({name: np.asarray(value) for name, value in steps.items()},
            {name: np.asarray(value) for name, value in gradients.items()})


def save(name, arrays):
    """An .npz whose bytes depend only on its contents: members have a fixed date."""
    path = os.path.join(HERE, name)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for key, value in arrays.items():
            member = zipfile.ZipInfo(key + ".npy", (1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            with file.open(member, "w") as out:
                np.lib.format.write_array(out, np.ascontiguousarray(value).reshape(np.shape(value)))
    print(path, os.path.getsize(path), "bytes,", len(arrays), "arrays")


def versions(*modules):
    text = f"numpy {np.__version__}" + "".join(f", {m.__name__} {m.__version__}" for m in modules)
    return np.frombuffer(text.encode(), np.uint8)


if __name__ == "__main__":
    for name, run, seed, modules in (("torch", by_torch, 1, [torch]), ("jax", by_jax, 2, [jax, flax])):
        cases = list(enumerate(all_cases(seed)))
        for part in range(3):
            arrays = {"versions": versions(*modules)}
            for i, case in cases[part::3]:
                steps, gradients = run(case)
                assert all(np.isfinite(value).all() for value in gradients.values()), i
                arrays.update({f"case{i}/{key}": value for key, value in case.items() if key not in steps})
                arrays.update({f"case{i}/{key}": value for key, value in steps.items()})
                arrays.update({f"case{i}/grad/{key}": value for key, value in gradients.items()})
            save(f"attention_{name}_{part + 1}.npz", arrays)
