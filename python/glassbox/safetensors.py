"""Parameters as safetensors: the header's length, the header in JSON, the numbers. Floats, as the command computes."""
import json
import struct

import numpy as np


def write_safetensors(path, arrays):
    """{name: array}."""
    header, numbers = {}, b""
    for name, array in arrays.items():
        data = np.ascontiguousarray(array, dtype="<f4").tobytes()
        place = [len(numbers), len(numbers) + len(data)]
        header[name] = {"dtype": "F32", "shape": list(np.shape(array)), "data_offsets": place}
        numbers += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + numbers)


def read_safetensors(path):
    """{name: array} of a file that the command wrote."""
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        header, numbers = json.loads(file.read(length)), file.read()
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            dtype = {"F32": "<f4", "F64": "<f8"}[entry["dtype"]]
            arrays[name] = np.frombuffer(numbers[begin:end], dtype).reshape(entry["shape"])
    return arrays
