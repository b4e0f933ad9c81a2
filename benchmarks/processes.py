"""Processes of the sides (see serve.py). A process that dies or does not answer raises an exception and is restarted."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 600.0  # seconds after which a silent process counts as hung


TICKS = os.sysconf("SC_CLK_TCK")  # units of processor time in a second


def processor_time(pid: int) -> float:
    """Seconds of processor time of a process and of its children, living and ended."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = file.read_text().rpartition(")")[2].split()
        except OSError:  # a process that ended meanwhile
            continue
        if int(file.parent.name) == pid:
            ticks += sum(map(int, words[11:15]))
        elif int(words[1]) == pid:
            ticks += sum(map(int, words[11:13]))
    return ticks / TICKS


class SideDied(Exception):
    """Process that ended or did not answer in time, as the message says."""


class SideFailed(Exception):
    """Process that answered with an error."""


class SideProcess:
    """Process of one side, connected by two pipes.

    `prefix`: words of a command that runs another command. `root`: the checkout whose code runs.
    """

    def __init__(
        self,
        name: str,
        arguments: list[str],
        environment: dict[str, str],
        *,
        module: str = "benchmarks.serve",
        prefix: Sequence[str] = (),
        root: Path = ROOT,
    ) -> None:
        self.name = name
        self._root = root
        self._command = [*prefix, sys.executable, "-m", module, *arguments]
        self._environment = os.environ | environment
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Send a message and return its answer. Starts the process if it is not running.

        Raises:
            SideFailed: the side reports an error.
            SideDied: the process is gone. The next call starts a new one.
        """
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"do": do, **fields}) + "\n")
            process.stdin.flush()
            with selectors.DefaultSelector() as selector:
                selector.register(process.stdout, selectors.EVENT_READ)
                if not selector.select(PATIENCE + fields.get("budget", 0.0)):
                    process.kill()
                    raise SideDied(f"{self.name} was silent for {PATIENCE:.0f} seconds")
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        except SideDied:
            self._reap()
            raise
        if not line:
            raise SideDied(f"{self.name} ended with status {self._reap()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise SideFailed(answer["error"])
        return answer

    def close(self) -> None:
        """End the process."""
        if self._process is None:
            return
        with suppress(SideDied, SideFailed):
            self.ask("close")
        self._reap()

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self._environment, cwd=self._root
        )
        return self._process

    def _reap(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        try:
            return process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()
