"""The kernels of the rasterizer: the name, the key and the builder of each. Renderers share them in a KernelCache.

Code generators are imported only by the callbacks that build modules, so a process whose kernels are all in the disk cache loads none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from backends.abi.records import ResolveRecord, WatchRecord, layout_digest
from backends.device.blit_key import BlitKey, BlitRecord
from backends.device.bound import Shader
from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.numbers import ValueSlot
from backends.device.environment import StageKeys, by_unit
from backends.device.resolve_job import Resolve
from backends.formats import Format
from backends.llvm.engine.engine import Library
from backends.llvm.engine.kernel_cache import KernelCache, Key
from backends.raster.draw_record import Draw
from backends.raster.front.attributes import Attribute
from backends.raster.layouts import Shape
from backends.raster.records import Batch, ClearRecord, CopierRecord, Scene, Span, Worker
from backends.raster.samples import Pattern
from backends.raster.tile.fragment import NO_FRAGMENTS, FragmentInfo, FragmentKey, describe
from backends.raster.tile.lists import run_rows
from backends.raster.tile.register_pressure import MOST_LIVE_LOOP, loops_with_few_values
from passes.analysis import facts
from tgsi.language.facts.enums import Processor

if TYPE_CHECKING:
    from backends.llvm.builder.function import Module
    from tgsi.language.program import Program

LIGHT = 24  # instructions; longer shaders gain nothing from wide runs when triangles are many and small
PLAIN = 4  # instructions of a program that does little more than sample a texture
LONG = 4096  # instructions; longer shaders take seconds to compile for wider vectors
MOST_LIVE = 14  # values that live at once; at two registers each, more do not fit the 32 of AVX-512
WIDE_TEXEL = 8  # bytes; shaders that write texels of this size or above run at half the width

COMMON = ("flush", "run_ahead", "finish", "run_tiles", "copy_at_once", "worker", "poll", "write_values")
"""Functions that the module of the scheduler exports."""

LAYOUT = layout_digest(
    Batch, BlitRecord, BoundRecord, ClearRecord, CopierRecord, Draw, ResolveRecord, Scene, Span, ValueSlot, WatchRecord, Worker
)


class Kernels:
    """The kernels for one target machine."""

    def __init__(self, cache: KernelCache) -> None:
        self.cache = cache

    def _keep(self, key: Key, export: Sequence[str], write: Callable[[Module], None]) -> Library:
        """A kernel with few variants, which the cache never evicts."""
        return self.cache.keep((*key, LAYOUT), export, write)

    def _get(self, key: Key, export: Sequence[str], write: Callable[[Module], None], of_program: bool = False) -> Library:
        """A kernel with many variants, which the cache may evict."""
        return self.cache.get((*key, LAYOUT), export, self.cache.module(key, write), of_program)

    def common(self, lanes: int) -> Library:
        """The scheduler, the tile walk, and the steps of the front end that every draw needs; write_values(...)."""

        def build(module: Module) -> None:
            from backends.raster.control.at_once import build_copy_at_once, build_run_tiles
            from backends.raster.control.scheduler import build_scheduler
            from backends.raster.front.bound_values import build_write_values
            from backends.raster.front.frontend import build_front_end
            from backends.raster.tile.walk import build_tile_walk

            build_tile_walk(module)
            build_front_end(lanes, module)
            build_scheduler(module)
            build_run_tiles(module)
            build_copy_at_once(module)
            build_write_values(module)

        return self._keep(("common", lanes), COMMON, build)

    def setup(self, lanes: int, routed: bool, has_rows: bool, is_conservative: bool = False, has_lines: bool = False) -> Library:
        """setup(worker, arena, corners, prims, count) -> cut."""

        def build(module: Module) -> None:
            from backends.raster.front.setup import build_setup

            build_setup(lanes, module, routed, has_rows, is_conservative, has_lines)

        return self._keep(("setup", lanes, routed, has_rows, is_conservative, has_lines), ("setup",), build)

    def expand(self, shape: Shape, is_conservative: bool = False) -> Library:
        """expand(worker) -> count: turns other shapes than filled triangles into triangles."""

        def build(module: Module) -> None:
            if shape is Shape.OUTLINE:
                from backends.raster.front.polygon_modes import build_outline

                build_outline(module, is_conservative)
            else:
                from backends.raster.front.points_lines import build_expand

                build_expand(shape is Shape.POINT, module, is_conservative)

        return self._keep(("expand", shape, is_conservative), ("expand",), build)

    def place(self) -> Library:
        """place(worker)."""

        def build(module: Module) -> None:
            from backends.raster.front.layers import build_place

            build_place(module)

        return self._keep(("place",), ("place",), build)

    def shade_vertices(self, lanes: int, is_stored: bool, has_distances: bool) -> Library:
        """shade_vertices(worker)."""

        def build(module: Module) -> None:
            from backends.raster.front.vertices import build_shade_vertices

            build_shade_vertices(lanes, module, is_stored, has_distances)

        return self._keep(("shade_vertices", lanes, is_stored, has_distances), ("shade_vertices",), build)

    def fetch(self, layout: tuple[Attribute | None, ...], lanes: int) -> Library:
        """fetch(draw, ids, instances, soa, start instance)."""

        def build_floats(module: Module) -> None:
            from backends.raster.front.fetch import build_fetch_floats

            build_fetch_floats(lanes, module)

        def build(module: Module) -> None:
            from backends.raster.front.fetch import build_fetch

            build_fetch(layout, lanes, module)

        if all(a is None or a.is_float for a in layout):
            return self._keep(("fetch_floats", lanes), ("fetch",), build_floats)
        return self._get(("fetch", layout, lanes), ("fetch",), build)

    def vertex_shader(self, shader: Shader, lanes: int, keys: StageKeys, exposed: int = -1) -> Library:
        """vertex_shader(env, in, out, system). exposed: bit r is set if the exact bits of OUT register r matter, not only its values as
        numbers.
        """
        if exposed:
            from backends.llvm.program.nan_bits import relevant_outputs

            exposed = relevant_outputs(shader.program, exposed)

        def build() -> Module:
            from backends.llvm.kernels.stages import build_vertex_kernel

            return build_vertex_kernel(shader.program, lanes, *by_unit(keys), cpu=self.cache.cpu, exposed=exposed)

        return self.cache.get(("vertex_shader", shader.program.text, lanes, exposed, *keys), ("vertex_shader",), build)

    def coverage(
        self,
        lanes: int,
        quads: bool,
        has_loops: bool,
        samples: Pattern | None = None,
        *,
        packs: bool = False,
        is_conservative: bool = False,
    ) -> Library:
        """coverage(arena, limit, &cursor, x, y, list)."""
        rows = run_rows(lanes, has_loops)
        if is_conservative:

            def build_conservative(module: Module) -> None:
                from backends.raster.tile.coverage_conservative import build_conservative_coverage

                build_conservative_coverage(lanes, rows, samples, module)

            return self._keep(("coverage", lanes, "conservative", rows if samples is None else samples), ("coverage",), build_conservative)

        def build(module: Module) -> None:
            if samples is not None:
                from backends.raster.tile.coverage_samples import build_sample_coverage

                build_sample_coverage(samples, lanes, module, quads)
            else:
                from backends.raster.tile.coverage import build_coverage

                build_coverage(lanes, module, quads, rows, packs)

        return self._keep(("coverage", lanes, quads, packs, rows if samples is None else samples), ("coverage",), build)

    def blit(self, key: BlitKey, lanes: int) -> Library:
        """blit(record)."""

        def build(module: Module) -> None:
            from backends.raster.blits import build_blit

            build_blit(key, lanes, module)

        return self._get(("blit", key, lanes), ("blit",), build)

    def copy(self) -> Library:
        """copy(record, x, y)."""

        def build(module: Module) -> None:
            from backends.raster.tile.copies import build_copy

            build_copy(module)

        return self._keep(("copy",), ("copy",), build)

    def resolve(self, format: Format, samples: int) -> Library:
        """resolve(record, x, y)."""

        def build(module: Module) -> None:
            from backends.raster.tile.resolves import build_resolve

            build_resolve(format, samples, module)

        return self._keep(("resolve", format, samples), ("resolve",), build)

    def resolve_record(self, job: Resolve) -> ResolveRecord:
        """The record of a resolve, with its kernel."""
        return job.record(self.resolve(job.source.format, job.source.samples).address["resolve"])

    def shade(self, key: FragmentKey, info: FragmentInfo, shader: Shader | None) -> Library:
        """shade(worker, draw, arena, list, size)."""

        def build(module: Module) -> None:
            if key.samples is None:
                from backends.raster.tile.shade import build_shade

                build_shade(key, info, module)
            else:
                from backends.raster.tile.shade_samples import build_sample_shade

                build_sample_shade(key, info, module)

        text = shader.program.text if shader is not None else ""
        return self._get(("shade", key, text), ("shade",), build, of_program=bool(text))

    def fragment(self, shader: Shader | None) -> FragmentInfo:
        """The FragmentInfo of a shader; None means the empty shader."""
        return NO_FRAGMENTS if shader is None else facts.of(shader.program, describe)

    def fragment_lanes(self, info: FragmentInfo, texel_bytes: int, is_few: bool) -> int:
        """Lanes of a run: with AVX-512 as many as the live values permit, otherwise two registers a value.

        Loops with few values take four registers, as do programs that only sample with AVX2, because independent chains of operations hide
        each other's latency.

        texel_bytes: of the widest color target; is_few: the draw has few primitives, which are probably large.
        """
        if info.instructions > LONG:
            return 8
        loops = info.has_loops and not info.texture_units
        if self.cache.native < 16:
            only_samples = self.cache.native == 8 and info.texture_units > 0 and info.instructions <= PLAIN
            wide = is_few and (only_samples or (loops and info.live <= MOST_LIVE_LOOP))
            return max((4 if wide else 2) * self.cache.native, 8)
        if texel_bytes >= WIDE_TEXEL or info.live > (MOST_LIVE_LOOP if loops else MOST_LIVE):
            return 16
        if not is_few:
            return 32 if info.instructions <= LIGHT and not info.texture_units else 16
        return 64 if loops else 32

    def vertex_lanes(self, program: Program, is_tiny: bool = False) -> int:
        """Lanes of vertex shading: two registers a value, or four for loops with few values.

        program: of any stage before the rasterizer. is_tiny: a single narrow vector holds all vertices of the draw.
        """
        if is_tiny:
            return 8
        has_long_chains = program.processor is Processor.VERT and facts.of(program, loops_with_few_values)
        return min(max((4 if has_long_chains else 2) * self.cache.native, 8), 32)

    def setup_lanes(self, is_tiny: bool = False) -> int:
        """Lanes of triangle setup. Two registers a value gain nothing here and take three times as long to compile.

        is_tiny: the draw has so few triangles that most lanes of a wider vector would be idle.
        """
        return 4 if is_tiny else max(self.cache.native, 8)
