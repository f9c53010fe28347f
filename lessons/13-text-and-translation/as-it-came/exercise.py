"""Lesson 13: your work. Fill in the steps in order, and ask after each whether it is right:

    ./dev lesson 13

lesson.py, beside this file, says what goes in, what comes out, and what is given.
"""
import numpy as np

from lesson import end, first_letter, ignored, linear, pad, positional_encoding, softmax, start, unknown


def learn(words, counts, how_many, steps):
    # 1  letters: each once, the smallest number first.
    #    ids: first_letter and the letter's place. Behind a word stays pad.

    # 2  pairs: for each two neighbours in a word, as often as the word occurs.
    #    np.add.at(pairs, (left, right), count) adds at places that may occur twice; pairs[left, right] += does not.

    # 3  merges: the pair with the largest count becomes a token, with the next free id. Put it into all
    #    words, count again, and so on. Of equally frequent pairs the one with the smaller id on the left,
    #    then on the right.
    #    For a start:  steps.merges = np.zeros((how_many, 3), int)
    ...


def encode(text, steps):
    # 4  tokens: letters to ids, `unknown` for one that the corpus has not. Then the merges, in which order?
    ...


def make_batch(source, target, steps):
    # 5  inputs, and source_mask of them.

    # 6  targets, labels: where does end stand in a row?

    # 7  target_mask: what is to come is hidden, and so is padding.
    ...


def read_token(token, position, cache, w, steps):
    # 8  x: √d times the token's row of w.embedding, plus its row of the positional encoding.

    # 9  K, V: the rows of the cache, and one row more. np.vstack([cache.K, row]) puts a row below.

    # 10  attention: the query of x, and all keys so far. values: all values so far.

    # 11  logits: the last layer. next: the token with the largest.
    ...
