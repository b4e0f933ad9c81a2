"""Clears: parts by the scissor, channels and bits by masks, single buffers, framebuffers that are not bound, and errors."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

pytestmark = pytest.mark.light

WIDTH, HEIGHT = 6, 4
WHOLE, PART = (0, 0, WIDTH, HEIGHT), (1, 2, 3, 1)


@pytest.fixture(scope="module")
def context() -> Binding:
    return Binding(size=(WIDTH, HEIGHT))


@pytest.fixture
def gl(context: Binding) -> Iterator[Binding]:
    yield context
    for name in (GL.SCISSOR_TEST, GL.RASTERIZER_DISCARD):
        context.glDisable(name)
    context.glColorMask(1, 1, 1, 1)
    context.glDepthMask(1)
    context.glStencilMask(255)
    context.glBindFramebuffer(GL.FRAMEBUFFER, 0)
    assert context.glGetError() == GL.NO_ERROR


def painted(gl: Binding, internal: int = GL.RGBA8, color: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)) -> int:
    """A framebuffer of one color, depth 1 and stencil 0xAA."""
    name = gl.target(WIDTH, HEIGHT, internal)
    gl.glClearColor(*color)
    gl.glClearDepth(1.0)
    gl.glClearStencil(0xAA)
    gl.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT | GL.STENCIL_BUFFER_BIT)
    return name


def read(gl: Binding, format: int = GL.RGBA, type: int = GL.UNSIGNED_BYTE, made: Any = np.uint8, channels: int = 4) -> NDArray[Any]:
    found = np.zeros((HEIGHT, WIDTH, channels), made)
    gl.glPixelStorei(GL.PACK_ALIGNMENT, 1)
    gl.glReadPixels(0, 0, WIDTH, HEIGHT, format, type, found)
    return found


def depth(gl: Binding) -> NDArray[Any]:
    return read(gl, GL.DEPTH_COMPONENT, GL.FLOAT, np.float32, 1)[:, :, 0]


def stencil(gl: Binding) -> NDArray[Any]:
    return read(gl, GL.STENCIL_INDEX, GL.UNSIGNED_BYTE, np.uint8, 1)[:, :, 0]


def check(found: NDArray[Any], part: tuple[int, int, int, int], inside: Any, outside: Any) -> None:
    x, y, width, height = part
    wanted = np.zeros_like(found)
    wanted[...] = outside
    wanted[y : y + height, x : x + width] = inside
    assert np.array_equal(found, wanted)


def limit(gl: Binding, part: tuple[int, int, int, int]) -> None:
    if part != WHOLE:
        gl.glEnable(GL.SCISSOR_TEST)
        gl.glScissor(*part)


@pytest.mark.parametrize("mask", [0b1111, 0b0101, 0b1000, 0])
@pytest.mark.parametrize("part", [WHOLE, PART])
def test_a_clear_of_color_keeps_what_scissor_and_mask_leave_out(gl: Binding, part: tuple[int, int, int, int], mask: int) -> None:
    painted(gl)
    limit(gl, part)
    gl.glColorMask(*(mask >> k & 1 for k in range(4)))
    gl.glClearColor(0.0, 0.2, 0.4, 0.6)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    check(read(gl), part, [value if mask >> k & 1 else 255 for k, value in enumerate((0, 51, 102, 153))], 255)


@pytest.mark.parametrize("internal", [GL.R8, GL.RG8, GL.RGB8])
def test_channels_that_a_format_does_not_have_need_no_mask(gl: Binding, internal: int) -> None:
    painted(gl, internal)
    count = {GL.R8: 1, GL.RG8: 2, GL.RGB8: 3}[internal]
    gl.glColorMask(*(int(k < count) for k in range(4)))
    gl.glClearColor(0.2, 0.2, 0.2, 0.2)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    assert (read(gl) == [51 if k < count else 0 if k < 3 else 255 for k in range(4)]).all()


@pytest.mark.parametrize("part", [WHOLE, PART])
@pytest.mark.parametrize("mask", [0xFF, 0x0F, 0])
def test_a_clear_of_depth_and_stencil_keeps_what_scissor_and_masks_leave_out(
    gl: Binding, part: tuple[int, int, int, int], mask: int
) -> None:
    painted(gl)
    limit(gl, part)
    gl.glStencilMask(mask)
    gl.glClearDepth(0.25)
    gl.glClearStencil(0x155)  # stencil has eight bits
    gl.glClear(GL.STENCIL_BUFFER_BIT)
    assert (depth(gl) == 1.0).all()
    check(stencil(gl), part, 0xAA & ~mask | 0x55 & mask, 0xAA)
    gl.glDepthMask(0)
    gl.glClear(GL.DEPTH_BUFFER_BIT)
    assert (depth(gl) == 1.0).all()
    gl.glDepthMask(1)
    gl.glClear(GL.DEPTH_BUFFER_BIT)
    check((depth(gl) * 16777215).round(), part, 4194304, 16777215)
    check(stencil(gl), part, 0xAA & ~mask | 0x55 & mask, 0xAA)
    assert (read(gl) == 255).all()


def test_a_scissor_outside_clears_nothing_and_one_around_everything(gl: Binding) -> None:
    painted(gl)
    gl.glEnable(GL.SCISSOR_TEST)
    gl.glClearColor(0, 0, 0, 0)
    for box in ((0, 0, 0, 5), (WIDTH, 0, 5, 5), (-5, -5, 5, 5), (0, HEIGHT, 5, 5)):
        gl.glScissor(*box)
        gl.glClear(GL.COLOR_BUFFER_BIT)
        gl.glClearBufferfv(GL.COLOR, 0, np.zeros(4, np.float32))
        assert (read(gl) == 255).all()
    gl.glScissor(-3, -3, 5, 5)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    check(read(gl), (0, 0, 2, 2), 0, 255)
    gl.glScissor(-3, -3, 50, 50)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    assert not read(gl).any()


def test_discarded_primitives_discard_clears(gl: Binding) -> None:
    painted(gl)
    gl.glEnable(GL.RASTERIZER_DISCARD)
    gl.glClearColor(0, 0, 0, 0)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glClearBufferfv(GL.COLOR, 0, np.zeros(4, np.float32))
    gl.glDisable(GL.RASTERIZER_DISCARD)
    assert (read(gl) == 255).all()


@pytest.mark.parametrize("part", [WHOLE, PART])
@pytest.mark.parametrize("is_named", [False, True])
def test_one_buffer_is_cleared_with_its_own_value(gl: Binding, part: tuple[int, int, int, int], is_named: bool) -> None:
    name = painted(gl)
    if is_named:
        gl.glBindFramebuffer(GL.DRAW_FRAMEBUFFER, 0)
        gl.glClearColor(0.8, 0.8, 0.8, 0.8)
        gl.glClear(GL.COLOR_BUFFER_BIT)
    limit(gl, part)

    def clear(letter: str, *arguments: Any) -> None:
        if is_named:
            getattr(gl, f"glClearNamedFramebuffer{letter}")(name, *arguments)
        else:
            getattr(gl, f"glClearBuffer{letter}")(*arguments)

    clear("fv", GL.COLOR, 0, np.array([0.0, 0.2, 0.4, 0.6], np.float32))
    check(read(gl), part, (0, 51, 102, 153), 255)
    clear("fv", GL.DEPTH, 0, np.array([0.5], np.float32))
    check(depth(gl).round(3), part, np.float32(0.5), 1.0)
    clear("iv", GL.STENCIL, 0, np.array([0x103], np.int32))
    check(stencil(gl), part, 3, 0xAA)
    clear("fi", GL.DEPTH_STENCIL, 0, ctypes.c_float(0.0), 7)
    check(depth(gl), part, 0.0, 1.0)
    check(stencil(gl), part, 7, 0xAA)
    clear("fv", GL.COLOR, 3, np.zeros(4, np.float32))  # nothing is drawn there
    gl.glDepthMask(0)
    clear("fi", GL.DEPTH_STENCIL, 0, ctypes.c_float(1.0), 9)
    check(depth(gl), part, 0.0, 1.0)
    check(stencil(gl), part, 9, 0xAA)
    if is_named:
        gl.glBindFramebuffer(GL.READ_FRAMEBUFFER, 0)
        assert (read(gl) == 204).all()  # the bound one keeps its pixels


@pytest.mark.parametrize("part", [WHOLE, PART])
@pytest.mark.parametrize(
    ("internal", "letter", "kind", "type"),
    [(GL.RGBA16I, "iv", np.int32, GL.INT), (GL.RGBA32UI, "uiv", np.uint32, GL.UNSIGNED_INT)],
)
def test_integers_are_cleared_as_integers(
    gl: Binding, part: tuple[int, int, int, int], internal: int, letter: str, kind: Any, type: int
) -> None:
    gl.target(WIDTH, HEIGHT, internal)
    getattr(gl, f"glClearBuffer{letter}")(GL.COLOR, 0, np.array([9, 8, 7, 6], kind))
    limit(gl, part)
    value = np.array([1, 2, 3, 4], kind) if letter == "uiv" else np.array([-1, 2, -3, 4], kind)
    getattr(gl, f"glClearBuffer{letter}")(GL.COLOR, 0, value)
    check(read(gl, GL.RGBA_INTEGER, type, kind), part, value, [9, 8, 7, 6])
    gl.glColorMask(0, 1, 0, 0)
    getattr(gl, f"glClearBuffer{letter}")(GL.COLOR, 0, np.array([5, 5, 5, 5], kind))
    check(read(gl, GL.RGBA_INTEGER, type, kind), part, [value[0], 5, value[2], value[3]], [9, 8, 7, 6])


def test_each_attachment_has_its_own_mask(gl: Binding) -> None:
    painted(gl)
    name = gl.make("Renderbuffers")
    gl.glBindRenderbuffer(GL.RENDERBUFFER, name)
    gl.glRenderbufferStorage(GL.RENDERBUFFER, GL.RGBA8, WIDTH, HEIGHT)
    gl.glFramebufferRenderbuffer(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT1, GL.RENDERBUFFER, name)
    gl.glDrawBuffers(2, (ctypes.c_uint32 * 2)(GL.COLOR_ATTACHMENT1, GL.COLOR_ATTACHMENT0))
    gl.glClearColor(0.2, 0.2, 0.2, 0.2)
    gl.glColorMaski(1, 1, 0, 0, 0)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    assert (read(gl) == (51, 255, 255, 255)).all()
    gl.glReadBuffer(GL.COLOR_ATTACHMENT1)
    assert (read(gl) == 51).all()
    gl.glColorMask(1, 1, 1, 1)
    gl.glClearBufferfv(GL.COLOR, 1, np.zeros(4, np.float32))  # draw buffer 1 is attachment 0
    assert (read(gl) == 51).all()
    gl.glReadBuffer(GL.COLOR_ATTACHMENT0)
    assert not read(gl).any()


def test_an_srgb_target_is_cleared_linearly_or_encoded(gl: Binding) -> None:
    gl.target(WIDTH, HEIGHT, GL.SRGB8_ALPHA8)
    for is_encoded, value in ((False, 51), (True, 124)):
        (gl.glEnable if is_encoded else gl.glDisable)(GL.FRAMEBUFFER_SRGB)
        for part in (WHOLE, PART):
            limit(gl, part)
            gl.glClearColor(0.2, 0.2, 0.2, 0.2)
            gl.glClear(GL.COLOR_BUFFER_BIT)
            gl.glDisable(GL.SCISSOR_TEST)
            assert (read(gl)[2, 1] == (value, value, value, 51)).all()
    gl.glDisable(GL.FRAMEBUFFER_SRGB)


def test_the_default_framebuffer_clears_like_any_other(gl: Binding) -> None:
    gl.glClearColor(0.2, 0.4, 0.6, 0.8)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glEnable(GL.SCISSOR_TEST)
    gl.glScissor(*PART)
    gl.glClearColor(0, 0, 0, 0)
    gl.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT | GL.STENCIL_BUFFER_BIT)
    check(read(gl), PART, 0, (51, 102, 153, 204))


def test_wrong_clears_have_their_codes(gl: Binding) -> None:
    zeros = np.zeros(4, np.float32)
    painted(gl)
    for function, arguments, code in (
        ("glClear", (GL.ACCUM_BUFFER_BIT,), GL.INVALID_VALUE),  # not of the core profile
        ("glClear", (1,), GL.INVALID_VALUE),
        ("glClearBufferfv", (GL.STENCIL, 0, zeros), GL.INVALID_ENUM),
        ("glClearBufferfv", (GL.COLOR, 8, zeros), GL.INVALID_VALUE),
        ("glClearBufferfv", (GL.COLOR, -1, zeros), GL.INVALID_VALUE),
        ("glClearBufferfv", (GL.DEPTH, 1, zeros), GL.INVALID_VALUE),
        ("glClearBufferiv", (GL.DEPTH, 0, zeros), GL.INVALID_ENUM),
        ("glClearBufferuiv", (GL.STENCIL, 0, zeros), GL.INVALID_ENUM),
        ("glClearBufferfi", (GL.DEPTH, 0, ctypes.c_float(0.0), 0), GL.INVALID_ENUM),
        ("glClearNamedFramebufferfv", (4711, GL.COLOR, 0, zeros), GL.INVALID_OPERATION),
        ("glClearNamedFramebufferfv", (0, GL.STENCIL, 0, zeros), GL.INVALID_ENUM),
    ):  # fmt: skip
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, (function, arguments)
    assert (read(gl) == 255).all()
    gl.glBindFramebuffer(GL.FRAMEBUFFER, gl.make("Framebuffers"))
    gl.glClear(GL.COLOR_BUFFER_BIT)
    assert gl.glGetError() == GL.INVALID_FRAMEBUFFER_OPERATION
    gl.glClearBufferfv(GL.COLOR, 0, zeros)
    assert gl.glGetError() == GL.INVALID_FRAMEBUFFER_OPERATION
