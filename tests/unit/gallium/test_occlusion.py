"""Occlusion queries need no flush: samples are counted in intervals, in Python and generated code, and summed on demand."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from backends.pipe.limits import MOST_INTERVALS
from tests.calls import calls_in
from tests.texts import VS_POSITION
from tgsi import gallium as g

SIZE = 64
FRAGMENT = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 0, 0, 1}\nMOV OUT[0], IMM[0]\nEND\n"
GEOMETRY = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL OUT[0], POSITION
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0]
EMIT IMM[0].xxxx
MOV OUT[0], IN[1][0]
EMIT IMM[0].xxxx
MOV OUT[0], IN[2][0]
EMIT IMM[0].xxxx
ENDPRIM IMM[0].xxxx
END
"""


class Counting:
    """A context that draws rectangles of a known number of samples."""

    def __init__(self, screen: g.Screen, ctx: g.Context) -> None:
        self.ctx = ctx
        self.target = screen.resource_create(width0=SIZE, height0=SIZE, bind="RENDER_TARGET")
        ctx.set_framebuffer_state(cbufs=[self.target])
        ctx.set_viewport_states([{"scale": (SIZE / 2, SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}])
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(scissor=True, half_pixel_center=True))
        ctx.bind_vs_state(ctx.create_vs_state(VS_POSITION))
        ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT))
        self.geometry = ctx.create_gs_state(GEOMETRY)
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([{"src_offset": 0, "src_format": "R32G32_FLOAT"}]))
        corners = screen.resource_create(target="BUFFER", width0=24)
        ctx.buffer_subdata(corners, np.array([-1, -1, 3, -1, -1, 3], "f4"))
        ctx.set_vertex_buffers([{"buffer": corners, "stride": 8}])

    def draw(self, width: int, height: int, *, staged: bool = False, into: Any = None) -> int:
        """Draw a rectangle, or record that in a bundle. Returns its samples."""
        ctx = self.ctx if into is None else into
        ctx.bind_gs_state(self.geometry if staged else None)
        ctx.set_scissor_states([{"minx": 0, "miny": 0, "maxx": width, "maxy": height}])
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        return width * height

    def begun(self, kind: str = "OCCLUSION_COUNTER") -> g.Query:
        """A query that has begun."""
        query = self.ctx.create_query(kind)
        self.ctx.begin_query(query)
        return query


@pytest.fixture(params=[0, 1, 3])
def counting(request: pytest.FixtureRequest) -> Iterator[Counting]:
    with g.Screen(threads=request.param) as screen, screen.context_create() as ctx:
        yield Counting(screen, ctx)


def test_queries_between_draws_carry_nothing_out(counting: Counting) -> None:
    ctx, queries, wanted = counting.ctx, [], []
    for k in range(1, 60):
        queries.append(counting.begun())
        wanted.append(counting.draw(k, 2, staged=k % 3 == 0) + counting.draw(3, k))
        ctx.end_query(queries[-1])
        counting.draw(SIZE, SIZE)
        if k == 20:
            before = ctx.device.runs
    assert ctx.device.runs == before
    assert [ctx.get_query_result(query) for query in queries] == wanted
    assert ctx.device.runs == before + 1
    assert [ctx.get_query_result(query) for query in queries] == wanted


def test_a_counted_draw_that_comes_again_runs_no_python(counting: Counting) -> None:
    ctx = counting.ctx
    for _ in range(3):
        query = counting.begun()
        counting.draw(5, 7)
        ctx.end_query(query)
    query = counting.begun()
    assert calls_in(lambda: ctx.draw_vbo(mode="TRIANGLES", count=3)) == []
    ctx.end_query(query)
    assert ctx.get_query_result(query) == 35


def test_a_query_that_was_begun_before_begins_and_ends_without_python(counting: Counting) -> None:
    ctx, query = counting.ctx, counting.begun()
    counting.draw(5, 7)
    ctx.end_query(query)
    found: list[Any] = []

    def again() -> None:
        found.append(ctx.begin_query(query))
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        found.append(ctx.end_query(query))

    again()
    assert calls_in(again, path="backends") == []
    assert found == [True] * 4
    assert ctx.get_query_result(query) == 35


@pytest.mark.parametrize("kind", ["OCCLUSION_COUNTER", "OCCLUSION_PREDICATE"])
def test_the_result_of_a_known_query_runs_no_python(counting: Counting, kind: str) -> None:
    ctx, outer, inner = counting.ctx, counting.begun(kind), counting.begun(kind)
    for query in (inner, outer):
        ctx.end_query(query)
    found: list[Any] = []

    def again() -> None:
        ctx.begin_query(outer)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.begin_query(inner)
        ctx.end_query(inner)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.end_query(outer)
        found.extend([ctx.get_query_result(outer), ctx.get_query_result(outer, wait=False), ctx.get_query_result(inner, wait=True)])

    samples = counting.draw(5, 7)
    again()
    ctx.flush().finish()
    again()
    runs = ctx.device.runs
    assert calls_in(again, path="backends") == []
    assert ctx.device.runs == runs + 1
    one = [2 * samples, 2 * samples, 0] if kind == "OCCLUSION_COUNTER" else [True, True, False]
    assert found == one * 3
    assert [type(value) for value in found] == [type(value) for value in one * 3]
    ctx.render_condition(outer, condition=True)
    counting.draw(1, 1)
    ctx.render_condition(None)
    assert ctx.get_query_result(outer) == one[0]


