"""A check of an optimiser as people have it, a class or an object that keeps its own averages: it is run for some updates
in a row from m = v = 0, and each of them is compared with the layer's."""
import contextlib
import functools
import inspect
import re

import numpy as np

from . import descent, engine
from .arrays import Kind, framework_of, is_array, is_number
from .calling import Raised, right_steps
from .errors import Error
from .gradient_transforms import BEHIND, as_one, is_gradient_transform, told_by
from .judging import failed, in_a_sentence, judge_result
from .modules import is_module
from .options import as_words, flag_of
from .probing import Case, probe_of, value_of
from .result import is_change
from .scalars import number, optimiser_named
from .signature import AVERAGES, parameters_of, what_is
from .stepping import (FORMS, FUNCTION, HYPER, METHODS, NUMBERS, Held, Made, Run, Untaken, flat, held_by, hyper_called,
                       likely_frameworks, method_of, values_of)
from .workspace import Workspace

UNFIT = (AttributeError, TypeError, ValueError, LookupError, RuntimeError)  # raised where a form is another than expected
UPDATES = 3  # in a row: a wrong count, decay or average shows in the second or third
LARGEST = 10_000  # numbers of an object's own parameters that are compared
EPSILONS = (1e-7, 1e-6, 1e-5, 1e-10)  # and momentums: those that people write in their own lines
MOMENTUMS = (0.9, 0.99)
CANDIDATES = 8  # mistakes of the first wrong update that are followed into the later ones
LATER = ["m/l2-for-decay"]  # looks like no decay in the first update, which is ±η whatever is added to the gradient
OF_KIND = {"adam": ("rate", "beta1", "beta2", "epsilon", "weight_decay"), "sgd": ("rate", "weight_decay", "momentum")}
OF_KIND["adamw"] = OF_KIND["adam"]
# What is an optimiser, and none of the layer's.
OTHERS = ("rmsprop", "adagrad", "adadelta", "adamax", "nadam", "radam", "sparseadam", "adabelief", "adafactor", "lion", "lamb",
          "rprop", "lbfgs", "asgd", "lookahead", "amsgrad", "muon", "sophia", "nesterov")
KEEPS_CORRECTION = "the bias correction is written back to {}: the next update begins with it, and it builds up"
# What an object's groups may ask for that the layer has not.
BESIDE = ("amsgrad", "nesterov", "maximize", "dampening")
FROM_ZERO = ("its first update gives no finite numbers: is t 0 there? m_hat/from-zero: 1 − βᵗ is 0 then, and m̂ and v̂ are "
             "divided by it")
SHARED = "right with one parameter, but not with two: what it keeps, m, v or t, is shared by them; each parameter has its own"


def is_optimiser(layer, given):
    """Whether it is checked here: a class, also of functools.partial, or an object with a method that makes an update. What
    is called by itself, a function or a module, is not."""
    if layer != "adam" or is_array(given) or isinstance(given, (dict, list)) or is_module(given):
        return False
    if isinstance(given, type) or isinstance(getattr(given, "func", None), type) or makes_transform(given):
        return True
    given = as_one(given)
    return is_gradient_transform(given) or method_of(type(given)) is not None or (
        not callable(given) and method_of(given) is not None)


def makes_transform(given):
    """Whether it is a function that takes a rate and no gradient, and makes what optax would: own_adam(learning_rate, b1, b2)."""
    parameters = parameters_of(given) if inspect.isfunction(given) else None
    words = [what_is(name, ["before", "gradient"]) for name in parameters or ()]
    if not parameters or any(words) or not any("rate" in hyper_called(name) for name in parameters):
        return False
    with contextlib.suppress(Exception):  # whatever it asks for beside its rate
        return is_gradient_transform(as_one(given(**{name: 0.1 for name in parameters if "rate" in hyper_called(name)})))
    return False


