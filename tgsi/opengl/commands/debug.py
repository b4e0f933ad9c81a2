"""Debug output, groups and labels. (OpenGL 4.6 core, chapter 20; KHR_debug)"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from tgsi.opengl.calls import command
from tgsi.opengl.errors import GLError, bad_enum, bad_value, not_negative
from tgsi.opengl.memory import Pointer, text, write, write_text
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

_CALLBACK = ctypes.CFUNCTYPE(
    None, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p
)
MAX_GROUPS = 64


@command("glDebugMessageCallback")
def debug_message_callback(gl: Context, callback: Pointer, parameter: Pointer) -> None:
    """Set the caller's function that receives every message; null removes it."""
    if not callback:
        gl.debug_callback = gl.debug_keep = None
        return
    function = gl.debug_keep = _CALLBACK(callback)

    def report(source: int, kind: int, number: int, severity: int, words: str) -> None:
        raw = words.encode()
        function(source, kind, number, severity, len(raw), raw, parameter)

    gl.debug_callback = report


@command("glDebugMessageControl")
def debug_message_control(gl: Context, source: int, type: int, severity: int, count: int, ids: Pointer, enabled: int) -> None:
    """Ignored: all messages are errors, and none can be disabled."""
    not_negative("count", count)


@command("glDebugMessageInsert")
def debug_message_insert(gl: Context, source: int, type: int, id: int, severity: int, length: int, buf: Pointer) -> None:
    """A message of the program."""
    if source not in (GL.DEBUG_SOURCE_APPLICATION, GL.DEBUG_SOURCE_THIRD_PARTY):
        raise bad_enum("source", source)
    gl.message(source, type, id, severity, text(buf, length))


@command("glGetDebugMessageLog")
def get_debug_message_log(
    gl: Context,
    count: int,
    size: int,
    sources: Pointer,
    types: Pointer,
    ids: Pointer,
    severities: Pointer,
    lengths: Pointer,
    log: Pointer,
) -> int:
    """Move messages from the log to the caller, oldest first, and return how many."""
    taken: list[tuple[int, int, int, int, str]] = []
    place = 0
    while gl.debug_log and len(taken) < count:
        raw = gl.debug_log[0][4].encode() + b"\0"
        if log and place + len(raw) > size:
            break
        if log:
            ctypes.memmove(log + place, raw, len(raw))
        place += len(raw)
        taken.append(gl.debug_log.pop(0))
    for index, address in enumerate((sources, types, ids, severities)):
        write("I", address, [item[index] for item in taken])
    write("i", lengths, [len(item[4].encode()) + 1 for item in taken])
    return len(taken)


@command("glPushDebugGroup")
def push_debug_group(gl: Context, source: int, id: int, length: int, message: Pointer) -> None:
    """Open a group."""
    if len(gl.debug_groups) >= MAX_GROUPS - 1:
        raise GLError(GL.STACK_OVERFLOW, f"{MAX_GROUPS} groups are open")
    gl.debug_groups.append(text(message, length))
    gl.message(source, GL.DEBUG_TYPE_PUSH_GROUP, id, GL.DEBUG_SEVERITY_NOTIFICATION, gl.debug_groups[-1])


@command("glPopDebugGroup")
def pop_debug_group(gl: Context) -> None:
    """Close a group."""
    if not gl.debug_groups:
        raise GLError(GL.STACK_UNDERFLOW, "no group is open")
    words = gl.debug_groups.pop()
    gl.message(GL.DEBUG_SOURCE_APPLICATION, GL.DEBUG_TYPE_POP_GROUP, 0, GL.DEBUG_SEVERITY_NOTIFICATION, words)


@command("glPushGroupMarkerEXT")
def push_group_marker(gl: Context, length: int, marker: Pointer) -> None:
    """Open a group of EXT_debug_marker, which nests without limit."""


@command("glPopGroupMarkerEXT")
def pop_group_marker(gl: Context) -> None:
    """Close a group of EXT_debug_marker."""


@command("glInsertEventMarkerEXT")
def insert_event_marker(gl: Context, length: int, marker: Pointer) -> None:
    """Mark a position in a recording."""
    gl.pipe.emit_string_marker(text(marker, length or -1))


def labelled(gl: Context, identifier: int, name: int) -> Any:
    """The object of a label."""
    tables: dict[int, Any] = {
        GL.BUFFER: gl.share.buffers,
        GL.BUFFER_OBJECT_EXT: gl.share.buffers,
        GL.SHADER: gl.share.programs,
        GL.SHADER_OBJECT_EXT: gl.share.programs,
        GL.PROGRAM: gl.share.programs,
        GL.PROGRAM_OBJECT_EXT: gl.share.programs,
        GL.VERTEX_ARRAY: gl.vertex_arrays,
        GL.VERTEX_ARRAY_OBJECT_EXT: gl.vertex_arrays,
        GL.QUERY: gl.queries,
        GL.QUERY_OBJECT_EXT: gl.queries,
        GL.SAMPLER: gl.share.samplers,
        GL.TEXTURE: gl.share.textures,
        GL.RENDERBUFFER: gl.share.renderbuffers,
        GL.FRAMEBUFFER: gl.framebuffers,
        GL.TRANSFORM_FEEDBACK: gl.captures,
    }
    if identifier not in tables:
        raise bad_enum("identifier", identifier)
    item = tables[identifier].get(name)
    if item is None:
        raise bad_value(f"name: there is no such object, {name}")
    return item


@command("glObjectLabel")
def object_label(gl: Context, identifier: int, name: int, length: int, label: Pointer) -> None:
    """Give an object a name for debuggers."""
    labelled(gl, identifier, name).label = text(label, length)


@command("glLabelObjectEXT")
def label_object(gl: Context, type: int, object: int, length: int, label: Pointer) -> None:
    """Give an object a name for debuggers; a length of 0 means a null-terminated string."""
    labelled(gl, type, object).label = text(label, length or -1)


@command("glGetObjectLabel", "glGetObjectLabelEXT")
def get_object_label(gl: Context, identifier: int, name: int, size: int, length: Pointer, label: Pointer) -> None:
    """The name of an object for debuggers."""
    write_text(labelled(gl, identifier, name).label, size, length, label)


@command("glObjectPtrLabel")
def object_ptr_label(gl: Context, pointer: Pointer, length: int, label: Pointer) -> None:
    """Ignored: sync objects have no names for debuggers."""
    if (pointer or 0) not in gl.share.syncs:
        raise bad_value("ptr: there is no such sync object")


@command("glGetObjectPtrLabel")
def get_object_ptr_label(gl: Context, pointer: Pointer, size: int, length: Pointer, label: Pointer) -> None:
    """The name of a sync object: none."""
    if (pointer or 0) not in gl.share.syncs:
        raise bad_value("ptr: there is no such sync object")
    write_text("", size, length, label)
