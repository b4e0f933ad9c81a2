"""Every primitive type: its triangles, lines and points, provoking vertices, restart, instances."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.pipe.enums import Face, PolygonMode, Prim, SpriteCoordMode
from backends.pipe.state import DrawInfo, RasterizerState, VertexElement
from backends.raster.draw.topology import TOPOLOGIES, expand
from backends.raster.layouts import Shape
from tests.texts import VS_POSITION
from tests.unit.raster.canvas import ADD, FS_ONE, FS_WHITE, RGBA32F, VS_COLOR, Canvas, fs_color
from tests.unit.raster.triangles import random_triangles

pytestmark = pytest.mark.light

Array = NDArray[Any]
SIZE = 64


def positions(count: int, seed: int = 3) -> Array:
    rng = np.random.default_rng(seed)
    xy = rng.uniform(-0.95, 0.95, (count, 2))
    return np.concatenate([xy, np.zeros((count, 1)), np.ones((count, 1))], 1).astype("f4")


# (primitive, vertices, triangles with the provoking vertex last, the same when the first vertex provokes)
DECOMPOSED = [
    (Prim.TRIANGLES, 7, [(0, 1, 2), (3, 4, 5)], [(1, 2, 0), (4, 5, 3)]),
    (Prim.TRIANGLE_STRIP, 6, [(0, 1, 2), (2, 1, 3), (2, 3, 4), (4, 3, 5)], [(1, 2, 0), (3, 2, 1), (3, 4, 2), (5, 4, 3)]),
    (Prim.TRIANGLE_FAN, 5, [(0, 1, 2), (0, 2, 3), (0, 3, 4)], [(2, 0, 1), (3, 0, 2), (4, 0, 3)]),
    (Prim.QUADS, 9, [(0, 1, 3), (1, 2, 3), (4, 5, 7), (5, 6, 7)], [(1, 2, 0), (2, 3, 0), (5, 6, 4), (6, 7, 4)]),
    (Prim.QUAD_STRIP, 7, [(0, 1, 3), (2, 0, 3), (2, 3, 5), (4, 2, 5)], [(1, 3, 0), (3, 2, 0), (3, 5, 2), (5, 4, 2)]),
    (Prim.POLYGON, 5, [(1, 2, 0), (2, 3, 0), (3, 4, 0)], None),
    (Prim.TRIANGLES_ADJACENCY, 12, [(0, 2, 4), (6, 8, 10)], [(2, 4, 0), (8, 10, 6)]),
    (Prim.TRIANGLE_STRIP_ADJACENCY, 8, [(0, 2, 4), (4, 2, 6)], [(2, 4, 0), (6, 4, 2)]),
]


def drawn(position: Array, color: Array, mode: Prim, **changes: Any) -> Array:
    with Canvas(SIZE, SIZE, color=(RGBA32F,)) as c:
        c.wipe()
        c.draw_arrays(VS_COLOR, fs_color("CONSTANT"), [position, color], mode, blend=ADD, **changes)
        return c.values()


@pytest.mark.parametrize(("mode", "count", "last", "first"), DECOMPOSED, ids=lambda v: v.name if isinstance(v, Prim) else "")
def test_primitives_are_their_triangles(mode: Prim, count: int, last: list[Any], first: list[Any] | None) -> None:
    position = positions(count)
    color = np.random.default_rng(1).integers(1, 64, (count, 4)).astype("f4")
    for flag, triangles in ((False, last), (True, last if first is None else first)):
        order = np.array(triangles, np.uint32).ravel()
        whole = drawn(position, color, mode, rasterizer=RasterizerState(flatshade_first=flag))
        listed = drawn(position[order], color[order], Prim.TRIANGLES)
        assert np.array_equal(whole, listed), f"flatshade_first={flag}"
        assert whole.any()


@pytest.mark.parametrize(("mode", "count"), [(Prim.QUADS, 9), (Prim.QUAD_STRIP, 8)])
def test_quads_keep_their_last_vertex_where_state_says_so(mode: Prim, count: int) -> None:
    position, color = positions(count), np.random.default_rng(1).integers(1, 64, (count, 4)).astype("f4")
    rules = RasterizerState(flatshade_first=True, quads_provoke_last=True)
    assert np.array_equal(drawn(position, color, mode, rasterizer=rules), drawn(position, color, mode))
    assert not np.array_equal(drawn(position, color, mode, rasterizer=RasterizerState(flatshade_first=True)), drawn(position, color, mode))


@pytest.mark.parametrize("kind", ["u1", "u2", "u4"])
def test_restart_cuts_strips_for_every_index_size(kind: str) -> None:
    position, color = positions(12), np.ones((12, 4), "f4")
    cut = np.iinfo(kind).max
    indices = np.array([0, 1, 2, 3, cut, 4, 5, 6, cut, cut, 7, 8, cut, 9, 10, 11, 0], kind)
    info = DrawInfo(
        mode=Prim.TRIANGLE_STRIP, count=len(indices), index_size=np.dtype(kind).itemsize, primitive_restart=True, restart_index=int(cut)
    )
    strip = drawn(position, color, Prim.TRIANGLE_STRIP, indices=indices, info=info)
    triangles = np.array([0, 1, 2, 2, 1, 3, 4, 5, 6, 9, 10, 11, 11, 10, 0])
    assert np.array_equal(strip, drawn(position[triangles], color[triangles], Prim.TRIANGLES))


def test_index_bias_start_and_start_instance() -> None:
    position, color = positions(9), np.eye(4, dtype="f4")[np.arange(9) % 4]
    indices = np.array([9, 9, 9, 0, 1, 2, 2, 1, 3], "u2")
    info = DrawInfo(mode=Prim.TRIANGLES, count=6, start=3, index_size=2, index_bias=4)
    with_bias = drawn(position, color, Prim.TRIANGLES, indices=indices, info=info)
    order = indices[3:] + 4
    assert np.array_equal(with_bias, drawn(position[order], color[order], Prim.TRIANGLES))


@pytest.mark.parametrize("divisor", [1, 2, 3])
def test_instanced_attributes_advance_by_their_divisor(divisor: int) -> None:
    position, color = positions(3), np.diag([1.0, 2.0, 4.0, 8.0]).astype("f4")
    elements = (VertexElement(0, RGBA32F, 0), VertexElement(0, RGBA32F, 1, divisor))
    info = DrawInfo(mode=Prim.TRIANGLES, count=3, instance_count=5, start_instance=1)
    image = drawn(position, color, Prim.TRIANGLES, vertex_elements=elements, info=info)
    rows = [color[1 + i // divisor] if 1 + i // divisor < 4 else np.zeros(4) for i in range(5)]
    assert np.array_equal(image[image.any(2)], np.broadcast_to(sum(rows), (int(image.any(2).sum()), 4)))


def test_vertices_outside_of_their_buffer_read_zeros() -> None:
    position = positions(6)
    with Canvas(SIZE, SIZE, color=(RGBA32F,)) as c:
        c.wipe()
        indices = np.array([0, 1, 2, 3, 4, 0xFFFFFFF0, 5, 6, 7], "u4")
        c.draw_arrays(VS_COLOR, fs_color("CONSTANT"), [position, np.ones((3, 4), "f4")], indices=indices, blend=ADD)
        image = c.values()
    only = drawn(position[:3], np.ones((3, 4), "f4"), Prim.TRIANGLES)
    assert np.array_equal(image, only)


def test_indices_behind_the_end_of_their_buffer_are_zero() -> None:
    position, indices = positions(5), np.array([1, 2, 3, 4], "u2")
    image = drawn(
        position, np.ones((5, 4), "f4"), Prim.TRIANGLES, indices=indices, info=DrawInfo(mode=Prim.TRIANGLES, count=6, index_size=2)
    )
    order = [1, 2, 3, 4, 0, 0]
    assert np.array_equal(image, drawn(position[order], np.ones((6, 4), "f4"), Prim.TRIANGLES))
    drawn(position, np.ones((5, 4), "f4"), Prim.TRIANGLES, indices=indices, info=DrawInfo(mode=Prim.TRIANGLES, count=1 << 31, index_size=2))


# --------------------------------------------------------------------------------------------------------------- lines
def diamond_exit(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction]) -> set[tuple[int, int]]:
    """Pixels of a line by definition: the line leaves the diamond around the pixel's center (exact arithmetic)."""
    (x0, y0), (x1, y1) = a, b
    dx, dy = x1 - x0, y1 - y0
    found = set()
    for px in range(int(min(x0, x1)) - 1, int(max(x0, x1)) + 2):
        for py in range(int(min(y0, y1)) - 1, int(max(y0, y1)) + 2):
            cx, cy = x0 - px - Fraction(1, 2), y0 - py - Fraction(1, 2)
            low, high = Fraction(0), Fraction(1)
            for sx in (-1, 1):
                for sy in (-1, 1):  # sx*x + sy*y < 1/2
                    value, slope = sx * cx + sy * cy - Fraction(1, 2), sx * dx + sy * dy
                    if slope == 0:
                        low = low if value < 0 else Fraction(2)
                    elif slope > 0:
                        high = min(high, -value / slope)
                    else:
                        low = max(low, -value / slope)
            if low < high < 1:
                found.add((px, py))
    return found


