"""A layer of one input: which parameter takes it, where none has a name that says so."""
import inspect

ONLY = ("x", "source", "gradient", "logits", "series")  # inputs without which the layer is not
SIZES = ("seq", "dmodel")  # of what is made of sizes alone
BESIDE = ("kept", "tokens")  # inputs that a function may do without


def taker_of(plan, taken, sizes):
    """The parameter that takes the layer's input, whatever else is called as it is: the only one that must be given, or the
    first that its name takes for a size. None where one has the input by its name, or none of these is there."""
    inputs = [each for each in plan.inputs if each not in BESIDE]
    if plan.of_sizes or plan.guess or len(inputs) != 1 or inputs[0] not in ONLY or any(_has(what, inputs[0]) for what in taken.values()):
        return None
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [name for name, each in (plan.parameters or {}).items() if each.default is each.empty and each.kind not in kinds]
    free = [name for name in needed if not plan.is_stated(name)]
    if len(needed) == 1:
        return free[0] if free else None
    if any(name not in taken for name in needed):  # by its place that one takes it
        return None
    return next((name for name in free if any(_has(taken[name], size) for size in sizes)), None)


def _has(what, word):
    return isinstance(what, str) and what == word


def misnamed(plan, sizes):
    """Other ways to fill what the names say: a number or a size as an input that no parameter has, or an input as a size."""
    for name, each in (plan.parameters or {}).items():
        what = plan.taken_by(name)
        if each.default is not each.empty or plan.is_stated(name):
            continue
        is_number = what is not None and not isinstance(what, str) and hasattr(what, "value")
        if is_number or any(_has(what, size) for size in sizes):
            yield from ({name: array} for array in plan.left()[0] if array != "mask")
        if (plan.of_sizes and _has(what, "x")) or _has(what, "ids"):
            yield from ({name: size} for size in plan.left()[1] if size in SIZES)
