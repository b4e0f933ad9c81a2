"""The renderer, which draws for a Gallium context: draws become batches of primitives, and a flush runs them on native threads."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from backends.abi.limits import TILE
from backends.abi.records import ResolveRecord
from backends.device.bound import DrawState
from backends.device.commands.bound_record import Holder, owner_of
from backends.device.commands.many_draws import ManyDraws
from backends.device.copy_job import Copy
from backends.device.counters import FlushReason, Statistics
from backends.device.framebuffer import Framebuffer
from backends.device.grid import MeshDraw, compute_units
from backends.device.hazards import Reach, meet, reach_of
from backends.device.interface import weak_method
from backends.device.region import Region
from backends.device.resolve_job import Resolve
from backends.device.threads import workers_for
from backends.entries.install import install
from backends.geometry.totals import StreamTotals
from backends.llvm.engine.kernel_cache import kernels_for
from backends.llvm.engine.object_cache import Cache
from backends.pipe.state import DrawInfo
from backends.raster.control.passes import MOST_PASSES, check_size
from backends.raster.control.pool import Pool
from backends.raster.draw.builder import DrawBuilder
from backends.raster.draw.packet import Packet
from backends.raster.kernels import Kernels
from backends.raster.layouts import MAX_SPANS
from backends.raster.records import Work
from backends.software.commands.executor import MAX_HELD, Executor
from backends.software.commands.prepared import PreparedTable
from backends.software.commands.reached import ReachedMemory
from backends.software.commands.records import Code
from backends.software.copying import Copier

if TYPE_CHECKING:
    from backends.device.scale_job import Scale
    from backends.geometry.pipeline import Pipeline

_WAITING = {Code.FULL: FlushReason.FULL, Code.WAIT: FlushReason.DRAW}  # codes of draws that need a flush, with the flush's reason
SPARE_CHUNKS = 32  # chunks of memory for draw records that the next frame reuses


class Renderer:
    """A renderer that draws into the bound framebuffer. It has one owner at a time; all renderers of a process share kernels.

    Args:
        threads: native workers in addition to the caller (None: one for each CPU but the caller's; 0: the caller alone).
        lanes: vector width of all stages (8, 16, 32; 64 for fragments only); None: one for each shader. Any choice gives the same bytes.
        cpu, cache: the target ("host" or an x86-64 level) and the directory of kernels (None for the default one, False for none).
        helps: whether the caller works, too; None: if a CPU is left for it. setup_lanes: vector width of the front end.
        batch, spans: most primitives, and most draws, of one unit of front-end work. is_limited: calls may have a time limit. window,
        arena: most batches that are binned before tiles are drawn, and bytes of each batch's arena. ahead: amount of new work, about one
        for a primitive and two for a draw, at which workers are woken before a flush; 0: never.
    """

    def __init__(
        self,
        threads: int | None = None,
        lanes: int | None = None,
        cpu: str = "host",
        cache: Cache = None,
        *,
        helps: bool | None = None,
        setup_lanes: int | None = None,
        batch: int = 2048,
        spans: int = MAX_SPANS,
        window: int = 64,
        arena: int = 1 << 20,
        ahead: int = 2048,
        is_limited: bool = False,
    ) -> None:
        threads, is_free = workers_for(threads)
        if lanes not in (None, 8, 16, 32, 64):
            raise ValueError(f"lanes must be 8, 16, 32 or 64, not {lanes}")
        self.kernels = Kernels(kernels_for(cpu, cache))
        helps = threads == 0 or (helps if helps is not None else is_free)
        setup_lanes = setup_lanes or (min(lanes, 32) if lanes is not None else None)
        self._pool = Pool(threads, helps, self.kernels.common(setup_lanes or self.kernels.setup_lanes()), batch, window, arena)
        self._passes, self.intervals = self._pool.passes, self._pool.intervals
        self._copier, self._region = Copier(self._pool, self.kernels), Region(spare=SPARE_CHUNKS, watch=self._pool.watch.address)
        self._pool.drop, self._pool.is_limited = weak_method(self.drop), is_limited
        self._maker = DrawBuilder(self.kernels, self._region, lanes, setup_lanes)
        self._executor = Executor(self._maker.writer, batch, spans)
        self._executor.connect(self._pool, ahead, self.carry_out)
        weakref.finalize(self, self._pool.wait)  # workers must not draw from released memory
        self.targets, self._states = PreparedTable(self._pool), weakref.WeakSet[DrawState]()
        self._resolves, self._reached = list[Resolve](), ReachedMemory(self._executor.record)
        self._pipeline: Pipeline | None = None  # created for the first draw that needs one
        self._units, self._streams = compute_units(threads), StreamTotals()

    def attach(self, state: DrawState) -> None:
        """Let generated code draw with a state. Its context refuses calls of signal handlers during a flush."""
        self._track(state)
        self._pool.watch.refuse_calls(owner_of(state.record), Holder.INTERRUPTED)
        self._executor.serve(state.record)
        self._copier.serve(state.record)

    def _track(self, state: DrawState) -> None:
        """Track a state whose objects the next flush may release."""
        self._executor.record.keeps = 1
        if state not in self._states:
            self._states.add(state)
            weakref.finalize(state, self._pool.wait).atexit = False

    def install_entries(self, owner: type, *, is_observed: bool = False) -> None:
        """See `Device.install_entries`."""
        install(owner, self.kernels.cache, is_observed)

    def reader_entry(self, name: str = "read") -> int:
        """See `Device.reader_entry`."""
        from backends.software.reading.entry import reader_entry  # loaded late, as few programs need it

        return reader_entry(self.kernels.cache, name)

    def note_compilations(self, note: Callable[[bool], None]) -> None:
        """See `Device.note_compilations`. Renderers for one machine share kernels and the last `note`."""
        self.kernels.cache.note = note

    def set_framebuffer(self, framebuffer: Framebuffer) -> None:
        """Bind render targets. Pending work keeps the previous ones. ValueError for sizes above MAX_TEXTURE_SIZE."""
        if framebuffer == self._passes.framebuffer:
            return
        if self._resolves or self._passes.count >= MOST_PASSES:
            self.flush(FlushReason.TARGETS)
        check_size(framebuffer)
        commands, number = self._executor.record, self.targets.kind_of(framebuffer)
        self._pool.begin_pass(framebuffer, commands.num_batches, commands.num_clears)  # first, because it may raise MemoryError
        self._executor.begin_pass(number, framebuffer, self._passes.count)
        self._reached.begin_pass()

    def _resize(self, layers: int) -> None:
        """Size the tiles for draws to the first layer of the bound framebuffer, or to all layers."""
        self._pool.size_pass(layers)
        self._executor.record.is_layered = layers > 1

    def clear(self, buffers: int, color: Sequence[int], depth: float, stencil: int) -> None:
        """See `Device.clear`."""
        is_read = any(self._executor.reads(*piece, in_pass=True) for piece in self._passes.targets)
        if self._resolves or self._reached.touched or is_read or not self._executor.clears.has_room:
            self.flush(FlushReason.CLEAR)
        self._executor.clears.clear(self._passes.framebuffer, self.flush, buffers, color, depth, stencil)

    def resolve(self, job: Resolve, *, waits: bool = True) -> None:
        """Average the samples of a box of pixels.

        With `waits`, a resolve of the bound tiles is queued after the pending draws, unless they conflict with it in other ways. Any other
        resolve runs at once.
        """
        stored = meet([job.read], self._reached.written)  # pending programs may write samples from any tile
        fits = self._passes.layers == 1 and job.fits(self._passes.framebuffer)
        if waits and self.pending and fits and not stored and not self.uses(*job.written):
            self._resolves.append(job)
            self._executor.record.is_hindered = 1
            return
        if waits and (self.uses(*job.read) or self.uses(*job.written)):
            self.flush(FlushReason.RESOLVE)
        self._pool.run_tiles(self.kernels.resolve_record(job), -(-job.box[2] // TILE), -(-job.box[3] // TILE), self._reached.is_ordered)

    def scale(self, job: Scale) -> None:
        """Scale a box of texels at once; the caller has flushed pending work that uses its memory."""
        from backends.software.scaling import scale  # loaded late, as few programs scale

        scale(self.kernels, job)

    def copy(self, job: Copy) -> None:
        """See `Device.copy`."""
        self._copier.copy(job)

    def draw(self, state: DrawState, info: DrawInfo) -> None:
        """Take a draw. UnsupportedError, before anything is drawn, for state that the renderer does not support."""
        if not self._draw_known(state, info):
            self._draw_unknown(state, info)

    def draw_many(self, state: DrawState, many: ManyDraws) -> None:
        """Draw rows of draws up to the first unknown combination."""
        while (reason := _WAITING.get(self._executor.draw_many(state, many))) is not None:
            self.flush(reason)

    def _draw_known(self, state: DrawState, info: DrawInfo, take: Callable[[DrawState, DrawInfo], Code] | None = None) -> bool:
        """Let generated code take a draw, by default with `Executor.draw`. Returns False for unsupported draws."""
        executor, take = self._executor, take or self._executor.draw
        code = take(state, info)
        if code in _WAITING or (code is Code.NEW and executor.is_crowded):
            self.flush(_WAITING.get(code, FlushReason.FULL))
            code = take(state, info)
        if code is Code.NEW and executor.learn(state, self._passes.framebuffer):
            self._track(state)
            self._region.keep(state)  # the caller may release it before the draw is carried out
            code = take(state, info)
        if code is Code.LAYERS:
            self._resize(self._passes.framebuffer.layers)
            code = take(state, info)
        return code is Code.DONE

    def _draw_unknown(self, state: DrawState, info: DrawInfo) -> None:
        """Take a draw that needs Python or a flush."""
        self._track(state)
        fb, executor = self._passes.framebuffer, self._executor
        if executor.is_crowded:
            self.flush(FlushReason.FULL)
        is_empty, reach = not fb.width or not fb.height, self._take_turn(state)
        is_staged = state.has_stages or (reach is not None and reach.is_early)
        if is_empty and not is_staged:
            return
        state.record.draws += 1
        if is_staged and (not self._draw_stages(state, info, reach) or is_empty):
            return
        take = executor.draw_despite_hindrance if state.memory is None else executor.draw_reaching
        if (reach is None or not is_staged) and self._draw_known(state, info, take):
            self._note(reach)
            self._reached.approve(state)
            self._limit(others=0)  # counts as a known one
            return
        if (packet := self._maker.make(state, info, fb)) is None:
            return
        self._note(reach)
        executor.count_primitives(packet)
        self.enqueue(packet)
        self._limit()

    def draw_mesh(self, state: DrawState, draw: MeshDraw) -> Sequence[str]:
        """Take a draw of meshes; see `Device.draw_mesh`."""
        self._track(state)
        reach = self._take_turn(state)
        state.record.draws += 1
        drawn = self._stages().draw_mesh(state, draw, self._passes.framebuffer, reach)
        self._streams.add(drawn, counts_input=True)
        self._note(reach and reach.late)
        self._limit()
        return drawn.faults

    def _take_turn(self, state: DrawState) -> Reach | None:
        """Flush if a draw has to wait for pending work. Returns the memory that its programs may access."""
        is_early = state.has_stages or state.mesh.shader is not None or state.memory is not None  # programs may run before the next flush
        if self._resolves or self._executor.record.num_uploads or (is_early and self._passes.count > 1):
            self.flush(FlushReason.DRAW)
        if state.memory is None and not self._reached.written:
            return None
        reach = reach_of(state)
        is_reached = reach is not None or bool(self._reached.written)
        if is_reached and self.pending and self._reached.blocks(state, reach, self._executor.all_reads(), self._written()):
            self.flush(FlushReason.DRAW)
        return reach

    def _draw_stages(self, state: DrawState, info: DrawInfo, reach: Reach | None) -> bool:
        """Run the stages of a draw that has more than two or stream output. Returns True if a plain draw must follow."""
        fb = self._passes.framebuffer
        drawn = self._stages().draw(state, info, fb)
        if drawn.repeat is not None and not (self._pool.is_limited and drawn.repeat.has_loops):
            self._executor.learn_staged(state, info, drawn.repeat, fb.samples)
        is_open = drawn.is_plain and fb.width > 0 and fb.height > 0
        self._streams.add(drawn, counts_input=not is_open)
        if not is_open:
            self._note(reach and reach.late)
            self._limit()
        return is_open

    def _stages(self) -> Pipeline:
        """The stages in front of the rasterizer, loaded for the first draw that needs them."""
        if self._pipeline is None:
            from backends.geometry.pipeline import Pipeline

            self._pipeline = Pipeline(self._maker, self, self._units, self._pool.watch)
        return self._pipeline

    def _note(self, reach: Reach | None) -> None:
        """Record the memory that a pending draw's programs access."""
        if reach is not None:
            self._reached.note(reach, self._executor.all_reads(), self._written())
            self._hinder()

    def enqueue(self, packet: Packet) -> None:
        """Take a packet; packets are drawn in the order in which they are taken."""
        if packet.is_layered and self._passes.layers == 1:
            self._resize(self._passes.framebuffer.layers)
        for read in packet.reads:
            self._executor.note_read(*read)
        self._executor.take_all(packet, self.carry_out)

    def _limit(self, others: int = 1) -> None:
        """Flush if pending work keeps too much memory alive; called after each draw in Python. others: draws to count."""
        self._executor.record.other_draws += others
        if not self.pending:
            self._finish()
        elif self._executor.record.held + self._region.size + (self._pipeline.held if self._pipeline is not None else 0) > MAX_HELD:
            self.flush(FlushReason.FULL)

    def settle(self, reads: Sequence[tuple[int, int]], writes: Sequence[tuple[int, int]]) -> None:
        """Draw pending work if it writes memory that `reads` names, or reads or writes memory that `writes` names."""
        if self.pending:
            written = [*self._written(), *self._reached.written, *self._executor.uploaded()]
            if meet(reads, written) or meet(writes, [*self._executor.all_reads(), *written, *self._reached.touched]):
                self.carry_out(FlushReason.DRAW)

    @property
    def runs(self) -> int:
        """See `Device`."""
        return int(self._executor.record.runs)

    @property
    def pending(self) -> bool:
        """True if some work waits for a flush."""
        return self._executor.has_work or bool(self._resolves)

    def upload(self, job: Copy, owner: object) -> bool:
        """See `Device.upload`."""
        return not meet([job.written], [*self._written(), *self._reached.touched]) and self._executor.upload(job, owner) is Code.DONE

    def uses(self, address: int, size: int, *, for_reading: bool = False) -> bool:
        """Return true if pending work uses any of these bytes, so that a flush must precede their change (or read)."""
        if not self.pending:
            return False
        if self._executor.awaits_upload(address, size) or (not for_reading and self._executor.reads(address, size)):
            return True
        end, other = address + size, self._reached.written if for_reading else self._reached.touched
        return any(at < end and address < at + count for at, count in (*self._written(), *other))

    def _written(self) -> list[tuple[int, int]]:
        return [*(job.written for job in self._resolves), *self._passes.targets, *self._passes.earlier]

    def flush(self, reason: FlushReason = FlushReason.ASKED) -> None:
        """Run all pending work; on return all bytes are in memory. ValueError after `close`."""
        self._pool.check_open()
        if not self._executor.carry_out(reason):
            if self.pending:
                self.carry_out(reason)
            self._finish()

    def let_go(self) -> None:
        """See `Device.let_go`."""
        self.flush()
        self._finish()
        self._maker.repeats.clear()
        self._passes.catch_up()

    def use_pause(self) -> None:
        """See `Device.use_pause`."""
        if self.pending and not self._reached.touched:
            self.flush()

    def _finish(self) -> None:
        is_swept = self._executor.end_frame(self._states)  # first, because it refers to memory that is released here
        self._reached.clear()
        self._hinder()
        self._region.reset()
        self._maker.flushed()
        if self._pipeline is not None:
            self._pipeline.reset()
        if self._passes.layers > 1:
            self._resize(1)
        if is_swept:
            self.targets.sweep({self._executor.record.framebuffer} | self._executor.framebuffers())

    def drop(self) -> None:
        """Drop pending work that was interrupted."""
        self._hand_over(self._pool.scene.asked)
        self._pool.end_flush()
        self._finish()

    def _hinder(self) -> None:
        """Send draws and writes through Python while they may have to wait for pending draws."""
        self._reached.hinder(is_resolving=bool(self._resolves))

    def carry_out(self, reason: FlushReason = FlushReason.FULL) -> None:
        """Draw pending work: the native part of a flush. Draw records stay valid, because a long draw may continue after it."""
        self._executor.note_run(reason)
        self._pool.carry_out(self._hand_over, self._reached.is_ordered)

    def _hand_over(self, work: Work) -> object:
        """Move pending work to a flush. Returns memory that must live as long as the flush. A MemoryError leaves it pending."""
        records = (ResolveRecord * len(self._resolves))(*map(self.kernels.resolve_record, self._resolves))
        work.resolves, work.num_resolves = ctypes.addressof(records), len(records)
        self._executor.hand_over(work)
        resolves, self._resolves = self._resolves, []
        self._hinder()
        return records, resolves

    def statistics(self, *, flushes: bool = True) -> Statistics:
        """Return the running totals, after a flush on request. Samples and fragments are counted only while DrawState enables it."""
        if flushes and not self._pool.is_closed:
            self.flush()
        self._streams.add(self._executor.take_staged_counts(), counts_input=True)
        plain = Statistics(**self._executor.counts(), **self._pool.counts(), **self.kernels.cache.counts())
        return self._streams.statistics(plain, int(self._executor.record.polygon_triangles))

    def close(self) -> None:
        """Flush and end the threads; the renderer cannot be used afterwards. A second call does nothing."""
        if not self._pool.is_closed:
            self.set_framebuffer(Framebuffer(0, 0))
            self.let_go()
        if self._pipeline is not None:
            self._pipeline.close()
        self._pool.close()
