"""The vertex and the geometry stage of a draw, which run one chunk of primitives at a time."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from backends.abi.limits import MAX_LANES
from backends.device.region import Region
from backends.geometry.geometry_shader import invocations_of
from backends.geometry.records import DEFAULT, PRIMITIVE, GeometryRecord, HandRecord, VertexRecord
from backends.geometry.shaded import KEPT_BYTES, Primitives, Provide, Shaded, Step, Worker
from backends.llvm.engine.engine import Entry, Library, entry_address
from backends.pipe.limits import MAX_ATTRIBUTES, MAX_PATCH_VERTICES, MAX_VERTEX_STREAMS
from backends.raster.draw.topology import Topology
from backends.raster.draw_record import Call, Draw
from backends.raster.layouts import CACHE_SLOTS, MAX_OUTPUTS, SYSTEM_VALUES
from backends.run.shapes import input_vertices, output_vertices
from linkage.chain import connect_stages
from passes.analysis import facts
from tgsi.language.facts.enums import File, Primitive, Processor
from tgsi.language.program import Program
from tgsi.language.record import record

_PIECE_BYTES = 1 << 18
"""Bytes of vertices for which generated code allocates at a time; more if a vector needs more."""
_OUT_ROWS = {Primitive.POINTS: 1, Primitive.LINES: 2, Primitive.LINE_STRIP: 2}


class VertexStage:
    """Input assembly and vertex shader."""

    def __init__(
        self,
        draw: Draw,
        call: bytes,
        topology: Topology,
        program: Program,
        lanes: int,
        entries: Sequence[Entry],
        *,
        environment: int,
        is_written_out: bool,
    ) -> None:
        """Make the stage.

        draw: the record with indices, attributes and shader; it must live as long as the stage. call: bytes of its Call. environment:
        address of the draw's ShaderEnv. is_written_out: the draw's indices name one corner after another, so the topology is already
        applied.
        """
        self._assemble, self._shade = entries
        self._lanes, self.rows, self.registers = lanes, len(topology.multiply), program.file_size(File.OUT)
        r = self._template = VertexRecord()
        r.draw, r.env, r.rows, r.registers = ctypes.addressof(draw), environment, self.rows, self.registers
        r.call = Call.from_buffer_copy(call)
        corners = tuple(range(self.rows))
        if is_written_out:
            multiply, even, odd = (self.rows,) * self.rows, corners, corners
        else:
            multiply, even, odd, r.shift = topology.multiply, topology.even, topology.odd, topology.shift
        for k in corners:
            r.multiply[k], r.offset[k], r.offset[MAX_PATCH_VERTICES + k] = multiply[k], even[k], odd[k]

    @property
    def record(self) -> VertexRecord:
        """The record of a chunk, without the values of a single chunk."""
        return self._template

    @property
    def kernels(self) -> tuple[int, int]:
        """Addresses of `assemble` and `shade`."""
        return entry_address(self._assemble), entry_address(self._shade)

    def place(self, provide: Provide, most: int) -> VertexRecord:
        """Return the record of a chunk of up to `most` primitives, with memory separate from that of `run`, except for the vertices."""
        r, corners = VertexRecord.from_buffer_copy(self._template), most * self.rows
        self._place_scratch(r, provide, corners)
        r.corners, r.numbers = provide("input corners", 4 * corners), provide("input numbers", 4 * most)
        return r

    def vertex_bytes(self, most: int) -> int:
        """Most bytes of the vertices of `most` primitives."""
        return (most * self.rows + MAX_LANES) * 16 * self.registers

    @staticmethod
    def _place_scratch(r: VertexRecord, provide: Provide, corners: int) -> None:
        """Give a record the memory that only its kernels use."""
        r.ids = provide("ids", 4 * (corners + MAX_LANES))
        r.instances = provide("instances", 4 * (corners + MAX_LANES))
        r.cache = provide("cache", CACHE_SLOTS * 16)
        r.soa_in = provide("soa_in", MAX_ATTRIBUTES * 16 * MAX_LANES)
        r.soa_out = provide("soa_out", (MAX_OUTPUTS + 1) * 16 * MAX_LANES)
        r.system = provide("system", SYSTEM_VALUES * 4 * MAX_LANES)

    def rebind(self, environment: int) -> None:
        """Switch to the ShaderEnv of a later draw of the same vertices."""
        self._template.env = environment

    @property
    def most_bytes(self) -> int:
        """Most bytes that the stage makes of a primitive."""
        return self.rows * (16 * self.registers + 4) + 4

    def run(self, worker: Worker, first: int, count: int, memory: Region) -> Shaded:
        """Shade the primitives first to first + count - 1 of the draw; a vertex that several of them share is shaded once."""
        r, corners = VertexRecord.from_buffer_copy(self._template), count * self.rows
        self._place_scratch(r, worker.provide, corners)
        r.stamp = worker.stamp
        r.corners, r.numbers = memory.allocate(4 * corners), memory.allocate(4 * count)
        r.first, r.count = first, count
        address = ctypes.addressof(r)
        self._assemble(address)
        size, vertices = 16 * self.registers, r.num_vertices
        r.vertices = memory.allocate((vertices + self._lanes) * size)
        self._shade(address)
        worker.stamp = r.stamp
        worker.counts["vs_invocations"] += vertices
        primitives = Primitives(r.corners, r.numbers, count)
        return Shaded(r.vertices, size, vertices, self.rows, {0: primitives}, (count, 0, 0, 0))


def input_sources(producer: Program, consumer: Program) -> list[int]:
    """Return the source of each input register of `consumer`: a byte offset into a vertex of `producer`, DEFAULT or PRIMITIVE."""
    sources = [DEFAULT] * consumer.file_size(File.IN)
    for row in connect_stages(producer, consumer).rows:
        if row.output_register is not None:
            sources[row.input_register] = 16 * row.output_register
        elif row.semantic.name == "PRIM_ID":
            sources[row.input_register] = PRIMITIVE
    return sources


def output_rows(program: Program) -> int:
    """Return the number of vertices of each primitive that a geometry program emits."""
    return _OUT_ROWS.get(Primitive(program.property("GS_OUTPUT_PRIMITIVE", Primitive.TRIANGLE_STRIP)), 3)


@record(kw_only=True)
class _Layout:
    """The layout of data between a geometry program and the program before it. record: the fields of GeometryRecord among them."""

    rows: int
    registers: int
    limit: int
    size: int
    out_rows: int
    invocations: int
    record: GeometryRecord

    @staticmethod
    def of(producer: Program, program: Program) -> _Layout:
        """Derive the layout from declarations and properties."""
        rows, invocations, size = input_vertices(program), invocations_of(program), 16 * max(program.file_size(File.OUT), 1)
        r = GeometryRecord()
        r.rows, r.invocations, r.limit, r.out_size, r.out_rows = rows, invocations, output_vertices(program), size, output_rows(program)
        for register, source in enumerate(input_sources(producer, program)):
            r.source[register] = source
        r.number_at = -1
        for d in program.declared(File.OUT):
            if d.semantic is not None and d.semantic.name == "PRIM_ID":
                r.number_at = 16 * d.first
        return _Layout(
            rows=rows,
            registers=program.file_size(File.IN),
            limit=r.limit,
            size=size,
            out_rows=r.out_rows,
            invocations=invocations,
            record=r,
        )


class GeometryStage:
    """A geometry shader. `streams`: the vertex streams whose primitives are used."""

    def __init__(
        self,
        producer: Program,
        program: Program,
        lanes: int,
        environment: int,
        library: Library,
        gather: Entry,
        *,
        streams: Sequence[int],
        provokes_first: bool,
    ) -> None:
        """`environment`: address of the ShaderEnv; it must live as long as the stage."""
        self._gather, self._streams, self.library = gather, tuple(streams), library
        layout = facts.of(producer, _Layout.of, program)
        self._rows, self._registers, self._limit, self._size = layout.rows, layout.registers, layout.limit, layout.size
        self._lanes, self._out_rows, self._invocations = lanes, layout.out_rows, layout.invocations
        r = self._template = GeometryRecord.from_buffer_copy(layout.record)
        r.shader, r.env, r.lanes, r.provokes_first = library.address["geometry"], environment, lanes, provokes_first

    @property
    def most_bytes(self) -> int:
        """Most bytes that the stage makes of a primitive."""
        return self._invocations * self._limit * (self._size + 4 * self._out_rows + 4)

    def run(self, worker: Worker, shaded: Shaded, memory: Region) -> list[Shaded]:
        """Run the shader for the primitives of stream 0. Its output is one piece if memory suffices, otherwise several."""
        primitives = shaded.lists[0]
        r = GeometryRecord.from_buffer_copy(self._template)
        r.vertices, r.vertex_size, r.corners, r.numbers = shaded.vertices, shaded.size, primitives.corners, primitives.numbers
        r.items = items = primitives.count * self._invocations
        self._place_scratch(r, worker.provide)
        worker.counts["gs_invocations"] += items
        pieces = []
        while r.done < items:
            pieces.append(self._piece(worker, r, memory))
        return pieces

    def _place_scratch(self, r: GeometryRecord, provide: Provide) -> None:
        """Give a record the memory that only its kernels use."""
        lanes, vertices = self._lanes, self._lanes * self._limit + 1
        r.staged = provide("staged", self._rows * self._registers * 16 * lanes)
        r.emitted = provide("emitted", vertices * self._size)
        r.marks, r.counts = provide("marks", vertices * 4), provide("counts", 4 * lanes)

    def _place_streams(self, r: GeometryRecord, provide: Provide, capacity: int) -> None:
        """Give a record memory for the primitives of `capacity` vertices."""
        for s in self._streams:
            r.streams[s].corners = provide(f"corners {s}", capacity * 4 * self._out_rows)
            r.streams[s].numbers = provide(f"numbers {s}", capacity * 4)

    def step(self, provide: Provide, most: int) -> Step:
        """See `Stage.step`. The number of primitives is not limited, because they are passed on in pieces."""
        r, one, size = GeometryRecord.from_buffer_copy(self._template), self._lanes * self._limit, self._size
        r.most_vertices, r.gather = max(one, _PIECE_BYTES // size), entry_address(self._gather)
        self._place_scratch(r, provide)
        self._place_streams(r, provide, r.most_vertices)
        environment = ctypes.addressof(r) + GeometryRecord.env.offset
        hand = HandRecord(size=size, rows=self._out_rows)
        return Step(r, hand, (r.most_vertices + 1) * size, {Processor.GEOM: environment}, [self.library])

    def _piece(self, worker: Worker, r: GeometryRecord, memory: Region) -> Shaded:
        """Run as many invocations as the memory permits."""
        one, size = self._lanes * self._limit, self._size
        wanted = min(-(-(r.items - r.done) // self._lanes) * one, max(memory.room, KEPT_BYTES // 2) // size)
        capacity = max(one, wanted)
        r.out_vertices, r.capacity, r.num_vertices = memory.allocate(capacity * size), capacity, 0
        for s in range(MAX_VERTEX_STREAMS):
            r.streams[s].count = r.streams[s].generated = 0
        self._place_streams(r, worker.provide, capacity)
        self._gather(ctypes.addressof(r))
        memory.shorten(r.out_vertices, (r.num_vertices + 1) * size)
        lists = {}
        for s in self._streams:
            stream = r.streams[s]
            corners = memory.copy(stream.corners, stream.count * 4 * self._out_rows)
            lists[s] = Primitives(corners, memory.copy(stream.numbers, stream.count * 4), stream.count)
        generated = tuple(r.streams[s].generated for s in range(MAX_VERTEX_STREAMS))
        worker.counts["gs_primitives"] += sum(generated)
        return Shaded(r.out_vertices, size, r.num_vertices, self._out_rows, lists, generated)
