"""Functions that make masks: windows, padding of tokens, and what a 1 means are theirs to choose."""
import numpy as np
import pytest

import glassbox


def ahead(n):
    return np.arange(n) - np.arange(n)[:, None]


def band(size, reach=2):
    return abs(ahead(size)) <= reach


def local(n, window):
    return (ahead(n) <= 0) & (-ahead(n) < window)


def past(n, reach):
    return (ahead(n) <= 0) & (-ahead(n) <= reach)


def wide(n, window_size):
    return abs(ahead(n)) <= window_size // 2


def two(n):
    return abs(ahead(n)) <= 2


def future(n):
    return ahead(n) > 0


def added(n):
    return np.triu(np.full((n, n), -1e9), 1)


def added_by_lengths(lengths, n):
    there = np.arange(n) < np.asarray(lengths)[:, None]
    return np.where(there[:, None] & (ahead(n) <= 0), 0, -np.inf)


def padding(tokens, pad=0):
    return (tokens != pad)[:, None, None]


def padding_by_rows(seq, pad_idx):
    return np.broadcast_to((seq == pad_idx)[:, None], (*seq.shape, seq.shape[-1]))


def keys(tokens):
    return tokens == 1


def of_one(tokens):
    assert tokens.ndim == 1
    return (tokens != 0)[None] & (ahead(len(tokens)) <= 0)


def decoder(tokens, pad=0):
    return (tokens != pad)[:, None, None] & (ahead(tokens.shape[-1]) <= 0)


def prepared(attention_mask):
    there = (attention_mask == 1)[:, None, None, :]
    return np.where(there & (ahead(there.shape[-1]) <= 0), 0, -1e9)


def prepared_of_padding(padding_mask):
    return prepared(1 - padding_mask)


def prepared_of_added(attention_mask):
    return np.where(ahead(attention_mask.shape[-1]) <= 0, 0, -1e9) + attention_mask[:, None, None, :]


def prepared_inverted(attention_mask):
    return prepared(1 - attention_mask)


def by_shape(x):
    return ahead(x.shape[1]) <= 0


def of_seq(seq):
    return (seq == 0).astype(float)[:, None, None]


def for_each(trg):
    return np.broadcast_to(ahead(trg.shape[1]) <= 0, (len(trg), 1, trg.shape[1], trg.shape[1]))


def of_batch(batch_size, q_len, k_len):
    return np.broadcast_to(np.tri(q_len, k_len), (batch_size, q_len, k_len))


def of_source(src, src_pad_idx=1):
    return (src != src_pad_idx)[:, None, None]


def by_lengths(lengths, max_len):
    return np.arange(max_len) < np.asarray(lengths)[:, None]


@pytest.mark.parametrize("make, options, said", [
    (band, {"mask": "window:2"}, ""), (two, {"mask": "window:2"}, ""), (band, {}, ""),
    (local, {}, "window of 3 keys"), (past, {}, "earlier keys alone"), (local, {"mask": "window:2"}, "window of 2 keys"), (wide, {}, "width"),
    (future, {}, 'mask="hide"'), (future, {"mask": "hide"}, ""), (added, {}, 'mask="add"'), (added, {"mask": "add"}, ""),
    (added_by_lengths, {}, 'mask="add"'), *((make, {"mask": "add"}, "") for make in (prepared, prepared_of_padding, prepared_of_added)),
    (padding, {}, 'mask="none"'), (padding, {"mask": "none"}, ""),
    (padding_by_rows, {}, 'mask="hide"'), (keys, {"mask": "none"}, "the token 1"), (of_one, {}, ""), (decoder, {}, ""),
    (decoder, {"lengths": "4,2,3", "seq": 4}, ""), (by_shape, {}, "only the shape"),
    (of_seq, {}, 'mask="hide"'), (for_each, {}, "only the shape"), (of_batch, {}, ""), (of_source, {}, 'mask="none"'), (by_lengths, {"mask": "none"}, ""),
    (by_lengths, {}, 'mask="none"')])
def test_what_a_mask_may_be_is_tried_and_said(make, options, said):
    result = glassbox.check("mask", make, quiet=True, **options)
    assert result and said in result.text, result.text


def one_less(n, reach):
    return abs(ahead(n)) < reach


def one_more(seq_len, window):
    return (ahead(seq_len) <= 0) & (-ahead(seq_len) <= window)


def inverted(n):
    return (ahead(n) <= 0) * -1e9


def queries(tokens, pad=0):
    return np.broadcast_to((tokens != pad)[..., None], (*tokens.shape, tokens.shape[-1]))


def either(tokens, pad=0):
    return (ahead(tokens.shape[-1]) <= 0) | (tokens != pad)[:, None]


def future_and_itself(n):
    return ahead(n) >= 0


@pytest.mark.parametrize("make, options, mistake", [
    (one_less, {"mask": "window:3"}, "window/one-less"), (one_more, {}, "window/one-more"),
    (past, {"mask": "window:2"}, "window/past-only"),
    (one_more, {"mask": "window:2"}, "window/one-more"), (inverted, {}, "mask/inverted"), (inverted, {"mask": "add"}, "mask/inverted"),
    (prepared_inverted, {"mask": "add"}, "padding/inverted"), (future, {"mask": "keep"}, "mask/inverted"), (queries, {"mask": "none"}, "padding/rows"), (queries, {}, "padding/rows"),
    (either, {}, "mask/either"), (future_and_itself, {}, "mask/not-itself"),
    (future_and_itself, {"mask": "keep"}, "mask/transposed")])
def test_a_wrong_mask_is_named_in_the_meaning_that_it_has(make, options, mistake):
    result = glassbox.check("mask", make, quiet=True, **options)
    assert not result and mistake in result.mistakes, result.text


def of_words(tokens, window, pad_id=0, is_causal=True):
    places = ahead(tokens.shape[1])
    near = (places <= 0) & (-places < window) if is_causal else -places < window
    return near[None] & (tokens != pad_id)[:, None, :]


def test_a_window_of_earlier_keys_may_hide_padding_as_well():
    result = glassbox.check("mask", of_words, quiet=True)
    assert result and "up to the query's own" in result.text, result.text

    def forgets_later(tokens, window):
        return of_words(tokens, window, is_causal=False)
    assert glassbox.check("mask", forgets_later, quiet=True).mistakes == ["window/no-upper-end"]


@pytest.mark.parametrize("given, named", [(lambda n, w: abs(ahead(n)) < w, "window/one-less"),
                                          (lambda n, w: abs(ahead(n)) <= w // 2, "window/half")])
def test_where_two_fit_a_window_a_wider_one_tells(given, named):
    result = glassbox.check("mask", given, mask="window:2", quiet=True)
    assert result.mistakes == [named] and "window:3" in result.text, result.text


def test_a_window_of_earlier_keys_alone_is_not_named_by_what_hides():
    def wrong(n, window):
        return (ahead(n) <= 0) & (-ahead(n) > window)
    assert not glassbox.check("mask", wrong, quiet=True).is_named
