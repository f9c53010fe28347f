#include "grade/run_function.h"

#include <glassbox/io/json.h>
#include <glassbox/io/numpy.h>
#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

const char* run_function_py() {
    return R"py("""Calls a student's function on the inputs of a layer, and keeps what it returns.

    run_function.py FOLDER INPUTS.npz CALL.json OUT.npz

FOLDER has the student's file. Which parameter takes which input, weight or number glassbox.check's own Plan says
(naming/signature.py); an option of the layer that it does not know is found by its name.

Like glassbox.check, it calls the function in the ways that functions want their arrays, from the most usual one on, and
keeps what each gave: "0/=attention" is what the first call gave by this name, "1/#0" the first array that the second
gave without one, "2 padding/#0" what it gave for a mask that hides padding alone ("later": later keys alone; "cut": for
queries, keys and values of one shape; "add": for a mask of 0 and −10⁹ that is added, "far add": of 0 and −∞; "from 1": for
a step counted from 1; "behind": with the heads' axis behind the sequence; "minus rate": for a velocity with the learning
rate in it; "single": in single precision, to name what is wrong). "not taken/mask" is there where no parameter took what
was drawn by that name, "no input/" where none took an input, "no input/x" where one took times and none the series, "by
width/" where a schedule took d_model, and "kept/NAME" has a 1 for each number of a bias or a norm that a parameter took.

What the parameters' names leave open is filled otherwise, too (naming/guesses.py): all of these names begin with the
number of the plan, "0:0/#0", "1:0/#0" and "1:as/taux is rate"; "1:of flags/" is there where only the function's own flags
are other than by default, and "1:not judged/causal=True" says with what it was not called. "asks/taux" is there where nobody but the student knows
what a parameter takes, and "failed/" has the bytes of what is to be said where the first plan gave nothing.
"""
import contextlib
import copy
import importlib.util
import inspect
import itertools
import json
import os
import sys
import time
import traceback

import numpy as np

from naming.guesses import asked_about, guesses_of, is_of_flags, is_of_state, scalars_guessed, shaken
from naming.made_masks import makes_mask
from naming.names import parts_of_weights, without_parts
from naming.optimiser_state import Looked, looked_for, state_of
from naming.signature import (AVERAGES, NUMBERS, PADDINGS, RESULTS, SIZES, STATE_WORDS, THREE_IN_ONE, Fixed, Part, Plan,
                              Three, Weights, is_turned, numbers_called, parameters_of, plain, size_of, what_is)

# Of gradient descent whose velocity has the rate in it, by what of it: v = μ·v − η·g, w + v, and v = μ·v + η·g, w − v.
RATE_IN_VELOCITY = {"minus rate": -1, "plus rate": 1}
MAX_KEPT = 48  # calls that are kept, of each plan
STUDENTS = 92  # exit codes: the student's work failed,
OWN = 96  # or this program

class Wrong(Exception):
    """What is to be said to the student."""

def plan_of(function, arrays, options, guess):
    """What each parameter takes, as glassbox.check plans it (of_function.py)."""
    inputs = {name: array for name, array in arrays.items() if "." not in name and name != "mask"}
    weights = {name: array for name, array in arrays.items() if "." in name}
    heads, has_labels = options.get("heads"), "labels" in inputs
    if has_labels:
        sizes = ["probabilities", "lengths", "classes"]
    elif any(name in inputs for name in ("Q", "x", "source", "target", "memory")) or not inputs:
        sizes = ["lengths", *["heads"] * (heads is not None), "seq", "dmodel", "dk", "sqrt_dk"]
    else:
        sizes = []
    numbers = [*(each for each in NUMBERS if each in options and each not in sizes), *(PADDINGS if has_labels else ())]
    parts = parts_of_weights(weights, heads) if weights else {}
    own = options_by_name(function, [*arrays, *sizes], options)
    return Plan(function, [*inputs, *weights, *sizes], own, numbers, parts, "mask" in arrays, guess, gives_input=False), parts

def options_by_name(function, known, options):
    """Of the layer's options those that are nothing else there, by their own names: dff, activation, backend. `keys` is K,
    unless another parameter is."""
    values = {plain(name): np.array(value) if isinstance(value, list) else value for name, value in options.items()}
    parameters = parameters_of(function) or {}
    arrays = {name: what_is(name, known) for name in parameters}
    numbers = [each for each in NUMBERS if each in options]

    def is_other(name, kind):
        is_taken = arrays[name] not in SIZES and any(
            other != name and array == arrays[name] and plain(other) not in values for other, array in arrays.items())
        return (kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY) and plain(name) in values
                and (arrays[name] is None or is_taken) and not numbers_called(name, numbers))

    return {name: Fixed(values[plain(name)]) for name, each in parameters.items() if is_other(name, each.kind)}

HEADS = ("head", "head behind")

class Way:
    """How a function is given its arrays."""
    def __init__(self, batch="whole", axis=False, dtype="bool", hides=False, masking="", layout="named", one_hot=False,
                 is_flat=False):
        # "whole", "head": with an axis of one head, before the sequence or, "head behind", behind it; "one": an entry at a
        # time
        self.batch = batch
        self.axis, self.dtype, self.hides = axis, dtype, hides  # of the mask
        # "padding": a row of keys for each sequence; "later": one mask for all; else both. "cut", too: of one shape
        kinds = masking.split()
        self.is_cut, self.is_added = "cut" in kinds, "add" in kinds
        self.hidden = -np.inf if "far" in kinds else -1e9  # what is added where a key is hidden
        self.masking = next((each for each in kinds if each in ("padding", "later")), "")
        self.first = int(masking == "from 1")  # of the steps of a schedule
        self.rate_in_velocity = RATE_IN_VELOCITY.get(masking)
        self.layout = layout  # of matrices: as their names say, or all (out, in) or (in, out)
        self.one_hot, self.is_flat = one_hot, is_flat  # of labels

def ways(call):
    """From the most usual one on, in groups: where one of a group is taken, no later group of its masking is tried."""
    plan, labels = call.plan, call.labels
    if labels is not None:
        is_flat = labels.ndim > 1 and not plan.takes_lengths
        yield "", [Way(hides=plan.hides, one_hot=one_hot, is_flat=rows)
                   for one_hot in ([False] if np.any(labels < 0) else [False, True])
                   for rows in ([True, False] if is_flat else [False])]
        return
    layouts = plan.layouts([name for name, array in call.weights.items() if array.ndim == 2])
    heads = HEADS if {"Q", "K", "V"} <= set(call.inputs) else HEADS[:1]
    batches = [["whole"], *([] if "n" in call.inputs else [heads]), ["one"]] if call.has_batch() else [["whole"]]
    for masking in call.maskings():
        axes = (False, True) if call.has_mask() and "padding" not in masking else (False, )
        dtypes = ("float", ) if masking.endswith("add") else ("bool", "float") if call.has_mask() else ("bool", )
        masks = list(itertools.product(dtypes, axes))
        meanings = [plan.hides] + [True] * bool(plan.may_hide and not plan.hides and not masking.endswith("add"))
        for batch in batches:
            yield masking, [Way(each, axis, dtype, hides, masking, layout)
                            for each in batch for layout in layouts for hides in meanings for dtype, axis in masks]

class Call:
    """The function on its arrays, in any way."""
    def __init__(self, function, arrays, told, guess=None):
        self.function, self.options, self.drawn = function, told["options"], told["drawn"]
        self.arrays = arrays
        self.inputs = {name: array for name, array in arrays.items() if "." not in name and name != "mask"}
        self.weights = {name: array for name, array in arrays.items() if "." in name}
        self.looked = Looked()  # for what it looks in its state
        self.plan, self.parts = plan_of(function, arrays, self.options, guess)
        self.labels, self.probabilities = self.inputs.get("labels"), told.get("probabilities")
        if self.labels is not None:
            if told["labels"] and not self.is_told_of_padding():  # those in which every label counts
                self.labels = np.reshape(told["labels"], self.labels.shape)
            is_whole = np.array_equal(self.labels, np.round(self.labels))
            self.labels = self.labels.astype(np.int64) if is_whole else self.labels
        self.is_other = told["is_other"]  # inputs, with which a number may not show that was needed with the first
        self.shaken = None  # the parameter that is given another number
        self.is_single = False  # in single precision, as glassbox.check calls it
        self.tell()

    def tell(self):
        """The numbers that it is told: a learning rate, what stands for padding."""
        for name, options in self.plan.numbers.items():
            values = [-1 if each == "ignored" else self.padding() if each == "pad" else self.options[each]
                      for each in options]
            self.plan.tell(name, values[0] if len(values) == 1 else tuple(values))

    def told(self):
        return self.looked.numbers | {option for options in self.plan.numbers.values() for option in options}

    def has_mask(self):
        return self.plan.takes_mask and ("mask" in self.arrays or self.labels is not None)

    def has_batch(self):
        return bool(self.inputs) and (next(iter(self.inputs.values())).ndim > 2 or "n" in self.inputs)

    def is_by_width(self):
        """A schedule of the paper, whose steps begin at 1."""
        return "n" in self.inputs and "dmodel" in self.told()

    def maskings(self):
        """Functions are written for one mask, too, of padding or of later keys, and for queries, keys and values of one
        shape, where the course leaves that open."""
        if self.is_by_width():
            return ["", "from 1"]
        if self.plan.takes_velocity and "rate" in self.options:
            return ["", *RATE_IN_VELOCITY]
        is_drawn = {"mask", "lengths"} <= set(self.drawn) and isinstance(self.options.get("lengths"), list)
        kinds = ["", "padding", "later"] if is_drawn and self.has_mask() else [""]
        if self.has_mask() and not makes_mask(self.function, self.plan.masks):
            kinds += [f"{kind} {how}".strip() for how in ("add", "far add") for kind in kinds]
        return kinds + [f"cut {kind}".strip() for kind in kinds if is_drawn and {"Q", "K", "V"} <= set(self.inputs)]

    def shown(self, way):
        """The inputs as this way has them."""
        if way.rate_in_velocity is not None:
            return {**self.inputs, "m_before": way.rate_in_velocity * self.options["rate"] * self.inputs["m_before"]}
        if not way.is_cut:
            return self.inputs
        rows, width = (min(self.inputs[name].shape[axis] for name in "QKV") for axis in (-2, -1))
        return {name: array[..., :rows, :width] for name, array in self.inputs.items()}

    def is_told_of_padding(self):
        return bool(self.told() & set(PADDINGS)) or self.plan.takes_lengths or self.has_mask()

    def not_taken(self):
        """Of what was drawn, and the course does not ask for: what the function cannot know."""
        taken = self.told() | {what for what in self.plan.taken() if isinstance(what, str)}
        taken |= {name for name in self.plan.named if name in self.drawn}
        left = [each for each in self.drawn if each not in taken]
        taken |= set(AVERAGES) if self.plan.takes_state else set()
        if self.has_mask():  # it says the lengths, too, but of a memory
            left = [each for each in left if each not in ("lengths", "target_lengths")]
        if self.labels is not None and "padding" in self.drawn and self.is_told_of_padding():
            left.remove("padding")
        return left + [each for each in AVERAGES if each in self.inputs and each not in taken]

    def kept(self):
        """Of a function that has parameters for some of the weights: what it has of each bias and norm."""
        taken = self.plan.weights_taken(self.weights)
        if taken is None:
            return {}
        left = without_parts({name: np.full(array.shape, 2.0) for name, array in self.weights.items()},
                             self.options.get("heads"), taken)
        return {name: array == 2 for name, array in left.items() if array.ndim == 1 and not np.all(array == 2)}

    def padding(self):
        """A class that no label has."""
        classes = self.inputs["logits"].shape[-1]
        return next((each for each in range(classes) if each not in self.labels), 0)

    def is_one_rate(self, way, given):
        """Of all steps at once: it is for one at a time."""
        return "n" in self.inputs and way.batch == "whole" and all(array.ndim == 0 for array in given.values())

    def loss_values(self, way):
        classes = self.inputs["logits"].shape[-1]
        logits, labels = self.inputs["logits"], self.labels
        if way.is_flat:
            logits, labels = logits.reshape(-1, classes), labels.reshape(-1)
        shown = np.where(labels < 0, self.padding() if "pad" in self.told() else -1, labels)
        mask = labels >= 0
        mask = ~mask if way.hides else mask
        return {"logits": logits, "labels": np.eye(classes)[shown] if way.one_hot else shown, "mask": mask,
                "probabilities": np.reshape(self.probabilities, logits.shape)}

    def mask(self, way, entry):
        if "mask" not in self.arrays:
            return None
        mask = np.asarray(self.arrays["mask"]) != 0
        if way.is_cut:
            rows = next(iter(self.shown(way).values())).shape[-2]
            mask = mask[..., :rows, :rows]
        if way.masking:
            rows, columns = mask.shape[-2:]
            keys = np.arange(columns) < np.array(self.options["lengths"])[:, None]
            mask = keys if way.masking == "padding" else np.tril(np.ones((rows, columns), bool))
        if entry is not None and way.masking != "later" and mask.ndim + bool(way.masking) > 2:
            mask = mask[entry]
        if (way.axis or way.batch in HEADS) and mask.ndim > 2:
            mask = np.expand_dims(mask, -3)
        if way.is_added:
            return np.where(mask, 0, way.hidden)
        mask = ~mask if way.hides else mask
        return mask if way.dtype == "bool" else mask.astype(float)

    def part(self, part, way):
        array = self.parts[part.key]
        return array.T if array.ndim > 1 and is_turned(part.is_turned, way.layout) else array

    def own(self, name, way):
        """A matrix by the layer's own name, which says (out, in)."""
        array = self.weights[name]
        return (array.T if array.ndim == 2 and way.layout == "in-out" else array).copy()

    def value(self, what, way, entry):
        """What a parameter takes; of an entry of the batch, or of all."""
        if isinstance(what, Fixed):
            return what.value
        if isinstance(what, Part):
            return self.part(what, way).copy()
        if not isinstance(what, str):
            return what
        if self.labels is not None and what in ("logits", "labels", "mask", "probabilities"):
            return self.loss_values(way)[what]
        if what == "mask":
            return self.mask(way, entry)
        if what == "weights":
            return Weights({name: self.own(name, way) for name in self.weights}, self.parts,
                           lambda part: self.part(part, way))
        if what == THREE_IN_ONE:
            return Three(self.value(each, way, entry) for each in "QKV")
        if what in STATE_WORDS:
            averages = {name: array.copy() for name, array in self.shown(way).items() if name in AVERAGES}
            return state_of(what, averages, self.options["update"], self.plan.all_numbers, self.options.__getitem__,
                            self.looked)
        if what == "lengths":
            lengths = np.array(self.options["lengths"]) if isinstance(self.options.get("lengths"), list) else None
            if lengths is not None and way.is_cut:
                lengths = np.minimum(lengths, next(iter(self.shown(way).values())).shape[-2])
            return lengths if lengths is None or entry is None else lengths[entry]
        if what in self.weights:
            return self.own(what, way)
        if what not in self.inputs:
            return size_of(what, self.shown(way), self.options.get("heads"))
        array = self.shown(way)[what] + way.first * (what == "n")
        if entry is not None and (array.ndim > 2 or "n" in self.inputs):
            return int(array[entry]) if what == "n" else array[entry].copy()
        place = {"head": -3, "head behind": -2}.get(way.batch)
        return (array if place is None or array.ndim < 2 else np.expand_dims(array, place)).copy()

    def made(self, what, way, entry):
        value = self.value(what, way, entry)
        is_float = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        return value.astype(np.float32) if is_float and self.is_single else value

    def once(self, way, entry=None):
        known = {name: self.made(what, way, entry) for name, what in self.plan.named.items()}
        placed = [self.made(what, way, entry) for what in self.plan.positional]
        if self.shaken is not None:
            known[self.shaken] = shaken(known[self.shaken])
        with students():
            return self.function(*placed, **known)

    def run(self, way, returns):
        """What it gave, by "=name" or "#place"."""
        if way.batch == "one":
            first = next(iter(self.inputs.values()))
            parts = [as_arrays(self.once(way, entry), returns) for entry in range(len(first))]
            with students():  # of several shapes
                return {name: np.stack([part[name] for part in parts]) for name in parts[0]}
        given = as_arrays(self.once(way), returns)
        if way.batch in HEADS:
            given = {name: array if array.ndim < 4 else array[..., 0, :, :] if array.shape[-3] == 1 else array[..., 0, :]
                     for name, array in given.items()}
        if way.is_flat:  # as many rows as there were, by sequences again
            rows, shape = self.labels.size, self.labels.shape
            given = {name: array.reshape(shape + array.shape[1:]) if array.ndim > 0 and len(array) == rows else array
                     for name, array in given.items()}
        return given

def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)

