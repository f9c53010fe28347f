"""Lesson 08: your work. Fill in the steps in order, and ask after each whether it is right:

    ./dev lesson 08

lesson.py, beside this file, says what x, lengths and w are, and what is given.
"""
import numpy as np

from lesson import encoder_block, linear, positional_encoding


def aggregate(x, lengths, w, steps):
    # 1  real: which elements count?
    #    For a start:  np.arange(x.shape[1]) has the places.

    # 2  encoded: x with its positions, through encoder_block. Whom may nobody see?

    # 3  mean.pooled: the sum of what? Divided by what? Then mean.logits.

    # 4  max.pooled. The numbers of a column may all be negative. Then max.logits.
    ...


def aggregate_by_token(x, lengths, w, steps):
    # 5  cls.input: one row more than x has. Which? cls.real: is the token real?

    # 6  cls.encoded, as in 2: there are 1 + T positions now.

    # 7  cls.pooled: one row of each sequence. Then cls.logits.
    ...
