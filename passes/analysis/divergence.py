"""Which register channels and instructions are uniform: the same for all lanes of a run, whatever the run.

Registers are judged over the whole program (not per place): a channel is divergent when any write may give it different values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from passes.analysis.regions import Block, Call, If, Jump, Loop, Region, Regions, Switch, analyse_regions, children, walk
from passes.analysis.uses import KEPT, Access, array_ranges, reachable, reads_of, writes_of
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program

_SAME = frozenset(
    {"GRID_SIZE", "BLOCK_SIZE", "BLOCK_ID", "DRAWID", "BASEVERTEX", "BASEINSTANCE", "WORK_DIM", "VERTICESIN", "SUBGROUP_SIZE"}
)
"""System values that all lanes share."""

_OWN = frozenset({"CLOCK", "READ_HELPER", "BALLOT", "READ_FIRST", "READ_INVOC", "VOTE_ANY", "VOTE_ALL", "VOTE_EQ", "FBFETCH"})
"""Opcodes whose result is the lane's or the quad's own, whatever they read."""

_CONSTANT = frozenset({File.CONST, File.IMM, File.CONSTBUF, File.SAMP, File.SVIEW, File.NULL})


@dataclass(frozen=True, slots=True)
class Divergence:
    """`channels`: a bit for each divergent one of a file, at 4 * register + channel. `instructions` (ids) run under divergent control."""

    channels: Mapping[File, int]
    instructions: frozenset[int]
    _same_values: frozenset[int]

    def is_uniform(self, file: File, index: int, channel: int) -> bool:
        """All lanes hold the same value."""
        if file is File.SV:
            return index in self._same_values
        return file in _CONSTANT or (file in KEPT and not self.channels[file] >> 4 * index + channel & 1)

    def is_converged(self, instruction: Instruction) -> bool:
        """All lanes run the instruction, or none."""
        return id(instruction) not in self.instructions


def analyse_divergence(program: Program) -> Divergence:
    """Divergence of a validated program. Raises what `analyse_regions` does."""
    walker = _Walker(program, analyse_regions(program))
    while walker.sweep():
        pass
    return Divergence(walker.channels, frozenset(walker.instructions), walker.same_values)


class _Walker:
    def __init__(self, program: Program, regions: Regions) -> None:
        self.regions = regions
        self.channels: dict[File, int] = dict.fromkeys(KEPT, 0)
        self.known: dict[tuple[File, int, int, int], int] = {}
        self.instructions: set[int] = set()
        self.loops: set[int] = set()
        self.returned: set[int] = set()
        self.called: set[int] = set()
        self.arrays = array_ranges(program)
        self.sizes = {file: program.file_size(file) for file in File}
        self.same_values = frozenset(
            index
            for item in program.declared(File.SV)
            if item.semantic is not None and item.semantic.name in _SAME
            for index in range(item.first, min(item.last, item.first + 64) + 1)
        )

    def state(self) -> tuple[int, ...]:
        return *self.channels.values(), len(self.instructions), len(self.loops), len(self.returned), len(self.called)

    def sweep(self) -> bool:
        """Go over the program once; whether anything new was found."""
        before = self.state()
        self.region(self.regions.main, False, -1)
        for number, sub in self.regions.subs.items():
            self.region(sub.body, number in self.called, number)
        return self.state() != before

    def region(self, region: Region, apart: bool, sub: int) -> None:
        for node in region:
            apart = apart or sub in self.returned
            match node:
                case Block():
                    for item in node.instructions:
                        self.instruction(item, apart)
                case Jump():
                    self.mark(node.instruction, apart)
                    if apart and node.kind == "RET":
                        self.returned.add(sub)
                case Call():
                    self.mark(node.instruction, apart)
                    if apart:
                        self.called.add(node.sub)
                case Loop():
                    self.mark(node.head, apart)
                    inner = apart or id(node.head) in self.loops
                    self.region(node.body, inner, sub)
                    if any(id(item.instruction) in self.instructions for item in walk(node.body) if isinstance(item, Jump)):
                        self.loops.add(id(node.head))
                case If() | Switch():
                    self.mark(node.head, apart)
                    heads = [node.head, *(arm.head for arm in node.arms)] if isinstance(node, Switch) else [node.head]
                    inner = apart or not all(self.uniform(access) for head in heads for access in reads_of(head))
                    inner = inner or (isinstance(node, Switch) and self.leaves_apart(node))
                    for child in children(node):
                        self.region(child, inner, sub)

    def leaves_apart(self, node: Switch) -> bool:
        """Some lanes leave an arm before others."""
        return any(id(item.instruction) in self.instructions for arm in node.arms for item in walk(arm.body) if isinstance(item, Jump))

    def mark(self, item: Instruction, apart: bool) -> None:
        if apart:
            self.instructions.add(id(item))

    def instruction(self, item: Instruction, apart: bool) -> None:
        self.mark(item, apart)
        own = item.opcode.name in _OWN or item.opcode.is_store
        if apart or own or not all(self.uniform(access) for access in reads_of(item)):
            for access in writes_of(item):
                self.write(access)
        else:  # a uniform value at a place that differs between lanes
            for access in writes_of(item):
                if access.is_indirect and not self.uniform_index(access.register):
                    self.write(access)

    def bits(self, access: Access) -> int:
        """Bits of the channels that an access may be to."""
        register = access.register
        reached = reachable(self.arrays, self.sizes, register)
        key = register.file, max(0, reached.start), reached.stop, access.mask
        if key not in self.known:
            found = 0
            for index in range(key[1], key[2]):
                found |= access.mask << 4 * index
            self.known[key] = found
        return self.known[key]

    def write(self, access: Access) -> None:
        self.channels[access.register.file] |= self.bits(access)

    def uniform_index(self, register: RegisterRef) -> bool:
        indirect = register.indirect
        return indirect is None or self.uniform(Access(0, -1, RegisterRef(indirect.file, indirect.index), 1 << indirect.component))

    def uniform(self, access: Access) -> bool:
        register = access.register
        if register.file is File.SV:
            return register.indirect is None and register.index in self.same_values
        if register.file in _CONSTANT:
            return True  # the registers that hold its indices are accesses of their own
        if register.file not in KEPT:
            return False
        return not self.channels[register.file] & self.bits(access)
