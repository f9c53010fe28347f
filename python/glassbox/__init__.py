"""Glassbox from Python: every number of a Transformer, and what is wrong with yours. The command `tracer` computes."""
from .check import check
from .errors import Error, WrongNumbers
from .probing import probe
from .result import Result
from .steps_of import named
from .tracing import Step, Steps, trace

__all__ = ["Error", "Result", "Step", "Steps", "WrongNumbers", "check", "named", "probe", "trace"]
