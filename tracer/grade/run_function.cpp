#include "grade/run_function.h"

#include <glassbox/io/json.h>
#include <glassbox/tensor/format.h>

namespace tracer {

const char* run_function_py() {
    return R"py("""Calls a student's function on the inputs of a layer, and keeps what it returns.

    run_function.py FOLDER INPUTS.npz CALL.json OUT.npz

FOLDER has the student's file. An argument is found by its name: an input (x, Q, mask), a parameter (its dots as
underscores), `weights` for all of them as a dictionary, or an option of the layer (heads, rate); or by what people call
these, as glassbox.check knows it (signature.py). Where no name fits, the arguments are the inputs in order.

Like glassbox.check, it calls the function in the ways that functions want their arrays, from the most usual one on, and
keeps what each gave: "0/=attention" is what the first call gave by this name, "1/#0" the first array that the second
gave without one. "not taken/mask" is there where no parameter took what was drawn by that name.
"""
import contextlib
import importlib.util
import inspect
import itertools
import json
import os
import re
import sys
import time
import traceback

import numpy as np

MOST = 12  # calls that are kept


def signature():
    """What glassbox.check knows of names: its module, without the rest of the package."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "signature.py"), encoding="utf-8") as text:
        source = re.sub(r"^from \..*$", "", text.read(), flags=re.MULTILINE)
    names = {}
    exec(compile(source, "signature.py", "exec"), names)
    return names


class Plan:
    """What each parameter takes: a name, or several for a tuple."""
    def __init__(self, function, arrays, options, knows):
        self.arrays, self.options, self.knows = arrays, options, knows
        self.parameters = [p for p in inspect.signature(function).parameters.values() if p.kind in (0, 1, 3)]
        self.numbers = [each for each in knows["NUMBERS"] if each in options]
        self.paddings = list(knows["PADDINGS"]) if "labels" in arrays else []
        has_weights = any("." in name for name in arrays)
        there = {*options, *arrays, *(name.replace(".", "_") for name in arrays), "mask", *["weights"] * has_weights}
        self.takes = {p.name: p.name for p in self.parameters if p.name in there}
        by_name, used = set(self.takes), set(self.takes)
        for p in self.parameters:
            key = None if p.name in self.takes else self.key_of(p, used)
            if isinstance(key, tuple):
                self.takes[p.name] = key
                used.update(key)
            elif key is not None:
                self.takes[p.name] = key
                used.add(key)
        inputs = [name for name in arrays if "." not in name and name not in used]
        unknown = [p.name for p in self.parameters if p.name not in self.takes and p.default is p.empty]
        for name in list(unknown):  # by place: a letter of its own, or no name of ours at all
            if inputs and (not by_name or len(name) < 3):
                self.takes[name] = inputs.pop(0)
                unknown.remove(name)
        if unknown:
            raise TypeError(f"{function.__name__}: no value is known for {', '.join(unknown)}; there are "
                            f"{', '.join(there - {'weights'})}")
        self.used = {each for key in self.takes.values() for each in (key if isinstance(key, tuple) else (key, ))}
        self.masks = [name for name, key in self.takes.items() if key == "mask"]

    def key_of(self, parameter, used):
        """By what people call it; None if that cannot be told. x and memory are queries, keys and values, too."""
        knows, name, is_needed = self.knows, parameter.name, parameter.default is parameter.empty
        padding = knows["numbers_called"](name, self.paddings)
        if padding:
            return padding
        has_mask = "mask" in self.arrays or "labels" in self.arrays
        if has_mask and (knows["plain"](name) in knows["MASKS"] or knows["plain"](name).endswith("mask")):
            return None if "mask" in used else "mask"
        sizes = [size for size in knows["SIZES"] if size in self.options and  # keys are K, not their number
                 knows["what_is"](size, list(self.arrays)) is None] if is_needed else []
        lengths = ["lengths"] if "lengths" in self.options else []
        known = [each for each in [*self.arrays, *lengths, *sizes] if "." not in each and each != "mask"]
        array = knows["what_is"](name, [each for each in known if each in ("x", "memory") or each not in used])
        if array is not None:
            return array
        return knows["numbers_called"](name, [each for each in self.numbers if each not in used]) or None

    def takes_mask(self):
        return bool(self.masks) and ("mask" in self.arrays or "labels" in self.arrays)

    def hides(self):
        """Whether the mask's name says that its 1 hides."""
        return any(self.knows["HIDING"].search(name.lower()) for name in self.masks)

    def may_hide(self):
        return any(self.knows["EITHER"].fullmatch(name.lower()) for name in self.masks)

    def is_told_of_padding(self):
        return bool(self.used & {*self.knows["PADDINGS"], "lengths"}) or self.takes_mask()

