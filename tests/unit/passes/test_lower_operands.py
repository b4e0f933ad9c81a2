"""Lowerings of operands and of wide numbers: each opcode over words of all sorts, hazards, and programs that are refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import tgsi
from backends.formats import Format
from backends.pipe.enums import TexFilter, TexMipFilter, TexWrap
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData
from passes.lower.arithmetic.wide import RESULTS, SINGLE
from passes.lower.options import ROWS, LoweringOptions
from passes.lowering import lowered
from passes.validate import validate
from tests.property.pools import given_values, words
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.text.parser import parse

LANES = 2048


def borders(chance: np.random.Generator, count: int) -> np.ndarray:
    """Numbers of 64 bits at which conversions change: between floats, at ends of integers, and integers between floats or doubles."""
    part = count // 4
    with np.errstate(all="ignore"):
        floats = words(int(chance.integers(1000)), (part,)).view(np.float32).astype(np.float64)
        next_bit = np.float64(2.0) ** np.maximum(np.floor(np.log2(np.maximum(np.abs(floats), 1e-300))) - 23, -149)
        between = floats + next_bit / 2 * chance.integers(-1, 2, part)
    doubles = np.where(chance.integers(0, 2, part) == 0, between, np.nextafter(between, chance.choice([-np.inf, np.inf], part)))
    ends = np.float64(2.0) ** chance.integers(-2, 66, part) * chance.choice([-1, 1], part)
    ends = np.nextafter(ends, chance.choice([-np.inf, 0, np.inf], part)) + chance.choice([0, 0, 0.5, 1], part)
    bits = chance.integers(0, 2, part) * 29 + 24
    integers = chance.integers(1 << 24, 1 << 25, 2 * part).astype(np.uint64)[:part] | np.uint64(1) << bits.astype(np.uint64)
    integers = (integers << np.uint64(1) | np.uint64(1)) << chance.integers(0, 10, part).astype(np.uint64)
    integers = integers + chance.integers(-1, 2, part).astype(np.uint64)
    small = np.float64(2.0) ** chance.integers(-152, -120, part) * chance.integers(1, 64, part) * chance.choice([-0.5, 0.5, 1], part)
    found = np.concatenate([doubles.view(np.uint64), ends.view(np.uint64), integers, small.view(np.uint64)])
    chance.shuffle(found)
    return found.view(np.uint32)


def numbers(seed: int) -> np.ndarray:
    """Two doubles or 64-bit integers in each of three registers: near each other, special, or any words."""
    pools = np.concatenate([given_values(seed + part, LANES // 4) for part in range(4)])
    chance = np.random.default_rng(seed)
    kinds = [4, 5, 7, 2, 0]
    found = np.stack([pools[np.arange(LANES), chance.choice(kinds, LANES)] for _ in range(3)], axis=1)
    found[: LANES // 2, 0] = borders(chance, LANES).reshape(-1, 4)
    same = chance.integers(0, 4, LANES) == 0
    found[same, 1] = found[same, 0] ^ (words(seed, (same.sum(), 4)) & np.uint32(0x80000001) & -(words(seed + 1, (same.sum(), 4)) & 1))
    return found


SOURCES = (("IN[0]", "IN[1]"), ("-IN[1].zwxy", "|IN[0]|"), ("-|IN[0].xyxy|", "-IN[1].zwzw"))


@pytest.mark.parametrize("name", [*RESULTS, *SINGLE])
def test_an_opcode_on_64_bits_gives_the_same_bits_in_32(name: str) -> None:
    inputs = numbers(len(name))
    for number, (sources, end, mask) in enumerate(zip(SOURCES, ("", "_SAT", ""), ("xyzw", "xyzw", "yz"))):
        given = ", ".join(sources[: OPCODES[name].num_src])
        text = f"FRAG\nDCL IN[0..2], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n{name}{end} OUT[0].{mask}, {given}\nEND\n"
        made = tgsi.lower(text, bits64="refuse")
        assert not any(item.opcode.uses_64bit for item in made.instructions)
        wanted = tgsi.run(text, inputs, engine="interp").outputs
        for engine in ("interp", "jit")[: 2 if number == 0 else 1]:
            assert (tgsi.run(made, inputs, engine=engine).outputs == wanted).all()


def test_an_opcode_that_has_no_lowering_stays_or_is_refused() -> None:
    text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDADD OUT[0], IN[0], IN[0]\nEND\n"
    assert tgsi.lower(text, bits64=True) == parse(text)
    with pytest.raises(UnsupportedError, match="DADD has no lowering to 32 bits"):
        tgsi.lower(text, bits64="refuse")


@pytest.mark.parametrize("more", ["", "PROPERTY MUL_ZERO_WINS 1\n"], ids=["ieee", "zero wins"])
def test_fused_products_by_doubles_keep_every_bit(more: str) -> None:
    text = f"FRAG\n{more}DCL IN[0..2], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nFMA OUT[0].xyw, IN[0], -IN[1].yxwz, IN[2]\nEND\n"
    chance = np.random.default_rng(3)
    given = words(7, (2 * LANES, 3, 4))
    close = given[:LANES, :2].view(np.float32)
    with np.errstate(all="ignore"):  # sums that nearly vanish, and ties
        given[:LANES, 2] = (close[:, 0] * close[:, 1][:, [1, 0, 3, 2]]).astype(np.float32).view(np.uint32)
    given[:LANES, 2] += chance.integers(-1, 2, (LANES, 4)).astype(np.uint32)
    given[: LANES // 2, 2] ^= np.uint32(1) << chance.integers(23, 32, (LANES // 2, 4)).astype(np.uint32)
    wanted = tgsi.run(text, given, engine="interp").outputs
    made = tgsi.lower(text, fma="double")
    assert not any(item.opcode.name == "FMA" for item in made.instructions)
    for engine in ("interp", "jit"):
        assert (tgsi.run(made, given, engine=engine).outputs == wanted).all()
    assert (tgsi.run(tgsi.lower(text, fma="mad"), given).outputs != wanted).any()


def _sampler(s: TexWrap, t: TexWrap, r: TexWrap) -> SamplerState:
    return SamplerState(
        wrap_s=s,
        wrap_t=t,
        wrap_r=r,
        min_img_filter=TexFilter.LINEAR,
        mag_img_filter=TexFilter.LINEAR,
        min_mip_filter=TexMipFilter.NONE,
        border_color=(0.25, 0.5, 0.75, 1.0),
        normalized_coords=True,
    )


@pytest.mark.parametrize("target", ["1D", "2D", "3D", "2D_ARRAY"])
def test_saturated_coordinates_do_the_work_of_clamp(target: str) -> None:
    chance = np.random.default_rng(4)
    depth = 3 if target in ("3D", "2D_ARRAY") else 1
    shape = (depth, 1 if target == "1D" else 4, 8, 4)
    picture = TextureData(Format.R32G32B32A32_FLOAT, (chance.uniform(0, 1, shape).astype(np.float32).view(np.uint8),))
    text = f"FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL SAMP[0]\nTXL OUT[0], IN[0], SAMP[0], {target}\nEND\n"
    given = chance.uniform(-0.7, 1.7, (256, 1, 4)).astype(np.float32)
    given[:, :, 3] = 0
    clamp, border = TexWrap.CLAMP, TexWrap.CLAMP_TO_BORDER
    wanted = tgsi.run(text, given, textures={0: picture}, samplers={0: _sampler(clamp, clamp, clamp)}, engine="interp")
    made = tgsi.lower(text, saturate_coords=(1, 1, 1))
    for engine in ("interp", "jit"):
        found = tgsi.run(made, given, textures={0: picture}, samplers={0: _sampler(border, border, border)}, engine=engine)
        assert np.abs(found.floats - wanted.floats).max() < 1e-6
    plain = tgsi.run(text, given, textures={0: picture}, samplers={0: _sampler(border, border, border)}, engine="interp")
    assert np.abs(plain.floats - wanted.floats).max() > 0.1


def test_samplers_that_an_address_chooses_are_saturated_alike_or_one_by_one() -> None:
    text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL SAMP[0..1]\nDCL ADDR[0]\n"
    text += "TEX OUT[0], IN[0], SAMP[ADDR[0].x], 2D\nEND\n"
    assert str(tgsi.lower(text, saturate_coords=3)).count("TEX ") == 1
    made = str(tgsi.lower(text, saturate_coords=1))
    assert made.count("MOV_SAT") == 1
    assert made.count("TEX ") == 2


def test_a_sampler_of_a_handle_is_refused() -> None:
    text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nTEX OUT[0], IN[0], IN[0], 2D\nEND\n"
    with pytest.raises(UnsupportedError, match="TEX takes its sampler from a handle"):
        tgsi.lower(text, saturate_coords=1)


GEOMETRY = """GEOM
PROPERTY GS_INPUT_PRIMITIVE LINES
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL IN[][0..1], GENERIC[0]
DCL OUT[0], GENERIC[0]
DCL ADDR[0]
IMM[0] INT32 {0, 1, 2, 3}
UARL ADDR[0].xy, IN[0][1]
MOV OUT[0], IN[ADDR[0].x][ADDR[0].y]
EMIT IMM[0].xxxx
END
"""


def test_vertices_and_registers_are_chosen_together() -> None:
    given = np.random.default_rng(2).integers(-1, 3, (64, 2, 2, 4)).astype(np.uint32)
    made = tgsi.lower(GEOMETRY, indirect=True)
    assert "ADDR" not in str(made)
    assert str(made).count("UCMP") == 4
    wanted = tgsi.run(GEOMETRY, given, engine="interp").emitted[0]
    for engine in ("interp", "jit"):
        assert (tgsi.run(made, given, engine=engine).emitted[0] == wanted).all()


def test_an_address_that_the_language_ignores_goes() -> None:
    text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0..3]\nDCL ADDR[0]\nUARL ADDR[0], IN[0]\n"
    text += "MOV TEMP[ADDR[0].x][1], IN[0]\nADD OUT[0], TEMP[ADDR[0].y][1], TEMP[ADDR[0].z][ADDR[0].w]\nEND\n"
    given = np.random.default_rng(8).integers(0, 5, (64, 1, 4)).astype(np.uint32)
    made = tgsi.lower(text, indirect=True)
    assert "[ADDR" not in str(made)
    assert str(made).count("UCMP") == 4
    assert (tgsi.run(made, given).outputs == tgsi.run(text, given, engine="interp").outputs).all()


def test_files_that_are_not_named_stay_indirect() -> None:
    text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL CONST[0..1]\nDCL TEMP[0..1], ARRAY(1)\n"
    text += "DCL ADDR[0]\nUARL ADDR[0].x, IN[0]\nADD TEMP[ADDR[0].x](1), CONST[ADDR[0].x], IN[0]\nMOV OUT[0], TEMP[1]\nEND\n"
    made = str(tgsi.lower(text, indirect="TEMP"))
    assert "CONST[ADDR[0].x]" in made
    assert "TEMP[ADDR" not in made


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            GEOMETRY.replace("PROPERTY GS_INPUT_PRIMITIVE LINES\n", "").replace("[]", ""),
            "indirect",
            "does not declare the number of vertices",
        ),
        (
            "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL CONST[0..1]\nDCL ADDR[0]\n"
            "SWITCH IN[0].xxxx\nCASE CONST[ADDR[0].x].xxxx\nENDSWITCH\nEND\n",
            "indirect",
            "a CASE reads a register that an address chooses",
        ),
        (
            "FRAG\nDCL CONST[0..4000]\nDCL CONST[1][0..4000]\nDCL CONST[2][0..4000]\nDCL CONST[3][0..4000]\nDCL CONST[4][0..4000]\n"
            "DCL OUT[0], COLOR\nDCL ADDR[0]\nMOV OUT[0], CONST[ADDR[0].y][ADDR[0].x]\nEND\n",
            "indirect",
            "would become 20005 comparisons",
        ),
    ],
)
def test_a_program_that_cannot_be_lowered_is_refused_with_its_place(text: str, options: str, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message) as raised:
        tgsi.lower(text, options)
    (found,) = raised.value.diagnostics
    assert found.code == "B052"
    assert found.hint
    assert found.labels


HAZARDS = """FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0..3], COLOR
DCL TEMP[0..3], ARRAY(1)
DCL ADDR[0..1]
MOV TEMP[0], IN[0]
ADD TEMP[0], TEMP[0].yzwx, TEMP[0]
ADD TEMP[0].xzw, TEMP[0].wxxx, TEMP[0].zzzz
UARL ADDR[0], IN[0].wxyz
UARL ADDR[0].xy, TEMP[ADDR[0].x](1).yxzw
ADD TEMP[ADDR[0].x](1), TEMP[ADDR[0].y](1).yzwx, TEMP[0].wzyx
MUL TEMP[1].xy, TEMP[1].yyyy, TEMP[1].xxxx
DADD TEMP[2], TEMP[2].zwxy, TEMP[0]
MOV OUT[0], TEMP[0]
MOV OUT[1], TEMP[1]
MOV OUT[2], TEMP[2]
MOV OUT[3], ADDR[0]
END
"""


def test_single_channels_are_written_in_an_order_that_reads_no_new_value() -> None:
    given = np.random.default_rng(6).integers(0, 4, (256, 1, 4)).astype(np.uint32)
    wanted = tgsi.run(HAZARDS, given, engine="interp").outputs
    for options in ("wide-writes", "indirect,wide-writes", "bits64,indirect,wide-writes"):
        made = tgsi.lower(HAZARDS, options)
        masks = [item.dst[0].write_mask for item in made.instructions if item.dst and not item.opcode.uses_64bit]
        assert all(mask.bit_count() == 1 for mask in masks)
        for engine in ("interp", "jit"):
            assert (tgsi.run(made, given, engine=engine).outputs == wanted).all()


def _corpus(path: Path, samples: list[str]) -> list[str]:
    """Lowerings of one shader that fail, or whose text is read as another program."""
    program = parse(path.read_text(encoding="utf-8"), name=path.name)
    failed = []
    for sample in samples:
        try:
            made = lowered(program, LoweringOptions.parse(sample))
            validate(made)
            if parse(str(made)) != made:
                failed.append(f"{path.name}: {sample}: another program")
        except Exception as error:
            failed.append(f"{path.name}: {sample}: {type(error).__name__}: {error}")
    return failed


@pytest.mark.nightly
@pytest.mark.peers
@pytest.mark.parametrize("part", range(4))
def test_the_corpus_goes_through_every_lowering(part: int, shared: Path) -> None:
    plain = [row.word for row in ROWS if not row.needed]
    # GENERIC[20] and [21] are taken in some shaders
    samples = [re.sub("([=:])(2[01])$", r"\1\g<2>0", row.sample) for row in ROWS if row.word != "bits64"] + plain
    samples.append("indirect,saturate-coords=1:1:1,fma=double,bits64,opcodes,wide-writes")
    found = [line for path in sorted((shared / "corpus").glob("*.tgsi"))[part::4] for line in _corpus(path, samples)]
    assert found == []


def test_rows_of_arithmetic_and_operands_are_read_from_text() -> None:
    text = "indirect=TEMP+CONST,saturate-coords=1:2:4,fma=double,bits64=refuse,opcodes=LRP,wide-writes"
    assert str(LoweringOptions.parse(text)) == text
