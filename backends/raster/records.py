"""What Python and the kernels share: one `ctypes.Structure` each, and the byte offsets of the packed records."""

from __future__ import annotations

import ctypes
from ctypes import c_float, c_int32, c_int64, c_uint8, c_uint32, c_void_p
from enum import IntEnum

from backends.device.counters import BATCH_FIELDS, Place, counted
from backends.device.limits import MAX_WINDOWS

CHUNK = 64  # bytes of a bin chunk: 15 record offsets, then the link to the next chunk
HEADS = 64  # arena offset of the per-tile chain heads
NO_CHUNK = CHUNK - 4  # a cursor that says: no room, start a chunk
CACHE_SLOTS = 4096  # vertex cache of a worker: {u64 key, u32 stamp, u32 vertex}, direct mapped
POLYGON = 20  # vertices that a polygon can have while it is clipped: 3 + 6 planes + 8 distances, and a little

MAX_ATTRIBUTES = 32
MAX_INPUTS = 32  # slots of a fragment shader
MAX_OUTPUTS = 80  # registers of a vertex shader
DEFAULT_REGISTER = MAX_OUTPUTS  # a register behind them that always reads (0, 0, 0, 1)
MAX_SETUP_SLOTS = MAX_INPUTS + 1  # of a triangle: inputs, and the place on a smooth or stippled line or point
EXTRA_SLOTS = 8  # more of a vertex record: back colors, clip distances, size or edge flag, layer, viewport, offset
MAX_VERTEX_SLOTS = MAX_SETUP_SLOTS + EXTRA_SLOTS
MAX_DISTANCES = 8
MAX_COLORS = 8
MAX_LANES = 64
SYSTEM_VALUES = 8  # vectors behind the `system` argument of a vertex shader

# Bits of a clip mask. GUARD stands for four sides and USER for eight distances, so they must not take part in rejection.
LEFT, RIGHT, BOTTOM, TOP, NEAR, FAR, GUARD, USER = 1, 2, 4, 8, 16, 32, 64, 128
NEEDS_CLIP = NEAR | FAR | GUARD | USER
OUTSIDE = LEFT | RIGHT | BOTTOM | TOP | NEAR | FAR
CULL = 0xFF00  # one bit a cull distance: a primitive goes where all of its vertices are outside of one, but none is cut
REJECTS = OUTSIDE | CULL


class Mode(IntEnum):
    """How a slot varies over a primitive."""

    FLAT = 0  # value of the provoking vertex, which is always corner 2
    LINEAR = 1
    PERSPECTIVE = 2


class Shape(IntEnum):
    """What three corners of an assembled primitive mean."""

    TRIANGLE = 0
    LINE = 1
    POINT = 2
    OUTLINE = 3  # triangles of which one face or both are not filled


class PointKind(IntEnum):
    """How points become pixels."""

    PIXELS = 0  # whole pixels, as OpenGL's aliased points
    SQUARE = 1  # the pixels whose centers lie in a square around the point
    DISK = 2  # a square around a disk, whose coverage becomes alpha


class VertexLayout:
    """One shaded vertex: window x, y, z, 1/w | clip x y z w | 16 bytes a slot."""

    WINDOW, CLIP, SLOTS = 0, 16, 32

    @staticmethod
    def size(slots: int) -> int:
        """Bytes of a record."""
        return 32 + 16 * slots


class SetupLayout:
    """One triangle: 96 bytes of header, then a0, dadx, dady (vec4 each) a slot."""

    A, B, C = 0, 16, 32  # i32 x3 + prim; i32 x3 + ident; i64 x3 (floor(c/256), or floor(c/16) for samples; fill rule inside) + box
    PRIM = 12  # number inside the batch
    IDENT = 28  # primitive number << 1 | front facing, 31 bits
    BOX = 56  # four u16: min x, min y, max x, max y (pixels, inside the region)
    CUT = 0x8000  # bit of min x: the box was cut by the region, so coverage must respect it
    Z, W = 64, 76  # a0, dadx, dady of z and of 1/w
    ANCHOR = 88  # x, y of the anchor pixel (i32)
    SLOTS = 96
    ROUTE = 32  # bytes behind the slots of routed draws: layer, viewport (i32), ends of the depth range (f32), low bytes of c (i32 x3)

    @staticmethod
    def size(slots: int) -> int:
        """Bytes of a record."""
        return 96 + 48 * slots


