"""A layer by its own name takes the functions and modules that people write for it: right ones pass, of wrong ones the
mistake is named."""
import numpy as np
import pytest

import glassbox


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x):
    z = x - x.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def layer_norm(x, gamma, beta, eps=1e-5):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(var + eps) + beta


def of_own_epsilon(x, g, b):
    return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + b


def without_parameters(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)


def feed_forward(x, W1, b1, W2, b2):
    return np.maximum(x @ W1 + b1, 0) @ W2 + b2


def with_attention_mask(token_embeddings, attention_mask):
    weights = attention_mask[..., None]
    return (token_embeddings * weights).sum(1) / weights.sum(1)


RIGHT = [
    ("pooling", with_attention_mask),
    ("softmax", softmax),
    ("log-softmax", log_softmax),
    ("layer-norm", layer_norm),
    ("layer-norm", of_own_epsilon),
    ("layer-norm", without_parameters),
    ("linear", lambda x, W, b: x @ W.T + b),
    ("linear", lambda x, W, b: x @ W + b),
    ("linear", lambda x, W: x @ W),
    ("feed-forward", feed_forward),
    ("embedding", lambda tokens, table: table[tokens]),
    ("embedding", lambda ids, E: E[ids] * np.sqrt(E.shape[1])),
    ("pooling", lambda x: x.mean(1)),
]
WRONG = [
    ("softmax", lambda x: np.exp(x) / np.exp(x).sum(-2, keepdims=True), "softmax/wrong-axis"),
    ("softmax", lambda x: np.exp(x) / np.exp(x).sum(0), "softmax/over-batch"),
    ("log-softmax", lambda x: np.log(softmax(x)) / np.log(2), "log_softmax/base-2"),
    ("log-softmax", softmax, "log_softmax/not-log"),
    ("softmax", lambda x: 1 / (1 + np.exp(-x)), "softmax/sigmoid"),
    ("layer-norm", lambda x, g, b, eps: g * (x - x.mean(-1, keepdims=True)) /
     np.sqrt(x.var(-1, ddof=1, keepdims=True) + eps) + b, "layer_norm/sample-variance"),
    ("layer-norm", lambda x, g, b: g * (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True, ddof=1) + 1e-6) + b,
     "layer_norm/annotated"),
    ("layer-norm", lambda x, g, b, eps: g * x / np.sqrt(x.var(-1, keepdims=True) + eps) + b, "layer_norm/no-mean"),
    ("linear", lambda x, W, b: x @ W.T - b, "linear/bias-subtracted"),
    ("feed-forward", lambda x, W1, b1, W2, b2: (x @ W1 + b1) @ W2 + b2, "relu/not-applied"),
    ("embedding", lambda tokens, table: table[tokens] * table.shape[1], "embedding_scaled/no-root"),
    ("embedding", lambda tokens, table: table[tokens - 1], "embedding/one-early"),
]


@pytest.mark.parametrize("layer, function", RIGHT)
def test_what_is_right_passes(layer, function):
    result = glassbox.check(layer, function)
    assert result, str(result)


@pytest.mark.parametrize("layer, function, mistake", WRONG)
def test_of_what_is_wrong_the_mistake_is_named(layer, function, mistake):
    result = glassbox.check(layer, function)
    assert not result and mistake in str(result), str(result)


@pytest.mark.parametrize("layer, function", [("softmax", lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
                                             ("pooling", lambda x: x.mean(0))])
def test_what_is_right_for_one_sequence_alone_is_called_so(layer, function):
    result = glassbox.check(layer, function)
    assert result and "right for one sequence at a time, (T, d), and not for a batch" in str(result)


def test_an_axis_keeps_its_default():
    torch = pytest.importorskip("torch")
    assert glassbox.check("softmax", lambda logits, dim=-1: torch.exp(logits - torch.logsumexp(logits, dim, keepdim=True)))


def test_modules_and_functions_of_pytorch_are_right():
    torch = pytest.importorskip("torch")
    nn, F = torch.nn, torch.nn.functional
    for layer, given in [("softmax", nn.Softmax(dim=-1)), ("softmax", lambda x: F.softmax(x, dim=-1)),
                         ("log-softmax", lambda x: F.log_softmax(x, -1)), ("layer-norm", nn.LayerNorm(6)),
                         ("layer-norm", nn.LayerNorm(6, eps=1e-3)), ("layer-norm", F.layer_norm), ("linear", nn.Linear(4, 3)),
                         ("linear", nn.Linear(4, 3, bias=False)), ("linear", F.linear),
                         ("feed-forward", nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))),
                         ("feed-forward", nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))),
                         ("embedding", nn.Embedding(10, 4))]:
        result = glassbox.check(layer, given)
        assert result, f"{layer}, {given}: {result}"


def test_the_annotated_transformers_norm_is_named():
    torch = pytest.importorskip("torch")

    class Norm(torch.nn.Module):
        def __init__(self, d=6):
            super().__init__()
            self.a_2, self.b_2 = torch.nn.Parameter(torch.ones(d)), torch.nn.Parameter(torch.zeros(d))

        def forward(self, x):
            return self.a_2 * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + self.b_2

    assert "layer_norm/annotated" in str(glassbox.check("layer-norm", Norm()))
