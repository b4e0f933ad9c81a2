"""Pictures of installed OpenGL programs, through tgsi-vtest and on llvmpipe by turns:

    python -m benchmarks.cold.programs [--only a,b] [--rounds N] [--server] [--json FILE] [--cpu LEVEL]

Each round runs a program twice on each side, in a home of its own, which is empty at first: the first run is cold, the second one finds the
kernels and shaders that the first one kept, as Mesa and we are installed. Processor time is that of all processes of a run but for the X
server, which no program owns. By default each run has its own server (`tgsi-vtest run`), whose start is most of a short program's time;
with `--server` programs draw through one that goes on (`tgsi-vtest &`), whose start is not counted. Needs Mesa 22's virpipe and
llvmpipe, and Xvfb; programs that are not installed are named and left out.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.__main__ import peer_variables
from benchmarks.catalog import TOLERANCE, Check
from benchmarks.geometry import check
from benchmarks.glmark import Display
from benchmarks.processes import ROOT
from tgsi.tools.parsing import Parser

_BECOME_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: processes whose parent has ended become ours, so that their time is counted
PATIENCE = 120.0
_PARTING = 0.3  # seconds in which the server reaps the process of a disconnected client
_HEADER = f"{'program':10} {'cold':>7} {'peer':>7} {'ratio':>6}   {'second':>7} {'peer':>7} {'ratio':>6}  check"

_PART = """$fn = 64;
difference() {
    union() {
        cylinder(h = 12, r = 20);
        translate([0, 0, 12]) sphere(r = 14);
        for (a = [0 : 60 : 300]) rotate(a) translate([20, 0, 6]) cube([10, 6, 12], center = true);
    }
    translate([0, 0, -1]) cylinder(h = 40, r = 6);
}
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """A program. command: returns its words for a folder with the files of `write`. picture: the file that it writes there, if any.

    seconds: time after which it is ended if it still runs.
    """

    what: str
    command: Callable[[Path], list[str]]
    write: Callable[[Path], object] = lambda folder: None
    picture: str | None = None
    seconds: float | None = None


