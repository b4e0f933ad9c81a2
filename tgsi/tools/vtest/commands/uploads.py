"""Commands that carry data, copy to or from the client's memory, or clear a texture."""

from __future__ import annotations

from backends.device.commands.client import BOX, COPY_TRANSFER, FROM_HOST, TRANSFER, Kind
from tgsi.tools.vtest.commands.subcontext import SubContext
from tgsi.tools.vtest.commands.table import Words, command
from tgsi.tools.vtest.protocol.boxes import box_of
from tgsi.tools.vtest.protocol.errors import CommandError


@command("RESOURCE_INLINE_WRITE", f"res_handle level usage stride layer_stride {BOX}", "data")
def _inline_write(sub: SubContext, words: Words) -> None:
    handle, level, _, stride, layer_stride, *box = words[:11]
    holding = sub.session.holding(handle, "res_handle")
    holding.write(sub.gallium, level, box_of(box), words[11:].cast("B"), stride, layer_stride)


@command("TRANSFER3D", TRANSFER, kind=Kind.TRANSFER)
def _transfer(sub: SubContext, words: Words) -> None:
    """Copy between a box and the client's memory of the same resource."""
    handle, level, _, stride, layer_stride, *box, offset, direction = words
    _move(sub, (handle, level, box), (handle, offset), (stride, layer_stride), reads=direction == FROM_HOST)


@command("COPY_TRANSFER3D", COPY_TRANSFER, kind=Kind.COPY_TRANSFER)
def _copy_transfer(sub: SubContext, words: Words) -> None:
    """Copy between a box and the client's memory of another resource."""
    handle, level, _, stride, layer_stride, *box, source, offset, flags = words
    _move(sub, (handle, level, box), (source, offset), (stride, layer_stride), reads=bool(flags & FROM_HOST))


def _move(sub: SubContext, place: tuple[int, int, list[int]], memory: tuple[int, int], strides: tuple[int, int], *, reads: bool) -> None:
    (handle, level, box), (owner, offset) = place, memory
    holding = sub.session.resources.get(owner)
    if holding is None or holding.memory is None:
        raise CommandError("src_res_handle", f"{owner} has no shared memory")
    if offset > len(holding.memory):
        raise CommandError("offset", f"{offset} is beyond the end of {len(holding.memory)} bytes")
    moved = sub.session.holding(handle, "res_handle")
    move = moved.read if reads else moved.write
    move(sub.gallium, level, box_of(box), memoryview(holding.memory)[offset:], *(strides if strides[0] else moved.strides(level)))


@command("CLEAR_TEXTURE", f"res_handle level {BOX} data0 data1 data2 data3")
def _clear_texture(sub: SubContext, words: Words) -> None:
    handle, level, *box = words[:8]
    resource = sub.resource(handle)
    data = bytes(words[8:12])
    if resource.is_buffer:
        raise CommandError("res_handle", f"{handle} is a buffer")
    sub.gallium.clear_texture(resource, data[: resource.format.block_bytes], level=level, box=box_of(box))
