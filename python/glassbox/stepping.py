"""An optimiser's object, as people write them: how one is made, and how it is handed parameters and gradients. What is
found out here is only how to call it; what its numbers are worth optimisers.py says."""
import contextlib
import copy
import inspect
import re
import sys
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arrays import framework_of, is_array, is_number, to_numpy
from .calling import frameworks_for, told
from .errors import Error
from .gradient_transforms import as_one, is_gradient_transform
from .signature import CALLED, numbers_called, plain, what_is

# The likeliest first.
METHODS = ("step", "update", "update_params", "update_parameters", "apply_gradients", "apply", "optimize", "optimise")
PAIRS = ("gradsandvars", "gradsandvariables", "gradientsandvariables", "gradvars", "gradsvars", "gradientsandvars", "gradsandparams")
FORMS = ("list", "dict", "one")  # what several parameters are handed over in
NUMBERS = "numbers"  # one parameter, as a list of Python's own numbers
KEYS = ("W1", "b1")  # of a dictionary of them
HYPER = ("rate", "beta1", "beta2", "epsilon", "weight_decay", "momentum")
FUNCTION = "pass a function instead, update(w, g, m, v, t), that returns the new w"
MODELS = ("model", "net", "network", "module")


class Untaken(Exception):
    """A form of parameters and gradients that the object did not take, with its own words."""


def method_of(cls):
    """The method that makes an update; None where there is none. Python's own, as a set's update, tell no parameters."""
    for name in METHODS:
        with contextlib.suppress(TypeError, ValueError):
            if callable(getattr(cls, name, None)) and inspect.signature(getattr(cls, name)):
                return name
    return None


def hyper_called(name):
    """The options that a parameter or an attribute of this name holds. A `decay` alone may be the rate's."""
    return () if plain(name) == "decay" else numbers_called(name.strip("_"), HYPER)


@dataclass
class Made:
    """What was handed in: how a new object of it is made, from parameters in some form."""
    name: str
    cls: Any  # its class, or the object itself where its class has no methods
    instance: Any = None  # an object, of which a copy is taken
    fixed: dict = field(default_factory=dict)  # of functools.partial: the caller's own words
    arguments: dict = field(default_factory=dict)

    def parameters(self):
        """Those of the class, by name; none of one that only C knows."""
        try:
            return {} if self.instance is not None else dict(inspect.signature(self.cls).parameters)
        except (TypeError, ValueError):
            return {}

    def role(self, name):
        """The word of what a parameter takes, or a value, as the caller says or its name; None if neither does."""
        if name in self.arguments:
            return said_role(self.arguments[name])
        return role_called(name)

    def hyper(self):
        """{parameter of the class: the options that it takes}."""
        found = {}
        for name in self.parameters():
            word = self.arguments.get(name)
            is_word = isinstance(word, str) and role_called(word) is None
            options = hyper_called(word) if is_word else () if name in self.arguments else hyper_called(name)
            if options and name not in self.fixed:
                found[name] = options
        return found


def said_role(what):
    """By its own word what the caller says that a parameter takes; a value as it is."""
    return (role_called(what) if isinstance(what, str) else None) or what


def role_called(name):
    """before, gradient, update, closure, model, or pairs of gradients and parameters; None for what says none."""
    if plain(name) in PAIRS:
        return "pairs"
    if plain(name) in MODELS:
        return "model"
    if plain(name) == "closure":
        return "closure"
    found = what_is(name, ["before", "gradient"])
    if found is None and "grad" in plain(name):
        return "gradient"
    return found or ("update" if numbers_called(name, ["update"]) else None)


class Held:
    """A parameter of NumPy that has its gradient with it, as own small frameworks have them."""
    def __init__(self, data):
        self.data, self.grad = data, np.zeros_like(data)

    @property
    def value(self):
        return self.data

    @value.setter
    def value(self, data):
        self.data = data


class Variable(np.ndarray):
    """A parameter that is changed by its methods, as Keras has them."""
    def assign(self, value):
        self[...] = value
        return self

    def assign_sub(self, value):
        return self.assign(self - value)

    def assign_add(self, value):
        return self.assign(self + value)

    def ref(self):
        return id(self)


