"""Greedy decoding of the translation model in PyTorch, as one writes it by hand with a cache of keys and values.

decoding_peer.py WEIGHTS.safetensors [--sentences 500] [--length 64] [--source 20] [--batch 100] [--heads 4] [--threads 2]
                 [--no-cache] [--compile] [--rounds 1]
WEIGHTS are those that `decoding --weights` writes. The keys and values of each layer have room for all positions from the
start, a step writes its own in place, and the memory's are computed once. Lines of JSON as those of `decoding`.
"""
import argparse
import json
import math
import time

import torch
import torch.nn.functional as F
from safetensors.torch import load_file


def heads(x, h):  # (B, n, d) → (B, h, n, d_h)
    return x.view(x.shape[0], x.shape[1], h, -1).transpose(1, 2)


def split(qkv, h, parts):  # [q‖k‖v] of each head → parts of (B, h, n, d_h)
    return qkv.view(qkv.shape[0], qkv.shape[1], h, parts, -1).permute(3, 0, 2, 1, 4).unbind(0)


def joined(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


class Model:
    def __init__(self, weights, h):
        self.w, self.h, self.d = weights, h, weights["generator.weight"].shape[1]
        self.layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("decoder.layers."))
        for i in range(self.layers):  # the rows of the queries, and of keys and values
            name = f"decoder.layers.{i}.cross_attn.qkv_proj"
            w = weights[name + ".weight"].view(h, 3, self.d // h, self.d)
            b = weights[name + ".bias"].view(h, 3, self.d // h)
            weights[name + ".q"], weights[name + ".qb"] = w[:, 0].reshape(self.d, self.d), b[:, 0].reshape(-1)
            weights[name + ".kv"], weights[name + ".kvb"] = w[:, 1:].reshape(-1, self.d), b[:, 1:].reshape(-1)

    def linear(self, x, name):
        return F.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def norm(self, x, name):
        return F.layer_norm(x, (self.d,), self.w[name + ".weight"], self.w[name + ".bias"], 1e-6)

    def mlp(self, x, name):
        return self.linear(F.relu(self.linear(x, name + ".linear_net.0")), name + ".linear_net.3")

    def positions(self, n):
        t = torch.arange(n, dtype=torch.float64)[:, None]
        angle = t * torch.exp(torch.arange(0, self.d, 2) * (-math.log(10000.0) / self.d))
        return torch.stack([angle.sin(), angle.cos()], -1).view(n, self.d).float()

    def encode(self, source):
        x = F.embedding(source, self.w["source_embedding.weight"]) * math.sqrt(self.d) + self.positions(source.shape[1])
        for i in range(1 + max(int(n.split(".")[2]) for n in self.w if n.startswith("encoder.layers."))):
            name = f"encoder.layers.{i}"
            q, k, v = split(self.linear(x, name + ".self_attn.qkv_proj"), self.h, 3)
            x = self.norm(x + self.linear(joined(F.scaled_dot_product_attention(q, k, v)), name + ".self_attn.o_proj"), name + ".norm1")
            x = self.norm(x + self.mlp(x, name), name + ".norm2")
        return x

    def memory(self, x):
        kept = []
        for i in range(self.layers):
            name = f"decoder.layers.{i}.cross_attn.qkv_proj"
            kept.append(split(F.linear(x, self.w[name + ".kv"], self.w[name + ".kvb"]), self.h, 2))
        return kept

    # y (B, n, d) at the positions from t on; K and V of each layer have room for all positions.
    def decoder(self, y, t, kept, cache):
        for i in range(self.layers):
            name = f"decoder.layers.{i}"
            q, k, v = split(self.linear(y, name + ".self_attn.qkv_proj"), self.h, 3)
            causal = y.shape[1] > 1
            if cache is not None:
                n = t + y.shape[1]
                cache[i][0][:, :, t:n], cache[i][1][:, :, t:n] = k, v
                k, v = cache[i][0][:, :, :n], cache[i][1][:, :, :n]
            a = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
            y = self.norm(y + self.linear(joined(a), name + ".self_attn.o_proj"), name + ".norm1")
            q = heads(F.linear(y, self.w[name + ".cross_attn.qkv_proj.q"], self.w[name + ".cross_attn.qkv_proj.qb"]), self.h)
            a = F.scaled_dot_product_attention(q, *kept[i])
            y = self.norm(y + self.linear(joined(a), name + ".cross_attn.o_proj"), name + ".norm2")
            y = self.norm(y + self.mlp(y, name), name + ".norm3")
        return y

    def embed(self, tokens, t, pe):
        return F.embedding(tokens, self.w["target_embedding.weight"]) * math.sqrt(self.d) + pe[t:t + tokens.shape[1]]

    def decode(self, source, length, cached, step):
        kept, pe, B = self.memory(self.encode(source)), self.positions(length), len(source)
        cache = [[torch.empty(B, self.h, length, self.d // self.h) for _ in "kv"] for _ in range(self.layers)] if cached else None
        tokens = torch.full((B, 1), 1)
        for t in range(length):
            y = step(self.embed(tokens[:, -1:], t, pe), t, kept, cache) if cached else step(self.embed(tokens, 0, pe), 0, kept, None)
            last = self.linear(y[:, -1], "generator").argmax(-1, keepdim=True)
            tokens = torch.cat([tokens, last], 1)
        return tokens[:, 1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights")
    for name, value in (("sentences", 500), ("length", 64), ("source", 20), ("batch", 100), ("heads", 4), ("threads", 2), ("rounds", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--no-cache", action="store_true")
    parser.add_argument("--compile", action="store_true")
    o = parser.parse_args()
    torch.set_num_threads(o.threads)
    model = Model(load_file(o.weights), o.heads)
    step = torch.compile(model.decoder, dynamic=True) if o.compile else model.decoder
    vocabulary = model.w["generator.weight"].shape[0]
    sources = torch.tensor([[3 + (i * 7919 + t * 104729) % (vocabulary - 3) for t in range(o.source)] for i in range(o.sentences)])
    with torch.inference_mode():
        model.decode(sources[:o.batch], o.length if o.compile else 2, not o.no_cache, step)  # warms up, and compiles
        for _ in range(o.rounds):
            begin, cpu, checksum = time.perf_counter(), time.process_time(), 0
            for first in range(0, o.sentences, o.batch):
                tokens = model.decode(sources[first:first + o.batch], o.length, not o.no_cache, step)
                checksum += int((tokens * torch.arange(1, o.length + 1)).sum())
            seconds = time.perf_counter() - begin
            print(json.dumps({"way": ("no cache" if o.no_cache else "cache") + (" compiled" if o.compile else ""),
                              "ms": seconds * 1e3, "cpu_ms": (time.process_time() - cpu) * 1e3,
                              "tokens_per_second": round(o.sentences * o.length / seconds),
                              "checksum": checksum % 1000000007, "threads": o.threads, "torch": torch.__version__}), flush=True)


if __name__ == "__main__":
    main()
