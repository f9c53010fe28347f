"""Puts a wrapper in the place of each mapped function, wherever its name has been imported, and takes it away again.

A wrapper calls `around(call)`, which answers for the function (Call below).
"""
import functools
import inspect
import sys
from pathlib import Path


class Place:
    """Where a function is: a module or a class, and the name there."""

    def __init__(self, owner, name, original):
        self.owner, self.name, self.original = owner, name, original

    def put(self, value):
        setattr(self.owner, self.name, value)

    def restore(self):
        setattr(self.owner, self.name, self.original)


def is_course(module, roots):
    """A file of the course, not of a library that it imports."""
    file = getattr(module, "__file__", None)
    if not file or "site-packages" in file or "dist-packages" in file:
        return False
    path = Path(file)
    return any(root == path or root in path.parents for root in roots)


def named(module, words):
    """The class and the function that "Attention.forward" is in a module."""
    owner, value = module, None
    for position, word in enumerate(words):
        owner = module if position == 0 else value
        value = vars(owner).get(word) if hasattr(owner, "__dict__") else None
        if value is None:
            return None
    return (owner, value) if callable(value) else None


def arguments_of(function):
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


class Call:
    """Of a mapped function: its arguments by name, and the original."""

    def __init__(self, mapped, original, bound):
        self.mapped, self.original, self.bound = mapped, original, bound
        self.scope = dict(bound.arguments)

    def replace(self, name, value):
        self.bound.arguments[name] = self.scope[name] = value

    def __call__(self):
        return self.original(*self.bound.args, **self.bound.kwargs)


class Watcher:
    def __init__(self, mapping, roots, around):
        self.mapping, self.around = mapping, around
        self.roots = [Path(root).resolve() for root in roots]
        self.places, self.wrappers, self.seen = [], {}, set()
        # Of mapped functions: those that were found; where others have other arguments; where they are missing.
        self.found, self.unsuited, self.missed = set(), {}, {}

    def look(self):
        """Wraps what has been imported since the last look."""
        fresh = [(name, module) for name, module in list(sys.modules.items()) if name not in self.seen and module]
        self.seen.update(name for name, _ in fresh)
        for name, module in fresh:
            for mapped in self.mapping.functions:
                if mapped.is_in(name) and (mapped.module or is_course(module, self.roots)):
                    self.wrap(module, mapped)
        if self.wrappers:
            for _, module in fresh:
                if is_course(module, self.roots):
                    self.replace_names(module)

    def wrap(self, module, mapped):
        words = mapped.name.split(".")
        found = named(module, words)
        if found is None:
            self.missed.setdefault(mapped, []).append(module)
            return
        if id(found[1]) in self.wrappers or hasattr(found[1], "__glassbox__"):
            self.found.add(mapped)
            return
        owner, original = found
        if len(words) == 1 and getattr(original, "__module__", None) != module.__name__ and not mapped.module:
            return  # imported into this module; it is wrapped where it was written
        wrapper = self.wrapper_of(mapped, original)
        if wrapper is None:
            self.unsuited[mapped] = module.__name__, arguments_of(original)
            return
        self.found.add(mapped)
        self.wrappers[id(original)] = wrapper
        self.put(Place(owner, words[-1], original), wrapper)

    def put(self, place, wrapper):
        place.put(wrapper)
        self.places.append(place)

    def wrapper_of(self, mapped, original):
        try:
            signature = inspect.signature(original)
        except (TypeError, ValueError):
            return None
        if not mapped.suits(signature):
            return None
        around = self.around

        @functools.wraps(original)
        def wrapper(*args, **kwargs):
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:
                return original(*args, **kwargs)  # whose own message it is
            bound.apply_defaults()
            return around(Call(mapped, original, bound))

        wrapper.__glassbox__ = mapped
        return wrapper

    def replace_names(self, module):
        """`from .adapters import run_softmax` made a second name for it."""
        for name, value in list(vars(module).items()):
            wrapper = self.wrappers.get(id(value)) if callable(value) else None
            if wrapper is not None and wrapper.__wrapped__ is value:
                self.put(Place(module, name, value), wrapper)

    def course_modules(self, modules):
        return [name for name, module in list(modules.items()) if module and is_course(module, self.roots)]

    def restore(self):
        for place in reversed(self.places):
            place.restore()
        self.places.clear()
        self.wrappers.clear()
        self.seen.clear()
