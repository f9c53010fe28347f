"""The scaling of a series, and windows of it."""
import numpy as np
import torch


def drawn():
    """What the specimens of a series draw, one after the other: their first step has only sums of it as operands."""
    generator = np.random.default_rng(5)
    generator.standard_normal(1948)  # of the models before

    def normal(*shape):
        return torch.from_numpy(generator.standard_normal(shape))
    series = normal(11, 2) * torch.tensor([3, 0.4]) + torch.tensor([5, -1])
    known = torch.from_numpy((generator.random((11, 2)) < 0.7).astype(np.float64))
    forecast, truth, x = normal(3, 4, 2), normal(3, 4, 2), normal(2, 7, 3)
    W_trend, b, W_remainder = normal(4, 7), normal(4), normal(4, 7)
    return series, known, forecast, truth, x, W_trend, b, W_remainder


SERIES, KNOWN, FORECAST, TRUTH, _, W_TREND, BIAS, W_REMAINDER = drawn()
LEARNED, LEARNED_KNOWN = SERIES[:8], KNOWN[:8]  # the part that the scaling is learned from


def mean_of(line):
    return lambda s: line(LEARNED, LEARNED_KNOWN)


def mean_from(begin, end=11):
    """Of the known values among these rows of the whole series."""
    return (KNOWN * SERIES)[begin:end].sum(0) / KNOWN[begin:end].sum(0)


def by_itself(x):
    return (x - x.mean(0)) / x.std(0, correction=0)


def deviation_of(line):
    return lambda s: line(LEARNED, LEARNED_KNOWN, s["mean"])


def variance(x, known, mean):
    return (known * (x - mean) ** 2).sum(0) / known.sum(0)


def over_all(x, known, mean):
    """of all numbers together"""
    known = known.expand(x.shape)
    apart = x - (known * x).sum() / known.sum()
    return ((known * apart**2).sum() / known.sum()).sqrt().expand(2)


def scaled(line):
    """Of the values, mean and deviation: the quotient's operands are x − mean and deviation."""
    return lambda s: line(s.input(0) + s["mean"], s["mean"], s["deviation"])


def unscaled(line):
    """Of the scaled values: the sum's operands are x deviation and mean."""
    return lambda s: line(s.input(0) / s["deviation"], s["mean"], s["deviation"])


def to_range(x):
    least, most = x.amin(0), x.amax(0)
    return (x - least) / (most - least)


def first_to(x, many):
    return x[:1].expand(many, -1)


L, H = 4, 3  # values that a window shows, and that are asked for


def windows(line):
    """Of the series and t, the place of the last known value."""
    return lambda s: line(s.input(0), 5)


