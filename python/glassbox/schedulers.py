"""Schedules of a learning rate as people have them: PyTorch's schedulers, what makes one, and objects that count updates by
themselves. Each is asked for its rate as a function of n, the updates that are done."""
import contextlib
import copy
import functools
import inspect
import math
import re
import sys
import warnings

import numpy as np

from .arrays import is_number
from .errors import Error
from .judging import in_a_sentence
from .objects import as_function, method_of, signature_of
from .signature import CALLED, plain
from .variants import FROM_ONE

# The numbers of a schedule, by what people call them.
OPTIONS = [("warmup", "warm"), ("updates", r"tmax|(total|max|train|num)\w*(step|iter|update)|total|updates|decaysteps"),
           ("least", r"etamin|min\w*lr|lr\w*min|least"), ("start", r"startlr|initlr|lrinit"),
           ("dmodel", r"d\w*model|model\w*(size|dim)|dmodel|hidden\w*size"),
           ("rate", r"(peak|max|base|init\w*)?(lr|learningrate)(mul|max)?|factor|scale|rate|etamax")]
# What else its name says, in this order: a cosine with a warm-up is a cosine.
KINDS = [("one-cycle", "one_?cycle"), ("inverse-sqrt", "noam|inv\\w*sqrt|rsqrt|scheduledoptim"), ("wsd", "wsd|trapez"), ("cosine", "cos"),
         ("linear", "linear"), ("constant", "constant")]
ENDING = ("cosine", "cosine-printed", "linear", "wsd", "one-cycle")
OTHERS = ("StepLR", "MultiStepLR", "ExponentialLR", "CyclicLR", "PolynomialLR", "CosineAnnealingWarmRestarts", "MultiplicativeLR")
OF_STEP = ("rate", "getlr", "lr", "learningrate", "lrat", "getrate", "schedule", "getlearningrate", "call", "value")
STEPS = ("stepandupdatelr", "step", "updatelr", "update", "updatelearningrate")
HOLDERS = ("optimizer", "optim", "opt", "optimiser")
STEP_NAMES = ("numupdates", "globalstep", "stepnumber", "numsteps")
PRINTED = "read with schedule=\"cosine-printed\": its cosine counts the updates of the warm-up, too"
TWICE = ("its first two updates have the same rate, that of t = 1, and each later one is an update late: nothing is counted yet in "
         "the first, so t = n + 1, not max(1, n)")
MOST = 1000  # updates in which a rate by epochs shows


def in_its_place(given, options):
    """The function by which it is checked; `options` get what it says of itself."""
    kind = given if isinstance(given, type) else type(given)
    names = [each.__name__ for each in kind.__mro__]
    if "ReduceLROnPlateau" in names:
        raise Error("check: ReduceLROnPlateau follows a measured loss, not the number of updates: the layer schedule has no such schedule")
    if set(OTHERS) & set(names) and "schedule" not in options:
        raise Error(f"check: the layer schedule has {', '.join(dict(KINDS))}, and {kind.__name__} is another schedule. If it is meant "
                    "to be one of them, say which: schedule=\"cosine\"")
    is_said = "schedule" in options
    if isinstance(given, type) or (inspect.isfunction(given) and optimiser_in(given)):
        return OfSteps(of_maker(given, options), is_said)
    if inspect.isroutine(given) or isinstance(given, functools.partial):
        return OfSteps(given)
    own = is_scheduler(given) or any(method_of(given, names) for names in (STEPS, OF_STEP)) or callable(given)
    return OfSteps(of_object(given, options), is_said) if own else given


def optimiser_in(given):
    """The parameter that takes the optimiser; None where there is none."""
    signature = signature_of(given)
    return next((name for name in (signature.parameters if signature else ()) if plain(name) in HOLDERS), None)


def is_scheduler(given):
    """Whether it is one of PyTorch's, or derived from these."""
    return any(each.__name__ in ("LRScheduler", "_LRScheduler") for each in type(given).__mro__)


def option_of(name):
    return next((option for option, words in OPTIONS if re.search(words, plain(name))), None)


def kind_called(name):
    return next((kind for kind, words in KINDS if re.search(words, name.lower())), None)


# ---- an object


