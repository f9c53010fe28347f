"""Keyword arguments, sorted into the command's options, inputs and a mask: heads=4 becomes --heads 4."""
import functools
import re

import numpy as np

from . import engine
from .arrays import is_array, to_numpy
from .errors import Error

# The arrays that the command's --input takes by name.
INPUTS = ("Q", "K", "V", "x", "memory", "source", "target", "time", "logits", "labels", "gradient", "before",
          "m_before", "v_before", "n", "W_Q", "W_K", "W_V", "W_q", "W_k", "v")
# Those of one layer or of two: elsewhere nothing would read them.
OF_FEW = ("table", "prompt", "tokens", "gradients", "left", "series", "translation", "reference", "kept", "words", "counts", "text")
# What the command writes into files of its own.
WRITTEN = ("save_weights", "output", "o", "map", "figure")


def is_numbers(value):
    """A list of numbers, or of lists of them."""
    return is_array(value) or (isinstance(value, (list, tuple)) and len(value) > 0)


def is_of_option(name, value):
    """What an option of this name takes, and not the input: a prompt as tokens in a row, and words."""
    is_flat = np.ndim(to_numpy(value, name)) < 2 if is_array(value) else not isinstance(value[0], (list, tuple))
    is_of_text = isinstance(value, (list, tuple)) and isinstance(value[0], str)
    return is_of_text or (name == "prompt" and is_flat)


def word_of(value):
    """As the command line has it."""
    if isinstance(value, (list, tuple)):
        return ",".join(str(each) for each in value)
    if is_array(value):
        return ",".join(str(each) for each in to_numpy(value).ravel().tolist())
    return str(value)


def flag_of(name):
    return "--" + name.strip("_").replace("_", "-")


def as_words(options):
    """["--heads", "4", "--no-bias"]; False and None say nothing."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append(flag_of(name) if value is True else f"{flag_of(name)}={word_of(value)}")
    return words


def keyword(flag):
    return flag[2:].replace("-", "_")


@functools.lru_cache(maxsize=None)
def options_of_layer(layer):
    """The command's options for a layer as keywords, each with its default as the help has it; "" without one."""
    found, last = {}, ""
    for line in engine.run([layer, "--help"]).text.splitlines():
        flag = re.match(r" {1,8}(?:-[a-z], )?(--[a-z][a-z0-9-]*)", line)  # further in, a sentence names another one
        last = keyword(flag[1]) if flag else last
        if flag:
            found[last] = ""
        default = re.search(r"\[default: ([^\]]*)\]", line)
        if default and last:
            found[last] = default[1]
    return found


class Asked:
    """What the caller's keywords ask for."""
    def __init__(self, keywords):
        self.inputs, self.options, self.mask, self.ignored = {}, {}, None, None  # ignored: the label of what does not count
        for name, value in keywords.items():
            if name == "mask" and is_numbers(value):
                self.mask = to_numpy(value, "mask")
            elif name in INPUTS + OF_FEW and is_numbers(value) and not is_of_option(name, value):
                self.inputs[name] = to_numpy(value, name)
            elif is_array(value) and value.shape and not name.endswith("lengths") and name != "prompt":
                raise Error(f"{name}: no input has this name; the inputs are {', '.join(INPUTS)} and mask")
            else:
                self.options[name] = value

    def words(self, layer):
        for name, value in self.options.items():
            if name in WRITTEN:
                raise Error(f"{name}: a file that the command writes; from Python there are steps[\"NAME\"], "
                            "steps.map() and steps.page()")
            if (value is None or value is False) and name not in options_of_layer(layer):  # says nothing, but of what?
                raise Error(f"{layer}: no option {flag_of(name)}")
        return as_words(self.options)