def test_lines_follow_diamond_exit() -> None:
    rng = np.random.default_rng(4)
    wrong = total = 0
    for _ in range(60):
        ends = rng.integers(4 * 256, 60 * 256, (2, 2))
        position = np.zeros((2, 4), "f4")
        position[:, :2] = ends / 256 / 32 - 1
        position[:, 3] = 1
        with Canvas(SIZE, SIZE) as c:
            c.wipe()
            c.draw_arrays(VS_POSITION, FS_WHITE, [position], Prim.LINES)
            ys, xs = np.nonzero(c.image()[:, :, 0])
        (x0, y0), (x1, y1) = ends.tolist()
        expected = diamond_exit((Fraction(x0, 256), Fraction(y0, 256)), (Fraction(x1, 256), Fraction(y1, 256)))
        found = set(zip(xs.tolist(), ys.tolist()))
        wrong += len(found ^ expected)
        total += len(expected)
        assert len(found ^ expected) <= 2  # the center line may pass within 1/256 pixel of a border
    assert wrong <= total // 100


@pytest.mark.parametrize("width", [1.0, 3.0, 4.5])
def test_wide_lines_have_that_many_pixels_in_each_column(width: float) -> None:
    position = np.array([[-0.5, -0.3, 0, 1], [0.5, 0.1, 0, 1]], "f4")
    with Canvas(SIZE, SIZE) as c:
        c.wipe()
        c.draw_arrays(VS_POSITION, FS_ONE, [position], Prim.LINES, blend=ADD, rasterizer=RasterizerState(line_width=width))
        image = c.image()[:, :, 0]
    assert image.max() == 1
    assert set(image.sum(0)) == {0, int(width + 0.5)}


