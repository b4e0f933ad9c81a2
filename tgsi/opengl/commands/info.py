"""Errors, strings, hints and completion. (OpenGL 4.6 core, 2.3, 22.2)"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from tgsi import __version__
from tgsi.opengl.calls import command
from tgsi.opengl.errors import bad_enum, bad_value
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.extensions import extensions

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

_texts: dict[str, ctypes.Array[ctypes.c_char]] = {}


def address_of(text: str) -> int:
    """The address of a string with the lifetime of the process."""
    if text not in _texts:
        _texts[text] = ctypes.create_string_buffer(text.encode())
    return ctypes.addressof(_texts[text])


@command("glGetError")
def get_error(gl: Context) -> int:
    """The oldest error that was not returned yet."""
    error = gl.errors.pop(0) if gl.errors else GL.NO_ERROR
    if gl.native is not None:
        gl.native.note_error(bool(gl.errors))
    return error


@command("glGetGraphicsResetStatus")
def get_graphics_reset_status(gl: Context) -> int:
    """A software device is never reset."""
    return GL.NO_ERROR


@command("glGetString")
def get_string(gl: Context, name: int) -> int:
    """Vendor, renderer, versions and extensions."""
    major, minor = gl.version
    glsl = {(2, 1): "1.20", (3, 0): "1.30", (3, 1): "1.40", (3, 2): "1.50"}.get(gl.version, f"{major}.{minor}0")
    if gl.profile == "es":
        version, glsl = f"OpenGL ES {major}.{minor} tgsi {__version__}", f"OpenGL ES GLSL ES {major}.{minor}0"
    else:
        words = {"core": " (Core Profile)", "compatibility": " (Compatibility Profile)"}[gl.profile] if gl.version >= (3, 2) else ""
        version = f"{major}.{minor}{words} tgsi {__version__}"
    strings = {GL.VENDOR: "tgsi", GL.RENDERER: "tgsi software rasterizer", GL.VERSION: version, GL.SHADING_LANGUAGE_VERSION: glsl}
    if name == GL.EXTENSIONS and gl.profile != "core":
        return address_of(" ".join(extensions()))
    if name not in strings:
        raise bad_enum("name", name)
    return address_of(strings[name])


@command("glGetStringi")
def get_string_indexed(gl: Context, name: int, index: int) -> int:
    """One extension."""
    if name != GL.EXTENSIONS:
        raise bad_enum("name", name)
    names = extensions()
    if index >= len(names):
        raise bad_value(f"index: {index} is not below {len(names)}")
    return address_of(names[index])


@command("glFlush")
def flush(gl: Context) -> None:
    """Start all pending commands."""
    gl.pipe.flush()
    gl.present()


@command("glFinish")
def finish(gl: Context) -> None:
    """Finish all pending commands."""
    gl.screen.fence_finish(gl.pipe.flush())
    gl.present()


@command("glHint")
def hint(gl: Context, target: int, mode: int) -> None:
    """Store a hint for glGet; hints have no other effect."""
    if mode not in (GL.FASTEST, GL.NICEST, GL.DONT_CARE):
        raise bad_enum("mode", mode)
    gl.hints[target] = mode


@command("glReleaseShaderCompiler")
def release_shader_compiler(gl: Context) -> None:
    """Ignored: the compiler runs in a separate process and holds no memory."""
