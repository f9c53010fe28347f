"""Works out a line of arithmetic as the page shows it, in double precision, from the operands that are shown.

A line is read.js's text: ⟦exact value|kind|what is shown⟧ for a number, the rest as on the page. With each result comes
a bound of what float32 can lose on the way, to first order: every operand and every result may be off by half a unit in
its last place."""

import math
import re
import struct
from dataclasses import dataclass

HALF_UNIT = 2.0 ** -24
LEAST = 1e-37  # below it float32 has fewer digits
# Times the bound: a kernel may take other ways than the formula (the greatest score subtracted before exp, sums in blocks).
ROUNDING = 4

TOKEN = re.compile(r"⟦(?P<value>[^|⟧]*)\|(?P<kind>\w+)\|(?P<text>[^⟧]*)⟧|(?P<number>\d+\.?\d*(?:e[-−]?\d+)?)|(?P<name>[a-z]+)|(?P<sign>[-+−·/²^√|(),⌊⌋])|\s+")


@dataclass
class Value:
    value: float
    error: float


def rounded(value, error):
    return Value(value, error + HALF_UNIT * abs(value) if math.isfinite(value) else error)


class Unreadable(AssertionError):
    pass


def parsed_number(text):
    """A number as the page writes it, exactly: nan, inf, -inf or digits."""
    return float(text.replace("−", "-").replace("∞", "inf"))


def as_float32(text):
    """A stored number: its shortest decimals stand for a float32. One that was worked out has more digits."""
    value = parsed_number(text)
    digits = re.sub(r"e.*|\D", "", text).strip("0")
    return struct.unpack("f", struct.pack("f", value))[0] if math.isfinite(value) and abs(value) < 3.4e38 and len(digits) <= 9 else value


def quietly(f, *arguments):
    try:
        return f(*arguments)
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan


def exp(x):
    value = quietly(math.exp, x.value)
    return rounded(value, value * x.error if math.isfinite(value) and math.isfinite(x.error) else 0)


def through(f, slope):
    def apply(x):
        return rounded(quietly(f, x.value), abs(quietly(slope, x.value)) * x.error)
    return apply


def logistic(x):
    return 1 / (1 + quietly(math.exp, -x))


FUNCTIONS = {
    "exp": exp,
    "ln": through(math.log, lambda x: 1 / x),
    "sin": through(math.sin, math.cos),
    "cos": through(math.cos, math.sin),
    "tanh": through(math.tanh, lambda x: 1 - math.tanh(x) ** 2),
    "erf": through(math.erf, lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x)),
    "sigmoid": through(logistic, lambda x: logistic(x) * (1 - logistic(x))),
    "silu": through(lambda x: x * logistic(x), lambda x: 1.1),
}


def square_root(x):
    value = quietly(math.sqrt, x.value)
    return rounded(value, x.error / (2 * value) if value else math.sqrt(x.error))


def plus(a, b):
    return rounded(a.value + b.value, a.error + b.error)


def negative(a):
    return Value(-a.value, a.error)


def times(a, b):
    return rounded(a.value * b.value, abs(a.value) * b.error + abs(b.value) * a.error)


def over(a, b):
    value = quietly(lambda: a.value / b.value)
    return rounded(value, (a.error + abs(value) * b.error) / abs(b.value) if b.value else 0)


def power(a, b):
    value = quietly(math.pow, a.value, b.value)
    return rounded(value, abs(value) * (abs(quietly(lambda: b.value / a.value)) * a.error + abs(quietly(math.log, abs(a.value))) * b.error) if a.value else 0)


