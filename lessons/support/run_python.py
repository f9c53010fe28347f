"""Calls a student's exercise.py on every case of a lesson, and lets the lesson's check judge what it gave.

    run_python.py CHECK FOLDER EXERCISE NAME    NAME is what messages call the exercise

FOLDER/lesson.py says how the exercise's functions are called: call(exercise, golden, steps), where golden has the
case's inputs by name, and steps a place for each step. Where a step's path is no good name, names = {path: name}.
Exit codes: those of check; 1 also where the exercise cannot be read, and 96 where it is this program that failed.
"""
import functools
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings

import numpy as np

from own_traceback import own_lines, where
from prints import Prints, printed_in
from steps import NoValue, Steps

SECONDS = int(os.environ.get("GLASSBOX_LESSON_SECONDS") or 10)  # for each case, as the exercises in C++ have them
PATIENCE = 2  # after these it is said that it takes long


class Given(dict):
    """The inputs of a case; a step is none of them."""

    def __missing__(self, name):
        raise KeyError(f"{name} is no input of this lesson; the inputs are {', '.join(self)}")


class Exercise:
    """The functions of exercise.py."""

    def __init__(self, file):
        self._module = module_of("exercise", file)
        self.returning = None  # the first function that returned something

    def __getattr__(self, name):
        function = getattr(self._module, name, None)
        if function is None:
            raise AttributeError(f"there is no function {name}, which lesson.py calls")

        @functools.wraps(function)
        def watched(*arguments):
            result = function(*arguments)
            if result is not None and not isinstance(result, Steps):
                self.returning = self.returning or name
            return result

        return watched


def module_of(name, file):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


TOO_LONG = f"it did not finish within {SECONDS} seconds: does every loop end?"


class Clock:
    """Ends what takes too long, and says before that it takes long."""

    def __init__(self, what):
        self._what, self._is_patient = what, SECONDS > PATIENCE

    def __enter__(self):
        signal.signal(signal.SIGALRM, self._rings)
        signal.alarm(PATIENCE if self._is_patient else SECONDS)

    def __exit__(self, *_):
        signal.alarm(0)

    def _rings(self, *_):
        if not self._is_patient:
            # "except:" in a loop goes on after this: the next one ends the process.
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(PATIENCE)
            raise TimeoutError(TOO_LONG)
        self._is_patient = False
        text = f"lesson: {self._what} is not done yet: waiting for it, {SECONDS} seconds at most"
        print(text, file=sys.__stderr__, flush=True)
        signal.alarm(SECONDS - PATIENCE)


ABOUT_SIZES = re.compile(r"shape|size|broadcast|dimension|align|axis|axes|inhomogeneous|unpack")


def kind_of(error):
    """Which hint there is for it: the words of guard.cpp."""
    if isinstance(error, TimeoutError):
        return "endless"
    is_about_sizes = isinstance(error, ValueError) and ABOUT_SIZES.search(str(error))
    return "place" if isinstance(error, IndexError) or is_about_sizes else "other"


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
        self.told, self.endless, self.is_empty = False, "", False

    def every_case(self, exercise, prints):
        for case in self.cases:
            if self.endless:  # each case takes as long as the first one: nobody waits for more than that
                self.stopped += [case, "other", f"not called: case '{self.endless}' did not finish"]
                continue
            steps, error = Steps(self.names.values()), None
            with prints.during(f"case '{case}'"):
                try:
                    with Clock(f"case '{case}'"):
                        self.lesson.call(exercise, self.given(case), steps)
                except (Exception, SystemExit, KeyboardInterrupt) as stopped:
                    error = stopped
            if error is not None:
                self.stop(case, error)
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
            self.stopped += [case, kind_of(error), where(error, self.file)]
        if isinstance(error, TimeoutError):
            self.endless = case

    def collect(self, case, steps):
        found = steps.collected()
        for path, name in self.names.items():
            if name not in found:
                self.is_empty = True
                continue
            value, expected = found[name], self.golden[f"{case}/{path}"]
            if value.size == expected.size == 1:  # a number is an array of one
                value = value.reshape(expected.shape)
            self.arrays[f"{case}/{path}"] = np.ma.filled(value.astype(float), np.nan)  # masked in place
        names = list(found)
        for i, first in enumerate(names):
            self.shared.update({(first, second): None for second in names[i + 1 :] if found[first] is found[second]})

    def notes(self, exercise):
        """What explains wrong numbers that the check cannot explain."""
        if exercise.returning and self.is_empty:
            step = "steps." + next(iter(self.names.values())).replace("/", ".")
            yield f"what {exercise.returning} returns is not used: assign each step, {step} = …"
        for pair in self.shared:
            first, second = ("steps." + name.replace("/", ".") for name in pair)
            yield f"{first} and {second} are one array: what changes one in place changes both. A copy is {first}.copy()."


def collect(folder, file, shown, scratch):
    """What the exercise gives, into scratch: steps.npz, where it could be read, and said.json, which is written last."""
    run, prints, exercise, problem = Run(folder, file, shown), Prints(scratch), None, None
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default")
        with prints.during("its own lines, outside of the functions"):
            try:
                with Clock(shown):
                    exercise = Exercise(file)
            except (Exception, SystemExit, KeyboardInterrupt) as error:
                problem = error
        if problem is not None:
            print(f"{own_lines(problem, file, shown)}\n{shown} cannot be read yet: see the error above.")
            return say(scratch, read=False)
        run.every_case(exercise, prints)
    for text in dict.fromkeys(f"{shown}, line {each.lineno}: {each.message}" for each in warned if each.filename == file):
        print(text + "\n")
    np.savez(os.path.join(scratch, "steps.npz"), **run.arrays)
    say(scratch, read=True, stopped=run.stopped, notes=list(run.notes(exercise)))


def say(scratch, **what):
    with open(os.path.join(scratch, "said.json"), "w", encoding="utf-8") as said:
        json.dump(what, said)


OWN_FAULT = 96  # exit code, where this program is wrong and not the exercise


def in_own_process(work, file):
    """How the process of work() ended: a student's file may end the process that reads it."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 0
        try:
            work()
        except Exception as error:
            files = [os.path.abspath(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
            is_own = os.path.abspath(file) not in files
            code = OWN_FAULT if is_own else 0
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    return os.waitpid(child, 0)[1]


def main(check, folder, file, shown):
    sys.path[:0] = [folder]
    with tempfile.TemporaryDirectory() as scratch:
        status = in_own_process(lambda: collect(folder, file, shown, scratch), file)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == OWN_FAULT:
            return OWN_FAULT
        for file_of_prints, *during in printed_in(scratch):
            subprocess.call([check, folder, "printed", file_of_prints, shown, *during])
        try:
            with open(os.path.join(scratch, "said.json"), encoding="utf-8") as text:
                said = json.load(text)
        except FileNotFoundError:
            ended = f"crashed (signal {os.WTERMSIG(status)})" if os.WIFSIGNALED(status) else "ended the program"
            is_endless = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
            print(f"{shown}: {TOO_LONG}" if is_endless else f"{shown} {ended} while it was checked.")
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
