"""Plugin of pytest for a copy of the tree: each test has a time limit, and objects of LLVM are kept from fault to fault.

An object depends on nothing but the text of its module, the target and the effort, so a fault in a generator gets an object of its own.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

TEST, OBJECTS = "PLANTED_TEST", "PLANTED_OBJECTS"
"""Variables: the file for the name of the test that runs, and the folder of objects; without the second one nothing is kept."""
PROCESSOR, WAITING = 120, 900
"""Seconds of a test: processor time, which does not depend on other work, and time until a deadlock ends."""

Generate = Callable[[str, str], tuple[bytes, dict[str, float]]]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid: str) -> None:
    """Note the test that begins, and limit its time: the process ends."""
    Path(os.environ[TEST]).write_text(nodeid, encoding="utf-8")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(usage.ru_utime + usage.ru_stime) + PROCESSOR, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    faulthandler.dump_traceback_later(WAITING, exit=True)
    codegen: Any = sys.modules.get("backends.llvm.engine.codegen")
    if codegen is not None and OBJECTS in os.environ and codegen.generate.__name__ == "generate":
        codegen.generate = kept(codegen.generate, Path(os.environ[OBJECTS]))


def pytest_sessionfinish() -> None:
    """Let the process end."""
    faulthandler.cancel_dump_traceback_later()


def kept(generate: Generate, folder: Path) -> Generate:
    """A generator of objects that looks for an object in a folder first."""
    from backends.llvm.engine import opt_level

    def found(text: str, cpu: str) -> tuple[bytes, dict[str, float]]:
        path = folder / sha256(f"{cpu} {opt_level.DEFAULT}\n{text}".encode()).hexdigest()
        if path.exists():
            times, _, image = path.read_bytes().partition(b"\n")
            return image, json.loads(times)
        image, measured = generate(text, cpu)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_bytes(json.dumps(measured).encode() + b"\n" + image)
        part.replace(path)
        return image, measured

    return found
