"""Slots of vertex records: the output of the vertex shader that fills each, and its interpolation by setup.

A vertex record begins with the slots that setup interpolates: the inputs of the fragment shader, then the place on a smooth or stippled
line or point. Slots that other steps of the front end read follow. `arrange_slots` decides about all of them at once.
"""

from __future__ import annotations

from dataclasses import field

from backends.device.bound import DrawState, Framebuffer, clamps
from backends.pipe.enums import Prim
from backends.pipe.state import RasterizerState
from backends.raster.draw.link import Linked
from backends.raster.draw.sample_state import box_margin
from backends.raster.draw.style import Offset, Style
from backends.raster.draw_record import Rows, Setup, Vertices
from backends.raster.layouts import DEFAULT_REGISTER, MAX_DISTANCES, NO_REGISTER, NO_SLOT, Mode, SetupLayout, Shape, VertexLayout
from backends.raster.samples import SUBPIXEL_BITS, Pattern
from backends.raster.tile.fragment import FragmentInfo, Marks
from tgsi.language.record import record

FLAGGED = (Prim.TRIANGLES, Prim.QUADS, Prim.POLYGON)  # edges of strips and fans have no flags
_HAS_PLACE = Marks.SMOOTH_LINES | Marks.SMOOTH_POINTS | Marks.STIPPLED_LINES
_SMOOTH_MARGIN = (-127, 128)  # 1/256 pixel: boxes reach all pixels that the triangle touches


@record(frozen=False, kw_only=True)
class VertexSlots:
    """The slots of a draw's vertex records. Numbers of single slots are NO_SLOT if the draw does not need the slot.

    Attributes:
        source: output register of each slot.
        is_flat: slots that clipping copies from the provoking vertex.
        is_clamped: slots that are clamped to [0, 1].
        mode: interpolation of each setup slot.
        back: vertex slot that each setup slot reads in triangles that face back.
        place: place on a smooth or stippled line or point.
        offset: depth offset that a polygon has before it becomes lines or points.
        sprites: bit k: setup slot k becomes the sprite coordinate of a point, whatever its declaration.
        point_slots: setup slots that become the sprite coordinate: those of `sprites`, and PCOORD.
        constants: bit k: setup slot k has one value for the primitive, whatever its declaration, unless it is a sprite coordinate.
        user_mask, cull_mask: bits of the clip and of the cull distances in force.
        places_per_primitive: primitives get vertex records of their own, see `backends.raster.front.layers`.
    """

    source: list[int]
    is_flat: list[bool]
    is_clamped: list[bool]
    mode: list[Mode]
    back: list[int]
    place: int = NO_SLOT
    edge_flag: int = NO_SLOT
    point_size: int = NO_SLOT
    layer: int = NO_SLOT
    viewport: int = NO_SLOT
    offset: int = NO_SLOT
    sprites: int = 0
    point_slots: list[bool] = field(default_factory=list)
    constants: int = 0
    user_mask: int = 0
    cull_mask: int = 0
    has_route: bool = False
    places_per_primitive: bool = False

    @property
    def has_rows(self) -> bool:
        """True if some slots are values of the primitive's row."""
        return Mode.PRIMITIVE in self.mode

    @property
    def has_distances(self) -> bool:
        """True if clip or cull distances follow the slots."""
        return bool(self.user_mask or self.cull_mask)

    @property
    def size(self) -> int:
        """Bytes of a vertex record; eight distances take two slots."""
        return VertexLayout.size(len(self.source) + 2 * self.has_distances)

    @property
    def record_size(self) -> int:
        """Bytes of a setup record."""
        return SetupLayout.size(len(self.mode)) + (SetupLayout.ROUTE if self.has_route else 0)

    def add(self, register: int | None, is_wanted: bool, is_flat: bool = False) -> int:
        """Append a slot for an output register. Returns its number; NO_SLOT if the shader does not write it, or it is not wanted."""
        if register is None or not is_wanted:
            return NO_SLOT
        self.source.append(register)
        self.is_flat.append(is_flat)
        self.is_clamped.append(False)
        return len(self.source) - 1


def arrange_slots(
    state: DrawState, framebuffer: Framebuffer, fragment: FragmentInfo, linked: Linked, style: Style, offset: Offset, primitive: Prim
) -> VertexSlots:
    """The slots of a draw."""
    r, count = state.rasterizer, len(linked.source)
    is_polygon = style.shape in (Shape.TRIANGLE, Shape.OUTLINE)
    declared = len(fragment.slots)
    mode = [fragment.slots[k].mode(r.flatshade) if k < declared else Mode.LINEAR for k in range(count)]
    constants = _take_rows(mode, linked) if linked.rows else 0
    is_clamped = any(linked.is_color) and clamps(r.clamp_vertex_color, r, framebuffer)
    clamped = list(linked.is_color) if is_clamped else [False] * count
    slots = VertexSlots(
        source=list(linked.source),
        is_flat=[m is Mode.FLAT for m in mode],
        is_clamped=clamped,
        mode=mode,
        back=list(range(count)),
        constants=constants,
    )
    if style.has(_HAS_PLACE):
        slots.place = slots.add(DEFAULT_REGISTER, True)
        slots.mode.append(Mode.LINEAR)
        slots.back.append(slots.place)
    if r.light_twoside and is_polygon:
        for k in range(count):
            if linked.back[k] != linked.source[k]:
                slots.back[k] = slots.add(linked.back[k], True, slots.is_flat[k])
                slots.is_clamped[-1] = slots.is_clamped[k]
    slots.edge_flag = slots.add(linked.edge_flag, style.shape is Shape.OUTLINE and primitive in FLAGGED)
    slots.point_size = slots.add(linked.point_size, style.draws_points and r.point_size_per_vertex)
    if style.is_points:
        _replace_sprites(slots, r.sprite_coord_enable, fragment, count)
    slots.layer = slots.add(linked.layer, framebuffer.layers > 1, True)
    slots.viewport = slots.add(linked.viewport, not linked.is_window_space, True)
    slots.offset = slots.add(DEFAULT_REGISTER, bool(offset.outline_modes), True)  # (its x is 0)
    has_names = slots.layer != NO_SLOT or slots.viewport != NO_SLOT
    slots.has_route = has_names or slots.offset != NO_SLOT or style.has(Marks.SMOOTH_FILL) or style.is_conservative
    slots.places_per_primitive = slots.viewport != NO_SLOT or (
        has_names and (style.shape is not Shape.TRIANGLE or linked.layer_row != NO_REGISTER)
    )
    _count_distances(slots, r.clip_plane_enable & 255, len(state.clip_planes), linked)
    return slots


