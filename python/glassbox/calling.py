"""Calls a user's function on a case, in the ways that functions want their arrays, until it takes them."""
import contextlib
import copy
import functools
import inspect
import itertools
import linecache
import os
import re
import sys
import traceback

import numpy as np

from . import ends, engine, given_values, head_axes, mask_results, one_step, prompt_forms
from .arrays import FRAMEWORKS, framework_of, is_array, to_numpy
from .errors import Error
from .guesses import shaken
from .judging import refuse_too_many
from .module_names import readings
from .names import parts_of_weights
from .optimiser_state import Looked, state_of
from .options import flag_of, options_of_layer
from .probing import value_of
from .scalars import number
from .signature import AVERAGES, MEMORY_MASK, SIZES, STATE_WORDS, THREE_IN_ONE, Fixed, Part, Three, Weights, is_turned, is_word, part_name, plain, size_of
from .steps_of import Unnamed, as_steps, collecting, looks_like
from .workspace import Workspace

PACKAGE = os.path.dirname(os.path.abspath(__file__))
NEAR_ENOUGH, NEAR_ENOUGH_IN_HALF = 2e-5, 2e-2  # to choose a way to call; what is right the command decides


# What is added where a key is hidden. As a reading that nobody asked for, a large number first, beside which less than
# that shows. What only asks whether it is 0 does not tell -0.25 from it, and adds nothing.
ADDED = {"add": -np.inf, "add much": -1e9, "add little": -0.25}


HEADS = ("head", "head behind")
SECOND_OF_HEADS = "second, head behind"
BEHIND = ("head behind", SECOND_OF_HEADS)
SECOND = ("second", SECOND_OF_HEADS)
CHANNELS = ("channels", "channels of heads")  # before the positions
# Of (batch, head, position, width) the axes as a function has them.
AXES = {"head": (0, 1, 2, 3), "head behind": (0, 2, 1, 3), SECOND_OF_HEADS: (2, 0, 1, 3), "channels of heads": (0, 1, 3, 2)}


class Way:
    """How a function is given its arrays."""
    def __init__(self, batch="whole", mask_axis=False, mask_dtype="bool", mask_means="keep", of_keys=False,
                 layout="named", mask_last=False):
        # "whole", "one": an entry at a time, "head": with an axis of one head, before the sequence or, "head behind", behind
        # it; "second": the batch behind the sequence; "second, head behind": both
        self.batch = batch
        self.mask_axis = mask_axis  # an axis for the heads, as the arrays have it; None: even so it has none
        self.mask_dtype, self.mask_means = mask_dtype, mask_means
        self.of_keys = of_keys  # one row for all queries, and no axis for them
        self.layout = layout  # of matrices: as their names say, or all (out, in) or (in, out); of head_axes.LAYOUTS
        self.mask_last = mask_last  # the batch is the mask's last axis: (query, key, batch)

    def has_head(self):
        return self.batch in (*HEADS, *BEHIND, "channels of heads")

    def turned(self, array, path=""):
        """An array of the layer as the function has it, or back: (batch, position, width)."""
        array = with_batch_second(array, path) if self.batch in SECOND else array
        return with_channels_first(array, path) if self.batch in CHANNELS else array

    def with_mask(self, means, dtype=None):
        """The same with a mask of another meaning."""
        return Way(self.batch, self.mask_axis, dtype or self.mask_dtype, means, self.of_keys, self.layout, self.mask_last)

    def mask(self, mask):
        mask = np.asarray(mask) != 0
        if self.of_keys:
            mask = mask[..., 0, :]
        elif self.mask_last and mask.ndim > 2:
            mask = np.ascontiguousarray(np.moveaxis(mask, 0, -1))
            mask = mask[..., None] if self.has_head() else mask
        elif self.mask_axis is not None and (self.mask_axis or self.has_head()) and mask.ndim > 2:
            mask = np.expand_dims(mask, -3)
        if self.mask_means in ADDED:
            return np.where(mask, 0, ADDED[self.mask_means]).astype(np.float32)
        mask = ~mask if self.mask_means == "hide" else mask
        return mask if self.mask_dtype == "bool" else mask.astype(np.float32)


