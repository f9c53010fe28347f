"""A decoder that is given as its step: from a sequence, or its last token, to the log probabilities of the next one."""
import numpy as np

from .arrays import is_array, to_numpy
from .signature import STEPS, plain


def is_step(name):
    return plain(name) in STEPS


def of_table(table, make):
    """A step by a table of logits. What takes log probabilities for logits gets the same from them."""
    shifted = table - table.max(-1, keepdims=True)
    known = (shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))).astype(np.float32)

    def step(ids, *_, **__):
        rows = known[np.asarray(to_numpy(ids) if is_array(ids) else ids).astype(int)]
        return make(rows[..., -1, :] if rows.ndim > 1 else rows)
    return step
