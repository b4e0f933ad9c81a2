"""The pass flatten-branches: deep chains of IFs as IFs that stand one after another.

Everything after this pass may walk blocks by recursion. Clients nest as deep as their chains of `else if` are long: Mesa writes a
`switch` of a thousand cases as a thousand IFs inside of each other.
"""

from __future__ import annotations

from dataclasses import field

from passes.analysis.regions import MAX_DEPTH
from passes.base import Pass
from passes.edit import Immediates, Temporaries, destination, source_of, with_operands, with_parts
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.opcodes import FLOW_NAMES, OPCODES
from tgsi.language.facts.traits import CALL, CLOSER, CLOSERS, ELSE, ENDIF, IF, OPENERS, SUBROUTINE
from tgsi.language.ir import Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.source import Span

_ELSE, _ENDIF = (Instruction(OPCODES[FLOW_NAMES[flow]]) for flow in (ELSE, ENDIF))
_TRUE = 0x3F800000


@record(slots=False)
class FlattenBranches(Pass):
    """Write IFs that are nested too deep one after another, with flags for the lanes that each takes.

    Programs whose blocks nest at most `depth` deep stay as they are. Loops and switches stay nested. Lanes run the same instructions in the
    same order as before.
    """

    name = "flatten-branches"
    depth: int = MAX_DEPTH

    def run(self, program: Program) -> Program:
        """See `Pass.run`.

        Raises:
            UnsupportedError: the flags need TEMP registers, and there is no room for them, or the program can observe their number.
        """
        return program if nesting_of(program) <= self.depth else _Writer(program, self.depth).program()


def nesting_of(program: Program) -> int:
    """Return the greatest number of blocks that are open at a time; 0 for a program that is not valid because its blocks do not nest."""
    most = 0
    stack = []
    for item in program.instructions:
        flow = item.opcode.flow
        if flow is None:
            continue
        if flow in OPENERS:
            stack.append(flow)
            most = max(most, len(stack))
        elif (flow in CLOSERS and (not stack or CLOSER[stack.pop()] is not flow)) or (flow is ELSE and (not stack or stack[-1] is not IF)):
            return 0
    return 0 if stack else most


@record(frozen=False, eq=False)
class _Level:
    """An IF that is not over yet.

    start: the place in the output where its arm begins. is_open: its block is open in the output. flag: a channel that is true for the
    lanes of the arm. end: the place of the ENDIF that closed the first arm before it was over; -1 if there is none.
    """

    start: int
    is_open: bool = True
    flag: SrcOperand | None = None
    end: int = -1


@record(frozen=False, eq=False)
class _Zone:
    """The program, a subroutine, the body of a loop, or a switch: blocks inside of it can be closed early and opened again.

    outer: blocks of the output around the zone and its own. opened: levels that are open in the output. begin: place in the output of the
    outermost IF.
    """

    outer: int
    levels: list[_Level] = field(default_factory=list)
    opened: int = 0
    begin: int = 0


