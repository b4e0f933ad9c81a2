"""First frames of both sides in turn: the medians of a few processes of each side, for each name."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.catalog import TOLERANCE, WORKLOADS, Check
from benchmarks.processes import ROOT

SCENES = ("triangle", "vase")
NAMES = (*SCENES, *WORKLOADS)
DEFAULT = (*SCENES, "fill_flat", "tess_surface", "msaa4_resolve")
FIELDS = ("cpu", "wall", "whole_cpu", "whole_wall")
HEADER = f"{'first frame':20} {'ours':>9} {'peer':>9} {'ratio':>7} {'wall':>7}   {'process':>9} {'peer':>9} {'ratio':>7} {'wall':>7}  check"
BASE = "import numpy, llvmlite.binding"
_PAUSED = "from tgsi.language._collector import collector_paused\nwith collector_paused(promote=True):"


@dataclass(frozen=True, slots=True)
class ColdSide:
    """Side of the comparison: the word for `benchmarks.cold.process` with its options, variables, and the checkout that runs."""

    name: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    root: Path = ROOT


@dataclass(slots=True)
class Frames:
    """First frames of one side. seconds: the samples of each of FIELDS. failure: why there are none."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in FIELDS})
    check: Check | None = None
    modules: list[str] = field(default_factory=list)
    failure: str | None = None

    def median(self, name: str) -> float | None:
        return statistics.median(self.seconds[name]) if self.seconds[name] else None


@dataclass(frozen=True, slots=True)
class ColdResult:
    """First frames of both sides."""

    name: str
    ours: Frames
    peer: Frames | None

    @property
    def check_ok(self) -> bool | None:
        """True if the pictures agree; None if a side has none."""
        if self.peer is None or self.ours.check is None or self.peer.check is None:
            return None if self.ours.failure or (self.peer and self.peer.failure) else True
        return self.ours.check.distance(self.peer.check) <= TOLERANCE

    def ratio(self, name: str) -> float | None:
        """Median of ours divided by that of the peer: below 1, ours takes less. None without a peer and for pictures that differ."""
        mine, theirs = self.ours.median(name), self.peer and self.peer.median(name)
        return None if mine is None or not theirs or not self.check_ok else mine / theirs

    def as_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"check_ok": self.check_ok}
        for side, frames in (("ours", self.ours), ("peer", self.peer)):
            for name in FIELDS if frames is not None else ():
                seconds = frames.median(name) if frames is not None else None
                out[f"{side}_{name}_ms"] = None if seconds is None else round(seconds * 1e3, 3)
        notes = [frames.failure for frames in (self.ours, self.peer) if frames is not None and frames.failure]
        return out | {f"{name}_ratio": self.ratio(name) for name in FIELDS} | {"note": "; ".join(notes)}


def row(result: ColdResult) -> str:
    """Row of the table: processor time in ms and ratios of the frame after imports, then of the whole process."""
    figures = []
    for cpu, wall in (("cpu", "wall"), ("whole_cpu", "whole_wall")):
        times = [frames.median(cpu) if frames is not None else None for frames in (result.ours, result.peer)]
        figures += [f"{'-' if t is None else format(t * 1e3, '.0f'):>9}" for t in times]
        ratios = [result.ratio(cpu), result.ratio(wall)]
        figures += [f"{'-' if r is None else format(r, '.2f'):>7}" for r in ratios]
    check = {True: "ok", False: "DIFFERS", None: "-"}[result.check_ok]
    line = f"{result.name:20} {' '.join(figures[:4])}   {' '.join(figures[4:])}  {check}"
    note = result.as_json()["note"]
    return f"{line}  {note}" if note else line


def run_process(command: Sequence[str], environment: dict[str, str], root: Path) -> tuple[str, float, float]:
    """Run a process with an empty cache directory and Python's bytecode files.

    Returns its output, and its processor and wall time in seconds, children included. Raises RuntimeError if it fails.
    """
    with tempfile.TemporaryDirectory(prefix="tgsi-cold-") as empty:
        variables = os.environ | {"TGSI_CACHE_DIR": empty, "PYTHONDONTWRITEBYTECODE": ""} | environment
        begin = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root, env=variables) as process:
            output, errors = process.stdout, process.stderr
            assert output is not None
            assert errors is not None
            text, complaint = output.read(), errors.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begin
    if process.returncode:
        raise RuntimeError((complaint.strip().splitlines() or [f"ended with status {process.returncode}"])[-1])
    return text, used.ru_utime + used.ru_stime, wall


def draw(side: ColdSide, name: str, frames: Frames, *, counts: bool) -> None:
    """Draw a first frame in a process of its own. A process before the samples (`counts` false) lists the imported modules."""
    if frames.failure is not None:
        return
    with tempfile.NamedTemporaryFile("w", prefix="tgsi-cold-", suffix=".txt") as preload:
        preload.write("\n".join(frames.modules))
        preload.flush()
        command = [sys.executable, "-m", "benchmarks.cold.process", side.arguments[0], name, *side.arguments[1:], "--preload", preload.name]
        try:
            text, cpu, wall = run_process(command, side.environment, side.root)
        except RuntimeError as error:
            frames.failure = f"{side.name}: {error}"
            return
    answer = json.loads(text)
    if "unsupported" in answer:
        frames.failure = f"{side.name}: unsupported: {answer['unsupported']}"
    elif counts:
        for key, seconds in zip(FIELDS, (answer["cpu"], answer["wall"], cpu, wall), strict=True):
            frames.seconds[key].append(seconds)
    else:
        frames.modules = answer["modules"]
    if "mean" in answer:
        frames.check = Check(tuple(answer["mean"]), answer["covered"])


def measure_first_frames(name: str, ours: ColdSide, peer: ColdSide | None, rounds: int) -> ColdResult:
    """Draw first frames of both sides, `rounds` of each in turn, after a warm-up of each."""
    sides = [ours] if peer is None else [ours, peer]
    frames = [Frames() for _ in sides]
    for turn in range(-1, rounds):
        for i in range(len(sides)) if turn % 2 == 0 else reversed(range(len(sides))):
            draw(sides[i], name, frames[i], counts=turn >= 0)
    return ColdResult(name, frames[0], frames[1] if peer is not None else None)


def import_seconds(modules: Sequence[str], side: ColdSide, rounds: int) -> tuple[float, float]:
    """Median processor time of a process that imports the modules loaded by our frame, and of one that runs BASE, in turn.

    The garbage collector is off, as during the imports of `tgsi`.
    """
    own = [m for m in modules if m.partition(".")[0] in ("tgsi", "passes", "linkage", "frontends", "backends")]
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for samples, code in zip(seconds, (f"{BASE}\n{_PAUSED}\n    import {', '.join(own)}", BASE), strict=True):
            samples.append(run_process([sys.executable, "-c", code], side.environment, side.root)[1])
    return statistics.median(seconds[0]), statistics.median(seconds[1])
