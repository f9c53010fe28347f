"""Keeps the calls of mapped functions that a test makes, with their arguments as they were before the call."""
from ..errors import Error
from . import parameters
from .calls import NotAsked, job_of, read_results
from .mapping import Missing

MOST_CALLS = 64  # of one test
MOST_BYTES = 64 << 20


class One:
    """A call that is a job of its own."""

    def __init__(self, job):
        self.job = job

    def jobs(self, _):
        yield self.job

    def size(self):
        return self.job.size()


class Recorder:
    """around() goes into a Watcher. It records while a test runs; `not_judged` has the calls that it cannot, and why."""

    def __init__(self):
        self.calls, self.not_judged, self.running, self.bytes = [], [], False, 0

    def begin(self):
        self.calls, self.not_judged, self.running, self.bytes = [], [], True, 0

    def end(self):
        self.running = False

    def around(self, call):
        if not self.running:
            return call()
        if len(self.calls) >= MOST_CALLS or self.bytes > MOST_BYTES:
            self.not_judged.append((call.mapped.name, "more calls than are kept of a test"))
            return call()
        return {"function": self.function, "gradients": self.gradients, "optimiser": self.optimiser}[call.mapped.kind](call)

    def keep(self, name, kept):
        self.calls.append((name, kept))
        self.bytes += kept.size()

    def function(self, call):
        try:
            job = job_of(call.mapped, call.scope)
        except (NotAsked, Missing, Error, ValueError, IndexError) as problem:
            self.not_judged.append((call.mapped.name, str(problem)))
            return call()
        result = call()
        try:
            read_results(job, {**call.scope, "return": result})
        except (NotAsked, Missing, Error, ValueError, IndexError) as problem:
            self.not_judged.append((call.mapped.name, str(problem)))
            return result
        self.keep(call.mapped.name, One(job))
        return result

    def gradients(self, call):
        those = parameters.listed(call)
        job = parameters.clip_job(call.mapped, call.scope, those)
        result = call()
        if job.inputs["gradient"].size:
            job.results = {next(iter(call.mapped.results)): parameters.gradients_of(those)}
            self.keep(call.mapped.name, One(job))
        return result

    def optimiser(self, call):
        cls = call()
        return parameters.watched(call.mapped, cls, lambda updates: self.keep(call.mapped.name, updates))