class Line:
    """named: {value: Value} of the letters worked out before, μ and σ²."""

    def __init__(self, text, named=None):
        self.text, self.named, self.tokens, at = text, named or {}, [], 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise Unreadable(f"cannot be read from {text[at:at + 20]!r}: {text!r}")
            if match.group().strip():
                self.tokens.append(match)
            at = match.end()
        self.at = 0

    def result(self):
        value = self.sum()
        if self.at != len(self.tokens):
            raise Unreadable(f"goes on behind its end: {self.text!r}")
        return value

    @property
    def next(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def takes(self, *signs):
        token = self.next
        if token is None or token["sign"] not in signs:
            return None
        self.at += 1
        return token["sign"]

    def must(self, sign):
        if not self.takes(sign):
            raise Unreadable(f"{sign} is missing: {self.text!r}")

    def sum(self):
        value = self.product()
        while sign := self.takes("+", "−"):
            other = self.product()
            value = plus(value, other if sign == "+" else negative(other))
        return value

    def product(self):
        value = self.signed()
        while sign := self.takes("·", "/"):
            other = self.signed()
            value = times(value, other) if sign == "·" else over(value, other)
        return value

    def signed(self):
        return negative(self.signed()) if self.takes("−") else self.raised()

    def raised(self):
        value = self.primary()
        while True:
            if self.takes("²"):
                value = times(value, value)
            elif self.takes("^"):
                value = power(value, self.primary())
            else:
                return value

    def list(self):
        values = [self.sum()]
        while self.takes(","):
            values.append(self.sum())
        self.must(")")
        return values

    def primary(self):
        if self.takes("("):
            value = self.sum()
            self.must(")")
            return value
        if self.takes("⌊"):
            value = self.sum()
            self.must("⌋")
            return Value(math.floor(value.value), 0)
        if self.takes("√"):
            return square_root(self.raised())
        if self.takes("|"):
            value = self.sum()
            self.must("|")
            return Value(abs(value.value), value.error)
        token = self.next
        if token is None:
            raise Unreadable(f"ends too early: {self.text!r}")
        self.at += 1
        if token["name"]:
            return self.call(token["name"])
        if token["number"]:
            value = parsed_number(token["number"])
            return Value(value, HALF_UNIT * abs(value))
        if token["value"] is None:
            raise Unreadable(f"{token.group()!r} where a number should be: {self.text!r}")
        return self.given(token)

    def given(self, token):
        value = (as_float32 if token["kind"] == "factor" else parsed_number)(token["value"])
        if token["kind"] == "worked" and value in self.named:
            return self.named[value]
        # Behind a minus sign a negative number that was worked out stands without its own.
        if token["kind"] == "worked" and value < 0 and not token["text"].startswith("−"):
            value = -value
        return Value(value, HALF_UNIT * abs(value) if math.isfinite(value) else 0)

    def call(self, name):
        self.must("(")
        arguments = self.list()
        if name in ("max", "min"):
            chosen = (max if name == "max" else min)(arguments, key=lambda each: each.value)
            return Value(chosen.value, max(each.error for each in arguments))
        if name not in FUNCTIONS or len(arguments) != 1:
            raise Unreadable(f"no function {name} of {len(arguments)}: {self.text!r}")
        return FUNCTIONS[name](arguments[0])


def is_close(result, value):
    """Whether a float32 may be what the arithmetic says."""
    if math.isnan(value) or math.isnan(result.value):
        return math.isnan(value) and math.isnan(result.value)
    if math.isinf(value) or math.isinf(result.value):
        return value == result.value or abs(result.value) > 3e38 and abs(value) > 3e38
    return abs(result.value - value) <= ROUNDING * result.error + LEAST


def is_same(result, other):
    """Whether two lines of one arithmetic agree in double precision."""
    if not (math.isfinite(result.value) and math.isfinite(other)):
        return result.value == other or math.isnan(result.value) and math.isnan(other)
    return abs(result.value - other) <= 1e-7 * max(result.error, other and HALF_UNIT * abs(other)) + LEAST


def is_shown_as(text, value, least_places):
    """Whether a written number is the value to the digits that are written."""
    plain = text.replace("−", "-").replace("∞", "inf").replace("NaN", "nan")
    if plain.startswith("√"):
        return abs(math.sqrt(float(plain[1:])) - value) <= 1e-6 * abs(value)
    shown = float(plain)
    if not math.isfinite(value):
        return shown == value or math.isnan(shown) and math.isnan(value)
    mantissa, _, exponent = plain.partition("e")
    places = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - places)
    if exponent == "" and "." in plain and places < least_places:
        unit = 10.0 ** -least_places  # zeros at the end are left out
    # Half a unit, and what the shortest decimals of a float32 are off by.
    return abs(shown - value) <= 0.5000001 * unit + 2 * HALF_UNIT * abs(value)


def check(arithmetic):
    """The operands' arithmetic gives the number. Returns whether there was any, or raises AssertionError."""
    value = parsed_number(arithmetic["number"][4])
    named = {}
    for line in arithmetic["lines"]:
        if "where" in line["kind"].split():
            segments = re.split(" [=≈] ", line["text"])
            numeric = [each for each in segments[1:] if "|label|" not in each and "⟨" not in each and "if" not in each]
            assert numeric, f"{arithmetic['label']}: no numbers in {line['text']!r}"
            first = Line(numeric[0], named).result()
            for each in numeric[1:]:
                other = Line(each, named).result()
                assert is_same(first, other.value), f"{arithmetic['label']}: {first.value} and {other.value} in {line['text']!r}"
            for each in {first.value} | {Line(each, named).result().value for each in numeric[1:]}:
                named[each] = first
    lines = [line["text"] for line in arithmetic["lines"] if "numbers" in line["kind"].split()]
    if arithmetic["says"] and not lines or len(lines) == 1 and not arithmetic["factors"]:
        return False
    operands = [line["text"] for line in arithmetic["lines"] if line["kind"].split()[:2] == ["line", "numbers"]]
    first = Line(operands[0], named).result()
    assert is_close(first, value), (f"{arithmetic['label']}: the operands give {first.value!r} within {ROUNDING * first.error:.1e}, shown is "
                                    f"{value!r}: {operands[0]}")
    is_own = arithmetic["lines"] and operands[-1].startswith(f"⟦{arithmetic['number'][4]}|worked")
    for line in operands[1:-1] if is_own else operands[1:]:
        result = Line(line, named).result()
        assert is_same(first, result.value), f"{arithmetic['label']}: {first.value!r} becomes {result.value!r} in {line!r}"
    return True