def _write_torus(folder: Path, rings: int = 120, sides: int = 60) -> None:
    """The file torus.ply: 14,400 triangles."""
    a, b = np.meshgrid(2 * np.pi * np.arange(rings) / rings, 2 * np.pi * np.arange(sides) / sides, indexing="ij")
    places = np.stack([(3 + np.cos(b)) * np.cos(a), (3 + np.cos(b)) * np.sin(a), np.sin(b)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(rings), np.arange(sides), indexing="ij")
    here, right, up, across = (((i + di) % rings) * sides + (j + dj) % sides for di, dj in ((0, 0), (1, 0), (0, 1), (1, 1)))
    faces = np.concatenate([np.stack(corners, axis=-1).reshape(-1, 3) for corners in ((here, right, across), (here, across, up))])
    head = ["ply", "format ascii 1.0", f"element vertex {len(places)}", *(f"property float {axis}" for axis in "xyz")]
    head += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header"]
    rows = [*("{:f} {:f} {:f}".format(*place) for place in places), *("3 {} {} {}".format(*face) for face in faces)]
    (folder / "torus.ply").write_text("\n".join([*head, *rows, ""]))


PROGRAMS: Mapping[str, Shown] = {
    "openscad": Shown(
        "a picture of 640 x 480 of a part with holes, which OpenSCAD writes",
        lambda folder: ["openscad", "-o", str(folder / "part.png"), "--imgsize=640,480", str(folder / "part.scad")],
        lambda folder: (folder / "part.scad").write_text(_PART),
        "part.png",
    ),
    "mpv": Shown(
        "25 frames of 640 x 360 of a test picture of libavfilter, with mpv's OpenGL output",
        lambda folder: [
            *("mpv", "--no-config", "--no-audio", "--vo=gpu", "--gpu-api=opengl", "--gpu-context=x11egl", "--gpu-sw"),
            *("--untimed", "--frames=25", "--really-quiet", "av://lavfi:testsrc2=size=640x360:rate=25"),
        ],
    ),
    "meshlab": Shown(
        "MeshLab's window with a torus of 14,400 triangles, for eight seconds",
        lambda folder: ["meshlab", str(folder / "torus.ply")],
        _write_torus,
        seconds=8.0,
    ),
}
"""Programs by name, which is also that of their command."""


@dataclass(frozen=True, slots=True)
class Side:
    """A way to draw. prefix: words in front of the program's. has_server: one server draws both runs."""

    prefix: tuple[str, ...]
    environment: Mapping[str, str]
    has_server: bool = False


@dataclass(slots=True)
class Runs:
    """Runs of a program on one side. seconds: processor time of first and of second runs. failure: why there are no more."""

    seconds: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    check: Check | None = None
    failure: str | None = None


def _children() -> set[int]:
    """Processes whose parent is this thread, or has ended."""
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def run_counted(command: Sequence[str], environment: Mapping[str, str], folder: Path, seconds: float | None = None) -> float:
    """Run a command until all of its processes have ended; SIGTERM ends it after `seconds`. Returns their processor time.

    Raises RuntimeError if it fails or takes longer than `PATIENCE`.
    """
    with tempfile.TemporaryFile("w+") as log:
        begin, used, status, others = time.monotonic(), 0.0, 0, _children()
        process = subprocess.Popen(command, env={**os.environ, **environment}, cwd=folder, stdout=log, stderr=log, start_new_session=True)
        is_ended = is_asked = False
        while True:
            try:
                pid, code, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid:
                used += usage.ru_utime + usage.ru_stime
                if pid == process.pid:
                    is_ended, status = True, os.waitstatus_to_exitcode(code)
                    process.returncode = status
                continue
            if _children() <= others:
                break
            spent = time.monotonic() - begin
            if spent > PATIENCE:
                os.killpg(process.pid, signal.SIGKILL)
                raise RuntimeError(f"{command[0]} did not end within {PATIENCE:.0f} seconds")
            if seconds is not None and spent > seconds and not is_asked and not is_ended:
                is_asked = True
                process.send_signal(signal.SIGTERM)
            time.sleep(0.01)
        log.seek(0)
        if status and not is_asked:
            raise RuntimeError((log.read().strip().splitlines() or [f"ended with status {status}"])[-1][-200:])
    return used


@contextlib.contextmanager
def server(environment: Mapping[str, str], folder: Path) -> Iterator[Callable[[], float]]:
    """A `tgsi-vtest` at Mesa's default path during a block.

    Yields a function that returns the processor time of the server and its clients.

    Raises RuntimeError if it does not start.
    """
    log = folder / "server.log"
    with log.open("w") as lines:
        process = subprocess.Popen(
            [sys.executable, "-m", "tgsi.tools.vtest.cli"],
            env={**os.environ, **environment},
            cwd=ROOT,
            stderr=lines,
            start_new_session=True,
        )
    stat, ticks = Path(f"/proc/{process.pid}/stat"), os.sysconf("SC_CLK_TCK")

    def seconds() -> float:
        return sum(map(int, stat.read_text().rpartition(")")[2].split()[11:15])) / ticks

    try:
        begin = time.monotonic()
        while "ready at" not in log.read_text():
            if process.poll() is not None or time.monotonic() - begin > PATIENCE:
                raise RuntimeError((log.read_text().strip().splitlines() or ["the server did not start"])[-1])
            time.sleep(0.01)
        yield seconds
    finally:
        process.terminate()
        process.wait()


def run_twice(side: Side, shown: Shown, runs: Runs) -> None:
    """Run a program twice in a new home, and add the processor times to `runs`."""
    with tempfile.TemporaryDirectory(prefix="tgsi-programs-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        shown.write(folder)
        home = {"HOME": place, "XDG_CACHE_HOME": f"{place}/cache", "XDG_RUNTIME_DIR": place, "TGSI_CACHE_DIR": f"{place}/kernels"}
        environment = {**side.environment, **home}
        spent: list[float] = []
        with server(environment, folder) if side.has_server else contextlib.nullcontext(float) as of_server:
            for _ in range(2):
                before = of_server()
                used = run_counted([*side.prefix, *shown.command(folder)], environment, ROOT, shown.seconds)
                if side.has_server:
                    time.sleep(_PARTING)
                spent.append(used + of_server() - before)
        if shown.picture is not None:
            runs.check = check(np.asarray(Image.open(folder / shown.picture).convert("RGBA")).reshape(-1, 4))
    for samples, seconds in zip(runs.seconds, spent, strict=True):
        samples.append(seconds)


def measure(name: str, sides: Mapping[str, Side], rounds: int) -> dict[str, Runs]:
    """Run a program on all sides in turn."""
    runs = {side: Runs() for side in sides}
    for turn in range(rounds):
        for side in sides if turn % 2 == 0 else reversed(list(sides)):
            if runs[side].failure is None:
                try:
                    run_twice(sides[side], PROGRAMS[name], runs[side])
                except (RuntimeError, OSError) as error:
                    runs[side].failure = f"{side}: {error}"
    return runs


def summary(ours: Runs, peer: Runs) -> dict[str, Any]:
    """Median processor times in seconds and their ratios, cold and the second time; below 1, ours takes less."""
    found: dict[str, Any] = {"note": "; ".join(runs.failure for runs in (ours, peer) if runs.failure)}
    found["check_ok"] = ours.check is None or peer.check is None or ours.check.distance(peer.check) <= TOLERANCE
    for number, turn in enumerate(("cold", "second")):
        mine, theirs = (statistics.median(runs.seconds[number]) if runs.seconds[number] else None for runs in (ours, peer))
        found |= {f"ours_{turn}": mine, f"peer_{turn}": theirs}
        found[f"ratio_{turn}"] = mine / theirs if mine and theirs and found["check_ok"] else None
    return found


def row(name: str, found: Mapping[str, Any]) -> str:
    """Row of the table."""
    figures = []
    for turn in ("cold", "second"):
        for key, width in (("ours", 7), ("peer", 7), ("ratio", 6)):
            value = found[f"{key}_{turn}"]
            figures.append(f"{'-' if value is None else format(value, '.2f'):>{width}}")
    check_text = "ok" if found["check_ok"] else "DIFFERS"
    return f"{name:10} {' '.join(figures[:3])}   {' '.join(figures[3:])}  {check_text}  {found['note']}".rstrip()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="python -m benchmarks.cold.programs", description="Processor time of whole OpenGL programs.")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PROGRAMS), metavar="A,B", help=", ".join(PROGRAMS))
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each side, cold and second (default 3)")
    parser.add_argument("--server", action="store_true", help="draw through a server that goes on, whose start is not counted")
    parser.add_argument("--cpu", metavar="LEVEL", help="limit both sides to x86-64-v2, -v3 or -v4")
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.only if name not in PROGRAMS]
    if unknown:
        parser.error(f"--only: {', '.join(unknown)}: the programs are {', '.join(PROGRAMS)}")
    ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 1, 0, 0, 0)
    print(f"Processor time in seconds, median of {given.rounds} runs\n{_HEADER}", flush=True)
    out: dict[str, Any] = {}
    with Display("1280x1024") as display:
        there = {"DISPLAY": display.name, "PYTHONDONTWRITEBYTECODE": ""}
        limit = {} if given.cpu is None else {"TGSI_CPU": given.cpu}
        peer_limits = {} if given.cpu is None else peer_variables(os.cpu_count() or 1, given.cpu)
        virpipe = {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "virpipe"}
        run = (sys.executable, "-m", "tgsi.tools.vtest.cli", "run", "-q", "--")
        sides = {
            "tgsi": Side((), there | limit | virpipe, has_server=True) if given.server else Side(run, there | limit),
            "llvmpipe": Side((), there | {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe"} | peer_limits),
        }
        for name in given.only:
            if shutil.which(name) is None:
                print(f"{name:10} is not installed")
                continue
            runs = measure(name, sides, given.rounds)
            out[name] = summary(runs["tgsi"], runs["llvmpipe"])
            print(row(name, out[name]), flush=True)
    if given.json is not None:
        given.json.write_text(json.dumps(out, indent=1) + "\n")
    return int(any(found["note"] or not found["check_ok"] for found in out.values()))


if __name__ == "__main__":
    sys.exit(main())
