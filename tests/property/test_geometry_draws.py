"""Geometry shaders of the corpus in draws: stream output receives the vertices that a run of the program emits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.geometry.geometry_shader import invocations_of
from backends.geometry.stages import output_rows
from backends.run.shapes import input_vertices
from tests.unit.geometry.programs import ROWS, strips_to_lists
from tgsi import gallium as g
from tgsi.language.facts.enums import File
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program

pytestmark = pytest.mark.light

PRIMITIVES, WORDS, PARTS = 37, 128, 4
MODES = {count: name for name, count in ROWS.items()}
FLOAT4 = "R32G32B32A32_FLOAT"


def inputs_of(program: Program) -> dict[int, Semantic]:
    """Semantic of each input register."""
    found = {}
    for d in program.declared(File.IN):
        if d.semantic is not None:
            for register in range(d.first, d.last + 1):
                found[register] = Semantic(d.semantic.name, d.semantic.index + register - d.first)
    return found


def vertex_program(semantics: list[Semantic]) -> str:
    """Vertex program that passes every attribute to the output of its semantic."""
    lines = [f"DCL IN[{k}]" for k in range(len(semantics))] + [f"DCL OUT[{k}], {s}" for k, s in enumerate(semantics)]
    return "\n".join(["VERT", *lines, *(f"MOV OUT[{k}], IN[{k}]" for k in range(len(semantics))), "END\n"])


def drawn(screen: g.Screen, program: Program, data: Any, constants: Any) -> Any:
    """Words of stream output. `data` has shape (vertices, input registers, 4)."""
    semantics = {k: s for k, s in inputs_of(program).items() if s.name != "PRIM_ID"}
    outputs = min(program.file_size(File.OUT), 60)
    info = g.StreamOutputInfo((4 * outputs,), tuple(g.StreamOutput(k, dst_offset=4 * k) for k in range(outputs)))
    with screen.context_create() as ctx:
        ctx.bind_vs_state(ctx.create_vs_state(vertex_program(list(semantics.values()))))
        ctx.bind_gs_state(ctx.create_gs_state(program, stream_output=info))
        buffer = screen.resource_create(target="BUFFER", width0=1 << 22, bind="STREAM_OUTPUT")
        ctx.set_stream_output_targets([ctx.create_stream_output_target(buffer)])
        for slot in range(8):
            ctx.set_constant_buffer("GEOMETRY", constants, index=slot)
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(rasterizer_discard=True))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(16 * k, FLOAT4) for k in range(len(semantics))]))
        ctx.set_vertex_buffers([np.ascontiguousarray(data[:, list(semantics)].reshape(len(data), -1))])
        ctx.draw_vbo(mode=MODES[input_vertices(program)], count=len(data))
        return np.array(buffer.storage[: buffer.size]).view(np.uint32)


def differs(screen: g.Screen, program: Program, seed: int) -> bool:
    """True if the draw and the run of a program differ for random floats."""
    rng, rows, semantics = np.random.default_rng(seed), input_vertices(program), inputs_of(program)
    data = rng.uniform(-2, 2, (PRIMITIVES * rows, program.file_size(File.IN), 4)).astype(np.float32)
    constants = rng.uniform(-2, 2, (WORDS, 4)).astype(np.float32)
    vertices, numbers = data.reshape(PRIMITIVES, rows, -1, 4).view(np.uint32).copy(), np.arange(PRIMITIVES, dtype=np.uint32)
    for register in range(vertices.shape[2]):
        if register not in semantics:
            vertices[:, :, register] = 0
        elif semantics[register].name == "PRIM_ID":
            vertices[:, :, register] = numbers[:, None, None]
    names = {d.semantic.name for d in program.declared(File.SV) if d.semantic is not None}
    system = {"PRIM_ID": np.repeat(numbers, invocations_of(program))} if "PRIM_ID" in names else {}
    made = tgsi.run(program, vertices, constants=dict.fromkeys(range(8), constants), system_values=system)
    expected = strips_to_lists(made.emitted[0], made.strips[0], output_rows(program))[:, :, :60]
    found = drawn(screen, program, data, constants)
    streamed, rest = found[: expected.size].reshape(expected.shape), found[expected.size :]
    return bool(rest.any()) or not np.array_equal(streamed, expected)


def mistakes(shared: Path, part: int) -> list[str]:
    """Programs in a part of the corpus whose draw differs from their run."""
    wrong, count = [], 0
    with g.Screen(threads=1) as screen:
        for path in sorted((shared / "corpus").glob("GEOM-*.tgsi"))[part::PARTS]:
            program = tgsi.parse(path.read_text(), name=path.name)
            if program.file_size(File.OUT) and len(inputs_of(program)) <= 32:
                count += 1
                if differs(screen, program, count):
                    wrong.append(path.name)
    assert count > 20
    return wrong


@pytest.mark.peers
def test_draws_of_a_sample_emit_what_runs_emit(shared: Path) -> None:
    assert mistakes(shared, 0) == []


@pytest.mark.peers
@pytest.mark.nightly
@pytest.mark.parametrize("part", range(1, PARTS))
def test_draws_emit_what_runs_emit(part: int, shared: Path) -> None:
    assert mistakes(shared, part) == []
