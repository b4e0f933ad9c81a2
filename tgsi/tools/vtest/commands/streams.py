"""Commands for stream output targets."""

from __future__ import annotations

from typing import Any

from backends.pipe.limits import MAX_STREAM_OUTPUT_TARGETS
from tgsi.language.record import record
from tgsi.tools.vtest.commands.subcontext import SubContext
from tgsi.tools.vtest.commands.table import Words, command, creates
from tgsi.tools.vtest.protocol import kinds
from tgsi.tools.vtest.protocol.errors import in_range


@record(frozen=False, eq=False)
class Target:
    """Stream output target. Draws that take their vertex count from it identify it by its size. was_bound: at any time before."""

    object: Any
    buffer_size: int
    was_bound: bool = False


@creates("STREAMOUT_TARGET", "res_handle buffer_offset buffer_size")
def _create(sub: SubContext, words: Words) -> None:
    handle, res_handle, offset, size = words
    made = sub.gallium.create_stream_output_target(sub.resource(res_handle), buffer_offset=offset, buffer_size=size)
    target = Target(made, size)
    sub.put(handle, target)


@command("SET_STREAMOUT_TARGETS", "append_bitmask", "handle")
def _set(sub: SubContext, words: Words) -> None:
    append, *handles = words
    in_range(len(handles), "handle", 0, MAX_STREAM_OUTPUT_TARGETS)
    targets = [sub.find(handle, kinds.STREAMOUT_TARGET) for handle in handles]
    # Mesa's driver leaves the mask 0. Its frontend creates a new target when feedback begins, and binds old ones when feedback continues.
    goes_on = all(item.was_bound for item in targets if item is not None)
    offsets = [-1 if goes_on or append >> index & 1 else 0 for index in range(len(targets))]
    for item in targets:
        if item is not None:
            item.was_bound = True
    sub.gallium.set_stream_output_targets([None if item is None else item.object for item in targets], offsets=offsets)
    sub.stream_targets = [*targets, *(item for item in sub.stream_targets if item not in targets)][:16]
