"""Whole OpenGL programs as sides of the comparison through virpipe: each round is a run of a program that reports its own frame time.

The programs belong to others and run where they are installed. A program that is not there is named and left out.
"""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.glmark import PATIENCE, SAMPLING, processors_busy
from benchmarks.processes import SideDied, SideFailed

_PAGES = Path(__file__).with_name("pages")
_ARENA_DATA = Path("/usr/share/games/openarena/baseoa")
_DEMO, _DEMO_BYTES = "demos/demo088-test1.dm_71", 60_000
_PIGLIT = Path("/usr/lib/x86_64-linux-gnu/piglit/bin/tex-miplevel-selection")
_PIGLIT_DRAWS = 58212
_FRAMES = re.compile(r"(\d+) frames (?:in )?([\d.]+) seconds")
_BROWSER = [
    *("chromium", "--headless", "--no-sandbox", "--disable-gpu-sandbox", "--ignore-gpu-blocklist", "--disable-gpu-watchdog"),
    *("--use-gl=angle", "--use-angle=gl-egl", "--disable-gpu-shader-disk-cache", "--no-proxy-server", "--disable-background-networking"),
    *("--disable-sync", "--disable-component-update", "--no-first-run"),
]
_ARENA = {
    "timedemo": 1,
    "nextdemo": "quit",
    "s_initsound": 0,
    "net_enabled": 0,
    "com_introplayed": 1,
    "com_maxfps": 0,
    "com_hunkmegs": 512,
    "r_fullscreen": 0,
    "r_mode": -1,
    "r_customwidth": 800,
    "r_customheight": 600,
    "r_swapInterval": 0,
    "cl_renderer": "opengl1",
}


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a program: seconds a frame, and seconds to the first frame if the program tells them."""

    frame: float
    first: float = 0.0


Start = Callable[..., str]
"""Run a command with further variables and return its output: start(words, environment, until=event)."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program. needs: what has to be installed, by name, and whether it is. show(start, folder, seconds): runs it."""

    what: str
    needs: Callable[[], Mapping[str, bool]]
    show: Callable[[Start, Path, float], Run]

    def missing(self) -> list[str]:
        """Names of the packages that are not installed."""
        return [name for name, is_there in self.needs().items() if not is_there]


def frames_told(output: str) -> float:
    """Seconds a frame, as "N frames in S seconds" tells them. Raises SideFailed with the end of the output."""
    found = _FRAMES.search(output)
    if found is None or not int(found[1]):
        raise SideFailed(f"the program gave no time: {' / '.join(output.strip().splitlines()[-3:])[-300:]}")
    return float(found[2]) / int(found[1])


def shortened(demo: bytes, size: int) -> bytes:
    """The first messages of a demo of OpenArena, at most `size` bytes of them, and its end mark.

    A message is a sequence number and a length, both 32-bit, and its bytes.
    """
    at = 0
    while at + 8 <= len(demo):
        length = struct.unpack_from("<i", demo, at + 4)[0]
        if length < 0 or at + 8 + length > min(size, len(demo)):
            break
        at += 8 + length
    return demo[:at] + struct.pack("<2i", -1, -1)


def _arena_demo() -> bytes | None:
    for pack in sorted(_ARENA_DATA.glob("*.pk3")):
        with zipfile.ZipFile(pack) as files:
            if _DEMO in files.namelist():
                return files.read(_DEMO)
    return None


def arena(folder: Path, settings: Mapping[str, object] | None = None) -> list[str]:
    """Words that start OpenArena with a home in a folder, which gets the demo `short`; `demo short` in its console shows it.

    settings: variables of its console, besides and instead of those of the benchmark.
    """
    demo = _arena_demo()
    assert demo is not None
    place = folder / "baseoa" / "demos" / "short.dm_71"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(shortened(demo, _DEMO_BYTES))
    variables = {"fs_homepath": folder} | _ARENA | dict(settings or {})
    return ["/usr/games/openarena", *(word for name, value in variables.items() for word in ("+set", name, str(value)))]


def _show_arena(start: Start, folder: Path, seconds: float) -> Run:
    return Run(frames_told(start([*arena(folder), "+demo", "short"], {"HOME": str(folder)})))


def _show_scene(start: Start, folder: Path, seconds: float) -> Run:
    scene = folder / "scene.qml"
    scene.write_text((_PAGES / "scene.qml").read_text().replace("SECONDS  // replaced", f"{seconds}"))
    variables = {"QT_QPA_PLATFORM": "xcb", "QT_XCB_GL_INTEGRATION": "xcb_glx", "QSG_RENDER_LOOP": "basic"}
    variables |= {"QT_LOGGING_RULES": "qml.debug=true", "QT_LOGGING_TO_CONSOLE": "1", "HOME": str(folder)}
    return Run(frames_told(start(["qmlscene", str(scene)], variables)))


def _three() -> Path:
    return Path(os.environ.get("THREE", "node_modules/three/build/three.module.js"))


