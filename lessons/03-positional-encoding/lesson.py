"""Lesson 03: what exercise.py works with.

PE(t, 2i)     = sin(t / 10000^(2i / d_model))
PE(t, 2i + 1) = cos(t / 10000^(2i / d_model))
    x      (…, T, d_model)  one token a row; row t is the token at position t = 0, 1, 2, …
    shift  by how many positions M moves: for every position t and every pair i
               M[i] @ (PE(t, 2i), PE(t, 2i+1))  =  (PE(t+shift, 2i), PE(t+shift, 2i+1))
… is nothing, or a batch axis. Where d_model is odd, the last column is a sine without its cosine, and has no M.

What the lesson asks for, step by step; each is empty until you give it an array:
    steps.encoding  (T, d_model)     sine, cosine, sine, cosine, … of each position
    steps.output    (…, T, d_model)  x with its positions written into it
    steps.M         (pairs, 2, 2)    moves an encoding by `shift` positions; pairs = d_model // 2
"""
from weights import whole


def call(exercise, golden, steps):
    exercise.positional_encoding(golden["x"], whole(golden["shift"]), steps)
