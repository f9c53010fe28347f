"""Scaled dot-product attention: logits, scaled, attention, values."""
import math

import torch


def softmax(x, dim=-1):
    return torch.softmax(x, dim)


def over(x, *axes):
    """softmax over several axes together"""
    return torch.exp(x - torch.logsumexp(x, axes, keepdim=True))


def masked(s):
    """what the softmax is taken of"""
    return s.input(0)


def shifted(s):
    """masked − m"""
    return masked(s) - masked(s).amax(-1, keepdim=True)


def visible(s):
    """1 where a key may be seen"""
    return (s["masked"] == s["scaled"]).double() if s.has("masked") else torch.ones_like(s["scaled"])


def has_keys(s):
    return visible(s).any(-1, keepdim=True)


def later(x):
    """true where j > i"""
    return torch.ones(x.shape[-2:]).triu(1).bool()


def d_k(s):
    return s["Q"].shape[-1]


def first_head(x):
    return x[..., :1, :, :].expand_as(x)


def dots(a, b):
    return a @ b.mT


def over_the_batch(s):
    """Attention along the first axis: positions are taken for sequences."""
    Q, K, V = (s[each].transpose(0, -2) for each in "QKV")
    return (softmax(Q @ K.mT / math.sqrt(d_k(s))) @ V).transpose(0, -2)


def in_tiles(s, size=2, rescales_output=True, rescales_sum=True):
    """as FlashAttention has it: the output and the sum are of the largest score so far"""
    S, V = masked_scores(s), s["V"]
    m = torch.full_like(S[..., :1], -math.inf)
    total, out = torch.zeros_like(m), torch.zeros_like(S[..., :1] * V[..., :1, :])
    for j in range(0, S.shape[-1], size):
        new = torch.maximum(m, S[..., j:j + size].amax(-1, keepdim=True))
        P, alpha = torch.exp(S[..., j:j + size] - new), torch.exp(m - new)
        total = total * (alpha if rescales_sum else 1) + P.sum(-1, keepdim=True)
        out = out * (alpha if rescales_output else 1) + P @ V[..., j:j + size, :]
        m = new
    return out / total


def masked_scores(s):
    """what the softmax was taken of, when values are made"""
    return s["masked"] if s.has("masked") else s["scaled"]


