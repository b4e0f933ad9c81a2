"""Links in the scheme of a device: plain pairs are composed of cached parts, all others are built by the profile's `build`.

A pair is plain if a vertex program feeds the fragment program without a link state, without two-sided light, point coordinates or flat
shading, and no color replaces that of the other side. For such pairs `outputs` and `inputs` compute everything that depends on one program,
once for each program, and `words` combines both. Each returns None if the pair needs the profile's `build`, which is the definition: it
builds every link that is not plain, every error, and the texts of plain links on demand.
"""

from __future__ import annotations

from typing import Any

from linkage.checks import check_features, check_stages
from linkage.device import Job, Plain, Profile
from linkage.device_link import DeviceLink, open_link
from linkage.match import is_own_color, join, registers_of
from linkage.options import DEFAULT, LinkOptions
from linkage.table import LinkTable
from linkage.usage import Interface, interface_of
from tgsi.language.diagnostics import LinkError
from tgsi.language.facts.enums import Processor
from tgsi.language.program import Program


def link_pair(
    profile: Profile, vertex: Program, fragment: Program, table: LinkTable, options: LinkOptions, *, is_mapped: bool = False
) -> DeviceLink:
    """Link a pair in a device's scheme. `is_mapped`: a link state affects the table.

    Raises:
        LinkError: the device cannot link the pair; each reason is a finding.
    """
    if profile.plain is not None and not is_mapped and vertex.processor is Processor.VERT and (options is DEFAULT or options == DEFAULT):
        pair = _link_plain(profile, profile.plain, vertex, fragment, table)
        if pair is not None:
            return pair
    job = Job(profile, vertex, fragment, table, options)
    check_features(job)
    profile.build(job)
    return job.done()


def link_between(profile: Profile, producer: Program, consumer: Program, table: LinkTable, options: LinkOptions) -> DeviceLink | None:
    """Link two stages before the rasterizer in a device's scheme; None if it has no table for them. Errors as `link_pair`."""
    job = Job(profile, producer, consumer, table, options)
    check_stages(job, producer, consumer)
    if profile.build_between is None:
        return None
    profile.build_between(job)
    return job.done()


def _link_plain(profile: Profile, plain: Plain, vertex: Program, fragment: Program, table: LinkTable) -> DeviceLink | None:
    """Link a pair if it is plain, otherwise return None. `table` must be without a link state, with default options."""
    producer, consumer = interface_of(vertex), interface_of(fragment)
    name, registers = profile.name, registers_of(table)
    try:
        theirs, ours = producer.parts[name], consumer.parts[name]
    except KeyError:
        theirs, ours = _sides(profile, plain, vertex, fragment, table)
    if theirs is None or ours is None or not is_own_color(producer, consumer, registers):
        return None
    words = plain.words(theirs, ours, registers)
    return None if words is None else open_link(name, *words, _explain, profile, producer, consumer)


def _sides(profile: Profile, plain: Plain, vertex: Program, fragment: Program, table: LinkTable) -> tuple[Any, Any]:
    """The parts that depend on one program, computed once for each program and profile; None for a program whose pairs are not plain."""
    sides = []
    for is_fragment, make in enumerate((plain.outputs, plain.inputs)):
        job = Job(profile, vertex, fragment, table, DEFAULT)
        parts = (job.consumer if is_fragment else job.producer).parts
        if profile.name not in parts:
            try:
                if is_fragment:
                    check_features(job)
                side = make(job)
            except LinkError:  # `build` raises the error
                side = None
            parts[profile.name] = None if job.found.has_errors else side
        sides.append(parts[profile.name])
    return sides[0], sides[1]


def _explain(profile: Profile, producer: Interface, consumer: Interface) -> DeviceLink:
    """A plain link with its texts. All facts of the programs that `build` uses are in the parts of their interfaces."""
    job = Job(profile, None, None, join(profile.name, producer, consumer, {}), DEFAULT, (producer, consumer))
    profile.build(job)
    return job.done()
