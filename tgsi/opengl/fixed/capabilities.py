"""Capabilities of the fixed-function pipeline, and their states for glGet. (OpenGL 2.1, 6.1 and tables 6.9 to 6.19)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tgsi.opengl.commands.capabilities import MORE
from tgsi.opengl.fixed.environments import COORDINATES, unit
from tgsi.opengl.fixed.lighting import settle_color_material
from tgsi.opengl.gets.values import VALUES
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import COLOR, FOG, NORMAL, SECONDARY, TEXTURE

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

SWITCHES = {GL.LIGHTING, GL.COLOR_MATERIAL, GL.NORMALIZE, GL.RESCALE_NORMAL, GL.FOG, GL.COLOR_SUM, GL.AUTO_NORMAL}
TEXTURES = {GL.TEXTURE_1D, GL.TEXTURE_2D, GL.TEXTURE_3D, GL.TEXTURE_CUBE_MAP, GL.TEXTURE_RECTANGLE}
GENERATIONS = {GL.TEXTURE_GEN_S: GL.S, GL.TEXTURE_GEN_T: GL.T, GL.TEXTURE_GEN_R: GL.R, GL.TEXTURE_GEN_Q: GL.Q}
LIGHTS = {GL.LIGHT0 + k: k for k in range(8)}


def switch_fixed(gl: Context, cap: int, on: bool) -> None:
    """Switch a fixed-function capability."""
    state = gl.fixed
    if is_fixed_on(gl, cap) == on:
        return
    if cap in SWITCHES:
        if cap == GL.COLOR_MATERIAL and not on and cap in state.enabled:
            settle_color_material(gl)
        (state.enabled.add if on else state.enabled.discard)(cap)
    elif cap in LIGHTS:
        state.lights[LIGHTS[cap]].is_on = on
    elif cap in TEXTURES:
        targets = unit(gl).targets
        (targets.add if on else targets.discard)(cap)
    else:
        unit(gl).coordinates[COORDINATES[GENERATIONS[cap]]].is_on = on
    gl.dirty |= dirty.FIXED | (dirty.RASTERIZER if cap == GL.LIGHTING else 0)


def is_fixed_on(gl: Context, cap: int) -> bool:
    """True if a fixed-function capability is on."""
    if cap in SWITCHES:
        return cap in gl.fixed.enabled
    if cap in LIGHTS:
        return gl.fixed.lights[LIGHTS[cap]].is_on
    if cap in TEXTURES:
        return cap in unit(gl).targets
    return unit(gl).coordinates[COORDINATES[GENERATIONS[cap]]].is_on


def _matrix(mode: int, *, transposed: bool = False) -> Any:
    def find(gl: Context) -> list[float]:
        matrix = gl.fixed.textures[min(gl.active_unit, 7)][-1] if mode == GL.TEXTURE else gl.fixed.stacks[mode][-1]
        return [float(value) for value in (matrix if transposed else matrix.T).reshape(-1)]

    return find


def _current(location: int, count: int = 4) -> Any:
    return lambda gl: gl.attributes[location][1][:count]


VALUES.update(
    {
        GL.MATRIX_MODE: ("i", lambda gl: gl.fixed.matrix_mode),
        GL.MODELVIEW_MATRIX: ("f", _matrix(GL.MODELVIEW)),
        GL.PROJECTION_MATRIX: ("f", _matrix(GL.PROJECTION)),
        GL.TEXTURE_MATRIX: ("f", _matrix(GL.TEXTURE)),
        GL.TRANSPOSE_MODELVIEW_MATRIX: ("f", _matrix(GL.MODELVIEW, transposed=True)),
        GL.TRANSPOSE_PROJECTION_MATRIX: ("f", _matrix(GL.PROJECTION, transposed=True)),
        GL.TRANSPOSE_TEXTURE_MATRIX: ("f", _matrix(GL.TEXTURE, transposed=True)),
        GL.MODELVIEW_STACK_DEPTH: ("i", lambda gl: len(gl.fixed.stacks[GL.MODELVIEW])),
        GL.PROJECTION_STACK_DEPTH: ("i", lambda gl: len(gl.fixed.stacks[GL.PROJECTION])),
        GL.TEXTURE_STACK_DEPTH: ("i", lambda gl: len(gl.fixed.textures[min(gl.active_unit, 7)])),
        GL.CURRENT_COLOR: ("n", _current(COLOR)),
        GL.CURRENT_SECONDARY_COLOR: ("n", _current(SECONDARY)),
        GL.CURRENT_NORMAL: ("n", _current(NORMAL, 3)),
        GL.CURRENT_FOG_COORD: ("f", _current(FOG, 1)),
        GL.CURRENT_TEXTURE_COORDS: ("f", lambda gl: gl.attributes[TEXTURE + min(gl.active_unit, 7)][1]),
        GL.CURRENT_RASTER_POSITION: ("f", lambda gl: gl.fixed.raster_position),
        GL.CURRENT_RASTER_POSITION_VALID: ("i", lambda gl: gl.fixed.raster_valid),
        GL.CURRENT_RASTER_COLOR: ("n", lambda gl: gl.fixed.raster_color),
        GL.CURRENT_RASTER_DISTANCE: ("f", lambda gl: gl.fixed.raster_distance),
        GL.CURRENT_RASTER_SECONDARY_COLOR: ("n", lambda gl: gl.fixed.raster_secondary),
        GL.CURRENT_RASTER_TEXTURE_COORDS: ("f", lambda gl: gl.fixed.raster_coordinates[min(gl.active_unit, 7)]),
        GL.LIGHT_MODEL_AMBIENT: ("n", lambda gl: gl.fixed.model_ambient),
        GL.LIGHT_MODEL_LOCAL_VIEWER: ("i", lambda gl: gl.fixed.local_viewer),
        GL.LIGHT_MODEL_TWO_SIDE: ("i", lambda gl: gl.fixed.two_side),
        GL.LIGHT_MODEL_COLOR_CONTROL: ("i", lambda gl: gl.fixed.color_control),
        GL.COLOR_MATERIAL_FACE: ("i", lambda gl: gl.fixed.color_material[0]),
        GL.COLOR_MATERIAL_PARAMETER: ("i", lambda gl: gl.fixed.color_material[1]),
        GL.FOG_MODE: ("i", lambda gl: gl.fixed.fog.mode),
        GL.FOG_COLOR: ("n", lambda gl: gl.fixed.fog.color),
        GL.FOG_DENSITY: ("f", lambda gl: gl.fixed.fog.density),
        GL.FOG_START: ("f", lambda gl: gl.fixed.fog.start),
        GL.FOG_END: ("f", lambda gl: gl.fixed.fog.end),
        GL.FOG_COORD_SRC: ("i", lambda gl: gl.fixed.fog.source),
        GL.LIST_BASE: ("i", lambda gl: gl.fixed.list_base),
        GL.LIST_INDEX: ("i", lambda gl: gl.list.number if gl.list is not None else 0),
        GL.LIST_MODE: ("i", lambda gl: 0 if gl.list is None else GL.COMPILE_AND_EXECUTE if gl.list.executes else GL.COMPILE),
        GL.CLIENT_ACTIVE_TEXTURE: ("i", lambda gl: GL.TEXTURE0 + gl.fixed.client_unit),
        GL.ATTRIB_STACK_DEPTH: ("i", lambda gl: len(gl.legacy.attributes)),
        GL.CLIENT_ATTRIB_STACK_DEPTH: ("i", lambda gl: len(gl.legacy.client)),
        GL.ZOOM_X: ("f", lambda gl: gl.fixed.zoom[0]),
        GL.ZOOM_Y: ("f", lambda gl: gl.fixed.zoom[1]),
        GL.RGBA_MODE: ("i", lambda gl: 1),
        GL.INDEX_MODE: ("i", lambda gl: 0),
        GL.INDEX_BITS: ("i", lambda gl: 0),
        GL.POINT_DISTANCE_ATTENUATION: ("f", lambda gl: gl.fixed.attenuation),
    }
)

for _cap in (*SWITCHES, *TEXTURES, *GENERATIONS, *LIGHTS):
    MORE[_cap] = switch_fixed, is_fixed_on
