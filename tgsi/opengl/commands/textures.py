"""Texture objects: names, bindings, parameters, immutable storage. (OpenGL 4.6 core, 8.1, 8.10, 8.18 and 8.19)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tgsi.opengl.calls import command
from tgsi.opengl.commands.samplers import count_of, integers
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, floats, ints, uints, write
from tgsi.opengl.objects.texture import FACES, MULTISAMPLED, ONE_LEVEL, TARGETS, Texture
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

MAX_SIZE, MAX_3D, MAX_LAYERS = 16384, 2048, 2048


def bound(gl: Context, target: int) -> Texture:
    """The texture at a target of the active unit; for a face of a cube, the cube."""
    target = GL.TEXTURE_CUBE_MAP if target in FACES else target
    if target not in TARGETS:
        raise bad_enum("target", target)
    return gl.texture_at(target)


def named(gl: Context, name: int) -> Texture:
    """The texture of a name."""
    texture = gl.share.textures.get(name)
    if texture is None:
        raise bad_operation(f"texture: {name} is not the name of a texture")
    return texture


@command("glGenTextures")
def gen_textures(gl: Context, n: int, textures: Pointer) -> None:
    """Fresh names."""
    not_negative("n", n)
    write("I", textures, gl.share.textures.generate(n))


@command("glCreateTextures")
def create_textures(gl: Context, target: int, n: int, textures: Pointer) -> None:
    """Fresh names with their objects."""
    not_negative("n", n)
    if target not in TARGETS:
        raise bad_enum("target", target)
    write("I", textures, gl.share.textures.create(n, lambda name: Texture(name, target)))


@command("glIsTexture")
def is_texture(gl: Context, texture: int) -> int:
    """1 if the name has an object."""
    return int(gl.share.textures.get(texture) is not None)


@command("glDeleteTextures")
def delete_textures(gl: Context, n: int, textures: Pointer) -> None:
    """Delete textures, unbind them from this context's units, and detach them from the bound framebuffers."""
    not_negative("n", n)
    for name in uints(textures, n):
        item = gl.share.textures.drop(name)
        if item is None:
            continue
        item.is_deleted = True
        for unit in gl.units:
            if unit.textures.get(item.target) is item:
                del unit.textures[item.target]
        gl.detach(item)
        gl.image_units = [None if bound is not None and bound[0] is item else bound for bound in gl.image_units]
        gl.dirty |= dirty.TEXTURES | dirty.IMAGES


@command("glActiveTexture")
def active_texture(gl: Context, texture: int) -> None:
    """Select the unit for later commands."""
    unit = texture - GL.TEXTURE0
    if not 0 <= unit < len(gl.units):
        raise bad_enum("texture", texture)
    gl.active_unit = unit


def put_unit(gl: Context, unit: int, target: int, item: Texture | None) -> None:
    """Bind a texture to a target of a unit."""
    textures = gl.units[unit].textures
    if item is None:
        textures.pop(target, None)
    else:
        textures[target] = item
    gl.dirty |= dirty.TEXTURES | dirty.FIXED


@command("glBindTexture")
def bind_texture(gl: Context, target: int, texture: int) -> None:
    """Bind a texture; the first binding determines its target."""
    if target not in TARGETS:
        raise bad_enum("target", target)
    item = None
    if texture:
        item = gl.share.textures.get(texture)
        if item is None:
            if gl.is_core() and texture not in gl.share.textures.objects:
                raise bad_operation(f"texture: {texture} is not a name that glGenTextures returned")
            item = gl.share.textures.put(texture, Texture(texture, target))
            if not gl.is_core():
                item.depth_mode = GL.LUMINANCE
        elif item.target != target:
            raise bad_operation("target: the texture has another one")
    put_unit(gl, gl.active_unit, target, item)


@command("glBindTextureUnit")
def bind_texture_unit(gl: Context, unit: int, texture: int) -> None:
    """Bind a texture to a unit, at its own target; 0 empties the unit."""
    if unit >= len(gl.units):
        raise bad_value(f"unit: {unit} is not below {len(gl.units)}")
    if not texture:
        gl.units[unit].textures.clear()
        gl.dirty |= dirty.TEXTURES | dirty.FIXED
        return
    item = named(gl, texture)
    put_unit(gl, unit, item.target, item)


