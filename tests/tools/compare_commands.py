#!/usr/bin/env python3
"""Compares the results of command lines between two builds of tracer.

    compare_commands.py OLD NEW [COMMANDS.txt]

Each line of the list (commands.txt beside this file) is run with both in a fresh folder that holds the
arrays of inputs() below; an indented line goes on in the folder of the line above it. Exit codes, both
outputs and the files made are compared: JSON and arrays number by number, text line by line. Times and
rates are left out. Lines that differ alike are printed once, with the first difference and how often.
Ends with 0 if nothing differs, else with 1.
"""
import collections, concurrent.futures, difflib, json, os, pathlib, re, shlex, subprocess, sys, tempfile
import numpy as np


def inputs(folder):
    rng = np.random.default_rng(7)
    n = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    np.savez(folder / "qkv.npz", Q=n(3, 2), K=n(3, 2), V=n(3, 2))
    np.savez(folder / "cross.npz", Q=n(2, 4), K=n(5, 4), V=n(5, 3))
    np.savez(folder / "batch.npz", Q=n(2, 3, 2), K=n(2, 3, 2), V=n(2, 3, 2))
    np.savez(folder / "heads.npz", Q=n(2, 2, 3, 2), K=n(2, 2, 3, 2), V=n(2, 2, 3, 2))
    np.savez(folder / "xw.npz", x=n(3, 4), W_Q=n(4, 2), W_K=n(4, 2), W_V=n(4, 2))
    np.savez(folder / "x.npz", x=n(3, 4))
    np.savez(folder / "xb.npz", x=n(2, 3, 4))
    np.savez(folder / "xm.npz", x=n(3, 4), memory=n(5, 4))
    np.savez(folder / "two.npz", Q=n(3, 2), K=n(3, 2))
    np.savez(folder / "unfit.npz", Q=n(3, 2), K=n(3, 3), V=n(3, 2))
    np.savez(folder / "short.npz", Q=n(3, 2), K=n(4, 2), V=n(3, 2))
    np.savez(folder / "more.npz", Q=n(3, 2), K=n(3, 2), V=n(3, 2), extra=n(2))
    np.savez(folder / "nan.npz", Q=n(3, 2) * np.nan, K=n(3, 2), V=n(3, 2))
    np.savez(folder / "ids.npz", x=n(3))
    np.save(folder / "mask.npy", np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1]]))
    np.save(folder / "mask2.npy", np.ones((2, 2)))
    np.save(folder / "half.npy", np.full((3, 3), 0.5))
    (folder / "bad.npz").write_bytes(b"PK no archive")
    (folder / "bad.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{broken}")


def without_times(text):
    text = re.sub(r"\d[\d.,]*k? (examples|steps|sequences|sets|tokens|numbers)(/s| a second)", r"R \1", text)
    text = re.sub(r"\b(\d+ min )?\d+(\.\d+)? (s|ms|min|h)\b", "T", text)
    text = re.sub(r'("?seconds"?: ?"?)[-+.\de]+', r"\1T", text)
    text = re.sub(r'"\w+_per_second": ?[-+.\de]+,?', "", text)
    text = re.sub(r"(?m)^((?: +\d+){2}(?: +[-.\d]+ %?)*?) +\d+\.\d\d(  best)?$", r"\1 T\2", text)  # a table's last column
    return re.sub(r"20\d\d-\d\d-\d\d[T ][\d:]+Z?", "DATE", text)


def leaves(value, path=""):
    """All numbers and words of JSON by path."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if pairs is None:
        return {path: without_times(value) if isinstance(value, str) else value}
    return {p: leaf for key, inner in pairs for p, leaf in leaves(inner, f"{path}/{key}").items()}


def of_text(text):
    try:
        return leaves(json.loads(text))
    except ValueError:
        return dict(enumerate(without_times(text).splitlines()))


def of_file(path):
    if path.suffix == ".npz" and path.read_bytes()[:2] == b"PK":
        with np.load(path) as arrays:
            return {f"{a}[{i}]": x.item() for a in arrays for i, x in np.ndenumerate(arrays[a])}
    if path.suffix in (".safetensors", ".png", ".pdf") or "tfevents" in path.name:
        return {"size": "there"} if path.suffix != ".safetensors" else safetensors(path.read_bytes())
    return of_text(path.read_text(errors="replace"))


def safetensors(data):
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return {name: (t["shape"], data[8 + size :][slice(*t["data_offsets"])]) for name, t in header.items()}


def run(program, line, folder):
    """Runs one line; returns its output and files: {part: {place: value}}."""
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*")}
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "COLORTERM")}
    try:
        done = subprocess.run([program, *shlex.split(line)], cwd=folder, env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return {"exit code": {0: "none in 120 s"}}
    said = {"exit code": {0: done.returncode}, "stderr": of_text(done.stderr), "stdout": of_text(done.stdout)}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and before.get(path) != path.stat().st_mtime_ns:
            said["file " + str(path.relative_to(folder))] = of_file(path)
    return said


def first_difference(old, new):
    """(part, before, after) of the first difference, or None."""
    for part in list(old) + [p for p in new if p not in old]:
        a, b = old.get(part), new.get(part)
        if a is None or b is None:
            return part, "is not there" if a is None else "is there", "is not there" if b is None else "is there"
        if str(a) == str(b):  # two nan are equal
            continue
        if all(isinstance(k, int) for k in [*a, *b]):  # lines: removed and added
            lines = [l for l in difflib.ndiff(list(map(str, a.values())), list(map(str, b.values())))]
            gone, come = ([l[2:] for l in lines if l[0] == sign] for sign in "-+")
            return part, (gone or ["–"])[0], (come or ["–"])[0]
        key = next(k for k in [*a, *b] if str(a.get(k)) != str(b.get(k)))
        return part, f"{key}: {a.get(key, '–')}", f"{key}: {b.get(key, '–')}"
    return None


def blocks(text):
    """A line with the indented ones below it."""
    found = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] == " ":
            found[-1].append(line.strip())
        else:
            found.append([line.strip()])
    return found


def compare(block, programs):
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        folders = [pathlib.Path(a), pathlib.Path(b)]
        for folder in folders:
            inputs(folder)
        return [(line, first_difference(*(run(p, line, f) for p, f in zip(programs, folders)))) for line in block]


def main():
    programs = [str(pathlib.Path(p).resolve()) for p in sys.argv[1:3]]
    where = sys.argv[3] if len(sys.argv) > 3 else pathlib.Path(__file__).with_name("commands.txt")
    groups, count = collections.defaultdict(list), 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in pool.map(lambda block: compare(block, programs), blocks(pathlib.Path(where).read_text())):
            for line, difference in done:
                count += 1
                if difference:
                    part, old, new = difference
                    groups[part, re.sub(r"\d+", "#", old)[:60], re.sub(r"\d+", "#", new)[:60]].append((line, old, new))
    for (part, _, _), alike in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"{part} of {len(alike)}, {alike[0][0]}\n    before: {alike[0][1][:300]}\n    after:  {alike[0][2][:300]}")
        for line, _, _ in alike[1:]:
            print(f"    also: {line}")
    print(f"{count} command lines, {sum(map(len, groups.values()))} differ in {len(groups)} ways")
    return 1 if groups else 0


if __name__ == "__main__":
    sys.exit(main())
