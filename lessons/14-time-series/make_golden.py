"""Makes golden.npz: series, weights and every step from the raw series to the errors of five forecasts, by real tools.

    pip install numpy torch scikit-learn sktime
    python lessons/14-time-series/make_golden.py

Keys are "<case>/<step>", weights under the tutorial's names. The scaling is scikit-learn's StandardScaler, fitted to the
training part; windows are NumPy's sliding_window_view; the naive forecasts are sktime's NaiveForecaster, fitted to each
window; the linear model is fitted by torch.linalg.lstsq to the windows for training. The Transformer is Time2Vec in front of
a torch.nn.Linear and torch.nn.TransformerEncoderLayer, with a torch.nn.Linear behind it. It is trained here on the windows
for training of `example`; the model of `sizes` is left as it was drawn. MAE, RMSE and MASE are sktime's. Series and weights
are rounded so that a float holds them exactly, and all steps are computed in double. The attention's rows are stored in the
tutorial's order: each head's query, key and value side by side.
"""

import math
import pathlib
import warnings

import numpy as np
import sklearn
import sktime
import torch
from sklearn.preprocessing import StandardScaler
from sktime.forecasting.naive import NaiveForecaster
from sktime.performance_metrics.forecasting import (mean_absolute_error, mean_absolute_scaled_error,
                                                    mean_squared_error)
from torch import nn


class Time2Vec(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.omega, self.phi = nn.Parameter(torch.empty(k)), nn.Parameter(torch.empty(k))

    def forward(self, tau):  # (L) → (L, k)
        return torch.cat([nn.functional.linear(tau[:, None], self.omega[:1, None], self.phi[:1]),
                          torch.sin(nn.functional.linear(tau[:, None], self.omega[1:, None], self.phi[1:]))], -1)


class Forecaster(nn.Module):
    def __init__(self, k, d_model, heads, d_ff, layers, horizon):
        super().__init__()
        self.time2vec = Time2Vec(k)
        self.input_net = nn.Linear(1 + k, d_model)
        # A block of its own for each one's own weights: torch's stack begins with equal copies.
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(d_model, heads, d_ff, dropout=0.0, batch_first=True)
                                    for _ in range(layers))
        self.output_net = nn.Linear(d_model, horizon)

    def input(self, x, tau):  # (n, L), (L) → (n, L, 1 + k)
        t2v = self.time2vec(tau)
        return torch.cat([x[..., None], t2v.expand(len(x), *t2v.shape)], -1)

    def forward(self, x, tau):  # → (n, H)
        h = self.input_net(self.input(x, tau))
        for block in self.blocks:
            h = block(h)
        return self.output_net(h[:, -1])


def draw(model, rng):
    for name, p in model.named_parameters():
        scale = 1.5 / math.sqrt(p.shape[-1]) if p.dim() == 2 else 0.4
        p.copy_(torch.from_numpy(rng.standard_normal(tuple(p.shape)) * scale) + float("norm" in name and "weight" in name))


def train(model, x, targets, tau):
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(400):
        loss = nn.functional.mse_loss(model(x, tau), targets)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"loss after {step + 1} steps: {loss.item():.4f}")


def rounded(model):
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.round(p * 4096) / 4096)


def scaling(series, training):
    scaler = StandardScaler().fit(series[:training, None])
    return {"mean": scaler.mean_, "deviation": scaler.scale_, "scaled": scaler.transform(series[:, None])[:, 0]}


def windows(series, training, L, H):
    """Cut as the field does it: each part by itself, the test's with the L values before it."""
    pieces = {"training": series[:training], "test": series[training - L:]}
    steps, part = {}, np.zeros(len(series))
    for name, piece in pieces.items():
        both = np.lib.stride_tricks.sliding_window_view(piece, L + H)
        steps |= {f"{name}/x": both[:, :L], f"{name}/targets": both[:, L:]}
        first = (0 if name == "training" else training - L) + L - 1
        part[first:first + len(both)] = 1 if name == "training" else 2
    return {"part": part, **steps}


def naive(x, H, season):
    """Of each window alone."""
    rows = [NaiveForecaster(strategy="last", sp=season).fit(row).predict(fh=np.arange(1, H + 1))[:, 0] for row in x]
    return np.stack(rows)


def stepwise(x, W, b):
    one, rows = nn.Linear(x.shape[1], 1).double(), torch.from_numpy(x.copy())
    with torch.no_grad():
        one.weight.copy_(torch.from_numpy(W[:1])), one.bias.copy_(torch.from_numpy(b[:1]))
        for _ in range(len(W)):
            rows = torch.cat([rows, one(rows[:, -x.shape[1]:])], 1)
    return rows[:, x.shape[1]:].numpy()


def fitted(x, targets):
    """Ordinary least squares with an intercept, rounded."""
    features = torch.from_numpy(np.hstack([x, np.ones((len(x), 1))]))
    both = torch.linalg.lstsq(features, torch.from_numpy(targets.copy())).solution.T.numpy()
    both = np.round(both * 4096) / 4096
    return both[:, :-1], both[:, -1]


def errors(forecasts, truth, train, season):
    flat = truth.ravel()
    of = [f.ravel() for f in forecasts]
    mase = [mean_absolute_scaled_error(flat, f, y_train=train, sp=season) for f in of]
    mae = [mean_absolute_error(flat, f) for f in of]
    return {"mae": np.array(mae), "rmse": np.array([mean_squared_error(flat, f, square_root=True) for f in of]),
            "scale": np.array([mae[0] / mase[0]]), "mase": np.array(mase)}