    def not_taken(self, drawn):
        """Of what was drawn, and the course does not ask for: what the function cannot know."""
        left = [each for each in drawn if each not in self.used]
        if self.takes_mask():  # it says the lengths, too, but of a memory
            left = [each for each in left if each not in ("lengths", "target_lengths")]
        if "labels" in self.arrays and "padding" in drawn and self.is_told_of_padding():
            left.remove("padding")
        averages = [each for each in ("m_before", "v_before") if each in self.arrays and each not in self.used]
        return left + averages


class Way:
    """How a function is given its arrays."""
    def __init__(self, batch="whole", axis=False, dtype="bool", hides=False, one_hot=False, is_flat=False):
        self.batch = batch  # "whole", "head": with an axis of one head, "one": an entry at a time
        self.axis, self.dtype, self.hides = axis, dtype, hides  # of the mask
        self.one_hot, self.is_flat = one_hot, is_flat  # of labels


def ways(plan, labels):
    """From the most usual one on, in groups: where one of a group is taken, no later group is tried."""
    if labels is not None:
        is_flat = labels.ndim > 1 and "lengths" not in plan.used
        yield [Way(hides=plan.hides(), one_hot=one_hot, is_flat=rows)
               for one_hot in ([False] if np.any(labels < 0) else [False, True])
               for rows in ([True, False] if is_flat else [False])]
        return
    masks = list(itertools.product((False, True), ("bool", "float"))) if plan.takes_mask() else [(False, "bool")]
    masks.sort(key=lambda each: each[1])
    meanings = [plan.hides()] + [True] * (plan.may_hide() and not plan.hides())
    arrays = [array for name, array in plan.arrays.items() if "." not in name and name != "mask"]
    has_batch = bool(arrays) and (arrays[0].ndim > 2 or "n" in plan.arrays)
    for batch in (["whole", "one"] if "n" in plan.arrays else ["whole", "head", "one"]):
        if batch == "whole" or has_batch:
            yield [Way(batch, axis, dtype, hides) for hides in meanings for axis, dtype in masks]


class Call:
    """The function on its arrays, in any way."""
    def __init__(self, function, plan, told):
        self.function, self.plan = function, plan
        self.labels = plan.arrays.get("labels")
        if self.labels is not None:
            if told["labels"] and not plan.is_told_of_padding():  # those in which every label counts
                self.labels = np.reshape(told["labels"], self.labels.shape)
            is_whole = np.array_equal(self.labels, np.round(self.labels))
            self.labels = self.labels.astype(np.int64) if is_whole else self.labels

    def padding(self):
        """A class that no label has, unless the function is told to ignore a number."""
        classes = self.plan.arrays["logits"].shape[-1]
        if "pad" not in self.plan.used:
            return -1
        return next((each for each in range(classes) if each not in self.labels), 0)

    def loss_values(self, way):
        classes = self.plan.arrays["logits"].shape[-1]
        logits, labels = self.plan.arrays["logits"], self.labels
        if way.is_flat:
            logits, labels = logits.reshape(-1, classes), labels.reshape(-1)
        shown = np.where(labels < 0, self.padding(), labels)
        mask = labels >= 0
        return {"logits": logits, "labels": np.eye(classes)[shown] if way.one_hot else shown,
                "mask": ~mask if way.hides else mask, "ignored": -1, "pad": self.padding()}

    def mask(self, mask, way, entry):
        mask = np.asarray(mask) != 0
        if entry is not None and mask.ndim > 2:
            mask = mask[entry]
        if (way.axis or way.batch == "head") and mask.ndim > 2:
            mask = np.expand_dims(mask, -3)
        mask = ~mask if way.hides else mask
        return mask if way.dtype == "bool" else mask.astype(float)

    def values(self, way, entry):
        arrays, values = self.plan.arrays, {}
        for name, value in self.plan.options.items():
            values[name] = np.array(value) if isinstance(value, list) else value
        if entry is not None and isinstance(values.get("lengths"), np.ndarray):
            values["lengths"] = values["lengths"][entry]
        values.setdefault("mask", None)
        for name, array in arrays.items():
            is_input = "." not in name and name != "mask"
            if is_input and entry is not None and (array.ndim > 2 or "n" in arrays):
                array = int(array[entry]) if name == "n" else array[entry]
            elif is_input and way.batch == "head" and array.ndim > 1:
                array = np.expand_dims(array, -3)
            values[name] = values[name.replace(".", "_")] = array
        if "mask" in arrays:
            values["mask"] = self.mask(arrays["mask"], way, entry)
        values["weights"] = {name: value for name, value in arrays.items() if "." in name}
        if self.labels is not None:
            values.update(self.loss_values(way))
        return values

    def once(self, way, entry=None):
        values = self.values(way, entry)
        known = {}
        for name, key in self.plan.takes.items():
            several = isinstance(key, tuple)
            known[name] = tuple(values[each] for each in key) if several and len(key) > 1 else values[
                key[0] if several else key]
        positional = [known.pop(p.name) for p in self.plan.parameters if p.kind == 0 and p.name in known]
        return self.function(*positional, **known)

