"""The stages between the vertex shader and the rasterizer, a row each. A new stage needs a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backends.device.bound import DrawState, Shader
from backends.device.environment import make_environment, stage_keys
from backends.device.needs import ORDERED_LANES, needs_of
from backends.geometry.geometry_shader import invocations_of
from backends.geometry.geometry_step import build_geometry_step
from backends.geometry.kernels import StreamKernels
from backends.geometry.shaded import Stage
from backends.geometry.stages import GeometryStage, output_rows
from backends.geometry.tessellation.key import Tessellator
from backends.geometry.tessellation.patches import patch_vertices, tessellation_stage
from backends.geometry.tessellation.step import build_patches_step
from backends.geometry.topology import geometry_input, patches
from backends.llvm.builder.module import Module
from backends.llvm.program.plan import fitting_lanes
from backends.pipe.state import DrawInfo
from backends.raster.draw.builder import DrawBuilder
from backends.raster.draw.packet import Packet
from backends.raster.draw.topology import Topology
from backends.run.shapes import input_vertices, output_vertices
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import PIPELINE, STAGES
from tgsi.language.program import Program
from tgsi.language.record import record

_MOST_COUNTED = 1 << 16
"""Larger estimates of primitives are clamped to this one, as they would change nothing."""


@record
class Making:
    """The draw for which stages are created.

    streams: vertex streams that stream output or the rasterizer reads. packet: receives the memory ranges that stages read.
    """

    maker: DrawBuilder
    kernels: StreamKernels
    state: DrawState
    info: DrawInfo
    streams: Sequence[int]
    packet: Packet


@record
class StageKind:
    """A stage between the vertex shader and the rasterizer.

    Attributes:
        processor: the stage; it takes part in a draw if a shader is bound to it.
        topology: its input primitives, if it is the first such stage.
        make: makes the stage of a draw, from the shader before it and its own.
        most: estimates the number of output primitives from the number of input primitives of the draw (to distinguish few from many), and
            returns the number of vertices of each.
        build_step: adds the stage's step, a function of a given name, to the module of generated code that carries out draws without
            Python. None: Python carries out all draws with the stage. `Stage.step` creates its record.
    """

    processor: Processor
    topology: Callable[[DrawState, DrawInfo, Program], Topology]
    make: Callable[[Making, Shader, Shader], Stage]
    most: Callable[[Program, int], tuple[int, int]]
    build_step: Callable[[Module, str], None] | None = None

    @property
    def processors(self) -> tuple[Processor, ...]:
        """The stage, and earlier stages that belong to it."""
        return (*(stage for stage in PIPELINE if STAGES[stage].needs is self.processor), self.processor)

    @property
    def step_name(self) -> str:
        """Name of the function of the stage's step."""
        return f"step_{self.processor.name.lower()}"


def vertex_lanes(maker: DrawBuilder, shader: Shader) -> int:
    """Return the width of vectors of vertices: a fixed one if the order of invocations can be observed."""
    needs = needs_of(shader)
    if needs.effects.is_ordered:
        return ORDERED_LANES
    return min(maker.lanes or maker.kernels.vertex_lanes(shader.program), needs.most_lanes, 32)


def _tessellation(making: Making, producer: Shader, _: Shader) -> Stage:
    return tessellation_stage(making.maker, making.state, making.info, producer, making.packet)


def _geometry_topology(state: DrawState, info: DrawInfo, program: Program) -> Topology:
    r = state.rasterizer
    return geometry_input(info.mode, input_vertices(program), r.flatshade_first, r.quads_provoke_last)


def _geometry(making: Making, producer: Shader, geometry: Shader) -> Stage:
    maker, kernels, state = making.maker, making.kernels, making.state
    program, bindings = geometry.program, state.stage[Processor.GEOM]
    lanes = fitting_lanes(program, vertex_lanes(maker, geometry))
    demand = needs_of(geometry)
    environment = make_environment(maker.region, demand, bindings, making.packet.reads, state.counters)
    library = kernels.geometry(geometry, lanes, stage_keys(bindings, demand))
    first, gather = state.rasterizer.flatshade_first, kernels.gather()
    return GeometryStage(producer.program, program, lanes, environment, library, gather, streams=making.streams, provokes_first=first)


def _most_emitted(program: Program, primitives: int) -> tuple[int, int]:
    return min(primitives * invocations_of(program) * output_vertices(program), _MOST_COUNTED), output_rows(program)


STAGE_KINDS = (
    StageKind(
        Processor.TESS_EVAL,
        topology=lambda state, info, program: patches(patch_vertices(state, info)),
        make=_tessellation,
        most=lambda program, primitives: (_MOST_COUNTED, Tessellator.of(program).vertices),
        build_step=build_patches_step,
    ),
    StageKind(
        Processor.GEOM,
        topology=_geometry_topology,
        make=_geometry,
        most=_most_emitted,
        build_step=build_geometry_step,
    ),
)
"""The stages, in the order of the pipeline."""


def bound_kinds(state: DrawState) -> list[tuple[StageKind, Shader]]:
    """Return the stages of a draw between the vertex shader and the rasterizer, in order, with their shaders."""
    bound = ((kind, state.stage[kind.processor].shader) for kind in STAGE_KINDS)
    return [(kind, shader) for kind, shader in bound if shader is not None]
