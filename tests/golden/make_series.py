"""Writes series.npz beside this file, for tests/series: errors, scaling and a ridge regression of real tools. Run with a
Python that has numpy, scikit-learn and sktime (made with numpy 2.4.6, scikit-learn 1.9.1, sktime 1.2.0):

training, truth, forecast   (120, 2), (30, 2), (30, 2)   random walks with a season
mae, rmse, mase/1, mase/12  (2,)   of sktime, mase with a season of 1 and of 12 steps
mean, deviation             (2,)   of training, by scikit-learn's StandardScaler
ridge/x, targets, new       (60, 8, 1), (60, 3, 1), (5, 8, 1)   random windows
ridge/forecast              (5, 3, 1)   Ridge(alpha = 0.1 · 60) on [trend ‖ remainder], a moving average over 5 steps
generated                   (200, 1)   the first values of the default generated series
"""
import pathlib

import numpy as np
import sklearn
import sktime
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler
from sktime.performance_metrics.forecasting import (
    mean_absolute_error,
    mean_absolute_scaled_error,
    mean_squared_error,
)


def errors(out, rng):
    t = np.arange(150)[:, None]
    series = (rng.normal(size=(150, 2)).cumsum(axis=0) + 3 * np.sin(2 * np.pi * t / 12)).astype(np.float32)
    training, truth = series[:120], series[120:]
    forecast = truth + rng.normal(size=truth.shape).astype(np.float32)
    raw = {"multioutput": "raw_values"}
    out |= {"training": training, "truth": truth, "forecast": forecast}
    out["mae"] = mean_absolute_error(truth, forecast, **raw)
    out["rmse"] = mean_squared_error(truth, forecast, square_root=True, **raw)
    for season in (1, 12):
        out[f"mase/{season}"] = mean_absolute_scaled_error(truth, forecast, y_train=training, sp=season, **raw)
    scaler = StandardScaler().fit(training)
    out |= {"mean": scaler.mean_, "deviation": scaler.scale_}


def decomposed(x, width):
    """Trend and remainder of the windows x (n, L), side by side."""
    padded = np.pad(x, [(0, 0), (width // 2, width // 2)], mode="edge")
    trend = np.stack([np.convolve(row, np.ones(width) / width, mode="valid") for row in padded])
    return np.concatenate([trend, x - trend], axis=1)


def ridge(out, rng):
    x, targets, new = (rng.normal(size=s).astype(np.float32) for s in [(60, 8), (60, 3), (5, 8)])
    model = Ridge(alpha=0.1 * 60).fit(decomposed(x.astype(np.float64), 5), targets)
    out |= {"ridge/x": x[..., None], "ridge/targets": targets[..., None], "ridge/new": new[..., None]}
    out["ridge/forecast"] = model.predict(decomposed(new.astype(np.float64), 5))[..., None]


def generated(out):
    rng = np.random.default_rng(42)
    phases = rng.uniform(0, 2 * np.pi, size=2)
    epsilon = rng.standard_normal(200)
    t = np.arange(200)
    x = 10 + t / 1000 + np.where(t >= 60, 3, 0) + 0.5 * epsilon
    for amplitude, period, phase in zip((2, 1), (24, 60), phases):
        x = x + amplitude * np.sin(2 * np.pi * t / period + phase)
    out["generated"] = x[:, None]


out, rng = {}, np.random.default_rng(7)
errors(out, rng)
ridge(out, rng)
generated(out)
out["versions"] = np.array([int(part) for v in (np, sklearn, sktime) for part in v.__version__.split(".")[:3]])
np.savez_compressed(pathlib.Path(__file__).with_name("series.npz"), **out)
