"""SPIR-V modules with mistakes: words and instructions of good modules changed, moved, cut, doubled and taken from others."""

from __future__ import annotations

import random
import struct
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

import tgsi
from frontends.spirv.module.grammar import ROWS
from passes.lint import lint
from tests.fuzz import targets
from tests.property.programs import generate
from tests.unit.spirv.modules import modules
from tgsi.language.program import Program

EACH = 100
"""Modules of a seed."""
PATIENCE_S = 10.0
"""Processor time of one module."""
FOUND_BY_CHECK = ("S", "V06", "V020", "V051")
"""Prefixes of error codes of programs that were read correctly but exceed a limit or the numbers of a stage."""

_HEADER = 5
_EDGES = (0, 1, 2, 3, 4, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFF, 0x10000, 0x00010000, 0xFFFF0000)
_STAGES = ("VERT", "FRAG", "GEOM", "TESS_CTRL", "COMP")


def _words(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}I", data)


@cache
def _own() -> Sequence[tuple[int, ...]]:
    return [_words(data) for _, data in sorted(modules().items())]


def _written(chance: random.Random) -> tuple[int, ...]:
    """The module of a generated program, or of a test where SPIR-V has no words for the program."""
    try:
        generated = generate(chance.randrange(1 << 30), (chance.choice(_STAGES),), each=1)
        return _words(tgsi.write_spirv(tgsi.parse(generated.text)))
    except tgsi.UnsupportedError:
        return chance.choice(_own())


def _starts(words: Sequence[int]) -> list[int]:
    """The places where instructions start, as far as lengths make sense."""
    found, at = [], _HEADER
    while at < len(words):
        found.append(at)
        at += max(words[at] >> 16, 1)
    return found or [len(words)]


def _change_word(words: list[int], chance: random.Random) -> None:
    place = chance.randrange(_HEADER, len(words)) if chance.random() < 0.98 else chance.randrange(_HEADER)
    match chance.choice((0, 1, 2, 3, 3, 3, 4, 5, 6) if chance.random() < 0.3 else (1, 2, 3, 3, 3)):
        case 0:
            words[place] ^= 1 << chance.randrange(32)
        case 1:
            words[place] = chance.choice(_EDGES)
        case 2:
            words[place] = chance.choice(words)
        case 3:
            words[place] = chance.randrange(min(words[3], 1 << 20) + 1)
        case 4:
            del words[place : place + chance.randrange(1, 6)]
        case 5:
            words[place:place] = words[place : place + chance.randrange(1, 8)]
        case _:
            other = chance.randrange(_HEADER, len(words))
            words[place], words[other] = words[other], words[place]


def _change_instruction(words: list[int], chance: random.Random) -> None:
    starts = _starts(words)
    at = chance.choice(starts)
    count = max(words[at] >> 16, 1) if at < len(words) else 0
    piece = words[at : at + count]
    match chance.randrange(6):
        case 0:
            del words[at : at + count]
        case 1:
            words[at:at] = piece * chance.choice((1, 1, 2, 50))
        case 2:
            del words[at : at + count]
            other = min(chance.choice(starts), len(words))
            words[other:other] = piece
        case 3:
            other_words = chance.choice(_own())
            begin = chance.choice(_starts(other_words))
            words[at:at] = other_words[begin : begin + max(other_words[begin] >> 16, 1)]
        case 4 if count:
            words[at] = words[at] & 0xFFFF0000 | chance.choice(tuple(ROWS))
        case _:
            words[at:at] = [
                (1 + (more := chance.randrange(8))) << 16 | chance.choice(tuple(ROWS)),
                *(chance.choice(words) for _ in range(more)),
            ]


def mutant(base: Sequence[int], chance: random.Random) -> list[int]:
    """A module with one to eight changes."""
    words = list(base)
    for _ in range(chance.choice((1, 1, 1, 1, 2, 4, 8))):
        if len(words) > _HEADER:
            (_change_word if chance.random() < 0.6 else _change_instruction)(words, chance)
    if chance.random() < 0.02:
        del words[chance.randrange(len(words) + 1) :]
    return words


def cases(seed: int) -> Iterator[list[int]]:
    """The modules of a seed."""
    chance = random.Random(f"modules {seed}")
    base: Sequence[int] = ()
    for number in range(EACH):
        if number % 5 == 0:
            base = _written(chance) if chance.random() < 0.3 else chance.choice(_own())
        yield mutant(base, chance)


def outcome(words: Sequence[int], *, thorough: bool = False) -> str:
    """The code with which a module is refused, or nothing where it is a program; `thorough` optimises and lints that, too."""
    try:
        program = tgsi.read_spirv(words)
    except tgsi.DiagnosticError as error:
        code, message = error.diagnostics[0].code, str(error)
    else:
        return _judged(program, thorough)
    assert code.startswith("M"), f"the reader refuses with {code}"
    assert message
    return code


def _judged(program: Program, thorough: bool) -> str:
    for item in tgsi.check(program):
        if item.severity is tgsi.Severity.ERROR:
            assert item.code.startswith(FOUND_BY_CHECK), item.render()
            return item.code
    if thorough:
        targets.judge(program, "spirv")
        for item in lint(program):
            item.render()
        tgsi.optimize(program)
    return ""


def attempt(seed: int) -> Counter[str]:
    """Read each module, and check the program; every twentieth also goes through all checks of programs."""
    counts: Counter[str] = Counter()
    for number, words in enumerate(cases(seed)):
        begin = time.process_time()
        try:
            code = outcome(words, thorough=number % 20 == 0)
            assert time.process_time() - begin < PATIENCE_S, f"{time.process_time() - begin:.1f} s"
        except Exception as error:
            raise AssertionError(f"module {number}: {' '.join(f'{word:x}' for word in words)}") from error
        counts["read" if not code else "beyond a limit" if code.startswith(FOUND_BY_CHECK) else "refused"] += 1
    return counts


def given(seed: int) -> str:
    """The modules, in hexadecimal numbers."""
    return "\n".join(f"{number}: {' '.join(f'{word:x}' for word in words)}" for number, words in enumerate(cases(seed)))
