"""Samples of queued pixels: levels of detail from the quads of each triangle, though lanes of a vector belong to several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.abi.keys import SamplerKey, TextureKey
from backends.formats import Format
from backends.pipe.enums import TexFilter, TexMipFilter, TextureTarget
from backends.raster.tile.buffer_keys import TargetKey
from backends.raster.tile.fragment import FragmentKey, describe
from backends.raster.tile.pixel_queue import queues_pixels
from tests.unit.picture import LESS, PASS, Picture, screen
from tests.unit.raster.triangles import random_triangles
from tgsi.language.text.parser import parse

pytestmark = pytest.mark.light

HEAD = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], POSITION, LINEAR
DCL OUT[0], COLOR
DCL SAMP[0..2]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0..3]
IMM[0] FLT32 {2.5, -1.75, 0.03125, 0.5}
MUL TEMP[0], IN[0], IMM[0].xyxy
ADD TEMP[0].x, TEMP[0].xxxx, IN[0].zzzz
MAD TEMP[0].w, IN[0].wwww, IMM[0].wwww, IMM[0].xxxx
"""
STATEMENTS = {
    "implicit": "TEX TEMP[1], TEMP[0], SAMP[0], 2D",
    "biased": "TXB TEMP[1], TEMP[0], SAMP[0], 2D",
    "projected": "TXP TEMP[1], TEMP[0], SAMP[0], 2D",
    "window": "MUL TEMP[3], IN[1], IMM[0].zzzz\nTEX TEMP[1], TEMP[3], SAMP[0], 2D",
    "cube": "TEX TEMP[1], TEMP[0], SAMP[1], CUBE",
    "anisotropic": "TEX TEMP[1], TEMP[0], SAMP[2], 2D",
    "view": "SAMPLE_B TEMP[1], TEMP[0], SVIEW[0], SAMP[0], IMM[0].yyyy",
    "several": "TEX TEMP[1], TEMP[0], SAMP[0], 2D\nTEX TEMP[2], TEMP[0].yxzw, SAMP[0], 2D\nADD TEMP[1], TEMP[1], TEMP[2]",
    "branch": "MOV TEMP[1], IN[0]\nSLT TEMP[2].x, IN[0].xxxx, IMM[0].wwww\nUIF TEMP[2].xxxx\nTEX TEMP[1], TEMP[0], SAMP[0], 2D\nENDIF",
}
ALONE = "MAD OUT[0], TEMP[1], IMM[0].wwww, IN[0]\nEND\n"
IN_QUADS = "DDX TEMP[2], IMM[0]\nADD TEMP[1], TEMP[1], TEMP[2]\n" + ALONE  # adds 0, and cannot be queued


def levels(size: int, faces: int) -> list[NDArray[np.uint8]]:
    random = np.random.default_rng(size)
    return [random.integers(0, 256, (faces, size >> k, size >> k, 4), np.uint8) for k in range(size.bit_length())]


def textured(ctx: Any) -> None:
    """Bind a 2D texture, a cube and the 2D texture with an anisotropic sampler, all with mipmaps."""
    filters = {"min_img_filter": "LINEAR", "mag_img_filter": "LINEAR", "min_mip_filter": "LINEAR", "max_lod": 8.0}
    views = []
    for target, size, faces in (("TEXTURE_2D", 32, 1), ("TEXTURE_CUBE", 16, 6)):
        shape: dict[str, Any] = {"width0": size, "height0": size, "array_size": faces, "last_level": size.bit_length() - 1}
        texture = screen().resource_create(target=target, format="R8G8B8A8_UNORM", bind="SAMPLER_VIEW", **shape)
        for k, level in enumerate(levels(size, faces)):
            ctx.texture_subdata(texture, level if faces > 1 else level[0], level=k)
        views.append(ctx.create_sampler_view(texture))
    ctx.set_sampler_views("FRAGMENT", [*views, views[0]])
    wrap = {"wrap_s": "REPEAT", "wrap_t": "REPEAT"}
    samplers = [ctx.create_sampler_state(**filters, **wrap), ctx.create_sampler_state(**filters, seamless_cube_map=True)]
    ctx.bind_sampler_states("FRAGMENT", [*samplers, ctx.create_sampler_state(**filters, **wrap, max_anisotropy=8)])


def picture(body: str) -> NDArray[Any]:
    """Small triangles that overlap, between larger ones that have runs."""
    corners = np.concatenate([random_triangles(kind, count) for kind, count in (("small", 900), ("medium", 12), ("small", 900))])
    values = np.random.default_rng(3).uniform(-1, 1, (len(corners) * 3, 4)).astype("f4")
    shown = Picture(96, 80, depth=True)
    textured(shown.ctx)
    return shown.draw(HEAD + body, PASS, corners.reshape(-1, 4), values, mode="TRIANGLES", dsa=LESS).pixels()


@pytest.mark.parametrize("name", STATEMENTS)
def test_samples_of_queued_pixels_have_the_bytes_of_quads(name: str) -> None:
    found = picture(f"{STATEMENTS[name]}\n{ALONE}")
    assert np.count_nonzero(found.any(2)) > found.shape[0] * found.shape[1] // 8
    assert found.tobytes() == picture(f"{STATEMENTS[name]}\n{IN_QUADS}").tobytes()


def is_queued(body: str, mip: TexMipFilter = TexMipFilter.LINEAR) -> bool:
    view = TextureKey(Format.R8G8B8A8_UNORM, TextureTarget.TEXTURE_2D, levels=True)
    sampler = SamplerKey(min_img_filter=TexFilter.LINEAR, mag_img_filter=TexFilter.LINEAR, min_mip_filter=mip)
    target = TargetKey(Format.R8G8B8A8_UNORM, 15)
    key = FragmentKey(lanes=16, targets=(target,), textures=(view,) * 3, samplers=(sampler,) * 3)
    return queues_pixels(key, describe(parse(f"{HEAD}{body}\n{ALONE}")))


@pytest.mark.parametrize("name", STATEMENTS)
def test_samples_at_coordinates_from_inputs_are_queued(name: str) -> None:
    assert is_queued(STATEMENTS[name])


DEPENDENT = "TEX TEMP[2], TEMP[0], SAMP[0], 2D\nTEX TEMP[1], TEMP[2], SAMP[0], 2D"


@pytest.mark.parametrize(
    "body",
    [
        DEPENDENT,
        "UIF IN[0].xxxx\nADD TEMP[0].x, TEMP[0], IMM[0]\nENDIF\nTEX TEMP[1], TEMP[0], SAMP[0], 2D",
        "BGNLOOP\nBRK\nENDLOOP\nTEX TEMP[1], TEMP[0], SAMP[0], 2D",
        "DDY TEMP[2], IN[0]\nTEX TEMP[1], TEMP[0], SAMP[0], 2D",
        "LODQ TEMP[1], TEMP[0], SAMP[0], 2D",
        "\n".join(["ADD TEMP[0], TEMP[0], IMM[0]"] * 30) + "\nTEX TEMP[1], TEMP[0], SAMP[0], 2D",
    ],
    ids=["dependent", "branch", "loop", "derivative", "level", "long"],
)
def test_samples_at_other_coordinates_are_shaded_in_quads(body: str) -> None:
    assert not is_queued(body)


def test_samples_without_mipmaps_need_no_coordinates_of_neighbors() -> None:
    assert is_queued(DEPENDENT, TexMipFilter.NONE)
