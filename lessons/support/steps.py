"""The steps of a lesson, as exercise.py fills them in: steps.logits = …, steps.mlp.hidden = …"""
import difflib

import numpy as np


class NoValue(AttributeError):
    """A step was read before it had a value."""


class Steps:
    """The steps with these paths. Each is empty until it is given numbers; other names are refused."""

    def __init__(self, paths, prefix="steps"):
        parts = {}
        for path in paths:
            head, _, rest = path.partition("/")
            parts.setdefault(head, []).append(rest)
        for name, value in {
            "_prefix": prefix,
            "_values": {},
            "_own": [name for name, rests in parts.items() if "" in rests],
            "_parts": {name: Steps(rests, f"{prefix}.{name}") for name, rests in parts.items() if "" not in rests},
        }.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        if name not in self._own:
            raise AttributeError(f"{self._prefix} has no step {name}{self._meant(name)}")
        self._values[name] = numbers(f"{self._prefix}.{name}", value)

    def __getattr__(self, name):
        if name in self._parts:
            return self._parts[name]
        if name in self._own:
            if name in self._values:
                return self._values[name]
            raise NoValue(f"{self._prefix}.{name} has no value yet: {self._prefix}.{name} = … gives it one")
        raise AttributeError(f"{self._prefix} has no step {name}{self._meant(name)}")

    def __dir__(self):
        return self._own + list(self._parts)

    def _meant(self, name):
        near = difflib.get_close_matches(name, dir(self), 1)
        return f"; did you mean {near[0]}?" if near else f"; there is {', '.join(dir(self))}"

    def collected(self):
        """What has a value, by path."""
        found = dict(self._values)
        for name, part in self._parts.items():
            found.update({f"{name}/{rest}": value for rest, value in part.collected().items()})
        return found


def numbers(name, value):
    """The student's own array if it is one, so that what they change in place counts; else an array of it."""
    try:
        array = value if isinstance(value, np.ndarray) else np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        kind = "complex numbers" if array.dtype.kind == "c" else type(value).__name__
        raise TypeError(f"{name} needs an array of numbers, not {kind}")
    if np.ma.is_masked(array):
        raise TypeError(f"{name} has masked entries: use .filled(…)")
    return array
