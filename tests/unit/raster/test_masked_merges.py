"""Shading kernels for AVX-512 merge old and new bits right: LLVM 22.1 permutes the operands of some masked vpternlogs.

`tests/unit/llvm/test_ternary.py` tells of the fault. Assembly is enough to see it, so these tests need no machine with AVX-512.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from backends.formats import Format
from backends.llvm.builder.function import Module
from backends.llvm.engine import codegen
from backends.pipe.enums import BlendFactor, ColorMask, CompareFunc, LogicOp, StencilOp
from backends.pipe.state import BlendState, DepthState, DepthStencilAlphaState, RenderTargetBlend, StencilState
from backends.raster.tile.buffer_keys import DepthKey, TargetKey
from backends.raster.tile.fragment import FragmentInfo, FragmentKey, describe
from backends.raster.tile.shade import build_shade
from tests.unit.llvm.ternary import RIGHT, first_assembly, masked
from tgsi.language.text.parser import parse

LEVEL = "x86-64-v4"
LANES = (8, 16, 32, 64)
COLOR = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
STENCIL = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL OUT[1], STENCIL\nMOV OUT[0], IN[0]\nMOV OUT[1].y, IN[0]\nEND\n"
FORMATS = [f for f in Format if not f.is_depth_stencil and f.block_bytes in (1, 2, 4, 8, 16)]
STENCILS = [f for f in Format if f.has_stencil and f.has_depth]
OVER: dict[str, Any] = {
    "blend_enable": True,
    "rgb_src_factor": BlendFactor.SRC_ALPHA,
    "alpha_src_factor": BlendFactor.SRC_ALPHA,
    "rgb_dst_factor": BlendFactor.INV_SRC_ALPHA,
    "alpha_dst_factor": BlendFactor.INV_SRC_ALPHA,
}
APART = OVER | {"alpha_src_factor": BlendFactor.DST_COLOR, "alpha_dst_factor": BlendFactor.DST_ALPHA}  # two equations
SAMPLED = (  # a format of each way to pack
    Format.B5G6R5_UNORM,
    Format.B4G4R4A4_UNORM,
    Format.R8G8B8A8_UNORM,
    Format.B8G8R8A8_SRGB,
    Format.R8G8B8A8_SINT,
    Format.R10G10B10A2_SNORM,
    Format.R11G11B10_FLOAT,
    Format.R16G16B16A16_FLOAT,
)


def color_keys(format: Format) -> Iterator[TargetKey]:
    """Keys of one format that keep a part of a word: every such color mask, four kinds of blending."""
    for mask in map(ColorMask, range(1, 15)):
        states = [BlendState((RenderTargetBlend(colormask=mask, **blending),)) for blending in ({}, OVER, APART)]
        states.append(BlendState((RenderTargetBlend(colormask=mask),), logicop_enable=True, logicop_func=LogicOp.XOR))
        for state in states:
            key = TargetKey.of(state, 0, format)
            if key is not None and _merges(key):
                yield key


def _merges(key: TargetKey) -> bool:
    return any(word not in (0, 0xFFFFFFFF) for word in key.keep_words(key.format.block_words) or ())


def stencil_keys(format: Format) -> Iterator[DepthKey]:
    """Keys with a partial write mask: every operation, one face or two, with and without depth."""
    keep = StencilOp.KEEP
    for op, func, writemask, depth in itertools.product(StencilOp, (CompareFunc.ALWAYS, CompareFunc.LESS), (15, 128), (False, True)):
        front = StencilState(enabled=True, func=func, zpass_op=op, zfail_op=keep, valuemask=255, writemask=writemask)
        other = StencilState(
            enabled=True, func=func, fail_op=op, zpass_op=StencilOp.REPLACE, zfail_op=op, valuemask=15, writemask=255 - writemask
        )
        for back in (StencilState(), other):
            state = DepthStencilAlphaState(depth=DepthState(depth, depth, CompareFunc.LESS), stencil=(front, back))
            key = DepthKey.of(state, format)
            if key is not None and key.writes:
                yield key


def shaded(key: FragmentKey, info: FragmentInfo) -> str:
    """LLVM text of a kernel."""
    module = Module("shade", LEVEL)
    build_shade(key, info, module)
    return module.text()


def wrong(assembly: str) -> list[int]:
    """Immediates of masked vpternlogs that are not known to be right."""
    return [t.immediate for t in masked(assembly) if t.immediate not in RIGHT]


def check_colors(keys: Sequence[TargetKey], lanes: Sequence[int]) -> None:
    """Merges of colors are right in LLVM's first code, so nothing is compiled twice."""
    info = describe(parse(COLOR))
    for key, width in zip(keys, itertools.cycle(lanes)):
        text = shaded(FragmentKey(lanes=width, quads=width == 16, targets=(key,)), info)
        assert wrong(first_assembly(text, LEVEL)) == [], (key, width)


def check_stencils(keys: Sequence[DepthKey], lanes: Sequence[int]) -> None:
    infos = itertools.cycle([describe(parse(text)) for text in (COLOR, COLOR, STENCIL)])
    target = TargetKey.of(BlendState(), 0, Format.R8G8B8A8_UNORM)
    for key, width, info in zip(keys, itertools.cycle(lanes), infos):
        text = shaded(FragmentKey(lanes=width, quads=False, depth=key, targets=(target,)), info)
        assert wrong(codegen.assembly(text, LEVEL)) == [], (key, width)


@pytest.mark.parametrize("format", SAMPLED, ids=str)
def test_color_masks_merge_right(format: Format) -> None:
    check_colors(list(color_keys(format))[3::7], LANES)


def test_stencil_write_masks_merge_right() -> None:
    check_stencils([key for format in STENCILS for key in list(stencil_keys(format))[::23]], LANES)


@pytest.mark.nightly
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_every_color_mask_merges_right(format: Format, lanes: int) -> None:
    check_colors(list(color_keys(format)), [lanes])


@pytest.mark.nightly
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("format", STENCILS, ids=str)
def test_every_stencil_write_mask_merges_right(format: Format, lanes: int) -> None:
    check_stencils(list(stencil_keys(format)), [lanes])
