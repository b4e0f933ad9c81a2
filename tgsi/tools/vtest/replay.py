"""Replay of recorded streams without a client: run them, write the replies, compare them with recorded replies."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from backends.device.commands.layout import MAGIC
from tgsi.tools.vtest.output.compare import compare
from tgsi.tools.vtest.output.log import LOG
from tgsi.tools.vtest.output.parts import Parts
from tgsi.tools.vtest.output.progress import bar
from tgsi.tools.vtest.output.recording import PlayedStream
from tgsi.tools.vtest.server import Options, make_screen, observers, report

MAX_SHOWN = 4
HEAD_BYTES = 8
"""Size of a message's head: length and number, as words in little-endian order."""


def run_stream(stream: bytes, options: Options, name: str, note: Callable[[int], object]) -> tuple[bytes, list[str]]:
    """Run a stream. Returns the replies and a line per error.

    name: a part of the names of pictures and texts. note: takes the number of bytes that were carried out.
    """
    from tgsi.tools.vtest.protocol.wire import FileWire
    from tgsi.tools.vtest.session.messages import answer
    from tgsi.tools.vtest.session.session import Session, Statistics

    replies = io.BytesIO()
    lines: list[str] = []
    statistics = Statistics() if options.statistics else None
    pictures, texts = observers(options.wanted, name)
    with make_screen(options) as screen:
        session = Session(
            screen,
            FileWire(PlayedStream(stream, note), replies),
            lines.append,
            protocol=0,
            log_commands=options.log_commands,
            statistics=statistics,
            pictures=pictures,
            texts=texts,
            trace=options.wanted.trace,
        )
        answer(session)
    if statistics is not None:
        report(session.name, statistics)
    return replies.getvalue(), lines


def replay_all(paths: Sequence[Path], options: Options, *, compare: bool = False, output: Path | None = None, quiet: bool = False) -> int:
    """Run streams one after another and print a line about each, on a terminal with a bar. Returns the exit code."""
    with bar("replaying", sum(path.stat().st_size for path in paths), quiet=quiet) as note:
        return _replay_all(paths, options, compare, output, note)


def _replay_all(paths: Sequence[Path], options: Options, compare: bool, output: Path | None, note: Callable[[int], object]) -> int:
    clean = equal = 0
    parts = Parts(options.wanted.files)
    for path in paths:
        stream = path.read_bytes()
        _check_kind(path, stream)
        begin = time.perf_counter()
        replies, lines = run_stream(stream, options, path.stem, note)
        parts.collect(path.stem, path.name)
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


def _check_kind(path: Path, stream: bytes) -> None:
    """Raise ValueError for a file that is no stream: empty, a trace, or one whose first message does not exist."""
    from tgsi.tools.vtest.session.messages import MESSAGES

    if not stream:
        raise ValueError(f"{path}: the file is empty")
    if stream.startswith(MAGIC):
        raise ValueError(f"{path}: it is a trace of a context; tgsi-replay plays it")
    if len(stream) < HEAD_BYTES or int.from_bytes(stream[4:HEAD_BYTES], "little") not in MESSAGES:
        raise ValueError(f"{path}: it is not a stream, as tgsi-vtest --record writes: it does not begin with a message of a client")


def _compared(path: Path, stream: bytes, replies: bytes, verdict: str) -> tuple[str, bool]:
    comparison = compare(stream, replies, path.with_suffix(".rep").read_bytes())
    exact = sum(read.is_exact for read in comparison.reads)
    wrong = [read for read in comparison.reads if not read.is_equal]
    text = f"{verdict}, {len(comparison.reads)} reads, {exact} exact, {len(wrong)} different"
    if comparison.trouble:
        text += f"; {comparison.trouble}"
    for read in wrong[:MAX_SHOWN]:
        text += f"; {read.line()}"
    return text, comparison.is_equal
