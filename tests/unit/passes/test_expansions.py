"""Expansions of opcodes in both engines: each row over words of all sorts, results, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from passes.lower.arithmetic.table import EXPANSIONS, Row
from tests.golden.vectors import is_nan, within
from tests.property.engines import NEAR
from tests.property.pools import SPECIAL, words
from tests.property.test_lowering import DEFINITIONS, defined
from tgsi.language.facts.opcodes import OPCODES

LANES = 4096
VALUES = {name: row for name, row in EXPANSIONS.items() if not OPCODES[name].is_texture}
PROJECTED = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
IMM[0] INT32 {1, 2, 0, 0}
TXP_SAT OUT[0], IN[0], SAMP[0], SHADOW2D, IMM[0].xyz
END
"""


def program_of(name: str, mask: str, more: str = "") -> str:
    count = OPCODES[name].num_src
    is_address = name == "ARR"
    sources = ", ".join(f"IN[{number}]" for number in range(count))
    code = f"{name} ADDR[0].{mask}, {sources}\nMOV OUT[0], ADDR[0]" if is_address else f"{name} OUT[0].{mask}, {sources}"
    declared = "".join(f"DCL IN[{number}], GENERIC[{number}], CONSTANT\n" for number in range(count))
    return f"FRAG\n{more}{declared}DCL OUT[0], COLOR\n{'DCL ADDR[0]' * is_address}\n{code}\nEND\n"


def inputs_of(name: str) -> np.ndarray:
    """Words of all sorts, and before them all pairs of special words."""
    given = words(len(name), (LANES, OPCODES[name].num_src, 4))
    pairs = np.stack(np.meshgrid(SPECIAL, SPECIAL), axis=-1).reshape(-1, 2)[: LANES // 2]
    if given.shape[1] > 1:
        given[: len(pairs), :2] = pairs[:, :, None]
    else:
        given[: len(pairs), 0, :2] = pairs
        given[: len(pairs), 0, 3] = pairs[:, 0]
    return given


@pytest.mark.parametrize("more", ["", "PROPERTY MUL_ZERO_WINS 1\n"], ids=["ieee", "zero wins"])
@pytest.mark.parametrize("mask", ["xyzw", "y", "xz"])
@pytest.mark.parametrize("row", VALUES.values(), ids=VALUES)
def test_an_expansion_computes_what_its_opcode_does(row: Row, mask: str, more: str) -> None:
    program = tgsi.parse(program_of(row.opcode, mask, more))
    made = tgsi.lower(program, opcodes=row.opcode)
    names = {item.opcode.name for item in made.instructions} - {"MOV", "END"}
    assert row.opcode not in names
    assert names <= set(row.gives)
    if mask == "xyzw" and not OPCODES[row.opcode].mode.value.startswith("channel"):
        assert names == set(row.gives)
    given = inputs_of(row.opcode)
    with defined(DEFINITIONS.keys() & {row.opcode}):
        wanted = tgsi.run(program, given, engine="interp").outputs
    found = tgsi.run(made, given, engine="interp").outputs
    assert (found == wanted).all(), [given[lane] for lane in np.argwhere(found != wanted)[:3, 0]]
    if row.is_exact or row.opcode in ("DIV", "SQRT"):
        again = tgsi.run(made, given).outputs
        assert ((again == found) | (is_nan(again) & is_nan(found)) | within(again, found, NEAR)).all()


@pytest.mark.parametrize(("engine", "own", "times"), [("interp", 0.6, 1.5), ("jit", 1.3, 2.8)])
@pytest.mark.parametrize("name", ["POW", "LIT"])
def test_powers_are_off_by_no_more_units_than_docs_lowering_says(name: str, engine: str, own: float, times: float) -> None:
    """The error of the logarithm grows with the exponent of the result: own + times * |b log2 a| units in the last place."""
    chance = np.random.default_rng(5)
    base, exponent = np.exp2(chance.uniform(-8, 8, LANES)).astype(np.float32), chance.normal(0, 5, LANES).astype(np.float32)
    given = np.zeros((LANES, 2, 4), np.float32)
    given[:, 0] = np.stack([base if name == "POW" else np.ones_like(base), base, base, exponent], axis=1)
    given[:, 1] = exponent[:, None]
    found = tgsi.run(tgsi.lower(program_of(name, "z"), opcodes=name), given[:, : OPCODES[name].num_src], engine=engine).floats[:, 0, 2]
    size = exponent.astype(np.float64) * np.log2(base.astype(np.float64))
    exact = np.exp2(size)
    usual = np.abs(size) < 120
    units = np.abs(found.astype(np.float64) - exact)[usual] / np.spacing(exact[usual].astype(np.float32))
    assert (units <= own + times * np.abs(size[usual])).all()
    assert units.max() > 2  # or the bound says nothing


@pytest.mark.parametrize("name", [name for name, row in VALUES.items() if row.is_exact])
def test_an_exact_expansion_keeps_the_bits_of_compiled_code(name: str) -> None:
    text = program_of(name, "xyzw")
    given = inputs_of(name)
    found, wanted = tgsi.run(tgsi.lower(text, opcodes=name), given).outputs[:, 0], tgsi.run(text, given).outputs[:, 0]
    assert [channel for channel in range(4) if (found[:, channel] != wanted[:, channel]).any()] == []


def test_a_row_of_the_table_has_an_opcode_and_its_scratch_registers() -> None:
    for name, row in EXPANSIONS.items():
        assert name == row.opcode
        assert name in OPCODES
        assert set(row.gives) <= set(OPCODES)
        text = program_of(name, "xyzw") if name in VALUES else PROJECTED
        assert tgsi.lower(text, opcodes=name).file_size(tgsi.File.TEMP) == row.slots


def test_opcodes_that_are_written_with_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="opcodes: the expansions of FRC and FLR need each other; name only one of them"):
        tgsi.lower(program_of("FRC", "x"), opcodes="FRC+FLR+LRP")
    with pytest.raises(ValueError, match="FLR and FRC"):
        tgsi.lower(program_of("FRC", "x"), opcodes="LOG+FLR+FRC")


