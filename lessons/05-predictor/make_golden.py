"""Makes golden.npz: inputs, weights and every step of the predictor, by real PyTorch.

    pip install numpy torch
    python lessons/05-predictor/make_golden.py

Keys are "<case>/<step>", weights under the tutorial's names. The predictor is the tutorial's, written anew from its
description: a linear layer, the positional encoding, torch.nn.TransformerEncoderLayer, and an output network of Linear,
LayerNorm, ReLU, Linear. For the sequence as a whole it is read in two ways: the mean of all positions, and the position of
a [CLS] token in front. The attention's rows are stored in the tutorial's order: each head's query, key and value side by
side. All in double, from numbers that a float holds exactly.
"""

import math
import pathlib

import numpy as np
import torch
from torch import nn


def normal(rng, scale, *shape):
    """Normal numbers rounded to 1/1024: floats hold them exactly."""
    return torch.from_numpy(np.round(rng.standard_normal(shape) * scale * 1024) / 1024)


def positional_encoding(T, d_model):
    angle = torch.arange(T).double()[:, None] * torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    return torch.stack([torch.sin(angle), torch.cos(angle)], dim=-1).flatten(1)


class Predictor(nn.Module):
    def __init__(self, d_in, d_model, heads, d_ff, classes):
        super().__init__()
        self.input_net = nn.Sequential(nn.Dropout(0.0), nn.Linear(d_in, d_model))
        self.block = nn.TransformerEncoderLayer(d_model, heads, d_ff, dropout=0.0, batch_first=True)
        self.output_net = nn.Sequential(nn.Linear(d_model, d_model), nn.LayerNorm(d_model), nn.ReLU(), nn.Dropout(0.0),
                                        nn.Linear(d_model, classes))
        self.cls_token = nn.Parameter(torch.zeros(d_model))

    def encoded(self, h):  # with positions, through the block; both steps
        placed = h + positional_encoding(*h.shape)
        return placed, self.block(placed[None])[0]

    def forward(self, ids):
        x = nn.functional.one_hot(ids, self.input_net[1].in_features).double()
        h = self.input_net(x)
        placed, encoded = self.encoded(h)
        steps = {"x": x, "input_net": h, "positional/output": placed, "encoder/0/norm2": encoded}
        linear, norm, activation, dropout, last = self.output_net
        steps["output_net/linear"] = linear(encoded)
        steps["output_net/norm"] = norm(steps["output_net/linear"])
        steps["output_net/relu"] = activation(steps["output_net/norm"])
        steps["logits"] = last(dropout(steps["output_net/relu"]))
        torch.testing.assert_close(steps["logits"], self.output_net(encoded), rtol=1e-12, atol=1e-12)
        steps["softmax"] = torch.softmax(steps["logits"], dim=-1)
        steps["mean/pooled"] = encoded.mean(dim=0, keepdim=True)
        steps["mean/logits"] = self.output_net(steps["mean/pooled"])
        with_cls = torch.cat([self.cls_token[None], h])
        placed, encoded = self.encoded(with_cls)
        steps |= {"cls/cls": with_cls, "cls/positional/output": placed, "cls/encoder/0/norm2": encoded,
                  "cls/pooled": encoded[:1]}
        steps["cls/logits"] = self.output_net(encoded[:1])
        return steps


def set_weights(model, rng):
    for name, p in model.named_parameters():
        if "norm" in name or name.startswith("output_net.1"):
            p.copy_(normal(rng, 0.3, *p.shape) + (1 if name.endswith("weight") else 0))
        else:
            p.copy_(normal(rng, 1.5 / math.sqrt(p.shape[-1]) if p.dim() == 2 else 0.5, *p.shape))


def weights_of(model):
    """By the tutorial's names."""
    block = model.block
    d_model, heads = block.self_attn.embed_dim, block.self_attn.num_heads
    by_head = torch.arange(3 * d_model).reshape(3, heads, -1).permute(1, 0, 2).flatten()
    path = "transformer.layers.0."
    weights = {path + "self_attn.qkv_proj.weight": block.self_attn.in_proj_weight[by_head],
               path + "self_attn.qkv_proj.bias": block.self_attn.in_proj_bias[by_head],
               path + "self_attn.o_proj.weight": block.self_attn.out_proj.weight,
               path + "self_attn.o_proj.bias": block.self_attn.out_proj.bias}
    parts = {"linear_net.0": block.linear1, "linear_net.3": block.linear2, "norm1": block.norm1, "norm2": block.norm2}
    for name, part in parts.items():
        weights[f"{path}{name}.weight"], weights[f"{path}{name}.bias"] = part.weight, part.bias
    return weights | {k: v for k, v in model.state_dict().items() if not k.startswith("block.")}


def cases():
    """Name, ids, d_in, d_model, heads, d_ff, classes."""
    yield "example", [3, 1, 4, 1, 5], 10, 6, 2, 12, 10
    yield "sizes", [6, 0, 5], 7, 8, 4, 11, 5
    yield "long", [0, 4, 2, 3, 3, 1, 0, 4, 4], 5, 12, 3, 16, 7


@torch.no_grad()
def main():
    rng = np.random.default_rng(5)
    arrays = {"made_by": np.array(f"torch {torch.__version__}, numpy {np.__version__}")}
    for name, ids, d_in, d_model, heads, d_ff, classes in cases():
        model = Predictor(d_in, d_model, heads, d_ff, classes).double()
        model.train()  # as it is written down, without the fused path of eval(); nothing is dropped
        set_weights(model, rng)
        steps = model(torch.tensor(ids))
        inputs = dict(ids=torch.tensor(ids), heads=torch.tensor(heads), **weights_of(model))
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value.numpy())
            assert key in steps or np.array_equal(array, value.numpy()), key
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
