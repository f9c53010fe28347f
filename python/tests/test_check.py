"""Functions and numbers are judged as the command judges them."""
import os
import re
import subprocess
import sys
from pathlib import Path

import functions
import numpy as np
import pytest

import glassbox
from glassbox import engine, judging


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
    assert capsys.readouterr().out == shown[:shown.index("\nCompare with")]
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


class Unreadable:
    shape = (3, 6, 7)

    def __array__(self, *_, **__):
        raise KeyError("no numbers")


@pytest.mark.parametrize("value, sentence", [
    (None, "returned nothing: is there a return?"), ("a word", "returned 'a word', a str; expected an array"),
    ((), "no array"), (3j, "expected an array of real numbers"), (object(), "expected an array of real numbers"), ({}, "no array"),
    (Unreadable(), "cannot be read: KeyError"), (np.zeros((2, 2, 2)), "shape"), (np.full((3, 6, 7), np.nan), "nan")
], ids=lambda each: each if isinstance(each, str) else type(each).__name__)
def test_odd_results_are_wrong_and_told(value, sentence):
    result = glassbox.check("attention", lambda q, k, v: value, quiet=True)
    assert result is not None and not result and "✗" in result.text and sentence in result.text, result.text
    with pytest.raises(glassbox.WrongNumbers):
        glassbox.check("attention", lambda q, k, v: value, quiet=True, raise_on_wrong=True)


def test_a_wrong_shape_is_said():
    first = glassbox.check("attention", lambda q, k, v: functions.attention(q, k, v)[0], quiet=True)
    assert not first and "its shape is (6, 7), expected (3, 6, 7)" in first.text, first.text
    summed = glassbox.check("attention", lambda q, k, v: v.sum(0), quiet=True)
    assert not summed and "its shape is (5, 7), expected (3, 6, 7)" in summed.text, summed.text
    assert "the shape" not in glassbox.check("attention", functions.no_root, quiet=True).text


def test_named_results_that_are_no_arrays_are_told_too():
    for value, returns, sentence in ((None, ("values", "attention"), "nothing"), ("a word", "values", "a str"),
                                     (np.zeros((3, 6, 7)), ("values", "attention"), "2 names for 1 value")):
        result = glassbox.check("attention", lambda q, k, v: value, returns=returns, quiet=True)
        assert not result and sentence in result.sentence, result.text


def test_a_function_that_ends_the_program_is_told_with_its_line():
    def attention(q, k, v):
        raise SystemExit(1)

    def interrupted(q, k, v):
        raise KeyboardInterrupt

    result = glassbox.check("attention", attention, quiet=True)
    assert not result and "of test_check.py: it ends the program there" in result.sentence, result.text
    with pytest.raises(KeyboardInterrupt):
        glassbox.check("attention", interrupted, quiet=True)


def test_raising_only_when_asked():
    with pytest.raises(glassbox.WrongNumbers, match="no-root") as raised:
        glassbox.check("attention", functions.no_root, quiet=True, raise_on_wrong=True)
    assert raised.value.result.mistakes == ["scaled/no-root"]


def test_expected_numbers_can_be_hidden():
    assert ", expected" in glassbox.check("attention", functions.no_root, quiet=True).text
    assert ", expected" not in glassbox.check("attention", functions.no_root, quiet=True, hide_expected=True).text


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


def scores(q, k):
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])


def test_masks_of_one_row_of_keys_and_of_one_for_all():
    def padded(q, k, v, mask, axis=-1):
        return functions.softmax(np.where(mask[:, None, None, :], scores(q, k), -1e9), axis) @ v

    def same_for_all(q, k, v, mask):
        assert mask.ndim == 2
        return functions.softmax(np.where(mask, scores(q, k), -1e9)) @ v

    assert glassbox.check("attention", lambda q, k, v, mask: padded(q, k, v, mask), quiet=True)
    wrong = glassbox.check("attention", lambda q, k, v, mask: padded(q, k, v, mask, -2), quiet=True)
    assert "attention/over-queries" in wrong.mistakes, wrong.text
    assert glassbox.check("attention", same_for_all, quiet=True)


