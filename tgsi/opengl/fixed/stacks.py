"""Stacks of attributes. (OpenGL 2.1, 6.1.14)"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from tgsi.opengl.calls import command
from tgsi.opengl.errors import GLError
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

GROUPS: dict[int, tuple[str, ...]] = {
    GL.CURRENT_BIT: (
        "attributes", "fixed.raster_position", "fixed.raster_color", "fixed.raster_valid", "fixed.raster_secondary",
        "fixed.raster_coordinates", "fixed.raster_distance", "legacy.index",
    ),
    GL.POINT_BIT: ("raster.point_size", "raster.sprite_origin", "fixed.attenuation", "fixed.size_range"),
    GL.LINE_BIT: ("raster.line_width", "raster.line_factor", "raster.line_pattern"),
    GL.POLYGON_BIT: (
        "raster.cull_face", "raster.front_face", "raster.polygon_front", "raster.polygon_back", "raster.offset_factor",
        "raster.offset_units", "raster.offset_clamp",
    ),
    GL.POLYGON_STIPPLE_BIT: ("raster.stipple",),
    GL.LIGHTING_BIT: (
        "raster.shade_model", "fixed.lights", "fixed.front", "fixed.back", "fixed.model_ambient", "fixed.local_viewer", "fixed.two_side",
        "fixed.color_control", "fixed.color_material",
    ),
    GL.FOG_BIT: ("fixed.fog",),
    GL.DEPTH_BUFFER_BIT: ("fragment.depth_func", "fragment.depth_mask", "clear_values.depth"),
    GL.ACCUM_BUFFER_BIT: ("clear_values.accum",),
    GL.STENCIL_BUFFER_BIT: ("fragment.front", "fragment.back", "clear_values.stencil"),
    GL.VIEWPORT_BIT: ("raster.viewports", "raster.depth_ranges"),
    GL.TRANSFORM_BIT: ("fixed.matrix_mode", "fixed.planes", "raster.clip_origin", "raster.clip_depth"),
    GL.ENABLE_BIT: (),
    GL.COLOR_BUFFER_BIT: (
        "fragment.targets", "fragment.blend_color", "fragment.logic_op", "fragment.alpha_func", "fragment.alpha_ref", "clear_values.color",
        "clear_values.index", "legacy.index_mask",
    ),
    GL.HINT_BIT: ("hints",),
    GL.LIST_BIT: ("fixed.list_base",),
    GL.TEXTURE_BIT: ("fixed.units", "active_unit"),
    GL.SCISSOR_BIT: ("raster.scissors",),
    GL.MULTISAMPLE_BIT: ("fragment.coverage", "fragment.coverage_invert", "fragment.sample_mask"),
    GL.EVAL_BIT: ("legacy.enabled", "legacy.evaluators.grid1", "legacy.evaluators.grid2"),
    GL.PIXEL_MODE_BIT: ("fixed.zoom", "legacy.transfer"),
}  # fmt: skip
"""Groups of attributes, with their fields."""

ENABLES: dict[int, tuple[int, ...]] = {
    GL.DEPTH_BUFFER_BIT: (GL.DEPTH_TEST,),
    GL.STENCIL_BUFFER_BIT: (GL.STENCIL_TEST,),
    GL.COLOR_BUFFER_BIT: (GL.ALPHA_TEST, GL.COLOR_LOGIC_OP, GL.DITHER, GL.FRAMEBUFFER_SRGB),
    GL.POINT_BIT: (GL.POINT_SMOOTH, GL.POINT_SPRITE),
    GL.LINE_BIT: (GL.LINE_SMOOTH, GL.LINE_STIPPLE),
    GL.POLYGON_BIT: (
        GL.CULL_FACE, GL.POLYGON_SMOOTH, GL.POLYGON_OFFSET_FILL, GL.POLYGON_OFFSET_LINE, GL.POLYGON_OFFSET_POINT, GL.POLYGON_STIPPLE,
    ),
    GL.TRANSFORM_BIT: (*(GL.CLIP_DISTANCE0 + k for k in range(8)), GL.DEPTH_CLAMP),
    GL.MULTISAMPLE_BIT: (GL.MULTISAMPLE, GL.SAMPLE_ALPHA_TO_COVERAGE, GL.SAMPLE_ALPHA_TO_ONE, GL.SAMPLE_COVERAGE, GL.SAMPLE_MASK),
}  # fmt: skip
FIXED_ENABLES: dict[int, tuple[int, ...]] = {
    GL.LIGHTING_BIT: (GL.LIGHTING, GL.COLOR_MATERIAL),
    GL.FOG_BIT: (GL.FOG, GL.COLOR_SUM),
    GL.TRANSFORM_BIT: (GL.NORMALIZE, GL.RESCALE_NORMAL),
}
MAX_DEPTH = 16


def _owner(gl: Context, path: str) -> tuple[Any, str]:
    place, _, field = path.rpartition(".")
    owner: Any = gl
    for name in place.split(".") if place else ():
        owner = getattr(owner, name)
    return owner, field


def _bound_textures(gl: Context) -> list[dict[int, Any]]:
    return [dict(unit.textures) for unit in gl.units]


@command("glPushAttrib")
def push_attrib(gl: Context, mask: int) -> None:
    """Push groups of state."""
    stack = gl.legacy.attributes
    if len(stack) >= MAX_DEPTH:
        raise GLError(GL.STACK_OVERFLOW, f"{MAX_DEPTH} groups are on the stack")
    saved: dict[str, Any] = {}
    for bit, paths in GROUPS.items():
        for path in paths if mask & bit else ():
            owner, field = _owner(gl, path)
            saved[path] = copy.deepcopy(getattr(owner, field))
    capabilities = {cap for bit, caps in ENABLES.items() if mask & (bit | GL.ENABLE_BIT) for cap in caps}
    fixed = {cap for bit, caps in FIXED_ENABLES.items() if mask & (bit | GL.ENABLE_BIT) for cap in caps}
    more: dict[str, Any] = {"enabled": (capabilities, gl.enabled & capabilities), "fixed": (fixed, gl.fixed.enabled & fixed)}
    if mask & (GL.ENABLE_BIT | GL.SCISSOR_BIT):
        more["scissor"] = list(gl.raster.scissor_enabled)
    if mask & GL.ENABLE_BIT:
        more["blend"] = [item.enabled for item in gl.fragment.targets]
        more["lights"] = [item.is_on for item in gl.fixed.lights]
        more["targets"] = [set(item.targets) for item in gl.fixed.units]
        more["generated"] = [[row.is_on for row in item.coordinates] for item in gl.fixed.units]
    if mask & GL.TEXTURE_BIT:
        more["textures"] = _bound_textures(gl)
    if mask & GL.COLOR_BUFFER_BIT:
        more["draw buffers"] = gl.draw_framebuffer, list(gl.draw_framebuffer.draw_buffers)
    stack.append((saved, more))


@command("glPopAttrib")
def pop_attrib(gl: Context) -> None:
    """Pop groups of state."""
    stack = gl.legacy.attributes
    if not stack:
        raise GLError(GL.STACK_UNDERFLOW, "no group is on the stack")
    saved, more = stack.pop()
    for path, value in saved.items():
        owner, field = _owner(gl, path)
        setattr(owner, field, value)
    capabilities, on = more["enabled"]
    gl.enabled = (gl.enabled - capabilities) | on
    fixed, on = more["fixed"]
    gl.fixed.enabled = (gl.fixed.enabled - fixed) | on
    if "scissor" in more:
        gl.raster.scissor_enabled = more["scissor"]
    if "blend" in more:
        for target, enabled in zip(gl.fragment.targets, more["blend"], strict=True):
            target.enabled = enabled
        for light, is_on in zip(gl.fixed.lights, more["lights"], strict=True):
            light.is_on = is_on
        for unit, targets, generated in zip(gl.fixed.units, more["targets"], more["generated"], strict=True):
            unit.targets = targets
            for row, is_on in zip(unit.coordinates, generated, strict=True):
                row.is_on = is_on
    if "textures" in more:
        for place, textures in zip(gl.units, more["textures"], strict=True):
            place.textures = {target: item for target, item in textures.items() if not item.is_deleted}
    if "draw buffers" in more and more["draw buffers"][0] is gl.draw_framebuffer:
        gl.draw_framebuffer.draw_buffers = more["draw buffers"][1]
    gl.dirty = dirty.ALL


@command("glPushClientAttrib")
def push_client_attrib(gl: Context, mask: int) -> None:
    """Push pixel store parameters and vertex arrays."""
    stack = gl.legacy.client
    if len(stack) >= MAX_DEPTH:
        raise GLError(GL.STACK_OVERFLOW, f"{MAX_DEPTH} groups are on the stack")
    saved: dict[str, Any] = {}
    if mask & GL.CLIENT_PIXEL_STORE_BIT:
        saved |= {"pack": copy.copy(gl.pack), "unpack": copy.copy(gl.unpack)}
    if mask & GL.CLIENT_VERTEX_ARRAY_BIT:
        array = gl.vertex_array
        saved["array"] = array, [copy.copy(item) for item in array.attributes], [copy.copy(item) for item in array.bindings], array.index
        saved["buffer"] = gl.buffers.get("ARRAY_BUFFER")
        saved["unit"] = gl.fixed.client_unit
    stack.append(saved)


@command("glPopClientAttrib")
def pop_client_attrib(gl: Context) -> None:
    """Pop pixel store parameters and vertex arrays."""
    stack = gl.legacy.client
    if not stack:
        raise GLError(GL.STACK_UNDERFLOW, "no group is on the stack")
    saved = stack.pop()
    if "pack" in saved:
        gl.pack, gl.unpack = saved["pack"], saved["unpack"]
    if "array" in saved:
        array, attributes, bindings, index = saved["array"]
        array.attributes, array.bindings, array.index = attributes, bindings, index
        gl.vertex_array, gl.buffers["ARRAY_BUFFER"], gl.fixed.client_unit = array, saved["buffer"], saved["unit"]
    gl.dirty |= dirty.VERTICES
