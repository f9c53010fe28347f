"""What a function was called with, as a line beneath what went wrong inside it."""
from .arrays import is_array

MANY = 6  # arguments that are told
LONG = 40  # letters of a value


def said_of(names, positional, keywords, may_be_told):
    """The line; "" where nothing was given. `names`: of the parameters by their places; `may_be_told`: whether the caller can
    say what else they take."""
    given = [(names[place] if place < len(names) else f"argument {place + 1}", value) for place, value in enumerate(positional)]
    given += keywords.items()
    if not given:
        return ""
    told = ", ".join(_value(name, value) for name, value in given[:MANY]) + ", …" * (len(given) > MANY)
    return f"\n  It was called with {told}" + ("; arguments={…} says what else a parameter takes" if may_be_told else "")


def _value(name, value):
    if is_array(value):
        return f"{name} of shape {tuple(value.shape)}"
    text = repr(value) if value is None or isinstance(value, (int, float, str, tuple)) else ""
    if text and len(text) <= LONG:
        return f"{name} = {text}"
    if isinstance(value, (list, tuple, dict)):
        return f"{name}, a {type(value).__name__} of {len(value)}"
    return f"{name}, a {type(value).__name__}"
