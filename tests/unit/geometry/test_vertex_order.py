"""Order of the vertices that a geometry program gets of each primitive: OpenGL 4.6 core, sections 10.1 and 13.4, tables 10.1 and 13.2."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.geometry.programs import ROWS, geometry, passthrough, streamed, wanted_by, words
from tests.unit.picture import Picture
from tgsi import gallium as g

pytestmark = pytest.mark.light

Array = np.ndarray[Any, Any]
FLAT = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
NUMBERED = """VERT
DCL IN[0]
DCL SV[0], VERTEXID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
IMM[0] FLT32 {0.0, 0.0, 0.0, 1.0}
MOV OUT[0], IN[0]
U2F OUT[1].x, SV[0].xxxx
MOV OUT[1].yzw, IMM[0].xyzw
END
"""

# Mode: vertices; what the program gets of each primitive where the last vertex provokes, and where the first one does. Table 10.1 gives
# the corners (1st, 2nd, 3rd) and neighbors (1/2, 2/3, 3/1) of strips with adjacency, counted from 1; a program has them interleaved.
# Table 13.2 gives the vertex that provokes, which comes last or first; a triangle is turned until it does, and keeps its facing.
Rows = list[list[int]]
ORDERS: dict[str, tuple[int, Rows, Rows]] = {
    "POINTS": (2, [[0], [1]], [[0], [1]]),
    "LINES": (5, [[0, 1], [2, 3]], [[0, 1], [2, 3]]),
    "LINE_STRIP": (4, [[0, 1], [1, 2], [2, 3]], [[0, 1], [1, 2], [2, 3]]),
    "LINE_LOOP": (3, [[0, 1], [1, 2], [2, 0]], [[0, 1], [1, 2], [2, 0]]),
    "TRIANGLES": (7, [[0, 1, 2], [3, 4, 5]], [[0, 1, 2], [3, 4, 5]]),
    "TRIANGLE_STRIP": (6, [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]], [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]),
    "TRIANGLE_FAN": (5, [[0, 1, 2], [0, 2, 3], [0, 3, 4]], [[1, 2, 0], [2, 3, 0], [3, 4, 0]]),
    "LINES_ADJACENCY": (9, [[0, 1, 2, 3], [4, 5, 6, 7]], [[0, 1, 2, 3], [4, 5, 6, 7]]),
    "LINE_STRIP_ADJACENCY": (6, [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]], [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]]),
    "TRIANGLES_ADJACENCY": (13, [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]], [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]),
    "TRIANGLE_STRIP_ADJACENCY": (
        12,
        [[0, 1, 2, 6, 4, 3], [4, 0, 2, 5, 6, 8], [4, 2, 6, 10, 8, 7], [8, 4, 6, 9, 10, 11]],
        [[0, 1, 2, 6, 4, 3], [2, 5, 6, 8, 4, 0], [4, 2, 6, 10, 8, 7], [6, 9, 10, 11, 8, 4]],
    ),
}
STRIP = "TRIANGLE_STRIP_ADJACENCY"
LENGTHS: dict[int, tuple[Rows, Rows]] = {  # strips whose first or last triangle is odd, even, or the only one
    5: ([], []),
    6: ([[0, 1, 2, 5, 4, 3]], [[0, 1, 2, 5, 4, 3]]),
    7: ([[0, 1, 2, 5, 4, 3]], [[0, 1, 2, 5, 4, 3]]),
    8: ([[0, 1, 2, 6, 4, 3], [4, 0, 2, 5, 6, 7]], [[0, 1, 2, 6, 4, 3], [2, 5, 6, 7, 4, 0]]),
    10: (
        [[0, 1, 2, 6, 4, 3], [4, 0, 2, 5, 6, 8], [4, 2, 6, 9, 8, 7]],
        [[0, 1, 2, 6, 4, 3], [2, 5, 6, 8, 4, 0], [4, 2, 6, 9, 8, 7]],
    ),
}


def reader(rows: int) -> str:
    """Geometry program that emits a point for each of its vertices, with the vertex's number and the primitive's."""
    wanted = next(name for name, count in ROWS.items() if count == rows)
    lines = ["GEOM", f"PROPERTY GS_INPUT_PRIMITIVE {wanted}", "PROPERTY GS_OUTPUT_PRIMITIVE POINTS"]
    lines += [f"PROPERTY GS_MAX_OUTPUT_VERTICES {rows}", "DCL IN[][0], POSITION", "DCL IN[][1], GENERIC[0]", "DCL SV[0], PRIM_ID"]
    lines += ["DCL OUT[0], POSITION", "DCL OUT[1], GENERIC[0]", "IMM[0] UINT32 {0, 0, 0, 0}"]
    for k in range(rows):
        lines += [f"MOV OUT[0], IN[{k}][0]", f"MOV OUT[1].x, IN[{k}][1].xxxx", "U2F OUT[1].y, SV[0].xxxx", "EMIT IMM[0].xxxx"]
    return "\n".join([*lines, "END\n"])


def read(mode: str, count: int, first: bool, rows: int, **info: Any) -> tuple[Rows, list[int]]:
    """Vertex numbers of each primitive as a program gets them, and the numbers of the primitives."""
    picture = Picture()
    (buffer,) = streamed(picture, 1 << 14)
    geometry(picture, reader(rows), g.StreamOutputInfo((2,), (g.StreamOutput(1, 0, 2),)))
    points = np.zeros((32, 4), np.float32)
    drawn = picture.counted(
        "PRIMITIVES_EMITTED",
        lambda: picture.draw(FLAT, NUMBERED, points, mode=mode, rasterizer={"flatshade_first": first}, count=count, **info),
    )
    seen = words(buffer)[: 2 * drawn].view(np.float32).reshape(-1, rows, 2).astype(int)
    assert (seen[:, :, 1] == seen[:, :1, 1]).all()
    return seen[:, :, 0].tolist(), seen[:, 0, 1].tolist()


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("mode", ORDERS)
def test_a_geometry_program_gets_each_primitive_in_the_order_of_opengl(mode: str, first: bool) -> None:
    count, *orders = ORDERS[mode]
    expected = orders[first]
    assert read(mode, count, first, len(expected[0])) == (expected, list(range(len(expected))))


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("count", LENGTHS)
def test_the_first_and_the_last_triangle_of_a_strip_have_the_neighbors_of_the_specification(count: int, first: bool) -> None:
    expected = LENGTHS[count][first]
    assert read(STRIP, count, first, 6) == (expected, list(range(len(expected))))


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("mode", ["TRIANGLE_STRIP", "TRIANGLE_FAN", STRIP])
def test_each_strip_after_a_restart_begins_with_an_even_triangle(mode: str, first: bool) -> None:
    count, *orders = ORDERS[mode]
    expected = orders[first]
    index = np.array([*range(count), 255, *range(count, 2 * count)], np.uint8)
    restart = {"index": index, "primitive_restart": True, "restart_index": 255, "instance_count": 2}
    once = expected + [[v + count for v in row] for row in expected]
    assert read(mode, len(index), first, len(expected[0]), **restart) == (once * 2, [*range(len(once))] * 2)


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("mode", ["TRIANGLE_STRIP_ADJACENCY", "LINE_STRIP_ADJACENCY", "TRIANGLES_ADJACENCY", "LINES_ADJACENCY"])
def test_a_program_without_adjacency_gets_the_corners_in_the_same_order(mode: str, first: bool) -> None:
    count, *orders = ORDERS[mode]
    corners = slice(1, 3) if "LINE" in mode else slice(0, None, 2)
    expected = [row[corners] for row in orders[first]]
    assert read(mode, count, first, len(expected[0])) == (expected, list(range(len(expected))))


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("mode", [*ORDERS, "QUADS", "QUAD_STRIP", "POLYGON"])
def test_a_program_that_hands_vertices_on_leaves_flat_colors_and_faces_as_they_are(mode: str, first: bool) -> None:
    rng = np.random.default_rng(8)
    points = np.hstack([rng.uniform(-0.95, 0.95, (24, 2)), np.zeros((24, 1)), np.ones((24, 1))]).astype(np.float32)
    for cull in ("NONE", "FRONT"):
        rasterizer = {"flatshade_first": first, "cull_face": cull, "point_size": 3.0}
        plain, handed = Picture(40, 40), Picture(40, 40)
        geometry(handed, passthrough(wanted_by(mode)))
        for picture in (plain, handed):
            picture.draw(FLAT, NUMBERED, points, mode=mode, rasterizer=rasterizer)
        assert plain.pixels()[..., 3].any()
        np.testing.assert_array_equal(handed.pixels(), plain.pixels())
