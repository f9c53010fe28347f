"""glassbox.check: somebody's function or numbers for a layer, judged by `tracer check`."""
import contextlib
import itertools
import json
import os
import sys

import numpy as np

from . import engine, labels
from .arrays import Kind, is_array, to_numpy
from .calling import Call, Raised, Way, frameworks_for, right_steps, same
from .errors import Error, WrongNumbers
from .gradients import compared_gradients
from .names import parts_of_weights, without_parts
from .options import Asked, options_of_layer
from .modules import BLOCKS, Prepared, describe, is_module, unfit
from .probing import MASKING, Case, has_other_input, other_input, probe_of, probe_with, value_of, without
from .recording import Recorder
from .result import Result
from .scalars import descent_options, numbers_of, optimiser_named, optimiser_of, tell
from .signature import PADDINGS, Fixed, Plan
from .steps_of import parts_of
from .wording import in_python
from .workspace import Workspace

# Of a module's options those that nobody would expect: a line tells them.
OF_MODULE = {("norm", "pre"): "taken with norm=\"pre\": norm_first is set",
             ("activation", "gelu"): "taken with activation=\"gelu\", as the module has it"}
MEANINGS = ("keep", "hide", "add")  # of a mask's 1: the key is seen, is hidden; added to the scores


def check(layer, given, /, *, arguments=None, returns=None, weights=None, framework=None, dtype=None, device=None,
          mask=None, batch=None, as_=None, steps=False, backward=False, seconds=0.2, hide_expected=False,
          raise_on_wrong=False, quiet=False, **keywords):
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
    seconds    how long every two mistakes are tried together, where no single one is it
    weights    the layer's parameters, by PyTorch's names or as Flax has them
    keywords   inputs (x, Q, K, V, memory, …) as arrays, and the command's options: heads=4, convention="paper"
    """
    if isinstance(given, type):
        raise Error(f"check: the class {given.__name__} was given; an object of it is expected, {given.__name__}(…)")
    meaning = mask if isinstance(mask, str) and mask in MEANINGS else None
    asked = Asked({**keywords, **({} if mask is None or meaning else {"mask": mask})})
    with in_python("check", layer, {**keywords, "mask": mask}):
        if callable(given) and not is_array(given):
            task = OfFunction(layer, given, asked, meaning, weights, seconds)
            result = task.result(arguments, returns, framework, dtype, device, batch, hide_expected, as_, steps,
                                 backward)
        else:
            case = case_of(layer, asked, weights)
            remarks = given.remarks if isinstance(given, Recorder) else []
            handed = handed_in(given, returns)
            try:
                result = judge(case, handed, as_, hide_expected, remarks, seconds)
            except Error as problem:
                raise problem if weights is None else unfit(problem, weights, layer, asked.inputs) from None
            if isinstance(handed, dict) and not asked.inputs:
                refuse_other_inputs(layer, result)
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


def refuse_other_inputs(layer, result):
    """Steps of which none has the shape of the drawn ones were computed from an input that is not here."""
    handed = [step for step in result.steps if step["verdict"] != "not handed in"]
    if len(handed) < 2 or not all(step["difference"].startswith("its shape is") for step in handed):
        return
    names = [f"{name}=…" for name in probe_of(layer, ()).inputs]
    raise Error(f"check: these numbers were computed from another input than the one that is drawn; give it, "
                f"{', '.join(names)} ({handed[-1]['name']}: {handed[-1]['difference']})")


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


def judge(case, handed, as_=None, hide_expected=False, remarks=(), seconds=0, layout="any"):
    """One process: the numbers go in a file, the verdict comes back as JSON with the text in it."""
    with Workspace() as folder:
        words = ["check", case.layer, *case.place(folder), f"--seconds={seconds}", "--layout", layout, "--format", "json"]
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


def judge_result(*what, **how):
    """Of what a function gave: its inputs were ours, and so are the axes of its result."""
    return judge(*what, layout="exact", **how)


def failed(case, message):
    """The result of a function that could not be judged."""
    text = "✗ " + message
    return Result(
        {
            "schema": 1, "command": "check", "layer": case.layer, "right": False, "searched_all": True,
            "right_with": "", "steps": [], "unseen": [], "sentences": {}, "remarks": [], "seen_with": "",
            "error": message, "text": text
        }, case)


def likelihood(result):
    """Less is likelier: fewer mistakes, and none of the mask, which may only have been read in the wrong way."""
    return result.size(), any(name.startswith("masked/") for name in result.mistakes)


class OfFunction:
    """A check of a function."""
    def __init__(self, layer, function, asked, meaning, weights, seconds):
        self.layer, self.function, self.asked, self.meaning, self.weights = layer, function, asked, meaning, weights
        self.seconds = seconds
        self.has_convention = "convention" in asked.options  # by the caller
        self.own_weights = weights  # as the caller gave them
        self.may_hide = False  # by the name of the mask
        self.masked = self.meaning_is_pytorchs = False  # whether it was given a mask, and one as PyTorch's own hide
        self.plain_mask = False  # of self-attention alone, without an axis for the batch
        self.taken_from_it, self.remarks = [], []  # what was taken for granted, of the function and of this attempt

    def result(self, arguments, returns, framework, dtype, device, batch, hide_expected, as_, steps, backward):
        prepared = self.prepare()
        words = (prepared, arguments, returns, framework, dtype, device, batch, hide_expected, as_, steps, backward)
        original, result = self.function, None
        if prepared is not None and prepared.takes_hiding and self.meaning is None:
            self.meaning, self.meaning_is_pytorchs = "hide", True
            result = self.attempt(*words)
            if result.as_json["right"] or not self.masked:
                return result
            self.function, self.meaning, self.meaning_is_pytorchs, self.remarks = original, None, False, []
        other = self.attempt(*words)
        if self.may_hide and self.meaning is None and not other:  # as in PyTorch's modules
            self.function, self.meaning, self.meaning_is_pytorchs, self.remarks = original, "hide", True, []
            result = self.attempt(*words)
        return other if result is None or likelihood(other) < likelihood(result) else result

    def attempt(self, prepared, arguments, returns, framework, dtype, device, batch, hide_expected, as_, steps,
                backward):
        """The result with a mask of one meaning."""
        dtype, device = dtype or getattr(prepared, "dtype", None), device or getattr(prepared, "device", None)
        if steps and prepared is None:
            raise Error(
                "steps: a PyTorch module expected; a function names its steps by glassbox.named, or gives them back")
        original, problem = self.function, None
        if prepared is not None:
            self.function = prepared.recorded() if steps else prepared.function
        for each in self.frameworks(framework, original, prepared):
            call, plan, meaning = self.call(Kind(each, dtype, device), prepared, arguments, returns)
            try:
                call, taken, is_near = self.taken(call, plan, meaning, batch)
                if self.has_norm_first(prepared):
                    call, plan, meaning = self.call(Kind(each, dtype, device), prepared, arguments, returns)
                    call, taken, is_near = self.taken(call, plan, meaning, batch)
                break
            except Raised as raised:
                problem = failed(call.case, str(raised)) if problem is None else problem
        else:
            return problem
        try:
            result, way = self.verdict(call, plan, taken, batch, steps, as_, hide_expected)
        except Raised as raised:  # it did not, the first time
            return failed(call.case, str(raised))
        if result and not self.asked.inputs and has_other_input(self.layer):
            result = self.on_the_other_input(call, way, result, as_, hide_expected)
        if steps and not result and not result.explanations and "error" not in result.as_json:
            self.function = original  # what its steps do not name its result may
            other = self.attempt(prepared, arguments, returns, framework, dtype, device, batch, hide_expected, as_,
                                 False, backward)
            if other.explanations:
                return other
        if not result and not is_near and "error" not in result.as_json:
            result.right_with = result.right_with or self.right_with(call, way, plan, meaning, batch)
        self.may_hide = plan.may_hide
        if call.remark and result:
            self.remarks.append(call.remark)
        self.masked = plan.takes_mask and call.case.mask is not None
        if self.masked and self.meaning_is_pytorchs:
            self.remarks.append("taken with mask=\"hide\", as PyTorch's own attention has it: where the mask is true, "
                                "a key is hidden")
        result.remarks[:0] = self.taken_from_it + self.remarks
        if backward and result:
            result.gradients = compared_gradients(call, way, prepared, hide_expected)
        return result

    def has_norm_first(self, prepared):
        """Whether an own block is pre-norm and nobody said so: seen by the order of its parts, then taken as said."""
        if prepared is None or prepared.order is None or "norm" in self.asked.options:
            return False
        if not prepared.order.norm_is_first():
            return False
        self.asked.options["norm"] = "pre"
        self.taken_from_it.append("taken with norm=\"pre\": the first norm comes before the attention")
        return True

    @staticmethod
    def frameworks(framework, original, prepared):
        """Those that the function may compute with; of a module its own."""
        if framework:
            return [framework]
        return frameworks_for(original) if prepared is None else [prepared.framework]

    def taken(self, call, plan, meaning, batch):
        """The call in the ways that the function takes, on the probe or, where it gives other shapes or fails there, on
        another one."""
        problem, found, others = None, None, None
        for other in variants(call, plan, self.asked):
            try:
                taken, is_near = other.best(other.ways(meaning, batch))
            except (Raised, Error) as raised:
                problem = problem or raised
                continue
            fitting = [(way, steps) for way, steps in taken if other.fits(steps)]
            if fitting and (is_near or not has_forms(call.case)):
                return other, fitting, is_near
            if fitting:
                found = found or (other, fitting, is_near)
            others = others or (other, taken, is_near)
        if found or others:
            return found or others
        raise problem

    def verdict(self, call, plan, taken, batch, steps, as_, hide_expected):
        """The result, and the way that it was found in: what is simple is tried in every way, two mistakes together in
        the best one."""
        has_mask = plan.takes_mask and call.case.mask is not None
        is_only = len(taken) == 1 and not has_mask
        judged = [(self.judged(call.case, steps, as_, hide_expected, self.seconds if is_only else 0), way, steps)
                  for way, steps in taken]
        # A mask in another layout is one mistake more.
        result, way, steps = min(judged, key=lambda each: each[0].size())
        if result or result.explanations or "error" in result.as_json:
            return result, way
        if not same(call.run(way), steps):
            return failed(call.case, "the function gives other numbers each time it is called: is dropout on?"), way
        sharper = self.unmasked(call, batch, as_, hide_expected) if has_mask else None
        if sharper is None and not is_only and self.seconds > 0 and not result.right_with:
            sharper = self.judged(call.case, steps, as_, hide_expected, self.seconds)
        return result if sharper is None else sharper, way

    def unmasked(self, call, batch, as_, hide_expected):
        """What is named when every key is seen, for hidden scores of −∞ or −10⁹ may make other numbers of the same
        mistake; None if nothing is."""
        seen = np.ones_like(call.case.mask)
        call = call.on(call.case.unmasked().changed(mask=seen))
        try:
            meaning = "keep" if self.meaning is None else self.meaning
            (way, steps), *_ = call.best(call.ways(meaning, batch))[0]
            result = judge_result(call.case, steps, as_, hide_expected, ["with a mask under which every key is seen:"])
        except (Raised, Error):
            return None
        return result if not result and result.explanations else None

    def call(self, kind, prepared, arguments, returns):
        """The function with what each of its parameters takes."""
        case = self.case_for(kind, prepared)
        weights = case.weights if prepared is None else ()  # a module has its own
        parts = parts_of_weights(weights, case.heads()) if weights else {}
        sizes = sizes_of(case)
        numbers = [*numbers_of(self.layer, sizes), *(PADDINGS if "labels" in case.inputs else ())]
        plan = Plan(self.function, [*case.inputs, *weights, *sizes], arguments, numbers, parts)
        if "optimiser" in options_of_layer(self.layer) and "optimiser" not in self.asked.options:
            case = of_optimiser(case, optimiser_of(self.function, plan))
        case = tell(plan, case, self.asked.options)
        if "labels" in case.inputs:
            return self.call_of_loss(kind, case, plan, returns)
        if plan.parts:
            taken = {*(part.key for part in plan.parts),
                     *(what.removesuffix(".T") for what in plan.taken() if isinstance(what, str))}
            case = case.changed(weights=without_parts(case.weights, case.heads(), taken))
        if not plan.takes_arrays and returns is None and case.inputs:
            returns = without_inputs(case)
        if not plan.takes_mask and "mask" not in self.asked.options and self.asked.mask is None:
            case = case.changed(words=without(case.words, ["--mask"])) if plan.takes_lengths else case.unmasked()
        elif case.mask is None and plan.takes_mask and not plan.takes_lengths:
            plan.named = {name: what for name, what in plan.named.items() if what != "mask"}
        case = rounded(case, kind)
        if "memory_lengths" not in self.asked.options:  # no parameter takes them
            case = case.changed(words=without(case.words, ["--memory-lengths"]))
        meaning = self.meaning or ("hide" if plan.hides else "keep")
        return Call(self.function, plan, case, kind, right_steps(case), returns), plan, meaning

    def call_of_loss(self, kind, case, plan, returns):
        """With labels of whole numbers, and padding where the function is told of it."""
        keeps_padding = bool(self.asked.inputs) or "lengths" in self.asked.options
        case = labels.whole(rounded(case, kind), plan, keeps_padding)
        for name, options in plan.numbers.items():
            if options[0] in PADDINGS:
                plan.named[name] = Fixed(labels.number_of_padding(case, plan))
        meaning = self.meaning or ("hide" if plan.hides else "keep")
        return Call(self.function, plan, case, kind, right_steps(case), returns), plan, meaning

    def case_for(self, kind, prepared):
        try:
            return self.case(kind)
        except Error as problem:
            if prepared is None:
                raise
            given = self.own_weights if self.own_weights is not None else prepared.module
            raise unfit(problem, given, self.layer, self.asked.inputs) from None

    def on_the_other_input(self, call, way, result, as_, hide_expected):
        """What is right for one input may be wrong for another: a gradient that is short enough stays as it is."""
        other = call.on(call.case.changed(inputs=other_input(self.layer, call.case.words)))
        try:
            again = self.judged(other.case, other.run(way), as_, hide_expected, self.seconds)
        except (Raised, Error) as problem:
            return failed(other.case, str(problem))
        if again:
            result.remarks.append("right for another input, too, which shows what this one hides")
            return result
        again.remarks.insert(0, "right for one input, and not for another:")
        return again

    def judged(self, case, steps, as_, hide_expected, seconds):
        """Where only the source's habits differ and the caller named none, the source that fits is taken."""
        try:
            result = judge_result(case, steps, as_, hide_expected, seconds=seconds)
            if result or self.has_convention:
                return result
            fits = result.as_json["right_with"].partition("--convention ")[2]
            # Of what is not right in any convention a norm's ε most often is PyTorch's.
            sources = [fits] if fits else ["uva-torch"] if self.layer in BLOCKS and not result.explanations else []
            others = [(in_convention(case, each), f"taken by the convention {each}") for each in sources]
            if not fits:
                others.append((stacked_reading(case), "qkv_proj holds all queries, then all keys, then all values"))
            for other, remark in others:
                with contextlib.suppress(Error):  # names that the other source does not have
                    again = result if other is None else judge_result(other, steps, as_, hide_expected, [remark])
                    result = again if again.size() < result.size() else result
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
            found = {}
            if self.weights is not None:
                self.weights, found = describe(self.weights, self.layer)
            self.weights = self.weights or {}
            if "optimiser" in options_of_layer(self.layer) and "optimiser" not in self.asked.options:
                descent = descent_options(self.function)
                found.update(descent)
                if descent and optimiser_named(self.function) is None:
                    self.taken_from_it.append("taken with optimiser=\"sgd\": it has no average of squares")
            self.asked.options = {**found, **self.asked.options}
            return None
        prepared = Prepared(self.function, self.layer, self.weights)
        self.weights, self.plain_mask = prepared.weights, prepared.plain_mask
        if self.plain_mask and self.meaning is None:
            self.meaning = "hide"
        self.taken_from_it = [OF_MODULE[name, value] for name, value in prepared.options.items()
                          if (name, value) in OF_MODULE and name not in self.asked.options]
        self.asked.options = {**prepared.options, **self.asked.options}
        return prepared

    def right_with(self, call, way, plan, meaning, batch):
        """What the caller could say, with which all would be right."""
        trials = []
        if plan.takes_mask and self.meaning is None:
            trials += [(f"mask=\"{other}\"", way.with_mask(other)) for other in MEANINGS if other != meaning]
        if batch is None and way.batch == "whole" and call.has_batch():
            trials.append(("batch=False", Way("one", False, way.mask_dtype, way.mask_means)))
        if self.layer == "positional" and call.has_batch():  # elsewhere it is a mistake
            trials.append(("an x whose batch comes second, (sequence, batch, width)", Way("second")))
        for words, trial in trials:
            with contextlib.suppress(Raised, Error):
                if call.is_near(call.run(trial)):
                    return words
        for name, value in OF_MODULE:
            there = options_of_layer(self.layer)
            if name in there and self.asked.options.get(name) != value:
                other = call.case.changed(words=[*without(call.case.words, [f"--{name}"]), f"--{name}={value}"])
                with contextlib.suppress(Raised, Error):
                    if call.on(other).best(call.ways(meaning, batch))[1]:
                        return f"{name}=\"{value}\""
        return ""


