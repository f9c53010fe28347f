"""Lesson 04: what exercise.py works with.

y = LayerNorm(x + SelfAttention(x)),  output = LayerNorm(y + MLP(y))
LayerNorm: γ ∘ (row − mean) / √(variance + ε) + β, of each row on its own; the variance is the mean of the squared
differences to the mean.
    x  (…, T, d_model)  one token a row; … is nothing, or a batch axis
    w  w.self_attn                  of lesson 02
       w.W_1 (d_ff, d_model), w.b_1 the feed-forward network's first layer
       w.W_2 (d_model, d_ff), w.b_2 its second
       w.gamma_1, w.beta_1          (d_model), of the first layer norm
       w.gamma_2, w.beta_2          (d_model), of the second
       w.epsilon                    of both
Given, since you know them: self_attention(x, w.self_attn), linear(x, W, b) = x Wᵀ + b.

What the lesson asks for, step by step; each is empty until you give it an array:
    steps.self_attn.output  (…, T, d_model)  self-attention of x
    steps.residual1         (…, T, d_model)  x + self_attn.output
    steps.norm1             (…, T, d_model)  LayerNorm of residual1, with γ_1 and β_1
    steps.mlp.hidden        (…, T, d_ff)     norm1 W_1ᵀ + b_1
    steps.mlp.relu          (…, T, d_ff)     max(0, hidden)
    steps.mlp.output        (…, T, d_model)  relu W_2ᵀ + b_2
    steps.residual2         (…, T, d_model)  norm1 + mlp.output
    steps.norm2             (…, T, d_model)  LayerNorm of residual2, with γ_2 and β_2
"""
from given import linear, self_attention
from weights import Weights, encoder_block_weights


def call(exercise, golden, steps):
    block = encoder_block_weights(golden)
    w = Weights(
        self_attn=block.self_attn,
        **vars(block.mlp),
        gamma_1=block.norm1.gamma,
        beta_1=block.norm1.beta,
        gamma_2=block.norm2.gamma,
        beta_2=block.norm2.beta,
        epsilon=float(golden["epsilon"]),
    )
    exercise.encoder_block(golden["x"], w, steps)
