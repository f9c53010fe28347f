"""check takes a layer, and a size, by the names that they have elsewhere."""
import functions
import numpy as np
import pytest

import glassbox
from glassbox import layer_names


def is_of_heads(x, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((x @ W).reshape(*x.shape[:2], num_heads, -1).swapaxes(1, 2) for W in (W_q, W_k, W_v))
    return functions.attention(q, k, v).swapaxes(1, 2).reshape(x.shape) @ W_o


def adam_with_decay(w, g, m, v, t, decay):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
    return w - 1e-3 * (m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8) + decay * w)


@pytest.mark.parametrize("name, given, said", [
    ("scaled-dot-product-attention", functions.attention, "the layer attention\n"),
    ("self-attention", functions.attention, "the layer attention\n"),
    ("SelfAttention", is_of_heads, "the layer multihead\n"),
    ("mha", is_of_heads, "the layer multihead\n"),
    ("AdamW", lambda w, g, m, v, t: adam_with_decay(w, g, m, v, t, 0.05), "the layer adam with optimiser=\"adamw\"\n"),
    ("Noam", lambda n: 0.1 * np.minimum(np.maximum(n, 1)**-0.5, n * 10**-1.5), "the layer schedule with schedule=\"inverse-sqrt\"\n")])
def test_another_name_of_a_layer_is_taken_and_said(name, given, said):
    words = {"AdamW": {"weight_decay": 0.05, "rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8},
             "Noam": {"rate": 1, "d_model": 100, "warmup": 10}}.get(name, {})
    result = glassbox.check(name, given, quiet=True, **words)
    assert result and result.text.startswith(f"{name}: {said}"), result.text


def test_what_such_a_name_says_the_caller_may_say_otherwise():
    result = glassbox.check("adamw", lambda w, g: w - 0.1 * g, optimiser="sgd", momentum=0, weight_decay=0, rate=0.1, quiet=True)
    assert result, result.text


def test_of_a_name_that_others_have_too_it_is_asked():
    with pytest.raises(glassbox.Error, match="no layer has the name 'block'; did you mean 'encoder-block'"):
        glassbox.check("block", functions.attention)


def test_no_name_is_that_of_two_layers():
    names = [name for table in (layer_names.NAMES, layer_names.LIKE) for each in table.values() for name in each]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("heads", ["num_heads", "n_heads", "heads"])
def test_sizes_may_have_their_usual_names(heads):
    assert glassbox.check("multihead", is_of_heads, d_model=16, **{heads: 4}, quiet=True)
    with pytest.raises(glassbox.Error, match="another name of heads: use only one"):
        glassbox.check("multihead", is_of_heads, heads=4, num_heads=4)


def test_a_size_that_the_layer_has_not_is_told_as_it_was_typed():
    with pytest.raises(glassbox.Error, match="the layer adam has no keyword 'd_model'"):
        glassbox.check("adam", lambda w, g: w, d_model=3)
