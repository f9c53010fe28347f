"""Makes tests/golden/io/: files written by real NumPy, zipfile and safetensors, and their contents.

    pip install numpy torch safetensors
    python tests/golden/make_io.py

npy_cases.json keeps small .npy files as hex beside their shape and values; archives.json says what the .npz and
.safetensors files hold. Numbers that JSON lacks are written as "NaN", "Infinity", "-Infinity".
"""

import io
import json
import math
import pathlib
import warnings
import zipfile

import numpy as np
import safetensors
import safetensors.numpy
import safetensors.torch
import torch

OUT = pathlib.Path(__file__).parent / "io"
CORPUS = pathlib.Path(__file__).parent.parent / "fuzz" / "corpus"
VERSIONS = {"numpy": np.__version__, "torch": torch.__version__, "safetensors": safetensors.__version__}


def number(value):
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def described(array):
    return {"shape": list(array.shape), "values": [number(v) for v in np.asarray(array, order="C").ravel()]}


def npy(array, version=None):
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # version 3 warns that it needs a NumPy of 2019
        np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def edge_values(dtype):
    if dtype.kind == "f":
        edges = [0, -0.0, 1, -2.5, 0.1, np.finfo(dtype).max if dtype.itemsize < 8 else 1e38,
                 np.finfo(dtype).tiny, np.finfo(dtype).smallest_subnormal, np.nan, np.inf, -np.inf, 3]
    elif dtype.kind == "b":
        edges = [0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1]
    else:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        edges = [low, high, high - 1, low + 1, 0, 1, 2, 3, 100, 101, 7, 9]
    return np.array(edges).astype(dtype) if dtype.kind == "f" else np.array(edges, dtype=dtype)


def npy_cases():
    for kind in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"]:
        for order in "<>":
            array = edge_values(np.dtype(order + kind)).reshape(3, 4)
            yield f"{order}{kind} row-major", npy(array), array
            yield f"{order}{kind} Fortran", npy(np.asfortranarray(array)), array
    for version in [(1, 0), (2, 0), (3, 0)]:
        array = np.arange(6, dtype="<f4").reshape(2, 3)
        yield f"version {version[0]}", npy(array, version), array
    for shape in [(), (0,), (1,), (3, 0, 2), (2, 3, 4), (1, 2, 1, 2, 1, 2, 1, 3)]:
        array = np.arange(math.prod(shape), dtype="<f4").reshape(shape)
        yield f"shape {shape}", npy(array), array
        yield f"shape {shape} Fortran", npy(np.asfortranarray(array).reshape(shape, order="A")), array
    sliced = np.arange(24, dtype="<f4").reshape(4, 6)[::2, 1::2]
    yield "sliced", npy(sliced), sliced


def refused_cases():
    record = np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f4")])
    accented = np.array([(1, 2.0)], dtype=[("é", "<i4"), ("漢", "<f4")])
    objects = io.BytesIO()
    np.save(objects, np.array([None, {}], dtype=object), allow_pickle=True)
    yield "text", npy(np.array(["ab", "c"])), "text"
    yield "byte strings", npy(np.array([b"ab"])), "byte strings"
    yield "complex", npy(np.array([1j], dtype="<c8")), "complex numbers"
    yield "dates", npy(np.array(["2020-01-01"], dtype="<M8[D]")), "dates and times"
    yield "long double", npy(np.frombuffer(bytes(16), dtype=np.longdouble)), "a float of unknown size"
    yield "raw bytes", npy(np.zeros(1, dtype="V2")), "raw bytes"
    yield "record", npy(record), "records"
    yield "record with names beyond ASCII (version 3)", npy(accented), "records"
    yield "objects", objects.getvalue(), "Python objects"


class OneWay(io.RawIOBase):
    """A pipe: zipfile cannot seek in it, so sizes follow the data."""

    def __init__(self):
        self.bytes = bytearray()

    def writable(self):
        return True

    def write(self, piece):
        self.bytes += piece
        return len(piece)


ARRAYS = {
    "Q": np.array([[1, 2], [3, 4], [5, 6]], dtype="<f4"),
    "encoder/0/self_attn/logits": np.arange(8, dtype=">f8").reshape(2, 2, 2),
    "ordered": np.asfortranarray(np.arange(6, dtype="<i8").reshape(2, 3)),
    "λ": np.array(0.5, dtype="<f2"),
    "empty": np.zeros((0, 3), dtype="<f4"),
    "flags": np.array([True, False]),
}


