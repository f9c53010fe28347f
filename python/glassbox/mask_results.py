"""A function that makes a mask: what it is told beside sizes, and how its result is read."""
import re

import numpy as np

from .errors import Error
from .probing import value_of, without
from .signature import HIDING, is_word, plain

# What it is told beside sizes: how far a window reaches, and which token is padding.
TOLD = ("reach", "pad")
AS_A_WIDTH = re.compile(r"window|width|size|^w$|^k$|span")  # of a window's parameter: how many keys, not how far
CAUSAL = re.compile(r"caus|slid|kausal|subsequent|future|decod|autoreg|ahead|tgt|target|trg")
MUCH = -1000  # what is added where a key is hidden is at least so far below 0
READ_AS = {"hide": "read with mask=\"hide\": 1 is a key that is hidden",
           "add": "read with mask=\"add\": 0 where a key is seen, a large number below 0 where it is hidden"}
AS_PADDING = "read with mask=\"none\": only padding is hidden"


def is_told_of_padding(plan):
    return any(is_word(what, word) for what in plan.taken() for word in ("ids", "lengths", "mask"))


def tell(plan, case, asked):
    """The function is told its window and its padding, and the case has the same: (case, arrays that it is shown, reach)."""
    said = str(asked.options.get("mask", ""))
    reach = int(said.partition(":")[2]) if re.fullmatch(r"window:\d+", said) else None
    pad = 0
    for name, (option, *_) in plan.numbers.items():
        default = getattr((plan.parameters or {}).get(name), "default", None)
        if option == "reach":
            reach = 3 if reach is None else reach
            plan.tell(name, reach)
        elif option == "pad":
            pad = default if isinstance(default, int) and not isinstance(default, bool) else 0
            plan.tell(name, pad)
    reach, pad = plan.stated.get("reach", reach), plan.stated.get("pad", pad)
    if not is_told_of_padding(plan) and "lengths" not in asked.options:
        case = case.changed(words=without(case.words, ["--lengths"]))
    if reach is not None and not said and asked.mask is None:
        case = case.changed(words=[*without(case.words, ["--mask"]), f"--mask=window:{reach}"])
    return case, shown(case, pad), reach


def shown(case, pad):
    """Tokens, with padding behind each sequence, and which keys are none: (batch, position)."""
    lengths, size = case.lengths(), int(value_of(case.words, "--seq") or 4)
    count = int(value_of(case.words, "--batch") or 1) if lengths is None else len(lengths)
    is_there = np.arange(size) < (np.full(count, size) if lengths is None else lengths)[:, None]
    ids = max(pad, 0) + 2 + np.arange(count * size).reshape(count, size) * 3 % 7
    return {"ids": np.where(is_there, ids, pad), "mask": is_there}


def forms(call, plan, asked):
    """The call, and what else may be meant: a window of earlier keys alone; another token as padding; one sequence."""
    said = str(asked.options.get("mask", ""))
    windows = list(_windows(call, plan, said))
    for other in sorted([call, *windows], key=lambda each: not each.mirrors):
        yield other
    told = {options[0] for options in plan.numbers.values()} | set(plan.stated)
    takes_ids = any(is_word(what, "ids") for what in plan.taken())
    if takes_ids and "pad" not in told:
        yield call.on(call.case, shown(call.case, 1), "its padding is read as the token 1")
    if call.case.lengths() is not None and "lengths" not in asked.options:
        one = without(call.case.words, ["--lengths", "--batch"])
        case = call.case.changed(words=[*one, "--lengths=4"])
        yield call.on(case, {name: array[0] for name, array in shown(case, plan.stated.get("pad", 0)).items()})
    if takes_ids and "pad" not in told and not asked.options:
        yield call.on(call.case.changed(words=without(call.case.words, ["--lengths"])), call.shown,
                      "taken to read only the shape of what it is given")


