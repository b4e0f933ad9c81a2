"""Linked rendering equals rendering with both programs renumbered by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from linkage import linked_program
from passes.lower.registers import move_registers
from passes.lower.renumber import renumber
from passes.validate.semantics import SM3
from tgsi import gallium as g
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

pytestmark = pytest.mark.light

STRIP = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)
INDICES = (0, 31, 32, 63, 64, 216, 217, 218, 219, 255)


@pytest.fixture(scope="module")
def screen() -> g.Screen:
    return g.Screen(threads=1)


def pair(choose: random.Random) -> tuple[Program, Program]:
    names = [f"GENERIC[{index}]" for index in choose.sample(INDICES, choose.randint(1, 8))]
    outputs = ["POSITION", *choose.sample(names, choose.randint(0, len(names)))]
    choose.shuffle(outputs)
    read = choose.sample(names, len(names))
    vertex = ["VERT", "DCL IN[0]", *(f"DCL OUT[{i}], {name}" for i, name in enumerate(outputs))]
    for i in range(len(outputs)):
        vertex.append(f"IMM[{i}] FLT32 {{{', '.join(f'{choose.uniform(0, 0.1):.4f}' for _ in range(4))}}}")
    vertex += [f"MOV OUT[{i}], IN[0]" if name == "POSITION" else f"ADD OUT[{i}], IN[0], IMM[{i}]" for i, name in enumerate(outputs)]
    fragment = ["FRAG", *(f"DCL IN[{i}], {name}, LINEAR" for i, name in enumerate(read)), "DCL OUT[0], COLOR", "DCL TEMP[0]"]
    fragment += [f"MAD TEMP[0], TEMP[0], TEMP[0], IN[{i}]" for i in range(len(read))]
    return parse("\n".join([*vertex, "END", ""])), parse("\n".join([*fragment, "MOV OUT[0], TEMP[0]", "END", ""]))


def render(screen: g.Screen, vertex: Program, fragment: Program) -> NDArray[np.float32]:
    with screen.context_create() as ctx:
        target = screen.resource_create(width0=16, height0=16, format=g.Format.R32G32B32A32_FLOAT)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.clear("COLOR")
        ctx.set_viewport_states([g.ViewportState((8.0, 8.0, 0.5), (8.0, 8.0, 0.5))])
        ctx.bind_vs_state(ctx.create_vs_state(vertex))
        ctx.bind_fs_state(ctx.create_fs_state(fragment))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT")]))
        ctx.set_vertex_buffers([STRIP])
        ctx.draw_vbo(mode="TRIANGLE_STRIP", count=4)
        ctx.flush()
        return np.array(target.texels()[0], np.float32)


@pytest.mark.parametrize("seed", range(4))
def test_renumbering_by_hand_changes_no_pixel(screen: g.Screen, seed: int) -> None:
    choose = random.Random(seed)
    vertex, fragment = pair(choose)
    expected = render(screen, vertex, fragment)
    outputs, inputs = vertex.file_size(File.OUT), fragment.file_size(File.IN)
    moved = (
        move_registers(vertex, File.OUT, dict(enumerate(choose.sample(range(outputs), outputs)))),
        move_registers(fragment, File.IN, dict(enumerate(choose.sample(range(inputs), inputs)))),
    )
    legal = renumber((vertex, fragment), SM3, reserve=range(8)).programs
    patched = vertex, linked_program(vertex, fragment)
    for programs in (moved, (legal[0], legal[1]), patched):
        assert render(screen, *programs).tobytes() == expected.tobytes()
