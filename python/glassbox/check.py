"""glassbox.check: somebody's function or numbers for a layer, judged by `tracer check`."""
import json
import os
import sys

import numpy as np

from . import engine
from .arrays import Kind, is_array, to_numpy
from .calling import Call, Raised, Way, frameworks_for, ways
from .errors import Error, WrongNumbers
from .gradients import compared_gradients
from .options import Asked
from .modules import Prepared, describe, is_module
from .probing import Case, probe_of, probe_with, without
from .result import Result
from .signature import Plan
from .steps_of import parts_of
from .weights import weights_of
from .workspace import Workspace

MEANINGS = ("keep", "hide", "add")  # of a mask's 1: the key is seen, is hidden; added to the scores


def check(layer, given, /, *, arguments=None, returns=None, weights=None, framework=None, dtype=None, device=None,
          mask=None, batch=None, as_=None, steps=False, backward=False, hide_expected=False, raise_on_wrong=False,
          quiet=False, **keywords):
    """Checks a function, or numbers, for a layer, prints what `tracer check` prints, and gives back a Result.

    given      a function, which is called on an input that tells mistakes apart; an array, the layer's result; or
               a dict of arrays by the names of steps
    arguments  {"queries": "Q"}: which parameter of the function takes which array, where its name does not say it;
               anything that is no name is passed as it is
    returns    the steps that the function gives back: "attention" or ("values", "attention")
    mask       what the function's mask means: "keep" (1 is seen), "hide" (1 is hidden) or "add" (0 and −∞); or the mask
               of the layer: "causal", "none", an array of 0 and 1
    batch      False: the function takes one sequence, without an axis for the batch
    steps      True: of a PyTorch module its own intermediates, too, as glassbox.record collects them
    backward   True: of a right function of PyTorch or JAX the gradients, too, of the sum of the result's squares
    weights    the layer's parameters, by PyTorch's names or as Flax has them
    keywords   inputs (x, Q, K, V, memory, …) as arrays, and the command's options: heads=4, convention="paper"
    """
    meaning = mask if isinstance(mask, str) and mask in MEANINGS else None
    asked = Asked({**keywords, **({} if mask is None or meaning else {"mask": mask})})
    if callable(given) and not is_array(given):
        task = OfFunction(layer, given, asked, meaning, weights)
        result = task.result(arguments, returns, framework, dtype, device, batch, hide_expected, as_, steps, backward)
    else:
        case = case_of(layer, asked, weights)
        result = judge(case, handed_in(given, returns), as_, hide_expected)
    if not quiet:
        print(result.text, file=sys.stdout)
    if raise_on_wrong and not result:
        raise WrongNumbers(result)
    return result


def case_of(layer, asked, weights):
    """The caller's own inputs and weights; what is not there the command draws."""
    arrays = {}
    if weights is not None:
        arrays, found = describe(weights, layer)
        asked.options = {**found, **asked.options}
    return Case(layer, asked.words(), asked.inputs, arrays, asked.mask)


def handed_in(given, returns):
    if isinstance(given, (str, os.PathLike)):
        return os.path.abspath(given)
    if isinstance(returns, str):
        return {returns: to_numpy(given, returns)}
    parts = None if is_array(given) else parts_of(given)
    if parts is not None:
        return {name: to_numpy(each, name) for name, each in parts.items()}
    if isinstance(given, (list, tuple)) and not any(is_array(each) for each in given):
        return Typed(given)
    return {"": to_numpy(given, "the numbers")}


class Typed:
    """Numbers that somebody wrote down: they have the digits that were written."""
    def __init__(self, numbers):
        to_numpy(numbers, "the numbers")
        self.text = json.dumps(numbers)


def judge(case, handed, as_=None, hide_expected=False, remarks=(), layout="any"):
    """One process: the numbers go in a file, the verdict comes back as JSON with the text in it. What a function gave has
    the layout "exact": its inputs were ours, and so are the axes of its result."""
    with Workspace() as folder:
        words = ["check", case.layer, *case.place(folder), "--format", "json", "--layout", layout]
        words += ["--hide-expected"] if hide_expected else []
        if isinstance(handed, str):
            words.append(handed)
        elif isinstance(handed, Typed):
            words += [folder.write_text("mine.json", handed.text), *(["--as", as_] if as_ else [])]
        elif list(handed) == [""]:
            words += [folder.write_array("mine.npy", handed[""]), *(["--as", as_] if as_ else [])]
        else:
            result = case.result_name(folder) if "" in handed else ""
            words.append(folder.write("mine.npz", {name or result: array for name, array in handed.items()}))
        return Result(engine.run(words, folder.path, may_fail=True).as_json, case, remarks)


