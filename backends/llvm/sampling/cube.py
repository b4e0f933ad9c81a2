"""Cube maps: from a direction to a face and coordinates on it (GL 4.6, table 8.19)."""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder import I32, Function, Val


def project(
    f: Function, direction: Sequence[Val], changes: Sequence[Sequence[Val]] | None
) -> tuple[Val, list[Val], list[list[Val]] | None]:
    """Face (i32, 0 to 5), its s and t in [0, 1], and their derivatives from those of the direction, x and y.

    The zero vector and NaN land somewhere on a face.
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

    def minor(vector: Sequence[Val]) -> tuple[Val, Val]:
        """The face's s and t axes: (-z, -y) and (z, -y) for x, (x, z) and (x, -z) for y, (x, -y) and (-x, -y) for z."""
        vx, vy, vz = vector
        s = f.select(on_x, f.neg_bits(vz), vx)
        s = f.select(negative & ~on_y, f.neg_bits(s), s)
        t = f.select(on_y, f.select(negative, f.neg_bits(vz), vz), f.neg_bits(vy))
        return s, t

    size = f.abs(major)
    size = f.select(size > 0.0, size, 1.0)
    scale = 0.5 / size
    s, t = minor(direction)
    coords = [s * scale + 0.5, t * scale + 0.5]
    if changes is None:
        return face, coords, None
    gradients = []
    for change in changes:
        along = f.select(on_x, change[0], f.select(on_y, change[1], change[2]))
        along = f.select(negative, f.neg_bits(along), along)  # of |major|
        ds, dt = minor(change)
        gradients.append([(ds - (s / size) * along) * scale, (dt - (t / size) * along) * scale])
    return face, coords, gradients
