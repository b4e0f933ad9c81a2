"""Results of the vertex stage for commands that need the numbers: raster positions, selection, feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

import tgsi
from tgsi.opengl.fixed.primitives import locations_of
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import VERTEX

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

Floats = NDArray[np.float32]


class Vertices(NamedTuple):
    """Clip coordinates, colors of front and back faces, texture coordinates of unit 0, and distances from the enabled clip planes."""

    clip: Floats
    front: Floats
    back: Floats
    coordinate: Floats
    distances: Floats


def transformed(gl: Context, columns: list[int], array: Floats) -> Vertices | None:
    """Run the current program's vertex stage on vertices, [vertex, 1 + column, 4]; None without a program."""
    linked = gl.active_linked()
    program = linked.programs.get(GL.VERTEX_SHADER) if linked is not None else None
    if linked is None or program is None:
        return None
    type(gl).put_state(gl, linked, dirty.ALL)
    places = locations_of(linked)
    inputs = np.zeros((len(array), len(places), 4), np.float32)
    for register, location in enumerate(places):
        if location in (VERTEX, 0):
            inputs[:, register] = array[:, 0]
        elif location in columns:
            inputs[:, register] = array[:, 1 + columns.index(location)]
        else:
            inputs[:, register] = np.array(gl.attributes[location][1], np.float32)
    data = linked.constants.get(GL.VERTEX_SHADER, b"")
    constants = {0: np.frombuffer(bytes(data) + bytes(-len(data) % 16), np.float32).reshape(-1, 4)} if data else {}
    floats = tgsi.run(program, inputs, constants=constants).floats
    outputs = [item for item in program.declarations if item.file.name == "OUT"]
    by_semantic = {(item.semantic.name, item.semantic.index): floats[:, item.first] for item in outputs if item.semantic is not None}
    clip = by_semantic["POSITION", 0]
    front = by_semantic.get(("COLOR", 0), np.ones_like(clip))
    coordinate = by_semantic.get(("TEXCOORD", 0), np.array([[0, 0, 0, 1]], np.float32).repeat(len(clip), 0))
    if ("TEXCOORD", 0) not in by_semantic:
        coordinate = _texture_coordinates(gl, columns, array)
    return Vertices(clip, front, by_semantic.get(("BCOLOR", 0), front), coordinate, _distances(gl, by_semantic.get(("CLIPVERTEX", 0))))


def _texture_coordinates(gl: Context, columns: list[int], array: Floats) -> Floats:
    """Coordinates of unit 0 if no texture reads them: those of the vertices times the texture matrix."""
    location = VERTEX + 8
    source = (
        array[:, 1 + columns.index(location)]
        if location in columns
        else np.array([gl.attributes[location][1]], np.float32).repeat(len(array), 0)
    )
    with np.errstate(all="ignore"):
        coordinates: Floats = (source[:, None, :] * gl.fixed.textures[0][-1][None]).sum(-1, dtype=np.float32)
    return coordinates


def _distances(gl: Context, places: Floats | None) -> Floats:
    """Distances, [vertex, plane]; empty without a position in eye coordinates."""
    on = [k for k in range(8) if GL.CLIP_DISTANCE0 + k in gl.enabled]
    if places is None or not on:
        return np.zeros((0, 0), np.float32)
    planes = np.array([gl.fixed.planes[k] for k in on], np.float32)
    distances: Floats = (places[:, None, :] * planes[None]).sum(-1, dtype=np.float32)
    return distances
