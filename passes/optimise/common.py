"""The pass eliminate-common-subexpressions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache

from passes.analysis.access import is_direct
from passes.analysis.cells import source_masks
from passes.analysis.values import Values
from passes.form import EVERY, LASTING, Form, Rewriter
from passes.validate.roles import Role, source_roles
from tgsi.language.facts.enums import ADDR, IMM, TEMP
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.traits import Mode, Trait
from tgsi.language.ir import CHOSEN, DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.record import record

Swizzle = tuple[int, int, int, int]

_VALUE, _COMMUTATIVE, _REPLICATE = Role.VALUE, Trait.COMMUTATIVE, Mode.REPLICATE
_NAME = "eliminate-common-subexpressions"
LASTING.add(_NAME)
_FEW = 4
"""Number of places remembered for equal expressions. The latest ones are kept, because earlier ones may be in branches that have ended."""


@record(slots=False)
class EliminateCommonSubexpressions(Rewriter):
    """Copy the result of an equal instruction that ran before.

    Instructions are equal if opcode, flags, write mask (except for replicated results) and operands are, where opcodes that commute take
    either order, and no operand was written in between. The first must have run in every lane that runs the second. Samples and
    derivatives take part only where every lane is, samples only in programs that store nothing.
    """

    name = _NAME

    def begin(self, form: Form) -> bool:
        """See `Rewriter.begin`."""
        form.notes[_NAME] = _Notes(not _STORES.isdisjoint(form.values.opcodes.counts))
        return True

    def takes(self, opcode: OpcodeInfo) -> int:
        """See `Rewriter.takes`."""
        if opcode.num_dst != 1 or not opcode.num_src or opcode.stores_to_dst:
            return 0
        if opcode.flow is not None or opcode.is_copy or opcode.uses_64bit:
            return 0
        return EVERY if opcode.is_computed or opcode.has_offsets or Trait.DERIVATIVE in opcode.traits else 0

    def visit(self, form: Form, place: int, item: Instruction, makers: int) -> bool:
        """See `Rewriter.visit`."""
        register = item.dst[0].register
        if item.memory is not None or (register.cell == CHOSEN and not is_direct(register)):
            return False
        if not item.opcode.is_computed and not self._shares(form, place, item):
            return False
        if not makers:
            for source in item.src:
                if source.register.file is not IMM:
                    break
            else:  # a constant
                return False
        notes: _Notes = form.notes[_NAME]
        known = notes.alike(form.values, place, item)
        if known is None:
            return False
        copied = _share(form.values, notes, known, place, item)
        if copied == place:
            return True
        known.append(place)
        notes.noted[place] = item
        if len(known) > _FEW:
            del known[0]
        return copied is not None

    def _shares(self, form: Form, place: int, item: Instruction) -> bool:
        """Return true if an opcode that reads other lanes may be shared, too."""
        opcode = item.opcode
        if not opcode.looks_at_other_lanes or not form.values.is_uniform(place):
            return False
        return Trait.DERIVATIVE in opcode.traits or (opcode.has_offsets and not form.notes[_NAME].stores)


_STORES = frozenset(opcode for opcode in OPCODES.values() if opcode.is_store)


def _share(values: Values, notes: _Notes, known: Sequence[int], place: int, item: Instruction) -> int | None:
    """Replace the second of two equal instructions by a copy of the first one's result. Returns its index; None without equal ones.

    known: places of equal expressions. A walk over changes may reach the later of two places first.
    """
    for other in reversed(known):
        first, later = min(other, place), max(other, place)
        one, two = values.items[first], values.items[later]
        if one is None or two is None or not _repeats(values, first, one, later, two):
            continue
        noted = two if later == other else one
        if notes.noted[other] is not noted and notes.expression(noted) != notes.expression(item):  # it was changed since
            continue
        values.put(later, _move(two, one.dst[0]))
        return later
    return None


def _repeats(values: Values, first: int, one: Instruction, later: int, two: Instruction) -> bool:
    """Return true if a later instruction may copy the result of an earlier one with an equal expression."""
    if one.opcode is not two.opcode or not values.dominates(first, later):
        return False
    held = values.writes[first]
    if not held or held[0] < 0 or one.dst[0].register.file not in (TEMP, ADDR):
        return False
    return values.holds(first, later) and values.keeps(values.reads[first], first, later)


class _Notes:
    """The memory of a walk. stores: whether the program writes memory, so that textures may change. noted: instructions by place."""

    def __init__(self, stores: bool) -> None:
        self.stores = stores
        self.noted: dict[int, Instruction] = {}
        self._numbers: dict[RegisterRef, int] = {}
        self._places: dict[int, int | dict[Hashable, list[int]]] = {}

    def alike(self, values: Values, place: int, item: Instruction) -> list[int] | None:
        """Return the places of equal expressions, to which the caller adds; None, and note the place, if it is the only one so far.

        Most instructions share opcode and registers with no other, and need no whole expression.
        """
        registers = 0
        for operand in item.src:
            registers += operand.register.index << 4 | operand.register.file
        likeness = registers << 9 | item.opcode.number
        known = self._places.get(likeness)
        if known is None:
            self._places[likeness] = place
            return None
        if isinstance(known, int):
            if known == place:
                return None
            first = values.items[known]
            if first is not None:
                self.noted[known] = first
            known = self._places[likeness] = {} if first is None else {self.expression(first): [known]}
        return known.setdefault(self.expression(item), [])

    def expression(self, item: Instruction) -> Hashable:
        """Return a key that is equal for equal instructions."""
        opcode = item.opcode
        roles = source_roles(opcode.name)
        operands: list[tuple[int, Swizzle, bool, bool]] = []
        for number, (operand, mask) in enumerate(zip(item.src, source_masks(item))):
            register, swizzle = operand.register, operand.swizzle
            if roles[number] is _VALUE:
                swizzle = _taken(swizzle, mask)
            if register.dimension is None and register.indirect is None:
                name = register.index << 4 | register.file
            else:
                name = -1 - self._numbers.setdefault(register, len(self._numbers))
            operands.append((name, swizzle, operand.negate, operand.absolute))
        if _COMMUTATIVE in opcode.traits and operands[1] < operands[0]:
            operands[0], operands[1] = operands[1], operands[0]
        mask = 0 if opcode.mode is _REPLICATE else item.dst[0].write_mask
        return opcode.name, mask, item.saturate, item.precise, item.texture, item.offsets, tuple(operands)


@cache
def _taken(swizzle: Swizzle, mask: int) -> Swizzle:
    """Return a swizzle with x for the channels outside of a mask."""
    x, y, z, w = (swizzle[c] if mask >> c & 1 else 0 for c in range(4))
    return x, y, z, w


def _move(item: Instruction, result: DstOperand) -> Instruction:
    """Return a MOV of the result that was found."""
    swizzle = (0, 1, 2, 3)
    if item.opcode.mode is Mode.REPLICATE:
        first = next(c for c in range(4) if result.write_mask >> c & 1)
        swizzle = (first, first, first, first)
    source = SrcOperand(result.register, swizzle)
    opcode = OPCODES["MOV"]
    return Instruction(opcode, item.dst, (source,), span=item.span)
