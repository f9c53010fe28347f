"""A folder for the files that go to the command and come back; gone afterwards."""
import signal
import tempfile
import threading
import zipfile
from pathlib import Path

import numpy as np

from . import engine
from .errors import Error
from .safetensors import read_safetensors


def write_npz(path, arrays):
    """{name: array}. (np.savez would take an array called "file" for its own argument.)"""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            engine.refuse_unwritable(name)
            with archive.open(name + ".npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)


class Ended(BaseException):
    """SIGTERM or SIGHUP, on its way out through what is to be cleaned up, as Ctrl-C goes."""


class Signals:
    """While it is entered, a signal that would end the program at once, and leave the folders there, first lets them be
    removed. A program's own handlers stay, and so does all outside the main thread, where Python takes no signals."""
    NAMES = ("SIGTERM", "SIGHUP")  # Windows has one of them

    def __init__(self):
        self._depth, self._before, self._caught = 0, [], None

    def __enter__(self):
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth += 1
        if self._depth > 1:
            return
        for number in [getattr(signal, name) for name in self.NAMES if hasattr(signal, name)]:
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, self._catch)
                self._before.append(number)

    def _catch(self, number, _):
        self._caught = number
        raise Ended()

    def __exit__(self, *_):
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth -= 1
        if self._depth > 0:
            return
        for number in self._before:
            signal.signal(number, signal.SIG_DFL)
        self._before, caught, self._caught = [], self._caught, None
        if caught is not None:
            signal.raise_signal(caught)


signals = Signals()


class Workspace:
    """with Workspace() as folder: folder.write("input.npz", {"x": x})"""
    def __enter__(self):
        signals.__enter__()
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="glassbox-")
        except OSError as problem:
            signals.__exit__()
            raise Error(f"no folder for the files of a check can be made in {tempfile.gettempdir()}: "
                        f"{problem.strerror}; TMPDIR names another place", 4) from None
        self.path = Path(self._folder.name)
        return self

    def __exit__(self, *_):
        try:
            self._folder.cleanup()
        finally:
            signals.__exit__()

    def write(self, name, arrays):
        """One .npz file; its name, for the command line."""
        write_npz(self.path / name, arrays)
        return name

    def read(self, name):
        with np.load(self.path / name, allow_pickle=False) as file:
            return {key: file[key] for key in file.files}

    def write_array(self, name, array):
        """One .npy file; its name."""
        np.save(self.path / name, np.asarray(array), allow_pickle=False)
        return name

    def write_text(self, name, text):
        (self.path / name).write_text(text, encoding="utf-8")
        return name

    def read_weights(self, name):
        """A safetensors file of the command's own; nothing where the layer has no parameters."""
        path = self.path / name
        return read_safetensors(path) if path.exists() else {}
