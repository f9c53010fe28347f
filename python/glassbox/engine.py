"""Finds the command `tracer` and runs it. All numbers come from there."""
import functools
import json
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from .errors import Error

NAME = "tracer.exe" if os.name == "nt" else "tracer"
DONE, FAILED_CHECK = 0, 1  # exit codes; the others are errors


def places():
    """Where the command may be, the first wins: beside the wheel's other scripts, in the checkout, on PATH."""
    for scheme in (None, f"{os.name}_user"):
        folder = sysconfig.get_path("scripts") if scheme is None else sysconfig.get_path("scripts", scheme)
        yield Path(folder) / NAME
    for build in ("release", "static"):  # ./dev tracer, ./dev wheel
        yield Path(__file__).resolve().parents[2] / "build" / build / NAME
    on_path = shutil.which(NAME)
    if on_path:
        yield Path(on_path)


def is_ours(path):
    """There are other programs of this name."""
    try:
        shown = subprocess.run([path, "mistakes", "residual/mean"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return shown.returncode == DONE and b"residual/mean" in shown.stdout


@functools.lru_cache(maxsize=None)
def found(chosen):
    if chosen:
        if not is_ours(chosen):
            raise Error(f"GLASSBOX_TRACER: expected the command tracer of Glassbox, got {chosen}")
        return os.path.abspath(chosen)
    for path in places():
        if path.is_file() and os.access(path, os.X_OK) and is_ours(path):
            return str(path)
    raise Error("the command tracer was not found: install the wheel, build it with ./dev tracer, or set "
                "GLASSBOX_TRACER to it; it is not\n  " + "\n  ".join([*map(str, places()), "on PATH"]))


def command():
    """The path of the command."""
    return found(os.environ.get("GLASSBOX_TRACER", ""))


class Answer:
    """What the command printed, and its exit code."""
    def __init__(self, code, text, remarks):
        self.code, self.text, self.remarks = code, text, remarks

    @functools.cached_property
    def as_json(self):
        try:
            answer = json.loads(self.text)
        except ValueError:
            answer = None
        if not isinstance(answer, dict) or "schema" not in answer:  # another program, which knows of mistakes
            raise Error(f"{command()}: not the command tracer of this Glassbox: expected JSON, got {self.text[:60]!r}; "
                        "GLASSBOX_TRACER chooses another")
        return answer


def refuse_unwritable(word):
    """A word must have bytes, for the command line or a file: half of a character has none."""
    if "\0" in word:
        raise Error(f"a word of the command has a zero byte: {word!r}")
    try:
        os.fsencode(word)
    except UnicodeEncodeError:
        raise Error(f"a word of the command has half of a character, which is no text: {word!r}") from None


def run(arguments, folder=None, may_fail=False):
    """Runs `tracer ARGUMENTS` in a folder. What it refuses is an Error with its own words; a failed check is none if
    it may fail."""
    words = [str(each) for each in arguments]
    for word in words:
        refuse_unwritable(word)
    # No colours, which a notebook's kernel forces on what it starts, and the command under its own name.
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("GLASSBOX_COMMAND", "FORCE_COLOR", "CLICOLOR_FORCE")
    }
    environment["NO_COLOR"] = "1"
    try:
        done = subprocess.run([command(), *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False)
    except OSError as problem:  # gone since it was found; more words than a program may be given
        raise Error(f"{command()}: cannot be run: {problem.strerror or problem}") from None
    text, remarks = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    if done.returncode == DONE or (may_fail and done.returncode == FAILED_CHECK):
        return Answer(done.returncode, text, remarks)
    message = remarks.strip() or f"{' '.join(words)}: the command ended with code {done.returncode}"
    raise Error(without_folder(message.removeprefix("error: ")), done.returncode)


def without_folder(message):
    """A message that names no file by a path that is gone when it is read."""
    return re.sub(re.escape(tempfile.gettempdir()) + r"[/\\]glassbox-\w+[/\\]", "", message)