@command("glBindTextures")
def bind_textures(gl: Context, first: int, count: int, textures: Pointer) -> None:
    """Bind textures to several units; null empties them."""
    not_negative("count", count)
    if first + count > len(gl.units):
        raise bad_operation(f"first: {first} + {count} is above {len(gl.units)}")
    for k, name in enumerate(uints(textures, count)):
        bind_texture_unit(gl, first + k, name)


# -- parameters
SWIZZLES = {GL.TEXTURE_SWIZZLE_R: 0, GL.TEXTURE_SWIZZLE_G: 1, GL.TEXTURE_SWIZZLE_B: 2, GL.TEXTURE_SWIZZLE_A: 3}
COMPONENTS = {GL.RED, GL.GREEN, GL.BLUE, GL.ALPHA, GL.ZERO, GL.ONE}


def put_parameter(gl: Context, item: Texture, name: int, values: tuple[Any, ...]) -> None:
    """Set a parameter of a texture, or of its sampling."""
    value = values[0]
    if name in (GL.TEXTURE_BASE_LEVEL, GL.TEXTURE_MAX_LEVEL):
        not_negative("param", int(value))
        if name == GL.TEXTURE_BASE_LEVEL:
            if item.target in ONE_LEVEL and value:
                raise bad_operation("param: textures of this target have level 0 alone")
            item.base_level = int(value)
        else:
            item.max_level = int(value)
        item.unsettle()
    elif name in SWIZZLES or name == GL.TEXTURE_SWIZZLE_RGBA:
        letters = [int(v) for v in values]
        for letter in letters:
            if letter not in COMPONENTS:
                raise bad_enum("param", letter)
        if name == GL.TEXTURE_SWIZZLE_RGBA:
            item.swizzle = letters
        else:
            item.swizzle[SWIZZLES[name]] = letters[0]
    elif name == GL.DEPTH_STENCIL_TEXTURE_MODE:
        if int(value) not in (GL.DEPTH_COMPONENT, GL.STENCIL_INDEX):
            raise bad_enum("param", int(value))
        item.stencil_mode = int(value)
    elif name == GL.DEPTH_TEXTURE_MODE and not gl.is_core():
        if int(value) not in (GL.LUMINANCE, GL.INTENSITY, GL.ALPHA, GL.RED):
            raise bad_enum("param", int(value))
        item.depth_mode = int(value)
    elif name == GL.GENERATE_MIPMAP and not gl.is_core():
        item.generates_mipmaps = bool(value)
    elif name in (GL.TEXTURE_PRIORITY, GL.TEXTURE_RESIDENT):
        return
    else:
        if item.target in MULTISAMPLED:
            raise bad_enum("pname", name)
        item.sampler.set(name, values, "pname")
    gl.dirty |= dirty.TEXTURES


@command("glTexParameteri")
def tex_parameter(gl: Context, target: int, pname: int, param: int) -> None:
    """A parameter that is one number."""
    put_parameter(gl, bound(gl, target), pname, (param,))


@command("glTexParameterf")
def tex_parameter_float(gl: Context, target: int, pname: int, param: float) -> None:
    """A parameter that is one number."""
    put_parameter(gl, bound(gl, target), pname, (param,))


