"""What people have in place of a function, scalers, metrics and data sets: right ones pass, and of wrong ones the mistake is named."""
import math
from collections import Counter

import numpy as np
import pytest

import glassbox


class Scaler:
    def fit(self, x):
        self.mean, self.deviation = x.mean(0), x.std(0)
        return self

    def transform(self, x):
        return (x - self.mean) / self.deviation

    def inverse_transform(self, x):
        return x * self.deviation + self.mean


class OfAllRows(Scaler):
    def transform(self, x):
        return (x - x.mean(0)) / x.std(0)


class BackInTheWrongOrder(Scaler):
    def inverse_transform(self, x):
        return (x + self.mean) * self.deviation


class OfWindows:
    def normalize(self, x):
        self.mean, self.deviation = x.mean(1, keepdims=True), np.sqrt(x.var(1, keepdims=True) + 1e-5)
        return (x - self.mean) / self.deviation

    def denormalize(self, x):
        return x * self.deviation + self.mean


class WithoutItsLevel(OfWindows):
    def denormalize(self, x):
        return x * self.deviation


def apart(train_data, test_data):
    mean, deviation = train_data.mean(0), train_data.std(0)
    return (train_data - mean) / deviation, (test_data - mean) / deviation


def grams(words, n):
    return Counter(tuple(words[i:i + n]) for i in range(len(words) - n + 1))


def corpus_bleu(references, hypotheses, is_brief=True):
    shares = []
    for n in range(1, 5):
        matches = sum(sum((grams(h, n) & grams(r[0], n)).values()) for r, h in zip(references, hypotheses))
        shares.append(matches / sum(len(h) + 1 - n for h in hypotheses))
    length, right = sum(map(len, hypotheses)), sum(len(r[0]) for r in references)
    return (math.exp(min(0, 1 - right / length)) if is_brief else 1) * math.prod(shares)**0.25


class Metric:
    def __init__(self, is_brief=True):
        self.is_brief, self.hypotheses, self.references = is_brief, [], []

    def update(self, preds, targets):
        self.hypotheses.append(list(preds))
        self.references.append([list(targets)])

    def compute(self):
        return corpus_bleu(self.references, self.hypotheses, self.is_brief)


class Perplexity:
    average = staticmethod(lambda losses: math.exp(np.mean(losses)))

    def __init__(self):
        self.losses = []

    def update(self, logits, targets):
        p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
        own = np.take_along_axis(p, np.maximum(targets, 0)[..., None], -1)[..., 0]
        self.losses += list(-np.log(own[targets >= 0]))

    def compute(self):
        return self.average(self.losses)


class OfEach(Perplexity):
    average = staticmethod(lambda losses: np.mean(np.exp(losses)))


class Windows:
    shift = lost = 0

    def __init__(self, data, seq_len, pred_len):
        self.data, self.seq_len, self.pred_len = data, seq_len, pred_len

    def __len__(self):
        return len(self.data) - self.seq_len - self.pred_len + 1 - self.lost

    def __getitem__(self, i):
        end = i + self.seq_len
        return self.data[i:end], self.data[end + self.shift:end + self.shift + self.pred_len]


class OfDicts(Windows):
    def __getitem__(self, i):
        return dict(zip(("x", "y"), super().__getitem__(i)))


class EndsEarly(Windows):
    lost = 1


class KnownAlready(Windows):
    shift = -1


def in_parts(series, window, horizon, n_train, end=0):
    pairs = list(map(Windows(series, window, horizon).__getitem__, range(len(series) - window - horizon + 1)))
    x, y = (np.stack(each) for each in zip(*pairs))
    trained, tested = n_train - window - horizon + 1 + end, n_train - window
    return x[:trained], x[tested:], y[:trained], y[tested:]


RIGHT = [
    ("scaler", Scaler, {}), ("scaler", Scaler(), {}), ("scaler", Scaler, {"back": True}), ("scaler", apart, {}),
    ("scaler", OfWindows, {"kind": "revin"}), ("scaler", OfWindows(), {"kind": "revin", "back": True}),
    ("scaler", lambda window: (window - window.mean(0)) / np.sqrt(window.var(0) + 1e-5), {"kind": "revin"}),
    ("bleu", corpus_bleu, {}), ("bleu", Metric, {}), ("bleu", lambda references, hyps: 100 * corpus_bleu(references, hyps), {}),
    ("bleu", lambda candidate, reference: (corpus_bleu([[reference]], [candidate]), min(1, math.exp(1 - len(reference) / len(candidate)))), {}),
    ("perplexity", Perplexity(), {}),
    ("windows", Windows, {}), ("windows", OfDicts, {}), ("windows", lambda x, window, horizon: Windows(x, window, horizon), {}),
    ("windows", lambda x, window, horizon: iter(map(Windows(x, window, horizon).__getitem__, range(len(x) - window - horizon + 1))), {}),
    ("windows", in_parts, {}),
]
WRONG = [
    ("scaler", OfAllRows, {}, "scaled_series/all-values"), ("scaler", BackInTheWrongOrder, {"back": True}, "unscaled/"),
    ("scaler", WithoutItsLevel(), {"kind": "revin", "back": True}, "restored/"),
    ("scaler", lambda x, n: ((x - x.mean(0)) / x.std(0), x.mean(0), x.std(0)), {}, "scaled_series/all-values"),
    ("bleu", Metric(is_brief=False), {}, "brevity/left-out"), ("perplexity", OfEach, {}, "perplexity/"),
    ("windows", EndsEarly, {}, "last"), ("windows", KnownAlready, {}, "targets/known-already"),
    ("windows", lambda series, window, horizon, n_train: in_parts(series, window, horizon, n_train, horizon - 1), {}, "part/across-split"),
]


@pytest.mark.parametrize("layer, given, words", RIGHT)
def test_what_is_right_passes(layer, given, words):
    result = glassbox.check(layer, given, quiet=True, **words)
    assert result, result.text


@pytest.mark.parametrize("layer, given, words, named", WRONG)
def test_of_what_is_wrong_the_mistake_is_named(layer, given, words, named):
    result = glassbox.check(layer, given, quiet=True, **words)
    assert not result and named in result.text, result.text


def test_a_percentage_is_said_to_be_one():
    assert "read as a percentage" in glassbox.check("bleu", lambda refs, hyps: 100 * corpus_bleu(refs, hyps), quiet=True).text


def test_an_object_stays_as_it_was():
    scaler = Scaler()
    assert glassbox.check("scaler", scaler, quiet=True) and not hasattr(scaler, "mean")


def test_perplexities_that_are_averaged_over_updates_are_named():
    class OfUpdates(Perplexity):
        def __init__(self):
            super().__init__()
            self.each = []

        def update(self, logits, labels):
            one = Perplexity()
            one.update(logits, labels)
            self.each.append(one.compute())

        def compute(self):
            return np.mean(self.each)

    assert glassbox.check("perplexity", Perplexity(), quiet=True)
    assert glassbox.check("perplexity", OfUpdates(), quiet=True).mistakes == ["perplexity/mean-of-sequences"]
