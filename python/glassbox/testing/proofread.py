"""What a mapping file says that cannot be meant, before a test runs: layers, options, inputs, steps, mistakes."""
import fnmatch
import functools

from .. import engine
from ..errors import Error
from ..options import INPUTS
from ..wording import did_you_mean, in_python, keywords_of
from .asking import catalogue

OF_A_DICT = ("options", "inputs", "weights", "results")


@functools.lru_cache(maxsize=None)
def keywords(layer):
    with in_python("layer", layer, {}):
        return keywords_of(layer)


@functools.lru_cache(maxsize=None)
def steps_of(layer):
    """The names of a layer's steps, and the ends of their paths."""
    answer = engine.run([layer, "--format", "json"]).as_json
    paths = [each["name"] for each in answer.get("steps", [])]
    return list(dict.fromkeys([*paths, *(each.rpartition("/")[2] for each in paths)]))


def proofread(mapped):
    """An Error for the first word that is none."""
    for field in OF_A_DICT:
        if not isinstance(getattr(mapped, field), dict):
            raise Error(f"{mapped.where}: {field} is an object, {{\"name\": …}}, got {getattr(mapped, field)!r}", 3)
    try:
        known = keywords(mapped.layer)
    except Error as problem:
        raise Error(f"{mapped.where}: {problem}", 3) from None
    expect(mapped, "option", [each.replace("-", "_") for each in mapped.options], known)
    expect(mapped, "input", mapped.inputs, INPUTS)
    expect(mapped, "step", [*mapped.results, *(mapped.steps or [])], steps_of(mapped.layer))
    for pattern in mapped.never:
        if not fnmatch.filter(catalogue(), pattern):
            raise Error(f"{mapped.where}: no mistake has the name {pattern!r}{did_you_mean(pattern, catalogue())}", 3)


def expect(mapped, what, names, known):
    for name in names:
        if name not in known:
            raise Error(
                f"{mapped.where}: the layer {mapped.layer} has no {what} {name!r}{did_you_mean(name, known)}", 3)
