"""Which activation a function is, by its numbers: a GELU has a dozen names."""
import math
import re
import sys

import numpy as np


def erf(x):
    return np.vectorize(math.erf, otypes=[float])(x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# By the words of the command's --activation; then others, for messages and names of steps.
COMMANDS = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
    "gelu-tanh": lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
}
OTHERS = {
    "silu": lambda x: x * sigmoid(x), "quick-gelu": lambda x: x * sigmoid(1.702 * x), "tanh": np.tanh,
    "sigmoid": sigmoid, "relu-squared": lambda x: np.maximum(x, 0)**2, "leaky-relu": lambda x: np.maximum(x, 0.01 * x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))), "softplus": lambda x: np.logaddexp(x, 0),
    "mish": lambda x: x * np.tanh(np.logaddexp(x, 0)), "none": lambda x: x,
}
ALL = {**COMMANDS, **OTHERS}
STEPS = {"relu": "relu", "gelu": "gelu", "gelu-tanh": "gelu"}  # the command's name of the step
FAR = 0.2  # two forms of one function are nearer to each other than this share of the numbers' rounding allows


def which(before, after):
    """The name of the activation that makes `after` of `before`; None if none does, or the numbers do not tell."""
    before, after = np.asarray(before, float), np.asarray(after, float)
    if before.shape != after.shape or before.size == 0 or not np.all(np.isfinite(before)):
        return None
    before, after = before.ravel()[:20000], after.ravel()[:20000]
    with np.errstate(all="ignore"):
        off = sorted((float(np.max(np.abs(function(before) - after))), name) for name, function in ALL.items())
    (nearest, name), (second, other) = off[:2]
    limit = 1e-2 * max(1, float(np.max(np.abs(after))))  # half precision's
    if nearest >= limit:
        return None
    if {name, other} == {"gelu", "gelu-tanh"} and nearest >= FAR * second:
        return "gelu" if off[2][0] > 2 * limit else None  # in half precision the two forms are one
    return name if nearest < FAR * second else None


ATTRIBUTE = r"(?:^|_)act|activation|nonlin|gelu|relu|silu"


def held_by(module):
    """The activations that a module's parts hold, as parts or as functions, by name; None for one that is of no known
    kind."""
    torch = sys.modules["torch"]
    found = set()
    for part in module.modules():
        for name, value in [*vars(part).items(), *part.named_children()]:
            is_part = isinstance(value, torch.nn.Module)
            if is_part and (next(value.parameters(), None) is not None or next(value.children(), None) is not None):
                continue
            if not callable(value) or isinstance(value, type) or not is_activation(name, value, is_part):
                continue
            found.add(of_callable(value))
    return found


def is_activation(name, value, is_part):
    kind = type(value).__name__ if is_part else getattr(value, "__name__", "")
    of_torch = is_part and type(value).__module__ == "torch.nn.modules.activation" and "Softmax" not in kind
    return of_torch or any(re.search(ATTRIBUTE, word.lower()) for word in (name, kind))


def of_callable(function):
    torch = sys.modules["torch"]
    before = torch.linspace(-4, 4, 81)
    try:
        with torch.no_grad():
            after = function(before.clone())
    except Exception:  # pylint: disable=broad-except
        return None  # it wants other arguments
    return which(before.numpy(), after.numpy()) if isinstance(after, torch.Tensor) else None


def activation_held(module):
    """The one activation that the module holds; None if there are none, or several."""
    held = held_by(module)
    return next(iter(held)) if len(held) == 1 else None
