#!/usr/bin/env python3
"""LibreOffice computes the workbooks of tracer again, and every number must come out.

    recalculate.py TRACER [--soffice SOFFICE] [--keep FOLDER]

Each command of CASES writes a workbook and an .npz. From the workbook all results of formulas are removed, so
that what LibreOffice writes is what it computed. Compared are all formulas' numbers with those that tracer
wrote beside them, to 1e-12; and all steps and gradients with the arrays: to 1e-12 if tracer computes in
double, else as closely as floats agree. CHANGED types another number into a cell, results left as they
were, and compares with a run of tracer on that number: LibreOffice is told to compute again whatever it opens.

Ends with 0 if everything agrees, 1 if not, 77 where there is no LibreOffice. Only Python's own modules.
"""
import argparse, ast, html, math, os, pathlib, re, shutil, struct, subprocess, sys, tempfile, zipfile
import xml.etree.ElementTree as ET

CASES = {
    "attention": "attention --grad",
    "causal": "attention --seq 4 --dk 3 --mask causal --grad",
    "additive": "attention --score additive --grad",
    "projected": "attention --din 3 --grad",
    "batches": "attention --batch 2 --heads 2 --mask causal --grad",
    "infinite": "attention --convention paper --mask causal --grad",
    "hidden": "attention --convention paper --mask {folder}/given-mask.npz --seq 3 --grad",  # a row that sees nothing: NaN
    "not-finite": "attention --input {folder}/given-infinite.npz --grad",
    "multihead": "multihead --seq 3 --dmodel 4 --heads 2 --mask causal --grad",
    "positional": "positional --convention paper --grad",
    "words": "attention --text =1+1,cat,<b>& --mask causal --grad",
    "mistake": "attention --mistake scaled/no-root",
    "block": "encoder-block --grad",
    "block-torch": "encoder-block --convention uva-torch --batch 2 --grad",
    "block-report": "encoder-block --convention report --grad",
    "predictor": "predictor --convention paper --grad",
    "decoder": "decoder --convention paper --grad",
    "transformer": "transformer --convention paper --grad",
    "scalar": "attention --grad --scalar mean(values)",
    "sumsq": "multihead --grad --scalar sumsq(output)",
    "time2vec": "time2vec --grad",
    "loss": "loss --grad",
    "smoothed": "loss --label-smoothing 0.1 --grad",
    "clip": "clip",
    "adam": "adam",
    "large": "attention --seq 40 --dk 24 --grad --scalar sumsq(values)",
}
# A case, the step, the element (of one block) and the new number; the run to compare with, on those arrays.
CHANGED = [("attention", "Q", (0, 1), -1.25, "attention --grad --input {npz}"),
           ("attention", "V", (2, 0), 3.5, "attention --grad --input {npz}"),
           ("attention", "Q", (2, 0), 1000.0, "attention --grad --input {npz}"),  # exp alone would overflow
           ("causal", "mask", (0, 0), 0.0, "attention --mask {mask} --grad --input {npz}"),  # a row that sees nothing
           ("infinite", "mask", (0, 0), 0.0, "attention --convention paper --mask {mask} --grad --input {npz}")]

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
RESULT = re.compile(r"(</f>)<v>[^<]*</v>")

# The gradients of a block's own inputs, by all ways together: docs/formats.md says that a workbook has none of them.
WITHOUT_CELLS = {"grad/x", "grad/memory"}


