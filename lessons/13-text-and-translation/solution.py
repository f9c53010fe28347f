"""Lesson 13: the reference solution."""
import numpy as np

from lesson import end, first_letter, ignored, linear, pad, positional_encoding, softmax, unknown


def ids_of(words, letters):
    """Letters to ids, pad behind each word."""
    place = np.minimum(np.searchsorted(letters, words), len(letters) - 1)
    known = np.where(letters[place] == words, first_letter + place, unknown)
    return np.where(words == 0, pad, known)


def count_pairs(ids, counts, V):
    """How often each two of V tokens are neighbours."""
    pairs = np.zeros((V, V))
    left, right = ids[:, :-1], ids[:, 1:]
    word, place = np.nonzero(right != pad)
    np.add.at(pairs, (left[word, place], right[word, place]), counts[word])
    return pairs


def merged(word, left, right, joined):
    """`joined` for each `left` with a `right` behind it, from left to right."""
    result, at = [], 0
    while at < len(word):
        is_pair = tuple(word[at : at + 2]) == (left, right)
        result.append(joined if is_pair else word[at])
        at += 2 if is_pair else 1
    return result + [pad] * (len(word) - len(result))


def merge(ids, left, right, joined):
    return np.array([merged(word, left, right, joined) for word in ids])


def learn(words, counts, how_many, steps):
    steps.letters = np.unique(words[words != 0])
    steps.ids = ids_of(words, steps.letters)

    V = first_letter + len(steps.letters)
    steps.pairs = count_pairs(steps.ids, counts, V)

    steps.merges = np.zeros((how_many, 3), int)
    ids = steps.ids
    for m in range(how_many):
        pairs = count_pairs(ids, counts, V + m)
        left, right = np.unravel_index(pairs.argmax(), pairs.shape)  # the first of equals
        steps.merges[m] = left, right, V + m
        ids = merge(ids, *steps.merges[m])


def encode(text, steps):
    steps.tokens = ids_of(text, steps.letters)
    for left, right, joined in steps.merges:
        steps.tokens = merge(steps.tokens, left, right, joined)


def make_batch(source, target, steps):
    steps.inputs = source[:, 1:]
    steps.source_mask = steps.inputs != pad

    given, following = target[:, :-1], target[:, 1:]
    steps.targets = np.where(given == end, pad, given)
    steps.labels = np.where(following == pad, ignored, following)

    T = steps.targets.shape[1]
    steps.target_mask = np.tri(T, dtype=bool) & (steps.targets != pad)[:, None, :]


def read_token(token, position, cache, w, steps):
    d = w.embedding.shape[-1]
    steps.x = w.embedding[token] * np.sqrt(d) + positional_encoding(position + 1, d)[position]

    steps.K = np.vstack([cache.K, linear(steps.x, w.W_K, w.b_K)])
    steps.V = np.vstack([cache.V, linear(steps.x, w.W_V, w.b_V)])

    query = linear(steps.x, w.W_Q, w.b_Q)
    steps.attention = softmax(steps.K @ query / np.sqrt(d))
    steps.values = steps.attention @ steps.V

    steps.logits = linear(steps.values, w.W, w.b)
    steps.next = steps.logits.argmax()
