"""Which of the catalogue's mistakes do a course's tests let through? The tests run once with the command's right numbers
in the place of every known function, then once for each mistake, until one fails."""
import fnmatch
import json
import re
import time

import numpy as np
from _pytest.runner import runtestprotocol

from .asking import catalogue
from .cures import ROUNDING, cure_of, size_of


MAX_COMPARED = 64  # calls whose numbers are set beside the right ones
HELPERS = ("linear", "layer_norm", "residual", "relu", "gelu", "mask", "moments")


CLOSE = re.compile(r"tolerance|allclose|approx|almost|decimal", re.IGNORECASE)
DIFFERENCE = re.compile(r"^.*(?:(?:absolute|relative) difference|difference: |greatest).*$", re.MULTILINE | re.IGNORECASE)


def reason_of(report):
    """Why a test fails, in a line or some: what it says itself, and where that is about a tolerance, how exact the
    command's numbers are."""
    crash = getattr(report.longrepr, "reprcrash", None)
    message = crash.message if crash else str(report.longrepr).strip().rpartition("\n")[2]
    first = next((line.strip() for line in message.splitlines() if line.strip().rstrip(":") != "AssertionError"), "")
    lines = [first, *(each.strip() for each in DIFFERENCE.findall(message) if each.strip() != first)]
    if CLOSE.search(message):
        lines.append("the right numbers are float32, exact to some 1e-6 of the largest: compare with rtol=1e-5, atol=1e-6")
    return "\n".join(line for line in lines if line)


class Survivor:
    """A mistake with which all tests pass."""

    def __init__(self, name, seen, cure):
        self.name, self.seen, self.cure = name, seen, cure
        entry = catalogue()[name]
        self.formula, self.sentence = entry["formula"], entry["sentence"]

    def why(self):
        if self.seen:
            return f"the tolerance hides it: numbers differ by up to {self.seen:.1g}"
        return "the arguments hide it: no number differs by more than rounding"

    def as_json(self):
        return {"name": self.name, "formula": self.formula, "sentence": self.sentence, "why": self.why(), "cure": self.cure}


class Audited:
    """A function."""

    def __init__(self, name, tests):
        self.name, self.tests = name, tests
        self.tried, self.killed, self.survivors = 0, {}, []
        self.legal = []  # another way to the same numbers, whatever the arguments
        self.left_out = ""

    def as_json(self):
        return {"function": self.name, "tests": [each.nodeid for each in self.tests], "tried": self.tried,
                "killed": self.killed, "survivors": [each.as_json() for each in self.survivors], "legal": self.legal,
                "left_out": self.left_out}


