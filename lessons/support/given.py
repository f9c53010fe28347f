"""What an earlier lesson taught and a later one gives, in NumPy. … stands for leading axes, as many as there are."""
from types import SimpleNamespace

import numpy as np


def linear(x, W, b):
    """Lesson 02: x Wᵀ + b. x (…, d_in), W (d_out, d_in) → (…, d_out)."""
    return x @ W.T + b


def softmax(scores):
    """Lesson 01: each row becomes weights that sum to 1. The largest number is subtracted, so that exp is at most 1."""
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def multi_head_attention(queries_of, keys_of, values_of, w, mask=None):
    """Lesson 02, with three inputs: queries are made of the first, keys of the second, values of the third.

    queries_of (…, n_q, d_model), keys_of, values_of (…, n_k, d_model), mask (…, n_q, n_k): 0 hides
    """
    Q, K, V = (heads_of(linear(x, w.W_qkv, w.b_qkv), w.heads)[part] for part, x in enumerate([queries_of, keys_of, values_of]))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask[..., None, :, :] == 0, -9e15, scores)
    values = np.swapaxes(softmax(scores) @ V, -2, -3)  # (…, n_q, heads, d_h)
    return linear(values.reshape(*values.shape[:-2], -1), w.W_O, w.b_O)


def heads_of(qkv, heads):
    """(…, n, 3·d_model) → three times (…, heads, n, d_h)."""
    parts = qkv.reshape(*qkv.shape[:-1], heads, 3, -1)
    return [np.swapaxes(parts[..., part, :], -2, -3) for part in range(3)]


def self_attention(x, w, mask=None):
    return multi_head_attention(x, x, x, w, mask)


def positional_encoding(T, d_model):
    """Lesson 03: of the positions 0 … T − 1, sine and cosine in turn. (T, d_model), still to be added to something."""
    t, c = np.arange(T)[:, None], np.arange(d_model)
    angle = t / 10000 ** (2 * (c // 2) / d_model)
    return np.where(c % 2 == 0, np.sin(angle), np.cos(angle))


def layer_norm(x, w, epsilon=1e-5):
    """Lesson 04: each row on its own gets mean 0 and variance 1, then γ and β."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(x.var(axis=-1, keepdims=True) + epsilon) * w.gamma + w.beta


def feed_forward(x, w):
    """Lesson 04: two linear layers with a ReLU between them."""
    return linear(np.maximum(linear(x, w.W_1, w.b_1), 0), w.W_2, w.b_2)


def encoder_block(x, w, mask=None):
    """Lesson 04: self-attention and the feed-forward network, each with its residual and norm."""
    norm1 = layer_norm(x + self_attention(x, w.self_attn, mask), w.norm1)
    return layer_norm(norm1 + feed_forward(norm1, w.mlp), w.norm2)


def predict(x, w):
    """Lesson 05's predictor with one head: .logits (…, T, classes) and .attention (…, T, T). x is one-hot."""
    placed = linear(x, w.W_in, w.b_in) + positional_encoding(x.shape[-2], len(w.b_in))
    hidden = layer_norm(linear(encoder_block(placed, w.encoder), w.W_1, w.b_1), w.norm)
    q, k, _ = heads_of(linear(placed, w.encoder.self_attn.W_qkv, w.encoder.self_attn.b_qkv), 1)
    attention = softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))[..., 0, :, :]
    return SimpleNamespace(logits=linear(np.maximum(hidden, 0), w.W_2, w.b_2), attention=attention)


def decoder_block(x, memory, w, mask, memory_mask):
    """Lesson 10: self-attention, attention to the memory and the feed-forward network. What the masks hide is up to you."""
    norm1 = layer_norm(x + multi_head_attention(x, x, x, w.self_attn, mask), w.norm1)
    norm2 = layer_norm(norm1 + multi_head_attention(norm1, memory, memory, w.cross_attn, memory_mask), w.norm2)
    return layer_norm(norm2 + feed_forward(norm2, w.mlp), w.norm3)


def transformer_logits(source, target, w):
    """Lesson 11: from the tokens of the sources (…, S) and of what is written so far (…, T) to logits (…, T, words).

    Token 0 is padding: nobody looks at it, and nobody looks at what is to come.
    """

    def placed(tokens, table):
        d = table.shape[-1]
        return table[tokens] * np.sqrt(d) + positional_encoding(tokens.shape[-1], d)

    S, T = source.shape[-1], target.shape[-1]
    source_seen, target_seen = (source != 0)[..., None, :], (target != 0)[..., None, :]
    x, y = placed(source, w.source_embedding), placed(target, w.target_embedding)
    for block in w.encoder:
        x = encoder_block(x, block, np.repeat(source_seen, S, axis=-2))
    for block in w.decoder:
        y = decoder_block(y, x, block, target_seen & np.tri(T, dtype=bool), np.repeat(source_seen, T, axis=-2))
    return linear(y, w.W, w.b)
