"""How functions are read that say little: what makes its mask by itself is no function of an added one, and what others
write in another style is right, as tracer grade has it (tests/grade/test_readings.cpp)."""
import numpy as np
import pytest
from functions import attention, scores, softmax

import glassbox

SIGNATURE = "def attend(q, k, v, mask):\n    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])\n"


def made(tmp_path, lines, signature=SIGNATURE, returned="softmax(s) @ v"):
    """A function of a file: what it does with its mask is read there."""
    file = tmp_path / "mine.py"
    lines = signature + "".join(f"    {line}\n" for line in lines.split("; ")) + f"    return {returned}\n"
    file.write_text(lines, encoding="utf-8")
    scope = {"np": np, "softmax": softmax}
    exec(compile(lines, str(file), "exec"), scope)
    return scope["attend"]


@pytest.mark.parametrize("lines", [
    "s = s + (1 - mask) * -10", "s += (1.0 - mask.astype(float)) * -2.0", "s = s + 0.5 * mask", "s = s + 2 * mask - 1",
    "s = s - (1 - mask)", "s = s + (1 - mask) * -1", "m = np.asarray(mask, float); s = s + (1 - m) * -5",
    "s = s + np.multiply(np.subtract(1, mask), -4.0)", "s -= 3 * (np.ones_like(mask) - mask)",
    "fill = -8.0; s = s + fill * (1 - mask)", "mask = mask.astype(float); mask *= 0.5; s = s + mask",
    "add = lambda s, m: s + (1 - m) * -6; s = add(s, mask)", "s = s + (mask - 1) * 9", "s = s + mask / 2"
])
def test_a_mask_of_1_and_0_with_a_fill_that_is_too_small_is_wrong(tmp_path, lines):
    result = glassbox.check("attention", made(tmp_path, lines), quiet=True)
    assert not result and "mask=\"add\"" not in result.text, result.text


@pytest.mark.parametrize("lines", [
    "s = s + mask", "s += mask.astype(s.dtype)", "m = np.asarray(mask, float); s = np.add(s, m)", "s = s + 1.0 * mask",
    "s = s + np.maximum(mask, -1e9)", "s = np.where(mask == -np.inf, -1e9, s)", "s = s + np.where(np.isinf(mask), -1e9, mask)",
    "add = lambda s, m: s + m; s = add(s, mask)"
])
def test_a_mask_that_is_added_as_it_is_is_right(tmp_path, lines):
    result = glassbox.check("attention", made(tmp_path, lines), quiet=True)
    assert result and "read with mask=\"add\"" in result.text, result.text


@pytest.mark.parametrize("lines", ["s = s + (1 - mask) * -1e9", "s = s - 1e9 * (1.0 - mask)", "s = s + np.log(mask + 1e-45)"])
def test_a_mask_of_1_and_0_that_hides_is_right(tmp_path, lines):
    assert glassbox.check("attention", made(tmp_path, lines), quiet=True)


def test_what_divides_the_sum_of_scores_and_mask_adds_it_all_the_same(tmp_path):
    signature = "def attend(q, k, v, mask):\n    s = q @ k.swapaxes(-1, -2)\n"
    assert glassbox.check("attention", made(tmp_path, "s = (s + mask) / np.sqrt(q.shape[-1])", signature), quiet=True)


def none(q, k, v, mask=None, dropout=None):
    weights = softmax(scores(q, k, mask))
    return (weights if dropout is None else dropout(weights)) @ v


def layer(q, k, v, dropout=lambda a: a * 0.5):
    return dropout(softmax(scores(q, k))) @ v


def rate(q, k, v, dropout=0.1):
    return softmax(scores(q, k)) * (np.random.default_rng(0).random() >= dropout) @ v


@pytest.mark.parametrize("function", [none, layer, rate])
def test_a_dropout_is_none_a_layer_or_a_rate(function):
    assert glassbox.check("attention", function, quiet=True)


def against(w, g, v, lr, momentum=0.9):
    v = momentum * v - lr * g
    return w + v


def within(theta, grad, vel, lr=0.01, gamma=0.9):
    vel = gamma * vel + lr * grad
    return theta - vel, vel


def in_config(w, dw, config=None):
    config = {} if config is None else config
    v = config["momentum"] * config.get("velocity", np.zeros_like(w)) - config["learning_rate"] * dw
    config["velocity"] = v
    return w + v, config


@pytest.mark.parametrize("function", [against, within, in_config])
def test_a_velocity_may_have_the_rate_in_it(function):
    result = glassbox.check("adam", function, optimiser="sgd", quiet=True)
    assert result and "its velocity is read as including the rate" in result.text, result.text


def uphill(w, g, v, lr, momentum=0.9):
    v = momentum * v + lr * g
    return w + v


def twice(w, g, v, lr, momentum=0.9):
    v = momentum * v + lr * g
    return w - lr * v


def stale(w, g, v, lr, momentum=0.9):
    return w + v, momentum * v - lr * g


