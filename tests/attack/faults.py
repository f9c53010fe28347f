"""Calls made to fail, one after the other: memory, files, processes, threads. A command either does all it was asked
for, byte for byte, or ends with an exit code and one message that names what failed, and nothing is half written.

faults.cpp makes them fail: it is preloaded into the command."""

import errno
import json
import os
import random
import shutil
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import kills
from shared import Result, words
from trained import in_the_middle, numbers, small

# Of the calls for memory the first EVERY each, and of those after them SEEDED; where a command begins and ends as another
# does, fewer.
EVERY, SEEDED = 2000, 500
FEWER_EVERY, FEWER_SEEDED = 100, 300
ON = 10  # every so many calls for memory, those after it fail, too
QUICK_MEMORY, QUICK_OTHERS = 8, 2  # of each, in a sample
SHARE = 4  # with --full one in so many, drawn with the seed; with --every all
SECONDS = 60  # that a command may take

# What each call can fail with. After an interruption or a part, the rest is to be asked for: nothing is lost by it.
ERRORS = {
    "memory": ["ENOMEM"], "open": ["EMFILE", "EIO", "EACCES"], "read": ["EIO"], "write": ["ENOSPC", "EIO"], "close": ["EIO"],
    "sync": ["EIO", "ENOSPC"], "rename": ["EIO"], "link": ["EIO"], "unlink": ["EIO"], "truncate": ["EIO"],
    "stat": ["EIO"], "chmod": ["EIO"], "mkdir": ["ENOSPC"], "list": ["EIO"], "mmap": ["ENOMEM"], "lock": ["EIO"],
    "process": ["EMFILE"], "thread": ["EAGAIN"],
}
HARMLESS = {"read": ["EINTR", "short"], "write": ["EINTR", "short"], "wait": ["EINTR"]}
# That these failed must never be hidden by an exit code of 0.
TOLD = {"write", "sync", "rename"}
NOTHING = b"\0"


@dataclass
class Scenario:
    """A command, and the files that it needs."""
    name: str
    command: list
    inputs: dict = field(default_factory=dict)  # a file's name and the command that makes it, or its text
    run: tuple = ()  # a training run's settings: its folder is `run`
    is_resumed: bool = False
    is_full: bool = True
    told: tuple = ()  # errors that are no fault to it, but a part of its answer


def scenarios():
    probe = {"probe.npz": "probe attention -o probe.npz".split()}
    mine = "attention --input probe.npz --mistake attention/over-queries -o mine.npz".split()
    submission = {**probe, "mine.npz": mine}
    run = small("reverse") + ["--log-every", "1"]
    return [
        Scenario("attention", ["attention"]),
        Scenario("explain", ["attention", "--explain", "values[0,1]"], is_full=False),
        Scenario("transformer", ["transformer", "--grad", "--text", "je suis étudiant", "--target", "i am"]),
        *(Scenario(f"{ending}", ["multihead", "--grad", "-o", f"out.{ending}"],
                   {f"out.{ending}": ["multihead", "--seed", "7", "-o", f"out.{ending}"]}, is_full=ending == "html")
          for ending in ("html", "npz", "xlsx", "json")),
        *(Scenario(f"map-{ending}", ["multihead", "--map", f"map.{ending}"], is_full=False)
          for ending in ("png", "svg")),
        Scenario("weights", ["encoder", "--save-weights", "w.safetensors"],
                 {"w.safetensors": "encoder --seed 7 --save-weights w.safetensors".split()}, is_full=False),
        Scenario("loaded", ["encoder", "--weights", "w.safetensors"],
                 {"w.safetensors": "encoder --seed 7 --save-weights w.safetensors".split()}, is_full=False),
        Scenario("check", "check attention mine.npz --input probe.npz".split(), submission),
        Scenario("train", ["train", *run, "--save-every", "5", "--folder", "run"], run=tuple(run)),
        Scenario("train-again", ["train", *run, "--save-every", "5", "--folder", "run"],
                 {"run": ["train", *small("reverse"), "--seed", "3", "--folder", "run"]}, run=tuple(run), is_full=False),
        Scenario("resume", kills_resume(), run=tuple(run), is_resumed=True, is_full=False),
        Scenario("predict", "predict reverse 1,2,3 --folder trained".split(),
                 {"trained": ["train", *small("reverse"), "--folder", "trained"]}),
        Scenario("grade", "grade class -o marks.csv --feedback told".split(), grading(),
                 told=("EACCES",)),  # whoever lets nobody read a submission has none
    ]


def kills_resume():
    return "train reverse --resume --folder run --log-every 1 --save-every 5".split()


