"""Primitives that reach far beyond the view volume are drawn as exact arithmetic says."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.unit.picture import GENERIC, PASS, WHITE, Picture

pytestmark = pytest.mark.light

Array = np.ndarray[Any, Any]
Vertex = Sequence[float]
SIZE = 32
FINE = 64  # steps of a pixel
SCALE = 1 << 160  # times a float it is whole


def exact(vertices: Array, columns: Array, rows: Array, halves: bool) -> tuple[Array, Array]:
    """Mask of the places (in 1/FINE pixel) inside of a triangle and of the view volume, and the weights of the corners there.

    Arithmetic is in whole numbers of any size. Weights are those of clip positions, before the divide."""
    whole = [[int(Fraction(float(v)) * SCALE) for v in vertex] for vertex in vertices]
    half = SIZE * FINE // 2
    x, y = (np.array([int(v) - half for v in line], object) for line in (columns, rows))
    q = [((vx * half - x * w)[None, :], (vy * half - y * w)[:, None]) for vx, vy, _, w in whole]
    parts = [q[k][0] * q[n][1] - q[n][0] * q[k][1] for k, n in ((1, 2), (2, 0), (0, 1))]
    w = sum(b * v[3] for b, v in zip(parts, whole))
    z = sum(b * v[2] for b, v in zip(parts, whole))
    sign = np.where(w < 0, -1, 1)
    parts, w, z = [b * sign for b in parts], w * sign, z * sign
    is_inside = (w > 0) & (z <= w) & (z >= (0 if halves else -w))
    for b in parts:
        is_inside &= b >= 0
    total = sum(parts)
    shares = np.stack([np.array(b / np.where(total == 0, 1, total), float) for b in parts], -1)
    return is_inside.astype(bool), shares


def covered(vertices: Array, halves: bool) -> tuple[Array, Array]:
    """Pixels whose centers are inside of a triangle, and those that are not near its border."""
    centers = np.arange(SIZE) * FINE + FINE // 2
    own = exact(vertices, centers, centers, halves)[0]
    sure = np.ones_like(own)
    for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        sure &= exact(vertices, centers + dx, centers + dy, halves)[0] == own
    return own, sure


def triangles() -> dict[str, list[Vertex]]:
    cases: dict[str, list[Vertex]] = {}
    for big in (3e38, 1e20, 1e10, 1e7, 2e5):
        cases |= {
            f"{big:g}: all around": [[-big, -big, 0, 1], [big, -big, 0, 1], [0, big, 0, 1]],
            f"{big:g}: one corner": [[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [big, big, 0, 1]],
            f"{big:g}: one corner straight up": [[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0, big, 0, 1]],
            f"{big:g}: two corners": [[0.25, -0.75, 0, 1], [big, big / 3, 0, 1], [-big / 7, big, 0, 1]],
            f"{big:g}: an edge through the middle": [[-big, -big / 2, 0, 1], [big, big / 2, 0, 1], [-big, big, 0, 1]],
            f"{big:g}: an edge beside the middle": [[-big, 0.25, 0, 1], [big, -0.5, 0, 1], [0.1, big, 0, 1]],
            f"{big:g}: behind the viewer": [[-0.5, -0.5, 0, 1], [0.5, -0.25, 0, 1], [0.125, 0.5, 0, -big]],
            f"{big:g}: far behind, and aside": [[-0.5, -0.5, 0, 1], [0.5, -0.25, 0, 1], [big, big / 2, 0, -big / 4]],
            f"{big:g}: far ahead": [[-0.5, -0.5, 0, 1], [0.5, -0.25, 0, 1], [big / 4, big / 2, 0, big]],
            f"{big:g}: all far ahead": [[-big / 2, -big / 4, 0, big], [big / 2, -big, big / 8, big], [big / 4, big / 2, 0, big]],
            f"{big:g}: far above in depth": [[-0.75, -0.5, 0, 1], [0.75, -0.5, 0, 1], [0, 0.75, big, 1]],
            f"{big:g}: from depth to depth": [[-0.75, -0.5, -big, 1], [0.75, -0.5, big, 1], [0, 0.75, big / 2, 1]],
            f"{big:g}: in all ways": [[-big, big / 3, big / 2, big / 5], [big, big / 8, -big / 3, big / 7], [big / 9, -big, 0, -big / 11]],
            f"{big:g}: no w": [[-0.5, -0.5, 0, 1], [0.5, -0.25, 0, 1], [big / 3, big, 0, 0]],
        }
    for small in (1e-40, 1e-30, 1e-12):
        cases[f"{small:g}: all"] = [[-small / 2, -small / 2, 0, small], [small / 2, -small / 4, 0, small], [0, small / 2, 0, small]]
        cases[f"{small:g}: w"] = [[-0.5, -0.5, 0, 1], [0.5, -0.25, 0, 1], [-0.25, 0.5, 0, small]]
        cases[f"{small:g}: -w"] = [[-0.5, -0.5, 0, 1], [0.5, -0.25, 0, 1], [-0.25, 0.5, 0, -small]]
    return cases


CASES = triangles()


@pytest.mark.parametrize(("turn", "halves"), [(0, False), (1, True), (2, False)])
def test_triangles_cover_the_pixels_of_exact_arithmetic(turn: int, halves: bool) -> None:
    seen = 0
    for name, case in CASES.items():
        vertices = np.array([*case[turn:], *case[:turn]], np.float32)
        own, sure = covered(vertices, halves)
        found = Picture(SIZE, SIZE).draw(WHITE, PASS, vertices, mode="TRIANGLES", rasterizer={"clip_halfz": halves}).covered()
        assert sure.sum() > 0.8 * sure.size, name
        assert np.array_equal(found[sure], own[sure]), name
        seen += bool(own.any())
    assert seen > 0.7 * len(CASES)


@pytest.mark.parametrize("case", [name for name in CASES if name.startswith(("3e+38", "1e+10", "2e+05"))])
def test_colors_are_those_of_exact_arithmetic(case: str) -> None:
    vertices = np.array(CASES[case], np.float32)
    colors = np.array([[1, 0, 0.25, 1], [0, 1, 0.5, 1], [0.5, 0.25, 1, 1]], np.float32)
    centers = np.arange(SIZE) * FINE + FINE // 2
    own, shares = exact(vertices, centers, centers, False)
    sure = covered(vertices, False)[1] & own
    found = Picture(SIZE, SIZE).draw(GENERIC, PASS, vertices, colors, mode="TRIANGLES").pixels()
    np.testing.assert_allclose(found[sure], (shares @ colors.astype(float))[sure], atol=2e-3)


@pytest.mark.parametrize("state", [{}, {"line_width": 5.0}, {"line_smooth": True}], ids=["thin", "wide", "smooth"])
def test_lines_from_afar_are_those_through_the_same_places(state: dict[str, Any]) -> None:
    near = np.array([[-4, -2, 0, 1], [4, 2, 0, 1]], np.float32)
    expected = Picture(SIZE, SIZE).draw(WHITE, PASS, near, mode="LINES", rasterizer=state).covered()
    assert expected.sum() >= SIZE
    for big in (3e38, 1e30, 1e10, 1e6):
        for ends in ([[-big, -big / 2, 0, 1], [big, big / 2, 0, 1]], [[-big / 2, -big / 4, 0, big / 8], [big, big / 2, 0, big / 4]]):
            found = Picture(SIZE, SIZE).draw(WHITE, PASS, np.array(ends, np.float32), mode="LINES", rasterizer=state).covered()
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("mode", ["LINE", "POINT"])
def test_outlines_of_far_triangles_are_their_edges(mode: str) -> None:
    state = {"fill_front": mode, "fill_back": mode, "point_size": 3.0}
    for big in (3e38, 1e12):
        case = np.array([[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [big, big, 0, 1]], np.float32)
        found = Picture(SIZE, SIZE).draw(WHITE, PASS, case, mode="TRIANGLES", rasterizer=state).covered()
        parts = case[[0, 1, 1, 2, 2, 0]] if mode == "LINE" else case
        expected = Picture(SIZE, SIZE).draw(WHITE, PASS, parts, mode=f"{mode}S", rasterizer=state).covered()
        assert expected.any()
        np.testing.assert_array_equal(found, expected)


DISTANCES = PASS.replace("GENERIC[0]\n", "CLIPDIST[0]\nPROPERTY NUM_CLIPDIST_ENABLED 2\n")
BIG = np.array([[-3e38, -3e38, 0, 1], [3e38, -3e38, 0, 1], [0, 3e38, 0, 1]], np.float32)
WHOLE = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32)


def clipped(vertices: Array, distances: Sequence[float], mode: str = "TRIANGLES") -> Array:
    values = np.zeros((len(vertices), 4), np.float32)
    values[:, 0] = distances
    state = {"clip_plane_enable": 3, "point_size": 3.0}
    return Picture(SIZE, SIZE).draw(WHITE, DISTANCES, vertices, values, mode=mode, rasterizer=state).covered()


def test_a_clip_distance_that_is_no_number_drops_the_primitive() -> None:
    nan = float("nan")
    for place in range(3):
        distances = [1.0, 1.0, 1.0]
        assert clipped(WHOLE, distances).all()
        distances[place] = nan
        assert not clipped(WHOLE, distances).any()
    centered = np.array([[-0.5, 0, 0, 1], [0.5, 0, 0, 1]], np.float32)
    assert clipped(centered, [1, 1], "LINES").any()
    assert not clipped(centered, [1, nan], "LINES").any()
    assert clipped(centered, [1, 1], "POINTS").sum() == 2 * clipped(centered, [1, nan], "POINTS").sum() > 0


def test_clip_distances_cut_at_their_ratio_however_large() -> None:
    expected = clipped(WHOLE, [1, -3, 1])
    assert 0 < expected.sum() < expected.size
    for big in (3e38, 1e20, 1e-30):
        np.testing.assert_array_equal(clipped(WHOLE, [big / 3, -big, big / 3]), expected)
    inf = float("inf")
    assert clipped(WHOLE, [inf, 1, 1]).all()
    assert clipped(WHOLE, [inf, -1, inf]).all()
    assert not clipped(WHOLE, [-inf, 1, -inf]).any()


def test_clip_distances_of_far_triangles_cut_where_they_are_zero() -> None:
    found = clipped(BIG, [-1, 1, 0])  # zero along the line from the top corner to the middle of the base: x = 0
    assert found[:, SIZE // 2 :].all()
    assert not found[:, : SIZE // 2].any()


def test_user_planes_of_far_vertices_cut_where_they_are() -> None:
    for plane in ((1, 0, 0, 0), (3e38, 0, 0, 0), (0.25, 0, 0, 0)):
        picture = Picture(SIZE, SIZE)
        found = picture.draw(WHITE, PASS, BIG, mode="TRIANGLES", planes=[plane], rasterizer={"clip_plane_enable": 1}).covered()
        assert found[:, SIZE // 2 :].all()
        assert not found[:, : SIZE // 2].any()


SHADOWED = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], SHADOW2D, FLOAT
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], SHADOW2D
MOV OUT[0], TEMP[0].xxxx
END
"""


