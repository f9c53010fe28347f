#!/usr/bin/env python3
"""Attacks a built tracer from outside: damaged and hostile files, kills, odd options, absurd sizes.

    attack.py --tracer build/release/tracer [--seed N] [--quick|--full|--every] [NAME…]

The same seed makes the same cases, but for the moments at which a process is killed. What belongs to a failure is
kept in a folder that its command names."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import advice
import faults
import flips
import hostile
import kills
import options
import ranks
import readers
import sizes
from cases import Attack

ATTACKS = {
    module.__name__: module
    for module in (hostile, options, flips, readers, ranks, advice, kills, sizes, faults)
}
ALONE = ("kills", "sizes", "faults")  # they have limits of time, or use all cores


def arguments():
    parser = argparse.ArgumentParser(description="Attacks a built tracer.")
    parser.add_argument("--tracer", required=True, help="the program to attack")
    parser.add_argument("--seed", type=int, default=1)
    scale = parser.add_mutually_exclusive_group()
    scale.add_argument("--quick", action="store_true", help="about a minute (the default)")
    scale.add_argument("--full", action="store_true", help="about twenty minutes")
    scale.add_argument("--every", action="store_true", help="the same, and of the faults each, not a share: an hour")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ATTACKS)}; all of them")
    asked = parser.parse_args()
    for name in asked.names:
        if name not in ATTACKS:
            parser.error(f"no attack '{name}'; there are {', '.join(ATTACKS)}")
    asked.tracer = os.path.abspath(asked.tracer)
    if not os.access(asked.tracer, os.X_OK):
        parser.error(f"--tracer: {asked.tracer} cannot be run")
    return asked


def attacked(asked, name, scratch):
    """How many cases passed and failed."""
    attack = Attack(name, asked.tracer, asked.seed, asked.full or asked.every, asked.every, scratch)
    begin = time.monotonic()
    try:
        note = ATTACKS[name].attack(attack)
    except Exception:
        traceback.print_exc()
        attack.failed, note = attack.failed + 1, "ended by an error of its own"
    print(f"{name}: {attack.passed} passed, {attack.failed} failed, {time.monotonic() - begin:.0f} s"
          + (f" ({note})" if note else ""), flush=True)
    return attack.passed, attack.failed


def attacked_beside_others(asked, name):
    """The same by another process, so that limits which an attack sets for itself stay its own."""
    scale = "--every" if asked.every else "--full" if asked.full else "--quick"
    command = [sys.executable, "-B", __file__, "--tracer", asked.tracer, "--seed", str(asked.seed), scale, name]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    shown, _, total = done.stdout.rstrip().rpartition("\n")
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed", total)
    print(shown if counts else done.stdout, flush=True)
    return (int(counts[1]), int(counts[2])) if counts else (0, 1)


def main():
    asked = arguments()
    for name in ("NO_COLOR", "FORCE_COLOR"):
        os.environ.pop(name, None)
    names = asked.names or list(ATTACKS)
    together = [name for name in names if name not in ALONE]
    if len(together) < 2:
        together = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = list(pool.map(lambda name: attacked_beside_others(asked, name), together))
    scratch = Path(tempfile.mkdtemp(prefix="attack-"))
    try:
        counts += [attacked(asked, name, scratch) for name in names if name not in together]
    finally:
        if not any(failed for _, failed in counts):
            shutil.rmtree(scratch, ignore_errors=True)
    passed, failed = (sum(each) for each in zip(*counts))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
