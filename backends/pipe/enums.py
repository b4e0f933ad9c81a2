"""Gallium's enumerations without their C prefixes; values are Mesa's numbers.

`lookup` turns a member, a number or a name (``LINEAR`` or ``PIPE_TEX_FILTER_LINEAR``) into a member.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import TypeVar

import tgsi.language.facts.enums
from backends.pipe.flags import (
    Barrier,
    Bind,
    Clear,
    ColorMask,
    ContextFlags,
    Face,
    FlushFlags,
    ImageAccess,
    ResourceFlags,
    TextureBarrier,
    Transfer,
)

__all__ = [
    "PREFIXES",
    "Barrier",
    "Bind",
    "BlendFactor",
    "BlendFunc",
    "Clear",
    "ColorMask",
    "CompareFunc",
    "ConservativeRaster",
    "ContextFlags",
    "Endian",
    "Face",
    "FlushFlags",
    "ImageAccess",
    "LogicOp",
    "PolygonMode",
    "Prim",
    "QueryType",
    "RenderCond",
    "ResetStatus",
    "ResourceFlags",
    "ShaderIr",
    "ShaderType",
    "SpriteCoordMode",
    "StencilOp",
    "Swizzle",
    "TexCompare",
    "TexFace",
    "TexFilter",
    "TexMipFilter",
    "TexWrap",
    "TextureBarrier",
    "TextureTarget",
    "Transfer",
    "Usage",
    "lookup",
]

E = TypeVar("E", bound=Enum)

Prim = tgsi.language.facts.enums.Primitive  # one table for draws and properties


class BlendFactor(IntEnum):
    """Factors of the blend equation. Bit 4 inverts the factor."""

    ONE = 1
    SRC_COLOR = 2
    SRC_ALPHA = 3
    DST_ALPHA = 4
    DST_COLOR = 5
    SRC_ALPHA_SATURATE = 6
    CONST_COLOR = 7
    CONST_ALPHA = 8
    SRC1_COLOR = 9
    SRC1_ALPHA = 10
    ZERO = 17
    INV_SRC_COLOR = 18
    INV_SRC_ALPHA = 19
    INV_DST_ALPHA = 20
    INV_DST_COLOR = 21
    INV_CONST_COLOR = 23
    INV_CONST_ALPHA = 24
    INV_SRC1_COLOR = 25
    INV_SRC1_ALPHA = 26


class BlendFunc(IntEnum):
    """Operations that combine the two products of the blend equation."""

    ADD = 0
    SUBTRACT = 1
    REVERSE_SUBTRACT = 2
    MIN = 3
    MAX = 4


class LogicOp(IntEnum):
    """Logic operations. The number is the truth table: bit 2*s+d is the result for source bit s and destination bit d."""

    CLEAR = 0
    NOR = 1
    AND_INVERTED = 2
    COPY_INVERTED = 3
    AND_REVERSE = 4
    INVERT = 5
    XOR = 6
    NAND = 7
    AND = 8
    EQUIV = 9
    NOOP = 10
    OR_INVERTED = 11
    COPY = 12
    OR_REVERSE = 13
    OR = 14
    SET = 15


class CompareFunc(IntEnum):
    """Comparisons: bit 0 less, bit 1 equal, bit 2 greater."""

    NEVER = 0
    LESS = 1
    EQUAL = 2
    LEQUAL = 3
    GREATER = 4
    NOTEQUAL = 5
    GEQUAL = 6
    ALWAYS = 7


class StencilOp(IntEnum):
    """Changes of the stencil value."""

    KEEP = 0
    ZERO = 1
    REPLACE = 2
    INCR = 3
    DECR = 4
    INCR_WRAP = 5
    DECR_WRAP = 6
    INVERT = 7


class TextureTarget(IntEnum):
    """Shapes of resources and views."""

    BUFFER = 0
    TEXTURE_1D = 1
    TEXTURE_2D = 2
    TEXTURE_3D = 3
    TEXTURE_CUBE = 4
    TEXTURE_RECT = 5
    TEXTURE_1D_ARRAY = 6
    TEXTURE_2D_ARRAY = 7
    TEXTURE_CUBE_ARRAY = 8


class TexFace(IntEnum):
    """Faces of a cube, in layer order."""

    POS_X = 0
    NEG_X = 1
    POS_Y = 2
    NEG_Y = 3
    POS_Z = 4
    NEG_Z = 5


class TexWrap(IntEnum):
    """Wrap modes: the choice of the texel for a coordinate outside of the image."""

    REPEAT = 0
    CLAMP = 1
    CLAMP_TO_EDGE = 2
    CLAMP_TO_BORDER = 3
    MIRROR_REPEAT = 4
    MIRROR_CLAMP = 5
    MIRROR_CLAMP_TO_EDGE = 6
    MIRROR_CLAMP_TO_BORDER = 7


class TexMipFilter(IntEnum):
    """Filters between mip levels."""

    NEAREST = 0
    LINEAR = 1
    NONE = 2


class TexFilter(IntEnum):
    """Filters within a level."""

    NEAREST = 0
    LINEAR = 1


class TexCompare(IntEnum):
    """Comparison of shadow textures, on or off."""

    NONE = 0
    R_TO_TEXTURE = 1


class Usage(IntEnum):
    """Expected uses of a resource (a hint)."""

    DEFAULT = 0
    IMMUTABLE = 1
    DYNAMIC = 2
    STREAM = 3
    STAGING = 4


class ShaderType(IntEnum):
    """Shader stages by their Gallium numbers."""

    VERTEX = 0
    FRAGMENT = 1
    GEOMETRY = 2
    TESS_CTRL = 3
    TESS_EVAL = 4
    COMPUTE = 5
    TASK = 6
    MESH = 7


class QueryType(IntEnum):
    """Kinds of queries."""

    OCCLUSION_COUNTER = 0
    OCCLUSION_PREDICATE = 1
    OCCLUSION_PREDICATE_CONSERVATIVE = 2
    TIMESTAMP = 3
    TIMESTAMP_DISJOINT = 4
    TIME_ELAPSED = 5
    PRIMITIVES_GENERATED = 6
    PRIMITIVES_EMITTED = 7
    SO_STATISTICS = 8
    SO_OVERFLOW_PREDICATE = 9
    SO_OVERFLOW_ANY_PREDICATE = 10
    GPU_FINISHED = 11
    PIPELINE_STATISTICS = 12


class DriverQuery(IntEnum):
    """Kinds of queries of this driver alone: numbers from PIPE_QUERY_DRIVER_SPECIFIC on."""

    FLUSHES_ASKED = 256
    FLUSHES_TARGETS = 257
    FLUSHES_CLEAR = 258
    FLUSHES_RESOLVE = 259
    FLUSHES_MEMORY = 260
    FLUSHES_DRAW = 261
    FLUSHES_FULL = 262
    KNOWN_DRAWS = 263
    TEMPLATES_MADE = 264
    KERNELS_COMPILED = 265
    COMPILE_NS = 266
    TEMPLATES_COMPOSED = 267
    OTHER_DRAWS = 268
    KERNELS_LOADED = 269


class RenderCond(IntEnum):
    """Ways in which render_condition waits."""

    WAIT = 0
    NO_WAIT = 1
    BY_REGION_WAIT = 2
    BY_REGION_NO_WAIT = 3


class SpriteCoordMode(IntEnum):
    """The side of a point sprite at which t is 0."""

    UPPER_LEFT = 0
    LOWER_LEFT = 1


class ConservativeRaster(IntEnum):
    """Modes of conservative rasterization: a pixel is covered where the primitive touches it."""

    OFF = 0
    POST_SNAP = 1
    PRE_SNAP = 2


class Swizzle(IntEnum):
    """Sources of a view's channel."""

    X = 0
    Y = 1
    Z = 2
    W = 3
    ZERO = 4
    ONE = 5
    NONE = 6