def test_the_reference_of_a_shadow_is_right_where_a_plane_passes_the_viewer() -> None:
    """MuJoCo's floors: quads of 40 units, one corner behind the viewer, whose shadow map leaves 32 steps of 24 bits."""
    reference, near, half = np.float32(0.99694925), 0.08, np.sqrt(0.5)
    picture = Picture(320, 240)
    ctx = picture.ctx
    depth = ctx.screen.resource_create(width0=1, height0=1, format="Z32_FLOAT")
    ctx.texture_subdata(depth, np.array([reference - 32 * 2**-24], np.float32))
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(depth)])
    sampler = ctx.create_sampler_state(compare_mode="R_TO_TEXTURE", compare_func="GEQUAL", wrap_s="CLAMP_TO_EDGE", wrap_t="CLAMP_TO_EDGE")
    ctx.bind_sampler_states("FRAGMENT", [sampler])
    corners = [(x + 40 * (k in (1, 2)), y + 40 * (k in (2, 3))) for x in (-40, 0) for y in (-40, 0) for k in (0, 1, 2, 0, 2, 3)]
    points = np.array([(x * near / 0.044, half * y * near / 0.033, near, half * y + 12) for x, y in corners], np.float32)
    values = np.array([(0.5, 0.5, reference, 1.0)] * len(points), np.float32)
    picture.draw(SHADOWED, points=points, values=values, mode="TRIANGLES", rasterizer={"clip_halfz": True})
    assert np.unique(picture.pixels()[..., 0]).tolist() == [1.0]
