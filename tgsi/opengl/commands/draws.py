"""Draws of vertex arrays. (OpenGL 4.6 compatibility, 10.4)"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.gallium import DrawInfo, Prim
from tgsi.opengl.calls import command
from tgsi.opengl.drawing.validate import check_framebuffer, validate_draw
from tgsi.opengl.drawing.vertices import Reader, has_client_arrays
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, ints, numbers, read
from tgsi.opengl.native_calls import note_draw
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.objects.buffer import Buffer

MODES = {
    GL.POINTS: "POINTS",
    GL.LINES: "LINES",
    GL.LINE_LOOP: "LINE_LOOP",
    GL.LINE_STRIP: "LINE_STRIP",
    GL.TRIANGLES: "TRIANGLES",
    GL.TRIANGLE_STRIP: "TRIANGLE_STRIP",
    GL.TRIANGLE_FAN: "TRIANGLE_FAN",
    GL.QUADS: "QUADS",
    GL.QUAD_STRIP: "QUAD_STRIP",
    GL.POLYGON: "POLYGON",
    GL.LINES_ADJACENCY: "LINES_ADJACENCY",
    GL.LINE_STRIP_ADJACENCY: "LINE_STRIP_ADJACENCY",
    GL.TRIANGLES_ADJACENCY: "TRIANGLES_ADJACENCY",
    GL.TRIANGLE_STRIP_ADJACENCY: "TRIANGLE_STRIP_ADJACENCY",
    GL.PATCHES: "PATCHES",
}
KEPT_DRAWS = 1000
FIXED_ONLY = {GL.QUADS, GL.QUAD_STRIP, GL.POLYGON}
INDICES = {GL.UNSIGNED_BYTE: (1, "B", np.uint8), GL.UNSIGNED_SHORT: (2, "H", np.uint16), GL.UNSIGNED_INT: (4, "I", np.uint32)}


def check_mode(gl: Context, mode: int) -> str:
    """The Gallium name of a mode; GLError if it cannot be drawn now."""
    name = MODES.get(mode)
    if name is None or (mode in FIXED_ONLY and gl.is_core()):
        raise bad_enum("mode", mode)
    linked = gl.active_linked()
    if linked is not None and (mode == GL.PATCHES) != (GL.TESS_EVALUATION_SHADER in linked.shaders):
        raise bad_operation("mode: patches are drawn with a tessellation evaluation shader, and nothing else is")
    if gl.profile == "core" and gl.vertex_array is gl.default_vertex_array:
        raise bad_operation("no vertex array is bound")
    return name


def draws_nothing(gl: Context) -> bool:
    """True if no program is in use."""
    linked = gl.active_linked()
    return linked is None or GL.VERTEX_SHADER not in linked.shaders


def draw_arrays_with(gl: Context, mode: int, first: int, count: int, instances: int = 1, base: int = 0, draw_id: int = 0) -> None:
    """Draw vertices in their order."""
    name = check_mode(gl, mode)
    not_negative("count", first, count, instances)
    if not count or not instances:
        check_framebuffer(gl)
        return
    validate_draw(gl, Reader(first, first + count - 1, instances) if has_client_arrays(gl) else None)
    if draws_nothing(gl):
        return
    key = name, first, count, instances, base, draw_id
    gl.pipe.draw_vbo(gl.draws.get(key) or _keep_draw(gl, key))
    note_draw(gl)


def _keep_draw(gl: Context, key: tuple[str, int, int, int, int, int]) -> DrawInfo:
    """A DrawInfo for a draw, cached for the next equal draw."""
    if len(gl.draws) >= KEPT_DRAWS:
        gl.draws.clear()
    name, first, count, instances, base, draw_id = key
    info = gl.draws[key] = DrawInfo(
        mode=getattr(Prim, name), start=first, count=count, instance_count=instances, start_instance=base, drawid=draw_id
    )
    return info


def draw_elements_with(
    gl: Context, mode: int, count: int, type: int, indices: Pointer, instances: int = 1, bias: int = 0, base: int = 0, draw_id: int = 0
) -> None:
    """Draw vertices in the order of indices: from the index buffer, or from the caller's memory."""
    name = check_mode(gl, mode)
    not_negative("count", count, instances)
    if type not in INDICES:
        raise bad_enum("type", type)
    if not count or not instances:
        check_framebuffer(gl)
        return
    size, _, kind = INDICES[type]
    buffer = gl.vertex_array.index
    info: dict[str, Any] = {"mode": name, "count": count, "instance_count": instances, "start_instance": base, "index_bias": bias}
    info["drawid"] = draw_id
    info |= _restart(gl, size)
    reader = None
    array: Any = None
    if buffer is None:
        if not indices:
            raise bad_operation("indices: no buffer is bound to GL_ELEMENT_ARRAY_BUFFER")
        array = np.frombuffer(read(indices, size * count), kind)
    if has_client_arrays(gl):
        indices_read = array if array is not None else np.frombuffer(_bytes_of(gl, indices or 0, size * count), kind)
        used = indices_read[indices_read != info["restart_index"]] if "restart_index" in info else indices_read
        low, high = (int(used.min()) + bias, int(used.max()) + bias) if len(used) else (0, 0)
        reader = Reader(max(low, 0), max(high, 0), instances)
    validate_draw(gl, reader)
    if draws_nothing(gl):
        return
    if array is not None:
        gl.pipe.draw_vbo(index=array, **info)
        return
    assert buffer is not None
    if buffer.resource is None:
        return
    offset = indices or 0
    if offset >= buffer.size:
        return
    gl.pipe.draw_vbo(index=buffer.resource, index_offset=offset, index_size=size, **info)
    note_draw(gl)