def steps_of(series, training, L, H, season, tau, W, b, model):
    steps = scaling(series, training)
    steps |= windows(steps["scaled"], training, L, H)
    x = steps["test/x"]
    steps |= {"last": naive(x, H, 1), "seasonal": naive(x, H, season), "stepwise": stepwise(x, W, b)}
    with torch.no_grad():
        tau, rows = torch.from_numpy(tau), torch.from_numpy(x.copy())
        linear = nn.functional.linear(rows, torch.from_numpy(W), torch.from_numpy(b)).numpy()
        steps |= {"linear": linear, "time2vec": model.time2vec(tau).numpy(), "input": model.input(rows, tau).numpy(),
                  "head": model(rows, tau).numpy()}
    order = ["last", "seasonal", "linear", "stepwise", "head"]
    made = np.stack([steps[name] for name in order])
    unscaled = made * steps["deviation"] + steps["mean"]
    steps["forecasts"] = unscaled
    truth = np.lib.stride_tricks.sliding_window_view(series[training:], H)
    np.testing.assert_allclose(truth, steps["test/targets"] * steps["deviation"] + steps["mean"], rtol=1e-12)
    return steps | errors(unscaled, truth, series[:training], season)


def weights_of(model):
    """By the tutorial's names."""
    weights = {"omega": model.time2vec.omega, "phi": model.time2vec.phi,
               "input_net.weight": model.input_net.weight, "input_net.bias": model.input_net.bias,
               "output_net.weight": model.output_net.weight, "output_net.bias": model.output_net.bias}
    for i, block in enumerate(model.blocks):
        attention = block.self_attn
        by_head = torch.arange(3 * attention.embed_dim).reshape(3, attention.num_heads, -1).permute(1, 0, 2).flatten()
        path = f"encoder.layers.{i}."
        weights |= {path + "self_attn.qkv_proj.weight": attention.in_proj_weight[by_head],
                    path + "self_attn.qkv_proj.bias": attention.in_proj_bias[by_head],
                    path + "self_attn.o_proj.weight": attention.out_proj.weight,
                    path + "self_attn.o_proj.bias": attention.out_proj.bias}
        parts = {"linear_net.0": block.linear1, "linear_net.3": block.linear2, "norm1": block.norm1,
                 "norm2": block.norm2}
        for name, part in parts.items():
            weights |= {path + name + ".weight": part.weight, path + name + ".bias": part.bias}
    return {name: value.detach().numpy() for name, value in weights.items()}


def exact(series):
    return np.round(series * 256) / 256


def seasons(rng, T, period, level, trend, noise):
    t = np.arange(T)
    wave = 3 * np.sin(2 * np.pi * t / period) + 1.5 * np.sin(4 * np.pi * t / period + 1)
    return exact(level + trend * t + wave + noise * rng.standard_normal(T))


def cases():
    """Name, series, setting, τ, linear model and Transformer."""
    rng = np.random.default_rng(14)
    torch.manual_seed(14)
    setting = dict(training=96, window=12, horizon=4, season=8)
    series = seasons(rng, 120, 8, 20, 0.02, 0.6)
    tau = np.arange(-11.0, 1.0)
    learned = windows(scaling(series, 96)["scaled"], 96, 12, 4)
    x, targets = (np.round(learned["training/" + name] * 4096) / 4096 for name in ("x", "targets"))
    W, b = fitted(x, targets)
    trained = Forecaster(4, 8, 2, 16, 1, 4).double()
    with torch.no_grad():
        trained.time2vec.omega.copy_(torch.tensor([0.05, 0.8, 1.6, 0.3])), trained.time2vec.phi.zero_()
    train(trained, torch.from_numpy(x), torch.from_numpy(targets), torch.from_numpy(tau))
    rounded(trained)
    yield "example", series, setting, tau, W, b, trained

    moved = series.copy()
    moved[96:] += 12  # the same series and models; after the training part everything stands higher
    yield "moved", moved, setting, tau, W, b, trained

    setting = dict(training=26, window=7, horizon=8, season=3)
    series = exact(400 + 30 * rng.standard_normal(44))
    tau = np.array([-9, -7.5, -6, -4, -2.5, -1, 0])
    W, b = np.round(rng.standard_normal((8, 7)) * 1024) / 4096, np.round(rng.standard_normal(8) * 4096) / 4096
    drawn = Forecaster(5, 12, 3, 10, 2, 8).double()
    with torch.no_grad():
        draw(drawn, rng)
    rounded(drawn)
    yield "sizes", series, setting, tau, W, b, drawn


def main():
    warnings.filterwarnings("ignore")
    versions = dict(torch=torch, sktime=sktime, numpy=np) | {"scikit-learn": sklearn}
    arrays = {"made_by": np.array(", ".join(f"{name} {module.__version__}" for name, module in versions.items()))}
    for name, series, setting, tau, W, b, model in cases():
        model.train()  # as it is written down, without the fused path of eval(); nothing is dropped
        steps = steps_of(series, *setting.values(), tau, W, b, model)
        print(name, "mase", steps["mase"].round(3), "omega", model.time2vec.omega.detach().numpy().round(3))
        inputs = dict(series=series, **{key: np.array(value) for key, value in setting.items()}, tau=tau,
                      **{"linear.weight": W, "linear.bias": b, "heads": np.array(model.blocks[0].self_attn.num_heads)},
                      **weights_of(model))
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value)
            assert key in steps or np.array_equal(array, value), key
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