class Failed(Exception):
    """Where the student's work has failed, and how."""

@contextlib.contextmanager
def students():
    """What goes wrong in it is the student's own doing: anywhere else it is a fault of this program."""
    try:
        yield
    except Exception as error:
        raise Failed() from error

def adds(call, way, returns, given):
    """Whether a mask of 0 and −∞ is added: what only asks whether it is 0 gives the same for other numbers."""
    way.hidden = -0.25
    return not same(call.run(way, returns), given)

def needs_its_guess(call, way, returns, given):
    """Whether each number that was guessed changes the result, or is refused when it is another."""
    try:
        for call.shaken in scalars_guessed(call.plan):
            with contextlib.suppress(Failed, SystemExit):
                if same(call.run(way, returns), given):
                    return False
        return True
    finally:
        call.shaken = None

def attempts(call, returns, seconds, nowhere, is_first):
    """What the ways gave that the function takes, as (masking, arrays); of several that give the same the first. What they
    print is printed once, and only the first may fail aloud."""
    taken, singles, problem, begin, done = [], [], None, time.monotonic(), set()
    quiet = contextlib.nullcontext() if is_first else contextlib.redirect_stdout(nowhere)
    for masking, group in ways(call):
        if masking.startswith("cut") and taken:  # another shape is tried where nothing else is taken
            break
        for way in group if masking not in done else []:
            try:
                with quiet, np.errstate(all="ignore"):
                    given = call.run(way, returns)
                    if call.is_one_rate(way, given):
                        continue
                    if way.is_added and not adds(call, way, returns, given):
                        continue
                    is_first_guess = call.plan.guess and not taken and not call.is_other
                    if is_first_guess and not needs_its_guess(call, way, returns, given):
                        raise Failed()
                own = f"{masking} behind".strip() if way.batch == "head behind" else masking
                if not any(of == own and same(given, other) for of, other in taken):
                    taken.append((own, given))
                    singles += in_single(call, way, returns, masking, given, nowhere) if is_first and len(taken) < 3 else []
            except (Failed, SystemExit) as error:
                if problem is None and not taken and is_first and isinstance(error, SystemExit):
                    raise
                problem = problem or error
            quiet = contextlib.redirect_stdout(nowhere)
            if (taken and time.monotonic() - begin > seconds) or len(taken) == MAX_KEPT:
                return taken + singles
        done |= {of.removesuffix("behind").strip() for of, _ in taken}
    if not taken:
        raise problem
    return taken + singles

