"""Pipeline statistics count the API's input, however the renderer divides it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.device.counters import Statistics
from backends.pipe.enums import Face, PolygonMode, Prim
from backends.pipe.state import RasterizerState, ScissorState
from tests.unit.raster.canvas import VS_COLOR, Canvas, fs_color, of_draws

pytestmark = pytest.mark.light

COUNT = 9000
RANDOM = np.random.default_rng(5)
CENTERS = RANDOM.uniform(-1.1, 1.1, (COUNT, 1, 4)) * (1, 1, 1, 0)
POINTS = (CENTERS + RANDOM.uniform(-0.05, 0.05, (COUNT, 3, 4)) * (1, 1, 1, 0) + (0, 0, 0, 1)).reshape(-1, 4).astype(np.float32)
VALUES = RANDOM.uniform(0, 1, (3 * COUNT, 4)).astype(np.float32)


def totals(mode: Prim = Prim.TRIANGLES, state: RasterizerState | None = None, **options: Any) -> Statistics:
    with Canvas(200, 100, **options) as canvas:
        canvas.state.count_statistics = True
        canvas.wipe()
        rasterizer: dict[str, Any] = {} if state is None else {"rasterizer": state}
        canvas.draw_arrays(VS_COLOR, fs_color("PERSPECTIVE"), [POINTS, VALUES], mode, **rasterizer)
        return of_draws(canvas.statistics())


@pytest.mark.parametrize("mode", [Prim.TRIANGLES, Prim.TRIANGLE_STRIP, Prim.POINTS, Prim.LINES])
@pytest.mark.parametrize("batch", [2048, 700])
def test_full_arenas_change_no_count(mode: Prim, batch: int) -> None:
    """An arena of 64 KiB holds a fifth of a batch: batches are cut, and the batches after them are repeated."""
    plain = totals(mode, batch=batch)
    assert plain.vs_invocations > 0
    assert plain.clipper_in == plain.primitives
    settings: list[dict[str, Any]] = [{}, {"threads": 2}, {"window": 3}, {"lanes": 8}]
    for options in settings:
        assert totals(mode, batch=batch, arena=1, **options) == plain


def test_polygon_modes_count_the_same_in_small_arenas() -> None:
    state = RasterizerState(fill_front=PolygonMode.LINE, cull_face=Face.BACK)
    assert totals(state=state, arena=1) == totals(state=state)


def counted(count: int = 6, **changes: Any) -> Statistics:
    with Canvas(16, 16) as canvas:
        canvas.state.count_statistics = True
        canvas.wipe()
        points = np.tile(np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32), (2, 1))
        canvas.draw_arrays(VS_COLOR, fs_color("PERSPECTIVE"), [points[:count], points[:count]], **changes)
        return of_draws(canvas.statistics())


@pytest.mark.parametrize(
    "changes",
    [
        {"rasterizer": RasterizerState(rasterizer_discard=True)},
        {"sample_mask": 0},
        {"rasterizer": RasterizerState(scissor=True), "scissors": (ScissorState(5, 5, 5, 5),)},
    ],
    ids=["discard", "sample mask", "scissor"],
)
def test_what_draws_nothing_is_assembled_and_shaded(changes: dict[str, Any]) -> None:
    plain, found = counted(), counted(**changes)
    assert plain.fs_invocations == 2 * 256
    assert (found.vertices, found.primitives, found.vs_invocations) == (plain.vertices, plain.primitives, plain.vs_invocations) == (6, 2, 6)
    assert (found.clipper_out, found.fs_invocations) == (0, 0)


def test_vertices_that_make_no_primitive_count_as_vertices() -> None:
    assert counted(2) == Statistics(vertices=2)


@pytest.mark.parametrize(("mode", "primitives", "triangles"), [(Prim.QUADS, 1, 2), (Prim.QUAD_STRIP, 2, 4), (Prim.POLYGON, 1, 4)])
def test_quads_and_polygons_are_one_primitive(mode: Prim, primitives: int, triangles: int) -> None:
    with Canvas(16, 16) as canvas:
        canvas.state.count_statistics = True
        points = POINTS[:6].copy()
        for _ in range(3):
            canvas.draw_arrays(VS_COLOR, fs_color("PERSPECTIVE"), [points, points], mode)
        found = canvas.statistics()
        assert (found.vertices, found.primitives, found.clipper_in) == (18, 3 * primitives, 3 * triangles)
