"""Records that Python and generated code share: one `ctypes.Structure` each, and the byte offsets of packed records.

Generated code names their fields (`backends.llvm.builder.record`), so that the order of fields is free. It follows the caches:
fields that one step reads together stand together, words that several threads write have cache lines of their own.
"""

from __future__ import annotations

import ctypes
from ctypes import c_float, c_int32, c_int64, c_uint8, c_uint32, c_void_p
from enum import IntEnum, IntFlag

from backends.device.counters import BATCH_FIELDS, Place, counted
from backends.pipe.limits import MAX_ATTRIBUTES, MAX_COLOR_BUFFERS, MAX_WINDOW_RECTANGLES

CHUNK = 64  # bytes of a bin chunk: 15 record offsets, then the link to the next chunk
HEADS = 64  # arena offset of the per-tile chain heads
NO_CHUNK = CHUNK - 4  # low bits of a cursor without room: the next entry begins a new chunk
CACHE_SLOTS = 4096  # vertex cache of a worker: {u64 key, u32 stamp, u32 vertex}, direct mapped
CLOSED = 1 << 30  # bit of `Shared.state`: no flush that a worker can join
POLYGON = 20  # most vertices of a polygon while it is clipped: 3, one more for each of 6 planes and 8 distances, and 3 to spare

MAX_INPUTS = 32  # slots of a fragment shader
MAX_OUTPUTS = 80  # registers of a vertex shader
DEFAULT_REGISTER = MAX_OUTPUTS  # the register after all outputs, which always reads (0, 0, 0, 1)
MAX_SETUP_SLOTS = MAX_INPUTS + 1  # slots of a triangle: inputs, and the place on a smooth or stippled line or point
EXTRA_SLOTS = 8  # further slots of a vertex record: back colors, clip distances, size or edge flag, layer, viewport, offset
MAX_VERTEX_SLOTS = MAX_SETUP_SLOTS + EXTRA_SLOTS
MAX_DISTANCES = 8
SYSTEM_VALUES = 8  # vectors that the `system` argument of a vertex shader points to

# Bits of a clip mask. GUARD stands for four sides and USER for eight distances, so they must not take part in rejection.
LEFT, RIGHT, BOTTOM, TOP, NEAR, FAR, GUARD, USER = 1, 2, 4, 8, 16, 32, 64, 128
NEEDS_CLIP = NEAR | FAR | GUARD | USER
OUTSIDE = LEFT | RIGHT | BOTTOM | TOP | NEAR | FAR
CULL = 0xFF00  # one bit a cull distance: a primitive with all vertices outside of the same one is dropped; none is cut
REJECTS = OUTSIDE | CULL


class Mode(IntEnum):
    """Interpolation of a slot over a primitive."""

    FLAT = 0  # value of the provoking vertex, which is always corner 2
    LINEAR = 1
    PERSPECTIVE = 2


class Shape(IntEnum):
    """Meaning of the three corners of an assembled primitive."""

    TRIANGLE = 0
    LINE = 1
    POINT = 2
    OUTLINE = 3  # triangles of which one face or both are not filled


class PointKind(IntEnum):
    """Pixels that a point covers."""

    PIXELS = 0  # whole pixels, as OpenGL's aliased points
    SQUARE = 1  # the pixels whose centers lie in a square around the point
    DISK = 2  # a square around a disk, whose coverage becomes alpha


class OffsetUnit(IntEnum):
    """Unit of depth that `offset_units` of the rasterizer state counts in."""

    NONE = 0  # polygons are not offset
    FIXED = 1  # the same for all primitives; `DepthOffset.units` is scaled already
    LARGEST_DEPTH = 2  # the last bit of the largest depth of the primitive (float depth buffers)


class StippleStart(IntEnum):
    """Special values of `LineStipple.period`, which otherwise is a number of primitives."""

    EACH_INSTANCE = 0  # a strip: the counter goes on from line to line
    WHERE_SAID = -1  # strips with primitive restart: `LineStipple.restarts` marks where the counter begins again


class Edges(IntFlag):
    """Edges of a triangle: from corner 0 to 1, from 1 to 2, from 2 to 0."""

    FIRST = 1
    SECOND = 2
    THIRD = 4
    ALL = 7


