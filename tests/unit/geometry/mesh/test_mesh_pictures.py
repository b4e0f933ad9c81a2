"""Meshes against the same primitives drawn by draw_vbo: the same bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from tests.images.meshed import MESHED
from tests.unit.geometry.mesh.programs import MeshPicture, blended, fetched, mesh, one_each, random_rows, task
from tests.unit.picture import GENERIC, Array, Picture

pytestmark = pytest.mark.light

MODES = {1: "POINTS", 2: "LINES", 3: "TRIANGLES"}
COUNT = 150
FLAT = GENERIC.replace("PERSPECTIVE", "CONSTANT")


def expected(corners: int, points: Array, values: Array, fragment: str = GENERIC, **options: Any) -> Array:
    """Picture of primitives drawn by draw_vbo."""
    picture = Picture(48, 32)
    blended(picture)
    return picture.draw(fragment, points=points, values=values, mode=MODES[corners], **options).pixels()


def drawn(mesh_text: str, task_text: str | None, groups: int, *data: Array, fragment: str = GENERIC, **rasterizer: Any) -> Array:
    """Picture of a grid of workgroups."""
    picture = MeshPicture(48, 32)
    blended(picture)
    picture.bind(mesh_text, task_text, fragment, **rasterizer)
    return picture.data(*data).launch(groups).pixels()


def both(points: Array, values: Array) -> Array:
    """Rows of BUFFER[0]."""
    return np.hstack([points, values])


@pytest.mark.parametrize("corners", [1, 2, 3])
def test_workgroups_are_drawn_in_their_order(corners: int) -> None:
    points, values = random_rows(COUNT, corners)
    rasterizer: dict[str, Any] = {"point_size": 5.0} if corners == 1 else {}
    wanted = expected(corners, points, values, rasterizer=rasterizer)
    assert wanted.any()
    np.testing.assert_array_equal(drawn(one_each(corners), None, COUNT, both(points, values), **rasterizer), wanted)


@pytest.mark.parametrize("first", [False, True])
def test_the_provoking_vertex_is_the_one_that_the_rasterizer_state_says(first: bool) -> None:
    points, values = random_rows(20, 3)
    wanted = expected(3, points, values, FLAT, rasterizer={"flatshade_first": first})
    np.testing.assert_array_equal(drawn(one_each(), None, 20, both(points, values), fragment=FLAT, flatshade_first=first), wanted)


def test_the_grid_is_walked_x_first_then_y_then_z() -> None:
    points, values = random_rows(24, 3)
    number = """UMAD TEMP[5].x, SV[1].zzzz, SV[3].yyyy, SV[1].yyyy
UMAD TEMP[5].x, TEMP[5].xxxx, SV[3].xxxx, SV[1].xxxx
"""
    text = mesh(number + fetched(3, "TEMP[5].xxxx"), vertices=3, threads=3, declare="DCL BUFFER[0]\n")
    picture = MeshPicture(48, 32)
    blended(picture)
    picture.bind(text).data(both(points, values)).launch(2, 3, 4)
    np.testing.assert_array_equal(picture.pixels(), expected(3, points, values))


def test_a_vertex_size_is_used() -> None:
    points, values = random_rows(10, 1)
    text = one_each(1, declare="DCL OUT[][3], PSIZE\n", body="MOV OUT[3].x, IMM[4].xxxx\n").replace(
        "SET_MESH", "IMM[4] FLT32 {7.0, 0.0, 0.0, 0.0}\nSET_MESH"
    )
    found = drawn(text, None, 10, both(points, values), point_size_per_vertex=True)
    np.testing.assert_array_equal(found, expected(1, points, values, rasterizer={"point_size": 7.0}))


CULLS = task(
    """AND TEMP[0].x, SV[1].xxxx, IMM[1].yyyy
USEQ TEMP[0].x, TEMP[0].xxxx, IMM[1].xxxx
AND TEMP[0], TEMP[0].xxxx, IMM[1].yyyy
STORE MEMORY[1].x, IMM[1].xxxx, SV[1].xxxx
EMIT_MESH_TASKS TEMP[0].xyyy
""",
    payload=4,
)
"""Tasks with even numbers launch one mesh workgroup; its payload is the number of the task."""

HANDED = mesh(
    "LOAD TEMP[5].x, MEMORY[0], IMM[1].xxxx\n" + fetched(3, "TEMP[5].xxxx"),
    vertices=3,
    threads=3,
    declare="DCL BUFFER[0]\nDCL MEMORY[0], PAYLOAD\n",
)
"""A mesh program that draws the primitive that its payload names."""


def test_tasks_cull_and_hand_over_a_payload() -> None:
    points, values = random_rows(COUNT, 3)
    keep = np.repeat(np.arange(COUNT) % 2 == 0, 3)
    np.testing.assert_array_equal(drawn(HANDED, CULLS, COUNT, both(points, values)), expected(3, points[keep], values[keep]))


def test_meshes_come_in_the_order_of_their_tasks() -> None:
    """Task t launches t mod 4 workgroups; the payload is the number of the first primitive."""
    points, values = random_rows(COUNT, 3)
    launches = np.arange(60) % 4
    starts = np.cumsum(launches) - launches
    table = np.stack([starts, launches], 1).astype(np.uint32)
    text = task(
        """SHL TEMP[0].x, SV[1].xxxx, IMM[1].wwww
