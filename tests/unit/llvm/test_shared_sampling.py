"""Sampling functions that programs share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.abi.keys import SamplerKey, TextureKey
from backends.formats import Format
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.engine.engine import compile_cached, compile_module
from backends.llvm.engine.object_cache import ObjectCache
from backends.llvm.kernels.run import run
from backends.llvm.kernels.stages import build_run_kernel
from backends.llvm.sampling.shared_sampling import SYMBOL_PREFIX, SampleFunction, decode
from backends.llvm.translate.emit import textures
from backends.pipe.enums import Swizzle, TexCompare, TexFilter, TexMipFilter, TextureTarget, TexWrap
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData
from tgsi.language.text.parser import parse

TEXTURE = TextureKey(Format["R8G8B8A8_UNORM"], TextureTarget.TEXTURE_2D, pot=True)
STATE = SamplerState(
    wrap_s=TexWrap.REPEAT,
    wrap_t=TexWrap.CLAMP_TO_EDGE,
    min_img_filter=TexFilter.LINEAR,
    mag_img_filter=TexFilter.LINEAR,
    min_mip_filter=TexMipFilter.LINEAR,
    normalized_coords=True,
    max_lod=10.0,
)
SAMPLER = SamplerKey.of(STATE)
PROGRAM = """FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL IN[1], GENERIC[1], CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL SAMP[0]
DCL TEMP[0]
IMM[0] INT32 {1, -2, 0, 0}
TEX OUT[0], IN[0], SAMP[0], 2D
TXB TEMP[0], IN[1], SAMP[0], 2D
TXD OUT[1], IN[1], IN[0].xyxy, IN[1].zwzw, SAMP[0], 2D, IMM[0].xyz
ADD OUT[1], TEMP[0], OUT[1]
TXL TEMP[0], IN[1], SAMP[0], 2D
ADD OUT[1], TEMP[0], OUT[1]
END
"""


@pytest.fixture
def bound() -> dict[str, Any]:
    random = np.random.default_rng(1)
    levels = tuple(random.integers(0, 256, (1, size, size, 4), dtype=np.uint8) for size in (16, 8))
    return {"textures": {0: TextureData(TEXTURE.format, levels)}, "samplers": {0: STATE}}


@pytest.mark.parametrize("lanes", [8, 32])
def test_shared_sampling_gives_the_same_bytes_as_sampling_written_out(
    bound: dict[str, Any], lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, inputs = parse(PROGRAM), np.random.default_rng(2).normal(size=(64, 2, 4)).astype(np.float32)
    shared = run(program, inputs, lanes=lanes, **bound).outputs
    monkeypatch.setattr(textures, "SHARED_FROM", 1000)
    written_out = compile_module(build_run_kernel(program, lanes, {0: TEXTURE}, {0: SAMPLER}))
    assert np.array_equal(run(program, inputs, lanes=lanes, library=written_out, **bound).outputs, shared)
    assert shared.any()


def test_programs_with_several_samples_call_one_function_a_way() -> None:
    text = build_run_kernel(parse(PROGRAM), 16, {0: TEXTURE}, {0: SAMPLER}).text()
    assert text.count("declare { <16 x float>") == 4
    single = parse("FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL SAMP[0]\nTEX OUT[0], IN[0], SAMP[0], 2D\nEND\n")
    assert SYMBOL_PREFIX not in build_run_kernel(single, 16, {0: TEXTURE}, {0: SAMPLER}).text()


def test_functions_return_no_more_channels_than_their_instruction_needs() -> None:
    header = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0..2], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n"
    body = "TEX OUT[0].xyz, IN[0], SAMP[0], 2D\nTEX OUT[1].y, IN[0], SAMP[0], 2D\nSAMPLE OUT[2].yw, IN[0], SVIEW[0].wxyx, SAMP[0]\nEND\n"
    text = build_run_kernel(parse(header + body), 16, {0: TEXTURE}, {0: SAMPLER}).text()
    assert sorted(set(re.findall(r"declare \{ ([^}]*) \}", text))) == [", ".join(["<16 x float>"] * count) for count in (1, 3)]


def test_a_name_holds_everything() -> None:
    texture = TextureKey(Format["Z32_FLOAT"], TextureTarget.TEXTURE_CUBE, (Swizzle.X, Swizzle.ONE, Swizzle.ZERO, Swizzle.W), True, False)
    sampler = SamplerKey(compare_mode=TexCompare.R_TO_TEXTURE, seamless_cube_map=True, normalized_coords=False)
    function = SampleFunction(
        lane_map=LaneMap(32, "run", 4),
        texture=texture,
        sampler=sampler,
        target="SHADOWCUBE",
        mode="gradient",
        coords=4,
        has_lod=True,
        gradients=3,
        offsets=(1, -2, 3),
        channels=3,
    )
    assert decode(function.symbol) == function
    with pytest.raises(ValueError, match="sampling library"):
        decode(SYMBOL_PREFIX + "zz")


def test_an_object_from_the_disk_finds_its_shared_functions(bound: dict[str, Any], tmp_path: Path) -> None:
    program, inputs = parse(PROGRAM), np.ones((16, 2, 4), np.float32)
    cache = ObjectCache(tmp_path)
    want = run(program, inputs, **bound).outputs
    for _ in range(2):
        library = compile_cached(("s",), lambda: build_run_kernel(program, 16, {0: TEXTURE}, {0: SAMPLER}), exports=["run"], cache=cache)
        assert np.array_equal(run(program, inputs, library=library, **bound).outputs, want)


def test_units_may_differ_between_lanes(bound: dict[str, Any]) -> None:
    header = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL IN[1], GENERIC[1], CONSTANT\nDCL OUT[0], COLOR\nDCL SAMP[0..1]\nDCL ADDR[0]\n"
    direct = parse(header + "TXL OUT[0], IN[0], SAMP[0], 2D\nEND\n")
    indirect = parse(header + "UARL ADDR[0].x, IN[1]\nTXL OUT[0], IN[0], SAMP[ADDR[0].x], 2D\nEND\n")
    inputs = np.random.default_rng(3).normal(size=(16, 2, 4)).astype(np.float32).view(np.uint32)
    inputs[:, 1, 0] = np.tile(np.array([0, 1, 2, 0xFFFFFFFF], np.uint32), 4)
    got, want = run(indirect, inputs, **bound).floats, run(direct, inputs, **bound).floats
    assert np.array_equal(got[::4], want[::4])
    assert np.array_equal(got.reshape(4, 4, 4)[:, 1:].reshape(12, 4), np.tile(np.array([0, 0, 0, 1], np.float32), (12, 1)))
