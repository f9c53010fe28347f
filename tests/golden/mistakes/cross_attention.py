"""Attention among the blocks: the cross-attention of a decoder block, its queries, keys and values, and a stack of blocks."""
import math

import torch
import torch.nn.functional as F

from mistakes.multi_head import by_head, drawn, fitted, heads, joined


def attention(Q, K, V, hidden=None):
    logits = Q @ K.mT / math.sqrt(Q.shape[-1])
    if hidden is not None:
        logits = logits.masked_fill(hidden, -9e15)
    return joined(torch.softmax(logits, -1) @ V)


def causal(n):
    return torch.ones(n, n).triu(1).bool()


def of_x(s):
    """Q, K and V of x alone"""
    return by_head(F.linear(s["x"], *drawn(s)), heads(s))


def second_self_attention(s):
    return F.linear(attention(*of_x(s), causal(s["x"].shape[-2])), *s.inputs()[1:])


def of_block_input(s):
    """without a mask"""
    K, V = by_head(F.linear(s["/self_attn/x"], *fitted(s["memory"], s["kv"])), heads(s), 2)
    return F.linear(attention(s["Q"], K, V), *s.inputs()[1:])


def second_masked_self_attention(s):
    """with the mask of the self-attention"""
    K, V = by_head(F.linear(s["x"], *fitted(s["memory"], s["kv"])), heads(s), 2)
    hidden = s["/self_attn/masked"] != s["/self_attn/scaled"]
    return F.linear(attention(s["Q"], K, V, hidden), *s.inputs()[1:])


def with_self_attentions_weights(s):
    W, b = fitted(s["/self_attn/x"], s["/self_attn/qkv"])
    h = heads(s)
    Q, _, _ = by_head(F.linear(s["x"], W, b), h)
    _, K, V = by_head(F.linear(s["memory"], W, b), h)
    values = attention(Q, K, V, s["masked"] != s["scaled"])
    return F.linear(values, *fitted(s["/self_attn/concat"], s["/self_attn/output"]))


def linear(x):
    """the layer, of another input"""
    return lambda s: F.linear(x(s), *s.inputs()[1:])


def encoded(block):
    return lambda s: s[f"/encoder/{block}/norm2"]


LINES = {
    "block/each-from-input": (
        linear(lambda s: s["/encoder/0/self_attn/x"]),
        lambda s: s["/encoder/0/self_attn/x"] + s["/encoder/1/self_attn/output"]),
    "cross/exchanged": (linear(lambda s: s["memory"]), linear(lambda s: s["x"])),
    "cross/keys-by-queries": lambda s: by_head(F.linear(s["memory"], *drawn(s)), heads(s))[0],
    "cross/keys-from-x": lambda s: of_x(s)[1],
    "cross/no-memory": linear(lambda s: s["x"]),
    "cross/other-weights": with_self_attentions_weights,
    "cross/queries-from-memory": linear(lambda s: s["memory"]),
    "cross/block-input": of_block_input,
    "cross/queries-by-keys": lambda s: of_x(s)[1],
    "cross/queries-by-values": lambda s: of_x(s)[2],
    "cross/second-unmasked-self-attention": lambda s: F.linear(attention(*of_x(s)), *s.inputs()[1:]),
    "cross/second-masked-self-attention": second_masked_self_attention,
    "cross/second-self-attention": second_self_attention,
    "cross/values-by-queries": lambda s: by_head(F.linear(s["memory"], *drawn(s)), heads(s))[0],
    "cross/values-from-x": lambda s: of_x(s)[2],
    "kv/each-its-own": (linear(encoded(0)), linear(encoded(1))),
    "kv/not-encoded": (linear(lambda s: s["/source/positional/output"]),) * 2,
    "q/from-block-input": linear(lambda s: s["/self_attn/x"]),
    "q/from-self-attention": linear(lambda s: s["/self_attn/output"]),
    "q/not-normed": linear(lambda s: s["/residual1"]),
}
