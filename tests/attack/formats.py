"""Minimal readers and writers of safetensors, npy and npz that can also write invalid files."""

import io
import json
import struct
import zipfile
import zlib


def parse_safetensors(data):
    """(header as a dict, data), or an exception."""
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8:8 + length]), data[8 + length:]


def with_header(header, data=b""):
    """A safetensors file with this header: a dict, or bytes used as they are."""
    if isinstance(header, dict):
        header = json.dumps(header, ensure_ascii=False).encode("utf-8", "surrogateescape")
        header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + data


def without_checksums(header):
    """The header without the checksums that would detect a changed file."""
    metadata = header.get("__metadata__", {})
    kept = {key: value for key, value in metadata.items() if not key.startswith("glassbox.crc32c")}
    return {**header, "__metadata__": kept}


def safetensors(tensors, metadata=None):
    """{name: shape} as tensors of zeros, or {name: (dtype, shape, byte count)}."""
    header, offset = ({"__metadata__": metadata} if metadata else {}), 0
    for name, shape in tensors.items():
        dtype, size = "F32", 4
        if shape and isinstance(shape[0], str):
            dtype, shape, size = shape
        else:
            for length in shape:
                size *= length
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    return with_header(header, bytes(offset))


def npy(shape=(2, 2), descr="<f4", header=None, data=None):
    """An array of zeros. `header` replaces its header."""
    if header is None:
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    if isinstance(header, str):
        header = header.encode("utf-8", "surrogateescape")
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    size = 4
    for length in shape:
        size *= length
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(header)) + header + (bytes(size) if data is None else data)


def npz(arrays):
    """{name: bytes of an npy}, stored. Names may be bytes, which zipfile would not write."""
    directory, body = b"", io.BytesIO()
    for name, data in arrays.items():
        name = (name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")) + b".npy"
        common = struct.pack("<HHHHHIIIHH", 20, 0x800, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(name), 0)
        place = struct.pack("<HHHII", 0, 0, 0, 0, body.tell())
        directory += b"PK\1\2" + struct.pack("<H", 20) + common + place + name
        body.write(b"PK\3\4" + common + name + data)
    end = struct.pack("<HHHHIIH", 0, 0, len(arrays), len(arrays), len(directory), body.tell(), 0)
    return body.getvalue() + directory + b"PK\5\6" + end


def npz_of_zeros(path, name, shape):
    """A large array in a small file."""
    header = npy(shape, data=b"")
    left = 4
    for length in shape:
        left *= length
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open(name + ".npy", "w", force_zip64=True) as file:
            file.write(header)
            block = bytes(1 << 24)
            while left:
                left -= file.write(block[:min(left, len(block))])
