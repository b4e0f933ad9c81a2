"""The tables of stages support an unknown stage: a fake stage is added as one row of each table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from backends.device import bound
from backends.device.bound import DrawState, Shader
from backends.device.hazards import fixed_reads, reach_of
from backends.device.memory import Memory
from backends.device.region import Region
from backends.geometry import stage_kinds
from backends.geometry.shaded import Primitives, Shaded, Worker
from backends.geometry.stage_kinds import STAGE_KINDS, Making, StageKind
from backends.geometry.topology import provoking
from backends.pipe.enums import ShaderType
from backends.pipe.state import DrawInfo
from tests.unit.picture import PASS, Picture
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import LAST_STAGES, PIPELINE, STAGES
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

PRETEND = Processor.COMP
"""Number of the fake stage, whose place draws do not use."""


class Copying:
    """Stage that passes its input on and counts the primitives."""

    most_bytes = 1024

    def __init__(self) -> None:
        self.seen = 0

    def run(self, worker: Worker, shaded: Shaded, memory: Region) -> Sequence[Shaded]:
        """Copy the vertices and primitives to `memory`."""
        given = shaded.lists[0]
        self.seen += given.count
        corners, numbers = memory.copy(given.corners, 4 * given.count * shaded.rows), memory.copy(given.numbers, 4 * given.count)
        vertices = memory.copy(shaded.vertices, shaded.size * shaded.count)
        return [replace(shaded, vertices=vertices, lists={0: Primitives(corners, numbers, given.count)})]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Copying:
    """Add a fake stage between the geometry shader and the rasterizer to the table of facts and to that of kinds."""
    copying = Copying()

    def topology(state: DrawState, info: DrawInfo, program: Program) -> object:
        return provoking(info.mode, state.rasterizer.flatshade_first)

    def make(making: Making, producer: Shader, own: Shader) -> Copying:
        return copying

    kind = StageKind(PRETEND, topology=topology, make=make, most=lambda program, primitives: (primitives, 3))  # type: ignore[arg-type]
    monkeypatch.setattr(stage_kinds, "STAGE_KINDS", (*STAGE_KINDS, kind))
    monkeypatch.setattr(bound, "PIPELINE", (*PIPELINE[:-1], PRETEND, PIPELINE[-1]))
    monkeypatch.setattr(bound, "_FROM_LAST", (PRETEND, *reversed(LAST_STAGES)))
    return copying


def bind(picture: Picture) -> None:
    """Bind a shader to the fake stage. Its outputs are those of the vertex shader."""
    picture.ctx.state.bind(PRETEND, Shader(parse(PASS)))
    picture.ctx._choose_stages()


def test_a_planted_stage_takes_part_in_draws(stage: Copying) -> None:
    plain = Picture().draw().pixels()
    assert stage.seen == 0
    picture = Picture()
    bind(picture)
    np.testing.assert_array_equal(picture.draw().pixels(), plain)
    assert stage.seen == 2
    picture.ctx.state.bind(PRETEND, None)
    picture.ctx._choose_stages()
    np.testing.assert_array_equal(picture.draw().pixels(), plain)
    assert stage.seen == 2


def test_a_planted_stage_counts_for_hazards(stage: Copying) -> None:
    state = Picture().ctx.state
    state.stage[PRETEND].put_constants(0, Memory(4096, 64))
    assert (4096, 64) not in list(fixed_reads(state))
    storing = "VERT\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 1, 2, 3}\nSTORE BUFFER[0].x, IMM[0], IMM[0]\nEND\n"
    picture = Picture()
    bind(picture)
    state = picture.ctx.state
    assert reach_of(state) is None
    state.stage[PRETEND].put_constants(0, Memory(4096, 64))
    assert (4096, 64) in list(fixed_reads(state))
    state.bind(PRETEND, Shader(parse(storing)))
    buffer = picture.buffer(np.zeros(16, np.uint32))
    picture.ctx.set_shader_buffers(ShaderType(PRETEND), [buffer])
    reach = reach_of(state)
    assert reach is not None
    assert reach.is_early
    assert (buffer.address, buffer.size) in reach.written


def test_every_stage_between_vertices_and_the_rasterizer_has_a_kind_or_belongs_to_one() -> None:
    kinds = [kind.processor for kind in STAGE_KINDS]
    assert kinds == [stage for stage in PIPELINE if stage in LAST_STAGES and stage is not Processor.VERT]
    others = set(PIPELINE) - set(kinds) - {Processor.VERT, Processor.FRAG}
    assert {STAGES[stage].needs for stage in others} <= set(kinds)


def test_gallium_numbers_stages_as_the_language_does() -> None:
    assert [int(stage) for stage in ShaderType] == [int(processor) for processor in Processor]
    assert STAGES.keys() == set(Processor)
    assert len(bound.DrawState().stage) == len(Processor)
