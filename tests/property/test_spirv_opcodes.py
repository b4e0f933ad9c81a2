"""Every opcode gives the same bits before it was written as SPIR-V and after it was read back: special values, old destinations."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import tgsi
from backends.formats import Format
from frontends.glsl import compiler
from tests.property.fitting import NEAREST
from tests.property.opcode_sweep import BITS, OLD, inputs, mismatches, opcodes, texts
from tests.property.spirv_round import moved
from tests.unit.sampling.support import random_texture
from tgsi.language.facts.opcodes import OPCODES

READING = {
    **{
        name: f"{{}}, IN[0], SAMP[0], {target}"
        for name, target in [("TEX", "2D"), ("TXB", "2D"), ("TXL", "2D"), ("TXP", "2D"), ("TEX_LZ", "2D")]
    },
    "TXF": "{}, IN[1], SAMP[0], 2D",
    "TXF_LZ": "{}, IN[1], SAMP[0], 2D",
    "TXD": "{}, IN[0], IN[0], IN[0], SAMP[0], 2D",
    "TXB2": "{}, IN[0], IN[0], SAMP[0], 2D",
    "TXL2": "{}, IN[0], IN[0], SAMP[0], 2D",
    "TG4": "{}, IN[0], IMM[1], SAMP[0], 2D",
    "LODQ": "{}, IN[0], SAMP[0], 2D",
    "TXQ": "{}, IN[1], SAMP[0], 2D",
    "TXQS": "{}, SAMP[0], 2D",
    "LOAD": "{}, BUFFER[0], IN[1]",
    "RESQ": "{}, BUFFER[0]",
    "ATOMUADD": "{}, BUFFER[0], IN[1], IMM[1]",
    "ATOMCAS": "{}, BUFFER[0], IN[1], IMM[1], IMM[0]",
    "BALLOT": "{}, IN[0]",
    "VOTE_ANY": "{}, IN[0]",
    "VOTE_ALL": "{}, IN[0]",
    "VOTE_EQ": "{}, IN[0]",
    "READ_FIRST": "{}, IN[0]",
    "READ_INVOC": "{}, IN[0], IMM[1]",
    "READ_HELPER": "{}",
    "DDX": "{}, IN[0]",
    "DDY": "{}, IN[0]",
    "DDX_FINE": "{}, IN[0]",
    "DDY_FINE": "{}, IN[0]",
    "INTERP_CENTROID": "{}, IN[0]",
    "INTERP_SAMPLE": "{}, IN[0], IMM[1]",
    "INTERP_OFFSET": "{}, IN[0], IN[0]",
}
"""Opcodes that read more than values: operands after the destination."""

CONDITIONS = {
    "IF": "IF {0}\nMOV TEMP[0], IMM[1]\nENDIF",
    "UIF": "UIF {0}\nMOV TEMP[0], IMM[1]\nENDIF",
    "SWITCH": "SWITCH {0}\nCASE IN[1].xxxx\nMOV TEMP[0], IMM[1]\nBRK\nDEFAULT\nMOV TEMP[0].x, IMM[1]\nENDSWITCH",
    "KILL_IF": "KILL_IF {0}",
}


def _round_trip(program: tgsi.Program) -> tgsi.Program:
    return tgsi.read_spirv(tgsi.write_spirv(program))


@pytest.mark.parametrize("properties", ["", "PROPERTY MUL_ZERO_WINS 1\n"])
@pytest.mark.parametrize("name", opcodes())
def test_special_values_have_the_same_bits(name: str, properties: str) -> None:
    if properties and "product" not in {str(trait) for trait in OPCODES[name].traits}:
        return
    given = inputs(len(OPCODES[name].src_types))
    for text in texts(name, properties):
        program = tgsi.parse(text)
        if properties and name == "FMA":  # SPIR-V's has no such form, and says so
            with pytest.raises(tgsi.UnsupportedError, match="M033"):
                tgsi.write_spirv(program)
            continue
        before, after = (tgsi.run(item, given, engine="interp") for item in (program, _round_trip(program)))
        assert mismatches(given, before, after) == [], text


@pytest.mark.parametrize("mask", ["xyzw", "zw", "y"])
@pytest.mark.parametrize("name", READING)
def test_destinations_of_opcodes_that_read_keep_nothing_old(name: str, mask: str) -> None:
    lines = ["FRAG", "DCL IN[0], GENERIC[0], CONSTANT", "DCL IN[1], GENERIC[1], CONSTANT", "DCL OUT[0], COLOR", "DCL TEMP[0]"]
    lines += [
        "DCL SAMP[0]",
        "DCL SVIEW[0], 2D, FLOAT",
        "DCL BUFFER[0]",
        f"IMM[0] UINT32 {{{OLD}, {OLD}, {OLD}, {OLD}}}",
        "IMM[1] UINT32 {0, 1, 2, 3}",
    ]
    lines += ["MOV TEMP[0], IMM[0]", f"{name} {READING[name].format(f'TEMP[0].{mask}')}", "MOV OUT[0], TEMP[0]", "END", ""]
    program = tgsi.parse("\n".join(lines))
    chance = np.random.default_rng(3)
    given = np.zeros((16, 2, 4), np.uint32)
    given[:, 0] = chance.uniform(-1, 1, (16, 4)).astype(np.float32).view(np.uint32)
    given[:, 1] = chance.integers(0, 3, (16, 4))
    results = []
    for item in (program, _round_trip(program)):
        buffers = {0: np.arange(100, 132, dtype=np.uint32)}
        textures = {0: random_texture(Format.R32G32B32A32_FLOAT, 8, 8, 1, 3, seed=1)}
        values = moved(program, item, {"inputs": given})["inputs"]
        results.append(tgsi.run(item, values, engine="interp", textures=textures, samplers={0: NEAREST}, buffers=buffers))
    assert mismatches(given, *results) == []


@pytest.mark.parametrize("operand", ["IN[0].xxxx", "-IN[0].xxxx", "|IN[0].xxxx|"])
@pytest.mark.parametrize("name", CONDITIONS)
def test_special_values_choose_the_same_way(name: str, operand: str) -> None:
    if name in ("UIF", "SWITCH") and operand[:2] != "IN":
        return
    lines = ["FRAG", "DCL IN[0], GENERIC[0], CONSTANT", "DCL IN[1], GENERIC[1], CONSTANT", "DCL OUT[0], COLOR", "DCL TEMP[0]"]
    lines += ["IMM[0] UINT32 {7, 7, 7, 7}", "IMM[1] UINT32 {1, 2, 3, 4}", "MOV TEMP[0], IMM[0]"]
    lines += [CONDITIONS[name].format(operand), "MOV OUT[0], TEMP[0]", "END", ""]
    program = tgsi.parse("\n".join(lines))
    given = inputs(2)
    before, after = (tgsi.run(item, given, engine="interp") for item in (program, _round_trip(program)))
    assert np.array_equal(before.alive, after.alive)
    alive = np.asarray(before.alive, bool)
    assert np.array_equal(before.outputs[alive], after.outputs[alive])


def test_every_opcode_is_swept_or_says_why_not() -> None:
    flow = {name for name, info in OPCODES.items() if info.flow is not None or info.has_no_effect}
    rest = set(OPCODES) - set(opcodes()) - set(READING) - set(CONDITIONS) - flow
    refused = {name for name in rest if name.startswith(("SAMPLE", "ATOM"))}
    refused |= {"SVIEWINFO", "GATHER4", "LOD", "FBFETCH", "CLOCK", "IMG2HND", "SAMP2HND", "EMIT_MESH_TASKS", "SET_MESH_OUTPUTS"}
    elsewhere = {"STORE", "MEMBAR", "BARRIER", "EMIT", "ENDPRIM", "KILL", "DEMOTE", "TEX2"}  # without a destination, or shadow
    assert rest - refused - elsewhere == set()


def _validator() -> Path | None:
    known = compiler._of_wheels()
    found = shutil.which("spirv-val") if known is None else str(Path(known.path).with_name("spirv-val"))
    return Path(found) if found and Path(found).exists() else None


@pytest.mark.skipif(_validator() is None, reason="spirv-val is not installed: pip install 'tgsi[glsl]'")
def test_modules_of_every_opcode_are_valid(tmp_path: Path) -> None:
    known = compiler._of_wheels()
    environment = known.environment() if known is not None else dict(os.environ)
    files = []
    for name in opcodes():
        for number, text in enumerate(texts(name)):
            files.append(tmp_path / f"{name}.{number}.spv")
            files[-1].write_bytes(tgsi.write_spirv(tgsi.parse(text)))
    wrong = {}
    for file in files:
        done = subprocess.run(
            [str(_validator()), "--target-env", "vulkan1.2", str(file)], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            wrong[file.name] = done.stdout + done.stderr
    assert wrong == {}
    assert len(files) > len(BITS)
