"""Runs killed or interrupted at any moment: they continue to the same bits, and leave nothing behind."""

import json
import shutil
import signal
import subprocess
import time
import zlib

from shared import start, words
from trained import OF_TASK, numbers, small, text_of, wait_for

FILES = {"best.safetensors", "last.safetensors", "maps.npz", "previous.safetensors", "run.jsonl"}
TENSORS = ["best.safetensors", "last.safetensors"]
CLOCKS = {"seconds", "sequences_per_second"}


def attack(t):
    for reference in t.case("whole"):
        kill_runs(t, reference.folder, t.scale(14, 300))
        kill_writers(t, t.scale(4, 60))
        interrupt(t, reference.folder, t.scale(4, 60))
        interrupt_long(t, reference.folder)


# ---- the expected end of a run -------------------------------------------------------------------------------


def events(folder):
    """The contents of run.jsonl, without times."""
    lines = [json.loads(line) for line in text_of(folder / "run.jsonl").splitlines()]
    return [{key: value for key, value in line.items() if key not in CLOCKS} for line in lines]


def check_end(case, whole, command):
    """The run has the tensors, the log and the files of an uninterrupted one."""
    run = case.folder / "run"
    found = {file.name for file in run.iterdir()}
    case.expect(found <= FILES, f"files that should not be there: {sorted(found - FILES)}", command)
    for name in TENSORS:
        is_same = name in found and numbers(run / name) == numbers(whole / name)
        case.expect(is_same, f"{name} is not that of a run that was never stopped", command)
    try:
        told, expected = events(run), events(whole)
    except ValueError as error:
        return case.fail(f"run.jsonl: {error}", command)
    ends = [line for line in told if line["event"] == "end"]
    if case.expect(len(ends) == 1, f"{len(ends)} lines in run.jsonl tell the end and the test", command):
        case.expect(ends == [line for line in expected if line["event"] == "end"],
                    "other results than those of a run that was never stopped", command)
        case.expect(told == expected, "run.jsonl tells another run", command)


def reference(case, folder, options):
    """The same run, uninterrupted, and its duration."""
    whole = folder / str(zlib.crc32(words(options).encode()))
    if not whole.exists():
        whole.mkdir()
        result = case.tracer("train", *options, "--folder", "run", cwd=whole, timeout=120)
        case.expect(result.code == 0, result.outcome(), result, whole)
        (whole / "time").write_text(str(result.seconds))
    return whole / "run", float((whole / "time").read_text())


def stop(case, command, delay, how):
    """Starts it, and sends the signal after `delay` seconds. Returns its exit code and how long it took to exit."""
    process = start([case.attack.tracer, *command], cwd=case.folder, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL)
    try:
        process.wait(delay)
        return process.returncode, 0
    except subprocess.TimeoutExpired:
        return end_by(process, how)


def end_by(process, how):
    begin = time.monotonic()
    process.send_signal(how)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return process.returncode, time.monotonic() - begin


def go_on(case, options):
    """Continues with --resume, or from the start where nothing was saved yet."""
    saved = (case.folder / "run" / "last.safetensors").exists()
    if not saved:
        return ["train", *options, "--folder", "run"]
    one = ["--pooling", "cls"] if options[0] == "sequence" else []
    return ["train", options[0], *one, "--resume", "--folder", "run", "--log-every", "1"]


# ---- the attacks -----------------------------------------------------------------------------------------


def kill_runs(t, folder, count):
    for case in t.cases([f"kill {i}" for i in range(count)]):
        random = case.random
        task = random.choice(list(OF_TASK))
        more = ["--epochs", "1"] if task == "anomaly" else ["--epochs", "8", "--test", "4000", "--validation", "500"]
        options = small(task) + more + ["--log-every", "1"]
        save = ["--save-every", random.choice(["1", "1", "3", "7", "1000"])]
        whole, seconds = reference(case, folder, options)
        history = []
        command = ["train", *options, *save, "--folder", "run"]
        for _ in range(random.choice([1, 1, 2, 3])):
            delay = random.uniform(0, 1.3 * seconds)
            stop(case, command, delay, signal.SIGKILL)
            history.append(f"timeout -s KILL {delay:.3f} " + words([t.tracer, *command]))
            command = go_on(case, options)
            if "--resume" in command:
                command += save
        result = case.tracer(*command)
        history.append(words(result.command))
        story = "; ".join(history)
        if case.expect(result.code == 0, result.outcome(), story):
            check_end(case, whole, story)


