"""Hostile task and mesh programs: they are safe, faults are named with their count, and the rest is drawn."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from tests.unit.geometry.mesh.programs import MeshPicture, fetched, mesh, one_each, query, random_rows, task
from tests.unit.picture import WHITE, Array, Picture
from tgsi import gallium as g

pytestmark = pytest.mark.light

BUFFER = "DCL BUFFER[0]\n"


def found(text: str, task_text: str | None = None, groups: int = 3) -> tuple[Array, list[str]]:
    """Picture of the triangles 0, 1, 2, and the faults."""
    points, values = random_rows(3, 3)
    picture = MeshPicture(48, 32)
    faults = picture.faults()
    return picture.bind(text, task_text).data(np.hstack([points, values])).launch(groups).pixels(), faults


def wanted() -> Array:
    points, values = random_rows(3, 3)
    return Picture(48, 32).draw("FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n", points=points,
                                values=values, mode="TRIANGLES").pixels()  # fmt: skip


def test_a_program_within_its_limits_has_no_faults() -> None:
    pixels, faults = found(one_each())
    np.testing.assert_array_equal(pixels, wanted())
    assert faults == []


def test_without_counts_nothing_is_drawn() -> None:
    pixels, faults = found(one_each(counts=None))
    assert not pixels.any()
    assert faults == []


@pytest.mark.parametrize("much", ["IMM[2].wwww", "IMM[3].zzzz"])
def test_counts_beyond_the_limits_are_cut_and_named(much: str) -> None:
    pixels, faults = found(one_each(counts=much))
    np.testing.assert_array_equal(pixels, wanted())
    assert faults == [
        "draw_mesh_tasks: SET_MESH_OUTPUTS: 3 workgroups set more vertices than MS_MAX_OUTPUT_VERTICES: cut",
        "draw_mesh_tasks: SET_MESH_OUTPUTS: 3 workgroups set more primitives than MS_MAX_OUTPUT_PRIMITIVES: cut",
    ]


def test_primitives_with_an_index_that_is_no_vertex_are_left_out_and_named() -> None:
    body = "UADD TEMP[5].xyz, IMM[1].xyzz, SV[1].xxxx\nMOV OUT[2].xyz, TEMP[5]\n"  # workgroup 0 names vertices 0, 1, 2
    pixels, faults = found(one_each(body=body))
    points, values = random_rows(3, 3)
    np.testing.assert_array_equal(pixels, Picture(48, 32).draw(
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n", points=points[:3], values=values[:3],
        mode="TRIANGLES").pixels())  # fmt: skip
    assert faults == ["draw_mesh_tasks: PRIMITIVE_INDICES: 2 primitives name vertices that do not exist: not drawn"]


def test_indices_of_huge_value_are_left_out() -> None:
    pixels, faults = found(one_each(body="MOV OUT[2], IMM[3].zzzz\n"))
    assert not pixels.any()
    assert len(faults) == 1


def test_faults_are_named_once_for_each_indirect_draw() -> None:
    points, values = random_rows(3, 3)
    picture = MeshPicture(48, 32)
    faults = picture.faults()
    picture.bind(one_each(counts="IMM[2].wwww")).data(np.hstack([points, values]))
    records = picture.buffer(np.array([[2, 1, 1], [0, 1, 1], [1, 1, 1]], np.uint32))
    picture.ctx.draw_mesh_tasks(indirect=records, draw_count=3)
    assert [text.split(":")[1].strip() for text in faults] == ["draw 0", "draw 0", "draw 2", "draw 2"]


def test_without_a_callback_faults_are_silent() -> None:
    points, values = random_rows(3, 3)
    pixels = MeshPicture(48, 32).bind(one_each(counts="IMM[2].wwww")).data(np.hstack([points, values])).launch(3).pixels()
    np.testing.assert_array_equal(pixels, wanted())


HUGE = "IMM[0] UINT32 {4, 0, 0, 0}"


@pytest.mark.parametrize("size", [(65536, 1, 1), (1, 1, 70000), (2049, 2048, 1), (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF)])
def test_tasks_that_launch_too_much_launch_nothing(size: tuple[int, int, int]) -> None:
    numbers = f"IMM[0] UINT32 {{{size[0]}, {size[1]}, {size[2]}, 0}}"
    text = task("EMIT_MESH_TASKS IMM[0]\n").replace(HUGE, numbers)
    assert numbers in text
    pixels, faults = found(one_each(), text)
    assert not pixels.any()
    assert faults == [
        "draw_mesh_tasks: EMIT_MESH_TASKS: 3 tasks launch more than 65535 workgroups along an axis or 4194304 in all: none is launched"
    ]


def test_tasks_that_emit_nothing_or_an_empty_grid_launch_nothing() -> None:
    for body in ("", "EMIT_MESH_TASKS IMM[1]\n"):
        pixels, faults = found(one_each(), task(body))
        assert not pixels.any()
        assert faults == []


def test_of_divergent_emits_that_of_thread_0_counts() -> None:
    body = """UIF SV[0].xxxx