class View(ctypes.Structure):
    """One viewport with its scissor. `Draw` holds the first one as fields of its own, in the same order."""

    _fields_ = [
        ("scale", c_float * 3),
        ("translate", c_float * 3),
        ("guard", c_float * 4),  # left, right, bottom, top: x and y over w
        ("planes", c_float * 24),  # near, far, four guard planes
        ("region", c_int32 * 4),  # min x, min y, max x, max y of the pixels that may be drawn, both ends inside
        ("depth_min", c_float),
        ("depth_max", c_float),
    ]


class Draw(ctypes.Structure):
    """One draw; lives until its batches are done."""

    _fields_ = [
        ("vertex_shader", c_void_p),
        ("fetch", c_void_p),
        ("shade_vertices", c_void_p),
        ("coverage", c_void_p),
        ("shade", c_void_p),
        ("vertex_env", c_void_p),
        ("fragment_env", c_void_p),
        # assembly: corner k of primitive q is vertex (q >> shift) * multiply[k] + offset[3 * (q & 1) + k] + start
        ("indices", c_void_p),
        ("index_size", c_int32),
        ("index_bias", c_int32),
        ("prims_per_instance", c_int32),
        ("start", c_int32),
        ("shift", c_int32),
        ("list", c_int32),  # an unindexed list: every vertex is used once
        ("multiply", c_int32 * 3),
        ("offset", c_int32 * 6),
        ("shape", c_int32),
        ("prim_shift", c_int32),  # primitive number = q >> prim_shift
        ("wants_prim", c_int32),
        ("numbers", c_void_p),  # of each primitive, where an earlier stage says; null: they are counted
        ("start_instance", c_int32),
        ("draw_id", c_int32),
        ("base_vertex", c_int32),
        ("wants_system", c_int32),
        # vertex fetch
        ("num_attributes", c_int32),
        ("attribute", c_void_p * MAX_ATTRIBUTES),
        ("stride", c_int64 * MAX_ATTRIBUTES),
        ("limit", c_uint32 * MAX_ATTRIBUTES),  # elements that lie whole in the buffer
        ("channels", c_int32 * MAX_ATTRIBUTES),
        ("divisor", c_uint32 * MAX_ATTRIBUTES),
        # vertex record: slots of setup first, then extra ones
        ("vertex_size", c_int32),
        ("num_vertex_slots", c_int32),
        ("position", c_int32),  # output register
        ("source", c_int32 * MAX_VERTEX_SLOTS),  # output register of each slot
        ("flat", c_int32 * MAX_VERTEX_SLOTS),
        ("clamp", c_int32 * MAX_VERTEX_SLOTS),  # to [0, 1]
        # projection and clip
        *View._fields_,
        ("near", c_float),  # z >= near * w
        ("depth_clip", c_int32),
        ("num_distances", c_int32),
        ("distances_at", c_int32),  # byte offset in the vertex record
        ("user_mask", c_int32),  # bit k: distance k counts
        ("cull_mask", c_int32),  # bit k: distance k that the shader writes is a cull distance
        ("user_register", c_int32),  # output register that user planes look at; -1: distances are written by the shader
        ("distance_source", c_int32 * MAX_DISTANCES),  # output register * 4 + channel
        ("user_planes", c_float * (4 * MAX_DISTANCES)),
        # setup
        ("num_slots", c_int32),
        ("record_size", c_int32),
        ("mode", c_int32 * MAX_SETUP_SLOTS),
        ("front", c_int32 * MAX_SETUP_SLOTS),  # vertex slot of each setup slot
        ("back", c_int32 * MAX_SETUP_SLOTS),  # ... of a triangle that faces back
        ("two_sided", c_int32),
        ("front_sign", c_int32),  # 1: positive area faces the front, 0: negative
        ("cull", c_int32),  # bit 0 drops the front, bit 1 the back
        ("tie", c_int32),  # 1: ties go to the lower edge (bottom_edge_rule)
        ("offset_kind", c_int32),  # 0 none, 1 fixed unit, 2 unit of the largest z (float depth)
        ("offset_units", c_float),
        ("offset_scale", c_float),
        ("offset_clamp", c_float),
        # points and lines
        ("point_size", c_float),
        ("line_width", c_float),
        ("fill", c_int32 * 2),  # PolygonMode of the front, of the back
        ("edges", c_int32 * 2),  # of even and odd triangles: bit k, corner k to the next is an edge of the primitive
        ("is_polygon", c_int32),
        ("edge_flag", c_int32),  # vertex slot that says in x whether the edge from a vertex on is drawn, or -1
        ("window_space", c_int32),  # positions are in window space already
        ("size_register", c_int32),  # vertex slot that holds the size in x, or -1
        ("sprite", c_int32 * MAX_SETUP_SLOTS),  # 1: the slot becomes the sprite coordinate of a point
        ("sprite_flip", c_int32),
        ("last_pixel", c_int32),
        ("point_kind", c_int32),  # PointKind
        ("cuts_points", c_int32),  # wide points are cut at the sides of the view volume
        ("half_width", c_float),  # of lines as rectangles
        ("rectangular", c_int32),  # lines are rectangles
        ("margin", c_float),  # pixels by which these reach beyond their ends and sides
        ("place_slot", c_int32),  # slot of the place on a line or point, or -1
        ("stippled", c_int32),  # lines are
        ("stipple_factor", c_float),
        ("stipple_pattern", c_int32),
        ("stipple_period", c_int32),  # primitives after which the counter begins again, 0: with each instance, -1: where `restarts` says
        ("restarts", c_void_p),  # one byte a primitive of an instance
        ("offset_slot", c_int32),  # vertex slot of the depth offset of outlined polygons, or -1
        ("outline_kind", c_int32),  # what offset_kind is for triangles that are filled all
        ("offset_modes", c_int32),  # bit m: polygons of PolygonMode m are offset
        ("smooth_fill", c_int32),  # triangles reach all pixels that they touch
        # layers and viewports
        ("routed", c_int32),  # setup records name a layer and a viewport
        ("replaces", c_int32),  # vertices are placed again, primitive by primitive, before they are set up
        ("layer_relative", c_int32),  # the viewport's number is added to the layer
        ("layer_slot", c_int32),  # vertex slot whose x is the layer, or -1
        ("view_slot", c_int32),  # vertex slot whose x is the number of the viewport, or -1
        ("views", c_void_p),  # View of each viewport
        # fragments
        ("alpha_ref", c_float),
        ("blend_color", c_float * 4),
        ("stencil_ref", c_int32 * 2),
        ("height", c_int32),
        ("stipple", c_uint32 * 32),
        ("windows", c_int32 * (4 * MAX_WINDOWS)),  # rectangles: min x, min y, max x, max y, all of them inside
        ("bounds", c_float * 2),
        # coarse depth
        ("coarse", c_int32),  # bits of Coarse
        ("coarse_slack", c_float),
        ("frame", c_int32 * 2),  # last column and row of the framebuffer
        # samples; all 0 where targets have one
        ("finer", c_int32),  # bits of C in a setup record that count fractions of a pixel
        ("outset", c_int32),  # pixels around a tile where edges are looked at, for the samples of its own ones
        ("spread", c_int32 * 2),  # what moves the ends of boxes, 1/256 pixel: the farthest samples beside the center
        ("sample_mask", c_int32),
    ]