def failed(case, message):
    """The result of a function that could not be judged."""
    text = "✗ " + message
    return Result(
        {
            "schema": 1, "command": "check", "layer": case.layer, "right": False, "searched_all": True,
            "right_with": "", "steps": [], "unseen": [], "sentences": {}, "remarks": [], "seen_with": "",
            "error": message, "text": text
        }, case)


class OfFunction:
    """A check of a function."""
    def __init__(self, layer, function, asked, meaning, weights):
        self.layer, self.function, self.asked, self.meaning, self.weights = layer, function, asked, meaning, weights
        self.plain_mask = False  # of self-attention alone, without an axis for the batch

    def result(self, arguments, returns, framework, dtype, device, batch, hide_expected, as_, steps, backward):
        prepared = self.prepare()
        dtype, device = dtype or getattr(prepared, "dtype", None), device or getattr(prepared, "device", None)
        if steps and prepared is None:
            raise Error(
                "steps: a PyTorch module expected; a function names its steps by glassbox.named, or gives them back")
        original, problem = self.function, None
        if prepared is not None:
            self.function = prepared.recorded() if steps else prepared.function
        for each in [framework] if framework else frameworks_for(original):
            call, plan, meaning = self.call(Kind(each, dtype, device), prepared, arguments, returns)
            try:
                taken, is_near = call.best(ways(plan.takes_mask and call.case.mask is not None, meaning, batch))
                break
            except Raised as raised:
                problem = failed(call.case, str(raised)) if problem is None else problem
        else:
            return problem
        judged = [(self.judged(call.case, steps, as_, hide_expected), way) for way, steps in taken]
        result, way = min(judged,
                          key=lambda each: each[0].size())  # a mask in a layout that is not meant is one more mistake
        if not result and not result.explanations and plan.takes_mask and call.case.mask is not None:
            sharper = self.unmasked(call, batch, as_, hide_expected)
            result = result if sharper is None else sharper
        if not result and not is_near:
            result.right_with = result.right_with or self.right_with(call, way, plan, meaning, batch)
        if backward and result:
            result.gradients = compared_gradients(call, way, prepared, hide_expected)
        return result

    def unmasked(self, call, batch, as_, hide_expected):
        """What is named when every key is seen, for hidden scores of −∞ or −10⁹ may make other numbers of the same
        mistake; None if nothing is."""
        seen = np.ones_like(call.case.mask)
        call = Call(call.function, call.plan, call.case.unmasked().changed(mask=seen), call.kind, None, call.returns)
        call.right = right_steps(call.case)
        try:
            (way, steps), *_ = call.best(ways(True, "keep" if self.meaning is None else self.meaning, batch))[0]
            result = judge(call.case, steps, as_, hide_expected, ["with a mask under which every key is seen:"],
                           layout="exact")
        except (Raised, Error):
            return None
        return result if not result and result.explanations else None

    def call(self, kind, prepared, arguments, returns):
        """The function with what each of its parameters takes."""
        case = self.case_for(kind, prepared)
        known = [*case.inputs, *case.weights, "lengths", "heads", "seq", "dmodel", "dk"]
        plan = Plan(self.function, known, arguments)
        if not plan.takes_arrays and returns is None and case.inputs:
            returns = without_inputs(case)
        if not plan.takes_mask and "mask" not in self.asked.options and self.asked.mask is None:
            case = case.changed(words=without(case.words, ["--mask"])) if plan.takes_lengths else case.unmasked()
        elif case.mask is None and plan.takes_mask and not plan.takes_lengths:
            plan.named = {name: what for name, what in plan.named.items() if what != "mask"}
        case = rounded(case, kind)
        meaning = self.meaning or ("hide" if plan.hides else "keep")
        return Call(self.function, plan, case, kind, right_steps(case), returns), plan, meaning

    def case_for(self, kind, prepared):
        try:
            return self.case(kind)
        except Error as problem:
            if prepared is None or not prepared.strange:
                raise
            raise Error(
                f"{problem}\n  the module's parameters are {', '.join(prepared.strange)}: what is meant cannot "
                "be told by these names. Say weights={NAME: array, …} with PyTorch's names (docs/weights.md)",
                problem.code) from None

    def judged(self, case, steps, as_, hide_expected):
        """Where only the source's habits differ and the caller named none, the source that fits is taken."""
        try:
            result = judge(case, steps, as_, hide_expected, layout="exact")
            fits = result.as_json["right_with"].partition("--convention ")[2]
            if fits and "convention" not in self.asked.options:
                other = case.changed(words=[
                    *(word for word in case.words if not word.startswith("--convention")), f"--convention={fits}"
                ])
                again = judge(other, steps, as_, hide_expected, [f"taken by the convention {fits}"],
                              layout="exact")
                return again if again else result
            return result
        except Error as problem:
            return failed(case, str(problem))

    def case(self, kind):
        """The probe, or what the caller gave."""
        words = self.asked.words()
        if kind.framework == "torch" and "convention" not in self.asked.options:
            words.append("--convention=uva-torch")
        if self.asked.inputs:
            case = Case(self.layer, words, self.asked.inputs, self.weights, self.asked.mask)
            return completed(case)
        case = probe_with(self.layer, words, self.weights) if self.weights else probe_of(self.layer, words)
        if self.asked.mask is not None:
            case = case.unmasked().changed(mask=self.asked.mask)
        if self.asked.options.get("mask") in ("none", "causal") or self.plain_mask:
            chosen = self.asked.options.get("mask", "causal")
            case = case.unmasked().changed(words=[*case.unmasked().words, f"--mask={chosen}"])
            if chosen == "causal":
                case = of_one_length(case)
            case.mask = causal(case.inputs) if chosen == "causal" else None
        return case

    def prepare(self):
        """A module brings its weights and options along."""
        if not is_module(self.function):
            self.weights = {} if self.weights is None else weights_of(self.weights)
            return None
        prepared = Prepared(self.function, self.layer, self.weights)
        self.weights, self.plain_mask = prepared.weights, prepared.plain_mask
        if self.plain_mask and self.meaning is None:
            self.meaning = "hide"
        self.asked.options = {**prepared.options, **self.asked.options}
        return prepared

    def right_with(self, call, way, plan, meaning, batch):
        """What the caller could say, with which all would be right."""
        trials = []
        if plan.takes_mask and self.meaning is None:
            trials += [("mask=\"%s\"" % other, Way(way.batch, way.mask_axis, way.mask_dtype, other))
                       for other in MEANINGS
                       if other != meaning]
        if batch is None and way.batch == "whole" and call.has_batch():
            trials.append(("batch=False", Way("one", False, way.mask_dtype, way.mask_means)))
        for words, trial in trials:
            try:
                if call.is_near(call.run(trial)):
                    return words
            except (Raised, Error):
                continue
        return ""


