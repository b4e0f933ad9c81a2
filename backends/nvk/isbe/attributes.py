"""Attribute addresses: the byte that each scalar of an output has in the hardware's numbering, and the scalars that a row holds.

Sources: Mesa's page on the layout of ISBE and the table of attributes of its compiler NAK; COLOR, BCOLOR, CLIPVERTEX, TEXCOORD and
VIEWPORT_MASK as Mesa's driver nvc0 places them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from backends.nvk.isbe.regions import WORD_BYTES, IsbeError, within
from tgsi.language.record import record

END = 0x400
"""End of the attribute addresses."""


@record
class AttributeRow:
    """Attributes of one semantic: the address of index 0, the scalars of an index, and the number of indices, 16 bytes apart."""

    address: int
    scalars: int = 4
    indices: int = 1


ATTRIBUTES: Mapping[str, AttributeRow] = MappingProxyType(
    {
        "PRIM_ID": AttributeRow(0x060, scalars=1),
        "LAYER": AttributeRow(0x064, scalars=1),
        "VIEWPORT_INDEX": AttributeRow(0x068, scalars=1),
        "PSIZE": AttributeRow(0x06C, scalars=1),
        "POSITION": AttributeRow(0x070),
        "GENERIC": AttributeRow(0x080, indices=32),
        "CLIPVERTEX": AttributeRow(0x270),
        "COLOR": AttributeRow(0x280, indices=2),
        "BCOLOR": AttributeRow(0x2A0, indices=2),
        "CLIPDIST": AttributeRow(0x2C0, indices=2),
        "PCOORD": AttributeRow(0x2E0, scalars=2),
        "FOG": AttributeRow(0x2E8, scalars=1),
        "TEXCOORD": AttributeRow(0x300, indices=8),
        "VIEWPORT_MASK": AttributeRow(0x3A0, scalars=1),
    }
)
"""Attributes of the outputs of a mesh program, by the name of the semantic."""


def attribute_address(name: str, index: int = 0, component: int = 0) -> int:
    """Address of one component of an output with semantic ``name[index]``.

    Raises:
        IsbeError: the hardware has no such attribute; the message names the limit.
    """
    row = ATTRIBUTES.get(name)
    if row is None:
        raise IsbeError(f"{name} has no attribute; those that have one are {', '.join(ATTRIBUTES)}")
    within(index, row.indices, f"index of {name}")
    return row.address + 16 * index + WORD_BYTES * within(component, row.scalars, f"component of {name}")


@record
class Attributes:
    """The scalars that each vertex, or each primitive, has: attribute addresses, which rise. They lie close together in a row.

    Raises:
        IsbeError: an address is not a multiple of 4, lies at or beyond 0x400, or does not rise.
    """

    addresses: tuple[int, ...]

    def __post_init__(self) -> None:
        for address in self.addresses:
            if address % WORD_BYTES or not 0 <= address < END:
                raise IsbeError(f"attribute 0x{address:03x}: addresses are multiples of {WORD_BYTES} below 0x{END:x}")
        for before, after in zip(self.addresses, self.addresses[1:]):
            if before >= after:
                raise IsbeError(f"attribute 0x{after:03x} follows 0x{before:03x}: addresses rise")

    @property
    def row_bytes(self) -> int:
        """Bytes of one row."""
        return WORD_BYTES * len(self.addresses)

    def offset(self, address: int) -> int:
        """Byte in a row at which an attribute lies. Raises IsbeError for attributes that a row does not hold."""
        try:
            return WORD_BYTES * self.addresses.index(address)
        except ValueError:
            raise IsbeError(f"attribute 0x{address:03x} is not among those of a row: {self}") from None

    def at(self, offset: int) -> int:
        """Attribute that lies at a byte of a row (its address; the byte in the word is lost)."""
        return self.addresses[within(offset, self.row_bytes, "byte of a row") // WORD_BYTES]

    def __str__(self) -> str:
        return " ".join(f"0x{address:03x}" for address in self.addresses) or "none"
