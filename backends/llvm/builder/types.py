"""Types of staged values and the text of constants."""

from __future__ import annotations

import functools
import struct
from dataclasses import field

from tgsi.language.record import record


@record
class Type:
    """A scalar (`lanes` == 1) or a vector of `lanes` equal elements.

    `kind` is "f" (float), "i" (integer) or "p" (pointer); `bits` the width of one element.
    """

    kind: str
    bits: int
    lanes: int = 1
    element: str = field(init=False, repr=False, compare=False)  # LLVM's name of the element type
    text: str = field(init=False, repr=False, compare=False)  # LLVM's name of the whole type

    def __post_init__(self) -> None:
        # Computed once, because every written line needs both names.
        if self.kind == "f":
            element = {16: "half", 32: "float", 64: "double"}[self.bits]
        else:
            element = "ptr" if self.kind == "p" else f"i{self.bits}"
        object.__setattr__(self, "element", element)
        object.__setattr__(self, "text", element if self.lanes == 1 else f"<{self.lanes} x {element}>")

    def __str__(self) -> str:
        return self.text

    @property
    def suffix(self) -> str:
        """Mangled type name at the end of an overloaded intrinsic's name."""
        base = "p0" if self.kind == "p" else f"{self.kind}{self.bits}"
        return base if self.lanes == 1 else f"v{self.lanes}{base}"

    def wide(self, lanes: int) -> Type:
        """Type of `lanes` elements of this type's element type."""
        return self if lanes == self.lanes else _vector(self.kind, self.bits, lanes)


@functools.cache
def _vector(kind: str, bits: int, lanes: int) -> Type:
    return Type(kind, bits, lanes)


BOOL = Type("i", 1)
I8 = Type("i", 8)
I16 = Type("i", 16)
I32 = Type("i", 32)
I64 = Type("i", 64)
F32 = Type("f", 32)
F64 = Type("f", 64)
PTR = Type("p", 64)


def element_text(t: Type, x: float) -> str:
    """LLVM text of one element of type `t`. Floats are rounded to `t`, integers wrap."""
    if t.kind == "f":
        value = struct.unpack("f", struct.pack("f", x))[0] if t.bits == 32 else x
        return f"0x{struct.unpack('Q', struct.pack('d', value))[0]:016X}"
    if t.kind == "p":
        return "null" if x == 0 else f"inttoptr (i64 {int(x)} to ptr)"
    value = int(x) & ((1 << t.bits) - 1)
    # LLVM reads signed and unsigned decimals, and prints the signed form.
    return str(value - (1 << t.bits) if t.bits > 1 and value >> (t.bits - 1) else value)


def constant_text(t: Type, x: float) -> str:
    """LLVM text of a constant whose lanes all equal `x`."""
    one = element_text(t, x)
    return one if t.lanes == 1 else f"splat ({t.element} {one})"


def reinterpreted(t: Type, x: float, to: Type) -> float | None:
    """`x` of type `t` reinterpreted bit for bit as type `to`; None unless elements have 32 bits, or if the result is NaN."""
    if t.bits != 32 or to.bits != 32 or "p" in (t.kind, to.kind):
        return None
    if t.kind == to.kind:
        return x
    bits = struct.unpack("<I", struct.pack("<f", x))[0] if t.kind == "f" else int(x) & 0xFFFFFFFF
    if bits & 0x7FFFFFFF > 0x7F800000:
        return None
    return float(struct.unpack("<f", struct.pack("<I", bits))[0]) if to.kind == "f" else int(bits)
