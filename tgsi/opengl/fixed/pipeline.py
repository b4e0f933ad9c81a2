"""The program of the current fixed-function state: keys, programs by key, and their constants."""

from __future__ import annotations

from typing import Any

from tgsi.opengl.context import Context
from tgsi.opengl.fixed.constants import fragment_constants, put_changes, vertex_constants
from tgsi.opengl.fixed.fragment_programs import SAMPLED, SHADOW, Combiner, EnvironmentKey, FragmentKey, fragment_program
from tgsi.opengl.fixed.vertex_programs import LightKey, UnitKey, VertexKey, vertex_program
from tgsi.opengl.objects.linked import Attribute, Linked
from tgsi.opengl.objects.texture import Texture
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import MAX_UNITS

TARGETS = (GL.TEXTURE_CUBE_MAP, GL.TEXTURE_3D, GL.TEXTURE_RECTANGLE, GL.TEXTURE_2D, GL.TEXTURE_1D)
"""Targets of a unit, the one first that wins where several are on. (OpenGL 2.1, 3.8.15)"""

SAMPLERS = {"1D": "sampler1D", "2D": "sampler2D", "3D": "sampler3D", "CUBE": "samplerCube", "RECT": "sampler2DRect"}


def texture_of(gl: Context, unit: int) -> tuple[int, Texture] | None:
    """The target and the texture that a unit samples; None if it is off or its texture is incomplete."""
    on = gl.fixed.units[unit].targets
    target = next((item for item in TARGETS if item in on), 0)
    if not target:
        return None
    place = gl.units[unit]
    texture = place.textures.get(target) or gl.default_textures[target]
    return (target, texture) if texture.complete(gl, place.sampler or texture.sampler) else None


def environment_key(gl: Context, unit: int) -> EnvironmentKey | None:
    """The key of a unit, or None if it does not sample."""
    found = texture_of(gl, unit)
    if found is None:
        return None
    target, texture = found
    image = texture.base_image()
    assert image is not None
    item, base = gl.fixed.units[unit], image.row.base
    sampler = gl.units[unit].sampler or texture.sampler
    is_depth = base in (GL.DEPTH_COMPONENT, GL.DEPTH_STENCIL)
    base = texture.depth_mode if is_depth else base
    compares = is_depth and sampler.compare_mode != GL.NONE and SAMPLED[target] in SHADOW
    halves: list[Combiner | None] = [None, None]
    if item.mode == GL.COMBINE:
        a, b, c = item.sources_rgb
        d, e, f = item.operands_rgb
        halves[0] = Combiner(item.combine_rgb, (a, b, c), (d, e, f), item.scale_rgb)
        a, b, c = item.sources_alpha
        d, e, f = item.operands_alpha
        halves[1] = Combiner(item.combine_alpha, (a, b, c), (d, e, f), item.scale_alpha)
    return EnvironmentKey(
        unit=unit,
        target=target,
        is_shadow=compares,
        base=GL.RGB if base == GL.RED else base,
        mode=item.mode,
        rgb=halves[0],
        alpha=halves[1],
    )


def vertex_key(gl: Context, units: tuple[EnvironmentKey, ...]) -> VertexKey:
    """The key of the vertex program."""
    state = gl.fixed
    on = state.enabled
    is_lit = GL.LIGHTING in on
    lights = tuple(
        LightKey(number, item.position[3] != 0, item.cutoff != 180.0, item.position[3] != 0 and item.attenuation != (1.0, 0.0, 0.0))
        for number, item in enumerate(state.lights)
        if item.is_on and is_lit
    )
    coordinates = []
    for item in units:
        rows = state.units[item.unit].coordinates
        modes = [row.mode if row.is_on else 0 for row in rows]
        matrix = state.textures[item.unit][-1]
        is_identity = bool((matrix == _IDENTITY).all())
        coordinates.append(UnitKey(item.unit, (modes[0], modes[1], modes[2], modes[3]), not is_identity))
    return VertexKey(
        is_lit=is_lit,
        lights=lights,
        is_local=is_lit and state.local_viewer,
        two_side=is_lit and state.two_side,
        is_separate=is_lit and state.color_control == GL.SEPARATE_SPECULAR_COLOR,
        tracked=state.color_material if is_lit and GL.COLOR_MATERIAL in on else (0, 0),
        normalizes=GL.NORMALIZE in on,
        rescales=GL.RESCALE_NORMAL in on,
        units=tuple(coordinates),
        fog=state.fog.source if GL.FOG in on else 0,
        clips=any(GL.CLIP_DISTANCE0 + k in gl.enabled for k in range(8)),
        has_size=state.attenuation != (1.0, 0.0, 0.0),
        has_secondary=GL.COLOR_SUM in on,
    )


