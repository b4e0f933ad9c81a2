"""Constant buffers of the programs that we generate for the fixed-function pipeline."""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgsi.opengl.fixed import slots
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import MAX_UNITS, FixedState, Floats4, Light, Material, inverse, product

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

Floats = NDArray[np.float32]

_ONE, _FOUR = struct.Struct("=f"), struct.Struct("=4f")
_NORMALS = struct.Struct("=3f4x3f4x3f4xf")
_LIGHT, _FRAGMENT = struct.Struct("=12d"), struct.Struct(f"={7 + 4 * MAX_UNITS}d")


def vertex_constants(gl: Context, units: Iterable[int]) -> bytearray:
    """The constants of a vertex program that writes coordinates for these units."""
    state, data = gl.fixed, bytearray(16 * slots.VERTEX_SIZE)
    put_changes(gl, data, dirty.MATRIX | dirty.MATERIAL)
    if GL.LIGHTING in state.enabled:
        for number, light in enumerate(state.lights):
            if light.is_on:
                first = 16 * slots.light(number)
                numbers = *light.position, *light.direction, light.exponent, *light.attenuation, light.cutoff
                data[first : first + 16 * slots.AMBIENT] = _light(_LIGHT.pack(*numbers))
    for unit in units:
        for index, coordinate in enumerate(state.units[unit].coordinates):
            if coordinate.is_on:
                plane = coordinate.object_plane if coordinate.mode == GL.OBJECT_LINEAR else coordinate.eye_plane
                _put(data, slots.plane(unit, index), *plane)
        first = 16 * slots.texture_matrix(unit)
        data[first : first + 64] = state.textures[unit][-1].tobytes()
    _put(data, slots.POINT, *state.attenuation, gl.raster.point_size)
    _put(data, slots.POINT + 1, max(1.0, state.size_range[0]), max(1.0, state.size_range[1]), 0.0, 0.0)
    return data


def put_changes(gl: Context, data: bytearray, changed: int) -> None:
    """Update only the constants of matrices and materials, which change from object to object."""
    state = gl.fixed
    if changed & dirty.MATRIX:
        model_view = state.model_view
        data[16 * slots.COMBINED : 16 * slots.COMBINED + 64] = product(state.projection, model_view).tobytes()
        data[16 * slots.MODEL_VIEW : 16 * slots.MODEL_VIEW + 64] = model_view.tobytes()
        _put_normals(model_view, data)
    if changed & dirty.MATERIAL and GL.LIGHTING in state.enabled:
        _put_materials(state, data)


def _put_normals(model_view: Floats, data: bytearray) -> None:
    """Write the normal matrix (inverse transpose of model-view), by cofactors if affine, and the GL_RESCALE_NORMAL factor."""
    (a, b, c, _), (d, e, f, _), (g, h, i, _), last = model_view.tolist()
    rows = (
        (e * i - f * h, f * g - d * i, d * h - e * g),
        (c * h - b * i, a * i - c * g, b * g - a * h),
        (b * f - c * e, c * d - a * f, a * e - b * d),
    )
    determinant = a * rows[0][0] + b * rows[0][1] + c * rows[0][2]
    if last == [0.0, 0.0, 0.0, 1.0] and determinant:
        r = 1.0 / determinant
        (a, b, c), (d, e, f), (g, h, i) = rows
        a, b, c, d, e, f, g, h, i = a * r, b * r, c * r, d * r, e * r, f * r, g * r, h * r, i * r
    else:
        (a, d, g), (b, e, h), (c, f, i) = inverse(model_view)[:3, :3].tolist()
    length = math.sqrt(c * c + f * f + i * i)
    try:
        _NORMALS.pack_into(data, 16 * slots.NORMAL, a, b, c, d, e, f, g, h, i, 1.0 / length if length else 1.0)
    except OverflowError:  # a value exceeds float32: all are written as zeros
        data[16 * slots.NORMAL : 16 * slots.NORMAL + 64] = bytes(64)


def _put_materials(state: FixedState, data: bytearray) -> None:
    """Write the products of materials with lights and with the model's ambient light."""
    tracked = state.color_material if GL.COLOR_MATERIAL in state.enabled else (0, 0)
    ambient = state.model_ambient
    _put(data, slots.MODEL_AMBIENT, *ambient)
    lights = [(slots.light(number), light) for number, light in enumerate(state.lights) if light.is_on]
    for face, material in enumerate((state.front, state.back)):
        follows = _follows(tracked, face)
        r, g, b, _ = (0.0, 0.0, 0.0, 0.0) if GL.EMISSION in follows else material.emission
        if GL.AMBIENT not in follows:
            x, y, z, _ = material.ambient
            r, g, b = r + ambient[0] * x, g + ambient[1] * y, b + ambient[2] * z
        _put(data, slots.SCENE + face, r, g, b, material.diffuse[3])
        _ONE.pack_into(data, 16 * slots.SHININESS + 4 * face, material.shininess)
        for first, light in lights:
            _put_products(light, material, follows, data, first + (slots.BACK if face else 0))


