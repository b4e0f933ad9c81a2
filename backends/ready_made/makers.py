"""Requests for kernels of the list: from the names and arguments of their keys to the code that draws request them from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from backends.entries.install import entries_library
from backends.geometry.kernels import StreamKernels
from backends.geometry.mesh.kernels import gather_kernel
from backends.geometry.tessellation.patches import rows_kernel, tessellator_kernel
from backends.llvm.engine.engine import Library, build_shared
from backends.llvm.engine.kernel_cache import KernelCache, Key
from backends.llvm.library.polling import make_watch
from backends.raster.kernels import Kernels
from backends.raster.tile.fragment import NO_FRAGMENTS
from backends.raster.tile.lists import run_rows
from backends.ready_made.rows import Row
from backends.software.commands.functions import Functions
from backends.software.reading.entry import reader_entry

if TYPE_CHECKING:
    from backends.llvm.builder.module import Module

SHARED = "shared"
"""Name of the functions that kernels of programs call; their argument is a symbol."""


class Captured(Exception):
    """A request for a kernel, instead of the kernel."""

    def __init__(self, key: Key, make: Callable[[], Module]) -> None:
        self.key, self.make = key, make


class CapturingCache(KernelCache):
    """Kernels that are not made: each request raises Captured."""

    def get(self, key: Key, exports: Sequence[str], make: Callable[[], Module], of_program: bool = True) -> Library:
        """Raise Captured."""
        raise Captured(key, make)


def _shared(symbol: str, cpu: str) -> Module:
    module = build_shared(symbol, cpu)
    if module is None:
        raise ValueError(f"{symbol[:40]} is not a shared function; python -m tests.ready_made records the list again")
    return module


def request(row: Row, cpu: str) -> tuple[Key, Callable[[], Module]] | None:
    """Key of a kernel, and the function that builds its module for a target machine. None: this system requests no such kernel."""
    if row.name == SHARED:
        symbol = str(row.arguments[0])
        return (SHARED, symbol), lambda: _shared(symbol, cpu)
    try:
        MAKERS[row.name](CapturingCache(cpu), *row.arguments)
    except Captured as captured:
        return captured.key, captured.make
    return None


def _coverage(cache: KernelCache, lanes: int, quads: Any, *rest: Any) -> None:
    packs, rows = rest if len(rest) == 2 else (False, rest[0])
    is_conservative, samples = quads == "conservative", None if isinstance(rows, int) else rows
    has_loops = samples is None and rows != run_rows(lanes, False)
    Kernels(cache).coverage(lanes, not is_conservative and quads, has_loops, samples, packs=packs, is_conservative=is_conservative)


MAKERS: Mapping[str, Callable[..., object]] = {
    "blit": lambda cache, *key: Kernels(cache).blit(*key),
    "commands": Functions,
    "common": lambda cache, *key: Kernels(cache).common(*key),
    "copy": lambda cache: Kernels(cache).copy(),
    "coverage": _coverage,
    "entries": entries_library,
    "expand": lambda cache, *key: Kernels(cache).expand(*key),
    "fetch": lambda cache, *key: Kernels(cache).fetch(*key),
    "fetch_floats": lambda cache, lanes: Kernels(cache).fetch((), lanes),
    "gather": lambda cache, lanes: StreamKernels(cache).gather(),
    "gather_groups": gather_kernel,
    "patch_rows": rows_kernel,
    "place": lambda cache: Kernels(cache).place(),
    "poll": make_watch,
    "reading": lambda cache: reader_entry(cache, "read"),
    "resolve": lambda cache, *key: Kernels(cache).resolve(*key),
    "setup": lambda cache, *key: Kernels(cache).setup(*key),
    "shade": lambda cache, key, _: Kernels(cache).shade(key, NO_FRAGMENTS, None),
    "shade_vertices": lambda cache, *key: Kernels(cache).shade_vertices(*key),
    "stream_output": lambda cache, lanes: StreamKernels(cache).output(),
    "stream_vertices": lambda cache, lanes: StreamKernels(cache).vertex(lanes),
    "tessellator": tessellator_kernel,
}
