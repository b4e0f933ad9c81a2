"""Draws with more stages than a vertex and a fragment shader, and draws with stream output.

Chunks of primitives go through all stages before the rasterizer, on all threads, one wave of chunks after another. The vertices and
primitives of the last stage are stored in the order of the draw, regardless of the thread. Stream output copies them; the rasterizer reads
them like vertex buffers, with the last stage instead of a vertex shader.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from backends.abi.records import Watch, has_watches
from backends.device.bound import DrawState, Shader
from backends.device.commands.bound_record import Hindrance
from backends.device.environment import make_environment, stage_keys
from backends.device.framebuffer import Framebuffer
from backends.device.grid import MeshDraw
from backends.device.hazards import Reach, reach_of
from backends.device.needs import needs_of
from backends.geometry.drawn import Drawn
from backends.geometry.kernels import StreamKernels
from backends.geometry.mesh.drawer import MeshDrawer
from backends.geometry.repeat import Repeat, libraries
from backends.geometry.shaded import Shaded, Stage, Worker
from backends.geometry.stage_kinds import STAGE_KINDS, Making, bound_kinds, vertex_lanes
from backends.geometry.stages import VertexStage
from backends.geometry.stream_output import StreamOutputWriter
from backends.geometry.topology import decomposed, provoking
from backends.geometry.waves import Sink, Waves
from backends.llvm.kernels.time_slices import has_loops
from backends.llvm.program.presence import wants_presence
from backends.pipe.enums import Prim
from backends.pipe.state import DrawInfo
from backends.raster.draw.builder import DrawBuilder
from backends.raster.draw.cache import CachedDraw, DrawCache
from backends.raster.draw.packet import FEW, Packet
from backends.raster.draw.topology import Topology
from backends.raster.draw.writer import does_nothing
from backends.raster.draw_record import Draw
from backends.raster.layouts import Shape
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.record import record

CHUNK, LEAST, PARTS = 4096, 256, 16
"""Most input primitives of a chunk, fewest that are worth a chunk, and the number of chunks of a draw between these sizes."""
CHUNK_BYTES = 16 << 20
"""Most bytes that the output of a chunk may take in the worst case; a chunk of one primitive may exceed it."""

TOGETHER, TOGETHER_LEFT = PARTS * LEAST, 1 << 14
"""Limits for draws of several chunks in generated code: input primitives, and estimated primitives after the last stage."""

_MODES = {1: Prim.POINTS, 2: Prim.LINES, 3: Prim.TRIANGLES}


@record(frozen=False)
class _Input(CachedDraw):
    """The first stage of a recent draw. Its record is valid as long as the objects of `kept` live."""

    first: VertexStage | None = field(default=None, kw_only=True)


@record(eq=False, kw_only=True)
class _Made:
    """Everything for a draw before it runs. template: the packet of the rasterizer's part; None if nothing is rasterized."""

    topology: Topology
    packet: Packet
    first: VertexStage
    stages: Sequence[Stage]
    template: Packet | None
    stream_output: StreamOutputWriter | None


