"""What `tracer train` does, in PyTorch or JAX, as fast as either does it: one line of JSON.

train_peer.py [--framework torch|jax] [--task reverse|anomaly] [--threads 2] [--steps N] [--way …] [sizes]
All data are made before the clock starts, and batches are index lookups into one tensor: no DataLoader. torch: the model
written with F.linear and, where there is one, scaled_dot_product_attention; Adam with foreach or fused where the version
has it; --way eager or compiled (torch.compile). jax: one jitted step with donated state, batches gathered inside it; --way
scan runs a whole epoch in one jitted call. The clock begins with the first step (compiling counts, and is also reported
apart) and ends after the last; validation after every epoch is included, as tracer has it.
"""
import argparse
import json
import math
import os
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--framework", choices=["torch", "jax"], default="torch")
    parser.add_argument("--task", choices=["reverse", "anomaly"], default="reverse")
    parser.add_argument("--way", default="eager")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--steps", type=int, default=0, help="stop after so many")
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--seq", type=int, default=0)
    parser.add_argument("--dmodel", type=int, default=0)
    parser.add_argument("--seed", type=int, default=42)
    options = parser.parse_args()
    defaults = {"reverse": (128, 16, 32), "anomaly": (64, 10, 256)}[options.task]
    options.batch, options.seq, options.dmodel = (
        given or default for given, default in zip((options.batch, options.seq, options.dmodel), defaults))
    options.heads, options.layers, options.d_in, options.classes = {
        "reverse": (1, 1, 10, 10), "anomaly": (4, 4, 512, 1)}[options.task]
    options.dropout = {"reverse": 0.0, "anomaly": 0.1}[options.task]
    options.warmup = {"reverse": 50, "anomaly": 100}[options.task]
    options.examples = {"reverse": 50000, "anomaly": 4500}[options.task]
    return options


def peak_mb():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024


def data(options, count, seed):
    """Inputs and labels as NumPy arrays: the tutorial's digits; for anomaly, any features (only speed counts here)."""
    import numpy as np
    rng = np.random.default_rng(seed)
    if options.task == "reverse":
        digits = rng.integers(10, size=(count, options.seq))
        return np.eye(10, dtype=np.float32)[digits], np.flip(digits, axis=1).copy()
    x = rng.random((count, options.seq, options.d_in), dtype=np.float32)
    return x, np.full(count, options.seq - 1)


def positions(options):
    import numpy as np
    d = options.dmodel
    angle = np.arange(options.seq)[:, None] * np.exp(np.arange(0, d, 2) * (-math.log(10000.0) / d))
    table = np.zeros((options.seq, d), np.float32)
    table[:, 0::2], table[:, 1::2] = np.sin(angle), np.cos(angle)
    return table


def learning_rate(options, step, steps):
    if step < options.warmup:
        return 5e-4 * step / options.warmup
    return 5e-4 * 0.5 * (1 + math.cos(math.pi * (step - options.warmup) / (steps - options.warmup)))


# ---- torch -----------------------------------------------------------------------------------------------------------


