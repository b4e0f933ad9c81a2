"""The pass spread-moves."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache

from passes.analysis.access import is_direct
from passes.analysis.cells import source_masks
from passes.analysis.makers import MOVES
from passes.analysis.values import UNWRITTEN, Values
from passes.edit import destination, with_operands
from passes.form import Form, FormPass
from passes.optimise.moves import permuted
from tgsi.language.facts.enums import OUT, TEMP
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.traits import Mode
from tgsi.language.ir import Instruction, SrcOperand
from tgsi.language.record import record


@record(slots=False)
class SpreadMoves(FormPass):
    """Replace MOVs by the instruction that computes their source, or by the one that reads their results.

    A result that several MOVs carry away, and nothing else reads, is computed by each of them, if it is cheap or if no channel is computed
    twice. An instruction with an operand that several MOVs put together becomes one instruction for each of these.
    """

    name = "spread-moves"
    needs = (MOVES,)

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        values = form.values
        moves = [place for place, item in enumerate(values.items) if item is not None and item.opcode.is_copy]
        if len(moves) < 2:
            return False
        spreader = _Spreader(values)
        changed = False
        for place in sorted(_gatherers(values, moves)):
            item = values.items[place]
            if item is not None and _is_simple(item):
                changed |= spreader.gather(place, item)
        for place in sorted(_sources(values, moves), reverse=True):
            item = values.items[place]
            if item is not None and _is_simple(item):
                changed |= spreader.scatter(place, item)
        if changed:
            form.is_stale = True
        return changed


def _gatherers(values: Values, moves: Sequence[int]) -> set[int]:
    """Return the places that read a TEMP to which several MOVs carry something."""
    carriers: dict[int, int] = {}
    shared: set[int] = set()
    for move in moves:
        cells = values.writes[move]
        if cells and carriers.setdefault(cells[0] >> 2, move) != move:
            shared.add(cells[0] >> 2)
    if not shared:
        return set()
    readers = values.readers
    return {place for key in shared for cell in range(4 * key, 4 * key + 4) for place in readers.get(cell, ())}


def _sources(values: Values, moves: Sequence[int]) -> set[int]:
    """Return the places that alone write what more than one MOV reads."""
    readers: dict[int, int] = {}
    shared: set[int] = set()
    for move in moves:
        for cell in values.reads[move]:
            places = values.writers.get(cell, ())
            if len(places) == 1 and readers.setdefault(places[0], move) != move:
                shared.add(places[0])
    return shared


def _is_simple(item: Instruction) -> bool:
    if not _is_simple_opcode(item.opcode):
        return False
    register = item.dst[0].register
    return register.indirect is None and register.dimension is None


@cache
def _is_simple_opcode(opcode: OpcodeInfo) -> bool:
    return not opcode.is_copy and opcode.num_dst == 1 and not opcode.uses_64bit and opcode.is_computed


class _Spreader:
    def __init__(self, values: Values) -> None:
        self.values = values
        self.emits = values.shows

    # A result that several MOVs carry.

    def scatter(self, place: int, item: Instruction) -> bool:
        """Compute a result in the MOVs that carry it away; return false if something else needs it."""
        values, opcode = self.values, item.opcode
        if item.dst[0].register.file is not TEMP or opcode.mode not in (Mode.COMPONENTWISE, Mode.REPLICATE):
            return False
        cells = values.writes[place]
        for reader in values.readers.get(cells[0], ()) if cells else ():
            user = values.items[reader]
            if user is None or not user.opcode.is_copy:
                return False
        if any(cell < 0 or cell in values.pinned or values.writers[cell] != [place] for cell in cells):
            return False
        moves = sorted(values.users(place))
        if not 2 <= len(moves) <= 4:
            return False
        computed: dict[int, Instruction] = {}
        channels = 0
        for move in moves:
            changed = self._computed(place, item, move)
            if changed is None:
                return False
            computed[move] = changed
            channels += changed.dst[0].write_mask.bit_count() if opcode.is_componentwise else 4
        is_cheap = opcode.skip_cost <= 1 and opcode.products <= 1 and opcode.sums <= 1
        if channels > len(cells) and not is_cheap:
            return False
        for move, changed in computed.items():
            values.put(move, changed)
        values.remove(place)
        return True

    def _computed(self, place: int, item: Instruction, move: int) -> Instruction | None:
        """Return an instruction that computes what a MOV carries, or None if it cannot."""
        values = self.values
        copy = values.items[move]
        if copy is None or not copy.opcode.is_copy or not values.dominates(place, move):
            return None
        source, target = copy.src[0], copy.dst[0]
        if source.negate or source.absolute or source.register != item.dst[0].register or not is_direct(target.register):
            return None
        if target.register.dimension is not None or values.layout.loop_of(move) != values.layout.loop_of(place):
            return None
        if any(values.writer(cell, move) != place for cell in values.reads[move]):
            return None
        if not all(values.keeps_operand(operand, mask, place, move) for operand, mask in zip(item.src, source_masks(item))):
            return None
        taken = {c: source.swizzle[c] for c in range(4) if target.write_mask >> c & 1}
        computed = permuted(item, target.register, taken)
        return with_operands(computed, computed.dst, computed.src, saturate=True) if copy.saturate and not computed.saturate else computed

    # An operand that several MOVs put together.

    def gather(self, place: int, item: Instruction) -> bool:
        """Split an instruction by the MOVs that put one of its operands together; return false if none is."""
        if not item.opcode.is_componentwise or item.dst[0].write_mask.bit_count() < 2:
            return False
        for number, operand in enumerate(item.src):
            if operand.register.file is TEMP and is_direct(operand.register) and self._split(place, item, number, operand):
                return True
        return False

    def _split(self, place: int, item: Instruction, number: int, operand: SrcOperand) -> bool:
        values = self.values
        if values.cells.is_shared(operand.register):
            return False
        makers: dict[int, int] = {}  # MOV -> channels of the destination
        base = operand.register.index * 16
        for c in range(4):
            if item.dst[0].write_mask >> c & 1:
                maker = values.writer(base + operand.swizzle[c], place)
                move = values.items[maker] if maker is not None and maker != UNWRITTEN else None
                if maker is None or move is None or not move.opcode.is_copy:
                    return False
                makers[maker] = makers.get(maker, 0) | 1 << c
        if len(makers) < 2 or sum(other.register == operand.register for other in item.src) > 1:
            return False
        order = sorted(makers)
        slots = [*order[1:], place]
        if not self._is_movable(order, slots, place, item, number):
            return False
        parts: list[Instruction] = []
        for maker, slot in zip(order, slots):
            one = self._part(maker, slot, item, number, operand, makers[maker])
            if one is None:
                return False
            parts.append(one)
        written: set[int] = set()
        for one in parts:
            if not written.isdisjoint(values.cells.reads(one)):
                return False
            written.update(values.cells.writes(one))
        values.remove(order[0])
        for slot, one in zip(slots, parts):
            values.put(slot, one)
        return True

    def _is_movable(self, order: list[int], slots: list[int], place: int, item: Instruction, number: int) -> bool:
        """Return true if the instruction may run in the places of all these MOVs but the first."""
        values, layout = self.values, self.values.layout
        for maker in order:
            move = values.items[maker]
            if move is None or not move.opcode.is_copy or move.saturate or not values.is_only_for(maker, place):
                return False
            if layout.region[maker] != layout.region[place]:
                return False
        first = slots[0]
        jumps = layout.jumps
        if bisect_left(jumps, order[0]) != bisect_left(jumps, place):
            return False
        if item.dst[0].register.file is OUT and bisect_left(self.emits, first) != bisect_left(self.emits, place):
            return False
        masks = source_masks(item)
        for other, operand in enumerate(item.src):
            if other != number and not values.keeps_operand(operand, masks[other], first, place):
                return False
        for cell in values.writes[place]:
            if cell < 0 or cell in values.pinned:
                return False
            places = values.writers.get(cell, [])
            if bisect_right(places, first) != bisect_left(places, place):
                return False
            readers = values.readers.get(cell, ())
            if len(readers) > 64 or any(first <= reader < place for reader in readers):
                return False
        return True

    def _part(self, maker: int, slot: int, item: Instruction, number: int, operand: SrcOperand, mask: int) -> Instruction | None:
        """Return the instruction for the channels that one MOV brings, which reads the source of the MOV."""
        values = self.values
        move = values.items[maker]
        assert move is not None
        source = move.src[0]
        if source.negate or source.absolute or not is_direct(source.register) or source.register.file is OUT:
            return None
        taken = sum(1 << operand.swizzle[c] for c in {operand.swizzle[c]: c for c in range(4) if mask >> c & 1}.values())
        if not values.keeps_operand(source, taken, maker, slot):
            return None
        first = next(c for c in range(4) if mask >> c & 1)
        x, y, z, w = (source.swizzle[operand.swizzle[c if mask >> c & 1 else first]] for c in range(4))
        sources = list(item.src)
        sources[number] = SrcOperand(source.register, (x, y, z, w), operand.negate, operand.absolute)
        return with_operands(item, (destination(item.dst[0].register, mask),), tuple(sources))