def ways(takes_mask, means, batch, case, layouts=("named", ), of_heads=()):
    """From the most usual one on; matrices with an axis for the heads, `of_heads`, behind those without."""
    has_heads = any(name in "QKV" and array.ndim > 3 for name, array in case.inputs.items())
    said = {True: ["whole"], False: ["one"], "second": SECOND, "channels": CHANNELS, "heads": ["whole", *list(AXES)[1:]]}
    said.update({each: [each if each in list(AXES)[1:] else "whole"] for each in AXES})
    batches = said.get(batch, ["whole", *HEADS, "one"])
    masks = [(False, "bool"), (True, "bool"), (False, "float"), (True, "float")] if takes_mask else [(False, "bool")]
    masks += [(None, "bool"), (None, "float")] if takes_mask and not case.of_keys else []
    lasts = [False, True] if takes_mask and not case.of_keys else [False]
    batches = ["whole"] if "labels" in case.inputs else ["whole", "one"] if "n" in case.inputs else batches
    for each, own, last, (axis, dtype) in itertools.product(batches, filter(None, (layouts, of_heads)), lasts, masks):
        has_axis = has_heads and takes_mask and not case.of_keys
        if axis is None and not (has_heads or Way(each).has_head()):
            continue
        if (axis and case.of_keys) or (axis is False and has_axis) or (has_heads and each in ("head", "second", "channels")):
            continue
        if last and (axis or each not in SECOND):
            continue
        if each in (*BEHIND, "channels of heads") and not {"Q", "K", "V"} <= set(case.inputs):
            continue
        for layout in own:
            yield Way(each, axis, dtype, means, case.of_keys, layout, last)


class Raised(Exception):
    """What went wrong inside the function, or with what it gave back: no error of the caller's."""

    @classmethod
    def inside(cls, function, problem, given=""):
        """Told with the function's own line, and what it was given."""
        return cls(told(function, problem) + given)


class Unclear(Raised):
    """Which steps it gave back: only the caller knows."""


class OtherAxes(Raised):
    """It fails because what it is given has another number of axes: only the caller knows which it wants."""

    @classmethod
    def of(cls, function, problem, given):
        """None where it fails for anything else."""
        arrays = head_axes.counted_wrong(problem, given)
        told_arrays = ", ".join(f"{name} {shape}" for name, shape in arrays.items())
        return cls(f"{told(function, problem)}\n  It wants another number of axes of what it is given: {told_arrays}. Check a function "
                   "around it that hands these on in the form that it wants") if arrays else None


def told(function, problem):
    """attention: line 7 of mine.py: TypeError: …, and the line."""
    frames = [each for each in traceback.extract_tb(problem.__traceback__) if not each.filename.startswith(PACKAGE)]
    code = getattr(getattr(function, "forward", function), "__code__", None)
    own = [each for each in frames if code is not None and each.filename == code.co_filename] or [
        each for each in frames if "site-packages" not in each.filename and "dist-packages" not in each.filename
    ]
    name = getattr(function, "__name__", type(function).__name__)
    what = f"{type(problem).__name__}: {problem}"
    if isinstance(problem, SystemExit):
        what = "it ends the program there instead of returning its result"
    if not own:
        return f"{name}: {what}"
    frame = own[-1]
    line = (frame.line or linecache.getline(frame.filename, frame.lineno)).strip()
    return f"{name}: line {frame.lineno} of {os.path.basename(frame.filename)}: {what}" + (f"\n    {line}"
                                                                                           if line else "")


IN_PLACE = {"clip": "gradient", "adam": "before"}  # what functions for these layers change


class Parameters(np.ndarray):
    """Several parameters: an array with a row for each, a list of them, and a dictionary. What a loop over them gives is a
    parameter, or of a dictionary its key: a row is the key of the rows at its place."""
    def keys(self):
        return [f"p{i}" for i in range(len(self))]

    def values(self):
        return list(np.asarray(self))

    def items(self):
        return list(zip(self.keys(), self.values()))

    def __contains__(self, key):
        return key in self.keys() if isinstance(key, str) else super().__contains__(key)

    def __getitem__(self, key):
        return super().__getitem__(place_of(key))

    def __setitem__(self, key, value):
        super().__setitem__(place_of(key), value)


OF_PARAMETERS = ("parameters", "params", "modelparameters", "parameterlist", "paramlist")


def with_gradients(gradients):
    """A tensor for each row, which is its gradient."""
    import torch
    parameters = [torch.zeros_like(row, requires_grad=True) for row in gradients]
    for parameter, row in zip(parameters, gradients):
        parameter.grad = row.clone()
    return parameters


def place_of(key):
    """Of a parameter's name, or of one that a loop has given, its number."""
    if isinstance(key, str):
        return int(key[1:])
    is_row = isinstance(key, Parameters) and key.ndim == 1 and key.dtype.kind == "f" and isinstance(key.base, np.ndarray)
    if not is_row or key.base.ndim != 2:
        return key
    (row, _), (first, _) = key.__array_interface__["data"], key.base.__array_interface__["data"]
    return (row - first) // key.base.strides[0]