def run_torch(options):
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    d, heads = options.dmodel, options.heads

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = torch.nn.Linear(d, 3 * d), torch.nn.Linear(d, d)
            self.first, self.second = torch.nn.Linear(d, 2 * d), torch.nn.Linear(2 * d, d)
            self.norm1, self.norm2 = torch.nn.LayerNorm(d), torch.nn.LayerNorm(d)

        def forward(self, x):
            batch, length = x.shape[0], x.shape[1]
            q, k, v = self.qkv(x).view(batch, length, heads, 3 * d // heads).transpose(1, 2).chunk(3, dim=-1)
            if options.way != "written" and hasattr(F, "scaled_dot_product_attention"):
                values = F.scaled_dot_product_attention(q, k, v)
            else:
                values = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d // heads), -1) @ v
            drop = lambda y: F.dropout(y, options.dropout, self.training) if options.dropout else y
            x = self.norm1(x + drop(self.out(values.transpose(1, 2).reshape(batch, length, d))))
            return self.norm2(x + drop(self.second(drop(F.relu(self.first(x))))))

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.input = torch.nn.Linear(options.d_in, d)
            self.blocks = torch.nn.Sequential(*(Block() for _ in range(options.layers)))
            self.first, self.norm, self.last = (torch.nn.Linear(d, d), torch.nn.LayerNorm(d),
                                                torch.nn.Linear(d, options.classes))
            self.register_buffer("positions", torch.from_numpy(positions(options)))

        def forward(self, x):
            if options.dropout:
                x = F.dropout(x, options.dropout, self.training)
            h = self.input(x)
            if options.task == "reverse":
                h = h + self.positions
            h = F.relu(self.norm(self.first(self.blocks(h))))
            if options.dropout:
                h = F.dropout(h, options.dropout, self.training)
            return self.last(h)

    def loss_of(model, x, labels):
        logits = model(x)
        logits = logits.squeeze(-1) if options.task == "anomaly" else logits.flatten(0, 1)
        return F.cross_entropy(logits, labels.flatten()), logits

    x, labels = (torch.from_numpy(array) for array in data(options, options.examples, 42))
    valid_x, valid_labels = (torch.from_numpy(array) for array in data(options, 1000, 43))
    model = Model()
    called = torch.compile(model) if options.way == "compiled" else model
    extra = {}
    if options.way != "plain":
        for name in ("fused", "foreach"):  # whichever this version has on the CPU
            try:
                torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))], **{name: True})
                probe = torch.nn.Parameter(torch.zeros(1))
                probe.grad = torch.zeros(1)
                torch.optim.Adam([probe], **{name: True}).step()
                extra = {name: True}
                break
            except (TypeError, RuntimeError, ValueError):
                pass
    optimiser = torch.optim.Adam(model.parameters(), lr=0.0, **extra)
    an_epoch = options.examples // options.batch
    total = options.epochs * an_epoch
    steps = min(options.steps or total, total)
    curve, done = [], 0
    begin = time.perf_counter()
    first_seconds = None
    for epoch in range(options.epochs):
        order = torch.randperm(options.examples)
        model.train()
        for i in range(an_epoch):
            if done == steps:
                break
            rows = order[i * options.batch:(i + 1) * options.batch]
            for group in optimiser.param_groups:
                group["lr"] = learning_rate(options, done, total)
            loss, _ = loss_of(called, x[rows], labels[rows])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            done += 1
            first_seconds = first_seconds or time.perf_counter() - begin
        model.eval()
        with torch.no_grad():
            logits = loss_of(model, valid_x, valid_labels)[1]
            accuracy = (logits.argmax(-1) == valid_labels.flatten()).float().mean().item()
        curve.append((round(time.perf_counter() - begin, 3), accuracy))
        if done == steps:
            break
    return {"version": torch.__version__, "optimiser": next(iter(extra), "loop")}, done, begin, first_seconds, curve


# ---- jax -------------------------------------------------------------------------------------------------------------


