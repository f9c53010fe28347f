"""Lesson 12: your work. Fill in the steps in order, and ask after each whether it is right:

    ./dev lesson 12

lesson.py, beside this file, says what answers, lengths, source and w are, and what is given.
"""
import numpy as np

from lesson import end, ignored, pad, softmax, start, transformer_logits


def make_batch(answers, lengths, steps):
    # 1  target: start, then the answer. labels: the answer, then end. Where does end stand?
    ...


def measure(source, w, steps):
    # 2  logits: transformer_logits of the sources and ... what?

    # 3  losses: -ln of one probability at each place that counts.

    # 4  loss: the mean. Divided by what? accuracy, in the same way.
    ...


def decode(source, w, longest, steps):
    # 5  written, certainty: begin with start alone. Which row of the logits says the next token? What does
    #    the decoder get in the next round? When do you stop?
    #    For a start:  steps.written = np.full((len(source), longest), pad)
    ...
