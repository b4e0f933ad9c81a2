"""Outputs that the next stage or the rasterizer reads although they are unwritten, entirely, in part, or on some paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from linkage.rows import Unwritten
from linkage.table import NAMED_OUTPUTS, LinkTable
from linkage.usage import Interface, interface_of
from passes.analysis import facts
from passes.analysis.outputs import written_outputs
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import XYZW
from tgsi.language.program import Program
from tgsi.language.record import record

_WHOLE = frozenset({"position", "clip_vertex"})
"""Outputs whose channels the rasterizer reads all; of the others in `NAMED_OUTPUTS` it reads x."""


@record
class Gaps:
    """Incompletely written output registers: the channels that are never written, and those that are written on some paths only.

    `distances` is the number of clip and cull distances that the rasterizer reads.
    """

    registers: Mapping[int, tuple[int, int]]
    distances: int


NO_GAPS = Gaps({}, 8)


def gaps_of(program: Program) -> Gaps:
    """The gaps of a program, computed once. Most programs have none."""
    return facts.of(program, _gaps)


def _gaps(program: Program) -> Gaps:
    written = written_outputs(program)
    gaps = {}
    for output in interface_of(program).outputs:
        always, ever = (masks.get(output.register, 0) for masks in (written.always, written.ever))
        if always != XYZW:
            gaps[output.register] = XYZW & ~ever, ever & ~always
    return Gaps(gaps, program.property("NUM_CLIPDIST_ENABLED") + program.property("NUM_CULLDIST_ENABLED") or 8)


def unwritten(gaps: Gaps, producer: Interface, table: LinkTable, consumer: Interface, *, rasterized: bool) -> tuple[Unwritten, ...]:
    """Reads of a table's outputs that may be unwritten. `rasterized`: the rasterizer is a reader, too."""
    if not gaps.registers:
        return ()
    spans = {output.register: output.span for output in producer.outputs}
    inputs = {item.register: item.span for item in consumer.varyings}
    reads = []
    for semantic, register, reader, mask in _reads(table, gaps.distances, rasterized):
        never, sometimes = gaps.registers.get(register, (0, 0))
        if mask & (never | sometimes):
            places = (spans[register], None if reader is None else inputs[reader])
            reads.append(Unwritten(semantic, register, reader, mask & never, mask & sometimes, tuple(s for s in places if s is not None)))
    return tuple(reads)


def _reads(table: LinkTable, distances: int, rasterized: bool) -> Iterator[tuple[Semantic, int, int | None, int]]:
    """The semantic, output register, input register and channels of every read."""
    for row in table.rows:
        if row.output_register is not None:
            yield row.semantic, row.output_register, row.input_register, row.usage_mask
            behind = table.back_register(row)
            if rasterized and behind is not None and behind != row.output_register:
                yield Semantic("BCOLOR", row.semantic.index), behind, row.input_register, row.usage_mask
    if not rasterized:
        return
    for field, name in NAMED_OUTPUTS:
        register = getattr(table, field)
        if register is not None:
            yield Semantic(name), register, None, XYZW if field in _WHOLE else 1
    for index, register in enumerate(table.clip_distance):
        mask = (1 << max(0, min(distances - 4 * index, 4))) - 1
        if register is not None and mask:
            yield Semantic("CLIPDIST", index), register, None, mask
