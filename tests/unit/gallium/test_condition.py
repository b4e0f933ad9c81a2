"""Draws under a render condition whose result is there run no Python, drawn or skipped, and a condition is replayed without Python."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tgsi
import tgsi.gallium as g
from tests.calls import calls_in
from tests.unit.gallium.test_bundles import Stage

pytestmark = pytest.mark.light


class Conditional(Stage):
    """The stage with a query that has counted a draw, or nothing."""

    def __init__(self, screen: tgsi.Screen) -> None:
        super().__init__(screen)
        self.state(self.ctx)
        self.seen, self.unseen = (self.ctx.create_query("OCCLUSION_PREDICATE") for _ in range(2))
        self.ctx.begin_query(self.seen)
        self.ctx.draw_vbo(mode="TRIANGLES", count=3)
        self.ctx.end_query(self.seen)
        self.ctx.begin_query(self.unseen)
        self.ctx.end_query(self.unseen)

    def read(self) -> bytes:
        """The bytes of the target."""
        self.ctx.flush()
        return self.target.blocks().tobytes()


@pytest.fixture
def stage() -> Iterator[Conditional]:
    with tgsi.Screen(threads=0) as screen:
        yield Conditional(screen)


def draw(ctx: g.Context) -> None:
    for _ in range(20):
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.draw_vbo(mode=g.Prim.TRIANGLES, count=3, instance_count=2)


@pytest.mark.parametrize("is_seen", [False, True])
@pytest.mark.parametrize("condition", [False, True])
def test_draws_under_a_condition_run_no_python(stage: Conditional, is_seen: bool, condition: bool) -> None:
    ctx = stage.ctx
    ctx.clear("COLOR", color=(0, 0, 0, 0))
    empty = stage.read()
    ctx.render_condition(stage.seen if is_seen else stage.unseen, condition=condition)
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    ctx.draw_vbo(mode=g.Prim.TRIANGLES, count=3, instance_count=2)
    assert calls_in(lambda: draw(ctx)) == ["draw"]
    assert (stage.read() == empty) is (is_seen is condition)


def test_a_condition_follows_its_query(stage: Conditional) -> None:
    ctx = stage.ctx
    ctx.clear("COLOR", color=(0, 0, 0, 0))
    empty = stage.read()
    ctx.render_condition(stage.unseen)
    draw(ctx)
    assert stage.read() == empty
    ctx.begin_query(stage.unseen)  # no result: nothing is skipped
    draw(ctx)
    ctx.end_query(stage.unseen)
    full = stage.read()
    assert full != empty
    ctx.render_condition(stage.unseen, condition=True)
    ctx.clear("COLOR", color=(0, 0, 0, 0))
    assert stage.read() == full, "clears are skipped, too"
    ctx.render_condition(None)
    ctx.clear("COLOR", color=(0, 0, 0, 0))
    ctx.render_condition(stage.unseen, condition=True)
    draw(ctx)
    assert stage.read() == empty
    ctx.render_condition(None)
    draw(ctx)
    assert stage.read() == full


def test_skipped_draws_are_checked(stage: Conditional) -> None:
    ctx = stage.ctx
    ctx.render_condition(stage.unseen)
    draw(ctx)
    with pytest.raises(ValueError, match="there is no index buffer"):
        ctx.draw_vbo(mode="TRIANGLES", count=3, index_size=2)
    ctx.bind_vs_state(None)
    with pytest.raises(ValueError, match="no vertex shader is bound"):
        ctx.draw_vbo(mode="TRIANGLES", count=3)


def test_a_condition_that_waits_for_a_fence_is_asked(stage: Conditional) -> None:
    ctx, query = stage.ctx, stage.ctx.create_query("GPU_FINISHED")
    ctx.clear("COLOR", color=(0, 0, 0, 0))
    empty = stage.read()
    ctx.draw_vbo(mode="POINTS", count=1)
    ctx.end_query(query)
    ctx.render_condition(query, condition=True, mode="WAIT")
    draw(ctx)
    ctx.render_condition(None)
    ctx.clear("COLOR", color=(0, 0, 0, 0))
    assert stage.read() == empty
    ctx.draw_vbo(mode="POINTS", count=1)
    ctx.end_query(query)
    ctx.render_condition(query, condition=True, mode="NO_WAIT")
    draw(ctx)
    assert stage.read() != empty, "the result is not there, so draws go on"


def test_rows_of_draw_many_heed_the_condition(stage: Conditional) -> None:
    ctx, rows = stage.ctx, np.zeros(50, [("start", "u4")])
    ctx.clear("COLOR", color=(0, 0, 0, 0))
    empty = stage.read()
    for query in (stage.unseen, stage.seen):
        ctx.render_condition(query)
        ctx.draw_many(rows, mode="TRIANGLES", count=3)
        assert (stage.read() == empty) is (query is stage.unseen)


def test_a_condition_is_replayed_without_python(stage: Conditional) -> None:
    ctx = stage.ctx
    ctx.clear("COLOR", color=(0, 0, 0, 0))
    empty = stage.read()
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    with ctx.record() as bundle:
        for _ in range(50):
            bundle.render_condition(stage.unseen)
            bundle.draw_vbo(mode="TRIANGLES", count=3)
            bundle.render_condition(None)
    ctx.clear("COLOR", color=(0, 0, 0, 0))
    ctx.replay(bundle)
    assert len(calls_in(lambda: ctx.replay(bundle, 3))) < 60
    assert stage.read() == empty
    ctx.begin_query(stage.unseen)
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    ctx.end_query(stage.unseen)
    ctx.clear("COLOR", color=(0, 0, 0, 0))
    ctx.replay(bundle)
    assert stage.read() != empty


@pytest.mark.parametrize(
    "kind", ["TIMESTAMP", "TIMESTAMP_DISJOINT", "TIME_ELAPSED", "PIPELINE_STATISTICS", "SO_STATISTICS", "PRIMITIVES_EMITTED"]
)
def test_a_result_that_is_no_condition_is_refused(stage: Conditional, kind: str) -> None:
    query = stage.ctx.create_query(kind)
    if kind != "TIMESTAMP":
        stage.ctx.begin_query(query)
    stage.ctx.end_query(query)
    with pytest.raises(ValueError, match=f"render_condition: query: the result of {kind} is not a condition; those of OCCLUSION_COUNTER, "):
        stage.ctx.render_condition(query)


@pytest.mark.parametrize("kind", ["OCCLUSION_COUNTER", "SO_OVERFLOW_PREDICATE", "GPU_FINISHED"])
def test_a_query_without_a_result_is_no_condition(stage: Conditional, kind: str) -> None:
    ctx, query = stage.ctx, stage.ctx.create_query(kind)
    ctx.render_condition(stage.unseen)
    with pytest.raises(ValueError, match="render_condition: query: it was never ended"):
        ctx.render_condition(query)
    if kind != "GPU_FINISHED":
        ctx.begin_query(query)
        with pytest.raises(ValueError, match="render_condition: query: it is active"):
            ctx.render_condition(query)
    ctx.clear("COLOR", color=(0, 0, 0, 0))
    empty = stage.read()
    draw(ctx)
    assert stage.read() == empty, "the condition of before holds"
    ctx.end_query(query)
    ctx.render_condition(query)
