"""Cube maps: the face that a direction hits, and coordinates on it (OpenGL 4.6, table 8.19)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backends.llvm.builder.function import I32, Function, Val
from backends.llvm.sampling.fetch import fetch_texel
from backends.llvm.sampling.filter import PerTexel, mix
from backends.llvm.sampling.texture import Level, Texture


def _minor(f: Function, on_x: Val, on_y: Val, negative: Val, vector: Sequence[Val], negate: Callable[[Val], Val]) -> tuple[Val, Val]:
    """Components of a vector along the s and t axes of a face.

    They are (-z, -y) and (z, -y) on +x and -x, (x, z) and (x, -z) on +y and -y, (x, -y) and (-x, -y) on +z and -z.
    """
    vx, vy, vz = vector
    s = f.select(on_x, negate(vz), vx)
    s = f.select(negative & ~on_y, negate(s), s)
    t = f.select(on_y, f.select(negative, negate(vz), vz), negate(vy))
    return s, t


def project(
    f: Function, direction: Sequence[Val], changes: Sequence[Sequence[Val]] | None
) -> tuple[Val, list[Val], list[list[Val]] | None]:
    """Face (i32, 0 to 5), s and t on it in [0, 1], and their derivatives along x and y, from those of the direction.

    The zero vector and NaN give some valid face and coordinates.
    """
    x, y, z = direction
    ax, ay, az = (f.abs(v) for v in direction)
    on_x = (ax >= ay) & (ax >= az)
    on_y = ~on_x & (ay >= az)
    lanes = x.lanes
    zero, one = f.const(I32.wide(lanes), 0), f.const(I32.wide(lanes), 1)
    major = f.select(on_x, x, f.select(on_y, y, z))
    negative = major < 0.0
    base = f.select(on_x, 0, f.select(on_y, f.const(I32.wide(lanes), 2), 4))
    face = base + f.select(negative, one, zero)

    size = f.abs(major)
    size = f.select(size > 0.0, size, 1.0)
    scale = 0.5 / size
    s, t = _minor(f, on_x, on_y, negative, direction, f.neg_bits)
    coords = [s * scale + 0.5, t * scale + 0.5]
    if changes is None:
        return face, coords, None
    gradients = []
    for change in changes:
        along = f.select(on_x, change[0], f.select(on_y, change[1], change[2]))
        along = f.select(negative, f.neg_bits(along), along)  # derivative of |major|
        ds, dt = _minor(f, on_x, on_y, negative, change, f.neg_bits)
        gradients.append([(ds - (s / size) * along) * scale, (dt - (t / size) * along) * scale])
    return face, coords, gradients


def _across_edge(f: Function, face: Val, i: Val, j: Val, size: Val) -> tuple[Val, Val, Val]:
    """Face and indices of the texel at (i, j). One of i and j may be -1 or `size`; the texel then lies on the adjacent face.

    The computation uses the direction times 2 * size, in integers: a texel one step outside lies on the edge of the adjacent face.
    """

    def negate(v: Val) -> Val:
        return -v

    outside = i.uge(size) | j.uge(size)
    along = size + outside.sext(I32)
    low = -size
    cs, ct = (f.min(f.max((index << 1) + 1 - size, low), size) for index in (i, j))
    axis, negative = face >> 1, (face & 1).ne(0)
    on_x, on_y, on_z = (axis.eq(k) for k in range(3))
    major = f.select(negative, -along, along)
    x = f.select(on_x, major, f.select(on_z & negative, -cs, cs))
    y = f.select(on_y, major, -ct)
    z = f.select(on_z, major, f.select(on_x, f.select(negative, cs, -cs), f.select(negative, -ct, ct)))
    on_x = x.eq(size) | x.eq(low)
    on_y = ~on_x & (y.eq(size) | y.eq(low))
    negative = f.select(on_x, x, f.select(on_y, y, z)) < 0
    found = f.select(on_x, 0, f.select(on_y, f.const(I32.wide(x.lanes), 2), 4)) - negative.sext(I32)
    s, t = _minor(f, on_x, on_y, negative, (x, y, z), negate)
    return found, (s + size - 1) >> 1, (t + size - 1) >> 1


def seamless_footprint(
    f: Function, texture: Texture, level: Level, coords: Sequence[Val], layer: Val, snap: Val | None, shifts: Sequence[Val | float | None]
) -> tuple[Callable[[int, int], list[Val]], list[Val]]:
    """Function that fetches a texel of a bilinear filter (0 or 1 to the right, 0 or 1 down) across the edges of a cube, and the weights.

    The texel that is missing at a cube's corner is replaced by its neighbor in t; OpenGL leaves the choice open. coords: s and t on the
    face. layer: 6 * cube + face. Lanes of `snap` take the nearest texel. shifts: texel offsets.
    """
    size = f.min(level.width, level.height)
    extent = size.to_float()
    firsts, weights = [], []
    for axis, coord in enumerate(coords):
        x = coord * extent
        shift = shifts[axis]
        if shift is not None:
            x = x + shift
        x = f.min(f.max(x, 0.0), extent)
        u = x - 0.5
        if snap is not None:
            u = f.select(snap, f.min(f.floor(x), extent - 1.0), u)
        whole = f.floor(u)
        firsts.append(whole.cast("fptosi", I32))
        weights.append(u - whole)
    cube = layer.udiv(6) * 6
    last = f.max(level.depth, 1) - 1

    def texel(right: int, down: int) -> list[Val]:
        i, j = firsts[0] + right, firsts[1] + down
        j = f.select(i.uge(size), f.min(f.max(j, 0), size - 1), j)
        face, i, j = _across_edge(f, layer - cube, i, j, size)
        return fetch_texel(f, texture, level, i, j, f.min(cube + face, last))

    return texel, weights


def filter_seamless(
    f: Function,
    texture: Texture,
    level: Level,
    coords: Sequence[Val],
    layer: Val,
    snap: Val | None,
    shifts: Sequence[Val | float | None],
    step: PerTexel | None = None,
) -> list[Val]:
    """Bilinear filter across the edges of a cube. step: what each texel passes first; the others are those of `seamless_footprint`."""
    texel, weights = seamless_footprint(f, texture, level, coords, layer, snap, shifts)
    corners = [[texel(right, down) if step is None else step(texel(right, down)) for right in range(2)] for down in range(2)]
    rows = [[mix(a, b, weights[0]) for a, b in zip(*row)] for row in corners]
    return [mix(a, b, weights[1]) for a, b in zip(*rows)]
