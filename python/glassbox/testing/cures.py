"""What would show a mistake that a course's tests let through: other arguments, tried one after the other."""
import numpy as np

from ..errors import Error
from ..options import as_words
from ..probing import probe_of
from .calls import Job

ROUNDING = 4e-6  # of the largest right number: below that, the engine's own float32 differs as well
SHOWN = 1e-3


def changed(job, change):
    """The same call with its real numbers changed. Whole numbers, such as labels, stay."""
    inputs = {name: change(array, place).astype(array.dtype) if array.dtype.kind == "f" else array
              for place, (name, array) in enumerate(sorted(job.inputs.items()))}
    return Job(job.mapped, job.options, inputs, job.weights, job.mask)


def signs(array):
    """1 and −1 by turns."""
    return np.where(np.arange(array.size) % 2, -1.0, 1.0).reshape(array.shape)


def normal(array, place):
    return np.random.default_rng(place).standard_normal(array.shape)


CHANGES = (
    ("arguments of both signs", lambda array, _: array * signs(array)),
    ("normally distributed arguments of these shapes", normal),
    ("arguments 100 times as large", lambda array, _: array * 100),
    ("arguments 10 000 times smaller", lambda array, _: array / 10000),
)


class Probe:
    """The input that `tracer probe` makes for a layer, with the options that go with it."""

    def __init__(self, case):
        self.case, self.layer = case, case.layer

    def words(self, folder):
        return self.case.place(folder)

    def key(self):
        arrays = {**self.case.inputs, **self.case.weights}
        return (self.layer, tuple(self.case.words), tuple((k, v.tobytes()) for k, v in sorted(arrays.items())))

    def name(self):
        return " ".join([f"the input of tracer probe {self.layer}", *(["with", *self.case.words] if self.case.words else [])])


def tries(asked, job):
    """Other inputs, each with its words."""
    for words, change in CHANGES:
        if job.mapped.kind != "optimiser" and "identity" not in str(job.mapped.inputs):
            yield words, changed(job, change)
    for options in ([job.options, {}] if job.options else [{}]):
        try:
            made = Probe(probe_of(job.layer, as_words(options)))
        except Error:
            continue
        yield made.name(), made


def cure_of(asked, job, mistake, steps, difference):
    """The words of the first input that shows it; "" where those that were tried can have it and none shows it."""
    could_be_made = False
    for words, other in tries(asked, job):
        try:
            right, wrong = asked.compute(other, None, steps), asked.compute(other, mistake, steps)
        except Error:
            continue
        could_be_made = could_be_made or (wrong is not None and isinstance(other, Probe))
        if wrong is not None and any(difference(right[each], wrong.get(each)) > SHOWN * size_of(right[each]) for each in right):
            return words
    return "" if could_be_made else "none of the arguments that were tried"


def size_of(array):
    finite = array[np.isfinite(array)]
    return float(np.abs(finite).max()) if finite.size else 1.0
