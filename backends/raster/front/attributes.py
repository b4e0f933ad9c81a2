"""The state of a vertex element that changes the code of vertex fetch."""

from __future__ import annotations

from functools import cache

from backends.formats import ChannelType, VertexFormat, WideFormat
from tgsi.language.record import record


@record
class Attribute:
    """The part of a vertex element that changes code.

    Attributes:
        instanced: the element advances by instances, not by vertices.
        divided: the element advances once per several instances (its divisor is above 1).
    """

    format: VertexFormat
    instanced: bool = False
    divided: bool = False

    @property
    def is_float(self) -> bool:
        """True for one to four 32-bit floats in order, which `build_fetch_floats` reads in any layout."""
        return _is_float(self.format)


@cache
def _is_float(format: VertexFormat) -> bool:
    """The format has one to four 32-bit floats, from X on."""
    if isinstance(format, WideFormat):
        return False
    return all(c.type is ChannelType.FLOAT and c.size == 32 for c in format.channels) and format.swizzle[0] == 0
