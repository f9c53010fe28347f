"""Makes golden.npz: inputs, weights and every step of an encoder block, by real PyTorch.

    pip install numpy torch
    python lessons/04-encoder-block/make_golden.py

Keys are "<case>/<step>", weights under PyTorch's names. The block is the tutorial's, written anew from its description,
without dropout; torch.nn.TransformerEncoderLayer, whose attention keeps its weights in another order, computes the same
output from them; both must agree to 1e-12. All in double, from inputs that a float holds exactly.
"""

import math
import pathlib

import numpy as np
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.o_proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        batch, T, d_model = x.shape
        Q, K, V = self.qkv_proj(x).reshape(batch, T, self.heads, -1).permute(0, 2, 1, 3).chunk(3, dim=-1)
        attention = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]), dim=-1)
        return self.o_proj((attention @ V).permute(0, 2, 1, 3).reshape(batch, T, d_model))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, heads)
        self.linear_net = nn.Sequential(nn.Linear(d_model, d_ff), nn.Dropout(0), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x):  # (B, T, d_model); gives all steps by name
        steps = {"self_attn/output": self.self_attn(x)}
        steps["residual1"] = x + steps["self_attn/output"]
        steps["norm1"] = self.norm1(steps["residual1"])
        steps["mlp/hidden"] = self.linear_net[0](steps["norm1"])
        steps["mlp/relu"] = self.linear_net[2](steps["mlp/hidden"])
        steps["mlp/output"] = self.linear_net[3](steps["mlp/relu"])
        steps["residual2"] = steps["norm1"] + steps["mlp/output"]
        steps["norm2"] = self.norm2(steps["residual2"])
        return steps


def peer_of(block):
    """torch.nn.TransformerEncoderLayer with the same weights: its attention's rows are all Q, then all K, then all V."""
    attention, (first, _, _, second) = block.self_attn, block.linear_net
    d_model, heads = first.in_features, attention.heads
    peer = nn.TransformerEncoderLayer(d_model, heads, first.out_features, dropout=0, batch_first=True).double()
    rows = torch.arange(3 * d_model).reshape(heads, 3, -1).permute(1, 0, 2).flatten()
    peer.self_attn.in_proj_weight.copy_(attention.qkv_proj.weight[rows])
    peer.self_attn.in_proj_bias.copy_(attention.qkv_proj.bias[rows])
    for ours, theirs in [(attention.o_proj, peer.self_attn.out_proj), (first, peer.linear1), (second, peer.linear2),
                         (block.norm1, peer.norm1), (block.norm2, peer.norm2)]:
        theirs.load_state_dict(ours.state_dict())
    return peer


def normal(rng, *shape):
    return torch.from_numpy(rng.standard_normal(shape))


def exact(x):
    """Rounded to 12 bits after the point: floats hold it exactly."""
    return torch.round(x * 4096) / 4096


def block_of(rng, d_model, heads, d_ff, size):
    """Scaled so that no step is negligible; γ and β are not 1 and 0, and not the same in both norms."""
    block = EncoderBlock(d_model, heads, d_ff).double()
    for name, parameter in block.named_parameters():
        value = normal(rng, *parameter.shape)
        if name.endswith("norm1.weight") or name.endswith("norm2.weight"):
            value = 1 + 0.4 * value
        elif name.startswith("self_attn") and name.endswith("bias"):
            value = 0.5 * size * value
        else:
            value = value * (0.5 if parameter.dim() == 1 else 1.2 / math.sqrt(parameter.shape[1]))
        parameter.copy_(exact(value))
    return block


CASES = {  # batch (0: no batch axis), T, d_model, heads, d_ff, size of x
    "example": (0, 4, 6, 2, 8, 1 / 32),  # so small that a mistake with ε shows in the first norm
    "sizes": (0, 5, 12, 3, 7, 1.0),
    "batch": (2, 7, 9, 3, 10, 1.0),
}


@torch.no_grad()
def main():
    rng = np.random.default_rng(5)
    arrays = {"made_by": np.array(f"torch {torch.__version__}, numpy {np.__version__}")}
    for name, (batch, T, d_model, heads, d_ff, size) in CASES.items():
        block = block_of(rng, d_model, heads, d_ff, size)
        x = exact(size * normal(rng, max(batch, 1), T, d_model))
        steps = block(x)
        torch.testing.assert_close(steps["norm2"], peer_of(block)(x), rtol=1e-12, atol=1e-12)
        inputs = dict(x=x, heads=torch.tensor(heads), epsilon=torch.tensor(block.norm1.eps), **block.state_dict())
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value.numpy())
            assert key in steps or key == "epsilon" or np.array_equal(array, value.numpy()), key
            arrays[f"{name}/{key}"] = array[0] if batch == 0 and (key in steps or key == "x") else array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
