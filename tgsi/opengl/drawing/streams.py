"""Transform feedback as Gallium's stream output targets. (OpenGL 4.6 core, 13.3)"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

APPEND = -1


def bind_streams(gl: Context) -> None:
    """Bind the buffers of the current capture, or none while it is paused or inactive."""
    capture = gl.capture
    wanted = capture.is_active and not capture.is_paused
    key = (id(capture), wanted, len(capture.targets)) if wanted else ()
    if gl.bound.get("streams", ()) == key:
        return
    if wanted:
        offsets = [APPEND if capture.was_drawn else 0] * len(capture.targets)
        gl.pipe.set_stream_output_targets(capture.targets, offsets=offsets)
        capture.was_drawn = True
    else:
        gl.pipe.set_stream_output_targets([])
    gl.bound["streams"] = key


def make_targets(gl: Context) -> None:
    """Stream output targets for the buffers of the current capture, at its beginning."""
    capture = gl.capture
    capture.targets = []
    for buffer, offset, size in capture.buffers:
        if buffer is None or buffer.resource is None:
            capture.targets.append(None)
            continue
        length = min(buffer.size - offset, size if size is not None else buffer.size) // 4 * 4
        capture.targets.append(gl.pipe.create_stream_output_target(buffer.resource, buffer_offset=offset, buffer_size=length))
    while capture.targets and capture.targets[-1] is None:
        capture.targets.pop()
    capture.was_drawn = False
    gl.bound["streams"] = ()
