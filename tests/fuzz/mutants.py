"""Valid programs, made from good ones by mistakes in their text or tokens."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Sequence

import tgsi
from tests.conftest import SHARED
from tests.golden.vectors import cases
from tests.property.programs import generate
from tgsi.language.diagnostics import DiagnosticError
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.program import Program
from tgsi.language.tokens.decoder import decode
from tgsi.language.tokens.encoder import encode

TRIES = 40
NUMBERS = (0, 1, 2, 3, 7, 15, 31, 32, 100, 255, 4095, 65535, 2**31, 2**32 - 1)
EXTRA = (
    "DCL SAMP[0]",
    "DCL SVIEW[0], 2D, FLOAT",
    "DCL BUFFER[0]",
    "DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR",
    "DCL MEMORY[0], SHARED",
    "DCL TEMP[0..70000]",
    "DCL ADDR[0]",
    "TEX TEMP[0], IN[0], SAMP[0], 2D",
    "TXF TEMP[0], IN[0], SAMP[1], 2D_ARRAY",
    "TG4 TEMP[0], IN[0], IMM[0].xxxx, SAMP[0], 2D",
    "LODQ TEMP[0], IN[0], SAMP[0], 2D",
    "SAMPLE_L TEMP[0], IN[0], SVIEW[0], SAMP[0], IN[0].xxxx",
    "LOAD TEMP[0], BUFFER[0], IN[0].xxxx",
    "STORE BUFFER[1].xy, TEMP[0].xxxx, TEMP[0]",
    "ATOMUADD TEMP[0], BUFFER[0], TEMP[0].xxxx, TEMP[0].yyyy",
    "STORE IMAGE[0], TEMP[0], TEMP[1], 2D, PIPE_FORMAT_R32_UINT",
    "LOAD TEMP[1], IMAGE[0], TEMP[0], 2D, PIPE_FORMAT_R32_UINT",
    "ATOMXCHG TEMP[1], IMAGE[1], TEMP[0], TEMP[1], 2D, PIPE_FORMAT_R32_UINT",
    "ATOMUADD TEMP[0], HWATOMIC[0], TEMP[0].xxxx, TEMP[0].yyyy",
    "LOAD TEMP[0], MEMORY[0], TEMP[0].xxxx",
    "STORE MEMORY[0].x, TEMP[0].yyyy, TEMP[0]",
    "LOAD TEMP[0], CONSTBUF[1], TEMP[0]",
    "UARL ADDR[0], IN[0]",
    "UARL ADDR[0], TEMP[0]",
    "MOV TEMP[ADDR[0].x], CONST[ADDR[0].x-7]",
    "MOV OUT[ADDR[0].x+7], IN[ADDR[0].y-3]",
    "MOV OUT[ADDR[0].x][ADDR[0].y], IN[ADDR[0].z][ADDR[0].w]",
    "MOV TEMP[0], CONST[ADDR[0].y][ADDR[0].x]",
    "MOV TEMP[30000], CONST[31][30000]",
    "DMAD TEMP[3], IN[0], IN[1], IN[2]",
    "U64DIV TEMP[2], IN[0], TEMP[2]",
    "EMIT IMM[0].xxxx",
    "ENDPRIM IMM[0].xxxx",
    "EMIT_MESH_TASKS TEMP[0]",
    "SET_MESH_OUTPUTS TEMP[0]",
    "DCL MEMORY[1], PAYLOAD",
    "ATOMUADD TEMP[0], MEMORY[1], TEMP[0].xxxx, TEMP[0].yyyy",
    "MOV OUT[ADDR[0].x][6].xyz, TEMP[0]",
    "MOV OUT[ADDR[0].x+300][7], TEMP[0]",
    "BARRIER",
    "UIF TEMP[0].xxxx",
    "ELSE",
    "ENDIF",
    "BGNLOOP",
    "ENDLOOP",
    "BRK",
    "CONT",
    "SWITCH TEMP[0].xxxx",
    "CASE TEMP[0].yyyy",
    "DEFAULT",
    "ENDSWITCH",
    "CAL :0",
    "CAL :9",
    "BGNSUB",
    "ENDSUB",
    "RET",
    "KILL",
    "END",
)
_INSTRUCTION = re.compile(r"(\s*\d+:\s*)?([A-Z0-9_]+)(.*)")
_REGISTER = re.compile(r"(IN|TEMP|CONST|IMM|OUT)\[(\d+)\]")


@functools.cache
def _alike(destinations: int, sources: int) -> tuple[str, ...]:
    return tuple(name for name, info in OPCODES.items() if (info.num_dst, info.num_src) == (destinations, sources))


def _renamed(line: str, chance: random.Random) -> str:
    """Replace the line's opcode by another one with the same number of operands."""
    found = _INSTRUCTION.match(line)
    if found is None or found[2] not in OPCODES:
        return line
    info = OPCODES[found[2]]
    return f"{found[1] or ''}{chance.choice(_alike(info.num_dst, info.num_src))}{found[3]}"


