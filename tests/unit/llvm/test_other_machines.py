"""The executor, the native entries, the reader of a client's commands and the rasterizer are made for other machines, too."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from backends.device.blit_key import BlitKey
from backends.entries.catalog import build_entries
from backends.entries.names import ENTRIES
from backends.formats import Format
from backends.llvm.builder.module import Module
from backends.llvm.engine.artifact import generate_artifact
from backends.pipe.enums import ColorMask
from backends.raster.blits import build_blit
from backends.raster.control.scheduler import build_scheduler
from backends.raster.front.frontend import build_front_end
from backends.raster.tile.walk import build_tile_walk
from backends.software.commands.catalog import build_commands
from backends.software.commands.functions import EXPORTS
from backends.software.reading.read import build_reading

ROOT = Path(__file__).parents[3]
INTRINSIC = re.compile(r"llvm\.(x86|aarch64)\.")


def build_rasterizer(module: Module) -> None:
    build_tile_walk(module)
    build_front_end(8, module)
    build_scheduler(module)


SLOT = 64  # byte offset in a context; any place does
BLIT = BlitKey(Format.R8G8B8A8_UNORM, Format.R8G8B8A8_UNORM, (True, True, True), ColorMask.RGBA)
ELF, ARM, RISCV = b"\x7fELF", 183, 243
MODULES: dict[str, tuple[Callable[[Module], None], tuple[str, ...]]] = {
    "commands": (build_commands, EXPORTS),
    "entries": (lambda module: build_entries(module, SLOT), ENTRIES),
    "observed entries": (lambda module: build_entries(module, SLOT, records=True), ENTRIES),
    "reading": (build_reading, ("read",)),
    "rasterizer": (build_rasterizer, ("flush", "run_ahead", "finish", "worker")),
    "blit": (lambda module: build_blit(BLIT, 8, module), ("blit",)),
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


def test_only_the_builder_names_instructions_of_a_processor() -> None:
    files = {path for folder in ("backends", "passes", "tgsi") for path in (ROOT / folder).rglob("*.py")}
    found = {path.relative_to(ROOT).parent.as_posix() for path in files if INTRINSIC.search(path.read_text(encoding="utf-8"))}
    assert found == {"backends/llvm/builder"}