EMIT_MESH_TASKS IMM[1].wwww
ELSE
EMIT_MESH_TASKS IMM[1].wyyy
ENDIF
"""
    pixels, faults = found(one_each(), task(body), 1)
    np.testing.assert_array_equal(pixels, wanted())
    assert faults == []


def test_of_several_emits_the_last_one_counts() -> None:
    pixels, _ = found(one_each(), task("EMIT_MESH_TASKS IMM[1].zyyy\nEMIT_MESH_TASKS IMM[1].wyyy\n"), 1)
    np.testing.assert_array_equal(pixels, wanted())


def test_writes_to_rows_beyond_the_maximum_vanish() -> None:
    body = "UADD TEMP[5].x, SV[0].xxxx, IMM[1].wwww\nUARL ADDR[0].x, TEMP[5].xxxx\nMOV OUT[ADDR[0].x][0], IMM[3]\n"
    body += "MOV OUT[ADDR[0].x][2], IMM[3]\n"
    pixels, faults = found(one_each(body=body))
    np.testing.assert_array_equal(pixels, wanted())
    assert faults == []


def test_endless_loops_end_when_their_fuel_is_spent() -> None:
    begin = time.monotonic()
    pixels, _ = found(
        one_each(body="BGNLOOP\nUADD TEMP[6].x, TEMP[6].xxxx, IMM[1].yyyy\nENDLOOP\n"),
        task("BGNLOOP\nENDLOOP\nEMIT_MESH_TASKS IMM[1].wyyy\n"),
        1,
    )
    np.testing.assert_array_equal(pixels, wanted())
    assert time.monotonic() - begin < 60


def test_one_task_that_launches_four_million_workgroups_is_drawn_in_bounded_memory() -> None:
    """Each workgroup draws a point in a pixel of its own row; workgroup numbers are counted in a buffer."""
    picture = MeshPicture(64, 64)
    body = "MOV OUT[0], IMM[3].xxxy\nMOV OUT[1], IMM[3].yyyy\nMOV OUT[2], IMM[1].xxxx\n"
    text = mesh(body, threads=1, vertices=1, primitives=1, kind="POINTS")
    picture.bind(
        text, task("EMIT_MESH_TASKS IMM[0]\n", threads=1).replace("IMM[0] UINT32 {1, 0, 0, 0}", "IMM[0] UINT32 {2048, 2048, 1, 0}"), WHITE
    )
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    generated = query(picture.ctx, "PRIMITIVES_GENERATED", lambda: picture.launch(1))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # KiB
    assert generated == 1 << 22
    assert grown < 700 << 10
    assert picture.pixels().any()


def test_an_interruption_ends_a_long_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    import _thread

    picture = MeshPicture(16, 16)
    body = "BGNLOOP\nUADD TEMP[6].x, TEMP[6].xxxx, IMM[1].yyyy\nENDLOOP\n" + fetched(3)
    picture.bind(mesh(body, vertices=3, threads=3, declare=BUFFER)).data(np.zeros((3, 8), np.float32))
    picture.launch(1)  # compiled
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        picture.ctx.draw_mesh_tasks(grid=(2048, 2048, 1))
    timer.join()
    assert time.monotonic() - begin < 20
    points, values = random_rows(3, 3)
    again = MeshPicture(48, 32)
    del picture
    np.testing.assert_array_equal(again.bind(one_each()).data(np.hstack([points, values])).launch(3).pixels(), wanted())


@pytest.mark.parametrize("threads", [0, 2])
def test_faults_are_the_same_for_every_number_of_threads(threads: int) -> None:
    with g.Screen(threads=threads).context_create() as ctx:
        faults: list[str] = []
        ctx.set_debug_callback(lambda kind, text: faults.append(text) if kind == "mesh" else None)
        target = ctx.screen.resource_create(width0=16, height0=16)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.bind_ms_state(ctx.create_ms_state(one_each(counts="IMM[2].wwww")))
        ctx.draw_mesh_tasks(grid=(1000, 1, 1))
        assert [text.split(": ")[2].split()[0] for text in faults] == ["1000", "1000"]
