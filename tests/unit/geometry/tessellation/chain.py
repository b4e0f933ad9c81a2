"""Expected results of draws of patches. The interpreter runs every stage; other tests cover the tessellator's points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from backends.geometry.tessellation.key import Tessellator
from linkage.chain import link_stages
from tests.unit.geometry.tessellation.patches import ONE, Patch, tessellate
from tgsi.language.facts.enums import File
from tgsi.language.program import Program

Words = NDArray[np.uint32]
LEVELS = {"TESSOUTER": 4, "TESSINNER": 2}


@dataclass(frozen=True)
class Chain:
    """Programs of a draw. Without a control program, `levels` are those of every patch."""

    vertex: Program
    control: Program | None
    evaluation: Program
    per_patch: int
    levels: tuple[float, ...] = (1.0,) * 6

    def run(self, vertices: Words, patches: int, instances: int = 1, **options: Any) -> list[Words]:
        """Vertices of all primitives in order, of shape (vertices of the primitives, OUT registers, 4).

        vertices: (n, IN registers, 4), with n vertices per instance.
        """
        found = []
        for _ in range(instances):
            shaded = tgsi.run(self.vertex, vertices, engine="interp").outputs
            for number in range(patches):
                rows = shaded[number * self.per_patch : (number + 1) * self.per_patch]
                found.append(self._patch(rows, number, **options))
        return found

    def _patch(self, rows: Words, number: int, **options: Any) -> Words:
        levels = np.array(self.levels, np.float32)
        producer = self.vertex
        if self.control is not None:
            inputs = linked(rows, producer, self.control, number)
            system = {"PRIM_ID": np.full(self.control.property("TCS_VERTICES_OUT"), number)} if _reads(self.control, "PRIM_ID") else None
            rows = tgsi.run(self.control, inputs[None], engine="interp", system_values=system, **options).outputs
            producer, levels = self.control, np.zeros(6, np.float32)
            for declaration in self.control.declared(File.OUT):
                if declaration.semantic is not None and declaration.semantic.name in LEVELS:
                    count, at = LEVELS[declaration.semantic.name], 0 if declaration.semantic.name == "TESSOUTER" else 4
                    levels[at : at + count] = rows[0, declaration.first, :count].view(np.float32)
        patch = tessellate(Tessellator.of(self.evaluation), [levels.tolist()])[0][0]
        if not len(patch.points):
            return np.zeros((0, self.evaluation.file_size(File.OUT), 4), np.uint32)
        return self._evaluate(linked(rows, producer, self.evaluation, number), patch, levels, number, **options)

    def _evaluate(self, inputs: Words, patch: Patch, levels: NDArray[np.float32], number: int, **options: Any) -> Words:
        count = len(patch.points)
        uv = (patch.points / ONE).astype(np.float32)
        third = np.float32(1) - uv[:, 0] - uv[:, 1]
        if Tessellator.of(self.evaluation).domain.name != "TRIANGLES":
            third[:] = 0
        given: dict[str, Any] = {
            "TESSCOORD": np.concatenate([uv, third[:, None]], 1),
            "TESSOUTER": np.tile(levels[:4], (count, 1)),
            "TESSINNER": np.tile(levels[4:], (count, 1)),
            "PRIM_ID": np.full(count, number),
        }
        given = {name: value for name, value in given.items() if _reads(self.evaluation, name)}
        outputs = tgsi.run(self.evaluation, inputs[None], engine="interp", system_values=given, **options).outputs
        found: Words = outputs[patch.primitives.ravel()]
        return found


def linked(rows: Words, producer: Program, consumer: Program, number: int) -> Words:
    """Inputs of `consumer` from the outputs of `producer`: (vertices, IN registers, 4)."""
    inputs = np.zeros((len(rows), consumer.file_size(File.IN), 4), np.uint32)
    inputs[:, :, 3] = np.float32(1).view(np.uint32)
    for row in link_stages(producer, consumer).rows:
        if row.output_register is not None:
            inputs[:, row.input_register] = rows[:, row.output_register]
        elif row.semantic.name == "PRIM_ID":
            inputs[:, row.input_register] = number
    return inputs


def _reads(program: Program, name: str) -> bool:
    return any(d.semantic is not None and d.semantic.name == name for d in program.declared(File.SV))


def words(values: Sequence[Any] | NDArray[Any]) -> Words:
    """Bits of floats as words."""
    return np.ascontiguousarray(values, np.float32).view(np.uint32)
