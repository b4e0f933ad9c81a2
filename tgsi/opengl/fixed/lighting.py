"""Lights, materials, fog, clip planes. (OpenGL 2.1, 2.12, 2.14 and 3.10)"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.opengl.calls import command, lists_itself
from tgsi.opengl.errors import bad_enum, bad_value
from tgsi.opengl.fixed.immediate import split
from tgsi.opengl.lists import listed
from tgsi.opengl.memory import Pointer, floats, ints, numbers, write
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import COLOR, Floats4, Material, inverse, product

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

LIGHT_COUNTS = {
    GL.AMBIENT: 4, GL.DIFFUSE: 4, GL.SPECULAR: 4, GL.POSITION: 4, GL.SPOT_DIRECTION: 3, GL.SPOT_EXPONENT: 1, GL.SPOT_CUTOFF: 1,
    GL.CONSTANT_ATTENUATION: 1, GL.LINEAR_ATTENUATION: 1, GL.QUADRATIC_ATTENUATION: 1,
}  # fmt: skip
MATERIAL_COUNTS = {
    GL.AMBIENT: 4, GL.DIFFUSE: 4, GL.SPECULAR: 4, GL.EMISSION: 4, GL.AMBIENT_AND_DIFFUSE: 4, GL.SHININESS: 1, GL.COLOR_INDEXES: 3,
}  # fmt: skip
MODEL_COUNTS = {GL.LIGHT_MODEL_AMBIENT: 4, GL.LIGHT_MODEL_LOCAL_VIEWER: 1, GL.LIGHT_MODEL_TWO_SIDE: 1, GL.LIGHT_MODEL_COLOR_CONTROL: 1}
FOG_COUNTS = {GL.FOG_MODE: 1, GL.FOG_DENSITY: 1, GL.FOG_START: 1, GL.FOG_END: 1, GL.FOG_COLOR: 4, GL.FOG_COORD_SRC: 1, GL.FOG_INDEX: 1}
FIELDS = {
    GL.AMBIENT: ("ambient",),
    GL.DIFFUSE: ("diffuse",),
    GL.SPECULAR: ("specular",),
    GL.EMISSION: ("emission",),
    GL.AMBIENT_AND_DIFFUSE: ("ambient", "diffuse"),
}
COLORS = {GL.AMBIENT, GL.DIFFUSE, GL.SPECULAR, GL.EMISSION, GL.AMBIENT_AND_DIFFUSE, GL.LIGHT_MODEL_AMBIENT, GL.FOG_COLOR}
"""Parameters whose integers are normalized to -1 .. 1."""


def _values(kind: str, name: int, counts: dict[int, int], address: Pointer) -> tuple[float, ...]:
    if name not in counts:
        raise bad_enum("pname", name)
    if kind == "f":
        return floats(address, counts[name])
    words = ints(address, counts[name])
    return tuple((2 * value + 1) / 4294967295 for value in words) if name in COLORS else tuple(float(value) for value in words)


@listed
def put_light(gl: Context, light: int, name: int, values: tuple[Any, ...]) -> None:
    """Set a parameter of a light; positions and directions are transformed to eye coordinates."""
    number = light - GL.LIGHT0
    if not 0 <= number < len(gl.fixed.lights):
        raise bad_enum("light", light)
    item = gl.fixed.lights[number]
    if name in FIELDS and name not in (GL.EMISSION, GL.AMBIENT_AND_DIFFUSE):
        setattr(item, FIELDS[name][0], values)
    elif name == GL.POSITION:
        item.position = _four(product(gl.fixed.model_view, np.array(values, np.float32)))
    elif name == GL.SPOT_DIRECTION:
        x, y, z = (float(value) for value in product(gl.fixed.model_view[:3, :3], np.array(values, np.float32)))
        item.direction = x, y, z
    elif name == GL.SPOT_EXPONENT:
        if not 0 <= values[0] <= 128:
            raise bad_value(f"param: {values[0]} is not 0 .. 128")
        item.exponent = values[0]
    elif name == GL.SPOT_CUTOFF:
        if not 0 <= values[0] <= 90 and values[0] != 180:
            raise bad_value(f"param: {values[0]} is neither 0 .. 90 nor 180")
        item.cutoff = values[0]
    elif name in (GL.CONSTANT_ATTENUATION, GL.LINEAR_ATTENUATION, GL.QUADRATIC_ATTENUATION):
        if values[0] < 0:
            raise bad_value(f"param: {values[0]} is negative")
        factors = list(item.attenuation)
        factors[name - GL.CONSTANT_ATTENUATION] = values[0]
        item.attenuation = factors[0], factors[1], factors[2]
    else:
        raise bad_enum("pname", name)
    gl.dirty |= dirty.FIXED


def _four(vector: Any) -> Floats4:
    x, y, z, w = (float(value) for value in vector)
    return x, y, z, w


@command("glLightfv")
def light_floats(gl: Context, light: int, pname: int, params: Pointer) -> None:
    """A parameter of a light."""
    put_light(gl, light, pname, _values("f", pname, LIGHT_COUNTS, params))


@command("glLightiv")
def light_integers(gl: Context, light: int, pname: int, params: Pointer) -> None:
    """A parameter of a light."""
    put_light(gl, light, pname, _values("i", pname, LIGHT_COUNTS, params))


@command("glLightf", "glLighti")
@lists_itself
def light_number(gl: Context, light: int, pname: int, param: float) -> None:
    """A parameter of a light that is one number."""
    if LIGHT_COUNTS.get(pname) != 1:
        raise bad_enum("pname", pname)
    put_light(gl, light, pname, (float(param),))


def put_material(gl: Context, face: int, name: int, values: tuple[Any, ...]) -> None:
    """Set a parameter of a face's material, for later primitives."""
    split(gl)
    _put_material(gl, face, name, values)


