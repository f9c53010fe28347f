"""`pytest --glassbox`: a failing test whose function is known says which mistake its numbers have.

Everything is imported when an option asks for it: without one, this plugin costs nothing.
"""
import pytest

RUNNING = "_glassbox"


def pytest_addoption(parser):
    group = parser.getgroup("glassbox", "Glassbox: the mistake in a Transformer's numbers")
    group.addoption("--glassbox", action="store_true", help="name the mistake in the numbers of a failing test")
    group.addoption("--glassbox-serve", action="store_true",
                    help="substitute Glassbox's numbers for every known function")
    group.addoption("--glassbox-audit", action="store_true",
                    help="substitute every mistake in the catalogue for every known function: which do the tests miss?")
    group.addoption("--glassbox-mapping", action="append", default=[], metavar="FILE",
                    help="which functions are known: a file, or the name of a mapping that is shipped (all of these)")
    group.addoption("--glassbox-only", action="append", default=[], metavar="NAME",
                    help="only these of the known functions")
    group.addoption("--glassbox-json", metavar="FILE", help="write the verdicts to this file")
    group.addoption("--glassbox-gradescope", metavar="FILE", help="write a results.json for Gradescope")
    group.addoption("--glassbox-partial", type=float, default=0.5, metavar="SHARE",
                    help="share of its points that a failing test with a known mistake can earn [default: 0.5]")
    group.addoption("--glassbox-audit-calls", type=int, default=200, metavar="N",
                    help="exclude functions that the tests call with more arguments than this from the audit [default: 200]")


def pytest_configure(config):
    options = config.option
    asked_for = [name for name in ("glassbox", "glassbox_serve", "glassbox_audit") if getattr(options, name)]
    if len(asked_for) > 1:
        raise pytest.UsageError("--glassbox, --glassbox-serve, --glassbox-audit: expected one of them, got "
                                + ", ".join("--" + each.replace("_", "-") for each in asked_for))
    if not 0 <= options.glassbox_partial <= 1:
        raise pytest.UsageError(f"--glassbox-partial: expected a number from 0 to 1, got {options.glassbox_partial}")
    files = [name for name in ("glassbox_json", "glassbox_gradescope") if getattr(options, name)]
    if files and not options.glassbox and not (options.glassbox_audit and files == ["glassbox_json"]):
        raise pytest.UsageError(f"--{files[0].replace('_', '-')}: requires --glassbox")
    processes = getattr(options, "numprocesses", None)
    if processes and (files or options.glassbox_audit):
        name = files[0] if files else "glassbox_audit"
        raise pytest.UsageError(f"--{name.replace('_', '-')}: expected one process, got -n {processes}")
    if asked_for:
        config.pluginmanager.register(started(config, asked_for[0]), RUNNING)


def started(config, what):
    from .errors import Error
    from .testing import mapping
    from .testing.asking import Asked
    from .testing.running import AuditRun, ServeRun, WatchRun

    from . import engine

    try:
        engine.command()
        known = mapping.find(config.option.glassbox_mapping)
        known.keep_only(config.option.glassbox_only)
    except Error as problem:
        raise pytest.UsageError(str(problem)) from None
    run = {"glassbox": WatchRun, "glassbox_serve": ServeRun, "glassbox_audit": AuditRun}[what]
    return run(config, known, Asked())
