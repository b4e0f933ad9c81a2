"""Occlusion queries in bundles: generated code begins and ends them, and Python continues from its state."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.calls import calls_in
from tests.unit.gallium.test_occlusion import SIZE, Counting
from tgsi import gallium as g

pytestmark = pytest.mark.light


@pytest.fixture(params=[0, 2])
def counting(request: pytest.FixtureRequest) -> Any:
    with g.Screen(threads=request.param) as screen, screen.context_create() as ctx:
        yield Counting(screen, ctx)


def test_queries_of_a_bundle_run_no_python(counting: Counting) -> None:
    ctx = counting.ctx
    queries = [ctx.create_query(kind) for kind in ("OCCLUSION_COUNTER", "OCCLUSION_PREDICATE") for _ in range(20)]
    with ctx.record() as bundle:
        for k, query in enumerate(queries):
            bundle.begin_query(query)
            counting.draw(k, 3, into=bundle)
            bundle.end_query(query)
            counting.draw(SIZE, SIZE, into=bundle)
    ctx.replay(bundle)
    wanted = [3 * k if k < 20 else True for k in range(40)]
    assert [ctx.get_query_result(query) for query in queries] == wanted
    runs = ctx.device.runs
    assert {"begin_query", "end_query", "draw_vbo"}.isdisjoint(calls_in(lambda: ctx.replay(bundle, 3)))
    assert ctx.device.runs == runs, "queries carry nothing out"
    assert [ctx.get_query_result(query) for query in queries] == wanted


@pytest.mark.parametrize("most", [7, 4096])
@pytest.mark.parametrize("seed", range(5))
def test_bundles_and_calls_count_together_what_was_drawn(counting: Counting, monkeypatch: pytest.MonkeyPatch, most: int, seed: int) -> None:
    monkeypatch.setattr("backends.gallium.context.shared.counting.MOST_INTERVALS", most)
    ctx, source, is_paused = counting.ctx, random.Random(seed), False
    queries = [ctx.create_query("OCCLUSION_COUNTER") for _ in range(5)]
    active: dict[g.Query, int] = {}
    ended: dict[g.Query, int] = {}

    def step(to: Any) -> None:
        action, query = source.choice(("begin", "end", "draw")), source.choice(queries)
        if action == "begin" and query not in active:
            to.begin_query(query)
            active[query] = 0
            ended.pop(query, None)
        elif action == "end" and query in active:
            to.end_query(query)
            ended[query] = active.pop(query)
        elif action == "draw":
            drawn = counting.draw(source.randrange(1, SIZE), source.randrange(1, SIZE), into=to)
            if not is_paused:
                active.update({item: count + drawn for item, count in active.items()})

    for _ in range(60):
        match source.choice(("bundle", "bundle", "calls", "pause", "flush", "ask", "destroy")):
            case "bundle":
                with ctx.record() as bundle:
                    for _ in range(source.randrange(1, 12)):
                        step(bundle)
                ctx.replay(bundle)
            case "calls":
                for _ in range(source.randrange(1, 5)):
                    step(ctx)
            case "pause":
                is_paused = not is_paused
                ctx.set_active_query_state(not is_paused)
            case "flush":
                ctx.flush()
            case "ask" if ended:
                query = source.choice(list(ended))
                assert ctx.get_query_result(query) == ended[query]
            case "destroy":
                gone = queries.pop(source.randrange(len(queries)))
                ctx.destroy_query(gone)
                active.pop(gone, None)
                ended.pop(gone, None)
                queries.append(ctx.create_query("OCCLUSION_COUNTER"))
    for query in active:
        with pytest.raises(ValueError, match="it is active"):
            ctx.get_query_result(query)
    assert {query: ctx.get_query_result(query) for query in ended} == ended


def test_more_queries_than_there_are_intervals_are_counted(counting: Counting) -> None:
    ctx = counting.ctx
    first, query = ctx.create_query("OCCLUSION_COUNTER"), ctx.create_query("OCCLUSION_COUNTER")
    with ctx.record() as bundle:
        bundle.begin_query(query)
        counting.draw(2, 2, into=bundle)
        bundle.end_query(query)
    ctx.begin_query(first)
    ctx.replay(bundle, 5000)
    ctx.end_query(first)
    assert (ctx.get_query_result(first), ctx.get_query_result(query)) == (20000, 4)


def test_a_query_that_a_bundle_has_ended_decides_about_draws(counting: Counting) -> None:
    ctx, occluder, counter = counting.ctx, counting.ctx.create_query("OCCLUSION_PREDICATE"), counting.ctx.create_query("OCCLUSION_COUNTER")
    for width, wanted in ((0, 0), (4, 16), (0, 0)):
        with ctx.record() as bundle:
            bundle.begin_query(occluder)
            counting.draw(width, 4, into=bundle)
            bundle.end_query(occluder)
            bundle.begin_query(counter)
            bundle.render_condition(occluder, condition=False)
            counting.draw(4, 4, into=bundle)
            bundle.render_condition(None)
            bundle.end_query(counter)
        for _ in range(3):
            ctx.replay(bundle)
            assert ctx.get_query_result(counter) == wanted


def test_a_query_that_is_not_begun_or_begun_twice_is_refused(counting: Counting) -> None:
    ctx, query = counting.ctx, counting.ctx.create_query("OCCLUSION_COUNTER")
    with ctx.record() as ends:
        ends.end_query(query)
    with ctx.record() as begins:
        begins.begin_query(query)
    with pytest.raises(ValueError, match=r"command 0 \(end_query\).*it was not begun"):
        ctx.replay(ends)
    ctx.replay(begins)
    with pytest.raises(ValueError, match=r"command 0 \(begin_query\).*is active"):
        ctx.replay(begins)
    counting.draw(3, 3)
    ctx.replay(ends)
    assert ctx.get_query_result(query) == 9
