"""Pixels that are read, copied to textures and blitted: parts outside of a picture, mirrored boxes, single components, and errors."""

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

WIDTH, HEIGHT = 5, 4


def colors(width: int, height: int, layers: int = 1) -> NDArray[np.uint8]:
    """A color of its own for each pixel: column, row, layer, 255."""
    made = np.full((layers, height, width, 4), 255, np.uint8)
    made[..., 0] = np.arange(width) * 10 + 1
    made[..., 1] = np.arange(height)[:, None] * 10 + 1
    made[..., 2] = np.arange(layers)[:, None, None] * 10 + 1
    return made


PICTURE = colors(WIDTH, HEIGHT)[0]


@pytest.fixture(scope="module")
def context() -> Binding:
    return Binding(size=(2, 2))


@pytest.fixture
def gl(context: Binding) -> Iterator[Binding]:
    context.glPixelStorei(GL.PACK_ALIGNMENT, 1)
    source(context)
    yield context
    context.glDisable(GL.SCISSOR_TEST)
    assert context.glGetError() == GL.NO_ERROR


def texture(gl: Binding, target: int, levels: int, size: tuple[int, ...], internal: int = GL.RGBA8) -> int:
    name = gl.make("Textures")
    gl.glBindTexture(target, name)
    getattr(gl, f"glTexStorage{len(size)}D")(target, levels, internal, *size)
    return name


def attach(gl: Binding, name: int, target: int = GL.FRAMEBUFFER, level: int = 0) -> int:
    framebuffer = gl.make("Framebuffers")
    gl.glBindFramebuffer(target, framebuffer)
    gl.glFramebufferTexture(target, GL.COLOR_ATTACHMENT0, name, level)
    assert gl.glCheckFramebufferStatus(target) == GL.FRAMEBUFFER_COMPLETE
    return framebuffer


def source(gl: Binding) -> int:
    """A framebuffer with PICTURE, bound."""
    name = texture(gl, GL.TEXTURE_2D, 1, (WIDTH, HEIGHT))
    gl.glTexSubImage2D(GL.TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL.RGBA, GL.UNSIGNED_BYTE, PICTURE)
    return attach(gl, name)


def read(gl: Binding, x: int, y: int, width: int, height: int) -> NDArray[np.uint8]:
    found = np.full((height, width, 4), 7, np.uint8)
    gl.glReadPixels(x, y, width, height, GL.RGBA, GL.UNSIGNED_BYTE, found)
    return found


def image(gl: Binding, target: int, size: tuple[int, ...], level: int = 0) -> NDArray[np.uint8]:
    found = np.zeros((*size[::-1], 4), np.uint8)
    gl.glGetTexImage(target, level, GL.RGBA, GL.UNSIGNED_BYTE, found)
    return found


# -- reads
@pytest.mark.parametrize("box", [(0, 0, WIDTH, HEIGHT), (1, 2, 3, 1), (-2, -1, 4, 3), (3, 2, 5, 5), (-9, 0, 3, 3), (5, 4, 2, 2)])
def test_pixels_outside_of_a_picture_are_zeros(gl: Binding, box: tuple[int, int, int, int]) -> None:
    x, y, width, height = box
    wanted = np.zeros((height, width, 4), np.uint8)
    for row in range(height):
        for column in range(width):
            if 0 <= x + column < WIDTH and 0 <= y + row < HEIGHT:
                wanted[row, column] = PICTURE[y + row, x + column]
    assert np.array_equal(read(gl, *box), wanted)


