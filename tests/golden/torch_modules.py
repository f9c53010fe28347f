"""The Transformer's parts in PyTorch, in three conventions, every step named.

uva-torch and report: the classes that the PyTorch twin of the tutorial and the practical report describe, written anew; their
parameters have the names that those classes give them. paper: torch.nn's own modules; what happens inside them is computed
step by step from their weights, and `same` stops the script where the module itself says something else.

A mask arrives as 0/1 of 4 axes (batch, heads or 1, queries, keys), or None. What the sources do not have (a decoder in the tutorials'
manner, pre-norm, pooling) follows the manner of the rest.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

from steps import named, scope

FILL = {"uva-torch": -9e15, "report": -1e14, "paper": -math.inf}


def same(ours, theirs, what):
    if not torch.allclose(ours, theirs, rtol=1e-11, atol=1e-11, equal_nan=True):
        raise SystemExit(f"{what}: the steps end elsewhere than torch.nn: {(ours - theirs).abs().max()}")
    return ours


# ---- attention --------------------------------------------------------------------------------------------------------


def weigh(Q, K, V, mask, fill):
    Q, K, V = named("Q", Q), named("K", K), named("V", V)
    scores = named("logits", Q @ K.transpose(-2, -1))
    scores = named("scaled", scores / math.sqrt(K.shape[-1]))
    if mask is not None:
        scores = named("masked", scores.masked_fill(mask == 0, fill))
    attention = named("attention", torch.softmax(scores, -1))
    return named("values", attention @ V)


def concat(values):
    return named("concat", values.transpose(-3, -2).flatten(-2))


class Attention(nn.Module):
    """[q‖k‖v] head by head from one projection: the tutorials and the report."""

    def __init__(self, d_in, d_model, heads, bias=True, fill=FILL["uva-torch"]):
        super().__init__()
        self.heads, self.fill = heads, fill
        self.qkv_proj = nn.Linear(d_in, 3 * d_model, bias)
        self.o_proj = nn.Linear(d_model, d_model, bias)

    def by_head(self, y):
        return y.unflatten(-1, (self.heads, -1)).transpose(-3, -2)

    def rows(self, first, last):
        """The projection to one part of [q‖k‖v], of every head."""
        W = self.qkv_proj.weight.unflatten(0, (self.heads, 3, -1))[:, first:last].flatten(0, 2)
        b = self.qkv_proj.bias
        return W, b if b is None else b.unflatten(0, (self.heads, 3, -1))[:, first:last].flatten()

    def forward(self, x, memory=None, mask=None):
        x = named("x", x)
        if memory is None:
            Q, K, V = self.by_head(named("qkv", self.qkv_proj(x))).chunk(3, -1)
        else:
            memory = named("memory", memory)
            q = named("q", F.linear(x, *self.rows(0, 1)))
            kv = named("kv", F.linear(memory, *self.rows(1, 3)))
            Q, (K, V) = self.by_head(q), self.by_head(kv).chunk(2, -1)
        return named("output", self.o_proj(concat(weigh(Q, K, V, mask, self.fill))))


class PaperAttention(nn.Module):
    """torch.nn.MultiheadAttention, [Q; K; V] stacked, step by step; `mha` is the module itself."""

    def __init__(self, mha):
        super().__init__()
        self.mha = mha

    def forward(self, x, memory=None, mask=None):
        heads, d = self.mha.num_heads, self.mha.embed_dim
        by_head = lambda y: y.unflatten(-1, (heads, -1)).transpose(-3, -2)
        W, b = self.mha.in_proj_weight, self.mha.in_proj_bias
        part = lambda rows: (W[rows], None if b is None else b[rows])
        whole_x, whole_memory = x, x if memory is None else memory
        x = named("x", x)
        if memory is None:
            Q, K, V = map(by_head, named("qkv", F.linear(x, W, b)).chunk(3, -1))
        else:
            memory = named("memory", memory)
            q = named("q", F.linear(x, *part(slice(0, d))))
            kv = named("kv", F.linear(memory, *part(slice(d, None))))
            Q, (K, V) = by_head(q), map(by_head, kv.chunk(2, -1))
        output = named("output", self.mha.out_proj(concat(weigh(Q, K, V, mask, -math.inf))))
        theirs, _ = self.mha(whole_x, whole_memory, whole_memory, attn_mask=hidden(mask, whole_x, whole_memory, heads))
        return same(output, theirs, "nn.MultiheadAttention")


def hidden(mask, x, memory, heads):
    """The mask in torch.nn's form: True hides, batch and heads in one axis."""
    if mask is None:
        return None
    full = (mask == 0).expand(*x.shape[:-2], heads, x.shape[-2], memory.shape[-2])
    return full if full.ndim == 3 else full.flatten(0, 1)


# ---- blocks -----------------------------------------------------------------------------------------------------------


