"""Lesson 11: your work. Fill in the steps in order, and ask after each whether it is right:

    ./dev lesson 11

lesson.py, beside this file, says what source, sentence and w are, and what is given.
"""
import numpy as np

from lesson import decoder_block, encoder_block, end, linear, pad, positional_encoding, softmax, start


def transformer(source, sentence, w, steps):
    # 1  source.scaled: row source[s] of the table, times ... what? Then source.positional.
    #    The targets will need the same: write a function.

    # 2  source_mask: who may be seen?

    # 3  memory: one encoder block after the other.

    # 4  targets and labels: the sentence without its end, and the sentence without its start.

    # 5  target.scaled, target.positional: as in 1, from the other table.

    # 6  target_mask, memory_mask: who may be seen? There are two reasons to hide somebody.

    # 7  decoded: one decoder block after the other. All look at the same memory.

    # 8  logits: the last linear layer. softmax. words: the place of the largest number in each row.
    ...


def translate(source, w, longest, steps):
    # 9  translation: begin with start alone. Run the model on what there is; which of its rows says the next
    #    word? Write that down, and run it again. When do you stop?
    #    For a start:  steps.translation = np.full(longest, pad)
    ...
