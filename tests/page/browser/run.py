#!/usr/bin/env python3
"""Tests pages in a browser: what they show, beside what the same command writes to other files.

    run.py --tracer build/release/tracer [--seed N] [--jobs N] [FILTER…]

A filter is a part of a test's name. With the same seed the same numbers are clicked. ./dev page runs it, after the
JavaScript's own tests, with what it needs in a folder of its own."""

import argparse
import importlib
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import chromium
import firefox
from pages import Pages
from paper import Skip

HERE = Path(__file__).parent
REPO = HERE.parents[2]
# The longest first: they are handed out one by one.
MODULES = ["web", "numbers_shown", "clicks", "firefox", "keyboard", "accessibility", "hostile", "predict", "sizes", "room", "paper", "comparison", "opening", "marks", "lecture", "addresses", "predictions", "runs"]


def arguments():
    parser = argparse.ArgumentParser(description="Tests pages in a browser.")
    parser.add_argument("--tracer", required=True, help="the program that makes the pages")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), help="browsers at once")
    parser.add_argument("--keep", metavar="DIR", help="make the pages here, and leave them")
    parser.add_argument("--no-unit", action="store_true", help="without the JavaScript's own tests")
    parser.add_argument("--list", action="store_true", help="only name the tests")
    parser.add_argument("filters", nargs="*", metavar="FILTER")
    asked = parser.parse_args()
    asked.tracer = os.path.abspath(asked.tracer)
    return asked


def collect(filters):
    """[(name, module)…], those that must run alone, and how to find a test by its name."""
    together, alone = [], []
    for module in map(importlib.import_module, MODULES):
        together += [(name, module.__name__) for name, _ in module.TESTS]
        alone += [(name, module.__name__) for name, _ in getattr(module, "ALONE", [])]
    wanted = lambda each: not filters or any(part in each[0] for part in filters)
    return list(filter(wanted, together)), list(filter(wanted, alone))


def missing(module):
    """Why a module's tests cannot be run here, or nothing."""
    try:
        import numpy  # noqa: F401
        import playwright  # noqa: F401
    except ImportError as error:
        return str(error)
    if not chromium.path():
        return "there is no Chromium"
    if module == "firefox" and not firefox.path():
        return "there is no Firefox"
    return ""


def in_short(trace):
    """Where it happened in these tests, and what: not the driver's own calls."""
    lines = trace.rstrip().split("\n")
    own = [line.strip() for line in lines if str(HERE) in line]
    says = next((i for i, line in enumerate(lines) if i and not line.startswith((" ", "Traceback"))), len(lines) - 1)
    return "; ".join(own[-2:]) + "\n    " + "\n    ".join(lines[says:says + 6])


lab = None


def begin(tracer, scratch, seed, is_paced):
    global settings
    settings = (tracer, scratch, seed, is_paced)


def run_one(test):
    """(name, result, what it says, seconds); result is passed, failed or skipped."""
    global lab
    name, module = test
    start = time.monotonic()
    own = importlib.import_module(module)
    function = dict(own.TESTS + getattr(own, "ALONE", []))[name]
    try:
        tracer, scratch, seed, is_paced = settings
        if lab is None or not lab.browser.is_connected():
            lab = chromium.Lab(Pages(tracer, scratch), seed, is_paced)
        says = function(lab)
        return name, "passed", says or "", time.monotonic() - start
    except Skip as skip:
        return name, "skipped", str(skip), time.monotonic() - start
    except AssertionError as error:
        return name, "failed", str(error) or in_short(traceback.format_exc()), time.monotonic() - start
    except Exception:
        return name, "failed", in_short(traceback.format_exc()), time.monotonic() - start


def unit_tests(counts):
    """The JavaScript's own tests, by Node."""
    files = sorted(str(each) for each in HERE.parent.glob("*.test.mjs"))
    if not shutil.which("node"):
        print("skipped: there is no node for the JavaScript's own tests")
        counts["skipped"] += len(files)
        return
    ran = subprocess.run(["node", "--test", *files], cwd=REPO, capture_output=True, text=True, timeout=120)
    for what, word in (("passed", "pass"), ("failed", "fail"), ("skipped", "skipped")):
        found = re.search(rf"^# {word} (\d+)$", ran.stdout, re.M) or re.search(rf"^ℹ {word} (\d+)$", ran.stdout, re.M)
        counts[what] += int(found.group(1)) if found else 0
    if ran.returncode:
        counts["failed"] += not counts["failed"]
        print(ran.stdout + ran.stderr)


def main():
    asked = arguments()
    together, alone = collect(asked.filters)
    if asked.list:
        print("\n".join(name for name, _ in together + alone))
        return 0
    start, counts = time.monotonic(), {"passed": 0, "failed": 0, "skipped": 0}
    if not asked.no_unit and not asked.filters:
        unit_tests(counts)
    reasons = {module: missing(module) for _, module in together + alone}
    for reason in sorted(set(filter(None, reasons.values()))):
        names = [name for name, module in together + alone if reasons[module] == reason]
        print(f"skipped: {len(names)} tests in the browser, {reason}")
        counts["skipped"] += len(names)
    together = [each for each in together if not reasons[each[1]]]
    alone = [each for each in alone if not reasons[each[1]]]
    scratch = asked.keep or tempfile.mkdtemp(prefix="page-")
    context = multiprocessing.get_context("spawn")

    def report(name, result, says, seconds):
        counts[result] += 1
        mark = {"passed": "ok  ", "failed": "FAIL", "skipped": "skip"}[result]
        print(f"{mark} {name}{': ' if says else ''}{says} ({seconds:.1f} s)", flush=True)

    for tests, jobs in ((alone, 1), (together, asked.jobs)):
        if tests:
            with context.Pool(min(jobs, len(tests)), begin, (asked.tracer, scratch, asked.seed, tests is alone)) as pool:
                for result in pool.imap_unordered(run_one, tests):
                    report(*result)
    if not asked.keep and not counts["failed"]:
        shutil.rmtree(scratch, ignore_errors=True)
    elif counts["failed"]:
        print(f"The pages are in {scratch}; the same clicks again: --seed {asked.seed}")
    print(f"page: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped, {time.monotonic() - start:.0f} s")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
