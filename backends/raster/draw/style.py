"""Rasterizer state of primitives: shapes, polygon modes, smooth and stippled lines, kinds of points, depth offset."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from math import ceil, floor

from backends.device.framebuffer import FramebufferKind, clamps
from backends.device.region import Region
from backends.formats import ChannelType, Format
from backends.pipe.enums import ConservativeRaster, Face, PolygonMode, Prim, SpriteCoordMode
from backends.pipe.limits import DILATE_STEPS
from backends.pipe.state import RasterizerState
from backends.raster.draw.facts import TileRules
from backends.raster.draw.sample_state import box_margin
from backends.raster.draw.topology import Restarts, Topology, beginnings, topology_of
from backends.raster.draw_record import Conservative, DepthOffset, Lines, LineStipple, Points, Primitives, Setup
from backends.raster.layouts import GRID_BITS, HALF_PIXEL, UNIT_BITS, OffsetUnit, PointKind, Shape, StippleStart
from backends.raster.samples import SUBPIXEL_BITS, Pattern
from backends.raster.tile.fragment import Marks
from tgsi.language.record import record

MAX_WIDTH = 255  # pixels, of lines
_FRONT, _BACK = int(Face.FRONT), int(Face.BACK)
_SMOOTH_MARGIN = (-127, 128)  # 1/256 pixel: extends boxes to all pixels that the triangle touches
_STRIPS = (Prim.LINE_STRIP, Prim.LINE_LOOP, Prim.LINE_STRIP_ADJACENCY)


@record
class Style:
    """The shape of a draw's primitives, and flags of their style."""

    shape: Shape
    marks: Marks
    is_points: bool  # all primitives are drawn as points
    draws_points: bool  # some primitives are drawn as points
    offset_modes: int  # of Shape.OUTLINE; bit m: polygons drawn in PolygonMode m have a depth offset
    _: KW_ONLY
    filled: Face = Face.NONE  # faces whose polygons are filled
    has_rectangles: bool = False  # lines are rectangles although they are not smooth, points are not moved to pixels
    is_conservative: bool = False

    def has(self, marks: Marks) -> bool:
        """True if any of these flags is set. Draws without flags return early, because `&` of an IntFlag takes a microsecond."""
        return self.marks is not Marks.NONE and bool(self.marks & marks)


def style_of(r: RasterizerState, topology: Topology, has_samples: bool = False) -> Style:
    """The style of a primitive type under rasterizer state, without state that has no effect on it.

    No primitive is smooth where targets have several samples (`has_samples`); under multisample rules lines are rectangles there, and
    points squares around their centers. Under conservative rasterization lines are always rectangles and points squares; nothing is smooth,
    and lines are not stippled.
    """
    if r.conservative_raster_mode is not ConservativeRaster.OFF:
        plain = replace(r, conservative_raster_mode=ConservativeRaster.OFF, line_stipple_enable=False, multisample=True)
        return replace(style_of(plain, topology, True), is_conservative=True)
    if has_samples:
        style = style_of(replace(r, line_smooth=False, point_smooth=False, poly_smooth=False), topology)
        return replace(style, has_rectangles=r.multisample)
    if topology.shape is not Shape.TRIANGLE:
        is_line = topology.shape is Shape.LINE
        return Style(topology.shape, _marks(r, is_line, not is_line, False), not is_line, not is_line, 0)
    culled = int(r.cull_face)
    modes = {m for m, face in ((r.fill_front, _FRONT), (r.fill_back, _BACK)) if not culled & face}
    if not modes - {PolygonMode.FILL}:
        return Style(Shape.TRIANGLE, _marks(r, False, False, True), False, False, 0, filled=Face.FRONT_AND_BACK)
    offsets = {
        PolygonMode.FILL: r.offset_tri,
        PolygonMode.FILL_RECTANGLE: r.offset_tri,
        PolygonMode.LINE: r.offset_line,
        PolygonMode.POINT: r.offset_point,
    }
    has_points = PolygonMode.POINT in modes
    marks = _marks(r, PolygonMode.LINE in modes, has_points, False)
    filled = Face.NONE
    for mode, face in ((r.fill_front, Face.FRONT), (r.fill_back, Face.BACK)):
        if mode in (PolygonMode.FILL, PolygonMode.FILL_RECTANGLE):
            filled |= face
    return Style(Shape.OUTLINE, marks, modes == {PolygonMode.POINT}, has_points, sum(1 << m for m in modes if offsets[m]), filled=filled)