def test_line_colors_follow_the_whole_line() -> None:
    position = np.array([[-0.75, 0, 0, 1], [0.5, 0, 0, 2]], "f4")
    position[1, 0] = 1.0
    color = np.array([[0, 0, 0, 1], [1, 1, 1, 1]], "f4")
    with Canvas(SIZE, SIZE, color=(RGBA32F,)) as c:
        c.wipe((-1, -1, -1, -1))
        c.draw_arrays(VS_COLOR, fs_color("LINEAR"), [position, color], Prim.LINE_STRIP)
        row = c.values()[32, :, 0]
    drawn_at = np.nonzero(row >= 0)[0]
    assert np.allclose(row[drawn_at], (drawn_at + 0.5 - 8) / 40, atol=1e-5)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("direction", [1, -1])
def test_lines_that_meet_draw_each_pixel_once(axis: int, direction: int) -> None:
    length = direction * 10.25
    for fx, fy in np.ndindex(4, 4):  # at (2, 0) the joint is the corner of a diamond
        joint = np.array([32 + fx / 4, 32 + fy / 4])
        for bend in (0, 0.25, -0.25, 1 / 256, -1 / 256):
            ends = joint + [[-length, bend], [0, 0], [0, 0], [length, bend]]
            position = np.ones((4, 4), "f4")
            position[:, :2], position[:, 2] = (ends if axis == 0 else ends[:, ::-1]) / 32 - 1, 0
            with Canvas(SIZE, SIZE) as c:
                c.wipe()
                c.draw_arrays(VS_POSITION, FS_ONE, [position], Prim.LINES, blend=ADD)
                profile = c.image()[:, :, 0].sum(axis)
            assert (profile[24:41] == 1).all(), (fx, fy, bend)


def test_line_loop_closes() -> None:
    square = np.array([[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0.5, 0.5, 0, 1], [-0.5, 0.5, 0, 1]], "f4")
    square[:, :2] += 1 / 64  # pixel centers
    with Canvas(SIZE, SIZE) as c:
        c.wipe()
        c.draw_arrays(VS_POSITION, FS_ONE, [square], Prim.LINE_LOOP, blend=ADD)
        image = c.image()[:, :, 0]
    assert image.max() == 1
    assert image.sum() == 4 * 32


