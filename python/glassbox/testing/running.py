"""The three runs of pytest, as plugins that pytest_plugin.py registers."""
import collections
import fnmatch

import pytest

from ..errors import Error
from . import reports
from .audit import Audit
from .recording import Recorder
from .serving import Server
from .unfound import unfound
from .verdicts import NotJudged, together
from .watching import Watcher

MAX_VERDICTS = 24  # calls of one test that are looked at
HEADING = "Glassbox"


def spread(all_of_them, count):
    """So many of them, the first and the last among them."""
    if len(all_of_them) <= count:
        return all_of_them
    return [all_of_them[place * (len(all_of_them) - 1) // (count - 1)] for place in range(count)]


class Run:
    """What all have: functions are wrapped when the tests' modules have been imported, and again when more are."""

    def __init__(self, config, mapping, asked, around):
        self.config, self.asked, self.mapping = config, asked, mapping
        roots = {config.rootpath, config.invocation_params.dir}
        self.watcher = Watcher(mapping, roots, around)
        self.imported = 0

    def look(self):
        import sys

        if len(sys.modules) != self.imported:
            self.imported = len(sys.modules)
            self.watcher.look()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self):
        self.look()

    def remarks(self):
        """What the mapping says that this run did not find. Of several processes none has seen all."""
        return [] if getattr(self.config.option, "numprocesses", None) else unfound(self.watcher)

    def say_remarks(self, terminalreporter, more=()):
        remarks = [*self.remarks(), *more]
        if remarks:
            terminalreporter.section("Glassbox mapping")
        for line in remarks:
            terminalreporter.write_line(line)

    def pytest_terminal_summary(self, terminalreporter):
        self.say_remarks(terminalreporter)

    def pytest_unconfigure(self):
        self.watcher.restore()


class WatchRun(Run):
    """--glassbox"""

    def __init__(self, config, mapping, asked):
        self.recorder = Recorder()
        super().__init__(config, mapping, asked, self.recorder.around)
        self.tests = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        """A fixture may call the function, too."""
        self.look()
        self.recorder.begin()
        yield
        self.recorder.end()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self):
        self.look()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        if call.when == "call" or (call.when == "setup" and not report.passed):
            verdicts = self.verdicts() if report.failed else []
            self.tell(item, report, verdicts)
            self.note(item, report, verdicts)

    def note(self, item, report, verdicts):
        points = next((number for pattern, number in self.mapping.points.items()
                       if fnmatch.fnmatch(item.name, pattern) or fnmatch.fnmatch(item.nodeid, pattern)), 1)
        not_judged = self.recorder.not_judged if report.failed else []
        self.tests.append(reports.Tested(item.nodeid, report.outcome, verdicts, points, not_judged))

    def verdicts(self):
        """Of the test's calls; a function's mistake is said once."""
        found = []
        for name, kept in spread(self.recorder.calls, MAX_VERDICTS):
            try:
                found += kept.verdicts(self.asked, name)
            except NotJudged as problem:
                self.recorder.not_judged.append((name, str(problem)))
        return together(found)

    def tell(self, item, report, verdicts):
        wrong = [each for each in verdicts if not each.right]
        for each in wrong:
            item.user_properties.append(("glassbox." + each.function, each.sentence))
            item.user_properties += [("glassbox.mistake", name) for name in each.mistakes]
        lines = [f"{each.function}: {each.sentence}" for each in wrong]
        if verdicts and not wrong:
            functions = ", ".join(dict.fromkeys(each.function for each in verdicts))
            lines = [f"{functions}: right for the arguments of this test"]
        if lines:
            report.sections.append((HEADING, "\n".join(lines)))

    def pytest_terminal_summary(self, terminalreporter):
        """Where tracebacks are not shown, nor are sections."""
        self.say_remarks(terminalreporter, self.verdicts_of_calls())
        if self.config.option.tbstyle != "no":
            return
        sections = [(report.nodeid, text) for report in terminalreporter.getreports("failed")
                    for heading, text in report.sections if heading == HEADING]
        if sections:
            terminalreporter.section(HEADING)
        for nodeid, text in sections:
            terminalreporter.write_line(nodeid)
            for line in text.splitlines():
                terminalreporter.write_line(f"   {line}")

    def verdicts_of_calls(self):
        """Why calls in failing tests were not judged, each reason once."""
        times = collections.Counter(each for test in self.tests for each in test.not_judged)
        return [f"{name}: not judged in {count} failing {'test' if count == 1 else 'tests'}: {reason}"
                for (name, reason), count in times.items()]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        option = self.config.option
        write(session, option.glassbox_json, reports.json_report(self.tests, option.glassbox_partial, self.remarks()))
        write(session, option.glassbox_gradescope, reports.gradescope(self.tests, option.glassbox_partial))


def write(session, path, text):
    """A file that cannot be written fails the run: its reader waits for it."""
    if not path:
        return
    try:
        reports.write_whole(path, text)
    except Error as problem:
        session.config.get_terminal_writer().line(f"\nerror: {problem}", red=True)
        session.exitstatus = pytest.ExitCode.USAGE_ERROR


class ServeRun(Run):
    """--glassbox-serve"""

    def __init__(self, config, mapping, asked):
        self.server = Server(asked)
        super().__init__(config, mapping, asked, self.server.around)

    def pytest_runtest_setup(self):
        self.look()


class AuditRun(ServeRun):
    """--glassbox-audit"""

    def pytest_runtestloop(self, session):
        self.look()
        self.audit = Audit(self.server, self.asked, self.config.option.glassbox_audit_calls)
        self.audit.run(session.items)
        return True

    def pytest_terminal_summary(self, terminalreporter):
        self.say_remarks(terminalreporter)
        if hasattr(self, "audit"):
            terminalreporter.section("Glassbox audit")
            for line in self.audit.lines():
                terminalreporter.write_line(line)

    def pytest_sessionfinish(self, session):
        if hasattr(self, "audit"):
            write(session, self.config.option.glassbox_json, self.audit.as_json(self.remarks()))
            if self.audit.baseline_fails():
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
