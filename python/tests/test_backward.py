"""Gradients of a user's function beside the command's."""
import functions
import pytest

import glassbox


def test_numpy_has_none():
    with pytest.raises(glassbox.Error, match="backward"):
        glassbox.check("attention", functions.attention, backward=True, quiet=True)


def test_functions_and_modules_of_pytorch():
    torch = pytest.importorskip("torch")
    from test_torch import Attention

    def attention(q, k, v, mask=None):
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        return (scores if mask is None else scores.masked_fill(~mask, float("-inf"))).softmax(-1) @ v

    def cut(q, k, v, mask=None):
        return attention(q, k.detach(), v, mask)

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return x.clone()

        @staticmethod
        def backward(context, gradient):
            return 2 * gradient

    right = glassbox.check("attention", attention, backward=True, quiet=True)
    assert right and [each.name for each in right.gradients] == ["Q", "K", "V"]
    wrong = glassbox.check("attention", cut, backward=True, quiet=True)
    assert not wrong and "✗ ∂L/∂K  none" in wrong.text and "∂L/∂K" in wrong.sentence
    doubled = glassbox.check("attention", lambda q, k, v, mask: attention(q, k, Doubled.apply(v), mask),
                             framework="torch", backward=True, quiet=True)
    assert [each.name for each in doubled.gradients if not each.is_right] == ["V"] and ", expected" in doubled.text

    torch.manual_seed(0)
    module = glassbox.check("multihead", Attention(12, 3), backward=True, quiet=True)
    assert module and {"x", "in_proj_weight", "out_proj.bias"} <= {each.name for each in module.gradients}, module.text
    for layer, block in (("encoder-block", torch.nn.TransformerEncoderLayer(12, 3, 20)),
                         ("encoder-block", torch.nn.TransformerEncoderLayer(12, 3, 20, norm_first=True)),
                         ("decoder-block", torch.nn.TransformerDecoderLayer(12, 3, 20))):
        result = glassbox.check(layer, block, backward=True, quiet=True)
        assert result and len(result.gradients) > 10, result.text
        inputs = {"x", "memory"} if layer == "decoder-block" else {"x"}
        assert inputs <= {each.name for each in result.gradients}, result.text


@pytest.mark.parametrize("layer, cut", [("encoder-block", "x"), ("decoder-block", "x"), ("decoder-block", "memory")])
def test_a_blocks_inputs_are_compared(layer, cut):
    torch = pytest.importorskip("torch")

    class Block(torch.nn.Module):
        """A block whose numbers are right; of `cut` half the gradient is lost."""
        def __init__(self):
            super().__init__()
            nn = torch.nn
            for name in ("self_attn", "multihead_attn"):
                setattr(self, name, nn.MultiheadAttention(12, 3, batch_first=True))
            self.linear1, self.linear2 = nn.Linear(12, 20), nn.Linear(20, 12)
            self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(12) for _ in range(3))
            self.num_heads = 3
            if layer == "encoder-block":
                del self.multihead_attn, self.norm3

        def forward(self, x, memory=None, mask=None):
            x, memory = ((value + value.detach()) / 2 if name == cut and value is not None else value
                         for name, value in (("x", x), ("memory", memory)))
            hidden = None if mask is None else mask == 0
            x = self.norm1(x + self.self_attn(x, x, x, attn_mask=hidden)[0])
            if memory is not None:
                x = self.norm2(x + self.multihead_attn(x, memory, memory)[0])
            return (self.norm2 if memory is None else self.norm3)(x + self.linear2(self.linear1(x).relu()))

    torch.manual_seed(0)
    result = glassbox.check(layer, Block(), mask="causal", backward=True, quiet=True)
    assert [each.name for each in result.gradients if not each.is_right] == [cut], result.text


def test_what_cannot_be_differentiated_is_told():
    torch = pytest.importorskip("torch")

    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return x.clone()

        @staticmethod
        def backward(context, gradient):
            raise ValueError("no gradient today")

    def attention(q, k, v):
        return Broken.apply((q @ k.transpose(-2, -1) / q.shape[-1]**0.5).softmax(-1) @ v)

    def in_numpy(q, k, v):
        return torch.from_numpy(q.numpy() * 0) + attention(q, k, v)

    for function, sentence in ((attention, "no gradient today"), (in_numpy, "requires grad")):
        result = glassbox.check("attention", function, backward=True, quiet=True, framework="torch")
        assert not result and "✗ gradients: " in result.text and sentence in result.sentence, result.text


def test_functions_and_modules_of_jax():
    jax = pytest.importorskip("jax")
    pytest.importorskip("flax.linen")
    from test_flax import Attention

    def attention(q, k, v, mask):
        scores = q @ k.swapaxes(-2, -1) / jax.numpy.sqrt(q.shape[-1])
        return jax.nn.softmax(jax.numpy.where(mask, scores, -1e9), axis=-1) @ v

    def cut(q, k, v, mask):
        return attention(q, jax.lax.stop_gradient(k), v, mask)

    assert glassbox.check("attention", attention, backward=True, quiet=True)
    assert [
        each.name for each in glassbox.check("attention", cut, backward=True, quiet=True).gradients if not each.is_right
    ] == ["K"]
    module = Attention(12, 3)
    variables = module.init(jax.random.PRNGKey(0), jax.numpy.ones((1, 3, 12)))
    result = glassbox.check("multihead", module, weights=variables, backward=True, quiet=True)
    assert result and {"x", "qkv_proj.weight", "o_proj.bias"} <= {each.name for each in result.gradients}, result.text


def test_what_has_no_gradient_is_told():
    torch = pytest.importorskip("torch")

    def attention(q, k, v, mask=None):
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        return (scores if mask is None else scores.masked_fill(~mask, float("-inf"))).softmax(-1) @ v

    result = glassbox.check("attention", lambda q, k, v, mask: attention(q, k, v, mask).detach().numpy(),
                            framework="torch", backward=True, quiet=True)
    assert not result and "the function returns ndarray, which has no gradient" in result.text
    assert torch.is_grad_enabled()
