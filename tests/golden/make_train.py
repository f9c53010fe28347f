"""Golden optimiser steps, clipping, learning rates and training runs, by real PyTorch and real optax with Flax, in double.

    python3 tests/golden/make_train.py [PART…]             (needs numpy, torch, jax, flax, optax)

train_optimisers.npz   "case/config" is text as bytes ("kind=adam weight_decay=0.01 …"); for every case the parameters of "start" take
                       30 steps down "gradients" at "rates": "case/torch/w", "case/optax/w", …/m, …/v have a row for each step.
                       "clip/…": gradients, and what torch.nn.utils.clip_grad_norm_ and optax.clip_by_global_norm make of them.
train_schedules.npz    "case/config", "case/steps" (updates made before), "case/rates": the rates with which the update was made.
train_run_CONVENTION.npz   100 steps of the tutorial's reversal predictor: "start/NAME", "gradient/NAME" of step 1 before clipping,
                       "end/NAME", and "losses", "norms" before clipping, "correct", "rates" of every step; "rows" of the first batch.
train_anomaly.npz      a few steps of the set anomaly model, whose weights and features are a formula: "CONVENTION/losses", "…/norms".

All that goes in is written down here or computed from seeds; a float holds it exactly. "versions" is text as bytes.
"""
import math
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import flax
import jax
import jax.numpy as jnp
import numpy as np
import optax
import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "docs"))
import flax_modules
import torch_modules
import weights_from_flax
import weights_from_torch
from make_attention import save, versions

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_threefry_partitionable", False)


def text(config):
    return np.frombuffer(" ".join(f"{key}={value}" for key, value in config.items()).encode(), np.uint8)


def short(values, bits=12):
    """Numbers with this many fractional bits: exact in float, and compressible."""
    return np.round(np.asarray(values, np.float64) * 2**bits) / 2**bits


# ---- optimisers -------------------------------------------------------------------------------------------------------

STEPS = 30
# The gradients of each parameter: of size 1 and less, around Adam's epsilon, tiny, huge, zero.
SIZES = np.array([1.0, 1.0, 2.0**-7, 2.0**-27, 2.0**-40, 2.0**40, 0.0, 1.0, 1.0, 1.0])
OPTIMISERS = {
    "adam": dict(kind="adam"),
    "adam_other_betas": dict(kind="adam", beta1=0.8, beta2=0.95, epsilon=1e-4),
    "adam_no_memory": dict(kind="adam", beta1=0.0, beta2=0.0),
    "adam_decay": dict(kind="adam", weight_decay=0.0625),
    "adamw": dict(kind="adamw", weight_decay=0.0625),
    "adamw_no_decay": dict(kind="adamw", weight_decay=0.0),
    "sgd": dict(kind="sgd"),
    "sgd_momentum": dict(kind="sgd", momentum=0.9),
    "sgd_decay": dict(kind="sgd", weight_decay=0.0625),
    "sgd_momentum_decay": dict(kind="sgd", momentum=0.5, weight_decay=0.125),
}


def written_down():
    """Parameters, 30 gradients of each, 30 learning rates."""
    rng = np.random.default_rng(4)
    start = short(rng.standard_normal(len(SIZES)))
    start[1] = 0
    gradients = short(rng.standard_normal((STEPS, len(SIZES)))) * SIZES
    gradients[:, 7] *= np.isin(np.arange(STEPS), [0, 5, 20])  # occasionally, 0 in between
    gradients[:10, 8] = 0  # starts late
    gradients[:, 9] = 0.5  # constant
    return start, gradients, short(np.linspace(0.1, 0.01, STEPS))


def adam_options(c):
    return c.get("beta1", 0.9), c.get("beta2", 0.999), c.get("epsilon", 1e-8)


def torch_optimiser(c, parameters):
    decay = c.get("weight_decay", 0.0)
    if c["kind"] == "sgd":
        return torch.optim.SGD(parameters, lr=1.0, momentum=c.get("momentum", 0.0), weight_decay=decay)
    beta1, beta2, epsilon = adam_options(c)
    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[c["kind"]]
    return kind(parameters, lr=1.0, betas=(beta1, beta2), eps=epsilon, weight_decay=decay)


