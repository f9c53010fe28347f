"""Lesson 10: what exercise.py works with. One block of a decoder.

    x            (T, d_model)  one position a row, of what is being written
    memory       (S, d_model)  the encoder's output: one position a row, of what was read
    memory_mask  (T, S)        1 where position i may see position j of the memory; 0 at padding
    w            w.self_attn, w.cross_attn, w.mlp, w.norm1, w.norm2, w.norm3
Given, from earlier lessons:
    multi_head_attention(queries_of, keys_of, values_of, w.self_attn, mask)  the mask has a row for each query and a
                                                                             column for each key
    layer_norm(x, w.norm1), feed_forward(x, w.mlp)

What the lesson asks for, step by step; each is empty until you give it an array:
    steps.mask               (T, T)        1 where position i may see position j, 0 where it may not
    steps.self_attn.output   (T, d_model)  what every position found among those up to itself
    steps.residual1          (T, d_model)
    steps.norm1              (T, d_model)
    steps.cross_attn.output  (T, d_model)  what every position found in the memory
    steps.residual2          (T, d_model)
    steps.norm2              (T, d_model)
    steps.mlp.output         (T, d_model)  the feed-forward network
    steps.residual3          (T, d_model)
    steps.norm3              (T, d_model)  what the block hands on
"""
from given import feed_forward, layer_norm, multi_head_attention
from weights import decoder_block_weights


def call(exercise, golden, steps):
    exercise.decoder_block(golden["x"], golden["memory"], golden["memory_mask"], decoder_block_weights(golden), steps)
