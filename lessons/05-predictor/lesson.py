"""Lesson 05: what exercise.py works with.

    ids (T)  which of the d_in things each element is, such as the digits 3, 1, 4
    w        w.W_in (d_model, d_in), w.b_in          input network
             w.encoder                               one block
             w.W_1 (d_model, d_model), w.b_1         output network
             w.norm
             w.W_2 (classes, d_model), w.b_2
             w.cls (d_model)                         the [CLS] token, learned like any other weight
Given, from earlier lessons: linear(x, W, b), positional_encoding(T, d_model), encoder_block(x, w.encoder),
layer_norm(x, w.norm), softmax(x): each row on its own.

What the lesson asks for, step by step; each is empty until you give it an array.
One prediction for every element, predict_elements:
    steps.x                       (T, d_in)     1 at the element's number, 0 everywhere else
    steps.input_net               (T, d_model)  x W_inᵀ + b_in
    steps.positional.output       (T, d_model)  input_net with the positions added
    steps.encoded                 (T, d_model)  the encoder's output, which is its only block's norm2
    steps.output_net.linear       (T, d_model)
    steps.output_net.norm         (T, d_model)
    steps.output_net.relu         (T, d_model)
    steps.logits                  (T, classes)  the output network's last layer: one score for each class
    steps.softmax                 (T, classes)  one probability for each class
One prediction for the whole sequence, predict_whole, which is called after it with the same steps:
    steps.mean.pooled             (1, d_model)  the mean of all positions of `encoded`
    steps.mean.logits             (1, classes)
    steps.cls.cls                 (1 + T, d_model)  the [CLS] token, and then input_net
    steps.cls.positional.output   (1 + T, d_model)
    steps.cls.encoded             (1 + T, d_model)
    steps.cls.pooled              (1, d_model)  the one row that is read
    steps.cls.logits              (1, classes)
"""
from given import encoder_block, layer_norm, linear, positional_encoding, softmax
from weights import whole, predictor_weights

names = {"encoder/0/norm2": "encoded", "cls/encoder/0/norm2": "cls/encoded"}


def call(exercise, golden, steps):
    w = predictor_weights(golden)
    w.cls = golden["cls_token"]
    exercise.predict_elements(whole(golden["ids"]), w, steps)
    exercise.predict_whole(w, steps)
