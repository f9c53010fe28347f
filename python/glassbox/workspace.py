"""A folder for the files that go to the command and come back; gone afterwards."""
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from .safetensors import read_safetensors


def write_npz(path, arrays):
    """{name: array}. (np.savez would take an array called "file" for its own argument.)"""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            with archive.open(name + ".npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)


class Workspace:
    """with Workspace() as folder: folder.write("input.npz", {"x": x})"""
    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="glassbox-")
        self.path = Path(self._folder.name)
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

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
