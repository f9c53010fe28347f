"""A stack of blocks whose last norm is applied after every block, not once behind them."""
import re

import numpy as np

from .calling import right_steps
from .probing import without

STACKS = ("encoder", "decoder")
IN_THE_LOOP = "its last norm is applied after every block; it belongs behind the last one"
RELATIVE, ABSOLUTE = 1e-3, 1e-4


def is_so(case, steps):
    """Whether that gives the result."""
    blocks = {int(match[1]) for name in case.weights if (match := re.search(r"layers\.(\d+)\.", name))}
    own, x = steps.get(""), case.inputs.get("x")
    if len(blocks) < 2 or own is None or x is None or not any(re.fullmatch(r"(.*\.)?norm\.weight", name) for name in case.weights):
        return False
    for block in sorted(blocks):
        weights = {re.sub(r"layers\.\d+\.", "layers.0.", name): array for name, array in case.weights.items()
                   if f"layers.{block}." in name or not re.search(r"layers\.\d+\.", name)}
        alone = case.changed(words=[*without(case.words, ["--layers"]), "--layers=1"], inputs={**case.inputs, "x": x}, weights=weights)
        x = list(right_steps(alone).values())[-1]
    return own.shape == x.shape and bool(np.allclose(own, x, rtol=RELATIVE, atol=ABSOLUTE))
