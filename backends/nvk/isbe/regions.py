"""Regions of ISBE, lines of 128 bytes, and the error of an address that lies nowhere.

Source: Mesa's page on the layout of ISBE ("Regions"). The layouts of PATCH and PRIM are unknown: they are plain bytes here.
"""

from __future__ import annotations

from enum import IntEnum

from tgsi.language.record import record

LINE_BYTES = 128
"""Bytes of a line, the unit of sizes in methods."""

WORD_BYTES = 4
"""Bytes of one scalar attribute of one vertex."""

ROWS_OF_BLOCK = LINE_BYTES // WORD_BYTES
"""Vertices, or primitives, that share the lines of a skewed block."""


class Region(IntEnum):
    """Regions by their numbers."""

    MAP = 0
    PATCH = 1
    PRIM = 2
    ATTR = 3


class Side(IntEnum):
    """Spaces of a stage: I, which the stage before has filled, and O, which the stage fills."""

    I = 0
    O = 1


class IsbeError(ValueError):
    """Address, number or size that ISBE does not have; the message names it and its limit."""


@record
class Padding:
    """A byte between two parts, which holds nothing. `offset` counts from the end of the part before it."""

    offset: int


@record
class PlainByte:
    """A byte of PATCH or PRIM."""

    region: Region
    offset: int


def rounded_to_lines(size: int) -> int:
    """`size` bytes, rounded up to whole lines."""
    return -(-size // LINE_BYTES) * LINE_BYTES


def lines_of(size: int) -> int:
    """Lines that `size` bytes take."""
    return -(-size // LINE_BYTES)


def within(value: int, end: int, name: str) -> int:
    """`value`, which must lie in 0 .. end - 1.

    Raises:
        IsbeError: it does not.
    """
    if not 0 <= value < end:
        raise IsbeError(f"{name} {value} is not in 0 .. {end - 1}" if end > 0 else f"{name} {value}: there is none")
    return value


@record
class PlainRegion:
    """PATCH or PRIM with `size` bytes. An address is the number of the byte."""

    region: Region
    size: int

    def address(self, place: PlainByte) -> int:
        """Address of a byte. Raises IsbeError for bytes of another region, or beyond the end."""
        if place.region is not self.region:
            raise IsbeError(f"a byte of {place.region.name} does not lie in {self.region.name}")
        return within(place.offset, self.size, f"byte of {self.region.name}")

    def at(self, address: int) -> PlainByte:
        """Byte at an address. Raises IsbeError beyond the end."""
        return PlainByte(self.region, within(address, self.size, f"address in {self.region.name}"))