def rows_of(value):
    """Parameters, or a dictionary of them, as an array again, also within a tuple."""
    if isinstance(value, (tuple, list)) and any(isinstance(each, (dict, Parameters)) for each in value):
        return type(value)(rows_of(each) for each in value)
    if isinstance(value, Parameters):
        return np.asarray(value)
    if isinstance(value, list) and len(value) > 1 and type(value[0]).__module__ == "torch":
        import torch
        return torch.stack(value) if len({tuple(each.shape) for each in value}) == 1 else value
    is_of_rows = isinstance(value, dict) and value and all(re.fullmatch(r"p\d+", str(key)) for key in value)
    return np.stack([value[f"p{i}"] for i in range(len(value))]) if is_of_rows else value


def leaves_as_rows(value):
    """A list of JAX' arrays as one array, also within a tuple."""
    if type(value) is tuple:
        return tuple(map(leaves_as_rows, value))
    if not isinstance(value, list) or not value or any(framework_of(each) != "jax" for each in value):
        return value
    import jax
    return jax.numpy.stack(value) if len({each.shape for each in value}) == 1 else value


def without_prompt(written, prompt, right):
    """What was written, of a sequence that perhaps begins with the prompt or its last token, and has an axis for a batch."""
    flat = written.reshape(-1) if written.ndim < 2 or written.shape[0] == 1 else written
    ahead = flat.size - right.size if flat.ndim == 1 else 0
    begins = prompt is not None and 0 < ahead <= prompt.size and np.array_equal(flat[:ahead], prompt.reshape(-1)[-ahead:])
    return flat[ahead:] if begins else flat


WORDS = ("translation", "reference")


REFERENCES = ("references", "refs", "listofreferences")


def is_of_lists(function):
    """Whether a function of BLEU loops over several references, as nltk's does: "for reference in references"."""
    try:
        text = inspect.getsource(inspect.unwrap(function))
    except (OSError, TypeError):
        return True
    return re.search(r"for\s+\w*ref\w*\s+in\s+\w*ref|len\(\w+\)\s+for\s+\w+\s+in\s+ref|refs?\[0\]|references\[0\]", text) is not None


class Words(list):
    """A sentence as a list of words' numbers, and as a text that can be split."""
    def split(self, *_):
        return [str(each) for each in self]

    def tolist(self):
        return list(self)


class Table(np.ndarray):
    """A decoder's table, which is a model too: called with ids (…, n) it gives the logits (…, n, V)."""
    def __call__(self, ids, *_, **__):
        return np.asarray(self)[np.asarray(ids).astype(int)]


def as_model(table, framework):
    """A table of logits that can also be called as the model that it is."""
    if framework == "numpy":
        return table.view(Table)
    if framework != "torch":
        return table
    import torch

    class TorchTable(torch.Tensor):
        def __call__(self, ids, *_, **__):
            return self.as_subclass(torch.Tensor)[ids.long()]

        def eval(self):
            return self
    return table.as_subclass(TorchTable)


