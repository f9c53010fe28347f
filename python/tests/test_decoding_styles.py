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
    assert result, result.text


@pytest.mark.parametrize("layer, given, words, named", [
    ("decode", beam_search(score=softmax), {"beam": 2}, "right for one table but not for another"),
    ("decode", beam_search(total=lambda before, own: own), {"beam": 2}, "right for one table but not for another"),
    ("decode", beam_search(score=lambda x: x), {"beam": 2}, "log_probability/"),
    ("next-token", lambda logits, top_k: filtered(logits, top_k + 1), {}, "top_k/one-more"),
    ("next-token", lambda logits, prev_tokens, penalty: softmax(less_again(logits, prev_tokens, penalty, np.divide)), {}, "penalised/divided")])
def test_of_what_is_wrong_the_mistake_is_named(layer, given, words, named):
    result = glassbox.check(layer, given, quiet=True, **words)
    assert not result and named in result.text, result.text


def test_that_one_row_is_taken_is_said():
    assert "it takes one row of logits at a time" in glassbox.check("next-token", one_row, quiet=True).text


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
    def greedy(logits, start, n):
        return with_its_start(logits, start, n)
    result = glassbox.check("decode", greedy, quiet=True)
    assert result and "next-token" not in result.text, result.text


TABLE = np.random.default_rng(5).normal(size=(7, 7)).astype(np.float32)


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
    assert right and "never written" not in right.text, right.text
    own = glassbox.check("decode", by_steps(lambda own: own), beam=2, table=TABLE, quiet=True)
    assert own and "never written" in own.text, own.text
    wrong = glassbox.check("decode", by_steps(np.exp), beam=2, quiet=True)
    assert not wrong and "log_probability/no-logarithm" in wrong.mistakes, wrong.text


def to_the_end(length=lambda n, alpha: ((5 + n) / 6)**alpha, finish=lambda best, done, live, beam: False, give=lambda tokens, eos, n: tokens,
               exponent=None, drops=False):
    """A beam search that keeps what has ended, and takes the best of it by its length."""
    def search(table, start, eos, beam_width, n, alpha):
        live, done = [([start], 0.0)], []
        for _ in range(n):
            grown = [(tokens + [token], before + own) for tokens, before in live
                     for token, own in enumerate(log_softmax(table[tokens[-1]]))]
            best = sorted(grown, key=lambda each: -each[1])[:beam_width]
            done += [each for each in best if each[0][-1] == eos and not drops]
            live = [each for each in best if each[0][-1] != eos]
            if not live or finish(best, done, live, beam_width):
                break
        ended = done if finish(best, done, live, beam_width) else done + live
        return give(max(ended, key=lambda each: each[1] / length(len(each[0]) - 1, alpha))[0][1:], eos, n)
    if exponent is not None:
        return lambda table, start, n, beam_width, eos=3: search(table, start, eos, beam_width, n, exponent)
    return search


def all_complete(best, done, live, beam):
    return len(done) >= beam


def first_complete(best, done, live, beam):
    return bool(done)


@pytest.mark.parametrize("beam", [2, 3])
@pytest.mark.parametrize("given, said", [
    (to_the_end(), ""), (to_the_end(finish=all_complete), ""), (to_the_end(lambda n, alpha: n**alpha), "penalty-form=power"),
    (to_the_end(lambda n, alpha: n**alpha, all_complete), ""), (to_the_end(lambda n, alpha: 1, exponent=1), "length-penalty=0"),
    (to_the_end(lambda n, alpha: n, exponent=1), "penalty-form=power"), (to_the_end(exponent=0.6), ""),
    (to_the_end(give=lambda tokens, eos, n: [each for each in tokens if each != eos]), "without the end token"),
    (to_the_end(give=lambda tokens, eos, n: tokens + [0] * (n - len(tokens))), "as padding"),
    (to_the_end(give=lambda tokens, eos, n: tokens + [eos] * (n - len(tokens))), "as padding")])
def test_a_beam_search_to_an_end_token_is_right_in_the_ways_that_are_common(given, said, beam):
    result = glassbox.check("decode", given, beam=beam, quiet=True)
    assert result and said in result.text and "never written" not in result.text, result.text


@pytest.mark.parametrize("beam", [2, 3])
@pytest.mark.parametrize("given, named", [
    (to_the_end(lambda n, alpha: 1 / ((5 + n) / 6)**alpha), "score/multiplied"), (to_the_end(lambda n, alpha: 1), "score/no-penalty"),
    (to_the_end(lambda n, alpha: 1 / ((5 + n) / 6)**alpha, exponent=0.6), "score/multiplied"),
    (to_the_end(lambda n, alpha: n), "score/by-length"), (to_the_end(finish=first_complete), "score/first-complete"),
    (to_the_end(drops=True), "score/complete-dropped"), (lambda table, start, eos, n, beam_width: beam_search()(table, start, n, beam_width),
                                                            "written/past-end")])