@command("glTexParameterfv")
def tex_parameter_floats(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter, also a border color or a swizzle."""
    put_parameter(gl, bound(gl, target), pname, floats(params, count_of(pname)))


def _border(name: int, values: tuple[int, ...]) -> tuple[float, ...]:
    return tuple((2 * value + 1) / 4294967295 for value in values) if name == GL.TEXTURE_BORDER_COLOR else values


@command("glTexParameteriv")
def tex_parameter_integers(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter, also a border color, whose integers go from -1 to 1."""
    put_parameter(gl, bound(gl, target), pname, _border(pname, ints(params, count_of(pname))))


@command("glTexParameterIiv")
def tex_parameter_plain(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter, also a border color of integers."""
    put_parameter(gl, bound(gl, target), pname, ints(params, count_of(pname)))


@command("glTexParameterIuiv")
def tex_parameter_unsigned(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter, also a border color of unsigned integers."""
    put_parameter(gl, bound(gl, target), pname, uints(params, count_of(pname)))


@command("glTextureParameteri")
def texture_parameter(gl: Context, texture: int, pname: int, param: int) -> None:
    """A parameter that is one number."""
    put_parameter(gl, named(gl, texture), pname, (param,))


@command("glTextureParameterf")
def texture_parameter_float(gl: Context, texture: int, pname: int, param: float) -> None:
    """A parameter that is one number."""
    put_parameter(gl, named(gl, texture), pname, (param,))


@command("glTextureParameterfv")
def texture_parameter_floats(gl: Context, texture: int, pname: int, param: Pointer) -> None:
    """A parameter, also a border color or a swizzle."""
    put_parameter(gl, named(gl, texture), pname, floats(param, count_of(pname)))


@command("glTextureParameteriv")
def texture_parameter_integers(gl: Context, texture: int, pname: int, param: Pointer) -> None:
    """A parameter, also a border color, whose integers go from -1 to 1."""
    put_parameter(gl, named(gl, texture), pname, _border(pname, ints(param, count_of(pname))))


def _origin(item: Texture) -> Texture:
    """The texture whose storage a view has."""
    while item.of is not None:
        item = item.of
    return item


def parameter(item: Texture, name: int) -> tuple[Any, ...]:
    """A parameter of a texture, or of its sampling."""
    values: dict[int, Any] = {
        GL.TEXTURE_BASE_LEVEL: item.base_level,
        GL.TEXTURE_MAX_LEVEL: item.max_level,
        GL.DEPTH_STENCIL_TEXTURE_MODE: item.stencil_mode,
        GL.DEPTH_TEXTURE_MODE: item.depth_mode,
        GL.GENERATE_MIPMAP: int(item.generates_mipmaps),
        GL.TEXTURE_IMMUTABLE_FORMAT: int(item.is_immutable),
        GL.TEXTURE_IMMUTABLE_LEVELS: _origin(item).levels if item.is_immutable else 0,
        GL.TEXTURE_VIEW_MIN_LEVEL: item.first_level,
        GL.TEXTURE_VIEW_NUM_LEVELS: item.levels,
        GL.TEXTURE_VIEW_MIN_LAYER: item.first_layer,
        GL.TEXTURE_VIEW_NUM_LAYERS: item.layers,
        GL.TEXTURE_TARGET: item.target,
        GL.TEXTURE_PRIORITY: 1.0,
        GL.TEXTURE_RESIDENT: 1,
        GL.IMAGE_FORMAT_COMPATIBILITY_TYPE: GL.IMAGE_FORMAT_COMPATIBILITY_BY_SIZE,
    }
    if name in values:
        return (values[name],)
    if name == GL.TEXTURE_SWIZZLE_RGBA:
        return tuple(item.swizzle)
    if name in SWIZZLES:
        return (item.swizzle[SWIZZLES[name]],)
    return item.sampler.get(name, "pname")


@command("glGetTexParameterfv")
def get_tex_parameter_floats(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter as floats."""
    write("f", params, parameter(bound(gl, target), pname))


@command("glGetTexParameteriv")
def get_tex_parameter_integers(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter as integers; a border color goes over their whole range."""
    write("i", params, integers(pname, parameter(bound(gl, target), pname)))


@command("glGetTexParameterIiv", "glGetTexParameterIuiv")
def get_tex_parameter_plain(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """A parameter as integers."""
    write("i", params, [round(value) for value in parameter(bound(gl, target), pname)])


@command("glGetTextureParameterfv")
def get_texture_parameter_floats(gl: Context, texture: int, pname: int, params: Pointer) -> None:
    """A parameter as floats."""
    write("f", params, parameter(named(gl, texture), pname))


@command("glGetTextureParameteriv")
def get_texture_parameter_integers(gl: Context, texture: int, pname: int, params: Pointer) -> None:
    """A parameter as integers; a border color goes over their whole range."""
    write("i", params, integers(pname, parameter(named(gl, texture), pname)))


@command("glGetTextureParameterIiv", "glGetTextureParameterIuiv")
def get_texture_parameter_plain(gl: Context, texture: int, pname: int, params: Pointer) -> None:
    """A parameter as integers."""
    write("i", params, [round(value) for value in parameter(named(gl, texture), pname)])
