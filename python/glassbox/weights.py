"""A model's parameters as the command takes them: PyTorch's names, matrices (out, in)."""
import re

import numpy as np

from .arrays import to_numpy
from .errors import Error

# The tutorial's submodules in Flax, and what they are called in the files; then the parameters at the end of a name.
FLAX_MODULES = [(r"^layers_(\d+)$", r"layers.\1"), (r"^linear_(\d+)$", r"linear_net.\1"),
                (r"^output_net_(\d+)$", r"output_net.\1"), (r"^input_layer$", "input_net.1")]
FLAX_PARAMETERS = {"kernel": "weight", "scale": "weight", "embedding": "weight"}


def of_flax(params, path=""):
    """Flax's tree of parameters as {name: array} with PyTorch's names and layout: a kernel (in, out) becomes a
    weight (out, in)."""
    arrays = {}
    for key, value in params.items():
        key = str(key)  # of a list of modules a number
        if hasattr(value, "items"):
            for pattern, name in FLAX_MODULES:
                key = re.sub(pattern, name, key)
            arrays.update(of_flax(value, path + key + "."))
        else:
            array = without_heads(key, to_numpy(value, path + key), path)
            arrays[path + FLAX_PARAMETERS.get(key, key)] = np.ascontiguousarray(array.T) if key == "kernel" else array
    return arrays


def without_heads(key, array, path):
    """Flax's own attention has an axis for the heads: (in, h, d) of what makes queries, (h, d, out) of the output."""
    if key == "kernel" and array.ndim == 3:
        return array.reshape(-1, array.shape[-1]) if path.endswith("out.") else array.reshape(len(array), -1)
    return array.reshape(-1) if key == "bias" and array.ndim == 2 else array


def of_torch(model):
    """Every parameter under the name that PyTorch gives it, which is the one that the command expects. Tables that are
    computed (positional_encoding.pe) are buffers, not parameters, and stay away."""
    return {name: to_numpy(parameter, name) for name, parameter in model.named_parameters()}


def weights_of(given):
    """A PyTorch module, its state_dict, {name: array}, or Flax's tree of parameters, with or without {"params": …}."""
    if isinstance(given, type) or not (hasattr(given, "named_parameters") or hasattr(given, "items")):
        what = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
        raise Error(f"weights: a module, its state_dict(), or arrays by name expected, got {what}")
    if hasattr(given, "named_parameters"):
        return of_torch(given)
    if set(given) == {"params"}:
        given = given["params"]
    if any(hasattr(value, "items") for value in given.values()):
        return of_flax(given)
    return {name: to_numpy(value, name) for name, value in given.items()}
