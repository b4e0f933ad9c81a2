"""Queries of state: glGetIntegerv and related commands. (OpenGL 4.6 compatibility, chapter 22)"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tgsi.opengl.calls import command
from tgsi.opengl.commands.capabilities import is_capability, is_on
from tgsi.opengl.commands.textures import bound as bound_texture
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value
from tgsi.opengl.gets.values import VALUES, indexed_value
from tgsi.opengl.memory import Pointer, over_range, write
from tgsi.opengl.objects.texture import FACES
from tgsi.opengl.pixels.component_bits import bits_of, kind_of
from tgsi.opengl.pixels.internal_formats import find_format, is_compressed
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def values_of(gl: Context, name: int) -> tuple[str, tuple[Any, ...]]:
    """The values of a state with their kind: i for integers, enumerants and booleans, f for floats, n for normalized floats."""
    row = VALUES.get(name)
    if row is None:
        if is_capability(gl, name):
            return "i", (int(is_on(gl, name)),)
        raise bad_enum("pname", name)
    kind, find = row
    value = find(gl)
    return kind, tuple(value) if isinstance(value, tuple | list) else (value,)


def as_integers(kind: str, values: tuple[Any, ...]) -> list[int]:
    """Values as integers: normalized numbers are scaled to the whole range, others are rounded."""
    if kind == "n":
        return over_range(values)
    return [round(value) if kind == "f" else int(value) for value in values]


@command("glGetIntegerv")
def get_integers(gl: Context, pname: int, data: Pointer) -> None:
    """A state as integers."""
    write("i", data, as_integers(*values_of(gl, pname)))


@command("glGetInteger64v")
def get_long_integers(gl: Context, pname: int, data: Pointer) -> None:
    """A state as integers of 64 bits."""
    write("q", data, as_integers(*values_of(gl, pname)))


@command("glGetFloatv")
def get_floats(gl: Context, pname: int, data: Pointer) -> None:
    """A state as floats."""
    write("f", data, [float(value) for value in values_of(gl, pname)[1]])


@command("glGetDoublev")
def get_doubles(gl: Context, pname: int, data: Pointer) -> None:
    """A state as doubles."""
    write("d", data, [float(value) for value in values_of(gl, pname)[1]])


@command("glGetBooleanv")
def get_booleans(gl: Context, pname: int, data: Pointer) -> None:
    """A state as booleans."""
    write("B", data, [int(bool(value)) for value in values_of(gl, pname)[1]])


def _indexed(letter: str) -> Callable[..., None]:
    def get(gl: Context, target: int, index: int, data: Pointer) -> None:
        kind, values = indexed_value(gl, target, index)
        if letter in "fd":
            write(letter, data, [float(value) for value in values])
        elif letter == "B":
            write(letter, data, [int(bool(value)) for value in values])
        else:
            write(letter, data, as_integers(kind, values))

    return get


command("glGetIntegeri_v")(_indexed("i"))
command("glGetInteger64i_v")(_indexed("q"))
command("glGetFloati_v")(_indexed("f"))
command("glGetDoublei_v")(_indexed("d"))
command("glGetBooleani_v")(_indexed("B"))


@command("glGetPointerv")
def get_pointer(gl: Context, pname: int, params: Pointer) -> None:
    """The debug callback; pointers of the caller's arrays are not available."""
    if pname not in (GL.DEBUG_CALLBACK_FUNCTION, GL.DEBUG_CALLBACK_USER_PARAM):
        raise bad_enum("pname", pname)
    write("Q", params, [0])


@command("glGetMultisamplefv")
def get_multisample(gl: Context, pname: int, index: int, val: Pointer) -> None:
    """The place of a sample in its pixel."""
    if pname != GL.SAMPLE_POSITION:
        raise bad_enum("pname", pname)
    samples = max(1, gl.draw_framebuffer.samples())
    if index >= samples:
        raise bad_value(f"index: {index} is not below {samples}")
    write("f", val, gl.pipe.get_sample_position(samples, index))


@command("glGetInternalformativ")
def get_internalformat(gl: Context, target: int, internalformat: int, pname: int, count: int, params: Pointer) -> None:
    """Uses of a format."""
    write("i", params, _internalformat(gl, target, internalformat, pname)[:count])


@command("glGetInternalformati64v")
def get_internalformat_long(gl: Context, target: int, internalformat: int, pname: int, count: int, params: Pointer) -> None:
    """Uses of a format."""
    write("q", params, _internalformat(gl, target, internalformat, pname)[:count])