class Book:
    """The cells of a workbook: (sheet, row, column) → number, text or error; which of them are formulas."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            shared = []
            if "xl/sharedStrings.xml" in archive.namelist():
                for item in ET.fromstring(archive.read("xl/sharedStrings.xml")):
                    shared.append("".join(t.text or "" for t in item.iter(MAIN + "t")))
            targets = {r.get("Id"): r.get("Target")
                       for r in ET.fromstring(archive.read("xl/_rels/workbook.xml.rels"))}
            self.sheets, self.cells, self.formulas, self.files = [], {}, {}, {}
            for sheet in ET.fromstring(archive.read("xl/workbook.xml")).iter(MAIN + "sheet"):
                name = sheet.get("name")
                self.sheets.append(name)
                self.files[name] = "xl/" + targets[sheet.get(REL + "id")].removeprefix("/xl/")
                for cell in ET.fromstring(archive.read(self.files[name])).iter(MAIN + "c"):
                    self.read(name, cell, shared)

    def read(self, sheet, cell, shared):
        place = (sheet, *row_and_column(cell.get("r")))
        formula, value = cell.find(MAIN + "f"), cell.find(MAIN + "v")
        if formula is not None:
            self.formulas[place] = formula.text
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            self.cells[place] = "".join(t.text or "" for t in cell.iter(MAIN + "t"))
        elif value is not None and kind == "s":
            self.cells[place] = shared[int(value.text)]
        elif value is not None and kind == "n":
            self.cells[place] = float(value.text)
        elif value is not None:
            self.cells[place] = value.text  # an error, or text

    def contents(self):
        """The list of numbers on the sheet "Read me"."""
        row = 1
        while self.cells.get(("Read me", row, 1)) != "Numbers of":
            row += 1
        headings = {self.cells[("Read me", row, column)]: column for column in range(1, 10)}
        listed = []
        while ("Read me", row + 1, 1) in self.cells:
            row += 1
            listed.append(Listed(**{field: self.cells.get(("Read me", row, headings[heading]), "")
                                    for field, heading in Listed.HEADINGS.items()}))
        return listed

    def numbers(self, listed):
        """Row by row, as the list says where they lie."""
        return [self.cells.get(listed.place(i)) for i in range(math.prod(listed.shape))]


class Listed:
    """A line of the list: whose numbers, and where they are."""
    HEADINGS = {"path": "Numbers of", "kind": "Kind", "shape": "Shape", "sheet": "Sheet", "first": "First number",
                "turned": "Transposed", "next_block": "Next matrix"}

    def __init__(self, path, kind, shape, sheet, first, turned, next_block):
        self.path, self.kind, self.sheet, self.is_turned = path, kind, sheet, turned != ""
        self.shape = ast.literal_eval(shape)
        self.row, self.column = row_and_column(first) if first else (0, 0)
        self.next_block = int(next_block.removesuffix(" rows below")) if next_block else 0

    def place(self, i):
        """Of a number: sheet, row, column."""
        width = self.shape[-1] if self.shape else 1
        height = self.shape[-2] if len(self.shape) > 1 else 1
        block, row, column = i // width // height, i // width % height, i % width
        if self.is_turned:
            row, column = column, row
        return self.sheet, self.row + block * self.next_block + row, self.column + column


def row_and_column(cell):
    """Of "B8": 8, 2."""
    letters, row = re.fullmatch(r"([A-Z]+)(\d+)", cell).groups()
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - 64
    return int(row), column


def read_npy(data):
    size = struct.unpack("<H", data[8:10])[0] if data[6] == 1 else struct.unpack("<I", data[8:12])[0]
    start = (10 if data[6] == 1 else 12) + size
    header = ast.literal_eval(data[start - size:start].decode("latin1"))
    code = {"<f4": "f", "<f8": "d"}[header["descr"]]
    count = math.prod(header["shape"])
    return header["shape"], list(struct.unpack(f"<{count}{code}", data[start:])), code


def read_npz(path):
    with zipfile.ZipFile(path) as archive:
        return {name.removesuffix(".npy"): read_npy(archive.read(name)) for name in archive.namelist()}


def write_npz(path, arrays):
    with zipfile.ZipFile(path, "w") as archive:
        for name, (shape, numbers, code) in arrays.items():
            header = repr({"descr": "<f4" if code == "f" else "<f8", "fortran_order": False, "shape": shape})
            header += " " * (-(len(header) + 11) % 64) + "\n"
            archive.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                             header.encode() + struct.pack(f"<{len(numbers)}{code}", *numbers))


def rewritten(source, target, change):
    """A copy whose sheets went through change(file name, XML)."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name.startswith("xl/worksheets/"):
                data = change(name, data.decode()).encode()
            new.writestr(name, data)


