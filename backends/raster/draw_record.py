"""The `Draw` record: everything that generated code reads of one draw, grouped by the step that reads it; and the `Call` record.

Each group is a `ctypes.Structure`; the functions that write it are in one module of `backends.raster.draw`, except for slots (`varyings`).
"""

from __future__ import annotations

import ctypes
from ctypes import c_float, c_int32, c_int64, c_uint32, c_void_p

from backends.pipe.limits import MAX_ATTRIBUTES, MAX_TARGET_SAMPLES, MAX_WINDOW_RECTANGLES
from backends.raster.layouts import MAX_DISTANCES, MAX_SETUP_SLOTS, MAX_VERTEX_SLOTS


class View(ctypes.Structure):
    """One viewport with its scissor, in window coordinates."""

    _fields_ = [
        ("scale", c_float * 3),
        ("translate", c_float * 3),
        ("guard", c_float * 4),  # left, right, bottom, top: bounds of x/w and y/w
        ("least", c_float * 2),  # window coordinates farther out are moved to these bounds
        ("most", c_float * 2),
        ("planes", c_float * 24),  # near, far, four guard planes: a vertex is inside where the product is 0 or more
        ("region", c_int32 * 4),  # min x, min y, max x, max y of the pixels that may be drawn, both ends included
        ("depth_min", c_float),
        ("depth_max", c_float),
    ]


# ---------------------------------------------------------------------------------------------------------- groups of Draw
class Entries(ctypes.Structure):
    """Entry points of the draw's kernels."""

    _fields_ = [
        ("coverage", c_void_p),
        ("shade", c_void_p),
        ("shade_vertices", c_void_p),
        ("fetch", c_void_p),
        ("vertex_shader", c_void_p),  # null: other stages shaded the vertices
        ("place", c_void_p),  # gives each primitive vertex records of its own, placed by its own viewport; null: none needed
        ("expand", c_void_p),  # turns other shapes into triangles; null for Shape.TRIANGLE
        ("setup", c_void_p),
    ]


class HizTerms(ctypes.Structure):
    """Rules for the depth bound of a tile in coverage (`backends.raster.tile.hiz`)."""

    _fields_ = [
        ("uses", c_int32),  # HizUse
        ("slack", c_float),
        ("frame_end", c_int32 * 2),  # last column and row of the framebuffer
    ]


class Call(ctypes.Structure):
    """The values in which calls of one draw differ; a span carries them (`backends.raster.records.Span`)."""

    _fields_ = [
        ("start", c_int32),  # first vertex, or first index counted from `Assembly.indices`
        ("index_bias", c_int32),
        ("base_vertex", c_int32),  # system value: the bias of indexed calls, the first vertex of others
        ("prims_per_instance", c_int32),
        ("start_instance", c_int32),
        ("draw_id", c_int32),
    ]


class Assembly(ctypes.Structure):
    """Primitive assembly. Corner k of primitive q is vertex (q >> shift) * multiply[k] + offset[3 * (q & 1) + k] + Call.start."""

    _fields_ = [
        ("indices", c_void_p),
        ("index_size", c_int32),  # bytes; 0: vertices are not indexed
        ("shift", c_int32),
        ("multiply", c_int32 * 3),
        ("offset", c_int32 * 6),
        ("is_unindexed_list", c_int32),  # every vertex is used once
        ("is_local_list", c_int32),  # a list with 32-bit indices, whose neighbors mostly name vertices that lie close together
        ("is_polygon", c_int32),  # all triangles of an instance are one polygon
        ("prim_shift", c_int32),  # primitive number = q >> prim_shift
        ("numbers", c_void_p),  # i32 primitive numbers that an earlier stage left; null: primitives are counted
    ]


class Fetch(ctypes.Structure):
    """Vertex attributes, by input register of the vertex shader."""

    _fields_ = [
        ("num_attributes", c_int32),
        ("attribute", c_void_p * MAX_ATTRIBUTES),
        ("stride", c_int64 * MAX_ATTRIBUTES),  # bytes
        ("first", c_uint32 * MAX_ATTRIBUTES),  # number of the first element that lies in the buffer
        ("limit", c_uint32 * MAX_ATTRIBUTES),  # complete elements from there on
        ("channels", c_int32 * MAX_ATTRIBUTES),
        ("divisor", c_uint32 * MAX_ATTRIBUTES),  # instances per element; 0: the attribute advances by vertices
    ]


class Vertices(ctypes.Structure):
    """Vertex records: slots that setup interpolates, then slots that other steps of the front end read."""

    _fields_ = [
        ("size", c_int32),  # bytes of a record
        ("num_slots", c_int32),
        ("position", c_int32),  # output register
        ("wants_system", c_int32),  # the vertex shader reads system values
        ("is_window_space", c_int32),  # positions are in window space already
        ("source", c_int32 * MAX_VERTEX_SLOTS),  # output register of each slot
        ("is_flat", c_int32 * MAX_VERTEX_SLOTS),
        ("is_linear", c_int32 * MAX_VERTEX_SLOTS),  # linear in window space, where clipping cuts, too
        ("is_clamped", c_int32 * MAX_VERTEX_SLOTS),  # to [0, 1]
    ]


