"""Rasterizer state, viewports and scissors. As in OpenGL's windows, rows of a target grow upward: row 0 is the lower edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.opengl.errors import bad_operation
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.fixed import Floats4, Matrix, inverse, product

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

MODES = {GL.FILL: "FILL", GL.LINE: "LINE", GL.POINT: "POINT", GL.FILL_RECTANGLE_NV: "FILL_RECTANGLE"}
FACES = {GL.FRONT: "FRONT", GL.BACK: "BACK", GL.FRONT_AND_BACK: "FRONT_AND_BACK"}


def bind_rasterizer(gl: Context) -> None:
    """The rasterizer's state object."""
    state, enabled = gl.raster, gl.enabled
    clip_planes = sum(1 << k for k in range(8) if GL.CLIP_DISTANCE0 + k in enabled)
    key: tuple[Any, ...] = (
        "rasterizer",
        state.cull_face if GL.CULL_FACE in enabled else 0,
        state.front_face,
        state.clip_origin,
        state.clip_depth,
        state.polygon_front,
        state.polygon_back,
        tuple(item in enabled for item in _SWITCHES),
        (state.offset_factor, state.offset_units, state.offset_clamp),
        any(state.scissor_enabled),
        state.line_width,
        state.point_size,
        state.sprite_origin,
        state.provoking,
        clip_planes,
        (state.line_factor, state.line_pattern),
        (state.shade_model, not gl.is_core() and _is_smooth(gl), _turns_sprites(gl)),
        gl.stages.rasterizer if gl.has_fixed_vertex() else None,
        _sprites(gl),
        (gl.draw_framebuffer.samples() > 1, gl.draw_framebuffer.depth_step()),
    )
    state_object = gl.state_objects.get(key)
    if state_object is None:
        state_object = gl.state_objects[key] = gl.pipe.create_rasterizer_state(**_fields(gl, clip_planes))
    gl.pipe.bind_rasterizer_state(state_object)


_SWITCHES = (
    GL.POLYGON_OFFSET_FILL,
    GL.POLYGON_OFFSET_LINE,
    GL.POLYGON_OFFSET_POINT,
    GL.MULTISAMPLE,
    GL.LINE_SMOOTH,
    GL.POLYGON_SMOOTH,
    GL.POINT_SMOOTH,
    GL.LINE_STIPPLE,
    GL.POLYGON_STIPPLE,
    GL.RASTERIZER_DISCARD,
    GL.DEPTH_CLAMP,
    GL.PROGRAM_POINT_SIZE,
    GL.POINT_SPRITE,
    GL.VERTEX_PROGRAM_TWO_SIDE,
    GL.SAMPLE_SHADING,
)


def _sprites(gl: Context) -> int:
    """A bit for each unit whose texture coordinates are point sprite coordinates."""
    if GL.POINT_SPRITE not in gl.enabled or gl.is_core():
        return 0
    linked = gl.active_linked()
    reads = linked.fragment_reads() if linked is not None else frozenset()
    return sum(1 << k for k, item in enumerate(gl.fixed.units) if item.replaces_coordinates and ("TEXCOORD", k) in reads)


def _turns_sprites(gl: Context) -> bool:
    """True if sprites must be flipped: rows grow upward here, and only programs that read gl_PointCoord flip it themselves."""
    linked = gl.active_linked() if _sprites(gl) else None
    return linked is not None and ("PCOORD", 0) not in linked.fragment_reads()


def _is_smooth(gl: Context) -> bool:
    """True if no value of a primitive is flat. Then quads are split from their first vertex, as in Mesa."""
    linked = gl.active_linked()
    return gl.raster.shade_model == GL.SMOOTH and (linked is None or not linked.has_flat_inputs())


