"""What the command refuses, in the words of Python: its option --no-bias is the keyword no_bias."""
import contextlib
import difflib
import re
import sys

from .errors import Error
from .layer_names import KEYWORDS, layer_called
from .options import INPUTS, OF_FEW, flag_of, keyword, options_of_layer
from .signature import CALLED, NUMBERS, SIZES, plain


def nearest(word, known):
    """The name that may have been meant; "" if none is like it."""
    for name in known:
        if plain(word) in (plain(name), *(CALLED[name] if name in SIZES else NUMBERS.get(name, ()))):
            return name
    long = [name for name in known if min(len(name), len(word)) > 2]
    starts = [name for name in long if word.startswith(name) or name.startswith(word)]
    close = difflib.get_close_matches(word.lower(), [*known], n=1, cutoff=0.6)
    return (close or sorted(starts, key=len, reverse=True) or [""])[0]


def did_you_mean(word, known):
    name = nearest(word, [each for each in known if each != word])
    return f"; did you mean {name!r}?" if name else ""


def keywords_of(layer):
    """The command's options for a layer as keywords, and the inputs."""
    return [*options_of_layer(layer), *INPUTS, *OF_FEW]


def as_keywords(text):
    """The command's options in a text as keywords: --effort 60 is effort=60."""
    def keyword_at(match):
        name, value = keyword(match[1]), match[2]
        if value is None:
            return name
        return f"{name}={value}" if re.fullmatch(r"[\d.]+", value) else f"{name}=\"{value}\""

    value = r"\d[\d.]*\b|[a-z][\w-]*(?=[:;,.)]|$)"
    return re.sub(rf"(?<![\w-])(--[a-z][a-z0-9-]*)(?:[ =]({value}))?", keyword_at, text, flags=re.M)


@contextlib.contextmanager
def in_python(what, layer, options):
    """While it is entered, an error about a layer's name or options is told with the name and the keyword."""
    if not isinstance(layer, str):
        given = layer.__name__ if hasattr(layer, "__name__") else type(layer).__name__
        raise Error(f"{what}: expected the name of a layer first, such as \"attention\", got {given}")
    try:
        yield
    except Error as problem:
        told = reworded(str(problem), what, layer, options)
        if told == str(problem):
            raise
        raise Error(told, problem.code) from None


def reworded(message, what, layer, options):
    """The message with the layer, the keyword, or as it is."""
    if re.match(rf"(tracer: no command|(probe|check|compare --layer): expected .*, got) '{re.escape(layer)}'", message):
        meant = re.search(r"; did you mean '[^']*'\?", message)
        known = layer_called(layer) or (meant[0] if meant else "; tracer --help lists them")
        return f"{what}: no layer has the name {layer!r}{known}"
    refused = re.search(r"no option (--[\w-]+)", message)
    if refused:
        word = keyword_of(refused[1], options)
        return f"{what}: the layer {layer} has no keyword {word!r}{did_you_mean(word, keywords_of(layer))}"
    named = re.match(r"(--[a-z][a-z0-9-]*): ", message)
    message = f"{keyword_of(named[1], options)}: {message[named.end():]}" if named else message
    return as_keywords(message)


def keyword_of(flag, options):
    """As it was typed, or as it would be."""
    return next((name for name in options if flag_of(KEYWORDS.get(name, name)) == flag), keyword(flag))


# What takes the place of signs that an encoding has not: ✓ and ✗ must not become the same.
PLAIN = {"✓": "[right]", "✗": "[wrong]", "−": "-", "·": "*", "×": "x", "√": "sqrt", "∞": "inf", "…": "...", "→": "->",
         "≠": "!=", "≤": "<=", "≥": ">=", "’": "'", "ᵀ": "^T"}


def in_encoding(text, encoding):
    """What the encoding has not in other signs, and what has none of these as its number."""
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError as problem:
        sign = text[problem.start]
        other = PLAIN.get(sign) or sign.encode("ascii", "backslashreplace").decode("ascii")
        return in_encoding(text.replace(sign, other), encoding)


def say(text):
    """Prints it, whatever the encoding of standard output."""
    print(in_encoding(text, getattr(sys.stdout, "encoding", None) or "utf-8"), file=sys.stdout)
