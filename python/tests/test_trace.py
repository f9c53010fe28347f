"""glassbox.trace gives the command's steps, numbers, arithmetic, gradients and pages."""
import numpy as np
import pytest

import glassbox


def test_the_tutorials_numbers_come_out():
    steps = glassbox.trace("attention", seq=3, dk=2)
    assert list(steps) == ["Q", "K", "V", "logits", "scaled", "attention", "values"]
    np.testing.assert_allclose(steps["attention"][0], [0.27963293, 0.54049295, 0.17987415], rtol=1e-6)
    assert steps["scaled"].formula == "logits / √d_k" and steps["values"].sentence
    assert steps["values"].shape == (3, 2) and steps.result.name == "values"


def test_ones_own_inputs_and_weights_are_used():
    x = np.arange(24, dtype=float).reshape(2, 3, 4) / 10
    drawn = glassbox.trace("multihead", x=x, heads=2)
    np.testing.assert_allclose(drawn["x"], x, rtol=1e-6)
    names = ["qkv_proj.weight", "qkv_proj.bias", "o_proj.weight", "o_proj.bias"]
    weights = {name: np.zeros(shape) for name, shape in zip(names, [(12, 4), (12,), (4, 4), (4,)])}
    weights["o_proj.bias"][:] = [1, 2, 3, 4]
    output = glassbox.trace("multihead", x=x, weights=weights, heads=2)["output"]
    np.testing.assert_array_equal(output, np.broadcast_to([1, 2, 3, 4], (2, 3, 4)))


def test_what_is_computed_from_a_step_is_a_plain_array():
    steps = glassbox.trace("attention", seq=3, dk=2)
    total = steps["attention"].sum(axis=-1)
    assert type(total) is np.ndarray or isinstance(total, np.ndarray)
    np.testing.assert_allclose(total, 1, rtol=1e-6)


def test_one_number_is_explained():
    text = glassbox.trace("attention", seq=3, dk=2).explain("values[0,1]", depth=1)
    assert "values[0,1] = Σ_j attention[0,j]·V[j,1]" in text


def test_gradients_are_those_of_finite_differences():
    Q, K, V = np.eye(3, 2), np.array([[1.0, 1], [0, 2], [1, 0]]), np.array([[1.0, 0], [0, 1], [2, 2]])

    def total(values):
        return glassbox.trace("attention", Q=Q, K=K, V=values).result.astype(float).sum()

    gradient = glassbox.trace("attention", Q=Q, K=K, V=V).gradients()["V"]
    step = np.zeros_like(V)
    step[1, 0] = 0.5
    assert gradient[1, 0] == pytest.approx(total(V + step) - total(V - step), abs=1e-5)


def test_a_notebook_shows_the_page_and_a_map():
    steps = glassbox.trace("multihead", seq=3)
    assert steps._repr_html_().startswith("<iframe srcdoc=")
    assert "<svg" in steps.map()._repr_svg_() and "Head" in repr(steps.map())
    assert "multihead: " in repr(steps) and "softmax" in repr(steps)


def test_a_wrong_name_is_answered_with_the_steps_there_are():
    steps = glassbox.trace("attention", seq=3)
    with pytest.raises(KeyError, match="Q, K, V"):
        steps["weights"]
    with pytest.raises(glassbox.Error, match="--sequence"):
        glassbox.trace("attention", sequence=3)


@pytest.fixture(name="nn")
def fixture_nn():
    return pytest.importorskip("torch").nn


def block(nn, **options):
    return nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options).eval()


@pytest.mark.parametrize("options", [{}, {"norm_first": True}, {"activation": "gelu"}])
def test_an_encoder_layer_of_pytorch_is_traced_with_its_own_weights_and_options(nn, options):
    import torch
    module, x = block(nn, **options), torch.randn(2, 3, 8)
    steps = glassbox.trace("encoder-block", x=x, weights=module)
    np.testing.assert_allclose(steps.result, module(x).detach().numpy(), atol=2e-6)


def test_modules_of_pytorch_pass_as_they_are(nn):
    for layer, module in [("encoder-block", block(nn)), ("multihead", nn.MultiheadAttention(8, 2, batch_first=True)),
                          ("multihead", nn.MultiheadAttention(8, 4)),
                          ("decoder-block", nn.TransformerDecoderLayer(8, 2, 16, norm_first=True, activation="gelu"))]:
        assert glassbox.check(layer, module, quiet=True), type(module).__name__


def test_the_mistake_of_a_module_is_named(nn):
    module = block(nn)
    module.norm1.eps = 1e-2
    assert "norm1: layer_norm/larger-epsilon" in glassbox.check("encoder-block", module, quiet=True).mistakes
