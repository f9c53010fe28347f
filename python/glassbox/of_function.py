"""A check of a function: how it is called, in which of the ways that it takes, and what is said of its numbers."""
import contextlib
import copy
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import (added_positions, descent, dropping, ends, head_axes, labels, lone_input, looped_norm, mask_results, one_step, own_arrays,
               own_options, padded_words, reversible)
from .activations import COMMANDS, OTHERS
from .argument_names import Names, in_own_names
from .arrays import Kind, to_numpy
from .block_forms import form, other_forms
from .calling import SECOND, SECOND_OF_HEADS, Call, Raised, Unclear, Way, frameworks_for, right_steps, same
from .errors import Error
from .gradients import compared_gradients
from .guesses import asked_about, flags_of, guesses_of, is_of_flags, is_of_state, masked_by_default, memory_first, scalars_guessed
from .judging import TooMany, failed, in_a_sentence, judge_result, likelihood
from .layouts import has_convolutions, is_unread, says_all_behind, says_channels, says_second
from .made_masks import makes_mask
from .module_names import NOT_AS_NAMED, ORDERS, readings, rows_lie
from .modules import BLOCKS, Prepared, builtin, describe, is_module, is_torch_module, own_epsilon, unfit
from .translation import block_inside
from .names import BY_ITSELF, neutral, parts_of_weights, without_parts
from .one_head import AS_A_ROW, SIZES_OF_HEAD, with_ones
from .optimiser_state import looked_for
from .options import keyword, options_of_layer
from .positions import all_rows_of, sizes_of_module
from .probing import Case, has_other_input, more_sequences_than_heads, other_input, other_tables, probe_of, probe_with, value_of, without
from .result import BATCH_SECOND, MANY, Result
from .scalars import OF_ADAM, descent_options, numbers_of, optimiser_named, optimiser_of, tell
from .signature import MEMORY_MASK, PADDINGS, SIZES, STATE_WORDS, Part, Plan, Unknown, is_word
from .steps_of import refuse_unknown_steps
from .variants import (OWN_MASK, completed, gives, has_forms, in_convention, mask_called, of_one_length, of_optimiser, rounded,
                       sizes_of, stacked_reading, steps_in_order, variants, without_inputs)
from .without_keys import of_a_mask, with_equal_weights

# Of a module's options those that nobody would expect: a line tells them.
OF_MODULE = {("norm", "pre"): "read with norm=\"pre\": norm_first is set",
             ("activation", "gelu"): "read with activation=\"gelu\", as the module has it",
             ("activation", "gelu-tanh"): "read with activation=\"gelu-tanh\", as the module has it"}
OF_CALL = {"norm": "read with norm=\"pre\": the first norm comes before the attention"}
AS_DESCENT = "read with optimiser=\"sgd\": it has no average of squares"
MEANINGS = ("keep", "hide", "add")  # of a mask's 1: the key is seen, is hidden; added to the scores


# What may be chosen freely, as the command's options: ε of PyTorch, Flax, and others that people write.
FREE = {"layer-norm": [[f"--epsilon={each}"] for each in ("1e-5", "1e-6", "1e-8", "1e-7", "1e-3")],
        "embedding": [["--scaled"]],
        "training-step": [["--max-norm=1e9"]],  # nothing is clipped
        "feed-forward": [["--activation=gelu"], ["--activation=gelu-tanh"]]}
OF_ROWS = ("scaler", "softmax", "log-softmax", "linear", "layer-norm", "feed-forward", "next-token")  # the same for a sequence and for a batch
ONE_SEQUENCE = "right for one sequence at a time, (T, d), and not for a batch of them"
NO_BIASES = "it reads no bias in its dictionary of parameters: judged without biases"
BY_STEPS = "its result alone has no name: told by what its parts give"
ONE_ROW = "right for one row of logits at a time, and not for several"
OF_ONE_ROW = "judged for one row of logits at a time"
SEQUENCES = ("Q", "x", "memory")  # inputs that are (batch, position, width)
TOKENS = ("source", "target")  # (batch, position)
OF_SEQUENCES = ("attention", "multihead", "cross-attention", "positional", "encoder-block", "decoder-block", "encoder", "decoder",
                "transformer")
TAKEN = {"second": "taken as (position, batch, width)", "head behind": "taken as (batch, position, head, width)",
         SECOND_OF_HEADS: "taken as (position, batch, head, width)",
         "channels": "taken as (batch, width, position)", "channels of heads": "taken as (batch, head, width, position)"}
OF_BUFFERS = ("attention", "multihead", "encoder-block", "encoder")  # of which none hides later keys by itself
HEADS_APART = 2  # no other size of the probe
SHORT, LONG = 6, 65  # positions: what the probes have, and what a check is still quick for
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")  # of the arrays that a function gives back
NO_SEARCH = "--effort=0"  # for two mistakes together


@dataclass(frozen=True)
class How:
    """What a caller says of a check of a function, as check() explains it."""
    arguments: Any = None
    returns: Any = None
    framework: Any = None
    dtype: Any = None
    device: Any = None
    batch: Any = None
    as_: Any = None
    steps: bool = False
    backward: bool = False
    search: str = NO_SEARCH  # the command's option: --effort=4000
    hide_expected: bool = False
    batch_first: Any = None


@dataclass(frozen=True)
class Tried:
    """A function that was called as a plan says."""
    plan: Plan
    meaning: str
    call: Call
    taken: list  # (way, its steps)
    is_near: bool
    second: Any = None  # the same with the batch second, of a function that says so and is right in neither way

    def adds(self):
        """Whether a mask of 0 and −∞ is added."""
        way, steps = self.taken[0]
        return not same(self.call.run(way.with_mask("add little")), steps)

    def needs_its_guess(self):
        return all(self.call.needs(name, *self.taken[0]) for name in scalars_guessed(self.plan))

    def fits(self):
        return any(self.call.fits(steps) for _, steps in self.taken)

    def distance(self):
        return min(self.call.distance(steps) for _, steps in self.taken)


MASK_TOO = "with the mask its numbers are not those of this mistake alone: something else is wrong as well"
USUAL_EPSILONS = (1e-5, 1e-6)


def is_joined(what):
    """Whether a parameter takes one matrix for queries, keys and values, or for keys and values."""
    return isinstance(what, Part) and what.key[1] in ("qkv", "kv")


def said_of(name, value):
    """That an option is the module's own; None of what is as usual."""
    if name == "epsilon" and value not in USUAL_EPSILONS:
        return f"read with epsilon={value:g}, as the module has it"
    if name == "learned":
        return "read with learned=True: its table is a parameter"
    return OF_MODULE.get((name, value))


def with_layout(how, layer, function):
    """Where the batch comes, as the caller says; PyTorch's own modules say it themselves."""
    if how.batch_first not in (None, True, False):
        raise Error(f"batch_first: expected True or False, got {how.batch_first!r}")
    if how.batch_first is not None and layer not in OF_SEQUENCES:
        raise Error(f"batch_first: the layer {layer} has no (batch, position, width); {', '.join(OF_SEQUENCES)} have")
    if how.batch_first is not None and how.batch is False:
        raise Error(f"batch_first={how.batch_first}: batch=False says that there is no batch; leave one of them out")
    if layer == "mask" and how.batch is False:  # one sequence is a form of it
        how = replace(how, batch=None)
    is_second = how.batch_first is False and not (is_module(function) and builtin(function))
    return replace(how, batch="second") if is_second else how


def without_padding(ids):
    """Words of which none is what models take for padding by themselves, 0 or 1."""
    return np.where(ids < 2, ids + 2, ids) if ids.max() > 2 else ids


