"""What people have in place of a function: a scaler that learns and scales, a metric that is told of each batch, a data set of
windows. Each is called as a function, of whose parameters its methods are made."""
import contextlib
import copy
import functools
import inspect

import numpy as np

from . import ends, reversible
from .arrays import is_array, to_numpy
from .gradient_transforms import is_gradient_transform, told_by
from .signature import plain

LEARNS, SCALES, BOTH, BACK = ("fit", "train", "learn"), ("transform", "normalize", "normalise", "norm", "scale", "encode"), (
    "fittransform", ), ("inversetransform", "inverse", "denormalize", "denormalise", "denorm", "unscale", "decode")
TOLD, GIVES = ("update", "add", "addbatch", "updatestate", "accumulate", "append"), (
    "compute", "result", "score", "value", "get", "average", "evaluate", "computescore", "getmetric")
PARTS = (("xtrain", "train"), ("xval", "val", "valid", "dev"), ("xtest", "test"))  # of a series, in time
OF_METRICS = ("bleu", "perplexity", "loss")
# Searched so that two or three beams write something else where scores are not logarithms, not summed or not normalised, and than one
# or one more.
TABLE = np.random.default_rng(189).normal(size=(7, 7)).astype(np.float32) * np.float32(1.5)
OF_ONE_TABLE = "right for one table but not for another:"
OF_ONE_ROW = "it takes one row of logits at a time"
IN_PERCENT = "its BLEU is read as a percentage"


def method_of(given, names):
    """Its method by one of these names, as it calls it; None if it has none."""
    own = {plain(name): name for name in dir(given) if not name.startswith("_")}
    return next((own[name] for name in names if name in own and callable(getattr(given, own[name], None))), None)


def new_one(given):
    """An object of a class, or a copy of one."""
    with contextlib.suppress(Exception):  # what cannot be copied is used itself
        return given() if isinstance(given, type) else copy.deepcopy(given)
    return given


def needs_nothing(given):
    if not isinstance(given, type):
        return True
    try:
        inspect.signature(given).bind()
    except (TypeError, ValueError):
        return False
    return True


def in_its_place(layer, given, options):
    """The function by which it is checked; itself where it is none of these."""
    if layer == "clip" and is_gradient_transform(given):
        options.update({name: value for name, value in told_by(given).items() if name == "max_norm" and name not in options})
        return as_function(lambda gradient: given.update(gradient, given.init(gradient))[0], given.update, signature_with("gradient"))
    if isinstance(given, (str, bytes, dict, list, tuple)) or hasattr(given, "__array__"):
        return given
    if layer == "scaler" and reversible.is_called_so(given):
        options.setdefault("kind", "revin")
    if layer == "scaler" and options.get("kind") == "revin" and (reversible.has_mode(given) or reversible.has_affine(given)):
        options.update({"dmodel": width for width in [reversible.width_of(given)] if width and not {"dmodel", "x"} & set(options)})
        if not reversible.has_mode(given):
            return as_function(reversible.of_affine(given), given.forward, signature_with("x"))
        return as_function(reversible.of_mode(given, bool(options.get("back"))), given.forward, signature_with("x"))
    if layer == "scaler" and needs_nothing(given) and options.get("kind") == "revin" and method_of(given, SCALES):
        return of_windows(given, bool(options.get("back")))
    if layer == "scaler" and needs_nothing(given) and (learns_and_scales(given) or method_of(given, BOTH)):
        return of_scaler(given, bool(options.get("back")))
    if layer == "scaler" and inspect.isfunction(given):
        return of_parts(given)
    if layer in OF_METRICS and needs_nothing(given) and method_of(given, TOLD) and method_of(given, GIVES):
        given = of_metric(given)
    if layer == "windows" and isinstance(given, type) and hasattr(given, "__getitem__") and hasattr(given, "__len__"):
        return as_function(lambda *arguments, **keywords: given(*arguments, **keywords), given, signature_of(given))
    if layer == "decode" and callable(given):
        with_end = ends.options_for(given, options)
        if inspect.isroutine(given) and ("beam" in options or "beam" in str(signature_of(given))):
            return OfBeams(given, with_end)
        options.update(with_end)
    if layer == "next-token" and inspect.isroutine(given):
        return OfRows(given)
    return OfSentences(given) if layer == "bleu" and callable(given) else given


def signature_of(given):
    try:
        return inspect.signature(given)
    except (TypeError, ValueError):
        return None


def as_function(function, given, signature):
    """It has the name and the text of what was handed in."""
    kind = given if isinstance(given, type) or inspect.isroutine(given) else type(given)
    function.__name__ = function.__qualname__ = kind.__name__
    function.__module__, function.__wrapped__ = kind.__module__, given
    function.__signature__ = signature
    return function


def signature_with(*names):
    return inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names])


def learns_and_scales(given):
    return method_of(given, LEARNS) and method_of(given, SCALES)


def of_scaler(given, is_back):
    """It learns from the rows of training, and scales all rows; and goes back, if that is asked for."""
    def scaled(x, training):
        own = new_one(given)
        if learns_and_scales(own):
            getattr(own, method_of(own, LEARNS))(x[:training])
        else:
            getattr(own, method_of(own, BOTH))(x[:training])
        if method_of(own, SCALES) is None:
            raise TypeError("it has fit_transform and no transform: the rows of the test are scaled by what was learned before")
        scaled = getattr(own, method_of(own, SCALES))(x)
        return reversible.both(scaled, getattr(own, method_of(own, BACK)), "scaled", "unscaled") if is_back else scaled
    method = getattr(given, method_of(given, SCALES) or method_of(given, BOTH))
    return as_function(scaled, method, signature_with("x", "training"))


