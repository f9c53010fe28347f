"""Additive attention: query_part, key_part, hidden, logits."""
import math

import torch


def queries(s):
    return s["query_part"].unsqueeze(-2)


def keys(s):
    return s["key_part"].unsqueeze(-3)


def total(s):
    return queries(s) + keys(s)


def v(s):
    return s["v"]


HIDDEN = {
    "exchanged-axes": lambda s: torch.tanh(s["query_part"].unsqueeze(-3) + s["key_part"].unsqueeze(-2)),
    "halved": lambda s: torch.tanh(total(s) / 2),
    "multiplied": lambda s: torch.tanh(queries(s) * keys(s)),
    "no-tanh": total,
    "relu": lambda s: torch.relu(total(s)),
    "sigmoid": lambda s: torch.sigmoid(total(s)),
    "subtracted": lambda s: torch.tanh(queries(s) - keys(s)),
    "tanh-of-each": lambda s: torch.tanh(queries(s)) + torch.tanh(keys(s)),
    "twice": lambda s: torch.tanh(torch.tanh(total(s))),
    "without-keys": lambda s: torch.tanh(queries(s)).expand_as(s.right),
    "without-queries": lambda s: torch.tanh(keys(s)).expand_as(s.right),
}

LOGITS = {
    "divided": lambda s: s["hidden"] @ v(s) / math.sqrt(len(v(s))),
    "mean": lambda s: (v(s) * s["hidden"]).mean(-1),
    "negated": lambda s: -s["hidden"] @ v(s),
    "no-v": lambda s: s["hidden"].sum(-1),
    "tanh-last": (total, lambda s: torch.tanh(total(s) @ v(s))),
    "v-of-unit-length": lambda s: s["hidden"] @ torch.nn.functional.normalize(v(s), dim=0),
    "v-reversed": lambda s: s["hidden"] @ v(s).flip(0),
}

LINES = {
    **{f"additive_hidden/{name}": line for name, line in HIDDEN.items()},
    **{f"additive_logits/{name}": line for name, line in LOGITS.items()},
    "key_part/by-W_q": lambda s: s["K"] @ s["W_q"],
    "key_part/of-values": lambda s: s["V"] @ s["W_k"],
    "key_part/transposed": lambda s: s["K"] @ s["W_k"].T,
    "query_part/by-W_k": lambda s: s["Q"] @ s["W_k"],
    "query_part/exchanged": (lambda s: s["Q"] @ s["W_k"], lambda s: s["K"] @ s["W_q"]),
    "query_part/transposed": lambda s: s["Q"] @ s["W_q"].T,
}
