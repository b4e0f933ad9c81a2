"""Matching of a program's inputs with the outputs of the previous stage, by semantics."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from linkage.rows import DeadOutput, Relocation, Special, Unmatched
from linkage.table import NAMED_OUTPUTS, NO_NAMES, LinkTable, OpenTable
from linkage.unwritten import NO_GAPS, Gaps, unwritten
from linkage.usage import Input, Interface, Output, interface_of, key_of
from tgsi.language.diagnostics import Diagnostics, Label, LinkError
from tgsi.language.facts.enums import File, Interpolation
from tgsi.language.facts.semantics import PRIMITIVE_SEMANTICS, Semantic
from tgsi.language.program import Program
from tgsi.language.record import open_twin, record

_FIXED_OUTPUTS = frozenset({"POSITION", "PSIZE", "BCOLOR", "EDGEFLAG", "CLIPDIST", "CLIPVERTEX"})
RASTERIZER_OUTPUTS = _FIXED_OUTPUTS | PRIMITIVE_SEMANTICS
"""Outputs that the rasterizer reads, so that they are not dead without a fragment input."""

_CLIP_DISTANCE = (Semantic("CLIPDIST", 0), Semantic("CLIPDIST", 1))
_OTHER_SIDE = {"COLOR": "BCOLOR", "BCOLOR": "COLOR"}
_BACK = (Semantic("BCOLOR", 0), Semantic("BCOLOR", 1))


def join(profile: str, producer: Interface, consumer: Interface, mapping: Mapping[Semantic, Semantic], gaps: Gaps = NO_GAPS) -> LinkTable:
    """Match two interfaces of any stages. O(inputs + outputs).

    Shared records are created once: the row of an input for each register that feeds it, and everything that depends on one program. The
    link itself is the list of registers; rows and fields for messages are created on first read. `gaps`: missing writes of the producer
    that affect the rasterizer.
    """
    theirs: _Fed = producer.parts.get("fed") or _fed(producer)
    ours: _Feeding = consumer.parts.get("feeding") or _feeding(consumer)
    if mapping:
        registers = _registers_by_semantic(producer, consumer, mapping)
    else:
        registers = [*map(producer.by_key.get, ours.keys)]
    if (ours.colors or mapping) and None in registers:
        _fall_back(producer, consumer, mapping, registers)
    table = OpenTable()
    table.profile, table.slots, table.names, table.rasterized, table.device = profile, len(registers), NO_NAMES, True, None
    table._late = _late, producer, consumer, registers, mapping, gaps
    table.specials, table.implicit = ours.specials, ours.implicit
    (
        table.position,
        table.point_size,
        table.layer,
        table.viewport,
        table.edge_flag,
        table.clip_vertex,
        table.clip_distance,
        table.back,
    ) = theirs.named
    table.__class__ = LinkTable
    return table  # type: ignore[no-any-return]


def is_own_color(producer: Interface, consumer: Interface, registers: Sequence[int | None]) -> bool:
    """False if an input of a table without a link state is fed by the color of the other side."""
    colors = consumer.parts["feeding"].colors
    return not colors or all(registers[slot] == producer.by_key.get(key) for slot, key in colors)


def registers_of(table: LinkTable) -> list[int | None]:
    """The output register of each row of a table from `join`."""
    registers: list[int | None] = table._late[3]
    return registers


def _late(
    table: LinkTable,
    name: str,
    producer: Interface,
    consumer: Interface,
    registers: list[int | None],
    mapping: Mapping[Semantic, Semantic],
    gaps: Gaps,
) -> object:
    """Compute a deferred field of a table from the registers of its rows."""
    if name == "rows":
        if not producer.per_primitive:
            return tuple([known[register] for known, register in zip(consumer.parts["feeding"].rows, registers)])
        return tuple(
            _row(slot, item, register, register in producer.per_primitive) for slot, (item, register) in _each(consumer, registers)
        )
    if name == "unwritten":
        return unwritten(gaps, producer, table, consumer, rasterized=True)
    if name == "dead_outputs":
        read = {*registers}
        return tuple([output for output in producer.parts["fed"].mortal if output.output_register not in read])
    own = _registers_by_semantic(producer, consumer, mapping)
    items = [(item, register) for item, register, first in zip(consumer.varyings, registers, own) if first is None]
    if name == "other_sides":
        return tuple(Unmatched(item.semantic, item.register, (), item.span) for item, register in items if register is not None)
    return tuple(
        Unmatched(item.semantic, item.register, nearest(mapping.get(item.semantic, item.semantic), producer.outputs), item.span)
        for item, register in items
        if register is None
    )


_OpenRow = open_twin(Relocation)


class _Rows(dict[int | None, Relocation]):
    """The rows of one input by the register that feeds it. A look-up creates missing rows."""

    __slots__ = ("item", "slot")

    def __init__(self, slot: int, item: Input) -> None:
        self.slot, self.item = slot, item

    def __missing__(self, register: int | None) -> Relocation:
        item, row = self.item, _OpenRow()  # takes half the time of the constructor
        row.semantic, row.input_register, row.output_register = item.semantic, item.register, register
        row.usage_mask, row.interpolation, row.location = item.usage_mask, item.interpolation, item.location
        row.slot, row.per_primitive = self.slot, False
        row.__class__ = Relocation
        return self.setdefault(register, row)


@record
class _Feeding:
    """The part of a link table that depends only on the consumer. rows: known rows of each input, by the register that feeds it."""

    keys: tuple[int, ...]
    colors: tuple[tuple[int, int], ...]  # slot and key of inputs that the color of the other side may feed
    rows: tuple[_Rows, ...]
    specials: tuple[Special, ...]
    implicit: tuple[Unmatched, ...]


@record
class _Fed:
    """The part of a link table that depends only on the producer. mortal: outputs that are dead unless read.

    named: the fields of `NAMED_OUTPUTS`, then `clip_distance` and `back`.
    """

    named: tuple[Any, ...]
    mortal: tuple[DeadOutput, ...]


def _feeding(consumer: Interface) -> _Feeding:
    feeding = _Feeding(
        tuple(item.key for item in consumer.varyings),
        tuple((slot, item.key) for slot, item in enumerate(consumer.varyings) if item.semantic.name in _OTHER_SIDE),
        tuple(itertools.starmap(_Rows, enumerate(consumer.varyings))),
        tuple(Special(item.semantic, item.register, item.usage_mask, item.location) for item in consumer.specials),
        tuple(Unmatched(i.semantic, i.register, (), i.span) for i in consumer.implicit),
    )
    consumer.parts["feeding"] = feeding
    return feeding


def _fed(producer: Interface) -> _Fed:
    outputs = producer.by_semantic
    clip = [outputs.get(semantic) for semantic in _CLIP_DISTANCE]
    while clip and clip[-1] is None:
        clip.pop()
    back = {semantic.index: outputs[semantic] for semantic in _BACK if semantic in outputs}
    named = (*(outputs.get(Semantic(name)) for _, name in NAMED_OUTPUTS), tuple(clip), back)
    mortal = [o for o in producer.outputs if o.semantic.name not in RASTERIZER_OUTPUTS]
    fed = _Fed(named, tuple(DeadOutput(o.semantic, o.register, o.span) for o in mortal))
    producer.parts["fed"] = fed
    return fed


def _each(consumer: Interface, registers: Sequence[int | None]) -> Iterable[tuple[int, tuple[Input, int | None]]]:
    return enumerate(zip(consumer.varyings, registers))


def _row(slot: int, item: Input, register: int | None, once: bool) -> Relocation:
    return Relocation(
        semantic=item.semantic,
        input_register=item.register,
        output_register=register,
        usage_mask=item.usage_mask,
        interpolation=Interpolation.CONSTANT if once else item.interpolation,
        location=item.location,
        slot=slot,
        per_primitive=once,
    )


def _registers_by_semantic(producer: Interface, consumer: Interface, mapping: Mapping[Semantic, Semantic]) -> list[int | None]:
    """The output register of each input under a mapping."""
    by_key = producer.by_key
    return [by_key.get(key_of(mapping[item.semantic]) if item.semantic in mapping else item.key) for item in consumer.varyings]


def _fall_back(producer: Interface, consumer: Interface, mapping: Mapping[Semantic, Semantic], registers: list[int | None]) -> None:
    """Feed color inputs without a matching output with the color of the other side."""
    for slot, (item, register) in _each(consumer, registers):
        wanted = mapping.get(item.semantic, item.semantic)
        if register is None and wanted.name in _OTHER_SIDE:
            registers[slot] = producer.by_semantic.get(Semantic(_OTHER_SIDE[wanted.name], wanted.index))


def nearest(semantic: Semantic, outputs: tuple[Output, ...]) -> tuple[Semantic, ...]:
    """Up to two similar outputs, for a hint.

    Outputs of the same name come first, by nearest index; then GENERIC for TEXCOORD and vice versa; then similar names.
    """
    candidates = [output.semantic for output in outputs if output.semantic.name not in RASTERIZER_OUTPUTS]
    same = sorted((c for c in candidates if c.name == semantic.name), key=lambda c: (abs(c.index - semantic.index), c.index))
    if same:
        return tuple(same[:2])
    partner = {"GENERIC": "TEXCOORD", "TEXCOORD": "GENERIC"}.get(semantic.name)
    similar = [c for c in candidates if c.name == partner and c.index == semantic.index]
    from difflib import get_close_matches  # imported only for messages

    names = get_close_matches(semantic.name, {c.name for c in candidates}, 1)
    return tuple(similar or sorted(c for c in candidates if c.name in names))[:2]


def check_registers(producer: Program, consumer: Program) -> None:
    """Raise LinkError if two outputs carry one semantic, or one register carries two."""
    faults = Diagnostics()
    note_duplicates(faults, interface_of(producer))
    note_torn(faults, File.OUT, interface_of(producer).torn_outputs)
    note_torn(faults, File.IN, interface_of(consumer).torn_inputs)
    faults.raise_if_errors(LinkError)


def note_torn(diagnostics: Diagnostics, file: File, torn: tuple[tuple[Output, Output], ...]) -> None:
    """Add an error (K007) for each register of a file that carries two semantics."""
    for first, second in torn:
        labels = [Label(span, text) for span, text in ((second.span, "again here"), (first.span, "first here")) if span is not None]
        message = f"{file.name}[{first.register}] carries {first.semantic} and {second.semantic}; a link moves whole registers"
        diagnostics.error("K007", message, *labels, hint="give each of them a separate register")


def note_duplicates(diagnostics: Diagnostics, producer: Interface) -> None:
    """Add an error (K003) for each semantic that two outputs of a program carry."""
    for first, second in producer.duplicates:
        labels = [Label(span, text) for span, text in ((second.span, "again here"), (first.span, "first here")) if span is not None]
        message = f"OUT[{first.register}] and OUT[{second.register}] both carry {first.semantic}"
        diagnostics.error("K003", message, *labels, hint="give one of them another semantic index")
