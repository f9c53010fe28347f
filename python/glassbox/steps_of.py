"""What a function gave back, as arrays by their steps' names."""
import contextlib
import contextvars
import itertools

import numpy as np

from .arrays import is_array, is_number, to_numpy
from .errors import Error
from .signature import RESULTS, plain
from .window_forms import listed, of_windows

_collected = contextvars.ContextVar("glassbox_steps", default=None)


def named(name, value):
    """Gives back the value; while a check or a record runs, it keeps it as the step of this name."""
    steps = _collected.get()
    if steps is not None and not type(value).__name__.endswith("Tracer"):  # JAX, while it compiles: no numbers yet
        steps[name] = to_numpy(value, name).copy()  # it may be changed in place later
    return value


@contextlib.contextmanager
def collecting():
    """with collecting() as steps: … named("scaled", x) …"""
    steps = {}
    token = _collected.set(steps)
    try:
        yield steps
    finally:
        _collected.reset(token)


def looks_like(array, right):
    """How far it is from the right numbers, relative to the largest; infinite where the number of numbers differs. Only
    chooses between ways to read a result: what is right the command decides."""
    if array.size != right.size or not np.all(np.isfinite(array)):
        return np.inf
    scale = max(float(np.max(np.abs(right), initial=0)), 1e-6)
    with np.errstate(invalid="ignore", over="ignore"):
        difference = np.abs(array.astype(np.float64).ravel() - right.astype(np.float64).ravel())
        return float(np.max(difference, initial=0) / scale)