def _fields(gl: Context, clip_planes: int) -> dict[str, Any]:
    state, enabled = gl.raster, gl.enabled
    samples = gl.draw_framebuffer.samples() > 1
    smooth = not (samples and GL.MULTISAMPLE in enabled)
    is_upward = state.clip_origin == GL.LOWER_LEFT
    is_fixed = gl.has_fixed_vertex()
    two_side, has_size = gl.stages.rasterizer
    is_first = not gl.is_core() and _is_smooth(gl)
    if GL.FILL_RECTANGLE_NV in {state.polygon_front, state.polygon_back} and state.polygon_front != state.polygon_back:
        raise bad_operation("GL_FILL_RECTANGLE_NV is the polygon mode of one face alone")
    return {
        "sprite_coord_enable": _sprites(gl),
        "flatshade": state.shade_model == GL.FLAT,
        "light_twoside": two_side if is_fixed else GL.VERTEX_PROGRAM_TWO_SIDE in enabled,
        "front_ccw": (state.front_face == GL.CW) == is_upward,
        "cull_face": FACES[state.cull_face] if GL.CULL_FACE in enabled else "NONE",
        "fill_front": MODES[state.polygon_front],
        "fill_back": MODES[state.polygon_back],
        "offset_tri": GL.POLYGON_OFFSET_FILL in enabled,
        "offset_line": GL.POLYGON_OFFSET_LINE in enabled,
        "offset_point": GL.POLYGON_OFFSET_POINT in enabled,
        "offset_scale": state.offset_factor,
        "offset_units": state.offset_units * gl.draw_framebuffer.depth_step(),
        "offset_clamp": state.offset_clamp,
        "scissor": any(state.scissor_enabled),
        "multisample": GL.MULTISAMPLE in enabled,
        "line_smooth": smooth and GL.LINE_SMOOTH in enabled,
        "poly_smooth": smooth and GL.POLYGON_SMOOTH in enabled,
        "point_smooth": smooth and GL.POINT_SMOOTH in enabled and GL.POINT_SPRITE not in enabled and not gl.is_core(),
        "line_stipple_enable": GL.LINE_STIPPLE in enabled,
        "line_stipple_factor": max(0, min(255, state.line_factor - 1)),
        "line_stipple_pattern": state.line_pattern,
        "poly_stipple_enable": GL.POLYGON_STIPPLE in enabled,
        "rasterizer_discard": GL.RASTERIZER_DISCARD in enabled,
        "depth_clip": GL.DEPTH_CLAMP not in enabled,
        "depth_clip_near": GL.DEPTH_CLAMP not in enabled,
        "depth_clip_far": GL.DEPTH_CLAMP not in enabled,
        "clip_halfz": state.clip_depth == GL.ZERO_TO_ONE,
        "point_size_per_vertex": has_size if is_fixed else GL.PROGRAM_POINT_SIZE in enabled or gl.profile == "es",
        "point_quad_rasterization": GL.POINT_SPRITE in enabled or gl.is_core(),
        "point_size": max(1.0, min(state.point_size, 255.0)),
        "line_width": max(1.0, min(state.line_width, 255.0)),
        "sprite_coord_mode": "UPPER_LEFT" if (state.sprite_origin == GL.UPPER_LEFT) != _turns_sprites(gl) else "LOWER_LEFT",
        "clip_plane_enable": clip_planes,
        "flatshade_first": is_first or state.provoking == GL.FIRST_VERTEX_CONVENTION,
        "quads_provoke_last": not is_first,
        "half_pixel_center": True,
        "line_last_pixel": False,
        "clamp_vertex_color": not gl.is_core(),
        "clamp_fragment_color": not gl.is_core(),
        "clamp_fixed_only": True,
        "force_persample_interp": GL.SAMPLE_SHADING in enabled and samples and gl.fragment.min_sample_shading >= 1.0,
    }


def bind_viewports(gl: Context) -> None:
    """Set the viewports up to the last one that differs from the first."""
    state, viewports = gl.raster, []
    sign = 1.0 if state.clip_origin == GL.LOWER_LEFT else -1.0
    for (x, y, width, height), (near, far) in zip(state.viewports, state.depth_ranges, strict=True):
        half = (far - near) / 2, (far + near) / 2
        if state.clip_depth == GL.ZERO_TO_ONE:
            half = far - near, near
        viewports.append({"scale": (width / 2, sign * height / 2, half[0]), "translate": (x + width / 2, y + height / 2, half[1])})
    count = max((k + 1 for k, item in enumerate(viewports) if item != viewports[0]), default=1)
    linked = gl.active_linked()
    has_more = gl.bound.get("viewports") or (linked is not None and linked.writes_viewport())
    gl.pipe.set_viewport_states(viewports if count > 1 or has_more else viewports[:1])
    if count > 1:
        gl.bound["viewports"] = True


def bind_scissors(gl: Context) -> None:
    """Set the scissor of every viewport; a disabled one covers the whole framebuffer."""
    state = gl.raster
    if not any(state.scissor_enabled):
        return
    width, height = gl.draw_framebuffer.size()
    scissors = []
    for (x, y, w, h), is_on in zip(state.scissors, state.scissor_enabled, strict=True):
        low = (max(0, min(x, width)), max(0, min(y, height))) if is_on else (0, 0)
        high = (max(0, min(x + w, width)), max(0, min(y + h, height))) if is_on else (width, height)
        scissors.append({"minx": low[0], "miny": low[1], "maxx": high[0], "maxy": high[1]})
    gl.pipe.set_scissor_states(scissors)


def bind_stipple(gl: Context) -> None:
    """The pattern of polygons: rows upward in OpenGL and in our targets."""
    gl.pipe.set_polygon_stipple(gl.raster.stipple)


def bind_clip_planes(gl: Context) -> None:
    """Set clip planes: in eye coordinates for programs that write CLIPVERTEX, otherwise in clip coordinates."""
    if gl.is_core():
        return
    linked, planes = gl.active_linked(), gl.fixed.planes
    first = linked.programs.get(GL.VERTEX_SHADER) if linked is not None else None
    if first is not None and not any(item.semantic is not None and item.semantic.name == "CLIPVERTEX" for item in first.declarations):
        turned = inverse(gl.fixed.projection)
        planes = [_four(product(np.array(plane, np.float32), turned)) for plane in planes]
    gl.pipe.set_clip_state(planes)


def _four(values: Matrix) -> Floats4:
    a, b, c, d = values.tolist()
    return a, b, c, d


def bind_patches(gl: Context) -> None:
    """The default levels of tessellation."""
    gl.pipe.set_tess_state(gl.raster.patch_outer, gl.raster.patch_inner)
    gl.pipe.set_patch_vertices(gl.raster.patch_vertices)
