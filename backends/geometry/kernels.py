"""The compiled kernels of the stages in front of the rasterizer, except tessellation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backends.abi.records import layout_digest
from backends.device.bound import Shader
from backends.device.environment import StageKeys, by_unit
from backends.geometry.gather import build_gather
from backends.geometry.geometry_shader import build_geometry_kernel
from backends.geometry.output import build_output
from backends.geometry.records import GeometryRecord, OutputRecord, StreamRecord, VertexRecord
from backends.geometry.vertices import build_vertex_kernels
from backends.llvm.builder.function import Module
from backends.llvm.engine.engine import Entry, Library
from backends.llvm.engine.kernel_cache import KernelCache

_LAYOUT = layout_digest(VertexRecord, StreamRecord, GeometryRecord, OutputRecord)


class StreamKernels:
    """The kernels for one target machine. Entries are made when they are first requested."""

    def __init__(self, cache: KernelCache) -> None:
        self.cache = cache
        self._entries: dict[tuple[str, int], Sequence[Entry]] = {}

    def _get(self, name: str, lanes: int, exports: Sequence[str], write: Callable[[Module], None]) -> Sequence[Entry]:
        entries = self._entries.get((name, lanes))
        if entries is None:
            library = self.cache.keep((name, lanes, _LAYOUT), exports, write)
            entries = self._entries[name, lanes] = [library.entry(export) for export in exports]
        return entries

    def vertex(self, lanes: int) -> Sequence[Entry]:
        """Return `assemble(record)` and `shade(record)`, which take a VertexRecord."""
        return self._get("stream_vertices", lanes, ("assemble", "shade"), lambda m: build_vertex_kernels(lanes, m))

    def gather(self) -> Entry:
        """Return `gather(record)`, which takes a GeometryRecord."""
        return self._get("gather", 1, ("gather",), build_gather)[0]

    def output(self) -> Entry:
        """Return `output(record)`, which takes an OutputRecord."""
        return self._get("stream_output", 1, ("output",), build_output)[0]

    def geometry(self, shader: Shader, lanes: int, keys: StageKeys) -> Library:
        """Return the library with `geometry(record, first)`, which takes a GeometryRecord."""

        def build() -> Module:
            return build_geometry_kernel(shader.program, lanes, *by_unit(keys), cpu=self.cache.cpu)

        return self.cache.get(("geometry", shader.program.text, lanes, *keys, _LAYOUT), ("geometry",), build)
