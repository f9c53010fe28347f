"""docs/python.md is run: its Python blocks, in order, print what the blocks after them show."""
import contextlib
import io
import re

import pytest

from test_pytest_docs import PAGE, matches

PYTHON_PAGE = PAGE.with_name("python.md")


@pytest.mark.skipif(not PYTHON_PAGE.is_file(), reason="no checkout: the documents are not here")
def test_the_page_prints_what_it_shows():
    text = PYTHON_PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", text, re.M | re.S)
    assert len(blocks) >= 4
    known = {}
    for code, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/python.md", "exec"), known)  # pylint: disable=exec-used
        assert matches(shown, printed.getvalue().splitlines()), printed.getvalue()
