"""Values of recorded arguments may be nested a few levels deep; deeper ones are refused, by the writer and by the reader."""

from __future__ import annotations

from typing import Any

import pytest

from backends.device.calls.errors import Unwritable, WordError
from backends.device.commands.layout import MOST_DEPTH, Tag
from backends.gallium.context.recording.values import RECORDS, ValueReader, ValueWriter
from backends.pipe.state import AlphaState, BlendColor

pytestmark = pytest.mark.light

NONE = int(Tag.NONE).to_bytes(4, "little")
LEVELS = {
    "list": (int(Tag.LIST) | 1 << 8).to_bytes(4, "little"),
    "tuple": (int(Tag.TUPLE) | 1 << 8).to_bytes(4, "little"),
    "map": (int(Tag.MAP) | 1 << 8).to_bytes(4, "little") + (int(Tag.TEXT)).to_bytes(4, "little"),
    "record": (int(Tag.RECORD) | RECORDS.index(BlendColor) << 8).to_bytes(4, "little"),
}
"""Words before the only item of a value. A map's key comes first, and a record's first field is nested."""


def read(words: bytes) -> Any:
    return ValueReader(memoryview(words), [], lambda handle: None).read()


def written(value: Any) -> bytes:
    writer = ValueWriter(lambda thing: None)
    writer.write(value)
    return bytes(writer.words)


def nested(depth: int, kind: type = list) -> Any:
    value: Any = None
    for _ in range(depth):
        value = {"": value} if kind is dict else kind([value])
    return value


@pytest.mark.parametrize("kind", [list, tuple, dict])
def test_the_deepest_value_that_is_written_is_read_and_a_deeper_one_is_refused(kind: type) -> None:
    deepest = nested(MOST_DEPTH, kind)
    assert read(written(deepest)) == deepest
    with pytest.raises(Unwritable, match="nested too deeply"):
        written(nested(MOST_DEPTH + 1, kind))


def test_a_record_counts_as_a_level() -> None:
    written(AlphaState(ref_value=nested(MOST_DEPTH - 1)))
    with pytest.raises(Unwritable, match="nested too deeply"):
        written(AlphaState(ref_value=nested(MOST_DEPTH)))


@pytest.mark.parametrize("level", LEVELS)
def test_words_of_others_are_refused_at_the_first_level_too_deep(level: str) -> None:
    with pytest.raises(WordError, match="nested too deeply"):
        read(LEVELS[level] * (MOST_DEPTH + 1) + NONE)
    with pytest.raises(WordError, match="nested too deeply"):
        read(LEVELS["list"] * MOST_DEPTH + LEVELS[level] + NONE)


@pytest.mark.parametrize("level", [level for level in LEVELS if level != "record"])
def test_words_of_the_greatest_depth_are_read(level: str) -> None:
    assert read(LEVELS["list"] * (MOST_DEPTH - 1) + LEVELS[level] + NONE) is not None
