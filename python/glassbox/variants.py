"""Cases made of another: the same layer in another convention, with other masks, sizes or numbers."""
import contextlib
import itertools
import re

import numpy as np

from . import engine, labels, mask_results, prompt_forms
from .arrays import to_numpy
from .calling import right_steps
from .errors import Error
from .module_names import reordered
from .options import options_of_layer
from .probing import MASKING, probe_of, value_of, without
from .scalars import number, optimiser_named
from .workspace import Workspace


FROM_ONE = "its step is read as t = n + 1, from 1 on"


def in_convention(case, name):
    return case.changed(words=[*without(case.words, ["--convention"]), f"--convention={name}"])


def gives(case, mistakes, steps):
    """Whether these mistakes may give the result, with what any of the sources fills in where a key is hidden: where −∞ leaves no
    number, any is as good."""
    own, tried = steps.get(""), 0
    for name in ("uva-jax", "uva-torch", "report", "paper") if own is not None else ():
        with contextlib.suppress(Error):  # of another source's names for the parameters
            other = in_convention(case, name)
            numbers = list(right_steps(other.changed(words=[*other.words, f"--mistake={','.join(mistakes)}"])).values())[-1]
            tried += 1
            if numbers.shape == own.shape and np.all(np.isnan(numbers) | np.isclose(numbers, own, rtol=1e-4, atol=1e-5)):
                return True
    return tried == 0


def stacked_reading(case):
    """The same parameters, of which qkv_proj has its rows in PyTorch's order; None where there are none. By its name
    alone it cannot be told from the tutorial's, which has them head by head."""
    if not any("qkv_proj" in name for name in case.weights):
        return None
    weights = {}
    for name, array in case.weights.items():
        for own, stacked in (("qkv_proj.", "in_proj_"), ("o_proj.", "out_proj."), ("linear_net.0.", "linear1."),
                             ("linear_net.3.", "linear2."), ("cross_attn.", "multihead_attn.")):
            name = name.replace(own, stacked)
        weights[name] = array
    return in_convention(case.changed(weights=weights), "paper")


def steps_in_order(case, steps):
    """The steps of such a reading's function: qkv has its columns as the matrix has its rows."""
    heads, (parts, order) = case.heads(), case.order
    letters = next((each for each in parts.values() if len(each) == 3), "qkv")
    return {name: np.moveaxis(reordered(np.moveaxis(array, -1, 0), order, heads, letters), 0, -1)
            if name.rpartition("/")[2] == "qkv" and array.shape[-1] % (3 * heads) == 0 else array
            for name, array in steps.items()}


def has_forms(case):
    """Whether its variants are ways to read the same, of which one must be right; else the first that fits is it."""
    return "labels" in case.inputs or case.layer in ("mask", "decode") or bool({"optimiser", "schedule"} & set(options_of_layer(case.layer)))


def variants(call, plan, asked, batch=None):
    """The call on its case, then on others that functions are written for: a mask that is one row of keys for each
    sequence, one that is the same for all sequences, and queries, keys and values of one shape. Of labels every form;
    of an optimiser that nobody named the other one."""
    if "labels" in call.case.inputs:
        yield from itertools.starmap(call.on, labels.forms(call.case, plan))
        if not asked.inputs:
            yield from itertools.starmap(call.on, labels.unshifted(call.case, plan))
        return
    if call.case.layer == "mask":
        yield from mask_results.forms(call, plan, asked)
        return
    if call.case.layer == "decode" and prompt_forms.is_taken(plan):
        yield from map(call.with_prompt, prompt_forms.forms(batch))
        return
    if "inverse-sqrt" in (value_of(call.case.words, "--schedule"), asked.options.get("schedule")):
        from_one = call.on(call.case, {"n": call.case.inputs["n"] + 1}, FROM_ONE)
        # The paper's steps begin at 1; what is called n is the count of those that are done.
        yield from (call, from_one) if plan.named.get("n") == "n" else (from_one, call)
        return
    own = asked.mask is not None or asked.inputs or {"mask", "lengths"} & set(asked.options)
    has_lengths = call.case.mask is not None and call.case.mask.ndim > 2 and call.case.lengths() is not None
    if plan.takes_mask and not own and has_lengths and all(re.search("key.*pad|pad.*key", name, re.I) for name in plan.masks):
        yield call.on(of_padding(call.case))  # what its name asks for
    yield call
    if "optimiser" in options_of_layer(call.case.layer):
        if plan.takes_velocity and value_of(call.case.words, "--optimiser") == "sgd":
            rate = number(call.option("rate"))
            yield call.with_rate_in_velocity(-rate, "its velocity is read as including the rate: v = μ·v − η·g, w + v")
            yield call.with_rate_in_velocity(rate, "its velocity is read as including the rate: v = μ·v + η·g, w − v")
            return
        if "optimiser" not in asked.options and optimiser_named(call.function) is None:
            other = "adam" if value_of(call.case.words, "--optimiser") == "adamw" else "adamw"
            remark = f"read with optimiser=\"{other}\", as which it is right"
            yield call.on(of_optimiser(call.case, other), remark=remark)
        return
    cases = [call.case, *([of_one_shape(call.case)] if {"Q", "K", "V"} <= set(call.case.inputs) and not own else [])]
    for place, case in enumerate(cases):
        if place > 0:
            yield call.on(case)
        if plan.takes_mask and case.mask is not None and not own and "mask" in options_of_layer(case.layer):
            if case.lengths() is not None and case.mask.ndim > 2:
                yield call.on(of_padding(case))
            yield call.on(of_later_keys(case))


