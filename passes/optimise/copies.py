"""The pass propagate-copies."""

from __future__ import annotations

from dataclasses import replace

from passes.analysis.access import is_direct
from passes.analysis.cells import CHANNELS, source_masks
from passes.analysis.makers import COPIES, UNMADE, bits_of
from passes.analysis.values import UNWRITTEN, Values
from passes.edit import source_of, with_operands, with_register
from passes.form import EVERY, Form, Rewriter
from passes.validate.roles import Role, source_roles
from tgsi.language.facts.enums import ADDR, OUT
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import PLACES, STILL, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.record import record

_COPIES = bits_of(COPIES) | UNMADE
_NOWHERE: list[int] = []
_VALUE = Role.VALUE


@record(slots=False)
class PropagateCopies(Rewriter):
    """Read the source of a MOV instead of the copy, channel by channel, modifiers included.

    The MOV stays; remove-dead-code drops it if its result is not needed. Derivatives and samples also look at lanes that a branch left out,
    so they change there only if the copy was made before the branch. Channels that an output, or another register, holds already are
    not moved again.
    """

    name = "propagate-copies"

    def takes(self, opcode: OpcodeInfo) -> int:
        """See `Rewriter.takes`."""
        return 0 if not (opcode.num_src or opcode.num_dst) else EVERY if opcode.is_copy else _COPIES

    def visit(self, form: Form, place: int, item: Instruction, makers: int) -> bool:
        """See `Rewriter.visit`."""
        values, changed = form.values, item
        if not makers & _COPIES:
            target = item.dst[0].register
            if target.cell != item.src[0].register.cell and values.several.isdisjoint(values.writes[place]):
                return False  # nearly all MOVs
        else:
            changed = _replaced(form, place, item)
            if changed is not item:
                values.put(place, changed)
        if changed.opcode.is_copy and not changed.saturate and _unrepeated(values, place, changed):
            return True
        return changed is not item


def _replaced(form: Form, place: int, item: Instruction) -> Instruction:
    """Return an instruction that reads the sources of copies."""
    values = form.values
    items, opcode = values.items, item.opcode
    apart = opcode.looks_at_other_lanes and not values.is_uniform(place)
    sources = None
    for number, maker in enumerate(values.origins(place)):
        if maker is None:
            continue
        if maker >= 0:
            move = items[maker]
            if move is None or not move.opcode.is_copy or move.saturate:
                continue
        if source_roles(opcode.name)[number] is not _VALUE:
            continue
        operand = item.src[number]
        replaced = _operand(form, place, item, number, operand, source_masks(item)[number], apart)
        if replaced is not operand:
            sources = sources or list(item.src)
            sources[number] = replaced
    changed = item if sources is None else with_operands(item, item.dst, tuple(sources))
    if values.is_indexed and not apart and values.cells.has_indices(changed):
        return _with_other_indices(values, place, changed)
    return changed


def _with_other_indices(values: Values, place: int, item: Instruction) -> Instruction:
    """Return an instruction whose registers are indexed by the sources of copies."""
    src = [_indexed(values, place, operand.register) for operand in item.src]
    dst = [_indexed(values, place, operand.register) for operand in item.dst]
    if all(new is old.register for new, old in zip(src + dst, item.src + item.dst)):
        return item
    targets = tuple([with_register(operand, new) for new, operand in zip(dst, item.dst)])
    return with_operands(item, targets, tuple([with_register(operand, new) for new, operand in zip(src, item.src)]))


def _indexed(values: Values, place: int, register: RegisterRef) -> RegisterRef:
    """Return a register whose indices are read from the sources of copies between ADDR registers."""

    def origin(ref: IndirectRef | None) -> IndirectRef | None:
        if ref is None or ref.file is not ADDR:
            return ref
        maker = values.writer(values.cells.index_cell(ref)[0], place)
        move = values.items[maker] if maker is not None and maker != UNWRITTEN else None
        if move is None or maker is None or not move.opcode.is_copy or move.saturate:
            return ref
        source = move.src[0]
        if source.negate or source.absolute or source.register.file is not ADDR or not is_direct(source.register):
            return ref
        keeps = values.keeps_operand(source, 1 << ref.component, maker, place)
        return IndirectRef(ADDR, source.register.index, source.swizzle[ref.component]) if keeps else ref

    if register.indirect is None and register.dimension is None:
        return register
    first = origin(register.indirect)
    dimension = register.dimension
    second = origin(dimension.indirect) if dimension is not None else None
    if first is not register.indirect:
        register = replace(register, indirect=first)
    if dimension is not None and second is not dimension.indirect:
        register = replace(register, dimension=replace(dimension, indirect=second))
    return register


