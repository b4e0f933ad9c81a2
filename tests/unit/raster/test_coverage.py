"""Pixels covered by triangles equal exact integers for every width; shared edges own each pixel once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.pipe.state import RasterizerState, ScissorState
from backends.raster.tile.lists import row_lanes, run_rows
from tests.texts import VS_POSITION
from tests.unit.raster import reference
from tests.unit.raster.canvas import ADD, FS_ONE, Canvas
from tests.unit.raster.triangles import KINDS, grid, random_triangles

pytestmark = pytest.mark.light

LANES = (8, 16, 32)
FS_LOOP = FS_ONE.replace("MOV", "BGNLOOP\nBRK\nENDLOOP\nMOV")


def count_image(
    triangles: NDArray[Any], width: int, height: int, lanes: int | None = None, fs: str = FS_ONE, **changes: Any
) -> NDArray[Any]:
    with Canvas(width, height, lanes=lanes) as c:
        c.wipe()
        c.draw_arrays(VS_POSITION, fs, [triangles.reshape(-1, 4)], blend=ADD, **changes)
        return c.image()[:, :, 0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lanes", LANES)
def test_coverage_equals_integer_reference(kind: str, lanes: int) -> None:
    triangles = random_triangles(kind, 60)
    image = count_image(triangles, 203, 141, lanes)
    assert np.array_equal(image, reference.count_coverage(triangles, 203, 141))
    assert kind == "off" or image.any()


@pytest.mark.parametrize("kind", ["medium", "huge", "small", "grid"])
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("fs", [FS_ONE, FS_LOOP], ids=["straight", "loop"])
def test_scissor_cuts_coverage_exactly(kind: str, lanes: int, fs: str) -> None:
    triangles = random_triangles(kind, 60)
    changes = {"rasterizer": RasterizerState(scissor=True), "scissors": (ScissorState(37, 19, 171, 102),)}
    image = count_image(triangles, 203, 141, lanes, fs, **changes)
    expected = reference.count_coverage(triangles, 203, 141)
    inside = np.zeros_like(expected)
    inside[19:102, 37:171] = 1
    assert np.array_equal(image, expected * inside)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lanes", [16, 32, 64])
def test_coverage_of_programs_that_loop_equals_integer_reference(kind: str, lanes: int) -> None:
    """Blocks of programs with loops have more rows."""
    triangles = random_triangles(kind, 30, 3)  # few triangles: also with 64 lanes, and never as packed quads
    assert np.array_equal(count_image(triangles, 203, 141, lanes, FS_LOOP), reference.count_coverage(triangles, 203, 141))


@pytest.mark.parametrize("lanes", [4, 8, 16, 32, 64])
def test_blocks_of_programs_that_loop_are_as_wide_as_eight_pixels(lanes: int) -> None:
    rows = run_rows(lanes, has_loops=True)
    assert rows % 2 == 0
    assert run_rows(lanes, has_loops=False) == 2
    x, y = row_lanes(lanes, rows)
    assert sorted(zip(y, x)) == [(r, c) for r in range(rows) for c in range(min(8, lanes // 2))]


@pytest.mark.parametrize("seed", range(3))
def test_shared_edges_cover_each_pixel_once(seed: int) -> None:
    rng, n = np.random.default_rng(seed), 37
    g = np.stack(np.meshgrid(np.arange(n + 1), np.arange(n + 1)), -1).reshape(-1, 2).astype("f4")
    inner = ((g > 0) & (g < n)).all(1)
    g[inner] += rng.uniform(-0.24, 0.24, (inner.sum(), 2)).astype("f4")
    xy = g * (2 / n) - 1
    w = rng.uniform(0.2, 5, (len(g), 1))
    w[~inner] = 1.0
    position = np.concatenate([xy * w, 0 * w, w], 1).astype("f4")
    indices = grid(n, n)
    flip = rng.random(len(indices)) < 0.5  # orientation and first corner must not matter
    indices[flip] = indices[flip][:, [3, 5, 4, 1, 0, 2]]
    for lower in (False, True):
        with Canvas(512, 300) as c:
            c.wipe()
            r = RasterizerState(bottom_edge_rule=lower)
            c.draw_arrays(VS_POSITION, FS_ONE, [position], indices=indices.ravel(), blend=ADD, rasterizer=r)
            assert (c.image()[:, :, 0] == 1).all()


def test_plane_through_the_eye_has_no_seams() -> None:
    """A ground plane continues behind the viewer: near clipping of neighboring triangles must agree."""
    rng, n = np.random.default_rng(3), 24
    g = np.stack(np.meshgrid(np.arange(n + 1), np.arange(n + 1)), -1).reshape(-1, 2).astype("f8")
    g += rng.uniform(-0.3, 0.3, g.shape)
    x, depth = (g[:, 0] - n / 2) * 2, (g[:, 1] - n / 3)
    position = np.stack([x, np.full_like(x, -0.7), depth * 1.02 - 0.2, depth], 1).astype("f4")
    indices = grid(n, n).ravel()
    with Canvas(640, 360) as c:
        c.wipe()
        c.draw_arrays(VS_POSITION, FS_ONE, [position], indices=indices, blend=ADD)
        image = c.image()[:, :, 0]
    assert image.max() == 1
    assert image.mean() > 0.2
    assert np.array_equal(image, reference.count_coverage(position[indices].reshape(-1, 3, 4), 640, 360))


def test_bottom_edge_rule_moves_ties_to_the_other_horizontal_edge() -> None:
    square = np.array([[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]], "f4")  # edges on pixel centers of a 2 x 2 target
    position = np.concatenate([square, np.zeros((4, 1), "f4"), np.ones((4, 1), "f4")], 1)[[0, 1, 2, 1, 3, 2]].reshape(2, 3, 4)
    upper = count_image(position, 2, 2)
    lower = count_image(position, 2, 2, rasterizer=RasterizerState(bottom_edge_rule=True))
    assert upper.tolist() == [[1, 0], [0, 0]]
    assert lower.tolist() == [[0, 0], [1, 0]]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e38, -1e38, 0.0])
def test_hostile_positions_do_no_harm(bad: float) -> None:
    rng = np.random.default_rng(1)
    position = rng.uniform(-2, 2, (300, 4)).astype("f4")
    position[rng.random((300, 4)) < 0.2] = bad
    position[::7] = bad
    image = count_image(position.reshape(-1, 3, 4), 100, 70)
    assert image.shape == (70, 100)
