"""The two servers of a comparison: tgsi-vtest and, as the reference, virgl_test_server over llvmpipe. Each has clients of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.glmark import Display
from benchmarks.virpipe import CLIENT, Server
from tests.piglit.outcomes import Ended, Start, Starter

SIDES = ("ours", "reference")
_NEEDS = {"ours": ("Xvfb", "unshare"), "reference": ("Xvfb", "unshare", "virgl_test_server")}
_SIZE = "1024x768"


def missing(side: str) -> list[str]:
    """Programs that a side needs and this machine lacks."""
    lacks = [program for program in _NEEDS[side] if shutil.which(program) is None]
    if not lacks and subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        lacks.append("the right to mount (unshare -m)")
    return lacks


@contextmanager
def served(side: str, log: Path | None = None) -> Iterator[Server]:
    """A running server. log: file for its output, of our server only."""
    with TemporaryDirectory(prefix="piglit-") as folder:
        socket = Path(folder) / "socket"
        if side == "ours":
            command = [sys.executable, "-m", "tgsi.tools.vtest.cli", "--socket", str(socket), "--threads", "0"]
            command += ["--log", str(log)] if log is not None else []
            variables = {"PYTHONDONTWRITEBYTECODE": ""}  # else clients compile imports again, half the time of a case
        else:
            command = ["virgl_test_server", "--use-egl-surfaceless", f"--socket-path={socket}"]
            variables = {"GALLIUM_DRIVER": "llvmpipe", "LIBGL_ALWAYS_SOFTWARE": "1", "LP_NUM_THREADS": "0"}
        with Server(side, command, socket, variables) as server:
            yield server


@contextmanager
def alone(side: str, log: Path | None = None) -> Iterator[Start]:
    """A starter of clients of a server of their own, so that its processor time is theirs."""
    with served(side, log) as server, started(server) as start:
        yield start


@contextmanager
def started(server: Server) -> Iterator[Start]:
    """A starter of clients of a server, with a display of its own. Raises RuntimeError with the cause if clients reach it no more."""
    with Display(_SIZE) as display:
        start = Starter(server.prefix, {**CLIENT, "DISPLAY": display.name}, server.cpu)

        def alive(words: Sequence[str], variables: Mapping[str, str], seconds: float) -> Ended:
            while True:
                ended = start(words, variables, seconds)
                if cause := server.failure:
                    said = f"the server {server.name} cannot be reached: {cause}; what ran last does not count: {' '.join(words)}"
                    raise RuntimeError(said)
                if not server.restored():
                    return ended

        yield alive