def dampened(w, g, v, lr=0.1, mu=0.9, dampening=0.5):
    v = mu * v + (1 - dampening) * g
    return w - lr * v


def damped(w, g, v, lr=0.1, mu=0.9, damping=0.5):
    v = mu * v + damping * g
    return w - lr * v


@pytest.mark.parametrize("function", [uphill, twice, stale, dampened, damped])
def test_a_wrong_velocity_stays_wrong(function):
    assert not glassbox.check("adam", function, optimiser="sgd", quiet=True)


@pytest.mark.parametrize("function", [
    lambda step, base_lr=1e-3: base_lr, lambda lr: lr, lambda n, rate: [rate for _ in n],
    lambda step, base_lr=1e-3, warmup=0: base_lr * min(1.0, step / warmup) if warmup else base_lr,
    lambda step, base_lr=1e-3, warmup=10: base_lr
])
def test_a_rate_that_is_always_the_same_is_a_schedule(function):
    assert glassbox.check("schedule", function, schedule="constant", quiet=True)
    assert not glassbox.check("schedule", lambda step, base_lr=1e-3: 2 * base_lr, schedule="constant", quiet=True)


@pytest.mark.parametrize("returns", [None, "time2vec"])
def test_times_may_be_encoded_without_the_series(returns):
    def of_omega(tau, omega, phi):
        a = np.outer(tau, omega) + phi
        return np.concatenate([a[:, :1], np.sin(a[:, 1:])], axis=1)

    def of_letters(time, w, b):
        v = np.asarray(time)[..., None] * w + b
        v[..., 1:] = np.sin(v[..., 1:])
        return v

    for function in (of_omega, of_letters):
        assert glassbox.check("time2vec", function, returns=returns, quiet=True)
    assert not glassbox.check("time2vec", lambda time, w, b: np.sin(time[..., None] * w + b), returns=returns, quiet=True)