ATTENTION = {
    "base": lambda s: 2 ** masked(s) / (2 ** masked(s)).sum(-1, keepdim=True),
    "base-10": lambda s: 10 ** masked(s) / (10 ** masked(s)).sum(-1, keepdim=True),
    "causal": lambda s: softmax(masked(s).masked_fill(later(s.right), -9e15)),
    "everything": lambda s: over(masked(s), -2, -1),
    "largest-in-denominator": lambda s: torch.exp(masked(s)) / torch.exp(shifted(s)).sum(-1, keepdim=True),
    "largest-in-numerator": lambda s: torch.exp(shifted(s)) / torch.exp(masked(s)).sum(-1, keepdim=True),
    "largest-of-queries": lambda s: (e := torch.exp(masked(s) - masked(s).amax(-2, keepdim=True))) / e.sum(-1, keepdim=True),
    "largest-only": lambda s: (masked(s) == masked(s).amax(-1, keepdim=True)).double(),
    "left-out": lambda s: masked(s),
    "log": lambda s: torch.log_softmax(masked(s), -1),
    "mask-after": lambda s: softmax(s["scaled"]) * visible(s),
    "negated": lambda s: softmax(-masked(s)),
    "no-exp": lambda s: masked(s) / masked(s).sum(-1, keepdim=True),
    "not-normalised": lambda s: torch.exp(shifted(s)),
    "not-itself": lambda s: softmax(masked(s).masked_fill(torch.eye(s.right.shape[-1]).bool(), 0)),
    "one-head": lambda s: softmax(first_head(masked(s))),
    "one-row": lambda s: softmax(masked(s))[..., :1, :].expand_as(s.right),
    "over-batch": lambda s: softmax(masked(s), 0),
    "over-heads": lambda s: softmax(masked(s), -3),
    "over-heads-and-keys": lambda s: over(masked(s), -3, -1),
    "over-queries": lambda s: softmax(masked(s).mT).mT,
    "overflow": lambda s: (e := masked(s).float().exp()) / e.sum(-1, keepdim=True),  # in float, where it is infinite
    "largest-of-other-row": lambda s: torch.softmax(masked(s) - masked(s).amax(-1).unsqueeze(-2), -1),
    "mean": lambda s: (e := torch.exp(shifted(s))) / e.mean(-1, keepdim=True),
    "sum-of-other-row": lambda s: (e := torch.exp(shifted(s))) / e.sum(-1).unsqueeze(-2),
    "plus-one": lambda s: torch.exp(masked(s)) / (1 + torch.exp(masked(s)).sum(-1, keepdim=True)),
    "renormalised": lambda s: (w := softmax(s["scaled"]) * visible(s)) / w.sum(-1, keepdim=True),
    "reversed": lambda s: softmax(masked(s)).flip(-1),
    "root-of-squares": lambda s: (e := torch.exp(shifted(s))) / e.square().sum(-1, keepdim=True).sqrt(),
    "scaled-after": lambda s: softmax(s["logits"].masked_fill(visible(s) == 0, -9e15)) / math.sqrt(d_k(s)),
    "scores": lambda s: s["scaled"] * visible(s),
    "sigmoid": lambda s: torch.sigmoid(masked(s)),
    "summed-over-queries": lambda s: (e := torch.exp(shifted(s))) / e.sum(-2, keepdim=True),
    "twice": lambda s: softmax(softmax(masked(s))),
    "uniform": lambda s: torch.where(has_keys(s), visible(s), 1) / torch.where(has_keys(s), visible(s), 1).sum(-1, keepdim=True),
    "uniform-without-keys": lambda s: torch.where(has_keys(s), softmax(masked(s)), 1 / s.right.shape[-1]),
    "whole-batch": lambda s: softmax(masked(s).flatten(), 0).view_as(s.right),
    "zeros-without-keys": lambda s: torch.where(has_keys(s), softmax(masked(s)), 0),
}

LOGITS = {
    "cosine": lambda s: torch.cosine_similarity(s["Q"].unsqueeze(-2), s["K"].unsqueeze(-3), -1),
    "distance": lambda s: -(s["Q"].unsqueeze(-2) - s["K"].unsqueeze(-3)).square().sum(-1),
    "divided": (lambda s: dots(s["Q"], s["K"]) / math.sqrt(d_k(s)), lambda s: s["logits"]),
    "exchanged": lambda s: dots(s["K"], s["Q"]),
    "k-not-transposed": lambda s: s["Q"] @ s["K"],
    "k-reshaped": lambda s: s["Q"] @ s["K"].reshape(*s["K"].shape[:-2], s["K"].shape[-1], s["K"].shape[-2]),
    "keys-for-values": (lambda s: dots(s["Q"], s["V"]), lambda s: s["attention"] @ s["K"]),
    "keys-with-keys": lambda s: dots(s["K"], s["K"]),
    "negated": lambda s: -dots(s["Q"], s["K"]),
    "one-head": lambda s: dots(s["Q"], first_head(s["K"])),
    "one-heads-queries": lambda s: dots(first_head(s["Q"]), s["K"]),
    "one-sequences-keys": lambda s: dots(s["Q"], s["K"][:1]),
    "queries-with-queries": lambda s: dots(s["Q"], s["Q"]),
    "with-values": lambda s: dots(s["Q"], s["V"]),
}

