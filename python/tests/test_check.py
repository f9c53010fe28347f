"""Functions and numbers are judged as the command judges them."""
import subprocess

import functions
import numpy as np
import pytest

import glassbox
from glassbox import engine


@pytest.mark.parametrize("function", functions.RIGHT, ids=lambda each: each.__name__)
def test_right_functions_are_right(function):
    result = glassbox.check("attention", function, quiet=True)
    assert result, result.text


@pytest.mark.parametrize("function, mistake", functions.WRONG, ids=lambda each: getattr(each, "__name__", each))
def test_wrong_functions_are_named(function, mistake):
    result = glassbox.check("attention", function, quiet=True)
    assert not result
    assert mistake in result.mistakes, result.text
    assert result.sentence and result.sentence in result.text


def test_it_prints_what_the_command_prints(tmp_path, capsys):
    numbers = [[0.3467, -0.1410], [-0.2356, -0.4582], [0.4021, -0.1099]]
    result = glassbox.check("attention", numbers, seq=3, dk=2)
    (tmp_path / "mine.txt").write_text(str(numbers))
    shown = subprocess.run([engine.command(), "check", "attention", "--seq", "3", "--dk", "2", "mine.txt"],
                           cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert capsys.readouterr().out == shown[:shown.index("\nSee it")]
    assert result.mistakes == ["scaled/no-root"] and "tracer attention" in result.as_json["seen_with"]
    assert "instead of" in result.see()


def test_steps_localise_a_mistake():
    steps = dict(glassbox.trace("multihead", heads=2, mistake="scaled/no-root"))
    result = glassbox.check("multihead", steps, heads=2, quiet=True)
    assert result.wrong["name"] == "scaled" and "scaled/no-root" in result.mistakes
    assert {step["verdict"] for step in result.steps} == {"right", "wrong", "right for what it was given"}


def test_named_steps_are_collected():
    def attention(Q, K, V):
        scaled = glassbox.named("scaled", Q @ np.swapaxes(K, -1, -2) / Q.shape[-1])
        return functions.softmax(scaled) @ V

    result = glassbox.check("attention", attention, quiet=True)
    assert result.wrong["name"] == "scaled"


def test_masks_of_the_other_meaning_and_batches_are_said():
    result = glassbox.check("attention", functions.inverted, quiet=True)
    assert result.right_with == 'mask="hide"' and 'mask="hide"' in result.text
    assert glassbox.check("attention", functions.inverted, mask="hide", quiet=True)
    assert not glassbox.check("attention", functions.attention, mask="hide", quiet=True)

    def over_axis_1(q, k, v):
        return functions.softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]), axis=1) @ v

    result = glassbox.check("attention", over_axis_1, quiet=True)
    assert "attention/over-queries" in result.mistakes and result.right_with == "batch=False"
    assert glassbox.check("attention", functions.one_sequence, batch=False, quiet=True)


def test_additive_masks():
    def added(q, k, v, mask):
        return functions.softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) + mask) @ v

    assert glassbox.check("attention", added, mask="add", quiet=True)


def test_parameters_by_word():
    def odd(a, b, c, scale):
        assert scale == 2
        return functions.attention(b, c, a)

    result = glassbox.check("attention", odd, arguments={"a": "V", "b": "Q", "c": "K", "scale": 2}, quiet=True)
    assert result, result.text
    with pytest.raises(glassbox.Error, match="no parameter 'z'"):
        glassbox.check("attention", odd, arguments={"z": "V"})
    with pytest.raises(glassbox.Error, match="'nothing'.*Q, K, V"):
        glassbox.check("attention", functions.attention, arguments={"Q": "nothing"})


def test_weights_as_arguments():
    def multihead(x, qkv_proj_weight, qkv_proj_bias, w_out, b_out, heads, mask=None):
        batch, length, _ = x.shape
        qkv = (x @ qkv_proj_weight.T + qkv_proj_bias).reshape(batch, length, heads, -1).transpose(0, 2, 1, 3)
        q, k, v = np.split(qkv, 3, axis=-1)
        values = functions.attention(q, k, v, mask).transpose(0, 2, 1, 3).reshape(batch, length, -1)
        return values @ w_out + b_out

    words = {"w_out": "o_proj.weight.T", "b_out": "o_proj.bias"}
    assert glassbox.check("multihead", multihead, arguments=words, heads=2, quiet=True)
    wrong = glassbox.check("multihead", multihead, arguments={**words, "w_out": "o_proj.weight"}, heads=2, quiet=True)
    assert "linear/not-transposed" in wrong.mistakes


def test_an_exception_is_told_with_its_own_line(capsys):
    def attention(q, k, v):
        return q @ k

    result = glassbox.check("attention", attention)
    assert not result
    shown = capsys.readouterr().out
    assert "attention: line" in shown and "of test_check.py: ValueError" in shown and "return q @ k" in shown


