"""Layouts of packed records and the numbers in them: byte offsets, limits, enumerations, bits of clip masks.

Python writes these numbers into records (`draw_record`, `records`); generated code reads them.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

from backends.pipe.limits import MAX_SUBPIXEL_PRECISION_BIAS

CHUNK = 64  # bytes of a bin chunk: 15 record offsets, then the link to the next chunk
HEADS = 64  # arena offset of the per-tile chain heads
NO_CHUNK = CHUNK - 4  # low bits of a cursor at the end of a chunk: the next entry begins a new one
CACHE_SLOTS = 4096  # vertex cache of a worker: {u64 key, u32 stamp, u32 vertex}, direct mapped
MAX_SPANS = 64  # most spans of a batch
PRIM_BITS = 20  # low bits of a primitive's word: its number inside the batch; above them the number of a span (see `SetupLayout.PRIM`)
JOINED = (1 << 12) - 1  # bits of `Shared.state`: number of participants that work on the phase
SERIAL = 1 << 12  # bit of `Shared.state`: the phase is over, and one participant prepares the next one
TURN = 1 << 13  # unit of the number of phases so far, modulo 65536, in bits of `Shared.state`
PHASE = 1 << 29  # bit of `Shared.state`, set in the phase of tiles
CLOSED = 1 << 30  # bit of `Shared.state`: no flush that a worker can join
BUSY = CLOSED | SERIAL | JOINED  # bits of `Shared.state` that equal CLOSED if no thread is in a flush
POLYGON = 20  # most vertices of a polygon while it is clipped: 3, one more for each of 6 planes and 8 distances, and 3 to spare

GRID_BITS = 8  # bits of the grid that vertices are snapped to, in a pixel
UNIT_BITS = GRID_BITS + MAX_SUBPIXEL_PRECISION_BIAS + 1  # bits of lengths in conservative draws: a unit is half a step of the finest grid
HALF_PIXEL = 1 << (UNIT_BITS - 1)  # in these units

MAX_INPUTS = 32  # slots of a fragment shader
MAX_OUTPUTS = 80  # registers of a vertex shader
DEFAULT_REGISTER = MAX_OUTPUTS  # the register after all outputs, which always reads (0, 0, 0, 1)
MAX_SETUP_SLOTS = MAX_INPUTS + 1  # slots of a triangle: inputs, and the place on a smooth or stippled line or point
EXTRA_SLOTS = 8  # further slots of a vertex record: back colors, clip distances, size or edge flag, layer, viewport, offset
MAX_VERTEX_SLOTS = MAX_SETUP_SLOTS + EXTRA_SLOTS
MAX_DISTANCES = 8
SYSTEM_VALUES = 8  # vectors that the `system` argument of a vertex shader points to

# Bits of a clip mask. GUARD covers four sides and USER eight distances, so they cannot be used for trivial rejection.
LEFT, RIGHT, BOTTOM, TOP, NEAR, FAR, GUARD, USER = 1, 2, 4, 8, 16, 32, 64, 128
NEEDS_CLIP = NEAR | FAR | GUARD | USER
OUTSIDE = LEFT | RIGHT | BOTTOM | TOP | NEAR | FAR
CULL = 0xFF00  # one bit a cull distance: drops primitives whose vertices are all outside of the same one; cuts none
REJECTS = OUTSIDE | CULL
NOT_FINITE = 0x10000  # position or clip distance is not a number: primitives with such a vertex are dropped


class Mode(IntEnum):
    """Interpolation of a slot over a primitive."""

    FLAT = 0  # value of the provoking vertex, which is always corner 2
    LINEAR = 1
    PERSPECTIVE = 2
    PRIMITIVE = 3  # value of the primitive's row (`Rows`)


class Shape(IntEnum):
    """Meaning of the three corners of an assembled primitive."""

    TRIANGLE = 0
    LINE = 1
    POINT = 2
    OUTLINE = 3  # triangles with at least one face that is not filled


class PointKind(IntEnum):
    """Pixels that a point covers."""

    PIXELS = 0  # whole pixels, as OpenGL's aliased points
    SQUARE = 1  # the pixels whose centers lie in a square around the point
    DISK = 2  # a square around a disk, whose coverage becomes alpha


class OffsetUnit(IntEnum):
    """Unit of the rasterizer state's `offset_units`."""

    NONE = 0  # polygons are not offset
    FIXED = 1  # the same for all primitives; `DepthOffset.units` is already scaled
    LARGEST_DEPTH = 2  # the last bit of the largest depth of the primitive (float depth buffers)


class StippleStart(IntEnum):
    """Special values of `LineStipple.period`, which otherwise is a number of primitives."""

    EACH_INSTANCE = 0  # a strip: the counter continues from line to line
    WHERE_SAID = -1  # strips with primitive restart: `LineStipple.restarts` marks where the counter begins again


class Edges(IntFlag):
    """Edges of a triangle: from corner 0 to 1, from 1 to 2, from 2 to 0."""

    FIRST = 1
    SECOND = 2
    THIRD = 4
    ALL = 7


class HizUse(IntFlag):
    """Permitted uses of the depth bounds of tiles by a draw."""

    NONE = 0
    TEST = 1  # triangles farther away than the bound may be dropped
    LOWER = 2  # triangles that cover a tile lower its bound
    RAISES = 4  # stored depths may grow, which invalidates the bound


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
    PRIM = 12  # number inside the batch | number of the first span that shades pixels as this triangle's span does << PRIM_BITS
    IDENT = 28  # primitive number << 1 | front facing, 31 bits
    BOX = 56  # four u16: min x, min y, max x, max y (pixels, inside the region)
    CUT = 0x8000  # bit of min x: the box was cut by the region, so coverage must respect it
    Z, W = 64, 76  # a0, dadx, dady of z and of 1/w
    ANCHOR, OFFSET = 88, 92  # x, y of the anchor pixel (u16); offset of a filled polygon's depth (f32), which a large a0 could swallow
    SLOTS = 96
    ROUTE = (
        32  # bytes after the slots of routed draws: layer, viewport (i32), ends of the depth range (f32), low bytes of c (i32 x3), one word
    )
    FIRST = 4  # from the end of a record back to that word, in conservative draws the offset of the primitive's first record (i32)

    @staticmethod
    def size(slots: int) -> int:
        """Bytes of a record."""
        return 96 + 48 * slots
