"""Walks the tree of regions under a mask of lanes, executes instructions, keeps who is alive.

Each visit takes the lanes that arrive and returns those that reach the end; lanes that jump are recorded in the frame of the loop, switch
or subroutine that they leave. `passes.analysis.regions` defines the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from backends.interp import (  # noqa: F401  (they register)
    arithmetic,
    compare,
    convert,
    fragments,
    geometry,
    groups,
    integer,
    memory,
    meshes,
    texture,
    transcendental,
    views,
    wide,
)
from backends.interp.pairs import execute_pairs
from backends.interp.registry import ACTIONS, CHECKS, OPERATIONS
from backends.interp.state import State
from backends.interp.values import VIEWS, bits_of
from backends.run.arguments import Arguments
from backends.run.canonical import canonical
from backends.run.result import Mask, TraceStep
from passes.analysis.regions import Block, Call, If, Jump, Loop, Region, Regions, Switch, analyse_regions, walk
from tgsi.language import budgets
from tgsi.language.diagnostics import Diagnostic, Label, Severity, UnsupportedError
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.stages import STAGES
from tgsi.language.facts.traits import Flow, Mode
from tgsi.language.ir import Instruction
from tgsi.language.program import Program
from tgsi.language.record import record


@record(frozen=False)
class Frame:
    """Lanes that have jumped: out of a loop or switch (`broken`), to the next round, or out of the subroutine."""

    broken: Mask
    continued: Mask
    returned: Mask


class Machine(State):
    """One run of a program over all lanes at once."""

    def __init__(
        self,
        program: Program,
        arguments: Arguments,
        *,
        trace: Callable[[TraceStep], None] | None = None,
    ) -> None:
        super().__init__(program, arguments)
        self.exhausted: Mask = np.zeros(arguments.lanes, np.bool_)
        self._regions: Regions = analyse_regions(program)
        self._fuel = np.full(arguments.lanes, arguments.fuel, np.int64)
        self._none: Mask = np.zeros(arguments.lanes, np.bool_)
        self._breaks: list[Frame] = []
        self._loops: list[Frame] = []
        self._calls: list[Frame] = [self._frame()]
        self._product = arithmetic.zero_wins if _zero_wins(program) else np.multiply
        self._trace = trace
        self._numbers = {id(instruction): number for number, instruction in enumerate(program.instructions)}
        _refuse_unknown(self._regions, program.processor)

    def run(self) -> None:
        """Execute the program once, with the current registers."""
        with np.errstate(all="ignore"):
            self._region(self._regions.main, self.arguments.present)

    def _frame(self) -> Frame:
        return Frame(self._none.copy(), self._none.copy(), self._none.copy())

    # Regions: lanes in, lanes out.

    def _region(self, region: Region, active: Mask) -> Mask:
        for node in region:
            if not active.any():
                break
            budgets.check()
            match node:
                case Block():
                    for instruction in node.instructions:
                        self._execute(instruction, active)
                case If():
                    active = self._if(node, active)
                case Loop():
                    active = self._loop(node, active)
                case Switch():
                    active = self._switch(node, active)
                case Call():
                    active = self._call(node, active)
                case Jump():
                    active = self._jump(node, active)
        return active

    def _if(self, node: If, active: Mask) -> Mask:
        self._note(node.head, active)
        words = self.source(node.head, 0, node.head.opcode.src_types[0])[:, 0]
        taken = words != 0 if node.head.opcode.src_types[0] == "uint" else words.view(np.float32) != 0
        return self._region(node.then, active & taken) | self._region(node.otherwise, active & ~taken)

    def _loop(self, node: Loop, active: Mask) -> Mask:
        self._note(node.head, active)
        if not self._loops:
            self._fuel[active] = self.arguments.fuel
        frame = self._frame()
        self._breaks.append(frame)
        self._loops.append(frame)
        spent = self._none
        while active.any():
            frame.continued[:] = False
            active = self._region(node.body, active) | frame.continued
            self._fuel[active] -= 1
            empty = active & (self._fuel <= 0)
            spent, active = spent | empty, active & ~empty
            self.exhausted |= empty
        self._breaks.pop()
        self._loops.pop()
        return frame.broken | spent

    def _switch(self, node: Switch, entered: Mask) -> Mask:
        self._note(node.head, entered)
        selector = self.source(node.head, 0, "uint")[:, 0]
        frame = self._frame()
        self._breaks.append(frame)
        matched = inside = self._none
        for arm in node.arms:
            if arm.is_default:
                inside = inside | (entered & ~matched)
            else:
                hits = entered & (self.source(arm.head, 0, "uint")[:, 0] == selector)
                matched, inside = matched | hits, inside | hits
            self._note(arm.head, inside)
            frame.broken[:] = False
            out = self._region(arm.body, inside)
            entered = entered & ~(inside & ~out & ~frame.broken)  # these left by CONT or RET
            inside = out
        self._breaks.pop()
        return entered

    def _call(self, node: Call, active: Mask) -> Mask:
        self._note(node.instruction, active)
        frame = self._frame()
        self._calls.append(frame)
        out = self._region(self._regions.subs[node.sub].body, active) | frame.returned
        self._calls.pop()
        return out

    def _jump(self, node: Jump, active: Mask) -> Mask:
        self._note(node.instruction, active)
        if node.kind is Flow.BREAK:
            self._breaks[-1].broken |= active
        elif node.kind is Flow.CONTINUE:
            self._loops[-1].continued |= active
        else:
            self._calls[-1].returned |= active
        return self._none

    # Instructions.

    def _execute(self, instruction: Instruction, active: Mask) -> None:
        name = instruction.opcode.name
        written = [] if self._trace is None else self._written(instruction, active)
        if name in ACTIONS:
            ACTIONS[name](self, instruction, active)
        elif instruction.opcode.uses_64bit:
            execute_pairs(self, instruction, OPERATIONS[name].function, active)
        else:
            self._execute_values(instruction, active)
        self._note(instruction, active, written)

    def _execute_values(self, instruction: Instruction, active: Mask) -> None:
        """All sources are fetched before the first channel is stored."""
        opcode = instruction.opcode
        operation = OPERATIONS[opcode.name]
        modifiers = opcode.modifier_types
        sources = [self.source(instruction, number, modifiers[number]).view(VIEWS[kind]) for number, kind in enumerate(opcode.src_types)]
        result = operation.function(self._product, *sources) if operation.takes_product else operation.function(*sources)
        words = bits_of(canonical(result) if opcode.computes_floats else result)
        if opcode.mode is Mode.REPLICATE:
            words = np.repeat(words[:, None], 4, axis=1)
        self.store(instruction, 0, words, active)

    def _written(self, instruction: Instruction, active: Mask) -> list[tuple[File, int]]:
        """The registers that an instruction is about to write."""
        registers = []
        for operand in instruction.dst:
            file = operand.register.file
            index = self.registers.index(operand.register.index, operand.register.indirect)
            numbers = {index} if isinstance(index, int) else set(index[active].tolist())
            registers += [(file, number) for number in sorted(numbers) if 0 <= number < len(self.registers.files.get(file, ()))]
        return registers

    def _note(self, instruction: Instruction, active: Mask, written: Sequence[tuple[File, int]] = ()) -> None:
        if self._trace is None:
            return
        places = self.arguments.places
        writes = tuple((file, number, self.registers.own(file, number)[places]) for file, number in written)
        self._trace(TraceStep(self._numbers[id(instruction)], instruction, active[places], writes))


def _zero_wins(program: Program) -> bool:
    return bool(program.property("MUL_ZERO_WINS") or program.property("LEGACY_MATH_RULES"))


def _refuse_unknown(regions: Regions, stage: Processor) -> None:
    """Report everything unsupported in a program before it runs, whether it would be reached or not."""
    errors = []
    for region in (regions.main, *(sub.body for sub in regions.subs.values())):
        for node in walk(region):
            for instruction in node.instructions if isinstance(node, Block) else ():
                if missing := _missing(instruction, stage):
                    labels = (Label(instruction.span),) if instruction.span else ()
                    hint = "only COMP, TASK and MESH programs have MEMORY" if "MEMORY registers" in missing else ""
                    errors.append(Diagnostic("B051", Severity.ERROR, f"the interpreter does not run {missing}", labels, hint))
    if errors:
        raise UnsupportedError(errors)


def _missing(instruction: Instruction, stage: Processor) -> str:
    name = instruction.opcode.name
    files = [operand.register.file for operand in instruction.dst] + [operand.register.file for operand in instruction.src]
    if not STAGES[stage].has_blocks and File.MEMORY in files:
        return f"{name} on MEMORY registers in {stage.name} programs"
    if name in CHECKS:
        return CHECKS[name](instruction)
    return "" if name in ACTIONS or name in OPERATIONS else name
