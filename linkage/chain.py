"""Chains of stages: vertex, tessellation, geometry and fragment programs link pairwise, and so do task, mesh and fragment programs.

The links of separate programs are cached.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from dataclasses import replace
from itertools import pairwise

from linkage.legality import check_together
from linkage.link import connect, find_profile, link
from linkage.match import check_registers, join
from linkage.options import DEFAULT, IDENTITY, LinkOptions, LinkState
from linkage.table import LinkTable
from linkage.unwritten import gaps_of, unwritten
from linkage.usage import interface_of
from passes.validate.semantics import SOFTWARE, SemanticLimits
from tgsi.language.diagnostics import Diagnostic, LinkError, Severity
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.limits import MAX_TASK_SHARED
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import MESH_PIPELINE, PIPELINE, STAGES
from tgsi.language.program import Program

_TESSELLATOR = frozenset({"TESSOUTER", "TESSINNER"})
"""Outputs of a tessellation control program that the tessellator reads."""

_PRIMITIVE = Semantic("PRIM_ID")
"""Input with the number of the primitive, independent of the previous stage's outputs."""


def link_stages(producer: Program, consumer: Program, *, state: LinkState = IDENTITY, limits: SemanticLimits | None = None) -> LinkTable:
    """Link two neighboring stages of a chain; before a fragment program this is `linkage.link`.

    Between other stages nothing is interpolated, POSITION is a varying like any other, and patch constants link by PATCH[k]. A task passes
    its payload to the mesh program, which has no inputs, so their table has no rows.

    Raises:
        LinkError: the stages are not neighbors, a semantic breaks a rule of the limit set (by default that of the profile `software`), two
            outputs carry one semantic, or the memory of a mesh workgroup and the payload of its task are too large together.
    """
    check_neighbors(producer, consumer)
    check_together(SOFTWARE if limits is None else limits, producer, consumer)
    return connect_stages(producer, consumer, state=state)


def connect_stages(producer: Program, consumer: Program, *, state: LinkState = IDENTITY) -> LinkTable:
    """The table of two neighboring stages without a check of limits: a draw takes all programs that its screen accepted.

    Errors as `link_stages`.
    """
    check_neighbors(producer, consumer)
    if consumer.processor is Processor.FRAG:
        return connect(producer, consumer, state=state)
    check_registers(producer, consumer)
    if producer.interface is not None and consumer.interface is not None:
        from linkage.types import check_types  # loaded only for programs of other languages than TGSI

        check_types(producer, consumer)
    if STAGES[producer.processor].is_mesh:
        _check_memory(producer, consumer)
    table = join("software", interface_of(producer), interface_of(consumer), state.mapping)
    # Outputs that only the rasterizer would read are dead here, unless the next stage reads them. Interpolation is ignored.
    dead = tuple(item for item in table.dead_outputs if item.semantic.name not in _TESSELLATOR)
    reads = unwritten(gaps_of(producer), interface_of(producer), table, interface_of(consumer), rasterized=False)
    missing = tuple(item for item in table.unmatched_inputs if item.semantic != _PRIMITIVE)
    return replace(table, rasterized=False, dead_outputs=dead, implicit=(), unwritten=reads, unmatched_inputs=missing)


def link_chain(
    *programs: Program,
    profile: str = "software",
    unmatched: str = "fill",
    state: LinkState = IDENTITY,
    options: LinkOptions = DEFAULT,
    limits: SemanticLimits | None = None,
) -> tuple[LinkTable, ...]:
    """Link a chain such as (vs, tcs, tes, gs, fs): one table for each pair of neighbors.

    All other arguments are as for `linkage.link`, and apply to the pair with the fragment program. Of the devices, nv50 has a table for
    the pair with a geometry program, too; all other tables before the rasterizer are from the software profile.

    All programs are checked together, against `limits` or the profile's own set.

    Raises:
        LinkError: stages are in the wrong order, a semantic breaks a rule of the limit set, two outputs of one program carry one semantic,
            or the device cannot link a pair.
        ValueError: there are fewer than two programs, or the profile does not exist.
    """
    if len(programs) < 2:
        raise ValueError(f"programs: expected at least two, not {len(programs)}")
    chosen = find_profile(profile).semantic_limits if limits is None else limits
    for producer, consumer in pairwise(programs):
        check_neighbors(producer, consumer)
    check_together(chosen, *programs)
    tables = []
    for producer, consumer in pairwise(programs):
        if consumer.processor is Processor.FRAG:
            tables.append(link(producer, consumer, profile, unmatched=unmatched, state=state, options=options, limits=chosen))
        else:
            tables.append(_between(connect_stages(producer, consumer), producer, consumer, profile, options))
    return tuple(tables)


