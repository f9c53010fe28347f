"""Lesson 08: the reference solution."""
import numpy as np

from lesson import encoder_block, linear, positional_encoding


def encode(x, real, w):
    """With their positions, through the encoder; nobody sees what is not real."""
    T, d_model = x.shape[1:]
    mask = np.repeat(real[:, None, :], T, axis=1)
    return encoder_block(x + positional_encoding(T, d_model), w.encoder, mask)


def aggregate(x, lengths, w, steps):
    steps.real = np.arange(x.shape[1]) < lengths[:, None]
    steps.encoded = encode(x, steps.real, w)

    real = steps.real[:, :, None]
    steps.mean.pooled = (steps.encoded * real).sum(axis=1) / lengths[:, None]
    steps.mean.logits = linear(steps.mean.pooled, w.W, w.b)

    steps.max.pooled = np.where(real, steps.encoded, -np.inf).max(axis=1)
    steps.max.logits = linear(steps.max.pooled, w.W, w.b)


def aggregate_by_token(x, lengths, w, steps):
    B, T, d_model = x.shape
    steps.cls.input = np.concatenate([np.broadcast_to(w.cls, (B, 1, d_model)), x], axis=1)
    steps.cls.real = np.arange(1 + T) < 1 + lengths[:, None]
    steps.cls.encoded = encode(steps.cls.input, steps.cls.real, w)
    steps.cls.pooled = steps.cls.encoded[:, 0]
    steps.cls.logits = linear(steps.cls.pooled, w.W, w.b)