    def run(self, way, returns):
        """What it gave, by "=name" or "#place"."""
        if way.batch == "one":
            first = next(array for name, array in self.plan.arrays.items() if "." not in name)
            parts = [as_arrays(self.once(way, entry), returns) for entry in range(len(first))]
            return {name: np.stack([part[name] for part in parts]) for name in parts[0]}
        given = as_arrays(self.once(way), returns)
        if way.batch == "head":
            given = {name: array[..., 0, :, :] if array.ndim > 3 else array for name, array in given.items()}
        if way.is_flat:  # as many rows as there were, by sequences again
            rows, shape = self.labels.size, self.labels.shape
            given = {name: array.reshape(shape + array.shape[1:]) if array.ndim > 0 and len(array) == rows else array
                     for name, array in given.items()}
        return given


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def attempts(call, returns, seconds):
    """What the ways gave that the function takes; of several that give the same the first. What they print is printed
    once, and only the first may fail aloud."""
    taken, problem, begin = [], None, time.monotonic()
    quiet = contextlib.nullcontext()
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        for group in ways(call.plan, call.labels):
            for way in group:
                try:
                    with quiet, np.errstate(all="ignore"):
                        given = call.run(way, returns)
                    if not any(same(given, other) for other in taken):
                        taken.append(given)
                except (Exception, SystemExit) as error:
                    if problem is None and not taken and isinstance(error, SystemExit):
                        raise
                    problem = problem or error
                quiet = contextlib.redirect_stdout(nowhere)
                if (taken and time.monotonic() - begin > seconds) or len(taken) == MOST:
                    return taken
            if taken:
                return taken
    raise problem


def as_array(value):
    """In double precision; what that cannot hold is not left out in silence."""
    for method in ("detach", "cpu"):
        value = getattr(value, method)() if hasattr(value, method) else value
    if np.ma.is_masked(np.ma.array(value)):
        raise TypeError("the function returned an array with masked places: .filled(…) gives each of them a number")
    value = np.asarray(value)
    if value.dtype.kind not in "biufcO":
        raise TypeError(f"the function returned {value.dtype}, where numbers are needed")
    if value.dtype.kind == "c":
        size = np.abs(value.real)
        rounding = 1e-9 * np.max(size[np.isfinite(size)], initial=0)
        if not np.all(np.abs(value.imag) <= rounding):
            raise TypeError("the function returned complex numbers, with an imaginary part that is not 0")
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


def as_arrays(result, returns):
    """By "=name", as the course or the function says it, or "#place"."""
    parts = parts_of(result)
    if not returns and parts is not None:
        return {f"={name}": as_array(value) for name, value in parts.items() if value is not None}
    values = list(parts.values()) if parts is not None else result
    values = [value for value in (values if isinstance(values, (tuple, list)) else [values]) if value is not None]
    if isinstance(result, list) and not returns:
        values = [result]
    if not values:
        raise TypeError("the function returned None: is there a return?")
    if returns and len(values) != len(returns):
        raise TypeError(f"the function returned {len(values)} arrays, where {', '.join(returns)} are needed")
    names = [f"={name}" for name in returns] if returns else [f"#{place}" for place in range(len(values))]
    return dict(zip(names, map(as_array, values)))


def keep(out, taken, not_taken):
    arrays = {f"not taken/{name}": np.zeros(1) for name in not_taken}
    for place, given in enumerate(taken):
        arrays.update({f"{place}/{name}": array for name, array in given.items()})
    with open(out, "wb") as file:
        np.savez(file, **arrays)


def own_lines(error, file):
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f"line {own[-1].lineno}: {own[-1].line}\n" if own else ""
    return f"{place}{type(error).__name__}: {error}"


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
        spec = importlib.util.spec_from_file_location("exercise", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        function = getattr(module, told["function"], None)
        if function is None:
            raise NameError(f"there is no function {told['function']}{near(told['function'], module)}")
        plan = Plan(function, arrays, told["options"], signature())
        taken = attempts(Call(function, plan, told), told["returns"], told["seconds"])
        keep(out, taken, plan.not_taken(told["drawn"]))
    except Exception as error:
        print(own_lines(error, file))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
)py";
}

std::string call_json(const Course& course, const CourseTask& task, const TaskInputs& inputs) {
    const double seconds = course.limits.seconds / 4;  // after which it is called in no other way
    return fmt::format(
        "{{\"function\": {}, \"options\": {}, \"returns\": {}, \"file\": {}, \"drawn\": {}, \"labels\": "
        "[{}], \"seconds\": {}}}\n",
        glassbox::json_string(task.function), inputs.options, glassbox::json_list(task.returns),
        glassbox::json_string(task.file), glassbox::json_list(inputs.drawn),
        fmt::join(inputs.labels_that_count, ", "), seconds);
}

}  // namespace tracer
