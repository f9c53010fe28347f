"""Of several mistakes that give the same numbers that one goes first which the author's own lines show."""
import numpy as np
import pytest

import glassbox


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def tiny(q, k, v, mask):
    return softmax(np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), float("-1e-20"))) @ v


def zero(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    scores[mask == 0] = 0
    return softmax(scores) @ v


def multiplied(q, k, v, mask):
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]) * mask) @ v


@pytest.mark.parametrize("function", [tiny, zero, multiplied])
def test_the_name_that_stands_in_its_lines_goes_first(function):
    name = f"masked/{function.__name__}"
    result = glassbox.check("attention", function, quiet=True)
    lines = result.text.splitlines()
    assert result.mistakes == [name] and result.sentence in result.text, result.text
    assert f"   {name}: scaled" in result.text and "Also explained by masked/" in result.text
    assert not any(line.startswith("   Also explained by") and name in line for line in lines), result.text


def test_a_module_is_read_too():
    torch = pytest.importorskip("torch")

    class Attention(torch.nn.Module):
        def forward(self, q, k, v, mask):
            scores = (q @ k.transpose(-1, -2) / q.shape[-1]**0.5).masked_fill(mask == 0, -1e-9)
            return scores.softmax(-1) @ v
    assert glassbox.check("attention", Attention(), quiet=True).mistakes == ["masked/tiny"]
