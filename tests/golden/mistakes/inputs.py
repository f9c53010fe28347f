"""What goes into a model: the embedding of tokens, time2vec and the windows of a series."""
import math

import torch
import torch.nn.functional as F
from mistakes.positions import encoding


def tokens(s):
    return s.input(1).long()


def only_last(s):
    return s.input(0)[tokens(s)[..., -1:]]


EMBEDDING = {
    "embedding/backwards": lambda s: s.input(0)[tokens(s).flip(-1)],
    "embedding/columns": lambda s: s.input(0).T[tokens(s)],
    "embedding/first-sentence": lambda s: s.input(0)[tokens(s)[:1]].expand(s.right.shape),
    "embedding/no-row-zero": lambda s: s.right * (tokens(s) != 0).unsqueeze(-1),
    "embedding/one-early": lambda s: s.input(0)[tokens(s) - 1],
    "embedding/one-late": lambda s: s.input(0)[(tokens(s) + 1) % len(s.input(0))],  # behind the last row is the first
    "embedding/one-word": lambda s: s.input(0)[tokens(s)[..., :1]].expand(s.right.shape),
    "embedding/only-last": (only_last, only_last),
    "embedding/unit-length": lambda s: F.normalize(s.input(0)[tokens(s)], dim=-1),
    "embedding_scaled/added": lambda s: s["embedding"] + math.sqrt(s.right.shape[-1]),
    "embedding_scaled/after-positions": lambda s: math.sqrt(s.right.shape[-1]) * (s["x"] + s["encoding"]),
    "embedding_scaled/divided": lambda s: s["embedding"] / math.sqrt(s.right.shape[-1]),
    "embedding_scaled/other-table": lambda s: (
        math.sqrt(s.right.shape[-1]) * s.operand("/source/embedding", 0)[s.input(0, 1).long()]),
    "embedding_scaled/no-root": lambda s: s.right.shape[-1] * s["embedding"],
    "embedding_scaled/not-scaled": lambda s: s["embedding"],
    "embedding_scaled/positions": lambda s: math.sqrt(s.right.shape[-2]) * s["embedding"],
    "embedding_scaled/words": lambda s: math.sqrt(len(s.input(0, 0))) * s["embedding"],
}


def omega(s):
    """of the products ω τ"""
    return (s.input(0) / s["time"].unsqueeze(-1))[s["time"] != 0][0]


def linear(wrong):
    """of a formula of τ, ω and φ"""
    return lambda s: wrong(s["time"].unsqueeze(-1), omega(s), s.input(1))


def waves(wrong):
    """of a formula of what is linear"""
    return lambda s: wrong(s["linear"][..., :1], s["linear"][..., 1:])


def places(first):
    """the places of the rows in place of their times"""
    return linear(lambda tau, w, p: w * (first + torch.arange(tau.shape[-2]).double()[:, None].expand(tau.shape)) + p)


def fixed(s):
    PE = encoding(*s.right.shape[-2:])
    return torch.cat([s["linear"][..., :1], PE[:, 1:].expand(*s.right.shape[:-1], -1)], -1)


TIME2VEC = {
    "time2vec/ahead": linear(lambda tau, w, p: -w * tau + p),
    "time2vec/backwards": linear(lambda tau, w, p: w * tau.flip(-2) + p),
    "time2vec/divided": linear(lambda tau, w, p: tau / w + p),
    "time2vec/exchanged": linear(lambda tau, w, p: p * tau + w),
    "time2vec/first-sequence": linear(lambda tau, w, p: w * tau[:1].expand(tau.shape) + p),
    "time2vec/from-the-first": linear(lambda tau, w, p: w * (tau - tau[:, :1]) + p),
    "time2vec/minus": linear(lambda tau, w, p: w * tau - p),
    "time2vec/no-omega": linear(lambda tau, w, p: tau + p),
    "time2vec/no-phase": linear(lambda tau, w, p: w * tau),
    "time2vec/phase-in-brackets": linear(lambda tau, w, p: w * (tau + p)),
    "time2vec/place": places(0),
    "time2vec/place-from-one": places(1),
    "time2vec/turns": linear(lambda tau, w, p: 2 * math.pi * w * tau + p),
    "time2vec/all-sines": lambda s: s["linear"].sin(),
    "time2vec/behind": waves(lambda first, rest: torch.cat([rest.sin(), first], -1)),
    "time2vec/cosine": waves(lambda first, rest: torch.cat([first, rest.cos()], -1)),
    "time2vec/degrees": waves(lambda first, rest: torch.cat([first, torch.deg2rad(rest).sin()], -1)),
    "time2vec/last-linear": lambda s: torch.cat([s["linear"][..., :-1].sin(), s["linear"][..., -1:]], -1),
    "time2vec/no-sine": lambda s: s["linear"],
    "time2vec/no-trend": waves(lambda first, rest: torch.cat([torch.zeros_like(first), rest.sin()], -1)),
    "time2vec/sinusoidal": fixed,
    "input/added": lambda s: torch.cat([s["x"], s["x"] + s["time2vec"]], -1),
    "input/first-window": lambda s: torch.cat([s["x"][:1].expand(s["x"].shape), s["time2vec"]], -1),
    "input/last-time": lambda s: torch.cat([s["x"], s["time2vec"][:, -1:].expand(s["time2vec"].shape)], -1),
    "input/no-time": lambda s: torch.cat([s["x"], torch.zeros_like(s["time2vec"])], -1),
    "input/no-value": lambda s: torch.cat([torch.zeros_like(s["x"]), s["time2vec"]], -1),
    "input/order": lambda s: torch.cat([s["time2vec"], s["x"]], -1),
}


def window(wrong):
    """of a formula of x, the rows of the window, in which values and time stand side by side"""
    return lambda s: F.linear(wrong(s.input(0)), s.input(1), s.input(2))


SERIES = {
    "series/backwards": window(lambda x: x.flip(-2)),
    "series/differences": window(lambda x: x.diff(dim=-2, prepend=x[:, :1])),
    "series/one-early": window(lambda x: x.roll(-1, -2)),
}

LINES = {**EMBEDDING, **TIME2VEC, **SERIES}
