"""The feed-forward network: hidden, its activation (ReLU or GELU), output."""
import math

import torch
import torch.nn.functional as F


def x(s):
    """what the activation is taken of"""
    return s.input(0)


def cdf(x):
    """Φ"""
    return torch.distributions.Normal(0, 1).cdf(x)


def density(x):
    """φ"""
    return torch.exp(-x.square() / 2) / math.sqrt(2 * math.pi)


def linear(x):
    """the layer, of another input"""
    return lambda s: F.linear(x(s), *s.inputs()[1:])


def block_input(s):
    """x of x + MultiHead(…)"""
    return s["/residual1"] - s["/self_attn/output"]


RELU = {
    "absolute": lambda s: x(s).abs(),
    "after-second-layer": (x, lambda s: torch.relu(F.linear(*s.inputs()))),
    "bias-behind": lambda s: torch.relu(x(s) - s.input(0, 2)) + s.input(0, 2),
    "capped": lambda s: x(s).clamp(0, 1),
    "elu": lambda s: F.elu(x(s)),
    "gelu": lambda s: F.gelu(x(s)),
    "gelu-tanh": lambda s: F.gelu(x(s), approximate="tanh"),
    "leaky": lambda s: F.leaky_relu(x(s), 0.01),
    "negative-kept": lambda s: x(s).clamp(max=0),
    "not-applied": x,
    "of-negative": lambda s: torch.relu(-x(s)),
    "sigmoid": lambda s: torch.sigmoid(x(s)),
    "sign-only": lambda s: (x(s) > 0).double(),
    "silu": lambda s: F.silu(x(s)),
    "softmax": lambda s: torch.softmax(x(s), -1),
    "softplus": lambda s: F.softplus(x(s)),
    "squared": lambda s: torch.relu(x(s)).square(),
    "tanh": lambda s: torch.tanh(x(s)),
}

GELU = {
    "density": lambda s: x(s) * density(x(s)),
    "constants-exchanged": lambda s: x(s) / 2 * (1 + torch.tanh(0.044715 * (x(s) + math.sqrt(2 / math.pi) * x(s)**3))),
    "square": lambda s: x(s) / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x(s) + 0.044715 * x(s)**2))),
    "ten-times-cube": lambda s: x(s) / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x(s) + 0.44715 * x(s)**3))),
    "no-cube": lambda s: x(s) / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * x(s))),
    "no-factor": lambda s: cdf(x(s)),
    "no-half": lambda s: x(s) * (1 + torch.erf(x(s) / math.sqrt(2))),
    "no-root-two": lambda s: x(s) / 2 * (1 + torch.erf(x(s))),
    "not-applied": x,
    "other-form": lambda s: F.gelu(x(s), approximate="tanh" if s.settings["erf"] else "none"),
    "quick": lambda s: x(s) * torch.sigmoid(1.702 * x(s)),
    "relu": lambda s: torch.relu(x(s)),
    "silu": lambda s: F.silu(x(s)),
}

HIDDEN = {
    "from-attention": linear(lambda s: s["/self_attn/output"]),
    "from-norm1": linear(lambda s: s["/norm1"]),
    "from-x": linear(block_input),
    "not-normed": linear(lambda s: s["/residual1"]),
    "relu-already": lambda s: torch.relu(F.linear(*s.inputs())),
    "viewed": linear(lambda s: x(s).reshape(*x(s).shape[:-2], *x(s).shape[:-3:-1]).mT),
}

def input_added(s):
    """x, of which the hidden numbers are made: linear, then relu"""
    return s.right + s.input(0, 0, 0)


OUTPUT = {
    "input-added": input_added,
    "from-hidden": linear(lambda s: s["hidden"]),
    "relu": lambda s: torch.relu(F.linear(*s.inputs())),
}

STEPS = {"relu": RELU, "gelu": GELU, "hidden": HIDDEN, "ffn_output": OUTPUT}
LINES = {f"{step}/{name}": line for step, of_step in STEPS.items() for name, line in of_step.items()}