class Comparison:
    def __init__(self):
        self.cells, self.largest, self.wrong = 0, 0.0, []

    def number(self, place, found, expected, tolerance):
        if expected != expected:  # NaN
            if found != "#N/A":
                self.wrong.append(f"{place}: {found} instead of #N/A")
            return
        self.cells += 1
        if abs(expected) > 1e299 and isinstance(found, float):  # stands for an infinity
            expected, found = (math.copysign(1e300, x) if abs(x) > 1e299 else x for x in (expected, found))
        if not isinstance(found, float):
            self.wrong.append(f"{place}: {found!r} instead of {expected}")
            return
        difference = abs(found - expected) / max(1, abs(expected))
        self.largest = max(self.largest, difference)
        if not difference <= tolerance:
            self.wrong.append(f"{place}: {found!r} instead of {expected!r}")

    def text(self):
        return f"{self.cells} numbers, largest difference {self.largest:.1e}"


def with_arrays(book, arrays, tolerance, compared):
    """All steps and gradients."""
    used = set()
    for listed in book.contents():
        path, kind = listed.path, listed.kind
        keys = {"step": [path], "parameter": [], "gradient": ["grad/" + path, "grad/weights/" + path]}.get(kind, [])
        if kind == "parameter" and path in arrays:
            keys = [path]
        for key in keys:
            if key not in arrays:
                continue
            used.add(key)
            array_shape, expected, _ = arrays[key]
            if tuple(array_shape) != tuple(listed.shape):
                compared.wrong.append(f"{path}: shape {listed.shape} instead of {array_shape}")
                continue
            scale = max([1] + [abs(x) for x in expected if abs(x) < 1e10])  # floats cancel: by the array's size
            for i, (a, b) in enumerate(zip(book.numbers(listed), expected)):
                compared.number(f"{path}, number {i}", a, b, tolerance * (scale if tolerance > 1e-9 else 1))
    for key in arrays:
        if key not in used and key not in WITHOUT_CELLS:
            compared.wrong.append(f"no cells have {key}")


def make_profile(folder):
    """Settings in which every formula of an .xlsx file is computed when it is opened."""
    (folder / "user").mkdir(parents=True, exist_ok=True)
    (folder / "user" / "registrymodifications.xcu").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        '<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse">'
        '<value>0</value></prop></item></oor:items>\n')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tracer")
    parser.add_argument("--soffice", default=shutil.which("soffice") or shutil.which("libreoffice"))
    parser.add_argument("--keep", help="keep the files in this folder")
    parser.add_argument("--only", help="these cases, separated by commas")
    options = parser.parse_args()
    if not options.soffice:
        print("LibreOffice was not found (soffice): the workbooks are not computed again")
        return 77
    folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="recalculate_"))
    try:
        return check(options, folder)
    finally:
        if not options.keep:
            shutil.rmtree(folder)


def run_tracer(options, line, *more):
    ran = subprocess.run([options.tracer, *line.split(), *more], capture_output=True, text=True)
    if ran.returncode not in (0, 1):  # 1: finite differences differ, which is not the question here
        sys.exit(f"tracer {line} {more}: {ran.stderr}")