def check_optimiser(given, asked, how, meaning=None, weights=None):
    """The result."""
    given = as_one(given)
    refuse_others(asked, how, meaning, weights)
    told = told_by(given) if is_gradient_transform(given) else {}
    if "other" in told and "optimiser" not in asked.options:
        raise Error(f"check: the layer adam has adam, adamw and sgd, and {told['other']} is another part of an optimiser. If it is "
                    "meant to be one of them, say which: optimiser=\"adam\"")
    if is_gradient_transform(given) and not {"rate", "optimiser"} <= {*asked.options, *options_in(told)}:
        raise Error(f"check: {type(given).__name__} does not tell its numbers: say them, with optimiser=\"adam\" and rate=0.1, and "
                    "beta1, beta2, epsilon, weight_decay where they are not the layer's")
    checked = Checked(made_of(given, how.arguments or {}), asked, how)
    try:
        return checked.result()
    except Raised as problem:
        return failed(probe_of("adam", ()), str(problem))


def refuse_others(asked, how, meaning, weights):
    """What says something of functions, arrays or other layers."""
    given = {"returns": how.returns, "batch": how.batch, "batch_first": how.batch_first, "mask": meaning or asked.mask, "steps": how.steps or None,
             "backward": how.backward or None, "weights": weights, "as_": how.as_, "update": asked.options.get("update"),
             "factor": asked.options.get("factor"),
             **{name: asked.inputs.get(name) for name in AVERAGES}}
    for name, value in given.items():
        if value is not None:
            raise Error(f"check: {name}: an optimiser is run from its own beginning, m = v = 0, and says nothing but the new "
                        f"w; leave {name} out, or pass a function update(w, g, m, v, t)")


def made_of(given, arguments):
    """How new ones of it are made; what has no method for it is refused."""
    func = getattr(given, "func", None)
    if isinstance(func, type):
        made = Made(func.__name__, func, fixed=dict(given.keywords), arguments=arguments)
        if given.args:
            raise Error(f"check: functools.partial({func.__name__}, …): expected keywords alone; the parameters come first")
    elif isinstance(given, type) or makes_transform(given):
        made = Made(given.__name__, given, arguments=arguments)
    else:
        made = Made(type(given).__name__, type(given) if method_of(type(given)) else given, given, arguments=arguments)
    if method_of(made.cls) is None and not makes_transform(given):
        own = [name for name in dir(made.cls) if not name.startswith("_") and callable(getattr(made.cls, name, None))]
        looked, there = (", ".join(f"{each}()" for each in names) for names in (METHODS, own[:6]))
        raise Error(f"check: {made.name} has none of the methods that an optimiser has, {looked}; it has {there or 'none'}. "
                    f"Rename the one that makes an update, or {FUNCTION}")
    if made.instance is not None and not is_gradient_transform(given):
        refuse_used(made)
    return made


def refuse_used(made):
    """An object whose averages are not 0 has made updates; PyTorch's can forget them."""
    if getattr(made.instance, "param_groups", None) and hasattr(made.instance, "state"):
        return
    for name, value in getattr(made.instance, "__dict__", {}).items():
        if what_is(name, AVERAGES) and is_used(value):
            raise Error(f"check: this {made.name} has made updates already: its {name} is not 0. Give a new one, or the "
                        f"class, {made.name}")


def is_used(value):
    """Whether averages, in any form, are not 0."""
    with contextlib.suppress(Exception):  # whatever an object may hold
        return any(np.any(each != 0) for each in values_of(value))
    return False


@functools.lru_cache(maxsize=8)
def sharp(optimiser):
    """The probe's numbers, with which mistakes show, as {option: value}, and its arrays."""
    case = probe_of("adam", [f"--optimiser={optimiser}"])
    return {option: number(value_of(case.words, flag_of(option))) for option in OF_KIND[optimiser]}, case.inputs


