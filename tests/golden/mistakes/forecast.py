"""Forecasts: their errors, the linear forecaster, and what is peculiar to a forecaster with attention."""
import torch
import torch.nn.functional as F

from mistakes.scaling import BIAS, FORECAST, KNOWN, SERIES, TRUTH, W_REMAINDER, W_TREND

SEASON, HORIZON = 3, 3


def pairs(x, known, m):
    """x[t] − x[t − m], and where both are known."""
    return x[m:] - x[:-m], known[m:] * known[:-m]


def scale_of(line):
    """Of the differences between a season, and of the pairs known."""
    return lambda s: line(*pairs(SERIES, KNOWN, SEASON))


def one_step(s):
    difference, both = pairs(SERIES, KNOWN, 1)
    return (both * difference.abs()).sum(0) / both.sum(0)


def one_step_off(s):
    return s.input(0) * (FORECAST - TRUTH.roll(-1, -2))


def measure_of(line):
    """Of the errors, (windows, H, columns), and of what is known: the others are 0."""
    return lambda s: line(s["error"], (s["error"] != 0).double())


def total(x):
    return x.sum((0, 1))


def moving(x, size, padded):
    """The mean of each place and those around it, of a window (batch, L, columns)."""
    return F.avg_pool1d(padded(x.transpose(1, 2), (size - 1) // 2), size, stride=1).transpose(1, 2)


def of_the_past(s):
    before = s["x"][:, :1].expand(-1, 2, -1)  # the oldest value stands for those before it
    return F.avg_pool1d(torch.cat([before, s["x"]], 1).transpose(1, 2), 3, stride=1).transpose(1, 2)


def linear(line):
    """Of trend and remainder, (batch, columns, L): a forecast (batch, H, columns)."""
    return lambda s: line(s["trend"].transpose(1, 2), s["remainder"].transpose(1, 2)).transpose(1, 2)


def steps_exchanged(s):
    by_steps = s.right.reshape(len(s.right), HORIZON, -1)
    return by_steps.flip(1).reshape(s.right.shape)


LINES = {
    "scale/deviation": lambda s: SERIES.std(0, correction=0),
    "scale/one-step": one_step,
    "scale/other-count": scale_of(lambda difference, both: (both * difference.abs()).sum(0) / len(SERIES)),
    "scale/root": scale_of(lambda difference, both: ((both * difference**2).sum(0) / both.sum(0)).sqrt()),
    "scale/no-abs": scale_of(lambda difference, both: (both * difference).sum(0) / both.sum(0)),
    "scale/signed": scale_of(lambda difference, both: ((both * difference).sum(0) / both.sum(0)).abs()),
    "scale/squares": scale_of(lambda difference, both: (both * difference**2).sum(0) / both.sum(0)),
    "scale/sum": scale_of(lambda difference, both: (both * difference.abs()).sum(0)),
    "scale/unknown-too": scale_of(lambda difference, both: difference.abs().mean(0)),
    "error/forecast-alone": lambda s: s.input(0) * FORECAST,
    "error/one-step-off": one_step_off,
    "error/relative": lambda s: s.input(0) * (FORECAST - TRUTH) / TRUTH,
    "error/sign": lambda s: s.input(0) * (TRUTH - FORECAST),
    "error/unknown-too": lambda s: FORECAST - TRUTH,
    "mae/all-places": measure_of(lambda error, known: error.abs().mean((0, 1))),
    "mae/largest": measure_of(lambda error, known: error.abs().amax((0, 1))),
    "mae/one-step": measure_of(lambda error, known: error[:, 0].abs().sum(0) / known[:, 0].sum(0)),
    "mae/rmse": measure_of(lambda error, known: (total(error**2) / total(known)).sqrt()),
    "mae/signed": measure_of(lambda error, known: total(error) / total(known)),
    "mae/squares": measure_of(lambda error, known: total(error**2) / total(known)),
    "mae/sum": measure_of(lambda error, known: total(error.abs())),
    "mae/windows": measure_of(lambda error, known: total(error.abs()) / len(error)),
    "rmse/all-places": measure_of(lambda error, known: (error**2).mean((0, 1)).sqrt()),
    "rmse/deviation": measure_of(
        lambda error, known: (total(known * (error - total(error) / total(known)) ** 2) / total(known)).sqrt()),
    "rmse/mae": measure_of(lambda error, known: total(error.abs()) / total(known)),
    "rmse/mean-of-roots": measure_of(lambda error, known: ((error**2).sum(1) / known.sum(1)).sqrt().mean(0)),
    "rmse/no-root": measure_of(lambda error, known: total(error**2) / total(known)),
    "rmse/root-of-sum": measure_of(lambda error, known: total(error**2).sqrt()),
    "rmse/root-of-sum-divided": measure_of(lambda error, known: total(error**2).sqrt() / total(known)),
    "rmse/windows": measure_of(lambda error, known: (total(error**2) / len(error)).sqrt()),
    "mase/difference": lambda s: s["mae"] - s["scale"],
    "mase/inverted": lambda s: s["scale"] / s["mae"],
    "mase/multiplied": lambda s: s["mae"] * s["scale"],
    "mase/not-scaled": lambda s: s["mae"],
    "mase/rmse": lambda s: s["rmse"] / s["scale"],
    "trend/left-out": lambda s: s["x"],
    "trend/of-the-past": of_the_past,
    "trend/whole-window": lambda s: s["x"].mean(1, keepdim=True).expand_as(s["x"]),
    "trend/zeros-beyond": lambda s: moving(s["x"], 3, lambda x, many: F.pad(x, (many, many))),
    "remainder/ratio": lambda s: s["x"] / s["trend"],
    "remainder/sign": lambda s: s["trend"] - s["x"],
    "remainder/sum": lambda s: s["x"] + s["trend"],
    "remainder/x-itself": lambda s: s["x"],
    "linear_forecast/backwards": lambda s: s.right.flip(1),
    "linear_forecast/exchanged": linear(
        lambda trend, rest: F.linear(trend, W_REMAINDER, BIAS) + F.linear(rest, W_TREND)),
    "linear_forecast/newest-first": linear(
        lambda trend, rest: F.linear(trend, W_TREND.flip(1), BIAS) + F.linear(rest, W_REMAINDER.flip(1))),
    "linear_forecast/no-bias": linear(lambda trend, rest: F.linear(trend, W_TREND) + F.linear(rest, W_REMAINDER)),
    "linear_forecast/no-remainder": linear(lambda trend, rest: F.linear(trend, W_TREND, BIAS)),
    "linear_forecast/no-trend": linear(lambda trend, rest: F.linear(rest, W_REMAINDER)),
    "linear_forecast/one-row": linear(
        lambda trend, rest: F.linear(trend, W_TREND[:1].expand_as(W_TREND), BIAS)
        + F.linear(rest, W_REMAINDER[:1].expand_as(W_REMAINDER))),
    "flat/by-features": lambda s: s.input(0).transpose(1, 2).flatten(1),
    "flat/mean-everywhere": lambda s: s.input(0).mean(1, keepdim=True).expand_as(s.input(0)).flatten(1),
    "last_position/first-place": lambda s: s.input(0)[:, 0],
    "last_position/not-encoded": lambda s: s["input_net"][:, -1],
    "last_position/mean": lambda s: s.input(0).mean(1),
    "output/steps-exchanged": steps_exchanged,
    "tau/ahead": lambda s: s.input(1) - s.input(0),
    "tau/from-first": lambda s: s.input(0) - s.input(0)[:, :1],
    "tau/not-shifted": lambda s: s.input(0),
    "tau/share": lambda s: (s.input(0) - s.input(1)) / s.input(0).shape[1],
}
