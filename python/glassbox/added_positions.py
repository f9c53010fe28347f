"""Positions in a sum: an embedding that adds those of the layer positional, too, and what was added to x."""
import functools
import math

import numpy as np

from .calling import right_steps
from .errors import Error
from .probing import probe_of, without

NEAR = 1e-4  # of what is left of a sum
OF_SUM = "its encoding is judged: its result less x"
ADDED = "the sine and cosine of each position, which it adds, are taken off"
SCALED_TOO = "the positions are added before the embedding is multiplied by √d_model, and so are as many times too large"


@functools.lru_cache(maxsize=8)
def encoding(length, width):
    """Of each position; None where the layer has none of this width."""
    try:
        return right_steps(probe_of("positional", (f"--seq={length}", f"--dmodel={width}")))["encoding"]
    except (Error, KeyError):
        return None


def read_without(case, steps, result, may_scale, judge):
    """The result of what is left without the positions, where that is right or its mistake is known; else the same result,
    which perhaps is told why."""
    own = steps.get("")
    positions = None if own is None or own.ndim < 2 or own.dtype.kind != "f" else encoding(*own.shape[-2:])
    if positions is None:
        return result
    scaled = case.changed(words=[*without(case.words, ["--scaled"]), "--scaled"])
    for each in [case, *[scaled] * may_scale]:
        again = judge(each, {**steps, "": own - positions}, [ADDED])
        if again.size() < result.size():
            return again
    if judge(scaled, {**steps, "": (own - math.sqrt(own.shape[-1]) * positions).astype(np.float32)}):
        result.remarks.append(SCALED_TOO)
    return result


def by_themselves(case, steps, result, judge):
    """The result of what was added to x, which says more than the sum, where its mistake is known so; else the same result."""
    own, x = steps.get(""), case.inputs.get("x")
    if own is None or x is None or own.shape != x.shape or "encoding" in steps:
        return result
    added = (own - x).reshape(-1, *own.shape[-2:])
    if np.ptp(added, axis=0).max() > NEAR:  # it adds other positions to each sequence
        return result
    again = judge(case, {"encoding": added[0]}, [OF_SUM])
    return again if again.is_named else result
