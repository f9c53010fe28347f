"""Makes golden.npz: batches of the reversal task, what models say to them, and one training step, by real PyTorch.

    pip install numpy torch
    python lessons/07-sequence-reversal/make_golden.py

Keys are "<case>/<step>", weights under the tutorial's names. The predictor is lesson 05's, written anew from its description:
a linear layer, the positional encoding, torch.nn.TransformerEncoderLayer, Linear, LayerNorm, ReLU, Linear. It is trained on
the spot, in double, with torch.optim.Adam: "halfway" is what it says before it is through, "trained" what it says at the
end. Weights are rounded to floats before anything is computed from them, and the attention's rows are stored in the
tutorial's order: each head's query, key and value side by side.
"""

import math
import pathlib

import numpy as np
import torch
from torch import nn


def positional_encoding(T, d_model):
    angle = torch.arange(T).double()[:, None] * torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    return torch.stack([torch.sin(angle), torch.cos(angle)], dim=-1).flatten(1)


class Predictor(nn.Module):
    def __init__(self, C, d_model, d_ff):
        super().__init__()
        self.input_net = nn.Sequential(nn.Dropout(0.0), nn.Linear(C, d_model))
        self.block = nn.TransformerEncoderLayer(d_model, 1, d_ff, dropout=0.0, batch_first=True)
        self.output_net = nn.Sequential(nn.Linear(d_model, d_model), nn.LayerNorm(d_model), nn.ReLU(), nn.Dropout(0.0),
                                        nn.Linear(d_model, C))

    def placed(self, x):
        h = self.input_net(x)
        return h + positional_encoding(*h.shape[-2:])

    def forward(self, x):
        return self.output_net(self.block(self.placed(x)))

    def attention(self, x):
        h = self.placed(x)
        return self.block.self_attn(h, h, h, need_weights=True)[1]


def batch(numbers, C):
    return nn.functional.one_hot(numbers, C).double(), torch.flip(numbers, (1,))


def loss_of(logits, labels, **options):
    return nn.functional.cross_entropy(logits.transpose(1, 2), labels, **options)


def train(model, rng, C, T, steps):
    optimiser = torch.optim.Adam(model.parameters(), lr=0.004)
    for _ in range(steps):
        x, labels = batch(torch.from_numpy(rng.integers(C, size=(64, T))), C)
        loss = loss_of(model(x), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print("loss", loss.item(), "accuracy", (model(x).argmax(-1) == labels).double().mean().item())


@torch.no_grad()
def round_weights(model):
    for p in model.parameters():
        p.copy_(p.float().double())


def steps_of(model, numbers, C, rate):
    x, labels = batch(numbers, C)
    model.zero_grad()
    logits = model(x)
    loss = loss_of(logits, labels)
    loss.backward()
    last = model.output_net[4]
    with torch.no_grad():
        before = last.bias.clone()
        gradient = last.bias.grad.clone()
        last.bias -= rate * gradient
        after = loss_of(model(x), labels)
        last.bias.copy_(before)
        # NumPy takes the first of equal ones; what differs by less than rounding is equal.
        answers = torch.from_numpy(np.argmax(np.round(logits.numpy(), 9), axis=-1))
        maps = model.attention(x)
        mirrored = torch.stack([torch.diagonal(torch.flip(m, (1,))).mean() for m in maps]).mean()
        return {"x": x, "labels": labels, "logits": logits, "losses": loss_of(logits, labels, reduction="none"),
                "loss": loss[None], "gradient": gradient, "loss_after": after[None], "answers": answers,
                "accuracy": (answers == labels).double().mean()[None], "mirrored": mirrored[None]}


def weights_of(model):
    """By the tutorial's names."""
    path, block = "transformer.layers.0.", model.block
    weights = {path + "self_attn.qkv_proj.weight": block.self_attn.in_proj_weight,  # of one head: the same order
               path + "self_attn.qkv_proj.bias": block.self_attn.in_proj_bias,
               path + "self_attn.o_proj.weight": block.self_attn.out_proj.weight,
               path + "self_attn.o_proj.bias": block.self_attn.out_proj.bias}
    parts = {"linear_net.0": block.linear1, "linear_net.3": block.linear2, "norm1": block.norm1, "norm2": block.norm2}
    for name, part in parts.items():
        weights[f"{path}{name}.weight"], weights[f"{path}{name}.bias"] = part.weight, part.bias
    return weights | {k: v for k, v in model.state_dict().items() if not k.startswith("block.")}


@torch.no_grad()
def tie(model, first, second):
    """Makes two numbers equally likely, whatever the model is asked: by one product each, so that they are equal to the last
    bit in any order of adding, on any processor. Of this training hidden number 2 is large where 2 or 5 is right."""
    last, both = model.output_net[4], [first, second]
    last.weight[both] = 0
    last.weight[both, 2] = 6
    last.bias[both] = -4


def cases():
    """Name, model, numbers, C, rate."""
    rng = np.random.default_rng(7)
    torch.manual_seed(7)
    C, T = 7, 6
    model = Predictor(C, 12, 20).double()
    train(model, rng, C, T, 130)
    round_weights(model)
    # No sequence of this batch has the largest number, 6.
    yield "halfway", model, torch.from_numpy(rng.integers(C - 1, size=(4, T))), C, 0.5
    train(model, rng, C, T, 300)
    round_weights(model)
    yield "trained", model, torch.from_numpy(rng.integers(C, size=(5, T))), C, 2.0
    tie(model, 2, 5)
    numbers = torch.from_numpy(rng.integers(C, size=(3, T)))
    numbers[0, :3] = torch.tensor([2, 5, 2])
    yield "ties", model, numbers, C, 1.0


def main():
    arrays = {"made_by": np.array(f"torch {torch.__version__}, numpy {np.__version__}")}
    for name, model, numbers, C, rate in cases():
        steps = steps_of(model, numbers, C, rate)
        print(name, *(f"{key} {steps[key].item():.4f}" for key in ("loss", "loss_after", "accuracy", "mirrored")))
        inputs = dict(numbers=numbers, heads=torch.tensor(1), rate=torch.tensor(rate), **weights_of(model))
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value.detach().numpy())
            assert key in steps or np.array_equal(array, value.detach().numpy()), key
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
