"""Lesson 11: what exercise.py works with. Tokens are whole numbers; S are read, T are written.

    source (S)  the tokens of what is read; at its end there may be pad
    sentence    start, the words, end, and there may be pad behind it: what is to be written, T + 1 tokens
    w           w.source_embedding, w.target_embedding (words, d_model): one row for each token
                w.encoder, w.decoder: lists of blocks; w.W (words, d_model), w.b: the last linear layer
    longest     translate stops at `end`, or when there are so many tokens with the start
Given, from earlier lessons:
    positional_encoding(T, d_model), linear(x, W, b), softmax(x): each row on its own
    encoder_block(x, weights, mask), decoder_block(x, memory, weights, mask, memory_mask)

What the lesson asks for, step by step; each is empty until you give it an array.
The whole model, every position at once, transformer:
    steps.source.scaled      (S, d_model)  the row of each token, scaled
    steps.source.positional  (S, d_model)  with the positions
    steps.source_mask        (S, S)        1 where position i of the source may see position j of it
    steps.memory             (S, d_model)  the output of the last encoder block
    steps.targets            (T)           what the decoder is given: the sentence without its end
    steps.labels             (T)           what it is to say at each position: the sentence without its start
    steps.target.scaled      (T, d_model)
    steps.target.positional  (T, d_model)
    steps.target_mask        (T, T)        1 where position i of the targets may see position j of them
    steps.memory_mask        (T, S)        1 where position i of the targets may see position j of the source
    steps.decoded            (T, d_model)  the output of the last decoder block
    steps.logits             (T, words)    one score for each word of the vocabulary
    steps.softmax            (T, words)    one probability for each word
    steps.words              (T)           the most probable word at each position
One word after the other, translate; only the source is known:
    steps.translation        (longest)     start, the words, end; pad behind it
"""
from given import decoder_block, encoder_block, linear, positional_encoding, softmax
from weights import transformer_weights, whole

pad, start, end = 0, 1, 2  # three tokens that are no words; all others are words of a vocabulary

names = {
    "source/positional/output": "source/positional",
    "target/positional/output": "target/positional",
    "target/tokens": "targets",
}


def call(exercise, golden, steps):
    source, w = whole(golden["source"]), transformer_weights(golden)
    exercise.transformer(source, whole(golden["sentence"]), w, steps)
    exercise.translate(source, w, whole(golden["longest"]), steps)
