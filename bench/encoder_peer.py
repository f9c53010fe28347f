"""The same task as encoder.cpp in PyTorch or JAX: one line of JSON for each size, way and precision.

encoder_peer.py [--framework torch|jax] [--way module|written|…,…] [--train] [--device cpu|cuda] [B,T ...]
module: nn.TransformerEncoder in eval mode, which takes PyTorch's fused fast path; written: written out with F.linear and
scaled_dot_product_attention (or matmul and softmax, where this PyTorch lacks it); frozen: written, traced and optimised
for inference (oneDNN with packed weights); compiled: written, with torch.compile and frozen weights. On a GPU: graph:
written, captured as a CUDA graph; compiled-graph: blocks compiled with torch.compile, then captured.
--train: forward pass, backward pass from a given dL/dy, fused AdamW; for written, graph and compiled-graph.
JAX: one jitted function with its own dot_product_attention; a training step donates its state. --precision: see
peer.py. --product N: the rate of one N³ product instead.
"""
import argparse
import math

from peer import PRECISIONS, Jax, Torch, attempts, times_of

D_MODEL, HEADS, D_FF, LAYERS = 512, 8, 2048, 6


# ---- torch -----------------------------------------------------------------------------------------------------------


def blocks(torch):
    F = torch.nn.functional

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = torch.nn.Linear(D_MODEL, 3 * D_MODEL), torch.nn.Linear(D_MODEL, D_MODEL)
            self.first, self.second = torch.nn.Linear(D_MODEL, D_FF), torch.nn.Linear(D_FF, D_MODEL)
            self.norm1, self.norm2 = torch.nn.LayerNorm(D_MODEL), torch.nn.LayerNorm(D_MODEL)

        def forward(self, x):
            batch, length = x.shape[0], x.shape[1]
            q, k, v = (part.transpose(1, 2) for part in
                       self.qkv(x).view(batch, length, 3, HEADS, D_MODEL // HEADS).unbind(2))
            if hasattr(F, "scaled_dot_product_attention"):
                values = F.scaled_dot_product_attention(q, k, v)
            else:
                values = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(D_MODEL // HEADS), -1) @ v
            x = self.norm1(x + self.out(values.transpose(1, 2).reshape(batch, length, D_MODEL)))
            return self.norm2(x + self.second(F.relu(self.first(x))))

    return [Block() for _ in range(LAYERS)]


def model_of(way, place, x):
    torch = place.torch
    if way == "module":
        layer = torch.nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, batch_first=True)
        return torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False).eval().to(x)
    layers = blocks(torch)
    model = torch.nn.Sequential(*layers).eval().to(x)
    if way == "frozen":
        return torch.jit.optimize_for_inference(torch.jit.trace(model, x))
    if way == "compiled":
        from torch._inductor import config
        config.freezing = True
        return torch.compile(model)
    if way == "compiled-graph":  # identical blocks are compiled once
        return torch.nn.Sequential(*(torch.compile(layer, dynamic=False) for layer in layers))
    return model


def measure_forward(place, way, precision, batch, length, options):
    torch = place.torch
    dtype, context = place.use(precision)
    x = torch.randn(batch, length, D_MODEL, device=place.device, dtype=dtype)
    mode = torch.inference_mode if way in ("module", "written") else torch.no_grad
    with mode():
        model = model_of(way, place, x)
        place.reset_peak_use()

        def run():
            with context():
                return model(x)

        if way.endswith("graph"):
            run = place.recorded(run)
        return {**times_of(options.seconds, run, place.wait), **place.about()}


def measure_step(place, way, precision, batch, length, options):
    torch = place.torch
    dtype, context = place.use(precision)
    x, dy = (torch.randn(batch, length, D_MODEL, device=place.device, dtype=dtype) for _ in range(2))
    model = model_of(way, place, x).train()
    optimiser, form = place.optimiser(torch.optim.AdamW, model.parameters(), 1e-4, recordable=way.endswith("graph"))
    place.reset_peak_use()

    def run():
        optimiser.zero_grad(set_to_none=True)
        with context():
            y = model(x)
        y.backward(dy.to(y.dtype))
        optimiser.step()

    if way.endswith("graph"):
        run = place.recorded(run)
    return {**times_of(options.seconds, run, place.wait), "optimiser": form, **place.about()}


def torch_product(place, precision, options):
    torch = place.torch
    dtype, context = place.use(precision)
    a, b = (torch.randn(options.product, options.product, device=place.device, dtype=dtype) for _ in range(2))

    def run():
        with context():
            return a @ b

    times = times_of(options.seconds, run, place.wait)
    return {**times, "gflops": round(2 * options.product**3 / times["ms"] / 1e6, 1), **place.about()}


# ---- jax -------------------------------------------------------------------------------------------------------------


def jax_model(jax, dtype):
    """Parameters of all blocks, and y(parameters, x)."""
    jnp = jax.numpy

    def linear(key, fan_in, fan_out):
        return {"w": jax.random.normal(key, (fan_in, fan_out), dtype) / math.sqrt(fan_in), "b": jnp.zeros(fan_out, dtype)}

    def norm():
        return {"g": jnp.ones(D_MODEL, dtype), "b": jnp.zeros(D_MODEL, dtype)}

    keys = iter(jax.random.split(jax.random.PRNGKey(42), 4 * LAYERS))
    parameters = [{"qkv": linear(next(keys), D_MODEL, 3 * D_MODEL), "out": linear(next(keys), D_MODEL, D_MODEL),
                   "first": linear(next(keys), D_MODEL, D_FF), "second": linear(next(keys), D_FF, D_MODEL),
                   "norm1": norm(), "norm2": norm()} for _ in range(LAYERS)]

    def apply(layer, x):
        return x @ layer["w"] + layer["b"]

    def normed(layer, x):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * layer["g"] + layer["b"]

    def forward(parameters, x):
        for layer in parameters:
            batch, length, _ = x.shape
            q, k, v = jnp.moveaxis(apply(layer["qkv"], x).reshape(batch, length, 3, HEADS, -1), 2, 0)
            values = jax.nn.dot_product_attention(q, k, v).reshape(batch, length, D_MODEL)
            x = normed(layer["norm1"], x + apply(layer["out"], values))
            x = normed(layer["norm2"], x + apply(layer["second"], jax.nn.relu(apply(layer["first"], x))))
        return x

    return parameters, forward


def measure_jax(place, precision, batch, length, options):
    jax = place.jax
    dtype = place.use(precision)
    parameters, forward = jax_model(jax, dtype)
    x, dy = (jax.random.normal(key, (batch, length, D_MODEL), dtype) for key in jax.random.split(jax.random.PRNGKey(1)))
    if not options.train:
        run = jax.jit(forward)
        return {**times_of(options.seconds, lambda: run(parameters, x), place.wait), **place.about()}
    import optax
    optimiser = optax.adamw(1e-4, weight_decay=0.01)

    def step(state, x, dy):
        parameters, memory = state
        gradient, = jax.vjp(lambda p: forward(p, x), parameters)[1](dy)
        updates, memory = optimiser.update(gradient, memory, parameters)
        return optax.apply_updates(parameters, updates), memory

    run, state = jax.jit(step, donate_argnums=0), (parameters, optimiser.init(parameters))

    def once():
        nonlocal state
        state = run(state, x, dy)
        return state

    return {**times_of(options.seconds, once, place.wait), **place.about()}


# ----------------------------------------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--framework", choices=["torch", "jax"], default="torch")
    parser.add_argument("--way", default="module")
    parser.add_argument("--precision", default="fp32", help=", ".join(PRECISIONS))
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--product", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("sizes", nargs="*", help="batch,length; several in one process only where memory is measured on a GPU")
    options = parser.parse_args()
    sizes = [tuple(map(int, size.split(","))) for size in options.sizes] or [(options.batch, options.length)]
    place = (Torch if options.framework == "torch" else Jax)(options.device, options.threads)
    for precision in options.precision.split(","):
        if options.product:
            attempts(lambda: torch_product(place, precision, options), {"size": options.product, "precision": precision})
            continue
        for batch, length in sizes:
            about = {"batch": batch, "length": length, "precision": precision}
            if options.framework == "jax":
                attempts(lambda: measure_jax(place, precision, batch, length, options), {**about, "way": "jitted"})
                continue
            for way in options.way.split(","):
                if way.startswith("compiled") and not hasattr(place.torch, "compile"):
                    continue
                place.torch.manual_seed(42)
                measure = measure_step if options.train else measure_forward
                attempts(lambda: measure(place, way, precision, batch, length, options), {**about, "way": way})


if __name__ == "__main__":
    main()
