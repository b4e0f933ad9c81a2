"""Gathers, levels of detail and handles in draws: the renderer's pixels equal the interpreter's results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.formats import Format
from backends.pipe.enums import TexMipFilter, TexWrap
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData
from tests.unit.picture import Picture, screen

pytestmark = pytest.mark.light

SIZE = 16
FRAGMENT = """FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0..1]
IMM[0] FLT32 {0.21, -0.13, 0.0, 0.0}
IMM[1] INT32 {2, -1, 1, 0}
MUL TEMP[0], IN[0], IMM[0].xxzz
MAD TEMP[0].y, IN[0].xxxx, IMM[0].yyyy, TEMP[0].yyyy
"""
STATE = SamplerState(wrap_s=TexWrap.MIRROR_REPEAT, wrap_t=TexWrap.CLAMP_TO_EDGE, min_mip_filter=TexMipFilter.NEAREST, max_lod=8.0)


def pixels() -> NDArray[np.float32]:
    """Positions of the pixels, quad by quad, of shape (invocations, 1, 4)."""
    found = []
    for y in range(0, SIZE, 2):
        for x in range(0, SIZE, 2):
            found += [[x + dx + 0.5, y + dy + 0.5, 0.5, 1.0] for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1))]
    return np.array(found, np.float32)[:, None]


@pytest.mark.parametrize(
    "statement",
    [
        "TG4 OUT[0], TEMP[0], IMM[1].xxxx, SAMP[0], 2D",
        "TG4 OUT[0], TEMP[0], IMM[1].zzzz, SAMP[0], 2D, IMM[1].xyz, IMM[1].yyw, IMM[1].xxx, IMM[1].zwz",
        "GATHER4 OUT[0], TEMP[0], SVIEW[0].yxwz, SAMP[0].zzzz",
        "LODQ OUT[0], TEMP[0], SAMP[0], 2D",
        "SAMP2HND TEMP[1].xy, SAMP[0], 2D\nTEX OUT[0], TEMP[0], TEMP[1].xxxx, 2D",
        "TXQS OUT[0], SAMP[0], 2D\nSAMPLE_POS OUT[0].y, SVIEW[0].xxxx, IMM[1].wwww\nSAMPLE_POS OUT[0].z, TEMP[0].yyyy, IMM[1].wwww",
    ],
)
def test_a_draw_equals_the_interpreter(statement: str) -> None:
    random = np.random.default_rng(2)
    levels = tuple(random.uniform(-1, 1, (1, 8 >> k, 8 >> k, 4)).astype(np.float32) for k in range(4))
    text = f"{FRAGMENT}{statement}\nEND\n"
    picture = Picture(SIZE, SIZE)
    texture = screen().resource_create(width0=8, height0=8, format="R32G32B32A32_FLOAT", last_level=3)
    for k, level in enumerate(levels):
        picture.ctx.texture_subdata(texture, level, level=k)
    picture.ctx.set_sampler_views("FRAGMENT", [picture.ctx.create_sampler_view(texture)])
    settings: dict[str, Any] = {name: getattr(STATE, name) for name in ("wrap_s", "wrap_t", "min_mip_filter", "max_lod")}
    picture.ctx.bind_sampler_states("FRAGMENT", [picture.ctx.create_sampler_state(**settings)])
    found = picture.draw(text).pixels().reshape(SIZE, SIZE, 4)
    data = TextureData(Format.R32G32B32A32_FLOAT, tuple(level.view(np.uint8) for level in levels))
    positions = pixels()
    expected = tgsi.run(tgsi.parse(text), positions, textures={0: data}, samplers={0: STATE}, engine="interp").floats[:, 0]
    places = positions[:, 0, :2].astype(np.int64)
    assert len(np.unique(expected)) > 1
    np.testing.assert_allclose(found[places[:, 1], places[:, 0]], expected, rtol=1e-5 if "LODQ" in statement else 0, atol=0)
