"""Makes tests/golden/train/events.json: the records that TensorBoard's and PyTorch's writers make of scalars.

    pip install tensorboard torch numpy
    python tests/golden/make_events.py

Each record is kept as hex, framed as it stands in the file, beside what it says. Times are fixed.
"""

import json
import pathlib
import struct
import tempfile

import tensorboard
import torch
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from torch.utils.tensorboard import SummaryWriter

OUT = pathlib.Path(__file__).parent / "train"
VERSIONS = {"tensorboard": tensorboard.__version__, "torch": torch.__version__}
TIME = 1700000000.125
SCALARS = [  # step, scalars
    (1, [("loss/train", 2.302585)]),
    (50, [("loss/train", 0.1), ("accuracy/train", 0.0), ("learning_rate", 5e-4), ("gradient_norm", 1e30)]),
    (127, [("loss/validation", float("inf"))]),
    (128, [("loss/validation", -float("inf")), ("accuracy/validation", 1.0)]),
    (16384, [("loss/validation", -0.0)]),
    (2**40, [("größe/λ", 1e-45)]),
    (0, [("x" * 300, 3.0)]),
]


def records(path):
    """The file's records, split by their lengths."""
    raw, at, result = path.read_bytes(), 0, []
    while at < len(raw):
        length = struct.unpack_from("<Q", raw, at)[0]
        result.append(raw[at:at + length + 16])
        at += length + 16
    return result


def only_file(folder):
    (path,) = pathlib.Path(folder).iterdir()
    return path


def by_tensorboard():
    """One event with all scalars of a step; a session start, as written by a resumed run."""
    with tempfile.TemporaryDirectory() as folder:
        writer = EventFileWriter(folder)
        for step, scalars in SCALARS:
            values = [summary_pb2.Summary.Value(tag=tag, simple_value=value) for tag, value in scalars]
            writer.add_event(event_pb2.Event(wall_time=TIME, step=step, summary=summary_pb2.Summary(value=values)))
        log = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
        writer.add_event(event_pb2.Event(wall_time=TIME, step=391, session_log=log))
        writer.close()
        version, *rest = records(only_file(folder))
    event = event_pb2.Event.FromString(version[12:-4])
    return version, event.wall_time, rest[:-1], rest[-1]


def by_torch():
    """One event for each scalar."""
    with tempfile.TemporaryDirectory() as folder:
        writer = SummaryWriter(folder)
        for step, scalars in SCALARS:
            for tag, value in scalars:
                writer.add_scalar(tag, value, step, walltime=TIME)
        writer.close()
        return records(only_file(folder))[1:]


def number(value):
    return value if abs(value) != float("inf") else "Infinity" if value > 0 else "-Infinity"


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    version, version_time, several, restart = by_tensorboard()
    single = by_torch()
    cases = [{"step": step, "scalars": [[tag, number(value)] for tag, value in scalars], "hex": record.hex()}
             for (step, scalars), record in zip(SCALARS, several, strict=True)]
    pairs = [(step, scalar) for step, scalars in SCALARS for scalar in scalars]
    cases += [{"step": step, "scalars": [[tag, number(value)]], "hex": record.hex()}
              for (step, (tag, value)), record in zip(pairs, single, strict=True)]
    content = {"versions": VERSIONS, "wall_time": TIME, "version_time": version_time, "version_hex": version.hex(),
               "restart": {"step": 391, "hex": restart.hex()}, "cases": cases}
    (OUT / "events.json").write_text(json.dumps(content, indent=0, ensure_ascii=False) + "\n")
