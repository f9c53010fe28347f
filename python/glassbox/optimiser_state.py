"""What an optimiser keeps between its updates, as a dictionary."""
import re

from .signature import AVERAGES, MOMENTS, STATE_WORDS, moments_of, numbers_called, what_is

OF_PARAMETER = re.compile(r"(.+?)_?d?[wW]\d?")  # v_w, vdW, m_W1: the average of one parameter


class Looked:
    """What a function has looked for in its state: the numbers found there, and what nobody knows."""
    def __init__(self):
        self.numbers, self.unknown = set(), []


class State(dict):
    """{"m": …, "v": …, "t": …}, and the same by the names that students have for them: state["exp_avg"], state["step"].
    `number` gives one of the layer's numbers, which may be kept there, too: state["lr"]."""
    def __init__(self, averages, update, numbers=(), number=None, looked=None):
        names = {"m_before": "m", "v_before": "v"}
        super().__init__({names[each]: array for each, array in averages.items()}, t=update)
        self._averages = {each: names[each] for each in AVERAGES if each in averages}
        self._numbers, self._number, self._looked = list(numbers), number, looked or Looked()

    def _own(self, name):
        """The name here of what is asked for by another; None for what is not here."""
        if dict.__contains__(self, name):
            return name
        if not isinstance(name, str):
            return None
        moments = moments_of(MOMENTS[0]) if len(self._averages) == len(AVERAGES) else {}
        if name in moments:  # by itself mu is the momentum
            return self._averages[moments[name]]
        found = OF_PARAMETER.fullmatch(name)
        for each in (name, *([found[1]] if found else [])):
            array = what_is(each, list(self._averages))
            if array is None and len(self._averages) == 1 and what_is(each, AVERAGES):
                array = next(iter(self._averages))  # v of gradient descent is its velocity
            if array is not None:
                return self._averages[array]
        return "t" if numbers_called(name, ["update"]) else None

    def _options(self, name):
        """The numbers of the layer that are asked for: none, one, or both betas."""
        options = numbers_called(name, self._numbers) if isinstance(name, str) else ()
        return () if "update" in options else options

    def __missing__(self, name):
        own, options = self._own(name), self._options(name)
        if own is not None:
            return self[own]
        if options:
            self._looked.numbers.update(options)
            values = [self._number(option) for option in options]
            return values[0] if len(values) == 1 else tuple(values)
        self._looked.unknown.append(name)
        raise KeyError(name)

    def _has(self, name):
        return self._own(name) is not None or bool(self._options(name))

    def __contains__(self, name):
        if not self._has(name):
            self._looked.unknown.append(name)
        return self._has(name)

    def get(self, name, default=None):
        return self[name] if name in self else default

    def setdefault(self, name, default=None):
        if name not in self:
            self[name] = default
        return self[name]

    def __getattr__(self, name):
        if not name.startswith("_") and self._has(name):
            return self[name]
        raise AttributeError(name)


def looked_for(plan, looked):
    """What a function has looked for in its state, and nobody knows: "cache['speed']"; None where there is no such thing."""
    states = [name for name, what in plan.named.items() if isinstance(what, str) and what in STATE_WORDS]
    return f"{states[0]}[{looked.unknown[0]!r}]" if states and looked.unknown else None


def state_of(word, averages, update, numbers, number, looked):
    """What a parameter takes that is `word`, one of STATE_WORDS. `number` gives one of `numbers`, the layer's."""
    own = update - word.endswith("before")
    if word.startswith("state triple"):
        return (*averages.values(), own)
    if word.startswith("state count first"):
        return (own, *averages.values())
    return tuple(averages.values()) if word == "state pair" else State(averages, own, numbers, number, looked)
