"""What arguments= takes: the names of a layer's inputs and their usual others, which docs/python.md lists."""
import re
import traceback

import documents
import numpy as np
import pytest

import glassbox

SIZES = {"lengths", "heads", "seq", "dmodel", "dk", "sqrt_dk", "normalized_shape", "batch", "classes", "probabilities"}


def visible(zz, ww):
    i = np.arange(zz.shape[-1])
    return (zz != 0)[:, None, :] & (abs(i[None, :] - i[:, None]) <= ww)


def attention(a, b, c, d):
    e = np.exp(np.where(d, a @ np.swapaxes(b, -1, -2) / np.sqrt(a.shape[-1]), -1e9))
    return e / e.sum(-1, keepdims=True) @ c


def update(a, b, c, d, e, f, g):
    m, v = f[0] * c + (1 - f[0]) * b, f[1] * d + (1 - f[1]) * b * b
    return a - e * m / (1 - f[0]**g) / (np.sqrt(v / (1 - f[1]**g)) + 1e-8)


def norm(a, b, c, d):
    return (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + d) * b + c


@pytest.mark.parametrize("layer, function, names", [
    ("mask", visible, {"zz": "tokens", "ww": "window"}), ("mask", visible, {"zz": "ids", "ww": "reach"}),
    ("attention", attention, {"a": "query", "b": "keys", "c": "V", "d": "attn_mask"}),
    ("adam", update, {"a": "params", "b": "grads", "c": "m", "d": "v", "e": "lr", "f": "betas", "g": "t"}),
    ("layer-norm", norm, {"a": "hidden_states", "b": "gamma", "c": "beta", "d": "eps"})])
def test_usual_names_are_names_there(layer, function, names):
    assert glassbox.check(layer, function, arguments=names, quiet=True)


def test_a_text_for_a_parameter_that_has_one_is_passed_as_it_is():
    def softmax(a, mode="wrong"):
        e = np.exp(a)
        return e / e.sum(-1, keepdims=True) if mode == "right" else e
    assert glassbox.check("softmax", softmax, arguments={"a": "x", "mode": "right"}, quiet=True)


def test_a_step_means_itself():
    def values(a, b):
        return a @ b
    assert glassbox.check("attention", values, arguments={"a": "attention", "b": "value"}, quiet=True)


def test_words_of_byte_pairs_and_optimisers():
    class Descent:
        def __init__(self, ww, aa):
            self.ww, self.aa = ww, aa

        def step(self, gg):
            for w, g in zip(self.ww, gg):
                w -= self.aa * g
    names = {"ww": "params", "aa": "lr", "gg": "grads"}
    assert glassbox.check("adam", Descent, optimiser="sgd", arguments=names, quiet=True)


def listed():
    """{layer: its names in the document}."""
    text = (documents.TOP / "docs" / "python.md").read_text(encoding="utf-8")
    table = text.partition("| layers | names |")[2].partition("\n\n")[0]
    rows = [re.findall(r"`([^`]+)`", cell) for line in table.splitlines()[2:] for cell in [line.split("|")[1:3]] for cell in cell]
    return {layer: set(names) for layers, names in zip(rows[::2], rows[1::2]) for layer in layers}


def own_names(layer):
    with pytest.raises(glassbox.Error, match="there are|takes: ") as problem:
        glassbox.check(layer, lambda given: given, arguments={"given": "nonsense"}, quiet=True)
    return set(re.split(r"there are |takes: ", str(problem.value))[-1].split(", "))


@pytest.mark.parametrize("layer", listed())
def test_the_document_lists_them(layer):
    own = {name for name in own_names(layer) if not name.endswith((".weight", ".bias"))} - SIZES - {"weights"}
    assert own == listed()[layer] - SIZES, layer


def test_an_error_is_raised_at_the_call():
    with pytest.raises(glassbox.Error) as problem:
        glassbox.check("attention", attention, arguments={"a": "nonsense"}, quiet=True)
    frames = [frame.filename for frame in traceback.extract_tb(problem.value.__traceback__)]
    assert len(frames) == 2 and problem.value.__cause__ is None, frames
