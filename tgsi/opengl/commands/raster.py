"""Viewports, scissors, culling, and the shape of points, lines and polygons. (OpenGL 4.6 compatibility, chapters 13 and 14)"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.drawing.raster import FACES, MODES
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, floats, ints, numbers
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.values import VIEWPORTS

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

MAX_SIZE = 16384.0


def _range(first: int, count: int) -> None:
    if first + count > VIEWPORTS or count < 0:
        raise bad_value(f"first: {first} + {count} is above {VIEWPORTS}")


def _put_viewports(gl: Context, first: int, boxes: list[tuple[float, float, float, float]]) -> None:
    for k, (x, y, width, height) in enumerate(boxes):
        for name, value in (("width", width), ("height", height)):
            if not value >= 0:
                raise bad_value(f"{name}: {value:g} is {'negative' if value < 0 else 'no size'}")
        limited = (min(32767.0, max(x, -32768.0)), min(32767.0, max(y, -32768.0)), min(width, MAX_SIZE), min(height, MAX_SIZE))
        gl.raster.viewports[first + k] = limited
    gl.dirty |= dirty.VIEWPORT


@command("glViewport")
def viewport(gl: Context, x: int, y: int, width: int, height: int) -> None:
    """Every viewport."""
    _put_viewports(gl, 0, [(float(x), float(y), float(width), float(height))] * VIEWPORTS)


@command("glViewportIndexedf")
def viewport_indexed(gl: Context, index: int, x: float, y: float, w: float, h: float) -> None:
    """One viewport."""
    _range(index, 1)
    _put_viewports(gl, index, [(x, y, w, h)])


@command("glViewportIndexedfv")
def viewport_indexed_vector(gl: Context, index: int, v: Pointer) -> None:
    """One viewport."""
    viewport_indexed(gl, index, *floats(v, 4))


@command("glViewportArrayv")
def viewport_array(gl: Context, first: int, count: int, v: Pointer) -> None:
    """Several viewports."""
    _range(first, count)
    values = floats(v, 4 * count)
    _put_viewports(gl, first, [(values[k], values[k + 1], values[k + 2], values[k + 3]) for k in range(0, 4 * count, 4)])


def _put_ranges(gl: Context, first: int, ranges: list[tuple[float, float]]) -> None:
    for k, (near, far) in enumerate(ranges):
        gl.raster.depth_ranges[first + k] = min(1.0, max(0.0, near)), min(1.0, max(0.0, far))
    gl.dirty |= dirty.VIEWPORT


@command("glDepthRange", "glDepthRangef")
def depth_range(gl: Context, near: float, far: float) -> None:
    """The depth range of every viewport."""
    _put_ranges(gl, 0, [(near, far)] * VIEWPORTS)


@command("glDepthRangeIndexed")
def depth_range_indexed(gl: Context, index: int, near: float, far: float) -> None:
    """The depth range of one viewport."""
    _range(index, 1)
    _put_ranges(gl, index, [(near, far)])


@command("glDepthRangeArrayv")
def depth_range_array(gl: Context, first: int, count: int, v: Pointer) -> None:
    """The depth ranges of several viewports."""
    _range(first, count)
    values = numbers("d", v, 2 * count)
    _put_ranges(gl, first, [(values[k], values[k + 1]) for k in range(0, 2 * count, 2)])


def _put_scissors(gl: Context, first: int, boxes: list[tuple[int, int, int, int]]) -> None:
    for k, box in enumerate(boxes):
        not_negative("width", box[2])
        not_negative("height", box[3])
        gl.raster.scissors[first + k] = box
    gl.dirty |= dirty.SCISSOR


@command("glScissor")
def scissor(gl: Context, x: int, y: int, width: int, height: int) -> None:
    """Every scissor."""
    _put_scissors(gl, 0, [(x, y, width, height)] * VIEWPORTS)


@command("glScissorIndexed")
def scissor_indexed(gl: Context, index: int, left: int, bottom: int, width: int, height: int) -> None:
    """One scissor."""
    _range(index, 1)
    _put_scissors(gl, index, [(left, bottom, width, height)])


@command("glScissorIndexedv")
def scissor_indexed_vector(gl: Context, index: int, v: Pointer) -> None:
    """One scissor."""
    scissor_indexed(gl, index, *ints(v, 4))


@command("glScissorArrayv")
def scissor_array(gl: Context, first: int, count: int, v: Pointer) -> None:
    """Several scissors."""
    _range(first, count)
    values = ints(v, 4 * count)
    _put_scissors(gl, first, [(values[k], values[k + 1], values[k + 2], values[k + 3]) for k in range(0, 4 * count, 4)])


@command("glCullFace")
def cull_face(gl: Context, mode: int) -> None:
    """Faces that are culled."""
    if mode not in FACES:
        raise bad_enum("mode", mode)
    gl.raster.cull_face = mode
    gl.dirty |= dirty.RASTERIZER


@command("glFrontFace")
def front_face(gl: Context, mode: int) -> None:
    """The order of a front face's corners."""
    if mode not in (GL.CW, GL.CCW):
        raise bad_enum("mode", mode)
    gl.raster.front_face = mode
    gl.dirty |= dirty.RASTERIZER


