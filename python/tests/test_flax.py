"""Modules and functions of JAX and Flax as they are."""
import pytest

import glassbox

jax = pytest.importorskip("jax")
nn = pytest.importorskip("flax.linen")
jnp = jax.numpy


def test_functions_of_jax():
    @jax.jit
    def attention(q, k, v, mask):
        scores = q @ k.swapaxes(-2, -1) / jnp.sqrt(q.shape[-1])
        return jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1) @ v

    @jax.jit
    def over_queries(q, k, v, mask):
        scores = q @ k.swapaxes(-2, -1) / jnp.sqrt(q.shape[-1])
        return jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-2) @ v

    assert glassbox.check("attention", attention, quiet=True)
    assert "attention/over-queries" in glassbox.check("attention", over_queries, quiet=True).mistakes


def test_losses_and_projections_of_jax_with_their_gradients():
    def loss(logits, labels):
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()

    def multihead(x, W_q, W_k, W_v, W_o, num_heads):
        q, k, v = ((x @ W).reshape(*x.shape[:2], num_heads, -1).swapaxes(1, 2) for W in (W_q, W_k, W_v))
        values = jax.nn.softmax(q @ k.swapaxes(-1, -2) / q.shape[-1]**0.5) @ v
        return values.swapaxes(1, 2).reshape(x.shape) @ W_o

    for layer, function, name in (("loss", loss, "logits"), ("multihead", multihead, "q_proj.weight")):
        result = glassbox.check(layer, function, backward=True, quiet=True)
        assert result and f"✓ ∂L/∂{name}" in result.text, result.text


class Attention(nn.Module):
    d_model: int
    num_heads: int
    root: bool = True

    def setup(self):
        self.qkv_proj, self.o_proj = nn.Dense(3 * self.d_model), nn.Dense(self.d_model)

    def __call__(self, x, mask=None):
        batch, length, _ = x.shape
        qkv = self.qkv_proj(x).reshape(batch, length, self.num_heads, -1).transpose(0, 2, 1, 3)
        q, k, v = jnp.split(qkv, 3, axis=-1)
        scores = q @ k.swapaxes(-2, -1) / (jnp.sqrt(q.shape[-1]) if self.root else q.shape[-1])
        if mask is not None:
            scores = jnp.where(mask == 0, -9e15, scores)
        return self.o_proj((nn.softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(batch, length, -1))


@pytest.mark.parametrize("root", [True, False])
def test_modules_of_flax(root):
    module, x = Attention(12, 3, root), jnp.ones((1, 3, 12))
    variables = module.init(jax.random.PRNGKey(0), x)
    for result in (glassbox.check("multihead", module, weights=variables,
                                  quiet=True), glassbox.check("multihead", module.bind(variables), quiet=True)):
        assert bool(result) is root, result.text
        assert root or "scaled/no-root" in result.mistakes


def test_parameters_are_asked_for():
    with pytest.raises(glassbox.Error, match="weights=variables"):
        glassbox.check("multihead", Attention(12, 3))


def test_a_trace_with_flax_parameters():
    module, x = Attention(12, 3), jax.random.normal(jax.random.PRNGKey(1), (2, 5, 12))
    variables = module.init(jax.random.PRNGKey(0), x)
    steps = glassbox.trace("multihead", x=x, weights=variables, heads=3)
    assert abs(steps.result - module.apply(variables, x)).max() < 1e-5


nnx = pytest.importorskip("flax.nnx")


class AttentionWithState(nnx.Module):
    """Flax's newer kind of module."""
    def __init__(self, width, heads, root=True):
        rngs = nnx.Rngs(0)
        self.num_heads, self.root = heads, root
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nnx.Linear(width, width, rngs=rngs))
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x, mask=None):
        batch, length, _ = x.shape
        q, k, v = (part(x).reshape(batch, length, self.num_heads, -1).transpose(0, 2, 1, 3)
                   for part in (self.q_proj, self.k_proj, self.v_proj))
        scores = q @ k.swapaxes(-2, -1) / (jnp.sqrt(q.shape[-1]) if self.root else q.shape[-1])
        weights = nnx.softmax(scores if mask is None else jnp.where(mask == 0, -1e9, scores))
        return self.dropout(self.out_proj((weights @ v).transpose(0, 2, 1, 3).reshape(batch, length, -1)))


