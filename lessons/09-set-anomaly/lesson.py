"""Lesson 09: what exercise.py works with. In each set all elements but one are of the same class; places count from 0.

    x        (B, T, d_in)  B sets of T elements, one row of features for each
    classes  (B, T)        what each is
    order    (T)           the element that comes to place i was at place order[i]
    w        w.W_in (d_model, d_in), w.b_in; w.encoder, a list of blocks; w.W_out (1, d_model), w.b_out (1)
Given, from earlier lessons: linear(x, W, b), encoder_block(x, weights): everybody sees everybody,
softmax(x): each row on its own.

What the lesson asks for, step by step; each is empty until you give it an array.
Which one does not belong? find_anomaly:
    steps.labels           (B)              its place, from the classes of the elements
    steps.encoded          (B, T, d_model)  the output of the last block
    steps.logits           (B, T, 1)        one number for each element
    steps.scores           (B, T)           the same numbers, without the axis of size 1
    steps.probabilities    (B, T)           how likely each element is the one; the softmax of scores
    steps.losses           (B)              what the model's answer costs, for each set
    steps.loss             a number         their mean
    steps.found            (B)              the place of the likeliest element
The same sets in another order, permute, which is called after it with the same steps:
    steps.permuted.x       (B, T, d_in)     row i is row order[i] of x
    steps.permuted.labels  (B)              where the anomaly is now
    steps.permuted.scores  (B, T)
"""
from given import encoder_block, linear, softmax
from weights import Weights, encoder_block_weights, stack, whole


def call(exercise, golden, steps):
    w = Weights(
        W_in=golden["input_net.1.weight"],
        b_in=golden["input_net.1.bias"],
        encoder=stack(golden, "transformer.layers", encoder_block_weights),
        W_out=golden["output_net.weight"],
        b_out=golden["output_net.bias"],
    )
    exercise.find_anomaly(golden["x"], whole(golden["classes"]), w, steps)
    exercise.permute(golden["x"], whole(golden["order"]), w, steps)
