"""Runs the sides of a benchmark, a process each, and reads the lines of JSON that they print."""
import json
import os
import subprocess
import sys


def clean_environment(**more):
    """OPENBLAS_CORETYPE can halve OpenBLAS on machines with AVX-512: unset for every side."""
    environment = {**os.environ, **more}
    environment.pop("OPENBLAS_CORETYPE", None)
    return environment


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no words"


def run(command, environment=None, timeout=None, cwd=None):
    """The figures that a command printed, and what was wrong, or None. Lines before a failure count."""
    try:
        done = subprocess.run([str(word) for word in command], env=environment or clean_environment(), text=True,
                              capture_output=True, timeout=timeout, cwd=cwd)
        out, wrong = done.stdout, None
        if done.returncode:
            wrong = f"{os.path.basename(str(command[0]))} ended with {done.returncode}: {last_line(done.stderr)}"
    except subprocess.TimeoutExpired as late:
        out = late.stdout or ""
        out = out.decode() if isinstance(out, bytes) else out
        wrong = f"stopped after {timeout:.0f} s"
    except OSError as error:
        return [], f"{command[0]}: {error.strerror}"
    return [json.loads(line) for line in out.splitlines() if line.startswith("{") and line.endswith("}")], wrong


def best_of(commands, environment, rounds):
    """For each command the run with the smallest median, the commands taking turns: another program can only make it slower."""
    best = [None] * len(commands)
    for _ in range(rounds):
        for i, command in enumerate(commands):
            figures, wrong = run(command, environment)
            if wrong:
                sys.exit(wrong)
            if figures and "error" in figures[-1]:
                print(figures[-1], file=sys.stderr)
            elif figures and (best[i] is None or figures[-1]["ms"] < best[i]["ms"]):
                best[i] = figures[-1]
    return best
