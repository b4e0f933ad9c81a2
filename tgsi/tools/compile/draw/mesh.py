"""Meshes: attributes of vertices and the triangles between them, and shapes that need no file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgsi.language.record import record

ATTRIBUTES = MappingProxyType({"position": 3, "normal": 3, "texcoord": 2, "color": 4, "tangent": 4})
"""Attributes of a vertex and their components, in the order in which inputs without a name get them."""

UNIT = 2.0**-14
"""Coordinates are multiples of this number, so that the last bits of a math library cannot change a picture."""

MAX_VERTICES = 1 << 23
MAX_TRIANGLES = 1 << 23


@record(kw_only=True)
class Mesh:
    """Vertices with attributes, and triangles of them.

    Attributes:
        name: as messages name the mesh.
        attributes: name, as in `ATTRIBUTES` -> float32 of shape (vertices, components).
        triangles: vertex numbers, uint32 of shape (triangles, 3).
        quads: the same surface as quads, uint32 of shape (quads, 4); None if the mesh has none.
        flat: True for shapes in clip space, which need no camera.
        notes: sentences about the file, e.g. attributes that were made up.
    """

    name: str
    attributes: Mapping[str, NDArray[np.float32]]
    triangles: NDArray[np.uint32]
    quads: NDArray[np.uint32] | None = None
    flat: bool = False
    notes: tuple[str, ...] = ()
    extent: tuple[NDArray[np.float64], float] = field(init=False)

    def __post_init__(self) -> None:
        points = self.attributes["position"].astype(np.float64)
        low, high = (points.min(0), points.max(0)) if len(points) else (np.zeros(3), np.ones(3))
        middle = (low + high) / 2
        radius = float(np.sqrt(((points - middle) ** 2).sum(1).max())) if len(points) else 1.0
        object.__setattr__(self, "extent", (middle, radius or 1.0))

    @property
    def vertices(self) -> int:
        """Number of vertices."""
        return len(self.attributes["position"])


def rounded(values: Any) -> NDArray[np.float32]:
    """Multiples of `UNIT`, as float32."""
    return np.asarray(np.round(np.asarray(values, np.float64) / UNIT) * UNIT, np.float32)


def smooth_normals(points: NDArray[Any], triangles: NDArray[np.uint32]) -> NDArray[np.float32]:
    """Normals of vertices: the mean normal of the triangles around them, weighted by area; (0, 0, 1) without triangles."""
    corners = points.astype(np.float64)[triangles]
    with np.errstate(all="ignore"):
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        total = np.zeros((len(points), 3))
        for corner in range(3):
            np.add.at(total, triangles[:, corner], across)
        length = np.sqrt((total**2).sum(1, keepdims=True))
        return rounded(np.where(np.isfinite(length) & (length > 0), total / length, (0.0, 0.0, 1.0)))


def _made(name: str, points: Any, normals: Any, texcoords: Any, quads: Any, colors: Any = None, flat: bool = False) -> Mesh:
    """A shape of quads. Without `colors` each vertex has the color of its normal."""
    points, normals = rounded(points), rounded(normals)
    corners = np.asarray(quads, np.uint32).reshape(-1, 4)
    shade = np.concatenate([normals * 0.5 + 0.5, np.ones((len(points), 1))], 1) if colors is None else colors
    return Mesh(
        name=name,
        attributes={
            "position": points,
            "normal": normals,
            "texcoord": rounded(texcoords),
            "color": rounded(shade),
            "tangent": rounded(_tangents(normals)),
        },
        triangles=corners[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3),
        quads=corners,
        flat=flat,
    )


def _tangents(normals: NDArray[np.float32]) -> NDArray[np.float64]:
    """Unit vectors across the normals, to the right of someone who looks at the surface from outside; w is 1."""
    across = np.cross((0.0, 1.0, 0.0), normals.astype(np.float64))
    length = np.sqrt((across**2).sum(1, keepdims=True))
    right = np.where(length > 1e-4, across / np.where(length > 1e-4, length, 1.0), (1.0, 0.0, 0.0))
    return np.concatenate([right, np.ones((len(normals), 1))], 1)


def _triangle() -> Mesh:
    points = np.array([[-0.8, -0.7, 0], [0.8, -0.7, 0], [0, 0.8, 0]], np.float64)
    colors = np.array([[1, 0.2, 0.2, 1], [0.2, 1, 0.2, 1], [0.2, 0.4, 1, 1]], np.float64)
    normals = np.tile((0.0, 0.0, 1.0), (3, 1))
    attributes = {
        "position": rounded(points),
        "normal": rounded(normals),
        "texcoord": rounded([[0, 0], [1, 0], [0.5, 1]]),
        "color": rounded(colors),
        "tangent": rounded(_tangents(rounded(normals))),
    }
    return Mesh(name="triangle", attributes=attributes, triangles=np.array([[0, 1, 2]], np.uint32), flat=True)


def _quad() -> Mesh:
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64)
    points = np.concatenate([square * 2 - 1, np.zeros((4, 1))], 1)
    colors = [[1, 0.2, 0.2, 1], [0.2, 1, 0.2, 1], [0.2, 0.4, 1, 1], [1, 1, 0.3, 1]]
    return _made("quad", points, np.tile((0.0, 0.0, 1.0), (4, 1)), square, [0, 1, 2, 3], colors, flat=True)


def _cube() -> Mesh:
    points, normals, places = [], [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                point, normal = [0.0] * 3, [0.0] * 3
                point[axis] = normal[axis] = sign
                across, up = ((2, 1), (0, 2), (0, 1))[axis]
                point[across] = (2.0 * u - 1) * (sign if axis == 2 else -sign if axis == 0 else 1.0)
                point[up] = (2.0 * v - 1) * (-sign if axis == 1 else 1.0)
                points.append(point)
                normals.append(normal)
                places.append((u, v))
    return _made("cube", points, normals, places, np.arange(24))


def _grid(columns: int, rows: int) -> NDArray[np.int64]:
    """The quads of a grid of (rows + 1) x (columns + 1) vertices."""
    first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).reshape(-1)
    return np.stack([first, first + 1, first + columns + 2, first + columns + 1], 1)


def _sphere(columns: int = 64, rows: int = 32) -> Mesh:
    u, v = np.meshgrid(np.linspace(0, 1, columns + 1), np.linspace(0, 1, rows + 1))
    around, up = 2 * np.pi * u, np.pi * (v - 0.5)
    normals = np.stack([np.cos(up) * np.sin(around), np.sin(up), np.cos(up) * np.cos(around)], -1).reshape(-1, 3)
    return _made("sphere", normals, normals, np.stack([u, v], -1).reshape(-1, 2), _grid(columns, rows))


def _torus(columns: int = 96, rows: int = 48, tube: float = 0.38) -> Mesh:
    u, v = np.meshgrid(np.linspace(0, 1, columns + 1), np.linspace(0, 1, rows + 1))
    around, along = 2 * np.pi * u, 2 * np.pi * v
    normals = np.stack([np.cos(along) * np.sin(around), np.sin(along), np.cos(along) * np.cos(around)], -1)
    ring = np.stack([np.sin(around), 0 * around, np.cos(around)], -1)
    points = (ring + tube * normals) / (1 + tube)
    return _made("torus", points.reshape(-1, 3), normals.reshape(-1, 3), np.stack([4 * u, v], -1).reshape(-1, 2), _grid(columns, rows))


SHAPES: Mapping[str, Callable[[], Mesh]] = MappingProxyType(
    {"triangle": _triangle, "quad": _quad, "cube": _cube, "sphere": _sphere, "torus": _torus}
)
"""Shapes by name. Triangles go counter-clockwise as seen from outside. The origin of texture coordinates is the lower left."""
