"""Progress of a run on several processes: the number of tests, and a line whenever nothing was written for some seconds.

`./dev test` loads this plugin; pytest itself shows nothing while its processes collect, and while each is in a long test.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

SILENCE = 4.0
"""Seconds without output after which a line is written."""


class Progress:
    """Counts reports in the process that distributes the tests, and writes lines from a thread."""

    def __init__(self, write: Any, clock: Any = time.monotonic) -> None:
        """write: takes a line. clock: returns seconds."""
        self._write, self._clock = write, clock
        self._begin = self._last = self._first_test = clock()
        self._done = self._total = 0
        self._end = threading.Event()

    def line(self) -> str:
        """The count of tests that have run, and the time that is left."""
        now = self._clock()
        if not self._total:
            return f"collecting the tests in each process: {_clock_time(now - self._begin)}"
        if not self._done:
            return f"starting {_amount(self._total)}: {_clock_time(now - self._begin)}"
        left = (now - self._first_test) / self._done * (self._total - self._done)
        return f"{self._done} of {_amount(self._total)} in {_clock_time(now - self._begin)}, about {_clock_time(left)} left"

    def collected(self, total: int) -> None:
        """Note the number of tests, once."""
        if not self._total:
            self._total, self._first_test = total, self._clock()
            self._say(_amount(total))

    def reported(self) -> None:
        """Note that a test has ended, which pytest has written."""
        self._done += 1
        self._last = self._clock()

    def look(self) -> None:
        """Write a line after a silence."""
        if self._clock() - self._last >= SILENCE:
            self._say(self.line())

    def run(self) -> None:
        """Look until `end`."""
        while not self._end.wait(SILENCE / 4):
            self.look()

    def end(self) -> None:
        """Write no more."""
        self._end.set()

    def _say(self, line: str) -> None:
        self._last = self._clock()
        self._write(line)


def _amount(tests: int) -> str:
    return f"{tests} test" + "s" * (tests != 1)


def _clock_time(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Plugin:
    """The hooks of pytest and xdist."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._progress = Progress(self._write)

    def _write(self, line: str) -> None:
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.ensure_newline()
            reporter.write_line(f"[{line}]")

    def pytest_sessionstart(self) -> None:
        """Begin to look."""
        threading.Thread(target=self._progress.run, daemon=True, name="progress of tests").start()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: Sequence[str]) -> None:
        """Note the number of tests."""
        self._progress.collected(len(ids))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the tests that have ended."""
        if report.when == "teardown":
            self._progress.reported()

    def pytest_sessionfinish(self) -> None:
        """End."""
        self._progress.end()


def pytest_configure(config: pytest.Config) -> None:
    """Watch the process that distributes tests; its workers are silent."""
    if not hasattr(config, "workerinput") and getattr(config.option, "dist", "no") != "no":
        config.pluginmanager.register(Plugin(config), "progress of tests")