# -------------------------------------------------------------------------------------------------------------- points
@pytest.mark.parametrize("size", [1.0, 1.5, 2.0, 4.0, 9.0])
def test_points_are_squares_of_whole_pixels(size: float) -> None:
    position = positions(5)
    with Canvas(SIZE, SIZE) as c:
        c.wipe()
        c.draw_arrays(VS_POSITION, FS_ONE, [position], Prim.POINTS, blend=ADD, rasterizer=RasterizerState(point_size=size))
        image = c.image()[:, :, 0]
    expected = np.zeros((SIZE, SIZE), int)
    for x, y in np.rint((position[:, :2] * 32 + 32) * 256) / 256:
        left, bottom = (int(x), int(y)) if size <= 1 else (int(x + 0.75 - size / 2), int(y + 0.25 - size / 2))
        expected[max(bottom, 0) : bottom + int(size), max(left, 0) : left + int(size)] += 1
    assert np.array_equal(image, expected)


@pytest.mark.parametrize("is_bottom", [False, True])
@pytest.mark.parametrize("size", [1.0, 1.25, 3.0, 7.5, 40.0])
def test_square_points_cover_the_pixels_whose_centers_they_own(size: float, is_bottom: bool) -> None:
    position = positions(60, 5)
    position[:20, :2] = np.floor(position[:20, :2] * 64) / 64 + (size % 1) / 64  # sides on the centers of pixels
    r = RasterizerState(point_size=size, point_quad_rasterization=True, bottom_edge_rule=is_bottom)
    with Canvas(SIZE, SIZE) as c:
        c.wipe()
        c.draw_arrays(VS_POSITION, FS_ONE, [position], Prim.POINTS, blend=ADD, rasterizer=r)
        image = c.image()[:, :, 0]
    expected = np.zeros((SIZE, SIZE), int)
    center = np.arange(SIZE) + 0.5
    for x, y in np.rint((position[:, :2].astype("f8") * 32 + 32) * 256) / 256:
        low, high = (np.rint((np.array([x, y]) + side * size / 2) * 256) / 256 for side in (-1, 1))
        columns = (low[0] <= center) & (center < high[0])
        expected += ((low[1] <= center) & (center < high[1]))[:, None] & columns  # bottom_edge_rule is about triangles
    assert np.array_equal(image, expected)


@pytest.mark.parametrize("flips", [False, True])
@pytest.mark.parametrize("is_square", [False, True])
def test_sprite_coordinates_are_those_of_the_size_and_the_center(is_square: bool, flips: bool) -> None:
    position, size = positions(1, 9), 23.25
    fs = "FRAG\nDCL IN[0], PCOORD, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    mode = SpriteCoordMode.LOWER_LEFT if flips else SpriteCoordMode.UPPER_LEFT
    with Canvas(SIZE, SIZE, color=(RGBA32F,)) as c:
        c.wipe()
        r = RasterizerState(point_size=size, point_quad_rasterization=is_square, sprite_coord_mode=mode)
        c.draw_arrays(VS_POSITION, fs, [position], Prim.POINTS, rasterizer=r)
        image = c.values()
    x, y = np.rint((position[0, :2].astype("f8") * 32 + 32) * 256) / 256
    rows, columns = np.nonzero(image[..., 3])
    assert len(rows) > 400
    s, t = (columns + 0.5 - x) / size + 0.5, (rows + 0.5 - y) / size + 0.5
    found = image[rows, columns]
    np.testing.assert_allclose(found, np.stack([s, 1 - t if flips else t, 0 * s, 0 * s + 1], 1), rtol=0, atol=2e-7)


def test_sprite_coordinates_run_over_the_point() -> None:
    fs = "FRAG\nDCL IN[0], PCOORD, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    with Canvas(SIZE, SIZE, color=(RGBA32F,)) as c:
        c.wipe()
        r = RasterizerState(point_size=16.0, point_quad_rasterization=True)
        c.draw_arrays(VS_POSITION, fs, [np.array([[0, 0, 0, 1]], "f4")], Prim.POINTS, rasterizer=r)
        image = c.values()
    block = image[24:40, 24:40]
    assert np.allclose(block[..., 0], (np.arange(16) + 0.5) / 16, atol=1e-6)
    assert np.allclose(block[..., 1], (np.arange(16)[:, None] + 0.5) / 16, atol=1e-6)  # t is 0 at the top