@pytest.mark.parametrize(
    ("format", "type", "made", "pixel"),
    [
        (GL.RGB, GL.UNSIGNED_BYTE, np.uint8, [21, 11, 1]),
        (GL.BGRA, GL.UNSIGNED_BYTE, np.uint8, [1, 11, 21, 255]),
        (GL.RED, GL.UNSIGNED_BYTE, np.uint8, [21]),
        (GL.GREEN, GL.UNSIGNED_SHORT, np.uint16, [11 * 257]),
        (GL.RGBA, GL.UNSIGNED_INT_8_8_8_8, np.uint32, [21 << 24 | 11 << 16 | 1 << 8 | 255]),
        (GL.RGBA, GL.UNSIGNED_INT_8_8_8_8_REV, np.uint32, [255 << 24 | 1 << 16 | 11 << 8 | 21]),
        (GL.RGB, GL.UNSIGNED_SHORT_5_6_5, np.uint16, [3 << 11 | 3 << 5]),
    ],
)
def test_a_pixel_is_read_in_the_format_of_the_caller(gl: Binding, format: int, type: int, made: Any, pixel: list[int]) -> None:
    found = np.zeros(len(pixel), made)
    gl.glReadPixels(2, 1, 1, 1, format, type, found)
    assert found.tolist() == pixel


def test_memory_that_is_too_small_is_refused(gl: Binding) -> None:
    found = np.zeros(WIDTH * HEIGHT * 4, np.uint8)
    gl.glReadnPixels(0, 0, WIDTH, HEIGHT, GL.RGBA, GL.UNSIGNED_BYTE, len(found), found)
    assert np.array_equal(found, PICTURE.reshape(-1))
    gl.glReadnPixels(0, 0, WIDTH, HEIGHT, GL.RGBA, GL.UNSIGNED_BYTE, len(found) - 1, found)
    assert gl.glGetError() == GL.INVALID_OPERATION


def test_pixels_go_into_a_buffer_at_an_offset(gl: Binding) -> None:
    buffer, found = (
        gl.buffer(GL.PIXEL_PACK_BUFFER, np.full(WIDTH * HEIGHT * 4 + 8, 9, np.uint8)),
        np.zeros(WIDTH * HEIGHT * 4 + 8, np.uint8),
    )
    gl.glReadPixels(0, 0, WIDTH, HEIGHT, GL.RGBA, GL.UNSIGNED_BYTE, 4)
    gl.glBindBuffer(GL.PIXEL_PACK_BUFFER, 0)
    gl.glGetNamedBufferSubData(buffer, 0, len(found), found)
    assert found.tolist() == [9, 9, 9, 9, *PICTURE.reshape(-1).tolist(), 9, 9, 9, 9]


def test_wrong_reads_have_their_codes(gl: Binding) -> None:
    room = np.zeros(400, np.uint8)
    for arguments, code in (
        ((0, 0, -1, 1, GL.RGBA, GL.UNSIGNED_BYTE, room), GL.INVALID_VALUE),
        ((0, 0, 1, 1, GL.RGBA_INTEGER, GL.UNSIGNED_BYTE, room), GL.INVALID_OPERATION),
        ((0, 0, 1, 1, GL.DEPTH_COMPONENT, GL.FLOAT, room), GL.INVALID_OPERATION),
        ((0, 0, 1, 1, GL.STENCIL_INDEX, GL.UNSIGNED_BYTE, room), GL.INVALID_OPERATION),
        ((0, 0, 1, 1, GL.TEXTURE_2D, GL.UNSIGNED_BYTE, room), GL.INVALID_ENUM),
        ((0, 0, 1, 1, GL.RGBA, GL.UNSIGNED_SHORT_5_6_5, room), GL.INVALID_OPERATION),
    ):
        gl.glReadPixels(*arguments)
        assert gl.glGetError() == code, arguments
    gl.glReadBuffer(GL.NONE)
    gl.glReadPixels(0, 0, 1, 1, GL.RGBA, GL.UNSIGNED_BYTE, room)
    assert gl.glGetError() == GL.INVALID_OPERATION
    gl.glBindFramebuffer(GL.FRAMEBUFFER, gl.make("Framebuffers"))
    gl.glReadPixels(0, 0, 1, 1, GL.RGBA, GL.UNSIGNED_BYTE, room)
    assert gl.glGetError() == GL.INVALID_FRAMEBUFFER_OPERATION
    name = gl.make("Renderbuffers")
    gl.glBindRenderbuffer(GL.RENDERBUFFER, name)
    gl.glRenderbufferStorageMultisample(GL.RENDERBUFFER, 4, GL.RGBA8, 2, 2)
    gl.glFramebufferRenderbuffer(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT0, GL.RENDERBUFFER, name)
    gl.glReadPixels(0, 0, 1, 1, GL.RGBA, GL.UNSIGNED_BYTE, room)
    assert gl.glGetError() == GL.INVALID_OPERATION
    assert not room.any()


