"""Slots of vertex records: the output of the vertex shader that fills each, and its interpolation by setup.

A vertex record begins with the slots that setup interpolates: the inputs of the fragment shader, then the place on a smooth or stippled
line or point. Slots for other steps of the front end follow. `arrange_slots` chooses all slots at once.
"""

from __future__ import annotations

from dataclasses import field

from backends.device.framebuffer import FramebufferKind, clamps
from backends.pipe.enums import Prim
from backends.pipe.state import RasterizerState
from backends.raster.draw.facts import Interface, SlotRules
from backends.raster.draw.link import Linked
from backends.raster.draw.style import Offset, Style
from backends.raster.draw_record import Clip, Draw, Rows, Setup, Vertices
from backends.raster.layouts import DEFAULT_REGISTER, MAX_DISTANCES, NO_REGISTER, NO_SLOT, Mode, SetupLayout, Shape, VertexLayout
from backends.raster.tile.fragment import Marks
from tgsi.language.record import record

FLAGGED = (Prim.TRIANGLES, Prim.QUADS, Prim.POLYGON)  # strips and fans ignore edge flags
_HAS_PLACE = Marks.SMOOTH_LINES | Marks.SMOOTH_POINTS | Marks.STIPPLED_LINES


@record(frozen=False, kw_only=True)
class VertexSlots:
    """The slots of a draw's vertex records. Numbers of single slots are NO_SLOT if the draw does not need the slot.

    Attributes:
        source: output register of each slot.
        is_flat: slots that clipping copies from the provoking vertex.
        is_linear: slots that clipping cuts in window space.
        is_clamped: slots that are clamped to [0, 1].
        mode: interpolation of each setup slot.
        back: vertex slot that each setup slot reads in triangles that face back.
        place: place on a smooth or stippled line or point.
        offset: depth offset that a polygon has before it becomes lines or points.
        sprites: bit k: setup slot k becomes the sprite coordinate of a point, regardless of its declaration.
        point_slots: setup slots that become the sprite coordinate: those of `sprites`, and PCOORD.
        constants: bit k: setup slot k is constant over the primitive, regardless of its declaration, unless it is a sprite coordinate.
        user_mask, cull_mask: bits of the active clip and cull distances.
        places_per_primitive: primitives get vertex records of their own, see `backends.raster.front.layers`.
    """

    source: list[int]
    is_flat: list[bool]
    is_linear: list[bool]
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
        """True if clip or cull distances follow after the slots."""
        return bool(self.user_mask or self.cull_mask)

    @property
    def size(self) -> int:
        """Bytes of a vertex record; eight distances take two slots."""
        return VertexLayout.size(len(self.source) + 2 * self.has_distances)

    @property
    def record_size(self) -> int:
        """Bytes of a setup record."""
        return SetupLayout.size(len(self.mode)) + (SetupLayout.ROUTE if self.has_route else 0)

    def add(self, register: int | None, is_wanted: bool, is_flat: bool = False, is_linear: bool = False) -> int:
        """Append a slot for an output register. Returns its number; NO_SLOT if the shader does not write it, or if it is not needed."""
        if register is None or not is_wanted:
            return NO_SLOT
        self.source.append(register)
        self.is_flat.append(is_flat)
        self.is_linear.append(is_linear)
        self.is_clamped.append(False)
        return len(self.source) - 1


def slot_rules(r: RasterizerState, kind: FramebufferKind, style: Style, offset: Offset, primitive: Prim, planes: int) -> SlotRules:
    """The part of rasterizer state that `arrange_slots` reads. planes: number of user planes that are set."""
    enabled = r.clip_plane_enable & 255
    return SlotRules(
        flatshade=r.flatshade,
        clamps_color=clamps(r.clamp_vertex_color, r, kind),
        has_place=style.has(_HAS_PLACE),
        has_back=r.light_twoside and style.shape in (Shape.TRIANGLE, Shape.OUTLINE),
        has_edge_flags=style.shape is Shape.OUTLINE and primitive in FLAGGED,
        has_point_size=style.draws_points and r.point_size_per_vertex,
        sprites=r.sprite_coord_enable if style.is_points else None,
        has_layers=kind.has_layers,
        has_offset=bool(offset.outline_modes),
        wants_route=style.has(Marks.SMOOTH_FILL) or style.is_conservative,
        is_filled=style.shape is Shape.TRIANGLE,
        planes=enabled,
        num_planes=planes if enabled else 0,
    )


