"""Results of a command, and places in files as CI names them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tgsi.tools.compile.batch.names import Unread

if TYPE_CHECKING:
    from tgsi.language.diagnostics import Diagnostic
    from tgsi.language.source import Span


class Report(NamedTuple):
    """Results of a command: findings, the name of each finding's input, unreadable inputs, and whether the command fails."""

    findings: Sequence[Diagnostic]
    names: Sequence[str]
    unread: Sequence[Unread]
    failed: bool


def end_column(span: Span) -> int:
    """The column after the last character of a place, at most the one after its first line. An empty place has one."""
    line = span.source.line_text(span.line)
    return int(max(span.column + 1, min(span.column + span.end - span.start, len(line) + 1)))


def repository_path(name: str) -> str:
    """A file's path for CI, with forward slashes: relative to GITHUB_WORKSPACE, or else to the working directory, or unchanged."""
    path = os.path.abspath(name)
    for top in (os.environ.get("GITHUB_WORKSPACE"), os.getcwd()):
        below = os.path.join(os.path.abspath(top), "") if top else ""
        if below and path.startswith(below):
            return path[len(below) :].replace(os.sep, "/")
    return name.replace(os.sep, "/")
