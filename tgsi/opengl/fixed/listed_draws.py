"""Draws of arrays in display lists: their vertices are read while the list is compiled. (OpenGL 2.1, 5.4)"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tgsi.gallium import Format, texels
from tgsi.opengl.calls import HANDLERS, lists_itself
from tgsi.opengl.commands.draws import INDICES, check_mode
from tgsi.opengl.errors import bad_enum, not_negative
from tgsi.opengl.fixed.immediate import draw_batch
from tgsi.opengl.memory import Pointer, read
from tgsi.opengl.state.batch import Batch
from tgsi.opengl.state.fixed import VERTEX

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.objects.vertex_array import Attribute, Binding


def values_of(gl: Context, item: Attribute, binding: Binding, vertices: NDArray[Any]) -> NDArray[np.float32]:
    """[vertex, 4] numbers of an enabled attribute."""
    size, last = item.bytes(), int(vertices.max(initial=0))
    if binding.buffer is not None:
        stride, first = binding.stride, binding.offset + item.offset
        have = bytes(binding.buffer.read(gl, min(first, binding.buffer.size), max(0, binding.buffer.size - first)))
        raw = have + bytes(max(0, last * stride + size - len(have)))
    else:
        stride = item.stride or size
        raw = read(item.pointer, last * stride + size)
    rows = np.ndarray((last + 1, size), np.uint8, raw, 0, (stride, 1))[vertices]
    name = item.format()
    if name in Format.__members__:
        return texels.unpack(Format[name], np.ascontiguousarray(rows)).astype(np.float32)
    result = np.tile(np.array([0, 0, 0, 1], np.float32), (len(vertices), 1))
    result[:, : item.size] = np.ascontiguousarray(rows).view(np.float64)
    return result


def compile_draw(gl: Context, mode: int, vertices: NDArray[Any]) -> None:
    """Add a primitive of these vertices to the open list, and draw it unless the list is only compiled. Without a list, just draw it."""
    name = check_mode(gl, mode)
    array = gl.vertex_array
    enabled = [index for index, item in enumerate(array.attributes) if item.is_enabled]
    first = VERTEX if VERTEX in enabled else 0
    if first not in enabled or not len(vertices):
        return
    columns = [index for index in enabled if index not in (VERTEX, 0)]
    parts = [values_of(gl, array.attributes[k], array.bindings[array.attributes[k].binding], vertices) for k in (first, *columns)]
    batch = Batch.of_array(mode, name, columns, np.stack(parts, axis=1))
    if gl.list is None:
        draw_batch(gl, batch)
        return
    gl.list.items.append((draw_batch, (batch,)))
    gl.list.known.update(zip(batch.columns, batch.values, strict=True))
    if gl.list.executes:
        draw_batch(gl, batch)


def _arrays(gl: Context, mode: int, first: int, count: int) -> None:
    not_negative("count", first, count)
    compile_draw(gl, mode, np.arange(first, first + count))


def _elements(gl: Context, mode: int, count: int, type: int, indices: Pointer) -> None:
    not_negative("count", count)
    if type not in INDICES:
        raise bad_enum("type", type)
    size, _, kind = INDICES[type]
    source = gl.vertex_array.index
    raw = bytes(source.read(gl, indices or 0, size * count)) if source is not None else read(indices, size * count)
    compile_draw(gl, mode, np.frombuffer(raw, kind).astype(np.int64))


def _range(gl: Context, mode: int, start: int, end: int, count: int, type: int, indices: Pointer) -> None:
    _elements(gl, mode, count, type, indices)


def _with_lists(draw: Callable[..., None], compile: Callable[..., None]) -> Callable[..., None]:
    """A draw for the open list, if there is one, or for selection and feedback."""

    @wraps(draw)
    def call(gl: Context, *values: Any) -> None:
        (draw if gl.list is None and gl.legacy.taker is None else compile)(gl, *values)

    return lists_itself(call)


COMPILED: dict[str, Callable[..., None]] = {"glDrawArrays": _arrays, "glDrawElements": _elements, "glDrawRangeElements": _range}
"""Draw commands with the functions that compile them."""

for _name, _compile in COMPILED.items():
    HANDLERS[_name] = _with_lists(HANDLERS[_name], _compile)