@pytest.mark.parametrize("value", [None, "a word", (), 3j, np.zeros((2, 2, 2)), np.full((3, 6, 7), np.nan)])
def test_odd_results_end_in_words(value):
    try:
        assert not glassbox.check("attention", lambda q, k, v: value, quiet=True)
    except glassbox.Error as problem:
        assert str(problem)


def test_raising_only_when_asked():
    with pytest.raises(glassbox.WrongNumbers, match="no-root") as raised:
        glassbox.check("attention", functions.no_root, quiet=True, raise_on_wrong=True)
    assert raised.value.result.mistakes == ["scaled/no-root"]


def test_expected_numbers_can_be_hidden():
    assert "right is" in glassbox.check("attention", functions.no_root, quiet=True).text
    assert "right is" not in glassbox.check("attention", functions.no_root, quiet=True, hide_expected=True).text


def test_inputs_are_not_changed_by_a_function():
    def greedy(q, k, v):
        q *= 0
        return q

    assert not glassbox.check("attention", greedy, quiet=True)
    assert glassbox.check("attention", functions.attention, quiet=True)


def test_own_inputs():
    rng = np.random.default_rng(0)
    arrays = {name: rng.normal(size=(2, 3, 4)) for name in "QKV"}
    assert glassbox.check("attention", functions.attention(**arrays), **arrays, quiet=True)
    assert glassbox.check("attention", functions.attention, **arrays, quiet=True)
    with pytest.raises(glassbox.Error, match="no input has this name"):
        glassbox.check("attention", functions.attention, queries=arrays["Q"])


def test_double_and_half():
    assert glassbox.check("attention", functions.attention, dtype="float64", quiet=True)
    assert glassbox.check("attention", functions.attention, dtype="float16", quiet=True)


def test_positional_encoding_from_its_sizes():
    def encoding(seq_len, d_model):
        position, column = np.arange(seq_len)[:, None], np.arange(d_model)[None, :]
        angle = position / 10000 ** (column // 2 * 2 / d_model)
        return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))

    assert glassbox.check("positional", encoding, quiet=True)


def test_a_function_that_hides_later_keys_by_itself_gets_as_many_keys_as_queries():
    def mine(q, k, v, diagonal=0):
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
        seen = np.tril(np.ones((q.shape[-2], q.shape[-2])), diagonal)
        e = np.where(seen == 1, np.exp(scores - scores.max(-1, keepdims=True)), 0)
        return e / e.sum(-1, keepdims=True) @ v

    assert glassbox.check("attention", lambda q, k, v: mine(q, k, v), mask="causal", quiet=True)
    assert not glassbox.check("attention", lambda q, k, v: mine(q, k, v, 1), mask="causal", quiet=True)


def of_shape(change):
    """A right function whose result is changed."""
    return lambda q, k, v, mask: change(functions.attention(q, k, v, mask))


@pytest.mark.parametrize("function, said", [
    (lambda q, k, v: v, "an input, unchanged"),
    (lambda q, k, v: {"V": v}, "no step was computed"),
    (of_shape(lambda x: 0 * x), "values"),
    (of_shape(lambda x: x.swapaxes(-1, -2)), "right with its axes in the order (0, 2, 1)"),
    (of_shape(lambda x: x.ravel()), "its shape is (126,), (3, 6, 7) is needed"),
    (of_shape(lambda x: x[None]), "its shape is (1, 3, 6, 7), (3, 6, 7) is needed"),
    (of_shape(lambda x: x.sum(0)), "its shape is (6, 7), (3, 6, 7) is needed"),
])
def test_no_work_and_other_axes_are_wrong(function, said):
    result = glassbox.check("attention", function, quiet=True)
    assert not result and said in result.text, result.text
    with pytest.raises(glassbox.WrongNumbers):
        glassbox.check("attention", function, quiet=True, raise_on_wrong=True)


def test_an_array_alone_is_the_result_unless_it_is_said():
    def weights(q, k, v):
        return functions.softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))

    assert not glassbox.check("attention", weights, quiet=True)
    assert glassbox.check("attention", weights, returns="attention", quiet=True)


def test_no_array_of_a_tuple_is_left_out():
    def both(q, k, v):
        return functions.attention(q, k, v), np.zeros((2, 2))

    with pytest.raises(glassbox.Error, match="2 arrays; returns=… says which is which"):
        glassbox.check("attention", both, quiet=True)
    assert not glassbox.check("attention", lambda q, k, v: (functions.attention(q, k, v), q @ np.swapaxes(k, -1, -2)),
                              quiet=True)


def test_steps_say_what_is_earned():
    earned = {step["name"]: step["earned"] for step in glassbox.check("attention", functions.no_root, quiet=True).steps}
    assert earned["logits"] and earned["attention"] and not earned["scaled"] and not earned["values"] and not earned["Q"]
    zeros = glassbox.check("attention", of_shape(lambda x: 0 * x), quiet=True)
    assert not any(step["earned"] for step in zeros.steps)