def of_padding(case):
    """Only padding is hidden: a row of keys for each sequence, (batch, n_k)."""
    is_there = np.arange(case.mask.shape[-1]) < case.lengths()[:, None, None]
    return case.changed(words=without(case.words, ["--mask"]), of_keys=True,
                        mask=np.broadcast_to(is_there, case.mask.shape).astype(np.float32))


def of_later_keys(case):
    """Only later keys are hidden: one mask for all sequences, (n_q, n_k)."""
    rows, columns = case.mask.shape[-2:]
    return case.changed(words=[*without(case.words, MASKING), "--mask=causal"],
                        mask=np.tril(np.ones((rows, columns), dtype=np.float32)))


def of_one_shape(case):
    """Queries, keys and values cut to one length and one width, for functions that exchange them or expect it."""
    rows = min(case.inputs[name].shape[-2] for name in "QKV")
    width = min(case.inputs[name].shape[-1] for name in "QKV")
    cut = {name: array[..., :rows, :width] if name in "QKV" else array for name, array in case.inputs.items()}
    lengths = case.lengths()
    words = list(case.words)
    if lengths is not None:
        words = [*without(words, ["--lengths"]), "--lengths=" + ",".join(str(min(each, rows)) for each in lengths)]
    return case.changed(inputs=cut, words=words, mask=None if case.mask is None else case.mask[..., :rows, :rows])


def without_inputs(case, names):
    """The last step that is the same for other inputs of these names, such as a positional encoding: what a function gives
    that does not take them. None if there is none."""
    steps = right_steps(case)
    others = right_steps(case.changed(inputs={name: array + (name in names) for name, array in case.inputs.items()}))
    same = [name for name in steps
            if name not in case.inputs and name in others and np.array_equal(steps[name], others[name])]
    return same[-1] if same else None


def of_optimiser(case, name):
    return case.changed(words=[*without(case.words, ["--optimiser"]), f"--optimiser={name}"])


def sizes_of(case):
    """The sizes that a function may be told, by the layer's inputs."""
    if "labels" in case.inputs:
        return ["probabilities", "lengths", "classes"]
    if case.layer == "mask":
        return ["lengths", "seq", "batch", "ids"]
    of_sequences = any(name in case.inputs for name in ("Q", "x", "source", "target", "memory")) or not case.inputs
    heads = [] if case.heads() is None else ["heads"]
    shape = ["normalized_shape"] * (case.layer == "layer-norm")
    return ["lengths", *heads, "seq", "dmodel", "dk", "sqrt_dk", *shape] if of_sequences else []


OWN_MASK = r"causal|window:\d+"  # by which functions hide keys themselves


def mask_called(name, inputs):
    """The mask that an option names, as an array; None where nothing is hidden, and of a mask by itself."""
    first = next(iter(inputs.values()), None)
    if first is None or not re.fullmatch(OWN_MASK, name):
        return None
    ahead = np.arange(first.shape[-2]) - np.arange(first.shape[-2])[:, None]  # of the key, against the query
    seen = ahead <= 0 if name == "causal" else abs(ahead) <= int(name.removeprefix("window:"))
    return seen.astype(np.float32)


def of_one_length(case):
    """With as many keys as queries: a function that hides keys by itself expects a square."""
    if not {"Q", "K", "V"} <= set(case.inputs):
        return case
    length = min(case.inputs[name].shape[-2] for name in "QK")
    return case.changed(inputs={name: array[..., :length, :] if name in "QKV" else array for name, array in case.inputs.items()})


def completed(case):
    """With the inputs and weights that the command would draw, for a function needs them all."""
    names = list(probe_of(case.layer, ()).inputs)
    with Workspace() as folder:
        words = case.place(folder)
        try:
            engine.run([case.layer, *words, "--save-weights", "all.safetensors", "-o", "steps.npz"], folder.path)
        except Error as problem:
            if "--save-weights" not in str(problem):  # a layer without parameters
                raise
            engine.run([case.layer, *words, "-o", "steps.npz"], folder.path)
        steps = folder.read("steps.npz")
        weights = case.weights or folder.read_weights("all.safetensors")
    drawn = {name: steps[name] for name in names if name in steps}
    return case.changed(inputs={**drawn, **case.inputs}, weights=weights)


def rounded(case, kind):
    """The inputs as they are once they have the function's dtype: the command must see the same numbers."""
    if kind.dtype is None:
        return case
    return case.changed(inputs={name: to_numpy(kind.make(array), name)
                                for name, array in case.inputs.items()},
                        weights={name: to_numpy(kind.make(array), name)
                                 for name, array in case.weights.items()})
