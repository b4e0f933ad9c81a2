"""The camera of pictures: matrices that show a whole mesh, for the clip space of each language."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgsi.language.record import record
from tgsi.tools.compile.draw.mesh import Mesh, rounded

FIELD = 0.36
"""Tangent of half the angle that the camera sees, in the smaller direction of the picture."""

_FROM = np.array([1.25, 0.9, 1.9])
"""Direction from the mesh to the camera."""

CLIP_SPACES = {"gl": (False, False), "d3d": (True, False), "vulkan": (True, True)}
"""Clip space -> whether its depth begins at 0, not at -1; and whether y points down."""


@record(kw_only=True)
class Camera:
    """Matrices with their rows outside, as numpy's are. `eye` is the place of the camera."""

    model: NDArray[np.float64]
    view: NDArray[np.float64]
    projection: NDArray[np.float64]
    eye: NDArray[np.float64]

    def product(self, *names: str) -> NDArray[np.float32]:
        """The product of some matrices, as ``("projection", "view", "model")``."""
        matrix = np.eye(4)
        for name in names:
            matrix = matrix @ getattr(self, name)
        return rounded(matrix)

    def normals(self, *names: str) -> NDArray[np.float32]:
        """The matrix for normals: the inverse transpose of the 3 x 3 part of a product."""
        matrix = np.eye(3)
        for name in names:
            matrix = matrix @ getattr(self, name)[:3, :3]
        return rounded(np.linalg.inv(matrix).T)


def make_camera(mesh: Mesh, size: tuple[int, int], clip: str) -> Camera:
    """The camera for a mesh in a picture of a size. Flat shapes get identities; y is turned where clip space points down."""
    from_zero, down = CLIP_SPACES[clip]
    turn = np.diag([1.0, -1.0 if down else 1.0, 1.0, 1.0])
    if mesh.flat:
        place = np.eye(4)
        place[2, 3] = 0.5 if from_zero else 0.0
        return Camera(model=np.eye(4), view=np.eye(4), projection=turn @ place, eye=np.array([0.0, 0.0, 2.0]))
    middle, radius = mesh.extent
    model = np.eye(4)  # of a radius of 1 around the origin, whatever the units of the file are
    model[:3, :3] /= radius
    model[:3, 3] = -middle / radius
    back = _FROM / math.sqrt(float(_FROM @ _FROM))
    distance = 1.15 * math.sqrt(1 + 1 / FIELD**2)
    right = np.cross((0.0, 1.0, 0.0), back)
    right /= math.sqrt(float(right @ right))
    view = np.eye(4)
    view[:3, :3] = right, np.cross(back, right), back
    view[2, 3] = -distance
    return Camera(model=model, view=view, projection=turn @ _perspective(size, distance, from_zero), eye=back * distance)


def _perspective(size: tuple[int, int], distance: float, from_zero: bool) -> Any:
    width, height = size
    near, far = distance - 1.5, distance + 1.5
    matrix = np.zeros((4, 4))
    matrix[0, 0] = min(1.0, height / width) / FIELD
    matrix[1, 1] = min(1.0, width / height) / FIELD
    matrix[2, 2:] = (
        (far / (near - far), far * near / (near - far)) if from_zero else ((far + near) / (near - far), 2 * far * near / (near - far))
    )
    matrix[3, 2] = -1.0
    return matrix
