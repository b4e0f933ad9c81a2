"""Output ATTR of a mesh shader: vertices, then primitives, then shared memory, starting on a new line.

Sources: Mesa's NVK notes ("Shared Memory", "Mesh") and its page on the layout of ISBE. Both parts are skewed in blocks of 32 rows; that
primitives are skewed as vertices are is a choice of this package (docs/mesh.md).
"""

from __future__ import annotations

from backends.nvk.isbe.attributes import Attributes
from backends.nvk.isbe.regions import IsbeError, Padding, lines_of, rounded_to_lines, within
from backends.nvk.isbe.skew import part_bytes, plain, skewed
from tgsi.language.record import record


@record
class VertexByte:
    """Byte `byte` of the word that holds one attribute of a vertex."""

    vertex: int
    attribute: int
    byte: int = 0


@record
class PrimitiveByte:
    """Byte `byte` of the word that holds one attribute of a primitive."""

    primitive: int
    attribute: int
    byte: int = 0


@record
class UnusedRow:
    """Byte of a row beyond the last vertex, or the last primitive: parts hold whole blocks of 32 rows."""

    row: int
    attribute: int
    byte: int = 0
    of_primitives: bool = False


@record
class SharedByte:
    """Byte of shared memory."""

    offset: int


MeshPlace = VertexByte | PrimitiveByte | UnusedRow | SharedByte | Padding


@record
class MeshOutput:
    """The parts of output ATTR: attributes of a vertex and of a primitive, most vertices and primitives, and bytes of shared memory."""

    vertex: Attributes
    primitive: Attributes
    max_vertices: int
    max_primitives: int
    shared_bytes: int = 0

    @property
    def primitive_start(self) -> int:
        """Address of the first primitive: the end of the vertices."""
        return part_bytes(self.max_vertices, self.vertex.row_bytes)

    @property
    def attribute_bytes(self) -> int:
        """Bytes of all attributes, of vertices and of primitives."""
        return self.primitive_start + part_bytes(self.max_primitives, self.primitive.row_bytes)

    @property
    def shared_start(self) -> int:
        """Address of shared memory: the end of all attributes, in whole lines."""
        return rounded_to_lines(self.attribute_bytes)

    @property
    def size(self) -> int:
        """Bytes of the region, in whole lines."""
        return self.shared_start + rounded_to_lines(self.shared_bytes)

    @property
    def shared_lines(self) -> int:
        """Lines of shared memory (SET_MESH_SHADER_B.SHARED_MEM_LINES)."""
        return lines_of(self.shared_bytes)

    def address(self, place: MeshPlace, skew: bool = True) -> int:
        """Address of a place, with SKEW or without.

        Raises:
            IsbeError: there is no such vertex, primitive, attribute or byte; the message names the limit.
        """
        match place:
            case VertexByte(vertex, attribute, byte):
                within(vertex, self.max_vertices, "vertex")
                return self._in_rows(self.vertex, vertex, attribute, byte, skew)
            case PrimitiveByte(primitive, attribute, byte):
                within(primitive, self.max_primitives, "primitive")
                return self.primitive_start + self._in_rows(self.primitive, primitive, attribute, byte, skew)
            case UnusedRow(row, attribute, byte, of_primitives):
                used = self.max_primitives if of_primitives else self.max_vertices
                if not used <= row < part_bytes(used, 1):
                    raise IsbeError(f"row {row}: rows {used} .. {part_bytes(used, 1) - 1} are unused")
                part, start = (self.primitive, self.primitive_start) if of_primitives else (self.vertex, 0)
                return start + self._in_rows(part, row, attribute, byte, skew)
            case SharedByte(offset):
                return self.shared_start + within(offset, self.shared_bytes, "byte of shared memory")
            case Padding(offset):
                end = self.shared_start + self.shared_bytes
                return end + within(offset, self.size - end, "byte of padding")

    def at(self, address: int, skew: bool = True) -> MeshPlace:
        """Place at an address, read with SKEW or without. Raises IsbeError for addresses beyond the region."""
        within(address, self.size, "address in ATTR")
        if address < self.primitive_start:
            row, attribute, byte = self._row_at(self.vertex, address, skew)
            return VertexByte(row, attribute, byte) if row < self.max_vertices else UnusedRow(row, attribute, byte)
        if address < self.attribute_bytes:
            row, attribute, byte = self._row_at(self.primitive, address - self.primitive_start, skew)
            return PrimitiveByte(row, attribute, byte) if row < self.max_primitives else UnusedRow(row, attribute, byte, of_primitives=True)
        offset = address - self.shared_start
        return SharedByte(offset) if offset < self.shared_bytes else Padding(offset - self.shared_bytes)

    @staticmethod
    def _in_rows(part: Attributes, row: int, attribute: int, byte: int, skew: bool) -> int:
        address = row * part.row_bytes + part.offset(attribute) + within(byte, 4, "byte of a word")
        return skewed(address, part.row_bytes) if skew else address

    @staticmethod
    def _row_at(part: Attributes, address: int, skew: bool) -> tuple[int, int, int]:
        unskewed = plain(address, part.row_bytes) if skew else address
        row, offset = divmod(unskewed, part.row_bytes)
        return row, part.at(offset), offset % 4
