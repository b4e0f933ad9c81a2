"""The shape of a mesh workgroup's output: rows of registers for its vertices and rows for its primitives.

Engines store rows of this shape, and lowerings to devices give them addresses.
"""

from __future__ import annotations

from collections.abc import Iterable

from tgsi.language.facts.brackets import VERTICES
from tgsi.language.facts.enums import File, MemoryType, Primitive
from tgsi.language.facts.properties import MESH_PRIMITIVES
from tgsi.language.facts.semantics import TOKEN_INDICES
from tgsi.language.ir import Declaration, ProgramData, RegisterRef
from tgsi.language.record import record


@record(kw_only=True)
class MeshLayout:
    """Rows of output registers of one workgroup of a mesh program.

    Attributes:
        primitive: POINTS, LINES or TRIANGLES.
        corners: vertices of a primitive, 1 to 3.
        max_vertices, max_primitives: number of rows of each kind.
        vertex_registers: registers of a vertex's row, which begins with OUT register 0.
        first_primitive: the OUT register that a primitive's row begins with.
        primitive_registers: registers of a primitive's row; 0 if no output exists once a primitive.
        per_primitive: OUT registers that exist once a primitive.
        primitive_arrays: array numbers of OUT whose registers exist once a primitive.
        indices: the OUT register that holds the PRIMITIVE_INDICES, or -1.
    """

    primitive: Primitive
    corners: int
    max_vertices: int
    max_primitives: int
    vertex_registers: int
    first_primitive: int
    primitive_registers: int
    per_primitive: frozenset[int]
    primitive_arrays: frozenset[int]
    indices: int

    def is_per_primitive(self, register: RegisterRef) -> bool:
        """True if the row of an OUT operand is a primitive's.

        A register that is indexed belongs where its array does, or without an array number where all outputs do.
        """
        if register.indirect is None:
            return register.index in self.per_primitive
        return register.array_id in self.primitive_arrays if register.array_id else not self.vertex_registers

    def rows(self, per_primitive: bool) -> int:
        """Number of rows of one kind."""
        return self.max_primitives if per_primitive else self.max_vertices


def mesh_layout(program: ProgramData) -> MeshLayout:
    """The shape of a mesh program's output. Every program has one, but it is meaningful only for valid mesh programs.

    Maxima that the program does not set are 0. The primitive is TRIANGLES unless the program sets another one.
    """
    outputs = program.declared(File.OUT)
    vertex = [item for item in outputs if not item.per_primitive]
    primitive = [item for item in outputs if item.per_primitive]
    first = min((item.first for item in primitive), default=0)
    number = program.property("MS_OUTPUT_PRIMITIVE", Primitive.TRIANGLES)
    kind = next((kind for kind in MESH_PRIMITIVES if kind == number), Primitive.TRIANGLES)
    return MeshLayout(
        primitive=kind,
        corners=VERTICES[kind],
        max_vertices=program.property("MS_MAX_OUTPUT_VERTICES"),
        max_primitives=program.property("MS_MAX_OUTPUT_PRIMITIVES"),
        vertex_registers=max((item.last + 1 for item in vertex), default=0),
        first_primitive=first,
        primitive_registers=max((item.last + 1 for item in primitive), default=first) - first,
        per_primitive=registers_of(primitive),
        primitive_arrays=frozenset(item.array_id for item in primitive if item.array_id),
        indices=next((item.first for item in outputs if item.semantic is not None and item.semantic.name == "PRIMITIVE_INDICES"), -1),
    )


def payload_registers(program: ProgramData) -> frozenset[int]:
    """MEMORY registers that name the payload."""
    memory = (item for item in program.declared(File.MEMORY) if item.memory is MemoryType.PAYLOAD)
    return registers_of(memory)


def registers_of(declarations: Iterable[Declaration]) -> frozenset[int]:
    """The registers of declared ranges that tokens can name. The validator reads them even for programs that it then rejects.

    Overlapping ranges are walked once: hostile programs have thousands of them.
    """
    registers: set[int] = set()
    end = 0
    for item in sorted(declarations, key=lambda declared: declared.first):
        after = min(item.last + 1, TOKEN_INDICES)
        registers.update(range(max(item.first, end), after))
        end = max(end, after)
    return frozenset(registers)
