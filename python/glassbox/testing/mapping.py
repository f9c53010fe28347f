"""Mapping files: which function of a course is which layer of the command, and which argument is which input."""
import json
from pathlib import Path

from ..errors import Error
from ..wording import did_you_mean
from .proofread import proofread

SHIPPED = Path(__file__).resolve().parent.parent / "mappings"
KINDS = ("function", "gradients", "optimiser")
FIELDS = {"function", "kind", "layer", "options", "inputs", "weights", "mask", "results", "same", "dropout", "steps",
          "parameters", "never", "note"}


class Missing(Exception):
    """A path leads to nothing in this call: an optional argument was not given."""


def follow(path, scope):
    """What "self.W_q.weight" or "return.0" is in a call: names of arguments, attributes, keys and numbers of a tuple."""
    first, *rest = path.rstrip("?").split(".")
    value = scope.get(first)
    for part in rest:
        if value is None:
            break
        if part.isdigit():
            value = value[int(part)] if isinstance(value, (tuple, list)) and int(part) < len(value) else None
        elif isinstance(value, dict):
            value = value.get(part)
        else:
            value = getattr(value, part, None)
    if value is None:
        raise Missing(path)
    return value


class Mapped:
    """One function of a course."""

    def __init__(self, entry, file):
        if not isinstance(entry, dict):
            raise Error(f"{file}: each of the functions is an object, {{\"function\": …}}, got {entry!r}", 3)
        unknown = set(entry) - FIELDS
        where = f"{file}: {entry.get('function', 'a function without a name')}"
        if unknown:
            raise Error(f"{where}: no field has the name {', '.join(sorted(unknown))}; the fields are "
                        f"{', '.join(sorted(FIELDS))}{did_you_mean(min(unknown), sorted(FIELDS))}", 3)
        for needed in ("function", "layer"):
            if not isinstance(entry.get(needed), str):
                raise Error(f"{where}: expected {needed}, a word", 3)
        self.where, self.is_shipped = where, False
        self.module, _, self.name = entry["function"].rpartition(":")
        self.kind = entry.get("kind", "function")
        if self.kind not in KINDS:
            raise Error(f"{where}: kind is {', '.join(KINDS)}, got {self.kind!r}", 3)
        self.layer = entry["layer"]
        self.options = entry.get("options", {})
        self.inputs = entry.get("inputs", {})
        self.weights = entry.get("weights", {})
        self.mask = entry.get("mask")
        self.results = entry.get("results", {})
        if not self.results:
            raise Error(f"{where}: expected results, the step that each array is: {{\"values\": \"return\"}}", 3)
        self.same = entry.get("same", [])
        self.dropout = entry.get("dropout")
        self.steps = entry.get("steps")  # those that the function computes; without it all
        self.never = entry.get("never", [])  # mistakes that it cannot make: it is given no clipping factor, no padding
        self.parameters = entry.get("parameters", "parameters")

    def arguments(self):
        """The names that its paths begin with."""
        entries = [*self.inputs.values(), *self.weights.values(), *([self.mask] if self.mask else [])]
        entries += [each[1:] for each in self.options.values() if isinstance(each, str) and each[:1] in ("=", "!")]
        paths = [path for each in entries for path in (each.get("stack") or [each["of"]] if isinstance(each, dict) else [each])]
        return {path.rstrip("?").partition(".")[0] for path in paths}

    def suits(self, signature):
        """Whether a function of this name has the arguments that the mapping speaks of: there are others of the same name."""
        names = set(signature.parameters)
        return self.kind == "optimiser" or self.arguments() <= names

    def is_in(self, module):
        """Whether a module may hold it. Without a module in the mapping, any; the course may be run from another folder, so
        that "tests.adapters" is "adapters"."""
        return not self.module or module == self.module or module.endswith("." + self.module) or \
            (self.module.endswith("." + module) and module != "__main__")


class Mapping:
    def __init__(self, functions, points):
        self.functions, self.points = functions, points

    def keep_only(self, names):
        """The functions of these names; all without any."""
        known = sorted({each.name for each in self.functions})
        for name in names:
            if name not in known:
                raise Error(f"--glassbox-only: expected one of {', '.join(known)}, got {name}{did_you_mean(name, known)}")
        if names:
            self.functions = [each for each in self.functions if each.name in names]


def read(path):
    try:
        text = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise Error(f"{path}: cannot be read: {problem.strerror}", 4) from None
    except ValueError as problem:
        raise Error(f"{path}: not JSON: {problem}", 3) from None
    if not isinstance(text, dict) or not isinstance(text.get("functions"), list):
        raise Error(f"{path}: expected an object with a list \"functions\"", 3)
    return [Mapped(entry, path) for entry in text["functions"]], text.get("points", {})


def shipped():
    return sorted(each.stem for each in SHIPPED.glob("*.json"))


def find(words):
    """The mappings of these names or files; all that are shipped where there are none."""
    functions, points = [], {}
    for word in words or shipped():
        is_shipped = word in shipped()
        path = SHIPPED / f"{word}.json" if is_shipped else Path(word)
        if not path.is_file():
            raise Error(f"--glassbox-mapping: expected a file, or one of {', '.join(shipped())}, got {word}"
                        f"{did_you_mean(word, shipped())}")
        its_functions, its_points = read(path)
        for each in its_functions:
            each.is_shipped = is_shipped
            if not is_shipped:
                proofread(each)
        functions += its_functions
        points.update(its_points)
    return Mapping(functions, points)
