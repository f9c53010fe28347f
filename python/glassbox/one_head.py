"""One head with its own layers for queries, keys and values, and no other: the layer attention has these as W_Q, W_K and
W_V. There they have no biases: a bias is one row more of its matrix, beside a 1 at the end of each x."""
import numpy as np

from .errors import Error
from .module_names import strange, understood, unwrapped

MATRICES = {"q": "W_Q", "k": "W_K", "v": "W_V"}
SIZES_OF_HEAD = ("--din", "--dk", "--dv")  # which the command refuses beside arrays that have them
AS_A_ROW = "its biases are read as the last rows of W_Q, W_K and W_V, beside a 1 at the end of each x"


def of_head(arrays):
    """{"W_Q": (in, out), …} of parameters by any usual names; {} where they are not those of one head."""
    parts = parts_of_head(arrays)
    if not {("q", "weight"), ("k", "weight"), ("v", "weight")} <= set(parts):
        return {}
    matrices = {name: parts[role, "weight"].T for role, name in MATRICES.items()}
    q, k, v = (each.shape for each in matrices.values())
    # The vector of an additive score is called v, too.
    if not (q == k and q[0] == v[0]) or v[1] == 1:
        return {}
    if has_bias(arrays):
        for role, name in MATRICES.items():
            row = parts.get((role, "bias"), np.zeros(matrices[name].shape[1], matrices[name].dtype))
            matrices[name] = np.vstack([matrices[name], row])
    return {name: np.ascontiguousarray(each) for name, each in matrices.items()}


def parts_of_head(arrays):
    """{(role, kind): array (out, in)} of queries, keys and values apart; {} where anything else is among them."""
    found = understood(arrays)
    found = understood(unwrapped(arrays)) if strange(found) else found
    if not found or strange(found):
        return {}
    parts = {}
    for (_, role, kind), head, array in found.values():
        if role not in ("q", "k", "v", "qkv", "kv") or head or (role, kind) in parts or array.ndim > 2:
            return {}
        parts[role, kind] = array
    for roles in ("qkv", "kv"):
        for kind in ("weight", "bias"):
            both = parts.pop((roles, kind), None)
            if both is not None and len(both) % len(roles) == 0:
                parts.update(zip([(role, kind) for role in roles], np.split(both, len(roles))))
    return parts


def has_bias(arrays):
    return any(kind == "bias" for _, kind in parts_of_head(arrays))


def options_of_head(matrices):
    """The command's options that follow from its shapes."""
    (width, keys), values = matrices["W_K"].shape, matrices["W_V"].shape[1]
    return {"din": width, "dk": keys, "dv": values}


def refuse_output(arrays, whose):
    """What has an output projection is another layer."""
    for name, each in understood(arrays).items():
        if each and each[0][1] == "o":
            raise Error(f"{whose}: {name} projects the result, and the layer attention ends with attention V: "
                        "check(\"multihead\", …) has such a projection")


def with_ones(inputs):
    """The inputs with a 1 at the end of each x."""
    x = inputs["x"]
    return {**inputs, "x": np.concatenate([x, np.ones_like(x[..., :1])], axis=-1)}
