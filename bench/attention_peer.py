"""The same task as attention.cpp in PyTorch or JAX: one line of JSON for each length, way and precision.

attention_peer.py [--framework torch|jax] [--way plain|reused|fused,…] [--device cpu|cuda] [--backward] T...
plain: matmul, softmax, matmul; reused: the same into preallocated tensors, so that no new page is touched;
fused: F.scaled_dot_product_attention, where this PyTorch has it. JAX has only fused: its own
dot_product_attention, jitted. --precision: see peer.py. peak_mb includes inputs and outputs.
"""
import argparse
import math

from peer import PRECISIONS, Jax, Torch, attempts, process_peak_mb, times_of


def plain(torch, Q, K, V):
    scale = 1 / math.sqrt(Q.shape[-1])
    return lambda: torch.matmul(torch.softmax(torch.matmul(Q * scale, K.transpose(-2, -1)), -1), V)


def reused(torch, Q, K, V):
    K_t, scale = K.transpose(-2, -1), 1 / math.sqrt(Q.shape[-1])
    scaled, values = torch.empty_like(Q), torch.empty_like(V)
    scores = Q.new_empty(*Q.shape[:-1], K.shape[-2])

    def run():
        torch.mul(Q, scale, out=scaled)
        torch.matmul(scaled, K_t, out=scores)
        torch.softmax(scores, -1, out=scores)
        torch.matmul(scores, V, out=values)

    return run


def fused(torch, Q, K, V):
    attention = torch.nn.functional.scaled_dot_product_attention
    return lambda: attention(Q, K, V)


def measure_torch(place, way, precision, length, options):
    torch = place.torch
    dtype, context = place.use(precision)
    torch.manual_seed(42)
    Q, K, V, dO = (torch.randn(1, options.heads, length, options.dim, device=place.device, dtype=dtype) for _ in range(4))
    place.reset_peak_use()
    before = process_peak_mb()
    with torch.inference_mode(not options.backward), context():
        run = forward = {"plain": plain, "reused": reused, "fused": fused}[way](torch, Q, K, V)
        if options.backward:
            for x in (Q, K, V):
                x.requires_grad_()
            run = lambda: torch.autograd.grad(forward(), (Q, K, V), dO)
        run()
        extra = process_peak_mb() - before
        times = times_of(options.seconds, run, place.wait)
    return {**times, "extra_mb": round(extra, 1), **place.about()}


def measure_jax(place, precision, length, options):
    jax = place.jax
    dtype = place.use(precision)
    # (batch, T, heads, d_k): JAX's order
    Q, K, V, dO = (jax.random.normal(key, (1, length, options.heads, options.dim), dtype)
                   for key in jax.random.split(jax.random.PRNGKey(42), 4))
    forward = run = jax.jit(jax.nn.dot_product_attention)
    if options.backward:
        run = jax.jit(lambda Q, K, V, dO: jax.vjp(forward, Q, K, V)[1](dO))
    inputs = (Q, K, V, dO) if options.backward else (Q, K, V)
    return {**times_of(options.seconds, lambda: run(*inputs), place.wait), **place.about()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--framework", choices=["torch", "jax"], default="torch")
    parser.add_argument("--way", default="plain")
    parser.add_argument("--precision", default="fp32", help=", ".join(PRECISIONS))
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("lengths", type=int, nargs="+")
    options = parser.parse_args()
    place = (Torch if options.framework == "torch" else Jax)(options.device, options.threads)
    for length in options.lengths:
        for precision in options.precision.split(","):
            if options.framework == "jax":
                attempts(lambda: measure_jax(place, precision, length, options),
                         {"T": length, "way": "fused", "precision": precision})
                continue
            for way in options.way.split(","):
                if way == "fused" and not hasattr(place.torch.nn.functional, "scaled_dot_product_attention"):
                    continue
                attempts(lambda: measure_torch(place, way, precision, length, options),
                         {"T": length, "way": way, "precision": precision})


if __name__ == "__main__":
    main()
