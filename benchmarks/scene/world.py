"""Meshes, textures and matrices of the scenes, made from a seed, the same for both sides. Arrays are float32 unless stated otherwise.

The ground lies in x and y from -1 to 1; z is up. Matrices are column by column, as shaders read them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.catalog import HEIGHT, WIDTH
from benchmarks.geometry import Floats, grid_indices, mipmaps, rng

GROUND_CELLS = 320  # along each side: 204,800 triangles
STONES, STONE_CELLS = 40, (40, 30)  # spheres of 2,400 triangles
PUFFS = 600
SHADOW_SIZE = 1024
TEXTURE_SIZE = 512
LIGHT = np.array([0.48, 0.36, 0.8]) / np.linalg.norm([0.48, 0.36, 0.8])
PRISMS, CORNERS = 240, 6  # shadow volumes, and corners of the plate that throws each
FLOOR_CELLS = 64


@dataclass(frozen=True, slots=True)
class Mesh:
    """Indexed triangles: positions (x, y, z), normals, texture coordinates, and three indices (uint32) a triangle."""

    position: Floats
    normal: Floats
    uv: Floats
    indices: NDArray[np.uint32]


def _height(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    return 0.09 * np.sin(5 * x + 1) * np.cos(4 * y) + 0.02 * np.sin(13 * x - 7 * y) + 0.004 * np.cos(31 * x + 27 * y)


def ground(cells: int = GROUND_CELLS) -> Mesh:
    """Hills over the whole ground."""
    step = 2 / cells
    y, x = (v.ravel() for v in np.mgrid[0 : cells + 1, 0 : cells + 1] * step - 1)
    z, e = _height(x, y), step / 4
    slope_x, slope_y = ((_height(x + a, y + b) - _height(x - a, y - b)) / (2 * e) for a, b in ((e, 0), (0, e)))
    normal = np.stack([-slope_x, -slope_y, np.ones_like(x)], 1)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    return Mesh(np.stack([x, y, z], 1).astype("f4"), normal.astype("f4"), np.stack([x, y], 1).astype("f4"), grid_indices(cells, cells))


def stones() -> Mesh:
    """Dented spheres that lie on the ground, in one mesh."""
    random, (nu, nv) = rng(), STONE_CELLS
    v, u = (a.ravel() for a in np.mgrid[0 : nv + 1, 0 : nu + 1])
    around, up = u * (2 * np.pi / nu), v * (np.pi / nv)
    unit = np.stack([np.sin(up) * np.cos(around), np.sin(up) * np.sin(around), -np.cos(up)], 1)
    place = random.uniform(-0.9, 0.9, (STONES, 2))
    size, phase = random.uniform(0.03, 0.09, STONES), random.uniform(0, 6, STONES)
    dents = 1 + 0.08 * np.sin(4 * unit[None, :, 0] + phase[:, None]) * np.cos(5 * unit[None, :, 2] + phase[:, None])
    center = np.concatenate([place, _height(place[:, 0], place[:, 1])[:, None] + 0.5 * size[:, None]], 1)
    position = center[:, None] + unit * (dents * size[:, None])[..., None]
    uv = np.stack([u / nu, v / nv], 1)
    indices = grid_indices(nu, nv) + (np.arange(STONES, dtype="u4") * len(unit))[:, None]
    normal, coordinates = np.tile(unit, (STONES, 1)), np.tile(uv, (STONES, 1))
    return Mesh(position.reshape(-1, 3).astype("f4"), normal.astype("f4"), coordinates.astype("f4"), indices.ravel().astype("u4"))


def puffs() -> Mesh:
    """Squares of smoke that face the camera, the farthest first."""
    random, n = rng(), PUFFS
    center = random.uniform((-0.9, -0.9, 0.1), (0.9, 0.9, 0.45), (n, 3))
    eye, right, up, _ = camera()
    center = center[np.argsort(-np.linalg.norm(center - eye, axis=1))]
    size = random.uniform(0.02, 0.07, (n, 1, 1))
    corner = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]])
    position = center[:, None] + size * (corner[:, :1] * right + corner[:, 1:] * up)
    shade = np.repeat(random.uniform(0.6, 1, (n, 1, 1)), 4, 1).repeat(3, 2)
    indices = (np.array([0, 1, 2, 1, 3, 2]) + 4 * np.arange(n)[:, None]).ravel()
    uv = np.tile(corner * 0.5 + 0.5, (n, 1))
    return Mesh(position.reshape(-1, 3).astype("f4"), shade.reshape(-1, 3).astype("f4"), uv.astype("f4"), indices.astype("u4"))


def texture(color: tuple[int, int, int], grain: int, seed: int) -> list[NDArray[np.uint8]]:
    """Levels of an RGBA8 texture: a color under waves and grain; alpha falls off from the middle."""
    n = TEXTURE_SIZE
    y, x = np.mgrid[0:n, 0:n] * (2 * np.pi / n)
    waves = 14 * np.sin(3 * x + 2 * np.sin(2 * y)) * np.cos(4 * y)
    noise = np.random.default_rng(seed).integers(-grain, grain + 1, (n, n, 3))
    rgb = np.clip(np.array(color) + waves[..., None] + noise, 0, 255)
    away = np.hypot(x - np.pi, y - np.pi) / np.pi
    alpha = 255 * np.clip(1 - away, 0, 1) ** 1.5
    return mipmaps(np.concatenate([rgb, alpha[..., None]], 2).astype("u1"))


GRASS, ROCK, MOSS, SMOKE = ((70, 120, 50), 40, 1), ((120, 110, 100), 50, 2), ((110, 120, 90), 45, 3), ((200, 200, 205), 25, 4)


def camera() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Eye, and the directions to the right, up and back of a camera that looks at the middle of the ground."""
    eye = np.array([0.35, -1.45, 0.75])
    back = eye / np.linalg.norm(eye)
    right = np.cross([0, 0, 1.0], back)
    right /= np.linalg.norm(right)
    return eye, right, np.cross(back, right), back


