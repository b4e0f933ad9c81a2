"""Bilinear filter of texels of four bytes by the byte arithmetic of AVX2.

The filter needs four numbers of each channel: the left upper texel, the differences to its right and to its lower neighbor, and the
difference of these differences. All are sums of the four bytes of the channel in the square of texels, with weights of -1, 0 and 1. If a
lane holds these bytes side by side, a sum takes one or two instructions, and no byte has to be extracted.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.bytes import can_pack_bytes, weigh_bytes, weigh_halves
from backends.llvm.builder.function import F64, I8, I32, Function, Val
from backends.llvm.builder.scalarize import lane_offsets
from backends.llvm.sampling.rows import SHORTEST, are_in_step, load_rows
from backends.llvm.sampling.texture import Level, Texture
from backends.llvm.sampling.wrap import Axis

_TEXEL = 4
"""Bytes of a texel."""

_GROUPED = [4 * texel + channel for channel in range(4) for texel in range(4)]
"""Bytes of a square, texel after texel, in the order of channels."""


def can_filter_squares(f: Function, lanes: int) -> bool:
    """True if `filter_squares` is available and faster: with AVX-512 it takes a tenth longer than `filter_unorm8` without it."""
    return can_pack_bytes(f, lanes) and not f.module.has("avx512f")


def filter_squares(
    f: Function, texture: Texture, level: Level, axes: tuple[Axis, Axis], starts: Sequence[Val], *, reads_rows: bool
) -> list[Val]:
    """Bilinear mix of each byte of the texels, the lowest byte first, as numbers up to 255.

    starts: offsets of the left texel in the upper and in the lower row. reads_rows: as in `filter_unorm8`.
    """
    s, t = axes
    assert s.weight is not None
    assert t.weight is not None
    channels = _channels(f, texture, level, s, starts, reads_rows)
    return [_mix(f, channel, s.weight, t.weight) for channel in channels]


def _mix(f: Function, channel: Val, u: Val, v: Val) -> Val:
    """Bilinear mix of the bytes of each lane: left, right, lower left, lower right. Only the sums and products of the mix are rounded."""
    column = channel & 0x00FF00FF  # the left texels
    differences = weigh_bytes(f, channel, (-1, 1, 1, -1)).bits_as(channel.type)
    start, down = channel & 0xFF, weigh_halves(f, column, (-1, 1))
    right, across = weigh_halves(f, differences, (1, 0)), weigh_halves(f, differences, (-1, -1))
    start, down, right, across = (number.to_float() for number in (start, down, right, across))
    return (start + down * v) + (right + across * v) * u


def _channels(f: Function, texture: Texture, level: Level, s: Axis, starts: Sequence[Val], reads_rows: bool) -> list[Val]:
    """Four vectors, one a channel, whose lanes hold the bytes of the channel in the square.

    Where the texture does not repeat, the texel to the right of the last column has weight 0, so the memory after the row is read for it.
    """
    if not s.repeats:
        return _followed(f, texture, starts, reads_rows)
    found = [f.var(I32.wide(s.first.lanes)) for _ in range(4)]
    at_end = s.first.eq(level.width - 1)
    with f.else_of(f.any(at_end), unlikely=True) as otherwise:
        rights = [f.select(at_end, start - texture.distance(s.first << 2), start + _TEXEL) for start in starts]
        for variable, value in zip(found, _scattered(f, texture, [starts[0], rights[0], starts[1], rights[1]])):
            variable.set(value)
        otherwise()
        for variable, value in zip(found, _followed(f, texture, starts, reads_rows)):
            variable.set(value)
    return [variable.get() for variable in found]


def _followed(f: Function, texture: Texture, starts: Sequence[Val], reads_rows: bool) -> list[Val]:
    """Channels of squares whose right texels follow their left ones in memory."""
    if not reads_rows or texture.row < SHORTEST or texture.key.is_wide:
        return _from_pairs(f, texture, starts)
    found = [f.var(I32.wide(starts[0].lanes)) for _ in range(4)]
    with f.else_of(are_in_step(f, starts, texture.row, _TEXEL)) as otherwise:
        corners = [load_rows(f, I32, f.at(texture.base, x), start, texture.row) for start in starts for x in (0, _TEXEL)]
        for variable, value in zip(found, _grouped(f, f.transpose4(corners))):
            variable.set(value)
        otherwise()
        for variable, value in zip(found, _from_pairs(f, texture, starts)):
            variable.set(value)
    return [variable.get() for variable in found]


def _from_pairs(f: Function, texture: Texture, starts: Sequence[Val]) -> list[Val]:
    """Channels of squares, with a load of two texels for each row of each square."""
    squares = []
    for places in zip(*map(lane_offsets, starts)):
        square = f.const(F64.wide(2), 0.0)
        for row, place in enumerate(places):
            square = f.insert(square, f.load(F64, f.at(texture.base, place)), row)
        squares.append(square.bits_as(I32.wide(4)))
    return _grouped(f, _quads(f, squares))


def _scattered(f: Function, texture: Texture, places: Sequence[Val]) -> list[Val]:
    """Channels of squares whose four texels lie at any place: in a loop, as this is rare and its code is long."""
    n = places[0].lanes
    size = places[0].type.bits // 8
    table, squares = f.lane_memory("places", places[0].type.wide(4 * n)), f.lane_memory("squares", I32.wide(4 * n))
    for k, place in enumerate(places):
        f.store(place, table, k * n * size)
    with f.range(0, n) as lane:
        for k in range(4):
            place = f.load(places[0].type.wide(1), f.at(table, lane * size), k * n * size)
            f.store(f.load(I32, f.at(texture.base, place)), f.at(squares, lane * 16), k * _TEXEL)
    return _grouped(f, _quads(f, [f.load(I32.wide(4), squares, 16 * k) for k in range(n)]))


def _quads(f: Function, squares: Sequence[Val]) -> list[Val]:
    """Squares as the rows of `transpose4`."""
    return [f.concat([squares[g + j] for g in range(0, len(squares), 4)]) for j in range(4)]


def _grouped(f: Function, rows: Sequence[Val]) -> list[Val]:
    """Channels of squares that are rows of `transpose4`."""
    order = [16 * (byte // 16) + _GROUPED[byte % 16] for byte in range(4 * rows[0].lanes)]
    texels = [row.bits_as(I8.wide(len(order))) for row in rows]
    return f.transpose4([f.shuffle(row, row, order).bits_as(rows[0].type) for row in texels])
