"""Windows of a series in the forms in which people's functions give them: a data set, a generator, pairs, parts of the series."""
import itertools

import numpy as np

from .arrays import is_array, to_numpy

MANY = 100_000  # windows of a data set that are looked at


def listed(value):
    """What a data set or a generator gives, one after the other; all else as it is."""
    if hasattr(value, "__next__"):
        return list(itertools.islice(value, MANY))
    is_set = hasattr(value, "__getitem__") and hasattr(value, "__len__") and not hasattr(value, "items")
    if is_set and not is_array(value) and not hasattr(value, "__array__") and not isinstance(value, (list, tuple, str, bytes)):
        return [value[place] for place in range(min(len(value), MANY))]  # beyond its end a slice gives ever shorter windows
    return value


def of_windows(value, right, returns):
    """The windows and their targets as two arrays, or as a dictionary, and which steps they are."""
    columns = in_columns(value)
    if returns is None and isinstance(columns, (tuple, list)) and len(columns) == 4 and all(map(is_array, columns)):
        return of_split([to_numpy(each) for each in columns], right) or columns, None
    if columns is value or isinstance(columns, dict) or returns is not None:
        return columns, returns
    return columns, ("x", "targets") if len(columns) == 2 else None


def in_columns(rows):
    """Windows, each with its target, as all windows and all targets."""
    is_list = isinstance(rows, list) and len(rows) > 1
    if is_list and all(isinstance(each, (tuple, list)) and len(each) == len(rows[0]) > 1 and all(map(is_array, each)) for each in rows):
        return tuple(to_numpy(list(column), "the windows") for column in zip(*rows))
    if is_list and all(isinstance(each, dict) and each.keys() == rows[0].keys() for each in rows):
        return {name: to_numpy([each[name] for each in rows], name) for name in rows[0] if is_array(rows[0][name])}
    return rows


def of_split(arrays, right):
    """Windows of training and of test, each with its targets, as the windows of training and the part of each that the series
    has. None if they are no such windows."""
    window, target = right["x"].shape[1:], right["targets"].shape[1:]
    for trained, tested in ((arrays[:2], arrays[2:]), (arrays[::2], arrays[1::2])):
        if all(each.shape[1:] == shape or each.size == 0
               for part in (trained, tested) for each, shape in zip(part, (window, target))):
            part = np.zeros_like(right["part"])
            for number, windows in ((1, trained[0]), (2, tested[0])):
                part[[place for place in map(lambda each: last_known(each, right["series"]), windows) if place is not None]] = number
            return {"part": part, "x": trained[0], "targets": trained[1]}
    return None


def last_known(window, series):
    """The place of its last row in the series; None if it has no such rows."""
    length = len(window)
    return next((start + length - 1 for start in range(len(series) - length + 1)
                 if np.allclose(series[start:start + length], window, rtol=1e-5)), None)
