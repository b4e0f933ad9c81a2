"""Register files: (registers, places, 4) words each, with per-lane addressing that never leaves its bounds.

Most files have a place for every lane. Inputs that geometry stages read by vertex have one for every vertex of every primitive. Outputs of
mesh programs have one for every vertex and every primitive of a workgroup.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from backends.interp.interpolate import inputs_at
from backends.interp.values import modified
from backends.run.arguments import Arguments
from backends.run.result import Bits, Mask
from backends.run.shapes import Index, patch_registers
from tgsi.language.facts.enums import File
from tgsi.language.facts.stages import STAGES
from tgsi.language.ir import Dimension, IndirectRef, RegisterRef, SrcOperand
from tgsi.language.mesh import MeshLayout, mesh_layout
from tgsi.language.program import Program
from tgsi.language.record import record

NOTHING: Bits = np.zeros((0, 0, 4), np.uint32)
"""A file without registers."""


@record
class Rows:
    """Places of a lane in a file with one row a vertex: the row of vertex v is place ``base + v``.

    count: vertices of a primitive. base, own: (lanes,), where the lane's primitive begins, and the vertex of operands without a vertex
    index. once: (registers,), registers that exist once per primitive, in the row of its first vertex. mesh: for outputs of a mesh
    program, whose registers have rows of vertices or of primitives; `count` is then the number of both together.
    """

    count: int
    base: Index
    own: Index
    once: Mask
    mesh: MeshLayout | None = None

    def rows_of(self, register: RegisterRef) -> tuple[int, int]:
        """The first row and the number of rows that an operand can name."""
        if self.mesh is None:
            return 0, self.count
        per_primitive = self.mesh.is_per_primitive(register)
        return (self.mesh.max_vertices if per_primitive else 0), self.mesh.rows(per_primitive)

    def registers_of(self, register: RegisterRef, low: int, high: int) -> tuple[int, int]:
        """The registers from `low` to `high` - 1 that have the rows of an operand, as such a range."""
        if self.mesh is None:
            return low, high
        if self.mesh.is_per_primitive(register):
            first = self.mesh.first_primitive
            return max(low, first), min(high, first + self.mesh.primitive_registers)
        return low, min(high, self.mesh.vertex_registers)


class Registers:
    """The registers that operands name. TEMP, ADDR and OUT start at 0.

    Reading outside of a file gives 0, writing there does nothing. An indirect operand with an array id stays inside that array.
    """

    def __init__(self, program: Program, arguments: Arguments) -> None:
        lanes = arguments.lanes
        self._lanes = np.arange(lanes)
        self._constants: Mapping[int, Bits] = arguments.constants
        self._arrays = {(d.file, d.array_id): (d.first, d.last + 1) for d in program.declarations if d.array_id}
        self._rows = _rows(program, arguments)
        self.files: dict[File, Bits] = {
            file: np.zeros((program.file_size(file), lanes, 4), np.uint32) for file in (File.TEMP, File.ADDR, File.OUT, File.SV)
        }
        immediates = np.array([i.words for i in program.immediates], np.uint32).reshape(-1, 1, 4)
        self.files[File.IMM] = np.repeat(immediates, lanes, axis=1)
        if File.IN in self._rows:
            primitives, vertices, registers, _ = arguments.vertices.shape
            self.files[File.IN] = arguments.vertices.transpose(2, 0, 1, 3).reshape(registers, primitives * vertices, 4)
        else:
            self.files[File.IN] = inputs_at(program, arguments)
        if File.OUT in self._rows:
            places = arguments.shape.groups * self._rows[File.OUT].count
            self.files[File.OUT] = np.zeros((program.file_size(File.OUT), places, 4), np.uint32)
        for declaration in program.declared(File.SV):
            if declaration.semantic is not None:
                self.files[File.SV][declaration.first : declaration.last + 1] = arguments.system_values[declaration.semantic.name]

    def read(self, register: RegisterRef, file: Bits | None = None) -> Bits:
        """The four channels of a register: (lanes, 4) words. `file` overrides the contents of its file."""
        if register.file is File.CONST:
            return self._read_constant(register)
        if file is None:
            file = self.files.get(register.file, NOTHING)
        if self._is_simple(register):
            return file[register.index] if 0 <= register.index < len(file) else np.zeros((len(self._lanes), 4), np.uint32)
        index = self.index(register.index, register.indirect)
        return _gather(file, index, *self._find(register, index))

    def source(self, operand: SrcOperand, kind: str, file: Bits | None = None) -> Bits:
        """A source with its swizzle and, by the type of the operand, its modifiers: (lanes, 4) words."""
        return selected(self.read(operand.register, file), operand, kind)

    def write(self, register: RegisterRef, channels: list[int], words: Bits, active: Mask) -> None:
        """Store channels of (lanes, 4) words for the active lanes; of lanes that share a register the highest has the last word."""
        file = self.files.get(register.file, NOTHING)
        if self._is_simple(register):
            if 0 <= register.index < len(file):
                for channel in channels:
                    np.copyto(file[register.index, :, channel], words[:, channel], where=active)
            return
        index = self.index(register.index, register.indirect)
        inside, places = self._find(register, index)
        lanes = np.flatnonzero(active & inside)
        registers = index if isinstance(index, int) else index[lanes]
        for channel in channels:
            file[registers, places[lanes], channel] = words[lanes, channel]

    def index(self, base: int, indirect: IndirectRef | None) -> int | Index:
        """A register's number: one for all lanes, or one a lane (the sum wraps at 32 bits)."""
        if indirect is None:
            return base
        address = self.read(RegisterRef(indirect.file, indirect.index))[:, indirect.component]
        return (address + np.uint32(base & 0xFFFFFFFF)).view(np.int32).astype(np.int64)

    def own(self, file: File, index: int) -> Bits:
        """A register as each lane sees it that names no vertex: (lanes, 4) words."""
        _, places = self._find(RegisterRef(file, index), index)
        words: Bits = self.files[file][index, places]
        return words

    def _is_simple(self, register: RegisterRef) -> bool:
        """One register, of which every lane has its own."""
        return register.indirect is None and register.file not in self._rows

    def _find(self, register: RegisterRef, index: int | Index) -> tuple[Mask, Index]:
        """The lanes for which a register exists, and its place in each. Files with one index ignore a second one."""
        low, high = 0, len(self.files.get(register.file, NOTHING))
        if register.indirect is not None:
            low, high = self._arrays.get((register.file, register.array_id), (low, high))
        inside = np.broadcast_to((index >= low) & (index < high), self._lanes.shape)
        rows = self._rows.get(register.file)
        if rows is None:
            return inside, self._lanes
        low, high = rows.registers_of(register, low, high)
        inside = inside & (index >= low) & (index < high)
        row = rows.own
        if register.dimension is not None:
            row = np.broadcast_to(self.index(register.dimension.index, register.dimension.indirect), self._lanes.shape)
        if inside.any():
            row = np.where(rows.once[np.where(inside, index, low)], 0, row)
        first, count = rows.rows_of(register)
        exists = (row >= 0) & (row < count)
        return inside & exists, rows.base + np.where(exists, first + row, 0)

    def _read_constant(self, register: RegisterRef) -> Bits:
        index = self.index(register.index, register.indirect)
        dimension = register.dimension or Dimension(0)
        buffer = self.index(dimension.index, dimension.indirect)
        if isinstance(buffer, int):
            return self._constant_words(buffer, index)
        words = np.zeros((len(self._lanes), 4), np.uint32)
        for number in set(buffer.tolist()) & set(self._constants):
            chosen = buffer == number
            words[chosen] = self._constant_words(number, index)[chosen]
        return words

    def _constant_words(self, buffer: int, index: int | Index) -> Bits:
        data = self._constants.get(buffer)
        if data is None:
            return np.zeros((len(self._lanes), 4), np.uint32)
        if isinstance(index, int) and 0 <= index < len(data):
            return np.broadcast_to(data[index], (len(self._lanes), 4))
        inside = np.broadcast_to((index >= 0) & (index < len(data)), self._lanes.shape)
        return _gather(data[:, None, :], index, inside, np.zeros_like(self._lanes))


