"""Cube maps with numpy: directions to faces, texels over edges (GL 4.6, table 8.19)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F = NDArray[np.float32]
Ints = NDArray[np.int64]

_FACES = (
    # sign of the major axis, (axis, sign) of s, (axis, sign) of t
    ((2, -1.0), (1, -1.0)),
    ((2, 1.0), (1, -1.0)),
    ((0, 1.0), (2, 1.0)),
    ((0, 1.0), (2, -1.0)),
    ((0, 1.0), (1, -1.0)),
    ((0, -1.0), (1, -1.0)),
)


def cube_faces(direction: F) -> tuple[Ints, F]:
    """Face and (n, 2) coordinates on it, of directions (n, 3). Of equal axes x goes before y before z."""
    size = np.abs(direction)
    axis = np.where((size[:, 0] >= size[:, 1]) & (size[:, 0] >= size[:, 2]), 0, np.where(size[:, 1] >= size[:, 2], 1, 2))
    rows = np.arange(len(direction))
    major = direction[rows, axis]
    face = axis * 2 + (major < 0)
    return face, _on_face(direction, face, np.abs(major))


def _on_face(direction: F, face: Ints, major: F) -> F:
    half = np.float32(0.5)
    scale = half / np.where(major > 0, major, np.float32(1.0))
    out = np.zeros((len(direction), 2), np.float32)
    for which, ((s_axis, s_sign), (t_axis, t_sign)) in enumerate(_FACES):
        here = face == which
        out[here, 0] = direction[here, s_axis] * np.float32(s_sign) * scale[here] + half
        out[here, 1] = direction[here, t_axis] * np.float32(t_sign) * scale[here] + half
    return out


def cube_gradients(direction: F, face: Ints, change: F) -> F:
    """First derivative of the face's coordinates when the direction changes by `change`."""
    out = np.zeros((len(direction), 2))
    rows = np.arange(len(direction))
    axis = face // 2
    sign = np.where(face & 1, -1.0, 1.0)
    major = np.abs(direction[rows, axis]).astype(np.float64)
    major = np.where(major > 0, major, 1.0)
    growth = sign * change[rows, axis]
    for which, axes in enumerate(_FACES):
        here = face == which
        for k, (source, factor) in enumerate(axes):
            value, step = factor * direction[here, source], factor * change[here, source]
            out[here, k] = 0.5 * (step / major[here] - value * growth[here] / major[here] ** 2)
    return out.astype(np.float32)


def across_edge(face: Ints, i: Ints, j: Ints, size: Ints) -> tuple[Ints, Ints, Ints]:
    """Face and indices of the texel at (i, j), one of which may be -1 or `size`: the texel then lies on the adjacent face.

    Works on directions times 2 * size, in integers: a texel one step outside lies on the edge of the adjacent face.
    """
    rows = np.arange(len(face))
    direction = np.zeros((len(face), 3), np.int64)
    axis, sign = face // 2, np.where(face & 1, -1, 1)
    out = (i < 0) | (i >= size) | (j < 0) | (j >= size)
    direction[rows, axis] = sign * (size - out)
    for which, axes in enumerate(_FACES):
        here = face == which
        for (component, factor), index in zip(axes, (i, j)):
            centered = np.clip(2 * index + 1 - size, -size, size)
            direction[here, component] = (int(factor) * centered)[here]
    axis = np.argmax(np.abs(direction) == size[:, None], axis=1)
    adjacent = axis * 2 + (direction[rows, axis] < 0)
    indices = []
    for k in range(2):
        component = np.array([axes[k][0] for axes in _FACES])[adjacent]
        factor = np.array([int(axes[k][1]) for axes in _FACES])[adjacent]
        indices.append((factor * direction[rows, component] + size - 1) // 2)
    return adjacent, indices[0], indices[1]
