"""What went wrong in a student's file, in their own lines alone."""
import linecache
import os
import re
import traceback

import numpy as np

MOST_LINES = 3  # of a chain of calls; the last are the ones that matter


def is_own(filename, file):
    return os.path.realpath(filename) == os.path.realpath(file)


def own_frames(error, file):
    return [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__)
            if is_own(frame.f_code.co_filename, file)]


def own_lines(error, file, shown):
    """The lines of `file` that led to the error, each with the shapes of the arrays in it; and the error."""
    if isinstance(error, SyntaxError) and is_own(error.filename or "", file):
        text = "".join(traceback.format_exception_only(type(error), error))
        return text.replace(f'  File "{error.filename}", line', f"{shown}, line")
    lines = []
    for frame, number in own_frames(error, file)[-MOST_LINES:]:
        code = linecache.getline(file, number).strip()
        place = frame.f_code.co_name
        lines.append(f"{shown}, line {number}" + ("" if place.startswith("<") else f", in {place}"))
        lines.append(f"    {code}")
        lines += [f"    {shapes}" for shapes in [shapes_in(code, frame)] if shapes]
    return "\n".join(lines + [f"{type(error).__name__}: {error}"]) + "\n"


def where(error, file):
    """The error in one line, with the number of the line."""
    numbers = [line for _, line in own_frames(error, file)]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text + (f" (line {numbers[-1]})" if numbers else "")


def shapes_in(code, frame):
    """"Q (3, 2) · K (3, 2)": of the arrays that the line names."""
    names = re.findall(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)*", code.partition("#")[0])
    shapes = dict(shape for name in names for shape in shape_of(name.split("."), frame))
    return " · ".join(f"{name} {shape}" for name, shape in shapes.items())


def shape_of(parts, frame):
    """Of steps.Q.T: steps.Q, the first that is an array. Attributes of arrays are not asked for."""
    value = frame.f_locals.get(parts[0])
    for count in range(1, len(parts) + 1):
        if isinstance(value, np.ndarray):
            return [(".".join(parts[:count]), value.shape)]
        value = getattr(value, parts[count], None) if count < len(parts) else None
    return []