class Pipeline:
    """The stages in front of the rasterizer, for one renderer.

    workers: number of threads, the caller among them. watch: ends their work.
    """

    def __init__(self, maker: DrawBuilder, sink: Sink, workers: int, watch: Watch) -> None:
        self._maker, self._sink, self._kernels = maker, sink, StreamKernels(maker.kernels.cache)
        self._waves, self._repeats = Waves(sink, workers, watch), DrawCache()
        self._meshes = MeshDrawer(maker, self._waves)

    @property
    def held(self) -> int:
        """Bytes of vertices and primitives that wait for the rasterizer."""
        return self._waves.held

    def reset(self) -> None:
        """Free the memory of chunks, after the rasterizer has drawn all of them."""
        self._repeats.flushed()
        self._waves.reset()

    def close(self) -> None:
        """End the threads and free their memory."""
        self._waves.close()

    def draw(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> Drawn:
        """Run the stages of one draw. UnsupportedError and ValueError are raised before anything is drawn or written."""
        drawn, vertex, last = Drawn(), state.vertex.shader, state.last_shader()
        mark = self._maker.region.keeping
        if vertex is None or last is None or info.count <= 0 or info.instance_count <= 0:
            return drawn
        drawn.is_plain = last is vertex and not needs_of(vertex).effects.writes
        made = self._make(state, info, vertex, last, framebuffer, is_plain=drawn.is_plain)
        packet, template, stream_output = made.packet, made.template, made.stream_output
        drawn.counts.update(vertices=packet.vertices, primitives=packet.assembled)
        if packet.primitives <= 0:
            return drawn
        targets = [t for t in state.stream_targets if t is not None] if stream_output is not None else []
        self._sink.settle(packet.reads, [(t.address, t.size) for t in targets])
        self._run(drawn, made.first, made.stages, packet.primitives, stream_output, template, _is_alone(state))
        if stream_output is not None:
            drawn.needed, drawn.written = stream_output.needed, stream_output.written
        drawn.repeat = self._repeat(
            state, packet, drawn, template, made.first, made.stages, stream_output, made.topology, framebuffer, mark
        )
        return drawn

    def make(self, state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> bool:
        """Make the stages of one draw, and so their kernels, without running them. Returns true if a plain draw must follow."""
        vertex, last = state.vertex.shader, state.last_shader()
        if vertex is None or last is None or info.count <= 0 or info.instance_count <= 0:
            return False
        is_plain = last is vertex and not needs_of(vertex).effects.writes
        self._make(state, info, vertex, last, framebuffer, is_plain=is_plain)
        return is_plain

    def _make(self, state: DrawState, info: DrawInfo, vertex: Shader, last: Shader, framebuffer: Framebuffer, *, is_plain: bool) -> _Made:
        """Make the stages of one draw. Without primitives, the first stage is the only one."""
        topology = self._topology(state, info)
        packet = Packet(0, 0, info.count * info.instance_count, [])
        first = self._vertices(state, info, topology, packet)
        stream_output = self._stream_output(state, last)
        template, stages = None, list[Stage]()
        if packet.primitives > 0:
            if not is_plain and framebuffer.width and framebuffer.height:
                most, rows = self._most(state, topology, packet.primitives)
                template = self._maker.make_stored(state, last, _MODES[rows], most, framebuffer)
                _check_edges(template, last is vertex, info.mode)
            streams = sorted({*(stream_output.streams if stream_output is not None else ()), *((0,) if template is not None else ())})
            stages = self._stages(state, info, vertex, streams, packet)
        return _Made(topology=topology, packet=packet, first=first, stages=stages, template=template, stream_output=stream_output)

    def make_mesh(self, state: DrawState, draw: MeshDraw, framebuffer: Framebuffer, reach: Reach | None) -> None:
        """Make the stages of one draw of meshes without running them, for their kernels. Errors as `draw_mesh`."""
        self._meshes.make(state, draw, framebuffer, reach)

    def draw_mesh(self, state: DrawState, draw: MeshDraw, framebuffer: Framebuffer, reach: Reach | None) -> Drawn:
        """Run the task and mesh shaders of one draw. reach: memory that they may access. UnsupportedError is raised before anything ran."""
        return self._meshes.draw(state, draw, framebuffer, reach)

    # -- the stages of a draw ------------------------------------------------------------------------------------------
    @staticmethod
    def _topology(state: DrawState, info: DrawInfo) -> Topology:
        kinds, r = bound_kinds(state), state.rasterizer
        if kinds:
            kind, shader = kinds[0]
            return kind.topology(state, info, shader.program)
        if state.record.hindrances & Hindrance.STREAMS:
            return decomposed(info.mode, r.flatshade_first, r.quads_provoke_last)
        return provoking(info.mode, r.flatshade_first, r.quads_provoke_last)

    def _vertices(self, state: DrawState, info: DrawInfo, topology: Topology, packet: Packet) -> VertexStage:
        """Create the first stage; `packet` receives the number of primitives and the memory that the stage reads."""
        maker, vertex = self._maker, state.vertex.shader
        assert vertex is not None
        bound = (*state.vertex.views, None, *state.vertex.samplers)
        known = (vertex, state.vertex_elements, state.vertex_buffers, state.index_buffer, info, topology, *bound)
        cached = self._repeats.find(known)
        if isinstance(cached, _Input) and cached.first is not None:
            maker.region.keep(cached.kept)
            packet.primitives, packet.assembled = cached.packet.primitives, cached.packet.assembled
            packet.reads += cached.packet.reads
            cached.first.rebind(make_environment(maker.region, needs_of(vertex), state.vertex, []))
            return cached.first
        mark = maker.region.keeping
        d = Draw()
        maker.region.keep(d)
        writer, needs = maker.writer, needs_of(vertex)
        is_written_out = writer.inputs.write_corners(d.assembly, state, info, topology, packet).is_written_out
        lanes = vertex_lanes(maker, vertex)
        layout = writer.inputs.write_fetch(d.fetch, state, vertex.program.file_size(File.IN), packet)
        d.entries.fetch = writer.use(writer.kernels.fetch(layout, lanes))
        d.entries.vertex_shader = writer.use(writer.kernels.vertex_shader(vertex, lanes, stage_keys(state.vertex, needs)))
        environment = make_environment(maker.region, needs, state.vertex, packet.reads, state.counters)
        packet.is_repeatable &= not needs.reaches_memory
        d.vertices.wants_system = bool(vertex.program.declared(File.SV)) or wants_presence(vertex.program)
        first = VertexStage(
            d,
            packet.call,
            topology,
            vertex.program,
            lanes,
            self._kernels.vertex(lanes),
            environment=environment,
            is_written_out=is_written_out,
        )
        if packet.is_repeatable and not packet.is_written_out:
            seen = replace(packet, reads=list(packet.reads))
            self._repeats.add(_Input(known, b"", seen, maker.region.kept(mark), first=first))
        return first

    def _repeat(
        self,
        state: DrawState,
        packet: Packet,
        drawn: Drawn,
        stored: Packet | None,
        first: VertexStage,
        stages: Sequence[Stage],
        output: StreamOutputWriter | None,
        topology: Topology,
        framebuffer: Framebuffer,
        mark: int,
    ) -> Repeat | None:
        """Describe a finished draw for generated code. None if it is large, or if its shaders access memory other than through tables.

        mark: of the objects that were kept before the draw.
        """
        kinds, has_pixels = bound_kinds(state), framebuffer.width > 0 and framebuffer.height > 0
        shaders = [state.vertex.shader, *(state.stage[processor].shader for kind, _ in kinds for processor in kind.processors)]
        names_handles = any(needs_of(shader).handles for shader in shaders)
        has_images = any(needs_of(shader).images for shader in shaders[1:])  # the bound state has no words for their keys
        reads_later = drawn.is_plain and needs_of(shaders[0]).reaches_memory
        is_seldom = packet.is_written_out and (len(topology.multiply) > 3 or (topology.is_irregular and not topology.closes))
        if names_handles or has_images or reads_later or is_seldom or any(kind.build_step is None for kind, _ in kinds):
            return None
        loops, is_nothing = any(s is not None and has_loops(s.program) for s in shaders), does_nothing(state, framebuffer)
        chunk = min(LEAST, _chunk_size(LEAST, first, stages))
        most = self._most_again(state, packet.primitives, chunk, is_short=not loops)
        if stored is None:
            is_fixed = drawn.is_plain or is_nothing or not has_pixels
        else:
            is_fixed = stored.is_repeatable and not Draw.from_address(stored.address).line_stipple.is_on
        if not is_fixed or packet.primitives > most:
            return None
        return Repeat(
            input=packet.placed(first.record.draw),
            stored=stored,
            topology=topology,
            first=first,
            stages=[(STAGE_KINDS.index(kind), stage) for (kind, _), stage in zip(kinds, stages)],
            output=output,
            follows=drawn.is_plain and has_pixels and not is_nothing,
            counts_input=not (drawn.is_plain and has_pixels),
            most=most,
            chunk=chunk,
            kept=[*libraries(self._maker.region.kept(mark))],
            has_loops=has_watches() and loops,
        )

    @staticmethod
    def _most_again(state: DrawState, primitives: int, chunk: int, *, is_short: bool) -> int:
        """Largest number of input primitives for generated code, given those of a chunk; small if few primitives leave the last stage.

        is_short: no program has a loop, so a thread finishes several chunks before Python could start the others.
        """
        kinds = bound_kinds(state)
        kind, shader = kinds[-1] if kinds else (None, None)

        def left(n: int) -> int:
            return n if kind is None or shader is None else kind.most(shader.program, n)[0]

        limit = FEW if kinds and left(primitives) <= FEW else TOGETHER_LEFT
        most = chunk
        while is_short and most < TOGETHER and left(2 * most) <= limit:
            most *= 2
        while most > 1 and limit == FEW and left(most) > limit:
            most -= 1
        return most

    def _stages(self, state: DrawState, info: DrawInfo, vertex: Shader, streams: Sequence[int], packet: Packet) -> list[Stage]:
        """Make the stages after the vertex shader."""
        stages: list[Stage] = []
        making, producer = Making(self._maker, self._kernels, state, info, streams, packet), vertex
        for kind, shader in bound_kinds(state):
            stages.append(kind.make(making, producer, shader))
            producer = shader
        return stages

    def _stream_output(self, state: DrawState, last: Shader) -> StreamOutputWriter | None:
        info, targets = last.stream_output, state.stream_targets
        if info is None or not info.output or not any(target is not None for target in targets):
            return None
        return StreamOutputWriter(info, targets, self._kernels.output())

    @staticmethod
    def _most(state: DrawState, topology: Topology, primitives: int) -> tuple[int, int]:
        """Estimate the number of primitives after the last stage (clamped), and return the vertices of each."""
        kinds = bound_kinds(state)
        if not kinds:
            return primitives, len(topology.multiply)
        kind, shader = kinds[-1]
        return kind.most(shader.program, primitives)

    # -- chunk by chunk ------------------------------------------------------------------------------------------------
    def _run(
        self,
        drawn: Drawn,
        first: VertexStage,
        stages: Sequence[Stage],
        primitives: int,
        stream_output: StreamOutputWriter | None,
        template: Packet | None,
        is_alone: bool,
    ) -> None:
        waves = self._waves
        waves.start()
        size = _chunk_size(primitives, first, stages)

        def work(worker: Worker, chunk: int) -> Sequence[Shaded]:
            memories = [worker.work] * len(stages) + [worker.brief if template is None else worker.kept]
            start = chunk * size
            pieces: Sequence[Shaded] = [first.run(worker, start, min(size, primitives - start), memories[0])]
            for stage, memory in zip(stages, memories[1:]):
                pieces = [output for piece in pieces for output in stage.run(worker, piece, memory)]
            return pieces

        def take(piece: Shaded) -> None:
            self._take(drawn, piece, stream_output, template)

        waves.run(-(-primitives // size), work, take, is_alone)
        for worker in waves.workers:
            drawn.counts.update(worker.counts)
            worker.counts.clear()

    def _take(self, drawn: Drawn, piece: Shaded, stream_output: StreamOutputWriter | None, template: Packet | None) -> None:
        """Pass the output of the last stage to stream output and to the rasterizer, in the order of the draw."""
        for stream, count in enumerate(piece.generated):
            drawn.generated[stream] += count
        if stream_output is not None:
            stream_output.write(piece)
        if template is not None and (primitives := piece.lists[0]).count:
            count = primitives.count
            self._sink.enqueue(self._maker.place_stored(template, piece.vertices, primitives.corners, primitives.numbers, count))


def _chunk_size(primitives: int, first: VertexStage, stages: Sequence[Stage]) -> int:
    """Input primitives of a chunk of a draw."""
    most = max([first.most_bytes, *(stage.most_bytes for stage in stages)])
    return max(1, min(CHUNK, max(primitives // PARTS, LEAST), CHUNK_BYTES // most))


def _is_alone(state: DrawState) -> bool:
    """Return true if a single thread has to run the stages, because the order of invocations can be observed."""
    reach = reach_of(state)
    return reach is not None and reach.is_alone


def _check_edges(template: Packet | None, is_vertex: bool, mode: Prim) -> None:
    """Raise UnsupportedError for polygons drawn as outlines: the triangles of this path have no edge flags for the polygon."""
    if template is None or not is_vertex or mode not in (Prim.QUADS, Prim.QUAD_STRIP, Prim.POLYGON):
        return
    if Draw.from_address(template.address).primitives.shape == Shape.OUTLINE:
        raise UnsupportedError.at("B062", f"a vertex shader that writes memory, with {mode.name} drawn as lines or points")
