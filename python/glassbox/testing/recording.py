"""Keeps the calls of mapped functions that a test makes, with their arguments as they were before the call."""
from . import parameters
from .asking import catalogue
from .calls import job_of, read_results
from .verdicts import verdict_of

MAX_CALLS = 64  # of one test: the first half of them, and the last ones, in which a test that tries inputs ends
MAX_BYTES = 64 << 20
LARGEST = 8 << 20  # bytes of one call, of which the command puts every mistake into a pass


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
        return {"function": self.function, "gradients": self.gradients, "optimiser": self.optimiser}[call.mapped.kind](call)

    def keep(self, name, kept):
        if kept.size() > LARGEST:
            self.not_judged.append((name, f"its arrays have {kept.size()} bytes, at most {LARGEST} are looked at"))
            return
        self.calls.append((name, kept))
        self.bytes += kept.size()
        if len(self.calls) > MAX_CALLS or self.bytes > MAX_BYTES:
            dropped = self.calls.pop(len(self.calls) // 2)
            self.bytes -= dropped[1].size()

    def attempt(self, call, read):
        """Reads from a call; a test never fails because it could not be read."""
        try:
            return read()
        except Exception as problem:  # noqa: BLE001: arguments of any kind, of any framework
            self.not_judged.append((call.mapped.name, str(problem) or type(problem).__name__))
            return None

    def function(self, call):
        job = self.attempt(call, lambda: job_of(call.mapped, call.scope))
        result = call()
        if job is not None:
            self.attempt(call, lambda: self.with_results(call, job, result))
        return result

    def with_results(self, call, job, result):
        read_results(job, {**call.scope, "return": result})
        self.keep(call.mapped.name, One(job))

    def gradients(self, call):
        those = self.attempt(call, lambda: parameters.listed(call))
        jobs = those and self.attempt(call, lambda: [parameters.clip_job(call.mapped, call.scope, those, each)
                                                     for each in (False, True)])
        result = call()
        if jobs and jobs[0].inputs["gradient"].size:
            step = next(iter(call.mapped.results))
            for job, padded in zip(jobs, (False, True)):
                job.results = {step: parameters.gradients_of(those, padded)}
            self.keep(call.mapped.name, One(*jobs))
        return result

    def optimiser(self, call):
        cls = call()
        watched = self.attempt(call, lambda: parameters.watched(
            call.mapped, cls, lambda updates: self.keep(call.mapped.name, Several(updates))))
        return watched or cls
