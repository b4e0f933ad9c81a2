"""Compiled grid kernels: once a process for each target machine, below that in the cache on disk."""

from __future__ import annotations

import ctypes
import hashlib
import threading
from dataclasses import dataclass, field

from backends.abi.records import BufferRecord, SamplerRecord, ShaderEnv, TextureRecord
from backends.llvm.engine.engine import Library, compile_cached
from backends.llvm.engine.variants import VariantCache
from backends.llvm.kernels.grids import GridKey, GridRecord, build_grid_kernel
from backends.raster.kernels import Cache
from tgsi.language.program import Program

MAX_CODE = 64 << 20
"""Bytes of machine code that are kept without being in use."""

_RECORDS = (GridRecord, ShaderEnv, TextureRecord, SamplerRecord, BufferRecord)
LAYOUT = hashlib.sha256(repr([(n, getattr(r, n).offset) for r in _RECORDS for n, *_ in r._fields_]).encode()).hexdigest()
"""What kernels believe about memory: part of every key on disk."""

_EXPORTS = ("launch", "state_bytes")
_launch = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_size = ctypes.CFUNCTYPE(ctypes.c_int64)


class GridKernel:
    """A compiled kernel. `launch(address)` works on the GridRecord there, without the interpreter's lock."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.launch = _launch(library.address["launch"])
        self.state_bytes = int(_size(library.address["state_bytes"])())


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Programs with one canonical text are one."""

    text: str
    key: GridKey
    program: Program = field(compare=False)


class GridKernels:
    """The kernels for one target machine; each missing one is built once, and the least recently used are forgotten."""

    def __init__(self, cpu: str, cache: Cache = None) -> None:
        self.cpu, self.cache = cpu, cache
        self._variants = VariantCache[_Wanted, GridKernel](self._make, max_weight=MAX_CODE, weight=lambda k: len(k.library.image))

    def get(self, program: Program, key: GridKey) -> GridKernel:
        """The kernel of a program. UnsupportedError for what the generator does not build."""
        return self._variants.get(_Wanted(program.text, key, program))

    def _make(self, wanted: _Wanted) -> GridKernel:
        parts = ("grid", wanted.text, wanted.key, LAYOUT)
        program, key = wanted.program, wanted.key
        library = compile_cached(parts, lambda: build_grid_kernel(program, key, self.cpu), exports=_EXPORTS, cpu=self.cpu, cache=self.cache)
        return GridKernel(library)


_shared: dict[tuple[str, str], GridKernels] = {}
_lock = threading.Lock()


def kernels_for(cpu: str, cache: Cache = None) -> GridKernels:
    """The process-wide kernels of a target machine that live in one disk cache (None: the default one; False: none)."""
    key = (cpu, str(cache))
    with _lock:
        if key not in _shared:
            _shared[key] = GridKernels(cpu, cache)
        return _shared[key]
