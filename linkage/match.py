"""Matching: the semantics of one program's inputs against those of the outputs of the stage before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from linkage.rows import DeadOutput, Relocation, Special, Unmatched
from linkage.table import NAMED_OUTPUTS, LinkTable
from linkage.usage import Input, Interface, Output, interface_of, key_of
from tgsi.language.diagnostics import Diagnostics, Label, LinkError
from tgsi.language.facts.enums import File, Interpolation
from tgsi.language.facts.semantics import PRIMITIVE_SEMANTICS, Semantic
from tgsi.language.program import Program
from tgsi.language.record import record

_FIXED_OUTPUTS = frozenset({"POSITION", "PSIZE", "BCOLOR", "EDGEFLAG", "CLIPDIST", "CLIPVERTEX"})
RASTERIZER_OUTPUTS = _FIXED_OUTPUTS | PRIMITIVE_SEMANTICS
"""Outputs that the rasterizer reads, so that they are not dead without a fragment input."""

_CLIP_DISTANCE = (Semantic("CLIPDIST", 0), Semantic("CLIPDIST", 1))
_OTHER_SIDE = {"COLOR": "BCOLOR", "BCOLOR": "COLOR"}
_BACK = (Semantic("BCOLOR", 0), Semantic("BCOLOR", 1))


def join(profile: str, producer: Interface, consumer: Interface, mapping: Mapping[Semantic, Semantic]) -> LinkTable:
    """Match two interfaces, whatever their stages. O(inputs + outputs).

    Records that recur are made once: the row of an input for each register that feeds it, and all that one program alone decides.
    """
    theirs, ours = producer.parts.get("fed") or _fed(producer), consumer.parts.get("feeding") or _feeding(consumer)
    if mapping or theirs.has_primitives:
        registers = _registers_by_semantic(producer, consumer, mapping)
    else:
        registers = [*map(producer.by_key.get, ours.keys)]
    missing: tuple[Unmatched, ...] = ()
    other_sides: tuple[Unmatched, ...] = ()
    if None in registers:
        missing, other_sides = _without_output(producer, consumer, mapping, registers)
    if theirs.has_primitives:
        rows = tuple(
            [_row(slot, item, register, register in producer.per_primitive) for slot, (item, register) in _each(consumer, registers)]
        )
    else:
        try:
            rows = tuple([known[register] for known, register in zip(ours.rows, registers)])
        except KeyError:
            for slot, (item, register) in _each(consumer, registers):
                if register not in ours.rows[slot]:
                    ours.rows[slot].setdefault(register, _row(slot, item, register, False))
            rows = tuple([known[register] for known, register in zip(ours.rows, registers)])
    read = {*registers}
    return LinkTable(
        profile=profile,
        rows=rows,
        slots=len(rows),
        specials=ours.specials,
        dead_outputs=tuple([output for output in theirs.mortal if output.output_register not in read]),
        unmatched_inputs=missing,
        implicit=ours.implicit,
        other_sides=other_sides,
        **theirs.named,
    )


@record
class _Feeding:
    """The part of a link table that the consumer alone decides. rows: known rows of each input, by the register that feeds it."""

    keys: tuple[int, ...]
    rows: tuple[dict[int | None, Relocation], ...]
    specials: tuple[Special, ...]
    implicit: tuple[Unmatched, ...]


@record
class _Fed:
    """The part of a link table that the producer alone decides. named: fields of the table. mortal: outputs that are dead unless read."""

    named: dict[str, Any]
    mortal: tuple[DeadOutput, ...]
    has_primitives: bool


def _feeding(consumer: Interface) -> _Feeding:
    found = _Feeding(
        tuple(item.key for item in consumer.varyings),
        tuple({} for _ in consumer.varyings),
        tuple(Special(item.semantic, item.register, item.usage_mask, item.location) for item in consumer.specials),
        tuple(Unmatched(i.semantic, i.register, (), i.span) for i in consumer.implicit),
    )
    consumer.parts["feeding"] = found
    return found


def _fed(producer: Interface) -> _Fed:
    outputs = producer.by_semantic
    clip = [outputs.get(semantic) for semantic in _CLIP_DISTANCE]
    while clip and clip[-1] is None:
        clip.pop()
    named: dict[str, Any] = {field: outputs.get(Semantic(name)) for field, name in NAMED_OUTPUTS}
    named["clip_distance"] = tuple(clip)
    named["back"] = {semantic.index: outputs[semantic] for semantic in _BACK if semantic in outputs}
    mortal = [o for o in producer.outputs if o.semantic.name not in RASTERIZER_OUTPUTS]
    found = _Fed(named, tuple(DeadOutput(o.semantic, o.register, o.span) for o in mortal), bool(producer.per_primitive))
    producer.parts["fed"] = found
    return found


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


def _without_output(
    producer: Interface, consumer: Interface, mapping: Mapping[Semantic, Semantic], registers: list[int | None]
) -> tuple[tuple[Unmatched, ...], tuple[Unmatched, ...]]:
    """The inputs that nothing feeds, and those that the color of the other side feeds, whose registers are filled in."""
    missing, other_sides = list[Unmatched](), list[Unmatched]()
    for slot, (item, register) in _each(consumer, registers):
        if register is not None:
            continue
        wanted = mapping.get(item.semantic, item.semantic)
        if wanted.name in _OTHER_SIDE:
            registers[slot] = producer.by_semantic.get(Semantic(_OTHER_SIDE[wanted.name], wanted.index))
        if registers[slot] is not None:
            other_sides.append(Unmatched(item.semantic, item.register, (), item.span))
        else:
            missing.append(Unmatched(item.semantic, item.register, nearest(wanted, producer.outputs), item.span))
    return tuple(missing), tuple(other_sides)


def nearest(semantic: Semantic, outputs: tuple[Output, ...]) -> tuple[Semantic, ...]:
    """Up to two outputs that may have been meant.

    Outputs of the same name come first, by nearest index; then one of GENERIC or TEXCOORD for the other; then those of a similar name.
    """
    candidates = [output.semantic for output in outputs if output.semantic.name not in RASTERIZER_OUTPUTS]
    same = sorted((c for c in candidates if c.name == semantic.name), key=lambda c: (abs(c.index - semantic.index), c.index))
    if same:
        return tuple(same[:2])
    partner = {"GENERIC": "TEXCOORD", "TEXCOORD": "GENERIC"}.get(semantic.name)
    found = [c for c in candidates if c.name == partner and c.index == semantic.index]
    names = get_close_matches(semantic.name, {c.name for c in candidates}, 1)
    return tuple(found or sorted(c for c in candidates if c.name in names))[:2]


def check_registers(producer: Program, consumer: Program) -> None:
    """Raise LinkError if two outputs carry one semantic, or one register carries two."""
    faults = Diagnostics()
    note_duplicates(faults, interface_of(producer))
    note_torn(faults, File.OUT, interface_of(producer).torn_outputs)
    note_torn(faults, File.IN, interface_of(consumer).torn_inputs)
    faults.raise_if_errors(LinkError)


def note_torn(found: Diagnostics, file: File, torn: tuple[tuple[Output, Output], ...]) -> None:
    """Add an error (K007) for each register of a file that carries two semantics."""
    for first, second in torn:
        labels = [Label(span, text) for span, text in ((second.span, "again here"), (first.span, "first here")) if span is not None]
        message = f"{file.name}[{first.register}] carries {first.semantic} and {second.semantic}; a link moves whole registers"
        found.error("K007", message, *labels, hint="give each of them a register of its own")


def note_duplicates(found: Diagnostics, producer: Interface) -> None:
    """Add an error (K003) for each semantic that two outputs of a program carry."""
    for first, second in producer.duplicates:
        labels = [Label(span, text) for span, text in ((second.span, "again here"), (first.span, "first here")) if span is not None]
        message = f"OUT[{first.register}] and OUT[{second.register}] both carry {first.semantic}"
        found.error("K003", message, *labels, hint="give one of them another semantic index")