def in_single(call, way, returns, masking, given, nowhere):
    """What a mistake gives in single precision, where it is another than in double: 10⁹ swallows the score it is added to.
    glassbox.check sees that, and knows it."""
    if not call.has_mask() or call.labels is not None:
        return []
    call.is_single, of_floats = True, copy.copy(way)
    of_floats.dtype = "float"
    try:
        with contextlib.redirect_stdout(nowhere), np.errstate(all="ignore"):
            single = call.run(of_floats, returns)  # true · 10⁹ is of double precision
        is_other = single.keys() == given.keys() and not all(
            np.allclose(single[name], given[name], 1e-3, 1e-4, equal_nan=True) for name in given)
        return [(f"{masking} single".strip(), single)] if is_other else []
    except (Failed, SystemExit):
        return []
    finally:
        call.is_single = False

def every_plan(function, arrays, told):
    """(the parameter of which has to be asked, how the first plan failed, (call, what it gave) of each plan): the first
    as the names say, then what they leave open filled otherwise."""
    own, problem, found, seconds = Call(function, arrays, told), None, [], told["seconds"]
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        if own.plan.missing is None:
            try:
                found.append((own, attempts(own, told["returns"], seconds, nowhere, is_first=True)))
            except Failed as failed:
                if isinstance(failed.__cause__, MemoryError):  # nothing else that it takes makes more of it
                    raise
                problem = failed
        has_mask = any(np.all(np.isfinite(array)) for _, taken in found for _, given in taken for array in given.values())
        end = time.monotonic() + seconds
        for guess in guesses_of(own.plan, has_mask):
            if time.monotonic() > end:
                break
            with contextlib.suppress(Failed, SystemExit):
                other = Call(function, arrays, told, guess)
                found.append((other, attempts(other, told["returns"], end - time.monotonic(), nowhere, is_first=False)))
                if is_of_state(guess):  # with a dictionary it failed, for it wants a tuple
                    problem = None
    asked = asked_about(own.plan, has_mask) or looked_for(own.plan, own.looked)
    if not found and asked is None:
        raise problem
    return asked, problem, found