class Audit:
    def __init__(self, server, asked, max_calls):
        self.server, self.asked, self.max_calls = server, asked, max_calls
        self.functions, self.failing, self.seconds, self.runs = [], [], 0.0, 0
        self.reasons = {}  # of the failing tests

    def run(self, items):
        begin = time.monotonic()
        for function, tests in self.baseline(items).items():
            audited = Audited(function, tests)
            self.functions.append(audited)
            self.audit(audited)
        if items:
            items[0].session._setupstate.teardown_exact(None)
        self.seconds = time.monotonic() - begin

    def baseline(self, items):
        """Of every function the tests that call it and pass with the right numbers."""
        callers = {}
        for item in items:
            before, self.server.jobs = self.server.jobs, {}
            passed, called = self.passes(item), list(self.server.jobs)
            merged = before
            for name, jobs in self.server.jobs.items():
                merged.setdefault(name, {}).update(jobs)
            self.server.jobs = merged
            for name in called:
                callers.setdefault(name, [])
                if passed:
                    callers[name].append(item)
            if called and not passed:
                self.failing.append(item.nodeid)
                self.reasons[item.nodeid] = self.reason
        return callers

    def passes(self, item):
        """Run as pytest runs it, any number of times: what is set up for the module or the session stays."""
        self.runs += 1
        item.session._setupstate.teardown_exact(item.parent)  # another module's
        reports = runtestprotocol(item, log=False, nextitem=item.parent)
        failed = [each for each in reports if each.when in ("setup", "call") and not each.passed]
        self.reason = reason_of(failed[0]) if failed else ""
        return not failed

    def audit(self, audited):
        jobs = list(self.server.jobs[audited.name].values())
        if not audited.tests:
            audited.left_out = "none of its tests passes with the correct numbers"
        elif len(jobs) > self.max_calls:
            audited.left_out = f"the tests call it with {len(jobs)} different arguments, and --glassbox-audit-calls is " \
                               f"{self.max_calls}"
        if audited.left_out:
            return
        for name, places in self.candidates(jobs):
            self.try_one(audited, places, name)
        self.server.mistakes = {}

    def steps_computed(self, job):
        return {each.rpartition("/")[2] for each in self.asked.compute(job)}

    def candidates(self, jobs):
        """The mistakes of the steps that the calls compute, and of the helpers that work in any step, where there are such:
        of each the calls in which it may be made."""
        by_step = {}
        for job in jobs[:MAX_COMPARED]:
            for step in self.steps_computed(job) if not job.mapped.steps else job.mapped.steps:
                by_step.setdefault(step, []).append(job)
        for name in catalogue():
            if any(fnmatch.fnmatch(name, each) for each in jobs[0].mapped.never):
                continue
            step = name.partition("/")[0]
            if step in by_step:
                yield name, by_step[step]
            elif step in HELPERS and not jobs[0].mapped.steps and self.asked.compute(jobs[0], name, steps_of(jobs[0])):
                yield name, jobs[:MAX_COMPARED]

    def try_one(self, audited, jobs, name):
        deviation = self.deviation(jobs, name)
        if deviation is None:
            return
        audited.tried += 1
        self.server.mistakes = {audited.name: name}
        for item in audited.tests:
            if not self.passes(item):
                audited.killed[name] = item.nodeid
                return
        self.survived(audited, jobs, name, deviation)

    def survived(self, audited, jobs, name, deviation):
        if catalogue()[name]["legal"]:
            audited.legal.append(name)
            return
        if deviation > ROUNDING * max(size_of(each) for job in jobs for each in self.right(job).values()):
            audited.survivors.append(Survivor(name, deviation, f"a tolerance below {deviation:.1g}"))
            return
        cure = cure_of(self.asked, jobs[-1], name, steps_of(jobs[0]), difference)
        if cure:
            audited.survivors.append(Survivor(name, 0.0, cure))
        else:
            audited.legal.append(name)

    def right(self, job):
        return self.asked.compute(job, None, steps_of(job))

    def deviation(self, jobs, name):
        """The largest difference from the right numbers, over the calls; None where it cannot be made in any of them."""
        largest = None
        for job in jobs:
            wrong = self.asked.compute(job, name, steps_of(job))
            if wrong is not None:
                right = self.right(job)
                largest = max([largest or 0.0, *[difference(right[each], wrong.get(each)) for each in right]])
        return largest

    def baseline_fails(self):
        return bool(self.failing)

    def lines(self):
        for test in self.failing:
            yield f"{test}: fails with the correct numbers, and is left out"
            yield from (f"   {line}" for line in self.reasons[test].splitlines())
        for each in self.functions:
            if each.left_out:
                yield f"{each.name}: left out: {each.left_out}"
                continue
            yield f"{each.name}: {each.tried} mistakes, {len(each.killed)} found by the tests, {len(each.survivors)} not"
            for survivor in each.survivors:
                yield f"   {survivor.name}: {survivor.formula}"
                yield f"      {survivor.sentence}"
                yield f"      {survivor.why()}; shown by {survivor.cure}"
            if each.legal:
                yield f"   indistinguishable from right with these numbers: {', '.join(each.legal)}"
        yield f"{self.runs} tests run, {self.asked.processes} questions to the command, {self.seconds:.1f} s"

    def as_json(self, remarks=()):
        return json.dumps({"schema": 1, "command": "pytest audit", "mapping": list(remarks), "failing": self.failing,
                           "functions": [each.as_json() for each in self.functions], "seconds": round(self.seconds, 2)},
                          indent=1, ensure_ascii=False) + "\n"


def steps_of(job):
    """What goes back to the caller, or into the next update."""
    if job.mapped.kind == "optimiser":
        return ("m", "v", "w")
    return tuple(job.mapped.results)


def difference(right, wrong):
    """Infinite where the shapes or the kinds of numbers differ."""
    if wrong is None or right.shape != wrong.shape:
        return float("inf")
    with np.errstate(invalid="ignore"):
        apart = np.abs(right.astype(np.float64) - wrong.astype(np.float64))
    apart = apart[~((right == wrong) | (np.isnan(right) & np.isnan(wrong)))]
    if np.isnan(apart).any():
        return float("inf")
    return float(apart.max()) if apart.size else 0.0