@listed
def _put_material(gl: Context, face: int, name: int, values: tuple[Any, ...]) -> None:
    """Set a parameter of a face's material."""
    faces = {GL.FRONT: (gl.fixed.front,), GL.BACK: (gl.fixed.back,), GL.FRONT_AND_BACK: (gl.fixed.front, gl.fixed.back)}
    if face not in faces:
        raise bad_enum("face", face)
    if name == GL.SHININESS and not 0 <= values[0] <= 128:
        raise bad_value(f"param: {values[0]} is not 0 .. 128")
    for item in faces[face]:
        put_material_color(item, name, values)
    gl.dirty |= dirty.MATERIAL


def put_material_color(item: Material, name: int, values: tuple[Any, ...]) -> None:
    """Set a color or the exponent of a material."""
    if name == GL.SHININESS:
        item.shininess = values[0]
    for field in FIELDS.get(name, ()):
        setattr(item, field, values)


@command("glMaterialfv")
def material_floats(gl: Context, face: int, pname: int, params: Pointer) -> None:
    """A parameter of a material."""
    put_material(gl, face, pname, _values("f", pname, MATERIAL_COUNTS, params))


@command("glMaterialiv")
def material_integers(gl: Context, face: int, pname: int, params: Pointer) -> None:
    """A parameter of a material."""
    put_material(gl, face, pname, _values("i", pname, MATERIAL_COUNTS, params))


@command("glMaterialf", "glMateriali")
@lists_itself
def material_number(gl: Context, face: int, pname: int, param: float) -> None:
    """The exponent of a material."""
    if pname != GL.SHININESS:
        raise bad_enum("pname", pname)
    put_material(gl, face, pname, (float(param),))


