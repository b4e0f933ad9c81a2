"""A draw with more stages or stream output that generated code can repeat."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from backends.geometry.records import OutputRecord, RunRecord, VertexRecord
from backends.geometry.shaded import Stage, Worker
from backends.llvm.engine.engine import Library
from backends.raster.draw.packet import Packet
from backends.raster.draw.topology import Topology
from tgsi.language.facts.enums import Processor
from tgsi.language.record import record

if TYPE_CHECKING:  # a first draw does not load the code of stages
    from backends.geometry.stages import VertexStage
    from backends.geometry.stream_output import StreamOutputWriter


@record(kw_only=True)
class Repeat:
    """One draw.

    Attributes:
        input: the packet of the vertex stage; its record is valid until the next flush.
        stored: the packet of the primitives that leave the last stage; its record is valid until the next flush. None: nothing is drawn.
        topology: of the input primitives.
        first, stages: the stages. Each one after the first comes with its place in STAGE_KINDS.
        output: the stream output, or None.
        follows: a plain draw of the same primitives follows.
        counts_input: no plain draw follows to count the input. most: most input primitives of a repetition. chunk: input primitives that go
        through the stages together.
        kept: libraries of all kernels.
        has_loops: a program has loops, so the draw may take long.
    """

    input: Packet
    stored: Packet | None
    topology: Topology
    first: VertexStage
    stages: Sequence[tuple[int, Stage]]
    output: StreamOutputWriter | None
    follows: bool
    counts_input: bool
    most: int
    chunk: int
    kept: list[Library]
    has_loops: bool

    def place(self, run: RunRecord, worker: Worker) -> tuple[Mapping[int, int], list[Any]]:
        """Fill in a record for chunks of up to `chunk` primitives, with memory of a worker.

        Returns the addresses of the pointers to the stages' ShaderEnvs, by stage, and the objects that must live as long as the record.
        """
        held: list[Any] = [*self.kept]

        def provide(name: str, size: int) -> int:
            address = worker.provide(name, size)
            held.append(worker.scratch[name])
            return address

        first, vertex = self.first, self.first.place(provide, self.chunk)
        run.vertex, run.counts_input, run.num_steps = vertex, self.counts_input, len(self.stages)
        run.assemble, run.shade = first.kernels
        if self.stored is None or self.stages:
            run.vertices = provide("input vertices", first.vertex_bytes(self.chunk))
        run.hands[0].size, run.hands[0].rows = 16 * first.registers, first.rows
        environments = {int(Processor.VERT): ctypes.addressof(run) + RunRecord.vertex.offset + VertexRecord.env.offset}
        for number, (kind, stage) in enumerate(self.stages):
            step, own = stage.step(provide, self.chunk), run.steps[number]
            own.kind, own.record, run.hands[number + 1] = kind, ctypes.addressof(step.record), step.hand
            if self.stored is None or number + 1 < len(self.stages):
                own.vertices = provide(f"vertices of step {number}", step.vertex_bytes)
            environments |= step.environments
            held += [step.record, *step.kept]
        if self.output is not None:
            records = self.output.records
            outputs = (OutputRecord * len(records))(*records.values())
            run.outputs, run.num_outputs, run.output = ctypes.addressof(outputs), len(records), self.output.address
            run.output_stream[: len(records)] = list(records)
            held.append(outputs)
        return environments, held


def libraries(held: Iterable[Any]) -> Iterator[Library]:
    """The libraries among kept objects and lists of them."""
    for thing in held:
        if isinstance(thing, Library):
            yield thing
        elif isinstance(thing, list):
            yield from libraries(thing)
