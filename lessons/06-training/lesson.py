"""Lesson 06: what exercise.py works with.

What the lesson asks for, step by step; each is empty until you give it a value.
cross_entropy(logits, labels, steps): how wrong is the model, and what would make it less wrong?
    logits (T, classes), labels (T): the class that is right, or -1 where nothing is to be said (padding)
    steps.losses     (T)           one loss for each position; 0 where there is no label
    steps.loss       a number      the mean over the positions that have a label
    steps.gradient   (T, classes)  ∂loss/∂logits
clip(W, b, max_norm, steps): of S updates, row t is the t-th, counted from 0
    W (S, n), b (S, n_b): the gradients of a model's two parameters before each update, the numbers of each in one row.
    Whatever is longer than max_norm is shortened to it.
    steps.norm       (S)           the length of the whole gradient
    steps.clipped.W  (S, n)
    steps.clipped.b  (S, n_b)
learning_rates(peak, warmup, updates, steps)
    peak: the largest learning rate; warmup: W, updates in which it rises; updates: N, of the whole training; N > W
    steps.rates      (N)           of update 0 … N - 1
adamw(w, beta1, beta2, epsilon, weight_decay, steps): what becomes of the parameter W, update after update
    w (n): W before the first update. Called after the others, with the same steps: the gradients are
    steps.clipped.W, the learning rates steps.rates.
    steps.m, v         (S, n)      the mean of the gradients so far, and of their squares
    steps.m_hat, v_hat (S, n)      the same, corrected for having begun at 0
    steps.weights      (S, n)      W after the update
"""
from weights import whole


def call(exercise, golden, steps):
    number = {name: float(golden[name]) for name in ["max_norm", "peak", "beta1", "beta2", "epsilon", "weight_decay"]}
    exercise.cross_entropy(golden["logits"], whole(golden["labels"]), steps)
    exercise.clip(golden["gradients/W"], golden["gradients/b"], number["max_norm"], steps)
    exercise.learning_rates(number["peak"], whole(golden["warmup"]), whole(golden["updates"]), steps)
    exercise.adamw(golden["w"], number["beta1"], number["beta2"], number["epsilon"], number["weight_decay"], steps)
