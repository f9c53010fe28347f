"""The training step of `translate` in PyTorch: from equal weights, on equal batches, with the same losses.

translate_peer.py WEIGHTS.safetensors [--way eager|compiled] [--double] [--seconds 3] [--steps 0] [--losses] [--threads 2] [sizes]
WEIGHTS are those that `translate --weights` writes. Linear layers, layer norms and scaled_dot_product_attention of
torch.nn.functional, cross_entropy with label smoothing, Adam fused where available. Lines of JSON as those of `translate`.
"""
import argparse
import json
import math
import statistics
import time

import torch
import torch.nn.functional as F
from safetensors.torch import load_file


def word(row, t, vocabulary):
    x = (row * 2654435761 + t * 40503 * 65537) & 0xFFFFFFFF
    rare = (x * x >> 32) * x >> 32
    return 3 + (rare * (vocabulary - 3) >> 32)


def batch_of(o, n):
    """Source, target, labels (−100: ignored) and which keys of the source are real, of batch n."""
    S = o.longest
    source, target = torch.zeros(o.batch, S, dtype=torch.long), torch.zeros(o.batch, S + 1, dtype=torch.long)
    labels, real = torch.full((o.batch, S + 1), -100), torch.zeros(o.batch, 1, 1, S, dtype=torch.bool)
    for i in range(o.batch):
        row = n * o.batch + i
        length = o.shortest + row % (o.longest - o.shortest + 1)
        words = [word(row, t, o.vocabulary) for t in range(length)]
        translated = [3 + (w * 17 + 5) % (o.vocabulary - 3) for w in words]
        source[i, :length] = torch.tensor(words)
        target[i, :length + 1] = torch.tensor([1] + translated)
        labels[i, :length + 1] = torch.tensor(translated + [2])
        real[i, ..., :length] = True
    return source, target, labels, real


def split(qkv, h, parts):  # [q‖k‖v] of each head → parts of (B, h, n, d_h)
    return qkv.view(qkv.shape[0], qkv.shape[1], h, parts, -1).permute(3, 0, 2, 1, 4).unbind(0)


class Model(torch.nn.Module):
    def __init__(self, weights, h):
        super().__init__()
        self.names = {name: name.replace(".", "_") for name in weights}
        for name, value in weights.items():
            self.register_parameter(self.names[name], torch.nn.Parameter(value.clone()))
        self.h, self.d = h, weights["generator.weight"].shape[1]
        self.encoders, self.decoders = ([name.rsplit(".", 2)[0] for name in weights if name.startswith(side) and name.endswith(".norm1.weight")]
                                        for side in ("encoder.layers", "decoder.layers"))
        t = torch.arange(512, dtype=torch.float64)[:, None]
        angle = t * torch.exp(torch.arange(0, self.d, 2, dtype=torch.float64) * (-math.log(10000.0) / self.d))
        self.register_buffer("pe", torch.stack([angle.sin(), angle.cos()], -1).view(512, self.d).to(weights["generator.weight"].dtype))

    def p(self, name):
        return getattr(self, self.names[name])

    def linear(self, x, name):
        return F.linear(x, self.p(name + ".weight"), self.p(name + ".bias"))

    def norm(self, x, name):
        return F.layer_norm(x, (self.d,), self.p(name + ".weight"), self.p(name + ".bias"), 1e-6)

    def attended(self, q, k, v, name, mask=None, causal=False):
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
        return self.linear(a.transpose(1, 2).reshape(a.shape[0], a.shape[2], self.d), name + ".o_proj")

    def attention(self, x, name, **how):
        return self.attended(*split(self.linear(x, name + ".qkv_proj"), self.h, 3), name, **how)

    def cross_attention(self, x, memory, name, mask):
        w = self.p(name + ".qkv_proj.weight").view(self.h, 3, self.d // self.h, self.d)
        b = self.p(name + ".qkv_proj.bias").view(self.h, 3, self.d // self.h)
        q = F.linear(x, w[:, 0].reshape(self.d, self.d), b[:, 0].reshape(-1)).view(*x.shape[:2], self.h, -1).transpose(1, 2)
        k, v = split(F.linear(memory, w[:, 1:].reshape(-1, self.d), b[:, 1:].reshape(-1)), self.h, 2)
        return self.attended(q, k, v, name, mask=mask)

    def mlp(self, x, name):
        return self.linear(F.relu(self.linear(x, name + ".linear_net.0")), name + ".linear_net.3")

    def forward(self, source, target, real):
        x = F.embedding(source, self.p("source_embedding.weight")) * math.sqrt(self.d) + self.pe[:source.shape[1]]
        for name in self.encoders:
            x = self.norm(x + self.attention(x, name + ".self_attn", mask=real), name + ".norm1")
            x = self.norm(x + self.mlp(x, name), name + ".norm2")
        y = F.embedding(target, self.p("target_embedding.weight")) * math.sqrt(self.d) + self.pe[:target.shape[1]]
        for name in self.decoders:  # padding of the target is behind the words, and hidden by the causal mask
            y = self.norm(y + self.attention(y, name + ".self_attn", causal=True), name + ".norm1")
            y = self.norm(y + self.cross_attention(y, x, name + ".cross_attn", real), name + ".norm2")
            y = self.norm(y + self.mlp(y, name), name + ".norm3")
        return self.linear(y, "generator")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights")
    for name, value in (("steps", 0), ("batch", 64), ("shortest", 12), ("longest", 20), ("heads", 4), ("threads", 2), ("warmup", 4000)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--way", choices=["eager", "compiled"], default="eager")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--losses", action="store_true")
    parser.add_argument("--double", action="store_true", help="compute in float64: what rounding alone changes")
    o = parser.parse_args()
    torch.set_num_threads(o.threads)
    weights = {name: value.double() if o.double else value for name, value in load_file(o.weights).items()}
    o.vocabulary = weights["generator.weight"].shape[0]
    model = Model(weights, o.heads)
    try:
        adam = torch.optim.Adam(model.parameters(), lr=1, betas=(0.9, 0.98), eps=1e-9, fused=True)
    except (RuntimeError, TypeError):
        adam = torch.optim.Adam(model.parameters(), lr=1, betas=(0.9, 0.98), eps=1e-9, foreach=True)

    def loss_of(source, target, labels, real):
        return F.cross_entropy(model(source, target, real).flatten(0, 1), labels.flatten(), label_smoothing=0.1)

    compute = torch.compile(loss_of) if o.way == "compiled" else loss_of
    done = 0

    def step(batch):
        nonlocal done
        done += 1
        for group in adam.param_groups:
            group["lr"] = model.d ** -0.5 * min(done ** -0.5, done * o.warmup ** -1.5)
        loss = compute(*batch)
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
    times, cpu, begin = [], time.process_time(), time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < o.seconds:
        start = time.perf_counter()
        step(batches[len(times) % 16])
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps({"way": "torch " + o.way, "ms": statistics.median(times), "least_ms": min(times),
                      "cpu_ms": (time.process_time() - cpu) * 1e3 / len(times), "threads": o.threads,
                      "torch": torch.__version__}), flush=True)


if __name__ == "__main__":
    main()
