"""Matching: the semantics of one program's inputs against those of the outputs of the stage before it."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from linkage.rows import DeadOutput, Relocation, Special, Unmatched
from linkage.table import LinkTable
from linkage.usage import Interface, Output, interface_of, key_of
from tgsi.language.diagnostics import Diagnostics, Label, LinkError
from tgsi.language.facts.enums import File, Interpolation
from tgsi.language.facts.semantics import PRIMITIVE_SEMANTICS, Semantic
from tgsi.language.program import Program

_FIXED_OUTPUTS = frozenset({"POSITION", "PSIZE", "BCOLOR", "EDGEFLAG", "CLIPDIST", "CLIPVERTEX"})
RASTERIZER_OUTPUTS = _FIXED_OUTPUTS | PRIMITIVE_SEMANTICS
"""Outputs that the rasterizer reads, so that they are not dead without a fragment input."""

_POSITION = Semantic("POSITION")
_POINT_SIZE = Semantic("PSIZE")
_LAYER = Semantic("LAYER")
_VIEWPORT = Semantic("VIEWPORT_INDEX")
_EDGE_FLAG = Semantic("EDGEFLAG")
_CLIP_VERTEX = Semantic("CLIPVERTEX")
_CLIP_DISTANCE = (Semantic("CLIPDIST", 0), Semantic("CLIPDIST", 1))
_OTHER_SIDE = {"COLOR": "BCOLOR", "BCOLOR": "COLOR"}
_BACK = (Semantic("BCOLOR", 0), Semantic("BCOLOR", 1))


def join(profile: str, producer: Interface, consumer: Interface, mapping: Mapping[Semantic, Semantic]) -> LinkTable:
    """Match two interfaces, whatever their stages. O(inputs + outputs)."""
    outputs = producer.by_semantic
    rows: list[Relocation] = []
    missing: list[Unmatched] = []
    other_sides: list[Unmatched] = []
    by_key, per_primitive = producer.by_key, producer.per_primitive
    for slot, item in enumerate(consumer.varyings):
        semantic = wanted = item.semantic
        if mapping and semantic in mapping:
            wanted = mapping[semantic]
            register = by_key.get(key_of(wanted))
        else:
            register = by_key.get(item.key)
        if register is None:
            if wanted.name in _OTHER_SIDE:
                register = outputs.get(Semantic(_OTHER_SIDE[wanted.name], wanted.index))
            if register is not None:
                other_sides.append(Unmatched(semantic, item.register, (), item.span))
            else:
                missing.append(Unmatched(semantic, item.register, nearest(wanted, producer.outputs), item.span))
        once = register in per_primitive
        rows.append(
            Relocation(
                semantic=semantic,
                input_register=item.register,
                output_register=register,
                usage_mask=item.usage_mask,
                interpolation=Interpolation.CONSTANT if once else item.interpolation,
                location=item.location,
                slot=slot,
                per_primitive=once,
            )
        )
    read = {row.output_register for row in rows}
    clip = [outputs.get(semantic) for semantic in _CLIP_DISTANCE]
    while clip and clip[-1] is None:
        clip.pop()
    return LinkTable(
        profile=profile,
        rows=tuple(rows),
        slots=len(rows),
        specials=tuple(Special(item.semantic, item.register, item.usage_mask, item.location) for item in consumer.specials),
        position=outputs.get(_POSITION),
        point_size=outputs.get(_POINT_SIZE),
        layer=outputs.get(_LAYER),
        viewport=outputs.get(_VIEWPORT),
        edge_flag=outputs.get(_EDGE_FLAG),
        clip_vertex=outputs.get(_CLIP_VERTEX),
        clip_distance=tuple(clip),
        back={semantic.index: outputs[semantic] for semantic in _BACK if semantic in outputs},
        dead_outputs=tuple(
            DeadOutput(output.semantic, output.register, output.span)
            for output in producer.outputs
            if output.register not in read and output.semantic.name not in RASTERIZER_OUTPUTS
        ),
        unmatched_inputs=tuple(missing),
        implicit=tuple([Unmatched(i.semantic, i.register, (), i.span) for i in consumer.implicit]),
        other_sides=tuple(other_sides),
    )


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
