"""Liveness: the register channels that are still needed after each instruction, on any path of a lane.

A set of channels is one integer; `Liveness.bit` gives the bit of a channel. Outputs are read at the end of the program, and at EMIT.
Channels that derivatives and samples read under a branch are needed everywhere, because these also read lanes on other paths.
"""

from __future__ import annotations

from collections.abc import Sequence

from passes.analysis.access import (
    results,
    written_channels,
)
from passes.analysis.graph import flow_graph
from passes.analysis.uses import KEPT, Access, array_ranges, index_reads, reachable, reads_of
from tgsi.language.channels import source_channels, swizzled
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import CLOSERS, OPENERS, Flow, Mode, Trait
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record

MAX_CHANNELS = 1 << 16
"""Channels of a file that have bits. Registers beyond them have none, but the limits reject such programs anyway."""


@record(frozen=False)
class Effect:
    """The effect of one instruction on the sets.

    `by_channel`: channels read for each written channel; `always`: channels read in any case.
    """

    always: int
    by_channel: tuple[int, int, int, int] | None
    may_write: int
    surely_writes: int
    removable: bool


class Channels:
    """The bits of the channels of a program's registers in `files`, OUT among them."""

    def __init__(self, program: Program, files: Sequence[File] = KEPT) -> None:
        self._arrays = array_ranges(program)
        self._sizes = {file: min(program.file_size(file), MAX_CHANNELS // 4) for file in files}
        self._base: dict[File, int] = {}
        self._known: dict[tuple[File, int, int, int], int] = {}
        bits = 0
        for file, size in self._sizes.items():
            self._base[file] = bits
            bits += 4 * size
        self.outputs = self.of_file(File.OUT)

    def of_file(self, file: File, registers: int = -1) -> int:
        """Return the set of all channels of a file. `registers`: bit r is set to include register r."""
        chosen = (15 << 4 * index for index in range(self._sizes[file]) if registers >> index & 1)
        return ((1 << 4 * self._sizes[file]) - 1 if registers == -1 else sum(chosen)) << self._base[file]

    def places(self, file: File, cells: int) -> frozenset[tuple[int, int]]:
        """Return the channels of a file that are in a set, as (register, channel)."""
        bits = (cells & self.of_file(file)) >> self._base[file]
        return frozenset(divmod(bit, 4) for bit in range(bits.bit_length()) if bits >> bit & 1)

    def shift(self, register: RegisterRef) -> int:
        """Return the bit number of the register's x channel."""
        return self._base[register.file] + 4 * register.index

    def cells(self, register: RegisterRef, mask: int) -> int:
        """Return the set of the channels `mask` of a register, or of all registers that an indirect operand may reach; 0 for read-only
        files.
        """
        if register.file not in self._base:
            return 0
        if register.indirect is None:
            return mask << self.shift(register) if register.index < self._sizes[register.file] else 0
        reached = reachable(self._arrays, self._sizes, register)
        key = register.file, reached.start, reached.stop, mask
        if key not in self._known:
            last = min(reached.stop, self._sizes[register.file])
            repeated = int(f"{mask:x}" * (last - reached.start) or "0", 16)
            self._known[key] = repeated << self._base[register.file] + 4 * reached.start
        return self._known[key]

    def of(self, access: Access) -> int:
        """Return the set of the channels of an access."""
        return self.cells(access.register, access.mask)


class Liveness:
    """The analysis of one validated program; `after[i]` is the set after instruction i.

    `only_needed`: an instruction whose results are all unneeded reads nothing; otherwise every read makes its channels live.
    """

    def __init__(self, program: Program, *, only_needed: bool = True) -> None:
        self.program = program
        self.graph = flow_graph(program)
        self.channels = Channels(program)
        self.effects = [self._effect(item, only_needed) for item in program.instructions]
        self.pinned = self._pinned()
        self.after = [0] * len(program.instructions)
        self._solve()

    def bit(self, file: File, index: int, channel: int) -> int:
        """Return the bit of a channel; 0 for constants and inputs, which have none."""
        return self.channels.cells(RegisterRef(file, index), 1 << channel)

    def is_live_after(self, instruction: int, file: File, index: int, channel: int) -> bool:
        """Return true if the channel may be needed after an instruction."""
        return bool(self.after[instruction] & self.bit(file, index, channel))

    def is_dead(self, number: int) -> bool:
        """Return true if no result or effect of the instruction is needed."""
        return _is_dead(self.effects[number], self.after[number])

    def _effect(self, item: Instruction, only_needed: bool) -> Effect:
        may = sure = always = 0
        for operand in results(item):
            register = operand.register
            may |= self.channels.cells(register, written_channels(item, operand))
            row = register.file is File.OUT and register.dimension is not None  # other files ignore the dimension
            if register.indirect is None and not row and not item.opcode.uses_64bit:
                sure |= self.channels.cells(register, operand.write_mask)
        files = {operand.register.file for operand in item.dst}
        removable = only_needed and item.opcode.is_removable and files <= {File.TEMP, File.ADDR, File.NULL}
        if Trait.EMIT in item.opcode.traits:
            always |= self.channels.outputs
        if not (removable and item.opcode.is_computed and item.opcode.mode is Mode.COMPONENTWISE and may == sure != 0):
            for access in reads_of(item):
                always |= self.channels.of(access)
            return Effect(always, None, may, sure, removable)
        by_channel = [0, 0, 0, 0]
        for register in (*(operand.register for operand in item.dst), *(operand.register for operand in item.src)):
            for access in index_reads(register):
                always |= self.channels.of(access)
        for number, source in enumerate(item.src):
            wanted = source_channels(item, number)
            for c in range(4):
                by_channel[c] |= self.channels.cells(source.register, swizzled(source.swizzle, wanted & 1 << c))
        x, y, z, w = by_channel
        return Effect(always, (x, y, z, w), may, sure, removable)

    def _pinned(self) -> int:
        pinned = depth = 0
        returned = False
        for item, effect in zip(self.program.instructions, self.effects):
            flow = item.opcode.flow
            if flow in OPENERS:
                depth += 1
            elif flow in CLOSERS:
                depth -= 1
            elif flow is Flow.RETURN:
                returned = True
            elif item.opcode.looks_at_other_lanes and (depth or returned):
                pinned |= effect.always
        return pinned

    def _before(self, number: int, live: int) -> int:
        """Return the set before an instruction, from the set after it."""
        effect = self.effects[number]
        if _is_dead(effect, live):
            return live
        needed = effect.always
        if effect.by_channel is not None:
            target = self.program.instructions[number].dst[0]
            wanted = target.write_mask & live >> self.channels.shift(target.register)
            for channel in range(4):
                if wanted >> channel & 1:
                    needed |= effect.by_channel[channel]
        return live & ~effect.surely_writes | needed | self.pinned

    def _solve(self) -> None:
        """Iterate backward to the fixed point; only loops need a second round."""
        blocks, successors = self.graph.blocks, self.graph.successors
        predecessors: list[list[int]] = [[] for _ in blocks]
        for number, following in enumerate(successors):
            for successor in following:
                predecessors[successor].append(number)
        before = [self.pinned] * len(blocks)
        waiting = list(range(len(blocks)))
        queued = set(waiting)
        while waiting:
            number = waiting.pop()
            queued.discard(number)
            live = self.pinned | (self.channels.outputs if number in self.graph.exits else 0)
            for successor in successors[number]:
                live |= before[successor]
            for place in reversed(blocks[number]):
                self.after[place] = live
                live = self._before(place, live)
            if live != before[number]:
                before[number] = live
                again = set(predecessors[number]) - queued
                queued |= again
                waiting += sorted(again)


def _is_dead(effect: Effect, live: int) -> bool:
    return effect.removable and not effect.may_write & live