def without_inputs(case):
    """The last step that is the same for other inputs, such as a positional encoding: what a function gives that takes
    sizes alone. None if there is none."""
    steps = right_steps(case)
    others = right_steps(case.changed(inputs={name: array + 1 for name, array in case.inputs.items()}))
    same = [name for name in steps if name not in case.inputs and np.array_equal(steps[name], others[name])]
    return same[-1] if same else None


def causal(inputs):
    length = next(iter(inputs.values())).shape[-2]
    return np.tril(np.ones((length, length), dtype=np.float32))


def of_one_length(case):
    """With as many keys as queries: a function that hides later keys by itself expects a square."""
    if not {"Q", "K", "V"} <= set(case.inputs):
        return case
    length = min(case.inputs[name].shape[-2] for name in "QK")
    return case.changed(inputs={name: array[..., :length, :] if name in "QKV" else array for name, array in case.inputs.items()})


def completed(case):
    """With the inputs and weights that the command would draw, for a function needs them all."""
    with Workspace() as folder:
        words = case.place(folder)
        try:
            engine.run([case.layer, *words, "--save-weights", "all.safetensors", "-o", "steps.npz"], folder.path)
        except Error as problem:
            if not str(problem).startswith("--save-weights"):  # a layer without parameters
                raise
            engine.run([case.layer, *words, "-o", "steps.npz"], folder.path)
        steps = folder.read("steps.npz")
        weights = case.weights or folder.read_weights("all.safetensors")
    inputs = case.inputs or {
        name: steps[name]
        for name in ("Q", "K", "V", "x", "memory", "source", "target")
        if name in steps
    }
    return case.changed(inputs=inputs, weights=weights)


def rounded(case, kind):
    """The inputs as they are once they have the function's dtype: the command must see the same numbers."""
    if kind.dtype is None:
        return case
    return case.changed(inputs={name: to_numpy(kind.make(array), name)
                                for name, array in case.inputs.items()},
                        weights={name: to_numpy(kind.make(array), name)
                                 for name, array in case.weights.items()})


def right_steps(case):
    """The layer's own steps for the case, in order."""
    with Workspace() as folder:
        engine.run([case.layer, *case.place(folder), "-o", "right.npz"], folder.path)
        return folder.read("right.npz")
