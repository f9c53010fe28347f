"""The functions of a mapping file that a run did not find, and why."""
import sys

from ..wording import did_you_mean


def unfound(watcher):
    """A sentence for each. What is shipped speaks of whole courses, and says nothing."""
    return [f"{each.where}: {why(each, watcher)}" for each in watcher.mapping.functions
            if not each.is_shipped and each not in watcher.found]


def why(mapped, watcher):
    if mapped in watcher.unsuited:
        module, has = watcher.unsuited[mapped]
        missing = sorted(mapped.arguments() - set(has))
        arguments = ", ".join(has) or "none"
        return f"in {module} it has no argument {missing[0]!r}, but {arguments}{did_you_mean(missing[0], has)}"
    modules = watcher.missed.get(mapped, [])
    if modules:
        names = dict.fromkeys(name for module in modules for name in names_in(module))
        where = mapped.module or "the files of the course"
        return f"no function {mapped.name!r} in {where}{did_you_mean(mapped.name, names)}"
    if not mapped.module:
        return "no file of the course was imported"
    imported = watcher.course_modules(sys.modules)
    return f"no test has imported the module {mapped.module}{did_you_mean(mapped.module, imported)}"


def names_in(module):
    """Its functions, and its classes' methods as Class.method."""
    for name, value in list(vars(module).items()):
        if isinstance(value, type):
            yield from (f"{name}.{method}" for method, each in vars(value).items() if callable(each))
        elif callable(value):
            yield name
