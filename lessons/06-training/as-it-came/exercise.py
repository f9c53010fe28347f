"""Lesson 06: your work. Fill in the steps in order, and ask after each whether it is right:

    ./dev lesson 06

lesson.py, beside this file, says what goes in and what is to come out.
"""
import numpy as np


def cross_entropy(logits, labels, steps):
    # 1  losses: -ln of the probability that softmax gives to the label. What if a logit is 1000?

    # 2  loss: the mean. Over what?

    # 3  gradient: how much does the loss change with each logit?
    ...


def clip(W, b, max_norm, steps):
    # 4  norm: one length for each update, of all that is in W and b

    # 5  clipped.W, clipped.b: the same direction, but no longer than max_norm
    ...


def learning_rates(peak, warmup, updates, steps):
    # 6  rates: from 0 up to the peak, then along half a cosine back to 0
    ...


def adamw(w, beta1, beta2, epsilon, weight_decay, steps):
    # 7  m, v: before the first update both are 0
    #    For a start:  steps.m = np.zeros_like(steps.clipped.W)

    # 8  m_hat, v_hat: divided by what is missing to a mean

    # 9  weights: one step against m_hat, measured in √v_hat; and the decay, which goes its own way
    ...
