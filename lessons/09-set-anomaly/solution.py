"""Lesson 09: the reference solution."""
import numpy as np

from lesson import encoder_block, linear, softmax


def find_anomaly(x, classes, w, steps):
    # How many elements of the set have the class of each, itself included.
    alike = (classes[:, :, None] == classes[:, None, :]).sum(axis=-1)
    steps.labels = (alike == 1).argmax(axis=-1)

    h = linear(x, w.W_in, w.b_in)  # no positions: a set has no order
    for block in w.encoder:
        h = encoder_block(h, block)
    steps.encoded = h
    steps.logits = linear(steps.encoded, w.W_out, w.b_out)
    steps.scores = steps.logits[..., 0]

    steps.probabilities = softmax(steps.scores)
    sets = np.arange(len(x))
    steps.losses = -np.log(steps.probabilities[sets, steps.labels])
    steps.loss = steps.losses.mean()
    steps.found = steps.probabilities.argmax(axis=-1)


def permute(x, order, w, steps):
    steps.permuted.x = x[:, order]
    steps.permuted.labels = np.argsort(order)[steps.labels]  # the i with order[i] = label
    steps.permuted.scores = steps.scores[:, order]  # equivariant: no need to run the model