def parts_of(value):
    """The arrays of a tuple or of an object with fields, and their names where they have some; None for anything
    else."""
    if isinstance(value, dict) or hasattr(value, "items"):
        return dict(value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value))
    if hasattr(value, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return None


def result_in(value, right, returns=None):
    """The result in what a function gave back, as it is: in its own framework."""
    result, parts = list(right)[-1], parts_of(value)
    if isinstance(returns, (list, tuple)):
        parts = dict(zip(returns, value))
    if parts is not None:
        return next((each for name, each in parts.items() if result == name or result.endswith("/" + name)), None)
    value = alone(value, right[result])
    if isinstance(value, tuple) and not is_array(value):
        arrays = [each for each in value if is_array(each)]
        return next((each for each in arrays if tuple(each.shape) == right[result].shape),
                    arrays[0] if arrays else None)
    return value


def first_hypothesis(value):
    """The best sequence of several with their scores, as a beam search gives them; all else as it is."""
    while isinstance(value, (list, tuple)) and value:
        first = value[0]
        if isinstance(first, (list, tuple)) and len(first) == 2 and any(map(is_number, first)) and not all(map(is_number, first)):
            value = next(each for each in first if not is_number(each))  # (tokens, score)
        elif len(value) == 2 and is_number(value[1]) and not is_number(first):
            value = first
        else:
            return value
    return value


def before_softmax(array, right):
    """The name of the step whose scores they are, where a function of probabilities gives back what the softmax is of: −∞ for what
    is left out, or the right scores."""
    steps = list(right)
    name = steps[-2] if len(steps) > 1 else ""
    if steps[-1] != "next" or name == "logits" or array.shape != right[name].shape:
        return ""
    return name if np.any(np.isneginf(array)) or like_scores(array, right[name]) < ALIKE else ""


def alone(value, right):
    """The one array of a list, GPT-2's [x], which would else be an axis more; all else as it is."""
    is_alone = isinstance(value, list) and len(value) == 1 and is_array(value[0]) and np.ndim(value[0]) > 0
    return value[0] if is_alone and right.shape != (1, *value[0].shape) else value


def as_steps(value, right, returns=None, left_out=None):
    """{step: array}; the name is "" for the result. `right` has the steps of the layer, in order, by name. `left_out` gets
    the places of arrays that are none of them."""
    result = list(right)[-1]
    value = alone(listed(value), right[result])
    value = first_hypothesis(value) if "written" in right else value
    if "targets" in right:
        value, returns = of_windows(value, right, returns)
    if returns is not None:
        names = [returns] if isinstance(returns, str) else list(returns)
        refuse_what_is_no_array(value)
        parts = parts_of(value) if isinstance(returns, str) and returns in right else None
        if parts is not None:  # by its own name there
            steps = {name: to_numpy(each, name) for name, each in parts.items() if has_numbers(each)}
            value = steps.get(returns, with_result({}, steps, {returns: right[returns]})[""] if steps else None)
            refuse_what_is_no_array(value)
        if isinstance(returns, str) and isinstance(value, tuple) and returns in right:  # beside what else it gives
            fitting = [each for each in value if has_numbers(each) and np.shape(each) == right[returns].shape]
            value = fitting[0] if len(fitting) == 1 else value
        of_names = parts_of(value) if not isinstance(returns, str) else None
        if of_names is not None and all(name in of_names for name in names):
            value = [of_names[name] for name in names]
        values = [value] if isinstance(returns, str) else list(value) if isinstance(value, (list, tuple)) else [value]
        if len(names) != len(values):
            raise Error(f"returns: {len(names)} names for {len(values)} values that the function returned")
        return {name: to_numpy(each, name) for name, each in zip(names, values) if name}
    refuse_what_is_no_array(value)
    parts = parts_of(value)
    if parts is not None:
        steps = {name: to_numpy(each, name) for name, each in parts.items() if has_numbers(each)}
        known = {
            name: each
            for name, each in steps.items()
            if any(path == name or path.endswith("/" + name) for path in right)
        }
        if steps:
            return with_result(known, steps, right)
        value = ()
    if isinstance(value, list) and not is_one_array(value):
        value = tuple(value)
    if isinstance(value, tuple) and not is_array(value):
        arrays = [to_numpy(each, "a value of the function") for each in value if has_numbers(each)]
        return of_tuple(without_scalars(arrays, right), right, result, left_out)
    array = to_numpy(value, "what the function returned")
    shape = right[result].shape
    if array.shape[1:] == shape != array.shape and len(array) > 1:  # [w, m, v]
        with contextlib.suppress(Error):  # not several arrays, but one of another shape
            return of_tuple(list(array), right, result)
    return {before_softmax(array, right) or name_by_shape(array, right): array}


NEARLY = 1e-2


def with_result(known, steps, right):
    """Of steps by their names, and a result by a name of its own: that with the result's shape, which beside others has its
    numbers, too."""
    result = list(right)[-1]
    refuse_two_results(known, steps, right)
    if any(name in OTHER_RESULTS or result == name or result.endswith("/" + name) for name in known):
        return known
    unnamed = {name: array for name, array in steps.items() if name not in known}
    others = [array for name, array in unnamed.items()
              if array.shape == right[result].shape and not is_beside_loss(name, array, right, result)]
    losses = [(name_by_shape(array, right), array) for array in unnamed.values() if array.shape != right[result].shape]
    losses = [(name, array) for name, array in losses if name]
    if not others and losses:  # by a name of its own
        name, array = min(losses, key=lambda each: looks_like(each[1], right[each[0]]))
        return {**known, name: array}
    if not others and known:
        return known
    nearest = min(others or list(unnamed.values())[:1], key=lambda each: looks_like(each, right[result]))
    is_one_of_several = known and len(steps) > len(known) + 1
    return known if is_one_of_several and looks_like(nearest, right[result]) > NEARLY else {**known, "": nearest}


def refuse_two_results(known, steps, right):
    """Beside the result by its own name another array that is called a result, and has the numbers of no step."""
    result = list(right)[-1]
    own = next((name for name in known if result == name or result.endswith("/" + name)), None)
    for name, array in steps.items():
        if own is None or name in known or plain(name) not in RESULTS or array.shape != right[result].shape:
            continue
        if not any(looks_like(array, each) < ALIKE for each in right.values()) and not np.array_equal(array, steps[own]):
            raise Unnamed(f"the function returns {own!r} and {name!r}, and both are named like the result; "
                          f"returns=… says which is, such as returns={own!r}")


def is_beside_loss(name, array, right, result):
    """Probabilities beside a loss, by a name that is no gradient's: no result."""
    return bool(OTHER_RESULTS[0] in right and name[:1].lower() not in "dg" and alike(array, right, result))


def has_numbers(value):
    """An array, a number, or a list of numbers or of rows of one length; a text beside it is none."""
    return is_array(value) or is_number(value) or (isinstance(value, list) and is_one_array(value))


def without_scalars(values, right):
    """Where the layer has no loss, single numbers beside its result, a count or a norm, are none of its arrays."""
    has_loss = any(name in right for name in OTHER_RESULTS)
    arrays = [value for value in values if value.ndim > 0]
    is_one = right[list(right)[-1]].ndim == 0
    return values if has_loss or is_one or not arrays else arrays


def is_one_array(rows):
    try:
        return np.asarray(rows).dtype.kind in "biufc"
    except (TypeError, ValueError):  # rows of several lengths
        return False


# What a loss gives back is identified by its shape: its gradient is the layer's result.
OTHER_RESULTS = ("loss", "losses")


def name_by_shape(array, right):
    """The name of a result; "" for the layer's own."""
    if array.shape == right[list(right)[-1]].shape:
        return ""
    return next((name for name in OTHER_RESULTS
                 if name in right and (right[name].shape == array.shape or right[name].size == array.size == 1)), "")


def refuse_unknown_steps(returns, right):
    """What the caller says that a function gives back has to be there; "masked" where there may be a mask."""
    for name in [returns] if isinstance(returns, str) else returns or ():
        if name and name != "masked" and not any(path == name or path.endswith("/" + name) for path in right):
            raise Error(f"returns: no step of the layer has the name {name!r}; there are {', '.join(right)}")


def refuse_what_is_no_array(value):
    if value is None:
        raise Error("the function returned nothing: is there a return?")
    if isinstance(value, (str, bytes)):
        raise Error(f"the function returned {value[:40]!r}, a {type(value).__name__}; expected an array")


def place_of_result(values, right):
    """Of the first one with the result's shape, or of the first."""
    return next((place for place, value in enumerate(values) if value.shape == right.shape), 0)


def is_of_no_step(array, right):
    """Whether it has the shape of none, and so may be anything: the attention of the first head alone."""
    shape = without_leading_ones(array.shape)
    return all(without_leading_ones(each.shape) != shape for each in right.values())


def of_tuple(values, right, result, left_out=None):
    """A result and attention weights, or a loss and its gradient, in either order: what has their shapes; of several of
    one shape, such as what Adam gives, the names with which they are right."""
    if not values:
        raise Error("the function returned no array")
    others = [path for path in right if path == "attention" or path.endswith("/attention") or path in OTHER_RESULTS]
    chosen, names = place_of_result(values, right[result]), {}
    has_result = values[chosen].shape == right[result].shape
    for place, value in enumerate(values):
        fitting = [path for path in others if path not in names and value.shape == right[path].shape]
        if value.shape != right[result].shape and len(fitting) == 1:
            names[fitting[0]] = value
        elif place == chosen:
            names[alike(value, right, result) if others and others[0] in OTHER_RESULTS else ""] = value
        elif value.shape == right[result].shape or not has_result:
            return by_numbers(values, right, result, others)
        elif is_mean_of_heads(value, values[chosen], right, result, others):
            continue
        else:  # beside the one array that can be the result a step before it, perhaps with an axis for the batch
            inner = value.reshape(without_leading_ones(value.shape))
            name = alike(inner, right, result)
            if not name and result in ("scaled", "normed") and value.size < values[chosen].size:  # a mean and a deviation, wrong as well
                continue
            if not name and left_out is not None and is_of_no_step(inner, right):
                left_out.append(place)
                continue
            if not name:
                raise unclear(values, right, result, others)
            names[name] = inner
    return by_own_numbers(names, right)


def by_own_numbers(names, right):
    """Beside the result what has the numbers of another step is that step: some return the scores where others return the
    weights."""
    for name in [each for each in names if each in right and each not in OTHER_RESULTS]:
        array = names[name]
        if like_scores(array, right[name]) >= ALIKE:
            own = [path for path in right if path not in names and like_scores(array, right[path]) < ALIKE]
            names.update({own[0]: names.pop(name)} if own else {})
    return names


def like_scores(array, right):
    """looks_like of what is not hidden, where the same is hidden in both."""
    hidden = right < HIDDEN
    if array.shape != right.shape or not np.array_equal(array < HIDDEN, hidden):
        return np.inf
    return looks_like(np.where(hidden, 0, array), np.where(hidden, 0, right))


def is_mean_of_heads(value, output, right, result, others):
    """Whether it is the weights' mean over the heads, which is no step; beside a wrong result what has its shape."""
    for path in others:
        if right[path].ndim == value.ndim + 1 and right[path].shape[:-3] + right[path].shape[-2:] == value.shape:
            is_right = looks_like(output, right[result]) < ALIKE
            return not is_right or looks_like(value, right[path].mean(axis=-3)) < ALIKE
    return False


def without_leading_ones(shape):
    return tuple(itertools.dropwhile((1).__eq__, shape))


HIDDEN = -1e3  # no score of a key that is seen
ALIKE = 1e-3  # the numbers of a step, to tell which it is; what is right the command decides


def alike(value, right, result):
    """The name of an array of the result's shape: that of another step whose numbers it has, probabilities beside a loss,
    else "", the result."""
    near = [name for name in right if right[name].shape == value.shape and looks_like(value, right[name]) < ALIKE]
    return near[0] if near and result not in near else ""


class Unnamed(Error):
    """Several arrays that may be these steps or those, and not even their numbers tell which."""


def by_numbers(values, right, result, others):
    """Their names where the numbers are clearly nearer to the steps in one order than in every other."""
    shape = values[0].shape
    steps = [name for name in (result, "m", "v") if name in right and right[name].shape == shape]
    is_open = 1 < len(values) <= len(steps) and all(each.shape == shape for each in values)
    if is_open:
        orders = sorted((sum(min(looks_like(each, right[name]), 1) for name, each in zip(names, values)), names)
                        for names in itertools.permutations(steps, len(values)) if result in names)
        if len(orders) > 1 and orders[0][0] < orders[1][0] / 2:
            return dict(zip(orders[0][1], values))
    beside = [alike(each, right, result) for each in values]
    unnamed = [place for place, name in enumerate(beside) if not name]
    is_result = len(unnamed) == 1 and values[unnamed[0]].shape == right[result].shape
    if "m" not in right and is_result and len(set(beside)) == len(values):
        return dict(zip(beside, values))  # all but one are steps before it
    has_result = any(each.shape == right[result].shape for each in values)
    raise unclear(values, right, result, others, Unnamed if is_open or has_result else Error)


def unclear(values, right, result, others, kind=Unnamed):
    before = [name for name in right if name != result and right[name].shape == right[result].shape]
    also = "m" if "m" in right else (others or before or [next(iter(right))])[-1]
    return kind(f"the function returns {len(values)} arrays; returns=… says which is which, such as "
                f"returns=({result!r}, {also!r}), and \"\" leaves one out")