class PolygonMode(IntEnum):
    """Ways to draw polygons."""

    FILL = 0
    LINE = 1
    POINT = 2
    FILL_RECTANGLE = 3


class ShaderIr(IntEnum):
    """Program representations."""

    TGSI = 0
    NATIVE = 1
    NIR = 2


class ResetStatus(IntEnum):
    """Reasons for the loss of a context."""

    NO_RESET = 0
    GUILTY_CONTEXT_RESET = 1
    INNOCENT_CONTEXT_RESET = 2
    UNKNOWN_CONTEXT_RESET = 3


class Endian(IntEnum):
    """Byte order."""

    LITTLE = 0
    BIG = 1


PREFIXES: dict[type[Enum], str] = {
    BlendFactor: "PIPE_BLENDFACTOR_",
    BlendFunc: "PIPE_BLEND_",
    LogicOp: "PIPE_LOGICOP_",
    CompareFunc: "PIPE_FUNC_",
    StencilOp: "PIPE_STENCIL_OP_",
    TextureTarget: "PIPE_",
    TexFace: "PIPE_TEX_FACE_",
    TexWrap: "PIPE_TEX_WRAP_",
    TexMipFilter: "PIPE_TEX_MIPFILTER_",
    TexFilter: "PIPE_TEX_FILTER_",
    TexCompare: "PIPE_TEX_COMPARE_",
    Usage: "PIPE_USAGE_",
    ShaderType: "PIPE_SHADER_",
    Prim: "PIPE_PRIM_",
    QueryType: "PIPE_QUERY_",
    DriverQuery: "PIPE_QUERY_",
    RenderCond: "PIPE_RENDER_COND_",
    SpriteCoordMode: "PIPE_SPRITE_COORD_",
    ConservativeRaster: "PIPE_CONSERVATIVE_RASTER_",
    Swizzle: "PIPE_SWIZZLE_",
    PolygonMode: "PIPE_POLYGON_MODE_",
    ShaderIr: "PIPE_SHADER_IR_",
    ResetStatus: "PIPE_",
    Endian: "PIPE_ENDIAN_",
    Transfer: "PIPE_TRANSFER_",
    FlushFlags: "PIPE_FLUSH_",
    ColorMask: "PIPE_MASK_",
    Face: "PIPE_FACE_",
    Clear: "PIPE_CLEAR_",
    Bind: "PIPE_BIND_",
    ContextFlags: "PIPE_CONTEXT_",
    Barrier: "PIPE_BARRIER_",
    TextureBarrier: "PIPE_TEXTURE_BARRIER_",
    ImageAccess: "PIPE_IMAGE_ACCESS_",
    ResourceFlags: "PIPE_RESOURCE_FLAG_",
}
"""The C prefix of each enumeration's members."""


def lookup(kind: type[E], value: E | int | str, argument: str) -> E:
    """Return a member of `kind` from a member, its number, its name, or its full C name.

    ValueError, naming the argument and the nearest name, if there is no such member; TypeError for a value of another type.
    """
    if isinstance(value, kind):
        return value
    if isinstance(value, str):
        name = value.removeprefix(PREFIXES[kind]).removeprefix("PIPE_")
        name = {"0": "ZERO", "1": "ONE"}.get(name, name)
        if name in kind.__members__:
            return kind[name]
        from backends.pipe.foreign_enums import member_hint  # loaded only for a message

        raise ValueError(f"{argument}: {value!r} is not a {kind.__name__}{member_hint(value, PREFIXES[kind], kind.__members__)}")
    if isinstance(value, int):
        try:
            return kind(int(value))
        except ValueError:
            raise ValueError(f"{argument}: {value} is not a {kind.__name__}") from None
    raise TypeError(f"{argument}: expected a {kind.__name__}, its number or its name, not {type(value).__name__}")
