"""Memory that programs of draws access: tables of bindings, ranges that pending draws write, and approved draws.

Python checks the first draw of programs with their memory and approves it. Generated code takes further ones until the next flush or change
of targets. It detects reads of memory that pending programs write (`approvals`), and requests a flush.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Sequence

from backends.abi.records import ShaderEnv
from backends.device.bound import DrawState, StageState
from backends.device.commands.bound_record import TABLES, shader_word
from backends.device.hazards import Reach, Waiting, bind_memory, meet
from backends.device.memory import Range
from backends.device.needs import ShaderNeeds, needs_of
from backends.device.region import Region
from backends.software.commands.records import (
    MOST_APPROVED,
    MOST_WRITTEN,
    REACHED,
    ApprovedDraw,
    ExecutorRecord,
    ReadRange,
)
from tgsi.language.facts.enums import Processor


def reached_tables(stage: int, needs: ShaderNeeds) -> int:
    """Place of a stage's tables in `ExecutorRecord.tables`, plus 1; 0 if its program accesses no memory."""
    return REACHED.index(Processor(stage)) + 1 if has_tables(needs) else 0


def may_have_tables(needs: ShaderNeeds) -> bool:
    """True if a program can have templates, which is impossible with handles, as these may name any resident resource."""
    return not needs.handles


def has_tables(needs: ShaderNeeds) -> bool:
    """True if a program needs tables of buffers, counters and images."""
    return bool(needs.effects.touches or needs.images)


def place_tables(record: ExecutorRecord, region: Region, state: DrawState) -> bool:
    """Copy the tables of bindings into `region`. Returns False if the programs of a draw need more than tables.

    Draws do not share environments, so a vector never has fragments of two draws, and memory is accessed in the order of the calls.
    """
    stages: list[tuple[int, StageState, ShaderNeeds]] = []
    for place, processor in enumerate(REACHED):
        bindings = state.stage[processor]
        needs = needs_of(bindings.shader)
        if not may_have_tables(needs):
            return False
        if has_tables(needs):
            stages.append((place, bindings, needs))
    for place, bindings, needs in stages:
        env = ShaderEnv()
        bind_memory(region, env, needs, bindings, state.counters)
        record.tables[TABLES * place : TABLES * (place + 1)] = env.buffers or 0, env.counters or 0, env.images or 0
    return True


class ReachedMemory:
    """The memory that programs of a renderer's pending draws access.

    Attributes: waiting: ranges, with the programs that access them. is_ordered: a single thread has to draw all pending work.
    """

    def __init__(self, record: ExecutorRecord) -> None:
        self.waiting, self.is_ordered = Waiting(), False
        self._record, self._is_clear = record, True  # clear if no pending draw reads memory that pending programs write
        self._written = (ReadRange * MOST_WRITTEN)()
        record.written = ctypes.addressof(self._written)

    @property
    def touched(self) -> Collection[Range]:
        """Ranges that programs read or write."""
        return self.waiting.touched

    @property
    def written(self) -> Collection[Range]:
        """Ranges that programs write."""
        return self.waiting.written

    def blocks(self, state: DrawState, reach: Reach | None, reads: Sequence[Range], targets: Sequence[Range]) -> bool:
        """Return true if a draw needs a flush first. reads, targets: as for `note`."""
        if reach is not None and reach.is_ordered and not self.is_ordered:
            return True  # their order depends on windows, which must not depend on the progress of workers
        return self.waiting.blocks(state, reach, reads, targets)

    def note(self, reach: Reach, reads: Sequence[Range], targets: Sequence[Range]) -> None:
        """Record the memory that a pending draw accesses. reads, targets: memory that draws read, and that they and clears draw to."""
        self.waiting.note(reach)
        self.is_ordered |= reach.is_ordered or meet(reach.written, targets)
        written = [*self.waiting.written]
        self._is_clear &= len(written) <= MOST_WRITTEN and not meet(reach.written, reads)
        for place, (address, size) in enumerate(written[:MOST_WRITTEN]):
            self._written[place] = ReadRange(address, size)
        self._record.num_written = min(len(written), MOST_WRITTEN)

    def approve(self, state: DrawState) -> None:
        """Let generated code take further draws with the tables of the present one."""
        record, bound = self._record, state.record
        if not self._is_clear or state.has_stages:
            return
        words = bound.words
        shaders = (words[shader_word(processor)] for processor in REACHED)
        place = record.num_approved % MOST_APPROVED
        record.approved[place] = ApprovedDraw(
            ctypes.addressof(bound), bound.memory_revision, (ctypes.c_uint64 * len(REACHED))(*shaders), record.tables
        )
        record.num_approved += 1

    def begin_pass(self) -> None:
        """Withdraw approvals, because the targets change."""
        if self.waiting.written:
            self._is_clear, self._record.is_hindered = False, 1
        self._forget_approved()

    def clear(self) -> None:
        """Forget all ranges after a flush."""
        self.waiting.clear()
        self.is_ordered, self._is_clear = False, True
        self._record.num_written = self._record.reads_pending_write = 0
        self._forget_approved()

    def _forget_approved(self) -> None:
        if self._record.num_approved:
            self._record.num_approved = self._record.template = 0

    def hinder(self, *, is_resolving: bool) -> None:
        """Send draws and writes through Python while they may have to wait for pending draws. is_resolving: resolves are pending."""
        self._record.is_hindered = is_resolving or not self._is_clear
        self._record.is_reached = bool(self.waiting.touched)
