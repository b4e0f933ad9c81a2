"""draw_many: the picture of draws one by one, from an array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from tests.unit.gallium.recording_device import Recorder
from tgsi import gallium as g

pytestmark = pytest.mark.light

VERTEX = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0][0]\nADD OUT[0], IN[0], CONST[0][0]\nEND\n"
FRAGMENT = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][0..1]\nADD OUT[0], CONST[0][0], CONST[0][1]\nEND\n"
SIZE = 24
CORNERS = np.array([[0, 0, 0, 1], [0.5, 0, 0, 1], [0, 0.5, 0, 1], [-0.5, 0, 0, 1], [0, -0.5, 0, 1]], "f4")
INDICES = np.array([0, 1, 2, 0, 3, 4, 0xFFFF, 1, 2, 3], "u2")
ROW = np.dtype(
    [
        ("count", "u4"),
        ("start", "i8"),
        ("index_bias", "i4"),
        ("vertex_constants", "f4", 4),
        ("fragment_constants", "f4", (2, 4)),
    ]
)


def context(screen: tgsi.Screen) -> tuple[Any, Any]:
    ctx = screen.context_create()
    target = screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.clear(color=(0, 0, 0, 0))
    ctx.set_viewport_states([g.ViewportState((SIZE / 2, SIZE / 2, 0.5), (SIZE / 2, SIZE / 2, 0.5))])
    ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
    ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT))
    factors: dict[str, Any] = {f"{part}_{k}": "ONE" for part in ("rgb", "alpha") for k in ("src_factor", "dst_factor")}
    ctx.bind_blend_state(ctx.create_blend_state(blend_enable=True, **factors))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
    ctx.set_vertex_buffers([CORNERS])
    ctx.set_index_buffer(INDICES)
    return ctx, target


def rows(seed: int, number: int) -> NDArray[Any]:
    chance = np.random.default_rng(seed)
    made = np.zeros(number, ROW)
    made["count"], made["start"], made["index_bias"] = chance.choice([0, 3, 3, 4, 6, 200], number), chance.integers(0, 5, number), 0
    made["index_bias"][chance.random(number) < 0.1] = 1
    made["vertex_constants"][:, :2] = chance.uniform(-0.8, 0.8, (number, 2))
    made["fragment_constants"] = chance.integers(0, 8, (number, 2, 4)) / 8
    return made


def pixels(ctx: Any, target: Any) -> NDArray[Any]:
    with ctx.transfer_map(target, usage="READ") as mapped:
        return np.array(mapped.data)


@pytest.fixture
def screen() -> Iterator[tgsi.Screen]:
    with tgsi.Screen(threads=0) as made:
        yield made


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "named",
    [
        {"mode": "TRIANGLES"},
        {"mode": "POINTS", "instance_count": 2},
        {"mode": "TRIANGLES", "index_size": 2},
        {"mode": "TRIANGLE_STRIP", "index_size": 2, "primitive_restart": True, "restart_index": 0xFFFF},
        {"mode": "LINE_LOOP"},
    ],
    ids=lambda named: "-".join(map(str, named.values())),
)
def test_many_draws_are_draws_one_by_one(screen: tgsi.Screen, seed: int, named: dict[str, Any]) -> None:
    made, pictures = rows(seed, 300), []
    for is_many in (True, False):
        ctx, target = context(screen)
        if is_many:
            ctx.draw_many(made, **named)
        else:
            for row in made:
                ctx.set_constant_buffer("VERTEX", row["vertex_constants"])
                ctx.set_constant_buffer("FRAGMENT", np.ascontiguousarray(row["fragment_constants"]))
                ctx.draw_vbo(**named, count=int(row["count"]), start=int(row["start"]), index_bias=int(row["index_bias"]))
        pictures.append(pixels(ctx, target))
        ctx.destroy()
    assert np.array_equal(pictures[0], pictures[1])
    assert pictures[0].max() > 1


def test_the_array_may_change_after_the_call(screen: tgsi.Screen) -> None:
    ctx, target = context(screen)
    made = np.zeros(1, [("vertex_constants", "f4", 4), ("fragment_constants", "f4", 8)])
    made["fragment_constants"] = 0.25
    for _ in range(2):
        ctx.draw_many(made, mode="TRIANGLES", count=3)
    made["fragment_constants"] = 9
    assert pixels(ctx, target).max() == 1.0
    ctx.destroy()


def test_a_hundred_thousand_draws_take_one_call(screen: tgsi.Screen) -> None:
    ctx, target = context(screen)
    made = np.zeros(100_000, ROW)
    made["count"] = 3
    made["fragment_constants"][:, 0] = 1 / 1024
    ctx.draw_many(made, mode="TRIANGLES")
    found = pixels(ctx, target)
    assert found.max() == np.float32(100_000 / 1024)
    assert ctx.state.fragment.constants[0].size == 32
    ctx.destroy()


def test_a_device_without_generated_code_draws_row_by_row() -> None:
    recorder = Recorder()
    with g.Screen(0, device=recorder, cache_dir="") as other:
        ctx, _ = context(other)
        recorder.take()
        ctx.draw_many(np.zeros(3, [("start", "u4")]), mode="POINTS", count=1)
        assert [call for call in recorder.take() if call == "draw"] == ["draw"] * 3


@pytest.mark.parametrize(
    ("records", "named", "message"),
    [
        ([1, 2], {}, "expected a structured array, not list"),
        (np.zeros(3), {}, "expected a structured array of one dimension, not shape"),
        (np.zeros((2, 2), [("start", "u4")]), {}, "a structured array of one dimension"),
        (np.zeros(2, [("begin", "u4")]), {}, "field begin is unknown; there are count, start"),
        (np.zeros(2, [("start", "f4")]), {}, "field start: expected an integer, not float32"),
        (np.zeros(2, [("fragment_constants", "f8", 4)]), {}, "field fragment_constants: expected float32, int32 or uint32"),
        (np.full(2, -1, [("start", "i8")]), {}, "field start: -1 to -1 is outside of 0 to 4294967295"),
        (np.zeros(1, [("fragment_constants", "f4", 20_000)]), {}, "80000 bytes; at most 65536"),
        (np.zeros(2, [("start", "u4")]), {"mode": "CIRCLES"}, "mode"),
        (np.zeros(2, [("start", "u4")]), {"first": 3}, "no field first"),
        (np.zeros(2, [("start", "u4")]), {"count": 1, "index_size": 4, "mode": "PATCHES"}, "PATCHES"),
    ],
)
def test_wrong_rows_are_refused_by_name(screen: tgsi.Screen, records: Any, named: dict[str, Any], message: str) -> None:
    ctx, _ = context(screen)
    with pytest.raises((TypeError, ValueError), match=message):
        ctx.draw_many(records, **named)
    ctx.destroy()
