"""Matrices of attention with an axis for the heads, as functions around einsum take them; what fails for the number of axes."""
import linecache
import re
import traceback

# How matrices with an axis for the heads lie: those of queries, keys and values, and that of the output.
FIRST, SECOND, OUT = "(h, d, d_k)", "(d, h, d_k)", "(h, d_k, d)"
LAYOUTS = {"heads first": (FIRST, OUT), "heads second": (SECOND, OUT), "heads first, output without": (FIRST, None),
           "heads second, output without": (SECOND, None), "heads of the output": (None, OUT)}
OF_INPUTS = ("q", "k", "v")
# What NumPy, PyTorch and JAX say of arrays with other axes than einsum, permute or an index ask for.
COUNTED = re.compile(r"too many subscripts for operand|correct number of indices|more dimensions than subscripts|number of subscripts|"
                     r"number of dimensions|axes don't match|too many indices|out of bounds for array of dimension|Dimension out of range|"
                     r"isn't a permutation|must be a \dD tensor|must have ndim at least")


def shape_of(role, layout):
    """The shape of a matrix in a layout, with the axis for the heads; None where it has none."""
    of_inputs, of_output = LAYOUTS.get(layout, (None, None))
    return of_inputs if role in OF_INPUTS else of_output if role == "o" else None


def has_heads(part, layout):
    _, role, kind = part.key
    return kind in ("weight", "bias") and not part.is_stated and not (role == "o" and kind == "bias") and shape_of(role, layout) is not None


def without(layout):
    """Of what has no axis for the heads, where others have."""
    return "named" if layout in LAYOUTS else layout


def with_heads(array, key, layout, heads):
    """A parameter that is (out, in), with the axis for the heads."""
    _, role, kind = key
    if kind == "bias":
        return array.reshape(heads, -1)
    rows, columns = array.shape
    shape = shape_of(role, layout)
    if shape == OUT:
        return array.T.reshape(heads, columns // heads, rows)
    if shape == FIRST:
        return array.reshape(heads, rows // heads, columns).swapaxes(1, 2)
    return array.T.reshape(columns, heads, rows // heads)


def said(layout):
    of_inputs, of_output = LAYOUTS[layout]
    if of_inputs is None:
        return f"the matrix of its output has an axis for the heads: {of_output}"
    if of_output is None:
        return f"its matrices for queries, keys and values have an axis for the heads: {of_inputs}; that of the output has none"
    return f"its matrices have an axis for the heads: {of_inputs}, and {of_output} for the output"


def counted_wrong(problem, given):
    """{name: shape} of the given arrays in the call that fails for their number of axes; {} where it is not that. Where some
    were taken apart along their first axis, by vmap, those."""
    text, frames = str(problem), [frame for frame, _ in traceback.walk_tb(problem.__traceback__)]
    is_counted, is_unpacked = COUNTED.search(text), "values to unpack" in text
    for frame, place in reversed(list(zip(frames, traceback.extract_tb(problem.__traceback__)))):
        if re.search(r"(?:site|dist)-packages|<__array_function__", place.filename) or not (is_counted or is_unpacked):
            continue
        found, mapped = {}, {}
        for name, value in frame.f_locals.items():
            pattern = rf"\b{name}\b" if is_counted else rf"\b{name}\.(?:shape|size\()"
            whole = whole_of(value)
            is_given = hasattr(whole, "shape") and any(whole is each for each in given)
            if is_given and re.search(pattern, called(place) if is_counted else place.line):
                (found if whole is value else mapped)[name] = tuple(whole.shape)
        if found or mapped:
            return mapped or found
    return {}


def whole_of(value):
    """Of what JAX's vmap hands on one by one the array that it came from."""
    while type(value).__name__ == "BatchTracer" and hasattr(value, "val"):
        value = value.val
    return value


def called(place):
    """The text of the call in a line, where Python says it; else all of the line."""
    line, first = linecache.getline(place.filename, place.lineno), getattr(place, "colno", None)
    if first is None:
        return line
    if place.end_lineno != place.lineno:
        return "".join(linecache.getline(place.filename, number) for number in range(place.lineno, place.end_lineno + 1))
    return line.encode()[first:place.end_colno].decode()