def as_array(value):
    """In double precision; what that cannot hold is not left out in silence."""
    for method in ("detach", "cpu"):
        value = getattr(value, method)() if hasattr(value, method) else value
    if np.ma.is_masked(np.ma.array(value)):
        raise Wrong("the function returned an array with masked entries: use .filled(…)")
    value = np.asarray(value)
    if value.dtype.kind not in "biufcO":
        raise Wrong(f"the function returned {value.dtype}, expected numbers")
    if value.dtype.kind == "c":
        size = np.abs(value.real)
        rounding = 1e-9 * np.max(size[np.isfinite(size)], initial=0)
        if not np.all(np.abs(value.imag) <= rounding):
            raise Wrong("the function returned complex numbers, with an imaginary part that is not 0")
        value = value.real
    return value.astype(float)

def parts_of(result):
    """The arrays of a dictionary or of an object with fields, by their names; None for anything else."""
    if isinstance(result, dict):
        return {str(name): value for name, value in result.items()}
    if hasattr(result, "_asdict"):
        return result._asdict()
    fields = getattr(result, "__dataclass_fields__", None)
    return {name: getattr(result, name) for name in fields} if fields and not isinstance(result, type) else None

def is_one_array(rows):
    """Of a list: numbers, or rows of one length. Which of the layer's arrays it has, if several, its shape tells."""
    try:
        return np.asarray(rows).dtype.kind in "biufc"
    except ValueError:  # rows of several lengths
        return False

