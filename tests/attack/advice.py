"""An interrupted run prints the command that continues it. Run exactly as printed, it must end in the same bits."""

import os
import re
import signal
import subprocess

from shared import run, start, words
from trained import OF_TASK, numbers, small, text_of, wait_for

TOLD = re.compile(r"stopped by SIGINT after step \d+ of \d+; to continue: (.+)$", re.MULTILINE)


def many(task, *more):
    epochs = ["--epochs", "2"] if task == "anomaly" else ["--epochs", "20"]
    return [*small(task), *epochs, "--save-every", "5", *more]


def odd_runs():
    """Runs started in ways that the printed command must reproduce."""
    yield from ((many(task), 0) for task in OF_TASK)
    all_poolings = [word for word in many("sequence") if word not in ("--pooling", "cls")]
    for skipped in range(3):  # interrupted in the first, the second, the third of the three runs
        yield all_poolings, skipped
    yield all_poolings + ["--folder", "all three"], 1
    for folder in "with space", "it's", 'a "b" c', "$HOME", "-n", "r/int", "a;b", "größe*", "back\\slash", "#x":
        yield many("reverse", f"--folder={folder}"), 0
    yield many("sequence", "--folder", "of cls"), 0
    yield many("copy", "--log", "a log.jsonl"), 0
    yield many("reverse", "--log", "it's.jsonl", "--folder", "x y", "--validate-every", "2"), 0
    yield many("reverse", "--validate-every", "2"), 0
    yield many("sort", "--validate-every", "3", "--folder", "runs/other"), 0
    yield many("reverse", "--save-every", "1", "--log-every", "1", "--threads", "1", "--tensorboard"), 0
    yield many("reverse", "--dropout", "0.1", "--convention", "uva-torch", "--optimiser", "sgd", "--momentum", "0.5"), 0


def attack(t):
    bin_folder = t.scratch / "bin"
    bin_folder.mkdir(exist_ok=True)
    (bin_folder / "tracer").symlink_to(t.tracer)
    t.env = {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    runs = list(enumerate(odd_runs()))
    for case in t.case("chosen"):
        chosen = runs if t.full else sorted(case.random.sample(runs, 7), key=lambda each: each[0])
    for number, (options, skipped) in chosen:
        for case in t.case(f"run {number}"):
            check(case, options, skipped, case.random.choice([1, 1, 2]))


def files(folder):
    """All tensor files below the folder, except the checkpoint before the last."""
    found = folder.rglob("*.safetensors")
    return {str(file.relative_to(folder)): numbers(file) for file in found if file.name != "previous.safetensors"}


def logs(folder):
    return list(folder.rglob("*.jsonl"))


def ended(folder):
    """The logs below the folder that record the end of their run."""
    return sorted(str(log.relative_to(folder)) for log in logs(folder) if b'"event":"end"' in text_of(log))


def interrupted(case, command, folder, skipped):
    """Runs a command in a shell and interrupts it once its log has grown. Returns the printed command."""
    def has_run():
        found = logs(folder)
        grown = [log for log in found if log.stat().st_size > before.get(log, 0) + 300 or log not in before]
        return len(found) > skipped and grown and b'"step":' in text_of(max(found, key=lambda log: log.stat().st_mtime))

    before = {log: log.stat().st_size for log in logs(folder)}
    process = start(["sh", "-c", "exec " + command], cwd=folder, env=case.attack.env, stdout=subprocess.DEVNULL)
    if wait_for(has_run, process):
        process.send_signal(signal.SIGINT)
    err = process.communicate()[1].decode(errors="backslashreplace")
    told = TOLD.search(err)
    return (told[1] if told else None), err, process.returncode


def tell(story):
    return "\n         ".join(story)


def check(case, options, skipped, times):
    whole, folder = case.folder / "whole", case.folder / "stopped"
    whole.mkdir(), folder.mkdir()
    command = words(["tracer", "train", *options])
    story = [command]
    result = run(["sh", "-c", command], cwd=whole, env=case.attack.env, timeout=60)
    if not case.expect(result.code == 0, result.outcome(), command, whole):
        return
    for _ in range(times):
        told, err, code = interrupted(case, command, folder, skipped)
        if code == 0:
            break  # finished before the signal
        story.append("# Ctrl-C")
        if not case.expect(told, f"no command to go on with is told: {err.strip()[-200:]!r}", tell(story), folder):
            return
        command = told
        story.append(command)
    if code != 0:
        result = run(["sh", "-c", command], cwd=folder, env=case.attack.env, timeout=60)
        if not case.expect(result.code == 0, f"the command that was told ends with {result.outcome()}",
                           tell(story), folder):
            return
    expected, got = files(whole), files(folder)
    differing = sorted(name for name in expected.keys() | got.keys() if expected.get(name) != got.get(name))
    case.expect(not differing, f"other files than those of a run that was never stopped: {differing}",
                tell(story), folder)
    expected, got = ended(whole), ended(folder)
    case.expect(expected == got, f"the logs that tell the end are {got}, not {expected}", tell(story), folder)
