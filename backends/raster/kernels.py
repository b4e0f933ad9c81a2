"""Everything that is compiled: once a process, by (what, variant, width, target machine). Renderers share it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

from backends.llvm.builder import Module
from backends.llvm.engine import Library, compile_module
from backends.llvm.sampling.key import SamplerKey, TextureKey
from backends.llvm.stages import build_vertex_kernel
from backends.llvm.target import native_lanes
from backends.raster.coverage import build_coverage
from backends.raster.fetch import Attribute, build_fetch, build_fetch_floats
from backends.raster.fragment import FragmentInfo, FragmentKey, describe
from backends.raster.frontend import build_front_end
from backends.raster.packet import Shader
from backends.raster.scheduler import build_scheduler
from backends.raster.shade import build_shade
from backends.raster.vertices import build_shade_vertices
from backends.raster.walk import build_tile_walk

LIGHT = 24  # instructions; a longer fragment shader runs at half the width, for registers
WIDE_TEXEL = 8  # bytes; so do shaders that write wider texels

Textures = tuple[TextureKey | None, ...]
Samplers = tuple[SamplerKey | None, ...]


class Kernels:
    """The kernels for one target machine. Each missing one is built once; other threads wait for it."""

    def __init__(self, cpu: str) -> None:
        self.cpu, self.native = cpu, native_lanes(cpu)
        self._libraries: dict[Hashable, Library] = {}
        self._fragments: dict[int, FragmentInfo] = {}
        self._lock = threading.RLock()

    def compile(self, key: tuple[Hashable, ...], build: Callable[[Module], None]) -> Library:
        """The one way in which code comes into being: `build` writes a module when `key` is new."""
        library = self._libraries.get(key)
        if library is None:
            with self._lock:
                library = self._libraries.get(key)
                if library is None:
                    module = Module(str(key[0]), self.cpu)
                    build(module)
                    library = self._libraries[key] = compile_module(module)
        return library

    def common(self, lanes: int) -> Library:
        """flush(scene) and worker(worker): front end, tile walk, scheduler."""

        def build(module: Module) -> None:
            build_tile_walk(module)
            build_front_end(lanes, module)
            build_scheduler(module)

        return self.compile(("common", lanes), build)

    def shade_vertices(self, lanes: int) -> int:
        """Address of shade_vertices(worker, batch)."""
        return self.compile(("shade_vertices", lanes), lambda m: build_shade_vertices(lanes, m)).address["shade_vertices"]

    def fetch(self, layout: tuple[Attribute | None, ...], lanes: int) -> int:
        """Address of fetch(draw, ids, instances, soa)."""
        if all(a is None or a.is_float for a in layout):
            return self.compile(("fetch_floats", lanes), lambda m: build_fetch_floats(lanes, m)).address["fetch"]
        return self.compile(("fetch", layout, lanes), lambda m: build_fetch(layout, lanes, m)).address["fetch"]

    def vertex_shader(self, shader: Shader, lanes: int, textures: Textures, samplers: Samplers) -> int:
        """Address of vertex_shader(env, in, out, system)."""
        key = ("vertex_shader", shader.serial, lanes, textures, samplers)
        library = self._libraries.get(key)
        if library is None:
            with self._lock:
                library = self._libraries[key] = compile_module(
                    build_vertex_kernel(shader.program, lanes, *_by_unit(textures, samplers), cpu=self.cpu)
                )
        return library.address["vertex_shader"]

    def coverage(self, lanes: int, quads: bool) -> int:
        """Address of coverage(arena, limit, &cursor, x, y, list)."""
        return self.compile(("coverage", lanes, quads), lambda m: build_coverage(lanes, m, quads)).address["coverage"]

    def shade(self, key: FragmentKey, info: FragmentInfo) -> int:
        """Address of shade(worker, draw, arena, list, size)."""
        return self.compile(("shade", key), lambda m: build_shade(key, info, m)).address["shade"]

    def fragment(self, shader: Shader | None) -> FragmentInfo:
        """What the renderer must know of a fragment shader; None is the shader that does nothing."""
        serial = shader.serial if shader is not None else 0
        info = self._fragments.get(serial)
        if info is None:
            info = self._fragments[serial] = describe(shader.program if shader is not None else None)
        return info

    def fragment_lanes(self, info: FragmentInfo, texel_bytes: int) -> int:
        """Width of runs: two registers a value for light shaders with AVX-512, else 16; below AVX-512 never more than 16."""
        light = info.instructions <= LIGHT and not info.texture_units and texel_bytes < WIDE_TEXEL
        return max(min(2 * self.native if light else 16, 32), 8)

    def vertex_lanes(self) -> int:
        """Width of vertex shading."""
        return max(2 * self.native, 8)


def _by_unit(textures: Textures, samplers: Samplers) -> tuple[dict[int, TextureKey], dict[int, SamplerKey]]:
    return {k: t for k, t in enumerate(textures) if t is not None}, {k: s for k, s in enumerate(samplers) if s is not None}


_shared: dict[str, Kernels] = {}
_lock = threading.Lock()


def kernels_for(cpu: str) -> Kernels:
    """The process-wide kernels of a target machine."""
    with _lock:
        if cpu not in _shared:
            _shared[cpu] = Kernels(cpu)
        return _shared[cpu]
