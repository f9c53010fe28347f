"""The same task as encoder.cpp in PyTorch: one line of JSON.

encoder_peer.py [--way module|written|frozen|compiled] [--batch 1] [--length 128] [--threads 2] [--seconds 3]
module: nn.TransformerEncoder in eval mode, which takes PyTorch's fused fast path; written: the same by hand with
F.linear and scaled_dot_product_attention (or matmul and softmax, where this PyTorch lacks it); frozen: that, traced and
optimised for inference (oneDNN with packed weights); compiled: that, by torch.compile with frozen weights.
"""
import argparse
import json
import math
import statistics
import time

import torch
import torch.nn.functional as F

D_MODEL, HEADS, D_FF, LAYERS = 512, 8, 2048, 6


def peak_mb():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024


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


def model_of(way, x):
    if way == "module":
        layer = torch.nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, batch_first=True)
        return torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False).eval()
    model = torch.nn.Sequential(*(Block() for _ in range(LAYERS))).eval()
    if way == "frozen":
        return torch.jit.optimize_for_inference(torch.jit.trace(model, x))
    if way == "compiled":
        from torch._inductor import config
        config.freezing = True
        return torch.compile(model)
    return model


def measure(options):
    torch.manual_seed(42)
    x = torch.randn(options.batch, options.length, D_MODEL)
    mode = torch.no_grad() if options.way in ("frozen", "compiled") else torch.inference_mode()
    with mode:
        model = model_of(options.way, x)
        for _ in range(3):
            model(x)
        times, begin = [], time.perf_counter()
        while len(times) < 3 or time.perf_counter() - begin < options.seconds:
            start = time.perf_counter()
            model(x)
            times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps({"batch": options.batch, "length": options.length, "way": options.way,
                      "ms": statistics.median(times), "least_ms": min(times), "peak_mb": round(peak_mb(), 1),
                      "threads": torch.get_num_threads(), "torch": torch.__version__}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--way", choices=["module", "written", "frozen", "compiled"], default="module")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.way == "compiled" and not hasattr(torch, "compile"):
        return
    measure(options)


if __name__ == "__main__":
    main()
