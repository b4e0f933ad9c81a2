"""Conservative rasterization: pixels that a primitive touches, against exact integer geometry in numpy.

Two convex shapes are disjoint if and only if a normal of one of their sides separates them; the oracle projects both on every normal."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from tests.images.scenes import FS_FLAT, VS_COLOR

Array = NDArray[Any]
WIDTH, HEIGHT = 150, 110
UNIT = 1 << 15  # units of the oracle in a pixel
ONES = np.full((1, 4), 1 / 255, np.float32)
POST, PRE = "POST_SNAP", "PRE_SNAP"


def touched(corners: list[tuple[int, int]], grow: tuple[int, int] = (0, 0)) -> Array:
    """Pixels of shape (HEIGHT, WIDTH) that a convex polygon touches; corners and the growth of pixels' squares (x, y) in units."""
    pixels = [np.arange(WIDTH)[None, :] * UNIT, np.arange(HEIGHT)[:, None] * UNIT]
    low, high = ([p + o * UNIT + s * g for p, g in zip(pixels, grow)] for o, s in ((0, -1), (1, 1)))
    normals = [(1, 0), (0, 1)] + [(y0 - y1, x1 - x0) for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1])]
    found = np.ones((HEIGHT, WIDTH), bool)
    for a, b in normals:
        polygon = [a * x + b * y for x, y in corners]
        square = [a * x + b * y for x in (low[0], high[0]) for y in (low[1], high[1])]
        found &= (np.maximum.reduce(square) >= min(polygon)) & (np.minimum.reduce(square) <= max(polygon))
    return found


def draw(positions: Array, **state: Any) -> Array:
    """Sum of the flat colors of primitives, of shape (samples, HEIGHT, WIDTH, 4); each adds one where it covers."""
    viewport = state.pop("viewport", (WIDTH / 2, HEIGHT / 2, WIDTH / 2, HEIGHT / 2))
    fs, mode, colors = state.pop("fs", FS_FLAT), state.pop("mode", "TRIANGLES"), state.pop("colors", ONES)
    samples, lanes = state.pop("samples", 1), state.pop("lanes", None)
    with tgsi.Screen(threads=1, lanes=lanes) as screen:
        ctx = screen.context_create()
        target = screen.resource_create(width0=WIDTH, height0=HEIGHT, nr_samples=samples if samples > 1 else 0, bind="RENDER_TARGET")
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (*viewport[:2], 0.5), "translate": (*viewport[2:], 0.5)}])
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**({"conservative_raster_mode": POST} | state)))
        ctx.bind_blend_state(ctx.create_blend_state(blend_enable=True, rgb_dst_factor="ONE", alpha_dst_factor="ONE"))
        ctx.bind_vs_state(ctx.create_vs_state(VS_COLOR))
        ctx.bind_fs_state(ctx.create_fs_state(fs))
        corners = positions.reshape(-1, positions.shape[-1])
        format = {2: "R32G32_FLOAT", 4: "R32G32B32A32_FLOAT"}[corners.shape[1]]
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, format, 0), (0, "R32G32B32A32_FLOAT", 1)]))
        ctx.set_vertex_buffers([corners, np.resize(colors, (len(corners), 4))])
        ctx.clear("COLOR0")
        ctx.draw_vbo(mode=mode, count=len(corners))
        ctx.flush()
        planes: Array = np.stack([np.array(target.blocks(0, k)[0]) for k in range(samples)])
        ctx.destroy()
    return planes


def window(positions: Array) -> Array:
    """Window positions as the renderer computes them, in f32."""
    half = np.array([WIDTH / 2, HEIGHT / 2], np.float32)
    found: Array = positions * half + half
    return found


def snapped(positions: Array, bias: tuple[int, int] = (0, 0)) -> Array:
    """Window positions on the grid of each axis, in units."""
    steps = np.array([256 << b for b in bias], np.float64)
    found: Array = (np.rint(window(positions).astype(np.float64) * steps) * (UNIT / steps)).astype(np.int64)
    return found


def corners_of(points: Array) -> list[tuple[int, int]]:
    return [(int(x), int(y)) for x, y in points]


def triangles(count: int, size: float, seed: int, grid: int = 8) -> Array:
    """Clip positions of shape (count, 3, 2); many corners and edges lie on sides of pixels."""
    rng = np.random.default_rng(seed)
    pixels = rng.uniform(0, [WIDTH, HEIGHT], (count, 1, 2)) + rng.uniform(-1, 1, (count, 3, 2)) * size
    found: Array = (np.round(pixels * grid) / grid / [WIDTH / 2, HEIGHT / 2] - 1).astype(np.float32)
    return found


