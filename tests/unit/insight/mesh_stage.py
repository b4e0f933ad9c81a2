"""The primitives of a draw of meshes, as the reference interpreter runs its task and mesh programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from tgsi.insight.primitives import Primitives
from tgsi.insight.replaying import Draw
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program

Words = NDArray[np.uint32]
_made: dict[object, Primitives] = {}


def mesh_primitives(context: Any, draw: Draw, units: Mapping[int, Mapping[str, Any]]) -> Primitives:
    """The primitives in the order of the workgroups; one with several viewports stands once for each of them.

    units: arguments of the interpreter for constants, textures and memory, by stage.
    """
    assert draw.mesh is not None
    stages = context.state.stage
    mesh, task = stages[int(Processor.MESH)].shader, stages[int(Processor.TASK)].shader
    key = mesh.serial, None if task is None else task.serial, draw.mesh.grid, _bytes(units)
    if key not in _made:
        _made[key] = _run(mesh.program, None if task is None else task.program, draw, units)
    return _made[key]


def _bytes(units: Mapping[int, Mapping[str, Any]]) -> tuple[object, ...]:
    return tuple((k, number, data.tobytes()) for k, given in units.items() for number, data in given["buffers"].items())


def _run(mesh: Program, task: Program | None, draw: Draw, units: Mapping[int, Mapping[str, Any]]) -> Primitives:
    assert draw.mesh is not None
    given = units[int(Processor.MESH)]
    runs: list[tuple[Any, bytes | None]] = [(draw.mesh.grid, None)]
    if task is not None:
        launched = tgsi.run(task, engine="interp", grid=draw.mesh.grid, **units[int(Processor.TASK)])
        runs = [(tuple(map(int, grid)), data.tobytes()) for grid, data in zip(launched.tasks, launched.payload) if grid.all()]
    rows: list[tuple[Words, int]] = []
    for grid, payload in runs:
        more: dict[str, Any] = {} if payload is None else {"payload": payload}
        found = tgsi.run(mesh, engine="interp", grid=grid, **given, **more)
        rows += [row for item in found.meshes for row in _corners(mesh, item)]
    outputs = np.stack([words for words, _ in rows])
    place = _places(mesh)["POSITION"]
    return Primitives(outputs[:, :, place].view(np.float32), outputs, np.array([number for _, number in rows]), mesh, False)


def _places(program: Program) -> dict[str, int]:
    """Places of the registers of each semantic, in `Primitives.outputs`."""
    registers = sorted({k for d in program.declared(File.OUT) for k in range(d.first, d.last + 1)})
    return {d.semantic.name: registers.index(d.first) for d in program.declared(File.OUT) if d.semantic is not None}


def _corners(program: Program, item: Any) -> Iterator[tuple[Words, int]]:
    """The corners of each primitive with all registers, (corners, registers, 4), and the number of its viewport."""
    registers = sorted({k for d in program.declared(File.OUT) for k in range(d.first, d.last + 1)})
    last = item.vertices.shape[1]
    places = _places(program)
    for indices, own in zip(item.indices, item.primitives):
        if indices.max(initial=0) >= len(item.vertices):
            continue
        words = np.zeros((len(indices), len(registers), 4), np.uint32)
        words[:, :last] = item.vertices[indices]
        words[:, len(registers) - len(own) :] = own
        mask = int(words[0, places["VIEWPORT_MASK"], 0]) if "VIEWPORT_MASK" in places else 1
        for number in range(16):
            if mask >> number & 1:
                yield words, number