def feed_forward(x, first, last, gelu):
    with scope("mlp"):
        x = named("hidden", first(x))
        x = named("gelu", F.gelu(x)) if gelu else named("relu", F.relu(x))
        return named("output", last(x))


class Block(nn.Module):
    """Encoder block, or decoder block with memory, like the tutorial's PyTorch twin."""

    def __init__(self, d_model, heads, d_ff, decoder=False, pre_norm=False, gelu=False):
        super().__init__()
        self.pre_norm, self.gelu = pre_norm, gelu
        self.self_attn = Attention(d_model, d_model, heads)
        if decoder:
            self.cross_attn = Attention(d_model, d_model, heads)
        self.linear_net = nn.Sequential(nn.Linear(d_model, d_ff), nn.Dropout(0.0), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        if decoder:
            self.norm3 = nn.LayerNorm(d_model)

    def pieces(self):
        """Self-attention, cross-attention, the two linear layers, and the norm of each sublayer."""
        norms = [getattr(self, f"norm{i}") for i in (1, 2, 3) if hasattr(self, f"norm{i}")]
        return self.self_attn, getattr(self, "cross_attn", None), self.linear_net[0], self.linear_net[3], norms

    def forward(self, x, memory=None, mask=None, memory_mask=None):
        self_attn, cross_attn, first, last, norms = self.pieces()

        def look(name, attention, x, *others):
            with scope(name):
                return attention(x, *others)

        sublayers = [lambda x: look("self_attn", self_attn, x, None, mask)]
        if memory is not None:
            sublayers.append(lambda x: look("cross_attn", cross_attn, x, memory, memory_mask))
        sublayers.append(lambda x: feed_forward(x, first, last, self.gelu))
        for i, (sublayer, norm) in enumerate(zip(sublayers, norms), 1):
            if self.pre_norm:
                x = named(f"residual{i}", x + sublayer(named(f"norm{i}", norm(x))))
            else:
                x = named(f"norm{i}", norm(named(f"residual{i}", x + sublayer(x))))
        return x


class ReportBlock(nn.Module):
    """One norm for both sublayers, an MLP of twice the width whatever d_ff is, and an unused mask in the encoder.

    The report has no decoder: one in its manner has a norm for each sublayer, and must use its masks.
    """

    def __init__(self, d_model, heads, d_ff, decoder=False, pre_norm=False, gelu=False):
        super().__init__()
        self.pre_norm, self.gelu = pre_norm, gelu
        self.self_attn = Attention(d_model, d_model, heads, fill=FILL["report"])
        if decoder:
            self.cross_attn = Attention(d_model, d_model, heads, fill=FILL["report"])
        self.mlp = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.ReLU(), nn.Dropout(0.0), nn.Linear(2 * d_model, d_model))
        self.norm = nn.Sequential(nn.LayerNorm(d_model), nn.Dropout(0.0))
        if decoder:
            self.norm2, self.norm3 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def pieces(self):
        norms = [self.norm, getattr(self, "norm2", self.norm), getattr(self, "norm3", None)]
        return self.self_attn, getattr(self, "cross_attn", None), self.mlp[0], self.mlp[3], norms

    def forward(self, x, memory=None, mask=None, memory_mask=None):
        return Block.forward(self, x, memory, None if memory is None else mask, memory_mask)


class PaperBlock(nn.Module):
    """nn.TransformerEncoderLayer or nn.TransformerDecoderLayer, step by step; `layer` is the module itself."""

    def __init__(self, d_model, heads, d_ff, decoder=False, pre_norm=False, gelu=False, layer=None):
        super().__init__()
        kind = nn.TransformerDecoderLayer if decoder else nn.TransformerEncoderLayer
        self.layer = layer or kind(d_model, heads, d_ff, 0.0, "gelu" if gelu else "relu", batch_first=True, norm_first=pre_norm)
        self.heads, self.pre_norm, self.gelu = heads, pre_norm, gelu

    def pieces(self):
        layer = self.layer
        norms = [getattr(layer, f"norm{i}") for i in (1, 2, 3) if hasattr(layer, f"norm{i}")]
        cross = PaperAttention(layer.multihead_attn) if len(norms) == 3 else None
        return PaperAttention(layer.self_attn), cross, layer.linear1, layer.linear2, norms

    def forward(self, x, memory=None, mask=None, memory_mask=None):
        y = Block.forward(self, x, memory, mask, memory_mask)
        if memory is None:
            return same(y, self.layer(x, src_mask=hidden(mask, x, x, self.heads)), "nn.TransformerEncoderLayer")
        theirs = self.layer(x, memory, hidden(mask, x, x, self.heads), hidden(memory_mask, x, memory, self.heads))
        return same(y, theirs, "nn.TransformerDecoderLayer")