@command("glPolygonMode")
def polygon_mode(gl: Context, face: int, mode: int) -> None:
    """Polygons as areas, lines or points."""
    if face not in FACES or (gl.profile == "core" and face != GL.FRONT_AND_BACK):
        raise bad_enum("face", face)
    if mode not in MODES:
        raise bad_enum("mode", mode)
    if face != GL.BACK:
        gl.raster.polygon_front = mode
    if face != GL.FRONT:
        gl.raster.polygon_back = mode
    gl.dirty |= dirty.RASTERIZER | dirty.FIXED


@command("glPolygonOffset")
def polygon_offset(gl: Context, factor: float, units: float) -> None:
    """The offset of depth."""
    polygon_offset_clamp(gl, factor, units, 0.0)


@command("glPolygonOffsetClamp")
def polygon_offset_clamp(gl: Context, factor: float, units: float, clamp: float) -> None:
    """The depth offset, and its maximum."""
    known = [value if math.isfinite(value) else 0.0 for value in (factor, units, clamp)]
    gl.raster.offset_factor, gl.raster.offset_units, gl.raster.offset_clamp = known
    gl.dirty |= dirty.RASTERIZER


@command("glLineWidth")
def line_width(gl: Context, width: float) -> None:
    """The width of lines in pixels."""
    if not width > 0:
        raise bad_value(f"width: {width} is not above 0")
    gl.raster.line_width = width
    gl.dirty |= dirty.RASTERIZER


@command("glPointSize")
def point_size(gl: Context, size: float) -> None:
    """The size of points in pixels."""
    if not size > 0:
        raise bad_value(f"size: {size} is not above 0")
    gl.raster.point_size = size
    gl.dirty |= dirty.RASTERIZER | (dirty.FIXED if gl.fixed.attenuation != (1.0, 0.0, 0.0) else 0)


@command("glPointParameterf")
def point_parameter(gl: Context, pname: int, param: float) -> None:
    """Parameters of points: the origin of sprites, and the fade threshold, which is ignored."""
    if pname == GL.POINT_SPRITE_COORD_ORIGIN:
        if int(param) not in (GL.UPPER_LEFT, GL.LOWER_LEFT):
            raise bad_value(f"param: {param} is not an origin of point sprites")
        gl.raster.sprite_origin = int(param)
        gl.dirty |= dirty.RASTERIZER
    elif pname in (GL.POINT_FADE_THRESHOLD_SIZE, GL.POINT_SIZE_MIN, GL.POINT_SIZE_MAX):
        if param < 0:
            raise bad_value(f"param: {param} is negative")
        gl.hints[pname] = float(param)
    else:
        raise bad_enum("pname", pname)


