"""Traces of many draws, for tests of tools that take them apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tgsi
from tests.unit.gallium.test_bundles import f4
from tests.unit.gallium.test_traces import Traced

WHITE, CORNER = (1.0, 1.0, 1.0, 1.0), (-0.5, -0.5)
"""Color and offset of the white triangle, a corner of which no other one covers."""


def place(k: int, draws: int) -> tuple[float, float]:
    """The offset of a triangle, different for each of up to 2,000."""
    return (k * 7 % draws) / draws - 0.4, (k * 3 % draws) / draws - 0.4


def draw_many(
    path: Path, draws: int = 24, *, white: int = -1, without: int = -1, extra: bool = False, in_corner: bool = False, reads: bool = True
) -> Path:
    """A trace of small triangles in a target of 48 x 48. white: the draw that is white. without: the draw that is left out."""
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, path)
        ctx: Any = stage.ctx
        if extra:
            ctx.create_rasterizer_state(half_pixel_center=True)
        ctx.clear(color=(0, 0, 0.5, 1))
        stage.state(ctx)
        for k in range(draws):
            if k == without:
                continue
            ctx.bind_blend_state(stage.blend if k % 2 else None)
            ctx.set_constant_buffer("VERTEX", f4([*(CORNER if k == white and in_corner else place(k, draws)), 0, 0]))
            ctx.set_constant_buffer("FRAGMENT", f4(WHITE if k == white else [k / draws / 2, 0.25, 0, 1]))
            ctx.draw_vbo(mode="TRIANGLES", count=3)
        if reads:
            stage.pixels()
        ctx.destroy()
    return path
