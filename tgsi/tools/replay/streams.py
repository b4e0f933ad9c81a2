"""Playback of streams from `tgsi-vtest --record`, as by `tgsi-vtest --replay`."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path

from tgsi.tools.parsing import reason
from tgsi.tools.replay.replay import Report

_HEAD = struct.Struct("<2I")
_CREATE_RENDERER, _LONGEST_NAME = 8, 4096
"""Number of the first message of every client, whose text is the program's name."""


def is_stream(path: Path) -> bool:
    """True for a file that begins as a client of tgsi-vtest does."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD.size)
            size, message = _HEAD.unpack(head) if len(head) == _HEAD.size else (0, 0)
            name = file.read(size) if message == _CREATE_RENDERER and 0 < size <= _LONGEST_NAME else b""
    except OSError:
        return False
    return len(name) == size > 0 and name.endswith(b"\0")


def replay_stream(path: Path, name: str, directory: Path | None, threads: int | None, lanes: int | None) -> Report:
    """Run a stream. directory: of all pictures of windows and of targets that were read; None writes none."""
    from tgsi.tools.vtest.output.wanted import Wanted
    from tgsi.tools.vtest.replay import run_stream
    from tgsi.tools.vtest.server import Options

    report = Report(path, name)
    wanted = Wanted() if directory is None else Wanted(folder=directory, pictures=1)
    before = set(directory.glob("*.png")) if directory is not None else set()
    try:
        data = path.read_bytes()
    except OSError as error:
        report.unreadable = True
        report.reasons.append(f"it cannot be read: {reason(error)}")
        return report
    _, report.reasons = run_stream(data, Options(wanted=wanted, threads=threads, lanes=lanes), name, lambda size: None)
    report.remark = "a stream of tgsi-vtest"
    if directory is not None:
        report.written = sorted(set(directory.glob(f"*-{name}-*.png")) - before)
        report.remark += f", {len(report.written)} pictures in {directory}"
    return report


def traces_of(stream: bytes, name: str) -> list[bytes]:
    """The traces of a stream's GL contexts, in the order in which they began to draw."""
    from tgsi.tools.vtest.output.wanted import Wanted
    from tgsi.tools.vtest.replay import run_stream
    from tgsi.tools.vtest.server import Options

    with tempfile.TemporaryDirectory(prefix="tgsi-stream-") as folder:
        run_stream(stream, Options(wanted=Wanted(trace=Path(folder) / "context.trace")), name, lambda size: None)
        return [file.read_bytes() for file in sorted(Path(folder).iterdir())]


def busiest_trace(path: Path) -> bytes:
    """The trace of the GL context of a stream that draws most. ValueError if none draws; OSError if the file cannot be read."""
    from backends.gallium.tracing.steps import DRAWS, read_steps

    traces = traces_of(path.read_bytes(), path.stem)
    counts = [sum(step.name in DRAWS for step in read_steps(bytearray(data))) for data in traces]
    if not any(counts):
        raise ValueError("no GL context of the stream draws anything")
    return traces[counts.index(max(counts))]
