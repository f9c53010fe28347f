"""Damaged npy, npz and safetensors files, read by Glassbox, and by NumPy and safetensors themselves: no file that both
read may give other names, shapes or numbers. What only one of them reads is counted, by the reason of the other."""

import ast
import contextlib
import io
import json
import re
import resource
import struct
import subprocess
import warnings
import zipfile
from collections import Counter
from pathlib import Path

import formats

try:
    import numpy as np
except ImportError:
    np = None
try:
    import safetensors
except ImportError:
    safetensors = None

BATCH = 500  # files that one process of ours reads


def attack(t):
    program = Path(t.tracer).with_name("read_arrays")
    if np is None or not program.exists():
        return "skipped: " + ("this Python has no NumPy" if np is None else f"{program} is not built")
    warnings.simplefilter("ignore")  # of two members with one name, and of what NumPy thinks of a header
    counts = {}
    with limited_memory():
        for kind in ("npy", "npz", "safetensors"):
            if kind == "safetensors" and safetensors is None:
                continue
            counts[kind] = Counter()
            count = t.scale(1500, 30000)
            for case in t.cases([f"{kind} {i}" for i in range(0, count, BATCH)]):
                compare_batch(case, program, kind, counts[kind])
    show_kinds(counts)
    missing = "" if safetensors else "; safetensors is not installed, and was not compared"
    return "; ".join(f"{kind}: {totals(count)}" for kind, count in counts.items()) + missing


