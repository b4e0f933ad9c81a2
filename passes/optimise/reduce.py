"""The pass reduce-by-vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

from passes.analysis.access import is_direct
from passes.analysis.makers import bits_of
from passes.edit import destination, plain, source_of, with_operands
from passes.form import Form, FormPass
from passes.optimise.join import Joiner
from passes.optimise.rules.kinds import gives
from passes.optimise.rules.table import RULES
from passes.optimise.rules.terms import Result, Term, Variable
from tgsi.language.facts.enums import TEMP
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.record import record


def _plain(window: Result) -> list[Term]:
    """Return the arguments of a window, variables without their kinds."""
    return [Variable(term.name) if isinstance(term, Variable) else term for term in window.arguments]


_IDEMPOTENT = frozenset(
    rule.window.opcode
    for rule in RULES
    if len(rule.window.arguments) == 2 and isinstance(rule.result, Variable) and all(term == rule.result for term in _plain(rule.window))
)
"""Opcodes of two sources that give x for x and x: for all words, or for all flags 1.0 and 0.0. The order does not matter to them: they pick
one of two words, combine bits, or multiply flags."""
_ALWAYS = frozenset(opcode for opcode in _IDEMPOTENT if opcode.dst_types[0] != "float")
_OF_FLAGS = _IDEMPOTENT - _ALWAYS
_FEWEST = 3
"""Instructions of one reduction from which on two vectors may take fewer."""
_STEPS = (0, 0, 1, 2, 2)
"""Instructions that reduce one register with a number of channels."""

Leaf = tuple[RegisterRef, int]


@record(slots=False)
class ReduceByVectors(FormPass):
    """Combine whole registers first where many channels are reduced to one by AND, OR or another opcode for which order does not matter.

    These are minimums and maximums of integers, too, and products, minimums and maximums of floats that all are 1.0 or 0.0. A channel may
    take part twice. Partial results must be needed for the reduction alone.
    """

    name = "reduce-by-vectors"
    needs = (bits_of(_IDEMPOTENT),)

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        items = form.values.items
        wanted = {opcode for opcode, count in form.values.opcodes.counts.items() if count >= _FEWEST and opcode in _IDEMPOTENT}
        changed = False
        for place in range(len(items) - 1, -1, -1) if wanted else ():
            item = items[place]
            if item is not None and item.opcode in wanted and _is_scalar(item):
                changed |= _Reduction(form, place, item).run()
        if changed:
            form.is_stale = True
        return changed


def _is_scalar(item: Instruction) -> bool:
    return item.dst[0].write_mask.bit_count() == 1 and not item.saturate and not item.precise


class _Reduction:
    """The instructions that reduce channels to the result of one of them, the root."""

    def __init__(self, form: Form, place: int, item: Instruction) -> None:
        self._form, self._values = form, form.values
        self._root, self._item = place, item
        self._places: list[int] = []
        self._leaves: list[Leaf] = []

    def run(self) -> bool:
        """Write the reduction by vectors if that takes fewer instructions; return true if it does."""
        if not self._collect():
            return False
        registers: dict[RegisterRef, dict[int, None]] = {}
        for register, channel in self._leaves:
            registers.setdefault(register, {})[channel] = None
        widest = max(map(len, registers.values()))
        count = len(registers) - 1 + _STEPS[widest]
        if count >= len(self._places) or not count:
            return False
        steps = self._planned(registers)
        if steps is None:
            return False
        for place in self._places:
            if place not in steps:
                self._values.remove(place)
        for place, new in steps.items():
            self._values.put(place, new)
        return True

    def _collect(self) -> bool:
        """Find the leaves and the places of all instructions; return false if they are too few or cannot be exchanged."""
        values, opcode = self._values, self._item.opcode
        joiner = Joiner(self._form)
        pending = [self._root]
        while pending:
            place = pending.pop()
            item = values.items[place]
            assert item is not None
            self._places.append(place)
            channel = (item.dst[0].write_mask & -item.dst[0].write_mask).bit_length() - 1
            for number, operand in enumerate(item.src):
                if operand.negate or operand.absolute or not is_direct(operand.register):
                    return False
                maker = values.definition(place, number, channel) if operand.register.file is TEMP else None
                before = values.items[maker] if maker is not None and maker >= 0 else None
                if maker is not None and before is not None and before.opcode is opcode and self._is_inner(joiner, maker, before, place):
                    if maker not in pending:  # both sources may be the same
                        pending.append(maker)
                    continue
                if opcode in _OF_FLAGS and (before is None or not gives(before.opcode, before.saturate, "unit")):
                    return False
                if not self._holds(operand, channel, place):
                    return False
                self._leaves.append((operand.register, operand.swizzle[channel]))
        self._places.sort()
        return len(self._places) >= _FEWEST

    def _is_inner(self, joiner: Joiner, place: int, item: Instruction, reader: int) -> bool:
        """Return true if an instruction of the same opcode is there for its reader alone."""
        values = self._values
        if not _is_scalar(item) or values.layout.region[place] != values.layout.region[self._root]:
            return False
        return values.is_only_for(place, reader) and joiner.is_alone(place, item)

    def _holds(self, operand: SrcOperand, channel: int, place: int) -> bool:
        """Return true if the root could read what an operand reads at a place in one channel."""
        values = self._values
        cells = values.cells.of(operand.register, (operand.swizzle[channel],))
        for cell in cells:
            maker = values.writer(cell, place)
            if maker is None or maker != values.writer(cell, self._root):
                return False
        return True

    def _planned(self, registers: Mapping[RegisterRef, Mapping[int, None]]) -> dict[int, Instruction] | None:
        """Return the new instructions by their places, or None if they cannot stand there."""
        values = self._values
        ready: list[tuple[int, RegisterRef, Sequence[int]]] = []
        for register, places in registers.items():
            channels: Sequence[int] = tuple(sorted(places))
            cells = values.cells.of(register, tuple(channels))
            latest = max([maker for cell in cells if (maker := values.writer(cell, self._root)) is not None], default=-1)
            ready.append((latest, register, channels))
        ready.sort(key=itemgetter(0))
        free = iter(self._places)
        steps: dict[int, Instruction] = {}
        after, register, channels = ready[0]
        for following, other, more in ready[1:]:
            after = max(after, following)
            place = next((place for place in free if place > after), None)
            if place is None:
                return None
            register, channels = self._step(steps, place, (register, channels), (other, more))
        while len(channels) > 1:
            place = next((place for place in free if place > after), None)
            if place is None:
                return None
            half = (len(channels) + 1) // 2
            register, channels = self._step(steps, place, (register, channels[:half]), (register, channels[half:]))
        last = max(steps)
        final = steps.pop(last)
        steps[self._root] = with_operands(final, self._item.dst, tuple(_spread(operand, self._item.dst[0]) for operand in final.src))
        return steps

    def _step(
        self, steps: dict[int, Instruction], place: int, one: tuple[RegisterRef, Sequence[int]], two: tuple[RegisterRef, Sequence[int]]
    ) -> tuple[RegisterRef, Sequence[int]]:
        """Combine channels of two registers at a place, and return the register and the channels of the results."""
        old = self._values.items[place]
        assert old is not None
        width = max(len(one[1]), len(two[1]))
        target = plain(old.dst[0].register.cell) if place != self._root else old.dst[0].register
        sources = []
        for register, channels in (one, two):
            x, y, z, w = (*channels, *[channels[-1]] * (4 - len(channels)))
            sources.append(source_of(register, (x, y, z, w)))
        steps[place] = with_operands(old, (destination(target, (1 << width) - 1),), tuple(sources))
        return target, tuple(range(width))


def _spread(operand: SrcOperand, target: DstOperand) -> SrcOperand:
    """Return a source that reads channel x of an operand in the channels of a target."""
    first = operand.swizzle[0]
    return source_of(operand.register, (first,) * 4)
