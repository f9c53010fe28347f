"""Lesson 07: what exercise.py works with.

    numbers (B, T)  a batch of B sequences of T numbers, each one of C = categories: 0 … C - 1
    w               the whole predictor; w.b_2 (C) is the output network's last bias
    rate            of the step, which is plain gradient descent, of w.b_2 alone: w.b_2 - rate · gradient
Given, from earlier lessons:
    predict(x, w)   the whole predictor, for all sequences at once: .logits (B, T, C), .attention (B, T, T)
    softmax(m)      each row on its own
    with_b_2(w, b)  w with b in place of w.b_2

What the lesson asks for, step by step; each is empty until you give it a value.
What the model is asked, and what it should say, make_batch:
    steps.x           (B, T, C)  row t is 1 at its number, 0 everywhere else
    steps.labels      (B, T)     the same numbers backwards
One step of training, training_step, which is called after it with the same steps:
    steps.logits      (B, T, C)  what the model says
    steps.losses      (B, T)     -ln of the label's probability
    steps.loss        a number   their mean
    steps.gradient    (C)        ∂loss/∂b_2
    steps.loss_after  a number   the same batch's loss with b_2 one step further
What has it learned? look, which is called after both:
    steps.answers     (B, T)     the numbers that it says
    steps.accuracy    a number   which share of all B · T is right, from 0 to 1
    steps.mirrored    a number   how much of its attention goes where the answer stands
"""
from given import predict, softmax
from weights import Weights, whole, predictor_weights


def with_b_2(w, b):
    return Weights(**{**vars(w), "b_2": b})


def call(exercise, golden, steps):
    w = predictor_weights(golden)
    exercise.make_batch(whole(golden["numbers"]), len(w.b_2), steps)
    exercise.training_step(w, float(golden["rate"]), steps)
    exercise.look(w, steps)
