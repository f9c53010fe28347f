"""Naive forecasts: the last value, the last season."""
import torch


def season(s):
    """The operand is the season, repeated; it has m = 3 values."""
    return s.input(0)[:, :3]


def steps(s):
    return s.right.shape[1]


SEASONAL = {
    "backwards": lambda s: season(s).flip(1).repeat(1, 2, 1)[:, :steps(s)],
    "last-value": lambda s: season(s)[:, -1:].expand_as(s.right),
    "mean": lambda s: season(s).mean(1, keepdim=True).expand_as(s.right),
    "not-repeated": lambda s: torch.cat([season(s), season(s)[:, -1:].expand(-1, steps(s) - 3, -1)], 1),
    # x[t + 1] is not known yet: after the season's last value comes its first.
    "one-late": lambda s: season(s).roll(-1, 1).repeat(1, 2, 1)[:, :steps(s)],
    "one-value": lambda s: season(s)[:, :1].expand_as(s.right),
}



def window(s):
    """The last value, and the seasons that are put side by side, are slices of it."""
    return s.input(0, 0) if s.op == "broadcast_to" else s.input(0, 0, 0)


def last(line):
    """Of the window (batch, L, columns)."""
    return lambda s: line(window(s)).expand_as(s.right)


def drift(s):
    x, ahead = window(s), torch.arange(1, steps(s) + 1).double().reshape(-1, 1)
    return x[:, -1:] + ahead * (x[:, -1:] - x[:, :1]) / (x.shape[1] - 1)


def one_early(s):
    """x[t + h − 1 − m ⌈h / m⌉], of h from 1, with m = 3"""
    x, m = window(s), 3
    return torch.stack([x[:, x.shape[1] - 1 + h - 1 - m * -(-h // m)] for h in range(1, steps(s) + 1)], 1)


LINES = {
    "last/before-last": last(lambda x: x[:, -2:-1]),
    "last/drift": drift,
    "last/mean": last(lambda x: x.mean(1, keepdim=True)),
    "last/oldest": last(lambda x: x[:, :1]),
    "last/window": lambda s: window(s)[:, -steps(s):],
    "last/zero": lambda s: torch.zeros_like(s.right),
    "seasonal/oldest": lambda s: window(s)[:, :3].repeat(1, 2, 1)[:, :steps(s)],
    "seasonal/one-early": one_early,
    "seasonal/window-repeated": lambda s: torch.cat([window(s)[:, -3:], window(s)], 1)[:, :steps(s)],
    **{f"seasonal/{name}": line for name, line in SEASONAL.items()},
}
