"""A mistake of a mask that leaves a query without keys is named with any number that is filled in."""
import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

import glassbox  # noqa: E402


class Attention(nn.Module):
    def __init__(self, diagonal, is_joined=False):
        super().__init__()
        self.num_heads, self.diagonal, self.is_joined = 3, diagonal, is_joined
        if is_joined:
            self.c_attn = nn.Linear(12, 36)
        else:
            self.q_proj, self.k_proj, self.v_proj = (nn.Linear(12, 12) for _ in range(3))
        self.o_proj = nn.Linear(12, 12)

    def forward(self, x):
        each = self.c_attn(x).chunk(3, -1) if self.is_joined else (self.q_proj(x), self.k_proj(x), self.v_proj(x))
        q, k, v = (part.unflatten(-1, (3, 4)).transpose(1, 2) for part in each)
        later = torch.ones(x.size(1), x.size(1)).triu(self.diagonal).bool()
        weights = (q @ k.transpose(-1, -2) / 2).masked_fill(later, -1e9).softmax(-1)
        return self.o_proj((weights @ v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, diagonal):
        super().__init__()
        self.num_heads, self.self_attn = 3, Attention(diagonal)
        self.linear1, self.linear2 = nn.Linear(12, 20), nn.Linear(20, 12)
        self.norm1, self.norm2 = nn.LayerNorm(12), nn.LayerNorm(12)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x))
        return self.norm2(x + self.linear2(self.linear1(x).relu()))


@pytest.mark.parametrize("layer, kind", [("multihead", Attention), ("multihead", lambda diagonal: Attention(diagonal, True)),
                                         ("encoder-block", Block)])
def test_a_position_that_does_not_see_itself(layer, kind):
    torch.manual_seed(0)
    assert glassbox.check(layer, kind(1), mask="causal", quiet=True)
    assert glassbox.check(layer, kind(0), mask="causal", quiet=True).mistakes == ["masked/not-itself"]
