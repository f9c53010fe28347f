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
"""
import importlib.util
import inspect
import json
import os
import re
import sys
import traceback

import numpy as np


def signature():
    """What glassbox.check knows of names: its module, without the rest of the package."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "signature.py"), encoding="utf-8") as text:
        source = re.sub(r"^from \..*$", "", text.read(), flags=re.MULTILINE)
    names = {}
    exec(compile(source, "signature.py", "exec"), names)
    return names


def named(arrays, options):
    values = {name: np.array(value) if isinstance(value, list) else value for name, value in options.items()}
    values.setdefault("mask", None)
    values.update({name.replace(".", "_"): value for name, value in arrays.items()})
    values.update(arrays)
    values["weights"] = {name: value for name, value in arrays.items() if "." in name}
    return values


def key_of(parameter, arrays, options, knows):
    """By what people call it: the name of an array or an option, or several for a tuple; None if that cannot be told."""
    name, is_needed = parameter.name, parameter.default is parameter.empty
    if "mask" in arrays and (knows["plain"](name) in knows["MASKS"] or knows["plain"](name).endswith("mask")):
        return "mask"
    sizes = [size for size in knows["SIZES"] if size in options] if is_needed else []
    array = knows["what_is"](name, [*(each for each in arrays if "." not in each and each != "mask"), *sizes])
    if array is not None:
        return array
    return knows["numbers_called"](name, [each for each in knows["NUMBERS"] if each in options]) or None


def call(function, arrays, options):
    values, knows = named(arrays, options), signature()
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind in (0, 1, 3)]
    known = {p.name: values[p.name] for p in parameters if p.name in values}
    by_name, used = set(known), set(known)
    for p in parameters:
        key = None if p.name in known else key_of(p, arrays, options, knows)
        if isinstance(key, tuple):
            known[p.name] = values[key[0]] if len(key) == 1 else tuple(values[each] for each in key)
        elif key is not None and key not in used:
            known[p.name] = 1 - values[key] if key == "mask" and knows["HIDING"].search(p.name.lower()) else values[key]
            used.add(key)
    inputs = [name for name in arrays if "." not in name and name not in used]
    unknown = [p.name for p in parameters if p.name not in known and p.default is p.empty]
    for name in list(unknown):  # by place: a letter of its own, or no name of ours at all
        if inputs and (not by_name or len(name) < 3):
            known[name] = values[inputs.pop(0)]
            unknown.remove(name)
    if unknown:
        raise TypeError(f"{function.__name__}: no value is known for {', '.join(unknown)}; there are {', '.join(values)}")
    positional = [known.pop(p.name) for p in parameters if p.kind == 0 and p.name in known]
    return function(*positional, **known)


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


def as_arrays(result, returns):
    """By their steps' names; an array alone is the layer's result."""
    result = result._asdict() if hasattr(result, "_asdict") else result
    if isinstance(result, dict) and not returns:
        return {str(name): as_array(value) for name, value in result.items()}
    values = list(result.values()) if isinstance(result, dict) else result
    values = [value for value in (values if isinstance(values, (tuple, list)) else [values]) if value is not None]
    if isinstance(result, list) and not returns:
        values = [result]
    if not values:
        raise TypeError("the function returned None: is there a return?")
    if returns and len(values) != len(returns):
        raise TypeError(f"the function returned {len(values)} arrays, where {', '.join(returns)} are needed")
    if not returns and len(values) > 1:
        raise TypeError(f"the function returned {len(values)} arrays: the result alone is needed, or a dictionary of steps")
    return dict(zip(returns, map(as_array, values))) if returns else as_array(values[0])


def keep(out, arrays):
    with open(out, "wb") as file:
        if isinstance(arrays, dict):
            np.savez(file, **arrays)
        else:
            np.save(file, arrays)


def own_lines(error, file):
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f"line {own[-1].lineno}: {own[-1].line}\n" if own else ""
    return f"{place}{type(error).__name__}: {error}"


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
            raise NameError(f"there is no function {told['function']}")
        keep(out, as_arrays(call(function, arrays, told["options"]), told["returns"]))
    except Exception as error:
        print(own_lines(error, file))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
)py";
}

std::string call_json(const CourseTask& task, const TaskInputs& inputs) {
    return fmt::format("{{\"function\": {}, \"options\": {}, \"returns\": {}, \"file\": {}}}\n",
                       glassbox::json_string(task.function), inputs.options,
                       glassbox::json_list(task.returns), glassbox::json_string(task.file));
}

}  // namespace tracer