def _restart(gl: Context, size: int) -> dict[str, Any]:
    """The DrawInfo fields of primitive restart."""
    if GL.PRIMITIVE_RESTART_FIXED_INDEX in gl.enabled:
        return {"primitive_restart": True, "restart_index": (1 << 8 * size) - 1}
    return {"primitive_restart": True, "restart_index": gl.restart_index} if GL.PRIMITIVE_RESTART in gl.enabled else {}


def _bytes_of(gl: Context, offset: int, size: int) -> bytes:
    buffer = gl.vertex_array.index
    assert buffer is not None
    have = max(0, min(size, buffer.size - offset))
    return bytes(buffer.read(gl, offset, have)) + bytes(size - have)


@command("glDrawArrays")
def draw_arrays(gl: Context, mode: int, first: int, count: int) -> None:
    """Draw vertices in their order."""
    draw_arrays_with(gl, mode, first, count)


@command("glDrawArraysInstanced")
def draw_arrays_instanced(gl: Context, mode: int, first: int, count: int, instances: int) -> None:
    """Draw vertices in their order, several times."""
    draw_arrays_with(gl, mode, first, count, instances)


@command("glDrawArraysInstancedBaseInstance")
def draw_arrays_instanced_base(gl: Context, mode: int, first: int, count: int, instances: int, base: int) -> None:
    """Draw vertices in their order, several times, from an instance on."""
    draw_arrays_with(gl, mode, first, count, instances, base)


@command("glDrawElements")
def draw_elements(gl: Context, mode: int, count: int, type: int, indices: Pointer) -> None:
    """Draw vertices by indices."""
    draw_elements_with(gl, mode, count, type, indices)


@command("glDrawRangeElements")
def draw_range_elements(gl: Context, mode: int, start: int, end: int, count: int, type: int, indices: Pointer) -> None:
    """Draw vertices by indices of a range."""
    if end < start:
        raise bad_value(f"end: {end} is below {start}")
    draw_elements_with(gl, mode, count, type, indices)


@command("glDrawElementsInstanced")
def draw_elements_instanced(gl: Context, mode: int, count: int, type: int, indices: Pointer, instances: int) -> None:
    """Draw vertices by indices, several times."""
    draw_elements_with(gl, mode, count, type, indices, instances)


@command("glDrawElementsBaseVertex")
def draw_elements_base_vertex(gl: Context, mode: int, count: int, type: int, indices: Pointer, bias: int) -> None:
    """Draw vertices by indices and a number that is added to them."""
    draw_elements_with(gl, mode, count, type, indices, 1, bias)


