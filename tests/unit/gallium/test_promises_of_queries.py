"""Sentences of context.rst about queries and conditions, each held by a test of its own."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.unit.picture import PASS, STRIP, TRIANGLE, WHITE, Picture, screen
from tgsi import UnsupportedError
from tgsi import gallium as g

pytestmark = pytest.mark.light


def draw(picture: Picture, **given: Any) -> Picture:
    return picture.draw(points=TRIANGLE, mode="TRIANGLES", **given)


# -- their life ----------------------------------------------------------------------------------------------------------------
def test_queries_may_be_nested() -> None:
    picture = Picture(4, 4)
    ctx = picture.ctx
    outer, inner = ctx.create_query("OCCLUSION_COUNTER"), ctx.create_query("OCCLUSION_COUNTER")
    ctx.begin_query(outer)
    draw(picture)
    ctx.begin_query(inner)
    draw(picture)
    ctx.end_query(inner)
    draw(picture)
    ctx.end_query(outer)
    assert (ctx.get_query_result(inner), ctx.get_query_result(outer)) == (16, 48)


def test_a_query_that_begins_again_forgets_its_result() -> None:
    picture = Picture(4, 4)
    ctx = picture.ctx
    query = ctx.create_query("OCCLUSION_COUNTER")
    for draws, expected in ((2, 32), (0, 0), (1, 16)):
        ctx.begin_query(query)
        for _ in range(draws):
            draw(picture)
        ctx.end_query(query)
        assert ctx.get_query_result(query) == expected


def test_a_query_is_destroyed_once(ctx: g.Context) -> None:
    query = ctx.create_query("TIMESTAMP")
    ctx.destroy_query(query)
    for call in (ctx.destroy_query, ctx.end_query, ctx.get_query_result):
        with pytest.raises(ValueError, match="query: it was destroyed"):
            call(query)


def test_counters_of_the_driver_are_no_batch(ctx: g.Context) -> None:
    count = screen().get_driver_query_info()
    assert isinstance(count, int)
    kinds = [info["query_type"] for info in map(screen().get_driver_query_info, range(count)) if isinstance(info, dict)]
    with pytest.raises(UnsupportedError, match="create_batch_query"):
        ctx.create_batch_query(kinds[:3])


# -- clocks --------------------------------------------------------------------------------------------------------------------
def test_times_are_nanoseconds_of_the_work_between(ctx: g.Context) -> None:
    query = ctx.create_query("TIME_ELAPSED")
    before = time.monotonic_ns()
    ctx.begin_query(query)
    time.sleep(0.01)
    ctx.end_query(query)
    found = ctx.get_query_result(query)
    assert isinstance(found, int)
    assert 10_000_000 <= found <= time.monotonic_ns() - before


def test_the_clock_counts_nanoseconds_without_a_break(ctx: g.Context) -> None:
    query = ctx.create_query("TIMESTAMP_DISJOINT")
    ctx.begin_query(query)
    ctx.end_query(query)
    assert ctx.get_query_result(query) == (1_000_000_000, False)
    assert abs(screen().get_timestamp() - ctx.get_timestamp()) < 1_000_000_000


def test_the_clock_is_read_at_once() -> None:
    picture = Picture(4, 4).draw()
    for read in (picture.ctx.get_timestamp, screen().get_timestamp):
        assert read() > 0
        assert picture.ctx.device.pending


def test_a_buffer_gets_each_part_of_a_result_and_whether_it_is_there() -> None:
    picture = Picture(4, 4)
    ctx = picture.ctx
    memory = picture.buffer(np.zeros(4, np.uint64))
    statistics, fence = ctx.create_query("PIPELINE_STATISTICS"), ctx.create_query("GPU_FINISHED")
    ctx.begin_query(statistics)
    draw(picture)
    ctx.end_query(statistics)
    draw(picture)
    ctx.end_query(fence)

    def written(query: Any, index: int, wait: bool) -> int:
        ctx.get_query_result_resource(query, memory, result_type="U64", index=index, wait=wait, offset=8)
        words = np.zeros(4, np.uint64)
        ctx.buffer_read(memory, words)
        return int(words[1])

    assert [written(statistics, index, True) for index in (0, 1, 7, -1)] == [3, 1, 16, 1]
    assert [written(fence, -1, False), written(fence, 0, False)] == [0, 0]
    assert [written(fence, 0, True), written(fence, -1, False)] == [1, 1]


# -- counts --------------------------------------------------------------------------------------------------------------------
def generated(picture: Picture, stream_output: g.StreamOutputInfo | None) -> Any:
    return picture.counted("PRIMITIVES_GENERATED", lambda: picture.draw(stream_output=stream_output))


def test_primitives_are_generated_with_and_without_stream_output() -> None:
    rows = g.StreamOutputInfo((4,), (g.StreamOutput(register_index=0, num_components=4),))
    for stream_output in (None, rows):
        for targets in (False, True):
            picture = Picture(4, 4)
            if targets:
                memory = screen().resource_create(target="BUFFER", width0=256, bind="STREAM_OUTPUT")
                picture.ctx.set_stream_output_targets([picture.ctx.create_stream_output_target(memory)])
            assert generated(picture, stream_output) == 2


@pytest.mark.parametrize(("mode", "count"), [("POLYGON", 3), ("TRIANGLE_FAN", 3), ("LINE_STRIP", 4)])
def test_a_polygon_generates_its_triangles_whether_they_are_drawn_or_recorded(mode: str, count: int) -> None:
    """As Mesa counts polygons (u_prim.h), with and without stream output."""
    points = np.array([[0, 1, 0, 1], [-1, 0.2, 0, 1], [-0.6, -1, 0, 1], [0.6, -1, 0, 1], [1, 0.2, 0, 1]], np.float32)
    rows = g.StreamOutputInfo((4,), (g.StreamOutput(register_index=0, num_components=4),))
    for stream_output in (None, rows):
        picture = Picture(4, 4)
        memory = screen().resource_create(target="BUFFER", width0=1024, bind="STREAM_OUTPUT")
        picture.ctx.set_stream_output_targets([picture.ctx.create_stream_output_target(memory)])
        draw = partial(picture.draw, points=points, mode=mode, stream_output=stream_output)
        for _ in range(3):  # generated code takes the later ones
            assert picture.counted("PRIMITIVES_GENERATED", draw) == count


GEOMETRY = (
    "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 6\n"
    "DCL IN[][0], POSITION\nDCL OUT[0], POSITION\nIMM[0] UINT32 {0, 0, 0, 0}\n"
    + ("".join(f"MOV OUT[0], IN[{k}][0]\nEMIT IMM[0].xxxx\n" for k in range(3)) + "ENDPRIM IMM[0].xxxx\n") * 2
    + "END\n"
)


@pytest.mark.parametrize("geometry", [False, True])
def test_statistics_count_threads_and_primitives_of_every_stage(geometry: bool) -> None:
    picture = Picture(4, 4)
    if geometry:
        picture.ctx.bind_gs_state(picture.ctx.create_gs_state(GEOMETRY))
    points = np.concatenate([TRIANGLE, TRIANGLE + np.array([9, 9, 0, 0], np.float32)])  # the second triangle is invisible
    found = picture.counted("PIPELINE_STATISTICS", lambda: picture.draw(points=points, mode="TRIANGLES"))
    vertices, primitives, vertex, runs, made, reached, drawn, fragment, control, evaluation, grids = found[:11]
    assert (vertices, primitives, vertex) == (6, 2, 6)
    assert (runs, made) == ((2, 4) if geometry else (0, 0))
    assert reached == (4 if geometry else 2)
    assert drawn == (2 if geometry else 1)
    assert fragment == 16 * (2 if geometry else 1)
    assert (control, evaluation, grids) == (0, 0, 0)


@pytest.mark.parametrize("geometry", [False, True])
@pytest.mark.parametrize(
    ("mode", "count", "primitives"),
    [
        *(("POLYGON", 5, 1), ("POLYGON", 3, 1), ("POLYGON", 2, 0), ("QUADS", 5, 1), ("QUADS", 3, 0), ("QUAD_STRIP", 5, 1)),
        *(("TRIANGLES", 5, 1), ("TRIANGLES", 2, 0), ("TRIANGLE_STRIP", 2, 0), ("TRIANGLE_FAN", 5, 3)),
    ],
)
def test_input_is_counted_alike_with_and_without_a_geometry_shader(mode: str, count: int, primitives: int, geometry: bool) -> None:
    """Vertices that make no primitive count; a polygon is one primitive, as a quad is, of each instance and between two restarts."""
    picture = Picture(4, 4)
    ctx = picture.ctx
    if geometry:
        ctx.bind_gs_state(ctx.create_gs_state(GEOMETRY))
    points = np.array([[0, 1, 0, 1], [-1, 0.2, 0, 1], [-0.6, -1, 0, 1], [0.6, -1, 0, 1], [1, 0.2, 0, 1]], np.float32)
    picture.draw(points=points, mode=mode)

    def counted(**given: Any) -> tuple[int, int]:
        query = ctx.create_query("PIPELINE_STATISTICS")
        ctx.begin_query(query)
        ctx.draw_vbo(mode=mode, **given)
        ctx.end_query(query)
        found = ctx.get_query_result(query)
        assert isinstance(found, tuple)
        return found[0], found[1]

    for _ in range(3):  # generated code takes the later ones
        assert counted(count=count) == (count, primitives)
        assert counted(count=count, instance_count=3) == (3 * count, 3 * primitives)
    indices = np.array([*range(count), 0xFFFF, *range(count)], np.uint16)
    restarting = {"index": indices, "primitive_restart": True, "restart_index": 0xFFFF}
    if "TRIANGLES" not in mode and mode != "QUADS":
        for _ in range(2):
            assert counted(**restarting)[1] == 2 * primitives


# -- conditions ----------------------------------------------------------------------------------------------------------------
def overflowing(picture: Picture, room: int) -> None:
    """Draw two triangles into a target with room for some bytes."""
    memory = screen().resource_create(target="BUFFER", width0=256, bind="STREAM_OUTPUT")
    picture.ctx.set_stream_output_targets([picture.ctx.create_stream_output_target(memory, buffer_size=room)])
    picture.draw(stream_output=g.StreamOutputInfo((4,), (g.StreamOutput(register_index=0, num_components=4),)))
    picture.ctx.set_stream_output_targets([])


@pytest.mark.parametrize("kind", ["OCCLUSION_COUNTER", "OCCLUSION_PREDICATE", "SO_OVERFLOW_PREDICATE", "SO_OVERFLOW_ANY_PREDICATE"])
@pytest.mark.parametrize("answer", [False, True])
@pytest.mark.parametrize("condition", [False, True])
def test_every_query_that_can_be_a_condition_is_one(kind: str, answer: bool, condition: bool) -> None:
    picture = Picture(4, 4)
    ctx = picture.ctx
    query = ctx.create_query(kind)
    ctx.begin_query(query)
    if "SO" in kind:
        overflowing(picture, 48 if answer else 96)
    elif answer:
        draw(picture)
    ctx.end_query(query)
    ctx.clear(color=(0, 0, 0, 0))
    ctx.render_condition(query, condition=condition)
    draw(picture)
    ctx.render_condition(None)
    assert picture.covered().all() == (answer is not condition)


@pytest.mark.parametrize("mode", ["BY_REGION_WAIT", "BY_REGION_NO_WAIT"])
@pytest.mark.parametrize("seen", [False, True])
def test_conditions_by_region_are_conditions(mode: str, seen: bool) -> None:
    picture = Picture(4, 4)
    ctx = picture.ctx
    query = ctx.create_query("OCCLUSION_PREDICATE")
    ctx.begin_query(query)
    if seen:
        draw(picture)
    ctx.end_query(query)
    ctx.flush()
    ctx.clear(color=(0, 0, 0, 0))
    ctx.render_condition(query, mode=mode)
    picture.draw(WHITE, PASS, STRIP)
    ctx.render_condition(None)
    assert picture.covered().all() == seen
