"""Functions and modules of dropout: they may draw the places that they keep."""
import functools
import inspect

import numpy as np

from .arrays import to_numpy
from .modules import copied, is_torch_module
from .signature import parameters_of, plain

RATES = ("p", "rate", "drop_prob", "dropout", "prob", "p_drop", "drop_rate", "dropout_rate")
KEEPING = ("keep_prob", "p_keep", "keep_rate")
KEYS = ("key", "rng", "prngkey", "rngkey", "dropoutkey", "dropoutrng", "prng", "generator")  # with which places are drawn
SIGMAS = 6  # of the number of places that stay: further away is no chance


def rate_of(module):
    """The probability of being dropped that a module, or another object, says it has; None if it says none."""
    for names, of in ((RATES, lambda value: value), (KEEPING, lambda value: 1 - value)):
        for name in names:
            value = getattr(module, name, None)
            if isinstance(value, float) and 0 < value < 1:
                return of(value)
    return None


def in_training(module):
    """A module of PyTorch in training, as a function, and its rate."""
    own = copied(module).train()

    @functools.wraps(own.forward)
    def function(*arguments, **keywords):
        return own(*arguments, **keywords)
    function.__name__ = type(module).__name__
    function.__signature__ = inspect.signature(own.forward)
    return function, rate_of(module)


class Remembered:
    """A function that draws: the same arguments give what they gave first, so that one call can be judged."""
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function, self.seen = function, {}

    def __call__(self, *arguments, **keywords):
        key = repr([(name, to_numpy(each).tobytes() if hasattr(each, "shape") else repr(each))
                    for name, each in [*enumerate(arguments), *sorted(keywords.items())]])
        if key not in self.seen:
            self.seen[key] = self.function(*arguments, **keywords)
        return self.seen[key]


def prepared(given, options):
    """The function to be checked; `options` get the rate of a module or another object."""
    function, rate = in_training(given) if is_torch_module(given) else (given, rate_of(given))
    if rate is not None:
        options.setdefault("dropout", rate)
    return Remembered(function)


def keys_for(function, framework):
    """{parameter: value} of what a function draws with, where it has no default for it."""
    needed = [name for name, each in (parameters_of(function) or {}).items()
              if plain(name) in KEYS and each.default is inspect.Parameter.empty]
    if not needed or framework == "torch":
        return {}
    if framework == "numpy":
        return dict.fromkeys(needed, np.random.default_rng(0))
    import jax
    return dict.fromkeys(needed, jax.random.PRNGKey(0))


def kept_by(result, x):
    """(the places that a result keeps, how many of them there are); None where it has another shape."""
    if result.shape != x.shape:
        return None
    return ((result != 0) | (x == 0)).astype(np.float32)


def unlikely(kept, rate):
    """What is said where clearly more or fewer numbers stay than a rate says; "" else."""
    share, spread = kept.mean(), SIGMAS * (rate * (1 - rate) / kept.size)**0.5
    if abs(share - (1 - rate)) <= spread:
        return ""
    return f"{share:.0%} of the numbers stay, and 1 − p is {1 - rate:.0%}: is a number kept with the probability p?"
