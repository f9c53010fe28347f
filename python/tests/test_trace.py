"""A pass as arrays, texts, figures and a page."""
import numpy as np
import pytest

import glassbox


@pytest.fixture
def steps():
    return glassbox.trace("encoder-block", heads=2)


def test_steps_have_numbers_and_words(steps):
    attention = steps["attention"]
    assert attention is steps["self_attn/attention"] and attention.shape == (2, 3, 3)
    assert attention.formula == "softmax(scaled)" and "weights" in attention.sentence
    assert np.allclose(attention.sum(-1), 1) and type(attention + 1) is np.ndarray
    assert "norm2" in steps and "norm3" not in steps and list(steps)[-1] == "norm2"
    with pytest.raises(KeyError, match="no step 'norm3'"):
        steps["norm3"]
    with pytest.raises(glassbox.Error, match="may be"):
        steps["output"]


def test_x_is_what_was_submitted():
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    for norm in ("pre", "post"):
        steps = glassbox.trace("encoder-block", x=x, norm=norm, heads=2)
        assert np.array_equal(steps["x"], x)


def test_the_numbers_are_the_tutorials():
    values = glassbox.trace("attention", seq=3, dk=2).result
    assert np.allclose(values, [[0.376226, -0.14656176], [-0.42778552, -0.5989564], [0.4362476, -0.11678296]],
                       atol=1e-6)


def test_arithmetic_gradients_map_and_page(steps, tmp_path):
    assert "norm1[0,1] = " in steps.explain("norm1[0,1]") and repr(steps.explain("norm1[0,1]",
                                                                                 depth=1)).startswith("Encoder block")
    gradients = steps.gradients("sumsq(norm2)")
    assert gradients["norm2"].shape == (3, 4) and np.allclose(gradients["norm2"], 2 * steps["norm2"], atol=1e-5)
    assert gradients["weights/norm1.weight"].shape == (4, )
    assert steps.map()._repr_svg_().lstrip().startswith("<?xml") and "head 1" in repr(steps.map())
    steps.page(tmp_path / "trace.html")
    assert "<script" in (tmp_path / "trace.html").read_text()
    assert "srcdoc" in steps._repr_html_() and "self_attn/attention" in repr(steps)


def test_inputs_weights_and_masks_are_taken():
    x = np.random.default_rng(1).normal(size=(2, 4, 6)).astype(np.float32)
    first = glassbox.trace("multihead", x=x, dmodel=6, heads=3, mask="causal")
    assert np.array_equal(first["x"], x) and np.all(np.triu(first["attention"][0, 0], 1) == 0)
    again = glassbox.trace("multihead", x=x, dmodel=6, heads=3, mask=np.tril(np.ones((4, 4))))
    assert np.array_equal(again.result, first.result)
    assert glassbox.trace("attention", lengths=[2, 3], batch=2, seq=3)["attention"].shape == (2, 3, 3)


def test_wrong_words_are_the_commands_own_errors():
    with pytest.raises(glassbox.Error, match="did you mean 'multihead'"):
        glassbox.trace("multihed")
    with pytest.raises(glassbox.Error, match="no keyword 'd_heads'; did you mean 'heads'"):
        glassbox.trace("multihead", d_heads=3)
    with pytest.raises(glassbox.Error, match="heads"):
        glassbox.trace("multihead", heads=3, dmodel=4)


def test_numbers_that_are_none():
    steps = glassbox.trace("attention", Q=[[np.nan, 1]], K=[[1, 2]], V=[[np.inf, 0]])
    assert np.isnan(steps["logits"]).all() and np.isinf(steps["V"][0, 0])
