"""The files that a run writes: everything as JSON, and Gradescope's results.json with partial credit."""
import json
import os
import tempfile
from pathlib import Path

from ..errors import Error


def write_whole(path, text):
    """Whole or not at all."""
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(name, 0o666 & ~umask)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as problem:
        raise Error(f"{path}: cannot be written: {problem.strerror}", 4) from None


class Tested:
    """A test that ran, and what the command says of the functions in it."""

    def __init__(self, name, outcome, verdicts, points, not_judged=()):
        self.name, self.outcome, self.verdicts, self.points = name, outcome, verdicts, points
        self.not_judged = list(dict.fromkeys(not_judged))  # functions, and why

    def wrong(self):
        return [each for each in self.verdicts if not each.right]

    def credit(self, partial):
        """A failing test whose numbers are explained gets a part of its points, times the share of the layer's steps that
        are right."""
        if self.outcome == "passed":
            return self.points
        explained = [each for each in self.wrong() if each.mistakes]
        if self.outcome != "failed" or not explained or len(explained) < len(self.wrong()):
            return 0.0
        return round(self.points * partial * min(each.share for each in explained), 2)

    def message(self):
        return "\n".join(f"{each.function}: {each.sentence}" for each in self.wrong())

    def as_json(self, partial):
        return {"name": self.name, "outcome": self.outcome, "points": self.points, "credit": self.credit(partial),
                "functions": [each.as_json() for each in self.verdicts],
                "not_judged": [{"function": name, "why": why} for name, why in self.not_judged]}


def json_report(tests, partial, remarks=()):
    return json.dumps({"schema": 1, "command": "pytest", "mapping": list(remarks),
                       "tests": [each.as_json(partial) for each in tests]}, indent=1, ensure_ascii=False) + "\n"


def gradescope(tests, partial):
    """No assertion's text: it has the expected numbers."""
    return json.dumps({"tests": [
        {"name": each.name, "score": each.credit(partial), "max_score": each.points,
         "status": "passed" if each.outcome == "passed" else "failed",
         "output": each.message() or ("" if each.outcome == "passed" else each.outcome)}
        for each in tests]}, indent=1, ensure_ascii=False) + "\n"
