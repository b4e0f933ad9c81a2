"""Traces of contexts: played, compared with their own digests, and printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from backends.device.commands.layout import MAGIC
from tgsi.language.record import record
from tgsi.tools.parsing import reason
from tgsi.tools.replay.fields import SceneError
from tgsi.tools.replay.replay import Report

if TYPE_CHECKING:
    from backends.gallium.tracing.trace_player import Digest
    from tgsi.gallium import Screen
    from tgsi.tools.replay.trace_pictures import TracePictures


def is_trace(path: Path) -> bool:
    """True for a file that begins as a trace does."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


@record(kw_only=True)
class TraceOptions:
    """Options of every trace. directory: of pictures, None writes none. until: number of the last command, None plays all."""

    directory: Path | None = None
    until: int | None = None
    digests_flushes: bool = False


def replay_trace(screen: Screen, path: Path, name: str, options: TraceOptions) -> Report:
    """Play a trace on a new context. Its reads are compared with the recorded digests; errors are stored in the report."""
    from backends.device.calls.errors import RecordingError
    from backends.gallium.tracing.trace_player import TracePlayer

    digests: list[Digest] = []
    report = Report(path, name)
    pictures = _pictures(options.directory, name)
    context = screen.context_create()
    try:
        show = pictures.show if pictures is not None else None
        player = TracePlayer(screen, context, digests.append, digests_flushes=options.digests_flushes, show=show)
        player.play(bytearray(path.read_bytes()), options.until)
    except OSError as error:
        report.unreadable = True
        report.reasons.append(f"it cannot be read: {reason(error)}")
    except SceneError as error:  # a picture that cannot be written
        report.reasons.append(str(error))
    except RecordingError as error:
        report.unreadable = not digests
        report.reasons.append(str(error))
    finally:
        context.destroy()
    report.digests = {f"{number} {digest.source}": digest.value.hex() for number, digest in enumerate(digests)}
    report.reasons += [
        f"{digest.source}: its SHA-256 is {digest.value.hex()[:16]}, the recorded one {(digest.recorded or b'').hex()[:16]}; "
        "it was written outside of the traced context, or this machine draws differently"
        for digest in digests
        if not digest.is_same
    ]
    report.remark = amount(sum(digest.recorded is not None for digest in digests), "digest")
    if pictures is not None:
        _report_pictures(pictures, report, options)
    return report


def _pictures(directory: Path | None, name: str) -> TracePictures | None:
    if directory is None:
        return None
    from tgsi.tools.replay.trace_pictures import TracePictures

    return TracePictures(directory, name)


def _report_pictures(pictures: TracePictures, report: Report, options: TraceOptions) -> None:
    report.written += pictures.written
    report.remark += f", {amount(len(pictures.written), 'picture')} in {options.directory}"
    if pictures.left_out:
        report.notes.append(
            f"{len(pictures.written)} pictures are written, {pictures.left_out} more are not; --until N plays a part of the trace"
        )


def amount(count: int, noun: str) -> str:
    """A number with its noun: ``1 digest``, ``2 digests``."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def explain_trace_file(screen: Screen, path: Path, pixel: tuple[int, ...], target: int | None, until: int | None) -> str:
    """The history of a pixel of a trace, or of the GL context of a stream that draws most.

    pixel: x, y, and perhaps layer and sample. OSError, and ValueError for an invalid file or pixel.
    """
    from backends.gallium.tracing.trace_player import first_commands, words_of
    from tgsi.insight.answers import explain_trace
    from tgsi.tools.replay.streams import busiest_trace, is_stream

    data = bytearray(busiest_trace(path) if is_stream(path) else path.read_bytes())
    if until is not None:
        data = data[: len(data) - words_of(data).nbytes] + bytearray(first_commands(words_of(data), until))
    layer = pixel[2] if len(pixel) > 2 else 0
    sample = pixel[3] if len(pixel) > 3 else None
    return str(explain_trace(screen, data, pixel[0], pixel[1], layer=layer, sample=sample, target=target))


def print_trace(path: Path, output: TextIO, until: int | None = None) -> None:
    """Write a line of JSON for each command. OSError, and RecordingError for an invalid file."""
    from backends.gallium.tracing.printing import printed

    for shown in printed(bytearray(path.read_bytes()), until):
        output.write(json.dumps(shown) + "\n")
