"""Vertex array objects: attributes, and the bindings that feed them. (OpenGL 4.6 core, chapter 10)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tgsi.opengl.errors import bad_enum
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.objects.buffer import Buffer

MAX_ATTRIBUTES, ALL_ATTRIBUTES = 16, 32
"""Number of generic attributes, and of all attributes, where the conventional ones come last (`tgsi.opengl.state.fixed`)."""

PLAIN = {
    GL.BYTE: (8, "S", 1),
    GL.UNSIGNED_BYTE: (8, "U", 1),
    GL.SHORT: (16, "S", 2),
    GL.UNSIGNED_SHORT: (16, "U", 2),
    GL.INT: (32, "S", 4),
    GL.UNSIGNED_INT: (32, "U", 4),
    GL.HALF_FLOAT: (16, "FLOAT", 2),
    GL.HALF_FLOAT_OES: (16, "FLOAT", 2),
    GL.FLOAT: (32, "FLOAT", 4),
    GL.DOUBLE: (64, "FLOAT", 8),
    GL.FIXED: (32, "FIXED", 4),
}
"""Bits, kind and bytes of a component, by type."""

PACKED = {
    GL.INT_2_10_10_10_REV: "R10G10B10A2_S",
    GL.UNSIGNED_INT_2_10_10_10_REV: "R10G10B10A2_U",
    GL.UNSIGNED_INT_10F_11F_11F_REV: "R11G11B10_FLOAT",
}


@dataclass(slots=True, kw_only=True)
class Attribute:
    """One attribute: the format of its values, and the binding that supplies them."""

    is_enabled: bool = False
    size: int = 4
    type: int = GL.FLOAT
    is_normalized: bool = False
    is_integer: bool = False
    is_long: bool = False
    is_bgra: bool = False
    offset: int = 0
    binding: int = 0
    pointer: int = 0
    stride: int = 0

    def format(self) -> str:
        """The name of the Gallium format."""
        if self.type in PACKED:
            name = PACKED[self.type]
            name = name if name.endswith("FLOAT") else name + ("NORM" if self.is_normalized else "SCALED")
            return name.replace("R10G10B10", "B10G10R10") if self.is_bgra else name
        bits, kind, _ = PLAIN[self.type]
        if kind in "SU":
            kind += "INT" if self.is_integer else "NORM" if self.is_normalized else "SCALED"
        letters = "BGRA" if self.is_bgra else "RGBA"[: self.size]
        return "".join(f"{letter}{bits}" for letter in letters) + f"_{kind}"

    def bytes(self) -> int:
        """Bytes of one value."""
        return element_bytes(self.size, self.type)


def element_bytes(size: int, type: int) -> int:
    """Bytes of a value of `size` components."""
    if type in PACKED:
        return 4
    if type not in PLAIN:
        raise bad_enum("type", type)
    return size * PLAIN[type][2]


@dataclass(slots=True)
class Binding:
    """A vertex buffer with its first byte, stride and divisor."""

    buffer: Buffer | None = None
    offset: int = 0
    stride: int = 16
    divisor: int = 0


class VertexArray:
    """Attributes, bindings and the index buffer."""

    def __init__(self, name: int) -> None:
        self.name = name
        self.attributes = [Attribute(binding=index) for index in range(ALL_ATTRIBUTES)]
        self.bindings = [Binding() for _ in range(ALL_ATTRIBUTES)]
        self.index: Buffer | None = None
        self.label = ""
