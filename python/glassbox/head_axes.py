"""Matrices of attention with an axis for the heads, as functions around einsum take them; what fails for the number of axes."""
import linecache
import re
import traceback

LAYOUTS = {"heads first": "(h, d, d_k)", "heads second": "(d, h, d_k)"}  # those of queries, keys and values; W_O is (h, d_k, d)
OF_HEADS = {("q", "weight"), ("k", "weight"), ("v", "weight"), ("o", "weight"), ("q", "bias"), ("k", "bias"), ("v", "bias")}
# What NumPy, PyTorch and JAX say of arrays with other axes than einsum, permute or an index ask for.
COUNTED = re.compile(r"too many subscripts for operand|correct number of indices|more dimensions than subscripts|number of subscripts|"
                     r"number of dimensions|axes don't match|too many indices|out of bounds for array of dimension|Dimension out of range|"
                     r"isn't a permutation|must be a \dD tensor")


def has_heads(part, layout):
    return layout in LAYOUTS and not part.is_stated and part.key[1:] in OF_HEADS


def without(layout):
    """Of what has no axis for the heads, where others have."""
    return "named" if layout in LAYOUTS else layout


def with_heads(array, key, layout, heads):
    """A parameter that is (out, in), with the axis for the heads."""
    _, role, kind = key
    if kind == "bias":
        return array.reshape(heads, -1)
    rows, columns = array.shape
    if role == "o":
        return array.T.reshape(heads, columns // heads, rows)
    if layout == "heads first":
        return array.reshape(heads, rows // heads, columns).swapaxes(1, 2)
    return array.T.reshape(columns, heads, rows // heads)


def said(layout):
    return f"its matrices have an axis for the heads: {LAYOUTS[layout]}, and (h, d_k, d) for the output"


def counted_wrong(problem, given):
    """{name: shape} of the given arrays in the call that fails for their number of axes; {} where it is not that."""
    text, frames = str(problem), [frame for frame, _ in traceback.walk_tb(problem.__traceback__)]
    is_counted, is_unpacked = COUNTED.search(text), "values to unpack" in text
    for frame, place in reversed(list(zip(frames, traceback.extract_tb(problem.__traceback__)))):
        if re.search(r"(?:site|dist)-packages|<__array_function__", place.filename) or not (is_counted or is_unpacked):
            continue
        found = {}
        for name, value in frame.f_locals.items():
            pattern = rf"\b{name}\b" if is_counted else rf"\b{name}\.(?:shape|size\()"
            is_given = hasattr(value, "shape") and any(value is each for each in given)
            if is_given and re.search(pattern, called(place) if is_counted else place.line):
                found[name] = tuple(value.shape)
        if found:
            return found
    return {}


def called(place):
    """The text of the call in a line, where Python says it; else all of the line."""
    line, first = linecache.getline(place.filename, place.lineno), getattr(place, "colno", None)
    if first is None:
        return line
    if place.end_lineno != place.lineno:
        return "".join(linecache.getline(place.filename, number) for number in range(place.lineno, place.end_lineno + 1))
    return line.encode()[first:place.end_colno].decode()
