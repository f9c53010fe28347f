"""What would show a mistake that a course's tests let through: other arguments, tried one after the other."""
import re

import numpy as np

from .. import engine
from ..errors import Error
from ..workspace import Workspace
from .calls import Job

ROUNDING = 4e-6  # of the largest right number: below that, the engine's own float32 differs as well
SHOWN = 1e-3


def changed(job, change):
    """The same call with its real numbers changed. Whole numbers, such as labels, stay."""
    inputs = {name: change(array).astype(array.dtype) if array.dtype.kind == "f" else array
              for name, array in job.inputs.items()}
    return Job(job.mapped, job.options, inputs, job.weights, job.mask)


def signs(array):
    """1 and −1 by turns."""
    return np.where(np.arange(array.size) % 2, -1.0, 1.0).reshape(array.shape)


CHANGES = (
    ("arguments of both signs", lambda array: array * signs(array)),
    ("arguments 100 times as large", lambda array: array * 100),
    ("arguments 10 000 times smaller", lambda array: array / 10000),
)


def probed(job, options):
    """The input that `tracer probe` makes for this layer, and the options that it says go with it."""
    with Workspace() as folder:
        words = Job(job.mapped, options, {}).words(folder, with_inputs=False)
        told = engine.run(["probe", job.layer, *words, "-o", "probe.npz"], folder=folder.path).text
        arrays = folder.read("probe.npz")
    line = re.search(rf"tracer check {re.escape(job.layer)} (.*) FILE", told)
    said = re.sub(r"--(input|weights) probe\.npz", "", line.group(1)).split() if line else []
    return said, arrays


class Probe:
    """A job of its own, whose words are those that the command printed."""

    def __init__(self, layer, said, arrays):
        self.layer, self.said, self.arrays = layer, said, arrays

    def words(self, folder):
        name = folder.write("probe.npz", self.arrays)
        weights = ["--weights", name] if any("weight" in each for each in self.arrays) else []
        return [*self.said, "--input", name, *weights]

    def key(self):
        return (self.layer, tuple(self.said), tuple((k, v.tobytes()) for k, v in sorted(self.arrays.items())))


def tries(asked, job):
    """Other inputs, each with its words."""
    for words, change in CHANGES:
        if job.mapped.kind != "optimiser" and "identity" not in str(job.mapped.inputs):
            yield words, changed(job, change)
    for options in ([job.options, {}] if job.options else [{}]):
        try:
            said, arrays = asked.run(("probe", job.layer, str(options)), lambda: probed(job, options))
        except Error:
            continue
        yield f"the input of tracer probe {job.layer}, with {' '.join(said)}", Probe(job.layer, said, arrays)


def cure_of(asked, job, mistake, steps, difference):
    """The words of the first input that shows it; "" where those that were tried can have it and none shows it."""
    could_be_made = False
    for words, other in tries(asked, job):
        try:
            right, wrong = asked.compute(other, None, steps), asked.compute(other, mistake, steps)
        except Error:
            continue
        could_be_made = could_be_made or wrong is not None
        if wrong is not None and any(difference(right[each], wrong.get(each)) > SHOWN * size_of(right[each]) for each in right):
            return words
    return "" if could_be_made else "none of the arguments that were tried"


def size_of(array):
    finite = array[np.isfinite(array)]
    return float(np.abs(finite).max()) if finite.size else 1.0