def test_no_opcode_is_left_that_was_named_also_in_expansions_of_others() -> None:
    text = program_of("LOG", "xyzw").replace("END", "LRP OUT[0], IN[0], IN[0], IN[0]\nDP4 OUT[0], IN[0], IN[0]\nEND")
    names = "LOG+LRP+MAD+DP4+SGT+FRC"
    made = tgsi.lower(text, opcodes=names)
    assert not {item.opcode.name for item in made.instructions} & set(names.split("+"))


def test_saturation_and_precise_stay_on_what_stands_for_an_instruction() -> None:
    made = tgsi.lower(program_of("LIT", "xyzw").replace("LIT ", "LIT_SAT_PRECISE "), opcodes="LIT")
    *others, last, _ = made.instructions
    assert last.saturate
    assert not any(item.saturate for item in others)
    assert all(item.precise for item in (*others, last))


def test_a_program_whose_temporaries_are_all_indexed_loses_these_addresses_first() -> None:
    declared = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL CONST[0..1]\nDCL TEMP[0..3]\nDCL ADDR[0]\n"
    text = f"{declared}UARL ADDR[0], CONST[0]\nLRP OUT[0], CONST[ADDR[0].x], TEMP[ADDR[0].x], IN[0]\nEND\n"
    made = tgsi.lower(text, opcodes="LRP")
    assert "LRP" not in str(made)
    assert "TEMP[ADDR" not in str(made)
    assert "CONST[ADDR" in str(made)
    assert str(tgsi.optimize(text, "expand-opcodes{only=LRP}")) == str(tgsi.parse(text))


def test_projected_coordinates_are_divided_before_the_texture_is_read() -> None:
    made = tgsi.lower(PROJECTED, opcodes="TXP")
    assert [str(item) for item in str(made).splitlines()[-3:]] == [
        "  0: DIV TEMP[0].xyz, IN[0], IN[0].wwww",
        "  1: TEX_SAT OUT[0], TEMP[0], SAMP[0], SHADOW2D, IMM[0].xyz",
        "  2: END",
    ]