def has_numbers(value):
    """An array, a number, or a list of numbers or of rows of one length; a text beside it is none."""
    is_array = hasattr(value, "shape") or isinstance(value, (int, float, complex))
    return is_array or (isinstance(value, list) and is_one_array(value))

def as_arrays(result, returns):
    """By "=name", as the course or the function says it, "?name" of what is called a result, or "#place"."""
    with students():
        return arrays_in(result, returns)

def arrays_in(result, returns):
    parts = parts_of(result)
    if not returns and parts is not None:
        given = {name: value for name, value in parts.items() if value is not None}
        return {f"{'?' if plain(name) in RESULTS else '='}{name}": as_array(value) for name, value in given.items()
                if has_numbers(value) or not any(map(has_numbers, given.values()))}
    values = list(parts.values()) if parts is not None else result
    if returns and parts is not None:  # by their names, else those that are numbers
        named = [parts[name] for name in returns if name in parts]
        values = named if len(named) == len(returns) else [value for value in values if has_numbers(value)]
    values = [value for value in (values if isinstance(values, (tuple, list)) else [values]) if value is not None]
    if isinstance(result, list) and not returns and is_one_array(result):
        values = [result]
    if isinstance(result, tuple) and parts is None and not returns:  # what else stands beside: a dictionary, a state
        values = [value for value in values if has_numbers(value)] or values
    if not values:
        raise Wrong("the function returned None: is there a return?")
    if returns and len(values) != len(returns):
        raise Wrong(f"the function returned {len(values)} arrays, expected {', '.join(returns)}")
    names = [f"={name}" for name in returns] if returns else [f"#{place}" for place in range(len(values))]
    return dict(zip(names, map(as_array, values)))

