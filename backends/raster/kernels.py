"""Everything that is compiled: once a process, by (what, variant, width, target machine). Renderers share it.

Code generators are imported by the callback that builds a module: where the disk cache has all kernels, none of them loads.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from backends.abi.keys import ImageKey, SamplerKey, TextureKey
from backends.abi.records import ResolveRecord, layout_of
from backends.device.blit_key import BlitKey, BlitRecord
from backends.device.bound import Shader
from backends.device.environment import StageKeys
from backends.formats import Format
from backends.llvm.engine.engine import Library, compile_cached
from backends.llvm.engine.object_cache import ObjectCache
from backends.llvm.engine.variants import VariantCache
from backends.llvm.targets.machines import native_lanes
from backends.raster.front.attributes import Attribute
from backends.raster.records import Batch, ClearRecord, Draw, Scene, Worker
from backends.raster.samples import Pattern
from backends.raster.tile.fragment import NO_FRAGMENTS, FragmentInfo, FragmentKey, describe
from backends.raster.tile.lists import run_rows
from passes.analysis import facts

if TYPE_CHECKING:
    from backends.llvm.builder.function import Module

LIGHT = 24  # instructions; a longer shader of many small triangles gains nothing from wide runs
MOST_LIVE = 14  # values; with two registers each more do not fit the 32 of AVX-512
MOST_LIVE_LOOP = 24  # ... but where there are loops, latency costs more than values in memory: they have four registers each
WIDE_TEXEL = 8  # bytes; shaders that write wider texels run at half the width

MAX_CODE = 64 << 20  # bytes of machine code that are kept without being in use
# What kernels believe about memory: part of every key, so that no object outlives a record that it was made for.
_RECORDS = (Batch, BlitRecord, ClearRecord, Draw, ResolveRecord, Scene, Worker)
LAYOUT = hashlib.sha256(repr([layout_of(r) for r in _RECORDS]).encode()).hexdigest()
Cache = ObjectCache | str | os.PathLike[str] | bool | None


@dataclass(frozen=True, slots=True)
class _Request:
    """A kernel that is wanted: equal keys are the same kernel."""

    key: tuple[Hashable, ...]
    make: Callable[[], Library] = field(compare=False)


class Kernels:
    """The kernels for one target machine. Each missing one is built once; other threads wait for it.

    Least recently used shaders are forgotten; whoever draws with a kernel keeps its Library."""

    def __init__(self, cpu: str, cache: Cache = None) -> None:
        self.cpu, self.cache, self.native = cpu, cache, native_lanes(cpu)
        self._fixed: dict[tuple[Hashable, ...], Library] = {}
        self._variants = VariantCache[_Request, Library](lambda r: r.make(), max_weight=MAX_CODE, weight=lambda v: len(v.image))

    def compile(self, key: tuple[Hashable, ...], export: Sequence[str], build: Callable[[Module], None]) -> Library:
        """A kernel that does not depend on shaders. `build` writes its module when it is neither in memory nor on disk."""
        library = self._fixed.get(key)
        if library is None:
            library = self._fixed[key] = self._variants.get(_Request(key, lambda: self._make(key, export, build)))
        return library

    def _make(self, parts: Sequence[object], export: Sequence[str], build: Callable[[Module], None]) -> Library:
        def module() -> Module:
            from backends.llvm.builder.function import Module

            m = Module(str(parts[0]), self.cpu)
            build(m)
            return m

        return compile_cached((*parts, LAYOUT), module, exports=export, cpu=self.cpu, cache=self.cache)

    def common(self, lanes: int) -> Library:
        """flush(scene) and worker(worker): front end, tile walk, scheduler."""

        def build(module: Module) -> None:
            from backends.raster.control.scheduler import build_scheduler
            from backends.raster.front.frontend import build_front_end
            from backends.raster.tile.walk import build_tile_walk

            build_tile_walk(module)
            build_front_end(lanes, module)
            build_scheduler(module)

        return self.compile(("common", lanes), ("flush", "worker"), build)

    def shade_vertices(self, lanes: int, is_stored: bool = False) -> Library:
        """shade_vertices(worker, batch)."""

        def build(module: Module) -> None:
            from backends.raster.front.vertices import build_shade_vertices

            build_shade_vertices(lanes, module, is_stored)

        return self.compile(("shade_vertices", lanes, is_stored), ("shade_vertices",), build)

    def fetch(self, layout: tuple[Attribute | None, ...], lanes: int) -> Library:
        """fetch(draw, ids, instances, soa)."""

        def build_floats(module: Module) -> None:
            from backends.raster.front.fetch import build_fetch_floats

            build_fetch_floats(lanes, module)

        def build(module: Module) -> None:
            from backends.raster.front.fetch import build_fetch

            build_fetch(layout, lanes, module)

        if all(a is None or a.is_float for a in layout):
            return self.compile(("fetch_floats", lanes), ("fetch",), build_floats)
        key = ("fetch", layout, lanes)
        return self._variants.get(_Request(key, lambda: self._make(key, ("fetch",), build)))

    def vertex_shader(self, shader: Shader, lanes: int, keys: StageKeys) -> Library:
        """vertex_shader(env, in, out, system)."""

        def build() -> Module:
            from backends.llvm.kernels.stages import build_vertex_kernel

            return build_vertex_kernel(shader.program, lanes, *by_unit(keys), cpu=self.cpu)

        return self.of_program("vertex_shader", shader, (lanes, *keys), build)

    def of_program(self, name: str, shader: Shader, key: tuple[Hashable, ...], build: Callable[[], Module]) -> Library:
        """The function `name` of a module that depends on a program and on `key`."""

        def make() -> Library:
            return compile_cached((name, shader.program.text, *key), build, exports=(name,), cpu=self.cpu, cache=self.cache)

        return self._variants.get(_Request((name, shader.serial, *key), make))

    def coverage(self, lanes: int, quads: bool, has_loops: bool, samples: Pattern | None = None) -> Library:
        """coverage(arena, limit, &cursor, x, y, list)."""
        rows = run_rows(lanes, has_loops)

        def build(module: Module) -> None:
            if samples is not None:
                from backends.raster.tile.coverage_samples import build_sample_coverage

                build_sample_coverage(samples, lanes, module, quads)
            else:
                from backends.raster.tile.coverage import build_coverage

                build_coverage(lanes, module, quads, rows)

        return self.compile(("coverage", lanes, quads, rows if samples is None else samples), ("coverage",), build)

    def blit(self, key: BlitKey, lanes: int) -> Library:
        """blit(record)."""

        def build(module: Module) -> None:
            from backends.raster.blits import build_blit

            build_blit(key, lanes, module)

        parts = ("blit", key, lanes)
        return self._variants.get(_Request(parts, lambda: self._make(parts, ("blit",), build)))

    def resolve(self, format: Format, samples: int) -> Library:
        """resolve(record, x, y)."""

        def build(module: Module) -> None:
            from backends.raster.tile.resolves import build_resolve

            build_resolve(format, samples, module)

        return self.compile(("resolve", format, samples), ("resolve",), build)

    def shade(self, key: FragmentKey, info: FragmentInfo, shader: Shader | None) -> Library:
        """shade(worker, draw, arena, list, size)."""

        def build(module: Module) -> None:
            if key.samples is None:
                from backends.raster.tile.shade import build_shade

                build_shade(key, info, module)
            else:
                from backends.raster.tile.shade_samples import build_sample_shade

                build_sample_shade(key, info, module)

        parts = ("shade", replace(key, program=0), shader.program.text if shader is not None else "")
        return self._variants.get(_Request(("shade", key), lambda: self._make(parts, ("shade",), build)))

    def fragment(self, shader: Shader | None) -> FragmentInfo:
        """The facts of a fragment shader that a draw needs; None is the shader that does nothing."""
        return NO_FRAGMENTS if shader is None else facts.of(shader.program, describe)

    def fragment_lanes(self, info: FragmentInfo, texel_bytes: int, is_few: bool) -> int:
        """Width of runs. With AVX-512 as many as the values that live at once leave room for, below it two registers a value.

        `is_few`: the draw has few primitives, so they are likely large."""
        if self.native < 16:
            return max(2 * self.native, 8)
        loops = info.has_loops and not info.texture_units
        if texel_bytes >= WIDE_TEXEL or info.live > (MOST_LIVE_LOOP if loops else MOST_LIVE):
            return 16
        if not is_few:
            return 32 if info.instructions <= LIGHT and not info.texture_units else 16
        return 64 if loops else 32

    def vertex_lanes(self) -> int:
        """Width of vertex shading."""
        return max(2 * self.native, 8)


def by_unit(keys: StageKeys) -> tuple[dict[int, TextureKey], dict[int, SamplerKey], dict[int, ImageKey]]:
    """What is bound, by unit."""
    textures, samplers, images = keys
    views = {k: t for k, t in enumerate(textures) if t is not None}
    return views, {k: s for k, s in enumerate(samplers) if s is not None}, dict(images)


_shared: dict[tuple[str, str], Kernels] = {}
_lock = threading.Lock()


def kernels_for(cpu: str, cache: Cache = None) -> Kernels:
    """The process-wide kernels of a target machine that live in one disk cache (None: the default one; False: none)."""
    key = (cpu, str(cache))
    with _lock:
        if key not in _shared:
            _shared[key] = Kernels(cpu, cache)
        return _shared[key]
