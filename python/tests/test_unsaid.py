"""What a function's names do not say, how its matrices lie, and how it gives its result back: found out, or asked
about, as tracer grade does (tests/grade/test_unsaid.cpp)."""
import numpy as np
import pytest
from functions import softmax

import glassbox


def is_right(layer, function, **words):
    result = glassbox.check(layer, function, quiet=True, **words)
    assert result, result.text
    return result


def split(y, h):
    return y.reshape(*y.shape[:2], h, -1).swapaxes(1, 2)


def mixed(q, k, v):
    y = (softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v).swapaxes(1, 2)
    return y.reshape(*y.shape[:2], -1)


def multihead(names, turned, heads="h"):
    q, k, v, o = names.split()
    scope = {**globals()}
    exec(f"""def mha(x, {q}, {k}, {v}, {o}, {heads}):
    return mixed(*(split(x @ W{turned}, {heads}) for W in ({q}, {k}, {v}))) @ {o}{turned}""", scope)
    return scope["mha"]


@pytest.mark.parametrize("turned", ["", ".T"])
@pytest.mark.parametrize("names", ["Wq k_proj_weight Wv o_proj_weight", "q_proj_weight Wk Wv W_o",
                                   "q_proj_weight k_proj_weight v_proj_weight o_proj_weight"])
def test_matrices_lie_one_way_whatever_their_names(names, turned):
    is_right("multihead", multihead(names, turned))


def test_own_weights_lie_as_their_names_say():
    drawn = glassbox.probe("multihead")
    own = {name: array * 1.5 for name, array in drawn.weights.items() if name.endswith("weight")}
    names = "q_proj_weight k_proj_weight v_proj_weight o_proj_weight"
    assert not glassbox.check("multihead", multihead(names, ""), weights=own, quiet=True)


def test_a_number_whose_name_says_nothing_is_found_by_the_types_or_asked_about():
    def descend(w, g, schrittchen):
        return w - schrittchen * g

    def encode(dim, stellen):
        a = np.arange(stellen)[:, None] * 1e4**(-np.arange(0, dim, 2) / dim)
        return np.stack([np.sin(a), np.cos(a)], -1).reshape(stellen, dim)

    assert "its parameter schrittchen is read as rate" in is_right("adam", descend).text
    is_right("positional", encode)
    is_right("multihead", multihead("Wq Wk Wv Wo", "", "koepfchen"))
    with pytest.raises(glassbox.Error, match="what does the parameter 'schrittchen' take"):
        glassbox.check("adam", lambda w, g, schrittchen: w + schrittchen * g, quiet=True)
    with pytest.raises(glassbox.Error, match="what does the parameter 'gamma' take"):
        glassbox.check("encoder-block", lambda x, gamma, beta: x * gamma + beta, returns="norm1", quiet=True)


def test_a_mask_by_its_place_stays_one():
    result = glassbox.check("attention", lambda q, k, v, M: softmax(q @ k.swapaxes(-1, -2) / 2) @ v, quiet=True)
    assert result.mistakes == ["masked/ignored"]


def test_a_default_of_none_hides_no_velocity():
    for name in ("momentum_buffer", "buf", "altes"):
        scope = {}
        exec(f"""def sgd(w, g, lr, momentum, {name}=None):
    {name} = g if {name} is None else momentum * {name} + g
    return w - lr * {name}""", scope)
        is_right("adam", scope["sgd"])


def adam_of(w, g, m, v, t, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8):
    m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
    return w - lr * m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps)


def test_an_optimisers_state_is_a_dictionary_of_any_names():
    def adam(w, g, state):
        return adam_of(w, g, state["exp_avg"], state["exp_avg_sq"], state["step"])

    def counting(w, dw, config=None):
        config.setdefault("t", 0)
        config["t"] += 1
        return adam_of(w, dw, config.get("m"), config.get("v"), config["t"]), config

    def exchanged(w, g, state):
        return adam_of(w, g, state["v"], state["m"], state["t"])

    for right in (adam, counting):
        right.__name__ = "adam"
        is_right("adam", right)
    exchanged.__name__ = "adam"
    assert not glassbox.check("adam", exchanged, quiet=True)


