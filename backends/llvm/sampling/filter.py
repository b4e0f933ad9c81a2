"""Image filters of one mip level: the nearest texel, or a weighted mean of the texels around.

Texels of four 8-bit UNORM channels have a fast path, which loads two texels at once and needs no conversion: a byte in the mantissa of
2^23 is the float 2^23 plus the byte, and differences of such floats are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.formats import ChannelType
from backends.llvm.builder.function import F32, Function, Val
from backends.llvm.library.packing import unpack
from backends.llvm.sampling.comparing import Comparison
from backends.llvm.sampling.corners import load_corners
from backends.llvm.sampling.fetch import fetch_texel, or_border, texel_offset
from backends.llvm.sampling.squares import can_filter_squares, filter_squares
from backends.llvm.sampling.texture import Level, Texture
from backends.llvm.sampling.wrap import Axis

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
    step: Comparison | None = None,
) -> list[Val]:
    """R, G, B, A (f32), filtered along 1, 2 or 3 axes: s first, then t, then r.

    layer (i32, in range): the array layer or face. Lanes of `snap` take the first texel of each axis. step: applied to each texel first.
    """
    if _has_corners(texture, axes):
        return _filter_corners(f, texture, level, axes, layer, snap, step)
    nearest: list[list[Val]] = []

    def texel(picks: Sequence[int]) -> list[Val]:
        indices: list[Val | None] = []
        inside = []
        for axis, second in zip(axes, picks):
            indices.append(axis.second if second else axis.first)
            inside.append(axis.second_inside if second else axis.inside)
        i, j, k = (*indices, None, None)[:3]
        assert i is not None
        channels = or_border(f, fetch_texel(f, texture, level, i, j, layer if k is None else k), inside, border)
        if step is not None:
            channels = step(channels)
        if not any(picks):
            nearest.append(channels)
        return channels

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


def _has_corners(texture: Texture, axes: Sequence[Axis]) -> bool:
    """True if `_filter_corners` is available."""
    whole = all(axis.weight is not None and axis.inside is None for axis in axes)
    return whole and len(axes) > 1 and texture.key.format.block_bytes == 4


def _filter_corners(
    f: Function, texture: Texture, level: Level, axes: Sequence[Axis], layer: Val | None, snap: Val | None, step: Comparison | None
) -> list[Val]:
    """`filter_texels` for texels of 32 bits, without a border, along 2 or 3 axes."""
    s, t, *rest = axes
    assert s.weight is not None
    assert t.weight is not None
    format = texture.key.format
    is_finite = step is not None or all(channel.type is not ChannelType.FLOAT for channel in format.channels)
    slices: list[list[Val]] = []
    nearest: list[Val] = []
    for k in (rest[0].first, rest[0].second) if rest else (layer,):
        start = texel_offset(level, 4, s.first, t.first, k)
        words = load_corners(f, texture, level, (s, t), start, is_finite=is_finite)
        texels = [unpack(f, format, [word]) for word in words]
        if step is not None:
            return _compared_corners(f, step, [step.passes(texel) for texel in texels], s.weight, t.weight)
        nearest = nearest or texels[0]
        rows = [[mix(a, b, s.weight) for a, b in zip(*texels[j : j + 2])] for j in (0, 2)]
        slices.append([mix(a, b, t.weight) for a, b in zip(*rows)])
    color = slices[0]
    if rest and rest[0].weight is not None:
        color = [mix(a, b, rest[0].weight) for a, b in zip(*slices)]
    return color if snap is None else [f.select(snap, a, b) for a, b in zip(nearest, color)]


def _compared_corners(f: Function, step: Comparison, passes: Sequence[Val], u: Val, v: Val) -> list[Val]:
    """Mix of four comparisons, whose results are 0 or 1: adds the weights of those that pass, with the same rounding as `mix`.

    A weight of 0 gives the nearest texel's result, so `snap` needs no other code.
    """
    rest = 1.0 - u
    rows = [f.select(a, rest, 0.0) + f.select(b, u, 0.0) for a, b in (passes[:2], passes[2:])]
    return step.channels(mix(rows[0], rows[1], v))


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


def filter_unorm8(f: Function, texture: Texture, level: Level, axes: Sequence[Axis], layer: Val | None) -> list[Val]:
    """Bilinear filter of 4-byte UNORM texels without a border. Returns the bytes, lowest first, times their units (`unorm8_channels`)."""
    s, t = axes
    if s.second is None or s.weight is None or t.second is None or t.weight is None:
        raise TypeError("a linear filter needs two texels on both axes")
    start = texel_offset(level, 4, s.first, t.first, layer)
    if can_filter_squares(f, s.first.lanes):
        return filter_squares(f, texture, level, (s, t), start)
    corners = [_magnified(texel) for texel in load_corners(f, texture, level, (s, t), start, is_finite=True)]
    return [_bilinear([corner[c] for corner in corners], s.weight, t.weight) for c in range(4)]


def unorm8_channels(f: Function, parts: Sequence[Val], swizzle: Sequence[int]) -> list[Val]:
    """R, G, B, A in [0, 1] from the result of `filter_unorm8`, by the format's swizzle (SWIZZLE_ZERO and SWIZZLE_ONE give 0 and 1)."""
    vec = F32.wide(parts[0].lanes)
    units = (1.0,) * 4 if can_filter_squares(f, vec.lanes) else _UNITS
    scaled = [part * (1.0 / (255.0 * unit)) for part, unit in zip(parts, units)]
    return [scaled[i] if i < 4 else f.const(vec, float(i == 5)) for i in swizzle]