class Call:
    """One function with what it is called on."""
    def __init__(self, function, plan, case, kind, right, returns=None, shown=None, remark="", has_own_weights=False,
                 fused=None):
        self.function, self.plan, self.case, self.kind = function, plan, case, kind
        self.right, self.returns = right, returns
        self.shown = {**case.inputs, **(shown or {})}  # the inputs as the function has them
        if case.has_ones:
            self.shown["x"] = self.shown["x"][..., :-1]
        self.mirrors = False  # of a mask: a window of earlier keys, which is read as half of one on both sides
        self.rate_in_velocity = None  # of gradient descent: what its velocity is multiplied by, against the layer's
        self.remark = remark  # what was taken for granted
        self.fused = fused  # names of matrices for several, which may be read head by head as well
        self.has_own_weights = has_own_weights  # the caller's, who says by their names how they lie
        self.parts = parts_of_weights(case.weights, case.heads(), plan.joined_by_head)
        self.shaken = None  # the parameter that is given another number
        self.left_out = []  # the places of arrays that it gave back beside its result, and that are no step
        self.looked = Looked()  # for what it has looked in its state
        self.has_one_reference = case.layer == "bleu" and not is_of_lists(function)
        self.has_other_reference = False  # tried, too
        self.is_tree = case.layer == "clip"  # of JAX: a list with an array for each parameter
        self.weights_taken = None  # as one dictionary, at last
        self.prompt_form = prompt_forms.ROWS  # of a decoder
        self.leaves = None  # while gradients are wanted: {name: tensor}, each made once

    def ways(self, means, batch):
        """How it may be called."""
        takes_mask = self.plan.takes_mask and (self.case.mask is not None or "mask" in self.shown)
        batch = None if self.case.layer == "decode" and batch is False else batch  # its prompt is one sequence
        matrices = [name for name, array in self.case.weights.items() if array.ndim == 2 and not self.has_own_weights]
        of_heads = list(head_axes.LAYOUTS) if self.case.heads() and self.plan.takes_projections else []
        return ways(takes_mask, means, batch, self.case, self.plan.layouts(matrices), of_heads)

    def turned(self, array, way):
        """A matrix by the layer's own name, which says (out, in)."""
        return array.T if array.ndim == 2 and way.layout == "in-out" and not self.has_own_weights else array

    def on(self, case, shown=None, remark=""):
        """The same on another case."""
        right = right_steps(case)
        if shown and "probabilities" in right:
            shown = {**shown, "probabilities": right["probabilities"]}
        other = Call(self.function, self.plan, case, self.kind, right, self.returns, shown, remark, self.has_own_weights, self.fused)
        other.looked, other.prompt_form = self.looked, self.prompt_form
        factor = self.rate_in_velocity
        return other if factor is None else other.with_rate_in_velocity(factor, remark)

    def with_prompt(self, form):
        """The same, of a decoder that takes its prompt in another form."""
        other = copy.copy(self)
        other.prompt_form = form
        return other

    def with_rate_in_velocity(self, factor, remark):
        """The same, of gradient descent whose velocity is `factor` times the layer's: v = μ·v − η·g with −η."""
        other = self.on(self.case, {"m_before": factor * self.case.inputs["m_before"]}, remark)
        other.rate_in_velocity, other.right = factor, {**other.right, "m": factor * other.right["m"]}
        return other

    def fits(self, steps):
        """Whether the result has as many numbers as the right one, or the shape of another step. A mask with an axis too
        many gives the result one more, too."""
        given, result = steps.get(""), self.right[list(self.right)[-1]]
        if "n" in self.case.inputs and all(each.ndim == 0 for each in steps.values()):  # a rate for one step at a time
            return False
        if given is None or any(given.shape == each.shape for each in self.right.values()):
            return True
        return given.size == result.size and (given.ndim <= result.ndim or not self.plan.takes_mask)

    def value(self, what, way, entry=None):
        """What a parameter takes, for one entry of the batch or all."""
        if isinstance(what, Fixed):
            return what.value
        if isinstance(what, Part):
            return self.part(what, way)
        if what == "weights":
            arrays = {name: self.turned(self.made(name, array), way) for name, array in self.case.weights.items()}
            self.weights_taken = Weights(arrays, self.parts, lambda part: self.part(part, way),
                                         lambda name, turned: self.part_alone(name, turned, way))
            return self.weights_taken
        if what == THREE_IN_ONE:
            return Three(self.value(each, way, entry) for each in "QKV")
        if what in STATE_WORDS:
            averages = {name: self.kind.make(self.shown[name]) for name in AVERAGES if name in self.shown}
            return state_of(what, averages, int(self.option("update")), self.plan.all_numbers,
                            lambda name: number(self.option(name)), self.looked)
        case, transposed = self.case, what.endswith(".T")
        name = what[:-2] if transposed else what
        if name == "mask" and "mask" in self.shown:
            array = way.mask(self.shown["mask"])
        elif name == "mask":
            if case.mask is None:
                return None
            array = way.mask(case.mask if entry is None or case.mask.ndim < 3 else case.mask[entry])
        elif name == MEMORY_MASK:  # every key of it is seen
            x, memory = (case.inputs[each] for each in ("x", "memory"))
            array = way.mask(np.ones((*memory.shape[:-2], x.shape[-2], memory.shape[-2])))
            array = array if entry is None or memory.ndim < 3 else array[entry]
        elif name == "lengths":
            array = case.lengths()
            array = array if array is None or entry is None else array[entry]
        elif name in case.weights:
            weight = self.made(name, case.weights[name])
            return weight.T if transposed else self.turned(weight, way)
        elif name in self.shown:
            if name == "n" and entry is not None:  # a schedule's step, a whole number
                return int(self.shown[name][entry])
            shown = self.shown[name]
            made = self.made(name, shown.astype(np.int64) if name in IDS else shown)
            if name == "prompt":
                return prompt_forms.in_form(made, self.prompt_form)
            made = as_model(made, self.kind.framework) if name == "table" else made
            if name in WORDS and self.kind.framework == "numpy":
                made = Words(int(each) for each in shown)
            if self.case.layer in IN_PLACE and self.kind.framework == "numpy" and made.ndim > 1:
                made = made.view(Parameters)
            if self.is_tree and self.kind.framework == "jax" and made.ndim > 1:  # in one array all would be one leaf
                return list(made)
            made = made if entry is None else made[entry]
            if name in ("source", "target") and made.ndim == 2 and way.batch == "second":
                return contiguous(made.swapaxes(0, 1))
            return laid_out(made, way)
        elif name in self.right:
            made = self.made(name, self.right[name])
            return made if entry is None else made[entry]
        else:
            return self.size(name)
        return None if array is None else self.kind.make(array)

    def part(self, part, way):
        """One of the layer's parameters, with its axes in the order of this way."""
        array = self.made(part_name(part.key), self.parts[part.key])
        if head_axes.has_heads(part, way.layout):
            return contiguous(head_axes.with_heads(array, part.key, way.layout, self.case.heads()))
        turned = part.is_turned if part.is_stated else is_turned(part.is_turned, head_axes.without(way.layout))
        return array.T if array.ndim > 1 and turned else array

    def part_alone(self, name, turned, way):
        """A parameter of a layer that is one matrix or one norm."""
        array = self.made(name, self.case.weights[name])
        return array.T if array.ndim == 2 and self.case.layer == "linear" and is_turned(turned, way.layout) else array

    def made(self, name, array):
        """The array in the function's framework; the same one each time while gradients are wanted."""
        if self.leaves is None:
            return self.kind.make(array)
        if name not in self.leaves:
            self.leaves[name] = self.kind.make(array)
            if self.kind.framework == "torch" and self.leaves[name].is_floating_point():
                self.leaves[name].requires_grad_()
        return self.leaves[name]

    def option(self, name):
        """The value of an option, else the command's default."""
        return value_of(self.case.words, flag_of(name)) or options_of_layer(self.case.layer)[name]

    def size(self, name):
        option = value_of(self.case.words, "--" + name)
        first = next(iter(self.case.inputs.values()), None)
        if option is not None or (name == "heads" and self.case.heads() is not None):
            return int(option or self.case.heads())
        if first is not None and name in SIZES and name != "heads":
            return size_of(name, self.case.inputs, self.case.heads())
        raise Error(f"arguments: there is no {name!r}; there are {', '.join(self.plan.names())}")

    def once(self, way, entry=None):
        positional = [self.value(what, way, entry) for what in self.plan.positional]
        keywords = {name: self.value(what, way, entry) for name, what in self.plan.named.items()}
        if self.case.layer == "bleu":  # as nltk has them, several for one translation
            keywords = {name: Words([each]) if plain(name) in REFERENCES and not self.has_one_reference else each
                        for name, each in keywords.items()}
        if self.case.layer == "decode" and "table" in self.shown:
            keywords = {name: one_step.of_table(self.shown["table"], self.kind.make) if self.plan.named[name] == "table" and one_step.is_step(name)
                        else each for name, each in keywords.items()}
        if self.case.layer == "clip" and self.kind.framework == "torch":  # as torch.nn.utils.clip_grad_norm_ has them
            keywords = {name: with_gradients(each) if plain(name) in OF_PARAMETERS else each for name, each in keywords.items()}
        if self.shaken is not None:
            keywords[self.shaken] = shaken(keywords[self.shaken])
        with collecting() as steps, np.errstate(all="ignore"):  # a way that does not fit may divide 0 by 0
            try:
                value = self.function(*positional, **keywords)
            except (Exception, SystemExit) as problem:  # whatever a student's function raises, exit() too
                if self.case.layer == "bleu" and not self.has_other_reference:  # one for several, or several for one
                    self.has_one_reference, self.has_other_reference = not self.has_one_reference, True
                    return self.once(way, entry)
                if self.is_tree and self.kind.framework == "jax":  # it takes one array
                    self.is_tree = False
                    return self.once(way, entry)
                given = [*positional, *keywords.values()]
                raise OtherAxes.of(self.function, problem, given) or Raised.inside(
                    self.function, problem, self.said_of(positional, keywords)) from None
        value = leaves_as_rows(value) if self.case.layer == "clip" else value
        value = without_given(value, [each for each in (*positional, *keywords.values()) if getattr(each, "ndim", 0) > 1])
        return self.changed_in_place(value, positional, keywords), steps

    def said_of(self, positional, keywords):
        """What the function was called with; a module has no arguments that the caller could tell."""
        names = [name for name in self.plan.parameters or () if name not in keywords]
        return given_values.said_of(names, positional, keywords, not self.has_own_weights)

    def changed_in_place(self, value, positional, keywords):
        """Of a function that gives back nothing, or the norm, what it has changed: its gradients, or its parameters."""
        word = IN_PLACE.get(self.case.layer)
        if word is None or not (value is None or isinstance(value, (int, float)) or getattr(value, "ndim", 1) == 0):
            return rows_of(value)
        given = [*zip(self.plan.positional, positional), *((what, keywords[name]) for name, what in self.plan.named.items())]
        array = next((each for what, each in given if is_word(what, word)), None)
        if isinstance(array, list) and self.kind.framework == "torch":
            import torch
            return torch.stack([each.grad for each in array])
        return value if array is None else rows_of(leaves_as_rows(array))

    def needs(self, name, way, steps):
        """Whether a parameter's number changes the result, or is refused."""
        self.shaken = name
        try:
            return not same(self.run(way), steps)
        except Raised:
            return True
        finally:
            self.shaken = None

    def steps(self, value, right):
        """What the function gave back, by the names of the steps."""
        returns = self.returns
        if self.case.layer == "windows" and returns is None and isinstance(value, (tuple, list)) and len(value) == 2:
            returns = ("x", "targets")
        if self.case.layer == "positional" and returns is None and self.is_encoding(value, right):
            returns = "encoding"
        try:
            self.left_out = []
            return as_steps(value, right, returns, self.left_out)
        except Unnamed as problem:
            raise Unclear(str(problem)) from None
        except Error as problem:
            raise Raised(str(problem)) from None
        except Exception as problem:  # an object of the function's own that cannot be read
            raise Raised(f"what the function returned cannot be read: {type(problem).__name__}: {problem}") from None

    def is_encoding(self, value, right):
        """Whether a function that takes x gives what is added to it, and not the sum."""
        shape = getattr(value, "shape", ())
        own = tuple(shape[1:] if len(shape) == 3 and shape[0] == 1 else shape)
        return "encoding" in right and own == right["encoding"].shape != right[list(right)[-1]].shape

    def run(self, way):
        """{step: array}; the name "" is the result."""
        if way.batch != "one":
            value, named = self.once(way)
            shown = {path: laid_out(array, way, path) if array.ndim > 1 else array for path, array in self.right.items()}
            steps = {**named, **self.steps(value, shown)}
        else:
            parts = []
            shown = {path: array[0] if array.ndim >= self.axes_of_batch() else array for path, array in self.right.items()}
            for entry in range(self.entries()):
                value, named = self.once(way, entry)
                parts.append({**named, **self.steps(value, shown)})
            try:
                steps = {name: np.stack([part[name] for part in parts]) for name in parts[0]}
            except (KeyError, ValueError):
                raise Raised(
                    "the function returns different steps or shapes for different entries of the batch") from None
        if self.case.layer == "mask" and "" in steps:
            steps[""] = mask_results.read(steps[""], self.right[list(self.right)[-1]], self.plan, self.mirrors,
                                           None if self.case.lengths() is None else self.shown.get("mask"))
        if self.case.layer == "decode" and "" in steps:
            prompt, right = self.right["prompt"].reshape(-1), self.right["written"]
            written = without_prompt(steps[""], prompt, right)
            steps[""], said = ends.as_ended(written, prompt, right, self.case.words)
            self.remark = said or self.remark
        if self.rate_in_velocity is not None and "m" in steps:
            steps["m"] = steps["m"] / self.rate_in_velocity
        refuse_too_many(steps, sum(array.size for array in self.right.values()))
        if self.kind.is_half():  # what was computed in few digits has no more, whatever type it came in
            steps = {name: to_numpy(self.kind.make(array)) for name, array in steps.items()}
        return {name: laid_back(array, way, name, self.heads_of_inputs()) for name, array in steps.items()}

    def heads_of_inputs(self):
        """How many heads its queries have an axis for; 0 where they have none."""
        return next((array.shape[-3] for name, array in self.case.inputs.items() if name == "Q" and array.ndim > 3), 0)

    def entries(self):
        return next(iter(self.case.inputs.values()), np.zeros(1)).shape[0]

    def has_batch(self):
        first = next(iter(self.case.inputs.values()), None)
        return first is not None and (first.ndim >= self.axes_of_batch() or "n" in self.case.inputs)

    def axes_of_batch(self):
        """How many an array has that has one for the batch: of the next token every row is one by itself."""
        return 2 if self.case.layer == "next-token" else 3

    def is_near(self, steps):
        return self.distance(steps) < (NEAR_ENOUGH_IN_HALF if self.kind.is_half() else NEAR_ENOUGH)

    def distance(self, steps):
        """How far the result is from right, however one matrix for several is read; of steps without the result, the last
        one."""
        own = self.distance_from(self.right, steps)
        return own if own < NEAR_ENOUGH else min([own, *(self.distance_from(right, steps) for right in self.other_rights)])

    @functools.cached_property
    def other_rights(self):
        """The right steps in the other readings."""
        return [right_steps(other) for other in readings(self.case, self.fused)]

    def distance_from(self, right_ones, steps):
        result = list(right_ones)[-1]
        name = next((each for each in ("", result) if each in steps), "") or next(reversed(steps))
        if name == "" and self.case.layer == "transformer" and "logits" in right_ones:  # most give these, without the softmax
            return min(looks_like(steps[name], right_ones[each]) for each in (result, "logits"))
        right = right_ones.get(name or result)
        if right is None:
            right = next((array for path, array in right_ones.items() if path.endswith("/" + name)), right_ones[result])
        return looks_like(steps[name], right)

    def gives_values(self, taken):
        """Whether the result is V."""
        return looks_like(taken[1].get("", np.zeros(0)), self.right["V"]) < NEAR_ENOUGH

    def best(self, chosen):
        """The ways that the function takes, as (way, its steps): the first that gives what is near the right
        numbers, else all with one layout of the batch, which differ in the layout of the mask; those that give as many
        numbers as are right before others. With the last, whether they are near."""
        taken, others, behind, problem, in_head = [], [], [], None, False
        for way in chosen:
            has_other = bool(taken) and taken[0][0].batch != way.batch
            if way.batch not in ("whole", "second", "channels") and (not self.has_batch() or has_other) and not (way.batch == "head behind" and in_head):
                break
            try:
                steps = self.run(way)
            except Raised as raised:
                if isinstance(raised, Unclear) and way.batch == "whole":  # with other axes its numbers say nothing, either
                    raise
                problem = problem or raised
                continue
            if self.is_near(steps):
                return [(way, steps)], True
            in_head = in_head or way.batch == "head"
            found = others if not self.fits(steps) else behind if way.batch == "head behind" else taken
            if not any(same(steps, other) for _, other in found):
                found.append((way, steps))
        if behind and (not taken or (self.gives_values(taken[0]) and not self.gives_values(behind[0]))):
            taken = behind  # among the heads, of which there is one, every value is passed on as it is
        if not taken and not others:
            raise problem or Error(f"batch=False: the inputs of the layer {self.case.layer} have no axis for a batch")
        return without_broadcast(taken, others) or others[:1], False


