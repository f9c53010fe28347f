"""The same as `tracer train` in PyTorch or JAX, each at its fastest: one line of JSON.

train_peer.py [--framework torch|jax] [--task reverse|anomaly] [--device cpu|cuda] [--threads 2] [--steps N] [--way …] [sizes]
All data are generated before the clock starts, and batches are gathered from one tensor: no DataLoader. torch: the model
in F.linear and, where available, scaled_dot_product_attention; Adam fused or foreach where available; --way eager or
compiled (torch.compile), on a GPU also graph (the complete step, from the gather to Adam, captured as a CUDA graph after
three steps) and compiled-graph (blocks compiled with torch.compile, then captured). jax: one jitted step with donated
state, batches gathered inside it; --way scan runs an epoch in one jitted call. The clock starts before the first step
(compilation counts, and is also reported separately) and stops after the last; validation after every epoch is included,
as in tracer; the device is initialised and has all data by then. --precision: see peer.py.
"""
import argparse
import contextlib
import math
import time

from peer import PRECISIONS, Jax, Torch, report


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--framework", choices=["torch", "jax"], default="torch")
    parser.add_argument("--task", choices=["reverse", "anomaly"], default="reverse")
    parser.add_argument("--way", default="eager")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--precision", choices=PRECISIONS, default="fp32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--steps", type=int, default=0, help="stop after this many")
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--seq", type=int, default=0)
    parser.add_argument("--dmodel", type=int, default=0)
    parser.add_argument("--examples", type=int, default=0)
    parser.add_argument("--validation", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=42)
    options = parser.parse_args()
    defaults = {"reverse": (128, 16, 32), "anomaly": (64, 10, 256)}[options.task]
    options.batch, options.seq, options.dmodel = (
        given or default for given, default in zip((options.batch, options.seq, options.dmodel), defaults))
    options.heads, options.layers, options.d_in, options.classes = {
        "reverse": (1, 1, 10, 10), "anomaly": (4, 4, 512, 1)}[options.task]
    options.dropout = {"reverse": 0.0, "anomaly": 0.1}[options.task]
    options.warmup = {"reverse": 50, "anomaly": 100}[options.task]
    options.examples = options.examples or {"reverse": 50000, "anomaly": 4500}[options.task]
    return options


def data(options, count, seed):
    """Inputs and labels as NumPy arrays: the tutorial's digits; for anomaly random features, as only speed matters."""
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


def run_torch(place, options):
    torch = place.torch
    F = torch.nn.functional
    dtype, context = place.use(options.precision)
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
            blocks = [Block() for _ in range(options.layers)]
            if options.way == "compiled-graph":  # identical blocks are compiled once
                for block in blocks:
                    block.compile(dynamic=False)
            self.blocks = torch.nn.Sequential(*blocks)
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
        with context():
            logits = model(x)
        logits = logits.squeeze(-1) if options.task == "anomaly" else logits.flatten(0, 1)
        return F.cross_entropy(logits.float(), labels.flatten()), logits

    def on_device(count, seed):
        x, labels = data(options, count, seed)
        return torch.from_numpy(x).to(place.device, dtype), torch.from_numpy(labels).to(place.device)

    x, labels = on_device(options.examples, 42)
    valid_x, valid_labels = on_device(options.validation, 43)
    model = Model().to(place.device, dtype)
    called = torch.compile(model) if options.way == "compiled" else model
    is_graph = options.way.endswith("graph")
    if options.way == "plain":
        optimiser, form = torch.optim.Adam(model.parameters(), lr=0.0), "loop"
    else:
        optimiser, form = place.optimiser(torch.optim.Adam, model.parameters(), 0.0, recordable=is_graph)
    rows = torch.zeros(options.batch, dtype=torch.int64, device=place.device)

    def step():
        loss, _ = loss_of(called, x[rows], labels[rows])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    def set_rate(rate):
        for group in optimiser.param_groups:
            if torch.is_tensor(group["lr"]):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    steps_per_epoch = options.examples // options.batch
    total = options.epochs * steps_per_epoch
    steps = min(options.steps or total, total)
    # Validation has another batch size: run eagerly, or it would be recompiled.
    uncompiled = (lambda: torch.compiler.set_stance("force_eager")) if options.way == "compiled-graph" else contextlib.nullcontext
    run, curve, done, first_seconds = step, [], 0, None
    place.wait()
    begin = time.perf_counter()
    for epoch in range(options.epochs):
        order = torch.randperm(options.examples, device=place.device)
        model.train()
        for i in range(steps_per_epoch):
            if done == steps:
                break
            rows.copy_(order[i * options.batch:(i + 1) * options.batch])
            set_rate(learning_rate(options, done, total))
            if is_graph and done < 3:
                place.warmed_up(step, times=1)
            elif is_graph and done == 3:
                run = place.recorded(step, warm_up=0)
                run()
            else:
                run()
            done += 1
            if first_seconds is None:
                place.wait()
                first_seconds = time.perf_counter() - begin
        model.eval()
        with torch.no_grad(), uncompiled():
            logits = loss_of(model, valid_x, valid_labels)[1]
            accuracy = (logits.argmax(-1) == valid_labels.flatten()).float().mean().item()
        curve.append((round(time.perf_counter() - begin, 3), accuracy))
        if done == steps:
            break
    return {"version": torch.__version__, "optimiser": form}, done, begin, first_seconds, curve