# -- texels
def test_texels_are_read_by_level_face_and_box(gl: Binding) -> None:
    name, whole = texture(gl, GL.TEXTURE_2D_ARRAY, 2, (4, 4, 3)), colors(4, 4, 3)
    gl.glTexSubImage3D(GL.TEXTURE_2D_ARRAY, 0, 0, 0, 0, 4, 4, 3, GL.RGBA, GL.UNSIGNED_BYTE, whole)
    small = colors(2, 2, 3)
    gl.glTexSubImage3D(GL.TEXTURE_2D_ARRAY, 1, 0, 0, 0, 2, 2, 3, GL.RGBA, GL.UNSIGNED_BYTE, small)
    assert np.array_equal(image(gl, GL.TEXTURE_2D_ARRAY, (4, 4, 3)), whole)
    assert np.array_equal(image(gl, GL.TEXTURE_2D_ARRAY, (2, 2, 3), 1), small)
    found = np.zeros((3, 2, 2, 4), np.uint8)
    gl.glGetTextureImage(name, 1, GL.RGBA, GL.UNSIGNED_BYTE, found.nbytes, found)
    assert np.array_equal(found, small)
    part = np.zeros((2, 3, 2, 4), np.uint8)
    gl.glGetTextureSubImage(name, 0, 1, 1, 1, 2, 3, 2, GL.RGBA, GL.UNSIGNED_BYTE, part.nbytes, part)
    assert np.array_equal(part, whole[1:3, 1:4, 1:3])
    for function, arguments, code in (
        ("glGetTextureImage", (name, 1, GL.RGBA, GL.UNSIGNED_BYTE, found.nbytes - 1, found), GL.INVALID_OPERATION),
        ("glGetTextureSubImage", (name, 0, 1, 1, 1, 2, 3, 2, GL.RGBA, GL.UNSIGNED_BYTE, part.nbytes - 1, part), GL.INVALID_OPERATION),
        ("glGetTextureSubImage", (name, 0, 1, 2, 1, 2, 3, 2, GL.RGBA, GL.UNSIGNED_BYTE, part.nbytes, part), GL.INVALID_VALUE),
        ("glGetnTexImage", (GL.TEXTURE_2D_ARRAY, 1, GL.RGBA, GL.UNSIGNED_BYTE, found.nbytes - 1, found), GL.INVALID_OPERATION),
        ("glGetCompressedTexImage", (GL.TEXTURE_2D_ARRAY, 0, found), GL.INVALID_OPERATION),
    ):
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, function
    found[...] = 0
    gl.glGetnTexImage(GL.TEXTURE_2D_ARRAY, 1, GL.RGBA, GL.UNSIGNED_BYTE, found.nbytes, found)
    assert np.array_equal(found, small)


def test_faces_of_a_cube_are_read_one_at_a_time(gl: Binding) -> None:
    name = texture(gl, GL.TEXTURE_CUBE_MAP, 1, (2, 2))
    for face in range(6):
        target = GL.TEXTURE_CUBE_MAP_POSITIVE_X + face
        gl.glTexSubImage2D(target, 0, 0, 0, 2, 2, GL.RGBA, GL.UNSIGNED_BYTE, np.full((2, 2, 4), face, np.uint8))
    assert [int(image(gl, GL.TEXTURE_CUBE_MAP_POSITIVE_X + face, (2, 2))[1, 1, 0]) for face in range(6)] == [0, 1, 2, 3, 4, 5]
    part = np.zeros((1, 2, 4), np.uint8)
    gl.glGetTextureSubImage(name, 0, 0, 1, 4, 2, 1, 1, GL.RGBA, GL.UNSIGNED_BYTE, part.nbytes, part)
    assert (part == 4).all()


