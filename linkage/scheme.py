"""Links in the scheme of a device: plain pairs are composed of cached parts, all others are made by the profile's `build`.

A pair is plain if a vertex program feeds the fragment program without a link state, without two-sided light, point coordinates or flat
shading, and no color stands in for the one of the other side. A profile takes such pairs apart: `outputs` and `inputs` compute, once a
program, all that this program decides, and `words` joins the two. Each returns None where the pair needs the profile's `build`, which is
the definition: it makes every link that is not plain, every error, and the texts of plain links when somebody reads them.
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
    """Link a pair in a device's scheme. `is_mapped`: a link state was at work in the table.

    Raises:
        LinkError: the device cannot link the pair; each reason is a finding.
    """
    if profile.plain is not None and not is_mapped and vertex.processor is Processor.VERT and (options is DEFAULT or options == DEFAULT):
        made = _link_plain(profile, profile.plain, vertex, fragment, table)
        if made is not None:
            return made
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
    """Link a pair if it is plain, otherwise return None. `table` is one without a link state, under default options."""
    producer, consumer = interface_of(vertex), interface_of(fragment)
    name, registers = profile.name, registers_of(table)
    try:
        theirs, ours = producer.parts[name], consumer.parts[name]
    except KeyError:
        theirs, ours = _sides(profile, plain, vertex, fragment, table)
    if theirs is None or ours is None or not is_own_color(producer, consumer, registers):
        return None
    found = plain.words(theirs, ours, registers)
    return None if found is None else open_link(name, *found, _explain, profile, producer, consumer)


def _sides(profile: Profile, plain: Plain, vertex: Program, fragment: Program, table: LinkTable) -> tuple[Any, Any]:
    """The parts that each program decides, computed once for each program and profile; None for one whose pairs are not plain."""
    found = []
    for is_fragment, make in enumerate((plain.outputs, plain.inputs)):
        job = Job(profile, vertex, fragment, table, DEFAULT)
        parts = (job.consumer if is_fragment else job.producer).parts
        if profile.name not in parts:
            try:
                if is_fragment:
                    check_features(job)
                made = make(job)
            except LinkError:  # `build` raises it
                made = None
            parts[profile.name] = None if job.found.has_errors else made
        found.append(parts[profile.name])
    return found[0], found[1]


def _explain(profile: Profile, producer: Interface, consumer: Interface) -> DeviceLink:
    """A plain link with its texts. All facts of the programs that `build` uses are in the parts of their interfaces."""
    job = Job(profile, None, None, join(profile.name, producer, consumer, {}), DEFAULT, (producer, consumer))
    profile.build(job)
    return job.done()
