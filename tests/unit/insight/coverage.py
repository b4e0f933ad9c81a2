"""The coverage of smooth primitives by the formulas of docs/primitives.md, in float64 and whole numbers, apart from the code that draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.pipe.enums import PolygonMode
from tgsi.insight.fragment_log import LoggedFragment
from tgsi.insight.primitives import Primitives, window_of
from tgsi.insight.replaying import Draw
from tgsi.language.facts.enums import Processor

Floats = NDArray[np.float64]
GRID = 256
"""Steps of a pixel to which corners snap."""
POINTS = [(16 * k - 120, 16 * (5 * k % 16) - 120) for k in range(16)]
"""Test points of a pixel, in steps from its center: no two share a row or a column."""
CLOSE = 0.02
"""Most that a coverage differs because ends of lines are snapped to the grid."""


def may_be(context: Any, draw: Draw, found: Primitives | None, item: LoggedFragment, pixel: tuple[int, int]) -> bool | None:
    """True if a fragment may have its coverage, False if not; None if its primitive is unknown, or cut by the near or far plane."""
    info, r = draw.info, context.state.rasterizer
    if found is None or info is None or info.instance_count != 1 or item.primitive >= len(found.positions):
        return None
    positions = found.positions[item.primitive]
    if found.program.processor is not Processor.VERT or (positions[:, 3] <= 0).any() or (np.abs(positions[:, 2]) > positions[:, 3]).any():
        return None
    window = window_of(context, found)[item.primitive][:, :2]
    x, y = pixel[0] + 0.5, pixel[1] + 0.5
    value = float(item.coverage)
    if found.corners == 1:
        return close(value, disk(window[0], r.point_size, x, y)) if r.point_smooth and not r.point_size_per_vertex else None
    if found.corners == 2:
        return close(value, line(window, r.line_width, x, y)) if r.line_smooth else value == 1
    mode = r.fill_front if item.is_front else r.fill_back
    if mode is PolygonMode.LINE and r.line_smooth:
        return any(close(value, line(window[[a, b]], r.line_width, x, y)) for a, b in ((0, 1), (1, 2), (2, 0)))
    if PolygonMode.FILL is r.fill_front is r.fill_back and r.poly_smooth:
        least, most = inside(window, pixel)
        return least <= round(value * 16) <= most and value * 16 == round(value * 16)
    return value == 1 if mode is PolygonMode.FILL else None


def close(a: float, b: float) -> bool:
    """True if two coverages are the same, up to the grid."""
    return abs(a - b) <= CLOSE


def unit(v: float) -> float:
    """A number, clamped to 0 to 1."""
    return min(max(v, 0.0), 1.0)


def disk(center: Floats, size: float, x: float, y: float) -> float:
    """The coverage of a pixel by a smooth point."""
    return unit(size / 2 + 0.5 - float(np.hypot(x - center[0], y - center[1])))


def line(ends: Floats, width: float, x: float, y: float) -> float:
    """The coverage of a pixel by a smooth line."""
    way = ends[1] - ends[0]
    length = float(np.hypot(*way))
    if not length:
        return 0.0
    ux, uy = way / length
    dx, dy = np.array([x, y]) - ends.mean(axis=0)
    reach = length / 2 + 0.5 if length >= 1 else length
    return unit(width / 2 + 0.5 - abs(dx * uy - dy * ux)) * unit(reach - abs(dx * ux + dy * uy))


def inside(corners: Floats, pixel: tuple[int, int]) -> tuple[int, int]:
    """The fewest and the most test points of a pixel in a triangle, where those within a step of an edge may be on either side."""
    a, b, c = np.rint(corners * GRID).astype(np.int64).tolist()
    sign = 1 if (b[0] - a[0]) * (c[1] - a[1]) >= (b[1] - a[1]) * (c[0] - a[0]) else -1
    least = most = 0
    for dx, dy in POINTS:
        px, py = GRID * pixel[0] + GRID // 2 + dx, GRID * pixel[1] + GRID // 2 + dy
        distances = []
        for (x0, y0), (x1, y1) in ((a, b), (b, c), (c, a)):
            length = max(1.0, float(np.hypot(x1 - x0, y1 - y0)))
            distances.append(sign * ((x1 - x0) * (py - y0) - (y1 - y0) * (px - x0)) / length)
        least += min(distances) > 1
        most += min(distances) >= -1
    return least, most
