#include "grade/run_function.h"

#include <glassbox/io/json.h>
#include <glassbox/tensor/format.h>

namespace tracer {

namespace {

// The files are not the student's: what belongs to the call, not to the layer.
bool is_about_files(const std::string& option) { return option == "--input" || option == "--weights"; }

std::string as_parameter(std::string option) {
    option.erase(0, 2);
    for (char& c : option)
        if (c == '-') c = '_';
    return option;
}

}  // namespace

const char* run_function_py() {
    return R"py("""Calls a student's function on the inputs of a layer, and keeps what it returns.

    run_function.py EXERCISE.py INPUTS.npz CALL.json OUT.npz

An argument is found by its name: an input (x, Q, mask), a parameter (its dots as underscores), `weights` for all of them
as a dictionary, or an option of the layer (heads). Where no name fits, the arguments are the inputs in order.
"""
import importlib.util
import inspect
import json
import sys
import traceback

import numpy as np


def named(arrays, options):
    values = {name.replace("-", "_"): value for name, value in options.items()}
    values.update({name.replace(".", "_"): value for name, value in arrays.items()})
    values.update(arrays)
    values["weights"] = {name: value for name, value in arrays.items() if "." in name}
    return values


def call(function, arrays, options):
    values = named(arrays, options)
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind in (0, 1, 3)]
    known = {p.name: values[p.name] for p in parameters if p.name in values}
    unknown = [p for p in parameters if p.name not in values and p.default is p.empty]
    if not unknown:
        positional = [known.pop(p.name) for p in parameters if p.kind == 0 and p.name in known]
        return function(*positional, **known)
    inputs = [value for name, value in arrays.items() if "." not in name]
    needed = [p for p in parameters if p.default is p.empty]
    if known or len(needed) > len(inputs):
        names = ", ".join(p.name for p in unknown)
        raise TypeError(f"{function.__name__}: no value is known for {names}; there are {', '.join(values)}")
    return function(*inputs[: len(parameters)])


def as_array(value):
    for method in ("detach", "cpu"):
        value = getattr(value, method)() if hasattr(value, method) else value
    return np.asarray(value, dtype=float)


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


def main(file, inputs, call_file, out):
    with open(call_file, encoding="utf-8") as text:
        told = json.load(text)
    with np.load(inputs) as stored:
        arrays = {name: stored[name] for name in stored.files}
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
    std::string options;
    const Arguments& words = inputs.check;
    for (std::size_t i = 2; i < words.size(); ++i) {
        if (!words[i].starts_with("--") || is_about_files(words[i])) continue;
        const bool has_value = i + 1 < words.size() && !words[i + 1].starts_with("--");
        const std::string value = has_value ? words[i + 1] : "true";
        const bool is_number = value.find_first_not_of("0123456789") == std::string::npos;
        options += fmt::format("{}{}: {}", options.empty() ? "" : ", ",
                               glassbox::json_string(as_parameter(words[i])),
                               is_number || !has_value ? value : glassbox::json_string(value));
    }
    return fmt::format("{{\"function\": {}, \"options\": {{{}}}, \"returns\": {}}}\n",
                       glassbox::json_string(task.function), options, glassbox::json_list(task.returns));
}

}  // namespace tracer
