"""A layer by its own name takes the functions and modules that people write for it: right ones pass, of wrong ones the
mistake is named."""
import math
from collections import Counter

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
    assert result, result.text


@pytest.mark.parametrize("layer, function, mistake", WRONG)
def test_of_what_is_wrong_the_mistake_is_named(layer, function, mistake):
    result = glassbox.check(layer, function)
    assert not result and mistake in result.text, result.text


@pytest.mark.parametrize("layer, function", [("softmax", lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
                                             ("pooling", lambda x: x.mean(0))])
def test_what_is_right_for_one_sequence_alone_is_called_so(layer, function):
    result = glassbox.check(layer, function)
    assert result and "right for one sequence at a time, (T, d), and not for a batch" in result.text


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

    assert "layer_norm/annotated" in glassbox.check("layer-norm", Norm()).text


# ---- dropout, what is written, series, training and what it is judged by -----------------------------------------------------


def probabilities(logits):
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def scaled_dropout(x, mask, keep_prob):
    return np.where(mask > 0, x / keep_prob, 0)


def perplexity(logits, labels):
    rows = np.log(probabilities(logits)).reshape(-1, logits.shape[-1])
    return np.exp(-np.mean([row[int(label)] for row, label in zip(rows, labels.reshape(-1))]))


def step(w, grads, lr, max_norm):
    g = sum(grads) / len(grads)
    return w - lr * g * min(1, max_norm / np.linalg.norm(g))


def without_clipping(params, grads, lr):
    return params - lr * grads.mean(0)


def windows(data, lookback, pred_len):
    starts = range(len(data) - lookback - pred_len + 1)
    return (np.stack([data[i:i + lookback] for i in starts]),
            np.stack([data[i + lookback:i + lookback + pred_len] for i in starts]))


def standardised(x, n_train):
    return (x - x[:n_train].mean(0)) / x[:n_train].std(0)


def nucleus(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits / temperature
    if top_k:
        z = np.where(z < np.sort(z, -1)[:, [-top_k]], -np.inf, z)
    if top_p is not None:
        order = np.argsort(-z, -1)
        p = np.take_along_axis(probabilities(z), order, -1)
        gone = np.empty_like(z, bool)
        np.put_along_axis(gone, order, p.cumsum(-1) - p >= top_p, -1)
        z = np.where(gone, -np.inf, z)
    return probabilities(z)


def less_likely_again(logits, generated, penalty):
    out = logits.copy()
    for row, tokens in zip(out, generated):
        for token in {int(each) for each in tokens}:
            row[token] = row[token] / penalty if row[token] > 0 else row[token] * penalty
    return probabilities(out)


def generate(model, idx, max_new_tokens):
    for _ in range(max_new_tokens):
        idx = np.concatenate([idx, model(idx)[:, -1].argmax(-1)[:, None]], 1)
    return idx


def greedy(table, start, n):
    written = []
    for _ in range(n):
        start = int(np.argmax(table[start]))
        written.append(start)
    return written


def bleu(candidate, reference, clipped=True, brevity=True):
    shares = []
    for n in range(1, 5):
        grams = [Counter(tuple(words[i:i + n]) for i in range(len(words) + 1 - n)) for words in (list(candidate), list(reference))]
        shares.append(sum(min(times, grams[1][each]) if clipped else times * (each in grams[1]) for each, times in grams[0].items()) /
                      sum(grams[0].values()))
    short = min(0, 1 - len(reference) / len(candidate)) if brevity else 0
    return math.exp(short + sum(map(math.log, shares)) / 4)


OTHERS = [("dropout", scaled_dropout), ("perplexity", perplexity), ("training-step", step), ("training-step", without_clipping),
          ("windows", windows), ("scaler", standardised), ("next-token", nucleus), ("next-token", less_likely_again),
          ("decode", generate), ("decode", greedy), ("bleu", lambda candidate, reference: bleu(candidate, reference))]
OTHERS_WRONG = [
    ("dropout", lambda x, mask, p: x * mask, "dropout/not-scaled"),
    ("dropout", lambda x, keep, p: x * keep / p, "dropout/divided-by-p"),
    ("perplexity", lambda logits, labels: np.log2(perplexity(logits, labels)), "perplexity/bits"),
    ("training-step", lambda w, grads, lr, max_norm: step(w, grads * len(grads), lr, max_norm), "accumulated/not-divided"),
    ("training-step", lambda w, grads, grad, lr, max_norm: step(w, grads + grad, lr, max_norm), "accumulated/not-cleared"),
    ("training-step", lambda w, grads, lr, max_norm: w - lr * grads.mean(0), "clipped/left-out"),
    ("windows", lambda series, window, horizon: windows(series, window - 1, horizon)[1][:-1], "targets/known-already"),
    ("scaler", lambda x, n_train: (x - x.mean(0)) / x.std(0), "scaled_series/all-values"),
    ("next-token", lambda logits, temperature: probabilities(logits * temperature), "tempered/multiplied"),
    ("next-token", lambda logits, k: nucleus(logits, top_k=k + 1), "top_k/one-more"),
    ("bleu", lambda hyp, ref: bleu(hyp, ref, clipped=False), "matches/not-clipped"),
]


@pytest.mark.parametrize("layer, function", OTHERS)
def test_what_is_right_passes_in_other_blocks(layer, function):
    result = glassbox.check(layer, function)
    assert result, result.text


@pytest.mark.parametrize("layer, function, mistake", OTHERS_WRONG)
def test_of_what_is_wrong_in_other_blocks_the_mistake_is_named(layer, function, mistake):
    result = glassbox.check(layer, function)
    assert not result and mistake in result.text, result.text


def clipped(gradients, max_norm, factor):
    return gradients * factor(max_norm / np.sqrt(np.sum(gradients**2)))


@pytest.mark.parametrize("layer, function, mistake", [
    ("clip", lambda gradients, max_norm: clipped(gradients, max_norm, lambda ratio: max(1, ratio)), "factor/short-ones"),
    ("clip", lambda gradients, max_norm: clipped(gradients, max_norm, lambda ratio: ratio), "factor/always"),
    ("bleu", lambda hyp, ref: bleu(hyp, ref, brevity=False) * min(1, np.exp(1 - len(hyp) / len(ref))), "brevity/upside-down"),
])
def test_where_one_input_leaves_several_mistakes_another_tells_them_apart(layer, function, mistake):
    assert glassbox.check(layer, function).mistakes == [mistake]


# ---- as people hand them in ------------------------------------------------------------------------------------------------


def drawn_by_itself(x, drop_prob):
    return x * (np.random.random(x.shape) >= drop_prob) / (1 - drop_prob)


def padded_in_its_own_lines(logits, targets):
    nll = [-np.log(row[label]) for row, label in zip(probabilities(logits).reshape(-1, logits.shape[-1]), targets.reshape(-1))
           if label != -100]
    return np.exp(np.mean(nll))


def clipped_in_place(grads, max_norm):
    norm = np.sqrt(sum((g**2).sum() for g in grads.values()))
    for name in grads:
        grads[name] *= min(1, max_norm / norm)
    return norm


def of_nltk(references, hypothesis, weights=(0.25, 0.25, 0.25, 0.25)):
    return bleu(hypothesis, min((each for each in references), key=len))


def of_label_0(logits, targets):
    counted = targets != 0
    return np.sum(np.where(counted, -np.log(np.take_along_axis(probabilities(logits), targets[..., None], -1)[..., 0]), 0)) / counted.sum()


def test_a_loss_that_leaves_out_the_label_0_is_right_and_that_is_said():
    result = glassbox.check("loss", of_label_0)
    assert result and "the label 0, as padding" in result.text, result.text
    assert not glassbox.check("loss", lambda logits, targets: of_label_0(logits, targets) * (targets != 0).mean())


HANDED_IN = [("dropout", drawn_by_itself), ("perplexity", padded_in_its_own_lines), ("clip", clipped_in_place), ("bleu", of_nltk),
             ("mask", lambda size: np.tril(np.ones((1, size, size)))),
             ("mask", lambda seq_len, lengths: np.tril(np.ones((seq_len, seq_len))) * (np.arange(seq_len) < np.array(lengths)[:, None, None]))]
HANDED_IN_WRONG = [
    ("dropout", lambda x, p: x * (np.random.random(x.shape) >= p), "dropout/not-scaled"),
    ("dropout", lambda x, p: x * (np.random.random(x.shape) < p) / (1 - p), "stay, and 1 − p is"),
    ("perplexity", lambda logits, labels: np.exp(np.mean([-np.log(row[label]) * (label >= 0) for row, label in zip(
        probabilities(logits).reshape(-1, logits.shape[-1]), labels.reshape(-1))])), "perplexity/all-rows"),
    ("clip", lambda grads, max_norm: {k: g * min(1, max_norm / np.linalg.norm(g)) for k, g in grads.items()}, "clipped/per-parameter"),
    ("mask", lambda size: np.tril(np.ones((size, size)), -1), "mask/not-itself"),
    ("decode", lambda table, prompt, n: [int(prompt.reshape(-1)[-1])] + greedy(table, int(prompt.reshape(-1)[-1]), n)[:-1],
     "written/from-prompt"),
    ("training-step", lambda w, grads, lr, max_norm: w - lr * sum(g * min(1, max_norm / np.linalg.norm(g)) for g in grads) / len(grads),
     "clipped/each-batch")]


def test_the_kind_of_pooling_is_taken_from_a_name_or_a_text_and_said():
    def max_pooling(h, mask):
        return np.where(mask[..., None] > 0, h, -np.inf).max(1)

    def pooled(h):
        return h.max(axis=1)

    def mean_pool(h):
        return h.max(axis=1)
    for given in (max_pooling, pooled):
        result = glassbox.check("pooling", given)
        assert result and "read with pooling=\"max\"" in result.text, result.text

    def max_pool_of_zeros(h, mask):
        return (h * mask[..., None]).max(1)
    assert glassbox.check("pooling", max_pool_of_zeros).mistakes == ["max_pooled/zeroed-padding"]
    assert glassbox.check("pooling", mean_pool).mistakes == ["mean_pooled/largest"]


def mean_of_seen(x, seen):
    return (x * seen[..., None]).sum(1) / seen.sum(1, keepdims=True)


@pytest.mark.parametrize("function", [
    lambda hidden, lengths: mean_of_seen(hidden, np.arange(hidden.shape[1]) < lengths[:, None]),
    lambda hidden, mask: mean_of_seen(hidden, mask), lambda x, hidden: mean_of_seen(x, ~hidden.astype(bool)),
    lambda vectors, hidden: mean_of_seen(vectors, ~hidden.astype(bool))], ids=("lengths", "mask", "x", "vectors"))
def test_what_is_called_hidden_is_the_input_where_nothing_else_is(function):
    result = glassbox.check("pooling", function)
    assert result, result.text


class DrawsItsMask:
    def __init__(self, drop_prob, scale):
        self.drop_prob, self.scale, self.rng = drop_prob, scale, np.random.default_rng(0)

    def __call__(self, x, train=False):
        return x * self.rng.binomial(1, 1 - self.drop_prob, size=x.shape) * self.scale(1 - self.drop_prob) if train else x


def test_functions_and_objects_that_drop_are_judged_in_training():
    def drawn(x, p=0.1, training=True, times=lambda keep: 1 / keep):
        return x * (np.random.default_rng(1).random(x.shape) >= p) * times(1 - p) if training else x
    assert glassbox.check("dropout", drawn) and glassbox.check("dropout", DrawsItsMask(0.4, lambda keep: 1 / keep))
    assert glassbox.check("dropout", lambda x, p, deterministic: drawn(x, p, not deterministic))
    assert "dropout/multiplied" in glassbox.check("dropout", lambda x, p=0.1, training=False: drawn(x, p, training, lambda keep: keep)).mistakes
    assert "dropout/not-scaled" in glassbox.check("dropout", DrawsItsMask(0.4, lambda keep: 1)).mistakes


def test_what_a_function_of_dropout_draws_with_is_given():
    assert glassbox.check("dropout", lambda x, rng, p: x * (rng.random(x.shape) >= p) / (1 - p))
    jax = pytest.importorskip("jax")
    assert glassbox.check("dropout", lambda key, x, rate: x * jax.random.bernoulli(key, 1 - rate, x.shape) / (1 - rate))


def test_modules_that_drop_are_judged_in_training():
    torch = pytest.importorskip("torch")

    class Dropout(torch.nn.Module):
        def __init__(self, p, scale):
            super().__init__()
            self.p, self.scale = p, scale

        def forward(self, x):
            if not self.training:
                return x
            return x * (torch.rand(x.shape) >= self.p) * self.scale(self.p)

    assert glassbox.check("dropout", torch.nn.Dropout(0.2)) and glassbox.check("dropout", Dropout(0.2, lambda p: 1 / (1 - p)))
    assert "dropout/divided-by-p" in glassbox.check("dropout", Dropout(0.2, lambda p: 1 / p)).text


# ---- a caller's own inputs -------------------------------------------------------------------------------------------------

TABLE = np.random.default_rng(3).normal(size=(6, 6)).astype(np.float32)
ROWS = np.random.default_rng(4).normal(size=(12, 2)).astype(np.float32)


class Bigram:
    def __call__(self, ids):
        return TABLE[np.asarray(ids)]


@pytest.mark.parametrize("prompt", [[[1, 2]], [1, 2], np.array([[1, 2]]), np.array([1, 2]), "1,2"])
def test_a_table_and_a_prompt_are_inputs_of_decode(prompt):
    assert glassbox.check("decode", generate, table=TABLE, prompt=prompt, tokens=5, arguments={"model": Bigram()})
    wrong = glassbox.check("decode", lambda table, prompt, n: greedy(-table, int(np.reshape(prompt, -1)[-1]), n), table=TABLE,
                           prompt=prompt, tokens=5)
    assert "token/smallest" in str(wrong)


OWN = [("decode", greedy, {"prompt": np.array([[1, 2]])}),
       ("next-token", nucleus, {"logits": TABLE[:2], "tokens": np.array([[1, 2], [3, 3]]), "top_k": 3}),
       ("training-step", step, {"before": TABLE[0], "gradients": TABLE[1:4], "left": TABLE[4]}),
       ("windows", windows, {"series": ROWS, "window": 4, "horizon": 2}), ("scaler", standardised, {"x": ROWS, "training": 8}),
       ("bleu", lambda candidate, reference: bleu(candidate, reference), {"translation": [1, 2, 3, 4, 5], "reference": [1, 2, 3, 4, 6, 7]}),
       ("bleu", lambda candidate, reference: bleu(candidate, reference), {"translation": "a b c d e", "reference": "a b c d f g".split()}),
       ("pooling", with_attention_mask, {"x": ROWS.reshape(3, 4, 2), "mask": np.array([[1, 1, 0, 0], [1, 1, 1, 1], [1, 1, 1, 0]])}),
       ("dropout", scaled_dropout, {"x": TABLE, "kept": (TABLE > -0.5).astype(float)}),
       ("mask", HANDED_IN[-1][1], {"lengths": [2, 4], "seq": 4}),
       ("embedding", lambda ids, E: E[ids], {"source": np.array([[1, 2, 0]]), "weights": {"weight": TABLE}})]
OWN_WRONG = [("next-token", lambda logits, k: nucleus(logits, top_k=k + 1), OWN[1][2], "top_k/one-more"),
             ("windows", lambda series, window, horizon: windows(series, window - 1, horizon)[1][:-1], OWN[3][2], "targets/"),
             ("scaler", lambda x, n_train: (x - x.mean(0)) / x.std(0), OWN[4][2], "scaled_series/all-values"),
             ("bleu", lambda hyp, ref: bleu(hyp, ref, brevity=False), OWN[5][2], "brevity/left-out"),
             ("pooling", lambda x, attention_mask: (x * attention_mask[..., None]).mean(1), OWN[7][2], "mean_pooled/padded-length"),
             ("dropout", lambda x, mask, p: x * mask, OWN[8][2], "dropout/not-scaled")]


@pytest.mark.parametrize("layer, function, own", OWN)
def test_own_inputs_are_keywords(layer, function, own):
    result = glassbox.check(layer, function, **own)
    assert result, result.text


@pytest.mark.parametrize("layer, function, own, mistake", OWN_WRONG)
def test_on_own_inputs_the_mistake_is_named(layer, function, own, mistake):
    result = glassbox.check(layer, function, **own)
    assert not result and mistake in result.text, result.text


def test_an_input_of_another_layer_is_refused():
    with pytest.raises(glassbox.Error, match="table: the layer attention has no input of this name; its inputs are Q, K, V"):
        glassbox.check("attention", lambda Q, K, V: Q, table=TABLE)
    with pytest.raises(glassbox.Error, match="table: the layer embedding .* its table is weights="):
        glassbox.check("embedding", lambda ids, E: E[ids], table=TABLE)
    with pytest.raises(glassbox.Error, match="mask: expected 1 for each real element and then 0 for padding"):
        glassbox.check("pooling", with_attention_mask, x=ROWS.reshape(3, 4, 2), mask=np.eye(3, 4))


# ---- all parameters as one -------------------------------------------------------------------------------------------------


def dense(weight, bias, layout=lambda w: w, sign=1):
    return lambda params, x: x @ layout(params[weight]) + sign * params[bias]


DICTIONARIES = [("linear", dense("w", "b")), ("linear", dense("W", "b")), ("linear", dense("kernel", "bias")),
                ("linear", dense("weight", "bias", np.transpose)), ("linear", dense("weight", "bias")),
                ("linear", dense("w", "b", np.transpose)), ("linear", lambda weights, x: x @ weights["W"] + weights["b"]),
                ("linear", lambda theta, x: x @ theta["dense"]["kernel"] + theta["dense"].get("bias", 0)),
                ("linear", lambda params, x: x @ params[0] + params[1]), ("linear", lambda weights, x: x @ weights),
                ("layer-norm", lambda params, x: layer_norm(x, params["scale"], params["bias"])),
                ("layer-norm", lambda params, x: layer_norm(x, params["gamma"], params["beta"])),
                ("embedding", lambda params, ids: params["embedding"][ids]),
                ("feed-forward", lambda params, x: feed_forward(x, params["W1"], params["b1"], params["W2"], params["b2"])),
                ("feed-forward", lambda params, x: feed_forward(x, *(params[layer][kind] for layer in ("Dense_0", "Dense_1")
                                                                     for kind in ("kernel", "bias"))))]
DICTIONARIES_WRONG = [("linear", dense("w", "b", sign=-1), "linear/bias-subtracted"),
                      ("linear", dense("weight", "bias", np.transpose, 2), "linear/bias-twice"),
                      ("linear", dense("kernel", "bias", sign=0), "linear/no-bias"),
                      ("layer-norm", lambda params, x: layer_norm(x, params["gamma"], params["beta"]) - 2 * params["beta"], "layer_norm/"),
                      ("embedding", lambda params, ids: params["table"][ids - 1], "embedding/one-early"),
                      ("feed-forward", lambda params, x: (x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"], "relu/not-applied")]


@pytest.mark.parametrize("layer, function", [*HANDED_IN, *DICTIONARIES])
def test_what_is_right_passes_as_it_is_handed_in(layer, function):
    result = glassbox.check(layer, function)
    assert result, result.text


@pytest.mark.parametrize("layer, function, named", [*HANDED_IN_WRONG, *DICTIONARIES_WRONG])
def test_of_what_is_handed_in_wrong_the_mistake_is_named(layer, function, named):
    result = glassbox.check(layer, function)
    assert not result and named in result.text, result.text


@pytest.mark.parametrize("name", ["n", "t", "step"])
def test_a_wrong_rate_is_read_by_what_its_step_is_called(name):
    from_one = "t = n + 1" if name == "n" else f"t = {name}"
    words = {}
    exec(f"def noam({name}, d_model, warmup_steps):\n    {from_one}\n"
         "    return d_model**-0.5 * max(t**-0.5, t * warmup_steps**-1.5)", words)
    result = glassbox.check("schedule", words["noam"], schedule="inverse-sqrt", rate=1, warmup=10, dmodel=16)
    assert result.mistakes == ["rising/largest"], result.text


def test_what_was_taken_of_a_dictionary_is_told():
    assert "its matrix is taken as (out, in)" in glassbox.check("linear", dense("w", "b", np.transpose)).text
    assert "its matrix" not in glassbox.check("linear", dense("w", "b")).text
    assert "does not read the bias" in glassbox.check("linear", lambda params, x: x @ params["w"]).text


def test_a_convolution_over_one_position_is_a_linear_layer():
    torch = pytest.importorskip("torch")
    nn = torch.nn

    class FeedForward(nn.Module):
        def __init__(self, names, activation):
            super().__init__()
            self.names, self.activation = names, activation
            setattr(self, names[0], nn.Conv1d(12, 20, 1))
            setattr(self, names[1], nn.Conv1d(20, 12, 1))

        def forward(self, x):
            first, second = (getattr(self, name) for name in self.names)
            return second(self.activation(first(x.transpose(1, 2)))).transpose(1, 2)

    for names in (("w_1", "w_2"), ("conv1", "conv2"), ("fc1", "fc2")):
        assert glassbox.check("feed-forward", FeedForward(names, torch.relu))
        assert "relu/not-applied" in glassbox.check("feed-forward", FeedForward(names, lambda x: x)).text
    module = FeedForward(("w_1", "w_2"), torch.relu)
    assert list(glassbox.trace("feed-forward", x=np.ones((2, 3, 12)), weights=module.state_dict()).result.shape) == [2, 3, 12]


@pytest.mark.parametrize("names", ["series context target", "data n_past n_future", "x w target_len", "x input_steps output_steps"])
@pytest.mark.parametrize("lost", [0, 1])
def test_lengths_of_windows_are_told_by_what_their_names_contain_or_leave(names, lost):
    series, window, horizon = names.split()
    scope = {**globals()}
    exec(f"""def cut({series}, {window}, {horizon}):
    x, targets = windows({series}, {window}, {horizon})
    return x[:len(x) - {lost}], targets[:len(x) - {lost}]""", scope)
    result = glassbox.check("windows", scope["cut"], quiet=True)
    assert bool(result) == (not lost) and (not lost or "part/last-lost" in result.mistakes), result.text


def test_a_stride_is_no_length_of_windows():
    with pytest.raises(glassbox.Error, match="stride"):
        glassbox.check("windows", lambda series, window, stride: windows(series, window, 2)[0][::stride], quiet=True)
