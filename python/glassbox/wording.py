"""What the command refuses, in the words of Python: its option --no-bias is the keyword no_bias."""
import contextlib
import difflib
import re

from . import engine
from .errors import Error
from .options import INPUTS, flag_of
from .signature import CALLED, SIZES, plain


def nearest(word, known):
    """The name that may have been meant; "" if none is like it."""
    for name in known:
        if plain(word) == plain(name) or (name in SIZES and plain(word) in CALLED[name]):
            return name
    long = [name for name in known if min(len(name), len(word)) > 2]
    starts = [name for name in long if word.startswith(name) or name.startswith(word)]
    close = difflib.get_close_matches(word.lower(), [*known], n=1, cutoff=0.6)
    return (close or sorted(starts, key=len, reverse=True) or [""])[0]


def did_you_mean(word, known):
    name = nearest(word, list(known))
    return f"; did you mean {name!r}?" if name else ""


def keywords_of(layer):
    """The command's options for a layer as keywords, and the inputs."""
    flags = re.findall(r"(?:^ +|, )--([a-z][a-z0-9-]*)", engine.run([layer, "--help"]).text, re.M)
    return [*dict.fromkeys(flag.replace("-", "_") for flag in flags), *INPUTS]


@contextlib.contextmanager
def in_python(what, layer, options):
    """While it is entered, an error about a layer's name or options is told with the name and the keyword."""
    if not isinstance(layer, str):
        given = layer.__name__ if hasattr(layer, "__name__") else type(layer).__name__
        raise Error(f"{what}: the name of a layer expected first, as \"attention\", got {given}")
    try:
        yield
    except Error as problem:
        told = reworded(str(problem), what, layer, options)
        if told == str(problem):
            raise
        raise Error(told, problem.code) from None


def reworded(message, what, layer, options):
    """The message with the layer, the keyword, or as it is."""
    if re.match(rf"(tracer: no command|(probe|check|compare --layer): .* expected, got) '{re.escape(layer)}'", message):
        meant = re.search(r"; did you mean '[^']*'\?", message)
        return f"{what}: no layer has the name {layer!r}" + (meant[0] if meant else "; tracer --help lists them")
    refused = re.search(r"no option (--[\w-]+)", message)
    if refused:
        keyword = keyword_of(refused[1], options)
        return f"{what}: the layer {layer} has no keyword {keyword!r}{did_you_mean(keyword, keywords_of(layer))}"
    named = re.match(r"(--[a-z][a-z0-9-]*): ", message)
    return f"{keyword_of(named[1], options)}: {message[named.end():]}" if named else message


def keyword_of(flag, options):
    """As it was typed, or as it would be."""
    return next((name for name in options if flag_of(name) == flag), flag[2:].replace("-", "_"))
