"""Memory of a history: pieces of commands are stored whole, in the order of the calls."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from backends.device.commands.bound_record import BoundRecord
from backends.gallium.tracing.call_memory import Block, CallMemory
from backends.gallium.tracing.steps import read_steps
from tgsi import gallium as g

STEP = 1 << 16


def memory_of(most: int, spare: list[Block] | None = None) -> tuple[BoundRecord, CallMemory]:
    """A recording, and the record of its context."""
    record = BoundRecord()
    return record, CallMemory(record, ctypes.c_uint64(0), most, spare)


def append(record: BoundRecord, data: bytes) -> None:
    """Append a command as a native entry does."""
    record.recorded_end = record.recorded_limit
    if record.recorded_at + len(data) > record.recorded_end:
        ctypes.CFUNCTYPE(None)(record.recorded_turn)()
    assert record.recorded_at + len(data) <= record.recorded_end == record.recorded_limit
    ctypes.memmove(record.recorded_at, data, len(data))
    record.recorded_at += len(data)


def test_pieces_that_do_not_fit_together_are_dropped_together() -> None:
    _, memory = memory_of(1 << 17)
    begin = bytes(memory.content())
    memory.write(b"head", bytes(1000))
    memory.write(b"head", bytes(1 << 17))
    memory.write(b"tail")  # it may refer to the dropped commands
    assert bytes(memory.content()) == begin + b"head" + bytes(1000)
    assert memory.lost == 4 + (1 << 17) + 4


def test_entries_and_python_fill_blocks_in_turns_and_nothing_is_lost() -> None:
    record, memory = memory_of(1 << 20)
    wanted, rng = bytearray(memory.content()), np.random.default_rng(0)
    for k in range(60):
        native, other = rng.bytes(int(rng.integers(1, STEP // 8))), rng.bytes(int(rng.integers(1, 3000)) if k % 20 else 2 * STEP)
        append(record, native)
        memory.write(other[:7], other[7:])
        wanted += native + other
    assert memory.content() == wanted
    assert (memory.lost, len(memory.blocks)) == (0, -(-memory.size // STEP))
    memory.close()
    assert memory.content()[:-4] == wanted
    assert not record.recording


def test_a_full_memory_counts_what_it_drops() -> None:
    record, memory = memory_of(STEP)
    begin = len(memory.content())
    for _ in range(100):
        append(record, bytes(1000))
    kept = (STEP - begin) // 1000
    assert (len(memory.content()), memory.lost) == (begin + 1000 * kept, 1000 * (100 - kept))
    memory.write(b"1234")
    assert memory.lost == 1000 * (100 - kept) + 4


def test_blocks_of_a_released_memory_are_used_again() -> None:
    spare: list[Block] = []
    _, memory = memory_of(1 << 20, spare)
    memory.write(bytes(3 * STEP))
    memory.close()
    blocks = memory.blocks
    memory.release()
    assert [id(block) for block in spare] == [id(block) for block in blocks]
    _, other = memory_of(1 << 20, spare)
    other.write(bytes(2 * STEP))
    assert {id(block) for block in other.blocks} <= {id(block) for block in blocks}


@pytest.mark.parametrize("size", [4, 240, 244, 1 << 18, (1 << 21) + 3])
def test_uploads_of_every_length_are_recorded(size: int) -> None:
    data = np.arange(size, dtype=np.uint32).view(np.uint8)[:size]
    with g.Screen(history=True, threads=0) as screen, screen.context_create() as context:
        buffer = screen.resource_create(target="BUFFER", width0=size)
        target = screen.resource_create(width0=4, height0=4, bind="RENDER_TARGET")
        context.buffer_subdata(buffer, data)
        context.set_framebuffer_state(cbufs=[target])
        context.clear("COLOR", color=(1, 0, 0, 1))
        (part,) = context.recorded_parts()  # type: ignore[attr-defined]
    uploads = [step.named["data"] for step in read_steps(part.data) if step.name == "buffer_subdata"]
    assert [np.asarray(upload).tobytes() for upload in uploads] == [data.tobytes()]
