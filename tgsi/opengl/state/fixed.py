"""State of the fixed-function pipeline, with initial values. (OpenGL 2.1, chapters 2 and 3; tables 6.9 to 6.19)"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tgsi.opengl.registry import enums as GL

MAX_LIGHTS, MAX_UNITS, MAX_CLIP_PLANES = 8, 8, 8

VERTEX, NORMAL, COLOR, SECONDARY, FOG, EDGE, TEXTURE = 16, 17, 18, 19, 20, 21, 24
"""Locations of the conventional attributes, after the generic ones; texture coordinates of unit n are at TEXTURE + n."""

CONVENTIONAL = {
    "gl_Vertex": VERTEX,
    "gl_Normal": NORMAL,
    "gl_Color": COLOR,
    "gl_SecondaryColor": SECONDARY,
    "gl_FogCoord": FOG,
    **{f"gl_MultiTexCoord{unit}": TEXTURE + unit for unit in range(MAX_UNITS)},
}
"""Names of conventional attributes in GLSL, with their locations."""

Floats4 = tuple[float, float, float, float]
Matrix = NDArray[np.float32]
_SQUARE = struct.Struct("=16f")


def identity() -> Matrix:
    """The 4 x 4 identity matrix, as rows."""
    return np.eye(4, dtype=np.float32)


def matrix_of(numbers: Sequence[float]) -> Matrix:
    """A 4 x 4 matrix from 16 numbers, row by row. Numbers beyond the float range become infinite."""
    data = bytearray(64)
    try:
        _SQUARE.pack_into(data, 0, *numbers)
    except OverflowError:
        with np.errstate(over="ignore"):
            return np.array(numbers).astype(np.float32).reshape(4, 4)
    return np.frombuffer(data, np.float32).reshape(4, 4)


def product(left: Matrix, right: Matrix) -> Matrix:
    """A matrix times a matrix or a vector, or a vector times a matrix.

    Computed in doubles in a fixed order, because the order of BLAS depends on the processor.
    """
    if left.ndim == 1:
        return product(right.T, left)
    if left.shape == right.shape == (4, 4):
        return _square(left, right)
    wide, columns = left.astype(np.float64), right.astype(np.float64).reshape(left.shape[1], -1)
    with np.errstate(all="ignore"):
        total = wide[:, :1] * columns[:1]
        for k in range(1, left.shape[1]):
            total = total + wide[:, k : k + 1] * columns[k : k + 1]
        return total.astype(np.float32).reshape(left.shape[0], *right.shape[1:])


def _square(left: Matrix, right: Matrix) -> Matrix:
    """A product of two 4 x 4 matrices, in Python floats, which take a third of numpy's time for so few numbers."""
    (a, b, c, d), (e, f, g, h), (i, j, k, m), (n, o, p, q) = right.tolist()
    numbers: list[float] = []
    for r, s, t, u in left.tolist():
        numbers += (
            r * a + s * e + t * i + u * n,
            r * b + s * f + t * j + u * o,
            r * c + s * g + t * k + u * p,
            r * d + s * h + t * m + u * q,
        )
    return matrix_of(numbers)