def _show_meshes(start: Start, folder: Path, seconds: float) -> Run:
    done, told = threading.Event(), dict[str, Any]()
    pages = {"/": _PAGES / "meshes.html", "/three.module.js": _three()}
    parts = {f"/{file.name}" for file in _three().parent.glob("*.js")}  # newer versions have more than one

    class Answers(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def _answer(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            name = self.path.partition("?")[0]
            page = pages.get(name)
            if page is None and name in parts:
                page = _three().with_name(name[1:])
            data = page.read_bytes() if page is not None else b""
            self._answer(data, "text/javascript" if self.path.endswith(".js") else "text/html")

        def do_POST(self) -> None:
            told.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._answer(b"", "text/plain")
            done.set()

    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as web,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
    ):
        threading.Thread(target=web.serve_forever, daemon=True).start()
        page = f"http://127.0.0.1:{web.server_address[1]}/?{seconds}"
        output = start([*_BROWSER, f"--user-data-dir={profile}", page], {"HOME": profile}, until=done)
        web.shutdown()
    if not told:
        raise SideFailed(f"the page told nothing: {output[-300:]}")
    if "error" in told:
        raise SideFailed(f"the page: {told['error']}")
    return Run(told["seconds"] / told["frames"], told["first"])


def _show_levels(start: Start, folder: Path, seconds: float) -> Run:
    begin = time.monotonic()
    output = start([str(_PIGLIT), "GL2:texture()", "2D", "-auto", "-fbo"], {})
    if f"{_PIGLIT_DRAWS}/{_PIGLIT_DRAWS} passed" not in output:
        raise SideFailed(f"the test does not pass: {output.strip()[-300:]}")
    return Run(time.monotonic() - begin)


PROGRAMS: dict[str, Program] = {
    "openarena": Program(
        f"the first {_DEMO_BYTES} bytes of OpenArena's demo, 800 x 600, OpenGL 1 renderer",
        lambda: {"openarena": shutil.which("openarena", path="/usr/games") is not None, _DEMO: _arena_demo() is not None},
        _show_arena,
    ),
    "three": Program(
        "a page of three.js with 120 meshes, in Chromium",
        lambda: {"chromium": shutil.which("chromium") is not None, f"three.js ({_three()}, or where THREE says)": _three().is_file()},
        _show_meshes,
    ),
    "quick": Program(
        "a scene of Qt Quick with 150 rectangles, text, clips and a blur",
        lambda: {"qmlscene, qml-module-qtquick2, -window2, -qtgraphicaleffects": shutil.which("qmlscene") is not None},
        _show_scene,
    ),
    "miplevels": Program(
        f"piglit's tex-miplevel-selection: {_PIGLIT_DRAWS} draws, each read back", lambda: {"piglit": _PIGLIT.is_file()}, _show_levels
    ),
}
"""Programs by name."""


class Programs:
    """Side that runs a program for each round; see `Glmark` for the arguments. Processor time is the server's alone."""

    def __init__(self, name: str, prefix: Sequence[str], environment: Mapping[str, str], *, cpu: Callable[[], float]) -> None:
        self.name = name
        self._prefix, self._environment, self._cpu = [*prefix], {**os.environ, **environment}, cpu
        self._program = next(iter(PROGRAMS.values()))

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Answer a message as `benchmarks.serve` does.

        Raises:
            SideFailed: the program tells no time, or a wrong result.
            SideDied: the program does not end.
        """
        if do == "prepare":
            self._program = PROGRAMS[fields["name"]]
            run, _ = self._show(0.5)
            return {"first": run.first or run.frame}
        if do == "round":
            run, busy = self._show(fields["budget"])
            return {"wall": [run.frame], "cpu": [busy * run.frame]}
        return {}

    def _show(self, seconds: float) -> tuple[Run, float]:
        """One run, and the number of processors that the server kept busy in the latter half of it."""
        used: list[tuple[float, float]] = []

        def start(words: Sequence[str], environment: Mapping[str, str], until: threading.Event | None = None) -> str:
            with tempfile.TemporaryFile("w+") as log:
                process = subprocess.Popen(
                    [*self._prefix, *words], env={**self._environment, **environment}, stdout=log, stderr=log, start_new_session=True
                )
                end = time.monotonic() + 2 * PATIENCE + seconds  # games load for long
                try:
                    while process.poll() is None and not (until is not None and until.is_set()):
                        used.append((time.monotonic(), self._cpu()))
                        if time.monotonic() > end:
                            raise SideDied(f"{self.name}: {words[0]} did not end within {2 * PATIENCE + seconds:.0f} seconds")
                        time.sleep(SAMPLING)
                finally:
                    if process.poll() is None:
                        os.killpg(process.pid, signal.SIGKILL)  # the program's own group: programs start others
                        process.wait()
                log.seek(0)
                return log.read()

        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            run = self._program.show(start, Path(folder), seconds)
        return run, processors_busy(used, used[-1][0] - used[0][0] if used else 0.0)
