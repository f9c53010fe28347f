"""Makes golden.npz: sets, weights and every step of finding the element that does not belong, by real PyTorch.

    pip install numpy torch
    python lessons/09-set-anomaly/make_golden.py

Keys are "<case>/<step>", weights under the tutorial's names. The model is a torch.nn.Linear, blocks of
torch.nn.TransformerEncoderLayer without positions, and a torch.nn.Linear with one number for each element. The first model is
trained here, on sets of noisy points of five classes, so that it finds the odd one; the second is left as it was drawn. The
scores of the permuted sets are the model's own, from the permuted features. Weights and features are rounded so that a float
holds them exactly, and all steps are computed in double. The attention's rows are stored in the tutorial's order: each head's
query, key and value side by side.
"""

import math
import pathlib

import numpy as np
import torch
from torch import nn


class Anomaly(nn.Module):
    def __init__(self, d_in, d_model, heads, d_ff, layers):
        super().__init__()
        self.input_net = nn.Linear(d_in, d_model)
        # A block of its own for each one's own weights: torch's stack begins with equal copies.
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(d_model, heads, d_ff, dropout=0.0, batch_first=True)
                                    for _ in range(layers))
        self.output_net = nn.Linear(d_model, 1)

    def encoded(self, x):
        h = self.input_net(x)
        for block in self.blocks:
            h = block(h)
        return h

    def scores(self, x):
        return self.output_net(self.encoded(x)).squeeze(-1)


class Points:
    """Images of a poor man: a class is a place, an image a point near it."""

    def __init__(self, rng, classes, d_in, spread):
        self.rng, self.places, self.spread = rng, rng.standard_normal((classes, d_in)), spread

    def sets(self, count, T):
        """Features, the elements' classes, and the odd one's place, which is random."""
        classes = np.empty((count, T), dtype=int)
        labels = self.rng.integers(T, size=count)
        for row, label in zip(classes, labels):
            many, one = self.rng.choice(len(self.places), 2, replace=False)
            row[:], row[label] = many, one
        x = self.places[classes] + self.spread * self.rng.standard_normal((count, T, self.places.shape[1]))
        return torch.from_numpy(np.round(x * 1024) / 1024), torch.from_numpy(classes), torch.from_numpy(labels)


def train(model, points, T):
    optimiser = torch.optim.Adam(model.parameters(), lr=0.003)
    for step in range(600):
        x, _, labels = points.sets(64, T)
        loss = nn.functional.cross_entropy(model.scores(x), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"loss after {step + 1} steps: {loss.item():.4f}")


def draw(model, rng):
    for name, p in model.named_parameters():
        scale = 1.5 / math.sqrt(p.shape[-1]) if p.dim() == 2 else 0.4
        p.copy_(torch.from_numpy(rng.standard_normal(tuple(p.shape)) * scale) + float("norm" in name and "weight" in name))


def weights_of(model):
    """By the tutorial's names."""
    weights = {"input_net.1.weight": model.input_net.weight, "input_net.1.bias": model.input_net.bias,
               "output_net.weight": model.output_net.weight, "output_net.bias": model.output_net.bias}
    for i, block in enumerate(model.blocks):
        attention = block.self_attn
        by_head = torch.arange(3 * attention.embed_dim).reshape(3, attention.num_heads, -1).permute(1, 0, 2).flatten()
        path = f"transformer.layers.{i}."
        weights |= {path + "self_attn.qkv_proj.weight": attention.in_proj_weight[by_head],
                    path + "self_attn.qkv_proj.bias": attention.in_proj_bias[by_head],
                    path + "self_attn.o_proj.weight": attention.out_proj.weight,
                    path + "self_attn.o_proj.bias": attention.out_proj.bias}
        parts = {"linear_net.0": block.linear1, "linear_net.3": block.linear2, "norm1": block.norm1,
                 "norm2": block.norm2}
        for name, part in parts.items():
            weights[f"{path}{name}.weight"], weights[f"{path}{name}.bias"] = part.weight, part.bias
    return weights


def steps_of(model, x, labels, order):
    encoded = model.encoded(x)
    scores = model.scores(x)
    losses = nn.functional.cross_entropy(scores, labels, reduction="none")
    moved = (torch.tensor(order) == labels[:, None]).int().argmax(dim=1)
    permuted = model.scores(x[:, order])
    torch.testing.assert_close(permuted, scores[:, order], rtol=1e-12, atol=1e-12)
    best = scores.topk(2, dim=1).values
    assert float((best[:, 0] - best[:, 1]).min()) > 1e-3, "too close for floats"
    return {"labels": labels, "encoded": encoded, "logits": model.output_net(encoded), "scores": scores,
            "probabilities": torch.softmax(scores, dim=1), "losses": losses, "loss": losses.mean()[None],
            "found": scores.argmax(dim=1), "permuted/x": x[:, order], "permuted/labels": moved,
            "permuted/scores": permuted}


def main():
    torch.manual_seed(9)
    rng = np.random.default_rng(9)
    points = Points(rng, 5, 6, 0.5)
    trained = Anomaly(6, 8, 2, 12, 1).double()
    train(trained, points, 5)
    points.spread = 0.9  # harder than what it has learned from
    drawn = Anomaly(7, 12, 3, 10, 2).double()
    with torch.no_grad():
        draw(drawn, rng)
        for model in (trained, drawn):
            for p in model.parameters():
                p.copy_(torch.round(p * 4096) / 4096)
    cases = {"example": (trained, points.sets(3, 5), [2, 0, 3, 4, 1]),
             "sizes": (drawn, Points(rng, 20, 7, 0.8).sets(4, 6), [4, 2, 5, 0, 3, 1]),
             "large": (trained, points.sets(2, 10), [9, 3, 1, 0, 7, 2, 8, 6, 5, 4])}
    arrays = {"made_by": np.array(f"torch {torch.__version__}, numpy {np.__version__}")}
    for name, (model, (x, classes, labels), order) in cases.items():
        model.train()  # as it is written down, without the fused path of eval(); nothing is dropped
        with torch.no_grad():
            steps = steps_of(model, x, labels, order)
        print(name, "anomalies", labels.tolist(), "found", steps["found"].tolist(), "classes", classes.tolist())
        inputs = dict(x=x, classes=classes, order=torch.tensor(order),
                      heads=torch.tensor(model.blocks[0].self_attn.num_heads), **weights_of(model))
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value.detach().numpy())
            assert key in steps or np.array_equal(array, value.detach().numpy()), key
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
