"""Lesson 01: your work. Fill in the five steps in order, and ask after each whether it is right:

    ./dev lesson 01

lesson.py, beside this file, says what Q, K, V and mask are.
"""
import numpy as np

from lesson import hidden_score


def scaled_dot_product(Q, K, V, mask, steps):
    # 1  logits[..., i, j]: the dot product of query i with key j.
    #    For a start:  steps.logits = Q @ ...

    # 2  scaled: logits divided by the square root of ... what?

    # 3  masked: scaled, but hidden_score where mask is 0.

    # 4  attention: the softmax of each row of masked. Beware of numbers that exp cannot hold.

    # 5  values: row i is the average of V's rows, weighted by row i of attention.
    ...
