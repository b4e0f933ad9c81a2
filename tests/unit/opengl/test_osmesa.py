"""OSMesa's functions, called as C functions: attributes of contexts, and formats, rows and answers of pictures."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tgsi.opengl.doors.exports import commands
from tgsi.opengl.doors.osmesa import (
    ACCUM_BITS,
    ARGB,
    CORE_PROFILE,
    DEPTH_BITS,
    FORMAT,
    MAJOR,
    MINOR,
    PROFILE,
    RGB_565,
    ROW_LENGTH,
    STENCIL_BITS,
    Y_UP,
    functions,
)
from tgsi.opengl.registry import enums as GL

BGRA, BGR = 0x1, 0x4
WIDTH, HEIGHT, TYPE, MAX_WIDTH, MAX_HEIGHT = 0x20, 0x21, 0x23, 0x24, 0x25
COLOR = 1.0, 0.4, 0.2, 0.6
RED, GREEN, BLUE, ALPHA = 255, 102, 51, 153


def call(name: str, *arguments: Any) -> Any:
    return functions()[name](*arguments)


def gl(name: str, *arguments: Any) -> Any:
    return commands()[name](*arguments)


def integer(name: int) -> int:
    value = ctypes.c_int(-1)
    call("OSMesaGetIntegerv", name, ctypes.addressof(value))
    return value.value


class Contexts:
    """Contexts that end with a test."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def make(self, *attributes: int, share: int | None = None) -> int | None:
        words = (ctypes.c_int * (len(attributes) + 1))(*attributes)
        number = call("OSMesaCreateContextAttribs", ctypes.addressof(words), share)
        if number:
            self.numbers.append(number)
        return number  # type: ignore[no-any-return]

    def paint(self, format: int, type: int = GL.UNSIGNED_BYTE, size: int = 4, *settings: tuple[int, int]) -> bytes:
        """The memory of a picture of 2 x 2 pixels, whose lower row has `COLOR`."""
        number, memory = self.make(FORMAT, format), (ctypes.c_uint8 * (4 * 2 * size))()
        assert call("OSMesaMakeCurrent", number, ctypes.addressof(memory), type, 2, 2) == 1
        for setting in settings:
            call("OSMesaPixelStore", *setting)
        gl("glClearColor", 0.0, 0.0, 0.0, 0.0)
        gl("glClear", GL.COLOR_BUFFER_BIT)
        gl("glEnable", GL.SCISSOR_TEST)
        gl("glScissor", 0, 0, 2, 1)
        gl("glClearColor", *COLOR)
        gl("glClear", GL.COLOR_BUFFER_BIT)
        gl("glFinish")
        return bytes(memory)


@pytest.fixture
def contexts() -> Iterator[Contexts]:
    made = Contexts()
    yield made
    for number in made.numbers:
        call("OSMesaDestroyContext", number)


def test_attributes_choose_format_bits_and_profile(contexts: Contexts) -> None:
    memory = (ctypes.c_uint8 * 64)()
    assert call("OSMesaMakeCurrent", contexts.make(FORMAT, BGRA, DEPTH_BITS, 0, STENCIL_BITS, 0), ctypes.addressof(memory), GL.FLOAT, 2, 1)
    assert [integer(name) for name in (FORMAT, WIDTH, HEIGHT, TYPE)] == [BGRA, 2, 1, GL.FLOAT]
    assert [integer(name) for name in (ROW_LENGTH, Y_UP, MAX_WIDTH, MAX_HEIGHT, 0x99)] == [0, 1, 16384, 16384, 0]
    bits = ctypes.c_int(-1)
    gl("glGetIntegerv", GL.DEPTH_BITS, ctypes.addressof(bits))
    assert bits.value == 0
    gl("glGetIntegerv", GL.CONTEXT_PROFILE_MASK, ctypes.addressof(bits))
    assert bits.value == GL.CONTEXT_COMPATIBILITY_PROFILE_BIT
    core = contexts.make(STENCIL_BITS, 0, ACCUM_BITS, 0, PROFILE, CORE_PROFILE, MAJOR, 4, MINOR, 3)
    assert call("OSMesaMakeCurrent", core, ctypes.addressof(memory), GL.UNSIGNED_BYTE, 1, 1) == 1
    assert call("OSMesaGetCurrentContext") == core
    for name, value in ((FORMAT, GL.RGBA), (TYPE, GL.UNSIGNED_BYTE)):
        assert integer(name) == value
    gl("glGetIntegerv", GL.CONTEXT_PROFILE_MASK, ctypes.addressof(bits))
    assert bits.value == GL.CONTEXT_CORE_PROFILE_BIT


def test_formats_and_versions_that_are_not_there_make_no_context(contexts: Contexts) -> None:
    assert contexts.make(FORMAT, 0x7777) is None
    assert contexts.make(MAJOR, 4, MINOR, 4) is None
    assert contexts.make(MAJOR, 5) is None
    assert contexts.make(MAJOR, 4, MINOR, 3) is not None


