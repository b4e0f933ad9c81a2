"""Generated programs: every opcode that computes, over words of all sorts, with branches and loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import tgsi
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import OTHER_LANES, Trait
from tgsi.tools.verify.chance import Chance

INVOCATIONS, OUTPUTS = 16, 4
_EACH = 6
_WORDS = (
    0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x3F7FFFFF, 0x3F800001, 0x40490FDB, 0x4B7FFFFF,
    0xCF000000, 0x4EFFFFFF, 0x5F000000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FFFFFFF, 0xFFFFFFFF, 0x0000001F,
    0x00000020, 0x3EAAAAAB, 0x2F800000, 0x42FE0000, 0xC3160000, 0x3FC00000, 0x00010000, 0x55555555,
)  # fmt: skip
"""Words that are special as floats or as whole numbers."""
_LEFT_OUT = OTHER_LANES | {Trait.VOLATILE, Trait.HELPER, Trait.INTERPOLATE, Trait.FRAMEBUFFER, Trait.KILL, Trait.GAP}
_DECK = tuple(
    name
    for name, info in OPCODES.items()
    if info.is_computed and info.num_dst == 1 and not info.traits & _LEFT_OUT and "ADDR" not in info.formula
)
"""Opcodes that compute from their operands alone."""


def text_of(seed: int) -> str:
    """The text of a program: four inputs, four outputs, and a share of the opcodes."""
    chance = Chance(seed)
    stage = "FRAG" if seed % 3 == 2 else "VERT"
    lines = [stage]
    for number in range(4):
        lines.append(f"DCL IN[{number}]" + (f", GENERIC[{number}], CONSTANT" if stage == "FRAG" else ""))
    kinds = ["COLOR", "COLOR[1]", "COLOR[2]", "COLOR[3]"] if stage == "FRAG" else ["POSITION", "GENERIC[0]", "GENERIC[1]", "GENERIC[2]"]
    lines += [f"DCL OUT[{number}], {kind}" for number, kind in enumerate(kinds)]
    lines += ["DCL CONST[0][0..1]", "DCL TEMP[0..7]"]
    lines += [f"IMM[0] UINT32 {{{', '.join(str(chance.among(_WORDS)) for _ in range(4))}}}", "IMM[1] UINT32 {0, 1, 3, 5}"]
    lines += [f"MOV TEMP[{number}], IN[{number % 4}]" for number in range(8)]
    start = seed * _EACH
    share = [_DECK[(start + k) % len(_DECK)] for k in range(_EACH)]
    body = [_instruction(chance, name) for name in chance.shuffled([*share, *share[:2]])]
    if chance.is_one_in(3):
        at = chance.below(len(body) - 2)
        body[at : at + 2] = [f"UIF TEMP[{chance.below(8)}].{chance.among('xyzw') * 4}", body[at], "ELSE", body[at + 1], "ENDIF"]
    elif chance.is_one_in(3):
        ends = ["USGE TEMP[7].y, TEMP[7].xxxx, IMM[1].zzzz", "UIF TEMP[7].yyyy", "BRK", "ENDIF"]
        inside = [line for line in body if "TEMP[7]" not in line.split(",")[0]]
        body = ["MOV TEMP[7].x, IMM[1].xxxx", "BGNLOOP", *ends, *inside, "UADD TEMP[7].x, TEMP[7].xxxx, IMM[1].yyyy", "ENDLOOP"]
    lines += body
    for number in range(OUTPUTS):
        lines.append(f"XOR OUT[{number}], TEMP[{number}], TEMP[{number + 4}]" if number else f"MOV OUT[0], TEMP[{chance.below(8)}]")
    return "\n".join([*lines, "END"])


def _instruction(chance: Chance, name: str) -> str:
    info = OPCODES[name]
    mask = "" if info.uses_64bit or chance.is_one_in(2) else "." + chance.among(("x", "xy", "yz", "w", "xzw", "xyz"))
    operands = [f"TEMP[{chance.below(8)}]{mask}"]
    for kind in info.modifier_types:
        register = chance.among([*(f"TEMP[{k}]" for k in range(8)), "IN[0]", "CONST[0][0]", "CONST[0][1]", "IMM[0]"])
        swizzle = "" if info.uses_64bit or chance.is_one_in(2) else "." + "".join(chance.among("xyzw") for _ in range(4))
        sign = chance.among(("", "", "-")) if kind in ("float", "int", "double") else ""
        operands.append(f"{sign}{register}{swizzle}")
    return f"{name} {', '.join(operands)}"


def words(seed: int, count: int) -> NDArray[np.uint32]:
    """Words of all sorts: special ones, floats of usual size, and any bits."""
    chance = Chance(seed + 0x5EED)
    numbers = []
    for _ in range(count):
        kind = chance.below(4)
        plain = np.float32(chance.between(-8.0, 8.0)).view(np.uint32)
        numbers.append(chance.among(_WORDS) if kind == 0 else chance.word() if kind == 1 else int(plain))
    return np.array(numbers, np.uint32)


def run_program(seed: int, lanes: int | None, cpu: str | None) -> NDArray[np.uint32]:
    """(invocations, outputs, 4) words that the program of a seed gives."""
    inputs = words(seed, INVOCATIONS * 16).reshape(INVOCATIONS, 4, 4)
    constants = {0: words(seed + 1, 8).reshape(2, 4)}
    result = tgsi.run(text_of(seed), inputs, constants=constants, lanes=16 if lanes is None else lanes, cpu="host" if cpu is None else cpu)
    return np.ascontiguousarray(result.outputs[:, :OUTPUTS])
