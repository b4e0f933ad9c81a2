"""The pass eliminate-common-subexpressions."""

from __future__ import annotations

from collections.abc import Hashable

from passes.analysis.access import is_computed, is_direct, looks_at_other_lanes
from passes.analysis.cells import source_masks, target_of
from passes.form import Form, Rewriter
from passes.validate.roles import Role, source_roles
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Mode, Trait
from tgsi.language.ir import DstOperand, Instruction, SrcOperand
from tgsi.language.record import record

STATIC = frozenset({File.IN, File.CONST, File.IMM, File.SV})
"""Files that do not change while a lane runs."""

_FEW = 4
"""Places of equal expressions that are remembered: those before may stand in branches that are over."""


@record(slots=False)
class EliminateCommonSubexpressions(Rewriter):
    """Copy the result of an equal instruction that ran before.

    Instructions are equal if opcode, flags, write mask (except for replicated results) and operands are, where opcodes that commute take
    either order, and no operand was written in between. The first must have run in every lane that runs the second. Samples and
    derivatives take part only where every lane is, samples only in programs that store nothing.
    """

    name = "eliminate-common-subexpressions"

    def begin(self, form: Form) -> None:
        """See `Rewriter.begin`."""
        stores = any(item is not None and item.opcode.is_store for item in form.values.items)
        form.notes[self.name] = _Notes(stores)

    def visit(self, form: Form, place: int, item: Instruction) -> bool:
        """See `Rewriter.visit`."""
        opcode = item.opcode
        target = target_of(item)
        if target is None or not item.src or item.memory is not None:
            return False
        if opcode.flow is not None or Trait.COPY in opcode.traits or opcode.uses_64bit or not is_direct(target.register):
            return False
        values = form.values
        if not is_computed(opcode) and not self._shares(form, place, item):
            return False
        for source in item.src:
            if source.register.file is not File.IMM:
                break
        else:  # a constant
            return False
        key = _expression(item)
        known = form.notes[self.name].places.setdefault(key, [])
        for first in reversed(known):
            earlier = values.items[first]
            if earlier is None or not values.dominates(first, place) or not _is_same(earlier, item):
                continue
            held = values.writes[first]
            if not held or held[0] < 0 or earlier.dst[0].register.file not in (File.TEMP, File.ADDR):
                continue
            if not values.holds(first, place):
                continue
            if not values.keeps(values.reads[first], first, place):
                continue
            values.put(place, _move(item, earlier.dst[0]))
            return True
        known.append(place)
        if len(known) > _FEW:
            del known[0]
        return False

    def _shares(self, form: Form, place: int, item: Instruction) -> bool:
        """Return true if an opcode that is no plain computation may be shared, too."""
        opcode = item.opcode
        if not looks_at_other_lanes(opcode) or not form.values.is_uniform(place):
            return False
        return Trait.DERIVATIVE in opcode.traits or (opcode.has_offsets and not form.notes[self.name].stores)


class _Notes:
    """places: where each expression was computed. stores: whether the program writes memory, so that textures may change."""

    def __init__(self, stores: bool) -> None:
        self.places: dict[Hashable, list[int]] = {}
        self.stores = stores


def _expression(item: Instruction) -> Hashable:
    """Return a key that is equal for equal instructions."""
    opcode = item.opcode
    operands: list[tuple[object, ...]] = []
    for operand, mask, role in zip(item.src, source_masks(item), source_roles(opcode.name)):
        register, swizzle = operand.register, operand.swizzle
        if role is Role.VALUE:
            taken: tuple[int, ...] = tuple([swizzle[c] if mask >> c & 1 else 0 for c in range(4)])
        else:
            taken = swizzle
        name: object = (register.file, register.index) if register.dimension is None and register.indirect is None else register
        operands.append((name, taken, operand.negate, operand.absolute))
    if Trait.COMMUTATIVE in opcode.traits:
        operands[:2] = sorted(operands[:2], key=repr)
    mask = 0 if opcode.mode is Mode.REPLICATE else item.dst[0].write_mask
    return opcode.name, mask, item.saturate, item.precise, item.texture, item.offsets, tuple(operands)


def _is_same(earlier: Instruction, item: Instruction) -> bool:
    """Return true if an instruction found under the same key was not changed since, as far as results and flags go."""
    return earlier.opcode is item.opcode and _expression(earlier) == _expression(item)


def _move(item: Instruction, found: DstOperand) -> Instruction:
    """Return a MOV of the result that was found."""
    swizzle = (0, 1, 2, 3)
    if item.opcode.mode is Mode.REPLICATE:
        first = next(c for c in range(4) if found.write_mask >> c & 1)
        swizzle = (first, first, first, first)
    source = SrcOperand(found.register, swizzle)
    opcode = OPCODES["MOV"]
    return Instruction(opcode, item.dst, (source,), span=item.span)
