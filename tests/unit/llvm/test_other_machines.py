"""The executor, the native entries and the reader of a client's commands are made for other machines, too."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from backends.entries.catalog import build_entries, build_observed_entries
from backends.entries.names import ENTRIES, RECORDED
from backends.llvm.builder.module import Module
from backends.llvm.engine.artifact import generate_artifact
from backends.software.commands.catalog import build_commands
from backends.software.commands.executor import _EXPORTS
from backends.software.reading.read import build_reading

SLOT = 64  # byte offset in a context; any place does
ELF, ARM, RISCV = b"\x7fELF", 183, 243
MODULES: dict[str, tuple[Callable[[Module], None], tuple[str, ...]]] = {
    "commands": (build_commands, _EXPORTS),
    "entries": (lambda module: build_entries(module, SLOT), ENTRIES),
    "observed entries": (lambda module: build_observed_entries(module, SLOT), RECORDED),
    "reading": (build_reading, ("read",)),
}


def made(name: str, cpu: str) -> Module:
    module = Module(name, cpu)
    MODULES[name][0](module)
    return module


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize(("cpu", "machine"), [("aarch64-linux-gnu", ARM), ("riscv64-linux-gnu", RISCV)])
def test_modules_become_objects_of_other_machines(name: str, cpu: str, machine: int) -> None:
    assert "llvm.x86" not in made(name, cpu).text()
    data = generate_artifact(lambda: made(name, cpu), "obj", cpu=cpu).data
    assert isinstance(data, bytes)
    assert data[:4] == ELF
    assert int.from_bytes(data[18:20], "little") == machine
    assert all(export.encode() + b"\0" in data for export in MODULES[name][1])
