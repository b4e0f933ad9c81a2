"""Written channels of outputs: those written on every path to the end of the program, and those written on some path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import and_

from passes.analysis import facts
from passes.analysis.access import results, written_channels
from passes.analysis.regions import Block, Call, If, Jump, Loop, Region, Regions, Switch, analyse_regions
from passes.analysis.uses import array_ranges
from tgsi.language.diagnostics import TgsiError
from tgsi.language.facts.enums import File
from tgsi.language.facts.stages import STAGES
from tgsi.language.facts.traits import Flow, Trait
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record


@record
class Written:
    """Masks of channels by OUT register, x in bit 0; registers without any are absent.

    `always`: written before the end of the program and before each EMIT, on every path. `ever`: written by some instruction. An indirect
    write adds all registers that it may reach to `ever`, and none to `always`.
    """

    always: Mapping[int, int]
    ever: Mapping[int, int]


def written_outputs(program: Program) -> Written:
    """Return the masks of a program, computed once, in time linear in its text.

    A program whose blocks do not nest is treated as straight-line code.
    """
    return facts.of(program, _written)


def _written(program: Program) -> Written:
    ever: dict[int, int] = {}
    is_straight = True
    for item in program.instructions:
        is_straight &= item.opcode.flow in (None, Flow.END) and Trait.EMIT not in item.opcode.traits
        for operand in results(item):
            if operand.register.file is File.OUT:
                for index in _reached(program, operand.register):
                    ever[index] = ever.get(index, 0) | written_channels(item, operand)
    if STAGES[program.processor].has_groups:  # invocations share the outputs, so no single one has to write them all
        return Written(ever, ever)
    walk = _Walk()
    try:
        done = walk.instructions(program.instructions, 0) if is_straight else walk.main(analyse_regions(program))
    except TgsiError:
        return Written(ever, ever)
    always = {index: mask for index in ever if (mask := done >> 4 * index & 15)}
    return Written(always, ever)


def _reached(program: Program, register: RegisterRef) -> Iterable[int]:
    if register.indirect is None:
        return (register.index,)
    whole = range(program.file_size(File.OUT))
    return facts.of(program, array_ranges).get((File.OUT, register.array_id), whole)


_ALL = -1
"""The set of an unreachable place: every channel, the neutral element of the intersection where paths join."""


class _Walk:
    """A walk over the regions. A set of channels is one number, four bits a register."""

    def __init__(self) -> None:
        self.regions: Regions | None = None
        self.ends: list[int] = []  # sets at RET of the routine at hand
        self.breaks: list[list[int]] = []  # sets at BRK, for each open loop or switch
        self.emits: list[int] = []

    def main(self, regions: Regions) -> int:
        """The set at the end of the program and at every EMIT."""
        self.regions = regions
        last = self.region(regions.main, 0)
        ways = self.emits or [last, *self.ends]
        return reduce(and_, ways)

    def region(self, region: Region, done: int) -> int:
        for node in region:
            done = self.node(node, done)
        return done

    def node(self, node: object, done: int) -> int:
        match node:
            case Block():
                return self.instructions(node.instructions, done)
            case If():
                return self.region(node.then, done) & self.region(node.otherwise, done)
            case Loop():
                return self.loop(node, done)
            case Switch():
                return self.switch(node, done)
            case Call():
                return self.sub(node.sub, done)
            case Jump():
                if node.kind is Flow.RETURN:
                    self.ends.append(done)
                elif node.kind is Flow.BREAK:
                    self.breaks[-1].append(done)
                return _ALL
        raise AssertionError(node)

    def loop(self, node: Loop, done: int) -> int:
        """A loop ends by BRK, or after a round without fuel; the latter is used only for loops without BRK."""
        self.breaks.append([])
        last = self.region(node.body, done)
        ends = self.breaks.pop()
        return reduce(and_, ends) if ends else last

    def switch(self, node: Switch, done: int) -> int:
        self.breaks.append([])
        through = _ALL  # the set of lanes that fall into the next arm
        for arm in node.arms:
            through = self.region(arm.body, done & through)
        ends = [through, *self.breaks.pop()]
        if not any(arm.is_default for arm in node.arms):
            ends.append(done)
        return reduce(and_, ends)

    def sub(self, index: int, done: int) -> int:
        """Walk a call as if the subroutine stood in its place; `analyse_regions` bounds the resulting length."""
        assert self.regions is not None
        ends, self.ends = self.ends, []
        last = self.region(self.regions.subs[index].body, done)
        written = reduce(and_, [last, *self.ends])
        self.ends = ends
        return written

    def instructions(self, items: Iterable[Instruction], done: int) -> int:
        for item in items:
            if Trait.EMIT in item.opcode.traits:
                self.emits.append(done)
            for operand in results(item):
                register = operand.register
                if register.file is File.OUT and register.indirect is None:
                    done |= operand.write_mask << 4 * register.index
        return done
