"""A call of a mapped function, as the words and arrays that the command takes, and the command's arrays as the function
would have returned them."""
import numpy as np

from ..arrays import Kind, framework_of, is_array, to_numpy
from ..module_names import canonical
from ..names import convention_of
from ..options import as_words
from .mapping import Missing, follow

LARGEST_IDENTITY = 2048  # rows


class NotAsked(Exception):
    """The mapping has no say in this call: dropout is on, or two arguments differ that the layer takes as one."""


def numbers(value, name="array"):
    """A copy: the function may write into its arguments."""
    if not hasattr(value, "__array__") and hasattr(value, "to_numpy"):
        value = value.to_numpy()
    return np.array(to_numpy(value, name))


def like(array, example):
    """A NumPy array as the framework of the example has it."""
    if framework_of(example):
        return Kind.of(example).make(array)
    if hasattr(type(example), "make") and hasattr(example, "backend"):
        return type(example).make(array.ravel().tolist(), array.shape, backend=example.backend)
    return array.item() if array.ndim == 0 else array


class Shaped:
    """One array of a mapping: a path, or a path and how its axes are laid out for the command."""

    def __init__(self, entry):
        self.entry = {"of": entry} if isinstance(entry, str) else entry
        self.form = self.entry.get("as", "")

    def axis(self, scope):
        axis = self.entry.get("axis", -1)
        return int(follow(axis, scope)) if isinstance(axis, str) else axis

    def take(self, scope):
        if "stack" in self.entry:
            return np.concatenate([numbers(follow(each, scope), each) for each in self.entry["stack"]])
        array = numbers(follow(self.entry["of"], scope), self.entry["of"])
        if self.form == "rows":
            moved = np.moveaxis(array, self.axis(scope), -1)
            return moved.reshape(-1, moved.shape[-1])
        if self.form == "identity":
            size = array.shape[self.axis(scope)]
            if size > LARGEST_IDENTITY:
                raise NotAsked(f"more than {LARGEST_IDENTITY} columns")
            return np.eye(size, dtype=np.float32)
        if self.form == "vector":
            return array.reshape(-1)
        return array

    def give_back(self, array, shape, scope):
        """The other way: the command's array, in the axes of the function."""
        if self.form == "rows":
            axis = self.axis(scope)
            moved = np.moveaxis(np.empty(shape, bool), axis, -1).shape
            return np.moveaxis(array.reshape(moved), -1, axis)
        if self.form == "vector":
            return array.reshape(shape)
        return array


def option_word(value, scope):
    """"=num_heads" is an argument, "=valid_lens?" one that may be missing, "!self.W_q.bias" whether it is; anything else is
    meant as it is written."""
    if isinstance(value, str) and value.startswith("!"):
        try:
            follow(value[1:], scope)
        except Missing:
            return True
        return False
    if not (isinstance(value, str) and value.startswith("=")):
        return value
    value = follow(value[1:], scope)
    if is_array(value) or hasattr(value, "to_numpy"):
        array = numbers(value)
        if array.ndim > 1:
            raise NotAsked("an option of several rows")
        value = array.tolist()
    return value


class Job:
    """What the command is asked: a layer, options, arrays; and what the function gave, step by step."""

    def __init__(self, mapped, options, inputs, weights=None, mask=None):
        self.mapped, self.options, self.inputs = mapped, options, inputs
        self.weights, self.mask, self.results = weights or {}, mask, {}

    def take_weights(self, weights):
        """Names of PyTorch's are of the convention paper, where the mapping says no other."""
        self.weights, convention = canonical(weights), convention_of(canonical(weights))
        if convention and "convention" not in self.options:
            self.options = {**self.options, "convention": convention}

    @property
    def layer(self):
        return self.mapped.layer

    def words(self, folder, with_inputs=True):
        """The options, with the files that hold the arrays."""
        words = as_words(self.options)
        if with_inputs:
            words += ["--input", folder.write("input.npz", self.inputs)]
        if self.weights:
            words += ["--weights", folder.write("weights.npz", self.weights)]
        if self.mask is not None:
            words += ["--mask", folder.write("mask.npz", {"mask": self.mask})]
        return words

    def size(self):
        arrays = [*self.inputs.values(), *self.weights.values(), *self.results.values()]
        return sum(each.nbytes for each in arrays)

    def key(self):
        """Equal for equal questions."""
        arrays = {**{"i/" + k: v for k, v in self.inputs.items()}, **{"w/" + k: v for k, v in self.weights.items()}}
        if self.mask is not None:
            arrays["m"] = self.mask
        return (self.layer, tuple(as_words(self.options)),
                tuple((k, v.shape, v.dtype.str, v.tobytes()) for k, v in sorted(arrays.items())))


def as_mask(array):
    """1 where a key may be seen. Scores that are added to (0 and −∞) are masks too."""
    if array.dtype.kind == "f" and array.size and array.max() <= 0 and array.min() < -1:
        return (array == 0).astype(np.uint8)
    return (array != 0).astype(np.uint8)


def job_of(mapped, scope):
    """Of a function: read before the call, all but the weights, which a lazy layer has only after it."""
    if mapped.dropout and scope.get("self") is not None and getattr(scope["self"], "training", False):
        try:
            if follow(mapped.dropout, scope):
                raise NotAsked("dropout is on")
        except Missing:
            pass
    if mapped.same and len({id(follow(each, scope)) for each in mapped.same}) > 1:
        raise NotAsked(" and ".join(mapped.same) + " are not one")
    inputs = those_given(mapped.inputs, lambda entry: Shaped(entry).take(scope))
    options = those_given(mapped.options, lambda entry: option_word(entry, scope))
    mask = those_given({"mask": mapped.mask} if mapped.mask else {}, lambda entry: Shaped(entry).take(scope))
    return Job(mapped, options, inputs, mask=as_mask(mask["mask"]) if mask else None)


def weights_of(mapped, scope):
    """By the names that the command's --weights takes; "*" is a module whose own names they are."""
    own = dict(mapped.weights)
    module = own.pop("*", None)
    weights = those_given(own, lambda entry: Shaped(entry).take(scope))
    if module:
        state = follow(module, scope).state_dict()
        weights.update({name: numbers(value, name) for name, value in state.items()})
    return weights


def those_given(entries, take):
    """What is missing without a question mark in the mapping makes it a call that the mapping does not know."""
    taken = {}
    for name, entry in entries.items():
        try:
            taken[name] = take(entry)
        except Missing as missing:
            if not str(missing).endswith("?"):
                raise NotAsked(f"{missing} was not given") from None
    return taken


def read_results(job, scope):
    """Of a function: its weights and the arrays that it gave, after the call."""
    job.take_weights(weights_of(job.mapped, scope))
    for step, entry in job.mapped.results.items():
        try:
            job.results[step] = Shaped(entry).take(scope)
        except Missing:
            continue
