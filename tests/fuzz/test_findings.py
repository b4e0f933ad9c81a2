"""The fuzz targets survive earlier findings of fuzzers, and mutated good programs."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz import targets
from tests.golden.accept import rows

FOUND: dict[str, list[str]] = json.loads(Path(__file__).with_name("findings.json").read_text())
TARGETS: dict[str, Callable[[bytes], None]] = {"text": targets.text, "tokens": targets.tokens}


def test_findings_stay_fixed() -> None:
    for name, all_found in FOUND.items():
        for found in all_found:
            TARGETS[name](bytes.fromhex(found))


@pytest.mark.parametrize("seed", range(3))
def test_mutated_texts_give_a_result_or_diagnostics(seed: int) -> None:
    dice = random.Random(seed)
    texts = [row["text"].encode() for row in rows()]
    for _ in range(150):
        data = bytearray(dice.choice(texts))
        for _ in range(dice.randint(1, 4)):
            place = dice.randrange(len(data) + 1)
            data[place : place + dice.randint(0, 3)] = dice.choice(
                [b"", b"[", b"]", b".", b",", b"|", b"-", b"9999999999", b"\0", b"\xff", b"\n", b"IMM ", b"x"]
            )
        targets.text(bytes([dice.randrange(3)]) + data)


@pytest.mark.parametrize("seed", range(3))
def test_mutated_tokens_give_a_result_or_diagnostics(seed: int) -> None:
    dice = random.Random(seed)
    streams = [row["tokens"] for row in rows() if row["tokens"]]
    for _ in range(300):
        words = [int(word, 16) for word in dice.choice(streams)]
        for _ in range(dice.randint(1, 3)):
            place = dice.randrange(len(words))
            words[place] ^= dice.choice([1 << dice.randrange(32), dice.randrange(1 << 32)])
        targets.tokens(struct.pack(f"<{len(words)}I", *words))
