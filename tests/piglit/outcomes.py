"""Runs of units, and what came of each case: pass, warn, fail, skip, crash (a signal ended its process) or hang (it took too long)."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.processes import processor_time
from tests.piglit.cases import PLATFORM, Case, Unit

PATIENCE = 60.0
"""Seconds of processor time, its own and the server's, after which a process hangs: on a busy machine the clock says nothing."""

STANDSTILL = 10
"""Factor from the seconds of a limit of processor time to those by the clock, after which a process that does not work hangs."""

_WORK = 0.01  # share of a processor that a process at work gets on a busy machine

RANKS = ("skip", "pass", "warn", "fail", "hang", "crash")
"""Outcomes, the worst last. The outcome of a case with parts is that of its worst part."""

_UNIT_PATIENCE = 3 * PATIENCE  # what a unit has not done by then is run in further processes
_RESIZED, _TRIES = "Got spurious window resize", 5
_LOOK = 0.5  # share of the patience from one look at the processor time to the next; a look reads all of /proc
_NOT_THERE = 127  # code of a shell whose program is not installed; packages of piglit lack some programs of its lists
_WORDS = 300  # characters of what a case said


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a case: a word of `RANKS`, seconds, and the end of its output unless it passed."""

    kind: str
    seconds: float
    words: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that has ended. code: None if it was ended because it took too long."""

    output: str
    code: int | None
    seconds: float


Start = Callable[[Sequence[str], Mapping[str, str], float], Ended]
"""Runs a command: start(words, variables, seconds)."""


class Starter:
    """Starts commands through a server and on a display.

    prefix: words of a command that runs another one. used: seconds of processor time that the server has taken so far.
    """

    def __init__(self, prefix: Sequence[str], variables: Mapping[str, str], used: Callable[[], float] = lambda: 0.0) -> None:
        self._prefix, self._variables, self._used = [*prefix], {**os.environ, **variables}, used

    def __call__(self, words: Sequence[str], variables: Mapping[str, str], seconds: float) -> Ended:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [*self._prefix, *words],
                env={**self._variables, **variables},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            try:
                code = self._wait(process, seconds)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            output.seek(0)
            return Ended(output.read().decode("utf-8", "replace"), code, time.monotonic() - begin)

    def _wait(self, process: subprocess.Popen[bytes], seconds: float) -> int | None:
        """The exit code; None if the process takes too long."""
        begin, before = time.monotonic(), self._used()
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(_LOOK * seconds)
            spent, passed = self._used() - before + processor_time(process.pid), time.monotonic() - begin
            if spent > seconds or (passed > STANDSTILL * seconds and spent < _WORK * passed):
                return None


def reports(output: str) -> tuple[str, dict[str, str]]:
    """Results that the lines of an output report: the last result, "" if there is none, and the results of parts by name."""
    result, parts = "", dict[str, str]()
    for line in output.splitlines():
        _, mark, text = line.partition("PIGLIT: ")
        if not mark:
            continue
        try:
            found: dict[str, Any] = json.loads(text)
        except ValueError:
            continue
        result = found.get("result", result)
        parts |= found.get("subtest", {})
    return result, parts


def judged(ended: Ended) -> Outcome:
    """The outcome of a case that had a process of its own."""
    result, parts = reports(ended.output)
    if ended.code is None:
        kind = "hang"
    elif ended.code < 0 or ended.code > 128:
        kind = "crash"
    elif ended.code == _NOT_THERE and not parts and not result:
        kind = "skip"
    else:
        found = [kind for kind in parts.values() if kind in RANKS] or [result if result in RANKS else "fail"]
        kind = max(found, key=RANKS.index)
        if ended.code and kind == "pass":
            kind = "warn"
    return Outcome(kind, ended.seconds, "" if kind == "pass" else _end_of(ended.output))


def _end_of(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip() and "PIGLIT: {" not in line and "PIGLIT TEST:" not in line]
    return " / ".join(lines[-8:])[-_WORDS:]


def run_case(case: Case, root: Path, start: Start, patience: float = PATIENCE) -> Outcome:
    """Run a case in a process of its own, again if a window changed its size by itself."""
    for _ in range(_TRIES):
        ended = start([str(root / "bin" / case.program), *case.arguments(root)], variables_of(case, root), patience)
        if _RESIZED not in ended.output:
            break
    return judged(ended)


def run_unit(unit: Unit, root: Path, start: Start, patience: float = PATIENCE) -> dict[str, Outcome]:
    """Run all cases of a unit, in as few processes as possible. What neither passes nor skips there is run alone, and that counts."""
    found: dict[str, Outcome] = {}
    waiting = list(unit)
    while waiting:
        known = _known(waiting, root, start) if len(waiting) > 1 else {}
        found |= known
        waiting = [case for case in waiting if case.name not in known]
        if waiting:  # the first one may have ended the process
            case = waiting.pop(0)
            found[case.name] = run_case(case, root, start, patience)
    return found


def _known(cases: Sequence[Case], root: Path, start: Start) -> dict[str, Outcome]:
    """Cases that pass or say that they skip, in one process."""
    files = [case.arguments(root)[0] for case in cases]
    program = str(root / "bin" / cases[0].program)
    words = ["stdbuf", "-oL", program, *files, "-auto", "-fbo", "-report-subtests"]  # it runs itself again, and loses what buffers hold
    ended = start(words, variables_of(cases[0], root), _UNIT_PATIENCE)
    parts = {name.casefold(): kind for name, kind in reports(ended.output)[1].items()}
    seconds = ended.seconds / max(1, len(parts))
    return {case.name: Outcome(kind, seconds) for case in cases if (kind := parts.get(case.subtest)) in ("pass", "skip")}


def variables_of(case: Case, root: Path) -> dict[str, str]:
    """Variables of a case's process."""
    return {"PIGLIT_SOURCE_DIR": str(root), "PIGLIT_PLATFORM": PLATFORM, **case.variables}
