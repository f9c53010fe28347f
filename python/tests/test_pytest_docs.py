"""docs/pytest.md is run: its files are written, its commands are given to pytest, and what they print is compared."""
import re
from pathlib import Path

import pytest

from pytest_course import run_pytest

pytest_plugins = ["pytester"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pytest.md"


def blocks():
    return re.findall(r"^```(\w+) ([^\n]+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def matches(shown, printed):
    """Line by line; `...` is any number of lines, at the end of a line its rest."""
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n"
                      for line in shown.splitlines())
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def test_a_document_can_be_wrong():
    assert matches("...\na\nb...\n", ["x", "y", "a", "bc"])
    assert not matches("a\n", ["a", "b"]) and not matches("...\na\n", ["b"])


@pytest.mark.skipif(not PAGE.is_file(), reason="no checkout: the documents are not here")
def test_the_page(pytester):
    commands = 0
    for kind, name, text in blocks():
        if kind in ("python", "json"):
            pytester.path.joinpath(name).write_text(text)
        elif kind == "text":
            commands += 1
            result = run_pytest(pytester, *name.split()[1:])
            assert matches(text, result.outlines), "\n".join(result.outlines)
    assert commands
