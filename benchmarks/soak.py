"""Memory of tgsi-vtest and of a client that keeps drawing: `python -m benchmarks.soak [--minutes M] [--glmark2] [--json FILE]`.

The client is one OpenGL program in one connection. It makes textures, mipmaps, buffers, framebuffers and programs, draws with them, counts
samples, reads what it drew, and lets all of them go, over and over; each program has a text that no other has, so each is compiled. With
`--glmark2` it is glmark2, which goes round and round through its scenes, each in a connection of its own.

Resident memory of the server, of the client's process in it and of the program is sampled. The first part loads, compiles and fills the
caches of kernels (some 1,100 programs), so the claim is about the second half, in which the server must not grow. The program itself does:
Mesa's virgl driver keeps a quarter of a MB of each GL program that was deleted, and some 5 MB of each round of glmark2, with
virgl_test_server, too.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.glmark import SCENES, Display
from benchmarks.processes import ROOT
from benchmarks.virpipe import CLIENT, Server
from tgsi.tools.parsing import Parser

EVERY = 30.0
"""Seconds from one sample to the next."""

GROWTH = 0.03
"""Share by which the last quarter of the samples may exceed the third one: scenes differ in size, and a sample falls on any of them."""

_COLUMNS = ("minutes", "server", "client's process", "program")
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


VERTEX = """#version 330
in vec2 corner; out vec2 place; uniform vec4 move;
void main() { place = corner; gl_Position = vec4(corner * move.zw + move.xy, 0.5, 1.0); }"""
FRAGMENT = """#version 330
in vec2 place; out vec4 color; uniform sampler2D picture;
void main() { color = textureLod(picture, place, 2.0 * place.x) * vec4(%.9f, place, 1.0); }"""
FRAMES_OF_A_PROGRAM = 200


def draw_forever() -> None:
    """Draw until the process is ended; OpenGL objects live for a frame, programs for `FRAMES_OF_A_PROGRAM`."""
    gl: Any = import_module("moderngl").create_standalone_context(backend="egl")
    random = np.random.default_rng(1)
    query = gl.query(samples=True)  # moderngl frees none
    for number in itertools.count(1):
        program = gl.program(VERTEX, FRAGMENT % (1 / number))
        for _ in range(FRAMES_OF_A_PROGRAM):
            draw_frame(gl, program, query, random)
        program.release()


def draw_frame(gl: Any, program: Any, query: Any, random: np.random.Generator) -> None:
    """Draw 50 times to a framebuffer and read it; all objects are new, and freed at the end."""
    texture, target = gl.texture((128, 128), 4, random.bytes(4 * 128 * 128)), gl.texture((256, 256), 4)
    texture.build_mipmaps()
    depth = gl.depth_renderbuffer(target.size)
    framebuffer = gl.framebuffer([target], depth)
    corners = gl.buffer(random.random((6, 2), "f4").tobytes())
    vertices = gl.vertex_array(program, corners, "corner")
    framebuffer.use()
    framebuffer.clear(0, 0, 0, 1)
    gl.enable(gl.DEPTH_TEST)
    texture.use()
    with query:
        for move in random.random((50, 4), "f4"):
            program["move"] = tuple(move)
            vertices.render(gl.TRIANGLES)
    drawn = (
        np.frombuffer(framebuffer.read(components=1, attachment=-1, dtype="f4"), "f4") < 1
    )  # all at one depth: a pixel passes the test once
    if query.samples != drawn.sum():
        raise RuntimeError(f"{query.samples} samples passed, and {drawn.sum()} pixels are drawn")
    for thing in (vertices, corners, framebuffer, depth, target, texture):
        thing.release()


def program_of(glmark2: bool, scene_seconds: float, size: str) -> list[str]:
    """Command of the program that draws."""
    if not glmark2:
        return [sys.executable, "-m", "benchmarks.soak", "--client"]
    scenes = [word for scene in SCENES.values() for word in ("-b", f"{scene}:duration={scene_seconds}")]
    return ["glmark2", "--run-forever", "--size", size, *scenes]


def soak(command: Sequence[str], seconds: float, every: float, size: str, rows: list[tuple[float, ...]]) -> str:
    """Draw for some seconds, and add a row of samples each `every` seconds. Returns the reason why it ended early, "" if it did not."""
    with tempfile.TemporaryDirectory() as folder, Display(size) as display:
        socket = Path(folder) / "socket"
        with Server("tgsi-vtest", [sys.executable, "-m", "tgsi.tools.vtest.cli", "--socket", str(socket)], socket, {}) as server:
            process = subprocess.Popen(
                [*server.prefix, *command], cwd=ROOT, env={**os.environ, **CLIENT, "DISPLAY": display.name}, stdout=subprocess.DEVNULL
            )
            begin = time.monotonic()
            try:
                while (now := time.monotonic() - begin) < seconds:
                    if process.poll() is not None or server.failure:
                        return server.failure or f"the program ended with {process.returncode}"
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
    parser = Parser(prog="python -m benchmarks.soak", description="Watch the memory of tgsi-vtest while a program draws.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--every", type=float, default=EVERY, help=f"seconds from sample to sample ({EVERY:.0f})")
    parser.add_argument("--glmark2", action="store_true", help="the program is glmark2, scene after scene")
    parser.add_argument("--client", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--scene-seconds", type=float, default=3.0, help="seconds of a scene of glmark2 (3)")
    parser.add_argument("--size", default="320x240", metavar="WxH")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples to FILE")
    options = parser.parse_args(arguments)
    if options.client:
        draw_forever()
    missing = [program for program in ("Xvfb", "unshare", *["glmark2"] * options.glmark2) if shutil.which(program) is None]
    if missing := missing + ["moderngl"] * (not options.glmark2 and find_spec("moderngl") is None):
        print(f"soak: not installed: {', '.join(missing)}", file=sys.stderr)
        return 2
    print("\t".join(_COLUMNS), flush=True)
    rows: list[tuple[float, ...]] = []
    command = program_of(options.glmark2, options.scene_seconds, options.size)
    ended = soak(command, 60 * options.minutes, options.every, options.size, rows)
    if options.json is not None:
        options.json.write_text(json.dumps({"columns": _COLUMNS, "rows": rows, "ended": ended}) + "\n")
    if ended:
        print(f"soak: {ended}", file=sys.stderr)
        return 1
    grown = {name: growth(samples) for name, samples in zip(_COLUMNS[1:], list(zip(*rows))[1:])}
    print(", ".join(f"{name} {100 * share:+.1f} %" for name, share in grown.items()))
    return int(max(share for name, share in grown.items() if name != "program") > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