def grading():
    """A class of two whose arrays are graded."""
    files = {"class/course.json": '{"title": "A", "seed": 1, "tasks": [{"name": "a", "points": 2, "layer": "attention"}]}',
             "class/anna/note": "", "class/ben/note": "",
             "": "grade class --hand-out".split()}
    for name, wrong in (("anna", []), ("ben", ["--mistake", "scaled/no-root"])):
        inputs = f"class/{name}/a-inputs.npz"
        files[f"class/{name}/a.npz"] = ["attention", "--input", inputs, "-o", f"class/{name}/a.npz", *wrong]
    return files


# ---- running -------------------------------------------------------------------------------------------------


class Injector:
    """Runs one scenario again and again, each time in a folder of its own and with another call that fails."""

    def __init__(self, case, scenario, library):
        self.case, self.scenario, self.library = case, scenario, library
        self.start = case.folder / "start"
        self.lock, self.struck = threading.Lock(), 0
        self.start.mkdir()
        self.is_ready = self.prepare()

    def prepare(self):
        for name, made in self.scenario.inputs.items():
            if isinstance(made, str):
                (self.start / name).parent.mkdir(parents=True, exist_ok=True)
                (self.start / name).write_text(made)
                continue
            result = self.case.tracer(*made, cwd=self.start)
            if not self.case.expect(result.code == 0, result.outcome(), result, self.start):
                return False
        if self.scenario.is_resumed:
            options = [*self.scenario.run, "--save-every", "5"]
            if not any(in_the_middle(self.case.attack, self.start, options, 20) for _ in range(20)):
                return self.case.expect(False, "no run could be interrupted", ["train", *options], self.start)
        self.before = contents(self.start)
        self.counts, whole = self.count()
        self.reference = whole
        return self.case.expect(self.counts is not None, whole[0].outcome(), whole[0])

    def run(self, folder, **environment):
        command = [self.case.attack.tracer, *self.scenario.command]
        preloaded = {"LD_PRELOAD": str(self.library), "GLASSBOX_NUM_THREADS": "2", **environment}
        result = Result([*(f"{name}={value}" for name, value in preloaded.items()), *command])
        try:
            done = subprocess.run(command, cwd=folder, env={**os.environ, **preloaded}, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=SECONDS)
            result.code, result.out, result.err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            result.timed_out, result.seconds = True, SECONDS
        result.command = ["env", *result.command]
        return result

    def count(self):
        """How often each call is made, and the result of a run in which none fails."""
        folder, counts = self.case.folder / "counted", self.case.folder / "counts.json"
        shutil.copytree(self.start, folder)
        result = self.run(folder, GLASSBOX_FAULT_COUNTS=str(counts))
        if result.code not in (0, 1) or not counts.exists():
            return None, (result, {})
        return json.loads(counts.read_text()), (result, contents(folder))

    def inject(self, fault):
        folder = self.case.folder / fault.replace(":", "-")
        counts = folder.with_suffix(".json")
        shutil.copytree(self.start, folder)
        result = self.run(folder, GLASSBOX_FAULT=fault, GLASSBOX_FAULT_COUNTS=str(counts))
        is_struck = not counts.exists() or json.loads(counts.read_text())["struck"] > 0
        reasons = list(self.judge(fault, folder, result, is_struck))
        with self.lock:
            self.struck += is_struck
            for reason in reasons:
                self.case.fail(f"{fault}: {reason}", result, f"{folder} && cp -r ../start again && cd again")
        counts.unlink(missing_ok=True)
        if not reasons or self.case.failures > 20:
            shutil.rmtree(folder)

    # ---- what must hold ------------------------------------------------------------------------------------------

    def judge(self, fault, folder, result, is_struck):
        kind, _, error, *_ = fault.split(":")
        expected, whole = self.reference
        if result.timed_out or result.code < 0 or result.code not in range(5):
            yield result.outcome()
            return
        now = contents(folder)
        yield from self.judge_files(now, whole, result)
        if result.code == expected.code and b"error:" not in result.err:
            if is_struck and kind in TOLD and error not in HARMLESS.get(kind, ()) and why(error) not in result.err:
                yield f"exit {result.code}: nothing was said of it"
            if self.scenario.run:
                now, whole = ({name: data for name, data in files.items() if Path(name).suffix == ".npz"}
                              for files in (now, whole))
            elif result.out != expected.out:
                yield "the same exit code, but other output"
            if now != whole and why(error) not in result.err:
                yield "the same exit code, but other files"
        elif error in HARMLESS.get(kind, ()):
            yield f"was not tried again: {result.outcome()}"
        else:
            yield from judge_message(kind, error, result)
        if self.scenario.run:
            yield from self.judge_run(folder)

    def judge_files(self, now, whole, result):
        for name, data in now.items():
            if is_of_run(name):
                if Path(name).name not in kills.FILES:
                    yield f"left behind: {name}"
            elif name in whole:
                # Of a class the others are graded, too, and each file says which submissions were not.
                is_told = result.code == 4 and (b"cannot be graded" in data or b",," in data)
                if data not in (whole[name], self.before.get(name)) and not is_told:
                    yield f"{name} is neither the old file nor the new one"
            elif name not in self.before:
                yield f"left behind: {name}"
        for name in self.before:
            if name not in now and not is_of_run(name):
                yield f"{name} is gone"
        earlier = {name: data for name, data in self.before.items() if is_of_run(name)}
        moved = [{name.replace("run/", f"run{ending}/", 1): data for name, data in earlier.items()} for ending in ("", ".1")]
        if not self.scenario.is_resumed and not any(each.items() <= now.items() for each in moved):
            yield "the earlier run is not whole"

    def judge_run(self, folder):
        """A run that was stopped by a fault continues to the tensors of one that never was."""
        saved = (folder / "run" / "last.safetensors").exists()
        if self.scenario.is_resumed and not saved:
            yield "the checkpoint is gone"
            return
        saved = saved and not (self.scenario.inputs and "run.1/run.jsonl" not in contents(folder))  # the earlier run's
        command = kills_resume() if saved else ["train", *self.scenario.run, "--folder", "run"]
        again = self.case.tracer(*command, cwd=folder, timeout=SECONDS)
        if again.code != 0:
            yield f"does not go on afterwards: {again.outcome()}"
            return
        for name in kills.TENSORS:
            if numbers(folder / "run" / name) != numbers(self.case.folder / "counted" / "run" / name):
                yield f"{name} is not that of a run in which nothing failed"
        if kills.events(folder / "run") != kills.events(self.case.folder / "counted" / "run"):
            yield "run.jsonl tells another run"


