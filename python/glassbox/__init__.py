"""Glassbox from Python: every number of a Transformer, and what is wrong with yours. The command `tracer` computes."""
from .check import check
from .errors import Error, WrongNumbers
from .probing import probe
from .recording import Comparison, Recorder, compare, record
from .result import Result
from .steps_of import named
from .tracing import Step, Steps, trace

__all__ = [
    "Comparison", "Error", "Recorder", "Result", "Step", "Steps", "WrongNumbers", "check", "compare", "named", "probe",
    "record", "trace"
]
