"""Token streams with mistakes: words of good programs flipped, exchanged, cut and doubled, and words at random."""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from tests.fuzz import targets
from tests.golden.accept import rows
from tgsi.language.diagnostics import ParseError
from tgsi.language.tokens.decoder import decode

EACH = 100
"""Streams of a seed."""

EDGES = (0, 1, 2, 3, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


@cache
def _streams() -> Sequence[tuple[int, ...]]:
    return [tuple(int(word, 16) for word in row["tokens"]) for row in rows() if row["tokens"]]


def _mutated(words: list[int], chance: random.Random) -> list[int]:
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        at = chance.randrange(len(words)) if words else 0
        match chance.randrange(8) if words else 5:
            case 0 | 1 | 2:
                words[at] ^= 1 << chance.randrange(32)
            case 3:
                words[at] = chance.choice(EDGES)
            case 4:
                words[at] = chance.getrandbits(32)
            case 5:
                words[at:at] = chance.choice(_streams())[: chance.choice((1, 4, 20))]
            case 6:
                del words[at : at + chance.choice((1, 2, 9))]
            case _:
                words[at] = chance.choice(words)
    return words


def cases(seed: int) -> Iterator[list[int]]:
    """The streams of a seed."""
    chance = random.Random(f"tokens {seed}")
    for number in range(EACH):
        if number % 20 == 19:
            yield list(chance.choice(_streams())[:2]) + [chance.getrandbits(32) for _ in range(chance.randrange(80))]
        else:
            yield _mutated(list(chance.choice(_streams())), chance)


def attempt(seed: int) -> Counter[str]:
    """Decode each stream, and apply what every program must survive."""
    counts: Counter[str] = Counter()
    for number, words in enumerate(cases(seed)):
        try:
            decode(words)
            counts["decoded"] += 1
        except ParseError:
            counts["refused"] += 1
        try:
            targets.tokens(struct.pack(f"<{len(words)}I", *words))
        except Exception as error:
            raise AssertionError(f"stream {number}: {' '.join(f'{word:x}' for word in words)}") from error
    return counts


def given(seed: int) -> str:
    """The streams, in hexadecimal numbers."""
    return "\n".join(f"{number}: {' '.join(f'{word:x}' for word in words)}" for number, words in enumerate(cases(seed)))
