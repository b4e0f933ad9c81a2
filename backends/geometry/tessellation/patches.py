"""The tessellation stage of a draw, made from the shaders and resources that are bound: kernels, ShaderEnvs, layout."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from backends.abi.records import layout_digest
from backends.device.bound import DrawState, Shader, StageState
from backends.device.commands.bound_record import BoundRecord
from backends.device.environment import by_unit, make_environment, stage_keys
from backends.device.needs import ORDERED_LANES, needs_of
from backends.device.tables import BufferTable
from backends.geometry.records import MAX_REGISTERS
from backends.geometry.tessellation.control import build_control_kernel
from backends.geometry.tessellation.evaluation import build_evaluation_kernel
from backends.geometry.tessellation.kernel import build_tessellator
from backends.geometry.tessellation.key import Tessellator, TessRecord
from backends.geometry.tessellation.layout import PatchLayout
from backends.geometry.tessellation.records import ControlRecord, EvaluationRecord, RowsRecord
from backends.geometry.tessellation.rows import build_rows
from backends.geometry.tessellation.stage import Compiled, TessellationStage
from backends.llvm.builder.module import Module
from backends.llvm.engine.engine import Entry
from backends.llvm.engine.kernel_cache import KernelCache
from backends.llvm.program.plan import fitting_lanes
from backends.pipe.enums import Prim
from backends.pipe.limits import MAX_PATCH_VERTICES
from backends.pipe.state import DrawInfo
from backends.raster.draw.builder import DrawBuilder
from backends.raster.draw.packet import Packet
from passes.analysis import facts
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, Processor

_LAYOUT = layout_digest(RowsRecord, TessRecord, ControlRecord, EvaluationRecord)
_MOST_LANES = 16
"""Widest vector. Its lanes are points of a single patch, which may have few."""


def patch_vertices(state: DrawState, info: DrawInfo) -> int:
    """Return the number of vertices of a patch. ValueError for another kind of primitive, or for patches of too many vertices."""
    if info.mode is not Prim.PATCHES:
        raise ValueError(f"draw_vbo: mode: tessellation shaders need PATCHES, not {Prim(info.mode).name}")
    vertices = info.vertices_per_patch or state.record.patch_vertices
    if not 1 <= vertices <= MAX_PATCH_VERTICES:
        raise ValueError(f"draw_vbo: vertices_per_patch: 1 to {MAX_PATCH_VERTICES} are possible, not {vertices}")
    return vertices


def rows_kernel(cache: KernelCache) -> Entry:
    """Return `rows`, see `build_rows`."""
    return cache.keep(("patch_rows", _LAYOUT), ("rows",), build_rows).entry()


def tessellator_kernel(cache: KernelCache, key: Tessellator) -> Entry:
    """Return `tessellate`, see `build_tessellator`."""
    return cache.keep(("tessellator", key, _LAYOUT), ("tessellate",), lambda module: build_tessellator(key, module)).entry()


class _Maker:
    """Maker of the compiled stages of one draw."""

    def __init__(self, maker: DrawBuilder, packet: Packet, counters: BufferTable) -> None:
        self._maker, self._packet, self._counters = maker, packet, counters
        self.cache: KernelCache = maker.kernels.cache

    def of_shader(
        self,
        name: str,
        shader: Shader,
        bindings: StageState,
        lanes: int,
        build: Callable[..., Module],
        *more: int,
    ) -> Compiled:
        """Return the kernel `name` of a shader, compiled for the resources bound to its stage."""
        program = shader.program
        if program.file_size(File.OUT) > MAX_REGISTERS or program.file_size(File.IN) > MAX_REGISTERS:
            raise UnsupportedError.at("B001", f"a shader may have {MAX_REGISTERS} inputs and outputs")
        demand = needs_of(shader)
        wanted = ORDERED_LANES if demand.effects.is_ordered else self._maker.lanes or lanes
        lanes = fitting_lanes(program, min(wanted, _MOST_LANES))
        environment = make_environment(self._maker.region, demand, bindings, self._packet.reads, self._counters)
        keys = stage_keys(bindings, demand)

        def module() -> Module:
            return build(program, lanes, *more, *by_unit(keys), cpu=self.cache.cpu)

        library = self.cache.get((name, program.text, lanes, *more, *keys, _LAYOUT), (name,), module)
        return Compiled(library.entry(), environment, lanes, library)


def tessellation_stage(maker: DrawBuilder, state: DrawState, info: DrawInfo, vertex: Shader, packet: Packet) -> TessellationStage:
    """Create the tessellation stage of a draw, which follows the vertex shader. `packet` receives the memory ranges that it reads.

    Raises UnsupportedError for programs that the generator cannot build.
    """
    make = _Maker(maker, packet, state.counters)
    control_stage, evaluation_stage = state.stage[Processor.TESS_CTRL], state.stage[Processor.TESS_EVAL]
    control, evaluation = control_stage.shader, evaluation_stage.shader
    assert evaluation is not None
    programs = control.program if control is not None else None, evaluation.program
    layout = facts.of(vertex.program, PatchLayout.of, *programs, patch_vertices(state, info))
    native = max(maker.kernels.cache.native, 8)
    return TessellationStage(
        layout,
        None if control is None else make.of_shader("control", control, control_stage, native, build_control_kernel),
        make.of_shader("evaluate", evaluation, evaluation_stage, native, build_evaluation_kernel, layout.written),
        copy_rows=rows_kernel(make.cache),
        tessellate=tessellator_kernel(make.cache, layout.key),
        levels=ctypes.addressof(state.record) + BoundRecord.tess_levels.offset,
    )