def _internalformat(gl: Context, target: int, internal: int, name: int) -> list[int]:
    row = find_format(internal)
    if row is None:
        return [0]
    is_depth = row.format.startswith(("Z", "S8"))
    draws = not is_compressed(row.format) and gl.can_create(row.format, "TEXTURE_2D", "DEPTH_STENCIL" if is_depth else "RENDER_TARGET")
    bits = bits_of(row)
    sizes: tuple[int, ...] = (
        GL.INTERNALFORMAT_RED_SIZE,
        GL.INTERNALFORMAT_GREEN_SIZE,
        GL.INTERNALFORMAT_BLUE_SIZE,
        GL.INTERNALFORMAT_ALPHA_SIZE,
    )
    sizes += (GL.INTERNALFORMAT_DEPTH_SIZE, GL.INTERNALFORMAT_STENCIL_SIZE)
    values = dict(zip(sizes, bits, strict=True))
    if name in values:
        return [values[name]]
    answers = {
        GL.NUM_SAMPLE_COUNTS: [4 if draws else 0],
        GL.SAMPLES: [16, 8, 4, 2] if draws else [0],
        GL.INTERNALFORMAT_SUPPORTED: [1],
        GL.INTERNALFORMAT_PREFERRED: [internal],
        GL.FRAMEBUFFER_RENDERABLE: [GL.FULL_SUPPORT if draws else GL.NONE],
        GL.FRAMEBUFFER_BLEND: [GL.FULL_SUPPORT if draws and not is_depth else GL.NONE],
        GL.TEXTURE_COMPRESSED: [int(is_compressed(row.format))],
        GL.FILTER: [GL.FULL_SUPPORT],
        GL.MAX_WIDTH: [16384],
        GL.MAX_HEIGHT: [16384],
    }
    return answers.get(name, [GL.FULL_SUPPORT])


# -- levels of textures
def level_parameter(gl: Context, target: int, level: int, name: int) -> int:
    """A parameter of an image of a texture."""
    proxy = gl.proxies.get((target, level))
    if proxy is not None:
        size, internal = proxy
        values = {GL.TEXTURE_WIDTH: size[0], GL.TEXTURE_HEIGHT: size[1], GL.TEXTURE_DEPTH: size[2], GL.TEXTURE_INTERNAL_FORMAT: internal}
        return int(values.get(name, 0))
    item = bound_texture(gl, target)
    return texture_level(item, FACES.get(target, 0), level, name)


def texture_level(item: Any, face: int, level: int, name: int) -> int:
    """A parameter of an image of a texture."""
    if level < 0:
        raise bad_value(f"level: {level} is negative")
    image = item.images.get((face, level))
    size, row, internal = (image.size, image.row, image.internal) if image is not None else ((0, 0, 0), None, GL.RGBA)
    if item.target == GL.TEXTURE_BUFFER:
        size, row, internal = (item.buffer_texels(), 1, 1), item.buffer_format, item.buffer_internal
    bits = bits_of(row)
    sizes: tuple[int, ...] = (
        GL.TEXTURE_RED_SIZE,
        GL.TEXTURE_GREEN_SIZE,
        GL.TEXTURE_BLUE_SIZE,
        GL.TEXTURE_ALPHA_SIZE,
        GL.TEXTURE_DEPTH_SIZE,
    )
    sizes += (GL.TEXTURE_STENCIL_SIZE,)
    values = dict(zip(sizes, bits, strict=True))
    kinds: tuple[int, ...] = (
        GL.TEXTURE_RED_TYPE,
        GL.TEXTURE_GREEN_TYPE,
        GL.TEXTURE_BLUE_TYPE,
        GL.TEXTURE_ALPHA_TYPE,
        GL.TEXTURE_DEPTH_TYPE,
    )
    values |= {kind: kind_of(row) if bit else GL.NONE for kind, bit in zip(kinds, bits, strict=False)}
    values |= {GL.TEXTURE_WIDTH: size[0], GL.TEXTURE_HEIGHT: size[1], GL.TEXTURE_DEPTH: size[2], GL.TEXTURE_BORDER: 0}
    values |= {GL.TEXTURE_LUMINANCE_SIZE: 0, GL.TEXTURE_INTENSITY_SIZE: 0, GL.TEXTURE_SHARED_SIZE: 0}
    values[GL.TEXTURE_INTERNAL_FORMAT] = internal
    offset, length = item.buffer_range
    values[GL.TEXTURE_BUFFER_OFFSET] = offset
    values[GL.TEXTURE_BUFFER_SIZE] = length if length is not None else item.buffer.size if item.buffer is not None else 0
    values[GL.TEXTURE_BUFFER_DATA_STORE_BINDING] = item.buffer.name if item.buffer is not None else 0
    values[GL.TEXTURE_COMPRESSED] = int(row is not None and is_compressed(row.format))
    values[GL.TEXTURE_SAMPLES] = image.samples if image is not None else 0
    values[GL.TEXTURE_FIXED_SAMPLE_LOCATIONS] = 1
    if name == GL.TEXTURE_COMPRESSED_IMAGE_SIZE:
        if image is None or not values[GL.TEXTURE_COMPRESSED]:
            raise bad_operation("level: it has no blocks")
        info = image.resource.levels[image.level]
        format = image.resource.format
        return int(-(-info.width // format.block_width) * -(-info.height // format.block_height) * format.block_bytes)
    if name not in values:
        raise bad_enum("pname", name)
    return int(values[name])


@command("glGetTexLevelParameteriv")
def get_tex_level_parameter(gl: Context, target: int, level: int, pname: int, params: Pointer) -> None:
    """A parameter of an image of a texture."""
    write("i", params, [level_parameter(gl, target, level, pname)])


@command("glGetTexLevelParameterfv")
def get_tex_level_parameter_floats(gl: Context, target: int, level: int, pname: int, params: Pointer) -> None:
    """A parameter of an image of a texture."""
    write("f", params, [float(level_parameter(gl, target, level, pname))])


@command("glGetTextureLevelParameteriv")
def get_texture_level_parameter(gl: Context, texture: int, level: int, pname: int, params: Pointer) -> None:
    """A parameter of an image of a texture."""
    from tgsi.opengl.commands.textures import named

    write("i", params, [texture_level(named(gl, texture), 0, level, pname)])