def _renumbered(line: str, chance: random.Random) -> str:
    numbers = list(re.finditer(r"\d+", line))
    if not numbers:
        return line
    chosen = chance.choice(numbers)
    return f"{line[: chosen.start()]}{chance.choice(NUMBERS)}{line[chosen.end() :]}"


def _indirect(line: str, chance: random.Random) -> str:
    """Address one register of the line through an address register."""
    registers = list(_REGISTER.finditer(line))
    if not registers or line.startswith(("DCL", "IMM")):
        return line
    chosen = chance.choice(registers)
    return f"{line[: chosen.start()]}{chosen[1]}[ADDR[0].{chance.choice('xyzw')}+{chosen[2]}]{line[chosen.end() :]}"


def mutated_text(text: str, chance: random.Random) -> str:
    """Text with one to four mistakes."""
    lines = text.split("\n")
    for _ in range(chance.randint(1, 4)):
        place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        kind = chance.randrange(9)
        if kind == 0:
            lines.insert(place, lines[other])
        elif kind == 1 and len(lines) > 3:
            del lines[place]
        elif kind == 2:
            lines[place], lines[other] = lines[other], lines[place]
        elif kind < 5:
            lines.insert(place, chance.choice(EXTRA))
        elif kind == 5:
            lines[place] = _renumbered(lines[place], chance)
        elif kind == 6:
            lines[place] = _indirect(lines[place], chance)
        else:
            lines[place] = _renamed(lines[place], chance)
    return "\n".join(lines)


def _of_tokens(program: Program, chance: random.Random) -> Program:
    words = list(encode(program))
    for _ in range(chance.randint(1, 3)):
        words[chance.randrange(2, len(words))] ^= 1 << chance.randrange(32)
    return decode(words)


@functools.cache
def good_texts() -> Sequence[str]:
    """Programs of the measured vectors, and the corpus if it is present."""
    texts = [str(case.data["text"]) for name in ("opcodes", "flow", "random") for case in cases(name)]
    return texts[::4] + [path.read_text() for path in sorted((SHARED / "corpus").glob("*.tgsi"))]


def mutant(number: int, stages: Sequence[str] = ()) -> Program | None:
    """Valid program that is a good one with mistakes, or None if no attempt is valid. stages: of generated programs only (none: any)."""
    chance = random.Random(f"mutant {number}")
    for _ in range(TRIES):
        if stages:
            text = generate(chance.randrange(100_000), stages).text
        else:
            text = generate(chance.randrange(100_000)).text if chance.randrange(2) else chance.choice(good_texts())
        try:
            if chance.randrange(3):
                program = tgsi.parse(mutated_text(text, chance))
            else:
                program = _of_tokens(tgsi.parse(text), chance)
            tgsi.validate(program)
        except DiagnosticError:
            continue
        return program
    return None
