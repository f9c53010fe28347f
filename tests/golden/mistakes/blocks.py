"""Blocks, stacks of them, and the layers around them: predictor, transformer."""
import math

import torch
import torch.nn.functional as F
from mistakes.layer_norm import gamma_beta
from mistakes.positions import encoding


def layer_norm(s, x, gamma, beta):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, s.settings["epsilon"])


def block_input(s, block):
    """what the first sum of a block has added the attention to"""
    return s[f"{block}residual1"] - s[f"{block}self_attn/output"]


def first_block(s):
    """what block 0 has made: without a norm behind the sum in a pre-norm stack"""
    return s["/encoder/0/residual2" if s.op == "add" else "/encoder/0/norm2"]


def weights_of(s, norm, x):
    return gamma_beta(s[x], s[norm], s.settings["epsilon"])


BLOCK = {
    "block/left-out": lambda s: block_input(s, ""),
    "block/only-first": (first_block, first_block),
    "block/residual-around": lambda s: block_input(s, "") + s.right,
    "block/without-first": lambda s: block_input(s, ""),
    "final_norm/left-out": (lambda s: s.input(0), lambda s: s.input(0)),
    "norm3/first-norm": lambda s: layer_norm(s, s.input(0), *weights_of(s, "norm1", "residual1")),
    "norm3/other-weights": lambda s: layer_norm(s, s.input(0), *weights_of(s, "norm2", "residual2")),
    "residual/from-norm1": lambda s: s["norm1"] + s["mlp/output"],
}


def linear(s, x):
    return F.linear(x, s.input(1), s.input(2))


def positions(x):
    return encoding(*x.shape[-2:])


def rows_for_columns(s):
    """row c of W_in for kind c, as far as there are rows and as the result is wide"""
    d = s.right.shape[-1]
    return s.input(0)[..., :d] @ s.input(1)[:, :d] + s.input(2)


def encoded(s):
    return s["/encoder/1/norm2"]


def before_encoder(s):
    return s["/positional/output"]


PREDICTOR = {
    "input_net/encoding-first": (lambda s: linear(s, s.input(0) + positions(s.input(0))), lambda s: s["x"]),
    "input_net/first-entry": lambda s: s.right[:1].expand(s.right.shape),
    "input_net/not-transposed": rows_for_columns,
    "input_net/positions": lambda s: s.right + positions(s.right),
    "input_net/relu": lambda s: s.right.relu(),
    "input_net/scaled": lambda s: math.sqrt(s.right.shape[-1]) * s.right,
    "linear/no-encoder": lambda s: linear(s, before_encoder(s)),
    "norm/other-weights": lambda s: layer_norm(s, s.input(0), *weights_of(s, "/encoder/1/norm2", "/encoder/1/residual2")),
    "norm/relu-first": (lambda s: layer_norm(s, s["linear"].relu(), s.input(1), s.input(2)), lambda s: s["norm"]),
    "norm/residual": lambda s: layer_norm(s, encoded(s) + s["linear"], s.input(1), s.input(2)),
    "relu/not-normed": lambda s: s["linear"].relu(),
    "x/flipped": lambda s: s.right.flip(-2),
    "x/shifted": lambda s: s.right.roll(1, -1),
    "x/shifted-back": lambda s: s.right.roll(-1, -1),
}

LOGITS = {
    "logits/divided-by-width": lambda s: s.right / math.sqrt(s.input(0).shape[-1]),
    "logits/last-position": lambda s: s.right[:, -1:].expand(s.right.shape),
    "logits/log-probabilities": lambda s: s.right.log_softmax(-1),
    "logits/no-relu": lambda s: linear(s, s["output_net/norm"]),
    "logits/not-encoded": lambda s: linear(s, s["input_net"]),
    "logits/one-hidden-linear": lambda s: linear(s, s["output_net/linear"]),
    "logits/one-linear": lambda s: linear(s, encoded(s)),
    "logits/probabilities": lambda s: s.right.softmax(-1),
    "logits/source-table": lambda s: F.linear(s.input(0), s.operand("/source/embedding", 0), s.input(2)),
    "logits/target-table": lambda s: F.linear(s.input(0), s.operand("/target/embedding", 0), s.input(2)),
    "logits/relu": lambda s: s.right.relu(),
}

LINES = {**BLOCK, **PREDICTOR, **LOGITS}
