"""The pictures of a whole run, in the process that reports: summary, unused pictures, and the files of the report."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from backends.system import write_whole
from tgsi.testing.baselines import stored_names
from tgsi.testing.fixtures import report_folder
from tgsi.testing.report import page
from tgsi.testing.surroundings import surroundings

_FAILED = ("different", "missing", "broken")
_PAGE, _FACTS = "report.html", "report.json"


class Results:
    """Pictures in the order in which their tests ended."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._folder = report_folder(config)
        self._records: list[dict[str, Any]] = []

    def add(self, report: pytest.TestReport) -> None:
        """Take the pictures of a test."""
        self._records += report.__dict__["tgsi_pictures"]

    def finish(self, reporter: pytest.TerminalReporter) -> None:
        """Write the requested reports, and a summary to the terminal."""
        failed = [record for record in self._records if record["status"] in _FAILED]
        updated = [record for record in self._records if record["status"] == "updated"]
        unused = self._unused(reporter)
        conflicts = sorted({record["name"] for record in _conflicts(updated)})
        is_wanted = bool(failed) or self._config.getoption("tgsi_report") is not None or (self._folder / _FACTS).is_file()
        if is_wanted:
            self._write(unused)
        if not (failed or updated or unused or conflicts):
            return
        reporter.section("pictures (tgsi)")
        if updated:
            reporter.line(f"stored: {', '.join(sorted({record['name'] for record in updated}))}")
        if conflicts:
            reporter.line(f"stored twice, differently: {', '.join(conflicts)}; give each picture its own name", red=True)
        if unused:
            reporter.line(f"stored, and used by no test: {', '.join(unused)}", yellow=True)
        if failed:
            reporter.line(f"{len(failed)} of {len(self._records)} pictures differ: {self._folder / _PAGE}", red=True)

    def _write(self, unused: list[str]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        kept = {file for record in self._records for file in record.get("files", {}).values()}
        for file in [*self._folder.rglob("*.new.png"), *self._folder.rglob("*.stored.png"), *self._folder.rglob("*.difference.png")]:
            if file.relative_to(self._folder).as_posix() not in kept:  # of an earlier run
                file.unlink(missing_ok=True)
                _remove_empty(file.parent, self._folder)
        shown = [{name: value for name, value in record.items() if name != "folder"} for record in self._records]
        facts = {"tgsi-report": 1, "environment": surroundings(), "pictures": shown, "unused": unused}
        write_whole(self._folder / _FACTS, (json.dumps(facts, indent=1) + "\n").encode())
        write_whole(self._folder / _PAGE, page(facts, self._folder).encode())

    def _unused(self, reporter: pytest.TerminalReporter) -> list[str]:
        """Stored pictures whose test passed without them, or is no longer there. The latter only if all tests were run."""
        passed = {report.nodeid for report in reporter.stats.get("passed", ())}
        others = {report.nodeid for kind, reports in reporter.stats.items() if kind for report in reports if hasattr(report, "nodeid")}
        option = self._config.option
        chosen = bool(getattr(option, "keyword", "") or getattr(option, "markexpr", "") or getattr(option, "lf", False))
        chosen |= any("::" in word for word in self._config.args) or bool(reporter.stats.get("deselected"))
        chosen |= bool(getattr(option, "deselect", None)) or bool(getattr(option, "maxfail", 0))
        used = {(record["folder"], record["name"]) for record in self._records}
        unused = []
        for folder in sorted({record["folder"] for record in self._records}):
            for name, test in stored_names(Path(folder)):
                is_over = test in passed or (not chosen and test not in others)
                if (folder, name) not in used and is_over:
                    unused.append(name)
        return unused


def _remove_empty(folder: Path, root: Path) -> None:
    """Remove a folder below `root` and the folders around it, as long as they are empty."""
    with contextlib.suppress(OSError):  # it has other files
        while folder != root:
            folder.rmdir()
            folder = folder.parent


def _conflicts(records: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """Records of pictures for which two workers of pytest-xdist stored different pixels under one name."""
    first: dict[tuple[str, str], str] = {}
    for record in records:
        if first.setdefault((record["folder"], record["name"]), record["digest"]) != record["digest"]:
            yield record
