"""Makes golden.npz: inputs, weights and every step of multi-head self-attention, by real PyTorch.

    pip install numpy torch
    python lessons/02-multi-head-attention/make_golden.py

Keys are "<case>/<step>", weights under PyTorch's names. The module is the tutorial's, written anew from its description:
one linear layer gives every head its query, key and value, side by side. torch.nn.MultiheadAttention, whose order of
the weights is another, computes the same output from the same weights; both must agree to 1e-12. All in double,
from inputs that a float holds exactly.
"""

import math
import pathlib

import numpy as np
import torch
from torch import nn

FILL = -9e15


class MultiheadAttention(nn.Module):
    def __init__(self, width, d_model, heads):
        super().__init__()
        self.heads = heads
        self.qkv_proj = nn.Linear(width, 3 * d_model)
        self.o_proj = nn.Linear(d_model, d_model)

    def forward(self, x, mask):  # x (B, T, width), mask (B, T, T); gives all steps by name
        batch, T, _ = x.shape
        qkv = self.qkv_proj(x)
        by_head = qkv.reshape(batch, T, self.heads, -1).permute(0, 2, 1, 3)  # (B, h, T, 3 d_h)
        Q, K, V = by_head.chunk(3, dim=-1)
        logits = Q @ K.transpose(-2, -1)
        scaled = logits / math.sqrt(Q.shape[-1])
        masked = scaled.masked_fill(mask[:, None] == 0, FILL)
        attention = torch.softmax(masked, dim=-1)
        values = attention @ V
        concat = values.permute(0, 2, 1, 3).reshape(batch, T, -1)
        return dict(qkv=qkv, Q=Q, K=K, V=V, logits=logits, scaled=scaled, masked=masked, attention=attention,
                    values=values, concat=concat, output=self.o_proj(concat))


def peer_output(module, x, mask):
    """torch.nn.MultiheadAttention on the same weights. Its projections are all Q, then all K, then all V, and from d_model
    to d_model: ours are put into that order and done before."""
    d_model, heads = module.o_proj.in_features, module.heads
    rows = torch.arange(3 * d_model).reshape(heads, 3, -1).permute(1, 0, 2).reshape(3, d_model)
    weight, bias = module.qkv_proj.weight, module.qkv_proj.bias
    q, k, v = (nn.functional.linear(x, weight[r], bias[r]) for r in rows)
    peer = nn.MultiheadAttention(d_model, heads, batch_first=True).double()
    peer.in_proj_weight.copy_(torch.eye(d_model).repeat(3, 1))
    peer.in_proj_bias.zero_()
    peer.out_proj.load_state_dict(module.o_proj.state_dict())
    return peer(q, k, v, attn_mask=(mask == 0).repeat_interleave(heads, dim=0))[0]


def normal(rng, scale, *shape):
    """Normal numbers rounded to 1/1024: floats hold them exactly."""
    return torch.from_numpy(np.round(rng.standard_normal(shape) * scale * 1024) / 1024)


def module_of(rng, width, d_model, heads):
    module = MultiheadAttention(width, d_model, heads).double()
    with torch.no_grad():
        for layer in (module.qkv_proj, module.o_proj):
            layer.weight.copy_(normal(rng, 1.5 / math.sqrt(layer.in_features), *layer.weight.shape))
            layer.bias.copy_(normal(rng, 0.5, *layer.bias.shape))
    return module


def cases(rng):
    """Name, batch (0: no batch axis), T, width, d_model, heads, mask (B or 1, T, T)."""
    nothing = lambda T: np.ones((1, T, T))
    yield "example", 0, 4, 6, 6, 2, nothing(4)
    yield "sizes", 0, 5, 7, 12, 3, nothing(5)
    yield "causal", 0, 4, 9, 9, 3, np.tril(nothing(4))
    lengths = np.array([5, 3])
    yield "padding", 2, 5, 6, 12, 4, np.broadcast_to((np.arange(5) < lengths[:, None])[:, None, :], (2, 5, 5)) * 1.0


def main():
    rng = np.random.default_rng(2)
    arrays = {"made_by": np.array(f"torch {torch.__version__}, numpy {np.__version__}")}
    for name, batch, T, width, d_model, heads, mask in cases(rng):
        module = module_of(rng, width, d_model, heads)
        x, mask = normal(rng, 1.0, max(batch, 1), T, width), torch.from_numpy(np.array(mask))
        with torch.no_grad():
            steps = module(x, mask)
            peer = peer_output(module, x, mask)
        torch.testing.assert_close(steps["output"], peer, rtol=1e-12, atol=1e-12)
        inputs = dict(x=x, mask=mask, heads=torch.tensor(heads), **module.state_dict())
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value.numpy())
            if batch == 0 and (key in steps or key in ("x", "mask")):
                array = array[0]
            if key not in steps:
                assert np.array_equal(array, value.numpy().reshape(array.shape)), key
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