def selected(words: Bits, operand: SrcOperand, kind: str) -> Bits:
    """(lanes, 4) words of an operand: swizzled, then with the modifiers of its type."""
    return modified(words.take(operand.swizzle, 1), kind, absolute=operand.absolute, negate=operand.negate)


def _rows(program: Program, arguments: Arguments) -> dict[File, Rows]:
    """The files by vertex of a stage."""
    files = STAGES[program.processor].vertex_rows
    if not files:
        return {}
    shape = arguments.shape
    if STAGES[program.processor].is_mesh:
        layout = mesh_layout(program)
        count = layout.max_vertices + layout.max_primitives
        return {File.OUT: Rows(count, shape.primitive * count, shape.member, _once(program, File.OUT), layout)}
    count = arguments.vertices.shape[1]
    own = shape.member if File.OUT in files else np.zeros(shape.lanes, np.int64)
    rows = {File.IN: Rows(count, shape.primitive * count, own, _once(program, File.IN))}
    if File.OUT in files:
        rows[File.OUT] = Rows(shape.members, shape.primitive * shape.members, own, _once(program, File.OUT))
    return rows


def _once(program: Program, file: File) -> Mask:
    once = np.zeros(program.file_size(file), np.bool_)
    once[list(patch_registers(program, file))] = True
    return once


def _gather(file: Bits, index: int | Index, inside: Mask, places: Index) -> Bits:
    """The words of (registers, places, 4) that each lane finds: 0 where nothing is."""
    words = np.zeros((len(places), 4), np.uint32)
    if inside.any():
        words[inside] = file[index if isinstance(index, int) else index[inside], places[inside]]
    return words