def keep(out, file, asked, problem, found):
    arrays = {} if asked is None else {f"asks/{asked}": np.zeros(1)}
    if problem is not None:
        message = own_lines(problem.__cause__, file) if isinstance(problem, Failed) else "it ends the program"
        arrays["failed/"] = np.frombuffer(message.encode("utf-8", "replace"), np.uint8).astype(float)
    for number, (call, taken) in enumerate(found):
        own = {f"not taken/{name}": np.zeros(1) for name in call.not_taken()}
        own.update({f"kept/{name}": kept.astype(float) for name, kept in call.kept().items()})
        own.update({f"as/{name} is {word}": np.zeros(1) for name, word in call.plan.taken_as().items()})
        own.update({f"not judged/{name}={value}": np.zeros(1) for name, value in call.plan.not_judged().items()})
        if is_of_flags(call.plan.guess):
            own["of flags/"] = np.zeros(1)
        if call.is_by_width():
            own["by width/"] = np.zeros(1)
        if call.plan.takes_time_alone:
            own["no input/x"] = np.zeros(1)
        if call.inputs and not call.plan.takes_arrays:
            own["no input/"] = np.zeros(1)
        for place, (masking, given) in enumerate(taken):
            own.update({f"{place} {masking}/{name}": array for name, array in given.items()})
        arrays.update({f"{number}:{name}": array for name, array in own.items()})
    with open(out, "wb") as file:
        np.savez(file, **arrays)

