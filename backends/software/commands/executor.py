"""The executor of a renderer: its templates, the memory of pending draws, and the generated code that takes draws."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from backends.device.bound import DrawState
from backends.device.commands.bound_record import BoundRecord, Hindrance
from backends.device.commands.known_objects import call_of
from backends.device.commands.many_draws import ManyDraws
from backends.device.copy_job import Copy
from backends.device.counters import FlushReason
from backends.device.framebuffer import Framebuffer
from backends.device.interface import weak_method
from backends.device.region import ALIGNMENT, SLACK, Region, aligned, records
from backends.geometry.drawn import Drawn
from backends.geometry.records import STAGE_COUNTS, StageCounts
from backends.pipe.state import DrawInfo
from backends.raster.control.pool import Pool
from backends.raster.draw.packet import Packet
from backends.raster.draw.writer import DrawWriter
from backends.raster.layouts import MAX_SPANS
from backends.raster.records import Batch, Span, UploadRecord, Work
from backends.software.commands.clear_queue import ClearQueue
from backends.software.commands.functions import Functions
from backends.software.commands.hashing import combination_of
from backends.software.commands.parts import PartTable
from backends.software.commands.prepared import has_integers, next_serial
from backends.software.commands.reached import place_tables
from backends.software.commands.records import REASONS, ROOM_READS, STAGED, SWEEPING, Code, CopySlot, ExecutorRecord, ReadRange, ReadSlot
from backends.software.commands.templates import TemplateTable

if TYPE_CHECKING:
    from backends.geometry.repeat import Repeat
    from backends.geometry.shaded import Worker
    from backends.software.commands.supply import Supply

MOST_BATCHES = 1 << 14
MOST_SPANS = 1 << 16
MOST_QUEUED = 1 << 21  # pending primitives
MAX_HELD = 1 << 28  # bytes that pending draws may read or keep alive
CHUNK = 1 << 20  # bytes of memory for pending draws that are requested at once
SPARE = 8  # chunks that the next frame reuses
MOST_TEMPLATES = 1 << 11
MOST_PARTS = 1 << 13
LIFE = 32  # frames after which unused templates and parts are evicted
COPIES = 1 << 12  # entries of the table of records and environments that were made in a frame
MOST_UPLOADS = 1 << 12  # pending writes
MOST_TAKEN = 1 << 20  # primitives of one draw that are queued at once
NEVER = 1 << 60  # more than the largest amount of pending work
FEWEST_READS, MOST_READS = 1 << 12, 1 << 16  # ranges that pending draws read
_CODES = tuple(Code)


class Executor:
    """Draws of known combinations, without Python.

    Attributes:
        record: read and written by generated code.
        clears: clears of the bound targets.
        templates_made: number of combinations for which Python created parts.
    """

    def __init__(self, writer: DrawWriter, batch_size: int, batch_spans: int = MAX_SPANS) -> None:
        if not 1 <= batch_spans <= MAX_SPANS:
            raise ValueError(f"spans of a batch: {batch_spans} (1 to {MAX_SPANS})")

        self._functions = functions = Functions(writer.kernels.cache)
        self._draw, self._draw_many, self._append = functions.draw, functions.draw_many, functions.append
        self._find, self._note, self._meet = functions.find, functions.note_read, functions.reads_meet
        self._upload, self._awaits = functions.upload, functions.awaits_upload
        self._carry_out_natively = functions.carry_out
        self._region = Region(CHUNK, SPARE)
        self.templates_made = 0
        self._scratch: Worker | None = None  # of draws with more stages
        self._zeros = aligned(256)
        self._spans, self._batches = records(Span, MOST_SPANS), records(Batch, MOST_BATCHES)
        self.record = e = ExecutorRecord(frame=1, epoch=1, num_passes=1, batch_size=batch_size, batch_spans=batch_spans)
        e.spans, e.batches, e.zeros = ctypes.addressof(self._spans), ctypes.addressof(self._batches), self._zeros.ctypes.data
        e.most_spans, e.most_batches, e.most_queued, e.most_held = MOST_SPANS, MOST_BATCHES, MOST_QUEUED, MAX_HELD
        self.clears = ClearQueue(e)
        self._uploads = records(UploadRecord, MOST_UPLOADS)
        e.uploads, e.most_uploads = ctypes.addressof(self._uploads), MOST_UPLOADS
        self._at = ctypes.addressof(e)
        self._copies = records(CopySlot, COPIES)
        e.copies, e.copies_mask = ctypes.addressof(self._copies), COPIES - 1
        self._reads: ctypes.Array[ReadRange] = (ReadRange * 0)()
        self._size_reads(FEWEST_READS)
        self._table, self._parts = TemplateTable(e, MOST_TEMPLATES), PartTable(e, writer)
        self._supply: Supply | None = None  # including those of draws with more stages
        self._begin_memory()

    @property
    def address(self) -> int:
        """Address of the record."""
        return self._at

    def serve(self, bound: BoundRecord) -> None:
        """Let generated code draw and write with a state."""
        address = self._functions.address
        bound.draw_entry, bound.upload_entry, bound.clear_entry = address["draw"], address["upload_plain"], address["clear"]
        bound.read_entry, bound.keeps_at = address["carry_out_writes"], self._at + ExecutorRecord.keeps.offset
        bound.flush_entry, bound.wait_entry, bound.work_entry = (address[name] for name in ("carry_out_all", "carry_out_uses", "has_work"))
        bound.samples_entry, bound.executor = address["passed_samples"], self._at

    # -- draws -----------------------------------------------------------------------------------------------------------
    def draw_despite_hindrance(self, state: DrawState, info: DrawInfo) -> Code:
        """Take a draw that Python has checked, and whose stages before the rasterizer have run."""
        hindrances, written = (state.record.hindrances, self.record.is_hindered), self.record.num_written
        state.record.hindrances, self.record.is_hindered = hindrances[0] & ~(Hindrance.STAGES | Hindrance.STREAMS), 0
        self.record.num_written = self.record.reads_pending_write = 0
        try:
            return self.draw(state, info)
        finally:
            state.record.hindrances, self.record.is_hindered = hindrances
            self.record.num_written = written

    def draw_reaching(self, state: DrawState, info: DrawInfo) -> Code:
        """Take a draw that Python has checked, and whose programs access memory. UNKNOWN: they need more than tables."""
        if not place_tables(self.record, self._region, state):
            return Code.UNKNOWN
        self.record.may_reach = 1
        try:
            return self.draw_despite_hindrance(state, info)
        finally:
            self.record.may_reach = self.record.template = 0  # forces a look-up, so that no draw reuses the last template

    def draw(self, state: DrawState, info: DrawInfo) -> Code:
        """Draw if the combination is known. FULL, WAIT: a flush has to come first."""
        call = call_of(info)
        self._raise_error()
        while True:
            code: Code = _CODES[self._draw(self._at, ctypes.addressof(state.record), ctypes.addressof(call))]
            if not self._resolve(code):
                return code

    def _raise_error(self) -> None:
        """Raise the error of a callback that ended a draw."""
        if self._supply is not None:
            self._supply.raise_error()

    def draw_many(self, state: DrawState, many: ManyDraws) -> Code:
        """Take rows from `many.record.next` on. The code is that of the first row that was not taken; see `draw`."""
        self._raise_error()
        while True:
            code: Code = _CODES[self._draw_many(self._at, ctypes.addressof(state.record), ctypes.addressof(many.record))]
            if code is Code.MEMORY and many.room > state.record.constants_room:
                state.constant_memory.begin()
            elif not self._resolve(code):
                return code

    def _resolve(self, code: Code) -> bool:
        """Remove the obstacle named by a code. Returns False if only the caller can."""
        if code is Code.MEMORY:
            self.give_memory()
        elif code is Code.ROOM:
            self._table.grow()
        elif code is Code.STOPPED:
            self._stopped()
        elif code is Code.FAILED:
            self._raise_error()
        else:
            return code is Code.FULL and self._grow_reads()
        return True

    def _make_room(self) -> None:
        """Make room during a draw: grow the table of read ranges, or flush."""
        if not self._grow_reads():
            carry_out = self._carry_out()
            assert carry_out is not None
            carry_out()

    @property
    def is_crowded(self) -> bool:
        """True if templates and parts should be evicted, after a flush, before others are added."""
        return len(self._table) >= self.record.most_templates or len(self._parts) >= MOST_PARTS

    def learn(self, state: DrawState, framebuffer: Framebuffer) -> bool:
        """Create the parts missing from the latest draw's template. Returns False if such draws cannot have templates."""
        is_learnt = not self.record.kind & STAGED and self._parts.learn(state, framebuffer)
        self.templates_made += is_learnt
        return is_learnt

    def learn_staged(self, state: DrawState, info: DrawInfo, repeat: Repeat, samples: int) -> None:
        """Create a template from a draw with more stages, unless there is one for as many primitives. samples: of the bound framebuffer."""
        from backends.geometry.shaded import Worker  # loaded late, as few programs have more stages
        from backends.software.commands.staged_templates import StagedTemplate, staged_kind
        from backends.software.commands.supply import Supply

        if self._supply is None:
            self._supply = Supply(self.give_memory, self._make_room)
            self.record.supply = self._supply.address
        kind = staged_kind(info, repeat)
        old = self._find(self._at, ctypes.addressof(state.record), kind)
        if not old or self._table.staged()[old].most < repeat.most:
            self._scratch = self._scratch or Worker.of(1)
            self.templates_made += 1
            key = combination_of(state.record.words, kind, self.record.framebuffer)
            self._table.put(StagedTemplate(key, state, info, repeat, samples, self._scratch), old)

    def take_all(self, packet: Packet, carry_out: Callable[[], None]) -> None:
        """Take a packet created by Python. ``carry_out()`` flushes to make room."""
        for first in range(0, packet.primitives, MOST_TAKEN):
            count = min(packet.primitives - first, MOST_TAKEN)
            if not self.has_room(count):
                carry_out()
            self.take(packet, first, count)

    def take(self, packet: Packet, first: int, count: int) -> None:
        """Take `count` primitives of a packet created by Python, from number `first` on; `has_room` must be true."""
        self._append(self._at, packet.address, *packet.environments, first, count, packet.call)

    def count_primitives(self, packet: Packet) -> None:
        """Count the vertices and primitives of a packet created by Python."""
        self.record.vertices += packet.vertices
        self.record.primitives += packet.assembled
        self.record.polygon_triangles += packet.polygon_triangles

    def has_room(self, primitives: int) -> bool:
        """Return true if a packet of `primitives` primitives can be taken without a flush."""
        e = self.record
        spans = primitives // e.batch_size + 1
        return bool(e.queued < e.most_queued and e.num_spans + spans <= e.most_spans and e.num_batches + spans <= e.most_batches)

    def begin_pass(self, number: int, framebuffer: Framebuffer, passes: int) -> None:
        """Begin a pass with other targets. number: of their kind. passes: number of pending passes, including this one."""
        e, targets = self.record, [ReadRange(*piece) for piece in framebuffer.ranges()]
        e.framebuffer, e.width, e.height, e.is_layered, e.num_passes = number, framebuffer.width, framebuffer.height, 0, passes
        e.targets[: len(targets)], e.num_targets = targets, len(targets)
        e.targets_id, e.has_integers = next_serial(), has_integers(framebuffer)
        e.closed, e.pass_reads, e.epoch = e.num_batches, e.num_reads, e.epoch + 1

    def take_staged_counts(self) -> Drawn:
        """The counts of draws with more stages since the last call."""
        e, drawn = self.record, Drawn()
        counts = {name: getattr(e.staged_counts, name) for name in STAGE_COUNTS}
        drawn.generated, drawn.needed, drawn.written = (list(counts.pop(name)) for name in ("generated", "needed", "written"))
        drawn.counts.update(primitives=e.staged_primitives, **counts)
        e.staged_primitives, e.staged_counts = 0, StageCounts()
        return drawn

    # -- memory ----------------------------------------------------------------------------------------------------------
    def _begin_memory(self) -> None:
        """Give generated code the first memory of a frame."""
        self.record.wanted = 0
        self.give_memory()
        e = self.record
        e.first_memory, e.first_room, e.held = e.memory, e.room, 0

    def give_memory(self) -> None:
        """Allocate the memory that generated code has requested."""
        size = max(self.record.wanted, CHUNK - ALIGNMENT - SLACK)
        place = self._region.allocate(size)
        self.record.memory = self.record.memory_base = place
        self.record.room = size
        self.record.held += size

    def note_read(self, address: int, size: int) -> None:
        """Note memory that pending draws read."""
        if self.record.num_reads >= self.record.most_reads:
            self._size_reads(2 * self.record.most_reads)
        self._note(self._at, address, size, 1)

    def reads(self, address: int, size: int, *, in_pass: bool = False) -> bool:
        """Return true if pending draws, or only those to the bound targets, read any of `size` bytes at `address`."""
        return bool(self._meet(self._at, address, size, self.record.pass_reads if in_pass else 0))

    def upload(self, job: Copy, owner: object) -> Code:
        """Write rows of bytes now, or queue the write among the pending draws. UNKNOWN: too many bytes to queue; FULL: the queue is full.

        owner: keeps the target alive.
        """
        waiting = self.record.num_uploads
        rows = job.target, job.target_stride, job.source, job.source_stride, job.row_bytes, job.rows
        code: Code = _CODES[self._upload(self._at, *rows)]
        while code is Code.MEMORY:
            self.give_memory()
            code = _CODES[self._upload(self._at, *rows)]
        if self.record.num_uploads > waiting:
            self._region.keep(owner)
            self.record.keeps = 1
        return code

    def awaits_upload(self, address: int, size: int) -> bool:
        """Return true if pending writes may change any of `size` bytes at `address`."""
        return bool(self._awaits(self._at, address, size))

    def uploaded(self) -> list[tuple[int, int]]:
        """Memory that pending writes may change."""
        e = self.record
        return [(e.upload_begin, e.upload_end - e.upload_begin)] if e.num_uploads else []

    def all_reads(self) -> list[tuple[int, int]]:
        """Memory that pending draws read."""
        return [(r.address, r.size) for r in self._reads[: self.record.num_reads]]

    def _grow_reads(self) -> bool:
        """Grow the table of read ranges if it is full."""
        e = self.record
        if e.num_reads + ROOM_READS <= e.most_reads or e.most_reads >= MOST_READS:
            return False
        self._size_reads(2 * e.most_reads)
        return True

    def _size_reads(self, most: int) -> None:
        """Resize the table of read ranges to `most`, keeping its entries."""
        e, old = self.record, self._reads[: self.record.num_reads]
        reads, slots = (ReadRange * most)(), (ReadSlot * (2 * most))()
        e.reads, e.read_slots, e.reads_mask = ctypes.addressof(reads), ctypes.addressof(slots), 2 * most - 1
        self._reads, self._read_slots = reads, slots  # last, because generated code writes to the old table until here
        held, e.most_reads, e.num_reads, e.pass_reads = e.held, most, 0, 0
        for r in old:
            self._note(self._at, r.address, r.size, r.by_tiles)
        e.held = held

    # -- frames ----------------------------------------------------------------------------------------------------------
    def connect(self, pool: Pool, step: int, carry_out: Callable[[], None]) -> None:
        """Let a pool carry out the queue. Its workers are woken for each `step` of new work (`offer_work`); 0: never.

        carry_out: the method that flushes.
        """
        self._stopped, self._carry_out = pool.stopped, weak_method(carry_out)
        e, scene, run_ahead = self.record, pool.scene, pool.run_ahead if step else 0
        work = scene.asked
        work.spans, work.batches, work.uploads, work.clears = e.spans, e.batches, e.uploads, e.clears
        e.scene, e.run_ahead, e.ahead_step = ctypes.addressof(scene), run_ahead, step if run_ahead else NEVER
        e.ahead, e.watch = e.ahead_step, pool.watch.address
        e.flush, e.is_limited = pool.flush_address, pool.is_limited

    def note_run(self, reason: FlushReason) -> None:
        """Count a flush."""
        self.record.runs += 1
        self.record.flushes[REASONS.index(reason)] += 1

    def counts(self) -> dict[str, Any]:
        """Running totals, by the names of their counters."""
        e = self.record
        counts = {name: int(getattr(e, name)) for name in ("vertices", "primitives", "known_draws", "other_draws", "templates_composed")}
        return counts | {reason.value: int(count) for reason, count in zip(REASONS, e.flushes)} | {"templates_made": self.templates_made}

    def carry_out(self, reason: FlushReason) -> bool:
        """Run all pending work and end the frame in generated code. Returns False, with nothing done, if Python has to take part."""
        return not self._carry_out_natively(self._at, REASONS.index(reason))

    @property
    def has_work(self) -> bool:
        """True if draws or clears are queued."""
        return bool(self.record.num_spans or self.record.num_clears)

    def hand_over(self, work: Work) -> None:
        """Move the queue to a flush, and begin a new one. Memory is unchanged."""
        e = self.record
        e.ahead = e.ahead_step
        work.num_batches, work.num_clears, work.num_uploads = e.num_batches, e.num_clears, e.num_uploads
        e.num_spans = e.num_batches = e.closed = e.queued = e.num_clears = e.num_uploads = 0
        e.num_passes = 1

    def end_frame(self, states: Iterable[DrawState]) -> bool:
        """Invalidate the memory of draws. states: all states in use.

        Returns true if, as rarely happens, unused templates and their values were evicted.
        """
        for state in states:
            state.carried_out()
        self.record.keeps = 0
        e, are_values_many = self.record, any(state.numbers.is_crowded for state in states)
        if e.memory == e.first_memory and not e.num_reads and not are_values_many:
            return False
        e.frame, e.epoch, e.num_reads, e.pass_reads = e.frame + 1, e.epoch + 1, 0, 0
        e.room = 0  # if this fails, generated code requests the memory
        self._region.reset()
        self._begin_memory()
        self._table.end_frame()
        if e.frame % SWEEPING and not self.is_crowded and not are_values_many:
            return False
        are_parts_many = len(self._parts) >= MOST_PARTS  # most of them belong to parts of templates
        self._table.sweep(e.frame if self.is_crowded else e.frame - LIFE)
        self._parts.sweep(self._table.parts(), e.frame if are_parts_many else e.frame - LIFE)
        living = self._table.numbers() | self._parts.numbers()
        for state in states:
            state.sweep(living)
        return True

    def framebuffers(self) -> set[int]:
        """Numbers of the kinds of framebuffers of all templates and parts."""
        return self._table.framebuffers() | self._parts.framebuffers()