def test_an_optimisers_state_may_be_a_pair_or_have_its_numbers_and_what_is_unclear_is_asked():
    def of_pair(w, g, moments, t):
        m, v = moments
        return adam_of(w, g, m, v, t), (m, v)

    def with_numbers(w, g, cache):
        m = cache["beta1"] * cache["mean"] + (1 - cache["beta1"]) * g
        v = cache["beta2"] * cache["var"] + (1 - cache["beta2"]) * g * g
        m, v = m / (1 - cache["beta1"]**cache["t"]), v / (1 - cache["beta2"]**cache["t"])
        return w - cache["lr"] * m / (np.sqrt(v) + cache["eps"])

    def wrong(w, g, moments, t, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
        m, v = moments
        return w - lr * (beta1 * m + (1 - beta1) * g) / (np.sqrt(beta2 * v + (1 - beta2) * g * g) + eps)

    def sgd(w, g, state, lr=0.01, momentum=0.9):
        state["v_w"] = momentum * state.get("v_w", 0) + g
        return w - lr * state["v_w"], state

    for right in (of_pair, with_numbers, sgd):
        is_right("adam", right)
    assert "w/hats-forgotten" in glassbox.check("adam", wrong, quiet=True).mistakes

    def hats(w, g, m, v, t, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        m, v = m / (1 - beta1**t), v / (1 - beta2**t)
        return w - lr * m / (np.sqrt(v) + eps), m, v

    def of_own_key(w, g, state, lr=0.01):
        state["speed"] = 0.9 * state.get("speed", 0) + g
        return w - lr * state["speed"]

    with pytest.raises(glassbox.Error, match="says which is which"):
        glassbox.check("adam", hats, quiet=True)
    with pytest.raises(glassbox.Error, match="what is state.'speed'.?"):
        glassbox.check("adam", of_own_key, quiet=True)


@pytest.mark.parametrize("flag", ["use_mask=False", "with_mask=True", "causal=True", "is_causal=False", "mask_future=True",
                                  "masked=True", "causal_mask=False", "bidirectional=False", "causal"])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_a_flag_that_decides_which_keys_are_seen_is_set_as_the_layer_has_it(flag, mask):
    name = flag.partition("=")[0]
    condition = f"not {name}" if name == "bidirectional" else name
    for root in ("np.sqrt(q.shape[-1])", "q.shape[-1]"):
        scope = {**globals()}
        exec(f"""def attend(q, k, v, {flag}):
    s = q @ k.swapaxes(-1, -2) / {root}
    return softmax(np.where(np.tri(*s.shape[-2:]), s, -np.inf) if {condition} else s) @ v""", scope)
        result = glassbox.check("attention", scope["attend"], mask=mask, quiet=True)
        assert bool(result) == root.startswith("np"), result.text
        assert result or result.mistakes == ["scaled/no-root"], result.text


def ce(z, y):
    return float(-np.log(softmax(z)[np.arange(len(y)), y]).mean())


@pytest.mark.parametrize("form", [
    lambda l: {"xent": l}, lambda l: {"loss": l, "note": "x"}, lambda l: {"loss": [l]}, lambda l: l + 0j,
    lambda l: np.array(l, dtype=object), np.longdouble, lambda l: {"mean": np.float32(l)}])
def test_a_loss_is_the_loss_by_any_name_and_in_any_type(form):
    is_right("loss", lambda z, y: form(ce(z, y)))
    assert not glassbox.check("loss", lambda z, y: form(2 * ce(z, y)), quiet=True)


def test_numbers_that_are_not_real_are_none():
    assert "expected an array of real numbers" in glassbox.check("loss", lambda z, y: ce(z, y) + 1j, quiet=True).text


def test_an_additive_mask_is_taken_and_said():
    def added(q, k, v, mask):
        return softmax(q @ k.swapaxes(-1, -2) / 2 + mask) @ v

    assert 'read with mask="add"' in is_right("attention", added).text
    assert not glassbox.check("attention", lambda q, k, v, mask: softmax(q @ k.swapaxes(-1, -2) / 2 - mask) @ v,
                              quiet=True)


def test_arguments_without_names():
    def rest(w, g, *others):
        return w - others[0] * g

    def in_order(*arrays):
        q, k, v, mask = arrays
        return softmax(np.where(mask, q @ k.swapaxes(-1, -2) / 2, -1e9)) @ v

    def positional(w, g, lr, /):
        return w - lr * g

    is_right("adam", rest)
    is_right("adam", positional)
    is_right("attention", in_order)
    is_right("attention", lambda *a, **k: softmax(a[0] @ a[1].swapaxes(-1, -2) / 2) @ a[2])


def test_losses_of_padding_in_the_sum_are_told():
    def cross_entropy(logits, targets, mask):
        e = np.exp(logits - logits.max(-1, keepdims=True))
        losses = -np.log(np.take_along_axis(e / e.sum(-1, keepdims=True), targets[..., None], -1))[..., 0]
        return losses.sum() / mask.sum()

    result = glassbox.check("loss", cross_entropy, quiet=True)
    assert not result and "losses of padding are in the sum" in result.text, result.text


def test_wi_and_wo_are_the_layers_of_a_network():
    def mlp(x, wi, bi, wo, bo):
        return np.maximum(x @ wi + bi, 0) @ wo + bo

    assert glassbox.check("feed-forward", mlp, quiet=True)


def test_a_keyword_of_another_kind_is_not_what_was_meant():
    with pytest.raises(glassbox.Error) as raised:
        glassbox.check("embedding", lambda tokens, weight: weight[tokens], scale=True, quiet=True)
    assert "did you mean 'scaled'" in str(raised.value)


@pytest.mark.parametrize("mean", [lambda valid, states: np.einsum("bt,btd->bd", valid / valid.sum(-1, keepdims=True), states)])
def test_a_mask_of_pooling_may_come_first(mean):
    assert glassbox.check("pooling", mean, quiet=True)


def test_one_row_of_the_next_token_may_be_asked_for():
    def penalise(logits, previous, repetition_penalty):
        out, own = np.array(logits), list(previous)
        out[own] = np.where(out[own] > 0, out[own] / repetition_penalty, out[own] * repetition_penalty)
        return out

    words = {"repetition_penalty": 1.5, "returns": ("penalised", ), "batch": False, "quiet": True}
    assert glassbox.check("next-token", penalise, **words)


def test_one_row_of_the_next_token_may_be_meant():
    def drawn(logits, temperature):
        e = np.exp(logits / temperature)
        return e / e.sum()

    assert "one row of logits" in is_right("next-token", drawn, temperature=0.7).text


def test_logits_of_what_is_hidden_are_linear():
    def tied(hidden, embedding_table):
        return hidden @ (embedding_table * np.sqrt(embedding_table.shape[-1])).T

    assert glassbox.check("linear", tied, quiet=True).mistakes == ["linear/times-root-of-width"]


def embedding_with_positions(scale_all=False):
    def embed(tokens, table):
        length, width = tokens.shape[-1], table.shape[-1]
        angles = np.arange(length)[:, None] / 10000**(np.arange(0, width, 2) / width)
        positions = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(length, width)
        return (table[tokens] + positions) * width**0.5 if scale_all else table[tokens] * width**0.5 + positions
    return embed


@pytest.mark.parametrize("words", [{}, {"scaled": True}])
def test_an_embedding_may_add_its_positions(words):
    assert "are taken off" in is_right("embedding", embedding_with_positions(), **words).text
    wrong = glassbox.check("embedding", embedding_with_positions(scale_all=True), quiet=True, **words)
    assert not wrong and "before the embedding is multiplied" in wrong.text, wrong.text
