"""Commands for queries and for memory, whose results go into a buffer of the client."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from backends.pipe.enums import QueryType, RenderCond, lookup
from tgsi.language.record import record
from tgsi.tools.vtest.commands.subcontext import SubContext
from tgsi.tools.vtest.commands.table import Words, command, creates
from tgsi.tools.vtest.protocol import kinds
from tgsi.tools.vtest.protocol.errors import CommandError, in_range
from tgsi.tools.vtest.protocol.numbers import BIND_CUSTOM, QUERIES, signed

if TYPE_CHECKING:
    from tgsi.tools.vtest.protocol.holdings import Holding

_STATE = struct.Struct("<2IQ")
_DONE = 1
_MEMORY = struct.Struct("<6I")
_MEMORY_NAMES = (
    *("total_device_memory", "avail_device_memory", "total_staging_memory", "avail_staging_memory"),
    *("device_memory_evicted", "nr_device_memory_evictions"),
)
"""Values of GET_MEMORY_INFO, in KiB, by the names of pipe_memory_info."""
_TYPES = ("I32", "U32", "I64", "U64")
_WIDE = (QueryType.TIMESTAMP, QueryType.TIME_ELAPSED)


@record(frozen=False, eq=False)
class Query:
    """Query of the Context, and the buffer and offset for its result."""

    object: Any
    handle: int
    offset: int


@creates("QUERY", "type_index offset res_handle")
def _create(sub: SubContext, words: Words) -> None:
    handle, type_index, offset, res_handle = words
    kind = QUERIES[in_range(type_index & 0xFFFF, "type", 0, len(QUERIES) - 1)]
    buffer = sub.resource(res_handle)
    if not buffer.is_buffer or offset % 8 or offset + _STATE.size > buffer.size:
        raise CommandError("offset", f"{_STATE.size} bytes at {offset} do not fit the resource")
    sub.put(handle, Query(sub.gallium.create_query(kind, index=type_index >> 16), res_handle, offset))


@command("BEGIN_QUERY", "handle")
def _begin(sub: SubContext, words: Words) -> None:
    query: Query = sub.need(words[0], kinds.QUERY)
    if query.object.kind not in (QueryType.TIMESTAMP, QueryType.GPU_FINISHED):
        sub.session.due.pop(query, None)
        sub.gallium.begin_query(query.object)


@command("END_QUERY", "handle")
def _end(sub: SubContext, words: Words) -> None:
    sub.gallium.end_query(sub.need(words[0], kinds.QUERY).object)


@command("GET_QUERY_RESULT", "handle wait")
def _result(sub: SubContext, words: Words) -> None:
    query: Query = sub.need(words[0], kinds.QUERY)
    holding = sub.session.resources.get(query.handle)
    if query.object.is_due and holding is not None and holding.bind == BIND_CUSTOM:
        sub.session.due[query] = sub  # clients request results at the end of each query, and wait for the buffer before they read it
    else:
        _tell_result(sub, query)


def tell_due(due: dict[Any, SubContext]) -> None:
    """Write the requested results before clients read them."""
    while due:
        query, sub = due.popitem()
        is_there = not query.object.is_destroyed and query.handle in sub.session.resources
        if sub.context is not None and is_there:
            _tell_result(sub, query)


def _tell_result(sub: SubContext, query: Query) -> None:
    result = sub.gallium.get_query_result(query.object)
    value = int(result[0] if isinstance(result, tuple) else result)
    size = 8 if query.object.kind in _WIDE else 4
    holding = sub.session.resources.get(query.handle)
    if holding is None:
        raise CommandError("res_handle", f"the query's buffer {query.handle} is gone")
    _tell(sub, holding, query.offset, _STATE.pack(_DONE, size, value))


def _tell(sub: SubContext, holding: Holding, offset: int, data: bytes) -> None:
    """Write bytes into a buffer, and into the client's memory of it."""
    buffer, end = holding.resource, offset + len(data)
    sub.gallium.order.finish_uses(buffer)
    buffer.storage.data[offset:end] = data
    if holding.memory is not None and end <= len(holding.memory):
        holding.memory[offset:end] = data


@command("GET_MEMORY_INFO", "res_handle")
def _memory_info(sub: SubContext, words: Words) -> None:
    holding = sub.session.holding(words[0], "res_handle")
    told = sub.session.screen.query_memory_info()
    data = _MEMORY.pack(*(min(told[name], 0xFFFFFFFF) for name in _MEMORY_NAMES))
    if not holding.resource.is_buffer or holding.resource.size < len(data):
        raise CommandError("res_handle", f"{len(data)} bytes do not fit the resource")
    _tell(sub, holding, 0, data)


@command("GET_QUERY_RESULT_QBO", "handle qbo_handle wait result_type offset index")
def _result_to_buffer(sub: SubContext, words: Words) -> None:
    handle, buffer, wait, kind, offset, index = words
    sub.gallium.get_query_result_resource(
        sub.need(handle, kinds.QUERY).object,
        sub.resource(buffer, "qbo_handle"),
        wait=bool(wait),
        result_type=_TYPES[in_range(kind, "result_type", 0, 3)],
        index=signed(index),
        offset=offset,
    )


@command("SET_RENDER_CONDITION", "handle condition mode")
def _condition(sub: SubContext, words: Words) -> None:
    query = sub.find(words[0], kinds.QUERY)
    mode = lookup(RenderCond, words[2] & 3, "mode")
    sub.gallium.render_condition(None if query is None else query.object, condition=bool(words[1]), mode=mode)
