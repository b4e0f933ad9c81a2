"""Vertex records: which output of the vertex program fills which slot, and how setup interpolates it."""

from __future__ import annotations

from backends.device.bound import DrawState, Framebuffer, clamps
from backends.pipe.enums import Prim
from backends.raster.draw.link import Linked
from backends.raster.draw.style import Style
from backends.raster.draw.views import write_routes
from backends.raster.records import DEFAULT_REGISTER, MAX_DISTANCES, Draw, Mode, SetupLayout, Shape, VertexLayout
from backends.raster.tile.fragment import FragmentInfo, Marks

FLAGGED = (Prim.TRIANGLES, Prim.QUADS, Prim.POLYGON)  # edges of strips and fans have no flags


def write_slots(
    d: Draw,
    state: DrawState,
    framebuffer: Framebuffer,
    fragment: FragmentInfo,
    linked: Linked,
    style: Style,
    primitive: Prim,
) -> None:
    """Which outputs fill the slots of vertex records, how they vary, and what comes behind them."""
    r, shape = state.rasterizer, style.shape
    count = len(linked.source)
    is_polygon = shape in (Shape.TRIANGLE, Shape.OUTLINE)
    d.primitives.place_slot = -1
    if style.marks & (Marks.SMOOTH_LINES | Marks.SMOOTH_POINTS | Marks.STIPPLED_LINES):
        d.primitives.place_slot, d.vertices.source[count], d.setup.mode[count], d.setup.front[count], d.setup.back[count] = (
            count,
            DEFAULT_REGISTER,
            Mode.LINEAR,
            count,
            count,
        )
        count += 1
    extra: list[int] = []
    for k in range(len(linked.source)):
        mode = fragment.slots[k].mode(r.flatshade) if k < len(fragment.slots) else Mode.LINEAR
        d.setup.mode[k], d.vertices.is_flat[k] = mode, mode is Mode.FLAT
        d.vertices.source[k], d.vertices.is_clamped[k] = (
            linked.source[k],
            linked.is_color[k] and clamps(r.clamp_vertex_color, r, framebuffer),
        )
        d.setup.front[k] = d.setup.back[k] = k
        if r.light_twoside and is_polygon and linked.back[k] != linked.source[k]:
            slot = count + len(extra)
            d.setup.back[k], d.vertices.source[slot], d.vertices.is_flat[slot], d.vertices.is_clamped[slot] = (
                slot,
                linked.back[k],
                d.vertices.is_flat[k],
                d.vertices.is_clamped[k],
            )
            extra.append(slot)
    total = count + len(extra)
    d.points.size_slot = d.primitives.edge_flag_slot = -1
    if shape is Shape.OUTLINE and primitive in FLAGGED and linked.edge_flag is not None:
        d.primitives.edge_flag_slot, d.vertices.source[total] = total, linked.edge_flag
        total += 1
    if style.draws_points and r.point_size_per_vertex and linked.point_size is not None:
        d.points.size_slot, d.vertices.source[total] = total, linked.point_size
        total += 1
    if style.is_points:
        replaced = sprites(state, fragment)
        for k in range(len(linked.source)):
            d.points.is_sprite[k] = k == fragment.point_slot or bool(replaced >> k & 1)
            if d.points.is_sprite[k]:
                d.setup.mode[k], d.vertices.is_flat[k] = Mode.LINEAR, False
    d.setup.record_size = SetupLayout.size(count)
    total = write_routes(d, linked, framebuffer, total)
    d.setup.num_slots, d.vertices.num_slots, d.vertices.position = count, total, linked.position
    d.vertices.size = VertexLayout.size(_distances(d, state, linked, total))
    d.setup.bottom_edge = r.bottom_edge_rule
    d.primitives.fill[:] = (r.fill_front, r.fill_back)
    if is_polygon:
        d.setup.front_is_positive, d.setup.culled_faces = not r.front_ccw, int(r.cull_face)
    else:  # their triangles are made with positive area, and always face the front
        d.setup.front_is_positive, d.setup.bottom_edge = 1, 0
    d.setup.wants_prim = fragment.reads_primitive


def _distances(d: Draw, state: DrawState, linked: Linked, total: int) -> int:
    """Clip distances, written by the shader or from user planes; returns the number of vertex slots."""
    enabled = state.rasterizer.clip_plane_enable & 255 if not linked.is_window_space else 0
    d.clip.cull_mask = ((1 << linked.num_culls) - 1) << linked.num_distances
    if linked.num_distances:
        enabled &= (1 << linked.num_distances) - 1
        d.clip.user_register = -1
    else:
        planes = state.clip_planes if linked.has_user_planes else ()
        enabled &= (1 << len(planes)) - 1
        d.clip.user_register = linked.clip_vertex
        for k, plane in enumerate(planes[:MAX_DISTANCES]):
            d.clip.user_planes[4 * k : 4 * k + 4] = plane
    if not enabled and not d.clip.cull_mask:
        return total
    for k in range(MAX_DISTANCES):
        register = linked.clip_distance[k // 4]
        d.clip.distance_source[k] = (DEFAULT_REGISTER if register is None else register) * 4 + k % 4
    d.clip.distances_at = VertexLayout.SLOTS + 16 * total
    d.clip.user_mask, d.clip.num_distances = enabled, enabled.bit_length()
    return total + 2


def sprites(state: DrawState, info: FragmentInfo) -> int:
    """Slots that a point's coordinate replaces."""
    enable = state.rasterizer.sprite_coord_enable
    return sum(1 << k for k, s in enumerate(info.slots) if s.semantic.name in ("GENERIC", "TEXCOORD") and enable >> s.semantic.index & 1)
