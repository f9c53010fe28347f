"""A place of a computation at which a mistake is made: what the wrong line has to compute from. Values are PyTorch tensors of
float64."""
import functools
import re

import numpy as np
import torch


class Place:
    def __init__(self, about, arrays):
        self._arrays = arrays
        self.specimen, self.path, self.op, self.settings = about["specimen"], about["path"], about["op"], about["settings"]
        self.scope = self.path.rpartition("/")[0]

    def _tensor(self, key):
        return torch.from_numpy(np.asarray(self._arrays[key], np.float64))

    @functools.cached_property
    def right(self):
        """The step as it should be, of the same operands."""
        return self._tensor("right")

    def input(self, *path):
        """The i-th operand of the op that computes the step: of linear x, W, b; of concat its parts. Of input(1, 0) the
        step's operand 1 was computed."""
        return self._tensor("input " + " ".join(map(str, path)))

    def inputs(self):
        return [self.input(i) for i in range(sum(re.fullmatch(r"input \d+", key) is not None for key in self._arrays))]

    def has(self, name):
        return f"step {self._full(name)}" in self._arrays

    def __getitem__(self, name):
        """An earlier step of the same scope, "logits"; with a leading / one of anywhere, "/encoder/0/x"."""
        return self._tensor(f"step {self._full(name)}")

    def operand(self, name, i):
        """The i-th operand of the op that computed an earlier step."""
        return self._tensor(f"step {self._full(name)} {i}")

    def steps(self):
        return [key.removeprefix("step ") for key in self._arrays if key.startswith("step ") and key.count(" ") == 1]

    def _full(self, name):
        return name[1:] if name.startswith("/") else f"{self.scope}/{name}" if self.scope else name