RED = np.array([0, 0xF8, 0, 0xF8, 0, 0, 0, 0], np.uint8)
"""A block of DXT1 with red everywhere."""
BLUE = np.array([0x1F, 0, 0x1F, 0, 0, 0, 0, 0], np.uint8)


def test_blocks_come_back_as_they_were_and_as_colors(gl: Binding) -> None:
    gl.glBindTexture(GL.TEXTURE_2D_ARRAY, gl.make("Textures"))
    blocks = np.concatenate([RED, BLUE])
    gl.glCompressedTexImage3D(GL.TEXTURE_2D_ARRAY, 0, GL.COMPRESSED_RGB_S3TC_DXT1_EXT, 4, 4, 2, 0, 16, blocks)
    found = np.zeros(16, np.uint8)
    gl.glGetCompressedTexImage(GL.TEXTURE_2D_ARRAY, 0, found)
    assert np.array_equal(found, blocks)
    texels = image(gl, GL.TEXTURE_2D_ARRAY, (4, 4, 2))
    assert (texels[0] == (255, 0, 0, 255)).all()
    assert (texels[1] == (0, 0, 255, 255)).all()
    buffer = gl.buffer(GL.PIXEL_PACK_BUFFER, np.zeros(20, np.uint8))
    gl.glGetCompressedTexImage(GL.TEXTURE_2D_ARRAY, 0, 4)
    gl.glBindBuffer(GL.PIXEL_PACK_BUFFER, 0)
    gl.glGetNamedBufferSubData(buffer, 4, 16, found)
    assert np.array_equal(found, blocks)


def test_a_face_of_a_cube_has_blocks_of_its_own(gl: Binding) -> None:
    gl.glBindTexture(GL.TEXTURE_CUBE_MAP, gl.make("Textures"))
    faces = range(GL.TEXTURE_CUBE_MAP_POSITIVE_X, GL.TEXTURE_CUBE_MAP_POSITIVE_X + 6)
    for face in faces:
        gl.glCompressedTexImage2D(face, 0, GL.COMPRESSED_RGB_S3TC_DXT1_EXT, 4, 4, 0, 8, RED if face % 2 else BLUE)
    for face in faces:
        found = np.full(16, 9, np.uint8)
        gl.glGetCompressedTexImage(face, 0, found)
        assert np.array_equal(found, [*(RED if face % 2 else BLUE), *[9] * 8])
        assert (image(gl, face, (4, 4)) == ((255, 0, 0, 255) if face % 2 else (0, 0, 255, 255))).all()


def test_blocks_of_signed_and_of_encoded_colors_are_read_as_they_are(gl: Binding) -> None:
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    gl.glCompressedTexImage2D(GL.TEXTURE_2D, 0, GL.COMPRESSED_SIGNED_RED_RGTC1, 4, 4, 0, 8, np.array([0x81, 0x81, *[0] * 6], np.uint8))
    numbers = np.zeros((4, 4), np.float32)
    gl.glGetTexImage(GL.TEXTURE_2D, 0, GL.RED, GL.FLOAT, numbers)
    assert (numbers == -1.0).all()
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    grey = np.array([0x10, 0x84, 0x10, 0x84, 0, 0, 0, 0], np.uint8)  # 16 of 31, 32 of 63
    gl.glCompressedTexImage2D(GL.TEXTURE_2D, 0, GL.COMPRESSED_SRGB_S3TC_DXT1_EXT, 4, 4, 0, 8, grey)
    assert (image(gl, GL.TEXTURE_2D, (4, 4)) == (132, 130, 132, 255)).all()