class HizUse(IntFlag):
    """Uses that a draw may make of the depth bounds of tiles."""

    NONE = 0
    TEST = 1  # triangles farther away than the bound may be dropped
    LOWER = 2  # triangles that cover a tile lower its bound
    RAISES = 4  # stored depths may grow: the bound is lost


NO_SLOT = -1  # stands for no slot of vertex records
NO_REGISTER = -1  # stands for no output register


class VertexLayout:
    """One shaded vertex: window x, y, z, 1/w | clip x y z w | 16 bytes a slot."""

    WINDOW, CLIP, SLOTS = 0, 16, 32

    @staticmethod
    def size(slots: int) -> int:
        """Bytes of a record."""
        return 32 + 16 * slots


class SetupLayout:
    """One triangle: 96 bytes of header, then three vec4 for each slot: a0, dadx, dady."""

    A, B, C = 0, 16, 32  # i32 x3 + prim; i32 x3 + ident; i64 x3 (floor(c/256), or floor(c/16) for samples; with the fill rule) + box
    PRIM = 12  # number inside the batch
    IDENT = 28  # primitive number << 1 | front facing, 31 bits
    BOX = 56  # four u16: min x, min y, max x, max y (pixels, inside the region)
    CUT = 0x8000  # bit of min x: the box was cut by the region, so coverage must respect it
    Z, W = 64, 76  # a0, dadx, dady of z and of 1/w
    ANCHOR = 88  # x, y of the anchor pixel (i32)
    SLOTS = 96
    ROUTE = 32  # bytes after the slots of routed draws: layer, viewport (i32), ends of the depth range (f32), low bytes of c (i32 x3)

    @staticmethod
    def size(slots: int) -> int:
        """Bytes of a record."""
        return 96 + 48 * slots


class View(ctypes.Structure):
    """One viewport with its scissor, in window coordinates."""

    _fields_ = [
        ("scale", c_float * 3),
        ("translate", c_float * 3),
        ("guard", c_float * 4),  # left, right, bottom, top: bounds of x/w and y/w
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
        ("vertex_shader", c_void_p),
    ]


class HizTerms(ctypes.Structure):
    """Rules for the depth bound of a tile in coverage (`backends.raster.tile.hiz`)."""

    _fields_ = [
        ("uses", c_int32),  # HizUse
        ("slack", c_float),
        ("frame_end", c_int32 * 2),  # last column and row of the framebuffer
    ]


class Assembly(ctypes.Structure):
    """Primitive assembly. Corner k of primitive q is vertex (q >> shift) * multiply[k] + offset[3 * (q & 1) + k] + start."""

    _fields_ = [
        ("indices", c_void_p),
        ("index_size", c_int32),  # bytes; 0: vertices are not indexed
        ("index_bias", c_int32),
        ("prims_per_instance", c_int32),
        ("start", c_int32),
        ("shift", c_int32),
        ("multiply", c_int32 * 3),
        ("offset", c_int32 * 6),
        ("is_unindexed_list", c_int32),  # every vertex is used once
        ("is_polygon", c_int32),  # all triangles of an instance are one polygon
        ("prim_shift", c_int32),  # primitive number = q >> prim_shift
        ("numbers", c_void_p),  # i32 primitive numbers that an earlier stage left; null: primitives are counted
        ("start_instance", c_int32),
        ("draw_id", c_int32),
        ("base_vertex", c_int32),
    ]


class Fetch(ctypes.Structure):
    """Vertex attributes, by input register of the vertex shader."""

    _fields_ = [
        ("num_attributes", c_int32),
        ("attribute", c_void_p * MAX_ATTRIBUTES),
        ("stride", c_int64 * MAX_ATTRIBUTES),  # bytes
        ("limit", c_uint32 * MAX_ATTRIBUTES),  # elements that lie whole in the buffer
        ("channels", c_int32 * MAX_ATTRIBUTES),
        ("divisor", c_uint32 * MAX_ATTRIBUTES),  # instances an element; 0: the attribute advances by vertices
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
        ("is_clamped", c_int32 * MAX_VERTEX_SLOTS),  # to [0, 1]
    ]


