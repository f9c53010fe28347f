"""A model's parameters as the command takes them: PyTorch's names, matrices (out, in)."""
import re

import numpy as np

from . import counted_parts
from .arrays import to_numpy
from .errors import Error

# The tutorial's submodules in Flax, and what they are called in the files; then the parameters at the end of a name.
FLAX_MODULES = [(r"^layers_(\d+)$", r"layers.\1"), (r"^linear_(\d+)$", r"linear_net.\1"),
                (r"^output_net_(\d+)$", r"output_net.\1"), (r"^input_layer$", "input_net.1")]
FLAX_PARAMETERS = {"kernel": "weight", "scale": "weight", "embedding": "weight"}


def of_flax(params, path=""):
    """Flax's tree of parameters as {name: array} with PyTorch's names and layout: a kernel (in, out) becomes a
    weight (out, in)."""
    arrays, usual = {}, counted_parts.usual_names(params)
    for key, value in params.items():
        key = usual.get(key, str(key))  # of a list of modules a number
        if hasattr(value, "items"):
            for pattern, name in FLAX_MODULES:
                key = re.sub(pattern, name, key)
            arrays.update(of_flax(value, path + key + "."))
        else:
            array = without_heads(key, to_numpy(value, path + key), path)
            arrays[path + FLAX_PARAMETERS.get(key, key)] = np.ascontiguousarray(array.T) if key == "kernel" else array
    return arrays


def heads_in_flax(params):
    """How many heads its attention has, by the axis for them; None where none has one."""
    for key, value in params.items():
        if not hasattr(value, "items"):
            continue
        kernel = value.get("kernel") if str(key) == "query" else None
        heads = to_numpy(kernel).shape[1] if kernel is not None and np.ndim(kernel) == 3 else heads_in_flax(value)
        if heads:
            return heads
    return None


def without_heads(key, array, path):
    """Flax's own attention has an axis for the heads: (in, h, d) of what makes queries, (h, d, out) of the output."""
    if key == "kernel" and array.ndim == 3:
        return array.reshape(-1, array.shape[-1]) if path.endswith("out.") else array.reshape(len(array), -1)
    return array.reshape(-1) if key == "bias" and array.ndim == 2 else array


def of_torch(model):
    """Every parameter under the name that PyTorch gives it, which is the one that the command expects. Tables that are
    computed (positional_encoding.pe) are buffers, not parameters, and stay away."""
    turned, usual = {path for path, part in model.named_modules() if is_conv1d(part)}, usual_names(model)
    return {usual.get(name, name): of_linear(of_convolution(to_numpy(parameter, name), name), name.rpartition(".")[0] in turned)
            for name, parameter in model.named_parameters()}


def usual_names(model):
    """{own name: usual name} of a copy whose names say nothing (by_use.py)."""
    return vars(model).get("_usual_names", {})


def is_conv1d(part):
    """GPT-2's linear layer at Hugging Face, whose matrix is (in, out)."""
    return type(part).__name__ == "Conv1D" and getattr(getattr(part, "weight", None), "ndim", 0) == 2


def of_convolution(array, name):
    """Of a convolution over one position, whose matrix is a linear layer's: without that axis."""
    is_matrix = array.ndim == 3 and array.shape[-1] == 1 and name.endswith("weight")
    return np.ascontiguousarray(array[..., 0]) if is_matrix else array


def of_linear(array, is_turned):
    return np.ascontiguousarray(array.T) if is_turned and array.ndim == 2 else array


CONV1D = r"(?:.*\.)?c_(?:attn|proj|fc)\.weight"


def of_gpt2(arrays):
    """A state_dict of a GPT-2. Whose it is tells the one matrix of queries, keys and values: (3 d, d) is that of a linear
    layer, (d, 3 d) Hugging Face's, which then has all four so."""
    wide = {array.shape[1] == 3 * array.shape[0] for name, array in arrays.items()
            if name.endswith("c_attn.weight") and array.ndim == 2}
    if wide != {True}:
        return arrays
    return {name: of_linear(array, bool(re.fullmatch(CONV1D, name))) for name, array in arrays.items()}


def weights_of(given):
    """A PyTorch module, its state_dict, {name: array}, or Flax's tree of parameters, with or without {"params": …}."""
    if isinstance(given, type) or not (hasattr(given, "named_parameters") or hasattr(given, "items")):
        what = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
        raise Error(f"weights: expected a module, its state_dict(), or arrays by name, got {what}")
    if hasattr(given, "named_parameters"):
        return of_torch(given)
    if set(given) == {"params"}:
        given = given["params"]
    if any(hasattr(value, "items") for value in given.values()):
        return of_flax(given)
    return of_gpt2({name: of_convolution(to_numpy(value, name), name) for name, value in given.items()})
