"""Native functions: frequent calls of clients are done without Python, and all calls that need Python reach it."""

from __future__ import annotations

import ctypes
import threading

import numpy as np
import pytest

from backends.gallium.tracing.steps import read_steps
from tests.unit.opengl.binding import Binding
from tgsi import native
from tgsi.opengl.registry import enums as GL

VERTEX = """#version 330 core
in vec2 position;
uniform vec2 offset;
uniform mat2 turn;
void main() { gl_Position = vec4(turn * position + offset, 0.0, 1.0); }
"""
FRAGMENT = """#version 330 core
uniform vec4 colors[3];
uniform int chosen;
out vec4 result;
void main() { result = colors[chosen]; }
"""
QUAD = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)
ALL = native.DRAWS | native.NOTES | native.PLACES
needs_native = pytest.mark.skipif(not native.is_possible(), reason="this interpreter has no native functions")


class Drawn:
    """A context with a program whose first draw was drawn."""

    def __init__(self) -> None:
        self.gl = gl = Binding()
        gl.target(4, 4)
        self.vertex_array = gl.make("VertexArrays")
        gl.glBindVertexArray(self.vertex_array)
        self.program = gl.program(VERTEX, FRAGMENT)
        gl.glUseProgram(self.program)
        gl.buffer(GL.ARRAY_BUFFER, QUAD)
        place = gl.glGetAttribLocation(self.program, b"position")
        gl.glVertexAttribPointer(place, 2, GL.FLOAT, 0, 0, None)
        gl.glEnableVertexAttribArray(place)
        gl.buffer(GL.ELEMENT_ARRAY_BUFFER, np.array([9, 9, 0, 1, 2, 3], np.uint16))
        self.at = {name: gl.glGetUniformLocation(self.program, name.encode()) for name in ("offset", "turn", "colors", "chosen")}
        gl.glUniformMatrix2fv(self.at["turn"], 1, 0, np.eye(2, dtype=np.float32))
        gl.glUniform4fv(self.at["colors"], 3, np.eye(3, 4, dtype=np.float32))
        for _ in range(2):  # buffers are known from their second binding on
            gl.glClear(GL.COLOR_BUFFER_BIT)
            gl.glDrawElements(GL.TRIANGLE_STRIP, 4, GL.UNSIGNED_SHORT, 4)

    @property
    def valid(self) -> int:
        """Bits of the state that native functions rely on; 0 after each command that Python carried out."""
        state = self.gl.loader.context.native
        assert state is not None
        return int(state.valid[0])

    def color(self) -> list[int]:
        """The color of all pixels."""
        found = self.gl.pixels(4, 4).reshape(-1, 4)
        assert (found == found[0]).all()
        return [int(value) for value in found[0]]


@pytest.fixture
def drawn() -> Drawn:
    return Drawn()


@pytest.fixture(scope="module")
def kept() -> Drawn:
    """One for tests of wrong calls, which change nothing."""
    return Drawn()


@needs_native
def test_uniforms_repeated_bindings_and_draws_need_no_python(drawn: Drawn) -> None:
    gl = drawn.gl
    assert drawn.valid == ALL
    gl.glUseProgram(drawn.program)
    gl.glBindVertexArray(drawn.vertex_array)
    gl.glActiveTexture(GL.TEXTURE0)
    gl.glUniform1i(drawn.at["chosen"], 1)
    gl.glUniform4f(drawn.at["colors"] + 1, 0.0, 1.0, 1.0, 1.0)
    gl.glUniform1i(-1, 5)
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    assert gl.glGetError() == GL.NO_ERROR
    assert drawn.valid == ALL
    assert drawn.color() == [0, 255, 255, 255]


@needs_native
def test_indexed_draws_begin_at_their_offset(drawn: Drawn) -> None:
    drawn.gl.glUniform1i(drawn.at["chosen"], 2)
    drawn.gl.glDrawElements(GL.TRIANGLE_STRIP, 4, GL.UNSIGNED_SHORT, 4)
    drawn.gl.glDrawRangeElements(GL.TRIANGLE_STRIP, 0, 3, 4, GL.UNSIGNED_SHORT, 4)
    drawn.gl.glDrawElementsInstancedBaseVertex(GL.TRIANGLE_STRIP, 4, GL.UNSIGNED_SHORT, 4, 2, 0)
    assert drawn.valid == ALL
    assert drawn.color() == [0, 0, 255, 0]