class Batch(ctypes.Structure):
    """A range of primitives of one draw, and the arena for what becomes of them."""

    _fields_ = [
        ("draw", c_void_p),
        ("arena", c_void_p),
        ("heads", c_void_p),
        ("vertex_env", c_void_p),
        ("fragment_env", c_void_p),
        ("first", c_int32),
        ("count", c_int32),
        ("done", c_int32),
        ("used", c_int32),
        ("limit", c_int32),
        ("arena_size", c_int32),
        *[(field, c_int32) for name, field in BATCH_FIELDS.items() if field == name],  # counters of the front end
        ("resumed", c_int32),  # it goes on behind primitives that are drawn already: its vertices are counted
        ("pad", c_int32),
    ]


class Worker(ctypes.Structure):
    """Scratch of one thread."""

    _fields_ = [
        ("scene", c_void_p),
        ("start", c_void_p),  # its semaphore
        ("vertices", c_void_p),
        ("clip_masks", c_void_p),
        ("vertex_id", c_void_p),
        ("instance_id", c_void_p),
        ("t0", c_void_p),  # triangles: numbers of vertex records, and the primitive inside the batch
        ("t1", c_void_p),
        ("t2", c_void_p),
        ("prim", c_void_p),
        ("u0", c_void_p),  # the same after clipping
        ("u1", c_void_p),
        ("u2", c_void_p),
        ("uprim", c_void_p),
        ("cache", c_void_p),
        ("cursors", c_void_p),
        ("list", c_void_p),
        ("fragment_env", c_void_p),  # of the batch that is drawn
        ("polygon", c_void_p),
        ("soa_in", c_void_p),
        ("soa_out", c_void_p),
        ("system", c_void_p),
        ("stamp", c_int32),
        ("num_vertices", c_int32),
        ("counter", c_float),  # of line stipple
        ("or_mask", c_int32),
        ("and_mask", c_int32),
        *[(name, c_int64) for name in counted(Place.WORKER)],  # running totals
        ("index", c_int32),  # among the workers
        ("layer", c_int32),  # of the tile that is drawn
        ("pad0", c_int32 * 32),
        ("next_tile", c_int32),  # of the worker's band; others take from it when theirs is done
        ("end_tile", c_int32),
        ("pad1", c_int32 * 31),
    ]


