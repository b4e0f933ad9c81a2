"""Passes keep results of 64-bit opcodes in subroutines, for every write mask, where only the subroutine reads the operands."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest

from backends.interp.run import run
from passes.analysis import cells, reading
from passes.pipeline import Pipeline
from passes.registry import DEFAULT
from tgsi.language import channels
from tgsi.language.facts.opcodes import OPCODES, Mode
from tgsi.language.facts.traits import Reads
from tgsi.language.ir import Instruction
from tgsi.language.text.parser import parse

OPCODES_64 = sorted(name for name, info in OPCODES.items() if info.uses_64bit and info.mode is not Mode.NONE and info.num_dst == 1)
ORDERS = ("xyzw", "zwxy", "xyxy", "zwzw")


def text_of(name: str, mask: int) -> str:
    """Program whose subroutine converts or computes; each word of each operand is written by an instruction of its own."""
    chance = random.Random(zlib.crc32(f"{name} {mask}".encode()))
    count = OPCODES[name].num_src
    words = [f"MOV TEMP[{k}].{c}, IN[{k}].{c * 4}" for k in range(count) for c in "xyzw"]
    written = "".join(c for bit, c in enumerate("xyzw") if mask >> bit & 1)
    sources = ", ".join(f"TEMP[{k}].{chance.choice(ORDERS)}" for k in range(count))
    main = [*words, "MOV TEMP[4], IMM[0]", f"CAL :{len(words) + 4}", "MOV OUT[0], TEMP[4]", "END"]
    declared = ["VERT", "DCL IN[0..2]", "DCL OUT[0], GENERIC[0]", "DCL TEMP[0..4]", "IMM[0] UINT32 {1, 2, 3, 4}"]
    return "\n".join([*declared, *main, "BGNSUB", f"{name} TEMP[4].{written}, {sources}", "ENDSUB", ""])


def changed(name: str) -> list[int]:
    """Write masks for which the default pipeline changes the result of an opcode in a subroutine."""
    rng, found = np.random.default_rng(7), []
    doubles = rng.normal(0, 100, (8, 3, 2)).view(np.uint32)
    given = np.concatenate([doubles, rng.integers(0, 1 << 32, (8, 3, 4), np.uint32)])
    for mask in range(1, 16):
        program = parse(text_of(name, mask))
        made = Pipeline.parse(DEFAULT).run(program)
        if not np.array_equal(run(program, given).outputs, run(made, given).outputs):
            found.append(mask)
    return found


@pytest.mark.parametrize("name", OPCODES_64)
def test_the_default_passes_keep_a_64_bit_opcode_in_a_subroutine(name: str) -> None:
    assert changed(name) == []


def test_a_wrong_rule_of_operands_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An earlier rule said that the second channel of a pair reads zw, also where it is the first that is written."""

    def wrong(instruction: Instruction) -> int:
        mask = channels.written(instruction)
        return (3 if mask & 1 else 0) | (12 if mask & 14 else 0)

    for module in (cells, reading):
        monkeypatch.setattr(module, "MASKS", cells._Masks())  # answers by the right rule
    monkeypatch.setattr(reading, "_KINDS", reading._Kinds())
    monkeypatch.setattr(channels, "_RULES", {**channels._RULES, Reads.PACKED: wrong})
    assert changed("D2F")
    assert changed("I642F")
