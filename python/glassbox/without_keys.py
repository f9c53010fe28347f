"""A case of PyTorch's names, in which a query without keys has no number, with a number there: other names say that every key has
the same weight then. What is wrong with a mask often leaves a query without keys, and whoever fills with −10⁹ has that number."""
import numpy as np

from .names import regrouped
from .probing import without

NAMES = (("in_proj_", "qkv_proj."), ("out_proj.", "o_proj."), ("linear1.", "linear_net.0."), ("linear2.", "linear_net.3."),
         ("multihead_attn.", "cross_attn."))


def with_equal_weights(case):
    """The same case as the tutorial's PyTorch has it; None where its parameters have no such names, or no key may be hidden."""
    heads = case.heads()
    if not heads or case.order or not any("in_proj_" in name for name in case.weights):
        return None
    weights = {}
    for name, array in case.weights.items():
        if "in_proj_" in name:
            array = np.ascontiguousarray(regrouped(array, 3, heads))
        for paper, own in NAMES:
            name = name.replace(paper, own)
        weights[name] = array
    return case.changed(weights=weights, words=[*without(case.words, ["--convention"]), "--convention=uva-torch"])


def of_a_mask(result):
    """Whether one mistake of a mask alone is named."""
    return len(result.explanations) > 0 and all(len(names) == 1 and "masked/" in names[0] for names in result.explanations)
