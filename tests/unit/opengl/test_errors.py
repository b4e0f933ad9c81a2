"""Errors: the code that glGetError returns, the words of the debug log, and random calls that raise no other errors."""

from __future__ import annotations

import ctypes
import random
import time

import pytest

from tests.unit.opengl.binding import Binding
from tgsi.opengl.calls import current, find_handler, offered
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.registry.table import command


@pytest.fixture(scope="module")
def gl() -> Binding:
    return Binding(debug=True)


@pytest.mark.parametrize(
    ("name", "values", "code"),
    [
        ("glEnable", (1,), GL.INVALID_ENUM),
        ("glBindTexture", (GL.TEXTURE_2D, 12345), GL.INVALID_OPERATION),
        ("glViewport", (0, 0, -1, 4), GL.INVALID_VALUE),
        ("glDrawArrays", (GL.TRIANGLES, 0, 3), GL.INVALID_OPERATION),
        ("glDrawArrays", (77, 0, 3), GL.INVALID_ENUM),
        ("glBufferData", (GL.ARRAY_BUFFER, 4, None, GL.STATIC_DRAW), GL.INVALID_OPERATION),
        ("glLineWidth", (0.0,), GL.INVALID_VALUE),
        ("glUseProgram", (4711,), GL.INVALID_VALUE),
        ("glLineWidth", (float("nan"),), GL.INVALID_VALUE),
        ("glGetIntegerv", (0xFFFFFF, None), GL.INVALID_ENUM),
        ("glClear", (0x80000000,), GL.INVALID_VALUE),
    ],
)
def test_a_wrong_call_records_its_code(gl: Binding, name: str, values: tuple[object, ...], code: int) -> None:
    getattr(gl, name)(*values)
    assert gl.glGetError() == code
    assert gl.glGetError() == GL.NO_ERROR


def test_the_debug_log_has_the_command_and_the_reason(gl: Binding) -> None:
    while gl.glGetDebugMessageLog(1, 0, None, None, None, None, None, None):
        pass
    gl.glViewport(0, 0, -5, 4)
    text, types = ctypes.create_string_buffer(200), (ctypes.c_uint32 * 1)()
    assert gl.glGetDebugMessageLog(1, 200, None, types, None, None, None, text) == 1
    assert text.value == b"glViewport: width: -5 is negative"
    assert types[0] == GL.DEBUG_TYPE_ERROR
    assert gl.glGetError() == GL.INVALID_VALUE


def test_a_callback_of_the_caller_gets_the_message(gl: Binding) -> None:
    found: list[bytes] = []
    kind = ctypes.CFUNCTYPE(
        None, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p
    )
    callback = kind(lambda source, type, id, severity, length, message, user: found.append(message))
    gl.glDebugMessageCallback(ctypes.cast(callback, ctypes.c_void_p), None)
    gl.glCullFace(3)
    gl.glDebugMessageCallback(None, None)
    assert found == [b"glCullFace: mode: GL_LINE_STRIP is not accepted here"]
    assert gl.glGetError() == GL.INVALID_ENUM


def test_a_command_without_a_context_does_nothing(gl: Binding) -> None:
    from tgsi.opengl.calls import make_current

    context = current()
    make_current(None)
    try:
        gl.glClearColor(1, 1, 1, 1)
        assert gl.glGetError() == GL.NO_ERROR
    finally:
        make_current(context)
    assert gl.get(GL.COLOR_CLEAR_VALUE, 4, ctypes.c_float) == [0, 0, 0, 0]


def test_an_interrupt_inside_of_a_command_reaches_the_program(gl: Binding, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current(), "present", _interrupted)
    gl.glFlush()
    with pytest.raises(KeyboardInterrupt):
        time.sleep(5)
    monkeypatch.undo()
    assert gl.glGetError() == GL.NO_ERROR


def _interrupted() -> None:
    raise KeyboardInterrupt


MEMORY = (ctypes.c_uint8 * (1 << 22))()
UNSAFE = (
    "glDebugMessageCallback", "glShaderSource", "glMultiDrawElements", "glMultiDrawElementsBaseVertex", "glCreateShaderProgramv",
    "glTransformFeedbackVaryings", "glGetUniformIndices",
)  # fmt: skip
"""Commands whose pointers point to pointers or code, which random bytes are not."""


def random_calls(gl: Binding, seed: int, count: int) -> None:
    """Call offered commands with any enumerant, size and name; pointers point to four megabytes of zeros."""
    dice = random.Random(seed)
    unsafe = {find_handler(name) for name in UNSAFE}
    names = [name for name in offered() if find_handler(name) not in unsafe]
    values = [value for value in vars(GL).values() if type(value) is int]
    address = ctypes.addressof(MEMORY)

    def value(kind: str, name: str) -> object:
        if kind == "p":
            return dice.choice([None, address])
        if kind in "fd":
            return dice.choice([0.0, 1.0, -1.0, 1e30, float("nan"), float("inf")])
        if kind == "e":
            return dice.choice(values)
        if kind in "bo2":
            return dice.choice([0, 1, 255])
        small = [0, 1, 2, 3, 4, 7, 16, -1, -2147483648]
        return dice.choice(small if name not in ("target",) else values) & (0xFFFFFFFF if kind in "uQ" else -1)

    for _ in range(count):
        row = command(dice.choice(names))
        assert row is not None
        getattr(gl, row.name)(*(value(item.kind, item.name) for item in row.parameters))
        gl.glGetError()
        if row.name == "glBegin":  # most commands are errors inside
            gl.glVertex2f(0.0, 0.0)
            gl.glEnd()
            gl.glGetError()


@pytest.mark.parametrize("profile", ["core", "compatibility", "es"])
def test_random_calls_end_in_errors_of_opengl(profile: str) -> None:
    gl = Binding(profile, size=(16, 16))
    random_calls(gl, 7, 3000)
    assert gl.glGetString(GL.VENDOR)
    gl.loader.release()


def test_commands_between_begin_and_end_are_those_of_vertices() -> None:
    gl = Binding("compatibility")
    gl.glBegin(GL.POINTS)
    gl.glEnable(GL.BLEND)
    gl.glColor3ub(1, 2, 3)
    gl.glVertexAttrib1f(3, 1.0)
    gl.glMultiTexCoord2f(GL.TEXTURE0, 0.0, 0.0)
    gl.glEdgeFlag(1)
    gl.glEnd()
    assert gl.glGetError() == GL.INVALID_OPERATION
    assert gl.glGetError() == GL.NO_ERROR
    assert not gl.glIsEnabled(GL.BLEND)
