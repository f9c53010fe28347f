"""A series that is cut into windows and forecast, and the forecasts judged: the specimen "judged forecasts"."""
import torch

from mistakes.scaling import BIAS, W_REMAINDER, W_TREND

T, N, L, H, SEASON = 26, 16, 7, 4, 3
SERIES = torch.tensor([[5 + 0.25 * t + 0.5 * (7 * t % 11) - 0.3 * (3 * t % 5)] for t in range(T)]).double()
SCALED = (SERIES - SERIES[:N].mean(0)) / SERIES[:N].std(0, correction=0)


def rule(of, whole=lambda t: L - 1 <= t < T - H):
    """What the window is for whose last known value is number t; 0 where there is none."""
    return lambda s: torch.tensor([of(t) if whole(t) else 0 for t in range(T)]).double()


def right(t):
    return 1 if t + H < N else 2 if t + 1 >= N else 0


def unless(is_lost):
    return rule(lambda t: 0 if is_lost(t) else right(t))


PARTS = {
    "across-split": rule(lambda t: 2 if t + 1 >= N else 1),
    "tests-on-training": rule(lambda t: 2 if t + H >= N else 1),
    "random-split": rule(lambda t: 2 if t % 4 == 0 else 1),
    "test-alone": unless(lambda t: t - L + 1 < N <= t + H),
    "by-last-known": unless(lambda t: t == N - 1),
    "last-lost": unless(lambda t: t + H == T - 1),
    "last-of-training-lost": unless(lambda t: t + H == N - 1),
    "left-out": unless(lambda t: (t - L + 1) % H != 0),
    "not-sliding": unless(lambda t: (t - L + 1) % L != 0),
    "exchanged": rule(lambda t: {0: 0, 1: 2, 2: 1}[right(t)]),
    "other-number": lambda s: rule(right)(s) - 1,
    "moved": lambda s: torch.cat([rule(right)(s)[1:], torch.zeros(1)]),
    "moved-back": lambda s: torch.cat([torch.zeros(1), rule(right)(s)[:-1]]),
    "no-past": rule(right, lambda t: t < T - H),
    "no-future": rule(right, lambda t: t >= L - 1),
}


def windows(line):
    """Of each window: from the place of its last known value."""
    return lambda s: torch.stack([line(t) for t in range(L - 1, T - H) if right(t) == (1 if "training" in s.path else 2)])


def in_series(values, begin, end):
    return torch.stack([values[min(max(t, 0), T - 1)] for t in range(begin, end)])


X, TARGETS = "/test/x", "/test/targets"


def fed(line):
    """Of step h the window, from x, the truth, the forecasts so far and h."""
    def window(s):
        h = int(s.path.split("/")[2])
        so_far = [s[f"/stepwise/step/{i}/next"] for i in range(h)]
        return line(s[X], s[TARGETS], torch.cat([s[X][:, :0], *so_far], 1), h)
    return window


def forecast(window):
    """By the linear forecaster, whose moving average is of 3 values."""
    padded = torch.cat([window[:, :1], window, window[:, -1:]], 1)
    trend = (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3
    by_step = torch.einsum("hl,blc->bhc", W_TREND, trend) + torch.einsum("hl,blc->bhc", W_REMAINDER, window - trend)
    return by_step + BIAS[:, None]


def each_row(s):
    h = int(s.path.split("/")[2])
    return forecast(s["window"])[:, h:h + 1]


def pairs_from(begin):
    return (SERIES[begin:] - SERIES[begin - SEASON:T - SEASON]).abs()


LINES = {
    **{f"part/{name}": line for name, line in PARTS.items()},
    "window/targets-inside": windows(lambda t: in_series(SCALED, t - L + 1 + H, t + 1 + H)),
    "window/not-scaled": windows(lambda t: SERIES[t - L + 1:t + 1]),
    "targets/not-scaled": windows(lambda t: SERIES[t + 1:t + 1 + H]),
    "last/truth": lambda s: torch.cat([s[X][:, -1:], s[TARGETS][:, :-1]], 1),
    "seasonal/truth": lambda s: torch.cat([s[X][:, -SEASON:], s[TARGETS][:, :H - SEASON]], 1),
    "stepwise_window/truth": fed(lambda x, truth, made, h: torch.cat([x, truth[:, :h]], 1)[:, h:]),
    "stepwise_window/not-fed": fed(lambda x, truth, made, h: x),
    "stepwise_window/last-value": fed(lambda x, truth, made, h: torch.cat([x[:, h:], x[:, -1:].expand(-1, h, -1)], 1)),
    "stepwise_window/not-moved": fed(lambda x, truth, made, h: torch.cat([x[:, :-1], made[:, -1:]], 1)),
    "stepwise_next/each-row": each_row,
    "stepwise/direct": lambda s: forecast(s[X]),
    "error/in-deviations": lambda s: s.right / s["deviation"],
    "mase/by-deviation": lambda s: s["mae"] / s["deviation"],
    "mase/by-first": lambda s: s["mae"] / s["mae"][0],
    "mase/by-second": lambda s: s["mae"] / s["mae"][1],
    "scale/in-deviations": lambda s: s.right / s["deviation"],
    "scale/test": lambda s: pairs_from(N).mean(0),
    "scale/test-alone": lambda s: pairs_from(N + SEASON).mean(0),
    "scale/all-values": lambda s: pairs_from(SEASON).mean(0),
    "scale/all-values-miscounted": lambda s: pairs_from(SEASON).sum(0) / (N - SEASON),
}
