"""Projections x W, and linear layers x Wᵀ + b."""
import torch.nn.functional as F

from mistakes.multi_head import fitted


def by(name):
    return lambda s: s["x"] @ s[name]


def not_projected(s):
    return s["x"]


def transposed(s):
    return s.input(0) @ s.input(1).T


PROJECTION = {
    "exchanged": (by("W_K"), by("W_Q")),
    "keys-and-values-exchanged": (by("W_V"), by("W_K")),
    "keys-by-W_Q": by("W_Q"),
    "keys-by-W_V": by("W_V"),
    "keys-not-projected": not_projected,
    "keys-of-queries": lambda s: s["Q"] @ s["W_K"],
    "left-out": (not_projected, not_projected),
    "queries-by-W_K": by("W_K"),
    "queries-not-projected": not_projected,
    "transposed": (transposed, transposed),
    "values-by-W_K": by("W_K"),
    "values-by-W_Q": by("W_Q"),
    "values-not-projected": not_projected,
    "values-of-keys": lambda s: s["K"] @ s["W_V"],
}


def linear(line):
    """line(x, W, b), at both places"""
    return lambda s: line(*s.inputs())


def fitted_norm(x, y, eps):
    """weight and bias of the layer norm that made y of x, feature by feature"""
    z = F.layer_norm(x, x.shape[-1:], eps=eps).flatten(0, -2)
    y = y.flatten(0, -2)
    weight = ((z - z.mean(0)) * (y - y.mean(0))).sum(0) / (z - z.mean(0)).square().sum(0)
    return weight, y.mean(0) - weight * z.mean(0)


def of_block_0(s):
    """the step of block 1 with the weights of block 0"""
    first = s.path.replace("encoder/1", "/encoder/0")
    if s.op == "layer_norm":  # before the attention: the residual has what went into the norm
        x, eps = s["/encoder/0/residual1"] - s["/encoder/0/self_attn/output"], s.settings["epsilon"]
        return F.layer_norm(s.input(0), s.input(0).shape[-1:], *fitted_norm(x, s[first], eps), eps)
    before = "/encoder/0/self_attn/" + {"qkv": "x", "output": "concat"}[s.path.rpartition("/")[2]]
    return F.linear(s.input(0), *fitted(s[before], s[first]))


LINEAR = {
    "absolute-weights": linear(lambda x, W, b: F.linear(x, W.abs(), b)),
    "applied-twice": linear(lambda x, W, b: F.linear(F.linear(x, W, b), W, b)),
    "bias-first": linear(lambda x, W, b: F.linear(x + b, W)),
    "bias-over-positions": linear(lambda x, W, b: F.linear(x, W) + b.unsqueeze(-1)),
    "bias-subtracted": linear(lambda x, W, b: F.linear(x, W) - b),
    "bias-twice": linear(lambda x, W, b: F.linear(x, W, b) + b),
    "first-blocks-weights": of_block_0,
    "first-entry": linear(lambda x, W, b: F.linear(x, W, b)[:1].expand(*x.shape[:-1], -1)),
    "first-row": linear(lambda x, W, b: F.linear(x, W, b)[..., :1, :].expand(*x.shape[:-1], -1)),
    "left-out": linear(lambda x, W, b: x),
    "times-root-of-width": linear(lambda x, W, b: F.linear(x, W) * x.shape[-1]**0.5 + b),
    "mean-of-products": linear(lambda x, W, b: F.linear(x, W) / x.shape[-1] + b),
    "running-sum": linear(lambda x, W, b: F.linear(x, W).cumsum(-1) + b),
    "no-bias": linear(lambda x, W, b: F.linear(x, W)),
    "not-transposed": linear(lambda x, W, b: x @ W + b),
    "reshaped": linear(lambda x, W, b: x @ W.reshape(W.shape[::-1]) + b),
    "outputs-reversed": linear(lambda x, W, b: F.linear(x, W.flip(0), b.flip(0))),
}

LINES = {
    **{f"projection/{name}": line for name, line in PROJECTION.items()},
    **{f"linear/{name}": line for name, line in LINEAR.items()},
}
