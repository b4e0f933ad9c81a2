"""Smooth, stippled and offset primitives and kinds of points: effects of the rasterizer state, pixel by pixel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.picture import GENERIC, LESS, PASS, Picture, screen
from tgsi import gallium as g

pytestmark = pytest.mark.light

Array = NDArray[Any]
_FACTORS: dict[str, Any] = {f"{part}_{side}_factor": "ONE" for part in ("rgb", "alpha") for side in ("src", "dst")}
ALPHA = {**_FACTORS, "blend_enable": True}


def points(*xy: tuple[float, float], size: int = 16) -> Array:
    """Clip positions of positions in pixels."""
    found = np.zeros((len(xy), 4), np.float32)
    found[:, :2] = np.array(xy) / (size / 2) - 1
    found[:, 3] = 1
    return found


def drawn(mode: str, *xy: tuple[float, float], size: int = 16, adds: bool = False, **state: Any) -> Array:
    """Alpha of white primitives, of shape (size, size)."""
    picture = Picture(size, size)
    if adds:
        picture.ctx.bind_blend_state(picture.ctx.create_blend_state(**ALPHA))
    picture.draw(GENERIC, PASS, points(*xy, size=size), np.ones((len(xy), 4), np.float32), mode=mode, rasterizer=state)
    found: Array = picture.pixels()[..., 3]
    return found


# -- smooth lines -----------------------------------------------------------------------------------------------------------
def test_a_smooth_line_covers_its_length_times_its_width() -> None:
    for width in (1.0, 2.0, 3.7):
        for end in ((12.3, 9.1), (3.0, 13.0), (13.5, 4.2)):
            found = drawn("LINES", (4.2, 4.7), end, line_smooth=True, line_width=width)
            length = np.hypot(end[0] - 4.2, end[1] - 4.7)
            assert found.sum() == pytest.approx(length * width, rel=0.04)


def test_coverage_of_a_smooth_line_falls_from_its_middle_by_the_formula() -> None:
    found = drawn("LINES", (2, 8), (14, 8), line_smooth=True, line_width=3.0)
    assert found[5:11, 8].tolist() == pytest.approx([0, 0.5, 1, 1, 0.5, 0], abs=1e-4)
    assert found[8, [0, 1, 2, 13, 14, 15]].tolist() == pytest.approx([0, 0, 1, 1, 0, 0], abs=1e-4)


def test_a_smooth_line_shorter_than_a_pixel_fades() -> None:
    sums = [drawn("LINES", (8.2, 8.3), (8.2 + d, 8.3), line_smooth=True).sum() for d in (0.0, 0.1, 0.4, 0.8)]
    assert sums[0] == 0
    assert sums == sorted(sums)


def test_alpha_of_integer_targets_is_left_alone() -> None:
    picture = Picture(16, 16, format="R32G32B32A32_UINT")
    fragment = "FRAG\nDCL OUT[0], COLOR\nIMM[0] UINT32 {7, 7, 7, 7}\nMOV OUT[0], IMM[0]\nEND\n"
    picture.draw(fragment, PASS, points((2, 8.2), (14, 8.4)), mode="LINES", rasterizer={"line_smooth": True})
    assert set(picture.pixels().ravel().tolist()) == {0, 7}


def test_the_alpha_test_sees_coverage() -> None:
    picture = Picture()
    dsa = g.DepthStencilAlphaState(alpha=g.AlphaState(True, g.CompareFunc.GREATER, 0.6))
    values = np.ones((2, 4), np.float32)
    picture.draw(GENERIC, PASS, points((2, 8), (14, 8)), values, mode="LINES", dsa=dsa, rasterizer={"line_smooth": True, "line_width": 3.0})
    assert np.flatnonzero(picture.covered().any(axis=1)).tolist() == [7, 8]


# -- smooth points ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("size", [1.0, 3.0, 6.5, 10.0])
@pytest.mark.parametrize("center", [(8, 8), (7.5, 7.5), (8.3, 7.9)])
def test_a_smooth_point_covers_its_disk(size: float, center: tuple[float, float]) -> None:
    found = drawn("POINTS", center, point_smooth=True, point_size=size)
    assert found.sum() == pytest.approx(np.pi * size * size / 4, rel=0.07 if size > 2 else 0.6)
    assert found.max() <= 1


def test_coverage_of_a_smooth_point_falls_from_its_center_by_the_formula() -> None:
    found = drawn("POINTS", (8, 8), point_smooth=True, point_size=6.0)
    y, x = np.mgrid[:16, :16] - 7.5
    assert np.abs(found - np.clip(3.5 - np.hypot(x, y), 0, 1)).max() < 1e-4


# -- smooth polygons --------------------------------------------------------------------------------------------------------
def test_a_smooth_polygon_covers_its_area() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        corners = rng.uniform(1, 15, (3, 2))
        (x1, y1), (x2, y2) = corners[1] - corners[0], corners[2] - corners[0]
        area = abs(x1 * y2 - y1 * x2) / 2
        found = drawn("TRIANGLES", *map(tuple, corners), poly_smooth=True)
        assert found.sum() == pytest.approx(area, abs=0.7)


def test_smooth_polygons_that_meet_add_up_to_all_of_each_pixel() -> None:
    rim = [(8 + 6 * np.cos(t), 8 + 6 * np.sin(t)) for t in np.linspace(0.1, 0.1 + 2 * np.pi, 12)]
    found = drawn("TRIANGLE_FAN", (8.1, 7.7), *rim, adds=True, poly_smooth=True)
    y, x = np.mgrid[:16, :16] - 7.5
    assert (found[np.hypot(x, y) < 4.5] == 1).all()
    assert found.max() == 1
    assert found[0, 0] == 0


def test_a_smooth_sliver_is_seen_though_it_covers_no_center() -> None:
    sliver = ((1, 4.1), (15, 4.1), (15, 4.3))
    assert drawn("TRIANGLES", *sliver).sum() == 0
    assert drawn("TRIANGLES", *sliver, poly_smooth=True).sum() == pytest.approx(1.4, abs=0.5)


# -- line stipple -----------------------------------------------------------------------------------------------------------
def row(found: Array, y: int = 8) -> str:
    return "".join("#" if v else "." for v in found[y])


STIPPLE: dict[str, Any] = {"line_stipple_enable": True, "line_stipple_pattern": 0b1011, "line_stipple_factor": 0}


def test_line_stipple_begins_with_the_lowest_bit_and_goes_with_the_line() -> None:
    assert row(drawn("LINES", (0.5, 8.5), (15.5, 8.5), **STIPPLE)) == "##.#............"
    assert row(drawn("LINES", (15.5, 8.5), (0.5, 8.5), **STIPPLE)) == "............#.##"
    column = drawn("LINES", (8.5, 2.5), (8.5, 14.5), **STIPPLE).T
    assert row(column) == "..##.#.........."


def test_the_factor_repeats_each_bit() -> None:
    assert row(drawn("LINES", (0.5, 8.5), (15.5, 8.5), **(STIPPLE | {"line_stipple_factor": 2}))) == "######...###...."


def test_separate_lines_begin_again_and_strips_go_on() -> None:
    halves = ((0.5, 8.5), (6.5, 8.5), (6.5, 8.5), (15.5, 8.5))
    pattern = STIPPLE | {"line_stipple_pattern": 0b0101010101010011}
    assert row(drawn("LINES", *halves, **pattern)) == "##..#.##..#.#.#."
    assert row(drawn("LINE_STRIP", halves[0], halves[1], halves[3], **pattern)) == "##..#.#.#.#.#.#."


def test_a_restarted_strip_begins_again() -> None:
    picture = Picture()
    index = np.array([0, 1, 0xFFFF, 1, 2], np.uint16)
    values = np.ones((3, 4), np.float32)
    corners = points((0.5, 8.5), (6.5, 8.5), (15.5, 8.5))
    pattern = STIPPLE | {"line_stipple_pattern": 0b0101010101010011}
    info: dict[str, Any] = {"primitive_restart": True, "restart_index": 0xFFFF, "index": index, "count": 5}
    picture.draw(GENERIC, PASS, corners, values, mode="LINE_STRIP", rasterizer=pattern, **info)
    assert row(picture.pixels()[..., 3]) == "##..#.##..#.#.#."


def test_a_strip_longer_than_a_batch_counts_on() -> None:
    """A strip runs 6000 steps back and forth along one row; a last line reveals the stipple counter."""
    steps = [(0.5 + (k % 2), 2.5) for k in range(6001)] + [(0.5, 8.5), (15.5, 8.5)]
    pattern = STIPPLE | {"line_stipple_pattern": 0b0000000000111111}
    # 6000 pixels, then six rows from y = 2.5 to 8.5, then the tested row
    begin = (6000 + 6) % 16
    expected = "".join("#" if (begin + k) % 16 < 6 else "." for k in range(15)) + "."
    assert row(drawn("LINE_STRIP", *steps, **pattern)) == expected


def test_wide_stippled_lines_are_cut_across() -> None:
    found = drawn("LINES", (0.5, 8.5), (15.5, 8.5), **STIPPLE, line_width=3.0)
    assert {row(found, y) for y in (7, 8, 9)} == {"##.#............"}


def test_outlined_polygons_are_stippled_along_their_edges() -> None:
    found = drawn("QUADS", (2.5, 2.5), (12.5, 2.5), (12.5, 12.5), (2.5, 12.5), fill_front="LINE", fill_back="LINE", **STIPPLE)
    assert 0 < (found != 0).sum() < 20


# -- points -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("x", "size", "columns"), [(8.0, 4.0, 4), (8.3, 4.0, 4), (8.0, 3.0, 3), (8.5, 2.5, 3), (8.0, 2.5, 2), (8.2, 0.3, 1)]
)
def test_square_points_cover_the_centers_in_their_square(x: float, size: float, columns: int) -> None:
    found = drawn("POINTS", (x, 8.0), point_quad_rasterization=True, point_size=size)
    low, high = x - max(size, 1.0) / 2, x + max(size, 1.0) / 2
    assert (found != 0).any(axis=0).nonzero()[0].tolist() == [k for k in range(16) if low <= k + 0.5 < high]
    assert (found != 0).any(axis=0).sum() == columns


@pytest.mark.parametrize("mode", ["UPPER_LEFT", "LOWER_LEFT"])
def test_sprite_coordinates_count_from_the_corner_that_the_state_names(mode: str) -> None:
    picture = Picture()
    state = {"point_size": 4.0, "sprite_coord_enable": 1, "sprite_coord_mode": mode, "point_quad_rasterization": True}
    picture.draw(GENERIC, PASS, points((8, 8)), np.ones((1, 4), np.float32), mode="POINTS", rasterizer=state)
    found = picture.pixels()[6:10, 6, 1].tolist()
    assert found == ([0.125, 0.375, 0.625, 0.875] if mode == "UPPER_LEFT" else [0.875, 0.625, 0.375, 0.125])


def test_points_that_are_cut_as_triangles_are_seen_though_their_center_is_not() -> None:
    assert drawn("POINTS", (-1.0, 8.0), point_size=6.0).sum() == 0
    assert (drawn("POINTS", (-1.0, 8.0), point_size=6.0, point_tri_clip=True, point_quad_rasterization=True) != 0).sum() == 12


def test_points_that_are_cut_end_at_the_sides_of_a_viewport_within_the_framebuffer() -> None:
    for is_cut, columns in ((False, range(7, 11)), (True, range(8, 11))):
        picture = Picture()
        picture.ctx.set_viewport_states([{"scale": (4, 4, 0.5), "translate": (12, 12, 0.5)}])
        state = {"point_size": 4.0, "point_quad_rasterization": True, "point_tri_clip": is_cut}
        centers = np.array([[-0.75, 0, 0, 1]], np.float32)
        picture.draw(GENERIC, PASS, centers, np.ones((1, 4), np.float32), mode="POINTS", rasterizer=state)
        found = picture.pixels()[..., 3]
        assert np.flatnonzero(found.any(axis=0)).tolist() == list(columns)
        assert np.flatnonzero(found.any(axis=1)).tolist() == list(range(10, 14))


def test_corners_of_polygons_are_sprites_where_all_of_them_are_points() -> None:
    picture = Picture()
    state: dict[str, Any] = {"fill_front": "POINT", "fill_back": "POINT", "point_size": 4.0, "sprite_coord_enable": 1}
    picture.draw(GENERIC, PASS, points((4, 4), (12, 4), (4, 12)), mode="TRIANGLES", rasterizer=state | {"point_quad_rasterization": True})
    assert picture.pixels()[2:6, 2, 1].tolist() == [0.125, 0.375, 0.625, 0.875]
    assert picture.pixels()[2, 2:6, 0].tolist() == [0.125, 0.375, 0.625, 0.875]


# -- depth offset of outlines -----------------------------------------------------------------------------------------------
def depth_of(state: dict[str, Any], slope: float = 0.0) -> Array:
    picture = Picture(depth=True)
    corners = points((2, 2), (14, 2), (2, 14))
    corners[:, 2] = [0, slope * 12, 0]  # window depth rises by slope / 2 per pixel along x
    picture.draw(GENERIC, PASS, corners, np.ones((3, 4), np.float32), mode="TRIANGLES", dsa=LESS, rasterizer=state)
    picture.ctx.flush()
    assert picture.zs is not None
    found: Array = np.array(picture.zs.texels()[0])
    return found


@pytest.mark.parametrize(("mode", "flag"), [("LINE", "offset_line"), ("POINT", "offset_point"), ("FILL", "offset_tri")])
def test_each_mode_of_polygons_has_an_offset_of_its_own(mode: str, flag: str) -> None:
    base = {"fill_front": mode, "fill_back": mode, "offset_units_unscaled": True, "offset_units": 0.125, "point_size": 3.0}
    for name in ("offset_line", "offset_point", "offset_tri"):
        depth = depth_of(base | {name: True})
        assert set(np.unique(depth[depth < 1]).tolist()) == {0.625 if name == flag else 0.5}


@pytest.mark.parametrize("mode", ["LINE", "POINT"])
def test_outlines_take_the_slope_of_their_polygon(mode: str) -> None:
    state = {"fill_front": mode, "fill_back": mode, "offset_line": True, "offset_point": True}
    plain, offset = (depth_of(state | {"offset_scale": scale}, slope=0.02) for scale in (0.0, 4.0))
    shown = plain < 1
    assert (offset[shown] - plain[shown]).tolist() == pytest.approx([0.04] * int(shown.sum()), abs=1e-6)


def test_filled_and_outlined_faces_of_one_draw_have_their_own_offsets() -> None:
    picture = Picture(depth=True)
    corners = points((1, 1), (7, 1), (1, 7), (9, 9), (9, 15), (15, 9))
    state = {"fill_front": "FILL", "fill_back": "LINE", "offset_line": True, "offset_units": 0.25, "offset_units_unscaled": True}
    picture.draw(GENERIC, PASS, corners, np.ones((6, 4), np.float32), mode="TRIANGLES", dsa=LESS, rasterizer=state)
    picture.ctx.flush()
    assert picture.zs is not None
    depth = np.array(picture.zs.texels()[0])
    found = {float(v) for v in np.unique(depth[:8, :8])}, {float(v) for v in np.unique(depth[8:, 8:])}
    assert sorted(map(sorted, found)) == [[0.5, 1.0], [0.75, 1.0]]


@pytest.mark.parametrize(("front", "back"), [("FILL", "LINE"), ("LINE", "FILL"), ("FILL", "FILL")])
def test_only_filled_polygons_are_stippled(front: str, back: str) -> None:
    picture = Picture()
    corners = points((1, 1), (7, 1), (1, 7), (9, 9), (9, 15), (15, 9))
    picture.ctx.set_polygon_stipple([0] * 32)
    state = {"fill_front": front, "fill_back": back, "poly_stipple_enable": True}
    covered = picture.draw(GENERIC, PASS, corners, np.ones((6, 4), np.float32), mode="TRIANGLES", rasterizer=state).covered()
    assert covered[:8, :8].any() == (front == "LINE")
    assert covered[8:, 8:].any() == (back == "LINE")


def test_the_screen_tells_how_wide_smooth_lines_and_points_are() -> None:
    assert [screen().get_paramf(n) for n in ("MAX_LINE_WIDTH_AA", "MAX_POINT_WIDTH_AA")] == [255.0, 8192.0]