def values_of(held):
    """Parameters, in any form, as a list of NumPy arrays of their own."""
    return [np.array(to_numpy(each.data if isinstance(each, Held) else each)) for each in flat(held)]


def flat(held):
    """A list of the parameters in a form."""
    if isinstance(held, Held) or is_array(held):
        return [held]
    if hasattr(held, "values"):
        return flat(list(held.values()))
    if isinstance(held, (list, tuple)):
        if held and all(is_number(each) for each in held):
            return [np.array(held)]
        return [each for part in held for each in flat(part)]
    return []


def shapes_of(arrays):
    return [tuple(getattr(each.data if isinstance(each, Held) else each, "shape", ())) for each in arrays]


def held_by(own):
    """The parameters that an object has kept: those of its first group, whose numbers are looked at, else by the name of
    an attribute."""
    groups = getattr(own, "param_groups", None)
    if groups:
        return list(groups[0]["params"])
    kept = getattr(own, "__dict__", {})
    for name in sorted(kept, key=lambda name: plain(name) not in ("params", "parameters")):
        if plain(name) in CALLED["before"] or plain(name) in ("params", "parameters"):
            found = flat(kept[name])
            if found:
                return found
    return []


def packed(arrays, form):
    """The arrays in a form."""
    if form == "list":
        return list(arrays)
    if form == NUMBERS:
        return [float(each) for array in arrays for each in np.ravel(array)]
    return dict(zip(KEYS, arrays)) if form == "dict" else arrays[0]


