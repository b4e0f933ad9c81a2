"""Scenes of other rules of coverage than the centers of pixels and the standard places of samples."""

from __future__ import annotations

from collections.abc import Callable

import tgsi
from tests.images.multisampled import Sampled
from tests.images.scenes import FS_COLOR, FS_FLAT, VS_COLOR, Stage, soup


def _conservative(s: tgsi.Screen) -> bytes:
    stage = Stage(s, depth="Z24X8_UNORM")
    stage.clear(0.1, 0.2, 0.3, 1.0)
    stage.depth_test()
    stage.rasterizer(conservative_raster_mode="POST_SNAP", scissor=False)
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(120, 0.2, 31))
    stage.rasterizer(conservative_raster_mode="PRE_SNAP", subpixel_precision_x=3, conservative_raster_dilate=0.5)
    stage.blend("SRC_ALPHA", "INV_SRC_ALPHA")
    position, color = soup(60, 0.4, 32)
    stage.draw(VS_COLOR, FS_FLAT, "TRIANGLES", *soup(400, 0.01, 33))
    stage.draw(VS_COLOR, FS_COLOR, "LINES", position[:40], color[:40])
    stage.rasterizer(conservative_raster_mode="POST_SNAP", point_size=5.5, fill_back="LINE", line_width=3.0)
    stage.draw(VS_COLOR, FS_FLAT, "POINTS", position[40:80], color[40:80])
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", position[81:132], color[81:132])
    return stage.bytes()


def _conservative_samples(s: tgsi.Screen) -> bytes:
    stage = Sampled(s, 4, depth="Z32_FLOAT")
    stage.clear(0.1, 0.2, 0.3, 1.0)
    stage.depth_test("LEQUAL")
    stage.rasterizer(conservative_raster_mode="POST_SNAP")
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(120, 0.2, 34))
    stage.ctx.set_sample_mask(11)
    stage.rasterizer(conservative_raster_mode="PRE_SNAP", multisample=False)
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(60, 0.1, 35))
    return stage.bytes()


RULES: dict[str, Callable[[tgsi.Screen], bytes]] = {"conservative": _conservative, "conservative_samples": _conservative_samples}
