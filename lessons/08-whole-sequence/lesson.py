"""Lesson 08: what exercise.py works with.

    x        (B, T, d_model)  B sequences side by side, all padded to T elements: what the input network has made of the
                              elements, still without positions
    lengths  (B)              how many elements of each sequence are real. They stand first, padding behind them.
    w        w.encoder, one block; w.cls (d_model), the [CLS] token;
             w.W (classes, d_model), w.b: the output network, one linear layer as in the report
Given, from earlier lessons: positional_encoding(T, d_model), linear(x, W, b),
encoder_block(x, w.encoder, mask): mask[b, i, j] is 1 where row i may see row j, and 0 where it may not.

What the lesson asks for, step by step; each is empty until you give it an array.
The answer from all elements, aggregate:
    steps.real         (B, T)               1 where an element is real, 0 where it is padding
    steps.encoded      (B, T, d_model)      what the encoder makes of x with its positions
    steps.mean.pooled  (B, d_model)         the mean of the real elements of `encoded`
    steps.mean.logits  (B, classes)
    steps.max.pooled   (B, d_model)         the largest number of each column, of the real elements
    steps.max.logits   (B, classes)
The answer from a token of its own, aggregate_by_token, which is called after it with the same steps:
    steps.cls.input    (B, 1 + T, d_model)  in each sequence the [CLS] token, and then x
    steps.cls.real     (B, 1 + T)
    steps.cls.encoded  (B, 1 + T, d_model)
    steps.cls.pooled   (B, d_model)         the one row of each sequence that is read
    steps.cls.logits   (B, classes)
"""
from given import encoder_block, linear, positional_encoding
from weights import Weights, encoder_block_weights, whole

names = {"encoder/0/norm2": "encoded", "cls/cls": "cls/input", "cls/encoder/0/norm2": "cls/encoded"}


def call(exercise, golden, steps):
    w = Weights(
        encoder=encoder_block_weights(golden, "transformer.layers.0."),
        cls=golden["cls_token"],
        W=golden["output_net.weight"],
        b=golden["output_net.bias"],
    )
    x, lengths = golden["x"], whole(golden["lengths"])
    exercise.aggregate(x, lengths, w, steps)
    exercise.aggregate_by_token(x, lengths, w, steps)
