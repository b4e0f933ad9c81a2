"""FILL_RECTANGLE: triangles as their bounding boxes, against numpy (VK_NV_fill_rectangle, "VK_POLYGON_MODE_FILL_RECTANGLE_NV")."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.formats import Format
from backends.pipe.enums import CompareFunc, Face, PolygonMode, Prim
from backends.pipe.state import DepthState, DepthStencilAlphaState, RasterizerState
from tests.unit.raster.canvas import ADD, RGBA32F, VS_COLOR, Canvas, fs_color

Array = NDArray[Any]
SIZE = 24
BOTH: dict[str, Any] = {"fill_front": PolygonMode.FILL_RECTANGLE, "fill_back": PolygonMode.FILL_RECTANGLE}


def clip_of(window: Array, w: Array) -> Array:
    """Clip positions, of shape (n, 4), of window positions (n, 3) on a target of SIZE pixels."""
    ndc = np.stack([window[:, 0] / (SIZE / 2) - 1, window[:, 1] / (SIZE / 2) - 1, window[:, 2] * 2 - 1], axis=1)
    return np.concatenate([ndc * w[:, None], w[:, None]], axis=1).astype("f4")


def snapped(v: Array) -> Array:
    return np.round(v * 256) / 256


def inside(corners: Array) -> Array:
    """Pixels, of shape (SIZE, SIZE), whose centers the bounding box of window positions owns."""
    low, high = snapped(corners[:, :2]).min(axis=0), snapped(corners[:, :2]).max(axis=0)
    centers = np.arange(SIZE) + 0.5
    columns, rows = ((centers >= low[k]) & (centers < high[k]) for k in range(2))
    found: Array = rows[:, None] & columns[None]
    return found


def plane(corners: Array, values: Array) -> Array:
    """Values at three corners as a plane over all pixel centers."""
    matrix = np.concatenate([corners[:, :2], np.ones((3, 1))], axis=1).astype("f8")
    a, b, c = np.linalg.solve(matrix, values.astype("f8"))
    centers = np.arange(SIZE) + 0.5
    found: Array = a * centers[None, :] + b * centers[:, None] + c
    return found


def drawn(position: Array, color: Array, interpolation: str = "PERSPECTIVE", **state: Any) -> tuple[Array, Array]:
    """Colors and depths of a picture of rectangles."""
    depth = DepthStencilAlphaState(DepthState(True, True, CompareFunc.ALWAYS))
    with Canvas(SIZE, SIZE, color=(RGBA32F,), depth=Format.Z32_FLOAT) as c:
        c.wipe(depth=0.0)
        rules = RasterizerState(**(BOTH | state))
        c.draw_arrays(
            VS_COLOR, fs_color(interpolation), [position, color], Prim.TRIANGLES, blend=ADD, depth_stencil_alpha=depth, rasterizer=rules
        )
        return c.values(), c.depth_bytes().reshape(SIZE, -1)[:, : 4 * SIZE].copy().view("f4")


@pytest.mark.parametrize("seed", range(12))
def test_a_triangle_covers_its_bounding_box_and_inputs_go_on_beyond_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    window = np.concatenate([rng.uniform(3, SIZE - 3, (3, 2)), rng.uniform(0.35, 0.65, (3, 1))], axis=1)
    if seed % 3 == 0:
        window[:, :2] = np.round(window[:, :2] * 2) / 2  # corners on centers and edges of pixels
    w = rng.uniform(0.9, 1.1, 3)
    colors = rng.uniform(0.5, 2, (3, 4)).astype("f4")
    mask = inside(window)
    for interpolation in ("PERSPECTIVE", "LINEAR", "CONSTANT"):
        found, depths = drawn(clip_of(window, w), colors, interpolation)
        assert (found.any(axis=2) == mask).all()
        factors = 1 / w if interpolation == "PERSPECTIVE" else np.ones(3)
        for channel in range(4):
            wanted = plane(window, colors[:, channel] * factors) / plane(window, factors)
            if interpolation == "CONSTANT":
                wanted = np.full((SIZE, SIZE), colors[2, channel])
            np.testing.assert_allclose(found[mask][:, channel], wanted[mask], rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(depths[mask], np.clip(plane(window, window[:, 2]), 0, 1)[mask], atol=1e-4)


def test_rectangles_side_by_side_own_each_center_once() -> None:
    edges = [2.5, 7.5, 12.0, 19.5]
    window = []
    for x0, x1 in pairwise(edges):
        for y0, y1 in pairwise(edges):
            window += [(x0, y0, 0.5), (x1, y0, 0.5), (x0, y1, 0.5)]
    position = clip_of(np.array(window), np.ones(len(window)))
    found, _ = drawn(position, np.ones((len(window), 4), "f4"))
    centers = np.arange(SIZE) + 0.5
    within = (centers >= 2.5) & (centers < 19.5)
    np.testing.assert_array_equal(found[..., 0], (within[:, None] & within[None]).astype("f4"))


def test_facing_is_that_of_the_triangle_and_each_face_has_its_mode() -> None:
    window = np.array([(4, 4, 0.5), (16, 4, 0.5), (4, 12, 0.5)])
    colors = np.ones((3, 4), "f4")
    for order in ([0, 1, 2], [0, 2, 1]):
        position = clip_of(window[order], np.ones(3))
        plain, _ = drawn(position, colors, fill_front=PolygonMode.FILL, fill_back=PolygonMode.FILL)
        for culled in (Face.FRONT, Face.BACK):
            kept, _ = drawn(position, colors, fill_front=PolygonMode.FILL, fill_back=PolygonMode.FILL, cull_face=culled)
            found, _ = drawn(position, colors, cull_face=culled)
            assert found.any() == kept.any()
        mixed, _ = drawn(position, colors, fill_back=PolygonMode.FILL)
        front, _ = drawn(position, colors, fill_front=PolygonMode.FILL, fill_back=PolygonMode.FILL, cull_face=Face.BACK)
        np.testing.assert_array_equal(mixed[..., 0] > 0, inside(window) if front.any() else plain[..., 0] > 0)


def test_triangles_that_would_be_clipped_or_have_no_area_are_dropped() -> None:
    colors = np.ones((3, 4), "f4")
    window = np.array([(4, 4, 0.5), (16, 4, 0.5), (4, 12, 1.5)])
    assert not drawn(clip_of(window, np.ones(3)), colors)[0].any()
    assert drawn(clip_of(window, np.ones(3)), colors, depth_clip_far=False)[0].any()
    line = np.array([(4, 4, 0.5), (8, 8, 0.5), (16, 16, 0.5)])
    assert not drawn(clip_of(line, np.ones(3)), colors)[0].any()


def test_rectangles_end_at_the_viewport() -> None:
    window = np.array([(-30, 4, 0.5), (60, 4, 0.5), (10, 12, 0.5)])
    found, _ = drawn(clip_of(window, np.ones(3)), np.ones((3, 4), "f4"))
    assert (found[4:12, :, 0] == 1).all()
    assert not found[12:].any()


@pytest.mark.parametrize("lanes", [8, 16, 32])
def test_threads_and_lanes_change_nothing(lanes: int) -> None:
    rng = np.random.default_rng(5)
    window = np.concatenate([rng.uniform(-20, 120, (300, 2)), rng.uniform(0.1, 0.9, (300, 1))], axis=1)
    window[:, :2] = window[:, :2].reshape(-1, 3, 2)[:, :1].repeat(3, 1).reshape(-1, 2) + rng.uniform(-9, 9, (300, 2))
    position, color = clip_of(window, rng.uniform(0.8, 1.2, 300)), rng.uniform(0, 1, (300, 4)).astype("f4")
    images = []
    for count, threads in ((8, 1), (lanes, 1), (lanes, 2)):
        with Canvas(100, 100, color=(RGBA32F,), lanes=count, threads=threads) as c:
            c.wipe()
            c.draw_arrays(VS_COLOR, fs_color("PERSPECTIVE"), [position, color], blend=ADD, rasterizer=RasterizerState(**BOTH))
            images.append(c.values().tobytes())
    assert images[0] == images[1] == images[2]