@command("glPointParameteri")
def point_parameter_integer(gl: Context, pname: int, param: int) -> None:
    """See `point_parameter`."""
    point_parameter(gl, pname, float(param))


@command("glPointParameterfv")
def point_parameter_floats(gl: Context, pname: int, params: Pointer) -> None:
    """See `point_parameter`; attenuation by distance has three values."""
    if pname == GL.POINT_DISTANCE_ATTENUATION:
        a, b, c = floats(params, 3)
        gl.fixed.attenuation = a, b, c
        gl.dirty |= dirty.FIXED
    else:
        point_parameter(gl, pname, floats(params, 1)[0])


@command("glPointParameteriv")
def point_parameter_integers(gl: Context, pname: int, params: Pointer) -> None:
    """See `point_parameter`."""
    point_parameter(gl, pname, float(ints(params, 1)[0]))


@command("glProvokingVertex")
def provoking_vertex(gl: Context, mode: int) -> None:
    """The vertex that supplies a primitive's flat values."""
    if mode not in (GL.FIRST_VERTEX_CONVENTION, GL.LAST_VERTEX_CONVENTION):
        raise bad_enum("mode", mode)
    gl.raster.provoking = mode
    gl.dirty |= dirty.RASTERIZER


@command("glClipControl")
def clip_control(gl: Context, origin: int, depth: int) -> None:
    """The origin of the window and the range of clip space's depth."""
    if origin not in (GL.LOWER_LEFT, GL.UPPER_LEFT):
        raise bad_enum("origin", origin)
    if depth not in (GL.NEGATIVE_ONE_TO_ONE, GL.ZERO_TO_ONE):
        raise bad_enum("depth", depth)
    gl.raster.clip_origin, gl.raster.clip_depth = origin, depth
    gl.dirty |= dirty.VIEWPORT | dirty.RASTERIZER


@command("glPatchParameteri")
def patch_parameter(gl: Context, pname: int, value: int) -> None:
    """Vertices of a patch."""
    if pname != GL.PATCH_VERTICES:
        raise bad_enum("pname", pname)
    if not 1 <= value <= 32:
        raise bad_value(f"value: {value} is not 1 .. 32")
    gl.raster.patch_vertices = value
    gl.dirty |= dirty.PATCHES


@command("glPatchParameterfv")
def patch_parameter_floats(gl: Context, pname: int, values: Pointer) -> None:
    """Default tessellation levels, without a control shader."""
    if pname == GL.PATCH_DEFAULT_OUTER_LEVEL:
        a, b, c, d = floats(values, 4)
        gl.raster.patch_outer = a, b, c, d
    elif pname == GL.PATCH_DEFAULT_INNER_LEVEL:
        a, b = floats(values, 2)
        gl.raster.patch_inner = a, b
    else:
        raise bad_enum("pname", pname)
    gl.dirty |= dirty.PATCHES


@command("glLineStipple")
def line_stipple(gl: Context, factor: int, pattern: int) -> None:
    """The pattern of lines."""
    gl.raster.line_factor, gl.raster.line_pattern = max(1, min(factor, 256)), pattern
    gl.dirty |= dirty.RASTERIZER


@command("glPolygonStipple")
def polygon_stipple(gl: Context, mask: Pointer) -> None:
    """The pattern of polygons: 32 rows of 32 bits, the lowest first."""
    if gl.buffers.get("PIXEL_UNPACK_BUFFER") is not None:
        raise bad_operation("mask: patterns are not read from a pixel buffer")
    raw = numbers("B", mask, 128)
    gl.raster.stipple = tuple(int.from_bytes(bytes(raw[4 * k : 4 * k + 4]), "big") for k in range(32))
    gl.dirty |= dirty.STIPPLE


@command("glShadeModel")
def shade_model(gl: Context, mode: int) -> None:
    """Flat or smooth colors."""
    if mode not in (GL.FLAT, GL.SMOOTH):
        raise bad_enum("mode", mode)
    gl.raster.shade_model = mode
    gl.dirty |= dirty.RASTERIZER