SCALED = {
    "d_model": lambda s: s["logits"] / math.sqrt(s["logits"].shape[-3] * d_k(s)),
    "fourth-root": lambda s: s["logits"] * d_k(s) ** -0.25,
    "multiplied": lambda s: s["logits"] * math.sqrt(d_k(s)),
    "multiplied-d_model": lambda s: s["logits"] * math.sqrt(s["logits"].shape[-3] * d_k(s)),
    "no-root": lambda s: s["logits"] / d_k(s),
    "not-divided": lambda s: s["logits"],
    "number-of-heads": lambda s: s["logits"] / math.sqrt(s["logits"].shape[-3]),
    "number-of-queries": lambda s: s["logits"] / math.sqrt(s["Q"].shape[-2]),
    "root-of-n": lambda s: s["logits"] / torch.arange(1, s["logits"].shape[-2] + 1).sqrt().unsqueeze(-1),
    "squared": lambda s: s["logits"] / d_k(s) ** 2,
    "whole-root": lambda s: s["logits"] / math.isqrt(d_k(s)),
    "width-of-all-three": lambda s: s["logits"] / math.sqrt(3 * d_k(s)),
    "width-of-values": lambda s: s["logits"] / math.sqrt(s["V"].shape[-1]),
    "width-of-x": lambda s: s["logits"] / math.sqrt(s["x"].shape[-1]),
    "wrong-size": lambda s: s["logits"] / math.sqrt(s["K"].shape[-2]),
}

def of_heads(s, split, joined):
    """Attention of what the heads are split into, joined in the same way."""
    Q, K, V = (split(s[name]) for name in "QKV")
    return joined(softmax(Q @ K.mT / math.sqrt(d_k(s))) @ V)


VALUES = {
    "among-heads": lambda s: of_heads(s, lambda x: x.transpose(-3, -2), lambda x: x.transpose(-3, -2)),
    "view-for-transpose": lambda s: of_heads(
        s, lambda x: x.transpose(-3, -2).reshape(x.shape),
        lambda x: x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3], x.shape[-1]).transpose(-3, -2)),
    "evenly-weighted": lambda s: (s["attention"] > 0).double() @ s["V"] / (s["attention"] > 0).sum(-1, keepdim=True),
    "keys": lambda s: s["attention"] @ s["K"],
    "left-out": lambda s: s["V"],
    "mean": lambda s: s["attention"] @ s["V"] / s["K"].shape[-2],
    "mean-of-heads": lambda s: s["attention"].mean(-3, keepdim=True) @ s["V"],
    "next-head": lambda s: s["attention"].roll(-1, -3) @ s["V"],
    "not-weighted": lambda s: (s["attention"] > 0).double() @ s["V"],
    "one-head": lambda s: first_head(s["attention"]) @ s["V"],
    "one-sequences-values": lambda s: s["attention"] @ s["V"][:1],
    "one-value": lambda s: s["attention"] @ first_head(s["V"]),
    "over-batch": over_the_batch,
    "output-not-rescaled": lambda s: in_tiles(s, rescales_output=False),
    "sum-not-rescaled": lambda s: in_tiles(s, rescales_sum=False),
    "tiles-not-rescaled": lambda s: in_tiles(s, rescales_output=False, rescales_sum=False),
    "own-alone": lambda s: s["attention"].diagonal(dim1=-2, dim2=-1).unsqueeze(-1) * s["V"],
    "queries": lambda s: s["attention"] @ s["Q"],
    "scaled-too": lambda s: s["attention"] @ s["V"] / math.sqrt(d_k(s)),
    "transposed": lambda s: s["attention"].mT @ s["V"],
    "v-transposed": lambda s: s["attention"] @ s["V"].mT,
    "values-reversed": lambda s: s["attention"] @ s["V"].flip(-2),
    "x": lambda s: s["attention"] @ s["/x"],
    "zero": lambda s: torch.zeros_like(s.right),
}

STEPS = {"attention": ATTENTION, "logits": LOGITS, "scaled": SCALED, "values": VALUES}
LINES = {f"{step}/{name}": line for step, of_step in STEPS.items() for name, line in of_step.items()}
