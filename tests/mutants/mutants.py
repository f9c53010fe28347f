#!/usr/bin/env python3
"""Changes one operator or constant of lib/ at a time and runs the tests: a change that no test notices survives.

    mutants.py --build build/mutants [--seed N] [--in FOLDER] [--own] [--again FILE] [--jobs N] COUNT

The sources and the build folder stay as they are: the changed file is compiled to an object of its own, which stands
before the library when a copy of a test program is linked. The tests of the file's own folder run first, then those of
the other folders, which --own leaves out. Changes that give the same machine code are left out, as are those that do not compile. Survivors for
which explained.tsv has the reason are counted by themselves; the exit code is 1 when there are others."""

import argparse
import concurrent.futures
import json
import os
import random
import resource
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

from sites import sites

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIBRARY = "lib"
NEWS = 20  # how many changes are tried between two lines of how far it is
MEMORY = 6 << 30  # bytes of address space for a test that has run wild


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Mutant:
    """One change of one file."""
    def __init__(self, path, site, text):
        self.path, self.site, self.text = path, site, text
        self.line = text.count("\n", 0, site.start) + 1
        self.source = text.split("\n")[self.line - 1].strip()
        self.change = f"{site.old} → {site.new or 'nothing'}"
        self.outcome, self.by = "", ""

    def key(self):
        return self.path, self.source, self.change

    def __str__(self):
        return f"{self.path}:{self.line}: {self.change}: {self.source}"