# -- copies
@pytest.mark.parametrize("internal", [GL.RGBA8, GL.RGB8, GL.RGBA16F])
def test_an_image_is_made_of_pixels(gl: Binding, internal: int) -> None:
    name = gl.make("Textures")
    gl.glBindTexture(GL.TEXTURE_2D, name)
    gl.glCopyTexImage2D(GL.TEXTURE_2D, 0, internal, 1, 1, 3, 2, 0)
    assert np.array_equal(image(gl, GL.TEXTURE_2D, (3, 2)), PICTURE[1:3, 1:4])
    gl.glCopyTexSubImage2D(GL.TEXTURE_2D, 0, 1, 0, -1, 2, 2, 2)  # a column lies outside, and stays
    wanted = PICTURE[1:3, 1:4].copy()
    wanted[:, 2] = PICTURE[2:4, 0]
    assert np.array_equal(image(gl, GL.TEXTURE_2D, (3, 2)), wanted)
    gl.glCopyTexSubImage2D(GL.TEXTURE_2D, 0, 0, 0, 50, 50, 3, 2)
    assert np.array_equal(image(gl, GL.TEXTURE_2D, (3, 2)), wanted)


def test_rows_and_layers_are_copied(gl: Binding) -> None:
    gl.glBindTexture(GL.TEXTURE_1D, gl.make("Textures"))
    gl.glCopyTexImage1D(GL.TEXTURE_1D, 0, GL.RGBA8, 0, 2, 4, 0)
    gl.glCopyTexSubImage1D(GL.TEXTURE_1D, 0, 2, 3, 1, 2)
    assert image(gl, GL.TEXTURE_1D, (4,)).tolist() == [*PICTURE[2, :2].tolist(), *PICTURE[1, 3:].tolist()]
    texture(gl, GL.TEXTURE_3D, 1, (3, 3, 3))
    gl.glTexSubImage3D(GL.TEXTURE_3D, 0, 0, 0, 0, 3, 3, 3, GL.RGBA, GL.UNSIGNED_BYTE, np.zeros((3, 3, 3, 4), np.uint8))
    gl.glCopyTexSubImage3D(GL.TEXTURE_3D, 0, 1, 0, 2, 0, 0, 2, 3)
    found = image(gl, GL.TEXTURE_3D, (3, 3, 3))
    assert np.array_equal(found[2, :, 1:], PICTURE[:3, :2])
    assert not found[:2].any()
    assert not found[2, :, 0].any()


def test_wrong_copies_have_their_codes(gl: Binding) -> None:
    texture(gl, GL.TEXTURE_2D, 1, (3, 3))
    for function, arguments, code in (
        ("glCopyTexImage2D", (GL.TEXTURE_2D, 0, 0x7777, 0, 0, 2, 2, 0), GL.INVALID_ENUM),
        ("glCopyTexSubImage2D", (GL.TEXTURE_2D, 0, 2, 0, 0, 0, 2, 2), GL.INVALID_VALUE),
        ("glCopyTexSubImage2D", (GL.TEXTURE_2D, 1, 0, 0, 0, 0, 1, 1), GL.INVALID_OPERATION),
        ("glCopyTexSubImage2D", (GL.TEXTURE_2D, 0, -1, 0, 0, 0, 2, 2), GL.INVALID_VALUE),
    ):
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, arguments


# -- blits
def blitted(
    gl: Binding, box: tuple[int, int, int, int], to: tuple[int, int, int, int], filter: int = GL.NEAREST, size: tuple[int, int] = (8, 8)
) -> NDArray[np.uint8]:
    """An empty picture after a blit of PICTURE into it."""
    attach(gl, texture(gl, GL.TEXTURE_2D, 1, size), GL.DRAW_FRAMEBUFFER)
    gl.glClearBufferfv(GL.COLOR, 0, np.zeros(4, np.float32))
    gl.glBlitFramebuffer(*box, *to, GL.COLOR_BUFFER_BIT, filter)
    return image(gl, GL.TEXTURE_2D, size)


def placed(piece: Any, x: int, y: int, size: tuple[int, int] = (8, 8)) -> NDArray[np.uint8]:
    made = np.zeros((size[1], size[0], 4), np.uint8)
    made[y : y + len(piece), x : x + len(piece[0])] = piece
    return made


