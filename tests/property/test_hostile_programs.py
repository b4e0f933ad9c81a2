"""Whatever the text: it is refused by parser or validation, or it runs, or an engine names what it does not support."""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from backends.interp.run import run as interpret
from backends.llvm.run import run as execute
from passes.validate import validate
from tests.golden.vectors import cases
from tgsi.diagnostics import DiagnosticError, UnsupportedError
from tgsi.enums import File
from tgsi.ir import Program
from tgsi.opcodes import OPCODES
from tgsi.parser import parse

MUTANTS = int(os.environ.get("TGSI_PROPERTY_EXAMPLES", "100")) * 3
NUMBERS = (0, 1, 2, 3, 7, 15, 31, 32, 100, 255, 4095, 65535, 2**31, 2**32 - 1)
EXTRA = (
    "DCL SAMP[0]",
    "DCL SVIEW[0], 2D, FLOAT",
    "DCL BUFFER[0]",
    "DCL TEMP[0..70000]",
    "TEX TEMP[0], IN[0], SAMP[0], 2D",
    "LOAD TEMP[0], BUFFER[0], IN[0].xxxx",
    "UARL ADDR[0].x, IN[0].xxxx",
    "MOV TEMP[ADDR[0].x], CONST[ADDR[0].x-7]",
    "BGNLOOP",
    "ENDLOOP",
    "CAL :0",
    "RET",
    "KILL",
    "END",
)
INSTRUCTION = re.compile(r"(\s*\d+:\s*)?([A-Z0-9_]+)(.*)")


def _renamed(line: str, chance: random.Random) -> str:
    """The line with another opcode of as many operands."""
    found = INSTRUCTION.match(line)
    if found is None or found[2] not in OPCODES:
        return line
    info = OPCODES[found[2]]
    alike = [name for name, other in OPCODES.items() if (other.num_dst, other.num_src) == (info.num_dst, info.num_src)]
    return f"{found[1] or ''}{chance.choice(alike)}{found[3]}"


def _renumbered(line: str, chance: random.Random) -> str:
    numbers = list(re.finditer(r"\d+", line))
    if not numbers:
        return line
    chosen = chance.choice(numbers)
    return f"{line[: chosen.start()]}{chance.choice(NUMBERS)}{line[chosen.end() :]}"


def _mutant(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(chance.randint(1, 4)):
        place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        kind = chance.randrange(7)
        if kind == 0:
            lines.insert(place, lines[other])
        elif kind == 1 and len(lines) > 3:
            del lines[place]
        elif kind == 2:
            lines[place], lines[other] = lines[other], lines[place]
        elif kind == 3:
            lines.insert(place, chance.choice(EXTRA))
        elif kind == 4:
            lines[place] = _renumbered(lines[place], chance)
        else:
            lines[place] = _renamed(lines[place], chance)
    return "\n".join(lines)


def _verdict(text: str, run: Callable[[Program], Any]) -> str:
    try:
        program = parse(text)
        validate(program)
    except DiagnosticError:
        return "refused"
    try:
        run(program)
    except UnsupportedError:
        return "unsupported"
    return "ran"


@pytest.mark.parametrize("engine", ["interp", "jit"])
def test_mutants_never_crash_an_engine(engine: str) -> None:
    chance = random.Random(engine)
    texts = [str(case.data["text"]) for name in ("opcodes", "flow", "random") for case in cases(name)]

    def run(program: Program) -> None:
        registers = program.file_size(File.IN)
        words: Any = np.random.default_rng(7).integers(0, 2**32, (8, registers, 4), np.uint32)
        constants = {0: np.arange(32, dtype=np.uint32).reshape(8, 4)}
        if engine == "interp":
            interpret(program, words, constants=constants, fuel=50)
        else:
            execute(program, words, constants=constants, lanes=8)

    seen = Counter(_verdict(_mutant(chance.choice(texts), chance), run) for _ in range(MUTANTS))
    assert seen["ran"] > MUTANTS // 10
