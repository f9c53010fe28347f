"""What a function is tried on: the command's probe, which tells a layer's mistakes apart, or the caller's own
arrays."""
import functools

import numpy as np

from . import engine
from .options import as_words, options_of_layer
from .wording import in_python
from .workspace import Workspace

TABLES = 12  # of what writes by one
FILES = ("--input", "--weights", "--save-weights")
MASKING = ("--mask", "--lengths", "--memory-lengths", "--target-lengths")


def without(words, flags):
    """The words of a command line without these options; each is followed by its value, or has it after a `=`."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in flags:
            skip = True
        elif word.partition("=")[0] not in flags:
            kept.append(word)
    return kept


def value_of(words, flag):
    """The value of an option in the words of a command line, or None."""
    for place, word in enumerate(words):
        if word.startswith(flag + "="):
            return word.partition("=")[2]
        if word == flag and place + 1 < len(words):
            return words[place + 1]
    return None


class Case:
    """A layer, its options as words, its inputs and weights, and the mask that the function is given."""
    def __init__(self, layer, words, inputs, weights, mask=None, of_keys=False, order=None, has_ones=False):
        self.layer, self.words, self.inputs, self.weights, self.mask = layer, words, inputs, weights, mask
        self.of_keys = of_keys  # the function is given the mask's first row: one for all queries
        self.order = order  # (module_names.fused, of ORDERS): whose rows are read in another order
        self.has_ones = has_ones  # at the end of each x, for biases that are rows of W_Q, W_K and W_V

    def changed(self, **parts):
        """The same with another part."""
        return Case(
            **{
                "layer": self.layer, "words": self.words, "inputs": self.inputs, "weights": self.weights,
                "mask": self.mask, "of_keys": self.of_keys, "order": self.order, "has_ones": self.has_ones,
                **parts
            })

    def unmasked(self):
        """For a function that takes no mask: every key is seen."""
        return self.changed(words=without(self.words, MASKING), mask=None)

    def heads(self):
        """How many the layer has; None where it has no heads."""
        text = value_of(self.words, "--heads") or options_of_layer(self.layer).get("heads", "")
        return int(text) if text.isdigit() else None

    def lengths(self, flag="--lengths"):
        """How many positions of each entry of the batch are no padding, as an array; None if nothing is padded."""
        text = value_of(self.words, flag)
        return None if text is None else np.array([int(each) for each in text.split(",")])

    def place(self, workspace):
        """Writes what the command reads; the words that name it all."""
        words = list(self.words)
        of_head = self.weights if "W_Q" in self.weights else {}  # which the command takes as inputs beside x
        if self.inputs:
            words += ["--input", workspace.write("input.npz", {**self.inputs, **of_head})]
        if self.weights and not of_head:
            words += ["--weights", workspace.write("weights.npz", self.weights)]
        if self.mask is not None and not any(word.partition("=")[0] in MASKING for word in words):
            words += ["--mask", workspace.write("mask.npz", {"mask": self.mask})]
        return words

    def named(self, steps, workspace):
        """With the result's name where it has none."""
        result = self.result_name(workspace) if "" in steps else ""
        return {name or result: array for name, array in steps.items()}

    def result_name(self, workspace):
        """The step that is the layer's result."""
        engine.run([self.layer, *self.place(workspace), "-o", "names.npz"], workspace.path)
        return list(workspace.read("names.npz"))[-1]


def more_sequences_than_heads(layer, words):
    """The probe has three of either, and one axis may be taken for the other: a mask of each sequence for one of each head."""
    options = options_of_layer(layer)
    has_both = "heads" in options and "batch" in options and "dk" not in options
    is_said = any(value_of(words, flag) is not None for flag in ("--batch", "--lengths", "--memory-lengths"))
    heads = value_of(words, "--heads")
    if has_both and heads == "5" and "seq" in options and value_of(words, "--seq") is None and not is_said:
        return [*words, "--seq=6"]  # nor as many positions as heads
    return [*words, "--batch=4"] if has_both and not is_said and heads in (None, "3") else words


def probe_with(layer, words, weights):
    """A probe for parameters that are there: sizes follow from them."""
    with Workspace() as folder:
        case = _probe.__wrapped__(layer, (*words, "--weights", str(folder.path / folder.write("weights.npz", weights))))
    return case.changed(weights=weights)


@functools.lru_cache(maxsize=64)
def _probe(layer, words):
    with Workspace() as folder:
        answer = engine.run(["probe", layer, *words, "--format", "json", "-o", "probe.npz"], folder.path).as_json
        arrays = folder.read("probe.npz")
    check = answer["words"][3:-1]  # after tracer check LAYER, before FILE
    weights = {name: arrays[name] for name in answer["parameters"]}
    inputs = {name: arrays[name] for name in answer["inputs"] if name != "mask"}
    return Case(layer, without(check, FILES), inputs, weights, arrays.get("mask"))


@functools.lru_cache(maxsize=64)
def has_other_input(layer):
    """Whether one input cannot show all of the layer's mistakes."""
    with Workspace() as folder:
        return engine.run(["probe", layer, "--format", "json", "-o", "probe.npz"], folder.path).as_json["other"]


def other_input(layer, words):
    """The arrays of the second one."""
    with Workspace() as folder:
        words = ["probe", layer, *words, "--other", "--format", "json", "-o", "probe.npz"]
        inputs = engine.run(words, folder.path).as_json["inputs"]
        arrays = folder.read("probe.npz")
    return {name: arrays[name] for name in inputs}


def other_tables(inputs):
    """More of what follows each token, for what writes by it: with scores above and below 0, where a penalty acts otherwise,
    and with scores that are close, where the best first word is often not the best beginning."""
    for seed in range(TABLES):
        spread = 1.5 if seed % 2 else 0.4
        drawn = np.random.default_rng(seed).normal(size=inputs["table"].shape) * spread + (seed % 3 - 1) * 4
        yield {**inputs, "table": drawn.astype(np.float32)}


def probe(layer, **options):
    """The arrays that `tracer probe LAYER` makes, and the options that check what is computed from them."""
    with in_python("probe", layer, options):
        return probe_of(layer, as_words(options))


def probe_of(layer, words):
    case = _probe(layer, tuple(words))
    copies = [{name: array.copy() for name, array in part.items()} for part in (case.inputs, case.weights)]
    return case.changed(words=list(case.words), inputs=copies[0], weights=copies[1])
