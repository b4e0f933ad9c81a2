"""Buffers that a context binds: constants, vertices, indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from backends.device.commands.bound_record import VertexBufferSlot
from backends.device.commands.constant_memory import MAX_BYTES
from backends.device.commands.known_objects import Kind
from backends.device.interface import Device
from backends.device.memory import BoundVertexBuffer, Constants, Memory
from backends.formats import WideFormat
from backends.gallium.context.core import ContextCore
from backends.gallium.context.handles import place
from backends.gallium.resource.layout import address_of, allocate
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.transfer import as_bytes
from backends.pipe.checks import integer
from backends.pipe.enums import ShaderType, lookup
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_VERTEX_BUFFERS, MAX_VERTEX_STRIDE
from backends.pipe.state import VertexBuffer, VertexElement

_FLOAT64 = np.dtype(np.float64)
_VERTEX_BUFFER = frozenset({"buffer", "stride", "buffer_offset"})
VertexBuffers = tuple[BoundVertexBuffer | None, ...]


class BufferBindings(ContextCore):
    """Constant, vertex and index buffers: set_constant_buffer, set_vertex_buffers, set_index_buffer."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._doubles: set[int] = set()  # slots of vertex buffers that were arrays of float64
        self._saw_doubles = False

    def set_constant_buffer(
        self, stage: ShaderType | int | str, buffer: Any, *, index: int = 0, offset: int = 0, size: int | None = None
    ) -> None:
        """Bind a constant buffer to one slot of a stage. (context.rst, "Resource Binding State")

        Bytes and arrays are copied at once; a Resource is read when a draw is made, so a change between two draws is seen by
        the second only. Reads past the end give 0.

        Args:
            stage: the stage, e.g. "FRAGMENT".
            buffer: a buffer resource, bytes, an array (of float32 vec4s, for example), or None to unbind.
            index: slot, 0 .. 15.
            offset: first byte, a multiple of 4.
            size: bytes; by default up to the end of the buffer, at most 65792.

        Raises:
            TypeError, ValueError: an argument is of the wrong type or out of range.
        """
        name = "set_constant_buffer"
        kind = stage if type(stage) is ShaderType else lookup(ShaderType, stage, f"{name}: stage")
        slot = index
        if type(index) is not int or not 0 <= index < MAX_CONSTANT_BUFFERS:
            slot = integer(index, f"{name}: index", 0, MAX_CONSTANT_BUFFERS - 1)
        memory: Memory | Constants | None = None
        if buffer is not None:
            is_whole = size is None and type(offset) is int and not offset and not isinstance(buffer, Resource)
            memory = self.state.constant_memory.put(buffer) if is_whole else None
            memory = memory or self._memory(buffer, offset, size, name, MAX_BYTES)
        self.state.stage[kind].put_constants(slot, memory)
        self._learn_stage(stage, kind)

    def set_vertex_buffers(self, buffers: Sequence[Any], *, start: int = 0) -> None:
        """Bind vertex buffers to the slots from `start` on; None leaves a slot empty. (context.rst, "Resource Binding State")

        Each is a VertexBuffer, its fields as a dictionary, a Resource (stride 0), or an array with one vertex a row.
        Arrays and bytes are copied at once. Fetches outside a buffer read 0.

        TypeError, among others, for an array of float64 that a bound vertex element reads as something else.
        """
        name = "set_vertex_buffers"
        if isinstance(buffers, (str, bytes, Mapping, Resource, VertexBuffer)) or not isinstance(buffers, Sequence):
            raise TypeError(f"{name}: buffers: expected a sequence, not {type(buffers).__name__}")
        first = integer(start, f"{name}: start", 0, MAX_VERTEX_BUFFERS)
        if first + len(buffers) > MAX_VERTEX_BUFFERS:
            raise ValueError(f"{name}: buffers: slot {first + len(buffers) - 1} does not exist; there are {MAX_VERTEX_BUFFERS}")
        bound = list(self.state.vertex_buffers)
        self._saw_doubles = False
        bindings = [self._vertex_buffer(item, f"{name}: buffers[{i}]") for i, item in enumerate(buffers)]
        if self._saw_doubles or self._doubles:
            doubles = {first + i for i, item in enumerate(buffers) if _has_doubles(item)}
            doubles |= self._doubles - set(range(first, first + len(buffers)))
            self._check_doubles(self.state.vertex_elements, name, doubles)
            self._doubles = doubles
        place(bound, first, bindings)
        self.state.vertex_buffers = tuple(bound)
        for item, buffer in zip(buffers, bindings):
            source = item.get("buffer") if type(item) is dict else item.buffer if type(item) is VertexBuffer else None
            if buffer is not None and isinstance(source, Resource):
                self._learn_buffer(source)
                if type(item) is VertexBuffer and source.user is None and self.state.known.is_second(item):
                    slot = VertexBufferSlot(buffer.address, buffer.size, buffer.stride, buffer.lead)
                    self.state.known.learn_memory(item, Kind.VERTEX_BUFFER, slot, buffer.keepalive, source.ended)

    def _check_doubles(self, elements: tuple[VertexElement, ...], name: str, slots: set[int] | None = None) -> None:
        """TypeError if an element would read an array of float64 as something else. slots: of such arrays; None: of the bound ones."""
        wide = self._doubles if slots is None else slots
        for k, element in enumerate(elements):
            if element.vertex_buffer_index in wide and not isinstance(element.src_format, WideFormat):
                raise TypeError(
                    f"{name}: vertex buffer {element.vertex_buffer_index} has float64, element {k} reads {element.src_format}; "
                    "convert the array with .astype(numpy.float32), or read it with a format such as R64G64B64_FLOAT"
                )

    def rebind_vertex_buffers(self, bound: VertexBuffers) -> VertexBuffers:
        """Bind a tuple of checked vertex buffers unchanged, and return the tuple that was bound before. (an extension)

        For clients that bind the same buffers again and again: the device recognizes a repeated draw by the identity of the tuple.
        `bound` is a tuple that was bound before, or a tuple of `BoundVertexBuffer` records; their `keepalive` owns the memory.
        """
        old, self.state.vertex_buffers = self.state.vertex_buffers, bound
        return old

    def set_index_buffer(self, index: Any, *, index_offset: int = 0, index_size: int = 0) -> None:
        """Bind an index buffer for indexed draws without an `index` argument; None unbinds. Newer revisions bind it in draw_vbo alone.

        index_size: bytes of an index for draws with `indexed`: 1, 2 or 4; arrays have theirs; 0 leaves it to the draws.

        (context.rst, "Resource Binding State")
        """
        if integer(index_size, "set_index_buffer: index_size") not in (0, 1, 2, 4):
            raise ValueError(f"set_index_buffer: index_size: 0, 1, 2 or 4 bytes, not {index_size}")
        is_array = isinstance(index, np.ndarray) and index.dtype.kind in "ui" and index.itemsize in (1, 2, 4)
        memory = None if index is None else index_memory(self, index, index_offset, "set_index_buffer")
        self.state.index_buffer = memory
        if memory is not None:
            self._sized_indices = (memory.address, memory.size, index_size or (index.itemsize if is_array else 0))
        if isinstance(index, Resource):
            self._learn_buffer(index)

    def rebind_index_buffer(self, bound: Memory | None) -> None:
        """Bind a checked index buffer unchanged: a value that `state.index_buffer` had before. (an extension)"""
        self.state.index_buffer = bound

    def _memory(self, buffer: Any, offset: int, size: int | None, name: str, limit: int) -> Memory:
        start = integer(offset, f"{name}: offset")
        if start % 4:
            raise ValueError(f"{name}: offset: {start} is not a multiple of 4")
        if isinstance(buffer, Resource):
            self.checks.resource(buffer, f"{name}: buffer")
            if not buffer.is_buffer:
                raise ValueError(f"{name}: buffer: a texture cannot be used as a buffer")
            self.order.note_use(buffer)
            available = buffer.size
        else:
            source = as_bytes(buffer, f"{name}: buffer")
            available = source.size
        if start > available:
            raise ValueError(f"{name}: offset: {start} is after the end ({available})")
        length = min(available - start, limit) if size is None else integer(size, f"{name}: size", 0, available - start)
        if length > limit:
            raise ValueError(f"{name}: size: {length} bytes; at most {limit} are possible")
        if isinstance(buffer, Resource):
            return Memory(buffer.address + start, length, buffer.storage)
        copy = source[start : start + length].copy()
        return Memory(address_of(copy), length, copy)

    def _vertex_buffer(self, item: Any, argument: str) -> BoundVertexBuffer | None:
        if item is None:
            return None
        if isinstance(item, Mapping):
            if item.keys() - _VERTEX_BUFFER or "buffer" not in item:
                raise TypeError(f"{argument}: buffer, stride and buffer_offset are its keys, not {', '.join(map(str, item))}")
            source, stride, start = item["buffer"], item.get("stride"), item.get("buffer_offset", 0)
        elif isinstance(item, VertexBuffer):
            source, stride, start = item.buffer, item.stride, item.buffer_offset
        else:
            source, stride, start = item, None, 0
        if stride is None:
            stride = source.itemsize * (source.size // len(source)) if isinstance(source, np.ndarray) and source.ndim and len(source) else 0
        integer(stride, f"{argument}: stride", 0, MAX_VERTEX_STRIDE)
        offset = integer(start, f"{argument}: buffer_offset", -(1 << 31))
        if isinstance(source, Resource):
            self.checks.resource(source, argument)
            if not source.is_buffer:
                raise ValueError(f"{argument}: a texture cannot be used as a vertex buffer")
            self.order.note_use(source)
            address, size, owner = source.address, source.size, source.storage
        else:
            if type(source) is np.ndarray and source.dtype is _FLOAT64:
                self._saw_doubles = True
            data = as_bytes(source, argument)
            owner = allocate(data.size)
            owner[:] = data
            address, size = address_of(owner), data.size
            if isinstance(source, np.ndarray) and source.dtype.kind in "iuf" and source.dtype.itemsize == 2:
                owner = owner.view(source.dtype)  # validation names halves and short integers that are read as floats
        begin = min(max(offset, 0), size)
        return BoundVertexBuffer(address + begin, size - begin, stride, owner, max(-offset, 0))


def _has_doubles(item: Any) -> bool:
    """True for a vertex buffer that is an array of float64."""
    source = item.buffer if type(item) is VertexBuffer else item.get("buffer") if type(item) is dict else item
    return type(source) is np.ndarray and source.dtype is _FLOAT64


def index_memory(context: ContextCore, index: Any, offset: int, name: str) -> Memory:
    """The bytes of an index buffer from `offset` on: a Resource's in place, otherwise a copy."""
    begin = integer(offset, f"{name}: index_offset")
    if isinstance(index, Resource):
        context.checks.resource(index, f"{name}: index")
        if not index.is_buffer:
            raise ValueError(f"{name}: index: a texture cannot be used as an index buffer")
        context.order.note_use(index)
        begin = min(begin, index.size)
        return Memory(index.address + begin, index.size - begin, index.storage)
    data = as_bytes(index, f"{name}: index")[begin:]
    copy = allocate(data.size)
    copy[:] = data
    return Memory(address_of(copy), data.size, copy)