@pytest.mark.parametrize(
    ("format", "pixel"),
    [
        (GL.RGBA, [RED, GREEN, BLUE, ALPHA]),
        (BGRA, [BLUE, GREEN, RED, ALPHA]),
        (ARGB, [ALPHA, RED, GREEN, BLUE]),
        (GL.RGB, [RED, GREEN, BLUE]),
        (BGR, [BLUE, GREEN, RED]),
        (RGB_565, list((31 << 11 | 25 << 5 | 6).to_bytes(2, "little"))),
    ],
)
def test_a_picture_has_the_channels_of_its_format_in_order(contexts: Contexts, format: int, pixel: list[int]) -> None:
    data, size = contexts.paint(format), len(pixel)
    assert list(data[:size]) == list(data[size : 2 * size]) == pixel
    assert not any(data[2 * size :])


def test_a_picture_of_floats_or_shorts_has_numbers_of_that_size(contexts: Contexts) -> None:
    floats = np.frombuffer(contexts.paint(GL.RGBA, GL.FLOAT, 16), np.float32)
    assert floats[:8].tolist() == np.array(2 * COLOR, np.float32).tolist()
    shorts = np.frombuffer(contexts.paint(GL.RGBA, GL.UNSIGNED_SHORT, 8), np.uint16)
    assert shorts[:8].tolist() == [round(value * 65535) for value in 2 * COLOR]
    assert not floats[8:].any()
    assert not shorts[8:].any()


def test_rows_have_the_length_and_order_that_the_caller_sets(contexts: Contexts) -> None:
    row, pixel = bytes(8), bytes((RED, GREEN, BLUE, ALPHA))
    assert contexts.paint(GL.RGBA, GL.UNSIGNED_BYTE, 4, (Y_UP, 0)) == row + 2 * pixel + 2 * row
    assert contexts.paint(GL.RGBA, GL.UNSIGNED_BYTE, 4, (ROW_LENGTH, 3), (Y_UP, 0)) == bytes(12) + 2 * pixel + bytes(12)
    assert (integer(ROW_LENGTH), integer(Y_UP)) == (3, 0)
    call("OSMesaPixelStore", ROW_LENGTH, -5)
    assert integer(ROW_LENGTH) == 0


def test_the_color_buffer_is_the_callers_memory(contexts: Contexts) -> None:
    number, memory = contexts.make(FORMAT, BGR), (ctypes.c_uint8 * 64)()
    answers, place = (ctypes.c_int * 3)(7, 7, 7), ctypes.c_uint64(7)
    at = [ctypes.addressof(answers) + 4 * k for k in range(3)] + [ctypes.addressof(place)]
    assert call("OSMesaGetColorBuffer", number, *at) == 0  # no picture yet
    assert call("OSMesaMakeCurrent", number, ctypes.addressof(memory), GL.UNSIGNED_BYTE, 3, 2) == 1
    assert call("OSMesaGetColorBuffer", number, *at) == 1
    assert ([*answers], place.value) == ([3, 2, BGR], ctypes.addressof(memory))
    assert call("OSMesaGetDepthBuffer", number, *at) == 0
    assert ([*answers], place.value) == ([0, 0, 0], 0)


def test_a_context_without_a_picture_of_its_own_is_refused_and_none_ends_drawing(contexts: Contexts) -> None:
    number, memory = contexts.make(), (ctypes.c_uint8 * 64)()
    place = ctypes.addressof(memory)
    for arguments in ((number, None, 2, 2), (number, place, 0, 2), (number, place, 2, 0), (number + 1 if number else 1, place, 2, 2)):
        context, address, width, height = arguments
        assert call("OSMesaMakeCurrent", context, address, GL.UNSIGNED_BYTE, width, height) == 0
    assert call("OSMesaMakeCurrent", number, place, GL.BYTE, 2, 2) == 0
    assert call("OSMesaMakeCurrent", number, place, GL.UNSIGNED_BYTE, 1, 1) == 1
    assert call("OSMesaMakeCurrent", None, None, 0, 0, 0) == 1
    assert call("OSMesaGetCurrentContext") is None
    assert call("OSMesaMakeCurrent", number, place, GL.UNSIGNED_BYTE, 1, 1) == 1
    call("OSMesaDestroyContext", number)
    assert call("OSMesaGetCurrentContext") is None


def test_contexts_share_objects_if_asked_to(contexts: Contexts) -> None:
    first, memory, name = contexts.make(), (ctypes.c_uint8 * 64)(), ctypes.c_uint32()
    assert call("OSMesaMakeCurrent", first, ctypes.addressof(memory), GL.UNSIGNED_BYTE, 1, 1) == 1
    gl("glGenTextures", 1, ctypes.addressof(name))
    gl("glBindTexture", GL.TEXTURE_2D, name.value)
    for share, is_there in ((first, 1), (None, 0)):
        assert call("OSMesaMakeCurrent", contexts.make(share=share), ctypes.addressof(memory), GL.UNSIGNED_BYTE, 1, 1) == 1
        assert gl("glIsTexture", name.value) == is_there