def kinds_of(made, asked):
    """The optimisers that it may be, the likeliest first; one where its name or the caller says it."""
    said = asked.options.get("optimiser") or (attributes_of(made.instance) if made.instance is not None else {}).get("optimiser")
    if isinstance(said, str):
        return [said]
    name = made.name.lower()
    if set(OTHERS) & joined_words(made.name):
        raise Error(f"check: the layer adam has adam, adamw and sgd, and {made.name} is another optimiser. If it is meant to be "
                    "one of them, say which: optimiser=\"adam\"")
    named = optimiser_named(type(made.name, (), {})) or ("sgd" if "momentum" in name or "descent" in name else None)
    if named:
        return [named]
    own = {option for name in (*made.parameters(), *attributes_of(made.instance)) for option in hyper_called(name)}
    if "momentum" in own and not own & {"beta1", "beta2"}:
        return ["sgd"]
    if own & {"beta1", "beta2", "epsilon"} or not own:
        return ["adamw", "adam"] if "weight_decay" in own else ["adam", "adamw"]
    return ["sgd", "adam"]


def joined_words(name):
    """The words of a name, and neighbours together: NAdam is nadam, and neither OwnAdam nor N_Adam is."""
    joined = set()
    for part in re.split(r"[^A-Za-z]+", name):
        words = [each.lower() for each in re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", part)]
        joined |= {"".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)}
    return joined


def attributes_of(own):
    """{name: value} of an object's numbers: those of its first group, else its own."""
    if is_gradient_transform(own):
        return told_by(own)
    groups = getattr(own, "param_groups", None)
    with contextlib.suppress(Exception):  # an object of any kind
        slots = [name for kind in type(own).__mro__ for name in getattr(kind, "__slots__", ()) if hasattr(own, name)]
        own_words = {**getattr(own, "__dict__", {}), **{name: getattr(own, name) for name in slots}}
        return {name: each for name, each in groups[0].items() if name != "params"} if groups else own_words
    return {}


def options_in(told):
    """The options that a transformation tells, its optimiser, too."""
    numbers = numbers_in(told)
    kind = told.get("optimiser") or ("adam" if "beta1" in numbers else "sgd" if "momentum" in numbers else None)
    return {**numbers, **({"optimiser": kind} if kind else {})}


def numbers_in(attributes):
    """{option: value} of what the names of attributes tell."""
    found = {}
    for name, value in attributes.items():
        options = hyper_called(name)
        values = list(value) if len(options) == 2 and isinstance(value, (tuple, list)) else [value]
        if len(values) == len(options) and all(is_number(each) and not isinstance(each, bool) for each in values):
            found.update({option: float(each) for option, each in zip(options, values)})
    return found


