"""Memory of tsgi-vtest and of a client that keeps drawing: `python -m benchmarks.soak [--minutes M] [--json FILE]`.

glmark2 goes round and round through its scenes, each in a context of its own. Resident memory of the server, of the client's process in it
and of glmark2 is sampled. The first rounds load and compile, so the claim is about the second half, in which the server must not grow.
glmark2 itself does: Mesa's virgl driver keeps some 5 MB of each round, with virgl_test_server, too.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from benchmarks.glmark import SCENES, Display
from benchmarks.virpipe import CLIENT, Server

EVERY = 30.0
"""Seconds from one sample to the next."""

GROWTH = 0.03
"""Share by which the last quarter of the samples may exceed the third one: scenes differ in size, and a sample falls on any of them."""

_COLUMNS = ("minutes", "server", "client's process", "glmark2")
_MB = 1e6


def resident(pid: int) -> float:
    """Resident memory of a process in MB of 10^6 bytes, 0 if it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / _MB


def children(pid: int) -> list[int]:
    """Processes that a process has made and that still run."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def growth(samples: Sequence[float]) -> float:
    """Mean of the last quarter of samples divided by that of the third quarter, less one. ValueError if there are fewer than four."""
    if len(samples) < 4:
        raise ValueError(f"{len(samples)} samples say nothing about growth; at least 4 do")
    quarter = len(samples) // 4
    return fmean(samples[-quarter:]) / fmean(samples[-2 * quarter : -quarter]) - 1


def soak(seconds: float, every: float, scene_seconds: float, size: str, rows: list[tuple[float, ...]]) -> str:
    """Draw for some seconds, and add a row of samples each `every` seconds. Returns the reason why it ended early, "" if it did not."""
    with tempfile.TemporaryDirectory() as folder, Display(size) as display:
        socket = Path(folder) / "socket"
        with Server("tgsi-vtest", [sys.executable, "-m", "tgsi.tools.vtest.cli", "--socket", str(socket)], socket, {}) as server:
            scenes = [word for scene in SCENES.values() for word in ("-b", f"{scene}:duration={scene_seconds}")]
            command = [*server.prefix, "glmark2", "--run-forever", "--size", size, *scenes]
            process = subprocess.Popen(command, env={**os.environ, **CLIENT, "DISPLAY": display.name}, stdout=subprocess.DEVNULL)
            begin = time.monotonic()
            try:
                while (now := time.monotonic() - begin) < seconds:
                    if process.poll() is not None or server.failure:
                        return server.failure or f"glmark2 ended with {process.returncode}"
                    server.restored()  # glmark2 connects again for each scene
                    rows.append((round(now / 60, 2), resident(server.pid), sum(map(resident, children(server.pid))), resident(process.pid)))
                    print("\t".join(f"{cell:.1f}" for cell in rows[-1]), flush=True)
                    time.sleep(max(0.0, every - (time.monotonic() - begin) % every))
            finally:
                process.terminate()
                process.wait()
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 if the server's memory was flat to the end."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description="Watch the memory of tgsi-vtest while glmark2 draws.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--every", type=float, default=EVERY, help=f"seconds from sample to sample ({EVERY:.0f})")
    parser.add_argument("--scene-seconds", type=float, default=3.0, help="seconds of a scene (3)")
    parser.add_argument("--size", default="320x240", metavar="WxH")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples to FILE")
    options = parser.parse_args(arguments)
    if missing := [program for program in ("glmark2", "Xvfb", "unshare") if shutil.which(program) is None]:
        print(f"soak: not installed: {', '.join(missing)}", file=sys.stderr)
        return 2
    print("\t".join(_COLUMNS), flush=True)
    rows: list[tuple[float, ...]] = []
    ended = soak(60 * options.minutes, options.every, options.scene_seconds, options.size, rows)
    if options.json is not None:
        options.json.write_text(json.dumps({"columns": _COLUMNS, "rows": rows, "ended": ended}) + "\n")
    if ended:
        print(f"soak: {ended}", file=sys.stderr)
        return 1
    grown = {name: growth(samples) for name, samples in zip(_COLUMNS[1:], list(zip(*rows))[1:])}
    print(", ".join(f"{name} {100 * share:+.1f} %" for name, share in grown.items()))
    return int(max(share for name, share in grown.items() if name != "glmark2") > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
