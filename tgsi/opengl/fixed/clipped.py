"""Primitives clipped by the view volume and by clip planes, in numpy, for selection and feedback. (OpenGL 2.1, 2.12)"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tgsi.opengl.registry import enums as GL

Rows = NDArray[np.float32]

POINT, LINE, POLYGON = "point", "line", "polygon"
_EACH = {GL.POINTS: (POINT, 1), GL.LINES: (LINE, 2), GL.TRIANGLES: (POLYGON, 3), GL.QUADS: (POLYGON, 4)}


def assembled(mode: int, count: int) -> Iterator[tuple[str, list[int], bool]]:
    """Primitives of a mode: kind, vertex numbers, and whether a line restarts the stipple of a strip."""
    if mode in _EACH:
        kind, size = _EACH[mode]
        for start in range(0, count - size + 1, size):
            yield kind, list(range(start, start + size)), True
    elif mode in (GL.LINE_STRIP, GL.LINE_LOOP):
        for k in range(count - 1):
            yield LINE, [k, k + 1], k == 0
        if mode == GL.LINE_LOOP and count > 1:
            yield LINE, [count - 1, 0], False
    elif mode == GL.TRIANGLE_STRIP:
        for k in range(count - 2):
            yield POLYGON, [k, k + 1, k + 2] if k % 2 == 0 else [k + 1, k, k + 2], True
    elif mode == GL.TRIANGLE_FAN:
        for k in range(1, count - 1):
            yield POLYGON, [0, k, k + 1], True
    elif mode == GL.QUAD_STRIP:
        for k in range(0, count - 3, 2):
            yield POLYGON, [k, k + 1, k + 3, k + 2], True
    elif mode == GL.POLYGON and count > 2:
        yield POLYGON, list(range(count)), True


def distances_of(clip: Rows, more: Rows) -> Rows:
    """Distances, [vertex, plane], at least 0 inside the view volume and the clip planes."""
    w = clip[:, 3:4]
    sides = np.concatenate([w + clip[:, :3], w - clip[:, :3]], axis=1)
    return np.concatenate([sides, more], axis=1) if more.size else sides


def cut(kind: str, rows: Rows, distances: Rows) -> Rows:
    """The part of a primitive inside all planes, [vertex, ...] with interpolated rows; may be empty."""
    if kind == POINT:
        return rows if (distances >= 0).all() else rows[:0]
    both = np.concatenate([rows, distances], axis=1)
    width = rows.shape[1]
    for plane in range(distances.shape[1]):
        if len(both) == 0:
            break
        if (both[:, width + plane] < 0).any():
            both = _cut(both, width + plane, is_closed=kind == POLYGON)
    return both[:, :width]


def _cut(both: Rows, column: int, *, is_closed: bool) -> Rows:
    rows: list[Rows] = []
    count = len(both)
    for k in range(count if is_closed else count - 1):
        a, b = both[k], both[(k + 1) % count]
        is_in, is_next = a[column] >= 0, b[column] >= 0
        if is_in and (is_closed or not rows):
            rows.append(a)
        if is_in != is_next:
            share = a[column] / (a[column] - b[column])
            rows.append(a + (b - a) * share)
        if is_next and not is_closed:
            rows.append(b)
    return np.stack(rows) if rows else both[:0]
