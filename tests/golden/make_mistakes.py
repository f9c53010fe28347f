"""Writes mistakes.npz beside this file: the wrong value of every mistake of the catalogue, computed with PyTorch from its formula
and the operands of the step, for tests/mistakes/test_golden.cpp. The operands are those of the specimens:

    mkdir operands; GLASSBOX_OPERANDS=operands build/release/tests/test_mistakes "write operands"
    python3 tests/golden/make_mistakes.py operands [KEY…]

With keys, or beginnings of them ("cls/"), it writes nothing, and says for each whether the library has the same numbers.

KEY | SPECIMEN | PLACE    the mistaken step's value at the first places of the specimen where it is made: two, or one a line
"""
import importlib
import io
import json
import pathlib
import sys
import warnings
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from mistakes.place import Place  # noqa: E402

TABLES = sorted(each.stem for each in (HERE / "mistakes").glob("*.py") if each.stem not in ("place", "__init__"))


def lines():
    """key → the function that computes the wrong value at a place"""
    found = {}
    for name in TABLES:
        for key, line in importlib.import_module(f"mistakes.{name}").LINES.items():
            if key in found:
                raise SystemExit(f"{key} stands twice")
            found[key] = line
    return found


def wrong_values(operands, wanted):
    """Of each place: its name, the value by PyTorch or the error, the value by the library."""
    about, by_key = json.loads((operands / "operands.json").read_text()), lines()
    for key, mistake in about.items():
        if wanted and not any(key.startswith(each) for each in wanted):
            continue
        for case in mistake["cases"]:
            with np.load(operands / case["file"]) as file:
                arrays = dict(file)
            place = Place(case, arrays)
            try:
                line = by_key[key]
                value = np.asarray(line[case["place"]](place) if isinstance(line, tuple) else line(place), np.float64)
            except Exception as error:  # of a line that is being written
                value = error
            yield case["name"], value, arrays["wrong"], arrays["right"]


def is_close(mine, theirs):
    if mine.shape != theirs.shape:
        return False
    size = np.max(np.abs(theirs[np.isfinite(theirs)]), initial=1e-30)
    return np.allclose(mine, theirs, rtol=1e-5, atol=1e-5 * size, equal_nan=True)


def write_small(path, arrays):
    """As numpy.savez_compressed, without what it reserves in each entry for more than 4 GB"""
    with zipfile.ZipFile(path, "w") as file:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, array)
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue(), zipfile.ZIP_DEFLATED, 9)


def main():
    warnings.simplefilter("ignore")
    operands, wanted, out, failed = pathlib.Path(sys.argv[1]), sys.argv[2:], {}, 0
    for name, value, theirs, _ in wrong_values(operands, wanted):
        if isinstance(value, Exception):
            said = f"{type(value).__name__}: {value}"
        elif not is_close(value, theirs):
            said = f"another value, {value.shape} {value.ravel()[:6]}; the library {theirs.shape} {theirs.ravel()[:6]}"
        else:
            said = ""
        failed += bool(said)
        if said or wanted:
            print(f"{name}: {said or 'the same'}")
        if not isinstance(value, Exception):
            out[name] = value.astype(np.float32)
    print(f"{failed} of {failed + len(out)} are missing or other numbers" if failed else f"{len(out)} values, all the same")
    if not wanted:
        write_small(HERE / "mistakes.npz", out)


if __name__ == "__main__":
    main()
