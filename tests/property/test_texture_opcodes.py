"""Texture opcodes order their operands identically in both engines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from backends.formats import Format
from backends.interp.run import run as interpret
from backends.llvm.kernels.run import run as execute
from backends.pipe.enums import CompareFunc, TexCompare
from tests.property.fitting import NEAREST
from tests.unit.sampling.support import random_texture
from tgsi.language.text.parser import parse

pytestmark = pytest.mark.light

# opcode, its sources before the sampler; IN[0] coordinates, IN[1] other numbers, IN[2] and IN[3] derivatives, IN[1] as integers
SAMPLING = {
    "TEX": "IN[0]",
    "TEX_LZ": "IN[0]",
    "TXB": "IN[0]",
    "TXL": "IN[0]",
    "TXP": "IN[0]",
    "TXD": "IN[0], IN[2], IN[3]",
    "TXB2": "IN[0], IN[1]",
    "TXL2": "IN[0], IN[1]",
}
TARGETS = ("1D", "2D", "3D", "CUBE", "RECT", "1D_ARRAY", "2D_ARRAY", "CUBEARRAY", "SHADOW1D", "SHADOW2D", "SHADOW2D_ARRAY", "SHADOWCUBE")
LAYERS = {"3D": 4, "CUBE": 6, "1D_ARRAY": 3, "2D_ARRAY": 3, "CUBEARRAY": 12, "SHADOW2D_ARRAY": 3, "SHADOWCUBE": 6, "SHADOWCUBEARRAY": 12}
W_IS_TAKEN = frozenset({"CUBEARRAY", "SHADOWCUBE", "SHADOW2D_ARRAY"})
"""Targets that use w as a coordinate or as the reference."""


def _both(body: str, target: str, inputs: Any, stage: str = "FRAG", shadow: bool = False) -> None:
    registers = "".join(f"DCL IN[{i}]{f', GENERIC[{i}], PERSPECTIVE' if stage == 'FRAG' else ''}\n" for i in range(4))
    output = "COLOR" if stage == "FRAG" else "POSITION"
    resources = f"DCL SAMP[0]\nDCL SVIEW[0], {target}, FLOAT\nIMM[0] INT32 {{1, -1, 0, 0}}\n"
    text = f"{stage}\n{registers}DCL OUT[0], {output}\n{resources}{body}\nEND\n"
    program = parse(text)
    one_high = target in ("1D", "1D_ARRAY", "SHADOW1D")
    levels = 1 if target == "RECT" else 3
    texture = random_texture(
        Format.R32G32B32A32_FLOAT, 8, 1 if one_high else 8, LAYERS.get(target, 1), levels, volume=target == "3D", seed=7
    )
    mode = TexCompare.R_TO_TEXTURE if shadow or target.startswith("SHADOW") else TexCompare.NONE
    sampler = replace(NEAREST, compare_mode=mode, compare_func=CompareFunc.LESS, normalized_coords=target != "RECT")
    expected = interpret(program, inputs, textures={0: texture}, samplers={0: sampler}).outputs
    got = execute(program, inputs, textures={0: texture}, samplers={0: sampler}, lanes=8).outputs
    assert got.tolist() == expected.tolist()
    assert len(np.unique(expected[:, 0, 0])) > 1


def _coordinates(seed: int) -> Any:
    random = np.random.default_rng(seed)
    return random.uniform(-1.5, 1.5, (16, 4, 4)).astype(np.float32)


@pytest.mark.parametrize(
    ("opcode", "target"),
    [(opcode, target) for opcode in SAMPLING for target in TARGETS if target not in W_IS_TAKEN or opcode not in ("TXB", "TXL", "TXP")],
)
def test_sampling_opcodes(opcode: str, target: str) -> None:
    _both(f"{opcode} OUT[0], {SAMPLING[opcode]}, SAMP[0], {target}", target, _coordinates(3))


@pytest.mark.parametrize("opcode", ["TEX", "TXB", "TXL"])
def test_vertices_sample_without_derivatives(opcode: str) -> None:
    _both(f"{opcode} OUT[0], IN[0], SAMP[0], 2D", "2D", _coordinates(4), "VERT")


def test_shadow_cube_arrays_take_the_reference_from_the_second_source() -> None:
    _both("TEX2 OUT[0], IN[0], IN[1], SAMP[0], SHADOWCUBEARRAY", "SHADOWCUBEARRAY", _coordinates(5))


@pytest.mark.parametrize("target", ["1D", "2D", "3D", "RECT", "2D_ARRAY"])
def test_texel_offsets(target: str) -> None:
    _both(f"TEX OUT[0], IN[0], SAMP[0], {target}, IMM[0].xyz", target, _coordinates(6))


@pytest.mark.parametrize("target", ["1D", "2D", "3D", "RECT", "1D_ARRAY", "2D_ARRAY"])
@pytest.mark.parametrize("opcode", ["TXF", "TXF_LZ"])
def test_texels_by_integer_coordinates(opcode: str, target: str) -> None:
    inputs = np.random.default_rng(8).integers(-1, 5, (64, 4, 4)).astype(np.int32)
    inputs[:, 0, 3] %= 4
    _both(f"{opcode} OUT[0], IN[0], SAMP[0], {target}, IMM[0].xyz", target, inputs)


@pytest.mark.parametrize("target", ["1D", "2D", "3D", "CUBE", "2D_ARRAY"])
def test_sizes_of_levels(target: str) -> None:
    inputs = np.repeat(np.arange(16, dtype=np.int32)[:, None, None] % 4, 4, axis=1).repeat(4, axis=2)
    _both(f"TXQ OUT[0], IN[0].xxxx, SAMP[0], {target}", target, inputs)


VIEWING = {
    "SAMPLE": "",
    "SAMPLE_B": ", IN[1].yyyy",
    "SAMPLE_L": ", IN[1].yyyy",
    "SAMPLE_D": ", IN[2], IN[3]",
    "SAMPLE_C": ", IN[1].zzzz",
    "SAMPLE_C_LZ": ", IN[1].zzzz",
}


@pytest.mark.parametrize("target", ["1D", "2D", "3D", "CUBE", "2D_ARRAY", "CUBEARRAY"])
@pytest.mark.parametrize("opcode", VIEWING)
def test_opcodes_with_views(opcode: str, target: str) -> None:
    if target != "3D" or "_C" not in opcode:
        _both(f"{opcode} OUT[0], IN[0], SVIEW[0].yzxw, SAMP[0]{VIEWING[opcode]}", target, _coordinates(9), shadow="_C" in opcode)


def test_texels_of_views() -> None:
    inputs = np.random.default_rng(8).integers(-1, 5, (64, 4, 4)).astype(np.int32)
    inputs[:, 0, 3] %= 4
    _both("SAMPLE_I OUT[0], IN[0], SVIEW[0].wzyx", "2D", inputs)


def test_sizes_of_views() -> None:
    inputs = np.repeat(np.arange(16, dtype=np.int32)[:, None, None] % 5, 4, axis=1).repeat(4, axis=2)
    _both("SVIEWINFO OUT[0], IN[0].xxxx, SVIEW[0]", "2D", inputs)
