"""Linking of a fragment program with the previous stage, in the scheme of a device's profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkage.legality import check_together
from linkage.match import check_registers, join
from linkage.options import DEFAULT, IDENTITY, LinkOptions, LinkState
from linkage.profiles import PROFILES
from linkage.table import LinkTable, set_field
from linkage.unwritten import gaps_of
from linkage.usage import interface_of
from passes.validate.semantics import SemanticLimits
from tgsi.language.diagnostics import Diagnostics, Label, LinkError
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import LAST_STAGES
from tgsi.language.program import Program

if TYPE_CHECKING:
    from linkage.device import Profile  # loaded with the first profile; draws link without one


def link(
    vertex: Program,
    fragment: Program,
    profile: str = "software",
    *,
    unmatched: str = "fill",
    state: LinkState = IDENTITY,
    options: LinkOptions = DEFAULT,
    limits: SemanticLimits | None = None,
) -> LinkTable:
    """Link a fragment program with the stage before the rasterizer: the origin of each of its inputs.

    Inputs that no instruction reads get no row. Cost: O(inputs + outputs), after one walk over each program.

    Args:
        vertex: the last program before the rasterizer (VERT, TESS_EVAL, GEOM or MESH).
        fragment: a FRAG program.
        profile: the scheme of a device; `linkage.profiles.PROFILES` names them. `LinkTable.device` holds the tables of that device.
        unmatched: treatment of inputs that no output feeds: "fill" reads 0, 0, 0, 1; "error" raises.
        state: a linkage other than the identity.
        options: rasterizer state that devices fold into their tables.
        limits: the limit set for both programs, by default that of the profile.

    Raises:
        LinkError: a program is of the wrong stage, a semantic breaks a rule of the limit set, two outputs carry one semantic, an input is
            unmatched under "error", or the device cannot link the pair.
        ValueError: there is no such profile, or `unmatched` is neither of its words.

    Source: the linkage proposal of 2010; docs/linkage.md.
    """
    check_together(find_profile(profile).semantic_limits if limits is None else limits, vertex, fragment)
    return connect(vertex, fragment, profile, unmatched=unmatched, state=state, options=options)


def connect(
    vertex: Program,
    fragment: Program,
    profile: str = "software",
    *,
    unmatched: str = "fill",
    state: LinkState = IDENTITY,
    options: LinkOptions = DEFAULT,
) -> LinkTable:
    """Link a pair without a check of limits: a draw takes all programs that its screen accepted. Everything else is as in `link`."""
    device = None if profile == "software" else find_profile(profile)
    if unmatched not in ("fill", "error"):
        raise ValueError(f"unmatched: expected 'fill' or 'error', not {unmatched!r}")
    producer, consumer = interface_of(vertex), interface_of(fragment)
    if vertex.processor not in LAST_STAGES or fragment.processor is not Processor.FRAG or producer.is_faulty or consumer.torn_inputs:
        _check_stages(vertex, fragment)
        check_registers(vertex, fragment)
    if vertex.interface is not None and fragment.interface is not None:
        from linkage.types import check_types  # loaded only for programs of other languages than TGSI

        check_types(vertex, fragment)
    table = join(profile, producer, consumer, state.mapping, gaps_of(vertex))
    if unmatched == "error" and table.unmatched_inputs:
        raise LinkError(_unmatched(table).sorted())
    if vertex.interface is not None or fragment.interface is not None:
        from linkage.text import names_of

        set_field(table, "names", names_of(vertex, fragment))
    if device is not None:
        from linkage.scheme import link_pair  # draws link without a device

        set_field(table, "device", link_pair(device, vertex, fragment, table, options, is_mapped=bool(state.mapping)))
    return table


def find_profile(name: str) -> Profile:
    """The profile of a name. ValueError if it does not exist."""
    if name not in PROFILES:
        raise ValueError(f"profile: {name!r} is not known; there are: {', '.join(PROFILES)}")
    return PROFILES[name]


def _check_stages(vertex: Program, fragment: Program) -> None:
    findings = Diagnostics()
    if vertex.processor not in LAST_STAGES:
        hint = "the vertex program comes first" if fragment.processor in LAST_STAGES else ""
        findings.error("K001", f"a {vertex.processor.name} program cannot precede the rasterizer", hint=hint)
    if fragment.processor is not Processor.FRAG:
        findings.error("K002", f"a {fragment.processor.name} program cannot be the fragment stage")
    findings.raise_if_errors(LinkError)


def _unmatched(table: LinkTable) -> Diagnostics:
    findings = Diagnostics()
    for item in table.unmatched_inputs:
        labels = (Label(item.span, "no output feeds this"),) if item.span is not None else ()
        hint = f"did you mean {' or '.join(str(n) for n in item.nearest)}?" if item.nearest else ""
        findings.error("K004", f"no output of the vertex program carries {item.semantic}", *labels, hint=hint)
    return findings