def of_object(given, options):
    """The rate of an object, which is as it is: its numbers are said by the caller, or by itself."""
    says = {**told_by(given), **options}
    if says.get("schedule") == "inverse-sqrt" and "start" not in options:
        says.pop("start", None)  # it has none: what jadore's wrapper calls init_lr is a factor
    name = type(given).__name__
    if "schedule" not in says:
        raise Error(f"check: which schedule is this {name}? Say it, schedule=\"cosine\", and its numbers, rate=0.1, warmup=10, updates=100")
    if says["schedule"] == "inverse-sqrt":  # the paper's has none
        says.setdefault("rate", 1)
    needs = {"rate": True, "warmup": says["schedule"] != "constant", "updates": says["schedule"] in ENDING}
    needed = [option for option, is_needed in needs.items() if is_needed and option not in says]
    if needed:
        raise Error(f"check: {name} does not tell its numbers: say {', '.join(f'{option}=…' for option in needed)}, as it was made with")
    options.update({option: value for option, value in says.items() if option not in options})
    if "n" not in options and "at" not in options:
        options["n"] = places(int(options.get("warmup", 0)), int(options.get("updates", 0)))
    by_step = None if is_scheduler(given) else step_of(given)
    if by_step is not None:
        method = getattr(given, by_step[0])
        return as_function(lambda **words: method(words[by_step[1]]), method, keywords(by_step[1]))
    known = Counted(lambda: copied(given))
    return counting(as_function(lambda n: known(n), given, keywords("n")))


def counting(function):
    """Marked as that of what counts by itself, from the first update on, in which it has counted none."""
    function.is_counting = True
    return function


def keywords(*names):
    return inspect.Signature([inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names])


