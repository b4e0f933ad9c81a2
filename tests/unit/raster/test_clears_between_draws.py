"""Clears between draws wait with them for the flush, and the bytes are those of one flush after every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.formats import Format
from backends.pipe.enums import Clear, CompareFunc, StencilOp
from backends.pipe.state import DepthState, DepthStencilAlphaState, StencilState
from backends.raster.layouts import MAX_SPANS
from backends.software.commands import clear_queue
from tests.unit.raster.canvas import VS_COLOR, Canvas, float_words, fs_color
from tests.unit.raster.triangles import random_triangles

SIZE = 200, 150
PARTS = (Clear.COLOR0, Clear.DEPTH, Clear.STENCIL, Clear.DEPTH | Clear.STENCIL, Clear.COLOR0 | Clear.DEPTH | Clear.STENCIL)


def step(canvas: Canvas, rng: np.random.Generator, number: int) -> None:
    """A clear of some parts, or a draw with a random test of depth and stencil."""
    if rng.integers(0, 3) == 0:
        part = PARTS[int(rng.integers(0, len(PARTS)))]
        canvas.clear(int(part), float_words(*rng.uniform(0, 1, 4)), float(rng.choice([1.0, 0.6, 0.3])), int(rng.integers(0, 4)))
        return
    position = random_triangles(["small", "huge"][int(rng.integers(0, 2))], int(rng.integers(1, 60)), number).reshape(-1, 4)
    color = rng.uniform(0, 1, (len(position), 4)).astype("f4")
    depth = DepthState(True, bool(rng.integers(0, 2)), (CompareFunc.LESS, CompareFunc.LEQUAL, CompareFunc.GREATER)[int(rng.integers(0, 3))])
    face = StencilState(enabled=True, func=CompareFunc.LEQUAL, zpass_op=StencilOp.INCR, valuemask=3, writemask=3)
    state = DepthStencilAlphaState(depth=depth, stencil=(face, StencilState()) if rng.integers(0, 2) else (StencilState(), StencilState()))
    canvas.draw_arrays(VS_COLOR, fs_color("PERSPECTIVE"), [position, color], depth_stencil_alpha=state)


def drawn(seed: int, *, flushes: bool, **options: Any) -> tuple[bytes, bytes, int]:
    """Color and depth bytes of a random sequence, and the number of flushes."""
    rng = np.random.default_rng(seed)
    with Canvas(*SIZE, depth=Format.Z24_UNORM_S8_UINT, **options) as c:
        c.wipe()
        c.flush()
        before = c.runs
        for number in range(40):
            step(c, rng, number)
            if flushes:
                c.flush()
        c.flush()
        return c.image().tobytes(), c.depth_bytes().tobytes(), c.runs - before


@pytest.mark.parametrize("seed", range(6))
def test_waiting_clears_leave_the_same_bytes(seed: int) -> None:
    image, depth, _ = drawn(seed, flushes=True)
    for options in (
        {},
        {"threads": 2, "window": 2},
        {"window": 1, "batch": 32, "arena": 1},
        {"spans": 1},
        {"spans": MAX_SPANS, "threads": 1},
    ):
        found = drawn(seed, flushes=False, **options)
        assert found[:2] == (image, depth), options
        assert found[2] == 1


def test_clears_without_end_are_carried_out_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clear_queue, "MOST_CLEARS", 4)
    with Canvas(64, 64) as c:
        before = c.runs
        for k in range(21):
            c.wipe((k / 20, 0, 0, 0))
        c.flush()
        assert c.runs - before == 6
        assert (c.image()[..., 0] == 255).all()
