"""RevIN as many have it: with a factor and a shift of its own, which the layer does not have, and a mode that says which way."""
import copy
import sys

import numpy as np

from .arrays import to_numpy
from .signature import Fixed, parameters_of, plain

FACTORS, SHIFTS = ("gamma", "weight", "affineweight", "w", "g"), ("beta", "bias", "affinebias", "b")
MODES = (("norm", "denorm"), ("normalize", "denormalize"), ("normalise", "denormalise"), ("n", "d"))
OTHER_FACTOR, OTHER_SHIFT = 1.5, 0.25  # on the way there and back they have no effect
NOT_UNDONE = ("with a factor of 1 and a shift of 0 it comes back, with others it does not: they are to be undone in reverse order, before "
              "the deviation and the mean")
EPSILON, LEAST, LARGEST = 1e-5, 1e-7, 1e-3  # the layer's ε; of another one between these all else is judged
OTHER_EPSILON = "its ε is {}, which is free: judged with 1e-5, the layer's"
HAS_OWN = "its own factor and shift are 1 and 0, for the layer has none"


def with_usual_epsilon(own):
    """It has the layer's ε, where it has another usual one as its attribute; what is said of that."""
    for name, value in list(getattr(own, "__dict__", {}).items()):
        if plain(name) in ("eps", "epsilon") and isinstance(value, float) and LEAST <= value <= LARGEST and value != EPSILON:
            setattr(own, name, EPSILON)
            return [OTHER_EPSILON.format(f"{value:g}")]
    return []


def neutral(function, width, make):
    """{parameter: what it has no effect with}, of a function that has to be told a factor and a shift."""
    found = {}
    for name, each in (parameters_of(function) or {}).items():
        value = 1 if plain(name) in FACTORS else 0 if plain(name) in SHIFTS else None
        if value is not None and each.default is each.empty:
            found[name] = Fixed(make(np.full(width, value, np.float32)))
    return found


def has_mode(given):
    """Whether a module is told by a parameter mode which way it goes."""
    names = parameters_of(getattr(given, "forward", None)) if hasattr(given, "forward") else None
    return bool(names) and "mode" in names and len(names) > 1


def has_affine(given):
    """Whether a module has a factor and a shift, or one of them, and no other parameters."""
    names = [plain(name.rpartition(".")[2]) for name, _ in given.named_parameters()] if hasattr(given, "named_parameters") else []
    return bool(names) and all(name in (*FACTORS, *SHIFTS) for name in names)


def is_called_so(given):
    """Whether its name, or its class's, says that it is RevIN."""
    return "revin" in plain(getattr(given, "__name__", type(given).__name__))


def width_of(given):
    """How many series its factor is for; None where it has none."""
    return next((parameter.numel() for parameter in given.parameters()), None)


def of_affine(given):
    """A function of the windows alone, of a module that goes one way."""
    def scaled(x):
        own = set_affine(given, 1, 0)
        return own(x)
    scaled.remarks = [HAS_OWN, *with_usual_epsilon(copy.deepcopy(given))]
    return scaled


def of_mode(given, is_back):
    """A function of the windows alone."""
    said = with_usual_epsilon(copy.deepcopy(given))

    def scaled(x):
        if not is_back:
            return passed(given, x, 1, 0, False)
        back = passed(given, x, OTHER_FACTOR, OTHER_SHIFT, True)
        is_own = not near(back, x) and near(passed(given, x, 1, 0, True), x)
        scaled.remarks = [*said, *[NOT_UNDONE] * is_own]
        return {"normed": passed(given, x, 1, 0, False), "forecast": back}
    scaled.remarks = said
    return scaled


def both(normed, back, name, result):
    """What is judged of a way there and back: both, for what is wrong on the way there is undone on the way back."""
    returned = back(normed)
    shape = getattr(normed, "shape", None)
    return {name: normed, result: returned} if shape and shape == getattr(returned, "shape", None) else returned


def near(one, other):
    return np.allclose(to_numpy(one), to_numpy(other), atol=1e-3)


def passed(given, x, factor, shift, is_back):
    """A copy's result, with this factor and shift in place of its own."""
    own, problem = set_affine(given, factor, shift), None
    for there, back in MODES:
        try:
            normed = own(x, mode=there)
        except Exception as raised:  # it knows another word
            problem = problem or raised
            continue
        return own(normed, mode=back) if is_back else normed
    raise problem


def set_affine(given, factor, shift):
    """A copy with this factor and shift in place of its own."""
    own = copy.deepcopy(given)
    with_usual_epsilon(own)
    with sys.modules["torch"].no_grad():
        for name, parameter in own.named_parameters():
            parameter[...] = factor if plain(name.rpartition(".")[2]) in FACTORS else shift
    return own
