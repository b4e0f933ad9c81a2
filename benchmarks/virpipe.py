"""OpenGL programs through Mesa's virpipe driver: tgsi-vtest against virgl_test_server over llvmpipe, by turns.

    python -m benchmarks.virpipe [--only a,b] [--json FILE] [--budget S] [--rounds N] [--threads N] [--size WxH] [--cpu LEVEL] [--list]

The programs are the scenes of glmark2 (`glmark`), whole programs (`programs`; those that are not installed are named and left out), and
the peer's side of the workloads that make many draws: the same moderngl program on both servers. Needs Mesa 22's virpipe, virgl-server,
glmark2-x11, Xvfb, moderngl, and the right to mount (`unshare -m`), because this Mesa knows only one path of the socket. Servers listen on
unix sockets, the page of `three` on the loopback device.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.catalog import WORKLOADS, Workload
from benchmarks.glmark import SCENES, Display, Glmark
from benchmarks.levels import LEVEL_WIDTHS, own_variables, width_variables
from benchmarks.measure import Asked, Result, run_workload
from benchmarks.processes import ROOT, SideProcess, processor_time
from benchmarks.programs import PROGRAMS as WHOLE
from benchmarks.programs import Programs
from benchmarks.report import HEADER, row
from tgsi.tools.parsing import Parser
from tgsi.tools.vtest.launch.known_path import KnownPath

KNOWN_SOCKET = Path("/tmp/.virgl_test")  # the one path that Mesa 22 connects to
DRAWS = tuple(name for name in WORKLOADS if name.startswith("draw_") and name != "draw_many")
PROGRAMS = ("glmark2", "Xvfb", "virgl_test_server", "unshare")
CLIENT = {"GALLIUM_DRIVER": "virpipe", "LIBGL_ALWAYS_SOFTWARE": "1", "MESA_SHADER_CACHE_DISABLE": "true"}


class Server:
    """Server of the vtest protocol on a socket of its own; a context manager that ends it.

    Args:
        name: of the side.
        command: words of the command.
        socket: path of the socket that the command opens.
        environment: variables of the server, in addition to those of this process.
    """

    def __init__(self, name: str, command: Sequence[str], socket: Path, environment: dict[str, str]) -> None:
        self.name, self.socket = name, socket
        self._known = KnownPath(KNOWN_SOCKET, socket)
        self.prefix = ["unshare", "-m", "sh", "-c", f'mount --bind "{socket}" {KNOWN_SOCKET} && exec "$@"', "sh"]
        self._log = socket.with_suffix(".log")
        with self._log.open("w") as log:
            self._process = subprocess.Popen(command, env=os.environ | environment, stdout=log, stderr=log, cwd=ROOT)
        end = time.monotonic() + 60
        while not socket.exists() or not stat.S_ISSOCK(socket.stat().st_mode):
            if self._process.poll() is not None or time.monotonic() > end:
                self._end()
                raise RuntimeError(f"{name} did not start: {self._said()}")
            time.sleep(0.05)
        self._known.claim()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end()

    @property
    def pid(self) -> int:
        """Number of the server's process."""
        return self._process.pid

    @property
    def failure(self) -> str:
        """Reason why clients cannot reach the server any more, "" if they can."""
        if (code := self._process.poll()) is not None:
            how = f"signal {-code} ({signal.strsignal(-code)})" if code < 0 else f"exit code {code}"
            return f"it ended with {how}; it said: {self._said()}"
        return "" if self.socket.exists() else f"its socket is gone: {self.socket}; it said: {self._said()}"

    def restored(self) -> bool:
        """Make the path again over which clients mount the socket, if another server has removed it: virgl_test_server does when it starts.

        Returns whether it was gone: what ran last may not have reached this server.
        """
        if self._known.path.exists():
            return False
        self._known.release()
        self._known.claim()
        return True

    def _said(self) -> str:
        return self._log.read_text().strip()[-500:] if self._log.exists() else "nothing that was kept"

    def _end(self) -> None:
        self._known.release()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def cpu(self) -> float:
        """Seconds of processor time of the server and of the processes that it made for its clients, living and ended."""
        return processor_time(self.pid)


