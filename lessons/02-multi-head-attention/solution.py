"""Lesson 02: the reference solution."""
import numpy as np

from lesson import hidden_score, softmax


def multi_head_attention(x, w, mask, steps):
    *batch, T, _ = x.shape
    d_model = w.W_O.shape[-1]
    d_h = d_model // w.heads

    steps.qkv = x @ w.W_qkv.T + w.b_qkv

    # Head after head, in each its query, key and value.
    per_head = np.swapaxes(steps.qkv.reshape(*batch, T, w.heads, 3 * d_h), -2, -3)
    steps.Q, steps.K, steps.V = np.split(per_head, 3, axis=-1)

    steps.logits = steps.Q @ np.swapaxes(steps.K, -1, -2)
    steps.scaled = steps.logits / np.sqrt(d_h)
    steps.masked = np.where(mask[..., None, :, :] == 0, hidden_score, steps.scaled)
    steps.attention = softmax(steps.masked)
    steps.values = steps.attention @ steps.V

    steps.concat = np.swapaxes(steps.values, -2, -3).reshape(*batch, T, d_model)
    steps.output = steps.concat @ w.W_O.T + w.b_O