def in_convention(case, name):
    return case.changed(words=[*without(case.words, ["--convention"]), f"--convention={name}"])


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


def has_forms(case):
    """Whether its variants are ways to read the same, of which one must be right; else the first that fits is it."""
    return "labels" in case.inputs or bool({"optimiser", "schedule"} & set(options_of_layer(case.layer)))


def variants(call, plan, asked):
    """The call on its case, then on others that functions are written for: a mask that is one row of keys for each
    sequence, one that is the same for all sequences, and queries, keys and values of one shape. Of labels every form;
    of an optimiser that nobody named the other one."""
    if "labels" in call.case.inputs:
        yield from itertools.starmap(call.on, labels.forms(call.case, plan))
        return
    yield call
    if "inverse-sqrt" in (value_of(call.case.words, "--schedule"), asked.options.get("schedule")):
        yield call.on(call.case, {"n": call.case.inputs["n"] + 1}, "its step is taken as t = n + 1, from 1 on")
        return
    if "optimiser" in options_of_layer(call.case.layer):
        if "optimiser" not in asked.options and optimiser_named(call.function) is None:
            other = "adam" if value_of(call.case.words, "--optimiser") == "adamw" else "adamw"
            remark = f"taken with optimiser=\"{other}\", as which it is right"
            yield call.on(of_optimiser(call.case, other), remark=remark)
        return
    own = asked.mask is not None or asked.inputs or {"mask", "lengths"} & set(asked.options)
    cases = [call.case, *([of_one_shape(call.case)] if {"Q", "K", "V"} <= set(call.case.inputs) and not own else [])]
    for place, case in enumerate(cases):
        if place > 0:
            yield call.on(case)
        if plan.takes_mask and case.mask is not None and not own:
            if case.lengths() is not None:
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


def without_inputs(case):
    """The last step that is the same for other inputs, such as a positional encoding: what a function gives that takes
    sizes alone. None if there is none."""
    steps = right_steps(case)
    others = right_steps(case.changed(inputs={name: array + 1 for name, array in case.inputs.items()}))
    same = [name for name in steps if name not in case.inputs and np.array_equal(steps[name], others[name])]
    return same[-1] if same else None


def of_optimiser(case, name):
    return case.changed(words=[*without(case.words, ["--optimiser"]), f"--optimiser={name}"])


def sizes_of(case):
    """The sizes that a function may be told, by the layer's inputs."""
    if "labels" in case.inputs:
        return ["probabilities", "lengths", "classes"]
    of_sequences = any(name in case.inputs for name in ("Q", "x", "source", "target", "memory")) or not case.inputs
    heads = [] if case.heads() is None else ["heads"]
    return ["lengths", *heads, "seq", "dmodel", "dk"] if of_sequences else []


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

