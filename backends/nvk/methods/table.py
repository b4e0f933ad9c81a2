"""Methods and fields: one table, the same for all 3D classes with mesh shaders.

Source: NVIDIA's class headers c597, c697, c797, c997, cb97, cd97 and ce97.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType

from tgsi.language.record import record


class MethodError(ValueError):
    """Method, field, class, order or word that the 3D engine does not take; the message names it and the way out."""


class Switch(IntEnum):
    """Values of a field of one bit."""

    FALSE = 0
    TRUE = 1


class Topology(IntEnum):
    """Primitive types, in the order of Gallium's."""

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
    LINELIST_ADJCY = 10
    LINESTRIP_ADJCY = 11
    TRIANGLELIST_ADJCY = 12
    TRIANGLESTRIP_ADJCY = 13
    PATCH = 14


class PrimitiveId(IntEnum):
    """Number of the first primitive of a draw: from the start, or after the last draw."""

    FIRST = 0
    UNCHANGED = 1


class InstanceId(IntEnum):
    """Number of the instance of a draw."""

    FIRST = 0
    SUBSEQUENT = 1
    UNCHANGED = 2


class SplitMode(IntEnum):
    """Part of a draw that a method starts, where a draw is split."""

    NORMAL_BEGIN_NORMAL_END = 0
    NORMAL_BEGIN_OPEN_END = 1
    OPEN_BEGIN_OPEN_END = 2
    OPEN_BEGIN_NORMAL_END = 3


class ProgramSlot(IntEnum):
    """Slots of programs, which are also the types of programs."""

    VERTEX_CULL_BEFORE_FETCH = 0
    VERTEX = 1
    TESSELLATION_INIT = 2
    TESSELLATION = 3
    GEOMETRY = 4
    PIXEL = 5


@record
class Field:
    """Bits `low` to `high` of a word, both included; `values` names the allowed values of the field, None if it is a number."""

    name: str
    high: int
    low: int
    values: type[IntEnum] | None = None

    @property
    def width(self) -> int:
        """Number of bits."""
        return self.high - self.low + 1

    @property
    def most(self) -> int:
        """Greatest number that the bits hold."""
        return (1 << self.width) - 1


@record
class Method:
    """A method: its byte address, its fields, and the number of its copies, which are `stride` bytes apart."""

    name: str
    address: int
    fields: tuple[Field, ...]
    copies: int = 1
    stride: int = 0

    def field(self, name: str) -> Field:
        """The field of this name. Raises MethodError if it does not exist."""
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise MethodError(f"{self.name} has no field {name}; its fields are {', '.join(item.name for item in self.fields)}")


_ROWS = (
    Method(
        "SET_DRAW_CONTROL_A",
        0x0260,
        (
            Field("TOPOLOGY", 3, 0, Topology),
            Field("PRIMITIVE_ID", 4, 4, PrimitiveId),
            Field("INSTANCE_ID", 6, 5, InstanceId),
            Field("SPLIT_MODE", 8, 7, SplitMode),
            Field("INSTANCE_ITERATE_ENABLE", 9, 9, Switch),
            Field("IGNORE_GLOBAL_BASE_VERTEX_INDEX", 10, 10, Switch),
            Field("IGNORE_GLOBAL_BASE_INSTANCE_INDEX", 11, 11, Switch),
        ),
    ),
    Method("SET_DRAW_CONTROL_B", 0x0264, (Field("INSTANCE_COUNT", 31, 0),)),
    Method("DRAW_VERTEX_ARRAY_BEGIN_END_A", 0x0270, (Field("START", 31, 0),)),
    Method("DRAW_VERTEX_ARRAY_BEGIN_END_B", 0x0274, (Field("COUNT", 31, 0),)),
    Method("SET_VERTEX_ID_BASE", 0x1118, (Field("V", 31, 0),)),
    Method("SET_MESH_CONTROL", 0x114C, (Field("ENABLE", 0, 0, Switch),)),
    Method(
        "SET_MESH_SHADER_A",
        0x1150,
        (Field("OUTPUT_TOPOLOGY", 3, 0, Topology), Field("MAX_VERTEX", 12, 4), Field("MAX_PRIMITIVE", 22, 13)),
    ),
    Method("SET_MESH_SHADER_B", 0x1154, (Field("SHARED_MEM_LINES", 16, 8), Field("THREAD_COUNT", 25, 20))),
    Method(
        "SET_MESH_INIT_SHADER",
        0x1158,
        (Field("THREAD_COUNT", 5, 0), Field("LOCAL_BUFFER_LINES", 20, 12), Field("OUTPUT_TO_M_S_LINES", 30, 22)),
    ),
    Method(
        "SET_PIPELINE_SHADER",
        0x2000,
        (Field("ENABLE", 0, 0, Switch), Field("TYPE", 7, 4, ProgramSlot)),
        copies=len(ProgramSlot),
        stride=0x40,
    ),
)

METHODS: Mapping[str, Method] = MappingProxyType({row.name: row for row in _ROWS})
"""Methods by name."""

BY_ADDRESS: Mapping[int, tuple[Method, int]] = MappingProxyType(
    {row.address + copy * row.stride: (row, copy) for row in _ROWS for copy in range(row.copies)}
)
"""Method and number of its copy, by byte address."""
