"""Vertices, indices and texels of the workloads, the same for both sides. Arrays are float32 unless stated otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.catalog import COMPILES, HEIGHT, PATCH_CELLS, SMALL_CELLS, SPRITES, TORUS_CELLS, VERTICES, WIDTH, Check

Floats = NDArray[np.float32]
QUAD: Floats = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], "f4")
CORNER_COLORS: Floats = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]], "f4")
FLAT_COLOR: Floats = np.array([0.2, 0.4, 0.6, 1], "f4")


def rng() -> np.random.Generator:
    """New generator; every workload starts from the same seed."""
    return np.random.default_rng(1234)


def grid_indices(nx: int, ny: int) -> NDArray[np.uint32]:
    """Two triangles for each cell of a row-major grid of (nx + 1) x (ny + 1) vertices."""
    i = (np.arange(ny)[:, None] * (nx + 1) + np.arange(nx)[None, :]).ravel()
    return np.stack([i, i + 1, i + nx + 1, i + 1, i + nx + 2, i + nx + 1], 1).ravel().astype("u4")


def quad_with_w(w: tuple[float, float, float, float]) -> Floats:
    """Clip positions of QUAD with the given w at its corners."""
    column = np.array(w, "f4")[:, None]
    return np.concatenate([QUAD * column, 0 * column, column], 1)


def texture(size: int) -> NDArray[np.uint8]:
    """Random RGBA8 texels, (size, size, 4)."""
    return rng().integers(0, 256, (size, size, 4), "u1")


def mipmaps(level: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """All levels of a square texture. Each texel is the rounded mean of 2x2 texels of the level before."""
    levels = [level]
    while levels[-1].shape[0] > 1:
        n = levels[-1].shape[0] // 2
        levels.append(((levels[-1].reshape(n, 2, n, 2, 4).astype("u2").sum((1, 3)) + 2) // 4).astype("u1"))
    return levels


def random_triangles(count: int) -> tuple[Floats, Floats]:
    """NDC positions and colors of triangles spread over the whole target."""
    r = rng()
    return r.uniform(-1, 1, (3 * count, 2)).astype("f4"), r.random((3 * count, 4)).astype("f4")


def trilinear_plane() -> tuple[Floats, Floats]:
    """Clip positions and texture coordinates of tex_trilinear_min."""
    return (
        np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [-8, 8, 0, 8], [8, 8, 0, 8]], "f4"),
        np.array([[-2, 0], [2, 0], [-16, 32], [16, 32]], "f4"),
    )


def small_triangles() -> tuple[Floats, Floats, NDArray[np.uint32]]:
    """Positions (x, y, z), colors (r, g, b) and indices of small_tris."""
    random, n = rng(), SMALL_CELLS
    g = np.stack(np.meshgrid(np.arange(n + 1), np.arange(n + 1)), -1).reshape(-1, 2).astype("f4")
    inner = ((g > 0) & (g < n)).all(1)
    g[inner] += random.uniform(-0.3, 0.3, (int(inner.sum()), 2)).astype("f4")
    position = np.concatenate([g * (2 / n) - 1, random.random((len(g), 1), "f4")], 1).astype("f4")
    return position, random.random((len(g), 3), "f4"), grid_indices(n, n)


def torus() -> tuple[Floats, Floats, NDArray[np.uint32]]:
    """Positions, normals and indices of a torus with R = .7, r = .3."""
    nu, nv = TORUS_CELLS
    u, v = np.meshgrid(np.arange(nu + 1) * (2 * np.pi / nu), np.arange(nv + 1) * (2 * np.pi / nv))
    normal = np.stack([np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v)], -1).reshape(-1, 3)
    center = np.stack([np.cos(u), np.sin(u), 0 * u], -1).reshape(-1, 3)
    return (center * 0.7 + normal * 0.3).astype("f4"), normal.astype("f4"), grid_indices(nu, nv)


def torus_matrices() -> tuple[Floats, Floats]:
    """Model-view and projection matrix, column by column as shaders read them: 60 degrees about x, distance 2.2, field of view 45
    degrees.
    """
    a, f, near, far = np.pi / 3, 1 / np.tan(np.pi / 8), 0.1, 10.0
    view = np.array([[1, 0, 0, 0], [0, np.cos(a), -np.sin(a), 0], [0, np.sin(a), np.cos(a), -2.2], [0, 0, 0, 1]])
    z = [0, 0, (far + near) / (near - far), 2 * far * near / (near - far)]
    projection = np.array([[f * HEIGHT / WIDTH, 0, 0, 0], [0, f, 0, 0], z, [0, 0, -1, 0]])
    return view.T.astype("f4"), projection.T.astype("f4")


def patches() -> Floats:
    """Control points (x, y, z) of tess_surface: 16 per patch, row by row, on a wavy sheet. Neighbors share their edges."""
    n = PATCH_CELLS
    y, x = np.meshgrid(*[np.linspace(-1, 1, 3 * n + 1)] * 2, indexing="ij")
    z = 0.2 * np.sin(7 * x) * np.cos(5 * y) + 0.02 * rng().uniform(-1, 1, x.shape)
    grid = np.stack([x, y, z], -1).astype("f4")
    corner = 3 * np.arange(n)
    rows, columns = (corner[:, None, None, None] + np.arange(4)[:, None]), (corner[:, None, None] + np.arange(4))
    return np.ascontiguousarray(grid[rows, columns].reshape(-1, 3))


def sprites() -> tuple[Floats, Floats]:
    """Positions (x, y, z) and colors (r, g, b) of geometry_quads."""
    random = rng()
    return random.uniform(-1, 1, (SPRITES, 3)).astype("f4"), random.random((SPRITES, 3), "f4")


def vertex_bound() -> tuple[Floats, Floats]:
    """Matrix and vertices of vertex_bound."""
    random = rng()
    matrix = random.uniform(-1, 1, (4, 4)).astype("f4")
    return matrix, random.uniform(-1, 1, (VERTICES, 4)).astype("f4")


def compile_constants(serial: int) -> tuple[str, tuple[str, str, str, str]]:
    """GLSL literals of shader pair `serial` (from 1): one of the vertex shader, four of the fragment shader."""
    x = serial
    return f"{x * 1e-4:f}", (f"{1 + x * 0.01:f}", f"{x * 0.02:f}", f"{x * 0.03:f}", f"{1 + x * 0.001:f}")


def compile_serials(frame: int) -> range:
    """Serial numbers of the shader pairs in one frame of shader_compile. No pair is used twice in a process."""
    return range(1 + frame * COMPILES, 1 + (frame + 1) * COMPILES)


def check(picture: NDArray[Any]) -> Check:
    """Summary of a picture of shape (..., 4). Unsigned bytes count as 0..1."""
    a = picture.reshape(-1, 4)
    mean = a.astype("f8").mean(0) / (255.0 if a.dtype == np.uint8 else 1.0)
    return Check((float(mean[0]), float(mean[1]), float(mean[2]), float(mean[3])), float((a != 0).any(1).mean()))
