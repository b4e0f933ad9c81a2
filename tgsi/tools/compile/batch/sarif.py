"""Findings as SARIF 2.1.0 (OASIS Static Analysis Results Interchange Format), which code scanning of GitHub and many viewers read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tgsi import __version__
from tgsi.language.codes import EXPLANATIONS
from tgsi.tools.compile.batch.names import shown
from tgsi.tools.compile.batch.places import Report, end_column, repository_path
from tgsi.tools.compile.errors import PROGRAM

if TYPE_CHECKING:
    from tgsi.language.diagnostics import Diagnostic, Fix, Label
    from tgsi.language.source import Source, Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
"""Name of the folder that relative paths begin in: the root of the repository."""


def sarif(report: Report) -> dict[str, Any]:
    """The log of one run. Columns count Unicode code points; paths are relative to the root of the repository where they lie below it."""
    codes = sorted({item.code for item in report.findings})
    unread = [
        {
            "level": "error",
            "message": {"text": f"{shown(item.name)} could not be read: {item.reason}"},
            "locations": [_file_location(item.name)],
        }
        for item in report.unread
    ]
    invocation = {
        "executionSuccessful": not report.unread,
        **({"toolExecutionNotifications": unread} if unread else {}),
    }
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": PROGRAM, "version": __version__, "rules": [_rule(code) for code in codes]}},
                "columnKind": "unicodeCodePoints",
                "invocations": [invocation],
                "results": [_result(finding, name, codes) for finding, name in zip(report.findings, report.names)],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    item = EXPLANATIONS.get(code)
    if item is None:
        return {"id": code}
    return {"id": code, "shortDescription": {"text": item.title}, "fullDescription": {"text": item.text}, "help": {"text": item.text}}


def _result(finding: Diagnostic, name: str, codes: list[str]) -> dict[str, Any]:
    text = finding.message + (f"\nHint: {finding.hint}" if finding.hint else "")
    first, *others = finding.labels or (None,)
    places = [_file_location(name)] if name else []
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": finding.severity.value,
        "message": {"text": text},
        "locations": places if first is None else [_location(first)],
    }
    if others:
        result["relatedLocations"] = [{"id": number, **_location(label)} for number, label in enumerate(others, 1) if label is not None]
    if finding.fixes:
        result["fixes"] = [{"description": {"text": finding.hint or "Correct this."}, "artifactChanges": _changes(finding.fixes)}]
    return result


def _location(label: Label) -> dict[str, Any]:
    span = label.span
    region = {"startLine": span.line, "startColumn": span.column, "endLine": span.line, "endColumn": end_column(span)}
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": _artifact(span.source.name), "region": region}}
    if label.text:
        location["message"] = {"text": label.text}
    return location


def _file_location(name: str) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(name)}}


def _changes(fixes: tuple[Fix, ...]) -> list[dict[str, Any]]:
    by_source: dict[Source, list[Fix]] = {}
    for fix in fixes:
        by_source.setdefault(fix.span.source, []).append(fix)
    return [
        {"artifactLocation": _artifact(source.name), "replacements": [_replacement(fix) for fix in items]}
        for source, items in by_source.items()
    ]


def _replacement(fix: Fix) -> dict[str, Any]:
    return {"deletedRegion": _exact_region(fix.span), **({"insertedContent": {"text": fix.text}} if fix.text else {})}


def _exact_region(span: Span) -> dict[str, int]:
    """The region of a place; an empty place starts and ends in the same column."""
    source, end = span.source, span.end
    return {"startLine": span.line, "startColumn": span.column, "endLine": source.line_of(end), "endColumn": source.column_of(end)}


def _artifact(name: str) -> dict[str, Any]:
    """The place of a file: relative below the root of the repository, otherwise a URI. Bytes that are not allowed in a URI are
    percent-encoded."""
    path = repository_path(name)
    if os.path.isabs(path):
        return {"uri": f"file://{quote(os.fsencode(path))}"}
    return {"uri": quote(os.fsencode(path)), "uriBaseId": ROOT}
