"""Weights and an input from Flax, as files that tracer reads (docs/weights.md).

    python3 docs/weights_from_flax.py         (needs flax and numpy; writes model.safetensors and input.npz)
    ./dev tracer encoder-block --convention uva-jax --heads 2 --weights model.safetensors --input input.npz
"""
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))  # in a checkout; else that of the wheel

from glassbox.safetensors import write_safetensors
from glassbox.weights import of_flax as weights_of


def example():
    import jax
    import jax.numpy as jnp
    from flax import linen as nn

    class Attention(nn.Module):  # as the tutorial has it: [q‖k‖v] of head 1, of head 2, …
        d_model: int
        heads: int

        def setup(self):
            self.qkv_proj, self.o_proj = nn.Dense(3 * self.d_model), nn.Dense(self.d_model)

        def __call__(self, x):
            batch, length, _ = x.shape
            qkv = self.qkv_proj(x).reshape(batch, length, self.heads, -1).transpose(0, 2, 1, 3)
            q, k, v = jnp.split(qkv, 3, axis=-1)
            attention = nn.softmax(q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1]))
            return self.o_proj((attention @ v).transpose(0, 2, 1, 3).reshape(batch, length, -1))

    class EncoderBlock(nn.Module):
        def setup(self):
            self.self_attn = Attention(8, 2)
            self.linear = [nn.Dense(16), nn.Dropout(0.0), nn.relu, nn.Dense(8)]  # linear_0 and linear_3 have weights
            self.norm1, self.norm2 = nn.LayerNorm(), nn.LayerNorm()

        def __call__(self, x):
            x = self.norm1(x + self.self_attn(x))
            return self.norm2(x + self.linear[3](self.linear[2](self.linear[0](x))))

    block, x = EncoderBlock(), jax.random.normal(jax.random.PRNGKey(42), (1, 3, 8))
    return block, block.init(jax.random.PRNGKey(0), x)["params"], x


if __name__ == "__main__":
    model, params, x = example()
    write_safetensors("model.safetensors", weights_of(params))
    np.savez("input.npz", x=np.asarray(x))
    print(model.apply({"params": params}, x))  # what tracer's last step, norm2, shows
