"""Makes golden.npz: losses, clipping, learning rates and AdamW, by real PyTorch and optax.

    pip install numpy torch jax optax
    python lessons/06-training/make_golden.py

Keys are "<case>/<step>". Losses and their gradient are torch.nn.CrossEntropyLoss's, with ignore_index -1. The gradients of
two parameters W and b are random numbers, some updates' longer than the limit and some shorter;
torch.nn.utils.clip_grad_norm_ clips them. Learning rates are optax.warmup_cosine_decay_schedule's, and torch.optim.AdamW
makes the updates, whose m and v are its own; m_hat and v_hat, which it does not keep, are compared with what it did to W.
optax's own clipping and AdamW must agree. All in double, from numbers that a float holds exactly.
"""

import pathlib

import jax
import numpy as np
import optax
import torch

jax.config.update("jax_enable_x64", True)


def as_float(x):
    return float(np.float32(x))


def normal(rng, scale, *shape):
    """Normal numbers rounded to 1/1024: floats hold them exactly."""
    return torch.from_numpy(np.round(rng.standard_normal(shape) * scale * 1024) / 1024)


def cross_entropy(logits, labels):
    logits = logits.clone().requires_grad_()
    each = torch.nn.functional.cross_entropy(logits, labels, ignore_index=-1, reduction="none")
    loss = torch.nn.functional.cross_entropy(logits, labels, ignore_index=-1)
    loss.backward()
    return {"losses": each.detach(), "loss": loss.detach()[None], "gradient": logits.grad}


def clipped(gradients, max_norm):
    """What torch's clipping makes of each update's gradients, and their norms."""
    steps = {"norm": [], "clipped/W": [], "clipped/b": []}
    for g_W, g_b in gradients:
        W, b = (torch.nn.Parameter(torch.zeros_like(g)) for g in (g_W, g_b))
        W.grad, b.grad = g_W.clone(), g_b.clone()
        steps["norm"].append(torch.nn.utils.clip_grad_norm_([W, b], max_norm))
        update, _ = optax.clip_by_global_norm(max_norm).update([g_W.numpy(), g_b.numpy()], optax.EmptyState())
        for grad, other in zip((W.grad, b.grad), update):  # torch adds 1e-6 to the norm
            np.testing.assert_allclose(grad.numpy(), other, rtol=2e-6)
        for name, other in zip(("clipped/W", "clipped/b"), update):
            steps[name].append(torch.from_numpy(np.array(other)))
    return {name: torch.stack(rows) for name, rows in steps.items()}


def adamw(w, gradients, rates, beta1, beta2, epsilon, weight_decay):
    W = torch.nn.Parameter(w.clone())
    adam = torch.optim.AdamW([W], lr=0.0, betas=(beta1, beta2), eps=epsilon, weight_decay=weight_decay)
    other = optax.adamw(lambda t: rates[t], beta1, beta2, epsilon, weight_decay=weight_decay)
    params = w.numpy()
    state = other.init(params)
    steps = {name: [] for name in ("m", "v", "m_hat", "v_hat", "weights")}
    for t, g in enumerate(gradients, start=1):
        before = W.detach().clone()
        adam.param_groups[0]["lr"] = float(rates[t - 1])
        W.grad = g.clone()
        adam.step()
        update, state = other.update(g.numpy(), state, params)
        params = optax.apply_updates(params, update)
        np.testing.assert_allclose(params, W.detach().numpy(), rtol=1e-7, atol=1e-9)
        m, v = (adam.state[W][name].clone() for name in ("exp_avg", "exp_avg_sq"))
        m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
        by_hand = before - rates[t - 1] * (m_hat / (v_hat.sqrt() + epsilon) + weight_decay * before)
        torch.testing.assert_close(by_hand, W.detach(), rtol=1e-12, atol=1e-12)
        for name, value in zip(steps, (m, v, m_hat, v_hat, W.detach().clone())):
            steps[name].append(value)
    return {name: torch.stack(rows) for name, rows in steps.items()}


def steps_of(inputs, settings):
    steps = cross_entropy(inputs["logits"], inputs["labels"])
    steps |= clipped(list(zip(inputs["gradients/W"], inputs["gradients/b"])), settings["max_norm"])
    updates, warmup = settings["updates"], settings["warmup"]
    schedule = optax.warmup_cosine_decay_schedule(0.0, settings["peak"], warmup, updates)
    steps["rates"] = torch.tensor([float(schedule(np.float64(t))) for t in range(updates)]).double()
    optimiser = {name: settings[name] for name in ("beta1", "beta2", "epsilon", "weight_decay")}
    return steps | adamw(inputs["w"], steps["clipped/W"], steps["rates"].numpy(), **optimiser)


def gradients(rng, lengths, n, n_b):
    """One row for each length: random directions of about these lengths."""
    rows = [normal(rng, 1, n + n_b) for _ in lengths]
    rows = [torch.round(row * (length / row.norm()) * 1024) / 1024 for row, length in zip(rows, lengths)]
    return {"gradients/W": torch.stack(rows)[:, :n], "gradients/b": torch.stack(rows)[:, n:]}


def cases():
    """Name, inputs and settings."""
    rng = np.random.default_rng(6)
    settings = dict(max_norm=2.0, peak=0.125, warmup=2, updates=8, beta1=0.9, beta2=0.999, epsilon=1e-8,
                    weight_decay=0.1)
    yield "example", dict(logits=normal(rng, 2, 4, 3), labels=torch.tensor([2, 0, 1, 2]), w=normal(rng, 3, 4),
                          **gradients(rng, [5, 1.5, 3, 8, 2.5], 4, 2)), settings
    settings = dict(max_norm=3.0, peak=0.5, warmup=3, updates=11, beta1=0.75, beta2=0.9375, epsilon=0.125,
                    weight_decay=0.25)
    yield "sizes", dict(logits=normal(rng, 2, 6, 5), labels=torch.tensor([3, -1, 0, 4, -1, 1]), w=normal(rng, 5, 7),
                        **gradients(rng, [7, 2, 30, 1, 4, 0.5], 7, 3)), settings
    logits = normal(rng, 2, 5, 4) + torch.tensor([[1000.0], [-1000.0], [0.0], [800.0], [-900.0]])
    logits[2, 1] += 1500
    settings = dict(settings, max_norm=100.0, warmup=1, updates=4, beta1=0.5, beta2=0.75, epsilon=1e-8)
    yield "large", dict(logits=logits, labels=torch.tensor([0, 3, 2, 1, -1]), w=normal(rng, 100, 3),
                        **gradients(rng, [3000, 40, 500, 2], 3, 5)), settings


def main():
    arrays = {"made_by": np.array(f"torch {torch.__version__}, optax {optax.__version__}, numpy {np.__version__}")}
    for name, inputs, settings in cases():
        settings = {key: value if isinstance(value, int) else as_float(value) for key, value in settings.items()}
        steps = steps_of(inputs, settings)
        inputs |= {key: torch.tensor(value, dtype=torch.double) for key, value in settings.items()}
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value.numpy())
            assert key in steps or np.array_equal(array, value.numpy()), key
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
