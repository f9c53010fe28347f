"""The gradient that an update takes: clipped, and with the decay of the weights."""
import torch


def clip(s):
    """the factor, of the gradient and the clipped one"""
    if s.op == "mul":
        return s.input(1)
    return (s.input(0) / s["gradient"]).median()


def decay(s):
    return (s.input(1) / s["before"]).median()


LINES = {
    "g/clipped-twice": lambda s: clip(s)**2 * s["gradient"],
    "g/decay-clipped": lambda s: clip(s) * (s["gradient"] + decay(s) * s["before"]),
    "g/decay-grows": lambda s: clip(s) * s["gradient"] - decay(s) * s["before"],
    "g/decay-of-gradient": lambda s: clip(s) * s["gradient"] * (1 + decay(s)),
    "g/no-decay": lambda s: clip(s) * s["gradient"],
    "g/not-clipped": lambda s: s["gradient"],
    "g/signs-only": lambda s: torch.sign(s.right),
}
