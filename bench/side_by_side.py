"""Runs the sides of a benchmark, each as a process, and reads the lines of JSON that they print."""
import json
import os
import signal
import subprocess
import sys


def clean_environment(**more):
    """Without OPENBLAS_CORETYPE, which can halve the speed of OpenBLAS on machines with AVX-512."""
    environment = {**os.environ, **more}
    environment.pop("OPENBLAS_CORETYPE", None)
    return environment


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no output"


def output_and_error(command, environment=None, timeout=None, cwd=None):
    """A command's standard output, standard error, and what went wrong, or None.

    With a timeout it leads a session of its own, so that its children are ended with it; Ctrl-C does not reach it then.
    """
    try:
        child = subprocess.Popen([str(word) for word in command], env=environment or clean_environment(), text=True, errors="replace", cwd=cwd,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=timeout is not None)
    except OSError as error:
        return "", "", f"{command[0]}: {error.strerror}"
    try:
        out, err = child.communicate(timeout=timeout)
    except BaseException as error:
        end(child, timeout is not None)
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        return *child.communicate(), f"stopped after {timeout:.0f} s"
    wrong = f"{os.path.basename(str(command[0]))} ended with {child.returncode}: {last_line(err)}" if child.returncode else None
    return out, err, wrong


def end(child, with_group):
    try:
        os.killpg(child.pid, signal.SIGKILL) if with_group else child.kill()
    except ProcessLookupError:
        pass


def run(command, environment=None, timeout=None, cwd=None):
    """The figures that a command printed, and what was wrong, or None. Lines before a failure count."""
    out, _, wrong = output_and_error(command, environment, timeout, cwd)
    return [json.loads(line) for line in out.splitlines() if line.startswith("{") and line.endswith("}")], wrong


def best_of(commands, environment, rounds):
    """For each command the run with the smallest median, as other load can only slow it down. Commands alternate."""
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
