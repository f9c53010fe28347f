"""Lesson 14: the reference solution."""
import numpy as np

from lesson import encoded, for_test, for_training, linear, no_window


def standardise(series, setting, steps):
    known = series[: setting.training]  # what comes after them is not known yet
    steps.mean = known.mean()
    steps.deviation = known.std()
    steps.scaled = (series - steps.mean) / steps.deviation


def cut(setting, steps):
    T, L, H = len(steps.scaled), setting.window, setting.horizon
    t = np.arange(T)
    whole = (t >= L - 1) & (t + H < T)
    first_target, last_target = t + 1, t + H
    steps.part = np.full(T, no_window)
    steps.part[whole & (last_target < setting.training)] = for_training
    steps.part[whole & (first_target >= setting.training)] = for_test

    for windows, what in [(steps.training, for_training), (steps.test, for_test)]:
        rows = t[steps.part == what][:, None]
        windows.x = steps.scaled[rows + np.arange(1 - L, 1)]
        windows.targets = steps.scaled[rows + np.arange(1, 1 + H)]


def baselines(setting, W, b, steps):
    x, L, H = steps.test.x, setting.window, setting.horizon
    h = np.arange(H)
    steps.last = np.repeat(x[:, -1:], H, axis=1)
    steps.seasonal = x[:, L - setting.season + h % setting.season]
    steps.linear = linear(x, W, b)

    values = x  # the window, and behind it what was forecast
    for _ in range(H):
        values = np.column_stack([values, linear(values[:, -L:], W[0], b[0])])
    steps.stepwise = values[:, L:]


def forecast(tau, w, steps):
    x = steps.test.x
    angle = tau[:, None] * w.omega + w.phi
    steps.time2vec = np.column_stack([angle[:, 0], np.sin(angle[:, 1:])])

    times = np.broadcast_to(steps.time2vec, (len(x), *steps.time2vec.shape))
    steps.input = np.concatenate([x[:, :, None], times], axis=-1)
    steps.head = linear(encoded(steps.input, w)[:, -1], w.W_out, w.b_out)


def measure(series, setting, steps):
    made = np.array([steps.last, steps.seasonal, steps.linear, steps.stepwise, steps.head])
    steps.forecasts = made * steps.deviation + steps.mean

    errors = steps.forecasts - (steps.test.targets * steps.deviation + steps.mean)
    steps.mae = np.abs(errors).mean(axis=(1, 2))
    steps.rmse = np.sqrt((errors**2).mean(axis=(1, 2)))

    known, season = series[: setting.training], setting.season
    steps.scale = np.abs(known[season:] - known[:-season]).mean()
    steps.mase = steps.mae / steps.scale
