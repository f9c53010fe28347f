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
