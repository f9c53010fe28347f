"""The places of a C++ file at which one operator or constant can be changed, and what it becomes."""

import re
from typing import NamedTuple

# What must not be touched: comments, texts, characters, the preprocessor's lines, and what only the compiler checks.
UNTOUCHED = re.compile(
    r"""R"(?P<tag>[^()\s\\]*)\(.*?\)(?P=tag)"
      | "(?:[^"\\\n]|\\.)*"
      | '(?:[^'\\\n]|\\.)+'
      | //[^\n]*
      | /\*.*?\*/
      | ^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*
      | \bstatic_assert\b[^;]*;
      | \[\[[^\]]*\]\]""", re.X | re.S | re.M)

# The layout has a space on both sides of a binary operator, and none beside a template's brackets, a pointer or &&.
BINARY = {
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "&": "|", "|": "&", "^": "|", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="
}
WORDS = {"true": "false", "false": "true", "std::min": "std::max", "std::max": "std::min"}
BINARY_SITE = re.compile(r"(?<= )(?:" + "|".join(re.escape(each) for each in sorted(BINARY, key=len, reverse=True)) +
                         r")(?=[ \n])")
WORD_SITE = re.compile(r"(?<![\w:])(?:std::min|std::max|true|false)(?!\w)")
NOT_SITE = re.compile(r"!(?=[A-Za-z_(])")
MINUS_SITE = re.compile(r"(?:(?<=\()|(?<=return )|(?<== )|(?<=, ))-(?=[A-Za-z_(])")
NUMBER_SITE = re.compile(r"(?<![\w.'])(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d+)(?P<suffix>[fFuUlLzZ]*)(?![\w.'])")


class Site(NamedTuple):
    """At `start` of the text, `old` becomes `new`."""
    start: int
    old: str
    new: str

    def of(self, text):
        return text[:self.start] + self.new + text[self.start + len(self.old):]


def without_untouched(text):
    """The same text with spaces for whatever must not be touched."""
    return UNTOUCHED.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def another_number(match):
    suffix = match.group("suffix")
    digits = match.group()[:len(match.group()) - len(suffix)]
    if digits.isdigit():
        return str({0: 1, 1: 0}.get(int(digits), int(digits) + 1)) + suffix
    return repr(2 * float(digits) or 1.0) + suffix


def sites(text):
    code = without_untouched(text)
    found = [Site(each.start(), each.group(), BINARY[each.group()]) for each in BINARY_SITE.finditer(code)]
    found += [Site(each.start(), each.group(), WORDS[each.group()]) for each in WORD_SITE.finditer(code)]
    found += [Site(each.start(), each.group(), "") for each in NOT_SITE.finditer(code)]
    found += [Site(each.start(), each.group(), "") for each in MINUS_SITE.finditer(code)]
    found += [Site(each.start(), each.group(), another_number(each)) for each in NUMBER_SITE.finditer(code)]
    return sorted(found)
