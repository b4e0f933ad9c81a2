"""What a link says: one row for each varying that the fragment program reads, and where the special outputs stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from tgsi.language._record import record
from tgsi.language.facts.enums import Interpolation, Location
from tgsi.language.facts.semantics import Semantic
from tgsi.language.source import Span

if TYPE_CHECKING:
    from linkage.device import DeviceLink


class Fill(Enum):
    """What an input without an output reads."""

    ZERO_ZERO_ZERO_ONE = (0.0, 0.0, 0.0, 1.0)


@record
class Relocation:
    """One varying: fragment input, the output that feeds it, and the slot of the vertex record that carries it.

    `output_register` is None where no output fits; the input then reads `Fill.ZERO_ZERO_ZERO_ONE`. Slots are given by the
    fragment program alone, in the order of its input registers, so fragment code does not depend on the vertex program.
    """

    semantic: Semantic
    input_register: int
    output_register: int | None
    usage_mask: int  # channels that the fragment program reads
    interpolation: Interpolation
    location: Location
    slot: int


@record
class Special:
    """A fragment input that the rasterizer itself provides: window position, facing, point coordinate, primitive number."""

    semantic: Semantic
    input_register: int
    usage_mask: int
    location: Location = Location.CENTER


@record
class DeadOutput:
    """An output that nobody reads."""

    semantic: Semantic
    output_register: int
    span: Span | None = field(default=None, compare=False, repr=False)


@record
class Unmatched:
    """An input that no output feeds, and the outputs whose names come nearest."""

    semantic: Semantic
    input_register: int
    nearest: tuple[Semantic, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@record
class LinkTable:
    """How a fragment program's inputs hang on a vertex program's outputs.

    `slots` counts the vec4 slots of a vertex record. The named fields are output registers, None where there is no such
    output. `clip_distance[k]` is the register of CLIPDIST[k], `back[k]` the one of BCOLOR[k]. Source: the linkage proposal
    of 2010 and its collected facts in reference/linkage.md.
    """

    profile: str
    rows: tuple[Relocation, ...]
    slots: int
    specials: tuple[Special, ...]
    position: int | None
    point_size: int | None
    layer: int | None
    viewport: int | None
    edge_flag: int | None
    clip_vertex: int | None
    clip_distance: tuple[int | None, ...]
    back: Mapping[int, int]
    dead_outputs: tuple[DeadOutput, ...]
    unmatched_inputs: tuple[Unmatched, ...]
    implicit: tuple[Unmatched, ...] = ()  # varyings that state no interpolation
    device: DeviceLink | None = None  # what a device would get; None for the software profile

    def __hash__(self) -> int:
        return hash((self.profile, self.rows, self.specials, self.position))

    def __str__(self) -> str:
        """The table as text, see `linkage.dump.dump`."""
        from linkage.dump import dump  # it imports this module

        return dump(self)

    def row(self, semantic: Semantic) -> Relocation | None:
        """The first row of a semantic."""
        return next((row for row in self.rows if row.semantic == semantic), None)

    def back_register(self, row: Relocation) -> int | None:
        """The register that a row reads on back faces under two-sided light: BCOLOR of its index, else the front's own."""
        if row.semantic.name == "COLOR":
            return self.back.get(row.semantic.index, row.output_register)
        return row.output_register

    def sprite_slots(self, enable: int, *, texcoord: bool = False) -> tuple[int, ...]:
        """Slots that a point sprite replaces with (s, t, 0, 1): those of GENERIC k (TEXCOORD k) with bit k of `enable` set."""
        name = "TEXCOORD" if texcoord else "GENERIC"
        return tuple(r.slot for r in self.rows if r.semantic.name == name and enable >> r.semantic.index & 1)
