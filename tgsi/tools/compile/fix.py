"""``tgsi-compile --fix``: carry out the corrections of findings, in the files, and show them as a difference."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any, NamedTuple

from tgsi.tools.compile.batch.changes import difference, replace_file
from tgsi.tools.compile.batch.names import Unread, shown
from tgsi.tools.compile.errors import PROGRAM, UsageError
from tgsi.tools.compile.files import Shader, each, read_bytes, report, write
from tgsi.tools.compile.front import checked, fails
from tgsi.tools.parsing import reason

MAX_ROUNDS = 1000
"""Rounds of corrections for one text. Each takes every correction that meets no other one."""

_MARKER = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: |$)", re.MULTILINE)
"""Beginning of a line that a merge leaves where two sides differ."""


class Corrected(NamedTuple):
    """A text after its corrections, the remaining findings, and the reason why it must not be written, if any."""

    text: str
    findings: tuple[Any, ...]
    refusal: str = ""


def fix_shaders(options: argparse.Namespace) -> int:
    """Correct each file, or with --diff only show how. Returns the exit code: 1 if errors remain or --diff shows any, 2 for unreadable
    files.

    The difference goes to stdout (or -o), remaining findings to stderr; with a --format other than text, the other way round.
    """
    _refuse_others(options)
    options.check = True  # profiles judge, as with --check
    findings: list[Any] = []
    names: list[str] = []
    unread: list[Unread] = []
    changes: list[str] = []
    total, failed = 0, False
    for item in each(options):
        total += 1
        outcome = item if isinstance(item, Unread) else _corrected_file(item, options, changes)
        if isinstance(outcome, Unread):
            print(f"{PROGRAM}: {shown(outcome.name)}: {outcome.reason}", file=sys.stderr)
            unread.append(outcome)
            continue
        assert isinstance(item, Shader)
        findings += outcome.findings
        names += [item.name] * len(outcome.findings)
        failed |= fails(outcome.findings, options)
        if outcome.refusal:
            failed = True
            print(f"{PROGRAM}: {shown(item.name)}: not corrected: {outcome.refusal}", file=sys.stderr)
    _show(options, changes)
    options.check = options.format != "text"  # a report of another form goes to stdout
    report(options, findings, failed or bool(unread), names, unread)
    if changes and not options.quiet:
        verb = "--fix would correct" if options.diff else "corrected"
        print(f"{PROGRAM}: {verb} {len(changes)} of {total} file{'s' * (total != 1)}", file=sys.stderr)
    return 2 if unread else int(failed or bool(options.diff and changes))


def _refuse_others(options: argparse.Namespace) -> None:
    """Raise UsageError for options that make something else of a shader."""
    name = "--fix" if options.fix else "--diff"
    given = {"--emit": options.emit, "--passes": options.passes, "--lower": options.lower, "--time-passes": options.time_passes}
    for other, value in given.items():
        if value:
            raise UsageError(f"{name} corrects the files themselves; {other} goes without it")
    if options.from_log is not None:
        raise UsageError(f"{name} corrects files of one shader, and {shown(options.from_log)} is a log, which is left as it is")


def _corrected_file(item: Shader, options: argparse.Namespace, changes: list[str]) -> Corrected | Unread:
    """Correct one file and add its difference."""
    outcome = corrected(item, options)
    if outcome.text == item.text or outcome.refusal:
        return outcome
    changes.append(difference(item.name, item.text, outcome.text))
    if options.diff:
        return outcome
    if item.name == "<stdin>":
        sys.stdout.write(outcome.text)
        return outcome
    try:
        old = read_bytes(item.name)
        text = item.text.encode()
        if not old.startswith(text) or old[len(text) :].strip(b"\0"):  # NULs after the text belong to the file
            raise OSError("it was changed while it was read; run this again")
        replace_file(item.name, old, outcome.text.encode() + old[len(text) :])
    except (OSError, UsageError) as error:
        changes.pop()
        why = reason(error) if isinstance(error, OSError) else str(error)
        return Unread(item.name, f"it could not be corrected: {why}")
    return outcome


def corrected(shader: Shader, options: argparse.Namespace) -> Corrected:
    """A shader's text after rounds of corrections, until no finding has one. Corrections use the line ends of the text."""
    from tgsi.language.diagnostics import apply_fixes

    text, seen = shader.text, {shader.text}
    for _ in range(MAX_ROUNDS):
        findings = _findings(shader._replace(text=text), options)
        fixable = [made for item in findings if (made := _for_text(item, text)) is not None]
        if not fixable:
            return Corrected(text, findings)
        if marker := _MARKER.search(shader.text):
            line = shader.text.count("\n", 0, marker.start()) + 1
            return Corrected(shader.text, findings, f"line {line} is left from a merge whose conflict is not resolved; resolve it first")
        text = apply_fixes(text, fixable)
        if text in seen:
            return Corrected(shader.text, _findings(shader, options), "its corrections undo each other; correct it by hand")
        seen.add(text)
    return Corrected(text, _findings(shader._replace(text=text), options))


def _findings(shader: Shader, options: argparse.Namespace) -> tuple[Any, ...]:
    from tgsi.language.diagnostics import DiagnosticError

    try:
        return tuple(checked(shader, options)[1])
    except DiagnosticError as error:
        return error.diagnostics


def _for_text(finding: Any, text: str) -> Any:
    """The finding with corrections in the text's line ends; None without a correction for this text."""
    from tgsi.language.diagnostics import Diagnostic, Fix

    if not finding.fixes or any(fix.span.source.text != text for fix in finding.fixes):
        return None
    windows, unix = text.count("\r\n"), text.count("\n")
    end = "\r\n" if 2 * windows > unix else "\r" if not unix and "\r" in text else "\n"
    fixes = tuple(Fix(fix.span, fix.text.replace("\r\n", "\n").replace("\n", end)) for fix in finding.fixes)
    return Diagnostic(finding.code, finding.severity, finding.message, finding.labels, finding.hint, fixes)


def _show(options: argparse.Namespace, changes: list[str]) -> None:
    """Write the difference to stdout or -o; to stderr if a report or a corrected stdin goes there. --fix --quiet shows none."""
    if not changes or (options.quiet and not options.diff):
        return
    text = "".join(changes)
    if options.format != "text" or (not options.diff and "-" in (options.files or ["-"])):
        sys.stderr.write(text)
    else:
        write(options, text.encode("utf-8", "surrogateescape"))
