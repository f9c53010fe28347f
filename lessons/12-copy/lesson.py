"""Lesson 12: what exercise.py works with. There are B sequences side by side; tokens are whole numbers.

    answers (B, L)  symbols, pad behind them: the longest answer that there may be has L symbols, and T = L + 1
    lengths (B)     how many symbols each answer has
    source (B, S)   what is read; symbols, end, pad behind it
    w               the whole Transformer
    longest         decode stops each sequence at `end`, or when there are so many tokens
Given, from earlier lessons:
    transformer_logits(source, target, w): tokens (…, S) and (…, T) → (…, T, words), in which row t says what comes
    after target[t]. It hides padding and what is to come.
    softmax(x): each row on its own

What the lesson asks for, step by step; each is empty until you give it an array.
What training needs, make_batch:
    steps.target     (B, T)        what the decoder is given: start, the answer; pad behind it
    steps.labels     (B, T)        what it is to say at each place: the answer, end; ignored behind it
How good the model is when it is given the right symbols so far, measure, called after it with the same steps:
    steps.logits     (B, T, words) one score for each token that may come next
    steps.losses     (B, T)        what each place costs; 0 where the label is ignored
    steps.loss       a number      their mean, over the places that count
    steps.accuracy   a number      the share of these where the largest score is the label's
What it writes by itself, decode; only the sources are known:
    steps.written    (B, longest)  symbols, then end; pad behind it
    steps.certainty  (B, longest)  the probability of each token when it was written; 0 behind the end
"""
from given import softmax, transformer_logits
from weights import transformer_weights, whole

pad, start, end = 0, 1, 2  # three tokens that are no symbols; all others are symbols of an alphabet
ignored = -1  # a label that is none: it does not count


def call(exercise, golden, steps):
    source, w = whole(golden["source"]), transformer_weights(golden)
    exercise.make_batch(whole(golden["answers"]), whole(golden["lengths"]), steps)
    exercise.measure(source, w, steps)
    exercise.decode(source, w, whole(golden["longest"]), steps)