@pytest.mark.parametrize("root", [True, False])
def test_modules_of_nnx(root):
    module = AttentionWithState(12, 3, root)
    result = glassbox.check("multihead", module, quiet=True)
    assert bool(result) is root and (root or "scaled/no-root" in result.mistakes), result.text
    assert not module.dropout.deterministic  # a copy was checked
    own = glassbox.check("multihead", module, weights=nnx.state(module, nnx.Param), quiet=True)
    assert bool(own) is root, own.text


def test_a_trace_with_a_module_of_nnx():
    module, x = AttentionWithState(12, 3), jax.random.normal(jax.random.PRNGKey(1), (2, 5, 12))
    module.eval()
    assert abs(glassbox.trace("multihead", x=x, weights=module).result - module(x)).max() < 1e-5


def test_flaxs_own_attention_with_an_axis_for_the_heads():
    linen = nn.MultiHeadDotProductAttention(num_heads=3)
    variables = linen.init(jax.random.PRNGKey(0), jnp.ones((1, 3, 12)))
    assert glassbox.check("multihead", linen, weights=variables, quiet=True)
    assert glassbox.check("multihead", nnx.MultiHeadAttention(3, 12, decode=False, rngs=nnx.Rngs(0)), quiet=True)


class Block(nn.Module):
    """Norms with an ε of their own, before or behind the residual."""
    epsilon: float
    is_first: bool

    def setup(self):
        self.self_attn = nn.MultiHeadDotProductAttention(num_heads=3)
        self.norm1, self.norm2 = (nn.LayerNorm(epsilon=self.epsilon) for _ in range(2))
        self.linear1, self.linear2 = nn.Dense(20), nn.Dense(12)

    def __call__(self, x, mask=None):
        for norm, part in ((self.norm1, lambda y: self.self_attn(y, mask=None if mask is None else mask[:, None])),
                           (self.norm2, lambda y: self.linear2(nn.relu(self.linear1(y))))):
            x = x + part(norm(x)) if self.is_first else norm(x + part(x))
        return x


@pytest.mark.parametrize("epsilon, is_first", [(1e-6, False), (1e-3, False), (1e-3, True)])
def test_the_epsilon_and_the_place_of_norms_of_flax(epsilon, is_first):
    block = Block(epsilon, is_first)
    variables = block.init(jax.random.PRNGKey(0), jnp.ones((1, 3, 12)))
    for result in (glassbox.check("encoder-block", block, weights=variables, quiet=True),
                   glassbox.check("encoder-block", block.bind(variables), quiet=True)):
        assert result, result.text


class BlockWithState(nnx.Module):
    def __init__(self, epsilon):
        rngs = nnx.Rngs(0)
        self.self_attn = nnx.MultiHeadAttention(3, 12, decode=False, rngs=rngs)
        self.norm1, self.norm2 = (nnx.LayerNorm(12, epsilon=epsilon, rngs=rngs) for _ in range(2))
        self.linear1, self.linear2 = nnx.Linear(12, 20, rngs=rngs), nnx.Linear(20, 12, rngs=rngs)

    def __call__(self, x, mask=None):
        x = self.norm1(x + self.self_attn(x, mask=None if mask is None else mask[:, None]))
        return self.norm2(x + self.linear2(nnx.relu(self.linear1(x))))


def test_the_epsilon_of_a_norm_of_nnx():
    for epsilon in (1e-6, 1e-3):
        result = glassbox.check("encoder-block", BlockWithState(epsilon), quiet=True)
        assert result, result.text


