"""RevIN with a factor and a shift of its own, and with a mode."""
import numpy as np
import pytest

import glassbox


def revin(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(-2, keepdims=True)) / np.sqrt(x.var(-2, keepdims=True) + eps) + beta


def test_a_factor_and_a_shift_of_its_own_have_no_effect():
    result = glassbox.check("scaler", revin, kind="revin", quiet=True)
    assert result and "factor and shift" in result.text, result.text


def with_mode(torch, undo):
    class RevIN(torch.nn.Module):
        def __init__(self, width, eps=1e-5):
            super().__init__()
            self.eps = eps
            self.affine_weight, self.affine_bias = torch.nn.Parameter(torch.ones(width)), torch.nn.Parameter(torch.zeros(width))

        def forward(self, x, mode):
            if mode == "norm":
                self.mean, self.deviation = x.mean(1, keepdim=True), torch.sqrt(x.var(1, keepdim=True, unbiased=False) + self.eps)
                return (x - self.mean) / self.deviation * self.affine_weight + self.affine_bias
            if mode == "denorm":
                return undo(self, x)
            raise NotImplementedError
    return RevIN(3)


def in_reverse(own, x):
    return (x - own.affine_bias) / own.affine_weight * own.deviation + own.mean


def in_order(own, x):
    return (x * own.deviation + own.mean - own.affine_bias) / own.affine_weight


@pytest.mark.parametrize("back", [False, True])
def test_a_module_with_a_mode_is_right_both_ways(back):
    torch = pytest.importorskip("torch")
    assert glassbox.check("scaler", with_mode(torch, in_reverse), kind="revin", back=back, quiet=True)


def test_a_factor_that_is_not_undone_first_is_said():
    torch = pytest.importorskip("torch")
    result = glassbox.check("scaler", with_mode(torch, in_order), kind="revin", back=True, quiet=True)
    assert not result and "reverse order" in result.text, result.text


def one_way(torch, unbiased):
    class RevIN(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.gamma, self.beta = torch.nn.Parameter(torch.rand(width)), torch.nn.Parameter(torch.rand(width))

        def forward(self, x):
            return (x - x.mean(1, keepdim=True)) / (x.var(1, keepdim=True, unbiased=unbiased) + 1e-5).sqrt() * self.gamma + self.beta
    return RevIN(4)


def test_a_module_with_a_factor_that_goes_one_way_is_checked_without_it():
    torch = pytest.importorskip("torch")
    result = glassbox.check("scaler", one_way(torch, False), quiet=True)
    assert result and "factor and shift" in result.text, result.text
    assert glassbox.check("scaler", one_way(torch, True), quiet=True).mistakes == ["spread/unbiased"]


def two_methods(torch, unbiased=False, epsilon=1e-5, level=1):
    class RevIN(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.eps = epsilon

        def normalize(self, x):
            self.mean, self.spread = x.mean(1, keepdim=True), (x.var(1, keepdim=True, unbiased=unbiased) + self.eps).sqrt()
            return (x - self.mean) / self.spread

        def denormalize(self, y):
            return y * self.spread + level * self.mean
    return RevIN()


@pytest.mark.parametrize("words, mistakes", [
    ({}, []), ({"epsilon": 1e-6}, []), ({"unbiased": True}, ["spread/unbiased"]), ({"epsilon": 1e-12}, ["spread/no-epsilon"]),
    ({"level": 0}, ["restored/no-level"])])
def test_there_and_back_both_are_judged(words, mistakes):
    torch = pytest.importorskip("torch")
    result = glassbox.check("scaler", two_methods(torch, **words), kind="revin", back=True, quiet=True)
    assert result.mistakes == mistakes and bool(result) == (not mistakes), result.text


def test_another_usual_epsilon_is_said():
    torch = pytest.importorskip("torch")
    given = two_methods(torch, epsilon=1e-6)
    assert "its ε is 1e-06, which is free" in glassbox.check("scaler", given, kind="revin", quiet=True).text
    assert given.eps == 1e-6


@pytest.mark.parametrize("ddof, mistakes", [(0, []), (1, ["deviation/unbiased"])])
def test_of_a_scaler_that_comes_back_the_scaled_rows_are_judged(ddof, mistakes):
    class Scaler:
        def fit(self, x):
            self.mean, self.deviation = x.mean(0), x.std(0, ddof=ddof)

        def transform(self, x):
            return (x - self.mean) / self.deviation

        def inverse_transform(self, x):
            return x * self.deviation + self.mean
    assert glassbox.check("scaler", Scaler(), back=True, quiet=True).mistakes == mistakes
