"""Transform feedback. (OpenGL 4.6 core, 13.3)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.commands.buffers import named as buffer_named
from tgsi.opengl.drawing.streams import make_targets
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, uints, write
from tgsi.opengl.objects.query import StreamCapture
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


@command("glGenTransformFeedbacks", "glCreateTransformFeedbacks")
def gen_transform_feedbacks(gl: Context, n: int, ids: Pointer) -> None:
    """Fresh names with their objects."""
    not_negative("n", n)
    write("I", ids, gl.captures.create(n, StreamCapture))


@command("glIsTransformFeedback")
def is_transform_feedback(gl: Context, id: int) -> int:
    """1 if the name has an object."""
    return int(gl.captures.get(id) is not None)


@command("glDeleteTransformFeedbacks")
def delete_transform_feedbacks(gl: Context, n: int, ids: Pointer) -> None:
    """Free the names of inactive objects."""
    not_negative("n", n)
    for name in uints(ids, n):
        item = gl.captures.get(name)
        if item is not None and item.is_active:
            raise bad_operation(f"ids: {name} is active")
        gl.captures.drop(name)
        if item is not None and gl.capture is item:
            gl.capture = gl.default_capture


@command("glBindTransformFeedback")
def bind_transform_feedback(gl: Context, target: int, id: int) -> None:
    """Bind a transform feedback object; 0 is the default one."""
    if target != GL.TRANSFORM_FEEDBACK:
        raise bad_enum("target", target)
    if gl.capture.is_active and not gl.capture.is_paused:
        raise bad_operation("target: transform feedback is active")
    item = gl.captures.get(id) if id else gl.default_capture
    if item is None:
        raise bad_operation(f"id: {id} is not the name of a transform feedback object")
    gl.capture = item


@command("glBeginTransformFeedback")
def begin_transform_feedback(gl: Context, mode: int) -> None:
    """Begin capturing."""
    if mode not in (GL.POINTS, GL.LINES, GL.TRIANGLES):
        raise bad_enum("primitiveMode", mode)
    linked = gl.active_linked()
    if gl.capture.is_active:
        raise bad_operation("transform feedback is active")
    if linked is None or not linked.streamed:
        raise bad_operation("the program captures nothing")
    for number in sorted(linked.streamed):
        if gl.capture.buffers[number][0] is None:
            raise bad_operation(f"no buffer is bound to point {number} for transform feedback")
    gl.capture.is_active, gl.capture.is_paused, gl.capture.mode = True, False, mode
    make_targets(gl)


@command("glEndTransformFeedback")
def end_transform_feedback(gl: Context) -> None:
    """End capturing."""
    if not gl.capture.is_active:
        raise bad_operation("transform feedback is not active")
    gl.capture.is_active = gl.capture.is_paused = False
    gl.pipe.set_stream_output_targets([])
    gl.bound["streams"] = ()


@command("glPauseTransformFeedback")
def pause_transform_feedback(gl: Context) -> None:
    """Pause capturing."""
    if not gl.capture.is_active or gl.capture.is_paused:
        raise bad_operation("transform feedback is not active, or it is paused")
    gl.capture.is_paused = True


@command("glResumeTransformFeedback")
def resume_transform_feedback(gl: Context) -> None:
    """Resume capturing."""
    if not gl.capture.is_paused:
        raise bad_operation("transform feedback is not paused")
    gl.capture.is_paused = False


def _put(gl: Context, name: int, index: int, buffer: int, place: tuple[int, int | None]) -> None:
    item = gl.captures.get(name) if name else gl.default_capture
    if item is None:
        raise bad_operation(f"xfb: {name} is not the name of a transform feedback object")
    if index >= 4:
        raise bad_value(f"index: {index} is not below 4")
    item.buffers[index] = buffer_named(gl, buffer) if buffer else None, *place


@command("glTransformFeedbackBufferBase")
def transform_feedback_buffer_base(gl: Context, xfb: int, index: int, buffer: int) -> None:
    """Capture into all of a buffer."""
    _put(gl, xfb, index, buffer, (0, None))


@command("glTransformFeedbackBufferRange")
def transform_feedback_buffer_range(gl: Context, xfb: int, index: int, buffer: int, offset: int, size: int) -> None:
    """Capture into a range of a buffer."""
    _put(gl, xfb, index, buffer, (offset, size))
