"""Slow, obvious rasterizer in Python and numpy integers, which determines the pixels covered by a clip-space triangle.

Only steps that are float in the definition use floats (clip, divide, viewport, in the order of the definition). Everything after snapping
uses exact integers, with the fill rule and without tiles or blocks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.pipe.state import RasterizerState, ViewportState
from backends.raster.draw_record import View
from tests.unit.raster.view_definition import center, write_viewport

Array = NDArray[Any]
f4 = np.float32


def viewport_draw(width: int, height: int) -> View:
    """Values that the renderer derives from a viewport that covers the target."""
    d = View()
    half = (width / 2, height / 2, 0.5)
    write_viewport(d, ViewportState(half, half), RasterizerState(), None, (center(width), center(height)))
    return d


def clip(triangle: Array, planes: Array) -> list[Array]:
    polygon = [v.astype(f4) for v in triangle]
    for plane in planes:

        def distance(v: Array, plane: Array = plane) -> Any:
            q = v * plane
            return ((q[0] + q[1]) + q[2]) + q[3]

        out: list[Array] = []
        for i, a in enumerate(polygon):
            c = polygon[(i + 1) % len(polygon)]
            da, dc = distance(a), distance(c)
            if da >= 0:
                out.append(a)
            if (da >= 0) != (dc >= 0):
                inner, outer, di, do = (a, c, da, dc) if da >= 0 else (c, a, dc, da)
                out.append(inner + (outer - inner) * f4(di / f4(di - do)))
        polygon = out
        if not polygon:
            return []
    return polygon


def needs_clip(triangle: Array, guard: tuple[float, ...]) -> bool:
    x, y, z, w = triangle.T
    left, right, bottom, top = (w * f4(g) for g in guard)
    inside = (z >= -w) & (z <= w) & (x >= left) & (x <= right) & (y >= bottom) & (y <= top)
    return not inside.all()


def snap(v: Array, half: tuple[float, float]) -> tuple[int, int]:
    rw = f4(1) / v[3]
    window = [v[k] * rw * f4(half[k]) + f4(half[k]) for k in range(2)]
    x, y = (int(np.rint(c * f4(256))) for c in window)
    return x, y


def covered(corners: list[tuple[int, int]], width: int, height: int, lower: bool = False) -> Array:
    """Pixels whose centers a triangle of snapped corners owns. `lower`: horizontal edges own pixels from the other side."""
    mask = np.zeros((height, width), bool)
    (x0, y0), (x1, y1), (x2, y2) = corners
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if area == 0:
        return mask
    if area < 0:
        corners = [corners[0], corners[2], corners[1]]
    px = np.arange(width, dtype=np.int64)[None, :] * 256 + 128
    py = np.arange(height, dtype=np.int64)[:, None] * 256 + 128
    mask[:] = True
    for k in range(3):
        (xa, ya), (xb, yb) = corners[k], corners[(k + 1) % 3]
        a, b = ya - yb, xb - xa
        e = a * (px - xa) + b * (py - ya)
        owns = a > 0 or (a == 0 and (b < 0 if lower else b > 0))
        mask &= (e >= 0) if owns else (e > 0)
    return mask


def count_coverage(triangles: Array, width: int, height: int) -> Array:
    """Number of the triangles that cover each pixel."""
    total = np.zeros((height, width), np.int64)
    draw = viewport_draw(width, height)
    planes, guard = np.array(draw.planes, f4).reshape(6, 4), tuple(draw.guard)
    half = (width / 2, height / 2)
    for t in triangles.astype(f4):
        polygon = clip(t, planes) if needs_clip(t, guard) else list(t)
        points = [snap(v, half) for v in polygon]
        for i in range(2, len(points)):
            total += covered([points[0], points[i - 1], points[i]], width, height)
    return total
