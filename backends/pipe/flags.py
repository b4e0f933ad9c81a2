"""Gallium's sets of bits, without their C prefixes; values are Mesa's numbers. Users import them from `enums`."""

from __future__ import annotations

from enum import IntFlag
from functools import cache, reduce
from operator import or_


class Transfer(IntFlag):
    """Ways to map a box of a resource."""

    NONE = 0
    READ = 1
    WRITE = 2
    READ_WRITE = 3
    MAP_DIRECTLY = 4
    DISCARD_RANGE = 256
    DONTBLOCK = 512
    UNSYNCHRONIZED = 1024
    FLUSH_EXPLICIT = 2048
    DISCARD_WHOLE_RESOURCE = 4096
    PERSISTENT = 8192
    COHERENT = 16384


class FlushFlags(IntFlag):
    """Options of flush."""

    NONE = 0
    END_OF_FRAME = 1
    DEFERRED = 2
    FENCE_FD = 4
    ASYNC = 8
    HINT_FINISH = 16
    TOP_OF_PIPE = 32
    BOTTOM_OF_PIPE = 64


class ColorMask(IntFlag):
    """Channels that blending writes, and depth and stencil for blits."""

    NONE = 0
    R = 1
    G = 2
    B = 4
    A = 8
    RGBA = 15
    Z = 16
    S = 32
    ZS = 48
    RGBAZS = 63


class Face(IntFlag):
    """Sides of a polygon."""

    NONE = 0
    FRONT = 1
    BACK = 2
    FRONT_AND_BACK = 3


class Clear(IntFlag):
    """Buffers that clear touches."""

    NONE = 0
    DEPTH = 1
    STENCIL = 2
    COLOR0 = 4
    COLOR1 = 8
    COLOR2 = 16
    COLOR3 = 32
    COLOR4 = 64
    COLOR5 = 128
    COLOR6 = 256
    COLOR7 = 512
    COLOR = 1020
    DEPTHSTENCIL = 3


class Bind(IntFlag):
    """Uses for which a resource may be bound."""

    NONE = 0
    DEPTH_STENCIL = 1
    RENDER_TARGET = 2
    BLENDABLE = 4
    SAMPLER_VIEW = 8
    VERTEX_BUFFER = 16
    INDEX_BUFFER = 32
    CONSTANT_BUFFER = 64
    DISPLAY_TARGET = 128
    STREAM_OUTPUT = 1024
    CURSOR = 2048
    CUSTOM = 4096
    GLOBAL = 8192
    SHADER_BUFFER = 16384
    SHADER_IMAGE = 32768
    COMPUTE_RESOURCE = 65536
    COMMAND_ARGS_BUFFER = 131072
    QUERY_BUFFER = 262144
    SCANOUT = 524288
    SHARED = 1048576
    LINEAR = 2097152


class ContextFlags(IntFlag):
    """Options of context_create."""

    NONE = 0
    COMPUTE_ONLY = 1
    DEBUG = 2
    ROBUST_BUFFER_ACCESS = 4
    PREFER_THREADED = 8
    HIGH_PRIORITY = 16
    LOW_PRIORITY = 32


class Barrier(IntFlag):
    """Accesses that memory_barrier orders."""

    NONE = 0
    MAPPED_BUFFER = 1
    SHADER_BUFFER = 2
    QUERY_BUFFER = 4
    VERTEX_BUFFER = 8
    INDEX_BUFFER = 16
    CONSTANT_BUFFER = 32
    INDIRECT_BUFFER = 64
    TEXTURE = 128
    IMAGE = 256
    FRAMEBUFFER = 512
    STREAMOUT_BUFFER = 1024
    GLOBAL_BUFFER = 2048
    ALL = 4095


class TextureBarrier(IntFlag):
    """Accesses that texture_barrier orders."""

    NONE = 0
    SAMPLER = 1
    FRAMEBUFFER = 2


class ImageAccess(IntFlag):
    """Accesses of a shader to an image."""

    NONE = 0
    READ = 1
    WRITE = 2
    READ_WRITE = 3


class ResourceFlags(IntFlag):
    """Options of a resource."""

    NONE = 0
    MAP_PERSISTENT = 1
    MAP_COHERENT = 2
    TEXTURING_MORE_LIKELY = 4
    SPARSE = 8
    DRV_PRIV = 65536
    ST_PRIV = 16777216


def names_of(flags: IntFlag) -> str:
    """Names of the members that make up a set of bits, those of most bits first, such as "COLOR|DEPTHSTENCIL"."""
    rest, names = int(flags), []
    for name, member in sorted(type(flags).__members__.items(), key=lambda item: -item[1].bit_count()):
        if member and member & ~rest == 0:
            names.append(name)
            rest &= ~int(member)
    return "|".join(names) or "NONE"


@cache
def _every_bit(kind: type[IntFlag]) -> int:
    """All bits that the members of a set of flags have."""
    return reduce(or_, (member.value for member in kind), 0)


def check_bits(kind: type[IntFlag], value: int, argument: str) -> None:
    """ValueError, naming the argument, if a number has unknown bits."""
    if value & ~_every_bit(kind):
        raise ValueError(f"{argument}: {value & ~_every_bit(kind):#x} of {value:#x} is not a flag of {kind.__name__}")