@listed
def put_model(gl: Context, name: int, values: tuple[Any, ...]) -> None:
    """Set a parameter of the lighting model."""
    if name == GL.LIGHT_MODEL_AMBIENT:
        gl.fixed.model_ambient = _four(values)
    elif name == GL.LIGHT_MODEL_LOCAL_VIEWER:
        gl.fixed.local_viewer = bool(values[0])
    elif name == GL.LIGHT_MODEL_TWO_SIDE:
        gl.fixed.two_side = bool(values[0])
    else:
        if int(values[0]) not in (GL.SINGLE_COLOR, GL.SEPARATE_SPECULAR_COLOR):
            raise bad_enum("param", int(values[0]))
        gl.fixed.color_control = int(values[0])
    gl.dirty |= dirty.FIXED | dirty.RASTERIZER


@command("glLightModelfv")
def light_model_floats(gl: Context, pname: int, params: Pointer) -> None:
    """A parameter of the lighting model."""
    put_model(gl, pname, _values("f", pname, MODEL_COUNTS, params))


@command("glLightModeliv")
def light_model_integers(gl: Context, pname: int, params: Pointer) -> None:
    """A parameter of the lighting model."""
    put_model(gl, pname, _values("i", pname, MODEL_COUNTS, params))


@command("glLightModelf", "glLightModeli")
@lists_itself
def light_model_number(gl: Context, pname: int, param: float) -> None:
    """A parameter of the lighting model that is one number."""
    if MODEL_COUNTS.get(pname) != 1:
        raise bad_enum("pname", pname)
    put_model(gl, pname, (float(param),))


def settle_color_material(gl: Context) -> None:
    """Copy the tracked vertex color to the material."""
    faces, mode = gl.fixed.color_material
    for face, item in ((GL.FRONT, gl.fixed.front), (GL.BACK, gl.fixed.back)):
        if faces in (face, GL.FRONT_AND_BACK):
            put_material_color(item, mode, _current_color(gl))


def _current_color(gl: Context) -> Any:
    if gl.batch is not None and COLOR in gl.batch.columns:
        return gl.batch.values[gl.batch.columns.index(COLOR)]
    return gl.attributes[COLOR][1]


def current_material(gl: Context, *, is_back: bool) -> Material:
    """The material of a face, with the tracked vertex color."""
    item = gl.fixed.back if is_back else gl.fixed.front
    faces, mode = gl.fixed.color_material
    if GL.COLOR_MATERIAL in gl.fixed.enabled and faces in (GL.BACK if is_back else GL.FRONT, GL.FRONT_AND_BACK):
        item = copy.copy(item)
        put_material_color(item, mode, _current_color(gl))
    return item


@command("glColorMaterial")
def color_material(gl: Context, face: int, mode: int) -> None:
    """Set the material colors that track the vertex color."""
    if face not in (GL.FRONT, GL.BACK, GL.FRONT_AND_BACK):
        raise bad_enum("face", face)
    if mode not in FIELDS:
        raise bad_enum("mode", mode)
    if GL.COLOR_MATERIAL in gl.fixed.enabled:
        settle_color_material(gl)
    gl.fixed.color_material = face, mode
    gl.dirty |= dirty.FIXED


@listed
def put_fog(gl: Context, name: int, values: tuple[Any, ...]) -> None:
    """Set a parameter of fog."""
    fog = gl.fixed.fog
    if name == GL.FOG_MODE:
        if int(values[0]) not in (GL.LINEAR, GL.EXP, GL.EXP2):
            raise bad_enum("param", int(values[0]))
        fog.mode = int(values[0])
    elif name == GL.FOG_DENSITY:
        if values[0] < 0:
            raise bad_value(f"param: {values[0]} is negative")
        fog.density = values[0]
    elif name == GL.FOG_START:
        fog.start = values[0]
    elif name == GL.FOG_END:
        fog.end = values[0]
    elif name == GL.FOG_COLOR:
        fog.color = _four(values)
    elif name == GL.FOG_COORD_SRC:
        if int(values[0]) not in (GL.FOG_COORDINATE, GL.FRAGMENT_DEPTH):
            raise bad_enum("param", int(values[0]))
        fog.source = int(values[0])
    gl.dirty |= dirty.FIXED


