"""Mutated modules end in an error with a code or in a program, never in another exception, and in bounded time."""

from __future__ import annotations

import random
import struct
from collections import Counter

import pytest

import tgsi
from tests.unit.spirv.modules import modules

NUMBERS = (0, 1, 2, 3, 4, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFF, 0x10000)
FOUND_BY_CHECK = ("S", "V06", "V020", "V051")
"""Beginnings of the codes of programs that say what the module says, and are beyond a limit or the numbers of a stage."""


def mutant(random_: random.Random) -> list[int]:
    """A module with one to eight changes: bits, numbers, ids, and words that move, vanish or come twice."""
    data = random_.choice(sorted(modules().items()))[1]
    words = list(struct.unpack(f"<{len(data) // 4}I", data))
    for _ in range(random_.choice((1, 1, 1, 2, 3, 8))):
        place = random_.randrange(5, len(words))
        match random_.choice((0, 1, 2, 3, 3, 3, 4, 5, 6) if random_.random() < 0.3 else (1, 2, 3, 3, 3)):
            case 0:
                words[place] ^= 1 << random_.randrange(32)
            case 1:
                words[place] = random_.choice(NUMBERS)
            case 2:
                words[place] = words[random_.randrange(len(words))]
            case 3:
                words[place] = random_.randrange(words[3] + 1)
            case 4:
                del words[place : place + random_.randrange(1, 6)]
            case 5:
                words[place:place] = words[place : place + random_.randrange(1, 8)]
            case _:
                other = random_.randrange(5, len(words))
                words[place], words[other] = words[other], words[place]
    return words


def read_all(seeds: range) -> Counter[str]:
    """Outcomes of mutants: codes, or nothing for those that are programs. Any other exception passes."""
    outcomes: Counter[str] = Counter()
    for seed in seeds:
        words = mutant(random.Random(seed))
        try:
            found = tgsi.check(tgsi.read_spirv(words))
            outcomes[next((item.code for item in found if item.severity is tgsi.Severity.ERROR), "")] += 1
        except tgsi.DiagnosticError as error:
            outcomes[error.diagnostics[0].code] += 1
    return outcomes


def test_mutants_are_refused_with_a_code_or_read() -> None:
    outcomes = read_all(range(1200))
    assert outcomes[""] > 50
    assert [code for code in outcomes if code and not code.startswith(("M", *FOUND_BY_CHECK))] == []


@pytest.mark.nightly
def test_many_mutants_are_refused_with_a_code_or_read() -> None:
    outcomes = read_all(range(10_000, 60_000))
    assert outcomes[""] > 2000
    assert [code for code in outcomes if code and not code.startswith(("M", *FOUND_BY_CHECK))] == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "M001.*0 bytes"),
        (b"#version 450\nvoid main() {}", "M001"),
        (struct.pack("<5I", 0x07230203, 0x00020000, 0, 9, 0), "M001.*version 2.0"),
        (struct.pack("<6I", 0x07230203, 0x00010000, 0, 9, 0, 0x00050011), "M002.*word 5, OpCapability.*5 words, and 1 are left"),
        (struct.pack("<6I", 0x07230203, 0x00010000, 0, 9, 0, 0x00010009), "M003"),
        (struct.pack("<6I", 0x07230203, 0x00010000, 0, 9, 0, 0x0001FFFF), "M021.*65535 of an extension"),
        (struct.pack("<7I", 0x07230203, 0x00010000, 0, 9, 0, 0x00020011, 6), "M020.*Kernel"),
        (struct.pack("<5I", 0x07230203, 0x00010000, 0, 9, 0), "M007"),
    ],
)
def test_what_is_no_shader_is_told(data: bytes, message: str) -> None:
    with pytest.raises(tgsi.DiagnosticError, match=message):
        tgsi.read_spirv(data)


@pytest.mark.parametrize("data", ["text", 3.5, None, [1.5]])
def test_what_is_no_module_is_a_type_error(data: object) -> None:
    with pytest.raises(TypeError):
        tgsi.read_spirv(data)  # type: ignore[arg-type]
