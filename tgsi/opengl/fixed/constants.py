"""Constant buffers of the fixed functions' programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgsi.opengl.fixed import slots
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.fixed import FixedState, Light, Material

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

Floats = NDArray[np.float32]


def vertex_constants(gl: Context) -> bytes:
    """The constants of vertex programs."""
    state, made = gl.fixed, np.zeros((slots.VERTEX_SIZE, 4), np.float32)
    model_view = state.model_view
    made[slots.COMBINED : slots.COMBINED + 4] = state.projection @ model_view
    made[slots.MODEL_VIEW : slots.MODEL_VIEW + 4] = model_view
    inverse = inverse_of(model_view)
    made[slots.NORMAL : slots.NORMAL + 3, :3] = inverse[:3, :3].T
    length = math.sqrt(float(np.dot(inverse[2, :3], inverse[2, :3])))
    made[slots.MISC, 0] = 1.0 / length if length else 1.0
    if GL.LIGHTING in state.enabled:
        _put_lights(state, made)
    for unit, item in enumerate(state.units):
        for index, coordinate in enumerate(item.coordinates):
            plane = coordinate.object_plane if coordinate.mode == GL.OBJECT_LINEAR else coordinate.eye_plane
            made[slots.plane(unit, index)] = plane
        first = slots.texture_matrix(unit)
        made[first : first + 4] = state.textures[unit][-1]
    made[slots.POINT] = (*state.attenuation, gl.raster.point_size)
    made[slots.POINT + 1, :2] = max(1.0, state.size_range[0]), max(1.0, state.size_range[1])
    return made.tobytes()


def inverse_of(matrix: Floats) -> Floats:
    """The inverse of a matrix; zeros for one that has none."""
    try:
        return np.linalg.inv(matrix.astype(np.float64)).astype(np.float32)
    except np.linalg.LinAlgError:
        return np.zeros((4, 4), np.float32)


def _put_lights(state: FixedState, made: Floats) -> None:
    tracked = state.color_material if GL.COLOR_MATERIAL in state.enabled else (0, 0)
    ambient = np.array(state.model_ambient, np.float32)
    made[slots.MODEL_AMBIENT] = ambient
    for face, material in enumerate((state.front, state.back)):
        follows = _follows(tracked, face)
        emission = np.zeros(4, np.float32) if GL.EMISSION in follows else np.array(material.emission, np.float32)
        scene = emission if GL.AMBIENT in follows else emission + ambient * np.array(material.ambient, np.float32)
        scene[3] = material.diffuse[3]
        made[slots.SCENE + face] = scene
        made[slots.SHININESS, face] = material.shininess
        for number, light in enumerate(state.lights):
            if light.is_on:
                _put_products(light, material, follows, made, slots.light(number) + (slots.BACK if face else 0))
    for number, light in enumerate(state.lights):
        if light.is_on:
            _put_light(light, made, slots.light(number))


def _follows(tracked: tuple[int, int], face: int) -> set[int]:
    """The colors of a face's material that follow the vertex's color."""
    faces, mode = tracked
    if not faces or faces == (GL.FRONT if face else GL.BACK):
        return set()
    return {GL.AMBIENT, GL.DIFFUSE} if mode == GL.AMBIENT_AND_DIFFUSE else {mode}


def _put_products(light: Light, material: Material, follows: set[int], made: Floats, first: int) -> None:
    rows = (
        (slots.AMBIENT, GL.AMBIENT, light.ambient, material.ambient),
        (slots.DIFFUSE, GL.DIFFUSE, light.diffuse, material.diffuse),
        (slots.SPECULAR, GL.SPECULAR, light.specular, material.specular),
    )
    for place, name, color, factor in rows:
        made[first + place] = np.array(color, np.float32) * (np.float32(1.0) if name in follows else np.array(factor, np.float32))


def _put_light(light: Light, made: Floats, first: int) -> None:
    position = np.array(light.position, np.float32)
    if light.position[3] == 0:
        direction = _unit(position[:3])
        made[first, :3] = direction
        half = direction + np.array([0, 0, 1], np.float32)
        made[first + slots.HALF, :3] = _unit(half)
    else:
        made[first] = position / position[3]
    cosine = math.cos(math.radians(light.cutoff)) if light.cutoff != 180.0 else -1.0
    made[first + slots.ATTENUATION] = (*light.attenuation, cosine)
    made[first + slots.SPOT, :3] = _unit(np.array(light.direction, np.float32))
    made[first + slots.SPOT, 3] = light.exponent


def _unit(vector: Floats) -> Floats:
    length = np.sqrt(np.dot(vector, vector))
    return vector / length if length else vector


def fragment_constants(gl: Context) -> bytes:
    """The constants of fragment programs."""
    fog, made = gl.fixed.fog, np.zeros((slots.FRAGMENT_SIZE, 4), np.float32)
    made[slots.FOG_COLOR] = fog.color
    span = fog.end - fog.start
    made[slots.FOG_FACTORS] = (
        -1.0 / span if span else 0.0,
        fog.end / span if span else 1.0,
        fog.density / math.log(2.0),
        fog.density / math.sqrt(math.log(2.0)),
    )
    for unit, item in enumerate(gl.fixed.units):
        made[slots.ENVIRONMENT + unit] = item.color
    return made.tobytes()
