"""Buffer objects: storage, ranges, copies, fills, mappings, bindings, answers about them, and errors."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

pytestmark = pytest.mark.light

READ, WRITE, PERSISTENT, EXPLICIT = GL.MAP_READ_BIT, GL.MAP_WRITE_BIT, GL.MAP_PERSISTENT_BIT, GL.MAP_FLUSH_EXPLICIT_BIT
BYTES = np.arange(64, dtype=np.uint8)


@pytest.fixture(scope="module")
def context() -> Binding:
    return Binding(size=(2, 2))


@pytest.fixture
def gl(context: Binding) -> Iterator[Binding]:
    yield context
    assert context.glGetError() == GL.NO_ERROR


def content(gl: Binding, name: int, size: int = 64, offset: int = 0) -> list[int]:
    found = np.zeros(size, np.uint8)
    gl.glGetNamedBufferSubData(name, offset, size, found)
    return found.tolist()


def parameter(gl: Binding, name: int, what: int) -> int:
    values, longs = (ctypes.c_int32 * 1)(), (ctypes.c_int64 * 1)()
    gl.glGetNamedBufferParameteriv(name, what, values)
    gl.glGetNamedBufferParameteri64v(name, what, longs)
    gl.glBindBuffer(GL.COPY_READ_BUFFER, name)
    again, more = (ctypes.c_int32 * 1)(), (ctypes.c_int64 * 1)()
    gl.glGetBufferParameteriv(GL.COPY_READ_BUFFER, what, again)
    gl.glGetBufferParameteri64v(GL.COPY_READ_BUFFER, what, more)
    assert values[0] == longs[0] == again[0] == more[0]
    return int(values[0])


def test_bytes_are_stored_replaced_and_copied(gl: Binding) -> None:
    name, other = gl.buffer(GL.ARRAY_BUFFER, BYTES), gl.buffer(GL.COPY_WRITE_BUFFER, np.zeros(64, np.uint8))
    assert content(gl, name) == BYTES.tolist()
    gl.glBufferSubData(GL.ARRAY_BUFFER, 5, 3, np.array([90, 91, 92], np.uint8))
    gl.glNamedBufferSubData(name, 62, 2, np.array([93, 94], np.uint8))
    wanted = [*range(5), 90, 91, 92, *range(8, 62), 93, 94]
    assert content(gl, name) == wanted
    gl.glCopyBufferSubData(GL.ARRAY_BUFFER, GL.COPY_WRITE_BUFFER, 4, 10, 6)
    assert content(gl, other, 8, 9) == [0, *wanted[4:10], 0]
    gl.glCopyNamedBufferSubData(name, name, 0, 32, 32)  # the halves touch, and do not overlap
    assert content(gl, name) == wanted[:32] * 2
    found = np.zeros(4, np.uint8)
    gl.glGetBufferSubData(GL.ARRAY_BUFFER, 4, 4, found)
    assert found.tolist() == wanted[4:8]
    gl.glNamedBufferData(name, 8, None, GL.DYNAMIC_READ)
    assert (parameter(gl, name, GL.BUFFER_SIZE), parameter(gl, name, GL.BUFFER_USAGE)) == (8, GL.DYNAMIC_READ)


def test_a_fill_repeats_a_value_in_the_internal_format(gl: Binding) -> None:
    name = gl.buffer(GL.ARRAY_BUFFER, BYTES)
    gl.glClearBufferData(GL.ARRAY_BUFFER, GL.RG8, GL.RG, GL.FLOAT, np.array([1.0, 0.2], np.float32))
    assert content(gl, name) == [255, 51] * 32
    gl.glClearNamedBufferSubData(name, GL.R32UI, 8, 12, GL.RED_INTEGER, GL.UNSIGNED_INT, np.array([0x01020304], np.uint32))
    assert content(gl, name, 16, 6) == [255, 51, *[4, 3, 2, 1] * 3, 255, 51]
    gl.glClearBufferSubData(GL.ARRAY_BUFFER, GL.R8UI, 1, 1, GL.RED_INTEGER, GL.UNSIGNED_BYTE, np.array([7], np.uint8))
    assert content(gl, name, 3) == [255, 7, 255]
    gl.glClearNamedBufferData(name, GL.R16F, GL.RED, GL.FLOAT, None)
    assert content(gl, name) == [0] * 64


@pytest.mark.parametrize("is_named", [False, True])
def test_a_mapping_is_the_buffers_memory_until_it_ends(gl: Binding, is_named: bool) -> None:
    name = gl.buffer(GL.ARRAY_BUFFER, BYTES)
    which = name if is_named else GL.ARRAY_BUFFER
    word = "Named" if is_named else ""
    address = getattr(gl, f"glMap{word}BufferRange")(which, 16, 8, READ | WRITE | EXPLICIT)
    memory = (ctypes.c_uint8 * 8).from_address(address)
    assert [*memory] == list(range(16, 24))
    memory[2] = 200
    getattr(gl, f"glFlushMapped{word}BufferRange")(which, 2, 6)
    wanted = {
        GL.BUFFER_MAPPED: 1,
        GL.BUFFER_MAP_OFFSET: 16,
        GL.BUFFER_MAP_LENGTH: 8,
        GL.BUFFER_ACCESS: GL.READ_WRITE,
        GL.BUFFER_ACCESS_FLAGS: READ | WRITE | EXPLICIT,
        GL.BUFFER_IMMUTABLE_STORAGE: 0,
    }
    assert {what: parameter(gl, name, what) for what in wanted} == wanted
    place = (ctypes.c_uint64 * 1)()
    getattr(gl, f"glGet{word}BufferPointerv")(which, GL.BUFFER_MAP_POINTER, place)
    assert place[0] == address
    assert getattr(gl, f"glUnmap{word}Buffer")(which) == 1
    assert content(gl, name, 8, 16) == [16, 17, 200, 19, 20, 21, 22, 23]
    assert parameter(gl, name, GL.BUFFER_MAPPED) == parameter(gl, name, GL.BUFFER_MAP_LENGTH) == 0
    getattr(gl, f"glGet{word}BufferPointerv")(which, GL.BUFFER_MAP_POINTER, place)
    assert place[0] == 0


@pytest.mark.parametrize(("access", "flags"), [(GL.READ_ONLY, READ), (GL.WRITE_ONLY, WRITE), (GL.READ_WRITE, READ | WRITE)])
def test_a_whole_buffer_is_mapped_for_an_access(gl: Binding, access: int, flags: int) -> None:
    name = gl.buffer(GL.ARRAY_BUFFER, BYTES)
    for map_it, unmap, which in ((gl.glMapBuffer, gl.glUnmapBuffer, GL.ARRAY_BUFFER), (gl.glMapNamedBuffer, gl.glUnmapNamedBuffer, name)):
        assert (ctypes.c_uint8 * 64).from_address(map_it(which, access))[63] == 63
        assert [parameter(gl, name, what) for what in (GL.BUFFER_ACCESS, GL.BUFFER_ACCESS_FLAGS)] == [access, flags]
        assert parameter(gl, name, GL.BUFFER_MAP_LENGTH) == 64
        assert unmap(which) == 1


def test_immutable_storage_is_kept_and_mapped_for_good(gl: Binding) -> None:
    name = gl.make("Buffers")
    gl.glBindBuffer(GL.ARRAY_BUFFER, name)
    flags = GL.DYNAMIC_STORAGE_BIT | READ | WRITE | PERSISTENT
    gl.glBufferStorage(GL.ARRAY_BUFFER, 64, BYTES, flags)
    assert [parameter(gl, name, what) for what in (GL.BUFFER_IMMUTABLE_STORAGE, GL.BUFFER_STORAGE_FLAGS)] == [1, flags]
    memory = (ctypes.c_uint8 * 64).from_address(gl.glMapNamedBufferRange(name, 0, 64, READ | WRITE | PERSISTENT))
    gl.glNamedBufferSubData(name, 3, 1, np.array([99], np.uint8))  # allowed while it is mapped so
    assert memory[3] == 99
    memory[4] = 98
    assert content(gl, name, 3, 3) == [99, 98, 5]
    gl.glUnmapNamedBuffer(name)


def test_a_deleted_buffer_leaves_every_binding(gl: Binding) -> None:
    name = gl.buffer(GL.ARRAY_BUFFER, BYTES)
    gl.glBindVertexArray(gl.make("VertexArrays"))
    for target in (GL.ELEMENT_ARRAY_BUFFER, GL.COPY_WRITE_BUFFER):
        gl.glBindBuffer(target, name)
    for target in (GL.UNIFORM_BUFFER, GL.SHADER_STORAGE_BUFFER, GL.ATOMIC_COUNTER_BUFFER):
        gl.glBindBufferBase(target, 1, name)
    gl.glBindVertexBuffer(2, name, 0, 16)
    gl.glMapNamedBuffer(name, GL.READ_ONLY)
    assert gl.glIsBuffer(name)
    gl.glDeleteBuffers(3, np.array([name, 0, 4711], np.uint32))
    assert not gl.glIsBuffer(name)
    names = (GL.ARRAY_BUFFER_BINDING, GL.ELEMENT_ARRAY_BUFFER_BINDING, GL.COPY_WRITE_BUFFER_BINDING, GL.UNIFORM_BUFFER_BINDING)
    assert [gl.get(what) for what in (*names, GL.SHADER_STORAGE_BUFFER_BINDING, GL.ATOMIC_COUNTER_BUFFER_BINDING)] == [[0]] * 6
    value = (ctypes.c_int32 * 1)(77)
    for what, index in ((GL.UNIFORM_BUFFER_BINDING, 1), (GL.SHADER_STORAGE_BUFFER_BINDING, 1), (GL.VERTEX_BINDING_BUFFER, 2)):
        gl.glGetIntegeri_v(what, index, value)
        assert value[0] == 0, what


def test_ranges_are_bound_one_after_the_other(gl: Binding) -> None:
    names = [gl.buffer(GL.COPY_READ_BUFFER, np.zeros(1024, np.uint8)) for _ in range(2)]
    pair = np.array([names[0], names[1]], np.uint32)
    gl.glBindBuffersRange(GL.UNIFORM_BUFFER, 3, 2, pair, np.array([0, 256], np.int64), np.array([64, 128], np.int64))

    def bound() -> list[list[int]]:
        found = []
        for index in (3, 4):
            values = (ctypes.c_int32 * 3)()
            for k, what in enumerate((GL.UNIFORM_BUFFER_BINDING, GL.UNIFORM_BUFFER_START, GL.UNIFORM_BUFFER_SIZE)):
                gl.glGetIntegeri_v(what, index, ctypes.byref(values, 4 * k))
            found.append([*values])
        return found

    assert bound() == [[names[0], 0, 64], [names[1], 256, 128]]
    gl.glBindBuffersBase(GL.UNIFORM_BUFFER, 3, 2, np.array([names[1], 0], np.uint32))
    assert bound() == [[names[1], 0, 0], [0, 0, 0]]
    gl.glBindBuffersRange(GL.UNIFORM_BUFFER, 3, 2, None, None, None)
    assert bound() == [[0, 0, 0], [0, 0, 0]]
    assert gl.get(GL.UNIFORM_BUFFER_BINDING) == [0]  # none of these is the general binding


def test_wrong_calls_of_buffers_have_their_codes(context: Binding) -> None:
    gl = context
    plain, fixed, mapped, fresh = (
        gl.buffer(GL.ARRAY_BUFFER, BYTES),
        gl.make("Buffers"),
        gl.buffer(GL.COPY_READ_BUFFER, BYTES),
        gl.make("Buffers"),
    )
    gl.glBindBuffer(GL.COPY_WRITE_BUFFER, 0)
    gl.glBindBuffer(GL.PIXEL_PACK_BUFFER, fixed)
    gl.glBufferStorage(GL.PIXEL_PACK_BUFFER, 64, None, READ)
    gl.glBindBuffer(GL.PIXEL_PACK_BUFFER, 0)
    gl.glMapNamedBufferRange(mapped, 8, 8, READ)
    value, byte = (ctypes.c_int64 * 1)(), np.zeros(4, np.uint8)
    red: tuple[Any, ...] = (GL.RED, GL.UNSIGNED_BYTE, byte)
    for function, arguments, code in (
        ("glGenBuffers", (-1, None), GL.INVALID_VALUE),
        ("glCreateBuffers", (-1, None), GL.INVALID_VALUE),
        ("glDeleteBuffers", (-1, None), GL.INVALID_VALUE),
        ("glBindBuffer", (GL.TEXTURE_2D, plain), GL.INVALID_ENUM),
        ("glBindBuffer", (GL.ARRAY_BUFFER, 4711), GL.INVALID_OPERATION),
        ("glBufferData", (GL.COPY_WRITE_BUFFER, 4, None, GL.STATIC_DRAW), GL.INVALID_OPERATION),
        ("glBufferData", (GL.TEXTURE_2D, 4, None, GL.STATIC_DRAW), GL.INVALID_ENUM),
        ("glNamedBufferData", (plain, -1, None, GL.STATIC_DRAW), GL.INVALID_VALUE),
        ("glNamedBufferData", (plain, 4, None, GL.RED), GL.INVALID_ENUM),
        ("glNamedBufferData", (fixed, 4, None, GL.STATIC_DRAW), GL.INVALID_OPERATION),
        ("glNamedBufferStorage", (fixed, 4, None, READ), GL.INVALID_OPERATION),
        ("glNamedBufferStorage", (fresh, 0, None, READ), GL.INVALID_VALUE),
        ("glNamedBufferStorage", (fresh, 4, None, 1 << 20), GL.INVALID_VALUE),
        ("glNamedBufferStorage", (fresh, 4, None, PERSISTENT), GL.INVALID_VALUE),
        ("glNamedBufferSubData", (plain, 61, 4, byte), GL.INVALID_VALUE),
        ("glNamedBufferSubData", (plain, -1, 4, byte), GL.INVALID_VALUE),
        ("glNamedBufferSubData", (plain, 4, -1, byte), GL.INVALID_VALUE),
        ("glNamedBufferSubData", (fixed, 0, 4, byte), GL.INVALID_OPERATION),
        ("glNamedBufferSubData", (mapped, 0, 4, byte), GL.INVALID_OPERATION),
        ("glGetNamedBufferSubData", (mapped, 0, 4, byte), GL.INVALID_OPERATION),
        ("glGetNamedBufferSubData", (plain, 61, 4, byte), GL.INVALID_VALUE),
        ("glCopyNamedBufferSubData", (plain, plain, 0, 31, 32), GL.INVALID_VALUE),
        ("glCopyNamedBufferSubData", (plain, fixed, 61, 0, 4), GL.INVALID_VALUE),
        ("glCopyNamedBufferSubData", (fixed, plain, 0, 61, 4), GL.INVALID_VALUE),
        ("glCopyNamedBufferSubData", (mapped, plain, 0, 0, 4), GL.INVALID_OPERATION),
        ("glCopyNamedBufferSubData", (plain, mapped, 0, 0, 4), GL.INVALID_OPERATION),
        ("glClearNamedBufferData", (plain, 0x7777, *red), GL.INVALID_ENUM),
        ("glClearNamedBufferSubData", (plain, GL.R32UI, 2, 4, GL.RED_INTEGER, GL.UNSIGNED_INT, byte), GL.INVALID_VALUE),
        ("glClearNamedBufferSubData", (plain, GL.R32UI, 4, 2, GL.RED_INTEGER, GL.UNSIGNED_INT, byte), GL.INVALID_VALUE),
        ("glClearNamedBufferSubData", (plain, GL.R8, 60, 5, *red), GL.INVALID_VALUE),
        ("glMapNamedBuffer", (plain, GL.RED), GL.INVALID_ENUM),
        ("glMapBuffer", (GL.ARRAY_BUFFER, GL.RED), GL.INVALID_ENUM),
        ("glMapNamedBuffer", (mapped, GL.READ_ONLY), GL.INVALID_OPERATION),
        ("glMapNamedBufferRange", (plain, 0, 4, PERSISTENT), GL.INVALID_OPERATION),
        ("glMapNamedBufferRange", (plain, 0, 0, READ), GL.INVALID_OPERATION),
        ("glMapNamedBufferRange", (plain, 60, 5, READ), GL.INVALID_VALUE),
        ("glMapNamedBufferRange", (fixed, 0, 4, WRITE), GL.INVALID_OPERATION),
        ("glUnmapNamedBuffer", (plain,), GL.INVALID_OPERATION),
        ("glFlushMappedNamedBufferRange", (plain, 0, 1), GL.INVALID_OPERATION),
        ("glFlushMappedNamedBufferRange", (mapped, 0, 1), GL.INVALID_OPERATION),
        ("glInvalidateBufferSubData", (plain, 60, 5), GL.INVALID_VALUE),
        ("glInvalidateBufferData", (4711,), GL.INVALID_OPERATION),
        ("glGetNamedBufferParameteriv", (plain, GL.RED, value), GL.INVALID_ENUM),
        ("glGetNamedBufferPointerv", (plain, GL.BUFFER_SIZE, value), GL.INVALID_ENUM),
        ("glBindBufferBase", (GL.ARRAY_BUFFER, 0, plain), GL.INVALID_ENUM),
        ("glBindBufferBase", (GL.UNIFORM_BUFFER, 10000, plain), GL.INVALID_VALUE),
        ("glBindBufferBase", (GL.TRANSFORM_FEEDBACK_BUFFER, 4, plain), GL.INVALID_VALUE),
        ("glBindBufferRange", (GL.TRANSFORM_FEEDBACK_BUFFER, 0, plain, 2, 4), GL.INVALID_VALUE),
        ("glBindBufferRange", (GL.TRANSFORM_FEEDBACK_BUFFER, 0, plain, 4, 2), GL.INVALID_VALUE),
        ("glBindBufferRange", (GL.UNIFORM_BUFFER, 0, plain, 2, 4), GL.INVALID_VALUE),
        ("glBindBufferRange", (GL.SHADER_STORAGE_BUFFER, 0, plain, 2, 4), GL.INVALID_VALUE),
        ("glBindBufferRange", (GL.ATOMIC_COUNTER_BUFFER, 0, plain, 2, 4), GL.INVALID_VALUE),
        ("glBindBufferRange", (GL.UNIFORM_BUFFER, 0, plain, 0, 0), GL.INVALID_VALUE),
        ("glBindBufferRange", (GL.UNIFORM_BUFFER, 0, plain, -4, 4), GL.INVALID_VALUE),
        ("glBindBuffersBase", (GL.UNIFORM_BUFFER, 0, -1, None), GL.INVALID_VALUE),
        ("glBindBuffersRange", (GL.UNIFORM_BUFFER, 0, -1, None, None, None), GL.INVALID_VALUE),
    ):  # fmt: skip
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, (function, arguments)
    gl.glUnmapNamedBuffer(mapped)
    gl.glMapNamedBufferRange(mapped, 8, 8, WRITE | EXPLICIT)
    for offset, length in ((0, 9), (-1, 1), (0, -1)):
        gl.glFlushMappedNamedBufferRange(mapped, offset, length)
        assert gl.glGetError() == GL.INVALID_VALUE
    gl.glUnmapNamedBuffer(mapped)
    assert content(gl, plain) == BYTES.tolist()
