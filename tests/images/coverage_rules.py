"""Scenes of other rules of coverage than the centers of pixels and the standard places of samples."""

from __future__ import annotations

from collections.abc import Callable

import tgsi
from tests.images.multisampled import Sampled
from tests.images.scenes import FS_COLOR, FS_FLAT, VS_COLOR, Stage, soup

FS_PLACES = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE, SAMPLE
DCL SV[0], SAMPLEPOS
DCL OUT[0], COLOR
DCL TEMP[0]
MUL TEMP[0], IN[0], SV[0].xyxy
ADD OUT[0], TEMP[0], IN[0].wzyx
END
"""
FS_CENTROID = FS_COLOR.replace("PERSPECTIVE", "PERSPECTIVE, CENTROID")


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


def _locations(s: tgsi.Screen) -> bytes:
    """Draws with several sets of places: programs that run once a pixel and once a sample, and no rules at all."""
    stage = Sampled(s, 8, depth="Z24_UNORM_S8_UINT")
    stage.clear(0.1, 0.2, 0.3, 1.0)
    stage.depth_test()
    stage.ctx.set_sample_locations(bytes([0x00, 0xFF, 0x0F, 0xF0, 0x35, 0x9A, 0x77, 0xC2]))
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(80, 0.2, 36))
    stage.ctx.set_sample_locations([0x88 + 17 * k - 3 for k in range(6)])
    stage.draw(VS_COLOR, FS_PLACES, "TRIANGLES", *soup(40, 0.3, 37))
    stage.rasterizer(multisample=False)
    stage.draw(VS_COLOR, FS_FLAT, "TRIANGLES", *soup(300, 0.02, 38))
    stage.rasterizer()
    stage.ctx.set_sample_locations(None)
    stage.draw(VS_COLOR, FS_CENTROID, "TRIANGLES", *soup(300, 0.04, 39))
    stage.ctx.set_sample_locations(bytes([0x1F, 0xA3, 0x4C, 0x22, 0x99, 0xE0, 0x07, 0x5B]))
    stage.draw(VS_COLOR, FS_CENTROID, "TRIANGLES", *soup(300, 0.04, 40))
    return stage.bytes()


def _location_of_one(s: tgsi.Screen) -> bytes:
    stage = Stage(s, depth="Z24X8_UNORM")
    stage.clear(0.1, 0.2, 0.3, 1.0)
    stage.depth_test()
    stage.rasterizer(multisample=True)
    for seed, place in ((41, 0x00), (42, 0xF3)):
        stage.ctx.set_sample_locations([place])
        stage.draw(VS_COLOR, FS_PLACES, "TRIANGLES", *soup(60, 0.2, seed))
    return stage.bytes()


RULES: dict[str, Callable[[tgsi.Screen], bytes]] = {
    "conservative": _conservative,
    "conservative_samples": _conservative_samples,
    "locations": _locations,
    "location_of_one": _location_of_one,
}
