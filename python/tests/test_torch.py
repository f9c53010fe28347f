"""Modules of PyTorch as they are."""
import numpy as np
import pytest

import glassbox

torch = pytest.importorskip("torch")
nn = torch.nn


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def encoder_layer(**words):
    return nn.TransformerEncoderLayer(12, 3, 20, **words)


BUILTIN = [("multihead", lambda: nn.MultiheadAttention(12, 3)),
           ("multihead", lambda: nn.MultiheadAttention(8, 4, batch_first=True, bias=False)),
           ("encoder-block", encoder_layer),
           ("encoder-block", lambda: encoder_layer(norm_first=True, activation="gelu", batch_first=True)),
           ("decoder-block", lambda: nn.TransformerDecoderLayer(12, 3, 20)),
           ("encoder", lambda: nn.TransformerEncoder(encoder_layer(), 2)),
           ("decoder", lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(12, 3, 20), 2))]


@pytest.mark.parametrize("layer, make", BUILTIN, ids=range(len(BUILTIN)))
def test_pytorchs_own_modules_are_right(layer, make):
    result = glassbox.check(layer, make(), quiet=True)
    assert result, result.text


class Attention(nn.Module):
    """With a matrix each for queries, keys and values."""
    def __init__(self, width, heads, divisor=None, names=("W_q", "W_k", "W_v", "W_o"), axis=-1):
        super().__init__()
        self.num_heads, self.divisor, self.names, self.axis = heads, divisor or width // heads, names, axis
        for name in names:
            setattr(self, name, nn.Linear(width, width))

    def forward(self, query, key, value, mask=None):
        batch, length, width = query.shape
        q, k, v = (getattr(self, name)(x).view(batch, -1, self.num_heads, width // self.num_heads).transpose(1, 2)
                   for name, x in zip(self.names, (query, key, value)))
        scores = q @ k.transpose(-2, -1) / self.divisor ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        values = (scores.softmax(self.axis) @ v).transpose(1, 2).reshape(batch, length, width)
        return getattr(self, self.names[3])(values)


@pytest.mark.parametrize("names", [("W_q", "W_k", "W_v", "W_o"), ("q_proj", "k_proj", "v_proj", "out_proj"),
                                   ("query", "key", "value", "dense"), ("to_q", "to_k", "to_v", "to_out")])
def test_own_modules_by_usual_names(names):
    assert glassbox.check("multihead", Attention(12, 3, names=names), quiet=True)
    wrong = glassbox.check("multihead", Attention(12, 3, divisor=12, names=names), quiet=True)
    assert wrong.mistakes == ["scaled/d_model"], wrong.text


def test_what_minus_infinity_would_hide_is_found_without_a_mask():
    result = glassbox.check("multihead", Attention(12, 3, axis=2), quiet=True)
    assert result.mistakes == ["attention/over-queries"] and "every key is seen" in result.text


def test_the_module_itself_is_left_as_it_is():
    module = Attention(12, 3).train()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    glassbox.check("multihead", module, quiet=True)
    assert module.training and all(torch.equal(value, before[name]) for name, value in module.state_dict().items())


def test_dtype_and_device_are_the_modules():
    seen = []

    class Spy(Attention):
        def forward(self, query, key, value, mask=None):
            seen.append((query.dtype, query.device.type))
            return super().forward(query, key, value, mask)

    assert glassbox.check("multihead", Spy(12, 3).double(), quiet=True)
    assert seen[0] == (torch.float64, "cpu")


def test_names_that_say_nothing_are_the_commands_error():
    with pytest.raises(glassbox.Error, match="the module.s parameters are first.weight"):
        glassbox.check("multihead", Attention(12, 3, names=("first", "second", "third", "fourth")))


def test_functions_of_tensors():
    def attention(q, k, v, mask=None):
        scores = torch.matmul(q, k.transpose(-2, -1)) / q.size(-1)
        return (scores if mask is None else scores.masked_fill(~mask, float("-inf"))).softmax(-1) @ v

    assert glassbox.check("attention", attention, quiet=True).mistakes == ["scaled/no-root"]
    assert glassbox.check("attention", attention, dtype=torch.bfloat16, quiet=True).mistakes[0] == "scaled/no-root"
    if hasattr(nn.functional, "scaled_dot_product_attention"):
        right = nn.functional.scaled_dot_product_attention
        assert glassbox.check("attention", lambda q, k, v, mask: right(q, k, v, mask), framework="torch", quiet=True)


def test_a_trace_with_a_modules_weights():
    module, x = encoder_layer(batch_first=True).eval(), torch.randn(2, 5, 12)
    for weights in (module, module.state_dict()):
        steps = glassbox.trace("encoder-block", x=x, weights=weights, heads=3)
        assert np.abs(steps.result - module(x).detach().numpy()).max() < 1e-5


def test_a_module_that_fails_is_told_with_its_own_line():
    class Broken(Attention):
        def forward(self, query, key, value, mask=None):
            return super().forward(query, key, value.repeat(1, 3, 1), mask)

    result = glassbox.check("multihead", Broken(12, 3), quiet=True)
    assert not result and "line" in result.text and "RuntimeError" in result.text, result.text


class Fused(nn.Module):
    """One projection with all queries, then all keys, then all values; its name could also be the tutorial's."""
    def __init__(self, factor=1.0):
        super().__init__()
        self.num_heads, self.factor = 2, factor
        self.qkv_proj, self.o_proj = nn.Linear(12, 36), nn.Linear(12, 12)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv_proj(x).view(batch, length, 3, 2, 6).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1) / 6**0.5 * self.factor).softmax(-1)
        return self.o_proj((weights @ v).transpose(1, 2).reshape(batch, length, width))


def test_a_fused_projection_may_have_either_order():
    assert glassbox.check("multihead", Fused(), quiet=True)
    assert glassbox.check("multihead", Fused(6**0.5), quiet=True).mistakes == ["scaled/not-divided"]


class Padded(nn.Module):
    """PyTorch's layer within another, which takes a row of keys for each sequence."""
    def __init__(self, batch_first=True):
        super().__init__()
        self.attn = nn.MultiheadAttention(12, 3, batch_first=batch_first)

    def forward(self, x, key_padding_mask=None):
        return self.attn(x, x, x, key_padding_mask=key_padding_mask)[0]


def test_a_layer_within_a_module_and_a_mask_of_keys():
    assert glassbox.check("multihead", Padded(), mask="hide", quiet=True)
    assert "masked/inverted" in glassbox.check("multihead", Padded(), mask="keep", quiet=True).mistakes
    over_batch = Padded(batch_first=False)
    over_batch.forward = lambda x: over_batch.attn(x, x, x)[0]
    assert "Q/batch-first" in glassbox.check("multihead", over_batch, quiet=True).mistakes