class _Writer:
    """One program, written anew."""

    def __init__(self, program: Program, depth: int) -> None:
        self._old, self._depth, self._chain = program, depth, max(1, depth // 3)
        self._temporaries, self._immediates = Temporaries(program), Immediates(program)
        self._new: list[Instruction] = []
        self._before: dict[int, list[Instruction]] = {}  # instructions to insert, by place in `_new`
        self._zones = [_Zone(0)]
        self._flags = 0
        self._register: RegisterRef | None = None
        self._span: Span | None = None

    def program(self) -> Program:
        """Return the new program."""
        places = []
        for item in self._old.instructions:
            flow = item.opcode.flow
            self._span = item.span
            places.append(len(self._new))
            if flow is IF:
                self._if(item)
            elif flow is ELSE:
                self._else(item)
            elif flow is ENDIF:
                self._endif(item)
            elif flow is not None and flow in OPENERS:
                self._enter(item)
            elif flow is not None and flow in CLOSERS:
                self._zones.pop()
                self._new.append(item)
            else:
                self._reach()
                self._new.append(item)
        return self._temporaries.finish(self._immediates.finish(with_parts(self._old, instructions=self._finished(places))))

    def _finished(self, places: list[int]) -> tuple[Instruction, ...]:
        code: list[Instruction] = []
        numbers = []
        for place, item in enumerate(self._new):
            code += self._before.get(place, ())
            numbers.append(len(code))
            code.append(item)
        old = self._old.instructions
        for number, item in enumerate(code):
            label = item.label
            if label is not None and item.opcode.flow is CALL:
                sub = next((at for at in (label, label - 1) if 0 <= at < len(old) and old[at].opcode.flow is SUBROUTINE), None)
                if sub is not None:
                    code[number] = with_operands(item, item.dst, item.src, numbers[places[sub]])
        return tuple(code)

    # blocks

    def _if(self, item: Instruction) -> None:
        zone = self._zones[-1]
        if zone.opened > 1 and (zone.opened >= self._chain or zone.outer + zone.opened >= self._depth):
            self._close(zone)
        self._reach()
        if not zone.levels:
            zone.begin = len(self._new)
        self._new.append(_unlabelled(item))
        zone.levels.append(_Level(len(self._new)))
        zone.opened += 1

    def _else(self, item: Instruction) -> None:
        zone = self._zones[-1]
        level = zone.levels[-1]
        if level.end < 0:
            self._new.append(_unlabelled(item))
            zone.levels[-1] = _Level(len(self._new))
            return
        self._shut(zone, level)
        other = zone.levels[-1] = _Level(level.end, is_open=False)
        self._before.setdefault(level.end, []).append(_ELSE)
        self._flag(zone, other)

    def _endif(self, item: Instruction) -> None:
        zone = self._zones[-1]
        if zone.levels.pop().is_open:
            self._new.append(_unlabelled(item))
            zone.opened -= 1

    def _enter(self, item: Instruction) -> None:
        """Begin a loop, a switch or a subroutine. Every block around it stays open until its end, so close all IFs but one."""
        zone = self._zones[-1]
        if zone.opened > 1:
            self._close(zone)
        self._reach()
        self._new.append(item)
        self._zones.append(_Zone(zone.outer + zone.opened + 1))

    def _close(self, zone: _Zone) -> None:
        for level in reversed(zone.levels):
            self._shut(zone, level)

    def _shut(self, zone: _Zone, level: _Level) -> None:
        """Close the block of a level in the output if it is open."""
        if level.is_open:
            if level.end < 0:
                level.end = len(self._new)
            self._new.append(_ENDIF)
            level.is_open = False
            zone.opened -= 1

    def _reach(self) -> None:
        """Open a block for the lanes of the innermost arm if none is open."""
        zone = self._zones[-1]
        if zone.levels and not (level := zone.levels[-1]).is_open:
            flag = level.flag or self._flag(zone, level)
            self._new.append(Instruction(OPCODES["UIF"], (), (flag,)))
            level.is_open = True
            zone.opened += 1

    # flags

    def _flag(self, zone: _Zone, level: _Level) -> SrcOperand:
        """Give a level a flag: cleared before the outermost IF of its zone, set where the arm begins."""
        channel = self._flags % 4
        if channel == 0:
            if not self._temporaries.room(1):
                raise UnsupportedError.at(
                    "B040",
                    f"blocks nest more than {self._depth} deep, and there are no TEMP registers for the flags that stand for some of them",
                    self._span,
                    hint="declare the TEMP registers that an address reaches with ARRAY(1)" * self._temporaries.closed,
                )
            self._register = self._temporaries.new()
        self._flags += 1
        assert self._register is not None
        level.flag = source_of(self._register, (channel, channel, channel, channel))
        self._before.setdefault(zone.begin, []).append(self._set(level.flag, 0))
        self._before.setdefault(level.start, []).append(self._set(level.flag, _TRUE))
        return level.flag

    def _set(self, flag: SrcOperand, word: int) -> Instruction:
        target = destination(flag.register, 1 << flag.swizzle[0])
        value = self._immediates.source((word,) * 4, "uint")
        if value is None:  # the program can observe how many immediates there are
            return Instruction(OPCODES["USEQ" if word else "USNE"], (target,), (flag, flag))
        return Instruction(OPCODES["MOV"], (target,), (value,))


def _unlabelled(item: Instruction) -> Instruction:
    """Return an instruction of a block without its label, which says nothing that the blocks do not say."""
    return item if item.label is None else Instruction(item.opcode, item.dst, item.src, span=item.span)
