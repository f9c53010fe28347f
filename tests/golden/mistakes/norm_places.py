"""Where in a block a norm stands, and whose weights it has: x is a sublayer's input, f what the sublayer has found."""
import torch.nn.functional as F
from mistakes.layer_norm import gamma_beta, whole


def x_and_found(s, sublayer):
    return (s["self_attn/x"], s["self_attn/output"]) if sublayer == 1 else (s["norm1"], s["mlp/output"])


def norm1_weights(s):
    return gamma_beta(s["residual1"], s["norm1"], s.settings["epsilon"])


LINES = {
    "norm/after-sublayer": lambda s: s.input(0),  # in the norm's old place nothing is normalised
    "norm/post-norm": lambda s: s.input(0),
    "norm/before-sublayer": tuple(lambda s, f=f: whole(s, x_and_found(s, f)[0]) for f in (1, 2)),
    "norm/each-normalised": tuple(lambda s, f=f: sum(whole(s, each) for each in x_and_found(s, f)) for f in (1, 2)),
    "norm/input-added-again": tuple(lambda s, f=f: x_and_found(s, f)[0] + s.right for f in (1, 2)),
    "norm/input-normalised": tuple(lambda s, f=f: whole(s, x_and_found(s, f)[0]) + x_and_found(s, f)[1] for f in (1, 2)),
    "norm/normalised-first": (lambda s: s.input(1),  # goes into the norm in place of the sum
                              lambda s: x_and_found(s, 1)[0] + whole(s, x_and_found(s, 1)[1])),
    "norm/sublayer-left-out": tuple(lambda s, f=f: x_and_found(s, f)[0] for f in (1, 2)),
    "norm2/first-beta": lambda s: F.layer_norm(s.input(0), s.input(0).shape[-1:], s.input(1), norm1_weights(s)[1],
                                               s.settings["epsilon"]),
    "norm2/first-norm": lambda s: F.layer_norm(s.input(0), s.input(0).shape[-1:], *norm1_weights(s), s.settings["epsilon"]),
}