@command("glDrawRangeElementsBaseVertex")
def draw_range_elements_base_vertex(
    gl: Context, mode: int, start: int, end: int, count: int, type: int, indices: Pointer, bias: int
) -> None:
    """Draw vertices by indices of a range and a number that is added to them."""
    if end < start:
        raise bad_value(f"end: {end} is below {start}")
    draw_elements_with(gl, mode, count, type, indices, 1, bias)


@command("glDrawElementsInstancedBaseVertex")
def draw_elements_instanced_base_vertex(gl: Context, mode: int, count: int, type: int, indices: Pointer, instances: int, bias: int) -> None:
    """Draw vertices by indices and a number that is added to them, several times."""
    draw_elements_with(gl, mode, count, type, indices, instances, bias)


@command("glDrawElementsInstancedBaseInstance")
def draw_elements_instanced_base(gl: Context, mode: int, count: int, type: int, indices: Pointer, instances: int, base: int) -> None:
    """Draw vertices by indices, several times, from an instance on."""
    draw_elements_with(gl, mode, count, type, indices, instances, 0, base)


@command("glDrawElementsInstancedBaseVertexBaseInstance")
def draw_elements_instanced_base_vertex_base(
    gl: Context, mode: int, count: int, type: int, indices: Pointer, instances: int, bias: int, base: int
) -> None:
    """Draw vertices by indices and a number that is added to them, several times, from an instance on."""
    draw_elements_with(gl, mode, count, type, indices, instances, bias, base)


@command("glMultiDrawArrays")
def multi_draw_arrays(gl: Context, mode: int, first: Pointer, count: Pointer, draws: int) -> None:
    """Several draws."""
    not_negative("drawcount", draws)
    for k, (start, length) in enumerate(zip(ints(first, draws), ints(count, draws), strict=True)):
        draw_arrays_with(gl, mode, start, length, draw_id=k)


@command("glMultiDrawElements")
def multi_draw_elements(gl: Context, mode: int, count: Pointer, type: int, indices: Pointer, draws: int) -> None:
    """Several draws by indices."""
    not_negative("drawcount", draws)
    for k, (length, place) in enumerate(zip(ints(count, draws), numbers("Q", indices, draws), strict=True)):
        draw_elements_with(gl, mode, length, type, place, draw_id=k)


@command("glMultiDrawElementsBaseVertex")
def multi_draw_elements_base_vertex(
    gl: Context, mode: int, count: Pointer, type: int, indices: Pointer, draws: int, biases: Pointer
) -> None:
    """Several draws by indices, each with a number that is added to them."""
    not_negative("drawcount", draws)
    rows = zip(ints(count, draws), numbers("Q", indices, draws), ints(biases, draws), strict=True)
    for k, (length, place, bias) in enumerate(rows):
        draw_elements_with(gl, mode, length, type, place, 1, bias, draw_id=k)


# -- arguments in memory
def _place(gl: Context, indirect: Pointer, count: int, stride: int, words: int) -> tuple[Buffer | None, int, int]:
    """The buffer with the records of indirect draws (None: the caller's memory), the first byte, and the stride."""
    not_negative("drawcount", count, stride)
    step, offset = stride or 4 * words, indirect or 0
    if step % 4 or offset % 4:
        raise bad_value(f"stride: {stride} or offset {offset} is not a multiple of 4")
    buffer = gl.buffers.get("DRAW_INDIRECT_BUFFER")
    if buffer is None and gl.is_core():
        raise bad_operation("indirect: no buffer is bound to GL_DRAW_INDIRECT_BUFFER")
    if buffer is not None and count and offset + step * (count - 1) + 4 * words > buffer.size:
        raise bad_operation("indirect: the records are not in the buffer")
    return buffer, offset, step


def _records(gl: Context, place: tuple[Buffer | None, int, int], count: int, words: int) -> list[tuple[int, ...]]:
    """The records of indirect draws whose vertices or arguments are in the caller's memory."""
    buffer, offset, step = place
    length = step * (count - 1) + 4 * words if count else 0
    raw = read(offset, length) if buffer is None else buffer.read(gl, offset, length)
    return [struct.unpack_from(f"={words}I", raw, k * step) for k in range(count)]