def expected(shapes: list[list[tuple[int, int]]], grow: tuple[int, int] = (0, 0)) -> Array:
    found: Array = np.add.reduce([touched(s, grow).astype(np.int64) for s in shapes])
    return found


@pytest.mark.parametrize("size", [0.6, 3.0, 40.0, 400.0])
@pytest.mark.parametrize(("lanes", "grid"), [(8, 2), (None, 1024)])
def test_a_triangle_covers_the_pixels_that_it_touches(lanes: int | None, grid: int, size: float) -> None:
    positions = triangles(30, size, 1, grid)
    with_area = [corners_of(t) for t in snapped(positions) if np.linalg.det(np.column_stack([t / UNIT, np.ones(3)])) != 0]
    np.testing.assert_array_equal(draw(positions, lanes=lanes)[0, ..., 0], expected(with_area))


@pytest.mark.parametrize("dilate", [0.25, 0.5, 1.0])
def test_dilation_moves_the_sides_of_pixels_outward(dilate: float) -> None:
    positions = triangles(30, 20.0, 2, 64)
    found = draw(positions, conservative_raster_dilate=dilate)[0, ..., 0]
    step = int(dilate * UNIT)
    np.testing.assert_array_equal(found, expected([corners_of(t) for t in snapped(positions)], (step, step)))


def test_dilation_is_rounded_up_to_its_granularity() -> None:
    positions = triangles(30, 20.0, 2, 64)
    fine = draw(positions, conservative_raster_dilate=0.3)
    np.testing.assert_array_equal(fine, draw(positions, conservative_raster_dilate=77 / 256))