def has_stippled_lines(r: RasterizerState, mode: Prim, has_samples: bool) -> bool:
    """True if the draw has lines with a stipple, which depends on the strips of the draw."""
    topology = topology_of(mode, r.flatshade_first, r.quads_provoke_last)
    return r.line_stipple_enable and style_of(r, topology, has_samples).has(Marks.STIPPLED_LINES)


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


@record
class Offset:
    """Depth offset of a draw's polygons. Setup adds it, or (`outline_`) the step that turns polygons into lines and points."""

    unit: OffsetUnit = OffsetUnit.NONE
    outline_unit: OffsetUnit = OffsetUnit.NONE
    outline_modes: int = 0  # bit m: polygons of PolygonMode m
    units: float = 0.0


NO_OFFSET = Offset()


def offset_of(style: Style, r: RasterizerState, depth: Format | None) -> Offset:
    """The depth offset of a draw on a depth buffer of format `depth`.

    Units of fixed-point buffers are steps of the format; units of float buffers depend on the primitive (pipe_rasterizer_state,
    offset_units; OpenGL 4.6, section 14.6.5).
    """
    is_outline = style.shape is Shape.OUTLINE
    is_on = bool(style.offset_modes) if is_outline else style.shape is Shape.TRIANGLE and r.offset_tri
    if not is_on or depth is None or depth.depth is None:
        return NO_OFFSET
    unit, units = OffsetUnit.FIXED, r.offset_units
    if not r.offset_units_unscaled:
        if depth.depth.type is ChannelType.FLOAT:
            unit = OffsetUnit.LARGEST_DEPTH
        else:
            units *= 2.0**-depth.depth.size
    return Offset(OffsetUnit.NONE, unit, style.offset_modes, units) if is_outline else Offset(unit, units=units)


def tile_rules(
    r: RasterizerState, kind: FramebufferKind, style: Style, pattern: Pattern | None, offset: Offset, has_stipple: bool, sample_mask: int
) -> TileRules:
    """The part of rasterizer state that affects shading. has_stipple: a polygon stipple is set."""
    return TileRules(
        marks=style.marks,
        stipple=style.filled if r.poly_stipple_enable and has_stipple else Face.NONE,
        clamps_color=clamps(r.clamp_fragment_color, r, kind),
        pattern=pattern,
        is_per_sample=pattern is not None and r.force_persample_interp,
        drops_samples=pattern is not None and bool(~sample_mask & pattern.every),
        has_masks=r.multisample,
        is_offset=offset.unit is not OffsetUnit.NONE,
    )


# ------------------------------------------------------------------------------------------------------- groups of records
def write_faces(setup: Setup, style: Style, r: RasterizerState, pattern: Pattern | None) -> None:
    """Write the group `Draw.setup`, except slots."""
    if style.shape in (Shape.TRIANGLE, Shape.OUTLINE):
        setup.front_is_positive, setup.culled_faces = not r.front_ccw, int(r.cull_face)
        setup.bottom_edge = r.bottom_edge_rule
    else:  # triangles of lines and points are made with positive area, and always face the front
        setup.front_is_positive = 1
    if style.has(Marks.SMOOTH_FILL):
        setup.smooth_fill, setup.box_margin[:] = 1, _SMOOTH_MARGIN
    if pattern is not None and not style.is_conservative:
        setup.subpixel_bits = SUBPIXEL_BITS
        if not pattern.is_centered:
            setup.tile_margin, setup.box_margin[:] = 1, box_margin(pattern)


