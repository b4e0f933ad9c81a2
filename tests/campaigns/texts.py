"""Texts with mistakes: programs that a grammar makes, programs of measurements and of our own tests, mutated; to every reader of text."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import tgsi
from passes.lint import lint
from tests.fuzz import targets
from tests.fuzz.mutants import EXTRA, NUMBERS, mutated_text
from tests.golden.accept import rows
from tests.property.programs import generate
from tgsi.language.diagnostics import ParseError, Severity, TgsiError
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.text.parser import DIALECTS

EACH = 100
"""Texts of a seed."""

_ODD = ("", "\0", "\ufeff", "\ud800", "\u2028", "\r", "\t", "\v", "é", "𝔽", "\x1b[0m", "#", "//", "/*", '"', "'", "\\", ";", "=", "<", "::")
_PIECES = (
    *"[](){}.,:|-+*x0",
    "..",
    "IMM[0] FLT32 {",
    "DCL ",
    "0x",
    "1e99999",
    "-nan",
    "inf",
    "9" * 400,
    "ADDR[0].x",
    "[ADDR[0].x+",
    "_SAT",
    "PRECISE",
)
_HEADS = ("FRAG", "VERT", "GEOM", "COMP", "TESS_CTRL", "TESS_EVAL", "TASK", "MESH", "FRAG1.1", "VERT1.1", "frag", "HELLO")


@cache
def _own_texts() -> Sequence[str]:
    folder = Path(__file__).resolve().parents[1] / "filetests"
    return [row["text"] for row in rows()] + [path.read_text("utf-8") for path in sorted(folder.rglob("*.tgsi"))]


def _base(chance: random.Random) -> str:
    if chance.random() < 0.15:
        return generate(chance.randrange(1 << 30)).text
    return chance.choice(_own_texts())


def _spliced(text: str, other: str, chance: random.Random) -> str:
    at, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
    end = min(end, at + chance.choice((0, 0, 1, 5, 40)))
    begin = chance.randrange(len(other) + 1)
    return text[:at] + other[begin : begin + chance.choice((1, 3, 10, 80))] + text[end:]


def _put(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    word = chance.choice((chance.choice(_ODD), chance.choice(_PIECES), chance.choice(EXTRA), str(chance.choice(NUMBERS)), _opcode(chance)))
    return text[:at] + word * chance.choice((1, 1, 1, 2, 30)) + text[at + chance.choice((0, 0, 1, 2)) :]


def _opcode(chance: random.Random) -> str:
    return chance.choice(tuple(OPCODES))


def mutate(text: str, chance: random.Random) -> str:
    """Text with a few mistakes of all kinds."""
    for _ in range(chance.choice((0, 1, 1, 2, 3, 8))):
        match chance.randrange(9):
            case 0 | 1:
                text = mutated_text(text, chance)
            case 2 | 3 | 4:
                text = _put(text, chance)
            case 5:
                text = _spliced(text, chance.choice(_own_texts()), chance)
            case 6:
                text = text[: chance.randrange(len(text) + 1)]
            case 7:
                text = text.replace(chance.choice(("\n", " ", "DCL", "[", ",", "END")), chance.choice(("\n\n", "", " ", "\r\n", "]", "\n")))
            case _:
                _, newline, rest = text.partition("\n")
                text = chance.choice(_HEADS) + newline + rest
    return text


def _invented(chance: random.Random) -> str:
    """Text of words of the language in any order."""
    words = (*EXTRA, *_PIECES, *_HEADS, *_ODD)
    return chance.choice(_HEADS) + "\n" + chance.choice((" ", "\n")).join(chance.choice(words) for _ in range(chance.randrange(60)))


def cases(seed: int) -> Iterator[str]:
    """The texts of a seed."""
    chance = random.Random(f"texts {seed}")
    base = ""
    for number in range(EACH):
        if number % 5 == 0:
            base = _base(chance)[:20_000]
        yield _invented(chance) if number % 10 == 9 else mutate(base, chance)


def _read(text: str, dialect: str, number: int) -> str:
    """Every operation on a text that reads it. Returns what became of it."""
    try:
        program = tgsi.parse(text, dialect=dialect)
    except ParseError as error:
        return "refused" if str(error) else "refused without words"
    targets.judge(program, dialect)
    if any(item.severity is Severity.ERROR for item in tgsi.check(program)):
        return "read, not valid"
    for item in lint(program):
        item.render()
    if number % 20 == 0:
        try:
            tgsi.optimize(program)
        except TgsiError as error:
            return "read, valid" if str(error) else "refused without words"
    return "read, valid"


def attempt(seed: int) -> Counter[str]:
    """Read each text in one dialect, and every tenth as a log."""
    counts: Counter[str] = Counter()
    for number, text in enumerate(cases(seed)):
        dialect = DIALECTS[(seed + number) % len(DIALECTS)]
        try:
            counts[outcome := _read(text, dialect, number)] += 1
            assert "without words" not in outcome
            if number % 10 == 3:
                tgsi.programs_in(f"noise\n{text}\n{text[::-1]}", dialect=dialect)
        except Exception as error:
            raise AssertionError(f"text {number} in the dialect {dialect}: {text!r}") from error
    return counts


def given(seed: int) -> str:
    """The texts, each as Python writes it."""
    return "\n".join(f"{number}: {text!r}" for number, text in enumerate(cases(seed)))