def _follows(tracked: tuple[int, int], face: int) -> set[int]:
    """The material colors of a face that track the vertex color."""
    faces, mode = tracked
    if not faces or faces == (GL.FRONT if face else GL.BACK):
        return set()
    return {GL.AMBIENT, GL.DIFFUSE} if mode == GL.AMBIENT_AND_DIFFUSE else {mode}


def _put(data: bytearray, place: int, *values: float) -> None:
    try:
        _FOUR.pack_into(data, 16 * place, *values)
    except OverflowError:  # values beyond the range of float32 become infinite
        with np.errstate(over="ignore"):
            data[16 * place : 16 * place + 16] = np.array(values).astype(np.float32).tobytes()


def _put_products(light: Light, material: Material, follows: set[int], data: bytearray, first: int) -> None:
    for place, name, (r, g, b, a), (x, y, z, w) in (
        (slots.AMBIENT, GL.AMBIENT, light.ambient, material.ambient),
        (slots.DIFFUSE, GL.DIFFUSE, light.diffuse, material.diffuse),
        (slots.SPECULAR, GL.SPECULAR, light.specular, material.specular),
    ):
        if name in follows:
            _put(data, first + place, r, g, b, a)
        else:
            _put(data, first + place, r * x, g * y, b * z, a * w)


@functools.lru_cache(256)
def _light(packed: bytes) -> bytes:
    """The constants of a light except its products with materials; cached, because most lights do not change between draws.

    packed: the light's values packed by `_LIGHT`, because as floats -0.0 and 0.0 would be the same key.
    """
    x, y, z, w, *direction, exponent, constant, linear, quadratic, cutoff = _LIGHT.unpack(packed)
    rows = np.zeros((slots.AMBIENT, 4), np.float32)
    position = np.array((x, y, z, w), np.float32)
    if w == 0:
        rows[0, :3] = _unit(position[:3])
        rows[slots.HALF, :3] = half_vector((x, y, z, w))
    else:
        rows[0] = position / position[3]
    cosine = math.cos(math.radians(cutoff)) if cutoff != 180.0 else -1.0
    rows[slots.ATTENUATION] = constant, linear, quadratic, cosine
    rows[slots.SPOT] = (*_unit(np.array(direction, np.float32)), exponent)
    return rows.tobytes()


def half_vector(position: Floats4) -> Floats:
    """The half vector between the directions to an infinite light and to an infinite viewer."""
    return _unit(_unit(np.array(position[:3], np.float32)) + np.array([0, 0, 1], np.float32))


def normal_rows(model_view: Floats) -> tuple[Floats, float]:
    """The 3 x 3 normal matrix, and the GL_RESCALE_NORMAL factor."""
    data = bytearray(16 * slots.NORMAL + 64)
    _put_normals(model_view, data)
    rows = np.frombuffer(data, np.float32, 16, 16 * slots.NORMAL).reshape(4, 4)
    return rows[:3, :3], float(rows[3, 0])


def _unit(vector: Floats) -> Floats:
    x, y, z = vector.tolist()
    length = np.float32(math.sqrt(x * x + y * y + z * z))
    return vector / length if length else vector


def fragment_constants(gl: Context) -> bytes:
    """The constants of fragment programs."""
    fog = gl.fixed.fog
    colors = [number for item in gl.fixed.units for number in item.color]
    return _fragment(_FRAGMENT.pack(fog.start, fog.end, fog.density, *fog.color, *colors))


@functools.lru_cache(64)
def _fragment(packed: bytes) -> bytes:
    start, end, density, *colors = _FRAGMENT.unpack(packed)
    rows = np.zeros((slots.FRAGMENT_SIZE, 4), np.float32)
    rows[slots.FOG_COLOR] = colors[:4]
    span = end - start
    rows[slots.FOG_FACTORS] = (
        -1.0 / span if span else 0.0,
        end / span if span else 1.0,
        density / math.log(2.0),
        density / math.sqrt(math.log(2.0)),
    )
    rows[slots.ENVIRONMENT :] = np.array(colors[4:]).reshape(-1, 4)
    return rows.tobytes()