def _view(eye: NDArray[np.float64], axes: NDArray[np.float64]) -> NDArray[np.float64]:
    view = np.eye(4)
    view[:3, :3], view[:3, 3] = axes, -axes @ eye
    return view


def camera_matrix() -> Floats:
    """Matrix from the world to clip coordinates, (4, 4)."""
    eye, *axes = camera()
    f, near, far = 1 / np.tan(np.pi / 7), 0.1, 5.0
    z = [0, 0, (far + near) / (near - far), 2 * far * near / (near - far)]
    projection = np.array([[f * HEIGHT / WIDTH, 0, 0, 0], [0, f, 0, 0], z, [0, 0, -1, 0]])
    return np.asarray((projection @ _view(eye, np.array(axes))).T, "f4")


def light_matrix() -> Floats:
    """Matrix from the world to the clip coordinates of the shadow map: a parallel projection along the light, (4, 4)."""
    right = np.cross([0, 0, 1.0], LIGHT)
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(LIGHT, right), LIGHT])
    projection = np.diag([1 / 1.5, 1 / 1.5, -1 / 2.0, 1.0])
    return np.asarray((projection @ _view(np.zeros(3), axes)).T, "f4")


def volumes() -> tuple[Floats, NDArray[np.uint32]]:
    """Positions and indices of closed shadow volumes: six-cornered plates in the air, drawn out along the light through the ground.

    Triangles are counterclockwise as seen from outside.
    """
    random, n, k = rng(), PRISMS, CORNERS
    center = random.uniform((-0.8, -0.8, 0.3), (0.8, 0.8, 0.5), (n, 1, 3))
    angle = random.uniform(0, 6, (n, 1)) + np.arange(k) * (2 * np.pi / k)
    radius = random.uniform(0.02, 0.1, (n, 1))
    rim = center + np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], 2)
    position = np.concatenate([rim, rim - LIGHT * 1.2], 1)
    i = np.arange(k)
    following = (i + 1) % k
    sides = np.concatenate([np.stack([i, i + k, following], 1), np.stack([following, i + k, following + k], 1)])
    fan = np.arange(1, k - 1)
    top, bottom = np.stack([0 * fan, fan, fan + 1], 1), np.stack([0 * fan, fan + 1, fan], 1) + k
    prism = np.concatenate([sides, top, bottom]).ravel()
    indices = prism + 2 * k * np.arange(n)[:, None]
    return position.reshape(-1, 3).astype("f4"), indices.ravel().astype("u4")