def check(options, folder):
    inputs, results = folder / "in", folder / "out"
    inputs.mkdir(parents=True, exist_ok=True)
    shape = (3, 2)
    write_npz(folder / "given-mask.npz", {"mask": ((3, 3), [1, 0, 1, 0, 0, 0, 1, 1, 1], "f")})
    write_npz(folder / "given-infinite.npz", {"Q": (shape, [1, 2, math.nan, 1, -1, 2], "f"), "V": (shape, [1] * 6, "f"),
                                        "K": (shape, [1, -1, 2, 1, 0, -math.inf], "f")})
    cases = {name: line.format(folder=folder) for name, line in CASES.items() if not options.only or name in options.only.split(",")}
    for name, line in cases.items():
        run_tracer(options, line, "-o", str(folder / f"{name}.xlsx"))
        run_tracer(options, line, "-o", str(folder / f"{name}.npz"))
        rewritten(folder / f"{name}.xlsx", inputs / f"{name}.xlsx", lambda file, xml: RESULT.sub(r"\1", xml))
    changed = [(f"{name}-{i}", name, *more) for i, (name, *more) in enumerate(CHANGED) if name in cases]
    for new, name, step, (row, column), number, line in changed:
        change(options, folder, new, name, step, row, column, number, line)
    make_profile(folder / "profile")
    subprocess.run([options.soffice, f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to",
                    "xlsx:Calc MS Excel 2007 XML", "--outdir", str(results), *map(str, sorted(inputs.glob("*.xlsx")))],
                   check=True, capture_output=True, env={**os.environ, "HOME": str(folder)})
    is_right, total = True, Comparison()
    for name in [*cases, *(new for new, *_ in changed)]:
        arrays = read_npz(folder / f"{name}.npz")
        is_double = all(code == "d" for _, _, code in arrays.values())
        book = Book(results / f"{name}.xlsx")
        written, engine = Comparison(), Comparison()
        if name in cases:
            original = Book(folder / f"{name}.xlsx")
            for place, formula in original.formulas.items():
                expected = original.cells.get(place)
                expected = math.nan if expected == "#N/A" else expected
                written.number(f"{place} ={formula}", book.cells.get(place), expected, 1e-12)
        with_arrays(book, arrays, 1e-12 if is_double else 1e-5, engine)
        print(f"{name}: formulas {written.text()}; beside the {'double' if is_double else 'float'} arrays "
              f"{engine.text()}")
        for wrong in (written.wrong + engine.wrong)[:10]:
            print("   " + wrong)
        is_right = is_right and not written.wrong and not engine.wrong and engine.cells > 0
        total.cells += engine.cells + written.cells
    print(f"{total.cells} comparisons of {len(cases) + len(changed)} workbooks: "
          f"{'all agree' if is_right else 'DIFFERENCES'}")
    return 0 if is_right else 1


def change(options, folder, new, name, step, row, column, number, line):
    """The workbook `new`: `name` with another number; and the arrays of a run with it."""
    book = Book(folder / f"{name}.xlsx")
    arrays = read_npz(folder / f"{name}.npz")
    listed = next(each for each in book.contents() if each.path == step)
    arrays.setdefault(step, (listed.shape, book.numbers(listed), "f"))  # a mask is no step
    shape, numbers, code = arrays[step]
    place = row * shape[-1] + column
    sheet, on_row, on_column = listed.place(place)
    cell = f"{chr(64 + on_column)}{on_row}"
    pattern = re.compile(rf'(<c r="{cell}"[^>]*><v>)[^<]*')

    def typed(file, xml):
        return pattern.sub(rf"\g<1>{number!r}", xml) if file == book.files[sheet] else xml

    rewritten(folder / f"{name}.xlsx", folder / "in" / f"{new}.xlsx", typed)
    numbers[place] = number
    write_npz(folder / f"{new}-input.npz", {key: arrays[key] for key in ("Q", "K", "V")})
    if "mask" in arrays:
        write_npz(folder / f"{new}-mask.npz", {"mask": arrays["mask"]})
    run_tracer(options, line.format(npz=folder / f"{new}-input.npz", mask=folder / f"{new}-mask.npz"), "-o", str(folder / f"{new}.npz"))


if __name__ == "__main__":
    sys.exit(main())
