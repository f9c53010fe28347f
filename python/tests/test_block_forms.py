"""What a block may have in its own way is tried before a mistake is looked for, also in functions."""
import math

import numpy as np
import pytest

import glassbox


def block(norm, activation, epsilon, factor=1):
    """An encoder block as a function of NumPy; `factor` on the network's result is a mistake."""
    def normed(x, scale, shift):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon) * scale + shift

    def encoder_block(x, mask, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
        def heads(y):
            return y.reshape(*x.shape[:2], num_heads, -1).swapaxes(1, 2)

        def attended(y):
            q, k, v = (heads(y @ W) for W in (W_q, W_k, W_v))
            scores = np.where(mask[:, None] == 0, -1e9, q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]))
            e = np.exp(scores - scores.max(-1, keepdims=True))
            return (e / e.sum(-1, keepdims=True) @ v).swapaxes(1, 2).reshape(x.shape) @ W_o

        def network(y):
            return factor * (activation(y @ W1 + b1) @ W2 + b2)

        if norm == "pre":
            y = x + attended(normed(x, gamma1, beta1))
            return y + network(normed(y, gamma2, beta2))
        y = normed(x + attended(x), gamma1, beta1)
        return normed(y + network(y), gamma2, beta2)

    return encoder_block


def relu(x):
    return np.maximum(x, 0)


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


@pytest.mark.parametrize("norm, activation, epsilon, said", [
    ("pre", relu, 1e-6, 'norm="pre"'), ("post", gelu, 1e-6, 'activation="gelu"'),
    ("pre", gelu, 1e-8, 'norm="pre" and activation="gelu" and epsilon=1e-8'), ("post", relu, 1e-8, "epsilon=1e-8")])
def test_the_form_of_a_block_that_is_a_function_is_found(norm, activation, epsilon, said):
    result = glassbox.check("encoder-block", block(norm, activation, epsilon), quiet=True)
    assert result and result.remarks == [f"read with {said}"], result.text


def test_what_was_said_of_a_block_is_not_free():
    assert not glassbox.check("encoder-block", block("pre", relu, 1e-6), norm="post", effort=0, quiet=True)
    assert not glassbox.check("encoder-block", block("post", gelu, 1e-6), activation="relu", effort=0, quiet=True)


def test_a_mistake_in_a_block_with_its_norms_first_has_its_name():
    result = glassbox.check("encoder-block", block("pre", relu, 1e-6, 0), quiet=True)
    assert not result and any("left-out" in name or "residual" in name for name in result.mistakes), result.text


class Norm:
    def __init__(self, epsilon):
        self.eps = epsilon

    def __call__(self, x, gamma, beta):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + self.eps) * gamma + beta


def test_the_epsilon_of_an_object_is_its_own():
    for epsilon in (1e-12, 1e-2):
        result = glassbox.check("layer-norm", Norm(epsilon), quiet=True)
        assert result, result.text
