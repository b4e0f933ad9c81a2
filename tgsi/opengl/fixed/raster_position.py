"""The raster position: where bitmaps and pixel rectangles are drawn, with colors and coordinates. (OpenGL 2.1, 2.13)"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.opengl.calls import command, lists_itself
from tgsi.opengl.fixed.selection import note_hit
from tgsi.opengl.fixed.transformed import transformed
from tgsi.opengl.lists import listed
from tgsi.opengl.memory import Pointer, numbers
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.fixed import COLOR, FOG, MAX_UNITS, SECONDARY, TEXTURE, Floats4, product

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


@listed
def put_raster_position(gl: Context, values: tuple[float, ...]) -> None:
    """Move the raster position to a vertex; a vertex outside the view volume makes it invalid."""
    vertex = np.array((*values, *(0.0, 0.0, 0.0, 1.0)[len(values) :]), np.float32)
    state = gl.fixed
    state.raster_color = gl.attributes[COLOR][1]
    eye = product(state.model_view, vertex)
    clip = product(state.projection, eye)
    planes = [state.planes[k] for k in range(len(state.planes)) if GL.CLIP_DISTANCE0 + k in gl.enabled]
    is_inside = all(float((np.array(plane, np.float32) * eye).sum()) >= 0 for plane in planes)
    if GL.LIGHTING in state.enabled or not gl.has_fixed_vertex():
        shaded = transformed(gl, [], vertex.reshape(1, 1, 4))
        if shaded is not None:
            clip = shaded.clip[0]
            state.raster_color = _four(shaded.front[0])
            is_inside = bool((shaded.distances >= 0).all()) if shaded.distances.size else is_inside
    w = float(clip[3])
    state.raster_valid = is_inside and w > 0 and bool((np.abs(clip[:3]) <= w).all())
    if not state.raster_valid:
        return
    x, y, width, height = gl.raster.viewports[0]
    near, far = gl.raster.depth_ranges[0]
    place = [float(value) / w for value in clip[:3]]
    depth = place[2] * (far - near) / 2 + (far + near) / 2
    state.raster_position = x + (place[0] + 1) * width / 2, y + (place[1] + 1) * height / 2, depth, w
    is_given = state.fog.source == GL.FOG_COORDINATE
    state.raster_distance = gl.attributes[FOG][1][0] if is_given else abs(float(eye[2]))
    _note(gl)


@listed
def put_window_position(gl: Context, values: tuple[float, ...]) -> None:
    """Move the raster position to a place in the window."""
    near, far = gl.raster.depth_ranges[0]
    z = min(1.0, max(0.0, values[2])) if len(values) > 2 else 0.0
    state = gl.fixed
    state.raster_position = float(values[0]), float(values[1]), near + z * (far - near), 1.0
    state.raster_valid = all(map(math.isfinite, state.raster_position))
    state.raster_color = gl.attributes[COLOR][1]
    state.raster_distance = gl.attributes[FOG][1][0] if state.fog.source == GL.FOG_COORDINATE else 0.0
    _note(gl)


def _note(gl: Context) -> None:
    """Store the current color and coordinates with the position, and report it to selection."""
    state = gl.fixed
    state.raster_secondary = gl.attributes[SECONDARY][1]
    state.raster_coordinates = [
        _four(product(state.textures[unit][-1], np.array(gl.attributes[TEXTURE + unit][1], np.float32))) for unit in range(MAX_UNITS)
    ]
    if gl.legacy.render.mode == GL.SELECT:
        note_hit(gl, np.array([state.raster_position[2]], np.float32))


def _four(values: Any) -> Floats4:
    a, b, c, d = values.tolist()
    return a, b, c, d


def _forms(name: str, put: Callable[..., None], counts: tuple[int, ...]) -> None:
    for count in counts:
        for kind, letter in {"s": "h", "i": "i", "f": "f", "d": "d"}.items():

            def values(gl: Context, *arguments: Any) -> None:
                put(gl, arguments)

            def vector(gl: Context, address: Pointer, count: int = count, letter: str = letter) -> None:
                put(gl, numbers(letter, address, count))

            command(f"{name}{count}{kind}")(lists_itself(values))
            command(f"{name}{count}{kind}v")(lists_itself(vector))


_forms("glRasterPos", put_raster_position, (2, 3, 4))
_forms("glWindowPos", put_window_position, (2, 3))
