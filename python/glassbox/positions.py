"""A module that adds positions has its sizes in itself: its width, and how many rows its table has."""
import inspect

import numpy as np

from .arrays import is_array, is_number
from .signature import CALLED, plain

SHORT = 5  # positions, as the probe has them
FEW = 200_000  # numbers of a table that is computed as a whole


def held(module):
    """(name, value) of a module's attributes and of its parts'; buffers and parameters, too."""
    parts = list(module.modules()) if hasattr(module, "modules") and hasattr(module, "named_buffers") else [module]
    for part in parts:
        yield from getattr(part, "__dict__", {}).items()
        for kind in ("_buffers", "_parameters"):
            yield from (getattr(part, kind, None) or {}).items()


def table_of(module):
    """(rows, columns) of the one table that it keeps; None where there is none, or tables of several shapes."""
    shapes = set()
    for _, value in held(module):
        if is_array(value):
            shape = tuple(size for size in value.shape if size != 1)
            shapes.update([shape] if len(shape) == 2 else [])
    return shapes.pop() if len(shapes) == 1 else None


def said(module, size):
    """A size that an attribute tells by its name; None where none does, or several differ."""
    found = {int(value) for name, value in held(module) if plain(name) in CALLED[size]
             and is_number(value) and not isinstance(value, (bool, np.bool_)) and value == int(value) and value > 0}
    return found.pop() if len(found) == 1 else None


def takes_nothing(function):
    """Whether it is called as it is: its result has all rows."""
    try:
        return not inspect.signature(getattr(function, "forward", function)).parameters
    except (TypeError, ValueError):
        return False


def sizes_of_module(function):
    """The command's options that follow; {} of a plain function."""
    module = getattr(function, "__self__", function)
    if inspect.isroutine(module) or inspect.ismodule(module):
        return {}
    table, width = table_of(module), said(module, "dmodel")
    is_turned = table is not None and width == table[0] != table[1]
    rows, columns = (None, None) if table is None else table[::-1] if is_turned else table
    width, rows = columns or width, rows or said(module, "seq")
    options = {} if width is None else {"dmodel": width}
    if rows is not None and (takes_nothing(function) or rows < SHORT):
        options["seq"] = rows
    return options


def all_rows_of(function):
    """How many positions it has, where its table is small enough to be checked as a whole; else None."""
    module = getattr(function, "__self__", function)
    table = None if inspect.isroutine(module) else table_of(module)
    rows = None if table is None else table[0]
    return rows if rows is not None and np.prod(table) <= FEW else None
