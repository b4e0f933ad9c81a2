"""Hazards between draws whose programs read and write memory: whether a draw has to wait for earlier ones.

A draw waits by flushing; there is no finer synchronization. Draws with the same programs share memory without waiting: their atomics and
barriers order accesses to the same word. In all other cases memory changes in the order of the calls: a draw waits for a flush if pending
draws write its memory, or if it writes memory that they read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, field

from backends.abi.records import ShaderEnv
from backends.device.bound import DrawState, StageState
from backends.device.memory import Range
from backends.device.needs import ShaderNeeds, needs_of
from backends.device.region import Region
from backends.device.tables import BufferTable
from tgsi.language.record import record

Programs = tuple[int, ...]
"""Serial numbers of a draw's shaders."""


def bind_memory(region: Region, env: ShaderEnv, demand: ShaderNeeds, bindings: StageState, counters: BufferTable) -> None:
    """Copy the records of buffers, images and counters into `region`, and keep their memory alive as long as the region."""
    env.buffers = region.copy(bindings.buffers.address, bindings.buffers.size)
    env.counters = region.copy(counters.address, counters.size)
    if demand.images and not demand.handles:
        env.images = region.copy(bindings.images.address, bindings.images.size)
    for item in (*bindings.buffers.items, *counters.items, *bindings.images.items):
        if item is not None:
            region.keep(item.keepalive)


@record
class Reach:
    """Ranges of memory that a draw's programs may access, and ranges that they may write.

    Attributes:
        is_ordered: one thread has to run the fragment shader.
        is_early: stages in front of the rasterizer write memory.
        is_alone: one thread has to run the stages in front of the rasterizer.
        late: the reach of the fragment shader alone, which still runs when the stages in front of the rasterizer are done; None if it
        reaches nothing.
    """

    programs: Programs
    touched: tuple[Range, ...]
    written: tuple[Range, ...]
    _: KW_ONLY
    is_ordered: bool = False
    is_early: bool = False
    is_alone: bool = False
    late: Reach | None = None


def reach_of(state: DrawState) -> Reach | None:
    """Return the memory that a draw's programs may touch with these bindings, or None if they touch none."""
    touched: list[Range] = []
    written: list[Range] = []
    early: list[Range] = []
    late: Reach | None = None
    is_ordered = is_early = is_alone = has_atomics = False
    stages = state.drawn_stages()
    programs = tuple(stage.shader.serial if stage.shader is not None else 0 for stage in stages)
    for bindings in stages:
        demand = needs_of(bindings.shader)
        effects = demand.effects
        if effects.touches:
            ranges = [*bindings.buffers.ranges(), *bindings.images.ranges(), *state.counters.ranges()]
            if demand.handles:
                ranges += bindings.residents.image_ranges()
            touched += ranges
            written += ranges if effects.writes else []
            if bindings is state.fragment:
                is_ordered = effects.is_ordered or (bool(effects.atomics) and entangled(ranges))
                late = Reach(programs, tuple(ranges), tuple(ranges) if effects.writes else (), is_ordered=is_ordered)
            else:
                early += ranges
                is_early |= effects.writes
                is_alone |= effects.is_ordered
                has_atomics |= bool(effects.atomics)
    if not touched:
        return None
    is_alone |= has_atomics and entangled(early)
    return Reach(programs, tuple(touched), tuple(written), is_ordered=is_ordered, is_early=is_early, is_alone=is_alone, late=late)


def fixed_reads(state: DrawState) -> Iterator[Range]:
    """Return the memory that a draw reads in addition to its programs' buffers and images: vertices, indices, constants, textures."""
    if state.mesh.shader is None:
        if state.index_buffer is not None:
            yield state.index_buffer.address, state.index_buffer.size
        for buffer in state.vertex_buffers:
            if buffer is not None:
                yield buffer.address, buffer.size
    if state.vertex.residents.textures:
        yield from state.vertex.residents.texture_ranges()
    for stage in state.drawn_stages():
        for memory in stage.constants:
            if memory is not None:
                yield memory.address, memory.size
        for view in stage.views:
            if view is not None:
                yield view.record.base or 0, view.record.size


def meet(first: Iterable[Range], second: Iterable[Range]) -> bool:
    """Return true if a range of `first` overlaps one of `second`."""
    others = list(second)
    return any(a < b + n and b < a + m for a, m in first for b, n in others)


def entangled(ranges: Sequence[Range]) -> bool:
    """Return true if two ranges overlap, so that an atomic on one binding may change a word of another binding."""
    ends = 0
    for start, size in sorted(ranges):
        if start < ends:
            return True
        ends = max(ends, start + size)
    return False


@record(frozen=False)
class Waiting:
    """Memory that pending draws touch and write, by program."""

    touched: dict[Range, set[Programs]] = field(default_factory=dict)
    written: dict[Range, set[Programs]] = field(default_factory=dict)

    def note(self, reach: Reach) -> None:
        """Add the memory of a draw that is now pending."""
        for ranges, into in ((reach.touched, self.touched), (reach.written, self.written)):
            for piece in ranges:
                into.setdefault(piece, set()).add(reach.programs)

    def clear(self) -> None:
        """Forget all ranges, after a flush."""
        self.touched.clear()
        self.written.clear()

    def blocks(self, state: DrawState, reach: Reach | None, reads: Iterable[Range], targets: Iterable[Range]) -> bool:
        """Return true if a draw needs a flush first.

        reads: memory that pending draws read; targets: memory that draws and clears write.
        """
        if self.written and meet(fixed_reads(state), self.written):
            return True
        if reach is None:
            return False
        own = set() if reach.is_early else {reach.programs}  # stages in front of the rasterizer run before pending fragments
        others = [r for r, programs in self.touched.items() if programs != own]
        writers = [r for r, programs in self.written.items() if programs != own]
        return meet(reach.touched, writers) or meet(reach.written, [*others, *reads]) or meet(reach.touched, targets)
