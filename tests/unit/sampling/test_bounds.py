"""No coordinate reads outside of a texture: memory ends right after it, before an inaccessible page."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from backends.abi.keys import SamplerKey
from backends.abi.records import SamplerRecord
from backends.formats import Format
from backends.llvm.builder.function import Function, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.sampling.query import emit_fetch
from backends.llvm.sampling.sample import emit_sample
from backends.pipe.enums import TexFilter, TexMipFilter, TexWrap
from backends.pipe.state import SamplerState
from tests.unit.sampling.guards import guarded, wild
from tests.unit.sampling.support import LANES, Bound, bind, random_texture, run_blocks

pytestmark = pytest.mark.light

WAYS = [
    (TexWrap.REPEAT, TexFilter.LINEAR, TexMipFilter.LINEAR),
    (TexWrap.CLAMP_TO_BORDER, TexFilter.NEAREST, TexMipFilter.NONE),
    (TexWrap.MIRROR_REPEAT, TexFilter.LINEAR, TexMipFilter.NEAREST),
]


@pytest.mark.skipif(sys.platform != "linux", reason="needs mprotect")
@pytest.mark.parametrize("target", ["1D", "2D", "3D", "CUBE", "2D_ARRAY", "CUBEARRAY"])
@pytest.mark.parametrize("format", [Format.R8G8B8A8_UNORM, Format.R8_UNORM])
def test_wild_coordinates_stay_inside(target: str, format: Format) -> None:
    # the shader's target need not match the view's: test every kind of texture with every target
    for layers, height in ((1, 8), (5, 3)):
        bound = bind(random_texture(format, 8, height, layers, 3), "2D")
        memory = guarded(bound)
        for wrap, image, mip in WAYS:
            state = SamplerState(
                wrap_s=wrap,
                wrap_t=wrap,
                wrap_r=wrap,
                min_img_filter=image,
                mag_img_filter=TexFilter.LINEAR,
                min_mip_filter=mip,
                seamless_cube_map=True,
            )

            def emit(f: Function, pointers: list[Val], channels: list[Val], state: SamplerState = state, bound: Bound = bound) -> Any:
                return emit_sample(
                    f,
                    LaneMap(LANES, "linear"),
                    bound.key,
                    SamplerKey.of(state),
                    pointers[0],
                    pointers[1],
                    channels,
                    offsets=(7, -8, 3),
                    target=target,
                )

            run_blocks(emit, wild(512), (bound.record, SamplerRecord.of(state)), LANES)
        memory.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs mprotect")
def test_wild_indices_fetch_nothing_outside() -> None:
    for layers, height in ((1, 1), (6, 8)):
        bound = bind(random_texture(Format.R32G32B32A32_UINT, 8, height, layers, 3), "2D")
        memory = guarded(bound)
        for target in ("1D", "2D", "3D", "2D_ARRAY", "BUFFER"):

            def emit(f: Function, pointers: list[Val], channels: list[Val], target: str = target, bound: Bound = bound) -> Any:
                words = [c.as_int() for c in channels]
                return emit_fetch(f, bound.key, pointers[0], words[:4], lod=words[4], offsets=(100000, -1, 2**31 - 1), target=target)

            run_blocks(emit, wild(512), (bound.record,), LANES)
        memory.close()