@pytest.mark.parametrize("mode", list(TOPOLOGIES))
def test_expansion_matches_the_formula(mode: Prim) -> None:
    for topology in TOPOLOGIES[mode]:
        for count in range(13):
            corners = expand(topology, np.arange(count, dtype=np.uint32), None).reshape(-1, 3)
            assert len(corners) == max(topology.count(count), 0)
            assert not len(corners) or corners.max() < count
            assert topology.shape is not Shape.TRIANGLE or all(len(set(c)) == 3 for c in corners.tolist())


# ------------------------------------------------------------------------------------------------------- polygon modes
SQUARE = np.array([[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0.5, 0.5, 0, 1], [-0.5, 0.5, 0, 1]], "f4")
SQUARE[:, :2] += 1 / 64  # corners on pixel centers


@pytest.mark.parametrize(
    ("mode", "order"),
    [(Prim.QUADS, [0, 1, 2, 3]), (Prim.POLYGON, [0, 1, 2, 3]), (Prim.QUAD_STRIP, [0, 1, 3, 2])],
    ids=lambda v: v.name if isinstance(v, Prim) else "",
)
def test_edges_inside_of_a_primitive_are_not_drawn(mode: Prim, order: list[int]) -> None:
    r = RasterizerState(fill_front=PolygonMode.LINE, fill_back=PolygonMode.LINE)
    with Canvas(SIZE, SIZE) as c:
        c.wipe()
        c.draw_arrays(VS_POSITION, FS_ONE, [SQUARE[order]], mode, blend=ADD, rasterizer=r)
        image = c.image()[:, :, 0]
    assert image.sum() == 4 * 32
    assert image[17:47, 17:47].max() == 0


def test_each_face_has_its_mode_and_keeps_its_facing() -> None:
    fs = "FRAG\nDCL IN[0], FACE, CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0].xxxx\nEND\n"
    left = np.array([[-0.9, -0.9, 0, 1], [-0.1, -0.9, 0, 1], [-0.9, 0.9, 0, 1]], "f4")
    right = left * np.array([-1, 1, 1, 1], "f4")
    position = np.concatenate([left, right])
    results = {}
    for front, back in ((PolygonMode.FILL, PolygonMode.LINE), (PolygonMode.POINT, PolygonMode.FILL)):
        with Canvas(SIZE, SIZE, color=(RGBA32F,)) as c:
            c.wipe()
            c.draw_arrays(VS_POSITION, fs, [position], rasterizer=RasterizerState(fill_front=front, fill_back=back))
            results[front] = c.values()[:, :, 0]
    half = SIZE // 2
    image = results[PolygonMode.FILL]
    assert (image[:, :half] == 1).sum() > 700  # area of a triangle
    assert 0 < (image[:, half:] == -1).sum() < 150  # its outline
    image = results[PolygonMode.POINT]
    assert (image[:, :half] == 1).sum() == 3
    assert (image[:, half:] == -1).sum() > 700


def test_outlines_of_clipped_triangles_stay_inside() -> None:
    triangles = random_triangles("near", 40).reshape(-1, 4)
    r = RasterizerState(fill_front=PolygonMode.LINE, fill_back=PolygonMode.POINT, cull_face=Face.NONE)
    with Canvas(SIZE, SIZE, threads=1) as c:
        c.wipe()
        c.draw_arrays(VS_POSITION, FS_ONE, [triangles], blend=ADD, rasterizer=r)
        assert c.image().any()


def test_positions_in_window_space_are_taken_as_they_are() -> None:
    vs = "VERT\nPROPERTY VS_WINDOW_SPACE_POSITION 1\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n"
    position = np.array([[3, 5, 0.5, 1], [20, 5, 0.5, 1], [3, 30, 0.5, 1], [20, 30, 0.5, 1]], "f4")
    with Canvas(SIZE, SIZE) as c:
        c.wipe()
        c.draw_arrays(vs, FS_ONE, [position], Prim.TRIANGLE_STRIP, blend=ADD)
        image = c.image()[:, :, 0]
    assert image[5:30, 3:20].min() == 1
    assert image.sum() == 25 * 17
