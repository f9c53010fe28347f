"""The training step of `gpt2` in PyTorch: from equal weights, on equal batches, with the same losses.

gpt2_peer.py WEIGHTS.safetensors [--way eager|compiled] [--double] [--seconds 8] [--steps 0] [--losses] [--threads 2] [sizes]
WEIGHTS are those that `gpt2 --weights` writes. Linear layers, layer norms, embedding and scaled_dot_product_attention of
torch.nn.functional, AdamW fused where available. compiled: the loss by torch.compile, with max-autotune where
--autotune is given. Lines of JSON as those of `gpt2`.
"""
import argparse
import json
import statistics
import time

import torch
import torch.nn.functional as F
from peer import process_peak_mb
from safetensors.torch import load_file

RATE, BETAS, DECAY = 1e-4, (0.9, 0.95), 0.1


def batch_of(o, n):
    rows, t = torch.arange(n * o.batch, (n + 1) * o.batch), torch.arange(o.length + 1)
    x = (rows[:, None] * 2654435761 + t * 40503 * 65537) & 0xFFFFFFFF
    tokens = torch.tensor([[((y * y >> 32) * y >> 32) * o.vocabulary >> 32 for y in row] for row in x.tolist()])
    return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


class Gpt2(torch.nn.Module):
    def __init__(self, weights, heads):
        super().__init__()
        self.names = {name: name.replace(".", "_") for name in weights}
        for name, value in weights.items():
            self.register_parameter(self.names[name], torch.nn.Parameter(value.clone()))
        self.heads, self.d = heads, weights["table"].shape[1]
        self.layers = sum(name.endswith(".norm1.weight") for name in weights)

    def p(self, name):
        return getattr(self, self.names[name])

    def linear(self, x, name):
        return F.linear(x, self.p(name + ".weight"), self.p(name + ".bias"))

    def norm(self, x, name):
        return F.layer_norm(x, (self.d,), self.p(name + ".weight"), self.p(name + ".bias"), 1e-5)

    def attention(self, x, name):
        batch, length, d = x.shape
        q, k, v = self.linear(x, name + ".qkv_proj").view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        values = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.linear(values.transpose(1, 2).reshape(batch, length, d), name + ".o_proj")

    def forward(self, tokens):
        x = F.embedding(tokens, self.p("table")) + self.p("positions.weight")[:tokens.shape[1]]
        for i in range(self.layers):
            name = f"blocks.layers.{i}"
            x = x + self.attention(self.norm(x, name + ".norm1"), name + ".self_attn")
            hidden = F.gelu(self.linear(self.norm(x, name + ".norm2"), name + ".linear_net.0"), approximate="tanh")
            x = x + self.linear(hidden, name + ".linear_net.3")
        return F.linear(self.norm(x, "blocks.norm"), self.p("table"))


def optimiser_of(model):
    for form in ("fused", "foreach"):
        try:
            return torch.optim.AdamW(model.parameters(), lr=RATE, betas=BETAS, weight_decay=DECAY, **{form: True}), form
        except (RuntimeError, TypeError):
            continue
    return torch.optim.AdamW(model.parameters(), lr=RATE, betas=BETAS, weight_decay=DECAY), "loop"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights")
    for name, value in (("steps", 0), ("batch", 4), ("length", 64), ("heads", 12), ("threads", 2)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--way", choices=["eager", "compiled"], default="eager")
    parser.add_argument("--autotune", action="store_true")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--losses", action="store_true")
    parser.add_argument("--double", action="store_true", help="compute in float64: what rounding alone changes")
    o = parser.parse_args()
    torch.set_num_threads(o.threads)
    weights = {name: value.double() if o.double else value for name, value in load_file(o.weights).items()}
    o.vocabulary = weights["table"].shape[0]
    model = Gpt2(weights, o.heads)
    del weights
    adam, form = optimiser_of(model)

    def loss_of(tokens, labels):
        return F.cross_entropy(model(tokens).flatten(0, 1), labels.flatten())

    if o.way == "compiled":
        loss_of = torch.compile(loss_of, mode="max-autotune" if o.autotune else None)

    def step(batch):
        loss = loss_of(*batch)
        loss.backward()
        adam.step()
        adam.zero_grad(set_to_none=True)
        return loss.item()

    for n in range(o.steps):
        loss = step(batch_of(o, n))
        if o.losses:
            print(json.dumps({"step": n + 1, "loss": round(loss, 7)}), flush=True)
    if not o.seconds:
        return
    batches = [batch_of(o, o.steps + n) for n in range(16)]
    for n in range(3):
        step(batches[n])
    times, begin = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < o.seconds:
        start = time.perf_counter()
        step(batches[len(times) % 16])
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps({"way": o.way, "ms": statistics.median(times), "least_ms": min(times), "optimiser": form,
                      "peak_mb": process_peak_mb(), "threads": torch.get_num_threads(), "torch": torch.__version__,
                      "instructions": torch.backends.cpu.get_cpu_capability()}), flush=True)


if __name__ == "__main__":
    main()
