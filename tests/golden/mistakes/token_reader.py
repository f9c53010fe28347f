"""A decoder of one attention that reads tokens, with the rows of its cache."""
import torch


def linear(x, s, W=None, b=None):
    """of x, with the step's own weights or others"""
    return x @ (s.input(1) if W is None else W).mT + (s.input(2) if b is None else b)


def of_other(s):
    other = "K" if s.path.endswith("V") else "V"
    return linear(s.input(0), s, s["W_" + other], s["b_" + other])


LINES = {
    "cached/in-front": lambda s: s.right.flip(-2),
    "cached/last-only": lambda s: s.right[-1:].expand(s.right.shape),
    "cached/no-position": lambda s: linear(s["positional/x"], s),
    "cached/other": of_other,
    "cached/queries": lambda s: linear(s.input(0), s, s["W_Q"], s["b_Q"]),
    "read/most-seen": lambda s: s["attention/attention"].argmax(-1, keepdim=True),
    "read/token-read": lambda s: s["tokens"].unsqueeze(-1),
    "read/with-residual": lambda s: linear(s["x"] + s.input(0), s),
    "read/x": lambda s: linear(s["x"], s),
}