def test_queries_keys_and_values_of_one_shape_where_others_fail():
    def exchanged(q, k, v):
        return functions.attention(q, v, k)

    result = glassbox.check("attention", exchanged, quiet=True)
    assert result.mistakes == ["logits/keys-for-values"], result.text


def test_an_axis_for_the_heads():
    def over_heads(q, k, v):
        assert q.shape[1] == 3
        return functions.softmax(scores(q, k), axis=1) @ v

    assert glassbox.check("attention", functions.four_axes, heads=3, quiet=True)
    assert glassbox.check("attention", over_heads, heads=3, quiet=True).mistakes == ["attention/over-heads"]
    assert "attention/over-batch" in glassbox.check(
        "attention", lambda q, k, v: functions.softmax(scores(q, k), axis=0) @ v, quiet=True).mistakes


def test_other_numbers_each_time_are_said():
    rng = np.random.default_rng(0)

    def dropped(q, k, v):
        return functions.softmax(scores(q, k)) * (rng.random(scores(q, k).shape) > 0.1) @ v

    assert "dropout" in glassbox.check("attention", dropped, quiet=True).sentence


def test_two_mistakes_are_looked_for_in_as_many_passes_as_is_said():
    def two(q, k, v, mask):
        e = functions.softmax(np.where(mask, q @ np.swapaxes(k, -1, -2), -1e9))
        return np.swapaxes(np.swapaxes(e, -1, -2), -1, -2) @ v * 2 + np.sin(v.sum())

    brief = glassbox.check("attention", two, effort=0, quiet=True)
    assert not brief.as_json["searched_all"] and "effort=" in brief.text
    most = int(re.search(r"effort=(\d+)", brief.text)[1])
    assert glassbox.check("attention", two, effort=most, quiet=True).as_json["searched_all"]


@pytest.mark.parametrize("effort", ["x", -1, 1.5])
def test_an_effort_that_is_none_is_an_error_of_the_call(effort):
    for given in (lambda q, k, v, mask: v, lambda q, k, v: v, np.zeros((3, 2))):
        with pytest.raises(glassbox.Error, match="check: effort is a whole number of passes, 0 or more, got"):
            glassbox.check("attention", given, effort=effort, quiet=True, raise_on_wrong=True)


def test_seconds_are_taken_for_passes_and_it_is_said():
    result = glassbox.check("attention", lambda q, k, v, mask: q @ v.swapaxes(-1, -2) @ v, seconds=0.1, quiet=True)
    assert any("passes are counted" in remark for remark in result.remarks)


def of_shape(change):
    """A right function whose result is changed."""
    return lambda q, k, v, mask: change(functions.attention(q, k, v, mask))


