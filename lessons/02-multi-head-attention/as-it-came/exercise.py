"""Lesson 02: your work. Fill in the steps in order, and ask after each whether it is right:

    ./dev lesson 02

lesson.py, beside this file, says what x, w and mask are.
"""
import numpy as np

from lesson import hidden_score, softmax


def multi_head_attention(x, w, mask, steps):
    # 1  qkv: every row of x with every row of W_qkv, and b_qkv added.

    # 2  Q, K, V: the columns of qkv belong to head 0's query, head 0's key, head 0's value,
    #    then to head 1's query, and so on. reshape gives the heads an axis of their own: of which sizes?
    #    np.swapaxes (or np.moveaxis) brings it before T.

    # 3  logits, scaled, masked, attention, values of each head, as in lesson 01. softmax(...) is there.
    #    The mask has no head axis: mask[..., None, :, :] gives it one.

    # 4  concat: a token's values from head 0, then those from head 1, … in one row.

    # 5  output: concat with W_O and b_O.
    ...
