"""Sizes and kinds of a format's components, for queries."""

from __future__ import annotations

from tgsi.gallium import Format
from tgsi.opengl.pixels.internal_formats import InternalFormat
from tgsi.opengl.registry import enums as GL


def bits_of(row: InternalFormat | None) -> tuple[int, int, int, int, int, int]:
    """Bits of red, green, blue, alpha, depth and stencil; 0 for components that the base format lacks."""
    if row is None or row.format not in Format.__members__:
        return (0, 0, 0, 0, 0, 0)
    bits = dict.fromkeys("RGBAZS", 0)
    for channel in Format[row.format].channels:
        if channel.letter in bits:
            bits[channel.letter] = channel.size
    return bits["R"], bits["G"], bits["B"], bits["A"], bits["Z"], bits["S"]


def kind_of(row: InternalFormat | None, is_stencil: bool = False) -> int:
    """The enumerant of the components' kind."""
    if row is None or is_stencil:
        return GL.UNSIGNED_INT if is_stencil else GL.NONE
    for word, value in (("_FLOAT", GL.FLOAT), ("_SNORM", GL.SIGNED_NORMALIZED), ("_SINT", GL.INT), ("_UINT", GL.UNSIGNED_INT)):
        if word in row.format and not row.format.startswith("Z24"):
            return value
    return GL.UNSIGNED_NORMALIZED
