"""Bilinear filter of texels of four bytes by the byte arithmetic of AVX2.

The filter needs four numbers of each channel: the left upper texel, the differences to its right and to its lower neighbor, and the
difference of these differences. All are sums of the four bytes of the channel in the square of texels, with weights of -1, 0 and 1. If a
lane holds these bytes side by side, a sum takes one or two instructions, and no byte has to be extracted.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.bytes import can_pack_bytes, weigh_bytes, weigh_halves
from backends.llvm.builder.function import F64, I8, I16, I32, Function, Type, Val
from backends.llvm.sampling.corners import Corners, quads
from backends.llvm.sampling.texture import Level, Texture
from backends.llvm.sampling.wrap import Axis

_GROUPED = [4 * texel + channel for channel in range(4) for texel in range(4)]
"""Bytes of a square, texel after texel, in the order of channels."""


def can_filter_squares(f: Function, lanes: int) -> bool:
    """True if `filter_squares` is available and faster: with AVX-512 it takes a tenth longer than `filter_unorm8` without it."""
    return can_pack_bytes(f, lanes) and not f.module.has("avx512f")


def filter_squares(f: Function, texture: Texture, level: Level, axes: tuple[Axis, Axis], start: Val) -> list[Val]:
    """Bilinear mix of each byte of the texels, the lowest byte first, as numbers up to 255.

    start: offset of the left texel of the upper row. Where the texture does not repeat, the texel to the
    right of the last column has weight 0, so the memory after the row is read for it.
    """
    s, t = axes
    assert s.weight is not None
    assert t.weight is not None
    channels = Squares(f, texture, level, axes, start).load()
    return [_mix(f, channel, s.weight, t.weight) for channel in channels]


def _mix(f: Function, channel: Val, u: Val, v: Val) -> Val:
    """Bilinear mix of the bytes of each lane: left, right, lower left, lower right. Only the sums and products of the mix are rounded."""
    column = channel & 0x00FF00FF  # the left texels
    differences = weigh_bytes(f, channel, (-1, 1, 1, -1)).bits_as(channel.type)
    start, down = channel & 0xFF, weigh_halves(f, column, (-1, 1))
    right, across = weigh_halves(f, differences, (1, 0)), weigh_halves(f, differences, (-1, -1))
    start, down, right, across = (number.to_float() for number in (start, down, right, across))
    return (start + down * v) + (right + across * v) * u


class Squares(Corners):
    """Corners as four vectors, one for each channel. A lane has the channel's bytes of its four texels."""

    def of_rows(self, corners: Sequence[Val]) -> list[Val]:
        """See `Corners`. Interleaves the bytes of both texels of a row, then those of both rows, and transposes lanes and channels."""
        f, n = self.f, corners[0].lanes
        upper, lower = (_interleaved(f, corners[k], corners[k + 1], I8.wide(4 * n)) for k in (0, 2))
        lanes = [lane for a, b in zip(upper, lower) for lane in _interleaved(f, a, b, I16.wide(2 * n))]
        return f.transpose4([lane.bits_as(I32.wide(n)) for lane in lanes])

    def of_squares(self, squares: Sequence[Val]) -> list[Val]:
        """See `Corners`."""
        return _grouped(self.f, quads(self.f, squares))

    def of_places(self, lower: Val, places: Sequence[Val]) -> list[Val]:
        """See `Corners`. One load for each row of each square."""
        f, squares = self.f, []
        for place in places:
            square = f.const(F64.wide(2), 0.0)
            for row, base in enumerate((self.texture.base, lower)):
                square = f.insert(square, f.load(F64, f.at(base, place)), row)
            squares.append(square.bits_as(I32.wide(4)))
        return self.of_squares(squares)


def _interleaved(f: Function, a: Val, b: Val, type: Type) -> tuple[Val, Val]:
    """Elements of `type` of two vectors by turns: of the lower, and of the upper half of every 16 bytes."""
    a, b = a.bits_as(type), b.bits_as(type)
    half = 64 // type.bits
    low = [k + m for start in range(0, type.lanes, 2 * half) for k in range(start, start + half) for m in (0, type.lanes)]
    return f.shuffle(a, b, low), f.shuffle(a, b, [k + half for k in low])


def _grouped(f: Function, rows: Sequence[Val]) -> list[Val]:
    """Channels of squares that are rows of `transpose4`."""
    order = [16 * (byte // 16) + _GROUPED[byte % 16] for byte in range(4 * rows[0].lanes)]
    texels = [row.bits_as(I8.wide(len(order))) for row in rows]
    return f.transpose4([f.shuffle(row, row, order).bits_as(rows[0].type) for row in texels])
