"""Pixel formats of the caller's memory: Gallium formats for pairs of format and type. (OpenGL 4.6 compatibility, 8.4.4)"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from tgsi.gallium import Format
from tgsi.opengl.errors import bad_enum, bad_operation
from tgsi.opengl.registry import enums as GL


class ClientFormat(NamedTuple):
    """Layout of a pixel in the caller's memory.

    `format` is the Gallium format with these bits; `order` lists its component for each of red, green, blue and alpha, if no Gallium format
    has the exact order. `unit` is the size of the units that swap_bytes reverses.
    """

    format: Format
    order: str = ""
    unit: int = 1
    pixel: int = 1
    is_depth: bool = False
    is_stencil: bool = False


LETTERS = {
    GL.RED: "R", GL.GREEN: "G", GL.BLUE: "B", GL.ALPHA: "A", GL.RG: "RG", GL.RGB: "RGB", GL.RGBA: "RGBA", GL.BGR: "BGR", GL.BGRA: "BGRA",
    GL.LUMINANCE: "L", GL.LUMINANCE_ALPHA: "LA",
    GL.RED_INTEGER: "R", GL.GREEN_INTEGER: "G", GL.BLUE_INTEGER: "B", GL.RG_INTEGER: "RG", GL.RGB_INTEGER: "RGB", GL.RGBA_INTEGER: "RGBA",
    GL.BGR_INTEGER: "BGR", GL.BGRA_INTEGER: "BGRA",
}  # fmt: skip
INTEGERS = {
    GL.RED_INTEGER, GL.GREEN_INTEGER, GL.BLUE_INTEGER, GL.RG_INTEGER, GL.RGB_INTEGER, GL.RGBA_INTEGER, GL.BGR_INTEGER, GL.BGRA_INTEGER,
}  # fmt: skip
PLAIN = {
    GL.UNSIGNED_BYTE: (8, "UNORM", "UINT"),
    GL.BYTE: (8, "SNORM", "SINT"),
    GL.UNSIGNED_SHORT: (16, "UNORM", "UINT"),
    GL.SHORT: (16, "SNORM", "SINT"),
    GL.UNSIGNED_INT: (32, "UNORM", "UINT"),
    GL.INT: (32, "SNORM", "SINT"),
    GL.FLOAT: (32, "FLOAT", ""),
    GL.HALF_FLOAT: (16, "FLOAT", ""),
    GL.HALF_FLOAT_OES: (16, "FLOAT", ""),
}
"""Types with one number per component: its bits, and the kind of numbers for color and for integer formats."""

PACKED = {
    (GL.UNSIGNED_BYTE_3_3_2, 3): ("B2G3R3", "zyx"),
    (GL.UNSIGNED_BYTE_2_3_3_REV, 3): ("R3G3B2", "xyz"),
    (GL.UNSIGNED_SHORT_5_6_5, 3): ("B5G6R5", "zyx"),
    (GL.UNSIGNED_SHORT_5_6_5_REV, 3): ("R5G6B5", "xyz"),
    (GL.UNSIGNED_SHORT_4_4_4_4, 4): ("A4B4G4R4", "wzyx"),
    (GL.UNSIGNED_SHORT_4_4_4_4_REV, 4): ("R4G4B4A4", "xyzw"),
    (GL.UNSIGNED_SHORT_5_5_5_1, 4): ("A1B5G5R5", "wzyx"),
    (GL.UNSIGNED_SHORT_1_5_5_5_REV, 4): ("R5G5B5A1", "xyzw"),
    (GL.UNSIGNED_INT_8_8_8_8, 4): ("A8B8G8R8", "wzyx"),
    (GL.UNSIGNED_INT_8_8_8_8_REV, 4): ("R8G8B8A8", "xyzw"),
    (GL.UNSIGNED_INT_2_10_10_10_REV, 4): ("R10G10B10A2", "xyzw"),
}
"""Types that pack a pixel into one number, by the number of components: the Gallium format for RGB or RGBA."""

WHOLE = {
    (GL.RGB, GL.UNSIGNED_INT_10F_11F_11F_REV): ("R11G11B10_FLOAT", 4),
    (GL.RGB, GL.UNSIGNED_INT_5_9_9_9_REV): ("R9G9B9E5_FLOAT", 4),
    (GL.DEPTH_STENCIL, GL.UNSIGNED_INT_24_8): ("S8_UINT_Z24_UNORM", 4),
    (GL.DEPTH_STENCIL, GL.FLOAT_32_UNSIGNED_INT_24_8_REV): ("Z32_FLOAT_S8X24_UINT", 4),
    (GL.DEPTH_COMPONENT, GL.UNSIGNED_SHORT): ("Z16_UNORM", 2),
    (GL.DEPTH_COMPONENT, GL.UNSIGNED_INT): ("Z32_UNORM", 4),
    (GL.DEPTH_COMPONENT, GL.FLOAT): ("Z32_FLOAT", 4),
    (GL.DEPTH_COMPONENT, GL.UNSIGNED_BYTE): ("R8_UNORM", 1),
    (GL.DEPTH_COMPONENT, GL.UNSIGNED_INT_24_8): ("X8Z24_UNORM", 4),
    (GL.STENCIL_INDEX, GL.UNSIGNED_BYTE): ("S8_UINT", 1),
    (GL.STENCIL_INDEX, GL.UNSIGNED_SHORT): ("R16_UINT", 2),
    (GL.STENCIL_INDEX, GL.UNSIGNED_INT): ("R32_UINT", 4),
    (GL.STENCIL_INDEX, GL.INT): ("R32_SINT", 4),
    (GL.STENCIL_INDEX, GL.FLOAT): ("R32_FLOAT", 4),
}
"""Pairs with a specific Gallium format, and the size of the units that swap_bytes reverses."""

COMMON = {
    "BGR8_UNORM": "B8G8R8_UNORM",
    "BGRA8_UNORM": "B8G8R8A8_UNORM",
    "BGRA8_UINT": "B8G8R8A8_UINT",
    "BGRA8_SINT": "B8G8R8A8_SINT",
    "BGRA8_SNORM": "B8G8R8A8_SNORM",
}


@cache
def client_format(format: int, type: int) -> ClientFormat:
    """The layout of one pixel.

    Raises:
        GLError: GL_INVALID_ENUM for an unknown format or type, GL_INVALID_OPERATION for an invalid pair.
    """
    if (format, type) in WHOLE:
        name, unit = WHOLE[format, type]
        packed_format = Format[name]
        is_depth, is_stencil = format in (GL.DEPTH_COMPONENT, GL.DEPTH_STENCIL), format in (GL.STENCIL_INDEX, GL.DEPTH_STENCIL)
        return ClientFormat(packed_format, "", unit, packed_format.block_bytes, is_depth, is_stencil)
    if format not in LETTERS:
        if format in (GL.DEPTH_COMPONENT, GL.STENCIL_INDEX, GL.DEPTH_STENCIL):
            raise bad_operation(f"type: {format:#06x} pixels of depth or stencil are not taken as {type:#06x}")
        raise bad_enum("format", format)
    letters = LETTERS[format]
    for count in (3, 4):
        if (type, count) in PACKED:
            if len(letters) != count:
                raise bad_operation(f"type: it packs {count} components, and the format has {len(letters)}")
            layout, _ = PACKED[type, count]
            packed = f"{layout}_{'UINT' if format in INTEGERS else 'UNORM'}"
            if packed not in Format.__members__:
                raise bad_operation("format: integers are not taken in this type")
            packed_format = Format[packed]
            return ClientFormat(
                packed_format, "" if letters.startswith("R") else "zyxw", packed_format.block_bytes, packed_format.block_bytes
            )
    if type not in PLAIN:
        raise (
            bad_enum("type", type)
            if type not in {key[0] for key in PACKED} | {key[1] for key in WHOLE}
            else bad_operation("type: it packs another number of components than the format has")
        )
    bits, kind, integer = PLAIN[type]
    if format in INTEGERS:
        if not integer:
            raise bad_operation("type: floats are not taken by a format of integers")
        kind = integer
    return _plain(letters, bits, kind)


def _plain(letters: str, bits: int, kind: str) -> ClientFormat:
    """The layout with one number per component, in the order of `letters`."""
    unit, pixel = bits // 8, bits // 8 * len(letters)
    names = {"L": f"L{bits}_{kind}", "LA": f"L{bits}A{bits}_{kind}", "A": f"A{bits}_{kind}"}
    direct = names.get(letters) or COMMON.get(f"{letters}{bits}_{kind}") or "".join(f"{letter}{bits}" for letter in letters) + f"_{kind}"
    if direct in Format.__members__:
        return ClientFormat(Format[direct], "", unit, pixel)
    stored = "".join(f"{letter}{bits}" for letter in "RGBA"[: len(letters)]) + f"_{kind}"
    order = {"BGR": "zyx1", "BGRA": "zyxw", "G": "0x01", "B": "00x1", "A": "000x", "L": "xxx1", "LA": "xxxy"}[letters]
    return ClientFormat(Format[stored], order, unit, pixel)
