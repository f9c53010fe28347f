"""Multi-head attention: its parts Q, K, V of qkv, the cache, concat, output."""
import numpy as np
import torch
import torch.nn.functional as F


def drawn(s):
    """W and b of qkv, as the specimens "heads" draw them in tests/mistakes/specimens_attention.cpp"""
    x = s["x"]
    numbers = np.random.default_rng(23 if s.has("memory") else 21)
    W = torch.from_numpy(numbers.normal(size=(3 * x.shape[-1], x.shape[-1])) * 0.6)
    b = torch.from_numpy(numbers.normal(size=3 * x.shape[-1]))
    y = F.linear(x, W, b)
    made = joined(by_head(y, heads(s))[0]) if s.has("memory") else y
    if not torch.allclose(made, s["q" if s.has("memory") else "qkv"], atol=1e-4):
        raise LookupError("the specimen has other weights")
    return W, b


def fitted(x, y):
    """W and b of the layer that made y of x, from enough rows of them"""
    rows = torch.cat([x, torch.ones_like(x[..., :1])], -1).flatten(0, -2)
    found = torch.linalg.lstsq(rows, y.flatten(0, -2)).solution
    return found[:-1].T, found[-1]


def heads(s):
    return s.input(0).shape[-2] if s.op == "permute" else s["Q"].shape[-3]


def split(x, h):
    """(…, n, h d_h) as (…, h, n, d_h)"""
    return x.unflatten(-1, (h, -1)).transpose(-3, -2)


def joined(x):
    """(…, h, n, d_h) as (…, n, h d_h)"""
    return x.transpose(-3, -2).flatten(-2)


def is_stacked(s):
    """all queries, then all keys, then all values; otherwise each head's three stand side by side"""
    return s.specimen in ("heads, stacked", "heads, another width")


def by_thirds(qkv, h):
    return [split(each, h) for each in qkv.chunk(3, -1)]


def by_head(qkv, h, parts=3):
    return list(split(qkv, h).chunk(parts, -1))


def parts(s):
    """Q, K and V as they should be"""
    return (by_thirds if is_stacked(s) else by_head)(s["qkv"], heads(s))


def part(k):
    return lambda s: parts(s)[k]


QUERIES, KEYS, VALUES = part(0), part(1), part(2)


def each(line):
    """The same line for queries, keys and values: line(s, 0), line(s, 1) and line(s, 2)."""
    return lambda s: line(s, 0), lambda s: line(s, 1), lambda s: line(s, 2)


def without_bias(s, k):
    _, b = drawn(s)
    return parts(s)[k] - by_head(b.unsqueeze(0), heads(s))[k]


def with_bias_of(s, k, other):
    _, b = drawn(s)
    of_parts = by_head(b.unsqueeze(0), heads(s))
    return parts(s)[k] - of_parts[k] + of_parts[other]


def not_transposed(s, k):
    """x W, W the square matrix of all heads' queries, keys or values"""
    W, b = drawn(s)
    h = heads(s)
    W_k, b_k = joined(by_head(W.T, h)[k]).T, joined(by_head(b.unsqueeze(0), h)[k])
    return split(s["x"] @ W_k + b_k, h)


def again(s, k, of):
    """part k's layer, of what part `of` is"""
    W, b = drawn(s)
    h = heads(s)
    W_k, b_k = joined(by_head(W.T, h)[k]), joined(by_head(b.unsqueeze(0), h)[k])
    return split(joined(parts(s)[of]) @ W_k + b_k, h)


def every_hth(s, k):
    """of the columns of queries, keys and values together"""
    return s["qkv"].unflatten(-1, (-1, heads(s))).movedim(-1, -3).chunk(3, -1)[k]


def no_permute(s, k):
    return joined(parts(s)[k]).reshape(s.right.shape)


def positions(s):
    return s["qkv"].shape[-2]


def as_they_lie(s, *sizes):
    """the numbers of qkv, of each sequence, with axes of these sizes"""
    return s["qkv"].flatten(-2).unflatten(-1, sizes)


def output(s):
    return F.linear(*s.inputs())


def in_front(s):
    return torch.cat([s.input(1), s.input(0)], -2)


LINES = {
    "K/exchanged": (VALUES, KEYS),
    "K/from-queries": lambda s: again(s, 1, 0),
    "K/no-bias-of-keys": lambda s: without_bias(s, 1),
    "K/of-queries": QUERIES,
    "K/of-values": VALUES,
    "Q/batch-first": each(lambda s, k: parts(s)[k].transpose(0, -2)),
    "Q/bias-of-keys": lambda s: with_bias_of(s, 0, 1),
    "Q/bias-of-values": lambda s: with_bias_of(s, 0, 2),
    "Q/exchanged": (KEYS, QUERIES),
    "Q/head-by-head": each(lambda s, k: by_head(s["qkv"], heads(s))[k]),
    "Q/heads-to-heads": each(lambda s, k: parts(s)[k].transpose(-3, -2)),
    "Q/interleaved": each(every_hth),
    "Q/own-interleaved": each(lambda s, k: joined(parts(s)[k]).unflatten(-1, (-1, heads(s))).movedim(-1, -3)),
    "Q/parts-no-permute": each(lambda s, k: as_they_lie(s, 3, heads(s), positions(s), -1)[..., k, :, :, :]),
    "Q/parts-before-batch": each(lambda s, k: s["qkv"].reshape(3, *s["qkv"].shape[:-2], heads(s), positions(s), -1)[k]),
    "Q/heads-no-permute": each(lambda s, k: as_they_lie(s, heads(s), positions(s), 3, -1)[..., k, :]),
    "Q/k-v-q": (KEYS, VALUES, QUERIES),
    "Q/no-bias-of-queries": lambda s: without_bias(s, 0),
    "Q/no-permute": each(no_permute),
    "Q/not-split": each(lambda s, k: joined(parts(s)[k]).unsqueeze(-3)),
    "Q/not-transposed": each(not_transposed),
    "Q/of-keys": KEYS,
    "Q/of-values": VALUES,
    "Q/thirds": each(lambda s, k: by_thirds(s["qkv"], heads(s))[k]),
    "Q/v-q-k": (VALUES, QUERIES, KEYS),
    "Q/values-first": (VALUES, QUERIES),
    "V/no-bias-of-values": lambda s: without_bias(s, 2),
    "V/bias-of-keys": lambda s: with_bias_of(s, 2, 1),
    "V/bias-of-queries": lambda s: with_bias_of(s, 2, 0),
    "V/from-keys": lambda s: again(s, 2, 1),
    "V/from-queries": lambda s: again(s, 2, 0),
    "V/of-keys": KEYS,
    "V/of-queries": QUERIES,
    "V/values-in-front": lambda s: torch.cat([s["V_new"], s["V_cache"]], -2),
    "cache/in-front": (in_front, in_front),
    "cache/not-kept": (lambda s: s["K_new"], lambda s: s["V_new"]),
    "concat/interleaved": lambda s: s["values"].movedim(-3, -1).flatten(-2),
    "concat/no-permute": lambda s: s["values"].reshape(s.right.shape),
    "concat/one-head": lambda s: joined(s["values"][..., :1, :, :].expand_as(s["values"])),
    "concat/reversed": lambda s: joined(s["values"].flip(-3)),
    "output/activated": lambda s: torch.relu(output(s)),
    "output/queries-added": lambda s: joined(s["Q"]) + output(s),
    "output/residual": lambda s: s["x"] + output(s),
}
