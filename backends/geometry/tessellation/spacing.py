"""Positions of points on a subdivided edge, in fixed point with 16 fractional bits.

An edge of level f has n segments, all of equal length except two shorter ones that grow with f. Its points are placed in halves that mirror
each other bit for bit, so an edge is the same seen from both ends, and for both of its patches.

When f passes an even (or odd) number a segment is split in each half. The order of the splits is fixed: point number k of a half, k = 2^l +
j, lies at (2j + 1) / 2^(l + 1) of it. `split_place` numbers these places from 1 to 32, 0 being the edge's end.
"""

from __future__ import annotations

from backends.geometry.tessellation.key import MAX_LEVEL, Spacing
from backends.llvm.builder.function import BOOL, F32, I32, Function, Val
from tgsi.language.record import record

ONE = 1 << 16
HALF = ONE // 2
_LIMITS = {Spacing.EQUAL: (1.0, 64.0), Spacing.FRACTIONAL_ODD: (1.0, 63.0), Spacing.FRACTIONAL_EVEN: (2.0, 64.0)}
SMALLEST_ABOVE_ONE = 1.0 + 2.0**-16


@record
class Edge:
    """A subdivided edge; i32 scalars.

    half: points of a half with the end, without the middle point; odd: 1 if the number of segments is odd, else 0; fraction: position of
    the level between two numbers of segments; lower, upper: 1 / those numbers; split: points with a greater number have the next lower
    number at the lower number of segments.
    """

    half: Val
    odd: Val
    fraction: Val
    lower: Val
    upper: Val
    split: Val

    @property
    def segments(self) -> Val:
        """The number of segments."""
        return (self.half << 1) - self.odd


def clamp(f: Function, level: Val, spacing: Spacing, least: Val | float | None = None) -> Val:
    """Clamp a level to the limits of a spacing and round it up if that is EQUAL; `least` replaces the lower limit, and NaN becomes it."""
    low, high = _LIMITS[spacing]
    inside = f.min(f.max(level, low if least is None else least), high)
    return f.ceil(inside) if spacing is Spacing.EQUAL else inside


def split_place(number: int) -> int:
    """Return the place of point `number` of a half, 0 to 32."""
    if number == 0:
        return 0
    level = number.bit_length() - 1
    return 1 + ((2 * (number - (1 << level)) + 1 << 4) >> level) if number < MAX_LEVEL // 2 else 1


def split_masks() -> list[int]:
    """Return, for 0 to 33 points of a half, a mask with a bit for the place of each."""
    masks = [0]
    for number in range(MAX_LEVEL // 2 + 1):
        masks.append(masks[-1] | 1 << split_place(number))
    return masks


def edge_of(f: Function, level: Val, spacing: Spacing, *, is_inner: bool = False) -> Edge:
    """Return the edge of a clamped level. An inner EQUAL level of 1 becomes 2, because higher outer levels require an interior."""
    fixed = f.round(level * float(ONE)).cast("fptosi", I32)
    if spacing is Spacing.EQUAL:
        odd = fixed.lshr(16) & 1
        odd = f.select(fixed.eq(ONE), f.const(I32, 0), odd) if is_inner else odd
    else:
        odd = f.const(I32, int(spacing is Spacing.FRACTIONAL_ODD))
    half = (fixed + 1).lshr(1)
    half = half + f.select(odd.ne(0) | half.eq(HALF), f.const(I32, HALF), 0)
    below, above, fraction = half.lshr(16), (half + (ONE - 1)).lshr(16), half & (ONE - 1)
    whole = below - odd  # points in a half before the splits
    rest = whole - (f.const(I32, 1) << (31 - f.intrinsic("ctlz", whole | 1, Val(f, BOOL, "true"))))
    split = f.select(whole.eq(0), f.const(I32, 0), (rest << 1) + 1)
    split = f.select(fraction.eq(0), above + 1, split)
    return Edge(above, odd, fraction, _inverse(f, (below << 1) - odd), _inverse(f, (above << 1) - odd), split)


def _inverse(f: Function, segments: Val) -> Val:
    """Return 1 / segments in fixed point, rounded to nearest."""
    at_least_one = f.max(segments, 1)
    return (at_least_one.lshr(1) + ONE).udiv(at_least_one)


def place(f: Function, edge: Edge, point: Val) -> Val:
    """Return the positions of points (i32 lanes, 0 to segments) on the edge, 0 to ONE."""
    mirrored = point >= edge.half
    near = f.select(mirrored, edge.segments - point, point)
    earlier = near - (near > edge.split).zext(I32)
    at = (earlier * edge.lower * (ONE - edge.fraction) + near * edge.upper * edge.fraction + HALF).lshr(16)
    at = f.select(mirrored, ONE - at, at)
    return f.select(near.eq(edge.half), f.const(at.type, HALF), at)


def coordinate(fixed: Val) -> Val:
    """Convert fixed point to f32, exactly."""
    return fixed.cast("sitofp", F32) * (1.0 / ONE)


def numbers(f: Function, lanes: int) -> Val:
    """Return 0, 1, 2... in lanes."""
    return f.lanes_const(I32.wide(lanes), range(lanes))