def laid_out(array, way, path=""):
    """An array of the layer with its axes as the function has them."""
    if getattr(array, "ndim", 0) < 4:  # words are a list
        return with_head(way.turned(array, path), way, path)
    return permuted(array, AXES.get(way.batch, AXES["head"]), path)


def laid_back(array, way, path, heads):
    """An array of the function's with its axes as the layer has them; of several heads also beside each other, as one width."""
    if heads > 1 and array.ndim == 3 and array.shape[-1] % heads == 0 and path in ("", "values"):
        array = array.reshape(*array.shape[:-1], heads, -1)
        way = way if way.batch == SECOND_OF_HEADS else Way("head behind")
    if heads and array.ndim > 3:
        return permuted(array, tuple(int(place) for place in np.argsort(AXES.get(way.batch, AXES["head"]))), path)
    return way.turned(without_head(array) if way.has_head() else array, path)


BETWEEN = ("logits", "scaled", "masked", "attention")  # the steps whose rows are queries, and whose columns are keys


def with_head(array, way, path=""):
    """With the axis of one head, where it has rows."""
    if not way.has_head():
        return array
    place = -1 if way.batch in BEHIND and path.rpartition("/")[2] not in BETWEEN else -2
    shape = list(array.shape)
    return array.reshape(*shape[:place], 1, *shape[place:])


