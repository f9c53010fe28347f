"""The Transformer's parts in Flax, as the JAX tutorial describes them, written anew, every step named.

The names of submodules, and with them the tree of parameters, are the tutorial's: layers_0/self_attn/qkv_proj/kernel,
linear_0, linear_3, input_layer, output_net_0, …. What the tutorial does not have (a decoder, pre-norm, GELU, pooling, the whole
Transformer) follows its manner. A mask arrives as 0/1 of 4 axes (batch, heads or 1, queries, keys), or None.
"""
import math
from typing import Optional

import jax.numpy as jnp
import numpy as np
from flax import linen as nn

from steps import named, scope


def weigh(Q, K, V, mask):
    Q, K, V = named("Q", Q), named("K", K), named("V", V)
    scores = named("logits", jnp.matmul(Q, jnp.swapaxes(K, -2, -1)))
    scores = named("scaled", scores / math.sqrt(K.shape[-1]))
    if mask is not None:
        scores = named("masked", jnp.where(mask == 0, -9e15, scores))
    attention = named("attention", nn.softmax(scores, axis=-1))
    return named("values", jnp.matmul(attention, V))


class Attention(nn.Module):
    d_model: int
    heads: int
    bias: bool = True

    def setup(self):
        xavier = nn.initializers.xavier_uniform()
        self.qkv_proj = nn.Dense(3 * self.d_model, use_bias=self.bias, kernel_init=xavier)
        self.o_proj = nn.Dense(self.d_model, use_bias=self.bias, kernel_init=xavier)

    def split(self, y, parts):
        """[q‖k‖v] head by head."""
        y = jnp.swapaxes(y.reshape(*y.shape[:-1], self.heads, -1), -3, -2)
        return jnp.split(y, parts, axis=-1)

    def part(self, y, first, last):
        """The part [first, last) of every head's projection [q‖k‖v]."""
        y = y.reshape(*y.shape[:-1], self.heads, 3, -1)[..., first:last, :]
        return y.reshape(*y.shape[:-3], -1)

    def __call__(self, x, memory=None, mask=None):
        x = named("x", x)
        if memory is None:
            Q, K, V = self.split(named("qkv", self.qkv_proj(x)), 3)
        else:
            memory = named("memory", memory)
            q = named("q", self.part(self.qkv_proj(x), 0, 1))
            kv = named("kv", self.part(self.qkv_proj(memory), 1, 3))
            (Q,), (K, V) = self.split(q, 1), self.split(kv, 2)
        values = jnp.swapaxes(weigh(Q, K, V, mask), -3, -2)
        concat = named("concat", values.reshape(*values.shape[:-2], self.d_model))
        return named("output", self.o_proj(concat))


class Block(nn.Module):
    """Encoder block, or decoder block with memory."""

    d_model: int
    heads: int
    d_ff: int
    decoder: bool = False
    pre_norm: bool = False
    gelu: bool = False

    def setup(self):
        self.self_attn = Attention(self.d_model, self.heads)
        self.linear = [nn.Dense(self.d_ff), nn.Dropout(0.0), nn.gelu if self.gelu else nn.relu, nn.Dense(self.d_model)]
        self.norm1, self.norm2 = nn.LayerNorm(), nn.LayerNorm()
        if self.decoder:
            self.cross_attn, self.norm3 = Attention(self.d_model, self.heads), nn.LayerNorm()

    def look(self, name, x, *others):
        with scope(name):
            return getattr(self, name)(x, *others)

    def feed_forward(self, x):
        with scope("mlp"):
            x = self.linear[1](named("hidden", self.linear[0](x)), deterministic=True)
            x = named("gelu" if self.gelu else "relu", self.linear[2](x))
            return named("output", self.linear[3](x))

    def __call__(self, x, memory=None, mask=None, memory_mask=None):
        sublayers = [lambda x: self.look("self_attn", x, None, mask)]
        if self.decoder:
            sublayers.append(lambda x: self.look("cross_attn", x, memory, memory_mask))
        sublayers.append(self.feed_forward)
        for i, sublayer in enumerate(sublayers, 1):
            norm = getattr(self, f"norm{i}")
            if self.pre_norm:
                x = named(f"residual{i}", x + sublayer(named(f"norm{i}", norm(x))))
            else:
                x = named(f"norm{i}", norm(named(f"residual{i}", x + sublayer(x))))
        return x


class Stack(nn.Module):
    name_of_steps: str
    layer_count: int
    d_model: int
    heads: int
    d_ff: int
    pre_norm: bool = False
    gelu: bool = False
    with_norm: bool = False
    decoder: bool = False

    def setup(self):
        self.layers = [Block(self.d_model, self.heads, self.d_ff, self.decoder, self.pre_norm, self.gelu)
                       for _ in range(self.layer_count)]
        if self.with_norm:
            self.norm = nn.LayerNorm()

    def __call__(self, x, *others):
        for i, layer in enumerate(self.layers):
            with scope(self.name_of_steps, i):
                x = layer(x, *others)
        if self.with_norm:
            with scope(self.name_of_steps):
                x = named("norm", self.norm(x))
        return x