def test_a_blit_moves_mirrors_and_scales(gl: Binding) -> None:
    piece = PICTURE[1:3, 1:4]
    assert np.array_equal(blitted(gl, (1, 1, 4, 3), (2, 3, 5, 5)), placed(piece, 2, 3))
    assert np.array_equal(blitted(gl, (1, 1, 4, 3), (5, 3, 2, 5)), placed(piece[:, ::-1], 2, 3))
    assert np.array_equal(blitted(gl, (1, 3, 4, 1), (2, 3, 5, 5)), placed(piece[::-1], 2, 3))
    assert np.array_equal(blitted(gl, (4, 3, 1, 1), (5, 5, 2, 3)), placed(piece, 2, 3))  # both are mirrored
    twice = piece.repeat(2, axis=0).repeat(2, axis=1)
    assert np.array_equal(blitted(gl, (1, 1, 4, 3), (0, 0, 6, 4)), placed(twice, 0, 0))
    for nothing in ((1, 1, 1, 3), (1, 1, 4, 1)):
        assert not blitted(gl, nothing, (2, 3, 5, 5)).any()
    assert not blitted(gl, (1, 1, 4, 3), (2, 3, 2, 5)).any()


def test_a_blit_writes_nothing_for_pixels_outside_of_its_source(gl: Binding) -> None:
    assert np.array_equal(blitted(gl, (-2, -1, 3, 3), (0, 0, 5, 4)), placed(PICTURE[:3, :3], 2, 1))
    assert np.array_equal(blitted(gl, (3, 2, 7, 6), (1, 1, 5, 5)), placed(PICTURE[2:, 3:], 1, 1))
    assert np.array_equal(blitted(gl, (3, -1, -2, 3), (0, 0, 5, 4)), placed(PICTURE[:3, :3][:, ::-1], 0, 1))
    assert not blitted(gl, (6, 0, 9, 3), (0, 0, 3, 3)).any()


def test_a_blit_obeys_the_scissor(gl: Binding) -> None:
    gl.glEnable(GL.SCISSOR_TEST)
    gl.glScissor(1, 1, 2, 50)
    wanted = placed(PICTURE, 0, 0)
    wanted[:1], wanted[:, :1], wanted[:, 3:] = 0, 0, 0
    gl.glDisable(GL.SCISSOR_TEST)
    attach(gl, texture(gl, GL.TEXTURE_2D, 1, (8, 8)), GL.DRAW_FRAMEBUFFER)
    gl.glClearBufferfv(GL.COLOR, 0, np.zeros(4, np.float32))
    gl.glEnable(GL.SCISSOR_TEST)
    gl.glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL.COLOR_BUFFER_BIT, GL.NEAREST)
    assert np.array_equal(image(gl, GL.TEXTURE_2D, (8, 8)), wanted)


def test_depth_and_stencil_are_blitted_apart(gl: Binding) -> None:
    def target() -> int:
        name = gl.target(2, 2)
        gl.glClearBufferfi(GL.DEPTH_STENCIL, 0, ctypes.c_float(0.0), 0)
        return name

    def values() -> tuple[float, int]:
        depth, stencil = np.zeros(1, np.float32), np.zeros(1, np.uint8)
        gl.glReadPixels(1, 1, 1, 1, GL.DEPTH_COMPONENT, GL.FLOAT, depth)
        gl.glReadPixels(1, 1, 1, 1, GL.STENCIL_INDEX, GL.UNSIGNED_BYTE, stencil)
        return float(depth[0]), int(stencil[0])

    first = target()
    gl.glClearBufferfi(GL.DEPTH_STENCIL, 0, ctypes.c_float(1.0), 77)
    for mask, wanted in (
        (GL.DEPTH_BUFFER_BIT, (1.0, 0)),
        (GL.STENCIL_BUFFER_BIT, (0.0, 77)),
        (GL.DEPTH_BUFFER_BIT | GL.STENCIL_BUFFER_BIT, (1.0, 77)),
    ):
        second = target()
        gl.glBlitNamedFramebuffer(first, second, 0, 0, 2, 2, 0, 0, 2, 2, mask, GL.NEAREST)
        assert values() == wanted


