"""Memory of a history: pieces of commands are stored whole, in the order of the calls."""

from __future__ import annotations

import numpy as np
import pytest

from backends.gallium.tracing.call_memory import CallMemory
from backends.gallium.tracing.steps import read_steps
from tgsi import gallium as g


def test_pieces_that_do_not_fit_together_are_dropped_together() -> None:
    memory = CallMemory(1 << 17)
    memory.write_whole([b"head", bytes(1000)])
    memory.write_whole([b"head", bytes(1 << 17)])
    memory.write_whole([b"tail"])  # it may refer to the dropped commands
    assert bytes(memory.content()) == b"head" + bytes(1000)
    assert memory.lost == 4 + (1 << 17) + 4


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