def permuted(array, axes, path=""):
    """With its axes in another order; between queries and keys they stay."""
    if array.ndim != len(axes) or axes == AXES["head"] or path.rpartition("/")[2] in BETWEEN:
        return array
    return contiguous(array.permute(axes) if hasattr(array, "permute") else array.transpose(axes))


def with_batch_second(array, path=""):
    """(batch, position, width) as (position, batch, width), or back. Between queries and keys the batch stays first."""
    if array.ndim < 3 or path.rpartition("/")[2] in BETWEEN:
        return array
    return contiguous(array.swapaxes(0, 1))


def with_channels_first(array, path=""):
    """(batch, position, width) as (batch, width, position), or back."""
    if array.ndim < 3 or path.rpartition("/")[2] in BETWEEN:
        return array
    return contiguous(array.swapaxes(-1, -2))


def contiguous(array):
    """Of which a view may be taken."""
    if isinstance(array, np.ndarray):
        return np.ascontiguousarray(array)
    return array.contiguous() if hasattr(array, "contiguous") else array


def without_head(array):
    if array.ndim < 4:
        return array
    return array[..., 0, :, :] if array.shape[-3] == 1 else array[..., 0, :]


def without_given(value, given):
    """What was returned, without a mask or a memory that is handed on as it came; where nothing else is left, all of it."""
    if not isinstance(value, (tuple, list)):
        return value
    left = [each for each in value if not is_array(each) or not any(each is array for array in given)]  # a small number is one object
    return value if len(left) in (0, len(value)) else left[0] if len(left) == 1 else type(value)(left)