@command("glFogfv")
def fog_floats(gl: Context, pname: int, params: Pointer) -> None:
    """A parameter of fog."""
    put_fog(gl, pname, _values("f", pname, FOG_COUNTS, params))


@command("glFogiv")
def fog_integers(gl: Context, pname: int, params: Pointer) -> None:
    """A parameter of fog."""
    put_fog(gl, pname, _values("i", pname, FOG_COUNTS, params))


@command("glFogf", "glFogi")
@lists_itself
def fog_number(gl: Context, pname: int, param: float) -> None:
    """A parameter of fog that is one number."""
    if FOG_COUNTS.get(pname) != 1:
        raise bad_enum("pname", pname)
    put_fog(gl, pname, (float(param),))


@listed
def put_clip_plane(gl: Context, plane: int, equation: tuple[float, ...]) -> None:
    """Set a clip plane in object coordinates."""
    number = plane - GL.CLIP_DISTANCE0
    if not 0 <= number < len(gl.fixed.planes):
        raise bad_enum("plane", plane)
    gl.fixed.planes[number] = _four(product(np.array(equation, np.float32), inverse(gl.fixed.model_view)))
    gl.dirty |= dirty.CLIP


@command("glClipPlane")
def clip_plane(gl: Context, plane: int, equation: Pointer) -> None:
    """A clip plane."""
    put_clip_plane(gl, plane, numbers("d", equation, 4))


@command("glGetClipPlane")
def get_clip_plane(gl: Context, plane: int, equation: Pointer) -> None:
    """A clip plane in eye coordinates."""
    number = plane - GL.CLIP_DISTANCE0
    if not 0 <= number < len(gl.fixed.planes):
        raise bad_enum("plane", plane)
    write("d", equation, gl.fixed.planes[number])


def light_values(gl: Context, light: int, pname: int) -> tuple[float, ...]:
    """The values of a parameter of a light."""
    number = light - GL.LIGHT0
    if not 0 <= number < len(gl.fixed.lights):
        raise bad_enum("light", light)
    item = gl.fixed.lights[number]
    values: dict[int, tuple[float, ...]] = {
        GL.AMBIENT: item.ambient, GL.DIFFUSE: item.diffuse, GL.SPECULAR: item.specular, GL.POSITION: item.position,
        GL.SPOT_DIRECTION: item.direction, GL.SPOT_EXPONENT: (item.exponent,), GL.SPOT_CUTOFF: (item.cutoff,),
        GL.CONSTANT_ATTENUATION: item.attenuation[:1], GL.LINEAR_ATTENUATION: item.attenuation[1:2],
        GL.QUADRATIC_ATTENUATION: item.attenuation[2:],
    }  # fmt: skip
    if pname not in values:
        raise bad_enum("pname", pname)
    return values[pname]


@command("glGetLightfv")
def get_light(gl: Context, light: int, pname: int, params: Pointer) -> None:
    """A parameter of a light."""
    write("f", params, light_values(gl, light, pname))


def material_values(gl: Context, face: int, pname: int) -> tuple[float, ...]:
    """The values of a parameter of a face's material."""
    if face not in (GL.FRONT, GL.BACK):
        raise bad_enum("face", face)
    item = current_material(gl, is_back=face == GL.BACK)
    values: dict[int, tuple[float, ...]] = {
        GL.AMBIENT: item.ambient, GL.DIFFUSE: item.diffuse, GL.SPECULAR: item.specular, GL.EMISSION: item.emission,
        GL.SHININESS: (item.shininess,), GL.COLOR_INDEXES: (0.0, 1.0, 1.0),
    }  # fmt: skip
    if pname not in values:
        raise bad_enum("pname", pname)
    return values[pname]


@command("glGetMaterialfv")
def get_material(gl: Context, face: int, pname: int, params: Pointer) -> None:
    """A parameter of a material."""
    write("f", params, material_values(gl, face, pname))
