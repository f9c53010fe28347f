"""The names that Flax counts out in @nn.compact, LayerNorm_0, Dense_1, as those of the parts of a block."""
import re

from .arrays import to_numpy

COUNTED = re.compile(r"([A-Za-z]\w*?)_(\d+)")


def usual_names(params):
    """{own key: usual key} of the parts that are counted in one module, where an attention beside them says that it is a block, or
    where they are the two matrices of a network."""
    found = {}
    for key in params:
        counted = COUNTED.fullmatch(str(key))
        if counted and hasattr(params[key], "items"):
            found[key] = counted[1].lower(), int(counted[2])
    attentions = sorted((key for key, (kind, _) in found.items() if "attention" in kind), key=lambda key: order_of(*found[key]))
    if not attentions or len(attentions) > 2:
        return network(params, found) if len(found) == len(params) == 2 else {}
    names = dict(zip(attentions, ("self_attn", "multihead_attn")))
    names.update({key: f"norm{number + 1}" for key, (kind, number) in found.items() if kind == "layernorm"})
    names.update({key: "mlp" for key, (kind, _) in found.items() if re.search(r"mlp|ff|feedforward", kind)})
    return {**names, **network(params, found)}


def order_of(kind, number):
    """Self-attention before that to the memory."""
    return bool(re.search("cross|enc|mem", kind)), "self" not in kind, number


def network(params, found):
    """Of two matrices the one that makes wider vectors first: that which is called last may have been made, and counted, first."""
    matrices = sorted((number, key) for key, (kind, number) in found.items() if kind == "dense")
    if len(matrices) != 2:
        return {}
    first, second = (key for _, key in matrices)
    into, out = to_numpy(params[first]["kernel"]).shape
    return {second: "linear1", first: "linear2"} if into > out else {first: "linear1", second: "linear2"}
