"""What rasterizer state makes of primitives: lines, points, outlines, smooth and stippled ones, and their depth offset."""

from __future__ import annotations

from dataclasses import dataclass, replace

from backends.device.bound import DrawState
from backends.formats import Format
from backends.pipe.enums import Face, PolygonMode
from backends.pipe.state import RasterizerState
from backends.raster.draw.topology import Topology
from backends.raster.draw.viewport import write_offset
from backends.raster.records import Draw, PointKind, Shape
from backends.raster.tile.fragment import Marks
from tgsi.language.diagnostics import UnsupportedError

MAX_WIDTH = 255  # pixels, of lines


@dataclass(frozen=True, slots=True)
class Style:
    """How the primitives of a draw are drawn."""

    shape: Shape
    marks: Marks
    is_points: bool  # points, and nothing else
    draws_points: bool
    offset_modes: int  # bit m: polygons drawn in PolygonMode m, beside others, have a depth offset
    filled: Face = Face.NONE  # faces that polygons are filled on
    has_rectangles: bool = False  # lines are rectangles though they are not smooth, points are not moved to pixels


def style_of(r: RasterizerState, topology: Topology, has_samples: bool = False) -> Style:
    """Normalized: what cannot show is left out. UnsupportedError for rectangles of triangles.

    Nothing is smooth where targets have several samples; lines are rectangles there, and points squares around their centers."""
    if has_samples:
        style = style_of(replace(r, line_smooth=False, point_smooth=False, poly_smooth=False), topology)
        return replace(style, has_rectangles=r.multisample)
    if topology.shape is not Shape.TRIANGLE:
        is_line = topology.shape is Shape.LINE
        return Style(topology.shape, _marks(r, is_line, not is_line, False), not is_line, not is_line, 0)
    modes = {m for m, face in ((r.fill_front, Face.FRONT), (r.fill_back, Face.BACK)) if not r.cull_face & face}
    if not modes - {PolygonMode.FILL}:
        return Style(Shape.TRIANGLE, _marks(r, False, False, True), False, False, 0, Face.FRONT_AND_BACK)
    if PolygonMode.FILL_RECTANGLE in modes:
        raise UnsupportedError.at("B001", "the renderer has no polygon mode FILL_RECTANGLE")
    offsets = {PolygonMode.FILL: r.offset_tri, PolygonMode.LINE: r.offset_line, PolygonMode.POINT: r.offset_point}
    has_points = PolygonMode.POINT in modes
    marks = _marks(r, PolygonMode.LINE in modes, has_points, False)
    filled = Face.FRONT if r.fill_front is PolygonMode.FILL else Face.BACK if r.fill_back is PolygonMode.FILL else Face.NONE
    return Style(Shape.OUTLINE, marks, modes == {PolygonMode.POINT}, has_points, sum(1 << m for m in modes if offsets[m]), filled)


def _marks(r: RasterizerState, lines: bool, points: bool, fills: bool) -> Marks:
    marks = Marks.NONE
    if lines and r.line_smooth:
        marks |= Marks.SMOOTH_LINES
    if lines and r.line_stipple_enable:
        marks |= Marks.STIPPLED_LINES
    if points and r.point_smooth:
        marks |= Marks.SMOOTH_POINTS
    if fills and r.poly_smooth:
        marks |= Marks.SMOOTH_FILL
    return marks


def write_style(d: Draw, style: Style, state: DrawState, depth: Format | None) -> None:
    """The fields that a style needs."""
    r, marks = state.rasterizer, style.marks
    d.primitives.shape = style.shape
    if style.shape is Shape.TRIANGLE:
        write_offset(d, r, depth, r.offset_tri)
    elif style.offset_modes:
        write_offset(d, r, depth, True)
        d.offset.outline_modes = style.offset_modes if d.offset.unit else 0
        d.offset.outline_unit, d.offset.unit = d.offset.unit, 0
    d.points.size, d.lines.width, d.lines.draws_last_pixel = r.point_size, min(max(round(r.line_width), 1), MAX_WIDTH), r.line_last_pixel
    d.points.are_cut = r.point_tri_clip and style.draws_points
    d.lines.are_rectangles, d.lines.margin = bool(marks & Marks.SMOOTH_LINES) or style.has_rectangles, 0.0 if style.has_rectangles else 0.5
    d.lines.half_width = min(max(r.line_width, 0.0), MAX_WIDTH) / 2 + d.lines.margin
    d.line_stipple.is_on = bool(marks & Marks.STIPPLED_LINES)
    d.line_stipple.factor, d.line_stipple.pattern = (r.line_stipple_factor & 255) + 1.0, r.line_stipple_pattern & 0xFFFF
    d.setup.smooth_fill = bool(marks & Marks.SMOOTH_FILL)
    if d.setup.smooth_fill:
        d.setup.box_margin[:] = (-127, 128)  # boxes reach all pixels that are touched
    if marks & Marks.SMOOTH_POINTS:
        d.points.kind = PointKind.DISK
    else:
        is_square = r.point_quad_rasterization or style.has_rectangles
        d.points.kind = PointKind.SQUARE if is_square else PointKind.PIXELS