class Run:
    """One object, its parameters, and the updates that it makes of them."""
    def __init__(self, made, kind, form, words):
        self.made, self.kind, self.form, self.words = made, kind, form, words
        self.own = self.held = self.state = None
        self.count = 0

    def begin(self, arrays):
        """Makes the object from the parameters."""
        if self.made.instance is not None:
            self.own = self.made.instance if is_gradient_transform(self.made.instance) else copied(self.made)
            self.held = held_by(self.own) or self.handed(arrays)
            if not is_gradient_transform(self.own) and not self.takes_gradients() and not held_by(self.own):
                raise Untaken(f"{self.made.name}.{self.method()}() is handed no gradients, and the object holds no parameters")
        else:
            self.held = self.handed(arrays)
            with self.told():
                self.own = as_one(self.made.cls(**self.filled(self.made.parameters(), "__init__"), **self.made.fixed))
        if is_gradient_transform(self.own):
            with self.told():
                self.state = self.own.init(self.held)

    def handed(self, arrays):
        """New parameters of the framework, in the form."""
        if self.form == NUMBERS:
            if self.kind.framework != "numpy":
                raise Untaken(f"{self.made.name}: only NumPy's parameters are handed over as a list of numbers")
            numbers = packed(arrays, NUMBERS)
            return numbers if self.takes_gradients() else [Held(np.array(each)) for each in numbers]
        if self.kind.framework == "torch":
            torch = self.kind.module()
            return packed([torch.nn.Parameter(self.kind.make(each)) for each in arrays], self.form)
        is_transform = self.made.instance is not None and is_gradient_transform(self.made.instance)
        if self.kind.framework == "numpy" and not is_transform and self.method() and not self.takes_gradients():
            return packed([Held(each.copy()) for each in arrays], self.form)
        made = [self.kind.make(each) for each in arrays]
        of_pairs = self.kind.framework == "numpy" and self.method() and any(self.made.role(name) == "pairs" for name in self.taken())
        return packed([each.view(Variable) for each in made] if of_pairs else made, self.form)

    def method(self):
        return method_of(self.made.cls)

    def taken(self):
        """What its method takes, by name."""
        return list(inspect.signature(getattr(self.made.cls, self.method())).parameters)

    def takes_gradients(self):
        """Whether a method is handed them; else it reads them from the parameters."""
        names = self.taken()
        return any(self.made.role(name) in ("gradient", "pairs") or is_of(name, names) for name in names)

    def told(self):
        return Telling(self.made.name)

    def filled(self, parameters, where, gradients=None):
        """{parameter: value} of what the class or its method takes."""
        filled, names = {}, [name for name in parameters if name != "self"]
        for name in names:
            each = parameters[name]
            if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) or name in self.made.fixed:
                continue
            role, options = self.made.role(name), () if where != "__init__" else self.made.hyper().get(name, ())
            if options:
                values = [self.words[option] for option in options]
                filled[name] = values[0] if len(values) == 1 else tuple(values)
            elif role == "model":
                filled[name] = self.model()
            elif role == "before" and not (where != "__init__" and self.of_pairs(names)):
                filled[name] = self.held
            elif role == "pairs" and gradients is not None:
                filled[name] = zip(flat(gradients), flat(self.held))
            elif role == "gradient" and gradients is not None:
                filled[name] = gradients
            elif role == "update" and where != "__init__":
                filled[name] = self.count
            elif role == "closure" and each.default is each.empty:
                filled[name] = lambda: 0.0
            elif name in self.made.arguments:
                filled[name] = role
            elif where != "__init__" and hyper_called(name) and each.default is each.empty:
                filled[name] = self.words[hyper_called(name)[0]]
            elif each.default is each.empty:
                raise Error(f"{self.made.name}.{where}: what its parameter {name} takes its name does not say: say it, "
                            f"arguments={{\"{name}\": …}}, one of before, gradient, {', '.join(HYPER)} or a value; or {FUNCTION}")
        return filled

    def of_pairs(self, names):
        """Whether a method takes several parameters, each with its gradient: update(w, b, dw, db)."""
        return sum(is_of(name, names) for name in names) > 1

    def model(self):
        """What holds the parameters for a class that takes a whole model."""
        if self.kind.framework != "torch":
            raise Untaken(f"{self.made.name}: it takes a model, and only of PyTorch one can be made")
        torch = self.kind.module()
        model = torch.nn.Module()
        for name, each in zip(KEYS, flat(self.held)):
            model.register_parameter(name, each)
        return model

    def step(self, gradients):
        """One update, with a gradient for each parameter."""
        self.count += 1
        made = [self.kind.make(each) for each in gradients]
        if is_gradient_transform(self.own):
            return self.transform(made)
        method, held = getattr(self.own, self.method()), flat(self.held)
        handed = packed(made, self.form)
        if not self.takes_gradients():
            made = handed if self.form == NUMBERS else made
            if not held or not all(hasattr(each, "grad") for each in held):
                raise Untaken(f"{self.made.name}.{self.method()}: it takes no gradients, and its parameters hold none")
            for each, gradient in zip(held, made):
                each.grad = gradient
        parameters = dict(inspect.signature(method).parameters)
        names = list(parameters)
        before = values_of(self.held)
        with self.told():
            if self.of_pairs(names):
                value = method(**self.pairs(parameters, names, made))
            else:
                value = method(**self.filled(parameters, self.method(), handed))
        self.keep(value, before)

    def pairs(self, parameters, names, gradients):
        """{w: …, b: …, dw: …, db: …}."""
        first = [name for name in names if any(is_of(other, [name]) for other in names)]
        arrays = dict(zip(first, flat(self.held) * len(first)))
        own = dict(zip(first, gradients * len(first)))
        filled = self.filled({name: each for name, each in parameters.items() if name not in first and not is_of(name, first)},
                             self.method())
        return {**filled, **arrays, **{name: own[base] for name in names for base in first if is_of(name, [base])}}

    def transform(self, gradients):
        """As optax has it: what is added, and the next state."""
        given = [packed(gradients, self.form), self.state, self.held]
        if not takes_three(self.own.update):
            given.pop()
        with self.told():
            added, self.state = self.own.update(*given)
        new = [a + b for a, b in zip(flat(self.held), flat(added))]
        self.held = packed(new, self.form)

    def keep(self, value, before):
        """What was returned, else what was changed: in place, or in the object."""
        shapes = shapes_of(before)
        if isinstance(value, tuple) and not is_array(value):  # with a state behind
            value = next((each for each in (value, *value) if shapes_of(flat(each)) == shapes), value)
        new = flat(value) if value is not None else []
        if shapes_of(new) == shapes:
            self.held = value if self.form != "one" or not isinstance(value, (list, tuple)) else new[0]
            return
        if len(new) > len(shapes) and shapes_of(new[:len(shapes)]) == shapes:  # (w, b), for one parameter handed over as both
            self.held = packed(new[:len(shapes)], self.form)
            return
        kept = held_by(self.own)
        is_same = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(values_of(self.held), before))
        if is_same and shapes_of(kept) == shapes:
            self.held = kept

    def values(self):
        try:
            return values_of(self.held)
        except Error as problem:
            raise Untaken(str(problem)) from None