def _take_rows(mode: list[Mode], linked: Linked) -> int:
    """Set the mode of slots that are registers of primitive rows. Returns the bits of those that are declared to vary."""
    constants = 0
    for k, row in enumerate(linked.rows):
        if row is not None:
            constants |= (mode[k] is not Mode.FLAT) << k
            mode[k] = Mode.PRIMITIVE
    return constants


def _replace_sprites(slots: VertexSlots, enable: int, fragment: FragmentInfo, count: int) -> None:
    """Mark the setup slots that become the sprite coordinate: PCOORD always, GENERIC and TEXCOORD by the bits of `enable`."""
    for k, s in enumerate(fragment.slots):
        if s.semantic.name in ("GENERIC", "TEXCOORD") and enable >> s.semantic.index & 1:
            slots.sprites |= 1 << k
    slots.point_slots = [k == fragment.point_slot or bool(slots.sprites >> k & 1) for k in range(count)]
    for k, is_replaced in enumerate(slots.point_slots):
        if is_replaced:
            slots.mode[k], slots.is_flat[k] = Mode.LINEAR, False


def _count_distances(slots: VertexSlots, enabled: int, planes: int, linked: Linked) -> None:
    """Set the masks of active distances: those that the shader writes; if it writes none, those from user planes."""
    enabled = enabled if not linked.is_window_space else 0
    known = linked.num_distances or (planes if linked.has_user_planes else 0)
    slots.user_mask = enabled & ((1 << min(known, MAX_DISTANCES)) - 1)
    slots.cull_mask = ((1 << linked.num_culls) - 1) << linked.num_distances


# ------------------------------------------------------------------------------------------------------- groups of records
def write_vertices(vertices: Vertices, slots: VertexSlots, linked: Linked, is_stored: bool) -> None:
    """Write the group `Draw.vertices`. `is_stored`: vertices lie in memory, shaded by another stage."""
    count = len(slots.source)
    vertices.size, vertices.num_slots, vertices.position = slots.size, count, linked.position
    vertices.wants_system = linked.wants_system and not is_stored
    vertices.is_window_space = linked.is_window_space
    vertices.source[:count] = slots.source
    vertices.is_flat[:count] = slots.is_flat
    vertices.is_clamped[:count] = slots.is_clamped


def write_rows(group: Rows, slots: VertexSlots, linked: Linked) -> None:
    """Write the group `Draw.rows`; `DrawBuilder.place_stored` fills in the address and the size of a row."""
    group.layer, group.viewport = linked.layer_row, linked.viewport_row
    if not linked.rows:
        return
    taken = [(k, *row) for k, row in enumerate(linked.rows) if row is not None and slots.mode[k] is Mode.PRIMITIVE]
    group.num_slots = len(taken)
    for i, (slot, front, back) in enumerate(taken):
        group.slot[i], group.front[i], group.back[i] = slot, front, back


def write_setup(
    setup: Setup, slots: VertexSlots, rasterizer: RasterizerState, style: Style, pattern: Pattern | None, wants_prim: bool
) -> None:
    """Write the group `Draw.setup`. `wants_prim`: the fragment shader reads the number of the primitive."""
    count = len(slots.mode)
    setup.num_slots, setup.record_size, setup.wants_prim = count, slots.record_size, wants_prim
    setup.mode[:count], setup.front[:count], setup.back[:count] = slots.mode, range(count), slots.back
    if style.shape in (Shape.TRIANGLE, Shape.OUTLINE):
        setup.front_is_positive, setup.culled_faces = not rasterizer.front_ccw, int(rasterizer.cull_face)
        setup.bottom_edge = rasterizer.bottom_edge_rule
    else:  # triangles of lines and points are made with positive area, and always face the front
        setup.front_is_positive = 1
    if style.has(Marks.SMOOTH_FILL):
        setup.smooth_fill, setup.box_margin[:] = 1, _SMOOTH_MARGIN
    if pattern is not None and not style.is_conservative:
        setup.subpixel_bits = SUBPIXEL_BITS
        if not pattern.is_centered:
            setup.tile_margin, setup.box_margin[:] = 1, box_margin(pattern)
