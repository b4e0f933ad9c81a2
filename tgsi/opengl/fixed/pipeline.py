"""The program of the current fixed-function state: keys, programs by key, and their constants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tgsi.opengl.context import Context
from tgsi.opengl.fixed.constants import fragment_constants, put_changes, vertex_constants
from tgsi.opengl.fixed.fragment_programs import SAMPLED, SHADOW, Combiner, EnvironmentKey, FragmentKey, fragment_program
from tgsi.opengl.fixed.vertex_programs import LightKey, UnitKey, VertexKey, vertex_program
from tgsi.opengl.objects.combined import Combined
from tgsi.opengl.objects.linked import Attribute, Linked
from tgsi.opengl.objects.texture import Texture
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

TARGETS = (GL.TEXTURE_CUBE_MAP, GL.TEXTURE_3D, GL.TEXTURE_RECTANGLE, GL.TEXTURE_2D, GL.TEXTURE_1D)
"""Targets of a unit by priority: the first enabled target is used. (OpenGL 2.1, 3.8.15)"""

SAMPLERS = {"1D": "sampler1D", "2D": "sampler2D", "3D": "sampler3D", "CUBE": "samplerCube", "RECT": "sampler2DRect"}


def texture_of(gl: Context, unit: int) -> tuple[int, Texture] | None:
    """The target and the texture that a unit samples; None if the unit is disabled or the texture incomplete."""
    on = gl.fixed.units[unit].targets
    if not on:
        return None
    target = next(item for item in TARGETS if item in on)
    place = gl.units[unit]
    texture = place.textures.get(target) or gl.default_textures[target]
    return (target, texture) if texture.complete(gl, place.sampler or texture.sampler) else None


def environment_key(gl: Context, unit: int) -> EnvironmentKey | None:
    """The key of a unit, or None if it does not sample."""
    bound = texture_of(gl, unit)
    if bound is None:
        return None
    target, texture = bound
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


def vertex_key(gl: Context, units: Iterable[int], *, has_fog: bool, has_secondary: bool) -> VertexKey:
    """The key of a vertex program that writes coordinates for these units."""
    state = gl.fixed
    on = state.enabled
    is_lit = GL.LIGHTING in on
    lights = tuple(
        LightKey(number, item.position[3] != 0, item.cutoff != 180.0, item.position[3] != 0 and item.attenuation != (1.0, 0.0, 0.0))
        for number, item in enumerate(state.lights)
        if item.is_on and is_lit
    )
    coordinates = []
    for unit in units:
        modes = [row.mode if row.is_on else 0 for row in state.units[unit].coordinates]
        is_identity = bool((state.textures[unit][-1] == _IDENTITY).all())
        coordinates.append(UnitKey(unit, (modes[0], modes[1], modes[2], modes[3]), not is_identity))
    has_size = state.attenuation != (1.0, 0.0, 0.0)
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
        fog=state.fog.source if has_fog else 0,
        clips=any(GL.CLIP_DISTANCE0 + k in gl.enabled for k in range(8)),
        has_size=has_size,
        rounds_size=has_size and not gl.enabled & {GL.POINT_SMOOTH, GL.POINT_SPRITE},
        has_secondary=has_secondary,
        has_edges=(gl.raster.polygon_front, gl.raster.polygon_back) != (GL.FILL, GL.FILL),
    )


_IDENTITY = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def units_of(gl: Context) -> tuple[EnvironmentKey, ...]:
    """The units that sample."""
    keys = [environment_key(gl, unit) for unit, item in enumerate(gl.fixed.units) if item.targets]
    return tuple([key for key in keys if key is not None])


def fixed_program(gl: Context) -> Linked:
    """The fixed-function program for the current state."""
    changed = gl.dirty & (dirty.FIXED | dirty.TEXTURES | dirty.MATRIX | dirty.MATERIAL)
    stages = gl.stages
    linked = stages.linked
    units = units_of(gl) if changed & (dirty.FIXED | dirty.TEXTURES) or linked is None else stages.units
    if linked is not None and not changed & dirty.FIXED and units == stages.units:
        changed &= dirty.MATRIX | dirty.MATERIAL
        if changed:
            put_changes(gl, linked.constants[GL.VERTEX_SHADER], changed)
            linked.stale.add(GL.VERTEX_SHADER)
            gl.dirty &= ~changed
        return linked
    on, stages.units = gl.fixed.enabled, units
    has_secondary = GL.COLOR_SUM in on
    vertex = vertex_key(gl, [item.unit for item in units], has_fog=GL.FOG in on, has_secondary=has_secondary)
    adds = vertex.is_separate if vertex.is_lit else has_secondary
    fragment = FragmentKey(units, adds, gl.fixed.fog.mode if vertex.fog else 0)
    known = gl.programs.get((vertex, fragment))
    if known is None:
        known = gl.programs[vertex, fragment] = Linked()
        _add_vertex(gl, known, vertex)
        _add_fragment(gl, known, fragment)
    _put_constants(gl, known, vertex.units)
    if stages.linked is not known:
        stages.linked = known
        gl.dirty |= dirty.PROGRAM
    _note_vertex(gl, vertex)
    gl.dirty &= ~(dirty.FIXED | dirty.MATRIX | dirty.MATERIAL)
    return known


def mixed_program(gl: Context, base: Linked) -> Linked:
    """A linked program, completed by fixed-function stages for the current state."""
    stages = gl.stages
    changed = gl.dirty & (dirty.FIXED | dirty.TEXTURES | dirty.MATRIX | dirty.MATERIAL | dirty.PROGRAM | dirty.SUBROUTINES)
    if stages.base is base and stages.mixed is not None and not changed:
        return stages.mixed
    own = Linked()
    keys: list[Any] = [gl.number]
    vertex: VertexKey | None = None
    if base.lacks(GL.VERTEX_SHADER):
        reads = base.fragment_reads()
        numbers = sorted(index for name, index in reads if name == "TEXCOORD")
        vertex = vertex_key(gl, numbers, has_fog=("FOG", 0) in reads, has_secondary=("COLOR", 1) in reads)
        _note_vertex(gl, vertex)
        keys.append(vertex)
        _add_vertex(gl, own, vertex)
    if base.lacks(GL.FRAGMENT_SHADER):
        fragment = FragmentKey(units_of(gl), GL.COLOR_SUM in gl.fixed.enabled, gl.fixed.fog.mode if GL.FOG in gl.fixed.enabled else 0)
        keys.append(fragment)
        _add_fragment(gl, own, fragment)
    combined = base.mixes.get(tuple(keys))
    if combined is None:
        combined = base.mixes[tuple(keys)] = Combined([(base, tuple(base.programs)), (own, tuple(own.programs))])
    assert isinstance(combined, Combined)
    _put_constants(gl, combined.parts[1], vertex.units if vertex is not None else ())
    combined.refresh()
    type(gl).put_state(gl, base, dirty.ALL if stages.mixed is not combined else changed)
    if stages.mixed is not combined:
        stages.mixed, stages.base = combined, base
        gl.dirty |= dirty.PROGRAM
    gl.dirty &= ~(dirty.FIXED | dirty.MATRIX | dirty.MATERIAL)
    return combined


def _note_vertex(gl: Context, key: VertexKey) -> None:
    if gl.stages.rasterizer != (key.two_side, key.has_size):
        gl.stages.rasterizer = key.two_side, key.has_size
        gl.dirty |= dirty.RASTERIZER


def _put_constants(gl: Context, linked: Linked, units: tuple[UnitKey, ...]) -> None:
    if GL.VERTEX_SHADER in linked.programs:
        linked.constants[GL.VERTEX_SHADER] = vertex_constants(gl, [item.number for item in units])
    if GL.FRAGMENT_SHADER in linked.programs:
        linked.constants[GL.FRAGMENT_SHADER] = bytearray(fragment_constants(gl))
    linked.note_stale(linked.constants)


def _add_vertex(gl: Context, linked: Linked, key: VertexKey) -> None:
    stored = gl.stages.vertex.get(key)
    if stored is None:
        fixed_vertex = vertex_program(key)
        stored = gl.stages.vertex[key] = fixed_vertex, gl.pipe.create_vs_state(fixed_vertex.program)
    program, linked.shaders[GL.VERTEX_SHADER] = stored
    linked.programs[GL.VERTEX_SHADER] = program.program
    linked.attributes = [Attribute("", GL.FLOAT_VEC4, "vec4", location, register, 1) for register, location in enumerate(program.inputs)]


def _add_fragment(gl: Context, linked: Linked, key: FragmentKey) -> None:
    stored = gl.stages.fragment.get(key)
    if stored is None:
        program = fragment_program(key)
        stored = gl.stages.fragment[key] = program, gl.pipe.create_fs_state(program)
    linked.programs[GL.FRAGMENT_SHADER], linked.shaders[GL.FRAGMENT_SHADER] = stored
    if key.units:
        linked.texture_units[GL.FRAGMENT_SHADER] = {item.unit: (item.unit, SAMPLERS[SAMPLED[item.target]]) for item in key.units}


Context.fixed_program = staticmethod(fixed_program)
Context.mixed_program = staticmethod(mixed_program)