def _draw_indirect(gl: Context, place: tuple[Buffer | None, int, int], count: int, **info: Any) -> None:
    """Let Gallium read the records from their buffer."""
    buffer, offset, step = place
    assert buffer is not None
    validate_draw(gl)
    if count and buffer.resource is not None and not draws_nothing(gl):
        gl.pipe.draw_vbo(indirect=buffer.resource, indirect_offset=offset, indirect_stride=step, draw_count=count, **info)


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


@command("glMultiDrawArraysIndirect")
def multi_draw_arrays_indirect(gl: Context, mode: int, indirect: Pointer, draws: int, stride: int) -> None:
    """Several draws whose arguments are read from a buffer."""
    name, place = check_mode(gl, mode), _place(gl, indirect, draws, stride, 4)
    if place[0] is not None and not has_client_arrays(gl):
        _draw_indirect(gl, place, draws, mode=name)
        return
    for k, (count, instances, first, base) in enumerate(_records(gl, place, draws, 4)):
        draw_arrays_with(gl, mode, first, count, instances, base, k)


@command("glDrawArraysIndirect")
def draw_arrays_indirect(gl: Context, mode: int, indirect: Pointer) -> None:
    """A draw whose arguments are read from a buffer."""
    multi_draw_arrays_indirect(gl, mode, indirect, 1, 0)


@command("glMultiDrawElementsIndirect")
def multi_draw_elements_indirect(gl: Context, mode: int, type: int, indirect: Pointer, draws: int, stride: int) -> None:
    """Several draws by indices whose arguments are read from a buffer."""
    name, place = check_mode(gl, mode), _place(gl, indirect, draws, stride, 5)
    if type not in INDICES:
        raise bad_enum("type", type)
    index, size = gl.vertex_array.index, INDICES[type][0]
    if index is None:
        raise bad_operation("no buffer is bound to GL_ELEMENT_ARRAY_BUFFER")
    if place[0] is not None and index.resource is not None and not has_client_arrays(gl):
        _draw_indirect(gl, place, draws, mode=name, index=index.resource, index_size=size, **_restart(gl, size))
        return
    for k, (count, instances, first, bias, base) in enumerate(_records(gl, place, draws, 5)):
        draw_elements_with(gl, mode, count, type, first * size, instances, _signed(bias), base, k)


@command("glDrawElementsIndirect")
def draw_elements_indirect(gl: Context, mode: int, type: int, indirect: Pointer) -> None:
    """A draw by indices whose arguments are read from a buffer."""
    multi_draw_elements_indirect(gl, mode, type, indirect, 1, 0)


@command("glDrawTransformFeedback")
def draw_transform_feedback(gl: Context, mode: int, id: int) -> None:
    """Draw as many vertices as were captured."""
    draw_transform_feedback_with(gl, mode, id, 0, 1)


@command("glDrawTransformFeedbackInstanced")
def draw_transform_feedback_instanced(gl: Context, mode: int, id: int, instances: int) -> None:
    """Draw as many vertices as were captured, several times."""
    draw_transform_feedback_with(gl, mode, id, 0, instances)


@command("glDrawTransformFeedbackStream")
def draw_transform_feedback_stream(gl: Context, mode: int, id: int, stream: int) -> None:
    """Draw as many vertices as were captured of a stream."""
    draw_transform_feedback_with(gl, mode, id, stream, 1)


@command("glDrawTransformFeedbackStreamInstanced")
def draw_transform_feedback_stream_instanced(gl: Context, mode: int, id: int, stream: int, instances: int) -> None:
    """Draw as many vertices as were captured of a stream, several times."""
    draw_transform_feedback_with(gl, mode, id, stream, instances)


def draw_transform_feedback_with(gl: Context, mode: int, name: int, stream: int, instances: int) -> None:
    """Draw as many vertices as a transform feedback object holds."""
    capture = gl.captures.get(name) if name else gl.default_capture
    if capture is None:
        raise bad_value(f"id: {name} is not a transform feedback object")
    mode_name = check_mode(gl, mode)
    if stream >= len(capture.targets) or capture.targets[stream] is None:
        raise bad_operation("id: nothing was captured")
    validate_draw(gl)
    gl.dirty |= dirty.VERTICES
    if not draws_nothing(gl):
        gl.pipe.draw_vbo(mode=mode_name, instance_count=instances, count_from_stream_output=capture.targets[stream])
