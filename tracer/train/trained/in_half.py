"""in_half.py WEIGHTS OUT: a file of weights in half precision, with each tied tensor once."""

import json
import struct
import sys
from pathlib import Path


def main(weights, out):
    data = Path(weights).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header, numbers = json.loads(data[8:8 + size]), data[8 + size:]
    kept, seen, written = {"__metadata__": header.pop("__metadata__")}, set(), b""
    kept["__metadata__"].pop("glassbox.crc32c", None)  # of the numbers before
    for name, tensor in sorted(header.items(), key=lambda each: each[1]["data_offsets"]):
        begin, end = tensor["data_offsets"]
        values = numbers[begin:end]
        if tensor["dtype"] != "F32":
            sys.exit(f"{weights}: {name} is {tensor['dtype']}, expected F32")
        if len(tensor["shape"]) > 1 and values in seen:
            continue
        seen.add(values)
        count = (end - begin) // 4
        half = struct.pack(f"<{count}e", *struct.unpack(f"<{count}f", values))
        kept[name] = {"dtype": "F16", "shape": tensor["shape"], "data_offsets": [len(written), len(written) + len(half)]}
        written += half
    text = json.dumps(kept, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    Path(out).write_bytes(struct.pack("<Q", len(text)) + text + written)


if __name__ == "__main__":
    main(*sys.argv[1:])