def steps_by_torch(c, start, gradients, rates):
    w = torch.nn.Parameter(torch.from_numpy(start.copy()))
    optimiser = torch_optimiser(c, [w])
    rows = {"w": [], "m": [], "v": []}
    for gradient, rate in zip(gradients, rates):
        optimiser.param_groups[0]["lr"] = float(rate)
        w.grad = torch.from_numpy(gradient.copy())
        optimiser.step()
        state = optimiser.state[w]
        names = {"m": "momentum_buffer"} if c["kind"] == "sgd" else {"m": "exp_avg", "v": "exp_avg_sq"}
        rows["w"].append(w.detach().numpy().copy())
        for name, theirs in names.items():
            if state.get(theirs) is not None:  # SGD without momentum has no state
                rows[name].append(state[theirs].numpy().copy())
    return {name: np.stack(values) for name, values in rows.items() if values}


def optax_optimiser(c, rate):
    decay = c.get("weight_decay", 0.0)
    if c["kind"] == "sgd":
        descent = optax.sgd(rate, momentum=c["momentum"] if "momentum" in c else None)
        return optax.chain(optax.add_decayed_weights(decay), descent)
    beta1, beta2, epsilon = adam_options(c)
    if c["kind"] == "adamw":
        return optax.adamw(rate, b1=beta1, b2=beta2, eps=epsilon, weight_decay=decay)
    return optax.chain(optax.add_decayed_weights(decay), optax.adam(rate, b1=beta1, b2=beta2, eps=epsilon))


def state_of(tree, kind):
    """The single state of this kind in optax's nested states."""
    is_it = lambda node: isinstance(node, kind)
    found = [node for node in jax.tree_util.tree_leaves(tree, is_leaf=is_it) if is_it(node)]
    return found[0] if found else None


def steps_by_optax(c, start, gradients, rates):
    table = jnp.asarray(rates)
    optimiser = optax_optimiser(c, lambda count: table[count])
    w = jnp.asarray(start)
    state = optimiser.init(w)
    rows = {"w": [], "m": [], "v": []}
    for gradient in gradients:
        updates, state = optimiser.update(jnp.asarray(gradient), state, w)
        w = optax.apply_updates(w, updates)
        adam, trace = state_of(state, optax.ScaleByAdamState), state_of(state, optax.TraceState)
        rows["w"].append(np.asarray(w))
        if adam is not None:
            rows["m"].append(np.asarray(adam.mu))
            rows["v"].append(np.asarray(adam.nu))
        if trace is not None:
            rows["m"].append(np.asarray(trace.trace))
    return {name: np.stack(values) for name, values in rows.items() if values}


# name: (gradients of three parameters, the limit)
CLIPPED = {
    "above": (1.0, 1.0),
    "far_above": (4096.0, 0.25),
    "below": (0.03125, 1.0),
    "at_the_limit": (None, 5.0),  # the norm of 3, 4, 0, …
    "zero": (0.0, 1.0),
    "huge": (2.0**50, 1.0),
    "tiny": (2.0**-40, 2.0**-42),
}


def clipping():
    rng = np.random.default_rng(6)
    arrays = {}
    for name, (size, limit) in CLIPPED.items():
        parts = [short(rng.standard_normal(shape)) * (size or 0) for shape in ((3, 4), (5,), ())]
        if size is None:
            parts[1][:2] = 3, 4
        leaves = [torch.nn.Parameter(torch.zeros(part.shape, dtype=torch.float64)) for part in parts]
        for leaf, part in zip(leaves, parts):
            leaf.grad = torch.from_numpy(np.array(part))
        norm = torch.nn.utils.clip_grad_norm_(leaves, limit)
        tree = [jnp.asarray(part) for part in parts]
        by_optax, _ = optax.clip_by_global_norm(limit).update(tree, optax.EmptyState())
        np.testing.assert_allclose(norm.item(), optax.global_norm(tree), rtol=1e-14)
        flat = lambda values: np.concatenate([np.ravel(value) for value in values])
        arrays[f"clip/{name}/limit"] = np.float64(limit)
        arrays[f"clip/{name}/gradient"] = flat(parts)
        arrays[f"clip/{name}/norm"] = np.float64(norm.item())
        arrays[f"clip/{name}/torch"] = flat([leaf.grad.numpy() for leaf in leaves])
        arrays[f"clip/{name}/optax"] = flat(by_optax)
    return arrays


def make_optimisers():
    start, gradients, rates = written_down()
    arrays = {"versions": versions(torch, jax, optax), "start": start, "gradients": gradients, "rates": rates}
    for name, config in OPTIMISERS.items():
        arrays[f"{name}/config"] = text(config)
        for source, run in (("torch", steps_by_torch), ("optax", steps_by_optax)):
            for key, value in run(config, start, gradients, rates).items():
                assert np.isfinite(value).all(), (name, source, key)
                arrays[f"{name}/{source}/{key}"] = value
    arrays.update(clipping())
    save("train_optimisers.npz", arrays)


