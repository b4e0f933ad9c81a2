"""Built-in state uniforms, such as gl_ModelViewMatrix and gl_LightSource. (GLSL 1.20, 7.5)"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tgsi.opengl.context import Context
from tgsi.opengl.fixed.constants import half_vector, normal_rows
from tgsi.opengl.fixed.lighting import current_material
from tgsi.opengl.objects.linked import Linked, StateUniform
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import Light, Material, inverse, product

if TYPE_CHECKING:
    from tgsi.language.interface import Variable

Value = tuple[float, ...] | NDArray[np.float32]
Finder = Callable[[Context, int], Value]

_NAME = re.compile(r"(gl_\w+)(?:\[(\d+)\])?(?:\.(\w+))?")
_MATERIALS = dirty.FIXED | dirty.MATERIAL | dirty.VERTICES
"""Groups of materials, which track the current color while GL_COLOR_MATERIAL is on."""


def _matrices() -> dict[str, tuple[int, Finder]]:
    """Rows of matrices, with their inverses and transposes."""

    def model_view(gl: Context, unit: int) -> NDArray[np.float32]:
        return gl.fixed.model_view

    def projection(gl: Context, unit: int) -> NDArray[np.float32]:
        return gl.fixed.projection

    def both(gl: Context, unit: int) -> NDArray[np.float32]:
        return product(gl.fixed.projection, gl.fixed.model_view)

    def texture(gl: Context, unit: int) -> NDArray[np.float32]:
        return gl.fixed.textures[unit][-1]

    def inverted(find: Callable[[Context, int], NDArray[np.float32]]) -> Finder:
        return lambda gl, unit: inverse(find(gl, unit))

    def turned(find: Finder) -> Finder:
        return lambda gl, unit: np.asarray(find(gl, unit)).T

    matrices: dict[str, tuple[int, Finder]] = {}
    for name, bits, find in (
        ("ModelView", dirty.MATRIX, model_view),
        ("Projection", dirty.MATRIX, projection),
        ("ModelViewProjection", dirty.MATRIX, both),
        ("Texture", dirty.FIXED, texture),
    ):
        matrices[f"gl_{name}Matrix"] = bits, find
        matrices[f"gl_{name}MatrixInverse"] = bits, inverted(find)
        matrices[f"gl_{name}MatrixTranspose"] = bits, turned(find)
        matrices[f"gl_{name}MatrixInverseTranspose"] = bits, turned(inverted(find))
    return matrices


def _light(find: Callable[[Light], Value]) -> tuple[int, Finder]:
    return dirty.FIXED, lambda gl, number: find(gl.fixed.lights[number])


def _lights() -> dict[str, tuple[int, Finder]]:
    members: dict[str, Callable[[Light], Value]] = {
        "ambient": lambda item: item.ambient,
        "diffuse": lambda item: item.diffuse,
        "specular": lambda item: item.specular,
        "position": lambda item: item.position,
        "halfVector": lambda item: (*half_vector(item.position).tolist(), 1.0),
        "spotDirection": lambda item: item.direction,
        "spotExponent": lambda item: (item.exponent,),
        "spotCutoff": lambda item: (item.cutoff,),
        "spotCosCutoff": lambda item: (math.cos(math.radians(item.cutoff)),),
        "constantAttenuation": lambda item: item.attenuation[:1],
        "linearAttenuation": lambda item: item.attenuation[1:2],
        "quadraticAttenuation": lambda item: item.attenuation[2:],
    }
    return {f"gl_LightSource.{name}": _light(find) for name, find in members.items()}


def _materials(face: str, is_back: bool) -> dict[str, tuple[int, Finder]]:
    def material(field: str) -> Finder:
        return lambda gl, number: getattr(current_material(gl, is_back=is_back), field)

    def times(field: str) -> Finder:
        def find(gl: Context, number: int) -> Value:
            light, own = getattr(gl.fixed.lights[number], field), getattr(current_material(gl, is_back=is_back), field)
            return tuple(a * b for a, b in zip(light, own, strict=True))

        return find

    def scene(gl: Context, number: int) -> Value:
        item: Material = current_material(gl, is_back=is_back)
        sums = [e + a * m for e, a, m in zip(item.emission, item.ambient, gl.fixed.model_ambient, strict=True)]
        return (*sums[:3], item.diffuse[3])

    finders = {f"gl_{face}Material.{name}": (_MATERIALS, material(name)) for name in ("emission", "ambient", "diffuse", "specular")}
    finders |= {f"gl_{face}LightProduct.{name}": (_MATERIALS, times(name)) for name in ("ambient", "diffuse", "specular")}
    finders[f"gl_{face}Material.shininess"] = _MATERIALS, lambda gl, _: (current_material(gl, is_back=is_back).shininess,)
    finders[f"gl_{face}LightModelProduct.sceneColor"] = _MATERIALS, scene
    return finders


def _planes() -> dict[str, tuple[int, Finder]]:
    def plane(kind: str, index: int) -> Finder:
        return lambda gl, unit: getattr(gl.fixed.units[unit].coordinates[index], kind)

    return {
        f"gl_{word}Plane{letter}": (dirty.FIXED, plane(kind, index))
        for word, kind in (("Eye", "eye_plane"), ("Object", "object_plane"))
        for index, letter in enumerate("STRQ")
    }


def _points() -> dict[str, tuple[int, Finder]]:
    bits = dirty.FIXED | dirty.RASTERIZER
    finders: dict[str, tuple[int, Finder]] = {
        "gl_Point.size": (bits, lambda gl, _: (gl.raster.point_size,)),
        "gl_Point.sizeMin": (bits, lambda gl, _: gl.fixed.size_range[:1]),
        "gl_Point.sizeMax": (bits, lambda gl, _: gl.fixed.size_range[1:]),
        "gl_Point.fadeThresholdSize": (bits, lambda gl, _: (float(gl.hints.get(GL.POINT_FADE_THRESHOLD_SIZE, 1)),)),
    }
    for index, word in enumerate(("Constant", "Linear", "Quadratic")):
        finders[f"gl_Point.distance{word}Attenuation"] = bits, _attenuation(index)
    return finders


def _attenuation(index: int) -> Finder:
    return lambda gl, _: (gl.fixed.attenuation[index],)


def _fog_scale(gl: Context, _: int) -> Value:
    span = gl.fixed.fog.end - gl.fixed.fog.start
    return (1.0 / span if span else 1.0,)


def _depth_range(gl: Context, _: int) -> tuple[float, float]:
    return gl.raster.depth_ranges[0]


STATE: dict[str, tuple[int, Finder]] = {
    **_matrices(),
    "gl_NormalMatrix": (dirty.MATRIX, lambda gl, _: normal_rows(gl.fixed.model_view)[0]),
    "gl_NormalScale": (dirty.MATRIX, lambda gl, _: (normal_rows(gl.fixed.model_view)[1],)),
    **_lights(),
    **_materials("Front", is_back=False),
    **_materials("Back", is_back=True),
    "gl_LightModel.ambient": (dirty.FIXED, lambda gl, _: gl.fixed.model_ambient),
    **_planes(),
    **_points(),
    "gl_ClipPlane": (dirty.CLIP, lambda gl, number: gl.fixed.planes[number]),
    "gl_TextureEnvColor": (dirty.FIXED, lambda gl, unit: gl.fixed.units[unit].color),
    "gl_Fog.color": (dirty.FIXED, lambda gl, _: gl.fixed.fog.color),
    "gl_Fog.density": (dirty.FIXED, lambda gl, _: (gl.fixed.fog.density,)),
    "gl_Fog.start": (dirty.FIXED, lambda gl, _: (gl.fixed.fog.start,)),
    "gl_Fog.end": (dirty.FIXED, lambda gl, _: (gl.fixed.fog.end,)),
    "gl_Fog.scale": (dirty.FIXED, _fog_scale),
    "gl_DepthRange.near": (dirty.VIEWPORT, lambda gl, _: _depth_range(gl, 0)[:1]),
    "gl_DepthRange.far": (dirty.VIEWPORT, lambda gl, _: _depth_range(gl, 0)[1:]),
    "gl_DepthRange.diff": (dirty.VIEWPORT, lambda gl, _: (_depth_range(gl, 0)[1] - _depth_range(gl, 0)[0],)),
    "gl_NumSamples": (dirty.SAMPLES, lambda gl, _: (max(1, gl.draw_framebuffer.samples()),)),
}
"""Names of state, without element numbers: the groups of state that they depend on, and functions that return their values."""


def find_state(linked: Linked) -> list[StateUniform]:
    """The built-in state uniforms of a program."""
    uniforms: list[StateUniform] = []
    for uniform in linked.uniforms:
        match = _NAME.fullmatch(uniform.name.removesuffix("[0]") if uniform.is_array else uniform.name)
        if match is None:
            continue
        stem, number, member = match.groups()
        row = STATE.get(f"{stem}.{member}" if member else stem)
        if row is not None:
            uniforms += [StateUniform(row[0], row[1], int(number or 0), stage, variable) for stage, variable in uniform.places]
    return uniforms


def put_state(gl: Context, linked: Linked, changed: int) -> None:
    """Write the state uniforms of changed groups, and the selected subroutines."""
    for part in linked.leaves():
        if part.subroutines and changed & (dirty.PROGRAM | dirty.SUBROUTINES):
            _put_subroutines(gl, part)
        if part.state is None:
            part.state = find_state(part)
        for item in part.state:
            if item.bits & changed:
                constants = part.constants[item.stage]
                for element in range(item.variable.sizes[0] if item.variable.sizes else 1):
                    _put(constants, item.variable, element, item.find(gl, item.element + element))
                part.stale.add(item.stage)


def _put_subroutines(gl: Context, part: Linked) -> None:
    """Write the selected functions, except for stages not in use, because the selection is for the locations of the stage in use."""
    for stage, item in part.subroutines.items():
        if item.uniforms:
            chosen = gl.subroutines.get(stage, ())
            item.put(part.constants[stage], chosen if len(chosen) == item.locations else item.initial())
            part.stale.add(stage)


def _put(constants: bytearray, variable: Variable, element: int, value: Any) -> None:
    """Write numbers, or a matrix given by rows, to an element."""
    at = variable.offset + (element * variable.strides[0] if variable.strides else 0)
    if variable.columns == 1:
        struct.pack_into(f"={variable.rows}{'i' if variable.scalar == 'int' else 'f'}", constants, at, *value)
        return
    columns = np.ascontiguousarray(np.asarray(value, np.float32).T)
    for column in range(variable.columns):
        first = at + column * variable.matrix_stride
        constants[first : first + 4 * variable.rows] = columns[column].tobytes()


Context.put_state = staticmethod(put_state)
