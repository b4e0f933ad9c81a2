"""Rows of a link table: varyings, inputs that the rasterizer provides, outputs without a reader and inputs without an output."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from tgsi.language.facts.enums import Interpolation, Location
from tgsi.language.facts.semantics import Semantic
from tgsi.language.record import record
from tgsi.language.source import Span


class Fill(Enum):
    """Value of an input that no output feeds."""

    ZERO_ZERO_ZERO_ONE = (0.0, 0.0, 0.0, 1.0)


@record(kw_only=True)
class Relocation:
    """One varying: fragment input, the output that feeds it, and the slot of the vertex record that carries it.

    `output_register` is None without a matching output; the input then reads `Fill.ZERO_ZERO_ZERO_ONE`. Slots depend only on the fragment
    program, in the order of its input registers, so fragment code does not depend on the vertex program.
    """

    semantic: Semantic
    input_register: int
    output_register: int | None
    usage_mask: int  # channels that the fragment program reads
    interpolation: Interpolation
    location: Location
    slot: int
    per_primitive: bool = False  # the output of a mesh program exists once a primitive, so the input is constant over it


@record
class Special:
    """A fragment input that the rasterizer itself provides: window position, facing, point coordinate, primitive number."""

    semantic: Semantic
    input_register: int
    usage_mask: int
    location: Location = Location.CENTER


@record
class DeadOutput:
    """An output that neither the next stage nor the rasterizer reads."""

    semantic: Semantic
    output_register: int
    span: Span | None = field(default=None, compare=False, repr=False)


@record
class Unmatched:
    """An input that no output feeds, and outputs with similar names."""

    semantic: Semantic
    input_register: int
    nearest: tuple[Semantic, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@record
class Unwritten:
    """Channels of an output that are read but not written by the program, on any or on some paths.

    `input_register` is None if the rasterizer is the reader.
    """

    semantic: Semantic
    output_register: int
    input_register: int | None
    never: int  # channels that no instruction writes
    sometimes: int  # channels that are written on some paths only
    spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)  # of the output, then of the input