LOAD TEMP[1].xy, BUFFER[0], TEMP[0].xxxx
STORE MEMORY[1].x, IMM[1].xxxx, TEMP[1].xxxx
MOV TEMP[2].xyz, IMM[1].yyyy
MOV TEMP[2].y, TEMP[1].yyyy
EMIT_MESH_TASKS TEMP[2]
""",
        payload=4,
        declare="DCL BUFFER[0]\n",
    )
    body = "LOAD TEMP[5].x, MEMORY[0], IMM[1].xxxx\nUADD TEMP[5].x, TEMP[5].xxxx, SV[1].yyyy\n" + fetched(3, "TEMP[5].xxxx")
    picture = MeshPicture(48, 32)
    blended(picture)
    picture.bind(mesh(body, vertices=3, threads=3, declare="DCL BUFFER[0]\nDCL MEMORY[0], PAYLOAD\n"), text)
    picture.data(both(points, values)).data(table, stage="TASK").launch(60)
    count = 3 * int(launches.sum())
    np.testing.assert_array_equal(picture.pixels(), expected(3, points[:count], values[:count]))


def test_without_a_task_the_payload_reads_0() -> None:
    points, values = random_rows(3, 3)
    found = drawn(HANDED, None, 1, both(points, values))
    np.testing.assert_array_equal(found, expected(3, points[:3], values[:3]))


def test_workgroups_share_vertices_among_many_primitives() -> None:
    """One workgroup of 64 threads draws a grid of 7 x 7 quads."""
    y, x = np.meshgrid(np.linspace(-0.9, 0.9, 8), np.linspace(-0.9, 0.9, 8), indexing="ij")
    points = np.stack([x, y, 0 * x, 1 + 0 * x], -1).reshape(-1, 4).astype(np.float32)
    values = np.random.default_rng(0).uniform(0, 1, (64, 4)).astype(np.float32)
    corner = (8 * np.arange(7)[:, None] + np.arange(7)).reshape(-1, 1)
    corners = np.concatenate([corner + [0, 1, 8], corner + [1, 9, 8]], 1).reshape(-1, 3).astype(np.uint32)
    wide = np.zeros((98, 4), np.uint32)
    wide[:, :3] = corners
    second = """SHL TEMP[3].x, SV[0].xxxx, IMM[2].xxxx
LOAD TEMP[4].xyz, BUFFER[1], TEMP[3].xxxx
MOV OUT[2].xyz, TEMP[4]
UADD TEMP[5].x, SV[0].xxxx, IMM[2].wwww
SHL TEMP[3].x, TEMP[5].xxxx, IMM[2].xxxx
LOAD TEMP[4].xyz, BUFFER[1], TEMP[3].xxxx
UARL ADDR[0].x, TEMP[5].xxxx
MOV OUT[ADDR[0].x][2].xyz, TEMP[4]
"""
    body = fetched(1).replace("UMAD TEMP[0].x, SV[1].xxxx, IMM[1].y, SV[0].xxxx", "MOV TEMP[0].x, SV[0].xxxx")
    text = mesh(body + second, vertices=64, primitives=98, threads=64, declare="DCL BUFFER[0]\nDCL BUFFER[1]\n")
    assert "MOV TEMP[0].x, SV[0]" in text
    wanted = expected(3, points[corners.reshape(-1)], values[corners.reshape(-1)])
    np.testing.assert_array_equal(drawn(text, None, 1, both(points, values), wide), wanted)


def test_primitives_may_name_vertices_that_lie_far_apart() -> None:
    """Each workgroup has 200 vertices, of which its one triangle names the first, a middle one and the last."""
    points, values = random_rows(30, 3)
    body = """USEQ TEMP[6].x, SV[0].xxxx, IMM[4].xxxx
USEQ TEMP[6].y, SV[0].xxxx, IMM[4].yyyy
UCMP TEMP[7].x, TEMP[6].xxxx, IMM[1].yyyy, IMM[1].xxxx
UCMP TEMP[7].x, TEMP[6].yyyy, IMM[1].zzzz, TEMP[7].xxxx
UMAD TEMP[0].x, SV[1].xxxx, IMM[1].wwww, TEMP[7].xxxx
SHL TEMP[0].x, TEMP[0].xxxx, IMM[0].wwww
LOAD TEMP[1], BUFFER[0], TEMP[0].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, IMM[2].yyyy
LOAD TEMP[2], BUFFER[0], TEMP[0].xxxx
MOV OUT[0], TEMP[1]
MOV OUT[1], TEMP[2]
MOV TEMP[8], IMM[4].zxyy
MOV OUT[2], TEMP[8]
"""
    text = mesh(body, vertices=200, threads=200, declare="DCL BUFFER[0]\n").replace("SET_MESH", "IMM[4] UINT32 {77, 199, 0, 0}\nSET_MESH")
    np.testing.assert_array_equal(drawn(text, None, 30, both(points, values)), expected(3, points, values))


LEVELS: list[tuple[int, int | None, str]] = [
    (0, 8, "host"),
    (1, 16, "x86-64"),
    (2, 32, "x86-64-v2"),
    (7, 64, "x86-64-v3"),
    (2, None, "host"),
]


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("scene", MESHED)
def test_scenes_have_the_same_bytes_for_threads_lanes_and_levels(scene: str, part: int) -> None:
    """Every second machine by day; the scenes take turns."""
    with tgsi.Screen(threads=0) as plain:
        wanted = MESHED[scene](plain)
    for threads, lanes, cpu in LEVELS[(list(MESHED).index(scene) + part) % 2 :: 2]:
        with tgsi.Screen(threads=threads, lanes=lanes, cpu=cpu) as made:
            assert MESHED[scene](made) == wanted, (threads, lanes, cpu)
