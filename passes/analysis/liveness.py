"""Which register channels may still be read: backwards over the flow graph, to a fixed point.

A set of channels is one integer; `LiveSets.bit` says which bit a channel has. Outputs are read where the program ends, and at EMIT.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from passes.analysis.graph import Graph, flow_graph
from passes.analysis.uses import KEPT, Access, array_ranges, reachable, reads_of, writes_of
from tgsi.enums import File
from tgsi.ir import Program

MAX_CHANNELS = 1 << 16
"""Registers beyond this many channels share no bits: a program with more is refused by the limits anyway."""


@dataclass(frozen=True, slots=True)
class LiveSets:
    """Live channels at the end of each block; ask `after` for those behind single instructions."""

    graph: Graph
    at_end: tuple[int, ...]
    _model: _Model

    def bit(self, file: File, index: int, channel: int) -> int:
        """The bit of a channel, 0 for what has none (constants, inputs)."""
        return self._model.mask(file, index, 1 << channel)

    def after(self, block: int) -> Iterator[tuple[int, int]]:
        """(instruction, channels that are live behind it) from the last instruction of a block to its first."""
        live = self.at_end[block]
        for place in reversed(self.graph.blocks[block]):
            yield place, live
            reads, writes = self._model.effect(place)
            live = live & ~writes | reads

    def is_live_after(self, instruction: int, file: File, index: int, channel: int) -> bool:
        """Something may read the channel behind an instruction. Costs a walk over its block."""
        wanted = self.bit(file, index, channel)
        for number, block in enumerate(self.graph.blocks):
            if instruction in block:
                return any(place == instruction and live & wanted for place, live in self.after(number))
        raise IndexError(f"the program has no instruction {instruction}")


class _Model:
    """Bits of channels, and what each instruction does to them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.arrays = array_ranges(program)
        sizes = {file: program.file_size(file) for file in KEPT}
        for item in program.instructions:
            for access in (*reads_of(item), *writes_of(item)):
                register = access.register
                if register.file in sizes and register.indirect is None:
                    sizes[register.file] = max(sizes[register.file], register.index + 1)
        self.sizes = {file: min(size, MAX_CHANNELS // 4) for file, size in sizes.items()}
        self.base: dict[File, int] = {}
        self.known: dict[tuple[File, int, int, int], int] = {}
        bits = 0
        for file, size in self.sizes.items():
            self.base[file] = bits
            bits += 4 * size
        self.outputs = ((1 << 4 * self.sizes[File.OUT]) - 1) << self.base[File.OUT]

    def mask(self, file: File, index: int, channels: int) -> int:
        if file not in self.base or not 0 <= index < self.sizes[file]:
            return 0
        return channels << self.base[file] + 4 * index

    def of(self, access: Access) -> int:
        register = access.register
        if register.file not in self.base:
            return 0
        reached = reachable(self.arrays, self.sizes, register)
        key = register.file, reached.start, reached.stop, access.mask
        found = self.known.get(key)
        if found is None:
            found = 0
            for index in reached:
                found |= self.mask(register.file, index, access.mask)
            self.known[key] = found
        return found

    def effect(self, place: int) -> tuple[int, int]:
        """Channels that an instruction reads, and those that it surely writes."""
        item = self.program.instructions[place]
        reads = writes = 0
        for access in reads_of(item):
            reads |= self.of(access)
        for access in writes_of(item):
            if not access.is_indirect and access.register.dimension is None:
                writes |= self.of(access)
        if item.opcode.name == "EMIT":
            reads |= self.outputs
        return reads, writes


def analyse_liveness(program: Program) -> LiveSets:
    """Live channels of a validated program."""
    graph = flow_graph(program)
    model = _Model(program)
    effects: list[tuple[int, int]] = []
    for block in graph.blocks:
        reads = writes = 0
        for place in reversed(block):
            item_reads, item_writes = model.effect(place)
            reads = reads & ~item_writes | item_reads
            writes |= item_writes
        effects.append((reads, writes))
    at_end = [0] * len(graph.blocks)
    before = [0] * len(graph.blocks)
    predecessors: list[list[int]] = [[] for _ in graph.blocks]
    for number, successors in enumerate(graph.successors):
        for successor in successors:
            predecessors[successor].append(number)
    waiting = list(range(len(graph.blocks)))
    queued = set(waiting)
    while waiting:
        number = waiting.pop()
        queued.discard(number)
        live = model.outputs if number in graph.exits else 0
        for successor in graph.successors[number]:
            live |= before[successor]
        at_end[number] = live
        reads, writes = effects[number]
        live = live & ~writes | reads
        if live != before[number]:
            before[number] = live
            for predecessor in predecessors[number]:
                if predecessor not in queued:
                    queued.add(predecessor)
                    waiting.append(predecessor)
    return LiveSets(graph, tuple(at_end), model)