class PositionalEncoding(nn.Module):
    """In NumPy's double; JAX converts it to float unless x64 is enabled."""

    d_model: int
    max_len: int = 5000

    def setup(self):
        angle = np.arange(self.max_len)[:, None] * np.exp(np.arange(0, self.d_model, 2) * (-math.log(10000.0) / self.d_model))
        encoding = np.zeros((self.max_len, self.d_model))
        encoding[:, 0::2] = np.sin(angle)
        encoding[:, 1::2] = np.cos(angle)[:, : self.d_model // 2]  # an odd width has no last cosine
        self.pe = jnp.asarray(encoding)

    def __call__(self, x):
        x = named("x", x)
        encoding = named("encoding", self.pe[: x.shape[-2]])
        return named("output", x + encoding)


class Predictor(nn.Module):
    d_model: int
    heads: int
    d_ff: int
    layers: int
    classes: int
    pooling: Optional[str] = None
    positional: bool = True
    pre_norm: bool = False
    with_norm: bool = False

    def setup(self):
        self.input_dropout, self.input_layer = nn.Dropout(0.0), nn.Dense(self.d_model)
        self.positional_encoding = PositionalEncoding(self.d_model)
        sizes = self.layers, self.d_model, self.heads, self.d_ff, self.pre_norm, False, self.with_norm
        self.transformer = Stack("encoder", *sizes)
        self.output_net = [nn.Dense(self.d_model), nn.LayerNorm(), nn.relu, nn.Dropout(0.0), nn.Dense(self.classes)]
        if self.pooling == "cls":
            self.cls_token = self.param("cls_token", nn.initializers.zeros, (self.d_model,))

    def __call__(self, x, mask=None, lengths=None):
        x = named("x", x)
        x = named("input_net", self.input_layer(self.input_dropout(x, deterministic=True)))
        if self.pooling == "cls":
            x = named("cls", jnp.concatenate([jnp.broadcast_to(self.cls_token, (*x.shape[:-2], 1, self.d_model)), x], axis=-2))
        if self.positional:
            with scope("positional"):
                x = self.positional_encoding(x)
        x = self.transformer(x, None, mask)
        if self.pooling:
            x = named("pooled", x[..., 0, :] if self.pooling == "cls" else pool(x, self.pooling, lengths))
        with scope("output_net"):
            x = named("linear", self.output_net[0](x))
            x = named("norm", self.output_net[1](x))
            x = named("relu", self.output_net[2](x))
        logits = named("logits", self.output_net[4](self.output_net[3](x, deterministic=True)))
        named("softmax", nn.softmax(logits, axis=-1))
        return logits


def pool(x, how, lengths):
    """Over real positions, lengths[b] of them when the sequences are padded."""
    if lengths is None:
        return x.mean(axis=-2) if how == "mean" else x.max(axis=-2)
    there = (jnp.arange(x.shape[-2]) < lengths[:, None])[..., None]
    if how == "mean":
        return jnp.where(there, x, 0.0).sum(axis=-2) / lengths[:, None]
    return jnp.where(there, x, -jnp.inf).max(axis=-2)


class TokenEmbedding(nn.Embed):
    """The row of every token, times √d_model."""

    def __call__(self, tokens):
        named("tokens", tokens)
        x = named("embedding", super().__call__(tokens))
        return named("scaled", x * math.sqrt(self.features))


def embed(tokens, embedding, positional_encoding):
    x = embedding(tokens)
    with scope("positional"):
        return positional_encoding(x)


class Transformer(nn.Module):
    """Encoder–decoder over tokens: embeddings times √d_model, positions, both stacks, logits of the next word."""

    source_words: int
    target_words: int
    d_model: int
    heads: int
    d_ff: int
    layers: int
    pre_norm: bool = False
    with_norm: bool = False

    def setup(self):
        sizes = self.layers, self.d_model, self.heads, self.d_ff, self.pre_norm, False, self.with_norm
        self.source_embedding = TokenEmbedding(self.source_words, self.d_model)
        self.target_embedding = TokenEmbedding(self.target_words, self.d_model)
        self.encoder, self.decoder = Stack("encoder", *sizes), Stack("decoder", *sizes, decoder=True)
        self.generator = nn.Dense(self.target_words)
        self.positional_encoding = PositionalEncoding(self.d_model)

    def __call__(self, source, target, source_mask, target_mask, memory_mask):
        with scope("source"):
            x = embed(source, self.source_embedding, self.positional_encoding)
        memory = self.encoder(x, None, source_mask)
        with scope("target"):
            y = embed(target, self.target_embedding, self.positional_encoding)
        y = self.decoder(y, memory, target_mask, memory_mask)
        logits = named("logits", self.generator(y))
        named("softmax", nn.softmax(logits, axis=-1))
        return logits


class LanguageModel(nn.Module):
    """Decoder only: encoder blocks with a causal mask, logits of the next word."""

    words: int
    d_model: int
    heads: int
    d_ff: int
    layers: int

    def setup(self):
        self.embedding = TokenEmbedding(self.words, self.d_model)
        self.decoder = Stack("decoder", self.layers, self.d_model, self.heads, self.d_ff)
        self.generator = nn.Dense(self.words)
        self.positional_encoding = PositionalEncoding(self.d_model)

    def __call__(self, tokens, mask):
        x = self.decoder(embed(tokens, self.embedding, self.positional_encoding), None, mask)
        logits = named("logits", self.generator(x))
        named("softmax", nn.softmax(logits, axis=-1))
        return logits


class LearnedPositions(nn.Embed):
    def __call__(self, x):
        x = named("x", x)
        encoding = named("encoding", super().__call__(jnp.arange(x.shape[-2])))
        return named("output", x + encoding)


class Time2Vec(nn.Module):
    """One linear term and k − 1 sines of time (Kazemi et al. 2019), appended to the series' features."""

    width: int

    @nn.compact
    def __call__(self, x, time):
        omega, phi = (self.param(name, nn.initializers.normal(), (self.width,)) for name in ("omega", "phi"))
        x, time = named("x", x), named("time", time)
        y = named("linear", jnp.broadcast_to(time, x.shape[:-1])[..., None] * omega + phi)
        y = named("time2vec", jnp.concatenate([y[..., :1], jnp.sin(y[..., 1:])], axis=-1))
        return named("output", jnp.concatenate([x, y], axis=-1))
