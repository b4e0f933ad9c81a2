"""Vertices, indices and constants of the workloads that make many small draws, the same for both sides. Arrays are float32 unless
stated otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.catalog import DRAWS, FRAMES, HEIGHT, MESHES, WIDTH
from benchmarks.geometry import Floats, rng

TRIANGLE: Floats = np.array([[0, 0], [1, 0], [0, 1]], "f4")
POINTS: Floats = np.array([[0, 0], [0.5, 0], [0, 0.5], [0.5, 0.5]], "f4")
RESTART = 0xFFFFFFFF
STRIPS = 9  # indices of a draw of draw_restart: a strip of four, restart, a strip of four
MESH_TRIANGLES = (20, 60)


def lattice() -> Floats:
    """Clip position (x, y) of each draw: 100 columns and as many rows of cells of 5 pixels in a target of 512 x 512."""
    i = np.arange(DRAWS)
    return np.stack([(i % 100) / 51.0 - 0.97, (i // 100) / 51.0 - 0.97], 1).astype("f4")


def _bytes(rows: Floats) -> list[bytes]:
    return [row.tobytes() for row in rows]


def uniform_rows() -> Floats:
    """Uniform vec4 of each draw of draw_calls, (DRAWS, 4): position, color, 0."""
    i = np.arange(DRAWS)
    return np.concatenate([lattice(), np.stack([i / 1e4, 0 * i], 1)], 1).astype("f4")


def uniforms() -> list[bytes]:
    """The rows of `uniform_rows` as bytes."""
    return _bytes(uniform_rows())


def places_and_colors() -> list[tuple[bytes, bytes]]:
    """Uniform vec4s of each draw of draw_constants: position for the vertex shader, color for the fragment shader."""
    places = np.concatenate([lattice(), np.zeros((DRAWS, 2))], 1).astype("f4")
    colors = rng().random((DRAWS, 4), "f4")
    return list(zip(_bytes(places), _bytes(colors), strict=True))


def deep_uniforms() -> list[bytes]:
    """Uniform vec4 of each draw of draw_states: position, color, and a random depth."""
    i = np.arange(DRAWS)
    return _bytes(np.concatenate([lattice(), np.stack([i / 1e4, rng().uniform(-0.9, 0.9, DRAWS)], 1)], 1).astype("f4"))


def triangles() -> Floats:
    """Vertices of draw_first, (3 * DRAWS, 5): position (x, y) and color (r, g, b)."""
    position = lattice()[:, None, :] + TRIANGLE * np.float32(4 / 256)
    color = np.repeat(rng().random((DRAWS, 1, 3), "f4"), 3, 1)
    return np.concatenate([position, color], 2).reshape(-1, 5).astype("f4")


def pieces() -> list[bytes]:
    """The bytes of each draw's three vertices, as in `triangles`."""
    return [piece.tobytes() for piece in triangles().reshape(DRAWS, -1)]


def large_triangles() -> Floats:
    """Vertices of small_frames, as in `triangles`: triangles of random corners of the whole target."""
    return np.concatenate([rng().uniform(-1, 1, (3 * FRAMES, 2)), np.repeat(rng().random((FRAMES, 3)), 3, 0)], 1).astype("f4")


def strips() -> tuple[Floats, NDArray[np.uint32]]:
    """Vertices and indices of draw_restart. Vertices as in `triangles`, eight a draw: two quads side by side. Indices: STRIPS a draw."""
    corners = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [1, 0], [2, 0], [1, 1], [2, 1]], "f4")
    position = lattice()[:, None, :] + corners * np.float32(2 / 256)
    color = rng().random((DRAWS, 8, 3), "f4")
    vertices = np.concatenate([position, color], 2).reshape(-1, 5).astype("f4")
    indices = np.full((DRAWS, STRIPS), RESTART, "u4")
    numbers = np.arange(8 * DRAWS, dtype="u4").reshape(-1, 8)
    indices[:, :4], indices[:, 5:] = numbers[:, :4], numbers[:, 4:]
    return vertices, indices.ravel()


@dataclass(frozen=True, slots=True)
class Combination:
    """State of a draw of draw_states. `texture` is the number of the texture of a textured draw."""

    blend: bool
    depth: bool
    cull: bool
    textured: bool
    texture: int


COMBINATIONS = tuple(Combination(bool(k & 1), bool(k & 2), bool(k & 4), bool((k ^ k >> 1) & 1), k >> 2) for k in range(8))


@dataclass(frozen=True, slots=True)
class Meshes:
    """Meshes of draw_meshes in shared buffers.

    Attributes:
        vertices: positions (x, y, z) of all meshes.
        indices: triangles of all meshes; each mesh numbers the shared vertices.
        starts: first index of each mesh.
        counts: number of indices of each mesh.
        uniforms: vec4 of each mesh: position (x, y), depth, color.
    """

    vertices: Floats
    indices: NDArray[np.uint32]
    starts: list[int]
    counts: list[int]
    uniforms: list[bytes]


def meshes() -> Meshes:
    """Discs of 20 to 60 triangles with bumpy rims, about 8 pixels in radius, no two alike, all over the target."""
    random = rng()
    rims = random.integers(MESH_TRIANGLES[0], MESH_TRIANGLES[1] + 1, MESHES)
    first = np.cumsum(rims + 1) - (rims + 1)  # vertex in the middle of each mesh
    start = np.cumsum(rims) - rims
    owner = np.repeat(np.arange(MESHES), rims)
    corner = np.arange(len(owner)) - start[owner]
    angle = corner * (2 * np.pi / rims[owner])
    radius = random.uniform(6, 10, len(owner))
    vertices = np.zeros((int(rims.sum()) + MESHES, 3), "f4")
    at = first[owner] + 1 + corner
    vertices[at, 0] = radius * np.cos(angle) * (2 / WIDTH)
    vertices[at, 1] = radius * np.sin(angle) * (2 / HEIGHT)
    vertices[at, 2] = random.uniform(0, 0.02, len(owner))
    following = first[owner] + 1 + (corner + 1) % rims[owner]
    indices = np.stack([first[owner], at, following], 1).ravel().astype("u4")
    places = random.uniform((-0.98, -0.98, -0.9, 0), (0.98, 0.98, 0.9, 1), (MESHES, 4)).astype("f4")
    return Meshes(vertices, indices, (3 * start).tolist(), (3 * rims).tolist(), _bytes(places))