def test_wrong_calls_of_a_known_query_are_errors(counting: Counting) -> None:
    ctx, query = counting.ctx, counting.begun()
    with pytest.raises(ValueError, match="begin_query: query: a OCCLUSION_COUNTER query is active"):
        ctx.begin_query(query)
    ctx.end_query(query)
    with pytest.raises(ValueError, match="end_query: query: it was not begun"):
        ctx.end_query(query)
    ctx.begin_query(query)
    with pytest.raises(ValueError, match="get_query_result: query: it is active"):
        ctx.get_query_result(query)
    with pytest.raises(TypeError):
        ctx.end_query(query, 1)  # type: ignore[call-arg]
    ctx.end_query(query)
    with pytest.raises(TypeError, match="unexpected keyword argument 'now'"):
        ctx.get_query_result(query, now=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional argument"):
        ctx.get_query_result(query, True)  # type: ignore[call-arg]
    assert ctx.get_query_result(query) == 0
    ctx.destroy_query(query)
    for call in (ctx.begin_query, ctx.end_query, ctx.get_query_result):
        with pytest.raises(ValueError, match="it was destroyed"):
            call(query)


def test_more_beginnings_than_there_are_intervals_lose_no_sample(counting: Counting) -> None:
    ctx, around, query = counting.ctx, counting.begun(), counting.begun()
    ctx.end_query(query)
    for k in range(MOST_INTERVALS):
        ctx.begin_query(query)
        if k % 1000 == 0:
            counting.draw(2, 3)
        ctx.end_query(query)
    assert ctx.get_query_result(query) == 0
    ctx.end_query(around)
    assert ctx.get_query_result(around) == 6 * -(-MOST_INTERVALS // 1000)


@pytest.mark.parametrize("kind", ["OCCLUSION_PREDICATE", "OCCLUSION_PREDICATE_CONSERVATIVE"])
def test_predicates_tell_whether_a_sample_passed(counting: Counting, kind: str) -> None:
    ctx, queries = counting.ctx, []
    for width in (0, 4, 0):
        queries.append(counting.begun(kind))
        counting.draw(width, 4)
        ctx.end_query(queries[-1])
    assert [ctx.get_query_result(query) for query in queries] == [False, True, False]


@pytest.mark.parametrize("most", [6, 9, 4096])
@pytest.mark.parametrize("seed", range(6))
def test_nested_paused_and_forgotten_queries_count_what_was_drawn_in_them(
    counting: Counting, monkeypatch: pytest.MonkeyPatch, most: int, seed: int
) -> None:
    monkeypatch.setattr("backends.gallium.context.shared.counting.MOST_INTERVALS", most)
    ctx, source = counting.ctx, random.Random(seed)
    active: dict[g.Query, int] = {}
    ended: dict[g.Query, int] = {}
    is_paused = False
    for _ in range(400):
        match source.choice(["begin", "begin", "end", "draw", "draw", "draw", "again", "pause", "flush", "ask", "statistics", "drop"]):
            case "begin" if len(active) < 4:
                active[counting.begun()] = 0
            case "again" if ended:
                query = source.choice(list(ended))
                del ended[query]
                ctx.begin_query(query)
                active[query] = 0
            case "end" if active:
                query = source.choice(list(active))
                ended[query] = active.pop(query)
                ctx.end_query(query)
            case "draw":
                drawn = counting.draw(source.randrange(1, SIZE), source.randrange(1, SIZE), staged=source.random() < 0.2)
                if not is_paused:
                    active = {query: count + drawn for query, count in active.items()}
            case "pause":
                is_paused = not is_paused
                ctx.set_active_query_state(not is_paused)
            case "flush":
                ctx.flush()
            case "ask" if ended:
                query = source.choice(list(ended))
                assert ctx.get_query_result(query) == ended[query]
            case "statistics":
                query = ctx.create_query("PIPELINE_STATISTICS")
                ctx.begin_query(query)
                ctx.end_query(query)
            case "drop" if ended:
                ended.pop(source.choice(list(ended)))
    assert {query: ctx.get_query_result(query) for query in ended} == ended


def test_a_query_that_is_due_decides_about_a_draw(counting: Counting) -> None:
    ctx = counting.ctx
    for width, wanted in ((0, 0), (4, 16)):
        for _ in range(3):
            occluder = counting.begun("OCCLUSION_PREDICATE")
            counting.draw(width, 4)
            ctx.end_query(occluder)
            ctx.render_condition(occluder, condition=False)
            counter = counting.begun()
            counting.draw(4, 4)
            ctx.end_query(counter)
            ctx.render_condition(None)
            assert ctx.get_query_result(counter) == wanted


def test_rows_of_one_call_and_replayed_bundles_count(counting: Counting) -> None:
    ctx = counting.ctx
    counting.draw(4, 4)
    many = np.zeros(50, [("count", "u4")])
    many["count"] = 3
    query = counting.begun()
    ctx.draw_many(many, mode="TRIANGLES")
    ctx.end_query(query)
    with ctx.record() as bundle:
        counting.draw(3, 5, into=bundle)
    other = counting.begun()
    ctx.replay(bundle, 7)
    ctx.end_query(other)
    assert (ctx.get_query_result(query), ctx.get_query_result(other)) == (50 * 16, 7 * 15)