BLOCKS = {"uva-torch": Block, "report": ReportBlock, "paper": PaperBlock}


# ---- stacks -----------------------------------------------------------------------------------------------------------


class Stack(nn.Module):
    """Blocks in sequence, and a final norm if `norm` is set (needed with pre-norm)."""

    def __init__(self, name, block, layers, d_model, norm=False):
        super().__init__()
        self.name = name  # of the steps: "encoder" or "decoder"
        self.layers = nn.ModuleList(block() for _ in range(layers))
        self.norm = nn.LayerNorm(d_model) if norm else None

    def blocks(self):
        return self.layers

    def forward(self, x, *others):
        for i, block in enumerate(self.blocks()):
            with scope(self.name, i):
                x = block(x, *others)
        if self.norm is not None:
            with scope(self.name):
                x = named("norm", self.norm(x))
        return x


class PaperStack(nn.Module):
    """nn.TransformerEncoder or nn.TransformerDecoder, step by step; `stack` is the module itself."""

    def __init__(self, name, block, layers, d_model, norm=False):
        super().__init__()
        first = block()
        self.name, self.heads, self.pre_norm, self.gelu = name, first.heads, first.pre_norm, first.gelu
        decoder = isinstance(first.layer, nn.TransformerDecoderLayer)
        kind = nn.TransformerDecoder if decoder else nn.TransformerEncoder
        more = {} if decoder else {"enable_nested_tensor": False}
        self.stack = kind(first.layer, layers, nn.LayerNorm(d_model) if norm else None, **more)
        self.norm = self.stack.norm

    def blocks(self):
        return [PaperBlock(0, self.heads, 0, False, self.pre_norm, self.gelu, layer) for layer in self.stack.layers]

    def forward(self, x, *others):
        y = Stack.forward(self, x, *others)
        memory, mask, memory_mask = (*others, None, None)[:3]
        if memory is None:
            return same(y, self.stack(x, hidden(mask, x, x, self.heads)), "nn.TransformerEncoder")
        theirs = self.stack(x, memory, hidden(mask, x, x, self.heads), hidden(memory_mask, x, memory, self.heads))
        return same(y, theirs, "nn.TransformerDecoder")


def make_stack(convention, name, layers, d_model, heads, d_ff, pre_norm=False, gelu=False, norm=False, decoder=False):
    block = lambda: BLOCKS[convention](d_model, heads, d_ff, decoder, pre_norm, gelu)
    return (PaperStack if convention == "paper" else Stack)(name, block, layers, d_model, norm)


# ---- positions and time -----------------------------------------------------------------------------------------------


def sinusoids(length, d_model, in_float):
    """The interleaved encoding, in float for the PyTorch twin, else in double; odd widths drop the last cosine."""
    if in_float:
        position = torch.arange(length, dtype=torch.float32)[:, None]
        frequency = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    else:
        position = torch.arange(length, dtype=torch.float64)[:, None]
        frequency = torch.exp(torch.arange(0, d_model, 2).double() * (-math.log(10000.0) / d_model))
    encoding = torch.zeros(length, d_model, dtype=position.dtype)
    encoding[:, 0::2] = torch.sin(position * frequency)
    encoding[:, 1::2] = torch.cos(position * frequency)[:, : d_model // 2]
    return encoding.double()


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, convention):
        super().__init__()
        self.max_len = 16 if convention == "report" else 5000
        self.register_buffer("pe", sinusoids(self.max_len, d_model, convention in ("uva-torch", "report")), persistent=False)

    def forward(self, x):
        x = named("x", x)
        encoding = named("encoding", self.pe[: x.shape[-2]])
        return named("output", x + encoding)


class LearnedPositions(nn.Embedding):
    def forward(self, x):
        x = named("x", x)
        encoding = named("encoding", super().forward(torch.arange(x.shape[-2])))
        return named("output", x + encoding)


