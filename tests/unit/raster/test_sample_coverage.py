"""Coverage of samples equals integer arithmetic in numpy, for each sample alone at its own position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.run.textures import STANDARD_POSITIONS
from tests.images.scenes import FS_FLAT, VS_COLOR

pytestmark = pytest.mark.light

WIDTH, HEIGHT = 150, 110
COUNT = 40  # enough triangles that small ones become packed quads
Corners = NDArray[np.int64]


def covered(corners: Corners, place: tuple[int, int]) -> NDArray[np.bool_]:
    """Pixels whose sample at `place` (1/16 pixel) a triangle owns. Corners are in 1/256 pixel; top-left rule."""
    points: list[tuple[int, int]] = [(int(x), int(y)) for x, y in corners]
    (x0, y0), (x1, y1), (x2, y2) = points
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    inside = np.full((HEIGHT, WIDTH), area != 0)
    if area < 0:
        points[1:] = points[:0:-1]
    px, py = np.arange(WIDTH)[None, :] * 256 + 16 * place[0], np.arange(HEIGHT)[:, None] * 256 + 16 * place[1]
    for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1]):
        edge = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        owns = ay > by or (ay == by and bx > ax)
        inside &= (edge > 0) | ((edge == 0) & owns)
    return inside


def draw(
    samples: int, positions: NDArray[np.float32], colors: NDArray[np.float32], lanes: int | None, mode: str = "TRIANGLES", **state: Any
) -> list[Any]:
    """Planes of all samples of a black target after primitives with flat colors that are added up."""
    with tgsi.Screen(threads=1, lanes=lanes) as screen:
        ctx = screen.context_create()
        target = screen.resource_create(width0=WIDTH, height0=HEIGHT, nr_samples=samples, bind="RENDER_TARGET")
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (WIDTH / 2, HEIGHT / 2, 0.5), "translate": (WIDTH / 2, HEIGHT / 2, 0.5)}])
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**({"multisample": True} | state)))
        ctx.bind_blend_state(ctx.create_blend_state(blend_enable=True, rgb_dst_factor="ONE", alpha_dst_factor="ONE"))
        ctx.bind_vs_state(ctx.create_vs_state(VS_COLOR))
        ctx.bind_fs_state(ctx.create_fs_state(FS_FLAT))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT", 0), (0, "R32G32B32A32_FLOAT", 1)]))
        corners = positions.reshape(-1, 2)
        ctx.set_vertex_buffers([corners, np.resize(colors, (len(corners), 4))])
        ctx.clear("COLOR0")
        ctx.draw_vbo(mode=mode, count=len(corners))
        ctx.flush()
        planes = [np.array(target.blocks(0, k)[0]) for k in range(samples)]
        ctx.destroy()
    return planes


def snapped(positions: NDArray[np.float32]) -> Corners:
    """Clip positions snapped to 1/256 pixel, as in the renderer."""
    half = np.array([WIDTH / 2, HEIGHT / 2], np.float32)
    found: Corners = np.rint((positions * half + half).astype(np.float64) * 256).astype(np.int64)
    return found


def triangles(size: float, seed: int) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    pixels = rng.uniform(0, [WIDTH, HEIGHT], (COUNT, 1, 2)) + rng.uniform(-1, 1, (COUNT, 3, 2)) * size
    return (np.round(pixels * 8) / 8 / [WIDTH / 2, HEIGHT / 2] - 1).astype(np.float32)  # corners on sixteenths: samples on edges


@pytest.mark.parametrize("size", [2.0, 30.0, 400.0])
@pytest.mark.parametrize(("samples", "lanes"), [(2, 8), (4, None), (8, 16), (16, 32)])
def test_each_sample_is_covered_as_if_it_were_alone(samples: int, lanes: int | None, size: float) -> None:
    positions = triangles(size, samples)
    ones = np.full((COUNT, 4), 1 / 255, np.float32)
    for k, plane in enumerate(draw(samples, positions, ones, lanes)):
        expected = sum(covered(t, STANDARD_POSITIONS[samples][k]).astype(np.int64) for t in snapped(positions))
        np.testing.assert_array_equal(plane[..., 0], expected, f"sample {k}")


def test_without_multisample_rules_every_sample_is_the_center() -> None:
    positions = triangles(20.0, 5)
    ones = np.full((COUNT, 4), 1 / 255, np.float32)
    expected = sum(covered(t, (8, 8)).astype(np.int64) for t in snapped(positions))
    for plane in draw(4, positions, ones, None, multisample=False):
        np.testing.assert_array_equal(plane[..., 0], expected)


@pytest.mark.parametrize("samples", [2, 4, 8, 16])
def test_triangles_of_a_mesh_own_each_sample_once(samples: int) -> None:
    rng = np.random.default_rng(samples)
    n = 9
    x, y = np.meshgrid(np.linspace(-1, 1, n + 1), np.linspace(-1, 1, n + 1))
    grid = np.stack([x, y], -1).astype(np.float32)
    grid[1:-1, 1:-1] += rng.uniform(-0.07, 0.07, (n - 1, n - 1, 2)).astype(np.float32)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]
    positions = np.concatenate([np.stack([a, b, c], 2), np.stack([b, d, c], 2)]).reshape(-1, 3, 2)
    ones = np.full((len(positions), 4), 1 / 255, np.float32)
    for plane in draw(samples, positions, ones, None):
        assert (plane == 1).all()


def test_points_cover_the_samples_of_an_exact_square() -> None:
    rng = np.random.default_rng(1)
    centers = rng.uniform(20, 90, (COUNT, 2))
    positions = (np.round(centers * 8) / 8 / [WIDTH / 2, HEIGHT / 2] - 1).astype(np.float32)
    ones = np.full((COUNT, 4), 1 / 255, np.float32)
    planes = draw(4, positions, ones, None, mode="POINTS", point_size=5.25)
    for (dx, dy), plane in zip(STANDARD_POSITIONS[4], planes):
        expected = np.zeros((HEIGHT, WIDTH), np.int64)
        for x, y in snapped(positions):
            inside = []
            for center, size, offset in ((x, WIDTH, dx), (y, HEIGHT, dy)):
                at = np.arange(size) * 256 + 16 * offset - center
                inside.append((at >= -672) & (at < 672))
            expected += inside[1][:, None] & inside[0][None, :]
        np.testing.assert_array_equal(plane[..., 0], expected)


@pytest.mark.parametrize("samples", [4, 8])
def test_lines_cover_the_samples_of_a_rectangle(samples: int) -> None:
    rng = np.random.default_rng(samples)
    pixels = rng.uniform(10, 100, (COUNT, 2, 2))
    positions = (np.round(pixels * 8) / 8 / [WIDTH / 2, HEIGHT / 2] - 1).astype(np.float32)
    ones = np.full((COUNT, 4), 1 / 255, np.float32)
    planes = draw(samples, positions, ones, None, mode="LINES", line_width=2.5)
    for (dx, dy), plane in zip(STANDARD_POSITIONS[samples], planes):
        total, sure = np.zeros((HEIGHT, WIDTH), np.int64), np.ones((HEIGHT, WIDTH), np.bool_)
        px, py = np.arange(WIDTH)[None, :] + dx / 16, np.arange(HEIGHT)[:, None] + dy / 16
        for (ax, ay), (bx, by) in snapped(positions) / 256:
            length = np.hypot(bx - ax, by - ay)
            ux, uy = (bx - ax) / length, (by - ay) / length
            along, across = (px - ax) * ux + (py - ay) * uy, (px - ax) * uy - (py - ay) * ux
            inside = np.minimum(np.minimum(along, length - along), 1.25 - np.abs(across))
            total += inside > 0
            sure &= np.abs(inside) > 0.01  # corners are on 1/256 pixel
        assert sure.mean() > 0.9
        np.testing.assert_array_equal(plane[..., 0][sure], total[sure])