class Clip(ctypes.Structure):
    """Clip and cull distances, and the depth planes of clip masks."""

    _fields_ = [
        ("near", c_float),  # z >= near * w
        ("depth_clip", c_int32),
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
        # multisampling; 0 where targets have one sample
        ("subpixel_bits", c_int32),  # bits of the constants in a setup record that count fractions of a pixel
        ("tile_margin", c_int32),  # pixels around a tile in which its own samples may lie
        ("box_margin", c_int32 * 2),  # 1/256 pixel, added to the low and the high end of boxes: the samples farthest from the center
        ("mode", c_int32 * MAX_SETUP_SLOTS),  # Mode
        ("front", c_int32 * MAX_SETUP_SLOTS),  # vertex slot of each setup slot
        ("back", c_int32 * MAX_SETUP_SLOTS),  # the same for triangles that face back
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
        ("places_per_primitive", c_int32),  # each primitive gets vertex records of its own, placed by its own viewport
        ("is_layer_relative", c_int32),  # the number of the viewport is added to the layer
        ("layer_slot", c_int32),  # vertex slot whose x is the layer, or NO_SLOT
        ("viewport_slot", c_int32),  # vertex slot whose x is the number of the viewport, or NO_SLOT
        ("views", c_void_p),  # View of each viewport
    ]


class Fragments(ctypes.Structure):
    """Run-time values of fragment tests and blending: state that is not in the FragmentKey."""

    _fields_ = [
        ("sample_mask", c_int32),  # 0 where targets have one sample
        ("alpha_ref", c_float),
        ("blend_color", c_float * 4),
        ("stencil_ref", c_int32 * 2),  # front, back
        ("depth_bounds", c_float * 2),
        ("height", c_int32),  # pixels, of the framebuffer
        ("windows", c_int32 * (4 * MAX_WINDOW_RECTANGLES)),  # rectangles: min x, min y, max x, max y, both ends included
        ("polygon_stipple", c_uint32 * 32),
    ]