class Checked:
    """A check of one optimiser."""
    def __init__(self, made, asked, how):
        self.made, self.asked, self.how = made, asked, how
        told = attributes_of(made.instance) if is_gradient_transform(made.instance) else {}
        self.max_norm = number(asked.options.get("max_norm", told.get("max_norm")))
        self.clips_late = bool(told.get("clips_late"))

    def result(self):
        kinds = kinds_of(self.made, self.asked)
        trials = []  # of each kind; first what is right as any is looked for, then mistakes
        for kind in kinds:
            trials.append(self.trials(kind))
            right = self.right(trials[-1])
            if right is not None:
                if kind != kinds[0]:
                    right.remarks.insert(0, f"read with optimiser=\"{kind}\", as which it is right")
                return right
        best = self.likeliest(trials)
        if not best.is_named and "optimiser" not in self.asked.options and len(kinds) == 1:
            other = {"adam": "adamw", "adamw": "adam"}.get(kinds[0])
            if other and "error" not in best.as_json and self.right(self.trials(other)):
                best.right_with = f"optimiser=\"{other}\""
        if self.clips_late:
            best.remarks.insert(0, BEHIND)
        return best

    def likeliest(self, trials):
        """The verdict on what is wrong as any kind. Where no name says which it is, a mistake that gives all updates says more
        than one that fits the first alone."""
        results = []
        for of_kind in trials:
            judged = [trial.judged() for trial in of_kind if trial.framework == of_kind[0].framework]
            results.append(min(judged, key=lambda each: (each.size(), len(each.explanations))))
            if results[-1].is_followed:
                break
        return min(results, key=lambda each: ("error" not in each.as_json, not each.is_followed))

    def right(self, trials):
        """The result of the first of them that is right; one that is right for one parameter alone is wrong, and told."""
        for trial in trials:
            result = trial.right()
            if result is not None:
                return self.with_two(trial, result)
        return None

    def trials(self, optimiser):
        """Its runs as this optimiser, with parameters in each form that it takes."""
        found, problems = [], []
        for framework in [self.how.framework] if self.how.framework else likely_frameworks(self.made):
            for form in (*FORMS, NUMBERS):
                if form == NUMBERS and found:
                    break  # what takes arrays need not take each number alone
                trial = Trial(self, optimiser, framework, form)
                try:
                    trial.run(1)
                except Untaken as problem:
                    problems.append(problem)
                    continue
                except UNFIT as problem:
                    problems.append(f"{self.made.name}: {type(problem).__name__}: {problem}")
                    continue
                if not any(same_updates(trial, other) for other in found):
                    found.append(trial)
                if self.made.instance is not None and held_by(self.made.instance):
                    break  # its parameters have their own form
        if not found:
            raise Raised(f"{self.made.name} could not be run: {problems[0]}\n  It was given parameters as a list, a dict, "
                        f"one array and a list of numbers. If it takes something else, {FUNCTION}")
        return found

    def with_two(self, trial, result):
        """What is right for one parameter may not be for two."""
        result.remarks.append(f"{UPDATES} updates in a row were compared, from m = v = 0")
        if trial.form in ("one", NUMBERS) or self.made.instance is not None and held_by(self.made.instance):
            return result
        both = Trial(self, trial.optimiser, trial.framework, trial.form)
        try:
            both.run(2)
        except (Untaken, *UNFIT) as problem:
            result.remarks.append(f"with two parameters it was not judged: {problem}")
            return result
        both.told = trial.told  # also what is in its own lines
        return result if both.as_told() else in_a_sentence(result.case, SHARED)


def same_updates(one, other):
    return one.optimiser == other.optimiser and all(
        np.array_equal(a[2], b[2], equal_nan=True) for a, b in zip(one.updates, other.updates))


