#!/usr/bin/env python3
"""Which mistakes training hides: each task is trained with each mistake, and the table of docs/mistakes.md printed.

    python3 bench/mistakes_in_training.py build/release/tracer
"""
import json
import re
import subprocess
import sys

TASKS = {
    "reverse": ["--heads", "2", "--epochs", "5"],
    "copy": [],
    "sort": [],
}
MISTAKES = [
    "scaled/not-divided", "scaled/no-root", "scaled/multiplied", "scaled/d_model", "attention/over-queries",
    "masked/ignored", "masked/zero", "masked/one-more", "Q/no-permute", "K/no-bias-of-keys", "V/of-keys",
    "concat/no-permute", "linear/no-bias", "residual/left-out", "residual/mean", "layer_norm/not-normalised",
    "layer_norm/no-mean", "layer_norm/sample-variance", "layer_norm/over-sequence", "relu/not-applied", "relu/gelu",
    "encoding/only-sines", "encoding/swapped", "encoding/one-position", "output/not-added", "embedding_scaled/not-scaled",
]


def accuracy(tracer, task, mistake):
    """The share of right answers in the test, in per cent; None if the task has no such step."""
    with_mistake = ["--mistake", mistake] if mistake else []
    command = [tracer, "train", task, *TASKS[task], "--no-files", *with_mistake]
    ran = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"^test: ([0-9.]+) %", ran.stdout, re.MULTILINE)
    if ran.returncode or not found:
        return None
    return float(found[1])


def main():
    tracer = sys.argv[1]
    known = {each["name"]: each for each in json.loads(
        subprocess.run([tracer, "mistakes", "--format", "json"], capture_output=True, text=True, check=True).stdout)["mistakes"]}
    print("| mistake | " + " | ".join(TASKS) + " |")
    print("|---" * (len(TASKS) + 1) + "|")
    right = {task: accuracy(tracer, task, "") for task in TASKS}
    print("| none | " + " | ".join(f"{right[task]:.2f} %" for task in TASKS) + " |", flush=True)
    for mistake in MISTAKES:
        assert mistake in known, mistake
        cells = []
        for task in TASKS:
            value = accuracy(tracer, task, mistake)
            cells.append("–" if value is None else f"{value:.2f} %")
        print(f"| `{mistake}` | " + " | ".join(cells) + " |", flush=True)


main()
