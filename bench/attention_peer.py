"""The same task as attention.cpp in PyTorch: one line of JSON for each length.

attention_peer.py [--way plain|reused|fused] [--threads 2] [--seconds 2] [--backward] T...
plain: matmul, softmax, matmul, as one writes it; reused: the same into tensors made before, so that no fresh
page is touched; fused: F.scaled_dot_product_attention, where this PyTorch has it.
"""
import argparse
import json
import math
import statistics
import time

import torch


def peak_mb():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024


def median_ms(seconds, f):
    times, begin = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def plain(Q, K, V):
    scale = 1 / math.sqrt(Q.shape[-1])
    return lambda: torch.matmul(torch.softmax(torch.matmul(Q * scale, K.transpose(-2, -1)), -1), V)


def reused(Q, K, V):
    K_t, scale = K.transpose(-2, -1), 1 / math.sqrt(Q.shape[-1])
    scaled, values = torch.empty_like(Q), torch.empty_like(V)
    scores = Q.new_empty(*Q.shape[:-1], K.shape[-2])

    def run():
        torch.mul(Q, scale, out=scaled)
        torch.matmul(scaled, K_t, out=scores)
        torch.softmax(scores, -1, out=scores)
        torch.matmul(scores, V, out=values)

    return run


def fused(Q, K, V):
    attention = torch.nn.functional.scaled_dot_product_attention
    return lambda: attention(Q, K, V)


def measure(way, length, options):
    torch.manual_seed(42)
    Q, K, V, dO = (torch.randn(1, options.heads, length, options.dim) for _ in range(4))
    before = peak_mb()
    with torch.inference_mode(not options.backward):
        run = forward = {"plain": plain, "reused": reused, "fused": fused}[way](Q, K, V)
        if options.backward:
            for x in (Q, K, V):
                x.requires_grad_()
            run = lambda: torch.autograd.grad(forward(), (Q, K, V), dO)
        run()
        extra = peak_mb() - before
        ms = median_ms(options.seconds, run)
    print(json.dumps({"T": length, "way": way, "ms": ms, "extra_mb": round(extra, 1),
                      "threads": torch.get_num_threads(), "torch": torch.__version__}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--way", choices=["plain", "reused", "fused"], default="plain")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("lengths", type=int, nargs="+")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.way == "fused" and not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
        return
    for length in options.lengths:
        measure(options.way, length, options)


if __name__ == "__main__":
    main()
