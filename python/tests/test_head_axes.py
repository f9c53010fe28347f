"""Functions of attention whose matrices have an axis for the heads; what wants other axes than ours is asked about."""
import re

import numpy as np
import pytest

import glassbox


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def cross(x, memory, Wq, Wk, Wv, Wo):
    q, k, v = (np.einsum("btd,hdk->bhtk", each, W) for each, W in ((x, Wq), (memory, Wk), (memory, Wv)))
    weights = softmax(np.einsum("bhtk,bhsk->bhts", q, k) / np.sqrt(q.shape[-1]))
    return np.einsum("bhts,bhsk,hkd->btd", weights, v, Wo)


def with_biases(x, Wq, Wk, Wv, Wo, bq, bk, bv, bo):
    q, k, v = (np.einsum("btd,dhk->bhtk", x, W) + b[:, None] for W, b in ((Wq, bq), (Wk, bk), (Wv, bv)))
    return np.einsum("bhts,bhsk,hkd->btd", softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])), v, Wo) + bo


def broadcast(x, W_q, W_k, W_v, W_o, divisor=lambda d_k: d_k**0.5):
    q, k, v = (x[:, None] @ W for W in (W_q, W_k, W_v))
    return (softmax(q @ k.swapaxes(-1, -2) / divisor(q.shape[-1])) @ v @ W_o).sum(1)


def without_root(x, W_q, W_k, W_v, W_o):
    return broadcast(x, W_q, W_k, W_v, W_o, float)


@pytest.mark.parametrize("layer, function, axes", [("cross-attention", cross, "(h, d, d_k)"), ("multihead", with_biases, "(d, h, d_k)"),
                                                   ("multihead", broadcast, "(h, d, d_k)")])
def test_matrices_may_have_an_axis_for_the_heads(layer, function, axes):
    result = glassbox.check(layer, function, mask="none")
    assert result and f"its matrices have an axis for the heads: {axes}" in result.text, result.text


def test_gradients_of_such_matrices():
    torch = pytest.importorskip("torch")

    def own(x, W_q, W_k, W_v, W_o):
        q, k, v = (torch.einsum("btd,hdk->bhtk", x, W) for W in (W_q, W_k, W_v))
        weights = (q @ k.transpose(-1, -2) / q.shape[-1]**0.5).softmax(-1)
        return torch.einsum("bhts,bhsk,hkd->btd", weights, v, W_o)
    assert glassbox.check("multihead", own, backward=True)


def test_a_mistake_beside_such_matrices_is_named():
    assert glassbox.check("multihead", without_root).mistakes == ["scaled/no-root"]


def joined(x, W_q, W_k, W_v, W_o):
    q, k, v = (x[..., None, :, :] @ W for W in (W_q, W_k, W_v))
    heads = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v
    return np.concatenate([heads[..., head, :, :] for head in range(W_q.shape[0])], -1) @ W_o


def joined_with_biases(x, W_q, W_k, W_v, W_o, b_q, b_k, b_v):
    q, k, v = (np.einsum("...td,hdk->...htk", x, W) + b[:, None] for W, b in ((W_q, b_q), (W_k, b_k), (W_v, b_v)))
    heads = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v
    return np.concatenate([heads[..., head, :, :] for head in range(W_q.shape[0])], -1) @ W_o


def summed(x, W_q, W_k, W_v, W_o):
    q, k, v = (np.swapaxes((x @ W).reshape(*x.shape[:-1], len(W_o), -1), -2, -3) for W in (W_q, W_k, W_v))
    return np.einsum("...hts,...hsk,hkd->...td", softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])), v, W_o)


@pytest.mark.parametrize("batch", [None, False])
@pytest.mark.parametrize("function, said", [(joined, "that of the output has none"), (joined_with_biases, "that of the output has none"),
                                            (summed, "the matrix of its output has an axis for the heads")])
def test_some_matrices_alone_may_have_an_axis_for_the_heads(function, said, batch):
    result = glassbox.check("multihead", function, mask="none", batch=batch)
    assert result and said in result.text, result.text


def test_what_wants_other_axes_says_of_which_arrays():
    def in_another_order(x, W_q, W_k, W_v, W_o):
        q, k, v = (np.einsum("btd,khd->bhtk", x, W) for W in (W_q, W_k, W_v))
        return np.einsum("bhts,bhsk,khd->btd", softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])), v, W_o)
    result = glassbox.check("multihead", in_another_order)
    assert not result and not result.mistakes
    assert re.search(r"another number of axes of what it is given: .*W \(12, 12\)", result.text), result.text


def test_of_what_vmap_takes_apart_the_arrays_are_named():
    jax = pytest.importorskip("jax")

    def head(x, W_q, W_k, W_v):
        q, k, v = x @ W_q, x @ W_k, x @ W_v
        return jax.nn.softmax(q @ k.T / k.shape[-1]**0.5) @ v

    def own(x, W_q, W_k, W_v, W_o):
        twice = jax.vmap(jax.vmap(head, in_axes=(None, 0, 0, 0)), in_axes=(None, 0, 0, 0))
        return jax.numpy.concatenate(list(twice(x, W_q, W_k, W_v)), -1) @ W_o
    result = glassbox.check("multihead", own, batch=False)
    assert not result and "what it is given: W_q (12, 12)" in result.text, result.text


def test_axes_of_its_own_arrays_are_its_authors_error():
    def wrong(x, W_q, W_k, W_v, W_o):
        q, k, v = (x @ W for W in (W_q, W_k, W_v))
        return np.einsum("bhts,bsk->btk", softmax(np.einsum("bhtk,bhsk->bhts", q, k)), v) @ W_o
    assert "too many subscripts" in glassbox.check("multihead", wrong).sentence
