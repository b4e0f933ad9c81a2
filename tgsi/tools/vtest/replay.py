"""Replay of recorded streams without a client: run them, write the replies, compare them with recorded replies."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from pathlib import Path

from tgsi.tools.vtest.compare import compare
from tgsi.tools.vtest.output.log import LOG
from tgsi.tools.vtest.server import Options, make_screen, report

MAX_SHOWN = 4


def run_stream(stream: bytes, options: Options) -> tuple[bytes, list[str]]:
    """Run a stream. Returns the replies and a line per error."""
    from tgsi.tools.vtest.messages import answer
    from tgsi.tools.vtest.session import Session, Statistics
    from tgsi.tools.vtest.wire import FileWire

    replies = io.BytesIO()
    lines: list[str] = []
    statistics = Statistics() if options.statistics else None
    with make_screen(options) as screen:
        session = Session(screen, FileWire(io.BytesIO(stream), replies), lines.append, protocol=0, statistics=statistics)
        answer(session)
    if statistics is not None:
        report(session.name, statistics)
    return replies.getvalue(), lines


def replay_all(paths: Sequence[Path], options: Options, *, compare: bool = False, output: Path | None = None) -> int:
    """Run streams one after another and print a line about each. Returns the exit code."""
    clean = equal = 0
    for path in paths:
        stream = path.read_bytes()
        begin = time.perf_counter()
        replies, lines = run_stream(stream, options)
        spent = time.perf_counter() - begin
        if output is not None:
            (output / f"{path.stem}.rep").write_bytes(replies)
        clean += not lines
        for line in lines[:MAX_SHOWN]:
            LOG.warning(line)
        verdict = "ran" if not lines else f"{len(lines)} errors"
        if compare:
            verdict, is_equal = _compared(path, stream, replies, verdict)
            equal += is_equal
        print(f"{path.stem}: {verdict}, {spent * 1e3:.0f} ms", flush=True)
    print(f"{clean} of {len(paths)} ran without error" + (f", {equal} gave the recorded replies" if compare else ""))
    return 0 if clean == len(paths) and (not compare or equal == len(paths)) else 1


def _compared(path: Path, stream: bytes, replies: bytes, verdict: str) -> tuple[str, bool]:
    found = compare(stream, replies, path.with_suffix(".rep").read_bytes())
    exact = sum(read.is_exact for read in found.reads)
    wrong = [read for read in found.reads if not read.is_equal]
    text = f"{verdict}, {len(found.reads)} reads, {exact} exact, {len(wrong)} different"
    if found.trouble:
        text += f"; {found.trouble}"
    for read in wrong[:MAX_SHOWN]:
        text += f"; {read.line()}"
    return text, found.is_equal
