"""Losses that compare each position with the next token: labels that are not shifted by the caller are theirs to choose."""
import numpy as np
import pytest

import glassbox


def mean(logits, labels, ignored=-100):
    z = logits - logits.max(-1, keepdims=True)
    losses = np.take_along_axis(np.log(np.exp(z).sum(-1, keepdims=True)) - z, np.maximum(labels, 0)[..., None], -1)[..., 0]
    return (losses * (labels != ignored)).sum() / (labels != ignored).sum()


def own(logits, labels):
    return mean(logits, labels)


def shifts(logits, labels):
    return mean(logits[:, :-1], labels[:, 1:])


def shifts_labels_alone(logits, input_ids, ignore_index=-100):
    labels = np.concatenate([input_ids[:, 1:], np.full_like(input_ids[:, :1], ignore_index)], 1)
    return mean(logits, labels, ignore_index)


def shifts_one(logits, tokens):
    return mean(logits[:-1], tokens[1:])


def shifts_twice(logits, labels):
    return shifts(logits[:, :-1], labels[:, 1:])


def not_divided(logits, labels):
    return shifts(logits, labels) * (labels[:, 1:] != -100).sum()


SAID = "taken as a loss that shifts by itself: given the sequence's own tokens as labels"


@pytest.mark.parametrize("loss", [shifts, shifts_labels_alone, shifts_one])
def test_a_loss_that_shifts_by_itself_is_given_tokens(loss):
    result = glassbox.check("loss", loss, quiet=True)
    assert result and SAID in result.remarks, result.text


@pytest.mark.parametrize("loss, mistake", [(shifts_twice, "loss/shifted-again"), (not_divided, "loss/sum")])
def test_the_mistakes_of_a_loss_that_shifts_have_their_names(loss, mistake):
    result = glassbox.check("loss", loss, quiet=True)
    assert result.mistakes == [mistake] and SAID in result.remarks, result.text


def shifts_back(logits, labels):
    return mean(logits[:, 1:], labels[:, :-1])


def shifts_back_without_padding(logits, labels, ignore_index=-100):
    return mean(logits[:, 1:], labels[:, :-1], ignore_index)


def shifts_one_back(logits, tokens):
    return mean(logits[1:], tokens[:-1])


@pytest.mark.parametrize("loss", [shifts_back, shifts_back_without_padding, shifts_one_back])
def test_a_loss_that_shifts_the_wrong_way_is_told_so(loss):
    result = glassbox.check("loss", loss, quiet=True)
    assert not result and result.sentence.startswith("shifted the wrong way"), result.text


def test_labels_of_the_caller_are_shifted_already():
    logits, labels = np.random.default_rng(0).normal(size=(2, 4, 6)).astype(np.float32), np.array([[0, 1, 5, 2], [2, 0, 3, 4]])
    assert glassbox.check("loss", own, logits=logits, labels=labels, quiet=True)
    assert glassbox.check("loss", shifts, logits=logits, labels=labels, quiet=True).mistakes == ["loss/shifted-again"]


def test_what_a_loss_leaves_out_in_its_lines_is_so_with_lengths_too():
    for keywords in ({}, {"lengths": [4, 5, 2], "batch": 3}, {"lengths": [4, 2], "batch": 2, "seq": 4}):
        assert glassbox.check("loss", own, quiet=True, **keywords)


def test_a_batch_is_how_many_sequences_there_are():
    result = glassbox.check("attention", lambda Q, K, V: V, batch=2, quiet=True)
    assert result.case.inputs["V"].shape[0] == 2
    with pytest.raises(glassbox.Error, match="batch is False for a function of one sequence"):
        glassbox.check("attention", lambda Q, K, V: V, batch="many", quiet=True)


def test_a_language_models_loss_handed_in_as_the_next_token_is_a_loss_and_that_is_said():
    torch = pytest.importorskip("torch")

    def loss(lm_logits: torch.Tensor, labels: torch.Tensor):
        logits, after = lm_logits[..., :-1, :].contiguous(), labels[..., 1:].contiguous().long()
        return torch.nn.functional.cross_entropy(logits.view(-1, logits.size(-1)), after.view(-1))
    result = glassbox.check("next-token", loss, quiet=True)
    assert result and result.text.startswith("next-token: the layer loss, for it takes labels\n"), result.text