class Build:
    """How the build folder compiles a file of the library and links a test program."""
    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.compile = {}
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            path = os.path.relpath(entry["file"], ROOT)
            if path.startswith(LIBRARY):
                self.compile[path] = entry
        self.programs = {each.name[len("test_"):]: each for each in sorted((self.folder / "tests").glob("test_*"))
                         if each.is_file() and os.access(each, os.X_OK)}
        self.link = {name: self.link_command(f"tests/test_{name}") for name in self.programs}
        self.tracer = self.folder / "tracer"  # which the tests of the command start
        if "tracer" in self.programs:
            self.link[self.tracer] = self.link_command("tracer")
        self.seconds = {}

    def link_command(self, program):
        shown = subprocess.run(["ninja", "-C", str(self.folder), "-t", "commands", program], check=True,
                               capture_output=True, text=True).stdout
        for line in reversed(shown.splitlines()):
            for part in line.split(" && "):
                words = shlex.split(part)
                if "-o" in words and words[words.index("-o") + 1] == program:
                    return words
        raise SystemExit(f"mutants: {self.folder} does not say how {program} is linked")

    def linked(self, name, program, changed):
        """Links what `name` is with the changed object before the library."""
        words = list(self.link[name])
        words[words.index("-o") + 1] = str(program)
        words.insert(words.index("-o"), str(changed))
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"mutants: {name} cannot be linked\n{done.stderr[-2000:]}")
        return program

    def run(self, name, scratch, replaced):
        """None where the tests pass, else what happened. Programs of `replaced` stand where the built ones are: they look
        there for modules and for each other."""
        limit = 10 + 5 * self.seconds.get(name, 120)
        binds = [word for path, other in replaced.items() for word in ("--bind", str(other), str(path))]
        environment = {**os.environ, "TMPDIR": str(scratch), "OPENBLAS_NUM_THREADS": "1"}
        try:
            done = subprocess.run(["bwrap", "--die-with-parent", "--dev-bind", "/", "/", *binds, str(self.programs[name]), "--abort"], cwd=ROOT,
                                  env=environment, capture_output=True, check=False, timeout=limit, preexec_fn=limits,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return "time"
        return None if done.returncode == 0 else "signal" if done.returncode < 0 else "tests"


def reason_of(mutant, reasons):
    path, source, change = mutant.key()
    return next((reasons[key] for key in ((path, source, change), (path, source, "*"), (path, "*", "*")) if key in reasons), None)


class Judge:
    """Compiles, links and tests one change, in a folder of its own."""
    def __init__(self, build, names, scratch, own_alone=False):
        self.build, self.names, self.scratch, self.own_alone = build, names, scratch, own_alone
        self.originals = {}  # path → the unchanged file's object
        self.noticed = Counter()  # (folder of the change, program) → how often it noticed what the folder's own did not
        self.lock = threading.Lock()

    def object_of(self, path, text, folder):
        """The bytes of the compiled text, or None where it does not compile."""
        entry = self.build.compile[path]
        words = shlex.split(entry["command"])
        source, built = folder / "mutant.cpp", folder / "mutant.o"
        source.write_text(text)
        built.unlink(missing_ok=True)
        words[words.index("-o") + 1] = str(built)
        words[words.index("-c") + 1] = str(source)
        words = [each for each in words if each != "-Werror"] + ["-w", "-g0", "-frandom-seed=0"]
        words.insert(1, f"-iquote{(ROOT / path).parent}")
        done = subprocess.run(words, cwd=entry["directory"], capture_output=True, check=False)
        return built.read_bytes() if done.returncode == 0 else None

    def judge(self, mutant, folder):
        changed = self.object_of(mutant.path, mutant.site.of(mutant.text), folder)
        if changed is None:
            return "does not compile", ""
        own = mutant.path.split("/")[2]
        if own in self.names and self.is_noticed(own, folder):
            return "killed", own
        if changed == self.original(mutant, folder):  # asked only now: most changes are noticed at once
            return "the same code", ""
        for name in self.others(own):
            if self.is_noticed(name, folder):
                with self.lock:
                    self.noticed[own, name] += 1
                return "killed", name
        return "survived", ""

    def is_noticed(self, name, folder):
        """Whether the tests of `name` fail with the changed object."""
        build = self.build
        replaced = {build.programs[name]: build.linked(name, folder / f"test_{name}", folder / "mutant.o")}
        if name == "tracer":
            replaced[build.tracer] = build.linked(build.tracer, folder / "tracer", folder / "mutant.o")
        happened = build.run(name, folder, replaced)
        for program in replaced.values():
            program.unlink()
        return happened is not None

    def measure(self, path, names):
        """How long these programs take; each must pass with an object that is linked anew, but is not changed. What was
        measured of the same program before holds."""
        kept, build = self.build.folder / "seconds.json", self.build
        known = json.loads(kept.read_text()) if kept.exists() else {}
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            self.object_of(path, (ROOT / path).read_text(), Path(folder))
            for name in sorted(names):
                built = build.programs[name].stat().st_mtime
                if known.get(name, [0, 0])[1] != built:
                    begin = time.monotonic()
                    if self.is_noticed(name, Path(folder)):
                        raise SystemExit(f"mutants: test_{name} fails without any change: mend that first")
                    known[name] = [time.monotonic() - begin, built]
                    kept.write_text(json.dumps(known))
                build.seconds[name] = known[name][0]

    def original(self, mutant, folder):
        if mutant.path not in self.originals:
            kept = (folder / "mutant.o").rename(folder / "changed.o")
            self.originals[mutant.path] = self.object_of(mutant.path, mutant.text, folder)
            kept.rename(folder / "mutant.o")
        return self.originals[mutant.path]

    def others(self, own):
        """The other programs, if they are asked: those that have noticed changes of this folder first, then the quick ones."""
        return sorted((each for each in self.names if each != own and not self.own_alone),
                      key=lambda each: self.build.seconds[each] / (1 + 10 * self.noticed[own, each]))

    def __call__(self, mutant):
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            mutant.outcome, mutant.by = self.judge(mutant, Path(folder))
        return mutant


SURVIVED = "SURVIVED: "


def listed(report):
    """The changes that a run's output lists: (path, source line, change)."""
    found = set()
    for line in report.read_text().splitlines():
        if line.startswith(SURVIVED):
            place, change, source = line.removeprefix(SURVIVED).split(": ", 2)
            found.add((place.split(":")[0], source, change))
    return found


def drawn(build, under, seed):
    """All changes of the files that this machine compiles, in an order that the seed decides."""
    every = []
    for path in sorted(build.compile):
        if path.startswith(under):
            text = (ROOT / path).read_text()
            every += [Mutant(path, site, text) for site in sites(text)]
    if not every:
        raise SystemExit(f"mutants: there is nothing to change under '{under}'")
    random.Random(seed).shuffle(every)
    return every


def explanations():
    """(path, source line, change) → reason; a * stands for every change of the line, or for every line of the file."""
    found = {}
    for line in (HERE / "explained.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            path, source, change, reason = line.split("\t")
            found[(path, source, change)] = reason
    return found


def tried(judge, queue, count, jobs):
    """Yields mutants that compile to other code, as they are judged, until `count` have been."""
    waiting, skipped, done = iter(queue), Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(judge, each) for _, each in zip(range(min(jobs, count)), waiting)}
        while running:
            ended, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for each in ended:
                mutant = each.result()
                if mutant.outcome in ("killed", "survived"):
                    done += 1
                    yield mutant
                else:
                    skipped[mutant.outcome] += 1
                following = next(waiting, None) if done + len(running) < count else None
                if following:
                    running.add(pool.submit(judge, following))
    print("mutants: left out: " + (", ".join(f"{n} {why}" for why, n in sorted(skipped.items())) or "none"))


def table(mutants):
    folders = defaultdict(Counter)
    for each in mutants:
        folders[each.path.split("/")[2]][each.outcome if each.by != each.path.split("/")[2] else "own"] += 1
    print(f"{'folder':14} {'tried':>5} {'by its own tests':>17} {'by others':>10} {'survived':>9}")
    for folder, of in sorted(folders.items()):
        print(f"{folder:14} {sum(of.values()):5} {of['own']:17} {of['killed']:10} {of['survived']:9}")


def arguments():
    parser = argparse.ArgumentParser(description="Changes lib/ one operator or constant at a time and runs the tests.")
    parser.add_argument("--build", required=True, help="the folder of a build with its tests, without unity files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--in", dest="under", default=LIBRARY, metavar="FOLDER", help="only files under it")
    parser.add_argument("--own", action="store_true", help="only the tests of the file's own folder: quick, and stricter")
    parser.add_argument("--again", type=Path, metavar="FILE", help="only the survivors that the output in FILE lists")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("count", type=int, metavar="COUNT")
    asked = parser.parse_args()
    if asked.count < 1 or asked.jobs < 1:
        parser.error(f"COUNT and --jobs must be at least 1: {asked.count}, {asked.jobs}")
    return asked


def main():
    asked = arguments()
    build = Build(asked.build)
    names = sorted(set(build.programs) - {"harness"})
    if not names:
        raise SystemExit(f"mutants: {asked.build} has no test programs")
    reasons, ended = explanations(), []
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # files there need no disk to be safe on
    with tempfile.TemporaryDirectory(prefix="mutants-", dir=memory) as scratch:
        queue = drawn(build, asked.under, asked.seed)
        if asked.again:
            before = listed(asked.again)
            queue = [each for each in queue if each.key() in before]
        print(f"mutants: {len(queue)} places in {asked.under}; seed {asked.seed}", flush=True)
        judge = Judge(build, names, scratch, asked.own)
        own = {each.path.split("/")[2] for each in queue} & set(names)
        judge.measure(next(iter(build.compile)), own if asked.own else names)
        for mutant in tried(judge, queue, asked.count, asked.jobs):
            ended.append(mutant)
            reason = reason_of(mutant, reasons)
            if mutant.outcome == "survived":
                print(f"{'explained: ' if reason else SURVIVED}{mutant}" + (f"\n    {reason}" if reason else ""), flush=True)
            if len(ended) % NEWS == 0:
                print(f"mutants: {len(ended)} of {asked.count} tried", flush=True)
    table(ended)
    survivors = [each for each in ended if each.outcome == "survived"]
    unexplained = [each for each in survivors if not reason_of(each, reasons)]
    print(f"mutants: {len(ended)} tried, {len(ended) - len(survivors)} killed, {len(survivors)} survived, "
          f"{len(survivors) - len(unexplained)} of them explained")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