def takes_three(update):
    """Whether a transformation's update is handed the parameters, too; some have no use for them."""
    return can_take(update, 3) or not can_take(update, 2)


def can_take(function, count):
    """Whether it can be called with so many arguments; what only C knows can."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def is_of(name, names):
    """Whether a parameter is the gradient of another one of these, by its name: dw of w, d_b of b."""
    match = re.fullmatch(r"(?:d_?|grad_?|g_)(\w+)", name, flags=re.I)
    return match is not None and any(match[1].lower() == each.lower() for each in names)


def in_doubles():
    """Where JAX computes 1 − βᵗ in single precision, it is off by some 10⁻⁵ of itself."""
    jax = sys.modules.get("jax")
    places = [each for each in (jax, getattr(jax, "experimental", None)) if hasattr(each, "enable_x64")]
    return places[0].enable_x64(True) if places else contextlib.nullcontext()


class Telling:
    """Whatever the object raises inside, as Untaken with its own line."""
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.doubles = in_doubles()
        self.doubles.__enter__()
        self.errors, self.warnings = np.errstate(all="ignore"), warnings.catch_warnings()
        self.errors.__enter__()
        self.warnings.__enter__()
        warnings.filterwarnings("ignore", message="The .grad attribute")  # of what an update has made, which is no leaf

    def __exit__(self, kind, problem, trace):
        self.doubles.__exit__(kind, problem, trace)
        self.warnings.__exit__(kind, problem, trace)
        self.errors.__exit__(kind, problem, trace)
        if isinstance(problem, (Exception, SystemExit)) and not isinstance(problem, (Error, Untaken)):
            named = type(self.name, (), {})()
            named.__name__ = self.name
            raise Untaken(told(named, problem)) from None


def copied(made):
    """A copy of an object, which stays as it is: without what it may have kept of updates before. PyTorch's way of copying
    an optimiser forgets what a class of one's own has beside its groups."""
    try:
        if hasattr(made.instance, "param_groups"):
            own = object.__new__(type(made.instance))
            own.__dict__.update(copy.deepcopy(vars(made.instance), {id(made.instance): own}))
        else:
            own = copy.deepcopy(made.instance)
    except Exception as problem:  # a file, a generator, whatever an object may hold
        raise Error(f"{made.name}: the object cannot be copied ({type(problem).__name__}: {problem}); give the class, "
                    f"{type(made.instance).__name__}, and its numbers as keywords") from None
    if getattr(own, "param_groups", None) and hasattr(own, "state"):
        own.state.clear()
    return own


def likely_frameworks(made):
    """Those that it may compute with, the likeliest first: that of its class, those that its methods mention, and then
    NumPy and what is loaded."""
    kinds = made.cls.__mro__ if isinstance(made.cls, type) else type(made.cls).__mro__
    roots = {kind.__module__.partition(".")[0] for kind in kinds}
    found = [name for name, own in (("torch", {"torch"}), ("jax", {"jax", "optax"})) if own & roots]
    for name in ("__init__", method_of(made.cls)):
        function = getattr(made.cls, name or "", None)
        if inspect.isfunction(function):
            found += frameworks_for(function)[:1]
    if made.instance is not None:
        found[:0] = [framework_of(each) or "numpy" for each in held_by(made.instance)[:1]]
    return list(dict.fromkeys([*found, "numpy", *(name for name in ("torch", "jax") if name in sys.modules)]))