def write_offset(group: DepthOffset, offset: Offset, r: RasterizerState) -> None:
    """Write the group `Draw.offset`, except its slot."""
    group.unit, group.outline_unit, group.outline_modes = offset.unit, offset.outline_unit, offset.outline_modes
    if offset is not NO_OFFSET:
        group.units, group.scale, group.clamp = offset.units, r.offset_scale, r.offset_clamp


def write_conservative(group: Conservative, style: Style, r: RasterizerState) -> None:
    """Write the group `Draw.conservative`. Dilation is rounded up to a step of its granularity.

    A corner moves by half a step of the grid at most when it is snapped. Corners of lines and points are computed in f32, too: primitives
    grow by 1/256 pixel more there.
    """
    if not style.is_conservative:
        return
    is_exact = r.conservative_raster_mode is ConservativeRaster.PRE_SNAP
    group.keeps_degenerate = is_exact
    growth = ceil(r.conservative_raster_dilate * DILATE_STEPS) * ((1 << UNIT_BITS) // DILATE_STEPS)
    if is_exact and style.shape is not Shape.TRIANGLE:
        growth += 1 << (UNIT_BITS - GRID_BITS)
    for axis, bias in enumerate((r.subpixel_precision_x, r.subpixel_precision_y)):
        step = 1 << (UNIT_BITS - GRID_BITS - bias)
        group.scale[axis], group.step[axis] = 1 << (GRID_BITS + bias), step
        group.reach[axis] = HALF_PIXEL + growth + (step // 2 if is_exact else 0)


def write_primitives(primitives: Primitives, style: Style, topology: Topology, r: RasterizerState) -> None:
    """Write the group `Draw.primitives`, except slots."""
    primitives.shape = style.shape
    primitives.fill[:], primitives.edges[:] = (r.fill_front, r.fill_back), topology.edges


def write_points(points: Points, style: Style, r: RasterizerState) -> None:
    """Write the group `Draw.points`, except slots."""
    points.size, points.are_cut = r.point_size, r.point_tri_clip and style.draws_points
    points.flips_sprite = r.sprite_coord_mode is SpriteCoordMode.LOWER_LEFT
    if style.has(Marks.SMOOTH_POINTS):
        points.kind = PointKind.DISK
    else:
        points.kind = PointKind.SQUARE if r.point_quad_rasterization or style.has_rectangles else PointKind.PIXELS


def write_lines(lines: Lines, style: Style, r: RasterizerState) -> None:
    """Write the group `Draw.lines`."""
    margin = 0.0 if style.has_rectangles else 0.5
    lines.width, lines.draws_last_pixel = min(max(floor(r.line_width + 0.5), 1), MAX_WIDTH), r.line_last_pixel
    lines.is_flipped = r.bottom_edge_rule
    lines.are_rectangles, lines.margin = style.has(Marks.SMOOTH_LINES) or style.has_rectangles, margin
    lines.half_width = min(max(r.line_width, 0.0), MAX_WIDTH) / 2 + margin


def write_line_stipple(stipple: LineStipple, style: Style, topology: Topology, mode: Prim, r: RasterizerState) -> None:
    """Write the group `Draw.line_stipple`. The counter begins with each line, polygon or strip; see `write_restarts`."""
    stipple.factor, stipple.pattern = (r.line_stipple_factor & 255) + 1.0, r.line_stipple_pattern & 0xFFFF
    if not style.has(Marks.STIPPLED_LINES):
        return
    stipple.is_on = 1
    if topology.shape is Shape.TRIANGLE:
        stipple.period = StippleStart.EACH_INSTANCE if mode is Prim.POLYGON else 1 << topology.shift
    else:
        stipple.period = StippleStart.EACH_INSTANCE if mode in _STRIPS else 1


def write_restarts(stipple: LineStipple, topology: Topology, region: Region, restarts: Restarts) -> None:
    """Reset the stipple counter where strips restart. restarts: indices of the strips, and the restart index."""
    if stipple.is_on and stipple.period == StippleStart.EACH_INSTANCE:
        begins = beginnings(topology, *restarts)
        stipple.period, stipple.restarts = StippleStart.WHERE_SAID, region.copy(begins.ctypes.data, begins.nbytes)
