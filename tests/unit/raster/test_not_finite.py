"""Primitives with a vertex that is not finite are dropped before clipping, in every path; an infinite w is the position 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.nights import sampled
from tests.unit.geometry.mesh.programs import MeshPicture, one_each
from tests.unit.geometry.programs import geometry, passthrough, wanted_by
from tests.unit.picture import PASS, WHITE, Picture, screen

pytestmark = pytest.mark.light

Array = np.ndarray[Any, Any]
NAN, INF = float("nan"), float("inf")
SIZE = 64
CORNERS: list[list[float]] = [[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0, 0.5, 0, 1]]
BAD: dict[str, list[float]] = {
    "nan x": [NAN, 0.5, 0, 1],
    "nan y": [0, NAN, 0, 1],
    "nan z": [0, 0.5, NAN, 1],
    "nan w": [0, 0.5, 0, NAN],
    "all nan": [NAN] * 4,
    "-nan x": [-NAN, 0.5, 0, 1],
    "inf x": [INF, 0.5, 0, 1],
    "-inf x": [-INF, 0.5, 0, 1],
    "inf y": [0, INF, 0, 1],
    "-inf y": [0, -INF, 0, 1],
    "inf z": [0, 0.5, INF, 1],
    "-inf z": [0, 0.5, -INF, 1],
    "inf x and w": [INF, 0.5, 0, INF],
    "inf z and huge w": [0, 0.5, INF, 3e38],
    "inf x and huge w": [INF, 0.5, 0, 3e38],
    "inf all": [INF] * 4,
    "nothing": [0, 0, 0, 0],  # lies on no place after the divide: its primitives have no area and no length
}
SAMPLED = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"


def drawn(vertices: Any, mode: str = "TRIANGLES", *, through: bool = False, **options: Any) -> Array:
    """Mask of the pixels that are drawn. through: a geometry program hands the vertices on."""
    picture = Picture(SIZE, SIZE)
    if through:
        geometry(picture, passthrough(wanted_by(mode)))
    return picture.draw(WHITE, PASS, np.array(vertices, np.float32), mode=mode, **options).covered()


STATES: dict[str, dict[str, Any]] = {
    "filled": {},
    "half depth": {"clip_halfz": True},
    "no depth clip": {"depth_clip_near": False, "depth_clip_far": False},
    "clamped": {"depth_clip": False},
    "culled": {"cull_face": "BACK"},
    "lines": {"fill_front": "LINE", "fill_back": "LINE"},
    "wide lines": {"fill_front": "LINE", "fill_back": "LINE", "line_width": 5.0},
    "points": {"fill_front": "POINT", "fill_back": "POINT", "point_size": 5.0},
    "rectangles": {"fill_front": "FILL_RECTANGLE", "fill_back": "FILL_RECTANGLE"},
    "smooth": {"poly_smooth": True},
    "conservative": {"conservative_raster_mode": "POST_SNAP"},
    "conservative before snapping": {"conservative_raster_mode": "PRE_SNAP"},
    "conservative lines": {"conservative_raster_mode": "PRE_SNAP", "fill_front": "LINE", "fill_back": "LINE"},
}


STAGES = pytest.mark.parametrize("through", [False, True], ids=["vertex", "geometry"])


def check(primitives: list[Any], mode: str, state: dict[str, Any], through: bool) -> None:
    """None of the primitives changes the picture, except for a good one in the middle of each draw."""
    good = CORNERS[: {"TRIANGLES": 3, "LINES": 2, "POINTS": 1}[mode]]
    expected = drawn(good, mode, rasterizer=state, through=through)
    assert expected.any()
    for name, primitive in primitives:
        np.testing.assert_array_equal(drawn([*primitive, *good, *primitive], mode, rasterizer=state, through=through), expected, name)


@STAGES
@pytest.mark.parametrize("state", sampled([*STATES], 2))
def test_a_triangle_with_a_vertex_that_is_not_finite_is_dropped(state: str, through: bool) -> None:
    bad = [(name, [*CORNERS[:k], vertex, *CORNERS[k + 1 :]]) for name, vertex in BAD.items() for k in range(3)]
    check(bad, "TRIANGLES", STATES[state], through)


LINES: dict[str, dict[str, Any]] = {
    "thin": {},
    "wide": {"line_width": 7.0},
    "smooth": {"line_smooth": True, "line_width": 3.0},
    "stippled": {"line_stipple_enable": True, "line_stipple_pattern": 0x7777},
    "smooth and stippled": {"line_smooth": True, "line_stipple_enable": True, "line_stipple_pattern": 0x7777},
    "no depth clip": {"depth_clip": False},
    "conservative": {"conservative_raster_mode": "PRE_SNAP"},
}
POINTS: dict[str, dict[str, Any]] = {
    "plain": {"point_size": 9.0},
    "square": {"point_size": 9.0, "point_quad_rasterization": True},
    "sprite": {"point_size": 9.0, "point_quad_rasterization": True, "sprite_coord_enable": 1},
    "smooth": {"point_size": 9.0, "point_smooth": True},
    "cut": {"point_size": 9.0, "point_tri_clip": True},
    "wide": {"point_size": 200.0},
    "no depth clip": {"point_size": 9.0, "depth_clip": False},
    "conservative": {"point_size": 9.0, "conservative_raster_mode": "POST_SNAP"},
}


@STAGES
@pytest.mark.parametrize("state", sampled([*LINES], 2))
def test_a_line_with_an_end_that_is_not_finite_is_dropped(state: str, through: bool) -> None:
    bad = [(name, ends) for name, vertex in BAD.items() for ends in ([vertex, CORNERS[0]], [CORNERS[0], vertex])]
    check(bad, "LINES", LINES[state], through)


@STAGES
@pytest.mark.parametrize("state", sampled([*POINTS], 2))
def test_a_point_that_is_not_finite_is_dropped(state: str, through: bool) -> None:
    check([(name, [vertex]) for name, vertex in BAD.items()], "POINTS", POINTS[state], through)


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("clips", [False, True])
def test_an_infinite_w_is_the_position_0(halves: bool, clips: bool) -> None:
    state = {"clip_halfz": halves, "depth_clip": clips, "point_size": 5.0, "line_width": 3.0}
    for xyz in ([0, 0.5, 0], [3e38, -3e38, 3e38], [-1, 5, 0.25]):
        far = [*xyz, INF]
        other = drawn([*CORNERS[:2], [0, 0, 0, 1]], rasterizer=state)
        assert other.sum() == 256
        np.testing.assert_array_equal(drawn([*CORNERS[:2], far], rasterizer=state), other)
        for mode, rest in (("LINES", CORNERS[:1]), ("POINTS", [])):
            assert drawn([far, *rest], mode, rasterizer=state).any()
            np.testing.assert_array_equal(drawn([far, *rest], mode, rasterizer=state), drawn([[0, 0, 0, 1], *rest], mode, rasterizer=state))
        wide = [[-2000, -0.5, 0, 1], [2000, -0.5, 0, 1]]  # is clipped at the guard band
        np.testing.assert_array_equal(drawn([*wide, far], rasterizer=state), drawn([*wide, [0, 0, 0, 1]], rasterizer=state))


@pytest.mark.parametrize("bad", sampled(["nan x", "inf z", "nan w"], 2))
@pytest.mark.parametrize(
    "mode", ["TRIANGLE_STRIP", "TRIANGLE_FAN", "LINE_STRIP", "LINE_LOOP", "QUADS", "QUAD_STRIP", "POLYGON", "TRIANGLES"]
)
def test_the_other_primitives_of_a_draw_stay(mode: str, bad: str) -> None:
    rng = np.random.default_rng(4)
    good = np.hstack([rng.uniform(-0.9, 0.9, (12, 2)), np.zeros((12, 1)), np.ones((12, 1))]).astype(np.float32)
    for place in (0, 1, 5, 6, 11):
        vertices = good.copy()
        vertices[place] = BAD[bad]
        numbers = np.arange(12)
        if mode in ("TRIANGLE_FAN", "POLYGON"):
            primitives = [[0, i, i + 1] for i in range(1, 11)]
        elif mode == "QUADS":  # its two triangles meet from the second to the fourth corner
            primitives = [[i + k for k in three] for i in range(0, 12, 4) for three in ([0, 1, 3], [1, 2, 3])]
        elif mode == "QUAD_STRIP":
            primitives = [[i + k for k in three] for i in range(0, 10, 2) for three in ([0, 1, 3], [2, 0, 3])]
        elif mode == "TRIANGLES":
            primitives = numbers.reshape(-1, 3).tolist()
        else:
            size = 3 if mode == "TRIANGLE_STRIP" else 2
            primitives = [numbers[i : i + size].tolist() for i in range(13 - size)] + ([[11, 0]] if mode == "LINE_LOOP" else [])
        kept = [v for p in primitives if place not in p for v in p]
        plain = "LINES" if "LINE" in mode else "TRIANGLES"
        expected = drawn(good[kept], plain) if kept else np.zeros((SIZE, SIZE), bool)
        np.testing.assert_array_equal(drawn(vertices, mode), expected)
        index = np.arange(12, dtype=np.uint16)
        np.testing.assert_array_equal(drawn(vertices, mode, index=index, instance_count=3), expected)


def test_many_triangles_lose_only_those_that_are_not_finite() -> None:
    rng = np.random.default_rng(9)
    centers = rng.uniform(-0.9, 0.9, (3000, 1, 4)) * (1, 1, 1, 0)
    good = (centers + rng.uniform(-0.05, 0.05, (3000, 3, 4)) * (1, 1, 1, 0) + (0, 0, 0, 1)).reshape(-1, 4).astype(np.float32)
    values = rng.uniform(0.1, 1, (9000, 4)).astype(np.float32)
    bad = good.copy()
    places = rng.choice(9000, 700, replace=False)
    bad[places, rng.integers(0, 4, 700)] = NAN
    kept = ~np.isnan(bad).any(1).reshape(-1, 3).any(1)
    for mode, size in (("TRIANGLES", 3), ("POINTS", 1), ("LINES", 2)):
        kept = np.repeat(~np.isnan(bad).any(1).reshape(-1, size).any(1), size)
        state = {"point_size": 3.0}
        pictures = [
            Picture(SIZE, SIZE).draw(SAMPLED, PASS, p, v, mode=mode, rasterizer=state)
            for p, v in ((bad, values), (good[kept], values[kept]))
        ]
        np.testing.assert_array_equal(pictures[0].pixels(), pictures[1].pixels())


@pytest.mark.parametrize("mode", ["TRIANGLES", "LINES", "POINTS"])
def test_statistics_count_dropped_primitives_in_front_of_clipping_only(mode: str) -> None:
    size = {"TRIANGLES": 3, "LINES": 2, "POINTS": 1}[mode]
    picture = Picture(SIZE, SIZE)
    vertices = np.array(CORNERS[:size] + [[NAN, 0, 0, 1], *CORNERS[1:size]], np.float32)
    counts = picture.counted("PIPELINE_STATISTICS", lambda: picture.draw(WHITE, PASS, vertices, mode=mode))
    alone = picture.counted("PIPELINE_STATISTICS", lambda: picture.draw(WHITE, PASS, vertices[:size], mode=mode))
    assert (counts[1], counts[5]) == (2, 2)  # of the input assembler, and in front of clipping
    assert counts[6:8] == alone[6:8]  # behind it, and fragments


@pytest.mark.parametrize("mode", ["TRIANGLES", "LINES", "POINTS"])
def test_meshes_lose_only_the_primitives_that_are_not_finite(mode: str) -> None:
    size = {"TRIANGLES": 3, "LINES": 2, "POINTS": 1}[mode]
    good, state = CORNERS[:size], dict[str, Any](point_size=5.0)
    bad = [[*good[:k], vertex, *good[k + 1 :]] for vertex in BAD.values() for k in range(size)]
    vertices = np.array([*bad, good, *bad], np.float32).reshape(-1, 4)
    picture = MeshPicture(SIZE, SIZE).bind(one_each(size), fragment=WHITE, **state)
    picture.data(np.hstack([vertices, vertices])).launch(2 * len(bad) + 1)
    expected = drawn(good, mode, rasterizer=state)
    assert expected.any()
    np.testing.assert_array_equal(picture.covered(), expected)


PLANE = """TESS_EVAL
PROPERTY TES_PRIM_MODE 4
PROPERTY TES_SPACING 2
DCL IN[][0], POSITION
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL TEMP[0]
MUL TEMP[0], SV[0].xxxx, IN[0][0]
MAD TEMP[0], SV[0].yyyy, IN[1][0], TEMP[0]
MAD OUT[0], SV[0].zzzz, IN[2][0], TEMP[0]
END
"""


def test_patches_lose_only_the_triangles_with_points_that_are_not_finite() -> None:
    def picture_of(corners: list[list[float]]) -> Array:
        picture = Picture(SIZE, SIZE)
        ctx = picture.ctx
        ctx.bind_tes_state(ctx.create_tes_state(PLANE))
        ctx.set_tess_state([4.0] * 4, [4.0] * 2)
        ctx.set_patch_vertices(3)
        return picture.draw(WHITE, PASS, np.array(corners, np.float32), mode="PATCHES").covered()

    expected = picture_of(CORNERS)
    assert expected.sum() > 500
    for name in ("nan x", "nan w", "inf y", "inf z"):
        bad = [BAD[name], *CORNERS[1:]]
        np.testing.assert_array_equal(picture_of([*bad, *CORNERS, *bad]), expected)
        # points on the opposite side have 0 * BAD, which is NaN, so all of the patch is
        assert not picture_of(bad).any()


@pytest.mark.parametrize("mode", ["TRIANGLES", "LINES", "POINTS"])
@pytest.mark.parametrize("multisample", [False, True])
def test_targets_of_several_samples_lose_the_same_primitives(mode: str, multisample: bool) -> None:
    size = {"TRIANGLES": 3, "LINES": 2, "POINTS": 1}[mode]
    good = CORNERS[:size]
    bad = [v for vertex in BAD.values() for k in range(size) for v in [*good[:k], vertex, *good[k + 1 :]]]

    def planes(vertices: list[list[float]]) -> list[Array]:
        picture = Picture(SIZE, SIZE)
        target = screen().resource_create(width0=SIZE, height0=SIZE, nr_samples=4, format="R8G8B8A8_UNORM", bind="RENDER_TARGET")
        picture.ctx.set_framebuffer_state(cbufs=[target])
        picture.ctx.clear(color=(0, 0, 0, 0))
        state = {"multisample": multisample, "point_size": 5.0}
        picture.draw(WHITE, PASS, np.array(vertices, np.float32), mode=mode, rasterizer=state)
        picture.ctx.flush()
        return [np.array(target.blocks(0, k)) for k in range(4)]

    expected = planes(good)
    assert expected[0].any()
    np.testing.assert_array_equal(planes([*bad, *good]), expected)


def test_positions_in_the_window_are_finite_too() -> None:
    window = PASS.replace("VERT\n", "VERT\nPROPERTY VS_WINDOW_SPACE_POSITION 1\n")
    good = [[8, 8, 0.5, 1], [40, 8, 0.5, 1], [8, 40, 0.5, 1]]
    expected = Picture(SIZE, SIZE).draw(WHITE, window, np.array(good, np.float32), mode="TRIANGLES").covered()
    assert expected.sum() > 400
    for k, value in ((0, NAN), (1, NAN), (2, NAN), (3, NAN), (0, INF), (1, -INF), (2, INF)):
        bad = np.array([*good, *good], np.float32)
        bad[4, k] = value
        np.testing.assert_array_equal(Picture(SIZE, SIZE).draw(WHITE, window, bad, mode="TRIANGLES").covered(), expected)
        assert not Picture(SIZE, SIZE).draw(WHITE, window, bad[3:], mode="TRIANGLES").covered().any()