def test_what_is_wrong_at_the_end_token_of_a_beam_search_is_named(given, named, beam):
    result = glassbox.check("decode", given, beam=beam, quiet=True)
    assert not result and named in result.mistakes, result.text


def greedy(stops):
    def write(table, start, n, eos=None):
        written = []
        for _ in range(n):
            token = int(table[(written or [start])[-1]].argmax())
            if token == eos and stops == "before":
                break
            written.append(token)
            if token == eos and stops:
                break
        return written
    return write


def test_a_greedy_decoder_stops_at_the_end_token():
    assert glassbox.check("decode", greedy("behind"), quiet=True)
    before = glassbox.check("decode", greedy("before"), quiet=True)
    assert before and "without the end token" in before.text, before.text
    assert glassbox.check("decode", greedy(""), quiet=True).mistakes == ["written/past-end"]
    assert glassbox.check("decode", greedy(""), table=TABLE, quiet=True)  # whose end nobody says
    assert glassbox.check("decode", greedy("behind"), table=TABLE, end=4, quiet=True)


def test_a_score_that_is_divided_by_the_length_penalty_again_is_found():
    def beam_search(model, prompt, beam_size, max_new_tokens, is_kept_whole):
        beams = [(0.0, 0.0, [int(each) for each in np.ravel(prompt)])]
        for n in range(1, max_new_tokens + 1):
            penalty, longer = ((5 + n) / 6)**0.6, []
            for total, score, tokens in beams:
                logits = model(np.array([tokens]))[0, -1]
                known = logits - np.log(np.exp(logits).sum())
                longer += [(total + p, ((total if is_kept_whole else score) + p) / penalty, tokens + [word]) for word, p in enumerate(known)]
            beams = sorted(longer, key=lambda each: -each[1])[:beam_size]
        return np.array([beams[0][2]])

    def whole(model, prompt, beam_size, max_new_tokens):
        return beam_search(model, prompt, beam_size, max_new_tokens, True)

    def again(model, prompt, beam_size, max_new_tokens):
        return beam_search(model, prompt, beam_size, max_new_tokens, False)

    for beam, tokens in ((2, 4), (3, 5), (4, 3)):
        result = glassbox.check("decode", whole, beam=beam, tokens=tokens, quiet=True)
        assert result, result.text
    result = glassbox.check("decode", again, beam=3, tokens=5, quiet=True)
    assert "log_probability/of-scores" in result.mistakes, result.text


def test_a_repetition_penalty_that_divides_scores_below_0_is_found():
    def greedy(model, prompt, max_new_tokens, repetition_penalty, is_right):
        tokens = [int(each) for each in np.ravel(prompt)]
        for _ in range(max_new_tokens):
            scores = np.array(model(np.array([tokens]))[0, -1])
            for token in set(tokens):
                scores[token] *= repetition_penalty if is_right and scores[token] < 0 else 1 / repetition_penalty
            tokens.append(int(scores.argmax()))
        return np.array([tokens])

    def right(model, prompt, max_new_tokens, repetition_penalty):
        return greedy(model, prompt, max_new_tokens, repetition_penalty, True)

    def divides(model, prompt, max_new_tokens, repetition_penalty):
        return greedy(model, prompt, max_new_tokens, repetition_penalty, False)
    result = glassbox.check("decode", right, repetition_penalty=1.5, quiet=True)
    assert result, result.text
    result = glassbox.check("decode", divides, repetition_penalty=1.5, quiet=True)
    assert result.mistakes == ["penalised/divided"], result.text


def from_its_last_token(table, prompt, n):
    written, token = [], int(prompt[-1])
    for _ in range(n):
        token = int(table[token].argmax())
        written.append(token)
    return written


def behind_its_list(table, prompt, n):
    for _ in range(n):
        prompt = prompt + [int(table[prompt[-1]].argmax())]
    return prompt


def as_rows(model, idx, n):
    for _ in range(n):
        idx = np.concatenate([idx, model(idx)[:, -1].argmax(-1)[:, None]], 1)
    return idx


@pytest.mark.parametrize("batch", [None, False])
@pytest.mark.parametrize("given", [from_its_last_token, behind_its_list, as_rows])
def test_a_prompt_is_flat_a_list_or_a_row(given, batch):
    result = glassbox.check("decode", given, tokens=4, batch=batch, quiet=True)
    assert result, result.text


def test_a_mistake_of_what_takes_a_flat_prompt_is_named():
    def least(table, prompt, n):
        return from_its_last_token(-table, prompt, n)
    assert "token/smallest" in glassbox.check("decode", least, batch=False, quiet=True).mistakes
