"""Runs the Python of a document: its ```python blocks one after the other, each followed by a ```text block with
what it prints. `documents.py --update` writes what they print. ```python torch is for where PyTorch is installed."""
import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
DOCUMENTS = ["docs/python.md"]
BLOCK = re.compile(r"^```python(?P<needs>[^\n]*)\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?",
                   re.M | re.S)
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?|\d+e-\d+")


def can_run(needs):
    return all(importlib.util.find_spec(name) for name in needs.split())


def run(text):
    """(block, what it prints) of each block that can be run here."""
    scope, back = {"__name__": "__main__"}, os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for block in BLOCK.finditer(text):
                if not can_run(block["needs"]):
                    continue
                printed, name = io.StringIO(), f"{folder}/mine.py"
                Path(name).write_text(block["code"], encoding="utf-8")  # for the line of an error, counted in the block
                with contextlib.redirect_stdout(printed):
                    exec(compile(block["code"], name, "exec"), scope)  # a document's own code
                yield block, printed.getvalue()
        finally:
            os.chdir(back)


def alike(shown, printed):
    """Lines are equal, but for the last digits of numbers; a line ... stands for any lines."""
    pattern = ""
    for line in shown.rstrip("\n").split("\n"):
        pattern += "(?:.*\n)*?" if line == "..." else re.escape(NUMBER.sub("0.0", line)) + "\n"
    return re.fullmatch(pattern, "\n".join(NUMBER.sub("0.0", each) for each in printed.rstrip("\n").split("\n")) +
                        "\n") is not None and ("\n...\n" in shown or numbers_alike(shown, printed))


def numbers_alike(shown, printed):
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    return all(abs(float(a) - float(b)) <= 2e-6 * max(1, abs(float(a))) for a, b in pairs)


def updated(text):
    parts, at = [], 0
    for block, printed in run(text):
        parts.append(text[at:block.start()] + f"```python{block['needs']}\n{block['code']}```\n")
        parts.append(f"\n```text\n{printed.rstrip()}\n```\n" if printed.strip() else "")
        at = block.end()
    return "".join(parts) + text[at:]


if __name__ == "__main__":
    sys.path.insert(0, str(TOP / "python"))
    for document in DOCUMENTS:
        path = TOP / document
        path.write_text(updated(path.read_text(encoding="utf-8")), encoding="utf-8")
