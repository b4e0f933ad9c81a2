"""Recorded uploads and mappings whose words are packed at once, or refer to the caller's bytes until they are stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from backends.gallium.context.recording.encoder import Encoder
from backends.gallium.resource.resource import Box
from backends.gallium.tracing.mapped_words import mapped_words
from backends.gallium.tracing.trace_player import TracePlayer

LONG = (1 << 20) + 12


@pytest.mark.parametrize("size", [0, 1, 4, 239, 240, 241, 300_001])
def test_packed_words_of_a_mapping_are_those_of_the_encoder(size: int) -> None:
    thing, data, box = object(), bytes(range(256)) * (size // 256 + 1), Box(3, 1, 2, size, 5, 1)
    encoder = Encoder(lambda item: 7 if item is thing else None, lambda given: pytest.fail("no draw"))
    given = {"level": 2, "box": (3, 1, 2, size, 5, 1), "usage": 4}
    assert b"".join(mapped_words(7, data[:size], 2, box, 4)) == encoder.call("write_mapped", (thing, data[:size]), given)


def played(ctx: Any, resource: Any) -> Any:
    """The bytes of a buffer after the recorded calls were made again."""
    found = ctx.recorded_parts()[0]
    with tgsi.Screen(threads=0) as screen, screen.context_create() as again:
        player = TracePlayer(screen, again, lambda digest: None)
        player.play(found.data)
        return np.asarray(player.find(found.handles[id(resource)])).copy()


@pytest.mark.parametrize("kind", ["array", "strided", "bytes", "bytearray", "floats"])
def test_a_long_upload_is_played_back_with_the_bytes_that_it_had(kind: str) -> None:
    values = np.arange(LONG, dtype=np.uint32).astype(np.uint8)
    wide = np.zeros((LONG, 2), np.uint8)
    wide[:, 1] = values
    data: Any = {
        "array": values.copy(),
        "strided": wide[:, 1],
        "bytes": values.tobytes(),
        "bytearray": bytearray(values.tobytes()),
        "floats": values.copy().view(np.float32),
    }[kind]
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        buffer = screen.resource_create(target="BUFFER", width0=LONG)
        ctx.buffer_subdata(buffer, data)
        if not isinstance(data, bytes):
            (np.frombuffer(data, np.uint8) if isinstance(data, bytearray) else data)[:] = 0  # the recording has its own copy
        assert (played(ctx, buffer) == values).all()


def test_an_upload_of_the_memory_that_it_changes_is_recorded_as_it_was_before() -> None:
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        buffer = screen.resource_create(target="BUFFER", width0=LONG)
        ctx.buffer_subdata(buffer, np.arange(LONG, dtype=np.uint32).astype(np.uint8))
        ctx.buffer_subdata(buffer, buffer.storage[: LONG - 4], offset=4)
        assert (played(ctx, buffer) == np.asarray(buffer)).all()


def test_a_refused_long_upload_is_recorded_as_refused() -> None:
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        buffer = screen.resource_create(target="BUFFER", width0=LONG)
        with pytest.raises(ValueError, match="do not fit"):
            ctx.buffer_subdata(buffer, bytes(LONG + 1))
        ctx.buffer_subdata(buffer, b"\x05" * LONG)
        assert (played(ctx, buffer) == 5).all()
