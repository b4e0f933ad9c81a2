"""Memory that programs of draws read and write: its records in a frame's memory, and which draws have to wait for which.

Nothing waits but for a flush. Draws with the same programs share memory without waiting: what they do to one word is for their
atomics, and for barriers. Every other order is the order of the calls: a draw whose memory others write, or that writes what others
read, is made after a flush.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from backends.abi.records import ShaderEnv
from backends.device.bound import DrawState, StageState
from backends.device.memory import Range
from backends.device.needs import ShaderNeeds, needs_of
from backends.device.region import Region
from backends.device.tables import BufferTable

Programs = tuple[int, ...]
"""Serial numbers of a draw's shaders."""


def bind_memory(region: Region, env: ShaderEnv, demand: ShaderNeeds, bindings: StageState, counters: BufferTable) -> None:
    """Copy the records of buffers, images and counters; what is bound lives as long as the region."""
    env.buffers = region.copy(bindings.buffers.address, bindings.buffers.size)
    env.counters = region.copy(counters.address, counters.size)
    if demand.images and not demand.handles:
        env.images = region.copy(bindings.images.address, bindings.images.size)
    for item in (*bindings.buffers.items, *counters.items, *bindings.images.items):
        if item is not None:
            region.keep(item.keepalive)


@dataclass(frozen=True, slots=True)
class Reach:
    """Ranges of memory that a draw's programs may touch, and may change."""

    programs: Programs
    touched: tuple[Range, ...]
    written: tuple[Range, ...]
    is_ordered: bool = False  # one thread has to run the fragments
    is_early: bool = False  # stages in front of the rasterizer write,
    is_alone: bool = False  # ... and one thread has to run them


def reach_of(state: DrawState) -> Reach | None:
    """The memory that a draw's programs may touch with these bindings; None where they touch none."""
    touched: list[Range] = []
    written: list[Range] = []
    early: list[Range] = []
    is_ordered = is_early = is_alone = has_atomics = False
    stages = state.drawn_stages()
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
            else:
                early += ranges
                is_early |= effects.writes
                is_alone |= effects.is_ordered
                has_atomics |= bool(effects.atomics)
    if not touched:
        return None
    is_alone |= has_atomics and entangled(early)
    programs = tuple(stage.shader.serial if stage.shader is not None else 0 for stage in stages)
    return Reach(programs, tuple(touched), tuple(written), is_ordered, is_early, is_alone)


def fixed_reads(state: DrawState) -> Iterator[Range]:
    """Memory that a draw reads in addition to its programs' buffers and images: vertices, indices, constants, textures."""
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
    """Some byte lies in both."""
    others = list(second)
    return any(a < b + n and b < a + m for a, m in first for b, n in others)


def entangled(ranges: Sequence[Range]) -> bool:
    """Two bindings share memory: what one atomic changes, another one, or a load, may mean by another name."""
    ends = 0
    for start, size in sorted(ranges):
        if start < ends:
            return True
        ends = max(ends, start + size)
    return False


@dataclass(slots=True)
class Waiting:
    """Memory that programs of waiting draws touch and write; draws wait for a flush."""

    touched: dict[Range, set[Programs]] = field(default_factory=dict)
    written: dict[Range, set[Programs]] = field(default_factory=dict)

    def note(self, reach: Reach) -> None:
        """One more draw waits."""
        for ranges, into in ((reach.touched, self.touched), (reach.written, self.written)):
            for found in ranges:
                into.setdefault(found, set()).add(reach.programs)

    def clear(self) -> None:
        """All is done."""
        self.touched.clear()
        self.written.clear()

    def blocks(self, state: DrawState, reach: Reach | None, reads: Iterable[Range], targets: Iterable[Range]) -> bool:
        """A draw has to come after a flush. reads: what waiting draws read; targets: what draws and clears change."""
        if self.written and meet(fixed_reads(state), self.written):
            return True
        if reach is None:
            return False
        own = set() if reach.is_early else {reach.programs}  # stages in front of the rasterizer do not wait for fragments
        others = [r for r, programs in self.touched.items() if programs != own]
        writers = [r for r, programs in self.written.items() if programs != own]
        return meet(reach.touched, writers) or meet(reach.written, [*others, *reads]) or meet(reach.touched, targets)