def test_wrong_blits_have_their_codes(gl: Binding) -> None:
    box = (0, 0, 1, 1, 0, 0, 1, 1)
    for arguments, code in (
        ((*box, 1, GL.NEAREST), GL.INVALID_VALUE),
        ((*box, GL.COLOR_BUFFER_BIT, GL.REPEAT), GL.INVALID_ENUM),
        ((*box, GL.DEPTH_BUFFER_BIT, GL.LINEAR), GL.INVALID_OPERATION),
        ((*box, GL.STENCIL_BUFFER_BIT, GL.LINEAR), GL.INVALID_OPERATION),
    ):
        gl.glBlitFramebuffer(*arguments)
        assert gl.glGetError() == code
    for target in (GL.READ_FRAMEBUFFER, GL.DRAW_FRAMEBUFFER):
        source(gl)
        gl.glBindFramebuffer(target, gl.make("Framebuffers"))
        gl.glBlitFramebuffer(*box, GL.COLOR_BUFFER_BIT, GL.NEAREST)
        assert gl.glGetError() == GL.INVALID_FRAMEBUFFER_OPERATION


# -- copies between images, and views
def test_boxes_are_copied_between_images_of_the_same_texels(gl: Binding) -> None:
    one, other = texture(gl, GL.TEXTURE_2D, 1, (4, 4)), texture(gl, GL.TEXTURE_2D_ARRAY, 2, (8, 8, 2), GL.R32UI)
    whole = colors(4, 4)[0]
    gl.glTextureSubImage2D(one, 0, 0, 0, 4, 4, GL.RGBA, GL.UNSIGNED_BYTE, whole)
    gl.glTextureSubImage3D(other, 1, 0, 0, 0, 4, 4, 2, GL.RED_INTEGER, GL.UNSIGNED_INT, np.zeros((2, 4, 4), np.uint32))
    gl.glCopyImageSubData(one, GL.TEXTURE_2D, 0, 1, 1, 0, other, GL.TEXTURE_2D_ARRAY, 1, 0, 2, 1, 3, 2, 1)
    found = np.zeros((2, 4, 4), np.uint32)
    gl.glGetTextureImage(other, 1, GL.RED_INTEGER, GL.UNSIGNED_INT, found.nbytes, found)
    wanted = np.zeros((2, 4, 4), np.uint32)
    wanted[1, 2:, :3] = np.ascontiguousarray(whole[1:3, 1:]).view(np.uint32)[..., 0]
    assert np.array_equal(found, wanted)
    for arguments, code in (
        ((one, GL.TEXTURE_2D, 0, 2, 0, 0, other, GL.TEXTURE_2D_ARRAY, 1, 0, 0, 0, 3, 2, 1), GL.INVALID_VALUE),
        ((one, GL.TEXTURE_2D, 0, 0, 0, 0, other, GL.TEXTURE_2D_ARRAY, 1, 2, 0, 0, 3, 2, 1), GL.INVALID_VALUE),
        ((one, GL.TEXTURE_2D, 0, 0, 0, 0, other, GL.TEXTURE_2D_ARRAY, 1, 0, 0, 2, 1, 1, 1), GL.INVALID_VALUE),
        ((one, GL.TEXTURE_3D, 0, 0, 0, 0, other, GL.TEXTURE_2D_ARRAY, 1, 0, 0, 0, 1, 1, 1), GL.INVALID_ENUM),
        ((4711, GL.TEXTURE_2D, 0, 0, 0, 0, other, GL.TEXTURE_2D_ARRAY, 1, 0, 0, 0, 1, 1, 1), GL.INVALID_VALUE),
        ((one, GL.TEXTURE_2D, 1, 0, 0, 0, other, GL.TEXTURE_2D_ARRAY, 1, 0, 0, 0, 1, 1, 1), GL.INVALID_VALUE),
    ):
        gl.glCopyImageSubData(*arguments)
        assert gl.glGetError() == code, arguments
    wide = texture(gl, GL.TEXTURE_2D, 1, (4, 4), GL.RGBA16F)
    gl.glCopyImageSubData(one, GL.TEXTURE_2D, 0, 0, 0, 0, wide, GL.TEXTURE_2D, 0, 0, 0, 0, 1, 1, 1)
    assert gl.glGetError() == GL.INVALID_OPERATION