def _between(table: LinkTable, producer: Program, consumer: Program, profile: str, options: LinkOptions) -> LinkTable:
    """The table of two stages before the rasterizer, with the device's table if it has one."""
    if profile == "software":
        return table
    from linkage.scheme import link_between

    device = link_between(find_profile(profile), producer, consumer, table, options)
    return table if device is None else replace(table, profile=profile, device=device)


def check_neighbors(producer: Program, consumer: Program) -> None:
    """Raise LinkError unless `consumer` may directly follow `producer`."""
    first, second = producer.processor, consumer.processor
    is_order = any(
        first in stages and second in stages and stages.index(first) < stages.index(second) for stages in (PIPELINE, MESH_PIPELINE)
    )
    if not is_order or STAGES[first].needs not in (None, second):
        text = f"a {second.name} program cannot follow a {first.name} program"
        raise LinkError((Diagnostic("K005", Severity.ERROR, text, (), _order()),))


def _check_memory(task: Program, mesh: Program) -> None:
    payload, shared = task.property("TS_PAYLOAD_BYTES"), mesh.property("MS_SHARED_BYTES")
    if payload + shared > MAX_TASK_SHARED:
        text = f"the payload of {payload} bytes and {shared} bytes of shared memory are more than {MAX_TASK_SHARED} together"
        raise LinkError((Diagnostic("K006", Severity.ERROR, text, (), "lower TS_PAYLOAD_BYTES or MS_SHARED_BYTES"),))


def _order() -> str:
    """The order of the stages, for message K005."""
    orders = " or ".join(", ".join(stage.name for stage in stages) for stages in (PIPELINE, MESH_PIPELINE))
    pairs = [f"{row.processor.name} stands right before {row.needs.name}" for row in STAGES.values() if row.needs is not None]
    return ", and ".join([f"the order is {orders}", *pairs])


class PairCache:
    """Cache of links between separate programs, one for each requested pair. The least recently used pair is evicted first.

    Programs are compared by identity; the cache does not keep them alive.
    """

    def __init__(self, profile: str = "software", *, size: int = 1024) -> None:
        """`size` bounds the number of pairs."""
        if size < 1:
            raise ValueError(f"size: expected at least 1, not {size}")
        self.profile, self.size = profile, size
        self.hits = self.misses = 0
        self._pairs: OrderedDict[tuple[int, int, LinkState], tuple[weakref.ref[Program], weakref.ref[Program], LinkTable]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pairs)

    def link(self, vertex: Program, fragment: Program, *, state: LinkState = IDENTITY) -> LinkTable:
        """The table of a pair. Raises the errors of `linkage.link`; they are not cached."""
        key = id(vertex), id(fragment), state
        known = self._pairs.get(key)
        if known is not None and known[0]() is vertex and known[1]() is fragment:
            self.hits += 1
            self._pairs.move_to_end(key)
            return known[2]
        self.misses += 1
        table = link(vertex, fragment, self.profile, state=state)
        self._pairs[key] = weakref.ref(vertex), weakref.ref(fragment), table
        if len(self._pairs) > self.size:
            self._pairs.popitem(last=False)
        return table

    def clear(self) -> None:
        """Forget every pair."""
        self._pairs.clear()