class Trial:
    """One run of an optimiser, read as one of the layer's, with parameters in one form."""
    def __init__(self, checked, optimiser, framework, form):
        self.made, self.asked, self.how = checked.made, checked.asked, checked.how
        self.optimiser, self.framework, self.form, self.max_norm = optimiser, framework, form, checked.max_norm
        self.updates, self.told = [], {}

    def run(self, count):
        """Makes the updates: `updates` has (before, gradient, after) of each, for each parameter."""
        if self.optimiser not in OF_KIND:
            raise Error(f"optimiser: expected adam, adamw or sgd, got {self.optimiser!r}")
        values, inputs = sharp(self.optimiser)
        values = {**{option: 0.0 for option in HYPER}, **values, **self.stated()}
        run = Run(self.made, Kind(self.framework, self.how.dtype, self.how.device), self.form, values)
        arrays = self.arrays(inputs, count)
        run.begin(arrays)
        self.told = self.numbers(run.own, values)
        if "rate" not in self.told:  # the layer's own would call a right one wrong
            raise Error(f"check: the learning rate of {self.made.name} is in no parameter or attribute that is called so (lr, "
                        f"learning_rate, alpha, eta, rate): say it, rate=0.01, or {FUNCTION}")
        befores = run.values()
        gradients = None
        if self.made.instance is not None and not self.asked.inputs and not is_gradient_transform(run.own):
            set_values(run, drawn(befores, self.told))  # for its own numbers, and of the shapes of its own parameters
            befores = run.values()
        else:
            gradients = self.gradients(inputs, befores)
        for update in range(UPDATES):
            made = drawn(befores, self.told, update + 1) if gradients is None else [
                turned(each, update) for each in gradients]
            if self.form == NUMBERS:
                made = [each.reshape(1, -1) for each in made]
            run.step(made)
            afters = run.values()
            if [each.shape for each in afters] != [each.shape for each in befores]:
                raise Untaken(f"{self.made.name}: its parameters have other shapes after an update")
            self.updates.append(joined(befores, made, afters))
            befores = afters
            if not all(np.all(np.isfinite(each)) for each in afters):
                break

    def arrays(self, inputs, count):
        before = self.asked.inputs.get("before", inputs["before"])
        return [before, -before[::-1] / 2][:count]

    def gradients(self, inputs, befores):
        gradient = self.asked.inputs.get("gradient", inputs["gradient"])
        if self.form == NUMBERS:
            return [gradient]
        if any(each.shape != gradient.shape for each in befores):
            raise Error(f"check: gradient has the shape {gradient.shape}, and the parameters of this {self.made.name} have "
                        f"{befores[0].shape}: give its class, or before and gradient of its shape")
        return [gradient if place == 0 else gradient[..., ::-1] / 3 for place in range(len(befores))]

    def stated(self):
        """What the caller says: here, or in functools.partial."""
        said = {name: number(value) for name, value in self.asked.options.items() if name in HYPER}
        for name, value in said.items():
            if value is None:
                raise Error(f"check: {name}: expected a number, got {self.asked.options[name]!r}")
        return {**numbers_in(self.made.fixed), **said}

    def numbers(self, own, values):
        """{option: value} that the layer is told: as the class was made, else as the object has it. What nobody tells is in
        its own lines, and the layer's default."""
        found = {option: values[option] for options in self.made.hyper().values() for option in options}
        kept = attributes_of(own)
        groups = getattr(own, "param_groups", None)
        for name in BESIDE if groups else ():
            if kept.get(name):
                raise Error(f"check: {self.made.name} with {name}={kept[name]}: the layer adam has no {name}; make it without")
        if groups and self.made.instance is not None:  # the caller's are set, for the object has them in one place
            self.set_stated(groups)
            kept = attributes_of(own)
        return {**numbers_in(kept), **found, **self.stated()}

    def set_stated(self, groups):
        for name in list(groups[0]):
            options = hyper_called(name)
            if any(option in self.stated() for option in options):
                values = [{**numbers_in(groups[0]), **self.stated()}[option] for option in options]
                for group in groups:
                    group[name] = values[0] if len(values) == 1 else tuple(values)

    def words(self, update):
        own = {option: value for option, value in self.told.items() if option in OF_KIND[self.optimiser]}
        if self.optimiser == "sgd":
            own.setdefault("momentum", 0)
        words = [f"{flag_of(option)}={value:.9g}" for option, value in own.items()]
        words += ["--factor=1", f"--optimiser={self.optimiser}"]
        words += [] if self.optimiser == "sgd" else [f"--update={update}"]
        convention = self.asked.options.get("convention", "uva-torch" if self.framework == "torch" else None)
        known = {"optimiser", "factor", "convention", "update", "max_norm", *HYPER}
        others = {name: value for name, value in self.asked.options.items() if name not in known}
        return [*words, *([f"--convention={convention}"] if convention else []), *as_words(others)]

    def case(self, update, averages):
        before, gradient, _ = self.updates[update - 1]
        if self.max_norm is not None:
            gradient = right_steps(Case("clip", [f"--max-norm={self.max_norm:.9g}"], {"gradient": gradient}, {}))["clipped"]
        m, v = averages or (np.zeros_like(before), np.zeros_like(before))
        inputs = {"before": before, "gradient": gradient, "m_before": m}
        if self.optimiser != "sgd":
            inputs["v_before"] = v
        return Case("adam", self.words(update), inputs, {})

    def judge(self, update, averages, search="--effort=0"):
        """The verdict on one update that begins with these averages."""
        case = self.case(update, averages)
        return judge_result(case, {"w": self.updates[update - 1][2]}, None, self.how.hide_expected, [], search)

    def as_told(self):
        """The verdict on the last update, if all are right with the numbers that it was told; else None."""
        averages = result = None
        for update in range(1, len(self.updates) + 1):
            result = self.judge(update, averages)
            if not result:
                return None
            averages = self.averages_after(update, averages) if update < len(self.updates) else None
        return result

    def right(self):
        """The result where all updates are right; what has its ε or its momentum in its own lines is right with any that people
        write. None if none fits."""
        result = self.as_told()
        option, values = ("momentum", MOMENTUMS) if self.optimiser == "sgd" else ("epsilon", EPSILONS)
        if result is not None or option in self.told:
            return result
        for value in values:
            self.told[option] = value
            result = self.as_told()
            if result is not None:
                result.remarks.insert(0, f"read with {option}={value:g}")
                return result
        del self.told[option]
        return None

    def judged(self):
        """The verdict on the first wrong update."""
        averages = None
        for update in range(1, len(self.updates) + 1):
            result = self.judge(update, averages)
            if not result:
                break
            averages = self.averages_after(update, averages)
        overwritten = self.overwritten() if update > 1 and self.optimiser != "sgd" else ""
        if overwritten:  # which gives all updates, and a mistake this one alone: v̂ may have grown so that nothing moves
            said = in_a_sentence(result.case, overwritten)
            said.is_followed = True
            return said
        if not result.is_named:
            result = self.judge(update, averages, self.how.search)
        result = self.followed(update, averages, result)
        if self.optimiser == "sgd" and descent.is_unnamed(result) and self.doubles_rate(update, averages):
            result.remarks.append(descent.RATE_TWICE)
            result.said = descent.RATE_TWICE
        if update == 1 and len(self.updates) == 1 and not result.is_named:  # it went no further
            result.remarks.append(FROM_ZERO)
        return result

    def doubles_rate(self, update, averages):
        before, _, after = self.updates[update - 1]
        return descent.is_rate_twice(before, after, right_steps(self.case(update, averages))["m"], self.told["rate"])

    def overwritten(self, mistakes=()):
        """What is said of averages that keep their correction, so that it builds up, where that, perhaps with mistakes beside it,
        gives all updates; else ""."""
        for kept in (("m_hat", "v_hat"), ("m_hat", "v"), ("m", "v_hat")):
            averages = None
            for update in range(1, len(self.updates) + 1):
                steps = self.steps_with(mistakes, update, averages)
                if steps is None:
                    break
                averages = tuple(steps[each] for each in kept)
            else:
                return KEEPS_CORRECTION.format(" and ".join(each[0] for each in kept if each.endswith("hat")))
        return ""

    def averages_after(self, update, averages):
        """m and v as the layer has them after an update."""
        steps = right_steps(self.case(update, averages))
        return steps["m"], steps.get("v", steps["m"])

    def averages_with(self, mistakes, update, averages):
        """The same as the layer has them with mistakes; None if these do not give the update's w."""
        steps = self.steps_with(mistakes, update, averages)
        return None if steps is None else (steps["m"], steps.get("v", steps["m"]))

    def steps_with(self, mistakes, update, averages):
        """The layer's steps with mistakes, or without; None if these do not give the update's w."""
        if not mistakes:
            return right_steps(self.case(update, averages)) if self.judge(update, averages) else None
        before, _, after = self.updates[update - 1]
        with Workspace() as folder:
            engine.run(["adam", *self.case(update, averages).place(folder), "--mistake", ",".join(mistakes), "-o", "wrong.npz"],
                       folder.path)
            steps = folder.read("wrong.npz")
        room = 1e-3 * np.max(np.abs(after - before)) + 2e-6 * np.max(np.abs(after))
        return steps if np.all(np.abs(steps["w"] - after) <= room) else None

    def followed(self, first, averages, result):
        """A mistake leaves other averages behind: those that give the later updates as well are the likelier ones, and of a
        later update, whose averages are not 0, fewer mistakes give the numbers."""
        likely = [*result.explanations[:CANDIDATES], *([LATER] if "w/no-decay" in result.mistakes else [])]
        lasts = [self.last_with(mistakes, first, averages) for mistakes in likely]
        fits = [each for each in lasts if each is not None]  # a result that is wrong is false
        best = min(fits, key=lambda each: len(each.explanations)) if fits else result
        update = len(self.updates) if fits else first
        if update > 1:
            best.remarks.insert(0, f"of its {UPDATES} updates in a row, update {update}:")
        both = [] if fits or self.optimiser == "sgd" else [self.overwritten(each) for each in likely if not is_change(each)]
        best.is_followed = bool(fits or any(both))
        if any(both):
            best.remarks.append("two slips: the one named here, and " + next(filter(None, both)))
        elif result.explanations and not fits:
            best.remarks.append("what fits this update does not fit those after it")
        return best

    def last_with(self, mistakes, first, averages):
        """The result of the last update, if the mistakes give all from the first wrong one on; else None."""
        with contextlib.suppress(Error):  # a mistake that leaves no numbers to go on with
            for update in range(first, len(self.updates)):
                averages = self.averages_with(mistakes, update, averages)
                if averages is None:
                    return None
            result = self.judge(len(self.updates), averages, self.how.search if len(mistakes) > 1 else "--effort=0")
            return result if list(mistakes) in [list(each) for each in result.explanations] else None
        return None


