"""The positional encoding added: the step output."""
import math

import torch


def x(s):
    return s.input(0)


def encoding(s):
    return s.input(1)


def root(s):
    """√d_model"""
    return math.sqrt(x(s).shape[-1])


def in_the_first(s):
    y = x(s).clone()
    y[0] += encoding(s)
    return y


OUTPUT = {
    "divided-encoding": lambda s: x(s) + encoding(s) / root(s),
    "encoding-alone": lambda s: encoding(s).expand_as(s.right),
    "encoding-transposed": lambda s: x(s) + encoding(s).T,
    "first-sequence": in_the_first,
    "halved": lambda s: (x(s) + encoding(s)) / 2,
    "multiplied": lambda s: x(s) * encoding(s),
    "not-added": x,
    "one-position": lambda s: x(s) + encoding(s)[0],
    "scaled-encoding": lambda s: x(s) + root(s) * encoding(s),
    "scaled-x": lambda s: root(s) * x(s) + encoding(s),
    "shifted": lambda s: x(s) + torch.cat([torch.zeros_like(encoding(s)[:1]), encoding(s)[:-1]]),
    "subtracted": lambda s: x(s) - encoding(s),
    "twice": lambda s: x(s) + 2 * encoding(s),
    "wrong-axis": lambda s: x(s) + encoding(s)[:len(x(s))].unsqueeze(-2),
    "x-twice": lambda s: 2 * x(s) + encoding(s),
}

LINES = {f"output/{name}": line for name, line in OUTPUT.items()}
