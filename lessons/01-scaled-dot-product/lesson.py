"""Lesson 01: what exercise.py works with.

Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V
    Q     (…, n_q, d_k)  one query a row
    K     (…, n_k, d_k)  one key a row
    V     (…, n_k, d_v)  one value a row
    mask  (…, n_q, n_k)  1 where query i may see key j, 0 where it may not; all 1 when nothing is hidden
… is nothing, or a batch axis and a head axis.

What the lesson asks for, step by step; each is empty until you give it an array:
    steps.logits     (…, n_q, n_k)  how well query i fits key j
    steps.scaled     (…, n_q, n_k)  the same, with a variance that does not grow with d_k
    steps.masked     (…, n_q, n_k)  the same, hidden_score where the mask hides
    steps.attention  (…, n_q, n_k)  weights: every row sums to 1
    steps.values     (…, n_q, d_v)  one answer a query
"""

hidden_score = -9e15  # of a key that must not be seen: so low that its weight becomes exactly 0


def call(exercise, golden, steps):
    exercise.scaled_dot_product(golden["Q"], golden["K"], golden["V"], golden["mask"], steps)
