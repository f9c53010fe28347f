"""Makes golden.npz: a padded batch, weights and every step of three aggregations, by real PyTorch.

    pip install numpy torch
    python lessons/08-whole-sequence/make_golden.py

Keys are "<case>/<step>", weights under the tutorial's names. The encoder is one torch.nn.TransformerEncoderLayer, which is
told of the padding (src_key_padding_mask); the output network is one torch.nn.Linear. The attention's rows are stored in the
tutorial's order: each head's query, key and value side by side. All in double, from numbers that a float holds exactly.
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


class WholeSequence(nn.Module):
    def __init__(self, d_model, heads, d_ff, classes):
        super().__init__()
        self.block = nn.TransformerEncoderLayer(d_model, heads, d_ff, dropout=0.0, batch_first=True)
        self.output_net = nn.Linear(d_model, classes)
        self.cls_token = nn.Parameter(torch.zeros(d_model))

    def encoded(self, h, real):
        return self.block(h + positional_encoding(*h.shape[-2:]), src_key_padding_mask=~real)

    def forward(self, x, lengths):  # (B, T, d_model), (B)
        real = torch.arange(x.shape[1]) < lengths[:, None]  # (B, T)
        encoded = self.encoded(x, real)
        mean = (encoded * real[..., None]).sum(dim=1) / lengths[:, None]
        largest = encoded.masked_fill(~real[..., None], -math.inf).amax(dim=1)
        with_cls = torch.cat([self.cls_token.expand(len(x), 1, -1), x], dim=1)
        real_with_cls = nn.functional.pad(real, (1, 0), value=True)
        encoded_with_cls = self.encoded(with_cls, real_with_cls)
        return {"real": real, "encoder/0/norm2": encoded, "mean/pooled": mean, "mean/logits": self.output_net(mean),
                "max/pooled": largest, "max/logits": self.output_net(largest), "cls/cls": with_cls,
                "cls/real": real_with_cls, "cls/encoder/0/norm2": encoded_with_cls,
                "cls/pooled": encoded_with_cls[:, 0], "cls/logits": self.output_net(encoded_with_cls[:, 0])}


def set_weights(model, rng):
    for name, p in model.named_parameters():
        if "norm" in name:
            p.copy_(normal(rng, 0.3, *p.shape) + (1 if name.endswith("weight") else 0))
        else:
            p.copy_(normal(rng, 1.5 / math.sqrt(p.shape[-1]) if p.dim() == 2 else 0.5, *p.shape))
    model.block.norm2.bias[1::3] -= 4  # columns in which all numbers are negative: their largest is, too


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
    """Name, lengths, T, d_model, heads, d_ff, classes."""
    yield "example", [4, 4], 4, 6, 2, 12, 5
    yield "padding", [3, 5, 2], 5, 8, 2, 11, 3
    yield "sizes", [3, 6, 1, 5], 7, 12, 3, 10, 4


@torch.no_grad()
def main():
    rng = np.random.default_rng(8)
    arrays = {"made_by": np.array(f"torch {torch.__version__}, numpy {np.__version__}")}
    for name, lengths, T, d_model, heads, d_ff, classes in cases():
        model = WholeSequence(d_model, heads, d_ff, classes).double()
        model.train()  # as it is written down, without the fused path of eval(); nothing is dropped
        set_weights(model, rng)
        x = normal(rng, 1.0, len(lengths), T, d_model)
        padding = normal(rng, 1.0, d_model)  # the input network makes the same of every padding
        for row, length in zip(x, lengths):
            row[length:] = padding
        steps = model(x, torch.tensor(lengths))
        assert float(steps["max/pooled"][:, 1].max()) < 0, "a column of negative numbers"
        inputs = dict(x=x, lengths=torch.tensor(lengths), heads=torch.tensor(heads), **weights_of(model))
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value.numpy())
            assert key in steps or np.array_equal(array, value.numpy()), key
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