@pytest.mark.parametrize("bias", [(0, 6), (3, 0), (6, 6)])
def test_the_grid_has_more_bits_with_a_bias(bias: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    pixels = rng.integers(2, 100, (60, 1, 2)) + rng.uniform(-1 / 200, 1 / 200, (60, 3, 2)) + rng.integers(0, 9, (60, 3, 2))
    positions = (pixels / [WIDTH / 2, HEIGHT / 2] - 1).astype(np.float32)  # corners close to corners of pixels
    found = draw(positions, subpixel_precision_x=bias[0], subpixel_precision_y=bias[1])[0, ..., 0]
    shapes = [corners_of(t) for t in snapped(positions, bias)]
    areas = [(x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0) for (x0, y0), (x1, y1), (x2, y2) in shapes]
    np.testing.assert_array_equal(found, expected([s for s, area in zip(shapes, areas) if area]))
    assert (found != draw(positions)[0, ..., 0]).any()


def exact(points: Array) -> list[tuple[int, int]]:
    """f32 window positions as whole numbers of 2^-30 pixel."""
    return [(int(Fraction(float(x)) * (1 << 30)), int(Fraction(float(y)) * (1 << 30))) for x, y in points]


@pytest.mark.parametrize("bias", [0, 4])
def test_before_snapping_nothing_that_is_touched_is_missed_and_little_is_added(bias: int) -> None:
    rng = np.random.default_rng(4)
    pixels = rng.integers(2, 90, (60, 1, 2)) + rng.integers(0, 2, (60, 3, 2)) + rng.uniform(-1 / 300, 1 / 300, (60, 3, 2))
    positions = (pixels / [WIDTH / 2, HEIGHT / 2] - 1).astype(np.float32)
    step = UNIT >> (8 + bias)
    state: dict[str, Any] = {"conservative_raster_mode": PRE, "subpixel_precision_x": bias, "subpixel_precision_y": bias}
    missed = 0
    for t, s in zip(positions, snapped(positions, (bias, bias))):
        found = draw(t, **state)[0, ..., 0]
        np.testing.assert_array_equal(found, touched(corners_of(s), (step // 2, step // 2)))
        scale = 1 << 15  # the exact triangle, in a grid that divides both
        fine = [(x, y) for x, y in exact(window(t))]
        low = [floor(min(v[k] for v in fine) / (UNIT * scale)) - 2 for k in range(2)]
        for y in range(max(low[1], 0), low[1] + 8):
            for x in range(max(low[0], 0), low[0] + 8):
                if meets(fine, x << 30, y << 30, 1 << 30):
                    assert found[y, x]
                    missed += not touched(corners_of(s))[y, x]
    assert missed or bias  # the snapped triangles alone would miss some


def meets(corners: list[tuple[int, int]], x: int, y: int, size: int) -> bool:
    """True if a square and a triangle, both closed, have a point in common; Python's integers."""
    normals = [(1, 0), (0, 1)] + [(y0 - y1, x1 - x0) for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1])]
    for a, b in normals:
        one, other = [a * u + b * v for u, v in corners], [a * (x + i * size) + b * (y + j * size) for i in (0, 1) for j in (0, 1)]
        if max(one) < min(other) or max(other) < min(one):
            return False
    return True


@pytest.mark.parametrize(("samples", "multisample"), [(4, True), (16, True), (2, False)])
def test_all_samples_of_a_touched_pixel_are_covered(samples: int, multisample: bool) -> None:
    positions = triangles(30, 12.0, 5)
    wanted = expected([corners_of(t) for t in snapped(positions)])
    for plane in draw(positions, samples=samples, multisample=multisample):
        np.testing.assert_array_equal(plane[..., 0], wanted)


@pytest.mark.parametrize("mode", [POST, PRE])
def test_a_point_is_a_square_and_covers_each_pixel_once(mode: str) -> None:
    positions = (np.random.default_rng(6).integers(8, 8 * 100, (25, 2)) / 8 / [WIDTH / 2, HEIGHT / 2] - 1).astype(np.float32)
    grow = UNIT // 512 + UNIT // 256 if mode == PRE else 0
    half = 11 * UNIT // 4
    shapes = [[(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)] for x, y in snapped(positions)]
    found = draw(positions, mode="POINTS", point_size=5.5, conservative_raster_mode=mode, point_smooth=True)[0, ..., 0]
    np.testing.assert_array_equal(found, expected(shapes, (grow, grow)))


def rectangle(ends: Array, width: float) -> list[tuple[int, int]]:
    """Corners of a line in units, snapped to 1/256 pixel."""
    (x0, y0), (x1, y1) = window(ends).astype(np.float64)
    length = np.hypot(x1 - x0, y1 - y0)
    nx, ny = (y1 - y0) / length * width / 2, -(x1 - x0) / length * width / 2
    points = [(x0 - nx, y0 - ny), (x1 - nx, y1 - ny), (x1 + nx, y1 + ny), (x0 + nx, y0 + ny)]
    return [(round(x * 256) * (UNIT // 256), round(y * 256) * (UNIT // 256)) for x, y in points]


@pytest.mark.parametrize("width", [1.0, 6.5])
def test_a_line_is_a_rectangle_and_covers_each_pixel_once(width: float) -> None:
    positions = triangles(25, 50.0, 7, 1 << 20)[:, :2]
    found = draw(positions, mode="LINES", line_width=width, line_smooth=True, line_stipple_enable=True)[0, ..., 0].astype(int)
    shapes = [rectangle(p, width) for p in positions]
    step = UNIT // 128
    low, high = (expected(shapes, (s * step, s * step)) for s in (-1, 1))  # corners are computed in f32
    assert ((found >= low) & (found <= high)).all()
    assert (low != high).sum() < 0.02 * (high > 0).sum()


def test_a_line_before_snapping_covers_at_least_what_it_touches() -> None:
    positions = triangles(25, 50.0, 8, 1 << 20)[:, :2]
    found = draw(positions, mode="LINES", line_width=2.0, conservative_raster_mode=PRE)[0, ..., 0].astype(int)
    shapes = [rectangle(p, 2.0) for p in positions]
    assert ((found >= expected(shapes)) & (found <= expected(shapes, (UNIT // 64, UNIT // 64)))).all()


def test_a_clipped_polygon_covers_each_pixel_once() -> None:
    rng = np.random.default_rng(9)
    xy, z = rng.uniform(-1, 1, (12, 3, 2)), rng.uniform(-3, 3, (12, 3, 1))
    positions = np.concatenate([xy, z, np.ones((12, 3, 1))], axis=2).astype(np.float32)
    for t in positions:
        plain = draw(t, conservative_raster_mode="OFF")[0, ..., 0]
        found = draw(t)[0, ..., 0]
        assert (found[plain > 0] == 1).all()
        assert found.max() <= 1
        grown = np.pad(plain > 0, 2)
        near = np.logical_or.reduce(
            [grown[2 + j : 2 + j + HEIGHT, 2 + i : 2 + i + WIDTH] for i in (-2, -1, 0, 1, 2) for j in (-2, -1, 0, 1, 2)]
        )
        assert not plain.any() or (near[found > 0]).mean() > 0.9
    assert any(draw(t)[0, ..., 0].any() for t in positions)


def test_a_far_corner_is_clipped_to_the_guard_band_without_a_seam() -> None:
    positions = (np.array([[3.0, 4.0], [90000.0, 60.5], [5.0, 80.0]]) / [WIDTH / 2, HEIGHT / 2] - 1).astype(np.float32)
    found = draw(positions)[0, ..., 0]
    assert found.max() == 1
    inside = touched([(x * UNIT // 8, y * UNIT // 8) for x, y in ((24, 32), (720000, 484), (40, 640))])
    assert (found != inside).sum() <= 3  # clipping rounds


def test_a_fill_rectangle_covers_each_pixel_of_its_box_once() -> None:
    positions = triangles(20, 20.0, 10)
    both = {"fill_front": "FILL_RECTANGLE", "fill_back": "FILL_RECTANGLE"}
    shapes = []
    for t in snapped(positions):
        (x0, y0), (x1, y1) = t.min(axis=0), t.max(axis=0)
        shapes.append([(int(x0), int(y0)), (int(x1), int(y0)), (int(x1), int(y1)), (int(x0), int(y1))])
    np.testing.assert_array_equal(draw(positions, **both)[0, ..., 0], expected(shapes))


FS_FACE = """FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL IN[1], FACE, CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {0.0, 1.0, 0.0, 0.0}
MOV OUT[0].xzw, IN[0]
SLT OUT[0].y, IN[1].xxxx, IMM[0].xxxx
END
"""


@pytest.mark.parametrize(
    "points",
    [
        [(10.0, 20.0), (30.5, 40.25), (20.25, 30.125)],
        [(10.5, 20.5), (10.5, 20.5), (10.5, 20.5)],
        [(12.0, 7.0), (90.0, 7.0), (90.0, 7.0)],
        [(33.3, 5.0), (33.3, 100.0), (33.3, 50.0)],
    ],
)
def test_a_degenerate_triangle_is_drawn_before_snapping_alone_with_the_values_of_its_provoking_vertex(
    points: list[tuple[float, float]],
) -> None:
    positions = (np.array(points) / [WIDTH / 2, HEIGHT / 2] - 1).astype(np.float32)
    values = np.array([[51, 0, 1, 7], [102, 0, 2, 8], [153, 0, 3, 9]], np.float32) / 255
    assert not draw(positions, fs=FS_FACE, colors=values).any()
    half_step = UNIT // 512
    mask = touched(corners_of(snapped(positions)), (half_step, half_step))
    for first, row in ((False, 2), (True, 0)):
        found = draw(positions, fs=FS_FACE, colors=values, conservative_raster_mode=PRE, flatshade_first=first)[0]
        np.testing.assert_array_equal(found[..., 0] > 0, mask)
        r, b, a = np.rint(values[row, [0, 2, 3]] * 255)
        assert (found[mask] == [r, 255, b, a]).all()  # green: it faces back
    for ccw in (False, True):
        assert not draw(positions, conservative_raster_mode=PRE, cull_face="BACK", front_ccw=ccw).any()
        assert draw(positions, conservative_raster_mode=PRE, cull_face="FRONT", front_ccw=ccw).any()


def test_a_line_without_length_is_drawn_before_snapping_alone() -> None:
    positions = (np.array([[40.5, 50.5], [40.5, 50.5]]) / [WIDTH / 2, HEIGHT / 2] - 1).astype(np.float32)
    values = np.array([[51, 0, 1, 7], [102, 0, 2, 8]], np.float32) / 255
    assert not draw(positions, mode="LINES", colors=values).any()
    for first, value in ((False, 102), (True, 51)):
        found = draw(positions, mode="LINES", colors=values, conservative_raster_mode=PRE, flatshade_first=first)[0]
        assert found[50, 40, 0] == value
        assert (found[..., 0] > 0).sum() <= 3


FS_SMOOTH = FS_FLAT.replace("CONSTANT", "LINEAR")


def test_inputs_are_those_of_the_pixels_center_beyond_the_edges_too() -> None:
    points = np.array([(20.3, 10.4), (31.6, 12.2), (23.1, 19.7)])
    values = np.array([[80, 30, 0, 0], [40, 90, 0, 0], [120, 60, 0, 0]], np.float32) / 255
    found = draw((points / [WIDTH / 2, HEIGHT / 2] - 1).astype(np.float32), fs=FS_SMOOTH, colors=values)[0]
    matrix = np.column_stack([points, np.ones(3)])
    x, y = np.arange(WIDTH)[None, :] + 0.5, np.arange(HEIGHT)[:, None] + 0.5
    mask = found[..., :2].any(axis=2)
    for channel in range(2):
        a, b, c = np.linalg.solve(matrix, values[:, channel].astype(float))
        np.testing.assert_allclose(found[..., channel][mask], (255 * (a * x + b * y + c))[mask], atol=0.51)
    assert ((found[..., 0] > 120) & mask).any()  # a value that no point of the triangle has


def test_a_viewport_bounds_the_pixels_that_it_owns_a_part_of() -> None:
    everything = np.array([[-1, -1], [9, -1], [-1, 9]], np.float32)
    found = draw(everything, viewport=(16.25, 10.0, 30.0, 40.0), conservative_raster_dilate=1.0)[0, ..., 0] > 0
    wanted = np.zeros((HEIGHT, WIDTH), bool)
    wanted[30:50, floor(13.75) : ceil(46.25)] = True
    np.testing.assert_array_equal(found, wanted)


FS_COVERAGE = """FRAG
PROPERTY FS_POST_DEPTH_COVERAGE 1
DCL SV[0], SAMPLEMASK
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {0.0625, 0.0, 0.0, 0.0}
U2F TEMP[0].x, SV[0].xxxx
MUL OUT[0], TEMP[0].xxxx, IMM[0].xyyy
END
"""


def test_the_sample_mask_has_the_samples_that_passed_early_tests() -> None:
    near = np.array([[-0.8, -0.7, 0.2, 1], [0.4, -0.5, 0.2, 1], [-0.4, 0.7, 0.2, 1]], np.float32)
    far = near * np.array([1, 1, 2, 1], np.float32)
    with tgsi.Screen(threads=1) as screen, screen.context_create() as ctx:
        color = screen.resource_create(width0=40, height0=40, nr_samples=4, bind="RENDER_TARGET")
        depth = screen.resource_create(format="Z32_FLOAT", width0=40, height0=40, nr_samples=4, bind="DEPTH_STENCIL")
        ctx.set_framebuffer_state(cbufs=[color], zsbuf=depth)
        ctx.set_viewport_states([{"scale": (20, 20, 1), "translate": (20, 20, 0)}])
        ctx.bind_vs_state(ctx.create_vs_state(VS_COLOR.replace("DCL IN[1]\n", "").replace("MOV OUT[1], IN[1]\n", "MOV OUT[1], IN[0]\n")))
        ctx.bind_fs_state(ctx.create_fs_state(FS_COVERAGE))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        tested = {"enabled": True, "writemask": True, "func": "LESS"}
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(depth=tested))
        ctx.clear("COLOR0|DEPTH", depth=1.0)
        for mode, positions in (("OFF", near), (POST, far)):
            ctx.bind_rasterizer_state(ctx.create_rasterizer_state(multisample=True, depth_clip=False, conservative_raster_mode=mode))
            ctx.set_vertex_buffers([positions])
            ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.flush()
        masks, depths = (np.stack([np.array(t.blocks(0, k)[0]) for k in range(4)]) for t in (color, depth))
    found, z = np.rint(masks[..., 0] / 255 * 16).astype(int), depths.view(np.float32)[..., 0]
    taken = z == np.float32(0.2)
    later = sum((~taken[k]).astype(int) << k for k in range(4))
    for k in range(4):
        mine = z[k] == np.float32(0.4)
        np.testing.assert_array_equal(found[k][mine], later[mine])
        assert mine.any()
        assert taken[k].any()


def test_polygon_smoothing_is_ignored() -> None:
    positions = triangles(20, 15.0, 11)
    np.testing.assert_array_equal(draw(positions, poly_smooth=True), draw(positions))


@pytest.mark.parametrize(
    ("field", "value"), [("conservative_raster_dilate", 1.5), ("conservative_raster_dilate", -0.1), ("subpixel_precision_x", 7)]
)
def test_values_beyond_the_capabilities_are_refused_by_name(field: str, value: float) -> None:
    with tgsi.Screen(threads=1) as screen, screen.context_create() as ctx:
        with pytest.raises(ValueError, match=f"create_rasterizer_state: {field}"):
            ctx.create_rasterizer_state(**{field: value})  # type: ignore[arg-type]
        assert screen.get_param("MAX_CONSERVATIVE_RASTER_SUBPIXEL_PRECISION_BIAS") == 6
        assert screen.get_paramf("MAX_CONSERVATIVE_RASTER_DILATE") == 1.0