class Draw(ctypes.Structure):
    """One draw; lives until its batches are done. Python writes it once, generated code only reads it.

    Each group is filled by one function of `backends.raster.draw`. The groups that every tile reads come first.
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
    ]


class Batch(ctypes.Structure):
    """A range of primitives of one draw, and the arena for the setup records and bins that they produce."""

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
        ("resumed", c_int32),  # an earlier window drew the first primitives of this batch, and counted its vertices
        ("pad", c_int32),
    ]


# -------------------------------------------------------------------------------------------------------- groups of Worker
class WorkerBuffers(ctypes.Structure):
    """Scratch memory of a worker; the addresses never change."""

    _fields_ = [
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
        ("polygon", c_void_p),
        ("soa_in", c_void_p),
        ("soa_out", c_void_p),
        ("system", c_void_p),
    ]


class BatchScratch(ctypes.Structure):
    """Values that steps of the front end pass on to later steps of the same batch."""

    _fields_ = [
        ("stamp", c_int32),  # number of the batch in the vertex cache: entries with another number are void
        ("num_vertices", c_int32),
        ("stipple_counter", c_float),
        ("or_mask", c_int32),  # of all clip masks
        ("and_mask", c_int32),
    ]


class TileScratch(ctypes.Structure):
    """Values that the tile walk passes to shading."""

    _fields_ = [
        ("fragment_env", c_void_p),  # of the batch that is drawn
        ("layer", c_int32),
    ]


class WorkerCounters(ctypes.Structure):
    """Running totals of one worker."""

    _fields_ = [(name, c_int64) for name in counted(Place.WORKER)]


class Band(ctypes.Structure):
    """The tiles of one worker. Workers whose own band is empty take tiles from here, too, so the words have cache lines of their own."""

    _fields_ = [
        ("pad0", c_int32 * 32),
        ("next_tile", c_int32),
        ("end_tile", c_int32),
        ("pad1", c_int32 * 31),
    ]


class Worker(ctypes.Structure):
    """One thread: its identity (written by `Pool`), its scratch memory, and its tiles, which other workers may take."""

    _fields_ = [
        ("scene", c_void_p),
        ("semaphore", c_void_p),  # the thread sleeps on it
        ("index", c_int32),  # among the workers
        ("buffers", WorkerBuffers),
        ("batch", BatchScratch),
        ("tile", TileScratch),
        ("counters", WorkerCounters),
        ("band", Band),
    ]


class ClearRecord(ctypes.Structure):
    """One surface to clear with 64 bytes of pattern; if `masked`, the bits in `keep` stay as they are."""

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


# --------------------------------------------------------------------------------------------------------- groups of Scene
class Targets(ctypes.Structure):
    """The bound color and depth buffers. Strides are bytes a row, a layer, a sample."""

    _fields_ = [
        ("color", c_void_p * MAX_COLOR_BUFFERS),
        ("color_stride", c_int64 * MAX_COLOR_BUFFERS),
        ("color_layer", c_int64 * MAX_COLOR_BUFFERS),
        ("color_sample", c_int64 * MAX_COLOR_BUFFERS),
        ("depth", c_void_p),
        ("depth_stride", c_int64),
        ("depth_layer", c_int64),
        ("depth_sample", c_int64),
    ]


class Tiles(ctypes.Structure):
    """The tiles of the bound framebuffer."""

    _fields_ = [
        ("farthest", c_void_p),  # one float a tile: no stored depth is above it
        ("tiles_x", c_int32),
        ("num_tiles", c_int32),  # of all active layers, layer by layer
        ("layer_tiles", c_int32),  # of one layer
        ("layers", c_int32),  # number of active layers: 1 while no draw names a layer
    ]


class Work(ctypes.Structure):
    """The work of one flush: clears, then batches, then resolves."""

    _fields_ = [
        ("clears", c_void_p),
        ("batches", c_void_p),
        ("resolves", c_void_p),
        ("num_clears", c_int32),
        ("num_batches", c_int32),
        ("num_resolves", c_int32),
        ("alone", c_int32),  # the caller does all of the work
    ]


class Crew(ctypes.Structure):
    """Threads, and the limits of the work that they share. Written when the pool is made or its targets are resized."""

    _fields_ = [
        ("workers", c_void_p),
        ("arenas", c_void_p),  # pointers, one a batch of a window
        ("done", c_void_p),  # semaphore that the caller sleeps on
        ("threads", c_int32),
        ("participants", c_int32),  # threads, and the caller if it helps
        ("batch_size", c_int32),  # most primitives of a batch
        ("window_size", c_int32),  # most batches of a window
        ("window_bytes", c_int32),  # no further batch begins once so many bytes of the arenas are in use
        ("quit", c_int32),
    ]


class Window(ctypes.Structure):
    """The batches that are binned together. Only the last thread to arrive at a barrier writes here."""

    _fields_ = [
        ("first_batch", c_int32),
        ("last_batch", c_int32),
        ("cut", c_int32),  # batch whose arena was too small, or -1
        ("resolving", c_int32),  # number of resolves at the end of each tile of this window
        ("finished", c_int32),  # no batch is left
        ("ticks", c_int64),  # time-stamp counter when the phase began
    ]


class Totals(ctypes.Structure):
    """Measurements of the last flush, then running totals of statistics. Only the last thread to arrive at a barrier adds to them."""

    _fields_ = [
        ("front_ticks", c_int64),
        ("tile_ticks", c_int64),
        ("num_windows", c_int64),
        ("arena_bytes", c_int64),  # of the largest window
        *[(name, c_int64) for name in counted(Place.BATCH)],
    ]


class Shared(ctypes.Structure):
    """Atomic words that all threads write, each on cache lines of its own."""

    _fields_ = [
        ("pad0", c_int32 * 32),
        ("next_batch", c_int32),
        ("pad1", c_int32 * 31),
        ("filled", c_int32),  # bytes of the arenas in use
        ("pad2", c_int32 * 31),
        ("state", c_int32),  # participants and phase of a flush; see `backends.raster.control.scheduler`
        ("pad3", c_int32 * 31),
    ]


class Scene(ctypes.Structure):
    """One renderer's targets, work and threads. Python fills `targets` to `crew` between flushes; the rest belongs to generated code."""

    _fields_ = [
        ("targets", Targets),
        ("tiles", Tiles),
        ("work", Work),
        ("crew", Crew),
        ("window", Window),
        ("totals", Totals),
        ("shared", Shared),
    ]