def judge_message(kind, error, result):
    text = result.err.decode(errors="replace")
    errors = [line for line in text.splitlines() if line.startswith(("error:", "tracer: out of"))]
    if len(errors) != 1:
        yield f"{len(errors)} messages of an error: {result.outcome()}"
        return
    for raw in ("std::", "bad_alloc", "what()", "basic_", "vector::", "terminate", "filesystem error"):
        if raw in text:
            yield f"{raw} in the message: {errors[0]!r}"
    if kind == "memory":
        if "memory" not in errors[0]:
            yield f"does not say that memory was short: {errors[0]!r}"
    elif why(error).decode() not in errors[0]:
        yield f"does not say why: {errors[0]!r}"
    if result.code not in ((2, 3, 4) if kind == "memory" else (4,)):
        yield f"exit {result.code}: {errors[0]!r}"


def is_of_run(name):
    return name.startswith(("run/", "run.1/"))


def why(error):
    """What a message says of the error; None, which is in nothing, where there is nothing to say."""
    return os.strerror(getattr(errno, error)).encode() if hasattr(errno, error) else NOTHING


def contents(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in Path(folder).rglob("*") if file.is_file()}


# ---- which faults --------------------------------------------------------------------------------------------


def places(count, every, seeded, draw):
    """The first `every` calls each, and `seeded` of those after them."""
    rest = range(every + 1, count + 1)
    return [*range(1, min(count, every) + 1), *sorted(draw.sample(rest, min(seeded, len(rest))))]


def faults(scenario, kind, count, scale, draw):
    found = []
    every, seeded = (EVERY, SEEDED) if scenario.is_full and kind == "memory" else (FEWER_EVERY, FEWER_SEEDED)
    for error in ERRORS.get(kind, []) + HARMLESS.get(kind, []):
        if error in scenario.told:
            continue
        for number in places(count, every, seeded, draw):
            found.append(f"{kind}:{number}:{error}")
            if error not in HARMLESS.get(kind, []) and (kind != "memory" or draw.randrange(ON) == 0):
                found.append(f"{kind}:{number}:{error}:on")
    if scale.every:
        return found
    if scale.full:
        return draw.sample(found, -(-len(found) // SHARE))
    return draw.sample(found, min(len(found), QUICK_MEMORY if kind == "memory" else QUICK_OTHERS))


def attack(t):
    library = Path(t.tracer).parent / "tests" / "libfaults.so"
    if not library.exists():
        for case in t.case("library"):
            case.fail("is not built: ./dev build release faults", [str(library)])
        return None
    total = 0
    named = {scenario.name: scenario for scenario in scenarios()}
    for case in t.cases(named):
        scenario = named[case.name]
        injector = Injector(case, scenario, library)
        if not injector.is_ready:
            continue
        wanted = [fault for kind in ERRORS | HARMLESS
                  for fault in faults(scenario, kind, injector.counts[kind], t, case.random)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(injector.inject, wanted))
        total += injector.struck
        if t.full:
            print(f"  {case.name}: {injector.struck} of {len(wanted)} faults struck", flush=True)
    return f"{total} calls made to fail"
