"""Golden values and gradients of cross-entropy and squared error, by real PyTorch and real optax in double.

    python3 tests/golden/make_losses.py            (needs numpy, torch, jax, optax)

Writes losses.npz: "smoothed/logits", "smoothed/labels" (-1 is ignored), "smoothed/epsilon", "smoothed/w", and by
each of the two "smoothed/torch/y" and "smoothed/torch/grad": d sum(y * w) / d logits. "error/…" is the squared
error. Inputs are numbers that a float holds exactly. "versions" is text as bytes.
"""
import os
import zipfile

import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
import optax
import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(5)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32).astype(np.float64)


def labels(classes, *shape, ignored=0.0):
    drawn = rng.integers(0, classes, shape).astype(np.float64)
    return np.where(rng.random(shape) < ignored, -1.0, drawn)


# name: (logits, labels, smoothing)
CASES = {
    "plain": lambda: (normal(2, 3, 5) * 3, labels(5, 2, 3), 0.0),
    "of_a_row": lambda: (normal(4), labels(4), 0.0),
    "smoothed": lambda: (normal(2, 3, 5) * 3, labels(5, 2, 3), 0.1),
    "all_smooth": lambda: (normal(6, 7), labels(7, 6), 1.0),
    "ignored": lambda: (normal(4, 6, 5) * 2, labels(5, 4, 6, ignored=0.4), 0.0),
    "ignored_smoothed": lambda: (normal(4, 6, 5) * 2, labels(5, 4, 6, ignored=0.4), 0.25),
    "large_logits": lambda: (np.round(normal(5, 6) * 50), labels(6, 5), 0.0),
    "one_class": lambda: (normal(3, 1), labels(1, 3), 0.1),
    "many_classes": lambda: (normal(3, 70), labels(70, 3), 0.1),
}


def by_torch(x, label, epsilon, w):
    leaf = torch.from_numpy(x).requires_grad_(True)
    y = F.cross_entropy(leaf.reshape(-1, x.shape[-1]), torch.from_numpy(label).long().reshape(-1),
                        reduction="none", ignore_index=-1, label_smoothing=epsilon).reshape(label.shape)
    (y * torch.from_numpy(w)).sum().backward()
    return y.detach().numpy(), leaf.grad.numpy()


def by_optax(x, label, epsilon, w):
    seen, ids = jnp.asarray(label >= 0), jnp.asarray(np.maximum(label, 0), jnp.int64)

    def losses(logits):
        if epsilon == 0:
            y = optax.softmax_cross_entropy_with_integer_labels(logits, ids)
        else:
            one_hot = jax.nn.one_hot(ids, x.shape[-1], dtype=logits.dtype)
            y = optax.softmax_cross_entropy(logits, optax.smooth_labels(one_hot, epsilon))
        return jnp.where(seen, y, 0.0)

    return np.asarray(losses(x)), np.asarray(jax.grad(lambda logits: jnp.sum(losses(logits) * w))(jnp.asarray(x)))


def squared_error():
    y, t, w = normal(3, 4), normal(3, 4), normal(3, 4)
    a, b = torch.from_numpy(y).requires_grad_(True), torch.from_numpy(t).requires_grad_(True)
    loss = F.mse_loss(a, b, reduction="none")
    (loss * torch.from_numpy(w)).sum().backward()
    of_optax = jax.grad(lambda p: jnp.sum(2 * optax.l2_loss(p, t) * w))(jnp.asarray(y))  # l2_loss is half of it
    np.testing.assert_allclose(np.asarray(of_optax), a.grad.numpy(), rtol=1e-12)
    return {"error/y": y, "error/target": t, "error/w": w, "error/loss": loss.detach().numpy(),
            "error/grad/y": a.grad.numpy(), "error/grad/target": b.grad.numpy()}


if __name__ == "__main__":
    versions = f"numpy {np.__version__}, torch {torch.__version__}, jax {jax.__version__}, optax {optax.__version__}"
    arrays = {"versions": np.frombuffer(versions.encode(), np.uint8)}
    for name, make in CASES.items():
        x, label, epsilon = make()
        w = normal(*label.shape)
        arrays.update({f"{name}/logits": x, f"{name}/labels": label, f"{name}/w": w,
                       f"{name}/epsilon": np.float64(epsilon)})
        for source, compute in [("torch", by_torch), ("optax", by_optax)]:
            y, grad = compute(x, np.asarray(label), epsilon, np.asarray(w))
            arrays[f"{name}/{source}/y"], arrays[f"{name}/{source}/grad"] = y, grad
    arrays.update(squared_error())
    path = os.path.join(HERE, "losses.npz")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for key, value in arrays.items():
            member = zipfile.ZipInfo(key + ".npy", (1980, 1, 1, 0, 0, 0))  # reproducible bytes
            member.compress_type = zipfile.ZIP_DEFLATED
            with file.open(member, "w") as out:
                np.lib.format.write_array(out, np.ascontiguousarray(value).reshape(np.shape(value)))
    print(path, os.path.getsize(path), "bytes,", len(arrays), "arrays")