def inverse(matrix: Matrix) -> Matrix:
    """The inverse of a 4 x 4 matrix, by elimination in doubles; zeros for a singular matrix."""
    rows = [[float(number) for number in row] + [float(k == n) for n in range(4)] for k, row in enumerate(matrix)]
    for k in range(4):
        pivot = max(range(k, 4), key=lambda n: abs(rows[n][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        head = rows[k][k]
        if head == 0 or head != head:
            return np.zeros((4, 4), np.float32)
        rows[k] = [number / head for number in rows[k]]
        for n in range(4):
            if n != k:
                factor = rows[n][k]
                rows[n] = [a - factor * b for a, b in zip(rows[n], rows[k], strict=True)]
    with np.errstate(all="ignore"):
        return np.array([row[4:] for row in rows]).astype(np.float32)


@dataclass(slots=True, kw_only=True)
class Light:
    """A light. Positions and directions are in eye coordinates."""

    is_on: bool = False
    ambient: Floats4 = (0.0, 0.0, 0.0, 1.0)
    diffuse: Floats4 = (0.0, 0.0, 0.0, 1.0)
    specular: Floats4 = (0.0, 0.0, 0.0, 1.0)
    position: Floats4 = (0.0, 0.0, 1.0, 0.0)
    direction: tuple[float, float, float] = (0.0, 0.0, -1.0)
    exponent: float = 0.0
    cutoff: float = 180.0
    attenuation: tuple[float, float, float] = (1.0, 0.0, 0.0)


@dataclass(slots=True, kw_only=True)
class Material:
    """The material of a face."""

    ambient: Floats4 = (0.2, 0.2, 0.2, 1.0)
    diffuse: Floats4 = (0.8, 0.8, 0.8, 1.0)
    specular: Floats4 = (0.0, 0.0, 0.0, 1.0)
    emission: Floats4 = (0.0, 0.0, 0.0, 1.0)
    shininess: float = 0.0


@dataclass(slots=True, kw_only=True)
class Coordinate:
    """Generation of one texture coordinate."""

    is_on: bool = False
    mode: int = GL.EYE_LINEAR
    object_plane: Floats4 = (0.0, 0.0, 0.0, 0.0)
    eye_plane: Floats4 = (0.0, 0.0, 0.0, 0.0)


def _coordinates() -> list[Coordinate]:
    planes = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))
    return [Coordinate(object_plane=plane, eye_plane=plane) for plane in planes]


@dataclass(slots=True, kw_only=True)
class Environment:
    """The texture environment of a unit."""

    targets: set[int] = field(default_factory=set)
    mode: int = GL.MODULATE
    color: Floats4 = (0.0, 0.0, 0.0, 0.0)
    combine_rgb: int = GL.MODULATE
    combine_alpha: int = GL.MODULATE
    sources_rgb: list[int] = field(default_factory=lambda: [GL.TEXTURE, GL.PREVIOUS, GL.CONSTANT])
    sources_alpha: list[int] = field(default_factory=lambda: [GL.TEXTURE, GL.PREVIOUS, GL.CONSTANT])
    operands_rgb: list[int] = field(default_factory=lambda: [GL.SRC_COLOR, GL.SRC_COLOR, GL.SRC_ALPHA])
    operands_alpha: list[int] = field(default_factory=lambda: [GL.SRC_ALPHA, GL.SRC_ALPHA, GL.SRC_ALPHA])
    scale_rgb: float = 1.0
    scale_alpha: float = 1.0
    lod_bias: float = 0.0
    replaces_coordinates: bool = False
    coordinates: list[Coordinate] = field(default_factory=_coordinates)


@dataclass(slots=True, kw_only=True)
class Fog:
    """Fog."""

    mode: int = GL.EXP
    color: Floats4 = (0.0, 0.0, 0.0, 0.0)
    density: float = 1.0
    start: float = 0.0
    end: float = 1.0
    source: int = GL.FRAGMENT_DEPTH


class FixedState:
    """The fixed-function state of a context."""

    def __init__(self) -> None:
        self.matrix_mode: int = GL.MODELVIEW
        self.stacks: dict[int, list[Matrix]] = {GL.MODELVIEW: [identity()], GL.PROJECTION: [identity()]}
        self.textures = [[identity()] for _ in range(MAX_UNITS)]
        self.lights = [Light() for _ in range(MAX_LIGHTS)]
        self.lights[0].diffuse = self.lights[0].specular = (1.0, 1.0, 1.0, 1.0)
        self.front, self.back = Material(), Material()
        self.model_ambient: Floats4 = (0.2, 0.2, 0.2, 1.0)
        self.local_viewer = self.two_side = False
        self.color_control: int = GL.SINGLE_COLOR
        self.color_material: tuple[int, int] = (GL.FRONT_AND_BACK, GL.AMBIENT_AND_DIFFUSE)
        self.enabled: set[int] = set()
        self.units = [Environment() for _ in range(MAX_UNITS)]
        self.fog = Fog()
        self.planes: list[Floats4] = [(0.0, 0.0, 0.0, 0.0)] * MAX_CLIP_PLANES
        self.client_unit = 0
        self.raster_position: Floats4 = (0.0, 0.0, 0.0, 1.0)
        self.raster_color: Floats4 = (1.0, 1.0, 1.0, 1.0)
        self.raster_secondary: Floats4 = (0.0, 0.0, 0.0, 1.0)
        self.raster_coordinates: list[Floats4] = [(0.0, 0.0, 0.0, 1.0)] * MAX_UNITS
        self.raster_distance = 0.0
        self.raster_valid = True
        self.zoom = (1.0, 1.0)
        self.list_base = 0
        self.attenuation = (1.0, 0.0, 0.0)
        self.size_range = (0.0, 255.0)

    def stack(self, unit: int) -> list[Matrix]:
        """The stack of the current matrix mode."""
        return self.textures[unit] if self.matrix_mode == GL.TEXTURE else self.stacks[self.matrix_mode]

    @property
    def model_view(self) -> Matrix:
        """From object to eye coordinates."""
        return self.stacks[GL.MODELVIEW][-1]

    @property
    def projection(self) -> Matrix:
        """From eye to clip coordinates."""
        return self.stacks[GL.PROJECTION][-1]
