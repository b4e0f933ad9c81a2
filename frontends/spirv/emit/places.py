"""Places that pointers refer to: registers, memory, units of textures and images, constant values."""

from __future__ import annotations

from typing import TypeAlias

from frontends.spirv.emit.code import Ref
from frontends.spirv.module.types import Array, Image, Matrix, SampledImage, Sampler, Struct, Type, inner
from tgsi.language.facts.enums import File
from tgsi.language.record import record

Terms = tuple[tuple[Ref, int], ...]
"""A dynamic index: a sum of words, each multiplied by a number."""


@record(kw_only=True)
class Registers:
    """Consecutive registers of a file, from `index` + the sum of `terms` on, one vector in each.

    `row` is the vertex or primitive of files with two indices. `channel` is the first channel of a scalar or vector. `packed` arrays
    have an element in each channel. `pick` chooses a scalar of a vector or packed array while the program runs.
    """

    kind: Type
    file: File
    index: int
    terms: Terms = ()
    buffer: int | None = None
    row: int | Ref | None = None
    array: int = 0
    channel: int = 0
    packed: bool = False
    pick: Ref | None = None
    width: int = 0
    mutable: bool = False


@record(kw_only=True)
class Memory:
    """Bytes of a resource: `offset` + the sum of `terms`. `chosen` is added to the number of the resource.

    `stride` and `row_major` belong to matrices, `scalar_step` to vectors whose scalars do not lie side by side.
    """

    kind: Type
    file: File
    number: int
    offset: int = 0
    terms: Terms = ()
    chosen: Terms = ()
    stride: int = 0
    row_major: bool = False
    scalar_step: int = 0
    pick: Ref | None = None
    qualifiers: int = 0
    is_block: bool = False


@record(kw_only=True)
class Unit:
    """Samplers, textures, images or counters from a unit on.

    `first` is the variable's first unit if it differs from the binding: for pairs of texture and sampler, and members of structs.
    """

    kind: Type
    variable: int
    number: int
    size: int = 1
    terms: Terms = ()
    qualifiers: int = 0
    first: int | None = None


@record(kw_only=True)
class Mixed:
    """A uniform whose structs hold textures: `registers` have its numbers, and units from `unit` on its textures.

    `whole` is the type of the variable, `path` has the members and `indices` the elements that lead to the place.
    """

    kind: Type
    registers: Registers
    variable: int
    unit: int
    whole: Type
    path: tuple[int, ...] = ()
    indices: tuple[int | Ref, ...] = ()


@record(kw_only=True)
class Known:
    """A constant value."""

    kind: Type
    words: tuple[Ref, ...]


@record(kw_only=True)
class Varying:
    """An input or output with separate semantics for its parts: a block, or rows of vertices. `offset` and `terms` count locations."""

    kind: Type
    variable: int
    row: int | Ref | None = None
    needs_row: bool = False
    offset: int = 0
    terms: Terms = ()


Place: TypeAlias = Registers | Memory | Unit | Known | Mixed | Varying


@record(kw_only=True)
class Texel:
    """A texel of an image, for atomics."""

    unit: Unit
    image: Image
    coordinates: tuple[Ref, ...]
    sample: Ref | None


def registers(kind: Type) -> int:
    """Registers that a value takes, one vector in each; 64-bit vectors of three and four take two."""
    match kind:
        case Matrix() | Array():
            return kind.size * registers(kind.element)
        case Struct():
            return sum(map(registers, kind.members))
    return (kind.words + 3) // 4


def layout(kind: Type) -> list[tuple[int, int]]:
    """Register and channel of each word of a value."""
    match kind:
        case Matrix() | Array():
            inner, step = layout(kind.element), registers(kind.element)
            return [(place * step + register, channel) for place in range(kind.size) for register, channel in inner]
        case Struct():
            places, first = [], 0
            for member in kind.members:
                places += [(first + register, channel) for register, channel in layout(member)]
                first += registers(member)
            return places
    return [(word // 4, word % 4) for word in range(kind.words)]


def is_opaque(kind: Type) -> bool:
    """True for textures, samplers and images, and arrays of them."""
    return isinstance(inner(kind), Image | Sampler | SampledImage)
