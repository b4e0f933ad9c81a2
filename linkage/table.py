"""The link table: the output that feeds each input of a fragment program, and the outputs that the rasterizer itself reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from linkage.rows import DeadOutput, Relocation, Special, Unmatched, Unwritten
from tgsi.language.diagnostics import Diagnostic, Label, Severity
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import XYZW
from tgsi.language.record import record
from tgsi.language.source import Span

if TYPE_CHECKING:
    from linkage.device_link import DeviceLink

NAMED_OUTPUTS = (
    ("position", "POSITION"),
    ("point_size", "PSIZE"),
    ("layer", "LAYER"),
    ("viewport", "VIEWPORT_INDEX"),
    ("edge_flag", "EDGEFLAG"),
    ("clip_vertex", "CLIPVERTEX"),
)
"""Fields of a `LinkTable` that hold one output register each, with the semantic of that output."""


class _Late:
    """Deferred fields of a link: the first read computes a field with the function and the arguments in `_late`."""

    __slots__ = ("_late",)

    _late: tuple[Any, ...]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name not in LATE_FIELDS:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            make, *facts = self._late
            value = make(self, name, *facts)
            object.__setattr__(self, name, value)  # the table is frozen otherwise
            return value


LATE_FIELDS = frozenset({"rows", "dead_outputs", "unmatched_inputs", "other_sides", "unwritten"})
"""Fields of a `LinkTable` that are computed on first read; devices need none of them."""


@record(kw_only=True)
class LinkTable(_Late):
    """Connections of a fragment program's inputs with a vertex program's outputs.

    `slots` counts the vec4 slots of a vertex record. The named fields are output registers, None if the program lacks the
    output. `clip_distance[k]` is the register of CLIPDIST[k], `back[k]` the one of BCOLOR[k]. Source: the linkage proposal
    of 2010 (docs/linkage.md).
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
    implicit: tuple[Unmatched, ...] = ()  # varyings that declare no interpolation
    other_sides: tuple[Unmatched, ...] = ()  # COLOR inputs that read a BCOLOR, or vice versa, for lack of another output
    unwritten: tuple[Unwritten, ...] = ()  # reads of outputs that may be unwritten
    names: Mapping[Semantic, str] = field(default_factory=dict, compare=False, repr=False)  # of varyings, in the texts of other languages
    rasterized: bool = True  # False between stages before the rasterizer, as only the last one has to write POSITION
    device: DeviceLink | None = None  # the link in the device's own scheme; None for the software profile

    def __hash__(self) -> int:
        return hash((self.profile, self.rows, self.specials, self.position))

    def __repr__(self) -> str:
        counts = ((self.slots, "slot"), (len(self.unmatched_inputs), "unmatched input"), (len(self.dead_outputs), "dead output"))
        return f"<LinkTable {self.profile}: {', '.join(f'{n} {word}s' if n != 1 else f'1 {word}' for n, word in counts)}>"

    def __str__(self) -> str:
        """Aligned text: one line for each slot, then the rasterizer's inputs and outputs, then the device's link and the findings."""
        from linkage.text import row_lines

        return "\n".join([self._title, *row_lines(self.rows, self.back_register, self.names), *self._lines(), *self._messages()])

    def _repr_html_(self) -> str:
        from linkage.text import HEADER, row_cells
        from tgsi.language import notebook

        parts = [
            notebook.heading(self._title),
            notebook.table(HEADER, row_cells(self.rows, self.back_register, self.names)) if self.rows else "",
        ]
        if more := self._lines():
            parts.append(notebook.text("rasterizer and device" if self.device is not None else "rasterizer", "\n".join(more)))
        return "".join([*parts, notebook.items(self._messages())])

    @property
    def _title(self) -> str:
        return f"profile {self.profile}: {self.slots} slot{'s' if self.slots != 1 else ''}"

    def _lines(self) -> list[str]:
        """Outputs that the rasterizer reads, inputs that it provides, and the link of the device."""
        from linkage.text import device_lines, mask_text

        lines = []
        taken = [f"{name} OUT[{register}]" for field, name in NAMED_OUTPUTS if (register := getattr(self, field)) is not None]
        taken += [f"CLIPDIST[{i}] OUT[{r}]" for i, r in enumerate(self.clip_distance) if r is not None]
        taken += [f"BCOLOR[{i}] OUT[{r}]" for i, r in sorted(self.back.items())]
        if taken:
            lines.append("rasterizer takes: " + ", ".join(taken))
        if self.specials:
            provided = (
                f"IN[{s.input_register}] {s.semantic}{'' if s.usage_mask == XYZW else ' ' + mask_text(s.usage_mask)}" for s in self.specials
            )
            lines.append("rasterizer gives: " + ", ".join(provided))
        return lines + (device_lines(self.device) if self.device is not None else [])

    def _messages(self) -> list[str]:
        """The findings, a line each."""
        return [f"{d.severity.value}[{d.code}]: {d.message}" + (f"; {d.hint}" if d.hint else "") for d in self.findings]

    def row(self, semantic: Semantic) -> Relocation | None:
        """The first row of a semantic."""
        return next((row for row in self.rows if row.semantic == semantic), None)

    def back_register(self, row: Relocation) -> int | None:
        """The register that a row reads on back faces under two-sided light: BCOLOR of its index, otherwise the front's own."""
        if row.semantic.name == "COLOR":
            return self.back.get(row.semantic.index, row.output_register)
        return row.output_register

    def sprite_slots(self, enable: int, *, texcoord: bool = False) -> tuple[int, ...]:
        """Slots that a point sprite replaces with (s, t, 0, 1): those of GENERIC k (TEXCOORD k) with bit k of `enable` set."""
        name = "TEXCOORD" if texcoord else "GENERIC"
        return tuple(r.slot for r in self.rows if r.semantic.name == name and enable >> r.semantic.index & 1)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Warnings and notes, computed by each call: unmatched inputs, unwritten and dead outputs, no interpolation, no position."""
        from linkage.text import named, unwritten_finding

        messages: list[Diagnostic] = []
        for item in self.unmatched_inputs:
            hint = f"did you mean {' or '.join(str(n) for n in item.nearest)}?" if item.nearest else ""
            text = f"IN[{item.input_register}] {named(item.semantic, self.names)} has no output to read from"
            if self.device is None:
                text += "; it reads 0, 0, 0, 1"
            messages.append(Diagnostic("K010", Severity.WARNING, text, _labels(item.span), hint))
        messages += map(unwritten_finding, self.unwritten)
        for output in self.dead_outputs:
            text = f"OUT[{output.output_register}] {named(output.semantic, self.names)} is never read"
            messages.append(Diagnostic("K011", Severity.NOTE, text, _labels(output.span)))
        for item in self.implicit:
            text = f"IN[{item.input_register}] {named(item.semantic, self.names)} states no interpolation; it is CONSTANT"
            messages.append(Diagnostic("K012", Severity.WARNING, text, _labels(item.span), "write PERSPECTIVE or LINEAR to interpolate it"))
        for item in self.other_sides:
            side = "back" if item.semantic.name == "COLOR" else "front"
            text = f"IN[{item.input_register}] {item.semantic} has only a {side} color to read from"
            hint = f"write {item.semantic} in the vertex program"
            messages.append(Diagnostic("K013", Severity.WARNING, text, _labels(item.span), hint))
        if self.position is None and self.rasterized:
            messages.append(Diagnostic("K014", Severity.WARNING, "the vertex program writes no POSITION; nothing can be rasterized"))
        return (*messages, *(self.device.findings if self.device is not None else ()))


def _labels(span: Span | None) -> tuple[Label, ...]:
    return (Label(span),) if span is not None else ()


NO_NAMES: Mapping[Semantic, str] = {}

OpenTable: Any = type(
    "LinkTable", (_Late,), {"__slots__": vars(LinkTable)["__slots__"]}
)  # as `record.open_twin`, which does not support a base class
"""A LinkTable under construction, which permits assignments.

When all fields except those of `LATE_FIELDS`, and `_late`, are set, its class becomes LinkTable.

`_late` is a function and its further arguments: `make(table, name, *arguments)` computes a deferred field. This takes a third of the time
of the constructor.
"""

set_field = object.__setattr__
"""Set a field of a table that is not shared yet."""
