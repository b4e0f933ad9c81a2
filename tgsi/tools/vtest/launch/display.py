"""An X server without a screen, for programs with windows on machines without a display."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import struct
import time
from pathlib import Path

from tgsi.language.record import record

START_SECONDS = 60.0
"""Longest time that Xvfb has to start."""

_END_SECONDS = 5.0
_WILD = 0xFFFF  # FamilyWild of authority files: the entry applies to every display


class NoDisplay(Exception):
    """No display exists, and Xvfb cannot be started. The message has the reason and a way out."""


@record(frozen=False)
class Display:
    """A running Xvfb.

    Attributes:
        variables: environment for programs that draw there.
    """

    pid: int
    variables: dict[str, str]

    @property
    def name(self) -> str:
        """Name of the display."""
        return self.variables["DISPLAY"]

    def end(self) -> None:
        """End it and remove its files. Only the process that started it may call this."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)
            until = time.monotonic() + _END_SECONDS
            while time.monotonic() < until:
                try:
                    if os.waitpid(self.pid, os.WNOHANG)[0]:
                        return
                except ChildProcessError:  # it was collected before
                    return
                time.sleep(0.01)


def start(folder: Path, size: str, marks: dict[str, str]) -> Display:
    """Start Xvfb on a free display number. Only users who may read `folder` can connect to it.

    size: width x height of the screen. marks: additional variables of its process. Raises NoDisplay.
    """
    program = shutil.which("Xvfb")
    if program is None:
        raise NoDisplay(
            "DISPLAY is not set, and Xvfb is not installed (Debian's package xvfb); use --headless for programs without windows"
        )
    authority, log = folder / "xauthority", folder / "xvfb.log"
    _write_authority(authority)
    reading, writing = os.pipe()
    try:
        with log.open("wb") as file:
            command = [program, "-displayfd", "3", "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset", "-auth", str(authority)]
            actions = [
                (os.POSIX_SPAWN_DUP2, file.fileno(), 1),
                (os.POSIX_SPAWN_DUP2, file.fileno(), 2),
                (os.POSIX_SPAWN_DUP2, writing, 3),
            ]
            # In a session of its own, so that Ctrl-C does not end it ahead of the programs.
            pid = os.posix_spawn(program, command, os.environ | marks, file_actions=actions, setsid=True, setsigmask=())
        os.close(writing)
        writing = -1
        display = Display(pid, {})
        number = _number(reading)
        if not number:
            display.end()
            said = log.read_text(errors="replace").strip().splitlines()
            raise NoDisplay(f"Xvfb did not start: {said[-1] if said else 'no message'} (--display-size {size})")
        display.variables = {"DISPLAY": f":{number}", "XAUTHORITY": str(authority)}
        return display
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)


def _number(reading: int) -> str:
    """The display number, which Xvfb writes when it is ready; "" if it ends before that."""
    said, until = b"", time.monotonic() + START_SECONDS
    while not said.endswith(b"\n") and (left := until - time.monotonic()) > 0:
        if not select.select([reading], [], [], left)[0] or not (more := os.read(reading, 64)):
            return ""
        said += more
    return said.decode().strip()


def _write_authority(path: Path) -> None:
    """Write an authority file with a new secret for all displays."""
    fields = (b"", b"", b"MIT-MAGIC-COOKIE-1", os.urandom(16))
    data = struct.pack(">H", _WILD) + b"".join(struct.pack(">H", len(field)) + field for field in fields)
    path.touch(0o600)
    path.write_bytes(data)