# ---- jax -------------------------------------------------------------------------------------------------------------


def run_jax(place, options):
    import numpy as np
    import optax
    jax, jnp = place.jax, place.jax.numpy
    dtype = place.use(options.precision)
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

    steps_per_epoch = options.examples // options.batch
    total = options.epochs * steps_per_epoch
    schedule = optax.warmup_cosine_decay_schedule(0.0, 5e-4, options.warmup, total, 0.0)
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))
    parameters = jax.tree.map(lambda w: w.astype(dtype), parameters)
    table = table.astype(dtype)

    def on_device(count, seed):
        x, labels = data(options, count, seed)
        return jnp.asarray(x, dtype), jnp.asarray(labels)

    examples, checks = on_device(options.examples, 42), on_device(options.validation, 43)

    def loss_of(p, x, labels, key):
        return optax.softmax_cross_entropy_with_integer_labels(forward(p, x, key, True), labels).mean()

    # The examples are an argument, as constants would be compiled into the function.
    def step(state, rows, examples):
        x, labels = examples
        p, memory, key = state
        key, own = jax.random.split(key)
        loss, gradient = jax.value_and_grad(loss_of)(p, x[rows], labels[rows], own)
        updates, memory = optimiser.update(gradient, memory, p)
        return (optax.apply_updates(p, updates), memory, key), loss

    one = jax.jit(lambda state, i, rows, examples: step(state, rows[i], examples), donate_argnums=0)
    whole = jax.jit(lambda state, rows, examples: jax.lax.scan(lambda s, r: step(s, r, examples), state, rows), donate_argnums=0)
    accuracy_of = jax.jit(lambda p, x, labels: (forward(p, x, jax.random.PRNGKey(0), False).argmax(-1) == labels).mean())
    state = (parameters, optimiser.init(parameters), jax.random.PRNGKey(1))
    jax.block_until_ready((state, examples, checks))
    rng = np.random.default_rng(options.seed)
    steps = min(options.steps or total, total)
    curve, done, first_seconds = [], 0, None
    begin = time.perf_counter()
    while done < steps:
        now = min(steps_per_epoch, steps - done)
        rows = rng.permutation(options.examples)[:now * options.batch].reshape(now, options.batch)
        rows = jnp.asarray(rows)
        if options.way == "scan":
            state, losses = whole(state, rows, examples)
            losses.block_until_ready()
            first_seconds = first_seconds or time.perf_counter() - begin
        else:
            for i in range(now):
                state, loss = one(state, i, rows, examples)
                if first_seconds is None:
                    loss.block_until_ready()
                    first_seconds = time.perf_counter() - begin
        done += now
        curve.append((0, float(accuracy_of(state[0], *checks))))
        curve[-1] = (round(time.perf_counter() - begin, 3), curve[-1][1])
    return {"version": jax.__version__}, done, begin, first_seconds, curve


def main():
    options = arguments()
    place = (Jax if options.framework == "jax" else Torch)(options.device, options.threads)
    about, done, begin, first, curve = (run_jax if options.framework == "jax" else run_torch)(place, options)
    place.wait(None)
    seconds = time.perf_counter() - begin
    solved = next((at for at, accuracy in curve if accuracy == 1), None)
    report({"framework": options.framework, **about, "way": options.way, "precision": options.precision, "steps": done,
            "seconds": round(seconds, 3), "first_step": round(first, 3), "epochs": [at for at, _ in curve], "solved": solved,
            "accuracy": curve[-1][1], **place.about()})


if __name__ == "__main__":
    main()
