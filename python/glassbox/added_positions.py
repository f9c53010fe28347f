"""An embedding that adds the sine and cosine of each position, too, which in the layer is a step of its own."""
import functools
import math

import numpy as np

from .calling import right_steps
from .errors import Error
from .probing import probe_of, without

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