LINES = {
    "mean_of_series/first-value": mean_of(lambda x, known: x[0]),
    "mean_of_series/middle": mean_of(lambda x, known: (x.amin(0) + x.amax(0)) / 2),
    "mean_of_series/one-for-all": mean_of(lambda x, known: ((known * x).sum() / known.sum()).expand(2)),
    "mean_of_series/one-less": mean_of(lambda x, known: (known * x)[:-1].sum(0) / known[:-1].sum(0)),
    "mean_of_series/all-values": lambda s: mean_from(0),
    "mean_of_series/fitted-to-all": (lambda s: mean_from(0), lambda s: variance(SERIES, KNOWN, mean_from(0)).sqrt()),
    "mean_of_series/one-more": lambda s: mean_from(0, 9),
    "mean_of_series/test": lambda s: mean_from(8),
    "mean_of_series/other-count": mean_of(lambda x, known: (known * x).sum(0) / len(SERIES)),
    "mean_of_series/sum": mean_of(lambda x, known: (known * x).sum(0)),
    "mean_of_series/unknown-too": mean_of(lambda x, known: x.mean(0)),
    "deviation/all-values": lambda s: variance(SERIES, KNOWN, mean_from(0)).sqrt(),
    "deviation/all-values-about-mean": lambda s: variance(SERIES, KNOWN, s["mean"]).sqrt(),
    "deviation/from-zero": deviation_of(lambda x, known, mean: variance(x, known, 0).sqrt()),
    "deviation/mean-absolute": deviation_of(lambda x, known, mean: (known * (x - mean).abs()).sum(0) / known.sum(0)),
    "deviation/over-all": deviation_of(over_all),
    "deviation/one-for-all": deviation_of(lambda x, known, mean: variance(x, known, mean).mean().sqrt().expand(2)),
    "deviation/other-count": deviation_of(lambda x, known, mean: (known * (x - mean) ** 2).mean(0).sqrt()),
    "deviation/range": deviation_of(lambda x, known, mean: x.amax(0) - x.amin(0)),
    "deviation/root-of-sum": deviation_of(lambda x, known, mean: (known * (x - mean) ** 2).sum(0).sqrt()),
    "deviation/unbiased": deviation_of(
        lambda x, known, mean: ((known * (x - mean) ** 2).sum(0) / (known.sum(0) - 1)).sqrt()),
    "deviation/unknown-too": deviation_of(lambda x, known, mean: ((x - mean) ** 2).mean(0).sqrt()),
    "deviation/variance": deviation_of(variance),
    "scaled_series/brackets": scaled(lambda x, mean, deviation: x - mean / deviation),
    "scaled_series/all-values": scaled(lambda x, mean, deviation: by_itself(x)),
    "scaled_series/each-part": scaled(
        lambda x, mean, deviation: torch.cat([((x - mean) / deviation)[:8], by_itself(x[8:])])),
    "scaled_series/training-only": scaled(lambda x, mean, deviation: torch.cat([((x - mean) / deviation)[:8], x[8:]])),
    "scaled_series/nothing-behind": scaled(
        lambda x, mean, deviation: torch.cat([((x - mean) / deviation)[:8], torch.zeros(3, 2)])),
    "scaled_series/left-out": scaled(lambda x, mean, deviation: x),
    "scaled_series/multiplied": scaled(lambda x, mean, deviation: (x - mean) * deviation),
    "scaled_series/not-centred": scaled(lambda x, mean, deviation: x / deviation),
    "scaled_series/not-divided": scaled(lambda x, mean, deviation: x - mean),
    "scaled_series/order": scaled(lambda x, mean, deviation: x / deviation - mean),
    "scaled_series/sign": scaled(lambda x, mean, deviation: (mean - x) / deviation),
    "scaled_series/squared": scaled(lambda x, mean, deviation: (x - mean) / deviation**2),
    "scaled_series/to-range": scaled(lambda x, mean, deviation: to_range(x)),
    "unscaled/divided": unscaled(lambda x, mean, deviation: x / deviation + mean),
    "unscaled/exchanged": unscaled(lambda x, mean, deviation: x * mean + deviation),
    "unscaled/mean-subtracted": unscaled(lambda x, mean, deviation: x * deviation - mean),
    "unscaled/no-deviation": unscaled(lambda x, mean, deviation: x + mean),
    "unscaled/no-mean": unscaled(lambda x, mean, deviation: x * deviation),
    "unscaled/not-unscaled": unscaled(lambda x, mean, deviation: x),
    "unscaled/scale-of-all": unscaled(lambda x, mean, deviation: x * SERIES.std(0, correction=0) + SERIES.mean(0)),
    "unscaled/test-scale": unscaled(
        lambda x, mean, deviation: x * SERIES[8:].std(0, correction=0) + SERIES[8:].mean(0)),
    "unscaled/whole-numbers": unscaled(lambda x, mean, deviation: x * deviation.trunc() + mean.trunc()),
    "unscaled/order": unscaled(lambda x, mean, deviation: (x + mean) * deviation),
    "unscaled/scaled-again": unscaled(lambda x, mean, deviation: (x - mean) / deviation),
    "window/first-column": windows(lambda series, t: series[t - L + 1:t + 1, :1].expand(-1, 2)),
    "window/newest-first": windows(lambda series, t: series[t - L + 1:t + 1].flip(0)),
    "window/oldest-value": windows(lambda series, t: first_to(series[t - L + 1:], L)),
    "window/one-value": windows(lambda series, t: first_to(series[t:], L)),
    "window/target-inside": windows(lambda series, t: series[t - L + 2:t + 2]),
    "window/too-early": windows(lambda series, t: series[t - L:t]),
    "targets/changes": windows(lambda series, t: series[t + 1:t + H + 1] - series[t]),
    "targets/known-already": windows(lambda series, t: series[t:t + H]),
    "targets/last-of-horizon": windows(lambda series, t: first_to(series[t + H:], H)),
    "targets/newest-first": windows(lambda series, t: series[t + 1:t + H + 1].flip(0)),
    "targets/one-value": windows(lambda series, t: first_to(series[t + 1:], H)),
    "targets/too-late": windows(lambda series, t: series[t + 2:t + H + 2]),
    "targets/within-window": windows(lambda series, t: series[t - H + 1:t + 1]),
}
