"""Operands of the program builder: registers that are swizzled, masked, negated and indexed as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, replace
from typing import Self, TypeAlias

from tgsi.language.facts.enums import CHANNELS, File
from tgsi.language.ir import IDENTITY, XYZW, Dimension, DstOperand, IndirectRef, RegisterRef, SrcOperand
from tgsi.language.record import record


class Source:
    """A readable operand: a register, or a register with a sign."""

    __slots__ = ()

    def source(self) -> SrcOperand:
        """The operand in the form of the IR."""
        raise TypeError("a source is a register")


@record
class Register(Source):
    """One register. ``r.xy`` names channels: as a source the last one is repeated, as a destination they are the write mask.

    ``-r`` and ``abs(r)`` are sources. ``r.x + 3`` is an index where `r` is an address register or another integer register.
    An input of a stage that works on primitives is indexed by its vertex: ``position[2]``.
    """

    file: File
    index: int
    dimension: int | Index | None = None
    indirect: IndirectRef | None = None
    array_id: int = 0
    _: KW_ONLY
    letters: str = ""
    negate: bool = False
    absolute: bool = False

    @property
    def swizzle(self) -> tuple[int, int, int, int]:
        """Channels that a source reads."""
        if not self.letters:
            return IDENTITY
        order = [CHANNELS.index(letter) for letter in self.letters]
        order += [order[-1]] * (4 - len(order))
        return order[0], order[1], order[2], order[3]

    def __getattr__(self, letters: str) -> Self:
        if not 1 <= len(letters) <= 4 or not set(letters) <= set(CHANNELS):
            raise AttributeError(f"a register has channels x, y, z, w, not {letters!r}")
        chosen = [self.letters[min(CHANNELS.index(c), len(self.letters) - 1)] if self.letters else c for c in letters]
        return replace(self, letters="".join(chosen))

    def __getitem__(self, vertex: int | Register | Index) -> Self:
        """The register of one vertex of the primitive."""
        return replace(self, dimension=vertex if isinstance(vertex, int) else _index(vertex))

    def __neg__(self) -> Self:
        return replace(self, negate=not self.negate)

    def __abs__(self) -> Self:
        return replace(self, absolute=True, negate=False)

    def __add__(self, offset: int) -> Index:
        return Index(IndirectRef(self.file, self.index, self.swizzle[0]), offset)

    def __sub__(self, offset: int) -> Index:
        return self + -offset

    def reference(self) -> RegisterRef:
        """The register in the form of the IR."""
        dimension = None
        if isinstance(self.dimension, Index):
            dimension = Dimension(self.dimension.offset, self.dimension.register)
        elif self.dimension is not None:
            dimension = Dimension(self.dimension)
        return RegisterRef(self.file, self.index, dimension, self.indirect, self.array_id)

    def source(self) -> SrcOperand:
        """The source operand in the form of the IR."""
        return SrcOperand(self.reference(), self.swizzle, self.negate, self.absolute)

    def destination(self) -> DstOperand:
        """The destination operand in the form of the IR. ValueError for a sign, or channels that are not a mask."""
        if self.negate or self.absolute:
            raise ValueError("a destination has no sign and no absolute value")
        order = [CHANNELS.index(letter) for letter in self.letters]
        if order != sorted(set(order)):
            raise ValueError(f"a write mask names each channel once, in the order xyzw, not {self.letters!r}")
        return DstOperand(self.reference(), sum(1 << channel for channel in order) if order else XYZW)


@record
class Index:
    """A register channel and the number added to it."""

    register: IndirectRef
    offset: int = 0


@record
class Array:
    """Consecutive registers that a register may index."""

    file: File
    first: int
    size: int
    array_id: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int | Register | Index) -> Register:
        """One register of the array. IndexError for a known index outside the array."""
        if isinstance(index, int):
            if not 0 <= index < self.size:
                raise IndexError(f"the array has registers 0 to {self.size - 1}, not {index}")
            return Register(self.file, self.first + index)
        place = _index(index)
        return Register(self.file, self.first + place.offset, None, place.register, self.array_id)


@record
class Buffers:
    """A constant buffer."""

    buffer: int
    size: int

    def __getitem__(self, index: int | Register | Index) -> Register:
        """One vec4 of the buffer. IndexError for a known index outside the buffer."""
        if isinstance(index, int):
            if not 0 <= index < self.size:
                raise IndexError(f"the buffer has registers 0 to {self.size - 1}, not {index}")
            return Register(File.CONST, index, self.buffer)
        place = _index(index)
        return Register(File.CONST, place.offset, self.buffer, place.register)


Operand: TypeAlias = Source | float | Sequence[float]
"""A source of an instruction: a register, a number, or up to four numbers."""


def _index(value: Register | Index) -> Index:
    return value if isinstance(value, Index) else value + 0