def encoded(x, factor=1):
    i = np.arange(x.shape[-1] // 2 + x.shape[-1] % 2)
    a = np.arange(x.shape[-2])[:, None] / 1e4**(2 * i / x.shape[-1])
    return factor * np.stack([np.sin(a), np.cos(a)], -1).reshape(x.shape[-2], -1)[:, :x.shape[-1]]


def test_beside_a_result_may_stand_a_step_before_it_and_nothing_unknown():
    for right in (lambda x: (x + encoded(x), encoded(x)), lambda x: (encoded(x)[None], x + encoded(x))):
        assert glassbox.check("positional", right, quiet=True)
    assert not glassbox.check("positional", lambda x: (x - encoded(x), encoded(x)), quiet=True)
    for unclear in (lambda x: (x + encoded(x), encoded(x, 2)), lambda x: (x + encoded(x), x - encoded(x)),
                    lambda x: {"output": x + encoded(x), "result": x - encoded(x)}):
        with pytest.raises(glassbox.Error, match="returns=… says which is"):
            glassbox.check("positional", unclear, quiet=True)


def test_an_optimisers_state_may_begin_with_its_count():
    def adam(params, grads, opt_state, learning_rate=1e-3, b1=0.9, b2=0.999, eps=1e-8):
        count, mu, nu = opt_state
        count, mu, nu = count + 1, b1 * mu + (1 - b1) * grads, b2 * nu + (1 - b2) * grads**2
        return params - learning_rate * (mu / (1 - b1**count)) / (np.sqrt(nu / (1 - b2**count)) + eps), (count, mu, nu)

    def of_names(params, grads, state, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8):
        mu, nu = b1 * state["mu"] + (1 - b1) * grads, b2 * state["nu"] + (1 - b2) * grads**2
        return params - lr * (mu / (1 - b1**state["count"])) / (np.sqrt(nu / (1 - b2**state["count"])) + eps)

    def coursera(w, grads, v, s, t, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
        v, s = beta1 * v + (1 - beta1) * grads, beta2 * s + (1 - beta2) * grads**2
        return w - lr * (v / (1 - beta1**t)) / (np.sqrt(s / (1 - beta2**t)) + eps), v, s

    for right in (adam, of_names, coursera):
        assert glassbox.check("adam", right, quiet=True)


def test_the_root_of_a_size_and_three_arrays_as_one_are_given():
    for right in (lambda q, k, v, sqrt_dk: softmax(q @ k.swapaxes(-1, -2) / sqrt_dk) @ v, lambda qkv: attention(*qkv),
                  lambda inputs: attention(inputs["query"], inputs["key"], inputs["value"])):
        assert glassbox.check("attention", right, quiet=True)
    wrong = glassbox.check("attention", lambda qkv: softmax(qkv[0] @ qkv[1].swapaxes(-1, -2)) @ qkv[2], quiet=True)
    assert "scaled/not-divided" in wrong.mistakes, wrong.text


def test_the_axis_of_the_heads_may_come_behind_the_sequence():
    def attend(q, k, v):
        weights = softmax(np.einsum("bihd,bjhd->bhij", q, k) / np.sqrt(q.shape[3]))
        return np.einsum("bhij,bjhd->bihd", weights, v)

    assert glassbox.check("attention", attend, quiet=True)


def test_a_step_that_nobody_has_is_refused():
    with pytest.raises(glassbox.Error, match="returns: no step of the layer has the name 'nonsense'; there are .*values"):
        glassbox.check("attention", attention, returns="nonsense", quiet=True)
    assert glassbox.check("attention", lambda q, k, v: (attention(q, k, v), 1.5), returns="values", quiet=True)


@pytest.mark.parametrize("epsilon", [1e-12, 1e-10])
def test_an_epsilon_that_is_too_small_is_named_before_what_looks_like_it(epsilon):
    def norm(x, gamma, beta):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon) * gamma + beta

    arguments = {"x": "residual1", "gamma": "norm1.weight", "beta": "norm1.bias"}
    result = glassbox.check("encoder-block", norm, arguments=arguments, returns="norm1", quiet=True)
    assert result.explanations[0] == ["layer_norm/no-epsilon"] and "missing or negligibly small" in result.text, result.text


def over_rows(q, k, v):
    q, k, v = (np.swapaxes(each, 0, 1) for each in (q, k, v))
    return np.swapaxes(softmax(q @ np.swapaxes(k, 1, 2) / np.sqrt(q.shape[-1])) @ v, 0, 1)


def of_names(q, k, v):
    tgt_len, bsz, width = q.shape
    return over_rows(q, k, v).reshape(tgt_len, bsz, width)


def of_text(q, k, v, mask=None):
    """q, k, v: (seq_len, batch_size, width); mask: (batch_size, n_q, n_k)"""
    s = np.einsum("ibd,jbd->bij", q, k) / np.sqrt(q.shape[-1])
    weights = softmax(s if mask is None else np.where(mask, s, -1e9))
    return np.einsum("bij,jbd->ibd", weights, v), weights


def undivided(q, k, v):  # Time x Batch x Channel
    return np.einsum("bij,jbd->ibd", softmax(np.einsum("ibd,jbd->bij", q, k)), v)


@pytest.mark.parametrize("function", [of_names, of_text])
def test_a_function_that_says_so_has_the_batch_second(function):
    result = glassbox.check("attention", function, quiet=True)
    assert result and "taken as (position, batch, width), as its own lines say" in result.text, result.text
    assert not glassbox.check("attention", function, batch_first=True, quiet=True)


def test_of_a_function_that_has_the_batch_second_its_own_mistake_is_named():
    assert glassbox.check("attention", undivided, quiet=True).mistakes == ["scaled/not-divided"]


def test_what_attends_over_the_first_axis_and_does_not_say_it_is_not_called_wrong_first():
    result = glassbox.check("attention", over_rows, quiet=True)
    assert result.mistakes == ["values/over-batch"] and result.right_with == "batch_first=False"
    assert result.text.startswith("Right if its input is (position, batch, width): batch_first=False"), result.text
    assert glassbox.check("attention", over_rows, batch_first=False, quiet=True)
    said = glassbox.check("attention", over_rows, batch_first=True, quiet=True)
    assert said.mistakes == ["values/over-batch"] and "Right if" not in said.text, said.text
    assert not glassbox.check("attention", attention, batch_first=False, quiet=True)


def test_batch_first_is_refused_where_there_is_no_batch():
    with pytest.raises(glassbox.Error, match="batch_first: the layer loss has no"):
        glassbox.check("loss", over_rows, batch_first=False, quiet=True)
    with pytest.raises(glassbox.Error, match="batch=False says that there is no batch"):
        glassbox.check("attention", over_rows, batch_first=False, batch=False, quiet=True)
    with pytest.raises(glassbox.Error, match="batch_first=False: requires a function"):
        glassbox.check("attention", np.zeros((3, 3)), batch_first=False, quiet=True)


@pytest.mark.parametrize("given, step", [(lambda s, m: m, "masked"), (lambda s, m: s, "scaled")])
def test_scores_beside_the_values_are_not_taken_as_weights(given, step):
    def attend(q, k, v, mask, axis=-1):
        s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        m = np.where(mask, s, -np.inf)
        e = np.exp(np.where(mask, s, -1e9) - s.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True) @ v, given(s, m)

    result = glassbox.check("attention", attend, quiet=True)
    assert result and f"✓ {step}" in result.text, result.text
    wrong = glassbox.check("attention", lambda q, k, v, mask: attend(q, k, v, mask, -2), quiet=True)
    assert not wrong and "attention/left-out" not in wrong.mistakes, wrong.text


def test_what_has_the_shape_of_weights_and_the_numbers_of_no_step_is_wrong():
    def attend(q, k, v):
        weights = softmax(scores(q, k))
        return weights @ v, weights * 2

    assert not glassbox.check("attention", attend, quiet=True)
