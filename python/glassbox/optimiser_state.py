"""What an optimiser keeps between its updates, as a dictionary."""
from .signature import AVERAGES, numbers_called, what_is


class State(dict):
    """{"m": …, "v": …, "t": …}, and the same by the names that students have for them: state["exp_avg"], state["step"]."""
    def __init__(self, averages, update):
        names = {"m_before": "m", "v_before": "v"}
        super().__init__({names[each]: array for each, array in averages.items()}, t=update)
        self._averages = {each: names[each] for each in AVERAGES if each in averages}

    def _own(self, name):
        """The name here of what is asked for by another; None for what is not here."""
        if dict.__contains__(self, name):
            return name
        if not isinstance(name, str):
            return None
        array = what_is(name, list(self._averages))
        if array is None and len(self._averages) == 1 and what_is(name, AVERAGES):
            array = next(iter(self._averages))  # v of gradient descent is its velocity
        return self._averages.get(array) or ("t" if numbers_called(name, ["update"]) else None)

    def __missing__(self, name):
        own = self._own(name)
        if own is None:
            raise KeyError(name)
        return self[own]

    def __contains__(self, name):
        return self._own(name) is not None

    def get(self, name, default=None):
        return self[name] if name in self else default

    def setdefault(self, name, default=None):
        if name not in self:
            self[name] = default
        return self[name]

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)
