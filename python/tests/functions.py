"""Attention in NumPy as people write it: one right function, and what is wrong in the others said by a word."""
import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def scores(q, k, mask=None):
    found = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    return found if mask is None else np.where(mask, found, -1e9)


def attention(Q, K, V, mask=None):
    return softmax(scores(Q, K, mask)) @ V


def with_weights(query, key, value, mask=None):
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    weights = softmax(scores if mask is None else np.where(mask == 0, -np.inf, scores))
    return weights @ value, weights


def weights_first(q, k, v, attn_mask):
    return with_weights(q, k, v, attn_mask)[::-1]


def as_dict(keys, queries, values):
    logits = np.einsum("bqd,bkd->bqk", queries, keys)
    scaled = logits / queries.shape[-1] ** 0.5
    return {"logits": logits, "scaled": scaled, "attention": softmax(scaled), "values": softmax(scaled) @ values}


def one_sequence(q, k, v):
    return softmax(q @ k.T / np.sqrt(q.shape[1]), axis=1) @ v


def four_axes(q, k, v, mask):
    batch, heads, length, width = q.shape
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(width)
    return softmax(np.where(mask, scores, -1e9)) @ v


def float_mask(q, k, v, mask):
    return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) - 1e9 * (1.0 - mask)) @ v


def positional_only(q, k, v, /):
    return attention(q, k, v)


def any_words(*arrays):
    return attention(*arrays)


def with_lengths(q, k, v, valid_lens):
    mask = np.arange(k.shape[1])[None, None, :] < valid_lens[:, None, None]
    return attention(q, k, v, mask)


RIGHT = [
    attention, with_weights, weights_first, as_dict, one_sequence, four_axes, float_mask, positional_only, any_words,
    with_lengths
]


def no_root(q, k, v):
    return softmax(q @ np.swapaxes(k, -1, -2) / q.shape[-1]) @ v


def not_scaled(q, k, v):
    return softmax(q @ np.swapaxes(k, -1, -2)) @ v


def over_queries(q, k, v):
    return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]), axis=-2) @ v


def mask_after(q, k, v, mask):
    return (softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])) * mask) @ v


def mask_ignored(q, k, v, mask):
    return attention(q, k, v)


def inverted(q, k, v, mask):
    return attention(q, k, v, ~mask)


def scaled_twice(q, k, v):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    return softmax(scores) / np.sqrt(q.shape[-1]) @ v


WRONG = [(no_root, "scaled/no-root"), (not_scaled, "scaled/not-divided"), (over_queries, "attention/over-queries"),
         (mask_after, "masked/after-softmax"), (mask_ignored, "masked/ignored"), (inverted, "masked/inverted"),
         (scaled_twice, "values/scaled-too")]