def places(warmup, updates):
    """Numbers of updates at which each part of a schedule shows."""
    last = updates or 4 * warmup + 8
    found = {1, warmup // 2, warmup - 1, warmup, warmup + 1, (warmup + last) // 2, (warmup + 3 * last) // 4, last - 1}
    return np.array(sorted(each for each in found if 0 < each < last), np.float32)


def told_by(given):
    """{option: value} of what an object says of itself: its attributes, and what the function of a LambdaLR has kept."""
    found, name = {}, type(given).__name__
    if is_scheduler(given):
        if given.last_epoch > 0:
            raise Error(f"check: this {name} has made {given.last_epoch} steps already: give a new one")
        inner = getattr(given, "lr_lambdas", [None])[0]
        found = numbers_in(kept_by(inner)) if inner is not None else {}
        name = getattr(getattr(inner, "func", inner), "__qualname__", "") if inner is not None else name
        found["rate"] = float(given.optimizer.param_groups[0].get("initial_lr", given.optimizer.param_groups[0]["lr"]))
    own = {each: value for each, value in getattr(given, "__dict__", {}).items() if not each.endswith("_lrs")}
    if type(given).__name__ == "CosineAnnealingLR":
        found.update(updates=given.T_max, least=given.eta_min, warmup=0)
    elif type(given).__name__ == "OneCycleLR":
        group = given.optimizer.param_groups[0]
        found.update(rate=group["max_lr"], start=group["initial_lr"], least=group["min_lr"], updates=given.total_steps,
                     warmup=int(given._schedule_phases[0]["end_step"]))
    elif not hasattr(given, "lr_lambdas"):
        found = {**found, **numbers_in(own)}
    kind = kind_called(name) or ("inverse-sqrt" if {"warmup", "dmodel"} <= set(found) else None)
    return {**found, **({"schedule": kind} if kind else {})}


def kept_by(function):
    """What a function has beside its parameters: those of functools.partial, or of the function around it."""
    if isinstance(function, functools.partial):
        return dict(function.keywords)
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    cells = getattr(function, "__closure__", None) or ()
    return {name: cell.cell_contents for name, cell in zip(names, cells)}


def numbers_in(words):
    found = {}
    for name, value in words.items():
        option = option_of(name)
        if option and is_number(value) and not isinstance(value, bool):
            found.setdefault(option, value)
    return found


# ---- its rate after n updates


def step_of(given):
    """(the method that is told which step it is, its parameter); None where it counts by itself."""
    for name in (method_of(given, OF_STEP), "__call__"):
        method = getattr(given, name, None) if name else None
        signature = signature_of(method) if inspect.isroutine(method) else None
        taken = [each for each in signature.parameters if plain(each) in (*CALLED["n"], *STEP_NAMES)] if signature else []
        if len(taken) == 1:
            return name, taken[0]
    return None


class Counted:
    """The rate after n updates of what counts them by itself: what `make` makes is stepped from its beginning on."""
    def __init__(self, make):
        self.make, self.rates = make, []

    def __call__(self, n):
        count = int(np.max(n)) + 1
        if count > len(self.rates):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that no optimiser has made the updates
                own = self.make()
                self.rates = (of_scheduler if is_scheduler(own) else of_counter)(own, max(count, 2 * len(self.rates)))
        return np.array(self.rates, np.float64)[np.asarray(n).astype(int)]


def copied(given):
    """A copy, which has the same parameters and not those of a model once more."""
    holder = next((value for value in getattr(given, "__dict__", {}).values() if hasattr(value, "param_groups")), None)
    kept = {id(each): each for group in (holder.param_groups if holder is not None else ()) for each in group.get("params", ())}
    with contextlib.suppress(Exception):
        return copy.deepcopy(given, kept)
    raise Error(f"check: {type(given).__name__} cannot be copied; give what makes it, its class or a function")


def of_scheduler(own, count):
    found = []
    for _ in range(count):
        found.append(float(own.optimizer.param_groups[0]["lr"]))
        with contextlib.suppress(ValueError):  # beyond the end of its run
            own.step()
    return found


class Watched:
    """In place of an optimiser: it writes down with which rate it made each update."""
    def __init__(self, rate=1.0, params=()):
        self.param_groups, self.rates, self.state, self.defaults = [{"lr": rate, "params": list(params)}], [], {}, {"lr": rate}

    def step(self, *_, **__):
        self.rates.append(float(self.param_groups[0]["lr"]))

    def zero_grad(self, *_, **__):
        pass

    def state_dict(self):
        return {}


def of_counter(own, count):
    """Of an object that counts by itself: the rate with which its optimiser made an update, else what it says before each."""
    step = method_of(own, STEPS)
    if step is None:
        raise Error(f"check: {type(own).__name__} has no method that makes a step; pass one that tells the rate of a step, rate(step)")
    watched = [name for name, value in own.__dict__.items() if hasattr(value, "param_groups")]
    for name in watched:
        setattr(own, name, Watched(getattr(own, name).param_groups[0].get("lr", 1.0)))
    optimiser = getattr(own, watched[0]) if watched else None
    said = method_of(own, OF_STEP)
    before, given_back = [], []
    for _ in range(count):
        with contextlib.suppress(ZeroDivisionError):  # of a count from 1 on, which is 0 here
            before.append(float(optimiser.param_groups[0]["lr"] if watched else getattr(own, said)() if said else np.nan))
        given_back.append(getattr(own, step)())
    if watched and optimiser.rates:
        return optimiser.rates
    if not watched and said is None and all(map(is_number, given_back)):
        return [float(each) for each in given_back]
    return before if len(before) == count else [*before, *[math.nan] * (count - len(before))]


# ---- what makes one


def of_maker(given, options):
    """A class, or a function that takes an optimiser, as a function of n and of the schedule's numbers."""
    signature = signature_of(given)
    parameters = dict(signature.parameters) if signature else {}
    holder = optimiser_in(given)
    taken = {name: option_of(name) for name in parameters if name != holder and option_of(name)}
    taken = {name: option for name, option in taken.items() if list(taken.values()).index(option) == list(taken).index(name)}
    count = next((name for name in parameters if name not in taken and plain(name) in (*CALLED["n"], *STEP_NAMES)), None)
    if inspect.isfunction(given) and count:
        return of_setter(given, holder, count, taken)
    unknown = [name for name, each in parameters.items() if name != holder and name not in taken and each.default is each.empty
               and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    if unknown:
        raise Error(f"check: {given.__name__}: what its parameter {unknown[0]} takes its name does not say; pass a function of n that "
                    "makes it, and gives back its rate")
    kind = kind_called(given.__name__)
    if kind and "dmodel" not in taken.values():
        options.setdefault("schedule", kind)
    is_own = isinstance(given, type) and not any("LRScheduler" in each.__name__ for each in given.__mro__)
    known, by_step = {}, step_of(given) if is_own else None
    step = by_step[1] if by_step else "n"

    def rate(**words):
        count = words.pop(step)
        made = {name: words[option] for name, option in taken.items()}

        def make():
            return given(**made, **({holder: an_optimiser(words.get("rate", 1.0))} if holder else {}))
        return getattr(make(), by_step[0])(count) if by_step else known.setdefault(tuple(words.items()), Counted(make))(count)
    names = dict.fromkeys([step, *taken.values(), *(["rate"] if holder and not by_step else [])])
    made = as_function(rate, given, keywords(*names))
    return made if by_step else counting(made)


def of_setter(given, holder, step, taken):
    """A function that sets an optimiser's rate for a step, as one that gives it back."""
    def rate(**words):
        optimiser = an_optimiser(words.get("rate", 1.0))
        value = given(**{name: words[option] for name, option in taken.items()}, **{holder: optimiser, step: words[step]})
        return value if is_number(value) else optimiser.param_groups[0]["lr"]
    return as_function(rate, given, keywords(*dict.fromkeys([step, *taken.values()])))


def an_optimiser(rate):
    """One whose rate is changed: PyTorch's schedulers take no other than its own."""
    torch = sys.modules.get("torch")
    return Watched(rate) if torch is None else torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=float(rate))


class OfSteps:
    """A schedule as a function, which remembers how it was called: to see in which updates its rate changes."""
    def __init__(self, function, is_said=True):
        functools.update_wrapper(self, function)
        self.function, self.called, self.is_said = function, None, is_said
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.__signature__ = signature_of(function)

    def __call__(self, *arguments, **words):
        self.called = (arguments, words)
        return self.function(*arguments, **words)

    def judged(self, check, asked):
        """The result of a check. A cosine is either of two, where nobody says which; and a rate that stays the same for many
        updates in a row is told."""
        other = copy.copy(asked)
        other.options = {**asked.options, "schedule": "cosine-printed"}
        result = check(asked)
        if not result and "warmup/printed" in result.mistakes and not self.is_said:
            again = check(other)
            again.remarks.insert(0, PRINTED)
            return again if again else result
        if not result and "schedule" not in asked.options and "error" not in result.as_json:
            result = self.as_another(check, asked, result)
        if result and FROM_ONE in result.remarks and self.begins_twice():
            return in_a_sentence(result.case, TWICE)
        length = None if result or result.is_named or self.called is None else self.epoch()
        if length:
            result.remarks.append(f"its rate changes every {length} updates alone: is it counted in epochs? The schedule counts updates")
        return result

    def as_another(self, check, asked, result):
        """The result as the schedule that its name says, else as any as which it is right; nobody said which it is."""
        named = kind_called(self.__name__)
        for kind in [named] if named else dict(KINDS):
            other = copy.copy(asked)
            other.options = {**asked.options, "schedule": kind}
            with contextlib.suppress(Error):  # it lacks what that schedule needs
                again = check(other)
                if again or named:
                    again.remarks.insert(0, f"read with schedule=\"{kind}\"{', as which it is right' if again else ', as its name says'}")
                    return again
        return result

    def rates_of(self, bound, step, is_one):
        """Those of many updates in a row."""
        for n in range(1, MOST) if is_one else [np.arange(1, MOST)]:
            bound.arguments[step] = n
            yield from np.ravel(self.function(*bound.args, **bound.kwargs)).tolist()

    def begins_twice(self):
        """Whether what counts by itself gives its first two updates one rate."""
        if not getattr(self.function, "is_counting", False):
            return False
        bound = self.__signature__.bind(*self.called[0], **self.called[1])
        bound.arguments["n"] = np.arange(2)
        first, second = np.ravel(self.function(*bound.args, **bound.kwargs))
        return bool(first == second)

    def epoch(self):
        """The number of updates in which its rate stays the same; None where it changes at once, or is never another."""
        with contextlib.suppress(Exception):  # whatever it does where it was not meant to be asked
            bound = self.__signature__.bind(*self.called[0], **self.called[1])
            step = next(name for name in bound.arguments if plain(name) in (*CALLED["n"], *STEP_NAMES))
            length, count, last = 0, 0, None
            for n, rate in enumerate(self.rates_of(bound, step, is_number(bound.arguments[step])), 1):
                if last is not None and rate != last:
                    length, count = math.gcd(length, n), count + 1
                if length == 1:
                    return None
                last = rate
            return length if count > 1 else None
        return None
