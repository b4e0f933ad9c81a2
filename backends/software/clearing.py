"""Clears of the bound targets: what covers whole tiles waits among the draws, anything else is written at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backends.device.counters import FlushReason
from backends.device.framebuffer import Framebuffer
from backends.raster.clears import clear_exactly, clear_records, fits_tiles
from backends.software.commands.executor import Executor


def take_clear(
    executor: Executor,
    framebuffer: Framebuffer,
    flush: Callable[[FlushReason], None],
    buffers: int,
    color: Sequence[int],
    depth: float,
    stencil: int,
) -> None:
    """Clear the surfaces of a framebuffer that `buffers` names. Generated code makes the same clear from now on, if all of it waits."""
    made = clear_records(framebuffer, buffers, color, depth, stencil)
    for surface, record in made:
        if fits_tiles(framebuffer, surface):
            executor.take_clear(record)
        else:
            flush(FlushReason.CLEAR)
            executor.record.runs += 1
            clear_exactly(framebuffer, surface, record)
    if all(fits_tiles(framebuffer, surface) for surface, _ in made):
        executor.learn_clear(buffers, color, depth, stencil, [record for _, record in made])
