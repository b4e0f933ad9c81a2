"""EDGEFLAG: edges of polygons that are drawn if polygons are drawn as lines or points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.picture import GENERIC, WHITE, Array, Picture

pytestmark = pytest.mark.light

VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1].x, EDGEFLAG
DCL OUT[2], GENERIC[0]
IMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}
MOV OUT[0], IN[0]
MOV OUT[1].x, IN[1].xxxx
MOV OUT[2], IMM[0]
END
"""
# Corners clockwise from the upper left one; increasing y of clip space maps to increasing rows.
SQUARE = np.array([[-0.75, -0.75, 0, 1], [0.75, -0.75, 0, 1], [0.75, 0.75, 0, 1], [-0.75, 0.75, 0, 1]], np.float32)
# Edges lie exactly between two pixels: lines take the left one and, with rows that grow with y, the one with the smaller number.
SIDES: dict[str, Any] = {"top": (1, slice(4, 12)), "right": (slice(4, 12), 13), "bottom": (13, slice(4, 12)), "left": (slice(4, 12), 1)}


def flags(*values: int) -> Array:
    return np.array([[v, 0, 0, 0] for v in values], np.float32)


def sides(found: Array) -> set[str]:
    """Sides of the square that are drawn at least in part."""
    return {name for name, place in SIDES.items() if found[place].any()}


@pytest.mark.parametrize("mode", ["QUADS", "POLYGON"])
@pytest.mark.parametrize("first", [False, True])
def test_an_edge_is_drawn_where_its_first_vertex_says_so(mode: str, first: bool) -> None:
    names = list(SIDES)
    how = {"fill_front": "LINE", "fill_back": "LINE", "flatshade_first": first}
    for bits in range(16):
        values = flags(*(bits >> k & 1 for k in range(4)))
        found = Picture().draw(GENERIC, VERTEX, SQUARE, values, mode=mode, rasterizer=how).covered()
        assert sides(found) == {name for k, name in enumerate(names) if bits >> k & 1}


@pytest.mark.parametrize("first", [False, True])
def test_edges_of_triangles_have_flags(first: bool) -> None:
    how = {"fill_front": "LINE", "fill_back": "LINE", "flatshade_first": first}
    for bits in range(8):
        values = flags(*(bits >> k & 1 for k in range(3)))
        found = Picture().draw(GENERIC, VERTEX, SQUARE[:3], values, mode="TRIANGLES", rasterizer=how).covered()
        assert sides(found) == {name for k, name in enumerate(("top", "right")) if bits >> k & 1}
        assert found[7, 7:10].any() == bool(bits & 4)


def test_points_are_drawn_where_the_vertex_says_so() -> None:
    how = {"fill_front": "POINT", "fill_back": "POINT"}
    found = Picture().draw(GENERIC, VERTEX, SQUARE, flags(1, 0, 1, 0), mode="QUADS", rasterizer=how).covered()
    assert np.argwhere(found).tolist() == [[2, 2], [14, 14]]


def test_strips_and_filled_polygons_have_no_flags() -> None:
    strip = SQUARE[[0, 1, 3, 2]]
    found = Picture().draw(GENERIC, VERTEX, strip, flags(0, 0, 0, 0), rasterizer={"fill_front": "LINE", "fill_back": "LINE"}).covered()
    assert sides(found) == set(SIDES)
    assert Picture().draw(GENERIC, VERTEX, SQUARE, flags(0, 0, 0, 0), mode="QUADS").covered().sum() == 144


def test_edges_without_flags_are_drawn() -> None:
    found = Picture().draw(WHITE, points=SQUARE, mode="QUADS", rasterizer={"fill_front": "LINE", "fill_back": "LINE"}).covered()
    assert sides(found) == set(SIDES)
