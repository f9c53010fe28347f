"""Lesson 15: what exercise.py works with.

softmax of each row of x, as a GPU takes a long row: in blocks, of which none knows the others' numbers.
    x     (rows, n)  numbers; -infinity is a hidden one, with weight 0. No row consists of hidden ones alone.
    size  how many numbers a block has: block b is x[:, b · size : (b + 1) · size]

A block of hidden numbers alone has m = -infinity and s = 0: nothing seen, nothing added. (What s is there is never
asked, as long as it is a number.)

Two pairs together:  m = max(m_a, m_b),  s = s_a exp(m_a − m) + s_b exp(m_b − m)

What the lesson asks for, step by step; each is empty until you give it an array. B is the number of blocks of a row:
n / size, rounded up. The last block may be shorter than the others.
    steps.block.m   (rows, B)  the largest number of each block
    steps.block.s   (rows, B)  Σ exp(x − m) over the numbers of the block, m its own largest
    steps.merged.m  (rows, B)  the largest number of blocks 0 to b together
    steps.merged.s  (rows, B)  Σ exp(x − m) over all their numbers, m of all of them
    steps.softmax   (rows, n)  exp(x − m) / s, with the last column of merged: every weight of the row
"""
from weights import whole


def call(exercise, golden, steps):
    exercise.online_softmax(golden["x"], whole(golden["size"]), steps)