def kill_writers(t, count):
    """Files of other commands: the old or the new one, each complete, at any moment."""
    large = "encoder --dmodel 256 --heads 4 --dff 1024 --layers 4".split()
    writers = {"w.safetensors": [*large, "--summary", "--save-weights"], "m.npz": ["multihead", "--seq", "200", "-o"]}
    for made in t.case("written"):
        for case in t.cases([f"write {i}" for i in range(count)]):
            name = case.random.choice(list(writers))
            result = made.tracer(*writers[name], "new-" + name)
            made.expect(result.code == 0, result.outcome(), result)
            made.tracer(*writers[name], "old-" + name, "--seed", "7")
            whole = [(made.folder / (age + name)).read_bytes() for age in ("new-", "old-")]
            shutil.copyfile(made.folder / ("old-" + name), case.folder / name)
            command, delay = [*writers[name], name], case.random.uniform(0, 1.2 * result.seconds)
            stop(case, command, delay, signal.SIGKILL)
            case.expect((case.folder / name).read_bytes() in whole, f"{name} is neither the old file nor the new one",
                        f"timeout -s KILL {delay:.3f} " + words([t.tracer, *command]))


def check_interrupted(case, options, whole, code, seconds, story):
    """The program was ended promptly by the signal, and the run continues to the same end."""
    case.expect(seconds <= 1, f"ended {seconds:.1f} s after SIGINT", story)
    has_ended = any(line.get("event") == "end" for line in events(case.folder / "run"))
    case.expect(code == -signal.SIGINT or (code == 0 and has_ended), f"exit code {code} after SIGINT", story)
    result = case.tracer(*go_on(case, options), timeout=60)
    story += "; " + words(result.command)
    if case.expect(result.code == 0, result.outcome(), story):
        check_end(case, whole, story)


def interrupt(t, folder, count):
    """Validations and a test of some tenths of a second, so that many signals arrive during one."""
    for case in t.cases([f"interrupt {i}" for i in range(count)]):
        task = case.random.choice(["reverse", "sequence", "copy"])
        size = "100000" if task == "reverse" else "20000"
        options = small(task) + ["--validation", size, "--test", size, "--epochs", "2", "--log-every", "1"]
        whole, seconds = reference(case, folder, options)
        command, delay = ["train", *options, "--folder", "run"], case.random.uniform(0, seconds)
        code, taken = stop(case, command, delay, signal.SIGINT)
        story = f"timeout -s INT {delay:.3f} " + words([t.tracer, *command])
        check_interrupted(case, options, whole, code, taken, story)


def interrupt_long(t, folder):
    """A validation and a test of many seconds, interrupted within."""
    size = t.scale("300000", "2000000")
    for case in t.cases([f"{what} {i}" for what in ("validation", "test") for i in range(t.scale(1, 3))]):
        what = case.name.split()[0]
        options = small("reverse") + ["--epochs", "1", "--log-every", "1", f"--{what}", size]
        whole, seconds = reference(case, folder, options)
        command = ["train", *options, "--folder", "run"]
        process = start([t.tracer, *command], cwd=case.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        last = b'"step":10,' if what == "validation" else b'"event":"validation"'
        reached = wait_for(lambda: last in text_of(case.folder / "run" / "run.jsonl"), process, 60)
        delay = case.random.uniform(0, t.scale(0.2, 0.7) * seconds)
        time.sleep(delay)
        code, taken = end_by(process, signal.SIGINT)
        story = words([t.tracer, *command]) + f"  # SIGINT {delay:.1f} s into the {what}"
        if case.expect(reached, f"the {what} never came", story):
            check_interrupted(case, options, whole, code, taken, story)
