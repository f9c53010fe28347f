"""Counts the cases of an attack. Each has its own random numbers and folder; folders of failures are kept."""

import os
import random
import shlex
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

from shared import Result, run, words

KEPT = 200  # folders of failures per attack


class Case:
    """One case of an attack, with its own random numbers and folder, which is kept on failure."""

    def __init__(self, attack, name, folder):
        self.attack, self.name, self.folder = attack, name, folder
        self.random = random.Random(f"{attack.seed} {attack.name} {name}")
        self.failures = 0
        folder.mkdir(parents=True)

    def tracer(self, *arguments, cwd=None, **how):
        return run([self.attack.tracer, *arguments], cwd=cwd or self.folder, **how)

    def fail(self, why, command, cwd=None):
        """`command` is a Result, a list of words, or text for a shell."""
        if isinstance(command, Result):
            command = command.command
        if not isinstance(command, str):
            command = words(command)
        self.failures += 1
        if self.failures > 3:
            return
        print(f"  FAILED {self.attack.name} {self.name}: {why}\n"
              f"         cd {shlex.quote(str(cwd or self.folder))} && {command}", flush=True)

    def expect(self, holds, why, command, cwd=None):
        if not holds:
            self.fail(why, command, cwd)
        return holds


class Attack:
    def __init__(self, name, tracer, seed, full, every, scratch):
        self.name, self.tracer, self.seed, self.full, self.every = name, tracer, seed, full, every
        self.scratch = scratch
        self.passed = self.failed = 0
        self.counting = threading.Lock()

    def scale(self, quick, full):
        return full if self.full else quick

    def cases(self, names):
        """A case for each name, or for each number below `names`."""
        for name in range(names) if isinstance(names, int) else names:
            yield from self.case(name)

    def case(self, name):
        folder = self.scratch / self.name / "".join(c if c.isalnum() else "-" for c in str(name))
        case = Case(self, name, folder)
        yield case
        if case.failures > 3:
            print(f"  and {case.failures - 3} more in {self.name} {name}")
        with self.counting:
            self.failed += case.failures > 0
            self.passed += case.failures == 0
        if case.failures == 0 or self.failed > KEPT:
            shutil.rmtree(folder, ignore_errors=True)

    def on_all_cores(self, names, do):
        """do(case) for a case of each name; on the small scale one after the other, as ctest runs others beside it."""

        def one(name):
            for case in self.case(name):
                do(case)

        with ThreadPoolExecutor(os.cpu_count() if self.full else 1) as pool:
            list(pool.map(one, names))
