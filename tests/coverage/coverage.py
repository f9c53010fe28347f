#!/usr/bin/env python3
"""A table of the lines and branches that the tests ran, a folder a row, and the places that they did not reach.

    coverage.py --build build/coverage [--update]

The tests have run before; gcovr reads what they left. In the folders WATCHED each place without a test has its reason in
explained.tsv, or is listed and makes the exit code 1. --update writes docs/coverage.md."""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs/coverage.md"
WATCHED = ("lib/transformer/glassbox/io", "lib/study/glassbox/runs", "lib/transformer/glassbox/distributed", "lib/diagnosis/glassbox/mistakes", "tracer/cli")


def measured(build):
    """What gcovr says of each file. A branch that only an exception takes, and one that cannot be taken, do not count."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run(["gcovr", "--root", ROOT, "--object-directory", build, "--filter", f"{ROOT}/lib/", "--filter",
                        f"{ROOT}/tracer/", "--exclude-throw-branches", "--exclude-unreachable-branches",
                        "--gcov-ignore-parse-errors", "--json", report.name, build], check=True, cwd=ROOT)
        return json.loads(Path(report.name).read_text())["files"]


def folder_of(path):
    return "/".join(path.split("/")[:4 if path.startswith("lib/") else 2])


def counted(files):
    """folder → lines run, lines, branches taken, branches"""
    folders = defaultdict(Counter)
    for each in files:
        if "/" not in each["file"].removeprefix("tracer/"):
            continue  # main.cpp
        of = folders[folder_of(each["file"])]
        for line in each["lines"]:
            if line.get("gcovr/noncode"):
                continue
            of["lines"] += 1
            of["run"] += line["count"] > 0
            of["branches"] += len(line["branches"])
            of["taken"] += sum(branch["count"] > 0 for branch in line["branches"])
    return folders


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def row(name, of):
    return f"| {name} | {share(of['run'], of['lines'])} | {share(of['taken'], of['branches'])} |"


def table(folders):
    rows = ["| folder | lines run | branches taken |", "|---|--:|--:|"]
    total = Counter()
    for folder, of in sorted(folders.items()):
        total += of
        rows.append(row(f"`{folder}`", of))
    rows.append(row("all", total))
    return "\n".join(rows)


def unreached(files):
    """The first line of each run of lines without a test: (path, number, source, how many lines)."""
    for each in files:
        if not each["file"].startswith(WATCHED):
            continue
        source = (ROOT / each["file"]).read_text().split("\n")
        before = None  # whether the last line of code was run
        place = None
        for line in sorted(each["lines"], key=lambda line: line["line_number"]):
            if line.get("gcovr/noncode"):
                continue
            if line["count"] == 0:
                number = line["line_number"]
                if before is not False:
                    place = [each["file"], number, source[number - 1].strip(), 0]
                place[3] += 1
            elif place:
                yield tuple(place)
                place = None
            before = line["count"] > 0
        if place:
            yield tuple(place)


def explanations():
    """(path, source of the place's first line) → reason"""
    found = {}
    for line in (HERE / "explained.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            path, source, reason = line.split("\t")
            found[(path, source)] = reason
    return found


def reasons(places, explained):
    """A reason, how many lines have it, in which folders."""
    by_reason = defaultdict(Counter)
    for path, _, source, lines in places:
        reason = explained.get((path, source))
        if reason:
            by_reason[reason][folder_of(path)] += lines
    rows = ["| not run in these folders | lines | folders |", "|---|--:|---|"]
    for reason, folders in sorted(by_reason.items(), key=lambda item: (-sum(item[1].values()), item[0])):
        rows.append(f"| {reason} | {sum(folders.values())} | {', '.join(f'`{each}`' for each in sorted(folders))} |")
    return "\n".join(rows)


def between(text, name, content):
    """The text with what stands between <!-- NAME --> and <!-- /NAME --> replaced."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- /{name} -->)", re.S)
    if not pattern.search(text):
        raise SystemExit(f"coverage: {PAGE.relative_to(ROOT)} has no place for the {name}")
    return pattern.sub(lambda found: found.group(1) + content + found.group(2), text)


def main():
    parser = argparse.ArgumentParser(description="A table of the lines and branches that the tests ran.")
    parser.add_argument("--build", required=True)
    parser.add_argument("--update", action="store_true", help="writes docs/coverage.md")
    asked = parser.parse_args()
    files = measured(Path(asked.build).resolve())
    if not files:
        raise SystemExit(f"coverage: no test has run in {asked.build}")
    places, explained = list(unreached(files)), explanations()
    shown, why = table(counted(files)), reasons(places, explained)
    print(shown + "\n\n" + why)
    left = [each for each in places if (each[0], each[2]) not in explained]
    for path, number, source, lines in left:
        print(f"not explained: {path}:{number}: {source}" + (f" (and {lines - 1} more)" if lines > 1 else ""))
    known = {(path, source) for path, _, source, _ in places}
    for path, source in explained:
        if (path, source) not in known:
            print(f"explained, but run: {path}: {source}")
    if asked.update:
        text = PAGE.read_text()
        PAGE.write_text(between(text, "table", shown))
    print(f"coverage: {len(places)} places without a test in {', '.join(WATCHED)}, {len(places) - len(left)} explained")
    sys.exit(1 if left else 0)


if __name__ == "__main__":
    main()
