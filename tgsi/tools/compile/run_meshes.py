"""Text output of ``--run`` for task and mesh programs: the launches or outputs of each workgroup."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tgsi.language.facts.enums import File
from tgsi.language.mesh import mesh_layout
from tgsi.language.program import Program
from tgsi.tools.compile.run_words import counted, integers, memory_lines

if TYPE_CHECKING:
    from backends.run.result import Mesh, RunResult


def workgroup_lines(program: Program, result: RunResult, grid: tuple[int, int, int]) -> Iterator[str]:
    """Lines for each workgroup, in the order of their numbers."""
    width, height, _ = grid
    names = [f"({n % width}, {n // width % height}, {n // (width * height)})" for n in range(max(len(result.tasks), len(result.meshes)))]
    for name, size, payload in zip(names, result.tasks.tolist(), result.payload):
        x, y, z = size
        launched = f"launches {x} x {y} x {z} mesh workgroups" if x * y * z else "launches nothing"
        yield f"workgroup {name}: {launched}"
        prefix = f"workgroup {name}: "
        yield from (f"  fault: {text.removeprefix(prefix)}" for text in result.faults if text.startswith(prefix))
        yield from (f"  {line}" for line in memory_lines("payload", payload))
    for name, mesh in zip(names, result.meshes):
        yield from _mesh(program, name, mesh)


def _mesh(program: Program, name: str, mesh: Mesh) -> Iterator[str]:
    layout, semantics = mesh_layout(program), _semantics(program)
    vertices, primitives = counted(len(mesh.vertices), "vertex", "vertices"), counted(len(mesh.primitives), "primitive", "primitives")
    yield f"workgroup {name}: {vertices}, {primitives} ({layout.primitive.name})"
    yield from (f"  fault: {text}" for text in mesh.faults)
    for number, row in enumerate(mesh.vertices):
        for register, words in enumerate(row):
            if register not in layout.per_primitive and register in semantics:
                yield f"  vertex {number}: OUT[{register}] {semantics[register]}  {integers(words)}"
    for number, (corners, row) in enumerate(zip(mesh.indices.tolist(), mesh.primitives)):
        yield f"  primitive {number}: {' '.join(map(str, corners))}"
        for register, words in enumerate(row, layout.first_primitive):
            if register in layout.per_primitive and register != layout.indices:
                yield f"  primitive {number}: OUT[{register}] {semantics[register]}  {integers(words)}"


def _semantics(program: Program) -> dict[int, str]:
    """Spelling of the semantic of each OUT register."""
    semantics = {}
    for item in program.declared(File.OUT):
        if item.semantic is not None:
            for register in range(item.first, item.last + 1):
                semantics[register] = str(replace(item.semantic, index=item.semantic.index + register - item.first))
    return semantics
