"""MAP of a mesh shader: the number of primitives and 8-bit vertex numbers, and the reversed order of writes to it.

The output MAP stores the bytes of a 32-bit write in reverse, downwards from the given address: the most significant byte goes to that
address, the others below. So a write at 0x3 leaves the count little-endian at 0 .. 3. Sources: Mesa's NVK notes ("Mesh") and its page on
the layout of ISBE ("MAP").
"""

from __future__ import annotations

from backends.nvk.isbe.regions import IsbeError, Padding, Side, rounded_to_lines, within
from tgsi.language.record import record

COUNT_BYTES = 4
"""Bytes of the count at the start of an output MAP; an input MAP has no count."""

COUNT_WRITE = 0x3
"""Address that a 32-bit write of the count names."""

MAX_INDEX = 255
"""Greatest vertex number that a byte holds."""


@record
class CountByte:
    """Byte of the number of primitives, the least significant first."""

    byte: int


@record
class IndexByte:
    """Vertex number of one corner of a primitive."""

    primitive: int
    corner: int


MapPlace = CountByte | IndexByte | Padding


@record
class IndexMap:
    """MAP of primitives with `corners` vertices each, as output (with a count) or as input (without)."""

    corners: int
    max_primitives: int
    side: Side = Side.O

    @property
    def index_start(self) -> int:
        """Address of the first vertex number."""
        return COUNT_BYTES if self.side is Side.O else 0

    @property
    def used_bytes(self) -> int:
        """Bytes of the count and of all vertex numbers."""
        return self.index_start + self.corners * self.max_primitives

    @property
    def size(self) -> int:
        """Bytes of the region, in whole lines."""
        return rounded_to_lines(self.used_bytes)

    def address(self, place: MapPlace) -> int:
        """Address of a place. Raises IsbeError if it does not exist; the message names the limit."""
        match place:
            case CountByte(byte):
                if self.side is Side.I:
                    raise IsbeError("an input MAP holds no count of primitives")
                return within(byte, COUNT_BYTES, "byte of the count")
            case IndexByte(primitive, corner):
                within(primitive, self.max_primitives, "primitive")
                return self.index_start + primitive * self.corners + within(corner, self.corners, "corner")
            case Padding(offset):
                return self.used_bytes + within(offset, self.size - self.used_bytes, "byte of padding")

    def at(self, address: int) -> MapPlace:
        """Place at an address. Raises IsbeError for addresses beyond the region."""
        within(address, self.size, "address in MAP")
        if address < self.index_start:
            return CountByte(address)
        if address < self.used_bytes:
            return IndexByte(*divmod(address - self.index_start, self.corners))
        return Padding(address - self.used_bytes)


def landing(address: int, size: int, side: Side = Side.O) -> tuple[int, ...]:
    """Addresses at which the bytes of a write of `size` bytes to MAP land, the least significant byte first.

    Raises:
        IsbeError: a byte would land below 0.
    """
    if side is Side.I:
        return tuple(range(address, address + size))
    if address < size - 1:
        raise IsbeError(
            f"a write of {size} bytes at 0x{address:x} of the output MAP: it goes down from there, so 0x{size - 1:x} is the least"
        )
    return tuple(range(address - size + 1, address + 1))
