"""Image filters of one mip level: the nearest texel, or the weighted ones around.

Pixels of four 8-bit UNORM channels have a path of their own (`Unorm8`): texels stay two channels a 32-bit lane, as integers
of 15 bits (value * 128), and mix with weights of 15 bits: v + 2 * ((difference * weight) >> 16). Errors stay below 1/30 of a
step of 8 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backends.llvm.builder import F32, I16, I32, I64, Function, Val
from backends.llvm.sampling.fetch import fetch_texel, or_border, texel_offset
from backends.llvm.sampling.texture import Level, Texture
from backends.llvm.sampling.wrap import Axis

UNORM8_ONE = 255 * 128
_WEIGHT_ONE = 32767.0


def mix(a: Val, b: Val, weight: Val) -> Val:
    """a + (b - a) * weight."""
    return a + (b - a) * weight


def filter_texels(
    f: Function, texture: Texture, level: Level, axes: Sequence[Axis], layer: Val | None, border: Sequence[Val] | None
) -> list[Val]:
    """R, G, B, A (f32) of 1, 2 or 3 axes; along s first, then t, then r. `layer` (i32, in range) picks an array layer or face."""

    def texel(picks: Sequence[int]) -> list[Val]:
        indices: list[Val | None] = []
        inside = []
        for axis, second in zip(axes, picks):
            indices.append(axis.second if second else axis.first)
            inside.append(axis.second_inside if second else axis.inside)
        i, j, k = (*indices, None, None)[:3]
        assert i is not None
        return or_border(f, fetch_texel(f, texture, level, i, j, layer if k is None else k), inside, border)

    def along(axis: int, picks: Sequence[int]) -> list[Val]:
        if axis < 0:
            return texel(picks)
        first = along(axis - 1, (0, *picks))
        weight = axes[axis].weight
        if weight is None:
            return first
        return [mix(a, b, weight) for a, b in zip(first, along(axis - 1, (1, *picks)))]

    return along(len(axes) - 1, ())


@dataclass(frozen=True, slots=True)
class Unorm8:
    """A filtered color of four channels as two vectors of 16-bit lanes: bytes 0 and 2, and bytes 1 and 3, times 128."""

    even: Val
    odd: Val

    @staticmethod
    def of_texel(texel: Val) -> Unorm8:
        """From the 32-bit word of a texel."""
        mask = 0x7F807F80
        wide = I16.wide(2 * texel.lanes)
        return Unorm8(((texel << 7) & mask).bits_as(wide), (texel.lshr(1) & mask).bits_as(wide))

    def mix(self, other: Unorm8, weight: Val) -> Unorm8:
        """Toward `other` by `weight`, which comes from `weight_of`."""
        return Unorm8(_mix16(self.even, other.even, weight), _mix16(self.odd, other.odd, weight))

    def bytes(self) -> list[Val]:
        """The four channels, lowest byte first, as f32 of [0, 1]."""
        words = [v.bits_as(I32.wide(v.lanes // 2)) for v in (self.even, self.odd)]
        scaled = [w & 0xFFFF for w in words], [w.lshr(16) for w in words]
        return [v.to_float() * (1.0 / UNORM8_ONE) for pair in scaled for v in pair]


def _mix16(a: Val, b: Val, weight: Val) -> Val:
    high = (((b - a).sext(I32) * weight.sext(I32)) >> 16).trunc(I16)
    return a + high + high


def weight_of(weight: Val) -> Val:
    """A weight of [0, 1] in both halves of each lane, as 15-bit integers."""
    bits = (weight * _WEIGHT_ONE).cast("fptosi", I32)
    return (bits | (bits << 16)).bits_as(I16.wide(2 * weight.lanes))


def filter_unorm8(f: Function, texture: Texture, level: Level, axes: Sequence[Axis], layer: Val | None) -> Unorm8:
    """Bilinear filter of 4-byte UNORM texels without a border. Two texels side by side come with one load of 8 bytes."""
    s, t = axes
    if s.second is None or s.weight is None or t.second is None or t.weight is None:
        raise TypeError("a linear filter wants two texels on both axes")
    starts = [texel_offset(level, 4, s.first, j, layer) for j in (t.first, t.second)]
    pairs = [_load_pairs(f, texture, start) for start in starts]
    at_end = s.first.eq(level.width - 1)
    if s.repeats:
        rights = _fix_wrapped(f, texture, [start - (s.first << 2) for start in starts], [right for _, right in pairs], at_end)
    else:
        rights = [f.select(at_end, left, right) for left, right in pairs]
    horizontal = weight_of(s.weight)
    rows = [Unorm8.of_texel(left).mix(Unorm8.of_texel(right), horizontal) for (left, _), right in zip(pairs, rights)]
    return rows[0].mix(rows[1], weight_of(t.weight))


def _load_pairs(f: Function, texture: Texture, start: Val) -> tuple[Val, Val]:
    """The texel at each offset and the one behind it in memory."""
    n = start.lanes
    both = f.gather(I64, texture.base, start.sext(I64)).bits_as(I32.wide(2 * n))
    return f.shuffle(both, both, range(0, 2 * n, 2)), f.shuffle(both, both, range(1, 2 * n, 2))


def _fix_wrapped(f: Function, texture: Texture, starts: Sequence[Val], rights: Sequence[Val], wrapped: Val) -> list[Val]:
    """Where the right neighbor of a row's last texel is the first one, read that; `starts`: offsets of the rows."""
    fixed = [f.var(right.type, right) for right in rights]
    with f.if_(f.any(wrapped)):
        for variable, start, right in zip(fixed, starts, rights):
            variable.set(f.select(wrapped, f.gather(I32, texture.base, start.sext(I64), wrapped), right))
    return [v.get() for v in fixed]


def unorm8_channels(color: Unorm8, swizzle: Sequence[int], f: Function) -> list[Val]:
    """R, G, B, A from bytes, by the format's swizzle (4: 0, 5: 1)."""
    parts = color.bytes()
    vec = F32.wide(parts[0].lanes)
    return [parts[i] if i < 4 else f.const(vec, float(i == 5)) for i in swizzle]