# ---- learning rates ---------------------------------------------------------------------------------------------------


def printed_cosine(c):
    """The tutorial's scheduler as printed: a cosine over the full run, times t / warm-up during warm-up."""
    def factor(t):
        value = 0.5 * (1 + math.cos(math.pi * t / c["steps"]))
        return value * t / c["warmup"] if t <= c["warmup"] else value
    return factor


def inverse_sqrt(c):
    """Vaswani et al. 2017, equation 3: its steps count from 1."""
    return lambda t: c["d_model"] ** -0.5 * min((t + 1) ** -0.5, (t + 1) * c["warmup"] ** -1.5)


def rates_by_torch(rate, factor, count):
    """The learning rate of each of the first updates, from a torch optimiser."""
    w = torch.nn.Parameter(torch.zeros(1))
    optimiser = torch.optim.SGD([w], lr=rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, factor)
    rates = []
    for _ in range(count):
        rates.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        schedule.step()
    return np.array(rates)


def in_double(schedule):
    """optax counts in 32 bits and computes in float: the error relative to the peak is 1e-7."""
    return lambda count: schedule(jnp.asarray(count, jnp.float64))


def rates_by_optax(schedule, count):
    """The same with optax: the update of a parameter whose gradient is 1."""
    optimiser = optax.sgd(in_double(schedule))

    def update(state, _):
        updates, state = optimiser.update(jnp.ones(()), state)
        return state, -updates

    return np.asarray(jax.lax.scan(update, optimiser.init(jnp.zeros(())), length=count)[1])


def schedules():
    """(config, rates of the first updates)"""
    for rate in (5e-4, 1.0):
        c = dict(kind="constant", rate=rate)
        yield c, rates_by_optax(optax.constant_schedule(rate), 20)
    for warmup, steps in ((50, 3900), (100, 1000), (0, 40), (1, 40), (39, 40), (5, 7)):
        c = dict(kind="cosine", rate=5e-4, warmup=warmup, steps=steps)
        # With a warm-up of 0 steps optax starts the cosine immediately.
        schedule = optax.warmup_cosine_decay_schedule(0.0, c["rate"], warmup, steps)
        yield c, rates_by_optax(schedule, steps + 100)
    for warmup, steps in ((50, 3900), (100, 2000), (1, 40), (40, 40), (60, 40), (5, 7)):
        c = dict(kind="cosine-printed", rate=5e-4, warmup=warmup, steps=steps)
        yield c, rates_by_torch(c["rate"], printed_cosine(c), steps + 100)
    for warmup, d_model, rate in ((4000, 512, 1.0), (1, 32, 1.0), (50, 64, 0.5)):
        c = dict(kind="inverse-sqrt", rate=rate, warmup=warmup, d_model=d_model)
        yield c, rates_by_torch(rate, inverse_sqrt(c), warmup + 200)


def make_schedules():
    arrays = {"versions": versions(torch, jax, optax)}
    for number, (config, rates) in enumerate(schedules()):
        edges = [0, config.get("warmup", 0), config.get("steps", 0)]
        near = {edge + i for edge in edges for i in range(-2, 3)}
        some = np.array(sorted((near | set(range(0, len(rates), 97)) | {len(rates) - 1}) & set(range(len(rates)))))
        arrays.update({f"case{number}/config": text(config), f"case{number}/steps": some, f"case{number}/rates": rates[some]})
    save("train_schedules.npz", arrays)


# ---- the order of the data --------------------------------------------------------------------------------------------


def threefry(key, counter):
    """Threefry-2x32 with 20 rounds (Salmon et al. 2011), on arrays of 32-bit words."""
    first, second = (np.asarray(word, np.uint32) for word in counter)
    keys = [np.uint32(key[0]), np.uint32(key[1]), np.uint32(key[0] ^ key[1] ^ 0x1BD11BDA)]
    with np.errstate(over="ignore"):
        x, y = first + keys[0], second + keys[1]
        for group in range(5):
            for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
                x = x + y
                y = (y << np.uint32(turn) | y >> np.uint32(32 - turn)) ^ x
            x = x + keys[(group + 1) % 3]
            y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


def shuffled(count, seed, epoch):
    """The row order of an epoch, as in docs/training.md: Fisher–Yates, with Threefry's words scaled to the remaining range."""
    key = [int(word) for word in threefry((seed >> 32, seed & 0xFFFFFFFF), (0x6F726472, epoch))]
    left = np.arange(count, 1, -1)
    draws, _ = threefry(key, (left, np.zeros_like(left)))
    at = (draws.astype(np.uint64) * left.astype(np.uint64)) >> np.uint64(32)
    order = list(range(count))
    for i, j in zip(left.tolist(), at.tolist()):
        order[i - 1], order[j] = order[j], order[i - 1]
    return np.array(order)


