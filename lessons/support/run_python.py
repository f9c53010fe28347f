"""Calls a student's exercise.py on every case of a lesson, and lets the lesson's check judge what it gave.

    run_python.py CHECK FOLDER EXERCISE NAME    NAME is what messages call the exercise

FOLDER/lesson.py says how the exercise's functions are called: call(exercise, golden, steps), where golden has the
case's inputs by name, and steps a place for each step. Where a step's path is no good name, names = {path: name}.
Exit codes: those of check; 1 also where the exercise cannot be read.
"""
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import warnings

import numpy as np

from own_traceback import own_lines, where
from steps import NoValue, Steps

SECONDS = 20  # for each case, as the exercises in C++ have them


class Given(dict):
    """The inputs of a case; a step is none of them."""

    def __missing__(self, name):
        raise KeyError(f"{name} is no input of this lesson; the inputs are {', '.join(self)}")


class Exercise:
    """The functions of exercise.py."""

    def __init__(self, file):
        self._module = module_of("exercise", file)

    def __getattr__(self, name):
        function = getattr(self._module, name, None)
        if function is None:
            raise AttributeError(f"there is no function {name}, which lesson.py calls")
        return function


def module_of(name, file):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def too_long(*_):
    raise TimeoutError(f"it did not finish within {SECONDS} seconds: does every loop end?")


class Run:
    def __init__(self, folder, file, shown):
        self.file, self.shown = file, shown
        with open(os.path.join(folder, "lesson.json"), encoding="utf-8") as text:
            description = json.load(text)
        self.paths, self.cases = description["steps"], [case["name"] for case in description["cases"]]
        with np.load(os.path.join(folder, "golden.npz")) as golden:
            self.golden = {name: golden[name] for name in golden.files}
        self.lesson = module_of("lesson", os.path.join(folder, "lesson.py"))
        self.names = {path: getattr(self.lesson, "names", {}).get(path, path) for path in self.paths}
        self.arrays, self.stopped, self.shared = {}, [], {}
        self.told = False

    def every_case(self, exercise):
        for case in self.cases:
            steps = Steps(self.names.values())
            try:
                signal.alarm(SECONDS)
                self.lesson.call(exercise, self.given(case), steps)
            except (Exception, SystemExit, KeyboardInterrupt) as error:
                self.stop(case, error)
            finally:
                signal.alarm(0)
            self.collect(case, steps)

    def given(self, case):
        """In double precision, so that rounding does not matter; copies, which an exercise may spoil."""
        inputs = [name for name in self.golden if name.startswith(case + "/") and name[len(case) + 1 :] not in self.paths]
        return Given({name[len(case) + 1 :]: self.golden[name].astype(float) for name in inputs})

    def stop(self, case, error):
        if not self.told:
            print(f"{own_lines(error, self.file, self.shown)}\n(This was case '{case}'.)\n")
        self.told = True
        # A step without a value is missing itself, and this is what there is to be said.
        if not isinstance(error, NoValue):
            self.stopped += [case, where(error, self.file)]

    def collect(self, case, steps):
        found = steps.collected()
        for path, name in self.names.items():
            if name not in found:
                continue
            value, expected = found[name], self.golden[f"{case}/{path}"]
            if value.size == expected.size == 1:  # a number is an array of one
                value = value.reshape(expected.shape)
            self.arrays[f"{case}/{path}"] = value.astype(float)
        names = list(found)
        for i, first in enumerate(names):
            self.shared.update({(first, second): None for second in names[i + 1 :] if found[first] is found[second]})

    def notes(self):
        """What explains wrong numbers that the check cannot explain."""
        for pair in self.shared:
            first, second = ("steps." + name.replace("/", ".") for name in pair)
            yield f"{first} and {second} are one array: what changes one in place changes both. A copy is {first}.copy()."


def collect(folder, file, shown, scratch):
    """What the exercise gives, into scratch: steps.npz, where it could be read, and said.json, which is written last."""
    signal.signal(signal.SIGALRM, too_long)
    run = Run(folder, file, shown)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default")
        try:
            signal.alarm(SECONDS)
            exercise = Exercise(file)
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            print(f"{own_lines(error, file, shown)}\n{shown} cannot be read yet: see the error above.")
            return say(scratch, read=False)
        finally:
            signal.alarm(0)
        run.every_case(exercise)
    for text in dict.fromkeys(f"{shown}, line {each.lineno}: {each.message}" for each in warned if each.filename == file):
        print(text + "\n")
    np.savez(os.path.join(scratch, "steps.npz"), **run.arrays)
    say(scratch, read=True, stopped=run.stopped, notes=list(run.notes()))


def say(scratch, **what):
    with open(os.path.join(scratch, "said.json"), "w", encoding="utf-8") as said:
        json.dump(what, said)


def in_own_process(work):
    """How the process of work() ended: a student's file may end the process that reads it."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            sys.stdout.flush()
            os._exit(0)
    return os.waitpid(child, 0)[1]


def main(check, folder, file, shown):
    sys.path[:0] = [folder]
    with tempfile.TemporaryDirectory() as scratch:
        status = in_own_process(lambda: collect(folder, file, shown, scratch))
        try:
            with open(os.path.join(scratch, "said.json"), encoding="utf-8") as text:
                said = json.load(text)
        except FileNotFoundError:
            ended = f"crashed (signal {os.WTERMSIG(status)})" if os.WIFSIGNALED(status) else "ended the program"
            print(f"{shown} {ended} while it was checked.")
            return 1
        if not said["read"]:
            return 1
        sys.stdout.flush()
        result = subprocess.call([check, folder, "python", os.path.join(scratch, "steps.npz"), shown, *said["stopped"]])
    if result == 1:
        print("".join(f"\nNote: {note}\n" for note in said["notes"]), end="")
    return result


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
