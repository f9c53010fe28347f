"""Lesson 02: what exercise.py works with.

MultiHead(x) = Concat(head_1, …, head_h) W_Oᵀ + b_O, head_i = Attention(Q_i, K_i, V_i)
    x     (…, T, width)  one token a row; its width need not be d_model
    w     w.heads, w.W_qkv (3·d_model, width), w.b_qkv, w.W_O (d_model, d_model), w.b_O
          rows of W_qkv: head 0's q, k, v, then head 1's q, k, v, … of d_h = d_model / heads each
    mask  (…, T, T)      1 where token i may see token j, 0 where it may not; the same for every head
… is nothing, or a batch axis. Given, from lesson 01: softmax(scores), every row on its own.

What the lesson asks for, step by step; each is empty until you give it an array:
    steps.qkv        (…, T, 3·d_model)  x Wᵀ + b: every head's query, key and value, side by side
    steps.Q          (…, h, T, d_h)     one query a token, for each head
    steps.K          (…, h, T, d_h)
    steps.V          (…, h, T, d_h)
    steps.logits     (…, h, T, T)       from here to values as in lesson 01, for each head
    steps.scaled     (…, h, T, T)
    steps.masked     (…, h, T, T)
    steps.attention  (…, h, T, T)       every row sums to 1
    steps.values     (…, h, T, d_h)
    steps.concat     (…, T, d_model)    the heads' values, side by side again
    steps.output     (…, T, d_model)    concat W_Oᵀ + b_O
"""
from given import softmax
from weights import attention_weights

hidden_score = -9e15  # of a key that must not be seen: so low that its weight becomes exactly 0


def call(exercise, golden, steps):
    exercise.multi_head_attention(golden["x"], attention_weights(golden), golden["mask"], steps)
