"""Commands for vertex and index buffers, constants, clears and draws."""

from __future__ import annotations

import functools
import struct
from typing import Any

from backends.device.commands.bound_record import CLEAR_ALL
from backends.device.commands.client import (
    CLEAR,
    CONSTANTS,
    DEFAULT_PATCH,
    DRAW,
    INDEX_BUFFER,
    LEAST_DRAW,
    MAX_UNIFORMS,
    UNIFORMS,
    VERTEX_BUFFER,
    Kind,
)
from backends.device.memory import BoundVertexBuffer
from backends.pipe.enums import Clear, Prim, lookup
from backends.pipe.limits import MAX_PATCH_VERTICES, MAX_VERTEX_BUFFERS, MAX_VERTEX_STRIDE
from backends.pipe.state import DrawInfo
from tgsi.tools.vtest.commands.subcontext import SubContext
from tgsi.tools.vtest.commands.table import Words, command
from tgsi.tools.vtest.protocol.errors import CommandError, in_range
from tgsi.tools.vtest.protocol.numbers import STAGES, reals, signed

MAX_INFOS = 4096
_COLOR0 = int(Clear.COLOR0)


@command("SET_VERTEX_BUFFERS", "", VERTEX_BUFFER, kind=Kind.VERTEX_BUFFERS)
def _vertex_buffers(sub: SubContext, words: Words) -> None:
    if sub.gallium.is_observed:
        _vertex_buffers_by_name(sub, words)
        return
    key = bytes(words)
    known = sub.vertex_sets.get(key)
    if known is None:
        in_range(len(words) // 3, "res_handle", 0, MAX_VERTEX_BUFFERS)
        known = tuple(_vertex_buffer(sub, *words[at : at + 3]) for at in range(0, len(words), 3))
        sub.keep_set(sub.vertex_sets, key, known)
    sub.gallium.rebind_vertex_buffers(known)


def _vertex_buffers_by_name(sub: SubContext, words: Words) -> None:
    """Bind vertex buffers without addresses, so that a trace can record it."""
    triples = [words[at : at + 3].tolist() for at in range(0, len(words), 3)]
    buffers = [
        {"buffer": sub.resource(handle, "res_handle"), "stride": stride, "buffer_offset": offset} if handle else None
        for stride, offset, handle in triples
    ]
    sub.gallium.set_vertex_buffers(buffers)


def _vertex_buffer(sub: SubContext, stride: int, offset: int, handle: int) -> BoundVertexBuffer | None:
    """A bound vertex buffer, without the Context's checks, because old programs bind another part of a buffer for each draw."""
    if not handle:
        return None
    resource = sub.session.resource(handle, "res_handle")
    if not resource.is_buffer:
        raise CommandError("res_handle", f"{handle} is a texture, not a buffer")
    begin = min(offset, resource.size)
    return BoundVertexBuffer(
        resource.address + begin, resource.size - begin, in_range(stride, "stride", 0, MAX_VERTEX_STRIDE), resource.storage
    )


@command("SET_INDEX_BUFFER", INDEX_BUFFER, least=1, kind=Kind.INDEX_BUFFER)
def _index_buffer(sub: SubContext, words: Words) -> None:
    key = bytes(words)
    known = sub.index_sets.get(key)
    if known is None or sub.gallium.is_observed:
        if not words[0]:
            sub.gallium.set_index_buffer(None)
            sub.reader.set_index_size(0)
            return
        if len(words) < 3:
            raise CommandError("index_size", "it is missing")
        if words[1] not in (1, 2, 4):
            raise CommandError("index_size", f"1, 2 or 4 bytes, not {words[1]}")
        sub.gallium.set_index_buffer(sub.resource(words[0]), index_offset=words[2])
        if sub.gallium.is_observed:
            sub.reader.set_index_size(words[1])
            return
        known = sub.gallium.state.index_buffer
        sub.keep_set(sub.index_sets, key, known)
    sub.gallium.rebind_index_buffer(known)
    sub.reader.set_index_size(words[1])


@command("SET_CONSTANT_BUFFER", CONSTANTS, "data", kind=Kind.CONSTANTS)
def _constants(sub: SubContext, words: Words) -> None:
    stage = in_range(words[0], "shader_type", 0, len(STAGES) - 1)
    data = words[2:] if len(words) > 2 else None
    sub.gallium.set_constant_buffer(STAGES[stage], data, index=words[1])


@command("SET_UNIFORM_BUFFER", UNIFORMS, kind=Kind.UNIFORMS)
def _uniform_buffer(sub: SubContext, words: Words) -> None:
    stage, index, offset, length, handle = words
    kind = STAGES[in_range(stage, "shader_type", 0, len(STAGES) - 1)]
    if not handle:
        sub.gallium.set_constant_buffer(kind, None, index=index)
        return
    buffer = sub.resource(handle)
    if buffer.is_buffer and offset <= buffer.size:
        length = min(length, buffer.size - offset, MAX_UNIFORMS)
    sub.gallium.set_constant_buffer(kind, buffer, index=index, offset=offset, size=length)


@command("CLEAR", CLEAR, kind=Kind.CLEAR)
def _clear(sub: SubContext, words: Words) -> None:
    context, integers = sub.gallium, 0
    for index, target in enumerate(context.targets.cbufs):
        if target is not None and target.format.is_integer:
            integers |= _COLOR0 << index
    for buffers, color, depth, stencil in _clears(bytes(words[:8]), integers):
        context.clear(buffers, color=color, depth=depth, stencil=stencil)


@functools.lru_cache(maxsize=64)
def _clears(data: bytes, integers: int) -> tuple[tuple[Clear, tuple[float, ...], float, int], ...]:
    """Buffers, color, depth and stencil of the clears of a command: first that of targets with integer formats, then all others.

    Equal words return the same objects, which the context need not check again. integers: bits of bound targets of integer formats.
    """
    words = memoryview(data).cast("I")
    buffers = words[0] & CLEAR_ALL
    depth: float = struct.unpack("<d", data[20:28])[0]
    clears = (Clear(buffers & integers), tuple(words[1:5]), 1.0, 0), (Clear(buffers & ~integers), reals(words[1:5]), depth, words[7])
    return tuple(item for item in clears if item[0])


@command(
    "DRAW_VBO",
    DRAW,
    least=LEAST_DRAW,
    kind=Kind.DRAW,
)
def _draw(sub: SubContext, words: Words) -> None:
    key = bytes(words)
    info = sub.infos.get(key)
    if info is None or (info.index_size and info.index_size != sub.reader.index_size):
        info = _info(sub, words, key)
    _carry_out(sub, info, words)


def _carry_out(sub: SubContext, info: DrawInfo, words: Words) -> None:
    if len(words) == 20 and words[14]:
        _indirect(sub, info, words)
    elif words[11]:
        _draw_streamed(sub, info, words[11])
    else:
        sub.gallium.draw_vbo(info)


def _info(sub: SubContext, words: Words, key: bytes) -> DrawInfo:
    indexed = words[3]
    if indexed and not sub.reader.index_size:
        raise CommandError("indexed", "no index buffer is bound")
    info = DrawInfo(
        mode=lookup(Prim, words[2], "mode"),
        count=words[1],
        start=0 if indexed else words[0],  # an indexed draw starts at the index buffer's offset
        index_size=sub.reader.index_size if indexed else 0,
        instance_count=words[4],
        start_instance=words[6],
        index_bias=signed(words[5]) if indexed else 0,
        primitive_restart=bool(words[7]),
        restart_index=words[8] if words[7] else 0xFFFFFFFF,
        drawid=words[13] if len(words) > 13 else 0,
        vertices_per_patch=in_range(words[12], "vertices_per_patch", 0, MAX_PATCH_VERTICES) if len(words) > 12 else DEFAULT_PATCH,
        min_index=words[9],
        max_index=words[10],
    )
    if len(sub.infos) >= MAX_INFOS:
        sub.infos.clear()
    sub.infos[key] = info
    sub.gallium.checks.accept_draw(info)
    return info


def _indirect(sub: SubContext, info: DrawInfo, words: Words) -> None:
    handle, offset, stride, count, count_offset, count_handle = words[14:20]
    keywords: dict[str, Any] = {"indirect": sub.resource(handle, "indirect_handle"), "indirect_offset": offset, "indirect_stride": stride}
    if count_handle:
        keywords |= {"indirect_draw_count": sub.resource(count_handle, "draw_count_handle"), "indirect_draw_count_offset": count_offset}
    sub.gallium.draw_vbo(info, **keywords, draw_count=count)


def _draw_streamed(sub: SubContext, info: DrawInfo, size: int) -> None:
    """Draw as many vertices as were streamed out. The protocol identifies the target by its size only."""
    target = next((item for item in sub.stream_targets if item is not None and item.buffer_size == size), None)
    if target is None:
        raise CommandError("count_from_so", f"there is no stream output target of {size} bytes")
    sub.gallium.draw_vbo(info, count_from_stream_output=target.object)
