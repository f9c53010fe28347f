"""glassbox.check names the mistake of a function, of numbers and of steps, and lets right ones pass."""
import numpy as np
import pytest

import glassbox


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask == 0, -9e15, scores)
    return softmax(scores) @ V


def without_root(Q, K, V, mask=None):
    return attention(Q / np.sqrt(Q.shape[-1]), K, V, mask)


def checked(*words, **options):
    return glassbox.check(*words, quiet=True, **options)


def test_a_right_function_passes():
    result = checked("attention", attention)
    assert result and result.mistakes == [] and result.sentence == ""


def test_the_mistake_of_a_function_is_named_with_its_sentence():
    result = checked("attention", without_root)
    assert not result
    assert "scaled/no-root" in result.mistakes
    assert result.sentence.startswith("Divided by d_k")
    assert result.wrong["name"] == "values"


def test_it_prints_what_the_command_prints(capsys):
    result = glassbox.check("attention", without_root)
    printed = capsys.readouterr().out
    assert printed.startswith("✗ values") and "scaled/no-root" in printed
    assert result.text in printed


def test_right_numbers_can_be_hidden():
    assert "right is" in checked("attention", without_root).text
    assert "right is" not in checked("attention", without_root, hide_expected=True).text


def test_the_last_array_alone_is_enough():
    Q, K, V = np.eye(3, 2), np.array([[1.0, 1], [0, 2], [1, 0]]), np.array([[1.0, 0], [0, 1], [2, 2]])
    assert checked("attention", attention(Q, K, V), Q=Q, K=K, V=V)
    assert checked("attention", without_root(Q, K, V), Q=Q, K=K, V=V).mistakes == ["scaled/no-root"]


def test_steps_that_a_function_returns_tell_its_own_mistake_from_what_follows():
    def steps(Q, K, V):
        logits = Q @ np.swapaxes(K, -1, -2)
        weights = softmax(logits / np.sqrt(Q.shape[-1]), axis=-2)
        return {"logits": logits, "attention": weights, "values": weights @ V}

    result = checked("attention", steps)
    assert result.wrong["name"] == "attention"
    assert "attention/over-queries" in result.mistakes
    verdicts = {step["name"]: step["verdict"] for step in result.steps}
    assert verdicts["logits"] == "right" and verdicts["values"] == "right for what it was given"


def test_parameters_of_other_names_and_order_are_found_or_said():
    assert checked("attention", lambda value, key, query: attention(query, key, value))
    assert checked("attention", lambda a, b, c: attention(c, a, b), arguments={"a": "K", "b": "V", "c": "Q"})


def test_a_mask_whose_1_hides_is_recognised_or_said():
    assert checked("attention", lambda Q, K, V, hidden: attention(Q, K, V, 1 - hidden), arguments={"hidden": "mask"}, mask="hide")


def test_an_exception_is_told_with_the_line_of_the_function():
    def fails(Q, K, V):
        return Q @ K  # the shapes do not fit

    result = checked("attention", fails)
    assert not result
    assert "Q @ K" in result.text and "Traceback" not in result.text


def test_it_raises_only_when_asked():
    checked("attention", without_root)
    with pytest.raises(glassbox.WrongNumbers, match="d_k"):
        checked("attention", without_root, raise_on_wrong=True)


def test_errors_are_the_commands_own():
    with pytest.raises(glassbox.Error, match="attention"):
        checked("atention", attention)
    with pytest.raises(glassbox.Error, match="--heads"):
        checked("multihead", np.zeros((3, 4)), head=2)


def test_a_wrong_path_of_the_command_is_said(monkeypatch):
    monkeypatch.setenv("GLASSBOX_TRACER", "/nowhere/tracer")
    with pytest.raises(glassbox.Error, match="GLASSBOX_TRACER"):
        checked("attention", attention)


def test_float64_and_float16_are_judged_by_their_own_precision():
    for dtype in ("float16", "float32", "float64"):
        assert checked("attention", lambda Q, K, V: attention(Q, K, V), dtype=dtype)


@pytest.fixture(name="torch")
def fixture_torch():
    return pytest.importorskip("torch")


def test_a_function_of_pytorch_gets_tensors(torch):
    def mine(q, k, v):
        assert isinstance(q, torch.Tensor)
        return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, dim=-1) @ v

    def over_queries(q, k, v):
        return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, dim=-2) @ v

    assert checked("attention", mine, framework="torch")
    assert "attention/over-queries" in checked("attention", over_queries, framework="torch").mistakes


def test_the_hidden_head_of_a_multi_head_attention_is_named(torch):
    def mine(x, qkv_weight, qkv_bias, o_weight, o_bias, heads):
        batch, length, width = x.shape
        qkv = (x @ qkv_weight.T + qkv_bias).reshape(batch, length, heads, -1).permute(0, 2, 1, 3)
        q, k, v = qkv.chunk(3, dim=-1)
        weights = torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, dim=-1)
        values = weights[:, :1] @ v  # head 0's weights for all
        return values.permute(0, 2, 1, 3).reshape(batch, length, width) @ o_weight.T + o_bias

    names = {"qkv_weight": "qkv_proj.weight", "qkv_bias": "qkv_proj.bias", "o_weight": "o_proj.weight", "o_bias": "o_proj.bias"}
    result = checked("multihead", mine, arguments=names, framework="torch")
    assert not result and result.mistakes