class Clip(ctypes.Structure):
    """Clip and cull distances, and the depth planes of clip masks."""

    _fields_ = [
        ("near", c_float),  # z >= near * w
        ("near_bit", c_int32),  # NEAR if the near plane clips, otherwise 0
        ("far_bit", c_int32),
        ("num_distances", c_int32),
        ("distances_at", c_int32),  # byte offset in the vertex record
        ("user_mask", c_int32),  # bit k: distance k clips
        ("cull_mask", c_int32),  # bit k: distance k that the shader writes is a cull distance
        ("user_register", c_int32),  # output register that user planes are applied to; NO_REGISTER: the shader writes distances
        ("distance_source", c_int32 * MAX_DISTANCES),  # output register * 4 + channel
        ("user_planes", c_float * (4 * MAX_DISTANCES)),
    ]


class Setup(ctypes.Structure):
    """Triangle setup."""

    _fields_ = [
        ("num_slots", c_int32),
        ("record_size", c_int32),  # bytes
        ("front_is_positive", c_int32),  # triangles of positive area face the front; otherwise those of negative area do
        ("culled_faces", c_int32),  # Face
        ("bottom_edge", c_int32),  # a center on an edge belongs to the triangle above it (bottom_edge_rule)
        ("smooth_fill", c_int32),  # triangles reach all pixels that they touch
        ("wants_prim", c_int32),  # a shader reads the number of the primitive
        ("weighs_corners", c_int32),  # planes begin with the corners' values by their weights: a shader compares coordinates with depths
        ("calls_join", c_int32),  # consecutive calls may be set up together, as no step needs primitive numbers within a call
        # multisampling; 0 where targets have one sample
        ("subpixel_bits", c_int32),  # bits of the constants in a setup record that count fractions of a pixel
        ("tile_margin", c_int32),  # pixels by which samples of a tile's pixels may lie outside of it
        ("box_margin", c_int32 * 2),  # 1/256 pixel, added to the low and the high end of boxes: the samples farthest from the center
        ("mode", c_int32 * MAX_SETUP_SLOTS),  # Mode
        ("front", c_int32 * MAX_SETUP_SLOTS),  # vertex slot of each setup slot
        ("back", c_int32 * MAX_SETUP_SLOTS),  # the same for triangles that face back
    ]


class Conservative(ctypes.Structure):
    """Conservative rasterization (`backends.raster.front.touching`), for x and for y. The unit of length is 2^-UNIT_BITS pixel."""

    _fields_ = [
        ("scale", c_float * 2),  # steps of the snapping grid in a pixel
        ("step", c_int32 * 2),  # units in a step
        ("reach", c_int32 * 2),  # units from a pixel's center within which it is touched: half a pixel, and by how much primitives grow
        ("keeps_degenerate", c_int32),  # triangles without area are drawn
    ]


class DepthOffset(ctypes.Structure):
    """Depth offset of polygons (glPolygonOffset): units, and scale times the slope, clamped."""

    _fields_ = [
        ("unit", c_int32),  # OffsetUnit of triangles that are all filled; setup applies it
        ("outline_unit", c_int32),  # OffsetUnit of draws in which some face is not filled; `polygon_modes` applies it
        ("outline_modes", c_int32),  # bit m: polygons of PolygonMode m are offset
        ("slot", c_int32),  # vertex slot that `polygon_modes` leaves the offset in, or NO_SLOT
        ("units", c_float),
        ("scale", c_float),
        ("clamp", c_float),
    ]


class Primitives(ctypes.Structure):
    """Shapes of assembled primitives, and polygon modes."""

    _fields_ = [
        ("shape", c_int32),  # Shape
        ("fill", c_int32 * 2),  # PolygonMode of the front, of the back
        ("edges", c_int32 * 2),  # Edges of even and of odd triangles that are edges of the primitive
        ("edge_flag_slot", c_int32),  # vertex slot whose x says whether the edge that begins there is drawn, or NO_SLOT
        ("place_slot", c_int32),  # slot of the place on a line or point, or NO_SLOT
    ]


class Points(ctypes.Structure):
    """Points."""

    _fields_ = [
        ("size", c_float),  # pixels
        ("size_slot", c_int32),  # vertex slot that holds the size in x, or NO_SLOT
        ("kind", c_int32),  # PointKind
        ("are_cut", c_int32),  # wide points are cut at the sides of the view volume
        ("flips_sprite", c_int32),  # the sprite coordinate grows upwards
        ("is_sprite", c_int32 * MAX_SETUP_SLOTS),  # the slot becomes the sprite coordinate
    ]


class Lines(ctypes.Structure):
    """Lines."""

    _fields_ = [
        ("width", c_float),  # whole pixels, of lines as parallelograms
        ("draws_last_pixel", c_int32),
        ("is_flipped", c_int32),  # rows of the target come from the top down
        ("are_rectangles", c_int32),
        ("half_width", c_float),  # of rectangles, with the margin
        ("margin", c_float),  # pixels by which rectangles reach beyond their ends and sides
    ]