@needs_native
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("glUniform1f", ("chosen", 1.0), GL.INVALID_OPERATION),
        ("glUniform2i", ("chosen", 1, 1), GL.INVALID_OPERATION),
        ("glUniform1i", (4095, 1), GL.INVALID_OPERATION),
        ("glUniform4fv", ("colors", -1, QUAD), GL.INVALID_VALUE),
        ("glUniform1iv", ("chosen", 2, QUAD), GL.INVALID_OPERATION),
        ("glDrawArrays", (GL.TRIANGLES, 0, -1), GL.INVALID_VALUE),
        ("glDrawArrays", (GL.TRIANGLES, -1, 3), GL.INVALID_VALUE),
        ("glDrawArrays", (GL.QUADS, 0, 4), GL.INVALID_ENUM),
        ("glDrawArrays", (1 << 31, 0, 4), GL.INVALID_ENUM),
        ("glDrawElements", (GL.TRIANGLES, 3, GL.FLOAT, 0), GL.INVALID_ENUM),
        ("glDrawElements", (GL.TRIANGLES, 3, GL.BYTE, 0), GL.INVALID_ENUM),
        ("glDrawRangeElements", (GL.TRIANGLES, 3, 0, 3, GL.UNSIGNED_SHORT, 0), GL.INVALID_VALUE),
        ("glUseProgram", (77,), GL.INVALID_VALUE),
        ("glActiveTexture", (5,), GL.INVALID_ENUM),
    ],
)
def test_wrong_calls_are_errors_as_without_native_functions(kept: Drawn, name: str, arguments: tuple[object, ...], code: int) -> None:
    kept.gl.loader.__enter__()
    values = [kept.at[value] if isinstance(value, str) else value for value in arguments]
    getattr(kept.gl, name)(*values)
    assert kept.gl.glGetError() == code
    assert kept.gl.glGetError() == GL.NO_ERROR


@needs_native
def test_matrices_that_are_transposed_are_those_of_python(drawn: Drawn) -> None:
    gl = drawn.gl
    gl.glUniformMatrix2fv(drawn.at["turn"], 1, 1, np.array([1, 2, 3, 4], np.float32))
    found = np.zeros(4, np.float32)
    gl.glGetUniformfv(drawn.program, drawn.at["turn"], found)
    assert found.tolist() == [1, 3, 2, 4]
    gl.glUniformMatrix2fv(drawn.at["turn"], 1, 0, np.array([5, 6, 7, 8], np.float32))
    gl.glGetUniformfv(drawn.program, drawn.at["turn"], found)
    assert found.tolist() == [5, 6, 7, 8]


@needs_native
def test_a_buffer_that_gets_other_storage_is_bound_anew(drawn: Drawn) -> None:
    gl = drawn.gl
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glBufferData(GL.ELEMENT_ARRAY_BUFFER, 8, np.array([0, 1, 2, 3], np.uint16), GL.STATIC_DRAW)
    assert not drawn.valid & native.DRAWS
    gl.glDrawElements(GL.TRIANGLE_STRIP, 4, GL.UNSIGNED_SHORT, None)
    assert drawn.color() == [255, 0, 0, 0]


@needs_native
def test_threads_without_a_context_change_nothing(drawn: Drawn) -> None:
    calls = [lambda: drawn.gl.glUniform1i(drawn.at["chosen"], 2), lambda: drawn.gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)]
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
        thread.join()
    value = (ctypes.c_int32 * 1)(7)
    drawn.gl.glGetUniformiv(drawn.program, drawn.at["chosen"], value)
    assert value[0] == 0


@needs_native
def test_two_contexts_of_a_thread_have_their_own_state(drawn: Drawn) -> None:
    other = Drawn()
    with drawn.gl.loader:
        drawn.gl.glUniform1i(drawn.at["chosen"], 1)
        drawn.gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
        assert drawn.color() == [0, 255, 0, 0]
    other.gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    assert other.color() == [255, 0, 0, 0]


@needs_native
def test_draws_inside_of_a_capture_are_recorded(drawn: Drawn) -> None:
    pipe = drawn.gl.loader.context.pipe
    with pipe.capture():
        for _ in range(4):
            drawn.gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
            assert drawn.valid == ALL
    names = [step.name for step in read_steps(bytearray(pipe._captured[0].data))]
    assert names.count("draw_vbo") == 4