# ---- runs -------------------------------------------------------------------------------------------------------------

RUN_STEPS, BATCH, SEED = 100, 128, 42
RATE, WARMUP, ALL_STEPS = 5e-4, 50, 3900
REVERSAL = dict(d_in=10, d_model=32, heads=1, d_ff=64, layers=1, classes=10)


def reversal_batches():
    """One-hot x and labels of every step, and the rows of the first."""
    digits = np.random.default_rng(42).integers(10, size=(50000, 16))
    rows = shuffled(len(digits), SEED, 0)[: RUN_STEPS * BATCH].reshape(RUN_STEPS, BATCH)
    return [(np.eye(10)[digits[some]], digits[some][:, ::-1].copy()) for some in rows], rows[0]


def train_by_torch(model, batches, loss_of, rate, factor, limit):
    """Results of each step; gradients of the first before clipping."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, factor)
    log, first = {"losses": [], "norms": [], "correct": [], "rates": []}, None
    for x, labels in batches:
        loss, correct = loss_of(model(torch.from_numpy(x)), torch.from_numpy(labels))
        optimiser.zero_grad()
        loss.backward()
        first = first or {name: p.grad.numpy().copy() for name, p in model.named_parameters()}
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), limit)
        for key, value in (("losses", loss), ("norms", norm), ("correct", correct)):
            log[key].append(value.item())
        log["rates"].append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        schedule.step()
    return log, first


def train_by_optax(apply, params, batches, loss_of, schedule, limit):
    optimiser = optax.chain(optax.clip_by_global_norm(limit), optax.adam(in_double(schedule)))

    @jax.jit
    def step(params, state, x, labels):
        (loss, correct), gradients = jax.value_and_grad(lambda p: loss_of(apply(p, x), labels), has_aux=True)(params)
        updates, state = optimiser.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, loss, correct, gradients

    state, first = optimiser.init(params), None
    log = {"losses": [], "norms": [], "correct": [], "rates": []}
    for number, (x, labels) in enumerate(batches):
        params, state, loss, correct, gradients = step(params, state, jnp.asarray(x), jnp.asarray(labels))
        first = first or gradients
        for key, value in (("losses", loss), ("norms", optax.global_norm(gradients)), ("correct", correct),
                           ("rates", schedule(number))):
            log[key].append(float(value))
    return log, first, params


def elements_by_torch(logits, labels):
    correct = (logits.argmax(-1) == labels).sum()
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1)), correct


def elements_by_optax(logits, labels):
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
    return loss, (logits.argmax(-1) == labels).sum()


def save_run(convention, peers, rows, log, start, first, end):
    arrays = {"versions": peers, "rows": rows.astype(np.float64)}
    arrays.update({key: np.array(values, np.float64) for key, values in log.items()})
    for group, values in (("start", start), ("gradient", first), ("end", end)):
        arrays.update({f"{group}/{name}": np.asarray(value, np.float64) for name, value in values.items()})
    save(f"train_run_{convention}.npz", arrays)


def make_run_torch():
    c, (batches, rows) = REVERSAL, reversal_batches()
    torch.manual_seed(42)
    model = torch_modules.Predictor("uva-torch", c["d_in"], c["d_model"], c["heads"], c["d_ff"], c["layers"], c["classes"]).double()
    for module in model.modules():  # as in the tutorial's initialisation
        if isinstance(module, torch_modules.Attention):
            for layer in (module.qkv_proj, module.o_proj):
                torch.nn.init.xavier_uniform_(layer.weight)
                torch.nn.init.zeros_(layer.bias)
    for parameter in model.parameters():
        parameter.data = torch.from_numpy(short(parameter.data, 16))
    start = {name: value.copy() for name, value in weights_from_torch.weights_of(model).items()}
    factor = printed_cosine(dict(warmup=WARMUP, steps=ALL_STEPS))
    log, first = train_by_torch(model, batches, elements_by_torch, RATE, factor, 5.0)
    save_run("uva-torch", versions(torch), rows, log, start, first, weights_from_torch.weights_of(model))


def make_run_flax():
    c, (batches, rows) = REVERSAL, reversal_batches()
    model = flax_modules.Predictor(c["d_model"], c["heads"], c["d_ff"], c["layers"], c["classes"])
    params = model.init(jax.random.PRNGKey(42), jnp.asarray(batches[0][0]))["params"]
    params = jax.tree_util.tree_map(lambda leaf: jnp.asarray(short(leaf, 16)), params)
    schedule = optax.warmup_cosine_decay_schedule(0.0, RATE, WARMUP, ALL_STEPS)
    apply = lambda params, x: model.apply({"params": params}, x)
    log, first, end = train_by_optax(apply, params, batches, elements_by_optax, schedule, 1.0)
    names = weights_from_flax.weights_of
    save_run("uva-jax", versions(jax, flax, optax), rows, log, names(params), names(first), names(end))


# ---- set anomaly ------------------------------------------------------------------------------------------------------

ANOMALY = dict(d_in=512, d_model=256, heads=4, d_ff=512, layers=4, classes=1)
SETS, ELEMENTS, ANOMALY_STEPS = 64, 10, 3


def formula(number, count):
    """Numbers in [−1, 1) from 24 bits of Threefry, by array number and index."""
    words, _ = threefry((number, 0), (np.arange(count), np.zeros(count, np.uint32)))
    return (words >> np.uint32(8)) / 2.0**23 - 1


def anomaly_weight(number, name, shape):
    """A matrix (out, in) scaled by the power of two nearest 1/√in, biases and norm shifts by 1/16, norm scales around 1."""
    values = formula(number, math.prod(shape)).reshape(shape)
    if len(shape) == 2:
        return values * 2.0 ** -round(math.log2(shape[1]) / 2)
    return values / 16 + (1 if name.endswith("weight") else 0)


def anomaly_batches():
    """Features, with one element's doubled; and the index of the odd one."""
    for step in range(ANOMALY_STEPS):
        x = formula(1000 + step, SETS * ELEMENTS * ANOMALY["d_in"]).reshape(SETS, ELEMENTS, -1)
        labels = (np.arange(SETS) * 7 + step) % ELEMENTS
        x[np.arange(SETS), labels] *= 2
        yield x, labels


