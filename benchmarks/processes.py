"""Starts a side in its own process (see serve.py) and talks to it; a silent or dead process is an answer like any other."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 180.0  # seconds until a silent process counts as hung


class SideDied(Exception):
    """The process ended, or did not answer in time. The message says which."""


class SideFailed(Exception):
    """The process answered with an error."""


class SideProcess:
    """One side behind two pipes."""

    def __init__(self, name: str, arguments: list[str], environment: dict[str, str], *, module: str = "benchmarks.serve") -> None:
        self.name = name
        self._command = [sys.executable, "-m", module, *arguments]
        self._environment = os.environ | environment
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Send a message and return its answer; starts the process where there is none.

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
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self._environment, cwd=ROOT
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