def arrange_slots(interface: Interface, rules: SlotRules) -> VertexSlots:
    """The slots of a draw."""
    linked = interface.linked
    count, declared = len(linked.source), len(interface.slots)
    mode = [interface.slots[k].mode(rules.flatshade) if k < declared else Mode.LINEAR for k in range(count)]
    constants = _take_rows(mode, linked) if linked.rows else 0
    slots = VertexSlots(
        source=list(linked.source),
        is_flat=[m is Mode.FLAT for m in mode],
        is_linear=[m is Mode.LINEAR and k < declared for k, m in enumerate(mode)],
        is_clamped=list(linked.is_color) if rules.clamps_color else [False] * count,
        mode=mode,
        back=list(range(count)),
        constants=constants,
    )
    if rules.has_place:
        slots.place = slots.add(DEFAULT_REGISTER, True)
        slots.mode.append(Mode.LINEAR)
        slots.back.append(slots.place)
    if rules.has_back:
        for k in range(count):
            if linked.back[k] != linked.source[k]:
                slots.back[k] = slots.add(linked.back[k], True, slots.is_flat[k], slots.is_linear[k])
                slots.is_clamped[-1] = slots.is_clamped[k]
    slots.edge_flag = slots.add(linked.edge_flag, rules.has_edge_flags)
    slots.point_size = slots.add(linked.point_size, rules.has_point_size)
    if rules.sprites is not None:
        _replace_sprites(slots, rules.sprites, interface, count)
    slots.layer = slots.add(linked.layer, rules.has_layers, True)
    slots.viewport = slots.add(linked.viewport, not linked.is_window_space, True)
    slots.offset = slots.add(DEFAULT_REGISTER, rules.has_offset, True)  # (its x is 0)
    has_names = slots.layer != NO_SLOT or slots.viewport != NO_SLOT
    slots.has_route = has_names or slots.offset != NO_SLOT or rules.wants_route
    slots.places_per_primitive = slots.viewport != NO_SLOT or (has_names and (not rules.is_filled or linked.layer_row != NO_REGISTER))
    _count_distances(slots, rules.planes, rules.num_planes, linked)
    return slots


def _take_rows(mode: list[Mode], linked: Linked) -> int:
    """Set the mode of slots that are registers of primitive rows. Returns the bits of slots that are declared to vary."""
    constants = 0
    for k, row in enumerate(linked.rows):
        if row is not None:
            constants |= (mode[k] is not Mode.FLAT) << k
            mode[k] = Mode.PRIMITIVE
    return constants


def _replace_sprites(slots: VertexSlots, enable: int, interface: Interface, count: int) -> None:
    """Mark the setup slots that become the sprite coordinate: PCOORD always, GENERIC and TEXCOORD by the bits of `enable`."""
    for k, s in enumerate(interface.slots):
        if s.semantic.name in ("GENERIC", "TEXCOORD") and enable >> s.semantic.index & 1:
            slots.sprites |= 1 << k
    slots.point_slots = [k == interface.point_slot or bool(slots.sprites >> k & 1) for k in range(count)]
    for k, is_replaced in enumerate(slots.point_slots):
        if is_replaced:
            slots.mode[k], slots.is_flat[k], slots.is_linear[k] = Mode.LINEAR, False, False


def _count_distances(slots: VertexSlots, enabled: int, planes: int, linked: Linked) -> None:
    """Set the masks of active distances: written by the shader, or else from user planes."""
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
    vertices.is_linear[:count] = slots.is_linear
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


def write_setup(setup: Setup, slots: VertexSlots, interface: Interface) -> None:
    """Write the slots of the group `Draw.setup`, and the fields that depend on the fragment shader."""
    count = len(slots.mode)
    setup.num_slots, setup.record_size = count, slots.record_size
    setup.wants_prim, setup.weighs_corners = interface.reads_primitive, interface.compares_depth
    setup.mode[:count], setup.front[:count], setup.back[:count] = slots.mode, range(count), slots.back


def write_slots(d: Draw, interface: Interface, slots: VertexSlots, is_stored: bool) -> None:
    """Write all numbers of slots."""
    linked = interface.linked
    write_vertices(d.vertices, slots, linked, is_stored)
    write_rows(d.rows, slots, linked)
    write_setup(d.setup, slots, interface)
    write_distances(d.clip, slots, linked)
    d.rules.has_planes = linked.has_user_planes and not linked.num_distances
    d.primitives.edge_flag_slot, d.primitives.place_slot = slots.edge_flag, slots.place
    d.points.size_slot, d.points.is_sprite[: len(slots.point_slots)] = slots.point_size, slots.point_slots
    d.offset.slot, d.layers.has_route, d.layers.is_layer_relative = slots.offset, slots.has_route, linked.is_layer_relative
    d.layers.layer_slot, d.layers.viewport_slot = slots.layer, slots.viewport


def write_distances(clip: Clip, slots: VertexSlots, linked: Linked) -> None:
    """Write the distances of the group `Draw.clip`."""
    clip.cull_mask, clip.user_register = slots.cull_mask, NO_REGISTER
    if not linked.num_distances:
        clip.user_register = linked.clip_vertex
    if not slots.has_distances:
        return
    for k in range(MAX_DISTANCES):
        register = linked.clip_distance[k // 4]
        clip.distance_source[k] = (DEFAULT_REGISTER if register is None else register) * 4 + k % 4
    clip.distances_at = VertexLayout.SLOTS + 16 * len(slots.source)
    clip.user_mask, clip.num_distances = slots.user_mask, slots.user_mask.bit_length()
