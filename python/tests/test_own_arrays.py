"""Objects of NumPy that keep their own parameters: read from their attributes, whichever way their matrices lie."""
import numpy as np
import pytest
from functions import softmax

import glassbox

RNG = np.random.default_rng(3)


class Dense:
    def __init__(self, rows, columns):
        self.W, self.b = RNG.normal(size=(rows, columns)) / 3, RNG.normal(size=columns)

    def __call__(self, x):
        return x @ self.W + self.b


class Turned:
    """Its matrix is (out, in)."""
    def __init__(self, rows, columns):
        self.weight, self.bias = RNG.normal(size=(columns, rows)) / 3, RNG.normal(size=columns)

    def __call__(self, x):
        return x @ self.weight.T + self.bias


class Norm:
    power = 0.5

    def __init__(self, width, eps=1e-6):
        self.gamma, self.beta, self.eps = 1 + RNG.normal(size=width) / 5, RNG.normal(size=width), eps

    def __call__(self, x):
        y = x - x.mean(-1, keepdims=True)
        return self.gamma * y / ((y**2).mean(-1, keepdims=True) + self.eps)**self.power + self.beta


class Block:
    """An encoder block of such parts."""
    def __init__(self, part=Dense, divisor=4, width=8):
        self.num_heads, self.divisor = 2, divisor
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (part(width, width) for _ in range(4))
        self.fc1, self.fc2, self.norm1, self.norm2 = part(width, 16), part(16, width), Norm(width), Norm(width)

    def attention(self, x, mask=None):
        q, k, v = (part(x).reshape(*x.shape[:2], 2, -1).swapaxes(1, 2) for part in (self.q_proj, self.k_proj, self.v_proj))
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(self.divisor)
        scores = scores if mask is None else np.where(mask if np.ndim(mask) != 3 else mask[:, None], scores, -1e9)
        return self.out_proj((softmax(scores) @ v).swapaxes(1, 2).reshape(x.shape))

    def forward(self, x, mask=None):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.fc2(np.maximum(self.fc1(x), 0)))


@pytest.mark.parametrize("part", [Dense, Turned])
def test_an_objects_own_parameters_are_read_whichever_way_they_lie(part):
    result = glassbox.check("encoder-block", Block(part).forward, quiet=True)
    assert result and "its parameters are read from its own attributes" in result.text, result.text
    assert glassbox.check("encoder-block", Block(part, divisor=8).forward, quiet=True).mistakes == ["scaled/d_model"]


class Heads:
    """With small matrices of each head in a list, of one sequence."""
    def __init__(self, width=8, heads=2):
        self.n_heads, self.d_k = heads, width // heads
        self.Wq, self.Wk, self.Wv = ([RNG.normal(size=(width, self.d_k)) for _ in range(heads)] for _ in range(3))
        self.Wo = RNG.normal(size=(width, width))

    def forward(self, x):
        values = [softmax(x @ q @ (x @ k).T / np.sqrt(self.d_k)) @ x @ v for q, k, v in zip(self.Wq, self.Wk, self.Wv)]
        return np.concatenate(values, -1) @ self.Wo


def test_each_head_may_have_matrices_of_its_own():
    result = glassbox.check("multihead", Heads().forward, batch=False, quiet=True)
    assert result, result.text


class Embedding:
    def __init__(self):
        self.weight = RNG.normal(size=(30, 8))

    def __call__(self, ids):
        return self.weight[ids] * np.sqrt(8)


def test_a_norm_and_a_table_have_their_own_numbers():
    wrong = Norm(12)
    wrong.power = 1
    assert glassbox.check("embedding", Embedding(), quiet=True) and glassbox.check("layer-norm", Norm(12), quiet=True)
    assert glassbox.check("layer-norm", wrong, quiet=True).mistakes == ["layer_norm/no-root"]


def test_names_that_say_nothing_are_asked_for_and_not_called_wrong():
    class Unclear:
        def __init__(self):
            self.aa, self.bb = RNG.normal(size=(8, 8)), RNG.normal(size=(8, 8))

        def __call__(self, x):
            return np.maximum(x @ self.aa, 0) @ self.bb
    with pytest.raises(glassbox.Error, match="aa, bb"):
        glassbox.check("feed-forward", Unclear(), quiet=True)


def test_what_is_no_parameter_is_left_alone():
    class Positions:
        def __init__(self):
            angles = np.arange(50)[:, None] / 10000**(np.arange(0, 12, 2) / 12)
            self.pe = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(50, 12)

        def forward(self, x):
            return x + self.pe[:x.shape[1]]
    assert glassbox.check("positional", Positions().forward, quiet=True)


def multihead(x, weights, num_heads):
    q, k, v = ((x @ weights[f"W_{each}"]).reshape(*x.shape[:2], num_heads, -1).swapaxes(1, 2) for each in "qkv")
    values = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v
    return values.swapaxes(1, 2).reshape(x.shape) @ weights["W_o"]


def test_a_dictionary_of_matrices_alone_has_no_biases():
    result = glassbox.check("multihead", multihead, quiet=True)
    assert result and "reads no bias" in result.text, result.text
