"""What an exercise prints, kept to be shown at once: a file for each case, and one for when it is read."""
import contextlib
import io
import os

MOST = 1 << 20  # characters: a loop without end prints as long as it may


class Kept(io.TextIOBase):
    def __init__(self, path):
        # Line by line, since the exercise may end the process.
        self._file, self._left = open(path, "w", encoding="utf-8", errors="replace", buffering=1), MOST

    def write(self, text):
        self._left -= len(text)
        if self._left >= 0:
            self._file.write(text)
        return len(text)

    def flush(self):
        self._file.flush()


class Prints:
    """In the folder `scratch`, numbered in the order in which they were made: first when the exercise is read."""

    def __init__(self, scratch):
        self._scratch, self._count = scratch, 0

    @contextlib.contextmanager
    def during(self, what):
        stem = os.path.join(self._scratch, f"printed-{self._count:03}")
        self._count += 1
        with open(stem + ".during", "w", encoding="utf-8") as name:
            name.write(what)
        kept = Kept(stem)
        with contextlib.redirect_stdout(kept), contextlib.redirect_stderr(kept):
            yield
        kept.flush()


def printed_in(scratch):
    """What was printed when it was read and in the first case: each file, its name, and how many more cases have any."""
    stems = sorted(name[: -len(".during")] for name in os.listdir(scratch) if name.endswith(".during"))
    files = [os.path.join(scratch, stem) for stem in stems]
    cases = [file for file in files[1:] if os.path.getsize(file)]
    for file, others in [(file, 0) for file in files[:1] if os.path.getsize(file)] + [
        (file, len(cases) - 1) for file in cases[:1]
    ]:
        with open(file + ".during", encoding="utf-8") as name:
            yield file, name.read(), str(others)
