"""Draws away from the pixel share what is known of their state, and the pixel is still compared after each of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tgsi
from tests.unit.insight.programs import FS, Stage

MATRIX = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0..3]
DP4 OUT[0].x, IN[0], CONST[0]
DP4 OUT[0].y, IN[0], CONST[1]
DP4 OUT[0].z, IN[0], CONST[2]
DP4 OUT[0].w, IN[0], CONST[3]
MOV OUT[1], IN[1]
END
"""
SMALL = [[0.0, 0.0], [0.2, 0.0], [0.0, 0.2]]


@pytest.fixture
def stage() -> Iterator[Stage]:
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        yield Stage(ctx)


def test_matrices_of_draws_with_equal_state_are_looked_at_one_by_one(stage: Stage) -> None:
    stage.programs(MATRIX, FS)
    moved = np.array([[0.1, 0, 0, 0.8], [0, 0.1, 0, 0.8], [0, 0, 1, 0], [0, 0, 0, 1]], np.float32)
    for matrix in (moved, moved.T, moved):
        stage.ctx.set_constant_buffer("VERTEX", np.ascontiguousarray(matrix))
        stage.triangle(SMALL)
    draws = [event for event in stage.ctx.explain(0, 0).events if event.kind == "draw"]
    assert ["transposed" in " ".join(event.doubts) for event in draws] == [False, True, False]


def test_vertices_that_an_upload_changes_are_looked_at_again(stage: Stage) -> None:
    ctx = stage.ctx
    floats = np.array([[*corner, 0, 1, 1, 1, 1] for corner in SMALL], np.float32)
    buffer = ctx.screen.resource_create(target="BUFFER", width0=floats.nbytes)
    ctx.set_vertex_buffers([{"buffer": buffer, "stride": 28}])
    for data in (floats, np.arange(1, 22, dtype=np.int32), floats):
        ctx.buffer_subdata(buffer, data)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
    draws = [event for event in ctx.explain(0, 0).events if event.kind == "draw"]
    assert ["whole numbers" in " ".join(event.doubts) for event in draws] == [False, True, False]


@pytest.mark.parametrize("after", ["nothing", "a draw", "a clear"])
def test_a_draw_that_changes_a_pixel_away_from_it_is_not_proved(stage: Stage, after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.triangle(color=(1, 0, 0, 1))
    if after == "a draw":
        stage.triangle(SMALL)
    elif after == "a clear":
        stage.ctx.clear("COLOR", color=(0, 0, 1, 1))
    monkeypatch.setattr("tgsi.insight.reasons.is_away", lambda *given: True)
    first = next(event for event in stage.ctx.explain(0, 0).events if event.kind == "draw")
    assert (first.wrote, first.before[0], first.after[0]) == (True, 0, 1)
    assert first.proof == "its primitives lie away from the pixel, which changed"