def _operand(form: Form, place: int, item: Instruction, number: int, operand: SrcOperand, mask: int, apart: bool) -> SrcOperand:
    values = form.values
    items, writers, is_straight = values.items, values.writers, values.layout.is_straight
    swizzle, base = operand.swizzle, operand.register.index * 16
    source: SrcOperand | None = None
    last: int | None = None
    is_same = True  # whether one MOV brings all channels
    taken: list[int] = []
    makers: dict[int, int] = {}  # MOVs, and the channels that they bring, unless nothing can write these meanwhile
    for position in CHANNELS[mask]:
        channel = swizzle[position]
        places = writers.get(base + channel, _NOWHERE)
        if is_straight and len(places) == 1 and places[0] < place:  # as `writer` would answer
            maker: int | None = places[0]
        else:
            maker = values.writer(base + channel, place)
        if maker != last or maker is None:
            if maker is None:
                return operand
            if maker == UNWRITTEN:
                return _zero(form, operand, mask, values, base, place)
            move = items[maker]
            if move is None or not move.opcode.is_copy or move.saturate:
                return operand
            copied = move.src[0]
            if source is None:
                source, taken = copied, [copied.swizzle[channel]] * 4
            elif copied is not source and (
                copied.negate is not source.negate or copied.absolute is not source.absolute or copied.register != source.register
            ):
                return operand
            else:
                is_same = False
            last = maker
        if apart and (not values.is_uniform(maker) or base + channel in values.pinned):
            return operand
        taken[position] = copied.swizzle[channel]
        if source is not None and source.register.cell != STILL:
            makers[maker] = makers.get(maker, 0) | 1 << channel
    if source is None:
        return operand
    register, negate, absolute = source.register, source.negate, source.absolute
    if not _fits(item, number, operand, register, negate or absolute):
        return operand
    if register.cell != STILL:
        if not is_direct(register) and (apart or not is_same):
            return operand
        if apart and register.file in PLACES:  # lanes in another arm may have written it since
            return operand
        for maker, channels in makers.items():
            move = items[maker]
            assert move is not None
            if not values.keeps_operand(move.src[0], channels, maker, place):
                return operand
    x, y, z, w = taken
    if operand.absolute:
        return source_of(register, (x, y, z, w), operand.negate, True)
    return source_of(register, (x, y, z, w), operand.negate ^ negate, absolute)


def _fits(item: Instruction, number: int, operand: SrcOperand, register: RegisterRef, modified: bool) -> bool:
    """Return true if a source may be another register, with modifiers if `modified`."""
    opcode = item.opcode
    if register.file is OUT:
        return False
    if modified:
        takes = opcode.is_computed or opcode.flow is not None or Trait.KILL in opcode.traits
        if not takes or opcode.modifier_types[number] not in ("float", "untyped"):
            return False
    if opcode.uses_64bit:  # the first pair is stored before the second is read
        return not any(target.register in (operand.register, register) or target.register.indirect for target in item.dst)
    return True


def _zero(form: Form, operand: SrcOperand, mask: int, values: Values, base: int, place: int) -> SrcOperand:
    """Return an immediate 0 for channels that nothing writes."""
    read = {operand.swizzle[c] for c in range(4) if mask >> c & 1}
    if any(values.writer(base + channel, place) != UNWRITTEN for channel in read):
        return operand
    zero = form.immediates.source([0, 0, 0, 0], "uint")
    return operand if zero is None else SrcOperand(zero.register, zero.swizzle, operand.negate, operand.absolute)


def _unrepeated(values: Values, place: int, item: Instruction) -> bool:
    """Drop the channels of a MOV whose target holds the same value already; return true if there are any."""
    target, source = item.dst[0], item.src[0]
    register = target.register
    writes, writers = values.writes[place], values.writers
    if register.cell < 0 or not writes or writes[0] < 0:
        return False
    base = register.cell
    own = register.cell == source.register.cell and register == source.register and not (source.negate or source.absolute)
    if not own and values.several.isdisjoint(writes):
        return False
    same = 0
    for channel in range(4):
        if not target.write_mask >> channel & 1:
            continue
        if own and source.swizzle[channel] == channel:
            same |= 1 << channel
            continue
        if len(writers[base + channel]) < 2 or base + channel in values.pinned:
            continue
        before = values.writer(base + channel, place)
        if before is None or before == UNWRITTEN:
            continue
        other = values.items[before]
        if other is None or not other.opcode.is_copy or other.saturate:
            continue
        first = other.src[0]
        if first is not source and (
            first.negate is not source.negate or first.absolute is not source.absolute or first.register != source.register
        ):
            continue
        if first.swizzle[channel] == source.swizzle[channel] and values.keeps_operand(source, 1 << channel, before, place):
            same |= 1 << channel
    if not same:
        return False
    mask = target.write_mask & ~same
    if mask:
        values.put(place, with_operands(item, (replace(target, write_mask=mask),), item.src))
    else:
        values.remove(place)
    return True