class RowNorm(nnx.Module):
    def __init__(self, width, minus=0):
        self.scale, self.offset, self.minus = nnx.Param(jnp.ones(width)), nnx.Param(jnp.zeros(width)), minus

    def __call__(self, h):
        return (h - h.mean(-1, keepdims=True)) / jnp.sqrt(h.var(-1, keepdims=True, ddof=self.minus) + 1e-5) * self.scale[...] + self.offset[...]


def test_a_norm_may_call_its_parameters_scale_and_offset():
    assert glassbox.check("layer-norm", RowNorm(12), quiet=True)
    assert not glassbox.check("layer-norm", RowNorm(12, 1), quiet=True)


class WithoutDropout(nn.Module):
    """The tutorial's block, whose network is a list without a dropout: linear_0, linear_2."""
    from_x: bool

    def setup(self):
        self.self_attn, self.linear = Attention(12, 3), [nn.Dense(20), nn.relu, nn.Dense(12)]
        self.norm1, self.norm2 = nn.LayerNorm(), nn.LayerNorm()

    def __call__(self, x, mask=None):
        y = out = self.norm1(x + self.self_attn(x, mask))
        for layer in self.linear:
            out = layer(out)
        return self.norm2((x if self.from_x else y) + out)


@pytest.mark.parametrize("from_x", [False, True])
def test_the_second_layer_of_the_tutorials_network_without_a_dropout(from_x):
    block = WithoutDropout(from_x)
    result = glassbox.check("encoder-block", block, weights=block.init(jax.random.PRNGKey(0), jnp.ones((1, 3, 12))), quiet=True)
    assert result.mistakes == ["residual/from-x"] * from_x and bool(result) is not from_x, result.text


class Network(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(x.shape[-1])(nn.relu(nn.Dense(20)(x)))


class PostNorm(nn.Module):
    """Its last matrix is made, and counted, before the first."""
    residual: int = 1

    @nn.compact
    def __call__(self, x):
        x = nn.LayerNorm()(self.residual * x + nn.MultiHeadDotProductAttention(num_heads=3)(x, x))
        return nn.LayerNorm()(x + nn.Dense(x.shape[-1])(nn.relu(nn.Dense(20)(x))))


class PreNorm(nn.Module):
    epsilon: str = "1e-6"

    @nn.compact
    def __call__(self, x, mask=None):
        x = x + nn.SelfAttention(num_heads=3)(nn.LayerNorm(epsilon=float(self.epsilon))(x), mask=mask)
        return x + Network()(nn.LayerNorm(epsilon=float(self.epsilon))(x))


class Decodes(nn.Module):
    @nn.compact
    def __call__(self, x, memory, mask=None):
        x = nn.LayerNorm()(x + nn.SelfAttention(num_heads=3)(x, mask=mask))
        x = nn.LayerNorm()(x + nn.MultiHeadDotProductAttention(num_heads=3)(x, memory))
        return nn.LayerNorm()(x + Network()(x))


class Stack(nn.Module):
    @nn.compact
    def __call__(self, x):
        for _ in range(2):
            x = PreNorm()(x)
        return nn.LayerNorm()(x)


@pytest.mark.parametrize("layer, module", [("encoder-block", PostNorm()), ("encoder-block", PreNorm()), ("encoder-block", PreNorm("1e-5")),
                                           ("decoder-block", Decodes()), ("encoder", Stack()), ("feed-forward", Network())])
def test_parts_that_flax_counts_are_known_and_so_is_its_epsilon(layer, module):
    arrays = [jnp.ones((2, length, 12)) for length in ((5, 6) if layer == "decoder-block" else (5, ))]
    result = glassbox.check(layer, module, weights=module.init(jax.random.PRNGKey(1), *arrays), quiet=True)
    assert result, result.text


def test_in_parts_that_flax_counts_a_mistake_is_named():
    module = PostNorm(0)
    result = glassbox.check("encoder-block", module, weights=module.init(jax.random.PRNGKey(1), jnp.ones((2, 5, 12))), quiet=True)
    assert "residual1: residual/left-out" in result.mistakes, result.text
