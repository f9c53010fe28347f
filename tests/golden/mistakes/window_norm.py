"""The level and the spread of a window, which are taken off before the model and put back after it."""
import numpy as np
import torch

EPSILON = 1e-5


def x_of(s):
    """The window that the specimens draw: the first step has only a sum of it as an operand."""
    x = torch.from_numpy(np.random.default_rng(57).standard_normal((2, 5, 3))) * 2 + 3
    return x * 0.001 if s.specimen == "window, nearly constant" else x


def level_of(line):
    return lambda s: line(s.input(0)).expand_as(s.right)


def mean_level_of(line):
    return lambda s: line(x_of(s)).expand_as(s.right)


def spread_of(line):
    return lambda s: line(x_of(s), s["level"])


def variance(x):
    return x.var(1, correction=0, keepdim=True)


def normed(line):
    """The quotient's operands are x − level and spread."""
    return lambda s: line(s.input(0) + s["level"], s["level"], s["spread"])


def restored(line):
    """The sum's operands are output · spread and level."""
    return lambda s: line(s.input(0) / s["spread"], s["level"], s["spread"])


LINES = {
    "level/before-last": level_of(lambda x: x[:, -2:-1]),
    "level/first-series": level_of(lambda x: x[:, -1:, :1]),
    "level/mean": level_of(lambda x: x.mean(1, keepdim=True)),
    "level/oldest": level_of(lambda x: x[:, :1]),
    "centred/added": lambda s: s.input(0) + s["level"],
    "centred/not-centred": lambda s: s.input(0),
    "centred/sign": lambda s: s["level"] - s.input(0),
    "raised/not-raised": lambda s: s.input(0),
    "raised/subtracted": lambda s: s.input(0) - s["level"],
    "raised/twice": lambda s: s.input(0) + 2 * s["level"],
    "mean_level/last": mean_level_of(lambda x: x[:, -1:]),
    "mean_level/normed-over-series": (
        mean_level_of(lambda x: x.mean((1, 2), keepdim=True)),
        lambda s: (x_of(s).var((1, 2), correction=0, keepdim=True) + EPSILON).sqrt().expand_as(s.right)),
    "mean_level/over-batch": lambda s: x_of(s).mean(0, keepdim=True),
    "mean_level/one-for-all": mean_level_of(lambda x: x.mean((0, 1), keepdim=True)),
    "mean_level/over-series": mean_level_of(lambda x: x.mean((1, 2), keepdim=True)),
    "mean_level/sum": mean_level_of(lambda x: x.sum(1, keepdim=True)),
    "spread/epsilon-outside": spread_of(lambda x, level: variance(x).sqrt() + EPSILON),
    "spread/from-zero": spread_of(lambda x, level: ((x**2).mean(1, keepdim=True) + EPSILON).sqrt()),
    "spread/mean-absolute": spread_of(lambda x, level: (x - level).abs().mean(1, keepdim=True) + EPSILON),
    "spread/no-epsilon": spread_of(lambda x, level: variance(x).sqrt()),
    "spread/no-root": spread_of(lambda x, level: variance(x) + EPSILON),
    "spread/root-of-sum": spread_of(lambda x, level: (((x - level) ** 2).sum(1, keepdim=True) + EPSILON).sqrt()),
    "spread/unbiased": spread_of(lambda x, level: (x.var(1, keepdim=True) + EPSILON).sqrt()),
    "normed/brackets": normed(lambda x, level, spread: x - level / spread),
    "normed/multiplied": normed(lambda x, level, spread: (x - level) * spread),
    "normed/not-centred": normed(lambda x, level, spread: x / spread),
    "normed/not-divided": normed(lambda x, level, spread: x - level),
    "normed/order": normed(lambda x, level, spread: x / spread - level),
    "normed/squared": normed(lambda x, level, spread: (x - level) / spread**2),
    "restored/divided": restored(lambda output, level, spread: output / spread + level),
    "restored/no-level": restored(lambda output, level, spread: output * spread),
    "restored/no-spread": restored(lambda output, level, spread: output + level),
    "restored/normed-again": restored(lambda output, level, spread: (output - level) / spread),
    "restored/not-restored": restored(lambda output, level, spread: output),
    "restored/order": restored(lambda output, level, spread: (output + level) * spread),
    "restored/squared": restored(lambda output, level, spread: output * spread**2 + level),
}