class ThroughServer(SideProcess):
    """The peer's side of a workload whose draws go through a server. Its processor time includes the server's."""

    def __init__(self, server: Server) -> None:
        super().__init__(server.name, ["peer"], CLIENT, prefix=server.prefix)
        self._server = server

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        before = self._server.cpu()
        answer = super().ask(do, **fields)
        if "cpu" in answer:
            answer["cpu"] = [(sum(answer["cpu"]) + self._server.cpu() - before) / len(answer["cpu"])]
        return answer


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser(prog="python -m benchmarks.virpipe", description="Measure tgsi-vtest against virgl_test_server.")
    parser.add_argument("--only", help="names of scenes and workloads, separated by commas; `bump` stands for all that begin with bump")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to FILE")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds per side and name (default 10)")
    parser.add_argument("--rounds", type=int, default=5, help="turns into which the budget is divided (default 5)")
    parser.add_argument("--threads", type=int, help="native workers of tgsi-vtest in addition to its main thread (default: CPUs - 1)")
    parser.add_argument("--size", default="800x600", metavar="WxH", help="size of glmark2's frames (default 800x600)")
    parser.add_argument("--cpu", choices=LEVEL_WIDTHS, help="a level of x86-64 that limits both servers (default: what the machine has)")
    parser.add_argument("--list", action="store_true", help="name the scenes and workloads")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or options.budget <= 0:
        parser.error("--rounds and --budget: at least one round, and more than no time")
    known = [*DRAWS, *SCENES, *WHOLE]
    wanted = options.only.split(",") if options.only else known
    if unknown := [w for w in wanted if not any(name.startswith(w) for name in known)]:
        parser.error(f"--only: nothing begins with {', '.join(unknown)}; --list names all")
    options.names = [name for name in known if any(name == w or name.startswith(f"{w}-") for w in wanted)]
    return options


def start_servers(folder: Path, threads: int | None, cpu: str | None, stack: ExitStack) -> list[Server]:
    """Start tgsi-vtest and virgl_test_server, each with an empty cache of compiled shaders in the folder, limited to a level."""
    caches = [folder / "ours-cache", folder / "peer-cache"]
    for cache in caches:
        cache.mkdir()
    ours, peer = folder / "ours.sock", folder / "peer.sock"
    command = [sys.executable, "-m", "tgsi.tools.vtest.cli", "--socket", str(ours)]
    command += [] if threads is None else ["--threads", str(threads)]
    theirs = ["virgl_test_server", "--use-egl-surfaceless", f"--socket-path={peer}"]
    llvmpipe = {"GALLIUM_DRIVER": "llvmpipe", "LIBGL_ALWAYS_SOFTWARE": "1", "MESA_SHADER_CACHE_DIR": str(caches[1])} | width_variables(cpu)
    return [
        stack.enter_context(Server("tgsi-vtest", command, ours, own_variables(cpu) | {"TGSI_CACHE_DIR": str(caches[0])})),
        stack.enter_context(Server("virgl_test_server", theirs, peer, llvmpipe)),
    ]


def measure(options: argparse.Namespace) -> Iterator[Result]:
    """Run the scenes and workloads, one after the other, on both servers by turns."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = start_servers(folder, options.threads, options.cpu, stack)
        display = stack.enter_context(Display(options.size))
        client = CLIENT | {"DISPLAY": display.name}
        scenes = [Glmark(s.name, s.prefix, client, size=options.size, cpu=s.cpu) for s in servers]
        whole = [Programs(s.name, s.prefix, client, cpu=s.cpu) for s in servers]
        programs = [stack.enter_context(ThroughServer(s)) for s in servers]
        for name in options.names:
            if name in WHOLE and (missing := WHOLE[name].missing()):
                print(f"{name:20} left out; not installed: {', '.join(missing)}", flush=True)
                continue
            sides: Sequence[Asked] = scenes if name in SCENES else whole if name in WHOLE else programs
            workload = WORKLOADS[name] if name in DRAWS else Workload(name, "frame/s", 1.0, None, description(name))
            yield run_workload(workload, sides[0], sides[1:], budget=options.budget, rounds=options.rounds)


def description(name: str) -> str:
    """A line about a scene, a program or a workload."""
    if name in WHOLE:
        return WHOLE[name].what
    return SCENES[name] if name in SCENES else WORKLOADS[name].what


def cpu_ratio(found: dict[str, Any]) -> float | None:
    """Processor time of a frame on their server, divided by that on ours."""
    ours, peer = found.get("ours_cpu_ms"), found.get("peer_cpu_ms")
    return round(peer / ours, 3) if ours and peer else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 if every scene and workload ran on both sides, otherwise 1."""
    options = parse_arguments(arguments)
    if options.list:
        for name in (*DRAWS, *SCENES, *WHOLE):
            print(f"{name:20} {description(name)}")
        return 0
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        print(f"virpipe: not installed: {', '.join(missing)}", file=sys.stderr)
        return 1
    print(f"tgsi-vtest against virgl_test_server over llvmpipe, load {os.getloadavg()[0]:.1f}\n\n{HEADER}  cpu", flush=True)
    out: dict[str, Any] = {"_run": {"cpus": os.cpu_count(), "load": os.getloadavg()[0], "size": options.size, "cpu": options.cpu}}
    for result in measure(options):
        found = out[result.workload.name] = result.as_json()
        found["cpu_ratio"] = cpu_ratio(found)
        print(f"{row(result)}  {found['cpu_ratio'] or '-'}", flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(out, indent=1) + "\n")
    return int(any(found.get("ratio") is None for name, found in out.items() if name != "_run"))


if __name__ == "__main__":
    sys.exit(main())
