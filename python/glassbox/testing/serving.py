"""The command's numbers in the place of a function's, right or with a mistake."""
import numpy as np

from ..arrays import framework_of, is_array
from . import parameters
from .calls import Shaped, job_of, like, weights_of


class Server:
    """around() goes into a Watcher. `mistakes` has that of a mapped function, by its name; `jobs` what was asked."""

    def __init__(self, asked):
        self.asked, self.mistakes, self.jobs, self.max_jobs = asked, {}, {}, None

    def around(self, call):
        return {"function": self.function, "gradients": self.gradients, "optimiser": self.optimiser}[call.mapped.kind](call)

    def compute(self, job, steps=()):
        name = job.mapped.name
        kept = self.jobs.setdefault(name, {})
        kept.setdefault(job.key(), job)
        mistake = self.mistakes.get(name)
        arrays = self.asked.compute(job, mistake, steps)
        if arrays is None:  # this call has no place for it: a mask's mistake where there is no mask
            arrays = self.asked.compute(job, None, steps)
        return arrays

    def function(self, call):
        job = job_of(call.mapped, call.scope)
        job.take_weights(weights_of(call.mapped, call.scope))
        arrays = self.compute(job, tuple(each for each in job.mapped.results if "." not in each))
        return returned(call, arrays)

    def gradients(self, call):
        those = parameters.listed(call)
        job = parameters.clip_job(call.mapped, call.scope, those)
        if job.inputs["gradient"].size:
            step = next(iter(call.mapped.results))
            parameters.write_gradients(those, self.compute(job, (step,))[step])

    def optimiser(self, call):
        return parameters.served(call.mapped, self.compute)


def returned(call, arrays):
    """As the mapping says: one array, or several in a tuple. Those that the function keeps elsewhere are put there."""
    parts = {}
    for step, entry in call.mapped.results.items():
        if step not in arrays:
            continue
        shaped = Shaped(entry)
        path = shaped.entry["of"].rstrip("?")
        made = like(shaped.give_back(arrays[step], shape_of(shaped, call, arrays[step]), call.scope), example(call.scope))
        if path == "return":
            parts[0] = made
        elif path.startswith("return."):
            parts[int(path.split(".")[1])] = made
        elif path.startswith("self."):
            setattr(call.scope["self"], path.split(".")[1], made)
    if list(parts) == [0] and not any(Shaped(each).entry["of"].startswith("return.") for each in call.mapped.results.values()):
        return parts[0]
    return tuple(parts[each] for each in sorted(parts))


def shape_of(shaped, call, array):
    """The function's own shape, of which the command's array is another layout."""
    if shaped.form == "rows":
        first = Shaped(next(each for each in call.mapped.inputs.values() if Shaped(each).form == "rows"))
        return np.shape(call.scope[first.entry["of"].split(".")[0]])
    return () if shaped.form == "vector" else array.shape


def example(scope):
    """An argument whose framework, dtype and device the result has."""
    arrays = [each for each in scope.values() if is_array(each) or hasattr(each, "to_numpy")]
    real = [each for each in arrays if "float" in str(getattr(each, "dtype", "float"))]
    return next((each for each in real if framework_of(each) in ("torch", "jax")), (real or arrays or [None])[0])
