"""Numbered names of the TGSI language, as text spells them; values are the token numbers of Mesa 18.1."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType

from tgsi.language.record import record


class Processor(IntEnum):
    """Shader stages."""

    VERT = 0
    FRAG = 1
    GEOM = 2
    TESS_CTRL = 3
    TESS_EVAL = 4
    COMP = 5
    TASK = 6
    MESH = 7


class File(IntEnum):
    """Register files."""

    NULL = 0
    CONST = 1
    IN = 2
    OUT = 3
    TEMP = 4
    SAMP = 5
    ADDR = 6
    IMM = 7
    SV = 8
    IMAGE = 9
    SVIEW = 10
    BUFFER = 11
    MEMORY = 12
    CONSTBUF = 13
    HWATOMIC = 14


OUT, TEMP, ADDR, IMM = File.OUT, File.TEMP, File.ADDR, File.IMM
"""Files that passes compare with for every operand: Python 3.11 takes five times as long to find a member through its enumeration."""


class Interpolation(IntEnum):
    """Variation of a fragment input over a primitive. COLOR follows the rasterizer's flatshade."""

    CONSTANT = 0
    LINEAR = 1
    PERSPECTIVE = 2
    COLOR = 3


class Location(IntEnum):
    """Place in the pixel at which a fragment input is evaluated."""

    CENTER = 0
    CENTROID = 1
    SAMPLE = 2


class MemoryType(IntEnum):
    """Kinds of memory that a MEMORY register names."""

    GLOBAL = 0
    SHARED = 1
    PRIVATE = 2
    INPUT = 3
    PAYLOAD = 4


class ImmediateType(IntEnum):
    """Types in which the four words of an immediate are written."""

    FLT32 = 0
    UINT32 = 1
    INT32 = 2
    FLT64 = 3
    UINT64 = 4
    INT64 = 5


class ReturnType(IntEnum):
    """Types that a sampler view returns. UNKNOWN has a number and no spelling."""

    UNORM = 0
    SNORM = 1
    SINT = 2
    UINT = 3
    FLOAT = 4
    UNKNOWN = 5


class Primitive(IntEnum):
    """Primitive types by the names that properties use."""

    POINTS = 0
    LINES = 1
    LINE_LOOP = 2
    LINE_STRIP = 3
    TRIANGLES = 4
    TRIANGLE_STRIP = 5
    TRIANGLE_FAN = 6
    QUADS = 7
    QUAD_STRIP = 8
    POLYGON = 9
    LINES_ADJACENCY = 10
    LINE_STRIP_ADJACENCY = 11
    TRIANGLES_ADJACENCY = 12
    TRIANGLE_STRIP_ADJACENCY = 13
    PATCHES = 14


QUALIFIERS: Mapping[str, int] = MappingProxyType({"COHERENT": 1, "RESTRICT": 2, "VOLATILE": 4})
"""Bits of the memory qualifiers."""

CHANNELS = "xyzw"


@record
class TargetInfo:
    """A texture target: its number of coordinates (layer included) and the channel of its shadow reference."""

    name: str
    number: int
    coords: int
    shadow: str = ""  # channel of the reference value: z, w or src1.x
    layered: bool = False  # the last of the coordinates is a layer

    @property
    def is_shadow(self) -> bool:
        """True if samples are compared with a reference value."""
        return bool(self.shadow)

    @property
    def dimensions(self) -> int:
        """Number of coordinates without the layer."""
        return self.coords - self.layered


TARGETS: Mapping[str, TargetInfo] = MappingProxyType(
    {
        target.name: target
        for target in (
            TargetInfo("BUFFER", 0, 1),
            TargetInfo("1D", 1, 1),
            TargetInfo("2D", 2, 2),
            TargetInfo("3D", 3, 3),
            TargetInfo("CUBE", 4, 3),
            TargetInfo("RECT", 5, 2),
            TargetInfo("SHADOW1D", 6, 1, "z"),
            TargetInfo("SHADOW2D", 7, 2, "z"),
            TargetInfo("SHADOWRECT", 8, 2, "z"),
            TargetInfo("1D_ARRAY", 9, 2, layered=True),
            TargetInfo("2D_ARRAY", 10, 3, layered=True),
            TargetInfo("SHADOW1D_ARRAY", 11, 2, "z", layered=True),
            TargetInfo("SHADOW2D_ARRAY", 12, 3, "w", layered=True),
            TargetInfo("SHADOWCUBE", 13, 3, "w"),
            TargetInfo("2D_MSAA", 14, 2),
            TargetInfo("2D_ARRAY_MSAA", 15, 3, layered=True),
            TargetInfo("CUBEARRAY", 16, 4, layered=True),
            TargetInfo("SHADOWCUBEARRAY", 17, 4, "src1.x", layered=True),
            TargetInfo("UNKNOWN", 18, 0),
        )
    }
)
"""Texture targets by their spelling."""