def test_a_view_has_levels_and_layers_of_another_texture(gl: Binding) -> None:
    whole = texture(gl, GL.TEXTURE_2D_ARRAY, 3, (8, 8, 4))
    for level in range(3):
        size = 8 >> level
        layers = colors(size, size, 4)
        gl.glTextureSubImage3D(whole, level, 0, 0, 0, size, size, 4, GL.RGBA, GL.UNSIGNED_BYTE, layers)
    view = gl.make("Textures")
    gl.glTextureView(view, GL.TEXTURE_2D, whole, GL.RGBA8UI, 1, 2, 2, 1)
    found, values = np.zeros((4, 4, 4), np.uint8), (ctypes.c_int32 * 1)()
    gl.glGetTextureImage(view, 0, GL.RGBA_INTEGER, GL.UNSIGNED_BYTE, found.nbytes, found)
    assert np.array_equal(found, colors(4, 4, 4)[2])
    names = (GL.TEXTURE_VIEW_MIN_LEVEL, GL.TEXTURE_VIEW_NUM_LEVELS, GL.TEXTURE_VIEW_MIN_LAYER, GL.TEXTURE_VIEW_NUM_LAYERS)
    for name, value in zip((*names, GL.TEXTURE_IMMUTABLE_LEVELS, GL.TEXTURE_IMMUTABLE_FORMAT), (1, 2, 2, 1, 3, 1), strict=True):
        gl.glGetTextureParameteriv(view, name, values)
        assert values[0] == value, name
    gl.glTextureSubImage2D(view, 1, 0, 0, 1, 1, GL.RGBA_INTEGER, GL.UNSIGNED_BYTE, np.array([1, 2, 3, 4], np.uint8))
    texel = np.zeros(4, np.uint8)
    gl.glGetTextureSubImage(whole, 2, 0, 0, 2, 1, 1, 1, GL.RGBA, GL.UNSIGNED_BYTE, 4, texel)
    assert texel.tolist() == [1, 2, 3, 4]  # a view shares its texels
    mutable = gl.make("Textures")
    gl.glBindTexture(GL.TEXTURE_2D, mutable)
    gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGBA8, 4, 4, 0, GL.RGBA, GL.UNSIGNED_BYTE, None)
    new = gl.make("Textures")
    for arguments, code in (
        ((view, GL.TEXTURE_2D, whole, GL.RGBA8, 0, 1, 0, 1), GL.INVALID_OPERATION),
        ((new, GL.TEXTURE_2D, mutable, GL.RGBA8, 0, 1, 0, 1), GL.INVALID_OPERATION),
        ((new, GL.TEXTURE_3D, whole, GL.RGBA8, 0, 1, 0, 1), GL.INVALID_OPERATION),
        ((new, GL.TEXTURE_2D, whole, GL.RGBA16F, 0, 1, 0, 1), GL.INVALID_OPERATION),
        ((new, GL.TEXTURE_2D, whole, GL.RGBA8, 3, 1, 0, 1), GL.INVALID_VALUE),
        ((new, GL.TEXTURE_2D, whole, GL.RGBA8, 0, 1, 4, 1), GL.INVALID_VALUE),
        ((new, GL.TEXTURE_2D, whole, GL.RGBA8, 0, 1, 0, 2), GL.INVALID_VALUE),
        ((new, GL.TEXTURE_CUBE_MAP, whole, GL.RGBA8, 0, 1, 0, 4), GL.INVALID_VALUE),
        ((new, GL.TEXTURE_2D, 4711, GL.RGBA8, 0, 1, 0, 1), GL.INVALID_VALUE),
    ):
        gl.glTextureView(*arguments)
        assert gl.glGetError() == code, arguments