@contextlib.contextmanager
def limited_memory():
    """A damaged shape may ask NumPy for more memory than there is. Later attacks start commands without the limit."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def totals(count):
    total = Counter()
    for (outcome, _), n in count.items():
        total[outcome] += n
    return ", ".join(f"{n} {outcome}" for outcome, n in total.most_common())


def show_kinds(counts):
    for kind, count in counts.items():
        for (outcome, why), n in count.most_common():
            if why:
                print(f"  {kind}: {n:6} {outcome}: {why}")


# ---- files and their damage ----------------------------------------------------------------------------------


def some_array(random):
    dtype = random.choice("f4 f4 f4 f8 f2 i1 i2 i4 i8 u1 u2 u4 u8 ? >f4 >f8 >i2 >u4 c8 U3".split())
    shape = random.choice([(), (0,), (3,), (2, 3), (2, 3, 2), (1, 4), (2, 0, 3), (7,)])
    values = np.frombuffer(random.randbytes(8 * int(np.prod(shape, dtype=int))), "i8").reshape(shape)
    if dtype in ("c8", "U3"):
        array = values.astype("i1").astype(dtype)
    elif "f" in dtype:
        with np.errstate(over="ignore"):
            array = (values / 2.0 ** random.choice([63, 50, 20])).astype(dtype)
    else:
        array = values.astype(dtype)
    return np.asfortranarray(array) if random.random() < 0.3 else array


def npy_of(random):
    file = io.BytesIO()
    np.lib.format.write_array(file, some_array(random), version=random.choice([(1, 0), (2, 0), (3, 0), None]))
    return file.getvalue()


def whole(random, kind):
    """A file as NumPy or safetensors writes it."""
    if kind == "npy":
        return npy_of(random)
    if kind == "npz":
        return zipped(random, [npy_of(random) for _ in range(random.randrange(1, 4))])
    dtypes = {"F32": 4, "F64": 8, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}
    header, data = {}, b""
    if random.random() < 0.5:
        header["__metadata__"] = {"format": "pt"}
    for i in range(random.randrange(1, 4)):
        dtype, shape = random.choice(list(dtypes)), random.choice([[], [0], [3], [2, 3], [2, 1, 3]])
        size = dtypes[dtype] * int(np.prod(shape, dtype=int))
        values = random.randbytes(size)
        if dtype == "BOOL":
            values = bytes(byte & 1 for byte in values)
        header[f"layer.{i}"] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + size]}
        data += values
    return formats.with_header(header, data)


def zipped(random, members):
    file = io.BytesIO()
    method = random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(file, "w", method) as archive:
        for i, member in enumerate(members):
            archive.writestr(random.choice("QKVx") + (str(i) if random.random() < 0.9 else "") + ".npy", member)
    return file.getvalue()


def header_place(kind, data):
    """Where the text is that says what the numbers are."""
    if kind == "safetensors":
        return 8, min(8 + int.from_bytes(data[:8], "little"), len(data))
    at = max(data.find(b"{"), 0)
    return at, data.find(b"}", at) + 1


EDITS = [(rb"\d", b"0123456789"), (rb"[<>|=]", b"<>|="), (rb"True|False", None), (rb"[fiu]\d", None), (rb" ", None),
         (rb"[\[\](),:'\"{}]", None), (rb"[A-Z]+\d*", None)]
WORDS = [word.encode() for word in "True False f4 f8 f2 i4 i8 u1 b1 F32 F16 I8 U8 BOOL 1 -1 0 L [ ( , 3 null 1e0 1.0 "
         "18446744073709551616".split()] + [b"", b" ", b"  ", b"\n"]


def edited_header(random, kind, data):
    begin, end = header_place(kind, data)
    text = data[begin:end]
    pattern, letters = random.choice(EDITS)
    places = list(re.finditer(pattern, text))
    if not places:
        return data
    place = random.choice(places)
    new = bytes([random.choice(letters)]) if letters else random.choice(WORDS)
    text = text[:place.start()] + new + text[place.end():]
    if random.random() < 0.7:  # the length stays what it was
        text = text[:end - begin].ljust(end - begin) if len(text) <= end - begin else text
    data = data[:begin] + text + data[end:]
    if kind == "safetensors" and len(text) != end - begin:
        data = struct.pack("<Q", len(text)) + data[8:]
    return data


SAME_SIZE = {size: types.split() for size, types in {
    1: "|i1 |u1 |b1 <u1", 2: "<f2 >i2 <u2 =i2 h", 4: "<f4 >f4 <i4 >u4 f4 i", 8: "<f8 >f8 <i8 >u8 d q"}.items()}


def retold(random, kind, data):
    """The same bytes of numbers, said to be others: of another type, order or shape, and written in another way."""
    begin, end = header_place(kind, data)
    try:
        told = json.loads(data[begin:end]) if kind == "safetensors" else ast.literal_eval(data[begin:end].decode())
        text = retold_json(random, told) if kind == "safetensors" else retold_dict(random, told)
    except (ValueError, SyntaxError, KeyError, TypeError):
        return data
    if kind == "safetensors":
        return struct.pack("<Q", len(text)) + text + data[end:]
    return data[:begin] + text.ljust(end - begin) + data[end:] if len(text) <= end - begin else data


def other_shape(random, shape):
    shape = list(shape)
    how = random.randrange(4)
    if how == 0:
        random.shuffle(shape)
    elif how == 1:
        shape.insert(random.randrange(len(shape) + 1), 1)
    elif how == 2:
        shape = [int(np.prod(shape, dtype=int))]
    return shape


def retold_dict(random, told):
    size = np.dtype(told["descr"]).itemsize
    told["descr"] = random.choice(SAME_SIZE.get(size, [told["descr"]]))
    told["fortran_order"] = random.choice([True, False])
    told["shape"] = tuple(other_shape(random, told["shape"]))
    mark, gap = random.choice("'\""), random.choice(["", " "])
    items = [f"{mark}{key}{mark}:{gap}{value!r}" for key, value in told.items()]
    random.shuffle(items)
    return ("{" + ("," + gap).join(items) + random.choice([",", ""]) + "}").encode()


def retold_json(random, told):
    same = [["F32", "I32", "U32"], ["F64", "I64", "U64"], ["F16", "BF16", "I16", "U16"], ["I8", "U8", "BOOL"]]
    for name, tensor in told.items():
        if name != "__metadata__":
            tensor["shape"] = other_shape(random, tensor["shape"])
            tensor["dtype"] = random.choice(next((all for all in same if tensor["dtype"] in all), [tensor["dtype"]]))
    items = list(told.items())
    random.shuffle(items)
    text = json.dumps(dict(items), separators=random.choice([(",", ":"), (", ", ": "), (" ,\n", " :\t")]))
    return text.replace("a", random.choice(["a", "\\u0061"])).encode()


def damaged(random, kind, data):
    if kind != "npz" and random.random() < 0.3:
        return retold(random, kind, data)
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 1, 2, 4])):
        how = random.choice("flip flip flip set splice edit edit edit remove insert".split())
        place = random.randrange(len(data) + 1)
        if how == "flip" and data:
            data[place % len(data)] ^= 1 << random.randrange(8)
        elif how == "set" and data:
            data[place % len(data)] = random.choice([0, 1, 32, 48, 255, random.randrange(256)])
        elif how == "splice":
            other = whole(random, kind)
            begin = random.randrange(len(other))
            piece = other[begin:begin + random.choice([4, 16, 64])]
            data[place:place + len(piece)] = piece
        elif how == "edit":
            data[:] = edited_header(random, kind, bytes(data))
        elif how == "remove":
            del data[place:place + random.choice([1, 4, len(data)])]
        elif how == "insert":
            data[place:place] = random.randbytes(random.choice([1, 4, 8]))
    return bytes(data)


def one_file(random, kind):
    if kind == "npz" and random.random() < 0.5:  # a damaged array in a zip that is whole, with its checksum
        return zipped(random, [damaged(random, "npy", npy_of(random)) for _ in range(random.randrange(1, 3))])
    return damaged(random, kind, whole(random, kind))


# ---- what is read --------------------------------------------------------------------------------------------

REAL = "f4"


def ours(program, files):
    lines = subprocess.run([program], input="\n".join(map(str, files)).encode() + b"\n", capture_output=True)
    found = lines.stdout.splitlines()
    return lines, [json.loads(line) for line in found]


def of_array(array):
    """As ours shows it; what is no number is refused."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        return {"error": f"no numbers: {getattr(array, 'dtype', type(array).__name__)}"}
    with np.errstate(all="ignore"):
        real = np.ascontiguousarray(array.astype(REAL)).reshape(array.shape)
    return {"shape": list(array.shape), "numbers": real.ravel()}


