"""Textures and samplers: names and bindings, every parameter in every type, images and their levels, and errors."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

pytestmark = pytest.mark.light


@pytest.fixture(scope="module")
def context() -> Binding:
    return Binding(size=(2, 2))


@pytest.fixture
def gl(context: Binding) -> Iterator[Binding]:
    yield context
    assert context.glGetError() == GL.NO_ERROR


def texture(gl: Binding, target: int = GL.TEXTURE_2D) -> int:
    name = gl.make("Textures")
    gl.glBindTexture(target, name)
    return name


def get(gl: Binding, of: str, which: int, name: int, letters: str, count: int = 1) -> list[Any]:
    """A parameter: get(gl, "TexParameter", target, ...), "TextureParameter" or "SamplerParameter"; letters of the type."""
    kind: Any = {"fv": ctypes.c_float, "iv": ctypes.c_int32, "Iiv": ctypes.c_int32, "Iuiv": ctypes.c_uint32}[letters]
    values = (kind * count)(*[77] * count)
    getattr(gl, f"glGet{of}{letters}")(which, name, values)
    return list(values)


PARAMETERS: list[tuple[int, Any]] = [
    (GL.TEXTURE_WRAP_S, GL.CLAMP_TO_EDGE),
    (GL.TEXTURE_WRAP_T, GL.MIRRORED_REPEAT),
    (GL.TEXTURE_WRAP_R, GL.CLAMP_TO_BORDER),
    (GL.TEXTURE_MIN_FILTER, GL.LINEAR_MIPMAP_NEAREST),
    (GL.TEXTURE_MAG_FILTER, GL.NEAREST),
    (GL.TEXTURE_COMPARE_MODE, GL.COMPARE_REF_TO_TEXTURE),
    (GL.TEXTURE_COMPARE_FUNC, GL.GREATER),
    (GL.TEXTURE_SRGB_DECODE_EXT, GL.SKIP_DECODE_EXT),
    (GL.TEXTURE_MIN_LOD, -2.0),
    (GL.TEXTURE_MAX_LOD, 3.0),
    (GL.TEXTURE_LOD_BIAS, 1.0),
    (GL.TEXTURE_MAX_ANISOTROPY, 8.0),
]
OF_TEXTURES: list[tuple[int, Any]] = [
    (GL.TEXTURE_BASE_LEVEL, 2),
    (GL.TEXTURE_MAX_LEVEL, 5),
    (GL.TEXTURE_SWIZZLE_R, GL.ALPHA),
    (GL.TEXTURE_SWIZZLE_G, GL.ZERO),
    (GL.TEXTURE_SWIZZLE_B, GL.ONE),
    (GL.TEXTURE_SWIZZLE_A, GL.RED),
    (GL.DEPTH_STENCIL_TEXTURE_MODE, GL.STENCIL_INDEX),
]


def setters(gl: Binding, of: str, which: int) -> dict[str, Callable[[int, Any], None]]:
    """Each way to set a parameter that is one number."""

    def pointed(letters: str, kind: Any) -> Callable[[int, Any], None]:
        return lambda name, value: getattr(gl, f"gl{of}{letters}")(which, name, np.array([value], kind))

    made: dict[str, Callable[[int, Any], None]] = {
        "i": lambda name, value: getattr(gl, f"gl{of}i")(which, name, int(value)),
        "f": lambda name, value: getattr(gl, f"gl{of}f")(which, name, ctypes.c_float(value)),
        "fv": pointed("fv", np.float32),
        "iv": pointed("iv", np.int32),
    }
    if of != "TextureParameter":
        made |= {"Iiv": pointed("Iiv", np.int32), "Iuiv": pointed("Iuiv", np.uint32)}
    return made


@pytest.mark.parametrize("of", ["TexParameter", "TextureParameter", "SamplerParameter"])
def test_a_parameter_is_kept_however_it_is_set_and_asked_for(gl: Binding, of: str) -> None:
    for number, way in enumerate(("i", "f", "fv", "iv", "Iiv", "Iuiv")):
        for name, value in PARAMETERS + (OF_TEXTURES if of != "SamplerParameter" else []):
            if of == "SamplerParameter":
                which = gl.make("Samplers")
            else:
                which = texture(gl) if of == "TextureParameter" else GL.TEXTURE_2D if texture(gl) else 0
            ways = setters(gl, of, which)
            before = get(gl, of, which, name, "fv")
            assert before != [value]
            if way in ways and not (way == "Iuiv" and value < 0):
                ways[way](name, value)
                assert get(gl, of, which, name, "fv") == [value]
                assert get(gl, of, which, name, ("iv", "Iiv", "Iuiv")[number % 3])[0] & 0xFFFFFFFF == int(value) & 0xFFFFFFFF


@pytest.mark.parametrize("of", ["TexParameter", "TextureParameter", "SamplerParameter"])
def test_a_border_color_has_numbers_of_the_type_of_its_command(gl: Binding, of: str) -> None:
    name = GL.TEXTURE_BORDER_COLOR
    which = gl.make("Samplers") if of == "SamplerParameter" else texture(gl)
    which = GL.TEXTURE_2D if of == "TexParameter" else which
    getattr(gl, f"gl{of}fv")(which, name, np.array([0.0, 0.5, 1.0, -1.0], np.float32))
    assert get(gl, of, which, name, "fv", 4) == [0.0, 0.5, 1.0, -1.0]
    top = (1 << 31) - 1
    assert get(gl, of, which, name, "iv", 4) == [0, (top + 1) // 2, top, -top]
    getattr(gl, f"gl{of}iv")(which, name, np.array([top, 0, -top - 1, top // 2], np.int32))
    assert [round(value, 4) for value in get(gl, of, which, name, "fv", 4)] == [1.0, 0.0, -1.0, 0.5]
    if of != "TextureParameter":
        getattr(gl, f"gl{of}Iiv")(which, name, np.array([1, -2, 3, 70000], np.int32))
        assert get(gl, of, which, name, "Iiv", 4) == [1, -2, 3, 70000]
        getattr(gl, f"gl{of}Iuiv")(which, name, np.array([1, 2, 3, 4000000000], np.uint32))
        assert get(gl, of, which, name, "Iuiv", 4) == [1, 2, 3, 4000000000]


def test_a_swizzle_is_set_as_a_whole(gl: Binding) -> None:
    name, letters = texture(gl), [GL.BLUE, GL.ONE, GL.ZERO, GL.GREEN]
    gl.glTexParameteriv(GL.TEXTURE_2D, GL.TEXTURE_SWIZZLE_RGBA, np.array(letters, np.int32))
    assert get(gl, "TexParameter", GL.TEXTURE_2D, GL.TEXTURE_SWIZZLE_RGBA, "iv", 4) == letters
    gl.glTextureParameterfv(name, GL.TEXTURE_SWIZZLE_RGBA, np.array(letters[::-1], np.float32))
    assert get(gl, "TextureParameter", name, GL.TEXTURE_SWIZZLE_RGBA, "fv", 4) == letters[::-1]


def test_wrong_parameters_have_their_codes(context: Binding) -> None:
    gl = context
    name, sampler = texture(gl), gl.make("Samplers")
    gl.glBindTexture(GL.TEXTURE_RECTANGLE, gl.make("Textures"))
    gl.glBindTexture(GL.TEXTURE_2D_MULTISAMPLE, gl.make("Textures"))
    for function, arguments, code in (
        ("glTexParameteri", (GL.TEXTURE_2D, GL.TEXTURE_BASE_LEVEL, -1), GL.INVALID_VALUE),
        ("glTexParameteri", (GL.TEXTURE_RECTANGLE, GL.TEXTURE_BASE_LEVEL, 1), GL.INVALID_OPERATION),
        ("glTexParameteri", (GL.TEXTURE_2D, GL.TEXTURE_SWIZZLE_R, GL.RGBA), GL.INVALID_ENUM),
        ("glTexParameteri", (GL.TEXTURE_2D, GL.DEPTH_STENCIL_TEXTURE_MODE, GL.RED), GL.INVALID_ENUM),
        ("glTexParameteri", (GL.TEXTURE_2D, GL.DEPTH_TEXTURE_MODE, GL.RED), GL.INVALID_ENUM),
        ("glTexParameteri", (GL.TEXTURE_2D, GL.GENERATE_MIPMAP, 1), GL.INVALID_ENUM),
        ("glTexParameteri", (GL.TEXTURE_2D_MULTISAMPLE, GL.TEXTURE_MIN_FILTER, GL.NEAREST), GL.INVALID_ENUM),
        ("glTexParameteri", (GL.TEXTURE_2D, GL.TEXTURE_WRAP_S, GL.LINEAR), GL.INVALID_ENUM),
        ("glTexParameteri", (GL.TEXTURE_2D, GL.TEXTURE_BORDER_COLOR, 0), GL.INVALID_ENUM),
        ("glTexParameterf", (GL.TEXTURE_2D, GL.TEXTURE_MAX_ANISOTROPY, ctypes.c_float(0.5)), GL.INVALID_VALUE),
        ("glTexParameteri", (GL.COLOR_BUFFER_BIT, GL.TEXTURE_WRAP_S, GL.REPEAT), GL.INVALID_ENUM),
        ("glTextureParameteri", (4711, GL.TEXTURE_WRAP_S, GL.REPEAT), GL.INVALID_OPERATION),
        ("glGetTexParameteriv", (GL.TEXTURE_2D, GL.TEXTURE_2D, None), GL.INVALID_ENUM),
        ("glSamplerParameteri", (sampler, GL.TEXTURE_BASE_LEVEL, 1), GL.INVALID_ENUM),
        ("glSamplerParameteri", (4711, GL.TEXTURE_WRAP_S, GL.REPEAT), GL.INVALID_OPERATION),
        ("glGetSamplerParameteriv", (sampler, GL.TEXTURE_2D, None), GL.INVALID_ENUM),
        ("glBindSampler", (10000, sampler), GL.INVALID_VALUE),
        ("glBindSamplers", (90, 10, None), GL.INVALID_OPERATION),
        ("glBindSamplers", (0, -1, None), GL.INVALID_VALUE),
        ("glGenSamplers", (-1, None), GL.INVALID_VALUE),
        ("glDeleteSamplers", (-1, None), GL.INVALID_VALUE),
        ("glBindTexture", (GL.TEXTURE_3D, name), GL.INVALID_OPERATION),
        ("glBindTexture", (GL.COLOR_BUFFER_BIT, name), GL.INVALID_ENUM),
        ("glBindTextureUnit", (10000, name), GL.INVALID_VALUE),
        ("glBindTextureUnit", (0, 4711), GL.INVALID_OPERATION),
        ("glBindTextures", (90, 10, None), GL.INVALID_OPERATION),
        ("glBindTextures", (0, -1, None), GL.INVALID_VALUE),
        ("glActiveTexture", (GL.TEXTURE0 + 10000,), GL.INVALID_ENUM),
        ("glCreateTextures", (GL.COLOR_BUFFER_BIT, 1, None), GL.INVALID_ENUM),
        ("glGenTextures", (-1, None), GL.INVALID_VALUE),
    ):  # fmt: skip
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, (function, arguments)


def test_units_hold_textures_and_samplers_until_these_are_deleted(gl: Binding) -> None:
    names, samplers = [texture(gl) for _ in range(3)], [gl.make("Samplers") for _ in range(2)]
    gl.glBindTextures(4, 3, np.array(names, np.uint32))
    gl.glBindSamplers(4, 2, np.array(samplers, np.uint32))
    gl.glBindTextureUnit(5, 0)

    def held() -> list[tuple[int, int]]:
        found = []
        for unit in range(4, 7):
            gl.glActiveTexture(GL.TEXTURE0 + unit)
            found.append((gl.get(GL.TEXTURE_BINDING_2D)[0], gl.get(GL.SAMPLER_BINDING)[0]))
        gl.glActiveTexture(GL.TEXTURE0)
        return found

    assert held() == [(names[0], samplers[0]), (0, samplers[1]), (names[2], 0)]
    gl.glDeleteTextures(1, np.array(names[:1], np.uint32))
    gl.glDeleteSamplers(1, np.array(samplers[1:], np.uint32))
    assert held() == [(0, samplers[0]), (0, 0), (names[2], 0)]
    assert [gl.glIsTexture(name) for name in names] == [0, 1, 1]
    assert [gl.glIsSampler(name) for name in samplers] == [1, 0]
    gl.glBindTextures(4, 3, None)
    gl.glBindSamplers(4, 2, None)
    assert held() == [(0, 0)] * 3


# -- images
def level(gl: Binding, target: int, number: int, name: int = GL.TEXTURE_WIDTH) -> int:
    value = (ctypes.c_int32 * 1)()
    gl.glGetTexLevelParameteriv(target, number, name, value)
    return int(value[0])


@pytest.mark.parametrize(
    ("target", "size", "levels"),
    [
        (GL.TEXTURE_1D, (4, 1, 1), [(4, 1, 1), (2, 1, 1), (1, 1, 1)]),
        (GL.TEXTURE_2D, (4, 8, 1), [(4, 8, 1), (2, 4, 1), (1, 2, 1), (1, 1, 1)]),
        (GL.TEXTURE_1D_ARRAY, (4, 3, 1), [(4, 3, 1), (2, 3, 1), (1, 3, 1)]),
        (GL.TEXTURE_3D, (2, 4, 4), [(2, 4, 4), (1, 2, 2), (1, 1, 1)]),
        (GL.TEXTURE_2D_ARRAY, (2, 2, 3), [(2, 2, 3), (1, 1, 3)]),
        (GL.TEXTURE_CUBE_MAP_ARRAY, (2, 2, 6), [(2, 2, 6), (1, 1, 6)]),
    ],
)
@pytest.mark.parametrize("is_immutable", [False, True])
def test_levels_are_made_from_the_base(
    gl: Binding, target: int, size: tuple[int, int, int], levels: list[tuple[int, int, int]], is_immutable: bool
) -> None:
    name = texture(gl, target)
    dimensions = {GL.TEXTURE_1D: 1, GL.TEXTURE_2D: 2, GL.TEXTURE_1D_ARRAY: 2}.get(target, 3)
    shape, texels = size[:dimensions], np.full((*size[::-1], 4), 200, np.uint8)
    if is_immutable:
        getattr(gl, f"glTexStorage{dimensions}D")(target, len(levels), GL.RGBA8, *shape)
        part = (0,) * dimensions
        getattr(gl, f"glTexSubImage{dimensions}D")(target, 0, *part, *shape, GL.RGBA, GL.UNSIGNED_BYTE, texels)
    else:
        getattr(gl, f"glTexImage{dimensions}D")(target, 0, GL.RGBA8, *shape, 0, GL.RGBA, GL.UNSIGNED_BYTE, texels)
    gl.glGenerateTextureMipmap(name)
    names = GL.TEXTURE_WIDTH, GL.TEXTURE_HEIGHT, GL.TEXTURE_DEPTH
    assert [tuple(level(gl, target, k, name) for name in names) for k in range(len(levels) + 1)] == [*levels, (0, 0, 0)]
    last = np.zeros((*levels[-1][::-1], 4), np.uint8)
    gl.glGetTexImage(target, len(levels) - 1, GL.RGBA, GL.UNSIGNED_BYTE, last)
    assert (last == 200).all()


def test_levels_are_made_between_base_and_last_level(gl: Binding) -> None:
    name = texture(gl)
    gl.glTexImage2D(GL.TEXTURE_2D, 1, GL.RGBA8, 8, 8, 0, GL.RGBA, GL.UNSIGNED_BYTE, np.full((8, 8, 4), 90, np.uint8))
    gl.glTextureParameteri(name, GL.TEXTURE_BASE_LEVEL, 1)
    gl.glTextureParameteri(name, GL.TEXTURE_MAX_LEVEL, 3)
    gl.glGenerateMipmap(GL.TEXTURE_2D)
    assert [level(gl, GL.TEXTURE_2D, k) for k in range(6)] == [0, 8, 4, 2, 0, 0]


def test_old_textures_follow_their_base_by_themselves() -> None:
    old = Binding("compatibility", size=(2, 2))
    with old.loader:
        old.glBindTexture(GL.TEXTURE_2D, 5)  # a name of the caller
        old.glTexParameteri(GL.TEXTURE_2D, GL.GENERATE_MIPMAP, 1)
        old.glTexParameteri(GL.TEXTURE_2D, GL.DEPTH_TEXTURE_MODE, GL.INTENSITY)
        found = np.zeros(4, np.uint8)
        for value, function, place in ((60, "glTexImage2D", (0, GL.RGBA8, 2, 2, 0)), (80, "glTexSubImage2D", (0, 0, 0, 2, 2))):
            texels = np.full((2, 2, 4), value, np.uint8)
            getattr(old, function)(GL.TEXTURE_2D, *place, GL.RGBA, GL.UNSIGNED_BYTE, texels)
            old.glGetTexImage(GL.TEXTURE_2D, 1, GL.RGBA, GL.UNSIGNED_BYTE, found)
            assert found.tolist() == [value] * 4
        assert get(old, "TexParameter", GL.TEXTURE_2D, GL.DEPTH_TEXTURE_MODE, "iv") == [GL.INTENSITY]
        assert get(old, "TexParameter", GL.TEXTURE_2D, GL.GENERATE_MIPMAP, "iv") == [1]
        assert old.glGetError() == GL.NO_ERROR


def test_wrong_images_have_their_codes(context: Binding) -> None:
    gl = context
    pixel, texels = (GL.RGBA, GL.UNSIGNED_BYTE), np.zeros(1024, np.uint8)
    texture(gl)
    gl.glTexStorage2D(GL.TEXTURE_2D, 1, GL.RGBA8, 4, 4)
    texture(gl, GL.TEXTURE_3D)
    gl.glTexImage3D(GL.TEXTURE_3D, 0, GL.RGBA8UI, 2, 2, 2, 0, GL.RGBA_INTEGER, GL.UNSIGNED_BYTE, None)
    texture(gl, GL.TEXTURE_CUBE_MAP)
    array = texture(gl, GL.TEXTURE_2D_ARRAY)
    dxt5, face = GL.COMPRESSED_RGBA_S3TC_DXT5_EXT, GL.TEXTURE_CUBE_MAP_POSITIVE_X
    for function, arguments, code in (
        ("glTexImage2D", (GL.TEXTURE_2D, 0, GL.RGBA8, 4, 4, 0, *pixel, None), GL.INVALID_OPERATION),  # immutable
        ("glTexImage2D", (face, 0, GL.RGBA8, 4, 4, 1, *pixel, None), GL.INVALID_VALUE),
        ("glTexImage2D", (face, 0, GL.RGBA8, 4, 2, 0, *pixel, None), GL.INVALID_VALUE),
        ("glTexImage2D", (face, 0, 0x7777, 4, 4, 0, *pixel, None), GL.INVALID_VALUE),
        ("glTexImage2D", (face, -1, GL.RGBA8, 4, 4, 0, *pixel, None), GL.INVALID_VALUE),
        ("glTexImage2D", (face, 15, GL.RGBA8, 4, 4, 0, *pixel, None), GL.INVALID_VALUE),
        ("glTexImage2D", (face, 0, GL.RGBA8, -4, -4, 0, *pixel, None), GL.INVALID_VALUE),
        ("glTexImage2D", (face, 0, GL.RGBA8, 1 << 15, 1 << 15, 0, *pixel, None), GL.INVALID_VALUE),
        ("glTexImage2D", (face, 0, GL.RGBA8UI, 4, 4, 0, *pixel, texels), GL.INVALID_OPERATION),
        ("glTexImage2D", (face, 0, GL.DEPTH_COMPONENT16, 4, 4, 0, *pixel, texels), GL.INVALID_OPERATION),
        ("glTexImage2D", (GL.TEXTURE_3D, 0, GL.RGBA8, 4, 4, 0, *pixel, None), GL.INVALID_ENUM),
        ("glTexImage1D", (GL.TEXTURE_2D, 0, GL.RGBA8, 4, 0, *pixel, None), GL.INVALID_ENUM),
        ("glTexImage3D", (GL.TEXTURE_2D, 0, GL.RGBA8, 4, 4, 1, 0, *pixel, None), GL.INVALID_ENUM),
        ("glTexImage3D", (GL.TEXTURE_3D, 0, GL.RGBA8, 4, 4, 4096, 0, *pixel, None), GL.INVALID_VALUE),
        ("glTexSubImage2D", (GL.TEXTURE_2D, 0, 3, 0, 2, 1, *pixel, texels), GL.INVALID_VALUE),
        ("glTexSubImage2D", (GL.TEXTURE_2D, 0, 0, -1, 2, 1, *pixel, texels), GL.INVALID_VALUE),
        ("glTexSubImage2D", (GL.TEXTURE_2D, 0, 0, 0, -2, 1, *pixel, texels), GL.INVALID_VALUE),
        ("glTexSubImage2D", (GL.TEXTURE_2D, 1, 0, 0, 1, 1, *pixel, texels), GL.INVALID_OPERATION),
        ("glTexSubImage2D", (GL.TEXTURE_2D, 0, 0, 0, 1, 1, GL.TEXTURE_2D, GL.UNSIGNED_BYTE, texels), GL.INVALID_ENUM),
        ("glTexSubImage3D", (GL.TEXTURE_3D, 0, 0, 0, 0, 1, 1, 1, *pixel, texels), GL.INVALID_OPERATION),
        ("glCompressedTexImage2D", (face, 0, GL.RGBA8, 4, 4, 0, 16, texels), GL.INVALID_ENUM),
        ("glCompressedTexImage2D", (face, 0, GL.COMPRESSED_RGBA, 4, 4, 0, 16, texels), GL.INVALID_ENUM),
        ("glCompressedTexImage2D", (face, 0, dxt5, 4, 4, 1, 16, texels), GL.INVALID_VALUE),
        ("glCompressedTexImage2D", (face, 0, dxt5, 4, 4, 0, 15, texels), GL.INVALID_VALUE),
        ("glCompressedTexImage3D", (GL.TEXTURE_2D_ARRAY, 0, dxt5, 4, 4, 2, 0, 16, texels), GL.INVALID_VALUE),
        ("glCompressedTexSubImage2D", (GL.TEXTURE_2D, 0, 0, 0, 4, 4, dxt5, 16, texels), GL.INVALID_OPERATION),
        ("glTexStorage2D", (GL.TEXTURE_2D, 1, GL.RGBA8, 4, 4), GL.INVALID_OPERATION),
        ("glTexStorage2D", (GL.TEXTURE_CUBE_MAP, 0, GL.RGBA8, 4, 4), GL.INVALID_VALUE),
        ("glTexStorage2D", (GL.TEXTURE_CUBE_MAP, 4, GL.RGBA8, 4, 4), GL.INVALID_OPERATION),
        ("glTexStorage2D", (GL.TEXTURE_CUBE_MAP, 1, GL.RGBA8, 0, 0), GL.INVALID_VALUE),
        ("glTexStorage2D", (GL.TEXTURE_CUBE_MAP, 1, 4, 4, 4), GL.INVALID_ENUM),
        ("glTextureStorage3D", (array, 1, GL.RGBA8, 4, 4, 20000), GL.INVALID_VALUE),
        ("glGenerateMipmap", (GL.TEXTURE_1D_ARRAY,), GL.INVALID_OPERATION),  # no image
        ("glGenerateMipmap", (GL.TEXTURE_3D,), GL.INVALID_OPERATION),  # integers
        ("glTexBuffer", (GL.TEXTURE_2D, GL.RGBA8, 0), GL.INVALID_ENUM),
        ("glTexBuffer", (GL.TEXTURE_BUFFER, 0x7777, 0), GL.INVALID_ENUM),
    ):  # fmt: skip
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, (function, arguments)


def test_blocks_are_replaced_in_place(gl: Binding) -> None:
    texture(gl)
    gl.glTexStorage2D(GL.TEXTURE_2D, 1, GL.COMPRESSED_RGB_S3TC_DXT1_EXT, 8, 4)
    red = np.array([0, 0xF8, 0, 0xF8, 0, 0, 0, 0], np.uint8)
    gl.glCompressedTexSubImage2D(GL.TEXTURE_2D, 0, 0, 0, 8, 4, GL.COMPRESSED_RGB_S3TC_DXT1_EXT, 16, np.zeros(16, np.uint8))
    source = gl.buffer(GL.PIXEL_UNPACK_BUFFER, np.concatenate([np.zeros(8, np.uint8), red]))
    gl.glCompressedTexSubImage2D(GL.TEXTURE_2D, 0, 4, 0, 4, 4, GL.COMPRESSED_RGB_S3TC_DXT1_EXT, 8, 8)
    gl.glBindBuffer(GL.PIXEL_UNPACK_BUFFER, 0)
    assert source
    found = np.zeros(16, np.uint8)
    gl.glGetCompressedTexImage(GL.TEXTURE_2D, 0, found)
    assert found.tolist() == [*[0] * 8, *red.tolist()]


def test_faces_are_replaced_through_a_name_by_their_number(gl: Binding) -> None:
    name = texture(gl, GL.TEXTURE_CUBE_MAP)
    gl.glTexStorage2D(GL.TEXTURE_CUBE_MAP, 1, GL.R8, 2, 2)
    texels = np.arange(24, dtype=np.uint8).reshape(6, 2, 2)
    gl.glPixelStorei(GL.UNPACK_ALIGNMENT, 1)
    gl.glTextureSubImage3D(name, 0, 0, 0, 0, 2, 2, 6, GL.RED, GL.UNSIGNED_BYTE, texels)
    gl.glTextureSubImage3D(name, 0, 0, 1, 4, 2, 1, 2, GL.RED, GL.UNSIGNED_BYTE, np.array([91, 92, 93, 94], np.uint8))
    gl.glPixelStorei(GL.UNPACK_ALIGNMENT, 4)
    texels[4:, 1] = [[91, 92], [93, 94]]
    gl.glPixelStorei(GL.PACK_ALIGNMENT, 1)
    for face in range(6):
        found = np.zeros((2, 2), np.uint8)
        gl.glGetTexImage(GL.TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL.RED, GL.UNSIGNED_BYTE, found)
        assert np.array_equal(found, texels[face])
    gl.glPixelStorei(GL.PACK_ALIGNMENT, 4)
