"""Query objects, conditional rendering and sync objects: results, answers about state, and errors."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
import pytest

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tests.unit.opengl.covering import VERTEX, covered, drawn
from tgsi.opengl.registry import enums as GL

pytestmark = [needs_glslang, pytest.mark.light]

GREEN = "#version 430\nout vec4 c; void main() { c = vec4(0.0, 1.0, 0.0, 1.0); }"


@pytest.fixture(scope="module")
def scene() -> Binding:
    gl = covered()
    gl.glUseProgram(gl.program(VERTEX, GREEN))
    return gl


@pytest.fixture
def gl(scene: Binding) -> Iterator[Binding]:
    scene.glClearColor(0, 0, 0, 0)
    scene.glClear(GL.COLOR_BUFFER_BIT)
    assert scene.glGetError() == GL.NO_ERROR
    yield scene
    assert scene.glGetError() == GL.NO_ERROR


def draw(gl: Binding, count: int = 3) -> None:
    gl.glDrawArrays(GL.TRIANGLES, 0, count)


def result(gl: Binding, query: int, name: int = GL.QUERY_RESULT) -> int:
    found = (ctypes.c_uint32 * 1)(77)
    gl.glGetQueryObjectuiv(query, name, found)
    return int(found[0])


def about(gl: Binding, target: int, name: int = GL.CURRENT_QUERY, index: int = 0) -> int:
    found = (ctypes.c_int32 * 1)(77)
    gl.glGetQueryIndexediv(target, index, name, found)
    return int(found[0])


def asked(gl: Binding, target: int, count: int = 3) -> int:
    """A query around a draw."""
    name = gl.make("Queries")
    gl.glBeginQuery(target, name)
    draw(gl, count)
    gl.glEndQuery(target)
    return name


@pytest.mark.parametrize(
    ("target", "drawn_result", "bits"),
    [
        (GL.SAMPLES_PASSED, 16, 64),
        (GL.ANY_SAMPLES_PASSED, 1, 1),
        (GL.ANY_SAMPLES_PASSED_CONSERVATIVE, 1, 1),
        (GL.PRIMITIVES_GENERATED, 1, 64),
        (GL.TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, 0, 64),
    ],
)
def test_a_query_counts_between_begin_and_end(gl: Binding, target: int, drawn_result: int, bits: int) -> None:
    name = gl.make("Queries")
    assert not gl.glIsQuery(name)  # a name alone
    draw(gl)
    gl.glBeginQuery(target, name)
    assert gl.glIsQuery(name)
    assert (about(gl, target), about(gl, target, GL.QUERY_COUNTER_BITS)) == (name, bits)
    draw(gl)
    gl.glEndQuery(target)
    draw(gl)
    assert about(gl, target) == 0
    assert result(gl, name) == drawn_result
    assert result(gl, name, GL.QUERY_RESULT_AVAILABLE) == 1
    assert result(gl, name, GL.QUERY_RESULT_NO_WAIT) == drawn_result
    assert result(gl, name, GL.QUERY_TARGET) == target
    gl.glBeginQuery(target, name)
    gl.glEndQuery(target)
    assert result(gl, name) == 0


def test_a_query_that_never_ended_has_no_result(gl: Binding) -> None:
    name = (ctypes.c_uint32 * 1)()
    gl.glCreateQueries(GL.TIME_ELAPSED, 1, name)
    assert gl.glIsQuery(name[0])
    assert [result(gl, name[0], what) for what in (GL.QUERY_RESULT, GL.QUERY_RESULT_AVAILABLE, GL.QUERY_TARGET)] == [0, 0, GL.TIME_ELAPSED]


def test_times_go_forward(gl: Binding) -> None:
    first, second, between = gl.make("Queries"), gl.make("Queries"), asked(gl, GL.TIME_ELAPSED)
    times = (ctypes.c_uint64 * 3)()
    for name in (first, second):
        gl.glQueryCounter(name, GL.TIMESTAMP)
    for k, name in enumerate((first, second, between)):
        gl.glGetQueryObjectui64v(name, GL.QUERY_RESULT, ctypes.byref(times, 8 * k))
    assert 0 < times[0] <= times[1]
    assert 0 < times[2] < times[0]


def test_a_result_fits_the_type_that_asks_for_it(gl: Binding) -> None:
    name = gl.make("Queries")
    gl.glQueryCounter(name, GL.TIMESTAMP)  # nanoseconds since the machine started: over 32 bits after some seconds
    found = {
        letter: (kind * 1)()
        for letter, kind in (("i", ctypes.c_int32), ("ui", ctypes.c_uint32), ("i64", ctypes.c_int64), ("ui64", ctypes.c_uint64))
    }
    for letter, value in found.items():
        getattr(gl, f"glGetQueryObject{letter}v")(name, GL.QUERY_RESULT, value)
    whole = found["ui64"][0]
    assert [found[letter][0] for letter in ("i", "ui", "i64")] == [min(whole, (1 << 31) - 1), min(whole, (1 << 32) - 1), whole]


def test_a_result_goes_into_a_buffer(gl: Binding) -> None:
    name = asked(gl, GL.SAMPLES_PASSED)
    buffer = gl.buffer(GL.QUERY_BUFFER, np.full(4, 9, np.uint32))
    gl.glGetQueryObjectuiv(name, GL.QUERY_RESULT, 4)
    gl.glGetQueryObjectui64v(name, GL.QUERY_RESULT, 8)
    found = np.zeros(4, np.uint32)
    gl.glGetNamedBufferSubData(buffer, 0, 16, found)
    gl.glBindBuffer(GL.QUERY_BUFFER, 0)
    assert found.tolist() == [9, 16, 16, 0]


def test_streams_have_queries_of_their_own(gl: Binding) -> None:
    names = gl.make("Queries"), gl.make("Queries")
    for index, name in zip((0, 3), names, strict=True):
        gl.glBeginQueryIndexed(GL.PRIMITIVES_GENERATED, index, name)
    draw(gl)
    assert [about(gl, GL.PRIMITIVES_GENERATED, index=index) for index in (0, 1, 3)] == [names[0], 0, names[1]]
    for index in (0, 3):
        gl.glEndQueryIndexed(GL.PRIMITIVES_GENERATED, index)
    assert [result(gl, name) for name in names] == [1, 0]


def test_deleting_an_active_query_ends_it(gl: Binding) -> None:
    name, kept = gl.make("Queries"), asked(gl, GL.SAMPLES_PASSED)
    gl.glBeginQuery(GL.SAMPLES_PASSED, name)
    gl.glDeleteQueries(3, (ctypes.c_uint32 * 3)(name, 0, 54321))
    assert (gl.glIsQuery(name), gl.glIsQuery(kept), about(gl, GL.SAMPLES_PASSED)) == (0, 1, 0)
    assert result(gl, asked(gl, GL.SAMPLES_PASSED)) == 16


CONDITIONS = [GL.QUERY_WAIT, GL.QUERY_NO_WAIT, GL.QUERY_BY_REGION_WAIT, GL.QUERY_BY_REGION_NO_WAIT]
INVERTED = [
    GL.QUERY_WAIT_INVERTED,
    GL.QUERY_NO_WAIT_INVERTED,
    GL.QUERY_BY_REGION_WAIT_INVERTED,
    GL.QUERY_BY_REGION_NO_WAIT_INVERTED,
]


@pytest.mark.parametrize("mode", [*CONDITIONS, *INVERTED])
def test_a_condition_draws_only_if_samples_passed_or_only_if_none_did(gl: Binding, mode: int) -> None:
    for count, passed in ((3, True), (0, False)):
        name = asked(gl, GL.ANY_SAMPLES_PASSED, count)
        gl.glClear(GL.COLOR_BUFFER_BIT)
        gl.glBeginConditionalRender(name, mode)
        draw(gl)
        gl.glEndConditionalRender()
        assert bool(gl.pixels(4, 4).any()) == (passed == (mode in CONDITIONS))
        assert drawn(gl) == (0, 255, 0, 255)


def test_wrong_calls_of_queries_have_their_codes(scene: Binding) -> None:
    gl = scene
    name, active, other = gl.make("Queries"), gl.make("Queries"), gl.make("Queries")
    gl.glBeginQuery(GL.SAMPLES_PASSED, active)
    gl.glBeginQuery(GL.PRIMITIVES_GENERATED, other)
    gl.glEndQuery(GL.PRIMITIVES_GENERATED)
    found, one = (ctypes.c_int32 * 1)(77), (ctypes.c_uint32 * 1)(77)
    calls = [
        ("glGenQueries", (-1, one), GL.INVALID_VALUE),
        ("glCreateQueries", (GL.SAMPLES_PASSED, -1, one), GL.INVALID_VALUE),
        ("glCreateQueries", (GL.TEXTURE_2D, 1, one), GL.INVALID_ENUM),
        ("glDeleteQueries", (-1, one), GL.INVALID_VALUE),
        ("glBeginQuery", (GL.TIMESTAMP, name), GL.INVALID_ENUM),
        ("glBeginQuery", (GL.TEXTURE_2D, name), GL.INVALID_ENUM),
        ("glBeginQuery", (GL.SAMPLES_PASSED, name), GL.INVALID_OPERATION),
        ("glBeginQuery", (GL.ANY_SAMPLES_PASSED, active), GL.INVALID_OPERATION),
        ("glBeginQuery", (GL.ANY_SAMPLES_PASSED, other), GL.INVALID_OPERATION),
        ("glBeginQuery", (GL.ANY_SAMPLES_PASSED, 98765), GL.INVALID_OPERATION),
        ("glBeginQuery", (GL.ANY_SAMPLES_PASSED, 0), GL.INVALID_OPERATION),
        ("glBeginQueryIndexed", (GL.PRIMITIVES_GENERATED, 4, name), GL.INVALID_VALUE),
        ("glBeginQueryIndexed", (GL.ANY_SAMPLES_PASSED, 1, name), GL.INVALID_VALUE),
        ("glEndQueryIndexed", (GL.SAMPLES_PASSED, 1), GL.INVALID_VALUE),
        ("glEndQueryIndexed", (GL.PRIMITIVES_GENERATED, 4), GL.INVALID_VALUE),
        ("glEndQuery", (GL.TEXTURE_2D,), GL.INVALID_ENUM),
        ("glEndQuery", (GL.TIME_ELAPSED,), GL.INVALID_OPERATION),
        ("glQueryCounter", (name, GL.SAMPLES_PASSED), GL.INVALID_ENUM),
        ("glQueryCounter", (other, GL.TIMESTAMP), GL.INVALID_OPERATION),
        ("glGetQueryiv", (GL.TEXTURE_2D, GL.CURRENT_QUERY, found), GL.INVALID_ENUM),
        ("glGetQueryiv", (GL.SAMPLES_PASSED, GL.QUERY_RESULT, found), GL.INVALID_ENUM),
        ("glGetQueryIndexediv", (GL.SAMPLES_PASSED, 1, GL.CURRENT_QUERY, found), GL.INVALID_VALUE),
        ("glGetQueryObjectiv", (active, GL.QUERY_RESULT, found), GL.INVALID_OPERATION),
        ("glGetQueryObjectiv", (name, GL.QUERY_RESULT, found), GL.INVALID_OPERATION),
        ("glGetQueryObjectiv", (other, GL.CURRENT_QUERY, found), GL.INVALID_ENUM),
        ("glBeginConditionalRender", (active, GL.QUERY_WAIT), GL.INVALID_OPERATION),
        ("glBeginConditionalRender", (name, GL.QUERY_WAIT), GL.INVALID_VALUE),
        ("glBeginConditionalRender", (other, GL.QUERY_WAIT), GL.INVALID_OPERATION),
        ("glBeginConditionalRender", (active, GL.SAMPLES_PASSED), GL.INVALID_ENUM),
        ("glEndConditionalRender", (), GL.INVALID_OPERATION),
    ]  # fmt: skip
    for function, arguments, code in calls:
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, (function, arguments)
    assert (found[0], one[0]) == (77, 77)
    gl.glEndQuery(GL.SAMPLES_PASSED)
    gl.glBeginConditionalRender(active, GL.QUERY_WAIT)
    gl.glBeginConditionalRender(active, GL.QUERY_WAIT)
    assert gl.glGetError() == GL.INVALID_OPERATION
    gl.glEndConditionalRender()
    assert gl.glGetError() == GL.NO_ERROR


def test_a_fence_is_signaled_after_the_commands_before_it(gl: Binding) -> None:
    draw(gl)
    sync, other = gl.glFenceSync(GL.SYNC_GPU_COMMANDS_COMPLETE, 0), gl.glFenceSync(GL.SYNC_GPU_COMMANDS_COMPLETE, 0)
    assert sync != other
    assert (gl.glIsSync(sync), gl.glIsSync(None), gl.glIsSync(12345)) == (1, 0, 0)
    assert gl.glClientWaitSync(sync, GL.SYNC_FLUSH_COMMANDS_BIT, (1 << 64) - 1) in (GL.ALREADY_SIGNALED, GL.CONDITION_SATISFIED)
    assert gl.glClientWaitSync(sync, 0, 0) == GL.ALREADY_SIGNALED
    gl.glWaitSync(other, 0, GL.TIMEOUT_IGNORED)
    values, length = (ctypes.c_int32 * 2)(7, 7), (ctypes.c_int32 * 1)(7)
    for name, value in (
        (GL.OBJECT_TYPE, GL.SYNC_FENCE),
        (GL.SYNC_STATUS, GL.SIGNALED),
        (GL.SYNC_CONDITION, GL.SYNC_GPU_COMMANDS_COMPLETE),
        (GL.SYNC_FLAGS, 0),
    ):
        gl.glGetSynciv(sync, name, 2, length, values)
        assert ([*values], length[0]) == ([value, 7], 1)
    gl.glGetSynciv(sync, GL.OBJECT_TYPE, 0, length, values)
    assert (values[0], length[0]) == (0, 0)
    gl.glDeleteSync(sync)
    gl.glDeleteSync(None)
    assert (gl.glIsSync(sync), gl.glIsSync(other)) == (0, 1)


def test_wrong_calls_of_sync_objects_have_their_codes(scene: Binding) -> None:
    gl = scene
    sync, values = gl.glFenceSync(GL.SYNC_GPU_COMMANDS_COMPLETE, 0), (ctypes.c_int32 * 1)()
    for function, arguments, code in (
        ("glFenceSync", (GL.SYNC_FENCE, 0), GL.INVALID_ENUM),
        ("glFenceSync", (GL.SYNC_GPU_COMMANDS_COMPLETE, 1), GL.INVALID_VALUE),
        ("glDeleteSync", (sync + 8,), GL.INVALID_VALUE),
        ("glClientWaitSync", (sync + 8, 0, 0), GL.INVALID_VALUE),
        ("glClientWaitSync", (sync, 2, 0), GL.INVALID_VALUE),
        ("glWaitSync", (sync + 8, 0, GL.TIMEOUT_IGNORED), GL.INVALID_VALUE),
        ("glWaitSync", (sync, 1, GL.TIMEOUT_IGNORED), GL.INVALID_VALUE),
        ("glWaitSync", (sync, 0, 5), GL.INVALID_VALUE),
        ("glGetSynciv", (sync + 8, GL.OBJECT_TYPE, 1, None, values), GL.INVALID_VALUE),
        ("glGetSynciv", (sync, GL.OBJECT_TYPE, -1, None, values), GL.INVALID_VALUE),
        ("glGetSynciv", (sync, GL.TEXTURE_2D, 1, None, values), GL.INVALID_ENUM),
    ):
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, (function, arguments)
