"""Functions that write token by token, or choose among logits, in the styles that people have."""
import numpy as np
import pytest

import glassbox


def log_softmax(x):
    return x - x.max() - np.log(np.exp(x - x.max()).sum())


def softmax(x):
    return np.exp(x - x.max(-1, keepdims=True)) / np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)


def beam_search(score=log_softmax, total=lambda before, own: before + own, give=lambda beams: beams[0][0][1:], length=lambda n: 1):
    def search(table, start, n, beam_width):
        beams = [([start], 0.0)]
        for _ in range(n):
            open_ones = [(tokens + [token], total(before, own)) for tokens, before in beams
                         for token, own in enumerate(score(table[tokens[-1]]))]
            beams = sorted(open_ones, key=lambda each: -each[1] / length(len(each[0]) - 1))[:beam_width]
        return give(beams)
    return search


def generator(model, prompt, max_new_tokens):
    ids = list(np.ravel(prompt))
    for _ in range(max_new_tokens):
        ids.append(int(model(np.array([ids]))[0, -1].argmax()))
        yield ids[-1]


def with_its_start(table, start, steps):
    written = [start]
    for _ in range(steps):
        written.append(int(table[written[-1]].argmax()))
    return written


def filtered(logits, top_k):
    return np.where(logits < np.sort(logits, -1)[:, [-top_k]], -np.inf, logits)


def one_row(logits, top_p=0.9):
    p = softmax(logits)
    order = np.argsort(p)[::-1]
    kept = order[:int(np.argmax(np.cumsum(p[order]) >= top_p)) + 1]
    return np.where(np.isin(np.arange(len(p)), kept), p, 0) / p[kept].sum()


def less_again(logits, prev_tokens, penalty, below=lambda score, penalty: score * penalty):
    out = np.array(logits)
    for row, tokens in zip(out, prev_tokens):
        for token in {int(each) for each in tokens}:
            row[token] = row[token] / penalty if row[token] > 0 else below(row[token], penalty)
    return out


@pytest.mark.parametrize("layer, given, words", [
    ("decode", generator, {}), ("decode", with_its_start, {}), ("decode", beam_search(), {"beam": 2}), ("decode", beam_search(), {"beam": 3}),
    ("decode", beam_search(length=lambda n: ((5 + n) / 6)**0.6), {"beam": 3}), ("decode", beam_search(length=lambda n: n**0.7), {"beam": 3}),
    ("decode", beam_search(give=lambda beams: beams), {"beam": 2}), ("decode", beam_search(give=lambda beams: beams[0]), {"beam": 2}),
    ("next-token", filtered, {}), ("next-token", one_row, {}), ("next-token", lambda logits, prev_tokens, penalty: less_again(
        logits, prev_tokens, penalty), {})])
def test_what_is_right_passes(layer, given, words):
    result = glassbox.check(layer, given, quiet=True, **words)
    assert result, str(result)


@pytest.mark.parametrize("layer, given, words, named", [
    ("decode", beam_search(score=softmax), {"beam": 2}, "right for one table but not for another"),
    ("decode", beam_search(total=lambda before, own: own), {"beam": 2}, "right for one table but not for another"),
    ("decode", beam_search(score=lambda x: x), {"beam": 2}, "log_probability/"),
    ("next-token", lambda logits, top_k: filtered(logits, top_k + 1), {}, "top_k/one-more"),
    ("next-token", lambda logits, prev_tokens, penalty: softmax(less_again(logits, prev_tokens, penalty, np.divide)), {}, "penalised/divided")])
def test_of_what_is_wrong_the_mistake_is_named(layer, given, words, named):
    result = glassbox.check(layer, given, quiet=True, **words)
    assert not result and named in str(result), str(result)


def test_that_one_row_is_taken_is_said():
    assert "it takes one row of logits at a time" in str(glassbox.check("next-token", one_row, quiet=True))


@pytest.mark.parametrize("given", [
    lambda logits, top_k: filtered(logits, top_k), lambda logits, top_p=0.9: np.array([one_row(row, top_p) for row in logits]),
    lambda repetition_penalty, prev_tokens, logits: less_again(logits, prev_tokens, repetition_penalty)])
def test_a_decoder_that_takes_the_logits_of_one_step_is_the_next_token_and_that_is_said(given):
    result = glassbox.check("decode", given, quiet=True)
    assert result and result.text.startswith("decode: the layer next-token, for it takes logits\n"), result.text


def test_a_mistake_that_is_made_in_one_row_is_named():
    def penalised(logits, generated, repetition_penalty=1.3):
        scores = np.array(logits)
        for token in set(np.ravel(generated).tolist()):
            scores[..., token] /= repetition_penalty
        return scores
    result = glassbox.check("decode", penalised, quiet=True)
    assert result.mistakes == ["penalised/divided"] and "one row of logits" in result.text, result.text


def test_a_decoder_of_a_table_called_logits_stays_one():
    def greedy(logits, start, n, repetition_penalty=1.0):
        return with_its_start(logits, start, n)
    result = glassbox.check("decode", greedy, quiet=True)
    assert result and "next-token" not in result.text, result.text


def by_steps(score):
    def beam_search(step, bos, eos, beam_size, max_len, alpha):
        live, done = [([bos], 0.0)], []
        for _ in range(max_len):
            grown = [(tokens + [token], before + score(own)) for tokens, before in live for token, own in enumerate(step(tokens))]
            best = sorted(grown, key=lambda each: -each[1])[:beam_size]
            done += [each for each in best if each[0][-1] == eos]
            live = [each for each in best if each[0][-1] != eos]
        return max(done + live, key=lambda each: each[1] / ((5 + len(each[0]) - 1) / 6)**alpha)[0]
    return beam_search


def test_a_decoder_may_be_given_as_its_step():
    right = glassbox.check("decode", by_steps(lambda own: own), beam=2, quiet=True)
    assert right and "never written" in right.text, right.text
    wrong = glassbox.check("decode", by_steps(np.exp), beam=2, quiet=True)
    assert not wrong and "log_probability/no-logarithm" in wrong.mistakes, wrong.text