class ClearRecord(ctypes.Structure):
    """One surface to clear: 64 bytes of pattern; where `masked`, bits of `keep` stay."""

    _fields_ = [
        ("base", c_void_p),
        ("row_stride", c_int64),
        ("layer_stride", c_int64),
        ("layers", c_int32),
        ("texel_bytes", c_int32),
        ("masked", c_int32),
        ("pad", c_int32 * 7),
        ("pattern", c_uint8 * 64),
        ("keep", c_uint8 * 64),
    ]


class Scene(ctypes.Structure):
    """The bound targets and the state of a flush."""

    _fields_ = [
        ("color", c_void_p * MAX_COLORS),
        ("color_stride", c_int64 * MAX_COLORS),
        ("color_sample", c_int64 * MAX_COLORS),
        ("depth", c_void_p),
        ("depth_stride", c_int64),
        ("color_layer", c_int64 * MAX_COLORS),  # bytes from layer to layer
        ("depth_layer", c_int64),
        ("depth_sample", c_int64),
        ("coarse", c_void_p),  # one float a tile: no stored depth is above it
        ("clears", c_void_p),
        ("resolves", c_void_p),
        ("num_clears", c_int32),
        ("num_resolves", c_int32),
        ("resolving", c_int32),  # how many of them end the tiles of this window
        ("tiles_x", c_int32),
        ("num_tiles", c_int32),  # of all layers in force, layer by layer
        ("layer_tiles", c_int32),  # of one layer
        ("layers", c_int32),  # in force: 1 while no draw names one
        ("batch", c_int32),  # most primitives of one
        ("num_batches", c_int32),
        ("window", c_int32),  # most batches of a window
        ("window_bytes", c_int32),  # no batch is begun when so much of the arenas is in use
        ("threads", c_int32),
        ("participants", c_int32),
        ("alone", c_int32),  # nobody joins the caller
        ("quit", c_int32),
        ("batches", c_void_p),
        ("arenas", c_void_p),  # pointers, one a batch of a window
        ("workers", c_void_p),
        ("done", c_void_p),
        ("first_batch", c_int32),
        ("last_batch", c_int32),
        ("cut", c_int32),
        ("finished", c_int32),
        ("ticks", c_int64),
        ("front_ticks", c_int64),
        ("tile_ticks", c_int64),
        ("num_windows", c_int64),
        ("arena_bytes", c_int64),
        *[(name, c_int64) for name in counted(Place.BATCH)],  # running totals
        # what many threads write, each on cache lines of its own
        ("pad0", c_int32 * 32),
        ("next_batch", c_int32),
        ("pad1", c_int32 * 31),
        ("filled", c_int32),  # bytes of the arenas in use
        ("pad2", c_int32 * 31),
        ("state", c_int32),  # who takes part in a flush; see scheduler
        ("pad3", c_int32 * 31),
    ]
