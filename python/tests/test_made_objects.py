"""A class in place of an object: it is made with its defaults and with what its parameters' names say."""
import pytest

import glassbox

torch = pytest.importorskip("torch")
nn = torch.nn


class Scaler:
    def __init__(self, eps=0):
        self.eps = eps

    def fit(self, x):
        self.mean, self.deviation = x.mean(0), x.std(0)

    def transform(self, x):
        return (x - self.mean) / self.deviation


class Pool:
    def __call__(self, x):
        return x.mean(1)


class Attention(nn.Module):
    def __init__(self, d_model, num_heads, dropout):
        super().__init__()
        self.num_heads, self.dropout = num_heads, dropout
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (f(x).view(batch, length, self.num_heads, -1).transpose(1, 2) for f in (self.q_proj, self.k_proj, self.v_proj))
        weights = (q @ k.transpose(-2, -1) / q.shape[-1]**0.5).softmax(-1)
        return self.out_proj((weights @ v).transpose(1, 2).reshape(batch, length, width))


class Network(nn.Module):
    def __init__(self, d_model, hidden_dim):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(d_model, hidden_dim), nn.Linear(hidden_dim, d_model)

    def forward(self, x):
        return self.fc2(self.fc1(x).relu())


class Reversible(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.eps, self.weight, self.bias = eps, nn.Parameter(torch.ones(num_features)), nn.Parameter(torch.zeros(num_features))

    def forward(self, x, mode):
        if mode == "norm":
            self.mean, self.spread = x.mean(1, keepdim=True), (x.var(1, keepdim=True, unbiased=False) + self.eps).sqrt()
            return (x - self.mean) / self.spread * self.weight + self.bias
        return (x - self.bias) / self.weight * self.spread + self.mean


@pytest.mark.parametrize("layer, kind, words", [
    ("scaler", Scaler, {}), ("pooling", Pool, {}), ("multihead", Attention, {}), ("multihead", Attention, {"heads": 4}),
    ("feed-forward", Network, {}), ("scaler", Reversible, {"kind": "revin"}), ("scaler", Reversible, {"kind": "revin", "back": True}),
    ("layer-norm", nn.LayerNorm, {}), ("linear", nn.Linear, {}), ("embedding", nn.Embedding, {}), ("dropout", nn.Dropout, {}),
    ("encoder-block", nn.TransformerEncoderLayer, {})])
def test_a_class_is_checked_as_its_object(layer, kind, words):
    result = glassbox.check(layer, kind, quiet=True, **words)
    assert result, result.text


def test_a_mistake_of_a_class_is_named():
    class Summed(Pool):
        def __call__(self, x):
            return x.sum(1)
    assert glassbox.check("pooling", Summed, quiet=True).mistakes == ["mean_pooled/sum"]