def archives():
    np.savez(OUT / "savez.npz", **ARRAYS)
    yield "savez.npz", ARRAYS
    np.savez_compressed(OUT / "savez_compressed.npz", **ARRAYS)
    yield "savez_compressed.npz", ARRAYS
    np.savez(OUT / "with_text.npz", version=np.array("numpy " + np.__version__), Q=ARRAYS["Q"])
    yield "with_text.npz", {"Q": ARRAYS["Q"]}

    pipe = OneWay()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"a comment at the end"
        for name, array in ARRAYS.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), npy(array), zipfile.ZIP_DEFLATED)
    (OUT / "streamed_with_comment.npz").write_bytes(pipe.bytes)
    yield "streamed_with_comment.npz", ARRAYS

    with zipfile.ZipFile(OUT / "bzip2_member.npz", "w") as archive:
        archive.writestr(zipfile.ZipInfo("packed.npy"), npy(ARRAYS["Q"]), zipfile.ZIP_BZIP2)
        archive.writestr(zipfile.ZipInfo("Q.npy"), npy(ARRAYS["Q"]), zipfile.ZIP_STORED)
    yield "bzip2_member.npz", {"Q": ARRAYS["Q"]}


def safetensors_files():
    kinds = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64,
             "I8": torch.int8, "I16": torch.int16, "I32": torch.int32, "I64": torch.int64, "U8": torch.uint8,
             "U16": torch.uint16, "U32": torch.uint32, "U64": torch.uint64, "BOOL": torch.bool}
    tensors = {name: torch.tensor([[0, 1, 2], [3, 100, 7]]).to(kind) for name, kind in kinds.items()}
    tensors["fractions"] = torch.tensor([0.1, -3.140625, 1e30, float("inf")], dtype=torch.bfloat16)
    tensors["scalar"] = torch.tensor(2.5)
    tensors["empty"] = torch.zeros(0, 3)
    tensors["encoder.0.λ"] = torch.arange(24.0).reshape(1, 2, 1, 3, 1, 4)
    safetensors.torch.save_file(tensors, OUT / "torch.safetensors", metadata={"note": 'quoted "π"'})
    yield "torch.safetensors", {name: tensor.double().numpy() for name, tensor in tensors.items()}

    safetensors.numpy.save_file({"Q": ARRAYS["Q"]}, OUT / "numpy.safetensors")
    yield "numpy.safetensors", {"Q": ARRAYS["Q"]}
    small = {"weight": torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn)}
    safetensors.torch.save_file(small, OUT / "float8.safetensors")


def seed(target, name, raw):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(raw)


def write_corpus(cases):
    """The seed corpus of the fuzzers: one file of each kind."""
    wanted = ["<f4 row-major", ">f8 Fortran", "<f2 row-major", ">i8 Fortran", "<u2 row-major", "version 2",
              "version 3", "shape ()", "shape (3, 0, 2)", "shape (1, 2, 1, 2, 1, 2, 1, 3) Fortran"]
    for number, name in enumerate(wanted):
        seed("npy", f"{number}.npy", cases[name])
        seed("npz", f"{number}.npy", cases[name])
    for target, ending in (("npz", "*.npz"), ("safetensors", "*.safetensors")):
        for file in OUT.glob(ending):
            seed(target, file.name, file.read_bytes())


def write(name, content):
    (OUT / name).write_text(json.dumps({"versions": VERSIONS, **content}, indent=0, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    read = [{"name": name, "hex": raw.hex(), **described(array)} for name, raw, array in npy_cases()]
    refused = [{"name": name, "hex": raw.hex(), "reason": reason} for name, raw, reason in refused_cases()]
    write("npy_cases.json", {"read": read, "refused": refused})
    held = {}
    for source in (archives(), safetensors_files()):
        for file, arrays in source:
            held[file] = {name: described(array) for name, array in arrays.items()}
    write("archives.json", {"files": held})
    for file in OUT.iterdir():
        file.chmod(0o644)
    write_corpus({name: raw for name, raw, _ in npy_cases()})