def turned(gradient, update):
    """Another gradient in each update, so that what is kept of the last one shows."""
    return (gradient, np.roll(gradient, 1, -1) / 2, -np.roll(gradient, 1, 0))[update]


def drawn(arrays, told, update=0):
    """Numbers of the same shapes: parameters, or the gradients of an update. Beside a rate of 0.001 parameters of its size show
    more; beside an ε of 1e-8 only gradients of that size show where it stands."""
    rng = np.random.default_rng(42 + update)
    made = [rng.standard_normal(each.shape).astype(np.float32) for each in arrays]
    if update == 0:
        return [each * np.float32(min(1, 10 * told.get("rate", 0.001)) if "epsilon" in told else 1) for each in made]
    if "epsilon" not in told:  # an ε in its own lines is anyone's: nothing is small beside it
        return [np.copysign(np.abs(each) + np.float32(0.5), each) for each in made]
    epsilon, same = told["epsilon"], np.random.default_rng(7)  # the same numbers are small in every update
    return [np.where(same.random(each.shape) < 0.3, each * np.float32(10 * epsilon), each) if 0 < epsilon < 1e-3 else each
            for each in made]


def set_values(run, arrays):
    """The numbers of the parameters that an object holds."""
    for each, array in zip(flat(run.held), arrays):
        if framework_of(each) == run.kind.framework == "torch":
            each.data.copy_(run.kind.module().from_numpy(np.array(array)))
        elif isinstance(each, Held) and run.kind.framework == "numpy":
            each.data = np.array(array)
        elif isinstance(each, np.ndarray) and each.dtype.kind == "f" and run.kind.framework == "numpy":
            each[...] = array
        else:
            raise Untaken(f"the parameters of this object are {type(each).__name__}, and cannot be set; give its class")


def joined(*parts):
    """Parameters, gradients and parameters after: one array of each, by rows where there is one parameter."""
    def one(arrays):
        if len(arrays) == 1 and arrays[0].size <= LARGEST:
            return arrays[0].reshape(-1, arrays[0].shape[-1] if arrays[0].ndim > 1 else max(1, arrays[0].size))
        return np.concatenate([each.reshape(-1) for each in arrays])[None, :LARGEST]
    return tuple(one(each).astype(np.float32) for each in parts)
