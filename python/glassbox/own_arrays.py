"""An object of NumPy that keeps its own parameters, in its attributes or those of its parts: read from there, as a module's are."""
import inspect
import re

import numpy as np

from .by_use import ROLES
from .modules import HEADS, epsilon_among, is_module, number_in
from .modules import parameters_of as layer_parameters_of
from .names import KINDS, NORM_KINDS, OF_THREE, place_of, place_of_parameter
from .options import options_of_layer
from .signature import parameters_of as parameters_of_function

DEEPEST = 4  # parts of parts
LARGEST = 10_000_000  # numbers of a parameter
WEIGHTS, BIASES = ({*re.findall(r"\w+", words)} | more for (_, words), more in zip(KINDS, ({"weight", "weights", "kernel", "w"}, {"bias", "b"})))
READ = "its parameters are read from its own attributes"


def owner_of(function):
    """The object that a method belongs to, or that is called itself; None for a plain function."""
    whole = getattr(function, "__self__", function)
    is_own = hasattr(whole, "__dict__") and not (inspect.isroutine(whole) or inspect.ismodule(whole) or isinstance(whole, type))
    is_own = is_own and not is_module(whole) and not hasattr(type(whole), "__torch_function__")
    return whole if is_own and type(whole).__module__.partition(".")[0] not in ("torch", "jax", "flax", "numpy", "glassbox") else None


def found_in(owner):
    """{path: array} of the numbers that it and its parts keep."""
    found, seen = {}, set()

    def walk(value, path):
        if isinstance(value, np.ndarray):
            if value.dtype.kind == "f" and 0 < value.ndim < 4 and 0 < value.size <= LARGEST:
                found[path] = value
        elif len(path.split(".")) > DEEPEST + 1 or id(value) in seen:
            return
        elif isinstance(value, (list, tuple)):
            for place, each in enumerate(value):
                walk(each, f"{path}.{place}")
        elif isinstance(value, dict):
            for key, each in value.items():
                walk(each, f"{path}.{key}")
        elif owner_of(value) is value:
            seen.add(id(value))
            for name, each in value.__dict__.items():
                walk(each, f"{path}.{name}")
    walk(owner, "")
    return {path.lstrip("."): array for path, array in found.items()}


def parameters_of(function, layer, has_rows_in=True):
    """{usual name: array} of what is kept by the object behind a function that takes no parameters itself; {} where there is none.
    Its matrices are (in, out), or else (out, in)."""
    owner = owner_of(function)
    if owner is None or not layer_parameters_of(layer) or any(map(place_of_parameter, parameters_of_function(function) or ())):
        return {}
    arrays = of_heads(found_in(owner))
    named = dict(placed(path, array, has_rows_in) for path, array in arrays.items())
    return named if len(named) == len(arrays) and any(array.ndim > 1 for array in named.values()) or layer == "layer-norm" else {}


def is_norm(path):
    owner = path.rpartition(".")[0].lower()
    place = place_of(owner)
    return (place is not None and place[1].startswith("norm")) or re.search(r"norm|(?:^|[._])ln", owner) is not None


def placed(path, array, has_rows_in):
    """(usual name, array as it lies there): q_proj.W as q_proj.weight (out, in), b1 as linear1.bias. A matrix by itself, W_q, is
    turned by who reads its name."""
    owner, _, last = path.rpartition(".")
    kinds = NORM_KINDS if is_norm(path) else [("weight", "|".join(WEIGHTS)), ("bias", "|".join(BIASES))]
    kind = next((kind for kind, words in kinds if owner and re.fullmatch(words, last.lower())), None)
    is_turned = array.ndim == 2 and not is_norm(path)
    place = place_of_parameter(last) if kind is None and place_of(path.lower()) is None else None
    if place is not None and not place[1].startswith("norm"):
        scope, role, kind, _ = place
        return f"{owner}{'.' * bool(owner)}{scope}{ROLES.get(role, role)}.{kind}", np.ascontiguousarray(array.T if is_turned and has_rows_in else array)
    if kind is None:
        return path, np.ascontiguousarray(array.T if is_turned and not has_rows_in else array)
    return f"{owner}.{kind}", np.ascontiguousarray(array.T if is_turned and has_rows_in and kind == "weight" else array)


def of_heads(arrays):
    """Where each head has a matrix of its own, Wq.0, Wq.1, …, these side by side as one."""
    lists = {}
    for path, array in arrays.items():
        owner, _, number = path.rpartition(".")
        place = place_of_parameter(owner.rpartition(".")[2]) if number.isdigit() and not re.fullmatch(OF_THREE, owner.lower()) else None
        if place is not None and place[1] in ("q", "k", "v", "o"):
            lists.setdefault((owner, place[1]), []).append((int(number), path, array))
    arrays = dict(arrays)
    for (owner, role), entries in lists.items():
        for _, path, _ in entries:
            del arrays[path]
        arrays[owner] = np.concatenate([array for *_, array in sorted(entries, key=lambda each: each[0])], axis=0 if role == "o" else -1)
    return arrays


def parts_in(owner, depth=DEEPEST):
    """The object and its parts, also in lists and dictionaries."""
    yield owner
    for value in owner.__dict__.values() if depth else ():
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else [value]
        for each in inside:
            if owner_of(each) is each:
                yield from parts_in(each, depth - 1)


def options_of(function, layer):
    """The command's options that its attributes say: heads, and ε where all its norms have the same."""
    there, parts = options_of_layer(layer), list(parts_in(owner_of(function)))
    heads = next(filter(None, (number_in(part, "heads", HEADS) for part in parts)), None)
    found = {"heads": heads, "epsilon": epsilon_among(parts)}
    return {name: value for name, value in found.items() if value is not None and name in there}
