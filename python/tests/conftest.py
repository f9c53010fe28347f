"""The module beside this folder is tested, with the command that ./dev has built."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def pytest_terminal_summary(terminalreporter):
    """One line, as the other suites print it."""
    counts = {what: len(terminalreporter.stats.get(what, [])) for what in ("passed", "failed", "error", "skipped")}
    terminalreporter.write_line(f"python: {counts['passed']} passed, {counts['failed'] + counts['error']} failed, "
                                f"{counts['skipped']} skipped")
