"""Glassbox from Python: every number of a Transformer, and what is wrong with yours. The command `tracer` computes."""
from .check import check
from .errors import Error, WrongNumbers
from .probing import probe
from .result import Result
from .steps_of import named

__all__ = ["Error", "Result", "WrongNumbers", "check", "named", "probe"]