def sets_by_torch(logits, labels):
    return elements_by_torch(logits[..., 0], labels)


def sets_by_optax(logits, labels):
    return elements_by_optax(logits[..., 0], labels)


def anomaly_by_torch():
    c = ANOMALY
    model = torch_modules.Predictor("uva-torch", c["d_in"], c["d_model"], c["heads"], c["d_ff"], c["layers"], c["classes"],
                                    positional=False).double()
    for number, (name, parameter) in enumerate(sorted(model.named_parameters())):
        parameter.data = torch.from_numpy(anomaly_weight(number, name, tuple(parameter.shape)))
    factor = printed_cosine(dict(warmup=2, steps=10))
    return train_by_torch(model, anomaly_batches(), sets_by_torch, RATE, factor, 2.0)[0]


def anomaly_by_flax():
    c = ANOMALY
    model = flax_modules.Predictor(c["d_model"], c["heads"], c["d_ff"], c["layers"], c["classes"], positional=False)
    x = jnp.zeros((SETS, ELEMENTS, c["d_in"]))
    params = jax.eval_shape(lambda: model.init(jax.random.PRNGKey(0), x))["params"]
    leaves, tree = jax.tree_util.tree_flatten(params)
    # A leaf's place in the tree gives its name in the files, and with it its number.
    places = weights_from_flax.weights_of(jax.tree_util.tree_unflatten(tree, [np.full(1, i) for i in range(len(leaves))]))
    for number, (name, place) in enumerate(sorted(places.items())):
        i = int(place[0])
        value = anomaly_weight(number, name, leaves[i].shape[::-1])
        leaves[i] = jnp.asarray(value.T)
    params = jax.tree_util.tree_unflatten(tree, leaves)
    schedule = optax.warmup_cosine_decay_schedule(0.0, RATE, 2, 10)
    apply = lambda params, x: model.apply({"params": params}, x)
    return train_by_optax(apply, params, anomaly_batches(), sets_by_optax, schedule, 1.0)[0]


def make_anomaly():
    arrays = {"versions": versions(torch, jax, flax, optax)}
    for convention, run in (("uva-torch", anomaly_by_torch), ("uva-jax", anomaly_by_flax)):
        arrays.update({f"{convention}/{key}": np.array(values, np.float64) for key, values in run().items()})
    save("train_anomaly.npz", arrays)


if __name__ == "__main__":
    parts = {"optimisers": make_optimisers, "schedules": make_schedules, "torch": make_run_torch, "flax": make_run_flax,
             "anomaly": make_anomaly}
    for part in sys.argv[1:] or parts:
        parts[part]()
