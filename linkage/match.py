"""Linking: semantics of a fragment program's inputs against those of the stage before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from linkage.options import DEFAULT, IDENTITY, LinkOptions, LinkState
from linkage.table import DeadOutput, LinkTable, Relocation, Special, Unmatched
from linkage.usage import Interface, Output, interface_of, key_of
from tgsi.language.diagnostics import Diagnostics, Label, LinkError
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Program

if TYPE_CHECKING:
    from linkage.device import Profile

PRODUCERS = (Processor.VERT, Processor.TESS_EVAL, Processor.GEOM)
"""Stages that may stand before the fragment stage."""

RASTERIZER_OUTPUTS = frozenset({"POSITION", "PSIZE", "BCOLOR", "EDGEFLAG", "CLIPDIST", "CLIPVERTEX", "LAYER", "VIEWPORT_INDEX", "PRIM_ID"})
"""Outputs that are read even where no fragment input names them."""

_POSITION = Semantic("POSITION")
_POINT_SIZE = Semantic("PSIZE")
_LAYER = Semantic("LAYER")
_VIEWPORT = Semantic("VIEWPORT_INDEX")
_EDGE_FLAG = Semantic("EDGEFLAG")
_CLIP_VERTEX = Semantic("CLIPVERTEX")
_CLIP_DISTANCE = (Semantic("CLIPDIST", 0), Semantic("CLIPDIST", 1))
_BACK = (Semantic("BCOLOR", 0), Semantic("BCOLOR", 1))


def link(
    vertex: Program,
    fragment: Program,
    profile: str = "software",
    *,
    unmatched: str = "fill",
    state: LinkState = IDENTITY,
    options: LinkOptions = DEFAULT,
) -> LinkTable:
    """Say where each input of a fragment program comes from.

    Inputs that no instruction reads get no row. Cost: O(inputs + outputs), after one walk over each program.

    Args:
        vertex: the last program before the rasterizer (VERT, TESS_EVAL or GEOM).
        fragment: a FRAG program.
        profile: the scheme of a device; `linkage.profiles.PROFILES` names them. `LinkTable.device` is what that device would get.
        unmatched: what to do with inputs that no output feeds: "fill" reads 0, 0, 0, 1; "error" raises.
        state: a linkage other than the identity.
        options: rasterizer state that devices fold into their tables.

    Raises:
        LinkError: a program is of the wrong stage, two outputs carry one semantic, an input is unmatched and may not be, or the
            device cannot link the pair.
        ValueError: there is no such profile, or `unmatched` is neither of its words.

    Source: the linkage proposal of 2010; reference/linkage.md.
    """
    device = None if profile == "software" else _profile(profile)
    if unmatched not in ("fill", "error"):
        raise ValueError(f"unmatched: 'fill' or 'error' is wanted, not {unmatched!r}")
    producer, consumer = interface_of(vertex), interface_of(fragment)
    if vertex.processor not in PRODUCERS or fragment.processor is not Processor.FRAG or producer.duplicates:
        raise LinkError(_faults(vertex, fragment, producer).sorted())
    table = join(profile, producer, consumer, state.mapping)
    if unmatched == "error" and table.unmatched_inputs:
        raise LinkError(_unmatched(table).sorted())
    return table if device is None else replace(table, device=device.link(vertex, fragment, table, options))


def _profile(name: str) -> Profile:
    from linkage.profiles import PROFILES  # profiles use this module

    if name not in PROFILES:
        raise ValueError(f"profile: {name!r} is not known; there are: {', '.join(PROFILES)}")
    return PROFILES[name]


def join(profile: str, producer: Interface, consumer: Interface, mapping: Mapping[Semantic, Semantic]) -> LinkTable:
    """Match two interfaces, whatever their stages. O(inputs + outputs)."""
    outputs = producer.by_semantic
    rows: list[Relocation] = []
    missing: list[Unmatched] = []
    by_key = producer.by_key
    for slot, item in enumerate(consumer.varyings):
        semantic = wanted = item.semantic
        if mapping and semantic in mapping:
            wanted = mapping[semantic]
            register = by_key.get(key_of(wanted))
        else:
            register = by_key.get(item.key)
        if register is None:
            if wanted.name == "COLOR":
                register = outputs.get(Semantic("BCOLOR", wanted.index))
            elif wanted.name == "BCOLOR":
                register = outputs.get(Semantic("COLOR", wanted.index))
            if register is None:
                missing.append(Unmatched(semantic, item.register, nearest(wanted, producer.outputs), item.span))
        rows.append(Relocation(semantic, item.register, register, item.usage_mask, item.interpolation, item.location, slot))
    read = {row.output_register for row in rows}
    clip = [outputs.get(semantic) for semantic in _CLIP_DISTANCE]
    while clip and clip[-1] is None:
        clip.pop()
    return LinkTable(
        profile,
        tuple(rows),
        len(rows),
        tuple(Special(item.semantic, item.register, item.usage_mask, item.location) for item in consumer.specials),
        outputs.get(_POSITION),
        outputs.get(_POINT_SIZE),
        outputs.get(_LAYER),
        outputs.get(_VIEWPORT),
        outputs.get(_EDGE_FLAG),
        outputs.get(_CLIP_VERTEX),
        tuple(clip),
        {semantic.index: outputs[semantic] for semantic in _BACK if semantic in outputs},
        tuple(
            DeadOutput(output.semantic, output.register, output.span)
            for output in producer.outputs
            if output.register not in read and output.semantic.name not in RASTERIZER_OUTPUTS
        ),
        tuple(missing),
        tuple(Unmatched(i.semantic, i.register, (), i.span) for i in consumer.varyings if i.is_implicit and i.semantic.name != "COLOR"),
    )


def nearest(semantic: Semantic, outputs: tuple[Output, ...]) -> tuple[Semantic, ...]:
    """Up to two outputs that may have been meant: of the same name by nearest index, else of a similar or an exchangeable name."""
    candidates = [output.semantic for output in outputs if output.semantic.name not in RASTERIZER_OUTPUTS]
    same = sorted((c for c in candidates if c.name == semantic.name), key=lambda c: (abs(c.index - semantic.index), c.index))
    if same:
        return tuple(same[:2])
    partner = {"GENERIC": "TEXCOORD", "TEXCOORD": "GENERIC"}.get(semantic.name)
    found = [c for c in candidates if c.name == partner and c.index == semantic.index]
    names = get_close_matches(semantic.name, {c.name for c in candidates}, 1)
    return tuple(found or sorted(c for c in candidates if c.name in names))[:2]


def check_outputs(producer: Program) -> None:
    """LinkError where two outputs of a program carry one semantic."""
    faults = Diagnostics()
    _duplicates(faults, interface_of(producer))
    faults.raise_if_errors(LinkError)


def _faults(vertex: Program, fragment: Program, producer: Interface) -> Diagnostics:
    found = Diagnostics()
    if vertex.processor not in PRODUCERS:
        hint = "the vertex program comes first" if fragment.processor in PRODUCERS else ""
        found.error("K001", f"a {vertex.processor.name} program cannot stand before the rasterizer", hint=hint)
    if fragment.processor is not Processor.FRAG:
        found.error("K002", f"a {fragment.processor.name} program cannot be the fragment stage")
    _duplicates(found, producer)
    return found


def _duplicates(found: Diagnostics, producer: Interface) -> None:
    for first, second in producer.duplicates:
        labels = [Label(span, text) for span, text in ((second.span, "again here"), (first.span, "first here")) if span is not None]
        message = f"OUT[{first.register}] and OUT[{second.register}] both carry {first.semantic}"
        found.error("K003", message, *labels, hint="give one of them another semantic index")


def _unmatched(table: LinkTable) -> Diagnostics:
    found = Diagnostics()
    for item in table.unmatched_inputs:
        labels = (Label(item.span, "no output feeds this"),) if item.span is not None else ()
        hint = f"did you mean {' or '.join(str(n) for n in item.nearest)}?" if item.nearest else ""
        found.error("K004", f"no output of the vertex program carries {item.semantic}", *labels, hint=hint)
    return found
