"""A server in a separate process, and its output."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")
_COMMAND = "import sys; from tgsi.tools.vtest.cli import main; sys.exit(main())"


class Live:
    """A running server.

    Attributes: lines: its output so far.
    """

    def __init__(self, path: Path, *options: str, before: str = "") -> None:
        """before: Python text that runs ahead of the command."""
        self.path, self.lines = path, list[str]()
        command = [sys.executable, "-c", f"{before}\n{_COMMAND}", "--socket", str(path), "--threads", "0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.wait_for("ready at")

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip())

    def connect(self) -> socket.socket:
        """A connection that has said nothing yet."""
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(30)
        made.connect(str(self.path))
        return made

    def children(self) -> list[int]:
        """Processes of clients, those that have ended and were not reaped as well."""
        pid = self.process.pid
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def wait_for(self, text: str) -> str:
        """Wait for a line with a text."""
        return wait_until(lambda: next((line for line in self.lines if text in line), ""), f"{text!r} in {self.lines}")

    def stop(self) -> None:
        """End the server."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(20)
        assert self.process.stderr is not None
        self.process.stderr.close()


def wait_until(ask: Callable[[], _T], what: str, seconds: float = 60, every: float = 0.01) -> _T:
    """Wait until an answer is true, and return it. every: seconds between two questions."""
    until = time.monotonic() + seconds
    while not (answer := ask()):
        if time.monotonic() > until:
            raise AssertionError(f"it did not come: {what}")
        time.sleep(every)
    return answer


@contextlib.contextmanager
def running(path: Path, *options: str, before: str = "") -> Iterator[Live]:
    """A server for the time of a block."""
    server = Live(path, *options, before=before)
    try:
        yield server
    finally:
        server.stop()