def of_windows(given, is_back):
    """It scales each window by itself, and keeps what it needs to go back."""
    def normed(x):
        own = new_one(given)
        normed.remarks = [] if own is given else reversible.with_usual_epsilon(own)
        scaled = getattr(own, method_of(own, SCALES))(x)
        return reversible.both(scaled, getattr(own, method_of(own, BACK)), "normed", "forecast") if is_back else scaled
    return as_function(normed, getattr(given, method_of(given, SCALES)), signature_with("x"))


def part_called(name):
    """Which part of a series a parameter takes, 0 for that of training; None if it is none. A training size is a number."""
    short = plain(name).removesuffix("data").removesuffix("x").removesuffix("series").removesuffix("df")
    return next((place for place, names in enumerate(PARTS) if short in names), None)


def of_parts(given):
    """A function that takes training and test apart, as one of the series."""
    signature = signature_of(given)
    parts = {name: part_called(name) for name in (signature.parameters if signature else ())}
    taken = [part for part in parts.values() if part is not None]
    if 0 not in taken or len(taken) < 2 or len(set(taken)) != len(taken):
        return given

    def scaled(x, training):
        ends = [training, training + (len(x) - training) // 2 if len(taken) == 3 else len(x), len(x)]
        own = dict(zip(sorted(taken), (x[:ends[0]], x[ends[0]:ends[1]], x[ends[1]:])))
        value = given(**{name: own[part] for name, part in parts.items() if part is not None})
        rows = [each for each in value if np.ndim(each) == np.ndim(x)] if isinstance(value, tuple) else value
        return np.concatenate(rows[:len(taken)]) if isinstance(rows, list) and len(rows) >= len(taken) else value
    return as_function(scaled, given, signature_with("x", "training"))


def of_metric(given):
    """It is told of one batch, of sequences one after the other, and asked then."""
    tell = method_of(given, TOLD)
    own = getattr(given if not isinstance(given, type) else new_one(given), tell)

    def told(*arguments, **keywords):
        metric = new_one(given)
        for each in batches_in(arguments, keywords):
            getattr(metric, tell)(*each[0], **each[1])
        return getattr(metric, method_of(metric, GIVES))()
    made = as_function(told, own, signature_of(own))
    made.is_told_in_parts = True
    return made


def batches_in(arguments, keywords):
    """The arguments of each update: a sequence each where there are logits of several, else all that there is."""
    arrays = [each for each in (*arguments, *keywords.values()) if getattr(each, "ndim", 0) > 1]
    if not any(each.ndim == 3 for each in arrays) or len({len(each) for each in arrays}) > 1:
        return [(arguments, keywords)]

    def part(value, place):
        return value[place:place + 1] if getattr(value, "ndim", 0) > 1 else value
    return [([part(each, place) for each in arguments], {name: part(each, place) for name, each in keywords.items()})
            for place in range(len(arrays[0]))]


class Wrapped:
    """A function as it was handed in, of which something is said."""
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function, self.remarks = function, []
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.__signature__ = signature_of(function)


class OfBeams(Wrapped):
    """A beam search, of which one table shows little: greedy or not, it often writes the same. `with_end` are the options with which
    sequences end, if it can be told at which token."""
    def __init__(self, function, with_end):
        super().__init__(function)
        self.with_end = with_end

    def __call__(self, *arguments, **keywords):
        return self.function(*arguments, **keywords)

    def judged(self, check, asked):
        def on(options, inputs):
            other = copy.copy(asked)  # a check writes what it finds out into what was asked
            other.options, other.inputs = dict(options), inputs
            return other

        others = [(on(asked.options, {"table": TABLE}), OF_ONE_TABLE)]
        if self.with_end:
            of_table = {"tokens": ends.TABLE_TOKENS, **self.with_end}
            others += [(on(of_table, {"table": ends.TABLE}), ends.OF_END), (on(self.with_end, {}), ends.OF_END)]
        result = check(asked)
        if not result or asked.inputs:
            return result
        for other, remark in others:
            again = check(other)
            if not again and "error" not in again.as_json:
                again.remarks.insert(0, remark)
                return again
        return again if self.with_end and again else result


class OfRows(Wrapped):
    """A function of one row of logits, which may fail with several."""
    def __call__(self, *arguments, **keywords):
        try:
            return self.function(*arguments, **keywords)
        except (TypeError, ValueError, IndexError, RuntimeError) as problem:
            words = {**dict(enumerate(arguments)), **keywords}
            sizes = {len(each) for each in words.values() if is_array(each) and each.ndim == 2}
            if len(sizes) != 1:
                raise
            try:
                rows = [self.function(*(row_of(each, place) for each in arguments),
                                      **{name: row_of(each, place) for name, each in keywords.items()}) for place in range(sizes.pop())]
            except Exception:
                raise problem from None
            self.remarks = [OF_ONE_ROW]
            return to_numpy(rows)


def row_of(value, place):
    return value[place] if is_array(value) and value.ndim == 2 else value


class OfSentences(Wrapped):
    """A function of BLEU, which may take a corpus in place of a sentence, and may give a percentage."""
    def __call__(self, *arguments, **keywords):
        try:
            value = self.function(*arguments, **keywords)
        except (TypeError, ValueError, AttributeError, AssertionError, ZeroDivisionError):
            try:  # a corpus of one sentence
                value = self.function(*[[each] if isinstance(each, list) else each for each in arguments],
                                      **{name: [each] if isinstance(each, list) else each for name, each in keywords.items()})
            except Exception:
                value = self.function(*arguments, **keywords)  # what is wrong with it as it is
        if isinstance(value, (int, float, np.number)) and 2 < value <= 100:  # BLEU itself is 1 at most
            self.remarks = [IN_PERCENT]
            return value / 100
        return value
