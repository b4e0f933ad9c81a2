"""Image filters of one mip level: the nearest texel, or a weighted mean of the texels around.

Texels of four 8-bit UNORM channels have a fast path, which loads two texels at once and needs no conversion: a byte in the mantissa of
2^23 is the float 2^23 plus the byte, and differences of such floats are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backends.llvm.builder.function import F32, F64, I32, I64, Function, Val
from backends.llvm.builder.scalarize import lane_offsets
from backends.llvm.sampling.fetch import fetch_texel, or_border, texel_offset
from backends.llvm.sampling.rows import SHORTEST, are_in_step, load_rows
from backends.llvm.sampling.squares import can_filter_squares, filter_squares
from backends.llvm.sampling.texture import Level, Texture
from backends.llvm.sampling.wrap import Axis

PerTexel = Callable[[list[Val]], list[Val]]
"""A step between a texel and the filter: the comparison of shadow targets."""

_TWO23 = 2.0**23
_TWO23_BITS = 0x4B000000
#: Unit of each byte of a pixel in `_magnified` (`filter_squares` has units of 1): every second byte stays 8 bits above the lowest.
_UNITS = (1.0, 256.0, 1.0, 256.0)


def mix(a: Val, b: Val, weight: Val) -> Val:
    """a + (b - a) * weight."""
    return a + (b - a) * weight


def filter_texels(
    f: Function,
    texture: Texture,
    level: Level,
    axes: Sequence[Axis],
    layer: Val | None,
    border: Sequence[Val] | None,
    snap: Val | None = None,
    step: PerTexel | None = None,
) -> list[Val]:
    """R, G, B, A (f32), filtered along 1, 2 or 3 axes: s first, then t, then r.

    layer (i32, in range): the array layer or face. Lanes of `snap` take the first texel of each axis. step: applied to each texel first.
    """
    nearest: list[list[Val]] = []

    def texel(picks: Sequence[int]) -> list[Val]:
        indices: list[Val | None] = []
        inside = []
        for axis, second in zip(axes, picks):
            indices.append(axis.second if second else axis.first)
            inside.append(axis.second_inside if second else axis.inside)
        i, j, k = (*indices, None, None)[:3]
        assert i is not None
        found = or_border(f, fetch_texel(f, texture, level, i, j, layer if k is None else k), inside, border)
        if step is not None:
            found = step(found)
        if not any(picks):
            nearest.append(found)
        return found

    def along(axis: int, picks: Sequence[int]) -> list[Val]:
        if axis < 0:
            return texel(picks)
        first = along(axis - 1, (0, *picks))
        weight = axes[axis].weight
        if weight is None:
            return first
        return [mix(a, b, weight) for a, b in zip(first, along(axis - 1, (1, *picks)))]

    color = along(len(axes) - 1, ())
    # A weight of 0 would not do: infinity times 0 is NaN.
    return color if snap is None else [f.select(snap, a, b) for a, b in zip(nearest[0], color)]


def _magnified(texel: Val) -> list[Val]:
    """Four bytes of a pixel, lowest first, as floats 2^23 + byte * unit."""
    high = texel.lshr(16)
    parts = [texel & 0xFF, texel & 0xFF00, high & 0xFF, high & 0xFF00]
    return [(part | _TWO23_BITS).as_float() for part in parts]


def _bilinear(corners: Sequence[Val], u: Val, v: Val) -> Val:
    """Bilinear mix of left, right, lower left and lower right, in the form of `_magnified`; every difference is exact."""
    a, b, c, d = corners
    right, down = b - a, c - a
    return ((a - _TWO23) + down * v) + (right + ((d - c) - right) * v) * u


def filter_unorm8(
    f: Function, texture: Texture, level: Level, axes: Sequence[Axis], layer: Val | None, reads_rows: bool = False
) -> list[Val]:
    """Bilinear filter of 4-byte UNORM texels without a border. Returns the bytes, lowest first, times their units (`unorm8_channels`).

    Two texels side by side are read with one load of 8 bytes. reads_rows: whole rows are read where texels follow each other as their
    pixels do. That takes a quarter less time there, and a tenth more elsewhere.
    """
    s, t = axes
    if s.second is None or s.weight is None or t.second is None or t.weight is None:
        raise TypeError("a linear filter needs two texels on both axes")
    starts = [texel_offset(level, 4, s.first, j, layer) for j in (t.first, t.second)]
    if can_filter_squares(f, s.first.lanes):
        return filter_squares(f, texture, level, (s, t), starts, reads_rows=reads_rows)
    if reads_rows and texture.row >= SHORTEST and not texture.key.is_wide:
        pairs = _load_rows_of_pairs(f, texture, starts)
    else:
        pairs = [load_pairs(f, texture, start) for start in starts]
    at_end = s.first.eq(level.width - 1)
    if s.repeats:
        rows = [start - texture.distance(s.first << 2) for start in starts]
        rights = _fix_wrapped(f, texture, rows, [right for _, right in pairs], at_end)
    else:
        rights = [f.select(at_end, left, right) for left, right in pairs]
    lefts = [left for left, _ in pairs]
    corners = [_magnified(texel) for texel in (lefts[0], rights[0], lefts[1], rights[1])]
    return [_bilinear([corner[c] for corner in corners], s.weight, t.weight) for c in range(4)]


def _load_rows_of_pairs(f: Function, texture: Texture, starts: Sequence[Val]) -> list[tuple[Val, Val]]:
    """Texel at each offset, and the next one in memory; row by row if all offsets are in step."""
    found = [(f.var(start.type), f.var(start.type)) for start in starts]
    with f.else_of(are_in_step(f, starts, texture.row, 4)) as otherwise:
        for (left, right), start in zip(found, starts):
            left.set(load_rows(f, I32, texture.base, start, texture.row))
            right.set(load_rows(f, I32, f.at(texture.base, 4), start, texture.row))
        otherwise()
        for (left, right), start in zip(found, starts):
            values = load_pairs(f, texture, start)
            left.set(values[0])
            right.set(values[1])
    return [(left.get(), right.get()) for left, right in found]


def load_pairs(f: Function, texture: Texture, start: Val) -> tuple[Val, Val]:
    """Texel at each offset, and the next one in memory. A load for each lane is faster than the gather instructions of today's CPUs."""
    n = start.lanes
    offsets = lane_offsets(start)
    loaded = []
    for k in range(0, n, 2):
        pair = f.const(F64.wide(2), 0.0)
        for lane in range(2):
            pair = f.insert(pair, f.load(F64, f.at(texture.base, offsets[k + lane])), lane)
        loaded.append(pair)
    both = f.concat(loaded).bits_as(I32.wide(2 * n))
    return f.shuffle(both, both, range(0, 2 * n, 2)), f.shuffle(both, both, range(1, 2 * n, 2))


def _fix_wrapped(f: Function, texture: Texture, starts: Sequence[Val], rights: Sequence[Val], wrapped: Val) -> list[Val]:
    """`rights` with the row's first texel in lanes of `wrapped`, whose left texel is the row's last. starts: offsets of the rows."""
    fixed = [f.var(right.type, right) for right in rights]
    with f.if_(f.any(wrapped)):
        for variable, start, right in zip(fixed, starts, rights):
            place = start if texture.key.is_wide else start.sext(I64)
            variable.set(f.select(wrapped, f.gather(I32, texture.base, place), right))
    return [v.get() for v in fixed]


def unorm8_channels(f: Function, parts: Sequence[Val], swizzle: Sequence[int]) -> list[Val]:
    """R, G, B, A in [0, 1] from the result of `filter_unorm8`, by the format's swizzle (SWIZZLE_ZERO and SWIZZLE_ONE give 0 and 1)."""
    vec = F32.wide(parts[0].lanes)
    units = (1.0,) * 4 if can_filter_squares(f, vec.lanes) else _UNITS
    scaled = [part * (1.0 / (255.0 * unit)) for part, unit in zip(parts, units)]
    return [scaled[i] if i < 4 else f.const(vec, float(i == 5)) for i in swizzle]
