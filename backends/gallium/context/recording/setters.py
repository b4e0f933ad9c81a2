"""Fixed commands of calls that set state, ask, or write small pieces of buffers: each with a function that writes it and one that reads it.

A writer takes the arguments of its method, and returns None, or raises TypeError or ValueError, for arguments that have no such command.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from backends.device.commands.layout import FIELDS, MOST_COUNT, Command, header, pack
from backends.gallium.context.recording.errors import WordError
from backends.gallium.context.recording.methods import BINDS
from backends.gallium.resource.view import FramebufferState
from backends.pipe.checks import flags as as_flags
from backends.pipe.enums import Barrier, RenderCond, ShaderType, TextureBarrier, lookup
from backends.pipe.limits import MAX_COLOR_BUFFERS, MAX_SAMPLER_VIEWS, MAX_SAMPLERS, MAX_VIEWPORTS
from backends.pipe.state import BlendColor, ScissorState, StencilRef, ViewportState

Fixed = tuple[str, tuple[Any, ...], dict[str, Any]]
"""Method, positional arguments and keywords of a call."""
HandleOf = Callable[[Any], int | None]
ObjectOf = Callable[[int], Any]
"""The object of a handle, None for 0; WordError for an unknown handle."""

T = TypeVar("T")
_U32 = (1 << 32) - 1
_EXACT = 1 << 53
_CONDITION = 1 << 7
"""Bit of the detail of CONDITION: the result with which draws are skipped."""
_SUBDATA_WORDS = len(FIELDS[Command.SUBDATA][0].split())
_SIX = struct.Struct("<6d")
_FOUR = struct.Struct("<4d")


def _number(value: Any, most: int = _U32) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(value)
    return value


def _floats(values: Any, count: int) -> list[float]:
    """Numbers that are exact as 64-bit floats."""
    found = list(values) if len(values) == count else []
    if not found or not all(type(v) is float or (type(v) is int and -_EXACT < v < _EXACT) for v in found):
        raise ValueError(values)
    return found


def _one_of(kind: type[T], given: Any) -> T:
    """A record, or one made of its fields by name."""
    if type(given) is kind:
        return given
    if type(given) is not dict:
        raise TypeError(given)
    return kind(**given)


def _handles(handle_of: HandleOf, things: Any, most: int) -> list[int]:
    if not isinstance(things, (list, tuple)) or len(things) > most:
        raise TypeError(things)
    return [_handle(handle_of, thing) for thing in things]


def _handle(handle_of: HandleOf, thing: Any) -> int:
    found = 0 if thing is None else handle_of(thing)
    if found is None:
        raise TypeError(thing)
    return found


# -- writers -----------------------------------------------------------------------------------------------------------------
def _bind(number: int, handle_of: HandleOf, *args: Any, **given: Any) -> bytes:
    (thing,) = (*args, *given.values())
    return pack(Command.BIND, _handle(handle_of, thing), detail=number)


def _viewports(handle_of: HandleOf, states: Any, *, start: int = 0) -> bytes:
    rows = [_one_of(ViewportState, item) for item in _sequence(states)]
    body = b"".join(_SIX.pack(*_floats(row.scale, 3), *_floats(row.translate, 3)) for row in rows)
    return struct.pack("<II", header(Command.VIEWPORTS, 1 + len(body) // 4), _number(start, MAX_VIEWPORTS)) + body


def _scissors(handle_of: HandleOf, states: Any, *, start: int = 0) -> bytes:
    rows = [_one_of(ScissorState, item) for item in _sequence(states)]
    edges = [_number(edge) for row in rows for edge in (row.minx, row.miny, row.maxx, row.maxy)]
    return pack(Command.SCISSORS, _number(start, MAX_VIEWPORTS), *edges)


def _sequence(states: Any) -> Sequence[Any]:
    if not isinstance(states, (list, tuple)) or len(states) > MAX_VIEWPORTS:
        raise TypeError(states)
    return states


def _blend_color(handle_of: HandleOf, color: Any) -> bytes:
    values = color.color if type(color) is BlendColor else color
    return struct.pack("<I", header(Command.BLEND_COLOR, 8)) + _FOUR.pack(*_floats(values, 4))


def _stencil_ref(handle_of: HandleOf, ref: Any) -> bytes:
    front, back = ref.ref_value if type(ref) is StencilRef else (ref, ref) if type(ref) is int else ref
    return pack(Command.STENCIL_REF, _number(front), _number(back))


def _sampler_views(handle_of: HandleOf, stage: Any, views: Any, *, start: int = 0) -> bytes:
    words = _handles(handle_of, views, MAX_SAMPLER_VIEWS)
    return pack(Command.SAMPLER_VIEWS, _number(start, MAX_SAMPLER_VIEWS), *words, detail=lookup(ShaderType, stage, "stage"))


def _samplers(handle_of: HandleOf, stage: Any, samplers: Any, *, start: int = 0) -> bytes:
    words = _handles(handle_of, samplers, MAX_SAMPLERS)
    return pack(Command.SAMPLERS, _number(start, MAX_SAMPLERS), *words, detail=lookup(ShaderType, stage, "stage"))


def _framebuffer(handle_of: HandleOf, state: Any = None, *, cbufs: Any = None, zsbuf: Any = None, **sizes: Any) -> bytes | None:
    if state is not None:
        if type(state) is not FramebufferState:
            return None
        cbufs, zsbuf = state.cbufs, state.zsbuf
        sizes = {name: getattr(state, name) for name in ("width", "height", "layers", "samples")}
    numbers = [_number(sizes.pop(name, 0)) for name in ("width", "height", "layers", "samples")]
    if sizes:
        return None
    colors = _handles(handle_of, () if cbufs is None else cbufs, MAX_COLOR_BUFFERS)
    return pack(Command.FRAMEBUFFER, *numbers, _handle(handle_of, zsbuf), *colors)


def _query(detail: int, handle_of: HandleOf, query: Any) -> bytes | None:
    return None if query is None else pack(Command.QUERY, _handle(handle_of, query), detail=detail)


def _condition(handle_of: HandleOf, query: Any, *, condition: Any = False, mode: Any = RenderCond.WAIT) -> bytes:
    detail = lookup(RenderCond, mode, "mode") | (_CONDITION if condition else 0)
    return pack(Command.CONDITION, _handle(handle_of, query), detail=detail)


def _texture_barrier(handle_of: HandleOf, flags_: Any = TextureBarrier.SAMPLER) -> bytes:
    return pack(Command.BARRIER, as_flags(TextureBarrier, flags_, "flags").value)


def _memory_barrier(handle_of: HandleOf, flags_: Any = Barrier.ALL) -> bytes:
    return pack(Command.BARRIER, as_flags(Barrier, flags_, "flags").value, detail=1)


def _subdata(handle_of: HandleOf, resource: Any, data: Any, *, offset: int = 0) -> bytes | None:
    """Bytes that fit one command. Flags of a write, and larger ones, are for CALL."""
    values = bytes(memoryview(data).cast("B"))
    count = _SUBDATA_WORDS + -(-len(values) // 4)
    if count > MOST_COUNT or not getattr(resource, "is_buffer", False) or resource.is_destroyed:
        return None
    head = header(Command.SUBDATA, count), _handle(handle_of, resource), _number(offset), len(values)
    return struct.pack("<4I", *head) + values + bytes(-len(values) % 4)


WRITERS: Mapping[str, Callable[..., bytes | None]] = {
    **{name: partial(_bind, number) for number, name in enumerate(BINDS)},
    "set_viewport_states": _viewports,
    "set_scissor_states": _scissors,
    "set_blend_color": _blend_color,
    "set_stencil_ref": _stencil_ref,
    "set_sampler_views": _sampler_views,
    "bind_sampler_states": _samplers,
    "set_framebuffer_state": _framebuffer,
    "begin_query": partial(_query, 0),
    "end_query": partial(_query, 1),
    "render_condition": _condition,
    "texture_barrier": _texture_barrier,
    "memory_barrier": _memory_barrier,
    "buffer_subdata": _subdata,
}
"""By method: takes what finds handles, and the arguments of the call."""


# -- readers -----------------------------------------------------------------------------------------------------------------
def _read_bind(of: ObjectOf, detail: int, words: list[int], body: memoryview) -> Fixed:
    if detail >= len(BINDS):
        raise WordError(f"{detail} is no kind of object")
    return BINDS[detail], (of(words[0]),), {}


def _read_viewports(of: ObjectOf, detail: int, words: list[int], body: memoryview) -> Fixed:
    rows = _SIX.iter_unpack(body[1:])
    return "set_viewport_states", ([ViewportState(scale=row[:3], translate=row[3:]) for row in rows],), {"start": words[0]}


def _read_scissors(of: ObjectOf, detail: int, words: list[int], body: memoryview) -> Fixed:
    return "set_scissor_states", ([ScissorState(*words[at : at + 4]) for at in range(1, len(words), 4)],), {"start": words[0]}


def _read_blend_color(of: ObjectOf, detail: int, words: list[int], body: memoryview) -> Fixed:
    return "set_blend_color", (_FOUR.unpack(body),), {}


def _read_stencil_ref(of: ObjectOf, detail: int, words: list[int], body: memoryview) -> Fixed:
    return "set_stencil_ref", ((words[0], words[1]),), {}


def _read_units(name: str, of: ObjectOf, detail: int, words: list[int], body: memoryview) -> Fixed:
    return name, (detail, [of(word) for word in words[1:]]), {"start": words[0]}


def _read_framebuffer(of: ObjectOf, detail: int, words: list[int], body: memoryview) -> Fixed:
    width, height, layers, samples, depth, *colors = words
    given = {"width": width, "height": height, "layers": layers, "samples": samples}
    return "set_framebuffer_state", (), {"cbufs": [of(word) for word in colors], "zsbuf": of(depth), **given}


def _read_query(of: ObjectOf, detail: int, words: list[int], body: memoryview) -> Fixed:
    return ("begin_query", "end_query")[detail], (of(words[0]),), {}


def _read_condition(of: ObjectOf, detail: int, words: list[int], body: memoryview) -> Fixed:
    given = {"condition": bool(detail & _CONDITION), "mode": detail & ~_CONDITION}
    return "render_condition", (of(words[0]),), given


def _read_barrier(of: ObjectOf, detail: int, words: list[int], body: memoryview) -> Fixed:
    return ("texture_barrier", "memory_barrier")[detail], (words[0],), {}


def _read_subdata(of: ObjectOf, detail: int, words: list[int], body: memoryview) -> Fixed:
    handle, offset, size = words[:_SUBDATA_WORDS]
    if -(-size // 4) != len(words) - _SUBDATA_WORDS:
        raise WordError(f"bytes: {size} bytes are {-(-size // 4)} words, not {len(words) - _SUBDATA_WORDS}")
    resource = of(handle)
    if resource is None:
        raise WordError("0 is no handle of an object")
    return "buffer_subdata", (resource, bytes(body[_SUBDATA_WORDS:].cast("B"))[:size]), {"offset": offset}


READERS: Mapping[Command, Callable[[ObjectOf, int, list[int], memoryview], Fixed]] = {
    Command.BIND: _read_bind,
    Command.VIEWPORTS: _read_viewports,
    Command.SCISSORS: _read_scissors,
    Command.BLEND_COLOR: _read_blend_color,
    Command.STENCIL_REF: _read_stencil_ref,
    Command.SAMPLER_VIEWS: partial(_read_units, "set_sampler_views"),
    Command.SAMPLERS: partial(_read_units, "bind_sampler_states"),
    Command.FRAMEBUFFER: _read_framebuffer,
    Command.QUERY: _read_query,
    Command.CONDITION: _read_condition,
    Command.BARRIER: _read_barrier,
    Command.SUBDATA: _read_subdata,
}
"""By command: takes what finds objects, the detail, the words as numbers, and as memory."""
