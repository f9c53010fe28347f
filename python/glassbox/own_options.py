"""Options that a function or a module has in itself: its own label smoothing, and the kind of pooling that its name says."""
import inspect
import re

from .signature import parameters_of, plain

SMOOTHING = ("labelsmoothing", "smoothing", "smooth", "ls", "epsls", "lseps", "labelsmooth", "smootheps", "smoothingeps")
EITHER = ("epsilon", "eps")  # what is small there keeps a logarithm finite
SMALL = 0.005
POOLINGS = {"max": ("max", "amax", "maximum"), "cls": ("cls", ), "mean": ("mean", "avg", "average"), "last": ("last", "eos")}
OF_MAX, OF_OTHERS = re.compile(r"\.a?max\("), re.compile(r"\.(?:nan)?(?:sum|mean)\([^)]*\)(?!\s*-\s*1)|average|einsum|@")
OF_LAST = re.compile(r"arange\(.+?\)\s*,\s*[^\]]*-\s*1\s*\]")  # h[arange(B), lengths - 1]


def of_function(layer, function, given):
    """{option: value} and what is said of it, for what `given`, the caller, leaves open."""
    if layer == "loss" and "label_smoothing" not in given:
        value = smoothing_of(function)
        return ({}, []) if value is None else ({"label_smoothing": value}, [f"read with label_smoothing={value:g}, as it has it itself"])
    if layer == "pooling" and "pooling" not in given:
        kind = pooling_named(function) or pooling_written(function)
        if kind not in (None, "mean"):  # which is the default
            return {"pooling": kind}, [f"read with pooling=\"{kind}\", as its name or its text says"]
    return {}, []


def smoothing_of(function):
    """The attribute of an object or a module, or a function's default; None without one."""
    if inspect.isroutine(function):
        own = {name: each.default for name, each in (parameters_of(function) or {}).items()}
    else:
        own = getattr(function, "__dict__", {})
    for names, least in ((SMOOTHING, 0), (EITHER, SMALL)):
        for name, value in own.items():
            if plain(name) in names and isinstance(value, float) and least < value < 1:
                return value
    return None


def pooling_named(function):
    """The kind that the name of a function, or of a module's class, says; None if it says none, or several."""
    name = getattr(function, "__name__", type(function).__name__)
    parts = {part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    found = [kind for kind, words in POOLINGS.items() if parts & set(words)]
    return found[0] if len(found) == 1 else None


def pooling_written(function):
    """"max" where a function's own text takes the largest, "last" where it takes one row of each sequence, and neither sums nor
    averages; else None."""
    try:
        text = inspect.getsource(inspect.unwrap(function) if inspect.isroutine(function) else type(function))
    except (OSError, TypeError):
        return None
    if OF_OTHERS.search(text):
        return None
    return "last" if OF_LAST.search(text) else "max" if OF_MAX.search(text) else None