def refused(error):
    return {"error": f"{type(error).__name__}: {error}"}


def theirs(kind, data):
    try:
        if kind == "npy":
            return {"arrays": {"": of_array(np.load(io.BytesIO(data), allow_pickle=False))}}
        if kind == "npz":
            return of_npz(np.load(io.BytesIO(data), allow_pickle=False))
        return {"arrays": {name: of_tensor(tensor) for name, tensor in safetensors.deserialize(data)}}
    except Exception as error:  # whatever a damaged file makes of it
        return refused(error)


def of_npz(archive):
    if not isinstance(archive, np.lib.npyio.NpzFile):
        return {"error": "no zip"}
    arrays = {}
    for name in archive.files:
        try:
            arrays[name] = of_array(archive[name])
        except Exception as error:
            arrays[name] = refused(error)
    return {"arrays": arrays}


DTYPES = {"F64": "f8", "F32": "f4", "F16": "f2", "I64": "i8", "I32": "i4", "I16": "i2", "I8": "i1", "U64": "u8",
          "U32": "u4", "U16": "u2", "U8": "u1", "BOOL": "?"}


def of_tensor(tensor):
    data, dtype, shape = bytes(tensor["data"]), tensor["dtype"], tensor["shape"]
    if dtype == "BF16":
        array = (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4")
    elif dtype in DTYPES:
        array = np.frombuffer(data, np.dtype(DTYPES[dtype]).newbyteorder("<"))
    else:
        return {"error": f"no numbers of NumPy's: {dtype}"}
    return of_array(array.reshape(shape))


# ---- the comparison ------------------------------------------------------------------------------------------


def reason(text, folder):
    """The same for all files with the same fault."""
    text = text.replace(str(folder), "")
    text = re.sub(r"^/?\d+\.\w+: ", "", text)
    text = re.sub(r"'[^']*'|\"[^\"]*\"|b'.*", "'…'", text)
    text = re.sub(r"-?\d+", "N", text)
    return text[:110]


def compare_batch(case, program, kind, count):
    files = []
    for i in range(BATCH):
        files.append(case.folder / f"{i}.{kind}")
        files[-1].write_bytes(one_file(case.random, kind))
    ran, read = ours(program, files)
    command = f"ls *.{kind} | {program}"
    if not case.expect(ran.returncode == 0 and len(read) == len(files),
                       f"ended with {ran.returncode} at file {len(read)}", command):
        return
    for file, mine in zip(files, read):
        compare(case, file, mine, theirs(kind, file.read_bytes()), count)


def compare(case, file, mine, other, count):
    command = f"echo {file.name} | {Path(case.attack.tracer).with_name('read_arrays')}"
    if "error" in mine or "error" in other:
        case.expect("error" in mine or "error" not in other, f"{file.name}: nobody else reads it", command)
        note(count, mine, other, case.folder)
        return
    for name in {**mine["arrays"], **other["arrays"]}:
        left = mine["arrays"].get(name, {"error": "no such array"})
        right = other["arrays"].get(name, {"error": "no such array"})
        case.expect(name in mine["arrays"] or "error" in right, f"{file.name}: '{name}' is left out", command)
        case.expect("error" in left or "error" not in right, f"{file.name}: nobody else reads '{name}'", command)
        if "error" in left or "error" in right:
            note(count, left, right, case.folder)
            continue
        count["read by both", ""] += 1
        numbers = np.frombuffer(bytes.fromhex(left["bits"]), REAL)
        same = left["shape"] == right["shape"] and same_numbers(numbers, right["numbers"])
        case.expect(same, f"{file.name}: both read '{name}', and differ: {left['shape']} and {right['shape']}", command)


def note(count, mine, other, folder):
    if "error" in mine and "error" in other:
        count["read by neither", ""] += 1
    elif "error" in mine:
        count["only theirs", reason(mine["error"], folder)] += 1
    else:
        count["only ours", reason(other["error"], folder)] += 1


def same_numbers(a, b):
    return a.shape == b.shape and bool(np.all((a.view("u4") == b.view("u4")) | (np.isnan(a) & np.isnan(b))))
