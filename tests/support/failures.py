"""Prints each failure as it happens: a long run that is stopped before its end prints no summary."""

from __future__ import annotations

import pytest

LINES = 40
"""How many lines of a failure are printed at once, its last ones; the summary at the end has all of them."""


class FailuresAtOnce:
    """A pytest plugin for the process that prints the results."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print the name of a test that failed, the phase, and the end of what it said."""
        if not report.failed:
            return
        self._terminal.ensure_newline()
        self._terminal.write_line(f"FAILED in {report.when}: {report.nodeid}", red=True)
        for line in report.longreprtext.splitlines()[-LINES:]:
            self._terminal.write_line(f"    {line}")