class OfFunction:
    """A check of a function."""
    def __init__(self, layer, function, asked, meaning, weights, how):
        how = with_layout(how, layer, function)
        self.layer, self.function, self.asked, self.meaning, self.weights = layer, function, asked, meaning, weights
        self.how = how
        self.original = function
        self.has_convention = "convention" in asked.options  # by the caller
        self.given = set(asked.options)
        self.own_weights = weights  # as the caller gave them
        self.may_hide = self.may_add = False  # by the name of the mask; after other meanings
        self.masked = self.meaning_is_pytorchs = False  # whether it was given a mask, and one as PyTorch's own hide
        self.keeps_weights = False  # an object's, in its own attributes
        self.has_rows_in = True  # how an object's own matrices lie: (in, out)
        self.has_told_by_steps = False  # what its parts give has been judged
        self.free = []  # options of a layer by itself that nobody told, as words: each is right
        self.in_state = set()  # the numbers that the function looks for there
        self.not_there = set()  # the numbers that the layer has in another kind of it alone
        self.fused = {}  # names.fused, of a module
        self.joined_by_head = False  # how rows lie in one matrix for queries, keys and values that is given to a function
        self.has_ones = False  # probing.Case.has_ones, of a module
        self.plain_mask = False  # of self-attention alone, without an axis for the batch
        self.prepared, self.told_numbers = None, set()  # what a module brings along; the numbers that a function is told
        self.read_as = None  # of a mask that is made: "add" where its numbers show it
        self.unlikely = ""  # what is said of a dropout that keeps too many or too few
        self.padding, self.has_padding = {}, False  # padded_words.said_by, and whether a Transformer's sentences have some
        self.taken_from_it, self.remarks = [], []  # what was taken for granted, of the function and of this attempt

    def result(self):
        """The result; of an object that keeps its matrices, which may be (in, out) or (out, in), that which fits."""
        other = copy.copy(self)
        other.asked, other.taken_from_it, other.has_rows_in = copy.copy(self.asked), [*self.taken_from_it], False
        own = own_arrays.parameters_of(self.function, self.layer) if self.weights is None else {}
        if not own:
            return self.as_it_is()
        result, problem = None, None
        for each in (self, other):
            try:
                made = each.as_it_is()
            except Error as raised:
                problem = problem or raised
                continue
            if result is None or made or (not result and made.size() < result.size()):
                result = made
            if result:
                break
        if result is None:
            raise unfit(problem, own, self.layer, self.asked.inputs)
        return result

    def as_it_is(self):
        prepared = self.prepare()
        options, said = own_options.of_function(self.layer, self.original, self.asked.options)
        self.asked.options = {**options, **self.asked.options}
        self.taken_from_it += said
        buffer, size = ("", 0) if prepared is None or self.layer not in OF_BUFFERS else prepared.causal
        if self.layer == "positional":
            return self.of_positions(prepared)
        if self.layer == "transformer":
            return padded_words.checked(self, prepared)
        if not buffer:
            return self.in_meanings(prepared)
        says = self.asked.mask is None and self.meaning is None and not {"mask", "lengths"} & self.given
        options = {"mask": "causal"} if says else {}
        if size < SHORT and "seq" not in self.given:  # no longer sequence fits
            options["seq"] = size
        remark = f"read with mask=\"causal\": its buffer {buffer} hides later keys"
        result = self.with_options(options, [remark] * says).in_meanings(prepared)
        if "error" in result.as_json and size < LONG and "seq" not in self.given and not self.asked.inputs:
            result = self.with_options({**options, "seq": size}, [remark] * says).in_meanings(prepared)
        if says and not result:  # perhaps it is kept for later
            options = {name: value for name, value in options.items() if name == "seq"}
            unused = self.with_options(options, [f"right where every key is seen: its buffer {buffer} hides nothing here"])
            other = unused.in_meanings(prepared)
            result = other if other else result
        return result

    def of_positions(self, prepared):
        """The result of what may have a table whose rows are all added, or given back."""
        result, rows = self.in_meanings(prepared), all_rows_of(self.original)
        if result or rows is None or self.asked.inputs or {"seq", "text"} & set(self.asked.options):
            return result
        remark = f"right where there are as many positions as its table has rows, {rows}"
        other = self.with_options({"seq": rows}, [remark]).in_meanings(prepared)
        return other if other else result

    def with_options(self, options, remarks):
        """The same check with other options."""
        other = copy.copy(self)
        other.asked = copy.copy(self.asked)
        other.asked.options = {**self.asked.options, **options}
        other.taken_from_it = [*self.taken_from_it, *remarks]
        return other

    def in_meanings(self, prepared):
        """The result with a mask of the meaning that fits."""
        original, result = self.function, None
        if prepared is not None and prepared.takes_hiding and self.meaning is None:
            self.meaning, self.meaning_is_pytorchs = "hide", True
            result = self.attempt(prepared, self.how.steps)
            if result.as_json["right"] or not self.masked:
                return result
            self.function, self.meaning, self.meaning_is_pytorchs, self.remarks = original, None, False, []
        other = self.attempt(prepared, self.how.steps)
        if self.may_hide and self.meaning is None and not other:  # as in PyTorch's modules
            self.function, self.meaning, self.meaning_is_pytorchs, self.remarks = original, "hide", True, []
            result = self.attempt(prepared, self.how.steps)
            if not result:  # or one that is added
                self.meaning, self.meaning_is_pytorchs, self.remarks, self.may_hide = None, False, [], False
                self.may_add = True
                added = self.attempt(prepared, self.how.steps)
                result = added if added else result
        if result is None or ("masked/ignored" in other.mistakes and other.size() <= result.size()):
            return other  # what is not applied does not tell what its 1 means
        return other if likelihood(other) < likelihood(result) else result

    def is_near(self, prepared):
        """Whether the result is about right, as far as a call tells it."""
        other = copy.copy(self)
        other.function, other.remarks = self.original if prepared is None else prepared.function, []
        dtype, device = getattr(prepared, "dtype", None), getattr(prepared, "device", None)
        for each in self.frameworks(self.original, prepared):
            with contextlib.suppress(Raised, Error):
                return other.chosen(Kind(each, self.how.dtype or dtype, self.how.device or device), prepared)[0].is_near
        return False

    def attempt(self, prepared, steps):
        """The result with a mask of one meaning."""
        how = self.how
        dtype, device = how.dtype or getattr(prepared, "dtype", None), how.device or getattr(prepared, "device", None)
        if steps and prepared is None:
            raise Error(
                "steps: expected a PyTorch module; a function names its steps by glassbox.named, or returns them")
        original, problem = self.function, None
        if prepared is not None:
            self.function = prepared.recorded() if steps else prepared.function
        for each in self.frameworks(original, prepared):
            kind = Kind(each, dtype, device)
            try:
                tried, asked = self.chosen(kind, prepared)
                if self.has_shown_options(prepared):
                    tried, asked = self.chosen(kind, prepared)
                break
            except Raised as raised:
                problem = problem or raised
        else:
            if isinstance(problem, Unclear):  # nothing says that it is wrong
                raise Error(str(problem))
            return failed(self.call(kind, prepared)[0].case, str(problem))
        call, plan, meaning, taken, is_near = tried.call, tried.plan, tried.meaning, tried.taken, tried.is_near
        try:
            result, way = self.verdict(call, plan, taken)
            if not result and tried.second is not None:  # which of the two ways takes fewer mistakes
                other, other_way = self.verdict(tried.second.call, plan, tried.second.taken)
                if other.size() < result.size():
                    result, way, call = other, other_way, tried.second.call
        except Raised as raised:  # it did not, the first time
            return failed(call.case, str(raised))
        if self.layer == "mask" and not result and not result.is_named and "error" not in result.as_json:
            result = self.in_another_form(call, plan, result)
        said = str(self.asked.options.get("mask", ""))
        if self.layer == "mask" and len(result.explanations) > 1 and said.startswith("window:") and plan.reach in (1, 2):
            wider = f"window:{plan.reach + 1}"  # where these differ
            other = self.with_options({"mask": wider}, [f"judged with mask=\"{wider}\", where more shows"]).attempt(prepared, steps)
            if len(other.explanations) == 1 and other.explanations[0] in result.explanations:
                return other
        if result and self.unlikely:
            return in_a_sentence(call.case, self.unlikely)
        if not result and asked is not None:
            raise asked
        self.refuse_activation(prepared, result)
        if not self.asked.inputs and has_other_input(self.layer):
            result = self.on_the_other_input(call, way, result)
        if self.layer == "decode" and not self.asked.inputs and ends.end_of(call.case.words) is None:  # which has tables of its own
            result = self.on_other_tables(call, way, result)
        if result and "labels" in call.case.inputs and not steps:
            result = self.by_sequences(kind, prepared, tried, result)
        if steps and not self.has_told_by_steps and not result and not result.is_named and "error" not in result.as_json:
            self.function = original  # what its steps do not name its result may
            other = self.attempt(prepared, steps=False)
            if other.is_named:
                return other
        by_steps = self.by_its_steps(prepared, original) if not steps and self.may_tell_by_steps(prepared, result) else None
        if by_steps is not None:
            return by_steps
        if not result and not is_near and "error" not in result.as_json:
            result.right_with = result.right_with or self.right_with(call, way, plan, meaning)
        if self.layer == "loss" and not result and not result.is_named and "error" not in result.as_json:
            with contextlib.suppress(Raised, Error):
                steps_given = call.run(way)
                if labels.sums_padding(call, steps_given, right_steps):
                    self.remarks.append(labels.OVER_ALL)
                    result.said = labels.OVER_ALL
                if labels.shifts_back(call, steps_given, right_steps):
                    return in_a_sentence(call.case, labels.SHIFTED_BACK)
        if self.layer in looped_norm.STACKS and not result and not result.is_named and "error" not in result.as_json:
            with contextlib.suppress(Raised, Error):
                if looped_norm.is_so(call.case, call.run(way)):
                    self.remarks.append(looped_norm.IN_THE_LOOP)
                    result.said = looped_norm.IN_THE_LOOP
        if call.rate_in_velocity and descent.is_unnamed(result) and descent.says_twice(call, call.run(way)):
            self.remarks.append(descent.RATE_TWICE)
            result.said = descent.RATE_TWICE
        if self.layer == "pooling" and result and way.batch == "one" and self.how.batch is None:
            self.remarks.append(ONE_SEQUENCE)
        if way.batch in TAKEN and self.how.batch_first is None:
            says = says_second(self.original) if way.batch in SECOND else ""
            only = "it is right so, and its lines cannot be read" if is_unread(self.original) else "it fails on (batch, position, width)"
            fails = f", for {only}" if way.batch == "second" else ""
            taken_as = TAKEN[way.batch] + (f", as its own lines say: {says}" if says else fails)
            self.remarks.append(taken_as.replace(", width)", ")") if self.layer == "transformer" else taken_as)
        self.may_hide = plan.may_hide
        self.say_weights(call, way)
        self.remarks += [head_axes.said(way.layout)] if way.layout in head_axes.LAYOUTS else []
        self.remarks += [f"its {PLACES[place]} array was not judged: it has the shape of no step" for place in call.left_out[:len(PLACES)]]
        if call.plan.joined_by_head:
            self.remarks.append(ORDERS["h3d"])
        if meaning == "add" and self.meaning is None:
            self.remarks.append("read with mask=\"add\": the mask is 0 where a key is seen, else −∞")
        if call.remark and (result or {"n", "labels"} & set(call.case.inputs) or self.layer == "mask"):
            self.remarks.append(call.remark)
        if self.layer == "mask" and plan.read_as in mask_results.READ_AS:
            self.remarks.append(mask_results.READ_AS[plan.read_as])
        if result and ends.is_told_none(plan):
            self.remarks.append(ends.NOT_JUDGED)
        if plan.padding == 0:
            self.remarks.append("taken to leave out rows with the label 0, as padding")
        self.remarks += [f"its behaviour with {name}={value} was not judged"
                         for name, value in plan.not_judged().items() if result]
        self.remarks += [f"its {name} is given as one under which every key of the memory is seen"
                         for name, what in plan.named.items() if result and is_word(what, MEMORY_MASK)]
        self.masked = plan.takes_mask and call.case.mask is not None
        if self.masked and self.meaning_is_pytorchs:
            self.remarks.append("read with mask=\"hide\", as PyTorch's own attention has it: where the mask is true, "
                                "a key is hidden")
        if self.layer in OF_ROWS and result.right_with == "batch=False" and not says_all_behind(self.original):
            return self.of_one_sequence(prepared, steps)
        if self.layer == "next-token" and not result and not result.is_named and how.batch is None and how.as_ is None:
            result = self.of_one_row(prepared, list(call.right)[-2], result)
        result.remarks[:0] = self.taken_from_it + self.remarks
        if how.backward and result:
            call = call.on(result.case) if result.case.order else call
            result.gradients = compared_gradients(call, way, prepared, how.hide_expected)
        return result

    def may_tell_by_steps(self, prepared, result):
        """Of a module whose result has no name, its parts may have: two slips in different ones."""
        is_open = not result and not result.is_named and "error" not in result.as_json
        return is_open and prepared is not None and prepared.framework == "torch" and not self.has_told_by_steps

    def by_its_steps(self, prepared, original):
        """The result of a module's own intermediates, if that has a name; None if not."""
        found = []
        for returns in [None, "logits"] if self.layer == "transformer" and self.how.returns is None else [self.how.returns]:
            other = copy.copy(self)
            other.function, other.has_told_by_steps, other.how = original, True, replace(self.how, returns=returns)
            other.remarks, other.taken_from_it = [], [*self.taken_from_it]
            with contextlib.suppress(Raised, Error):
                found.append(other.attempt(prepared, steps=True))
        best = min((each for each in found if each.is_named and each.size() < MANY), key=Result.size, default=None)
        if best is not None:
            best.remarks.insert(0, BY_STEPS)
        return best

    def in_another_form(self, call, plan, result):
        """Of a mask that has no name as it is read, what it is as any other that may be meant, its window's width for its reach."""
        for other in mask_results.forms(call, plan, self.asked):
            with contextlib.suppress(Raised, Error):
                way, *_ = other.ways(plan.means or "keep", self.how.batch)
                self.read_as = "keep" if other.mirrors else None
                again = self.judged(other.case, other.run(way), self.how.search)
                if again.is_named:
                    again.remarks[:0] = [other.remark] * bool(other.remark)
                    return again
        return result

    def by_sequences(self, kind, prepared, tried, right):
        """Of a loss that is right for rows, the mistake that shows among sequences alone, else the right result."""
        if tried.call.case.inputs["labels"].ndim > 1 or self.asked.inputs:
            return right
        call, plan, _ = self.call(kind, prepared, tried.plan.guess)
        # A mean over updates is as right as batches of one size make it.
        named = labels.OF_SEQUENCES - ({"loss/mean-of-means"} if getattr(self.original, "is_told_in_parts", False) else set())
        for case, shown in labels.of_sequences(call.case, plan):
            with contextlib.suppress(Raised, Error):
                other = call.on(case, shown)
                result = self.judge(case, other.run(tried.taken[0][0]), [labels.BY_SEQUENCES])
                if result.mistakes and set(result.mistakes) <= named:
                    return result
        return right

    def refuse_activation(self, prepared, result):
        """Of a block whose activation the layer does not have, nothing can be said, unless that is a known mistake."""
        seen = getattr(prepared, "seen", None)
        kind = None if result or result.is_named or seen is None else seen.activation()
        if kind in OTHERS and kind != "none" and "activation" not in self.given:
            raise Error(f"{type(prepared.module).__name__} has the activation {kind}, and the layer {self.layer} has "
                        f"{', '.join(COMMANDS)}: to check what else it does, give it one of these, or say activation=\"relu\"")

    def of_one_sequence(self, prepared, steps):
        """Of a function of rows that is right for (T, d) alone: nobody said that it takes a batch."""
        other = copy.copy(self)
        other.how, other.remarks = replace(self.how, batch=False), []
        result = other.attempt(prepared, steps)
        result.remarks.append(ONE_ROW if self.layer == "next-token" else ONE_SEQUENCE)
        return result

    def of_one_row(self, prepared, step, result):
        """Of a function of logits that is not right for several rows: the mistake that it makes in one, if that is known."""
        found = []
        for as_ in (step, None):  # logits, or probabilities
            other = copy.copy(self)
            other.how, other.remarks, other.taken_from_it = replace(self.how, batch=False, as_=as_), [], []
            with contextlib.suppress(Raised, Error):
                again = other.attempt(prepared, steps=False)
                again.remarks.append(OF_ONE_ROW)
                found += [again] * again.is_named
        return min(found, key=Result.size, default=result)

    def chosen(self, kind, prepared):
        """The call, as the names of the function's parameters say it; where the result is not right so, with what they leave
        open filled otherwise. At the end what has to be asked, if nothing that is tried is right."""
        made = self.call(kind, prepared)
        plan = made[1]
        own, problem, nearest, by_flags, instead = None, None, None, None, None
        if plan.missing is None:
            try:
                own = self.tried(made)
            except Raised as raised:
                problem = raised
        if prepared is None and any(is_joined(what) for what in plan.taken()) and not (own and own.is_near):
            own = self.with_rows_by_head(kind, own)
        if made[0].looked.numbers - self.in_state:  # the case has to have the same
            self.in_state |= made[0].looked.numbers
            if self.in_state & set(OF_ADAM) and "optimiser" not in self.given:  # no gradient descent then
                self.asked.options = {name: value for name, value in self.asked.options.items()
                                      if name in self.given or name not in ("optimiser", "momentum")}
                self.taken_from_it = [line for line in self.taken_from_it if line != AS_DESCENT]
            return self.chosen(kind, prepared)
        if own is not None and own.is_near:  # which of two numbers of an update a state has may hardly show
            both = [own]
            for guess in guesses_of(plan, has_mask=True) if plan.takes_state else ():
                with contextlib.suppress(Raised, Error):
                    both.append(self.tried(self.call(kind, prepared, guess)))
            return min(both, key=Tried.distance), None
        has_mask = own is not None and all(np.all(np.isfinite(each)) for _, steps in own.taken for each in steps.values())
        for guess in guesses_of(plan, has_mask) if prepared is None else (*flags_of(plan), *memory_first(plan), *masked_by_default(plan)):
            with contextlib.suppress(Raised, Error):
                other = self.tried(self.call(kind, prepared, guess))
                if not other.needs_its_guess():
                    continue
                if is_of_flags(other.plan.guess) and (by_flags is None or other.distance() < by_flags.distance()):
                    by_flags = other
                if nearest is None or other.distance() < nearest.distance():
                    nearest = other
                if other.is_near:
                    break
        if own is None and prepared is None and nearest is None:
            nearest = instead = self.otherwise_named(kind, plan)
        asked = self.question(made[0], has_mask) if prepared is None else None  # a module has its own numbers
        has_its_shape = own is not None and (not plan.of_sizes or own.fits())
        says_more = asked is not None or plan.of_sizes or (prepared is not None and own is None)
        is_taken = says_more or instead is not None or (nearest is not None and is_of_state(nearest.plan.guess))
        is_only = nearest is not None and not has_its_shape and is_taken
        if is_only or (nearest is not None and nearest.is_near):
            self.say_guess(nearest)
            return nearest, asked
        if by_flags is not None and (own is None or by_flags.distance() < own.distance()):
            self.say_guess(by_flags)
            return by_flags, asked
        if own is not None:
            return own, asked
        plan.refuse_missing()
        raise problem if asked is None else asked

    def otherwise_named(self, kind, plan):
        """Of what fails as its parameters are called, the first way that gives a result of the right shape, with an input in place
        of a number; one that gives the right numbers, if there is any. Else None."""
        found = None
        for guess in lone_input.misnamed(plan, SIZES):
            with contextlib.suppress(Raised, Error):
                other = self.tried(self.call(kind, None, guess))
                if other.is_near:
                    return other
                found = found or (other if other.fits() else None)
        return found

    def with_rows_by_head(self, kind, own):
        """What was tried, or the same with the rows of the one matrix head by head: where that is right, or else as the
        second of two ways to read it."""
        other = copy.copy(self)
        other.joined_by_head = True
        with contextlib.suppress(Raised, Error):
            tried = other.tried(other.call(kind, None))
            if tried.is_near:
                return tried
            return tried if own is None else replace(own, second=own.second or tried)
        return own

    def question(self, call, has_mask):
        """What has to be asked, as an error, where nothing that is tried makes the result right; else None."""
        name, key = asked_about(call.plan, has_mask), looked_for(call.plan, call.looked)
        if name is None and key is not None:
            return Error(f"what is {key}? Its name does not say: m, v and t are known there, the averages and the "
                         "number of the update, and the numbers by their names, such as lr")
        return None if name is None else Unknown(name, call.plan.names())

    def say_guess(self, tried):
        self.remarks += [f"its parameter {name} is read as {word}" for name, word in tried.plan.taken_as().items()]

    def tried(self, made):
        """What call() made; of a function that takes an axis for the heads with several of them."""
        found = self.tried_in_layouts(made)
        has_axis = any(way.has_head() for way, _ in found.taken)
        if not has_axis or self.layer != "attention" or self.asked.inputs or "heads" in self.asked.options or self.weights:
            return found
        by_shape = self.with_several_heads(made, "heads")
        if by_shape is not None and len({by_shape.call.case.inputs[name].shape[-2] for name in "QK"}) > 1:
            chosen = [by_shape]
        else:  # with as many queries as keys one axis may be taken for another
            layouts = [each.taken[0][0].batch for each in (found, found.second) if each is not None]
            chosen = [each for batch in layouts if (each := self.with_several_heads(made, batch)) is not None]
        near = [each for each in chosen if each.is_near]
        has_mask = made[1].takes_mask and found.is_near  # which it may want in another form then
        if near or not chosen or (has_mask and self.is_unexplained(chosen[0])):
            return near[0] if near else found
        return replace(chosen[0], second=chosen[1] if len(chosen) > 1 else None)

    def with_several_heads(self, made, batch):
        """The same in a layout, or in any, with several heads; None where it fails or gives other shapes."""
        other = self.with_options({"heads": HEADS_APART}, [])
        other.how = replace(self.how, batch=batch)
        with contextlib.suppress(Raised, Error):
            tried = other.in_ways(other.call(made[0].kind, self.prepared, made[1].guess))
            return tried if tried.fits() else None
        return None

    def is_unexplained(self, tried):
        """Whether no mistake is known that gives its numbers."""
        result, _ = self.verdict(tried.call, tried.plan, tried.taken)
        return not result and not result.is_named

    def tried_in_layouts(self, made):
        """What call() made, with the batch first, or second: where it is right so, and it says so or fails otherwise."""
        first, problem, second = None, None, None
        try:
            first = self.in_ways(made)
            if first.is_near:
                return first
        except Raised as raised:
            problem = raised
        if self.may_be_second(made):
            fits = first is not None and first.fits()
            says = says_second(self.original)
            has_heads = first is not None and any(way.has_head() for way, _ in first.taken)
            if says or not fits or has_heads or is_unread(self.original):
                second = self.in_layout("second", made)
            channels = None if second is not None and second.is_near else self.in_layout("channels", made)
            is_only = first is None and second is None and has_convolutions(self.original)
            if channels is not None and (channels.is_near or is_only):
                return channels
            of_heads = second is not None and any(way.batch == SECOND_OF_HEADS for way, _ in second.taken)
            of_words = second is not None and self.layer == "transformer" and second.fits()
            if second is not None and (second.is_near or (says and not fits) or ((of_heads or of_words) and first is None)):
                return second
            by_channels = channels if second is None and says_channels(self.original) else None
            if by_channels is not None and (first is None or not fits):
                return by_channels
            other = second if says or has_heads else by_channels
            first = replace(first, second=other) if (says or has_heads or other is not None) and first is not None else first
        if problem is not None:
            raise problem
        if "labels" in made[0].case.inputs and not self.asked.inputs:
            return replace(first, second=self.as_shifting(made))
        return first

    def as_shifting(self, made):
        """A loss that is not right, as one that shifts its labels by itself; None where it cannot be called so."""
        call, plan, meaning = made
        for each in labels.unshifted(call.case, plan):
            with contextlib.suppress(Raised, Error):
                other = call.on(*each)
                return Tried(plan, meaning, other, *other.best(other.ways(meaning, self.how.batch)))
        return None

    def in_layout(self, batch, made):
        """What call() made, with its axes in another order; None where it fails."""
        other = copy.copy(self)
        other.how = replace(self.how, batch=batch)
        with contextlib.suppress(Raised, Error):
            return other.in_ways(made)
        return None

    def may_be_second(self, made):
        """Whether the batch may come second in what is left open."""
        call, plan, _ = made
        return (self.how.batch is None and self.how.batch_first is None and not plan.guess and self.layer in OF_SEQUENCES
                and any(array.ndim in ((3, 4) if name in SEQUENCES else (2, ) if name in TOKENS else ())
                        for name, array in call.case.inputs.items()))

    def in_ways(self, made):
        """What call() made, in the ways that the function takes."""
        (call, plan, meaning), problem = made, None
        try:
            tried = Tried(plan, meaning, *self.taken(call, plan, meaning))
            if tried.is_near:
                return tried
        except Raised as raised:
            problem, tried = raised, None
        of_padding = self.layer == "mask" and self.meaning == "add"
        if of_padding and plan.may_hide:
            with contextlib.suppress(Raised, Error):
                hidden = Tried(plan, "hide", *self.taken(call, plan, "hide"))
                if hidden.is_near:
                    return hidden
        may_add = plan.takes_mask and (of_padding or (self.meaning is None and (self.may_add or not plan.may_hide)))
        if may_add and not makes_mask(call.function, plan.masks):
            for means in ("add much", "add"):
                with contextlib.suppress(Raised, Error):
                    added = Tried(plan, "add", *self.taken(call, plan, means))
                    if added.is_near and added.adds():
                        return added
        if problem is not None:
            raise problem
        return tried

    def has_shown_options(self, prepared):
        """Whether the call of an own block showed what nobody said, its norms' place or its activation; taken as said
        then."""
        if prepared is None or prepared.seen is None:
            return False
        shown = {name: value for name, value in prepared.seen.options().items()
                 if name not in self.given and self.asked.options.get(name) != value}
        self.asked.options.update(shown)
        self.taken_from_it += [OF_CALL.get(name) or OF_MODULE[name, value] for name, value in shown.items()]
        return bool(shown)

    def frameworks(self, original, prepared):
        """Those that the function may compute with; of a module its own."""
        if self.how.framework:
            return [self.how.framework]
        return frameworks_for(original) if prepared is None else [prepared.framework]

    def taken(self, call, plan, meaning):
        """The call in the ways that the function takes, on the probe or, where it gives other shapes or fails there, on
        another one."""
        problem, found, others = None, None, None
        for other in variants(call, plan, self.asked, self.how.batch):
            try:
                taken, is_near = other.best(other.ways(meaning, self.how.batch))
            except TooMany:
                raise
            except (Raised, Error) as raised:
                problem = problem or raised
                continue
            fitting = [(way, steps) for way, steps in taken if other.fits(steps)]
            if fitting and (is_near or not has_forms(call.case)):
                return other, fitting, is_near
            if fitting and (found is None or (
                    other.rate_in_velocity and descent.keeps_velocity(other, fitting) and not descent.keeps_velocity(*found[:2]))):
                found = other, fitting, is_near
            others = others or (other, taken, is_near)
        if found or others:
            return found or others
        raise problem

    def verdict(self, call, plan, taken):
        """The result, and the way that it was found in: what is simple is tried in every way, two mistakes together in
        the best one."""
        has_mask = plan.takes_mask and call.case.mask is not None and "mask" in options_of_layer(self.layer)
        self.read_as = "add" if plan.read_as == "add" else "keep" if call.mirrors else None
        is_only = len(taken) == 1 and not has_mask
        judged = [(self.judged(call.case, steps, self.how.search if is_only else NO_SEARCH), way, steps) for way, steps in taken]
        # A mask in another layout is one mistake more.
        result, way, steps = min(judged, key=lambda each: each[0].size())
        if result or result.is_named or "error" in result.as_json:
            return result, way
        if not same(call.run(way), steps):
            return failed(call.case, "the function returns different numbers on each call: is dropout on?"), way
        if has_mask and self.other_meaning(call, plan, way):  # which is all that is wrong
            return result, way
        sharper = self.unmasked(call, "second" if way.batch in SECOND else self.how.batch) if has_mask else None
        sharper = self.with_mask_too(call, way, steps, sharper) if sharper is not None else None
        if sharper is None and not is_only and self.how.search != NO_SEARCH and not result.right_with:
            sharper = self.judged(call.case, steps, self.how.search)
        return result if sharper is None else sharper, way

    def other_meaning(self, call, plan, way):
        """The meaning of the mask with which all would be right; "" where there is none."""
        for other in MEANINGS:
            if other == "add" and makes_mask(call.function, plan.masks):
                continue
            for dtype in dict.fromkeys([way.mask_dtype, "bool"]):  # PyTorch fills by what is true
                with contextlib.suppress(Raised, Error):
                    if call.is_near(call.run(way.with_mask(other, dtype))):
                        return other
        return ""

    def unmasked(self, call, batch):
        """What is named when every key is seen, for hidden scores of −∞ or −10⁹ may make other numbers of the same
        mistake; None if nothing is."""
        seen = np.ones_like(call.case.mask)
        call = call.on(call.case.unmasked().changed(mask=seen))
        try:
            likely = "hide" if call.plan.hides else "keep"
            for meaning in [self.meaning] if self.meaning else [likely, "keep" if likely == "hide" else "hide"]:
                (way, steps), *_ = call.best(call.ways(meaning, batch))[0]
                if all(np.all(np.isfinite(each)) for each in steps.values()):  # else it hides every key
                    break
            if self.other_meaning(call, call.plan, way):  # then only the mask is wrong
                return None
            result = self.judge(call.case, steps, ["with a mask under which every key is seen:"])
            result.has_all_seen = True
        except (Raised, Error):
            return None
        return result if not result and result.is_named else None

    def with_mask_too(self, call, way, steps, seen):
        """What was named where every key is seen, with what the mask shows beside it, whichever meaning it has."""
        for other in MEANINGS:
            with contextlib.suppress(Raised, Error):
                there = call.run(way.with_mask(other))
                if any(gives(call.case, names, there) for names in seen.explanations):
                    return seen
        both = self.judged(call.case, steps, self.how.search)
        if both.is_named and any(set(names) & set(seen.mistakes) for names in both.explanations):
            return both
        if not any(gives(call.case, names, steps) for names in seen.explanations):
            seen.remarks.append(MASK_TOO)
        return seen

    def call(self, kind, prepared, guess=None):
        """The function with what each of its parameters takes."""
        case = self.case_for(kind, prepared)
        if self.layer == "pooling" and case.mask is None and case.lengths() is not None:  # as others say what is padding
            case = case.changed(mask=(np.arange(case.inputs["x"].shape[-2]) < case.lengths()[:, None]).astype(np.float32))
        weights = case.weights if prepared is None else ()  # a module has its own
        parts = parts_of_weights(weights, case.heads()) if weights else {}
        sizes = sizes_of(case)
        numbers = [*numbers_of(self.layer, sizes), *(PADDINGS if "labels" in case.inputs else ()),
                   *(mask_results.TOLD if self.layer == "mask" else ())]
        numbers = [each for each in numbers if each not in self.not_there]
        has_mask = case.mask is not None and "labels" not in case.inputs
        own = self.own_parameters(kind, case)
        known = [*case.inputs, *weights, *sizes]
        said = in_own_names(self.how.arguments or {}, self.function, Names(known, numbers, parts, lambda: right_steps(case)))
        plan = Plan(self.function, known, {**own, **said}, numbers, parts, has_mask, guess, of_sizes=self.layer == "positional")
        plan.joined_by_head = self.joined_by_head
        returns = self.how.returns
        if self.is_descent(plan):
            return self.of_descent(plan).call(kind, prepared, guess)
        if "optimiser" in options_of_layer(self.layer) and "optimiser" not in self.asked.options:
            case = of_optimiser(case, optimiser_of(self.function, plan))
        case = tell(plan, case, self.asked.options, self.in_state)
        if any("prompt" in told for told in plan.numbers.values()):  # one token, as a number: no other prompt then
            case = case.changed(inputs={name: array for name, array in case.inputs.items() if name != "prompt"})
        if "labels" in case.inputs:
            return self.call_of_loss(kind, case, plan)
        if self.layer == "mask":
            return self.call_of_mask(kind, case, plan)
        if self.layer == "dropout" and not any(is_word(what, "kept") for what in plan.taken()):
            case = self.with_own_places(kind, case, plan)
        taken = plan.weights_taken(case.weights)
        self.told_numbers = {option for options in plan.numbers.values() for option in options}
        told = {*self.asked.options, *self.told_numbers}
        self.free = [words for words in FREE.get(self.layer, []) if keyword(words[0].partition("=")[0]) not in told]
        self.free += ends.free(plan, case.words, self.asked.options) if self.layer == "decode" else []
        if self.layer in BY_ITSELF and not self.keeps_weights and (prepared is None or not self.weights):
            taken = self.read_of(kind, case, plan) if any(is_word(what, "weights") for what in plan.taken()) else taken
            case = case.changed(weights=neutral(case.weights, self.layer, taken or set()))
        elif taken is not None:
            case = case.changed(weights=without_parts(case.weights, case.heads(), taken))
        elif prepared is None and self.own_weights is None and any(is_word(what, "weights") for what in plan.taken()):
            case = self.without_biases_left_alone(kind, case, plan)
        if plan.takes_time_alone:  # its times are those of every sequence
            case = case.changed(inputs={**case.inputs, "x": case.inputs["x"].reshape(-1, *case.inputs["x"].shape[-2:])[0]})
            returns = returns or without_inputs(case, ["x"])
        if not plan.takes_arrays and returns is None and case.inputs:
            returns = without_inputs(case, case.inputs)
        if not plan.takes_mask and "mask" not in self.asked.options and self.asked.mask is None:
            case = case.changed(words=without(case.words, ["--mask"])) if plan.takes_lengths else self.with_padding(case)
        elif case.mask is None and plan.takes_mask and not plan.takes_lengths:
            plan.named = {name: what for name, what in plan.named.items() if what != "mask"}
        case = rounded(case, kind)
        if "memory_lengths" not in self.asked.options:  # no parameter takes them
            case = case.changed(words=without(case.words, ["--memory-lengths"]))
        meaning = self.meaning or ("hide" if plan.hides else "keep")
        has_own_weights = self.own_weights is not None or prepared is not None
        try:
            right = right_steps(case)
        except Error as problem:  # a schedule of one rate has no warm-up; what a parameter of such a name takes is its own
            flag = re.match(r"(--[\w-]+): requires", str(problem))
            if flag is None or keyword(flag[1]) not in numbers or keyword(flag[1]) in self.asked.options:
                raise
            self.not_there.add(keyword(flag[1]))
            return self.call(kind, prepared, guess)
        refuse_unknown_steps(self.how.returns, right)
        made = Call(self.function, plan, case, kind, right, returns, has_own_weights=has_own_weights, fused=self.fused)
        return made, plan, meaning

    def with_padding(self, case):
        """For a function that takes no mask: every key is seen, but of a Transformer's sentences the padding."""
        said = [word for word in self.asked.words(self.layer) if word.partition("=")[0] in padded_words.SIDES.values()]
        bare = case.unmasked() if self.layer != "transformer" else case.unmasked().changed(words=[*case.unmasked().words, *said])
        if not self.has_padding or "source" not in case.inputs:
            return bare
        if self.asked.inputs:
            return padded_words.with_own_padding(bare, self.padding)
        return padded_words.padded(bare, case.lengths(), self.padding, self.has_padding == "seen") or bare

    def own_parameters(self, kind, case):
        """{parameter: value} of what the layer does not have."""
        if self.layer == "dropout":
            return dropping.keys_for(self.function, kind.framework)
        if self.asked.options.get("kind") != "revin":
            return {}
        found = {name: value for name, value in reversible.neutral(self.function, case.inputs["x"].shape[-1], kind.make).items()
                 if name not in (self.how.arguments or {})}
        self.taken_from_it += [reversible.HAS_OWN] * (bool(found) and reversible.HAS_OWN not in self.taken_from_it)
        return found

    def read_of(self, kind, case, plan):
        """Which parameters a function reads of the dictionary that has them all: what it leaves alone it does not have."""
        call = Call(self.function, plan, case, kind, {}, has_own_weights=self.own_weights is not None)
        for way in call.ways("keep", self.how.batch):
            with contextlib.suppress(Raised, Error):
                call.once(way)
                return call.weights_taken.read or set(case.weights)
        return set(case.weights)

    def without_biases_left_alone(self, kind, case, plan):
        """Of a function that is given all parameters in one dictionary and reads none of the biases there: without them."""
        call = Call(self.function, plan, case, kind, {})
        for way in call.ways("keep", self.how.batch):
            with contextlib.suppress(Raised, Error):
                call.once(way)
                break
        read = call.weights_taken
        if read is None or not read.read or read.reads_bias:
            return case
        biases = [name for name in case.weights if name.endswith("bias") and "norm" not in name]
        if biases and NO_BIASES not in self.taken_from_it:
            self.taken_from_it.append(NO_BIASES)
        return case.changed(weights={name: np.zeros_like(array) if name in biases else array for name, array in case.weights.items()})

    def say_weights(self, call, way):
        """What was taken for granted of a layer's parameters as one dictionary."""
        taken = call.weights_taken
        if taken is None or self.layer not in BY_ITSELF:
            return
        if "bias" in taken.keys() and taken.read and "bias" not in taken.read:
            self.remarks.append("it does not read the bias in its dictionary: judged without one")
        if self.layer == "linear" and way.layout != "named":
            self.remarks.append(f"its matrix is taken as ({'in, out' if way.layout == 'in-out' else 'out, in'})")

    def with_own_places(self, kind, case, plan):
        """The case with the places that a function of dropout has drawn itself."""
        with contextlib.suppress(Raised, Error):
            value, _ = Call(self.function, plan, case, kind, right_steps(case)).once(Way())
            kept = dropping.kept_by(to_numpy(value), case.inputs["x"])
            if kept is not None and 0 < kept.mean() < 1:
                rate = float(value_of(case.words, "--dropout") or options_of_layer(self.layer)["dropout"])
                self.unlikely = dropping.unlikely(kept, rate)
                return case.changed(inputs={**case.inputs, "kept": kept})
        return case

    def is_descent(self, plan):
        """Whether an update that nobody names is gradient descent: it takes no average of squares."""
        if "optimiser" not in options_of_layer(self.layer) or "momentum" in self.asked.options:
            return False
        words = {what for what in plan.taken() if isinstance(what, str)}
        if not {"before", "gradient"} <= words or {"v_before", *STATE_WORDS} & words:
            return False
        optimiser = self.asked.options.get("optimiser")
        has_momentum = "m_before" in words or any("momentum" in told for told in plan.numbers.values())
        return optimiser == "sgd" and not has_momentum if optimiser else optimiser_named(self.function) is None

    def of_descent(self, plan):
        """The same check, of gradient descent."""
        has_momentum = any(is_word(what, "m_before") for what in plan.taken()) or any(
            "momentum" in told for told in plan.numbers.values())
        other = copy.copy(self)
        other.asked = copy.copy(self.asked)
        other.asked.options = {"optimiser": "sgd", **({} if has_momentum else {"momentum": 0}), **self.asked.options}
        return other

    def call_of_loss(self, kind, case, plan):
        """With labels of whole numbers, and padding where the function is told of it."""
        plan.padding = self.asked.ignored
        sees_padding = plan.padding is not None or self.sees_padding(kind, case, plan)
        keeps_padding = sees_padding or bool(self.asked.inputs) or "lengths" in self.asked.options
        case = labels.whole(rounded(case, kind), plan, keeps_padding)
        for name, options in plan.numbers.items():
            if options[0] in PADDINGS:
                plan.tell(name, labels.number_of_padding(case, plan))
        meaning = self.meaning or ("hide" if plan.hides else "keep")
        right = right_steps(case)
        refuse_unknown_steps(self.how.returns, right)
        return Call(self.function, plan, case, kind, right, self.how.returns), plan, meaning

    def call_of_mask(self, kind, case, plan):
        """With tokens, a window and padding, as the function has parameters for them."""
        case, shown, plan.reach = mask_results.tell(plan, case, self.asked)
        is_free = mask_results.is_told_of_padding(plan) and "mask" not in self.asked.options and self.asked.mask is None
        is_free = is_free and plan.reach is None and not mask_results.named_causal(self.function)
        self.free = [(["--mask", "none"], mask_results.AS_PADDING)] if is_free else []
        plan.means = self.meaning
        right = right_steps(case)
        refuse_unknown_steps(self.how.returns, right)
        # What it makes is added; the padding that it is told need not be.
        meaning = ("hide" if plan.hides else "keep") if self.meaning == "add" else self.meaning or "keep"
        return Call(self.function, plan, case, kind, right, self.how.returns, shown), plan, meaning

    def sees_padding(self, kind, case, plan):
        """Whether a function that is told of no padding leaves rows out by their label, −1, −100 as in PyTorch, or 0: what
        stands in these rows then has no effect."""
        if labels.paddings_of(plan) or not np.any(case.inputs["labels"] < 0):
            return False
        is_asked = bool(self.asked.inputs) or "lengths" in self.asked.options
        if not is_asked and not labels.speaks_of_padding(self.original):
            return False
        for number in labels.PADDINGS[:2] if self.asked.inputs else labels.PADDINGS:  # 0 is a class of the caller's
            plan.padding = number
            padded = labels.whole(rounded(case, kind), plan, True)
            logits, gone = padded.inputs["logits"], padded.inputs["labels"] < 0
            other = np.where(gone[..., None], logits[..., ::-1] + 1, logits)
            right = right_steps(padded)
            with contextlib.suppress(Raised, Error):
                pairs = zip(*(labels.forms(padded.changed(inputs={**padded.inputs, "logits": each}), plan)
                              for each in (logits, other)))
                same_of = (self.is_same_of(both, kind, plan, right) for both in pairs)  # flat, and by sequences
                if next((each for each in same_of if each is not None), False):
                    return True
        plan.padding = None
        return False

    def is_same_of(self, both, kind, plan, right):
        """Whether two forms of a loss's case give the same, finite numbers; None where it fails on them."""
        with contextlib.suppress(Raised, Error):
            first, second = (to_numpy(Call(self.function, plan, case, kind, right, self.how.returns, shown).once(Way())[0])
                             for case, shown in both)
            return bool(np.all(np.isfinite(first)) and np.array_equal(first, second))
        return None

    def case_for(self, kind, prepared):
        try:
            return self.case(kind)
        except Error as problem:
            if prepared is None:
                raise
            given = self.own_weights if self.own_weights is not None else prepared.module
            raise unfit(problem, given, self.layer, self.asked.inputs) from None

    def on_the_other_input(self, call, way, result):
        """What is right for one input may be wrong for another: a gradient that is short enough stays as it is."""
        if "error" in result.as_json:
            return result
        other = call.on(call.case.changed(inputs=other_input(self.layer, call.case.words)))
        try:
            here, there = call.run(way), other.run(way)
            if not result:
                return self.refuted_by([(other.case, there)], result, here)
            again = self.judged(other.case, there, self.how.search)
            if again:
                result.remarks.append("also right for another input, which shows what this one hides")
                return result
            again = self.refuted_by([(call.case, here)], again, there)
        except (Raised, Error) as problem:
            return failed(other.case, str(problem))
        again.remarks.insert(0, "right for one input but not for another:")
        return again

    def on_other_tables(self, call, way, result):
        """What writes the right tokens by one table may write others by another: tokens hide how they were chosen."""
        if "error" in result.as_json or not (result or result.explanations):
            return result
        here, others = call.run(way), []
        for inputs in other_tables(call.case.inputs):
            other = call.on(result.case.changed(inputs=inputs))
            with contextlib.suppress(Raised, Error):
                there = other.run(way)
                others.append((other.case, there))
                if result and not other.is_near(there):
                    wrong = self.wrong_by(call.case.changed(inputs=inputs), there, call.case, here)
                    if not wrong:
                        return wrong
        return result if result or not others else self.refuted_by(others, result, here)

    def wrong_by(self, case, steps, right_case, right):
        """What is wrong by a table, of what is right by the first one; right where it is so with another free choice."""
        result = self.judged(case, steps, self.how.search)
        if result:
            return result
        result = self.refuted_by([(right_case, right)], result, steps) if result.explanations else result
        result.remarks.insert(0, "right for one table but not for another:")
        return result

    def refuted_by(self, others, result, steps):
        """The result with those of its mistakes that also give the other numbers, as (case, steps) each."""
        left = judge_result(result.case, steps, self.how.as_, self.how.hide_expected, search=self.how.search, also=others)
        left.remarks = result.remarks
        return left

    def judge(self, case, steps, remarks=(), search=NO_SEARCH):
        return judge_result(case, steps, self.how.as_, self.how.hide_expected, remarks, search)

    def judged(self, case, steps, search):
        """Where one matrix makes queries, keys and values, its rows may lie head by head as well: that which fits. Rarer
        orders are taken only where all is right in them."""
        others = readings(case, self.fused)
        if not others:
            return self.judged_as(case, steps, search)
        by_name = others[0].order[1] not in ORDERS  # in which its name has queries, keys and values
        cases = [others[0], *others[1:], case] if by_name else [case, *others]
        for effort in dict.fromkeys([NO_SEARCH, search]):
            result = self.judged_in_order(cases[0], steps, effort)
            for other in cases[1:]:
                is_rare = by_name or other is not cases[1]
                if result or (is_rare and effort != NO_SEARCH):
                    continue
                again = self.judged_in_order(other, steps, effort)
                again.remarks += [f"its one matrix for several is read in the order {NOT_AS_NAMED}"] * (other is case)
                result = again if again or (again.size() < result.size() and not is_rare) else result
            if result or result.is_named:
                break
        return result

    def judged_in_order(self, case, steps, search):
        """Where its case has the rows of its matrices in another order, its steps have, too."""
        if not case.order:
            return self.judged_as(case, steps, search)
        result = self.judged_as(case, steps_in_order(case, steps), search)
        result.remarks.insert(0, rows_lie(case.order))
        return result

    def judged_as(self, case, steps, search):
        """Where only the source's habits differ and the caller named none, the source that fits is taken."""
        try:
            for other, remark in other_forms(case, steps, self.told()) if self.has_own_blocks() else ():
                again = self.judge(other, steps, [remark])
                if again:
                    return again
            result = self.judge(case, steps, search=search)
            if not result and self.layer == "mask":
                return mask_results.read_otherwise(case, steps, result, self.meaning or self.read_as, self.original, self.free, self.judge)
            if not result and self.free:
                result = self.freely(case, steps, result)
                if result or self.layer != "embedding":
                    return result
            if not result and self.layer == "embedding":
                return added_positions.read_without(case, steps, result, bool(self.free), self.judge)
            if not result and self.layer == "positional" and not result.is_named:
                return added_positions.by_themselves(case, steps, result, self.judge)
            if result:
                return result
            if self.has_convention:
                return self.in_its_form(case, steps, self.where_no_key_is_seen(case, steps, result), search)
            fits = result.as_json["right_with"].partition("--convention ")[2] if case.weights else ""  # no clipping at all
            # Of what is not right in any convention a norm's ε most often is PyTorch's.
            sources = [fits] if fits else ["uva-torch"] if self.layer in BLOCKS else []
            if "convention" not in options_of_layer(self.layer):
                return result
            others = [(in_convention(case, each), f"read with the convention {each}") for each in sources]
            if not fits:
                others.append((stacked_reading(case), "qkv_proj holds all queries, then all keys, then all values"))
            for other, remark in others:
                with contextlib.suppress(Error):  # names that the other source does not have
                    again = result if other is None else self.judge(other, steps, [remark])
                    result = again if again.size() < result.size() else result
            return self.in_its_form(case, steps, self.where_no_key_is_seen(case, steps, result), search)
        except Error as problem:
            return failed(case, str(problem))

    def where_no_key_is_seen(self, case, steps, result):
        """Of what is not named a mistake of the mask that leaves queries without keys, if finite numbers show it."""
        finite = all(np.all(np.isfinite(each)) for each in steps.values())
        other = with_equal_weights(case) if finite and not result.is_named else None
        if other is None or "error" in result.as_json:
            return result
        with contextlib.suppress(Error):
            again = self.judge(other, steps)
            if of_a_mask(again):
                return again
        return result

    def in_its_form(self, case, steps, result, search):
        """Of a block that is not right: with its own place of the norms, activation and ε, where nothing tells these."""
        if result or not (self.layer in BLOCKS or self.has_own_blocks()):
            return result
        if self.has_free_epsilon():
            again = self.judge(form(case, epsilon="1e-5"), steps, ["read with epsilon=1e-5"])
            if again:
                return again
        for other, remark in other_forms(case, steps, self.told()):
            again = self.judge(other, steps, [remark], search)
            result = again if again.size() < result.size() else result
        return result

    def has_own_blocks(self):
        """Whether it is a whole Transformer of other blocks than PyTorch's, which say of themselves what they have."""
        return self.layer == "transformer" and is_torch_module(self.original) and block_inside(self.original) is None

    def has_free_epsilon(self):
        return getattr(self.prepared, "epsilon_is_free", False) and "epsilon" not in self.given

    def told(self):
        """The options of a block that are not free: as they were said, or as a call has shown them."""
        told, seen = {*self.asked.options, *self.told_numbers}, getattr(self.prepared, "seen", None)
        told = told - {"epsilon"} if self.has_free_epsilon() else told | ({"epsilon"} if self.has_convention else set())
        if is_module(self.original) and (builtin(self.original) or hasattr(self.original, "norm_first")):
            told |= {"norm"}
        if seen is not None:
            told |= {"norm"} if seen.has_order() else set()
            told |= {"activation"} if seen.activation() else set()
        return told | ({"activation"} if is_module(self.original) and builtin(self.original) else set())

    def freely(self, case, steps, result):
        """What may be chosen freely, as the function has it: that with which it is right, or its mistake is known."""
        for words in self.free:
            flags = [each.partition("=")[0] for each in words if "=" in each]
            other = case.changed(words=[*without(case.words, flags), *words])
            said = ", ".join(each.removeprefix("--") for each in words)
            again = self.judge(other, steps, [f"read with {said}"])
            result = again if again.size() < result.size() else result
            if result:
                break
        return result

    def case(self, kind):
        """The probe, or what the caller gave."""
        words = self.asked.words(self.layer)
        if kind.framework == "torch" and "convention" not in self.asked.options:
            words.append("--convention=uva-torch")
        if self.asked.inputs:
            inputs = with_ones(self.asked.inputs) if self.has_ones else self.asked.inputs
            of_head = "W_Q" in self.weights
            words = without(words, SIZES_OF_HEAD) if of_head else words
            case = Case(self.layer, words, inputs, self.weights, self.asked.mask, has_ones=self.has_ones)
            return case if of_head else completed(case)
        words = more_sequences_than_heads(self.layer, words)
        case = probe_with(self.layer, words, self.weights) if self.weights else probe_of(self.layer, words)
        if self.has_ones:
            x = case.inputs["x"][..., :-1]
            case = case.changed(inputs=with_ones({**case.inputs, "x": x}), has_ones=True)
        if self.layer == "transformer":
            case = case.changed(inputs={name: padded_words.other_words(without_padding(ids), self.padding.values())
                                        for name, ids in case.inputs.items()})
        if self.asked.mask is not None:
            case = case.unmasked().changed(mask=self.asked.mask)
        chosen = str(self.asked.options.get("mask", "causal" if self.plain_mask else ""))
        if re.fullmatch(f"none|{OWN_MASK}", chosen) and (self.layer != "mask" or self.plain_mask):
            case = case.unmasked().changed(words=[*case.unmasked().words, f"--mask={chosen}"])
            case = case if chosen == "none" else of_one_length(case)
            case.mask = mask_called(chosen, case.inputs)
        return case

    def prepare(self):
        """A module brings its weights and options along."""
        if self.layer == "positional" and not self.asked.inputs:
            self.asked.options = {**sizes_of_module(self.function), **self.asked.options}
        if not is_module(self.function):
            found = own_epsilon(self.function) if self.layer in ("layer-norm", *BLOCKS) else {}
            own = {}  # what an object that keeps its parameters says of them
            if self.weights is None:
                self.weights = self.own_weights = own_arrays.parameters_of(self.function, self.layer, self.has_rows_in) or None
                if self.weights is not None:
                    self.keeps_weights = True
                    self.taken_from_it.append(own_arrays.READ)
                    own = own_arrays.options_of(self.function, self.layer)
            if self.weights is not None:
                self.weights, more = describe(self.weights, self.layer)
                found.update({**more, **own})
            self.weights = self.weights or {}
            if "optimiser" in options_of_layer(self.layer) and self.asked.options.get("optimiser", "sgd") == "sgd":
                of_descent = descent_options(self.function, self.how.arguments or {})
                found.update(of_descent)
                if of_descent and optimiser_named(self.function) is None and "optimiser" not in self.asked.options:
                    self.taken_from_it.append(AS_DESCENT)
            self.asked.options = {**found, **self.asked.options}
            return None
        self.prepared = prepared = Prepared(self.function, self.layer, self.weights)
        self.weights, self.plain_mask, self.fused = prepared.weights, prepared.plain_mask, prepared.fused
        self.has_ones = prepared.has_ones
        if self.plain_mask and self.meaning is None:
            self.meaning = "hide"
        own = {name: value for name, value in prepared.options.items() if name not in self.asked.options}
        self.taken_from_it = [line for name, value in own.items() if (line := said_of(name, value))]
        self.taken_from_it += [AS_A_ROW] * self.has_ones + [prepared.by_use] * bool(prepared.by_use)
        self.asked.options = {**prepared.options, **self.asked.options}
        return prepared

    def right_with(self, call, way, plan, meaning):
        """What the caller could say, with which all would be right."""
        trials = []
        other = self.other_meaning(call, plan, way) if plan.takes_mask else ""
        if other and other != meaning and not (self.layer == "mask" and self.meaning):  # which is that of the result
            return f"mask=\"{other}\""
        if self.how.batch_first is None and way.batch == "whole" and self.may_be_second((call, plan, meaning)):
            trials.append((BATCH_SECOND, Way("second", way.mask_axis, way.mask_dtype, way.mask_means, way.of_keys)))
        if self.how.batch is None and way.batch == "whole" and call.has_batch():
            trials.append(("batch=False", Way("one", False, way.mask_dtype, way.mask_means)))
        for words, trial in trials:
            with contextlib.suppress(Raised, Error):
                if call.is_near(call.run(trial)):
                    return words
        for name, value in OF_MODULE:
            there = options_of_layer(self.layer)
            if name in there and self.asked.options.get(name) != value:
                other = call.case.changed(words=[*without(call.case.words, [f"--{name}"]), f"--{name}={value}"])
                with contextlib.suppress(Raised, Error):
                    if call.on(other).best(call.ways(meaning, "second" if way.batch == "second" else self.how.batch))[1]:
                        return f"{name}=\"{value}\""
        return ""
