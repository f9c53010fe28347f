"""What is wrong in a way that no line of the catalogue says, and what one line says of two places."""
import numpy as np
import pytest

import glassbox


def cleared(model, loader, optimizer, criterion):
    for inputs, targets in loader:
        criterion(model(inputs), targets).backward()
        optimizer.zero_grad()
        optimizer.step()


def test_a_sentence_in_place_of_a_name_is_known_to_be_the_mistake():
    pytest.importorskip("torch")
    result = glassbox.check("training-step", cleared, quiet=True)
    sentence = "zero_grad() comes between backward() and step(): the update has no gradient left"
    assert result.is_named and result.mistakes == [] and result.sentence == sentence
    assert str(result) == f"✗ {sentence}" and result.brief == f"wrong: {sentence}"


def twice(w, grad, velocity, lr=0.1, mu=0.9):
    velocity = mu * velocity - lr * grad
    return w + lr * velocity, velocity


def test_a_sentence_beside_the_numbers_is_the_verdict_of_one_line():
    result = glassbox.check("sgd", twice, quiet=True)
    assert result.is_named and result.brief.startswith("wrong: the rate is applied twice"), result.text


def test_what_fails_is_not_known_to_be_a_mistake():
    def failing(q, k, v):
        raise ValueError("no")
    assert not glassbox.check("attention", failing, quiet=True).is_named


class Adam:
    def __init__(self, lr=0.001, b1=0.9, b2=0.999):
        self.lr, self.b1, self.b2, self.m, self.v = lr, b1, b2, 0, 0

    def update(self, w, g):
        self.m, self.v = self.b1 * self.m + (1 - self.b1) * g, self.b2 * self.v + (1 - self.b2) * g**2
        return w - self.lr * self.m / (1 - self.b1) / (np.sqrt(self.v / (1 - self.b2)) + 1e-8)


def test_one_slip_at_two_places_has_one_sentence_and_one_link():
    result = glassbox.check("adam", Adam, quiet=True)
    assert result.mistakes == ["m_hat/no-power", "v_hat/no-power"]
    assert result.text.count("Divided by 1 − β every time") == result.text.count("Seen in") == 1, result.text
    assert result.sentence.count("Divided by 1 − β every time") == 1
    assert result.text.index("v_hat/no-power") < result.text.index("Divided by 1")
