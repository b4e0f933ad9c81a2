"""Compiled kernels of a process: in memory by key, below that in the cache on disk. All contexts of a target machine share one cache.

A key names the kernel and everything that its text depends on besides the generator's source: variant, lanes, the text of a program, and
`layout_digest` of the records that it reads (backends.abi.records). Equal keys are the same kernel, in memory and on disk. A request
contains the function that writes the kernel, so this module imports no generator.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from backends.llvm.engine import ready_made
from backends.llvm.engine.engine import Library, compile_cached
from backends.llvm.engine.object_cache import Cache, recall_host, recall_sources
from backends.llvm.engine.variants import VariantCache
from backends.llvm.targets.machines import native_lanes
from tgsi.language._collector import collector_paused
from tgsi.language._forks import freed_after_fork
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.llvm.builder.module import Module

MAX_CODE = 64 << 20
"""Most bytes of unused machine code in memory."""

Key = tuple[Hashable, ...]


@record
class _Request:
    """Request for a kernel: its key, its functions, and the function that writes its module.

    of_program: the module is generated from a program. Kernels of no program may be ready-made (`engine.ready_made`).
    """

    key: Key
    exports: Sequence[str] = field(compare=False)
    make: Callable[[], Module] = field(compare=False)
    of_program: bool = field(compare=False)
    hash: int = field(compare=False)  # hash of the key, which is large and looked up several times

    def __hash__(self) -> int:
        return self.hash


class KernelCache:
    """Kernels for one target machine. A missing kernel is built once, while other threads that request it wait.

    Above `MAX_CODE` bytes the least recently used kernels are dropped, so the caller of a kernel must keep its Library alive.

    Attributes:
        note: called with true when the compilation of a kernel begins, and with false when it ends.
    """

    def __init__(self, cpu: str, cache: Cache = None) -> None:
        """Start with no kernels. cpu: "host" or an x86-64 level. cache: the cache on disk; None for the default one, False for none."""
        self.cpu, self.cache, self.native = cpu, cache, native_lanes(cpu)
        self._kept: dict[Key, Library] = {}
        self.note: Callable[[bool], None] | None = None
        self.compiled = self.compile_ns = 0  # compiled kernels, and the nanoseconds spent on them
        self.loaded = 0  # kernels from the disk cache
        self._variants = VariantCache[_Request, Library](self._compile, max_weight=MAX_CODE, weight=lambda library: len(library.image))

    def __len__(self) -> int:
        return len(self._variants)

    def counts(self) -> dict[str, Any]:
        """Running totals of the process, by the names of their counters."""
        return {"kernels_compiled": self.compiled, "compile_ns": self.compile_ns, "kernels_loaded": self.loaded}

    def get(self, key: Key, exports: Sequence[str], make: Callable[[], Module], of_program: bool = True) -> Library:
        """Library with the functions `exports` of the module of `key`. `make` builds a module that is neither in memory nor on disk.

        of_program: the module is generated from a program, whose text is a part of the key.

        Raises the errors of `make` (UnsupportedError for programs that a generator does not support).
        """
        return self._variants.get(_Request(key, exports, make, of_program, hash(key)))

    def keep(self, key: Key, exports: Sequence[str], write: Callable[[Module], None]) -> Library:
        """Library of a kernel without a program that is never dropped, for kernels with few variants. `write` fills an empty module."""
        library = self._kept.get(key)
        if library is None:
            library = self._kept[key] = self.get(key, exports, self.module(key, write), of_program=False)
        return library

    def module(self, key: Key, write: Callable[[Module], None]) -> Callable[[], Module]:
        """Function that creates a module, named by the first element of `key`, and lets `write` fill it."""

        def make() -> Module:
            from backends.llvm.builder.module import Module  # imported only if the disk cache misses

            module = Module(str(key[0]), self.cpu)
            write(module)
            return module

        return make

    def _compile(self, request: _Request) -> Library:
        begin, compiled, note = time.perf_counter_ns(), [], self.note

        def make() -> Module:
            compiled.append(request.key)
            if note is not None:
                note(True)
            return request.make()

        try:
            with collector_paused(promote=False):
                library = compile_cached(
                    request.key, make, exports=request.exports, cpu=self.cpu, cache=self.cache, of_program=request.of_program
                )
        finally:
            if compiled and note is not None:
                note(False)
        with _lock:
            if compiled:
                self.compiled, self.compile_ns = self.compiled + 1, self.compile_ns + time.perf_counter_ns() - begin
            else:
                self.loaded += 1
        return library


_shared: dict[tuple[str, str], KernelCache] = {}
_lock = freed_after_fork(threading.Lock())


def kernels_for(cpu: str, cache: Cache = None) -> KernelCache:
    """Kernels of this process for a target machine and a cache on disk (None: the default one; False: none)."""
    key = (cpu, str(cache))
    with _lock:
        if key not in _shared:
            ready_made.recall_sources()
            recall_sources(cache)
            recall_host(cache)
            _shared[key] = KernelCache(cpu, cache)
        return _shared[key]
