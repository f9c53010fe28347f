"""Keeps the calls of mapped functions that a test makes, with their arguments as they were before the call."""
from ..errors import Error
from . import parameters
from .asking import catalogue
from .calls import NotAsked, job_of, read_results
from .mapping import Missing
from .verdicts import verdict_of

MOST_CALLS = 64  # of one test
MOST_BYTES = 64 << 20


class One:
    """A call that is a job of its own, or that can be asked about in another way as well."""

    def __init__(self, job, other=None):
        self.job, self.other = job, other

    def verdicts(self, asked, name):
        verdict = verdict_of(asked, self.job, name)
        if not verdict.right and not verdict.mistakes and self.other:
            other = verdict_of(asked, self.other, name)
            verdict = other if other.mistakes else verdict
        yield verdict

    def size(self):
        return self.job.size()


class Several:
    """The first updates of a parameter. What one of them cannot tell apart the next ones do."""

    def __init__(self, updates):
        self.updates = updates

    def verdicts(self, asked, name):
        for job in self.updates.jobs(asked):
            verdict = verdict_of(asked, job, name)
            if verdict.right:
                yield verdict
                continue
            yield self.of_all(asked, verdict)
            return  # the next updates have its averages

    def of_all(self, asked, verdict):
        """One update alone may look like another mistake; that which gives all of them is named."""
        first = verdict.mistakes[:1]
        names = [each for each, entry in catalogue().items() if entry["layer"] == verdict.layer and each not in first]
        giving_all = (each for each in first + names if self.updates.all_come_from(asked, each))
        return next((verdict.of([each]) for each in giving_all), verdict)

    def size(self):
        return self.updates.size()


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
        job, padded = (parameters.clip_job(call.mapped, call.scope, those, each) for each in (False, True))
        result = call()
        if job.inputs["gradient"].size:
            step = next(iter(call.mapped.results))
            job.results, padded.results = ({step: parameters.gradients_of(those, each)} for each in (False, True))
            self.keep(call.mapped.name, One(job, padded))
        return result

    def optimiser(self, call):
        cls = call()
        return parameters.watched(call.mapped, cls, lambda updates: self.keep(call.mapped.name, Several(updates)))
