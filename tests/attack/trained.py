"""Small training runs and their files."""

import signal
import time
from pathlib import Path

from shared import start

# A run of well under a second. Anomaly has its own data, with sizes in images.
SMALL = "--seq 6 --validation 64 --test 64 --dmodel 16 --epochs 4 --batch 32 --warmup 5".split()
OF_TASK = {
    "reverse": ["--examples", "320"],
    "sequence": ["--examples", "320", "--pooling", "cls"],
    "anomaly": ["--examples", "50", "--heads", "2", "--layers", "1"],
    "copy": ["--examples", "320"],
    "sort": ["--examples", "320"],
}
# Tasks with settings of their own; their questions are not sequences of numbers.
TINY = "--dmodel 16 --heads 2 --layers 1 --epochs 2 --batch 32 --warmup 5".split()
WITH_SETTINGS = {
    "translate": "--examples 320 --validation 64 --test 64".split() + TINY,
    "text": "--examples 200 --seq 16 --validation 10 --test 10".split() + TINY,
    "forecast": "--length 500 --window 24 --horizon 6".split() + TINY,
}


def small(task):
    """The settings of a small run of `task`, preceded by its name."""
    if task in WITH_SETTINGS:
        return [task] + WITH_SETTINGS[task]
    options = list(SMALL)
    if task == "anomaly":
        options = "--seq 6 --test 10 --dmodel 16 --epochs 4 --batch 32 --warmup 5".split()
    return [task] + options + OF_TASK[task]


def numbers(file):
    """The data of a safetensors file without its header, which contains times."""
    data = Path(file).read_bytes()
    return data[8 + int.from_bytes(data[:8], "little"):]


def wait_for(holds, process, seconds=30):
    """Waits until `holds()` while the process runs. Returns whether it holds."""
    begin = time.monotonic()
    while not holds():
        if process.poll() is not None or time.monotonic() - begin > seconds:
            return False
        time.sleep(0.001)
    return True


def text_of(file):
    try:
        return Path(file).read_bytes()
    except OSError:
        return b""


def in_the_middle(attack, folder, options, step):
    """Trains in `folder` and interrupts the run soon after `step`. Returns whether it was stopped before its end."""
    process = start([attack.tracer, "train", *options, "--log-every", "1", "--folder", "run"], cwd=folder)
    reached = wait_for(lambda: b'"step":%d,' % step in text_of(folder / "run" / "run.jsonl"), process)
    if reached:
        process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    return reached and b"stopped by SIGINT" in err