class Time2Vec(nn.Module):
    """One linear term and k − 1 sines of time (Kazemi et al. 2019), appended to the series' features."""

    def __init__(self, width):
        super().__init__()
        self.omega, self.phi = nn.Parameter(torch.zeros(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x, time):
        x, time = named("x", x), named("time", time)
        y = named("linear", time.expand(x.shape[:-1])[..., None] * self.omega + self.phi)
        y = named("time2vec", torch.cat([y[..., :1], torch.sin(y[..., 1:])], -1))
        return named("output", torch.cat([x, y], -1))


# ---- models -----------------------------------------------------------------------------------------------------------


class Predictor(nn.Module):
    """Input network, positions, encoder, output network; one output per element, or one for the sequence."""

    def __init__(self, convention, d_in, d_model, heads, d_ff, layers, classes, pooling=None, positional=True,
                 pre_norm=False, norm=False):
        super().__init__()
        self.convention, self.pooling, self.positional = convention, pooling, positional
        make = make_stack(convention, "encoder", layers, d_model, heads, d_ff, pre_norm, norm=norm)
        if convention == "paper":
            self.input_net, self.encoder, self.output_net = nn.Linear(d_in, d_model), make, nn.Linear(d_model, classes)
        elif convention == "report":
            self.input_net = nn.Sequential(nn.Linear(d_in, d_model), nn.Dropout(0.0))
            self.transformer, self.output_net = make, nn.Linear(d_model, classes)
        else:
            self.input_net = nn.Sequential(nn.Dropout(0.0), nn.Linear(d_in, d_model))
            self.transformer = make
            self.output_net = nn.Sequential(nn.Linear(d_model, d_model), nn.LayerNorm(d_model), nn.ReLU(), nn.Dropout(0.0),
                                            nn.Linear(d_model, classes))
        if pooling == "cls":
            self.cls_token = nn.Parameter(torch.zeros(d_model))
        self.positional_encoding = PositionalEncoding(d_model, convention)

    def forward(self, x, mask=None, lengths=None):
        x = named("x", x)
        x = named("input_net", self.input_net(x))
        if self.pooling == "cls":
            x = named("cls", torch.cat([self.cls_token.expand(*x.shape[:-2], 1, -1), x], -2))
        if self.positional:
            with scope("positional"):
                x = self.positional_encoding(x)
        x = (self.encoder if self.convention == "paper" else self.transformer)(x, None, mask)
        if self.pooling == "cls":
            x = named("pooled", x[..., 0, :])
        elif self.pooling:
            x = named("pooled", pool(x, self.pooling, lengths))
        if self.convention == "uva-torch":
            with scope("output_net"):
                x = named("linear", self.output_net[0](x))
                x = named("norm", self.output_net[1](x))
                x = named("relu", self.output_net[2](x))
            logits = named("logits", self.output_net[4](x))
        else:
            logits = named("logits", self.output_net(x))
        named("softmax", torch.softmax(logits, -1))
        return logits


def pool(x, how, lengths):
    """Over real positions, lengths[b] of them when the sequences are padded."""
    if lengths is None:
        return x.mean(-2) if how == "mean" else x.max(-2).values
    there = (torch.arange(x.shape[-2]) < lengths[:, None])[..., None]
    if how == "mean":
        return torch.where(there, x, 0.0).sum(-2) / lengths[:, None]
    return torch.where(there, x, -math.inf).max(-2).values


class Transformer(nn.Module):
    """Encoder–decoder over tokens: embeddings times √d_model, positions, both stacks, logits of the next word."""

    def __init__(self, convention, source_words, target_words, d_model, heads, d_ff, layers, pre_norm=False, norm=False):
        super().__init__()
        self.source_embedding = TokenEmbedding(source_words, d_model)
        self.target_embedding = TokenEmbedding(target_words, d_model)
        self.encoder = make_stack(convention, "encoder", layers, d_model, heads, d_ff, pre_norm, norm=norm)
        self.decoder = make_stack(convention, "decoder", layers, d_model, heads, d_ff, pre_norm, norm=norm, decoder=True)
        self.generator = nn.Linear(d_model, target_words)
        self.positional_encoding = PositionalEncoding(d_model, convention)

    def forward(self, source, target, source_mask, target_mask, memory_mask):
        with scope("source"):
            x = embed(source, self.source_embedding, self.positional_encoding)
        memory = self.encoder(x, None, source_mask)
        with scope("target"):
            y = embed(target, self.target_embedding, self.positional_encoding)
        y = self.decoder(y, memory, target_mask, memory_mask)
        logits = named("logits", self.generator(y))
        named("softmax", torch.softmax(logits, -1))
        return logits


class TokenEmbedding(nn.Embedding):
    """The row of every token, times √d_model."""

    def forward(self, tokens):
        named("tokens", tokens)
        x = named("embedding", super().forward(tokens))
        return named("scaled", x * math.sqrt(x.shape[-1]))


def embed(tokens, embedding, positional_encoding):
    x = embedding(tokens)
    with scope("positional"):
        return positional_encoding(x)


class LanguageModel(nn.Module):
    """Decoder only: encoder blocks with a causal mask, logits of the next word."""

    def __init__(self, convention, words, d_model, heads, d_ff, layers):
        super().__init__()
        self.embedding = TokenEmbedding(words, d_model)
        self.decoder = make_stack(convention, "decoder", layers, d_model, heads, d_ff)
        self.generator = nn.Linear(d_model, words)
        self.positional_encoding = PositionalEncoding(d_model, convention)

    def forward(self, tokens, mask):
        x = self.decoder(embed(tokens, self.embedding, self.positional_encoding), None, mask)
        logits = named("logits", self.generator(x))
        named("softmax", torch.softmax(logits, -1))
        return logits
