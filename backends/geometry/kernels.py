"""The compiled kernels of this package, beside those of the rasterizer."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable

from backends.device.bound import Shader
from backends.device.environment import StageKeys
from backends.geometry.gather import build_gather
from backends.geometry.geometry_shader import build_geometry_kernel
from backends.geometry.output import build_output
from backends.geometry.records import GeometryRecord, OutputRecord, StreamRecord, VertexRecord
from backends.geometry.vertices import build_vertex_kernels
from backends.llvm.builder.function import Module
from backends.llvm.engine.engine import Library
from backends.raster.kernels import Kernels, by_unit

Entry = Callable[[int], None]
"""A native function of one record, by its address. It runs without the interpreter's lock."""

_RECORDS = (VertexRecord, StreamRecord, GeometryRecord, OutputRecord)
LAYOUT = hashlib.sha256(repr([(n, getattr(r, n).offset) for r in _RECORDS for n, *_ in r._fields_]).encode()).hexdigest()
"""What kernels believe about memory: part of every key on disk."""

_entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _entries(library: Library) -> tuple[Entry, ...]:
    return tuple(_entry(library.address[name]) for name in library.exports)


class StreamKernels:
    """Functions that every draw uses, made when they are first asked for, and those of programs."""

    def __init__(self, kernels: Kernels) -> None:
        self.kernels = kernels
        self._vertex: dict[int, tuple[Entry, ...]] = {}
        self._gather: Entry | None = None
        self._output: Entry | None = None

    def vertex(self, lanes: int) -> tuple[Entry, ...]:
        """assemble(record) and shade(record) of a VertexRecord."""
        if lanes not in self._vertex:
            names, key = ("assemble", "shade"), ("stream_vertices", lanes, LAYOUT)
            self._vertex[lanes] = _entries(self.kernels.compile(key, names, lambda m: build_vertex_kernels(lanes, m)))
        return self._vertex[lanes]

    def gather(self) -> Entry:
        """gather(record) of a GeometryRecord."""
        if self._gather is None:
            self._gather = _entries(self.kernels.compile(("gather", LAYOUT), ("gather",), build_gather))[0]
        return self._gather

    def output(self) -> Entry:
        """output(record) of an OutputRecord."""
        if self._output is None:
            self._output = _entries(self.kernels.compile(("stream_output", LAYOUT), ("output",), build_output))[0]
        return self._output

    def geometry(self, shader: Shader, lanes: int, keys: StageKeys) -> Library:
        """geometry(record, first) of a GeometryRecord."""

        def build() -> Module:
            return build_geometry_kernel(shader.program, lanes, *by_unit(keys), cpu=self.kernels.cpu)

        return self.kernels.of_program("geometry", shader, (lanes, *keys, LAYOUT), build)