def _windows(call, plan, said):
    reach = plan.reach
    if reach is None or said == "none" or call.case.mask is not None:
        return
    name = next((plain(name) for name, options in plan.numbers.items() if options == ("reach", )), "window")
    as_width = bool(AS_A_WIDTH.search(name))
    if as_width and reach > 0:
        yield _mirrored(call, reach - 1, f"read as a window of {reach} keys, up to the query's own; below as both sides of one")
    elif not said or named_causal(call.function):
        yield _mirrored(call, reach, f"read as a window of earlier keys alone, as far as {reach} before the query; below as both sides of one")
    if as_width and not said:
        yield _window(call, reach // 2, f"its {name} is read as the width of the whole window")
        yield _window(call, reach - 1, f"its {name} is read as the first distance that is hidden")


def _window(call, reach, remark):
    return call.on(call.case.changed(words=[*without(call.case.words, ["--mask"]), f"--mask=window:{reach}"]), call.shown, remark)


def _mirrored(call, reach, remark):
    """A window of earlier keys is half of one on both sides, which the layer has."""
    other = _window(call, reach, remark)
    other.mirrors = True
    return other


def read(array, right, plan, mirrors=False, keys=None):
    """A result as 1 where a key is seen, with the axes of the layer's; `keys`: those that are no padding, (batch, position), or
    None. What nobody said of its meaning is what is right."""
    array = fitted(np.asarray(array), right.shape)
    found = meanings(array, plan.means)
    if mirrors:
        found = [(each, _whole(made, keys)) for each, made in found if is_half(made)]
    if not found:
        raise Error("its window has two sides")
    own = next(((each, made) for each, made in found if made.shape == right.shape and np.array_equal(made, right)), found[0])
    plan.read_as = own[0] if plan.means is None else None
    return own[1]


def meanings(array, means):
    """The result in each meaning that it may have, as (meaning, 1 where a key is seen)."""
    if means in (None, "add") and is_added(array):
        return [("add", (array == 0).astype(np.float32))]
    if means == "hide" or means is None and np.isin(array, (0, 1)).all():
        hiding = ("hide", 1 - array.astype(np.float32))
        return [hiding] if means == "hide" else [("keep", array), hiding]
    return [("keep", array)]


def is_added(array):
    """0, and much less than 0."""
    return bool(np.any(array < MUCH) and np.all((array == 0) | (array < MUCH)))


def _whole(visible, keys):
    """Both sides of a window of which the later one is empty; padding stays hidden."""
    later = np.triu(np.swapaxes(visible, -1, -2), 1)
    if keys is not None and visible.ndim > 2:
        later = later * keys.reshape(len(keys), *[1] * (visible.ndim - 2), keys.shape[-1])
    return np.maximum(visible, later)


def is_half(visible):
    """Whether no query sees a later key, and each one itself or an earlier one."""
    is_square = visible.ndim > 1 and visible.shape[-2] == visible.shape[-1]
    return is_square and not np.any(np.triu(visible, 1)) and bool(np.any(visible))


def fitted(array, shape):
    """With the layer's axes: one for heads, for the batch, or none."""
    if np.squeeze(array).shape == tuple(each for each in shape if each != 1):
        return array.reshape(shape)
    if len(shape) == 4 and array.ndim in (2, 3) and array.shape[0] == shape[0] != 1:
        array = array[:, None, None] if array.ndim == 2 and shape[0] != shape[-2] else array[:, None] if array.ndim == 3 else array
    while array.ndim > len(shape) and len(array) and np.array_equal(array, np.broadcast_to(array[:1], array.shape)):
        array = array[0]
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        return array


def hides(function):
    """Whether a function's name says that its 1 hides."""
    return bool(HIDING.search(getattr(function, "__name__", "").lower()))


def named_causal(function):
    return bool(CAUSAL.search(getattr(function, "__name__", "").lower()))


def read_otherwise(case, steps, result, means, function, frees, judge):
    """What may be chosen freely, of a mask that is not right: whether 1 is hidden, and whether later keys are hidden, too."""
    own = steps.get("")
    flips = [(own, None)]
    if means is None and own is not None and np.isin(own, (0, 1)).all():
        flips.append((1 - own, READ_AS["hide"]))
    for words, said in [((), None), *frees]:
        for array, meaning in flips:
            if not words and meaning is None:
                continue
            other = case.changed(words=[*without(case.words, words[:1]), "=".join(words)]) if words else case
            again = judge(other, {**steps, "": array}, [each for each in (said, meaning) if each])
            is_likelier = hides(function) and meaning is not None and again.size() == result.size()
            if again.size() < result.size() or is_likelier:
                result = again
            elif again.explanations and again.size() == result.size() and meaning is not None:
                result.remarks.append(f"with mask=\"hide\", where 1 is a key that is hidden: {', '.join(again.mistakes)}")
            if result:
                return result
    return result