def without_broadcast(taken, others):
    """Those taken, without the ways in which a mask with an axis too many has given the result one more, too."""
    def axes(way, steps):
        return way.batch, steps.get("", next(iter(steps.values()))).ndim

    fewest = {}
    for batch, count in itertools.starmap(axes, [*taken, *others]):
        fewest[batch] = min(count, fewest.get(batch, count))
    return [(way, steps) for way, steps in taken if axes(way, steps)[1] == fewest[way.batch]]


def right_steps(case):
    """The layer's own steps for the case, in order."""
    with Workspace() as folder:
        engine.run([case.layer, *case.place(folder), "-o", "right.npz"], folder.path)
        return folder.read("right.npz")


def same(a, b):
    return a.keys() == b.keys() and all(
        np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f") for name in a)


OF_TENSORS = {"masked_fill", "size", "unsqueeze", "view", "contiguous", "detach", "softmax", "permute",
              "bmm"}  # NumPy has none of them


IDS = ("source", "target", "prompt", "tokens", "translation", "reference", "ids")  # inputs that are numbers of words


def frameworks_for(function):
    """The frameworks that a function may compute with, the likeliest first: that of its kind, of its annotations and
    of the names that it uses; then NumPy, and those that are loaded."""
    likely = []
    for module in (*(kind.__module__ for kind in type(function).__mro__), getattr(function, "__module__", None) or ""):
        root = module.partition(".")[0]
        likely += {"torch": ["torch"], "flax": ["jax"], "jax": ["jax"], "jaxlib": ["jax"]}.get(root, [])
    likely += mentioned(function, depth=2)
    loaded = [name for name in ("torch", "jax") if name in sys.modules]
    return list(dict.fromkeys([*likely, "numpy", *loaded]))


def codes_of(code):
    """A function's code, and that of its comprehensions and inner functions."""
    yield code
    for each in code.co_consts:
        if inspect.iscode(each):
            yield from codes_of(each)


def mentioned(function, depth):
    """The frameworks that a function's annotations, globals and closure name, and those of the functions that it
    calls."""
    function = inspect.unwrap(function) if callable(function) else function
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None or depth < 0:
        return []
    found = [
        name for each in getattr(function, "__annotations__", {}).values() for name in FRAMEWORKS
        if name in str(getattr(each, "__module__", "")) + str(each)
    ]
    scope = dict(getattr(function, "__globals__", {}))
    for name, cell in zip(code.co_freevars, getattr(function, "__closure__", None) or ()):
        with contextlib.suppress(ValueError):  # not filled in yet
            scope[name] = cell.cell_contents
    names = {name for each in codes_of(code) for name in (*each.co_names, *each.co_freevars)}
    for name in sorted(names):
        value = scope.get(name)
        module = getattr(value, "__name__", "") if inspect.ismodule(value) else str(
            getattr(value, "__module__", "") or "")
        root = module.partition(".")[0]
        found += {"torch": ["torch"], "jax": ["jax"], "jaxlib": ["jax"], "flax": ["jax"],
                  "numpy": ["numpy"]}.get(root, [])
        if inspect.isfunction(value) and value is not function:
            found += mentioned(value, depth - 1)
    # What draws numbers or shapes may be NumPy in any function: a tensor's own methods say more.
    methods = OF_TENSORS & names - set(scope)  # not a function softmax of the student's own
    return ["torch", *found] if methods and "torch" in sys.modules else sorted(found, key="numpy".__eq__)