def run_jax(options):
    import jax
    import jax.numpy as jnp
    import numpy as np
    import optax
    d, heads = options.dmodel, options.heads

    def linear(key, fan_in, fan_out):
        return {"w": jax.random.normal(key, (fan_in, fan_out)) / math.sqrt(fan_in), "b": jnp.zeros(fan_out)}

    def norm():
        return {"g": jnp.ones(d), "b": jnp.zeros(d)}

    keys = iter(jax.random.split(jax.random.PRNGKey(options.seed), 64))
    block = lambda: {"qkv": linear(next(keys), d, 3 * d), "out": linear(next(keys), d, d),
                     "first": linear(next(keys), d, 2 * d), "second": linear(next(keys), 2 * d, d),
                     "norm1": norm(), "norm2": norm()}
    parameters = {"input": linear(next(keys), options.d_in, d), "blocks": [block() for _ in range(options.layers)],
                  "first": linear(next(keys), d, d), "norm": norm(), "last": linear(next(keys), d, options.classes)}
    table = jnp.asarray(positions(options))
    apply = lambda layer, x: x @ layer["w"] + layer["b"]

    def normed(layer, x):
        mean = x.mean(-1, keepdims=True)
        variance = jnp.maximum((x * x).mean(-1, keepdims=True) - mean * mean, 0)
        return (x - mean) * jax.lax.rsqrt(variance + 1e-6) * layer["g"] + layer["b"]

    def drop(key, x, train):
        if not options.dropout or not train:
            return x
        return jnp.where(jax.random.bernoulli(key, 1 - options.dropout, x.shape), x / (1 - options.dropout), 0)

    def forward(p, x, key, train):
        keys = iter(jax.random.split(key, 2 + 3 * options.layers))
        h = apply(p["input"], drop(next(keys), x, train))
        if options.task == "reverse":
            h = h + table
        for layer in p["blocks"]:
            batch, length = h.shape[:2]
            q, k, v = jnp.split(apply(layer["qkv"], h).reshape(batch, length, heads, -1).transpose(0, 2, 1, 3), 3, -1)
            values = jax.nn.softmax(q @ k.swapaxes(-1, -2) / math.sqrt(d // heads)) @ v
            values = values.transpose(0, 2, 1, 3).reshape(batch, length, d)
            h = normed(layer["norm1"], h + drop(next(keys), apply(layer["out"], values), train))
            inner = drop(next(keys), jax.nn.relu(apply(layer["first"], h)), train)
            h = normed(layer["norm2"], h + drop(next(keys), apply(layer["second"], inner), train))
        h = jax.nn.relu(normed(p["norm"], apply(p["first"], h)))
        logits = apply(p["last"], drop(next(keys), h, train))
        return logits[..., 0] if options.task == "anomaly" else logits

    an_epoch = options.examples // options.batch
    total = options.epochs * an_epoch
    schedule = optax.warmup_cosine_decay_schedule(0.0, 5e-4, options.warmup, total, 0.0)
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))
    x, labels = (jnp.asarray(array) for array in data(options, options.examples, 42))
    valid_x, valid_labels = (jnp.asarray(array) for array in data(options, 1000, 43))

    def loss_of(p, x, labels, key):
        return optax.softmax_cross_entropy_with_integer_labels(forward(p, x, key, True), labels).mean()

    def step(state, rows):
        p, memory, key = state
        key, own = jax.random.split(key)
        loss, gradient = jax.value_and_grad(loss_of)(p, x[rows], labels[rows], own)
        updates, memory = optimiser.update(gradient, memory, p)
        return (optax.apply_updates(p, updates), memory, key), loss

    one = jax.jit(step, donate_argnums=0)
    whole = jax.jit(lambda state, rows: jax.lax.scan(step, state, rows), donate_argnums=0)
    accuracy_of = jax.jit(lambda p: (forward(p, valid_x, jax.random.PRNGKey(0), False).argmax(-1) == valid_labels).mean())
    state = (parameters, optimiser.init(parameters), jax.random.PRNGKey(1))
    rng = np.random.default_rng(options.seed)
    steps = min(options.steps or total, total)
    curve, done, first_seconds = [], 0, None
    begin = time.perf_counter()
    while done < steps:
        now = min(an_epoch, steps - done)
        rows = rng.permutation(options.examples)[:now * options.batch].reshape(now, options.batch)
        if options.way == "scan":
            state, losses = whole(state, rows)
            losses.block_until_ready()
            first_seconds = first_seconds or time.perf_counter() - begin
        else:
            for each in rows:
                state, loss = one(state, each)
                if first_seconds is None:
                    loss.block_until_ready()
                    first_seconds = time.perf_counter() - begin
        done += now
        curve.append((0, float(accuracy_of(state[0]))))
        curve[-1] = (round(time.perf_counter() - begin, 3), curve[-1][1])
    return {"version": jax.__version__}, done, begin, first_seconds, curve


def main():
    options = arguments()
    if options.framework == "jax":
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        if options.threads == 1:
            os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
            os.sched_setaffinity(0, {0})
    about, done, begin, first, curve = (run_jax if options.framework == "jax" else run_torch)(options)
    seconds = time.perf_counter() - begin
    solved = next((at for at, accuracy in curve if accuracy == 1), None)
    print(json.dumps({"framework": options.framework, **about, "way": options.way, "threads": options.threads, "steps": done,
                      "seconds": round(seconds, 3), "first_step": round(first, 3), "solved": solved,
                      "accuracy": curve[-1][1], "peak_mb": round(peak_mb(), 1)}))


if __name__ == "__main__":
    main()