@pytest.mark.parametrize("function, said", [
    (lambda q, k, v: v, "an input, unchanged"),
    (lambda q, k, v: {"V": v}, "no step was computed"),
    (of_shape(lambda x: 0 * x), "values"),
    (of_shape(lambda x: x.swapaxes(-1, -2)), "right with its axes in the order (0, 2, 1)"),
    (of_shape(lambda x: x.ravel()), "its shape is (126,), expected (3, 6, 7)"),
    (of_shape(lambda x: x[None]), "its shape is (1, 3, 6, 7), expected (3, 6, 7)"),
    (of_shape(lambda x: x.sum(0)), "its shape is (6, 7), expected (3, 6, 7)"),
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


def test_what_has_the_shape_of_no_step_is_left_out_and_it_is_said():
    for result, is_right in ((functions.attention, True), (functions.no_root, False)):
        result = glassbox.check("attention", lambda q, k, v: (result(q, k, v), np.zeros((2, 2))), quiet=True)
        assert bool(result) == is_right and "its second array was not judged" in result.text, result.text


def test_what_has_the_shape_of_a_step_is_not_left_out():
    for factor in (1, 3):  # the logits are a step, three times the logits are none
        result = glassbox.check("attention", lambda q, k, v: (functions.attention(q, k, v), factor * q @ np.swapaxes(k, -1, -2)),
                                quiet=True)
        assert bool(result) == (factor == 1) == ("✓ logits" in result.text), result.text


def test_of_own_names_the_result_is_judged():
    def named(factor):
        def steps(q, k, v):
            s = scores(q, k)
            w = functions.softmax(factor * s)
            return {"scores": s, "weights": w, "output": w @ v}
        return steps

    assert glassbox.check("attention", named(1), quiet=True)
    assert glassbox.check("attention", named(2), quiet=True).mistakes


def test_steps_say_what_is_earned():
    earned = {step["name"]: step["earned"] for step in glassbox.check("attention", functions.no_root, quiet=True).steps}
    assert earned["logits"] and earned["attention"] and not earned["scaled"] and earned["values"] and not earned["Q"]
    zeros = glassbox.check("attention", of_shape(lambda x: 0 * x), quiet=True)
    assert not any(step["earned"] for step in zeros.steps)


def test_a_function_that_stretches_short_gradients_is_wrong():
    def clipped(gradient, max_norm, always):
        ratio = max_norm / np.sqrt((gradient**2).sum())
        return gradient * (ratio if always else min(1, ratio))

    wrong = glassbox.check("clip", lambda gradient, max_norm: clipped(gradient, max_norm, True), quiet=True)
    assert not wrong and "factor/always" in wrong.mistakes
    right = glassbox.check("clip", lambda gradient, max_norm: clipped(gradient, max_norm, False), quiet=True)
    assert right and "1e-6" not in right.text


def test_what_has_no_effect_is_refused():
    right = glassbox.trace("attention", heads=None).result
    for name, value in {"backward": True, "steps": True, "batch": False, "dtype": "float16", "framework": "torch",
                        "device": "cpu", "arguments": {"q": "Q"}, "mask": "hide"}.items():
        with pytest.raises(glassbox.Error, match=f"check: {name}=.*: requires a function, and numbers were given"):
            glassbox.check("attention", np.asarray(right), quiet=True, **{name: value})
    with pytest.raises(glassbox.Error, match="as_: requires one array without a name"):
        glassbox.check("attention", {"scaled": np.asarray(right)}, as_="values", quiet=True)
    with pytest.raises(glassbox.Error, match="returns: requires a function or an array"):
        glassbox.check("attention", {"scaled": np.asarray(right)}, returns="values", quiet=True)
    with pytest.raises(glassbox.Error, match="as_ says the step of a file's only array"):
        glassbox.check("attention", "mine.npy", returns="values", quiet=True)
    for words in ({"bias": False}, {"headz": None}):
        with pytest.raises(glassbox.Error, match=f"the layer multihead has no keyword '{[*words][0]}'"):
            glassbox.trace("multihead", **words)
    with pytest.raises(glassbox.Error, match="save_weights: a file that the command writes"):
        glassbox.trace("multihead", save_weights="w.safetensors")


def test_an_array_of_a_file_is_called_what_is_said(tmp_path):
    steps = glassbox.trace("attention")
    np.save(tmp_path / "mine.npy", np.asarray(steps["scaled"]))
    result = glassbox.check("attention", tmp_path / "mine.npy", as_="scaled", quiet=True)
    assert result and [each["name"] for each in result.steps if each["verdict"] == "right"][-1] == "scaled"


def test_lists_of_numpys_own_numbers():
    numbers = np.asarray(glassbox.trace("attention").result)
    assert glassbox.check("attention", [list(row) for row in numbers.reshape(numbers.shape[-2:])], quiet=True)


def test_a_step_that_is_changed_in_place_later_is_kept_as_it_was():
    def attention(Q, K, V, mask=None):
        scores = glassbox.named("logits", Q @ np.swapaxes(K, -1, -2))
        scores /= np.sqrt(Q.shape[-1])
        glassbox.named("scaled", scores)
        if mask is not None:
            scores[np.broadcast_to(mask, scores.shape) == 0] = -1e9
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True) @ V

    assert glassbox.check("attention", attention, quiet=True), glassbox.check("attention", attention).text


def test_what_an_encoding_has_no_sign_for_is_printed_in_others(tmp_path):
    code = ("import glassbox, numpy as np; right = glassbox.trace('attention', seq=3, dk=2)['values']; "
            "glassbox.check('attention', right, seq=3, dk=2); glassbox.check('attention', right + 1, seq=3, dk=2); "
            "glassbox.compare({'attention': right}, {'attention': right + 1})")
    folder = Path(glassbox.__file__).resolve().parents[1]
    for encoding, right, wrong in (("ascii", b"[right]", b"[wrong]"), ("cp1252", b"[right]", b"[wrong]"),
                                   ("utf-8", "✓".encode(), "✗".encode())):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": encoding})
        assert done.returncode == 0, done.stderr
        assert right in done.stdout and wrong in done.stdout


def test_masked_and_complex_numbers_are_refused():
    right = glassbox.trace("attention", seq=3, dk=2)["values"]
    for mask in (True, np.eye(3, 2, dtype=bool)):
        masked = np.ma.masked_array(right, mask=mask)
        for given in (masked, {"values": masked}, [*masked]):
            with pytest.raises(glassbox.Error, match="are masked"):
                glassbox.check("attention", given, seq=3, dk=2, quiet=True)
    assert glassbox.check("attention", np.ma.masked_array(right, mask=False), seq=3, dk=2, quiet=True)
    assert glassbox.check("attention", right.astype(complex), seq=3, dk=2, quiet=True)
    for given in (right + 1j, {"values": right + 1j}, (right + 1j).tolist()):
        with pytest.raises(glassbox.Error, match="expected an array of real numbers"):
            glassbox.check("attention", given, seq=3, dk=2, quiet=True)
    for wrong, said in ((lambda Q, K, V, mask=None: functions.attention(Q, K, V, mask) + 1j, "expected an array of real numbers"),
                        (lambda Q, K, V, mask=None: np.ma.masked_array(functions.attention(Q, K, V, mask), mask=True),
                         "are masked")):
        result = glassbox.check("attention", wrong, quiet=True)
        assert not result and said in result.text


def test_more_numbers_than_can_be_compared_are_refused(monkeypatch):
    monkeypatch.setattr(judging, "MAX_NUMBERS", 1000)
    for given in (np.zeros(1001), {"values": np.zeros(600), "attention": np.zeros(600)}, np.zeros(1001).tolist(),
                  lambda Q, K, V, mask=None: np.zeros(1001)):
        with pytest.raises(glassbox.Error, match="numbers were submitted, and at most 1,000 are compared"):
            glassbox.check("attention", given, seq=3, dk=2, quiet=True)
    assert glassbox.check("attention", functions.attention, quiet=True)


def test_what_has_been_printed_is_one_line_as_a_string(capsys):
    for function, said in ((functions.softmax, "right"), (lambda x: functions.softmax(x, 0), "softmax/over-batch")):
        result = glassbox.check("softmax", function)
        assert str(result) == said and capsys.readouterr().out.strip() == result.text.strip()
        assert str(glassbox.check("softmax", function, quiet=True)) == result.text


def test_what_fails_is_one_line_as_a_string_too(capsys):
    result = glassbox.check("softmax", lambda x: 1 / 0)
    assert str(result).startswith("wrong: ") and "ZeroDivisionError" in str(result) and "\n" not in str(result)