_IDENTITY = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def fixed_program(gl: Context) -> Linked:
    """The program of the fixed functions for the current state."""
    changed = gl.dirty & (dirty.FIXED | dirty.TEXTURES | dirty.MATRIX | dirty.MATERIAL)
    found: Linked | None = gl.bound.get("fixed")
    if found is not None and not changed & (dirty.FIXED | dirty.TEXTURES):
        if changed:
            put_changes(gl, found.constants[GL.VERTEX_SHADER], changed)
            found.stale.add(GL.VERTEX_SHADER)
            gl.dirty &= ~changed
        return found
    units = tuple(key for key in (environment_key(gl, unit) for unit in range(MAX_UNITS)) if key is not None)
    vertex = vertex_key(gl, units)
    adds = (vertex.is_lit and vertex.is_separate) or (not vertex.is_lit and vertex.has_secondary)
    fragment = FragmentKey(units, adds, gl.fixed.fog.mode if vertex.fog else 0)
    known = gl.programs.get((vertex, fragment))
    linked = known if known is not None else gl.programs.setdefault((vertex, fragment), _make(gl, vertex, fragment))
    linked.constants[GL.VERTEX_SHADER] = vertex_constants(gl)
    linked.constants[GL.FRAGMENT_SHADER] = bytearray(fragment_constants(gl))
    linked.stale |= {GL.VERTEX_SHADER, GL.FRAGMENT_SHADER}
    if gl.bound.get("fixed") is not linked:
        gl.bound["fixed"] = linked
        gl.dirty |= dirty.PROGRAM
    if gl.bound.get("fixed rasterizer") != (vertex.two_side, vertex.has_size):
        gl.bound["fixed rasterizer"] = vertex.two_side, vertex.has_size
        gl.dirty |= dirty.RASTERIZER
    gl.dirty &= ~(dirty.FIXED | dirty.MATRIX | dirty.MATERIAL)
    return linked


def _make(gl: Context, vertex: VertexKey, fragment: FragmentKey) -> Linked:
    stored: dict[Any, Any] = gl.bound.setdefault("fixed programs", {})
    if vertex not in stored:
        made = vertex_program(vertex)
        stored[vertex] = made, gl.pipe.create_vs_state(made.program)
    if fragment not in stored:
        last = fragment_program(fragment)
        stored[fragment] = last, gl.pipe.create_fs_state(last)
    linked = Linked()
    program, shader = stored[vertex]
    linked.shaders = {GL.VERTEX_SHADER: shader, GL.FRAGMENT_SHADER: stored[fragment][1]}
    linked.programs = {GL.VERTEX_SHADER: program.program, GL.FRAGMENT_SHADER: stored[fragment][0]}
    linked.attributes = [Attribute("", GL.FLOAT_VEC4, "vec4", location, register, 1) for register, location in enumerate(program.inputs)]
    if fragment.units:
        linked.texture_units[GL.FRAGMENT_SHADER] = {item.unit: (item.unit, SAMPLERS[SAMPLED[item.target]]) for item in fragment.units}
    return linked


Context.fixed_program = staticmethod(fixed_program)
