"""Streams of virgl commands in the session of a server: messages that programs send with words changed, commands and bytes at random."""

from __future__ import annotations

import random
import struct
from collections import Counter
from functools import cache

from tests.vtest.encoder import Commands, Stream, run, target
from tests.vtest.random_streams import commands, mutated, start
from tgsi.gallium import Screen
from tgsi.tools.vtest.commands.table import COMMANDS

WORDS = (0, 1, 2, 3, 4, 5, 7, 8, 16, 20, 21, 30, 31, 40, 41, 255, 256, 0xFFFF, 1 << 16, 1 << 20, 1 << 31, 0xFFFFFFFF)
MEMORY = 1 << 28


@cache
def _screen() -> Screen:
    return Screen(0, memory_limit=MEMORY)


def _any_commands(chance: random.Random) -> Stream:
    made = Commands()
    for _ in range(chance.randrange(40)):
        row = COMMANDS[number := chance.choice(sorted(COMMANDS))]
        if "DRAW" in row.name or "GRID" in row.name:
            continue  # sizes at random would be right, and take long
        words = [chance.choice(WORDS) if chance.random() < 0.8 else chance.getrandbits(32) for _ in range(chance.randrange(26))]
        made.raw(number, chance.randrange(13), words)
    return target().submit(made).wait()


def _any_messages(chance: random.Random) -> Stream:
    stream = start(chance)
    for _ in range(chance.randrange(1, 12)):
        number = chance.randrange(26)
        words = [chance.choice(WORDS) if chance.random() < 0.8 else chance.getrandbits(16) for _ in range(chance.randrange(14))]
        stream.message(number, *words, length=chance.choice((None, None, None, len(words) + 1, chance.randrange(40))))
        if chance.random() < 0.5:
            stream.submit(commands(chance, 3))
    return stream


def _any_bytes(chance: random.Random) -> Stream:
    stream = mutated(chance.getrandbits(30), messages=1, steps=8)
    for _ in range(chance.choice((1, 3, 10))):
        at = chance.randrange(len(stream.data))
        stream.data[at : at + chance.choice((0, 1, 4))] = chance.randbytes(chance.choice((0, 1, 4)))
    return stream


def stream_of(seed: int) -> Stream:
    """The stream of a seed."""
    chance = random.Random(f"streams {seed}")
    match seed % 5:
        case 0 | 1:
            return mutated(chance.getrandbits(30), messages=2, steps=15)
        case 2:
            return _any_commands(chance)
        case 3:
            return _any_messages(chance)
        case _:
            return _any_bytes(chance)


def attempt(seed: int) -> Counter[str]:
    """Serve the stream to its end. The session ends with nothing left; lines of errors name the client, and no traceback is among them."""
    result = run(_screen(), stream_of(seed))
    for line in result.lines:
        assert "Traceback" not in line, line
        assert "Error:" not in line, line
    return Counter({"complaints" if result.lines else "served": 1})


def given(seed: int) -> str:
    """The words of the stream, in hexadecimal numbers."""
    data = bytes(stream_of(seed).data)
    return " ".join(f"{word:x}" for word in struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]))
