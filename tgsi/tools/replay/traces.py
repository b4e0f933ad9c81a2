"""Traces of contexts: played, compared with their own digests, and printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from backends.device.commands.layout import MAGIC
from tgsi.tools.replay.replay import Report

if TYPE_CHECKING:
    from backends.gallium.tracing.trace_player import Digest
    from tgsi.gallium import Screen


def is_trace(path: Path) -> bool:
    """True for a file that begins as a trace does."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def replay_trace(screen: Screen, path: Path, name: str, *, digests_flushes: bool = False) -> Report:
    """Play a trace on a new context. What it read is compared with the digests that it has; errors are stored in the report."""
    from backends.gallium.context.recording.errors import RecordingError
    from backends.gallium.tracing.trace_player import TracePlayer

    found: list[Digest] = []
    report = Report(path, name)
    context = screen.context_create()
    try:
        TracePlayer(screen, context, found.append, digests_flushes=digests_flushes).play(bytearray(path.read_bytes()))
    except OSError as error:
        report.unreadable = True
        report.reasons.append(f"it cannot be read: {error.strerror}")
    except RecordingError as error:
        report.unreadable = not found
        report.reasons.append(str(error))
    finally:
        context.destroy()
    report.digests = {f"{number} {digest.source}": digest.value.hex() for number, digest in enumerate(found)}
    report.reasons += [
        f"{digest.source}: its SHA-256 is {digest.value.hex()[:16]}, the recorded one {(digest.recorded or b'').hex()[:16]}; "
        "it was written outside of the traced context, or this machine draws other bytes"
        for digest in found
        if not digest.is_same
    ]
    report.remark = f"{sum(digest.recorded is not None for digest in found)} digests"
    return report


def print_trace(path: Path, output: TextIO) -> None:
    """Write a line of JSON for each command. OSError, and RecordingError for a file that is wrong."""
    from backends.gallium.tracing.printing import printed

    for shown in printed(bytearray(path.read_bytes())):
        output.write(json.dumps(shown) + "\n")