class LineStipple(ctypes.Structure):
    """Line stipple."""

    _fields_ = [
        ("is_on", c_int32),
        ("factor", c_float),  # pixels a bit
        ("pattern", c_int32),
        ("period", c_int32),  # primitives after which the counter begins again, or StippleStart
        ("restarts", c_void_p),  # one byte a primitive of an instance: 1 where the counter begins again
    ]


class Layers(ctypes.Structure):
    """Layers and viewports that vertices name."""

    _fields_ = [
        ("has_route", c_int32),  # setup records end with SetupLayout.ROUTE
        ("is_layer_relative", c_int32),  # the number of the viewport is added to the layer
        ("layer_slot", c_int32),  # vertex slot whose x is the layer, or NO_SLOT
        ("viewport_slot", c_int32),  # vertex slot whose x is the number of the viewport, or NO_SLOT
        ("views", c_void_p),  # View of each viewport
    ]


class Rows(ctypes.Structure):
    """Primitive rows: values that exist once per primitive, which an earlier stage left. A register of a row is 16 bytes."""

    _fields_ = [
        ("address", c_void_p),  # one row for each primitive of the packet, in their order
        ("size", c_int32),  # bytes from one row to the next
        ("layer", c_int32),  # register whose x is the layer, or NO_REGISTER: vertices name it
        ("viewport", c_int32),  # register whose x is the number of the viewport, or NO_REGISTER: vertices name it
        ("num_slots", c_int32),
        ("slot", c_int32 * MAX_SETUP_SLOTS),  # setup slots of Mode.PRIMITIVE
        ("front", c_int32 * MAX_SETUP_SLOTS),  # register of each of these
        ("back", c_int32 * MAX_SETUP_SLOTS),  # the same for triangles that face back
    ]


class Fragments(ctypes.Structure):
    """Run-time values of fragment tests and blending: state that is not in the FragmentKey."""

    _fields_ = [
        ("interval", c_int32),  # of occlusion queries, in which samples are counted
        ("sample_mask", c_int32),  # 0 where targets have one sample, at the center
        ("location_x", c_float * MAX_TARGET_SAMPLES),  # pixels from the center, of each sample that the client has placed
        ("location_y", c_float * MAX_TARGET_SAMPLES),
        ("alpha_ref", c_float),
        ("blend_color", c_float * 4),
        ("stencil_ref", c_int32 * 2),  # front, back
        ("depth_bounds", c_float * 2),
        ("height", c_int32),  # pixels, of the framebuffer
        ("upward", c_float),  # 1 if the first viewport lets y grow with the rows, otherwise -1
        ("windows", c_int32 * (4 * MAX_WINDOW_RECTANGLES)),  # rectangles: min x, min y, max x, max y, both ends included
        ("polygon_stipple", c_uint32 * 32),
    ]


class ValueRules(ctypes.Structure):
    """The state that determines how bound values become fields of the record (`backends.raster.front.bound_values`)."""

    _fields_ = [
        ("is_window_space", c_int32),  # the shader writes window coordinates, and 1/w as w
        ("is_cropped", c_int32),  # the viewport bounds the pixels: of polygons, and of points that are cut
        ("clips_sides", c_int32),  # lines end at the sides of a viewport that is not as large as the framebuffer
        ("is_hidden", c_int32),  # nothing is drawn, regardless of bound values
        ("is_counted", c_int32),  # a draw without a pixel is counted
        ("centers_are_whole", c_int32),  # pixel centers are at whole numbers: all coordinates move by half a pixel
        ("clip_halfz", c_int32),
        ("clips_near", c_int32),
        ("clips_far", c_int32),
        ("margin", c_int32 * 4),  # 1/256 pixel, added to the viewport's left, right, upper and lower side to find its pixels
        ("has_scissor", c_int32),
        ("clamps_depth", c_int32),  # the depth range is cut to 0 to 1
        ("has_back_stencil", c_int32),
        ("has_planes", c_int32),  # user clip planes apply
    ]


class Draw(ctypes.Structure):
    """One draw; lives until its batches are done. Python writes it once, generated code only reads it.

    Each field is written by one step of `backends.raster.draw.steps`, and fields that depend on bound values by `write_values`
    (`backends.raster.front.bound_values`). The groups that every tile reads come first.
    """

    _fields_ = [
        ("entries", Entries),
        ("hiz", HizTerms),
        ("setup", Setup),
        ("view", View),  # viewport 0
        ("vertices", Vertices),
        ("assembly", Assembly),
        ("clip", Clip),
        ("offset", DepthOffset),
        ("primitives", Primitives),
        ("points", Points),
        ("lines", Lines),
        ("line_stipple", LineStipple),
        ("layers", Layers),
        ("fragments", Fragments),
        ("fetch", Fetch),
        ("rows", Rows),
        ("rules", ValueRules),
        ("conservative", Conservative),
    ]
