"""Findings of a command as text, as JSON, as commands for GitHub's log, and as SARIF."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tgsi.tools.compile.batch.names import shown
from tgsi.tools.compile.batch.places import Report, end_column, repository_path
from tgsi.tools.compile.errors import PROGRAM

if TYPE_CHECKING:
    from tgsi.language.diagnostics import Diagnostic


def write_report(report: Report, form: str, *, quiet: bool = False, werror: bool = False, can_fix: bool = True) -> str:
    """The text of a report. `quiet` leaves out the line of counts, which mentions --fix if `can_fix` is set.

    form: text, json, sarif or github.
    """
    if form == "json":
        return _json(report)
    if form == "github":
        return "".join(f"{line}\n" for line in github_lines(report))
    if form == "sarif":
        from tgsi.tools.compile.batch.sarif import sarif

        return json.dumps(sarif(report), indent=1) + "\n"
    return _text(report, quiet, werror, can_fix)


def _text(report: Report, quiet: bool, werror: bool, can_fix: bool) -> str:
    parts = []
    for finding, name in zip(report.findings, report.names):
        text = finding.render()
        if finding.span is None and name:
            head, _, rest = text.partition("\n")
            text = f"{head}\n --> {shown(name)}\n{rest}".rstrip("\n")
        elif finding.span is not None and not (written := finding.span.source.name).isprintable():
            text = text.replace(written, shown(written))
        parts.append(f"{text}\n\n")
    if report.findings and not quiet:
        parts.append(f"{summary(report.findings, werror, can_fix)}\n")
    return "".join(parts)


def summary(findings: Sequence[Diagnostic], werror: bool = False, can_fix: bool = True) -> str:
    """The numbers of findings as a line: "2 errors, no warnings"."""
    counts = Counter(item.severity.value for item in findings)
    notes = f", {counted(counts['note'], 'note')}" if counts["note"] else ""
    fixable = sum(bool(item.fixes) for item in findings) if can_fix else 0
    ways = [f"--fix corrects {fixable if fixable < len(findings) else 'all' if fixable > 1 else 'it'}"] if fixable else []
    if werror and counts["warning"] and not counts["error"]:
        ways.append("--werror: warnings fail")
    more = f" ({'; '.join(ways)})" if ways else ""
    return f"{counted(counts['error'], 'error')}, {counted(counts['warning'], 'warning')}{notes}{more}"


def counted(number: int, what: str) -> str:
    """A number and its noun: "no files", "1 file", "1,000 files"."""
    return f"{f'{number:,}' if number else 'no'} {what}{'s' * (number != 1)}"


def _json(report: Report) -> str:
    data: dict[str, Any] = {"ok": not report.failed, "findings": [item.as_json() for item in report.findings]}
    for item, name in zip(data["findings"], report.names):
        if not item["labels"] and name:
            item["file"] = name
    if report.unread:
        data["unread"] = [{"file": item.name, "reason": item.reason} for item in report.unread]
    return json.dumps(data, indent=1) + "\n"


def github_lines(report: Report) -> list[str]:
    """Commands of GitHub Actions, one a line, which show findings next to the lines of a change."""
    words = {"error": "error", "warning": "warning", "note": "notice"}
    lines = [
        f"::error {_fields(file=repository_path(item.name), title=PROGRAM)}::{_data(f'this file could not be read: {item.reason}')}"
        for item in report.unread
    ]
    for finding, name in zip(report.findings, report.names):
        place: dict[str, object] = {"file": repository_path(name)} if name else {}
        if span := finding.span:
            place = {"file": repository_path(span.source.name), "line": span.line, "col": span.column, "endColumn": end_column(span)}
        message = finding.message + (f"\nhint: {finding.hint}" if finding.hint else "")
        lines.append(f"::{words[finding.severity.value]} {_fields(**place, title=f'{PROGRAM} {finding.code}')}::{_data(message)}")
    return lines


def _fields(**fields: object) -> str:
    return ",".join(f"{name}={_property(str(value))}" for name, value in fields.items())


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