def own_lines(error, file):
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f"line {own[-1].lineno}: {own[-1].line}\n" if own else ""
    kind = "TypeError" if isinstance(error, Wrong) else type(error).__name__
    return f"{place}{kind}: {error}"

def near(name, module):
    import difflib
    own = [each for each, value in vars(module).items() if callable(value) and not each.startswith("_")]
    found = difflib.get_close_matches(name.replace("_", ""), [each.replace("_", "").lower() for each in own], 1, 0.7)
    meant = [each for each in own if found and each.replace("_", "").lower() == found[0]]
    return f"; did you mean your {meant[0]}?" if meant else ""

def main(folder, inputs, call_file, out):
    with open(call_file, encoding="utf-8") as text:
        told = json.load(text)
    file = os.path.join(folder, told["file"])
    with np.load(inputs) as stored:
        arrays = {name: stored[name] for name in stored.files}
    os.write(3, b"C")  # from here on it is the student's work that runs
    try:
        with students():
            spec = importlib.util.spec_from_file_location("exercise", file)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            function = getattr(module, told["function"], None)
            if function is None:
                raise NameError(f"there is no function {told['function']}{near(told['function'], module)}")
        keep(out, file, *every_plan(function, arrays, told))
    except Failed as failed:
        print(own_lines(failed.__cause__, file))
        return STUDENTS
    except MemoryError as error:  # of arrays that are too large
        print(own_lines(error, file))
        return STUDENTS
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
        return OWN
    return 0

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
)py";
}

std::vector<real> beside_inputs(const CourseTask& task, const TaskInputs& inputs) {
    if (!Npz(inputs.file).contains("logits")) return {};
    for (const auto& [name, value] : layer_steps(task, inputs))
        if (name == "probabilities") return value.values();
    return {};
}

std::string call_json(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                      const std::vector<real>& probabilities) {
    const double seconds = course.limits.seconds / 4;  // after which it is called in no other way
    const JsonObject json{{"function", task.function},      {"options", JsonValue::raw(inputs.options)},
                          {"returns", task.returns},        {"file", task.file},
                          {"drawn", inputs.drawn},          {"labels", inputs.labels_that_count},
                          {"probabilities", probabilities}, {"seconds", seconds},
                          {"is_other", inputs.is_other}};
    return json.text() + "\n";
}

}  // namespace glassbox::tracer
