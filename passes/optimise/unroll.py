"""The pass unroll-loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from passes.analysis import facts
from passes.analysis.access import flows_of, indexed_registers
from passes.analysis.cells import CHANNELS, STATIC, CellMap, Cells, source_masks
from passes.analysis.graph import partners_of
from passes.base import Pass
from passes.edit import as_float, rebuilt
from passes.optimise.addresses import Resolver
from passes.optimise.evaluate import evaluate, is_known, modified
from tgsi.language.facts.enums import ADDR, IMM, TEMP
from tgsi.language.facts.traits import (
    ARMS,
    BREAK,
    CALL,
    CLOSERS,
    CONTINUE,
    ENDLOOP,
    ENDSUBROUTINE,
    IF,
    JUMPS,
    LOOP,
    OPENERS,
    RETURN,
    SUBROUTINE,
    SWITCH,
    Flow,
    Trait,
)
from tgsi.language.ir import IndirectRef, Instruction, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class UnrollLoops(Pass):
    """Unroll loops whose exits depend on constants alone.

    A loop is unrolled if it has at most `rounds` rounds, including those of inner loops, and if the unrolled instructions, without those
    that constants decide, are no more than before or at most `instructions`. A loop that ends in its first round is always unrolled. Inside
    of other loops only such loops are, because all rounds inside of an outermost loop share its fuel. Constants that a round computes are
    omitted if nothing reads them, or if they are overwritten first.
    """

    name = "unroll-loops"
    rounds: int = 32
    instructions: int = 0

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        if LOOP not in facts.of(program, flows_of):
            return program
        return _Unroller(program, self.rounds, self.instructions).run()


Step = tuple[Instruction, int, bool]
"""An instruction that runs, its place (-1 in a block that stays), and whether its result is a constant."""

Origin: TypeAlias = list[int] | tuple[tuple[int, int], ...]
"""The words of a source by channel, or the cell that holds each channel."""


_UNPLANNED: Sequence[Origin] = []


class _GiveUp(Exception):
    """The rounds of a loop are not known."""


class _Unroller:
    def __init__(self, program: Program, rounds: int, limit: int) -> None:
        self.program = program
        self.items = program.instructions
        self.rounds, self.limit = rounds, limit
        self.cells = CellMap(program)
        self.legacy = bool(program.property("MUL_ZERO_WINS") or program.property("LEGACY_MATH_RULES"))
        flows = [item.opcode.flow for item in self.items]
        partners = partners_of(flows)
        self.has_subs = SUBROUTINE in flows
        self.ends = {place: partners[place][-1] for place, flow in enumerate(flows) if flow in OPENERS}
        self.elses = {place: partners[place][0] for place, flow in enumerate(flows) if flow is IF and len(partners[place]) == 2}
        self.writes = list(map(self.cells.writes, self.items))
        self.written = self._written()
        self.known: dict[int, int] = {}
        self.last_reads: dict[int, int] | None = None
        self.plans: list[Sequence[Origin] | None] = [_UNPLANNED] * len(self.items)
        self.resolver = Resolver(program)
        is_indexed = bool(facts.of(program, indexed_registers))
        self.indexed = {place for place, item in enumerate(self.items) if is_indexed and self.cells.has_indices(item)}

    def run(self) -> Program:
        code: list[Sequence[Instruction]] = [(item,) for item in self.items]
        place, depth = 0, 0
        last = max(place for place, item in enumerate(self.items) if item.opcode.flow is LOOP)
        while place <= last:
            item = self.items[place]
            flow = item.opcode.flow
            if flow is LOOP:
                trace = self._rounds(place, depth)
                if trace is not None:
                    end = self.ends[place]
                    code[place : end + 1] = [tuple(trace), *[()] * (end - place)]
                    place = end + 1
                    continue
            if flow is None:
                self.straight(place, self.known)
            else:
                self._forget(self.written.get(place, ()), self.known)
                depth += (flow is LOOP) - (flow is ENDLOOP)
                depth += (flow is SUBROUTINE) - (flow is ENDSUBROUTINE)
                if flow in (SUBROUTINE, ENDSUBROUTINE, CALL):
                    self.known.clear()
            place += 1
        return rebuilt(self.program, code)

    def _rounds(self, place: int, depth: int) -> list[Instruction] | None:
        """Return the instructions that replace a loop, in order, and note the known values after it; None to keep the loop."""
        known = dict(self.known) if len(self.known) < 4096 else {}
        size = self.ends[place] - place + 1
        trial = _Trial(self, known, max(size, self.limit), 0 if depth else self.rounds)
        try:
            trial.loop(place)
        except _GiveUp:
            return None
        self.known = known
        return self._without_overwritten(trial.trace, set() if depth or self.has_subs else self._unread(place))

    def _unread(self, place: int) -> set[int]:
        """Return the cells that a loop writes and that nothing reads after it."""
        end, last = self.ends[place], self.last_reads
        if last is None:  # computed at the first unrolled loop; later loops lie behind it
            last = self.last_reads = {}
            for later in range(end + 1, len(self.items)):
                last.update(dict.fromkeys(self.cells.reads(self.items[later]), later))
        return {cell for cell in self.written[place] if cell >= 0 and last.get(cell, -1) <= end}

    def _without_overwritten(self, trace: Sequence[Step], hidden: set[int]) -> list[Instruction]:
        """Return the instructions of a trace without constants that are overwritten before anything reads them.

        hidden: cells that nothing reads after the trace. The walk runs backward and keeps it up to date: cells whose present value is dead.
        """
        code: list[Instruction] = []
        reads: dict[int, Cells] = {}  # by identity: the trace keeps its instructions
        for item, place, is_constant in reversed(trace):
            if place < 0:
                hidden.clear()
            elif is_constant and hidden.issuperset(self.writes[place]):
                continue
            else:
                cells = reads.get(id(item))
                if cells is None:
                    cells = reads[id(item)] = self.cells.reads(item)
                hidden.update(self.writes[place])
                hidden.difference_update(cells)
            code.append(item)
        code.reverse()
        return code

    def straight(self, place: int, known: dict[int, int]) -> bool:
        """Note what an instruction computes; return true if it is a constant in a register."""
        written, plan = self.writes[place], self.plans[place]
        if plan is not None:
            item = self.items[place]
            if plan is _UNPLANNED:
                plan = self.plans[place] = self._plan(item) if written and written[0] >= 0 and not written[0] & 8 else None
            if plan is not None and (values := self._values(item, plan, known)):
                base = written[0] & ~3
                for channel, word in values.items():  # every channel that is written
                    known[base + channel] = word
                return True
        if known:
            for cell in written:
                known.pop(cell, None)
        return False

    def _plan(self, item: Instruction) -> Sequence[Origin] | None:
        """Return the origins of the sources of an instruction whose result is known where these are; None for any other."""
        opcode = item.opcode
        if not item.src or len(item.dst) != 1 or not opcode.is_computed or not is_known(opcode):
            return None
        if self.legacy and Trait.PRODUCT in opcode.traits:
            return None
        origins = []
        for operand, mask in zip(item.src, source_masks(item)):
            origin = self._origin(operand, mask)
            if origin is None:
                return None
            origins.append(origin)
        return origins

    def _origin(self, operand: SrcOperand, mask: int) -> Origin | None:
        """Return the origin of the words of a source, or None if they cannot be known."""
        register = operand.register
        file = register.file
        if register.indirect is not None:
            return None
        if file is IMM:
            words = self.program.immediates[register.index].words
            return [words[c] for c in operand.swizzle]
        if file is not TEMP and file is not ADDR:
            return None
        base = self.cells.first(register)
        return tuple([(c, base + operand.swizzle[c]) for c in CHANNELS[mask]]) if base >= 0 else None

    @staticmethod
    def _values(item: Instruction, plan: Sequence[Origin], known: dict[int, int]) -> dict[int, int] | None:
        """Return the words that an instruction computes, or None if they are not known."""
        sources: list[list[int]] = []
        for origin in plan:
            if isinstance(origin, list):
                sources.append(origin)
                continue
            words = [0, 0, 0, 0]
            for channel, cell in origin:
                word = known.get(cell)
                if word is None:
                    return None
                words[channel] = word
            sources.append(words)
        return evaluate(item, sources)

    def condition(self, place: int, known: dict[int, int]) -> bool | None:
        """Return whether an IF or UIF takes its first arm, or None if that is not known."""
        item = self.items[place]
        operand = item.src[0]
        origin = self._origin(operand, 1)
        words = _words(origin, known) if origin is not None else None
        if words is None:
            return None
        kind = item.opcode.src_types[0]
        word = modified(words[0], item.opcode.modifier_types[0], operand.negate, operand.absolute)
        return as_float(word) != 0.0 if kind == "float" else word != 0

    def _written(self) -> dict[int, list[int]]:
        """Return the cells that are written inside of each block, by the places of its head, its arms and its end."""
        written: dict[int, list[int]] = {}
        stack: list[list[int]] = []
        for place, item in enumerate(self.items):
            flow = item.opcode.flow
            if flow in OPENERS:
                stack.append([])
                written[place] = stack[-1]
            elif flow in ARMS and stack:
                written[place] = stack[-1]
            elif flow in CLOSERS:
                inner = stack.pop()
                written[place] = inner
                if stack:
                    stack[-1].extend(dict.fromkeys(inner))
            elif stack and flow is None:
                stack[-1].extend(self.writes[place])
        return written

    @staticmethod
    def _forget(written: Sequence[int], known: dict[int, int]) -> None:
        if known:
            for cell in written:
                known.pop(cell, None)


def _words(origin: Origin, known: dict[int, int]) -> list[int] | None:
    """Return the words of a source by channel, or None if one is not known."""
    if isinstance(origin, list):
        return origin
    words = [0, 0, 0, 0]
    for channel, cell in origin:
        word = known.get(cell)
        if word is None:
            return None
        words[channel] = word
    return words


_DONE, _BROKEN, _CONTINUED = 0, 1, 2


class _Trial:
    """One loop, run with the known values. trace: the instructions that run. cost: number of those that will remain, at most `most_cost`.
    repeats: rounds begun again, at most `most_repeats`.
    """

    def __init__(self, unroller: _Unroller, known: dict[int, int], most_cost: int, most_repeats: int) -> None:
        self.unroller = unroller
        self.known = known
        self.most_cost, self.most_repeats = most_cost, most_repeats
        self.trace: list[Step] = []
        self.cost = 0
        self.repeats = 0

    def loop(self, place: int) -> None:
        end = self.unroller.ends[place]
        for _ in range(self.unroller.rounds + 1):
            if self._region(place + 1, end) == _BROKEN:
                return
            self.repeats += 1
            if self.repeats > self.most_repeats or len(self.trace) > 4096 or self.cost > max(self.unroller.limit, 512):
                break
        raise _GiveUp

    def _region(self, place: int, end: int) -> int:
        """Run the places up to `end`; return whether they jump."""
        unroller = self.unroller
        items, indexed, straight, known, trace = unroller.items, unroller.indexed, unroller.straight, self.known, self.trace
        while place < end:
            item = items[place]
            flow = item.opcode.flow
            if flow is None:
                resolved = unroller.resolver.resolved(item, self._address) if place in indexed else item
                is_constant = straight(place, known)
                trace.append((resolved, place, is_constant))
                if not is_constant and not (item.opcode.is_copy and _is_copy(item)):
                    self.cost += 1
                    if self.cost > self.most_cost:
                        raise _GiveUp
            elif flow is BREAK:
                return _BROKEN
            elif flow is CONTINUE:
                return _CONTINUED
            elif flow is IF:
                ended = self._if(place)
                if ended != _DONE:
                    return ended
                place = unroller.ends[place]
            elif flow is LOOP:
                self.loop(place)
                place = unroller.ends[place]
            elif flow is SWITCH:
                self._keep(place)
                place = unroller.ends[place]
            else:
                raise _GiveUp
            place += 1
        return _DONE

    def _address(self, ref: IndirectRef) -> int | None:
        """Return the word of an index register, if it is known."""
        cells = self.unroller.cells.index_cell(ref)
        return self.known.get(cells[0]) if cells else None

    def _if(self, place: int) -> int:
        unroller = self.unroller
        taken = unroller.condition(place, self.known)
        if taken is None:
            self._keep(place)
            return _DONE
        middle, end = unroller.elses.get(place, unroller.ends[place]), unroller.ends[place]
        return self._region(place + 1, middle) if taken else self._region(middle + 1, end)

    def _keep(self, place: int) -> None:
        """Keep a block as it is, if no jump leads out of it."""
        unroller = self.unroller
        end = unroller.ends[place]
        around: list[Flow] = []
        for inner in range(place, end + 1):
            flow = unroller.items[inner].opcode.flow
            if flow in OPENERS:
                around.append(flow)
            elif flow in CLOSERS:
                around.pop()
            elif flow in JUMPS or flow is CALL:
                inside = LOOP in around or (flow is BREAK and SWITCH in around)
                if not inside or flow is RETURN or flow is CALL:
                    raise _GiveUp
            if flow is LOOP:
                self.repeats += 1  # its rounds use up the fuel of this loop
                raise _GiveUp
        for cell in unroller.written[place]:
            self.known.pop(cell, None)
        self.trace += [(item, -1, False) for item in unroller.items[place : end + 1]]
        self.cost += end + 1 - place
        if self.cost > self.most_cost:
            raise _GiveUp


def _is_copy(item: Instruction) -> bool:
    """Return true for a copy to TEMP whose source will be read instead: of what never changes, or of a TEMP, each of whose values will
    have a register of its own."""
    if item.saturate:
        return False
    register = item.src[0].register
    return item.dst[0].register.file is TEMP and (register.file in STATIC or (register.file is TEMP and register.indirect is None))
