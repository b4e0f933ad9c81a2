"""The registers that an indirect operand may name, with the address values that choose each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.brackets import VERTICES
from tgsi.language.facts.enums import File, Primitive
from tgsi.language.facts.semantics import PATCH_SEMANTICS
from tgsi.language.facts.stages import PATCH_STAGES, STAGES
from tgsi.language.ir import Dimension, IndirectRef, Instruction, RegisterRef
from tgsi.language.mesh import MeshLayout, mesh_layout
from tgsi.language.program import Program
from tgsi.language.record import record

MOST = 1 << 14
"""Most registers of one operand; more are refused, because the program would be far too long for any device."""

PATCH_VERTICES = 32
"""Most vertices of a patch that an index may select; vertices beyond the patch read 0."""


@record
class Candidates:
    """The registers that one operand may name.

    rows: the values of the outer address, each of which chooses a row; None: the row needs no comparison. columns: likewise for the inner
    address. registers: the register of each row and column, or None if it does not exist.
    """

    outer: IndirectRef | None
    inner: IndirectRef | None
    rows: tuple[int | None, ...]
    columns: tuple[int | None, ...]
    registers: tuple[tuple[RegisterRef | None, ...], ...]


class Finder:
    """The registers that operands of one program may name."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.reaches_holes = False
        """True once an operand was found that may name an undeclared TEMP."""
        self._layout = mesh_layout(program) if STAGES[program.processor].is_mesh else None
        self._once = {
            register
            for item in program.declarations
            if item.file in (File.IN, File.OUT) and program.processor in PATCH_STAGES
            if item.semantic is not None and item.semantic.name in PATCH_SEMANTICS
            for register in ((item.file, number) for number in range(item.first, item.last + 1))
        }

    def find(self, register: RegisterRef, item: Instruction) -> Candidates:
        """Return the registers that an operand of an instruction may name.

        Raises:
            UnsupportedError: they are too many, or the program does not declare the number of vertices of its primitives.
        """
        dimension = register.dimension
        outer = dimension.indirect if dimension is not None else None
        rows = self._rows(register, item)
        columns = self._columns(register, rows)
        if len(rows) * len(columns) > MOST:
            text = f"{register.file.name} operands with an address would become {len(rows) * len(columns)} comparisons"
            raise UnsupportedError.at("B052", text, item.span, hint="declare arrays, or fewer registers")
        registers = tuple(tuple(self._register(register, row, column) for column in columns) for row in rows)
        base = dimension.index if dimension is not None else 0
        return Candidates(
            outer,
            register.indirect,
            tuple(None if outer is None else row - base for row in rows),
            tuple(None if register.indirect is None else column - register.index for column in columns),
            registers,
        )

    def holes(self) -> Iterator[tuple[int, int]]:
        """Yield the first and the last TEMP of each gap between declared ones."""
        end = 0
        for item in sorted(self._program.declared(File.TEMP), key=lambda item: item.first):
            if item.first > end:
                yield end, item.first - 1
            end = max(end, item.last + 1)

    def plain(self, register: RegisterRef) -> RegisterRef:
        """Return a register without its outer bracket if that selects neither a vertex nor a buffer, so that the language ignores it."""
        has_rows = register.file in (File.CONST, File.HWATOMIC) or register.file in STAGES[self._program.processor].vertex_rows
        return register if register.dimension is None or has_rows else replace(register, dimension=None)

    def _rows(self, register: RegisterRef, item: Instruction) -> Sequence[int]:
        dimension = register.dimension
        if dimension is None:
            return (0,)
        if dimension.indirect is None:
            return (dimension.index,)
        if register.file in STAGES[self._program.processor].vertex_rows:
            return range(self._vertices(register, item))
        return sorted({declared.dimension or 0 for declared in self._program.declared(register.file)})

    def _vertices(self, register: RegisterRef, item: Instruction) -> int:
        """The number of vertices that the first bracket may name."""
        program = self._program
        if self._layout is not None:
            return self._layout.rows(self._layout.is_per_primitive(register))
        if program.processor in PATCH_STAGES:
            return (
                program.property(f"{STAGES[program.processor].prefix}VERTICES_OUT", PATCH_VERTICES)
                if register.file is File.OUT
                else PATCH_VERTICES
            )
        if not any(declared.name == "GS_INPUT_PRIMITIVE" for declared in program.properties):
            text = "the program does not declare the number of vertices of its primitives, so an index of vertices has no bound"
            raise UnsupportedError.at("B052", text, item.span, hint="write PROPERTY GS_INPUT_PRIMITIVE")
        number = program.property("GS_INPUT_PRIMITIVE")
        return VERTICES.get(Primitive(number), 1)

    def _columns(self, register: RegisterRef, rows: Sequence[int]) -> Sequence[int]:
        """The numbers of registers within a row."""
        if register.indirect is None:
            return (register.index,)
        file, program = register.file, self._program
        if file is File.IMM:
            return range(len(program.immediates))
        if file is File.CONSTBUF:
            return sorted({declared.dimension or 0 for declared in program.declared(File.CONST)})
        declared = program.declared(file)
        array = next((item for item in declared if register.array_id and item.array_id == register.array_id), None)
        if array is not None:
            return range(array.first, array.last + 1)
        if file in (File.CONST, File.HWATOMIC):
            declared = tuple(item for item in declared if (item.dimension or 0) in rows)
        if file is File.TEMP:
            self.reaches_holes = True
            return range(program.file_size(file))
        numbers = sorted({number for item in declared for number in range(item.first, item.last + 1)})
        return [number for number in numbers if self._layout is None or _fits(self._layout, register, number)]

    def _register(self, register: RegisterRef, row: int, column: int) -> RegisterRef | None:
        """Return the register of a row and a column. A register that exists once per patch lies in the first row, whatever row is named."""
        dimension = None if register.dimension is None else Dimension(row)
        if (register.file, column) in self._once and register.dimension is not None:
            dimension = Dimension(0)
        elif register.file is File.CONST and not any(
            item.covers(column) for item in self._program.declared(File.CONST) if (item.dimension or 0) == row
        ):
            return None
        return replace(register, index=column, dimension=dimension, indirect=None, array_id=0)


def _fits(layout: MeshLayout, register: RegisterRef, number: int) -> bool:
    """True if an output of a mesh program has rows of the kind (vertices or primitives) that an operand without an array means."""
    return register.file is not File.OUT or (number in layout.per_primitive) == layout.is_per_primitive(register)
