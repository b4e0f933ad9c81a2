"""Generated code for units chosen at run time."""

from __future__ import annotations

import pytest

from backends.abi.keys import SamplerKey, TextureKey
from backends.formats import Format
from backends.llvm.kernels.stages import build_run_kernel
from backends.llvm.sampling.shared_sampling import PASSED, SYMBOL_PREFIX, decode
from backends.pipe.enums import TextureTarget
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.text.parser import parse

pytestmark = pytest.mark.light

HEADER = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..31]
DCL SVIEW[0..31], 2D, FLOAT
DCL ADDR[0]
IMM[0] INT32 {0, 1, -1, 2}
"""
FORMATS = [format for format in Format if format.block_bits == 32 and not format.is_depth_stencil][:17]


def calls(statement: str, formats: list[Format]) -> list[str]:
    """Library functions that a statement calls, once per call in the text."""
    textures = {unit: TextureKey(formats[unit % len(formats)], TextureTarget.TEXTURE_2D) for unit in range(32)}
    samplers = {unit: SamplerKey(seamless_cube_map=unit % len(formats) % 2 == 1) for unit in range(32)}
    text = build_run_kernel(parse(f"{HEADER}{statement}\nEND\n"), 8, textures, samplers).text()
    return [line for line in text.split("\n") if SYMBOL_PREFIX in line and "= call" in line]


@pytest.mark.parametrize(
    "statement",
    [
        "TEX OUT[0], IN[0], SAMP[ADDR[0].x], 2D",
        "TG4 OUT[0], IN[0], IMM[0].yyyy, SAMP[ADDR[0].x], 2D",
        "TEX OUT[0], IN[0], IN[0].wwww, 2D",
        "SAMPLE OUT[0], IN[0], SVIEW[ADDR[0].x], SAMP[ADDR[0].y]",
        "LOD OUT[0], IN[0], SVIEW[ADDR[0].x], SAMP[3]",
    ],
)
def test_units_of_one_kind_share_their_code(statement: str) -> None:
    assert len(calls(statement, FORMATS[:1])) == 1
    kinds = 2 if "ADDR[0].y" not in statement else 4  # number of views times number of samplers
    assert len(calls(statement, FORMATS[:2])) == kinds


def test_too_many_kinds_are_refused() -> None:
    samplers = {unit: SamplerKey(normalized_coords=unit % 2 == 0, seamless_cube_map=unit % 4 > 1) for unit in range(32)}
    views = {unit: TextureKey(FORMATS[unit % 17], TextureTarget.TEXTURE_2D, levels=unit < 17, pot=unit % 3 == 0) for unit in range(32)}
    program = parse(f"{HEADER}SAMPLE OUT[0], IN[0], SVIEW[ADDR[0].x], SAMP[ADDR[0].y]\nEND\n")
    assert len(set(samplers.values())) == 4
    assert build_run_kernel(program, 8, views, samplers).text()
    many = {unit: SamplerKey(normalized_coords=unit % 2 == 0, wrap_s=list(type(samplers[0].wrap_s))[unit // 2 % 8]) for unit in range(32)}
    with pytest.raises(UnsupportedError, match="256"):
        build_run_kernel(program, 8, views, many)


@pytest.mark.parametrize(("operand", "component"), [("IMM[0].xxxx", 0), ("IMM[0].wwww", 2), ("IN[0].xxxx", PASSED)])
def test_symbols_name_everything_of_a_gather(operand: str, component: int) -> None:
    made = calls(f"TG4 OUT[0], IN[0], {operand}, SAMP[ADDR[0].x], 2D", FORMATS[:1])
    symbol = made[0].split("@")[1].split("(")[0]
    function = decode(symbol)
    assert (function.symbol, function.mode, function.component) == (symbol, "gather", component)
