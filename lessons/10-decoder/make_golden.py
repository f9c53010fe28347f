"""Makes golden.npz: inputs, weights and every step of a decoder block, by real PyTorch.

    pip install numpy torch
    python lessons/10-decoder/make_golden.py

Keys are "<case>/<step>". Every step is computed by a part of torch.nn.TransformerDecoderLayer (its attentions, norms and
linear layers), and the last must be what the layer itself gives, to 1e-12. Weights have the tutorial's names and order:
each head's query, key and value side by side, where PyTorch keeps all queries, all keys, all values. All in double, from
numbers that a float holds exactly.
"""

import math
import pathlib

import numpy as np
import torch
from torch import nn


def normal(rng, scale, *shape):
    """Normal numbers rounded to 1/1024: floats hold them exactly."""
    return torch.from_numpy(np.round(rng.standard_normal(shape) * scale * 1024) / 1024)


def layer_of(rng, d_model, heads, d_ff):
    layer = nn.TransformerDecoderLayer(d_model, heads, d_ff, dropout=0.0, batch_first=True).double().eval()
    for name, p in layer.named_parameters():
        if "norm" in name:
            p.copy_(normal(rng, 0.3, *p.shape) + (1 if name.endswith("weight") else 0))
        else:
            p.copy_(normal(rng, 1.5 / math.sqrt(p.shape[-1]) if p.dim() == 2 else 0.5, *p.shape))
    return layer


def weights_of(layer):
    """By the tutorial's names."""
    weights = {}
    for ours, attention in (("self_attn", layer.self_attn), ("cross_attn", layer.multihead_attn)):
        d_model, heads = attention.embed_dim, attention.num_heads
        by_head = torch.arange(3 * d_model).reshape(3, heads, -1).permute(1, 0, 2).flatten()
        weights[f"{ours}.qkv_proj.weight"] = attention.in_proj_weight[by_head]
        weights[f"{ours}.qkv_proj.bias"] = attention.in_proj_bias[by_head]
        weights[f"{ours}.o_proj.weight"] = attention.out_proj.weight
        weights[f"{ours}.o_proj.bias"] = attention.out_proj.bias
    parts = {"linear_net.0": layer.linear1, "linear_net.3": layer.linear2, "norm1": layer.norm1, "norm2": layer.norm2,
             "norm3": layer.norm3}
    for ours, part in parts.items():
        weights[f"{ours}.weight"], weights[f"{ours}.bias"] = part.weight, part.bias
    return weights


def steps_of(layer, x, memory, memory_mask):
    mask = torch.tril(torch.ones(len(x), len(x), dtype=torch.float64))
    self_attn = layer.self_attn(x, x, x, attn_mask=mask == 0)[0]
    residual1 = x + self_attn
    norm1 = layer.norm1(residual1)
    cross_attn = layer.multihead_attn(norm1, memory, memory, attn_mask=memory_mask == 0)[0]
    residual2 = norm1 + cross_attn
    norm2 = layer.norm2(residual2)
    mlp = layer.linear2(torch.relu(layer.linear1(norm2)))
    residual3 = norm2 + mlp
    return {"mask": mask, "self_attn/output": self_attn, "residual1": residual1, "norm1": norm1,
            "cross_attn/output": cross_attn, "residual2": residual2, "norm2": norm2, "mlp/output": mlp,
            "residual3": residual3, "norm3": layer.norm3(residual3)}


def cases():
    """Name, T, S, how many of the S are real, d_model, heads, d_ff."""
    yield "example", 4, 4, 4, 6, 2, 8
    yield "sizes", 5, 7, 7, 12, 3, 10
    yield "padding", 3, 5, 2, 6, 3, 9


@torch.no_grad()
def main():
    rng = np.random.default_rng(10)
    arrays = {"made_by": np.array(f"torch {torch.__version__}, numpy {np.__version__}")}
    for name, T, S, real, d_model, heads, d_ff in cases():
        layer = layer_of(rng, d_model, heads, d_ff)
        x, memory = normal(rng, 1.0, T, d_model), normal(rng, 1.0, S, d_model)
        memory_mask = (torch.arange(S) < real).double().expand(T, S)
        steps = steps_of(layer, x, memory, memory_mask)
        whole = layer(x[None], memory[None], tgt_mask=steps["mask"] == 0,
                      memory_key_padding_mask=memory_mask[:1] == 0)[0]
        torch.testing.assert_close(steps["norm3"], whole, rtol=1e-12, atol=1e-12)
        inputs = dict(x=x, memory=memory, memory_mask=memory_mask, heads=torch.tensor(heads), **weights_of(layer))
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value.numpy())
            assert key in steps or np.array_equal(array, value.numpy()), key
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
