"""The pass merge-moves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from passes.analysis.access import is_direct
from passes.analysis.cells import CHANNELS, source_masks
from passes.analysis.makers import MOVES
from passes.analysis.values import Values
from passes.edit import destination, source_of, with_operands
from passes.form import Form, FormPass
from tgsi.language.facts.enums import OUT, TEMP, File
from tgsi.language.facts.traits import BREAK, CONTINUE, ENDLOOP, ENDSWITCH, LOOP, RETURN, SWITCH, Mode
from tgsi.language.ir import PLACES, Instruction, RegisterRef, SrcOperand
from tgsi.language.record import record

_MANY = 64
"""Readers or jumps between a result and its MOV beyond which the MOV stays, so that the pass takes linear time."""


@record(slots=False)
class MergeMoves(FormPass):
    """Let instructions write where a MOV carries their results, and drop the MOV.

    The register that is moved must be needed for the MOV alone, or be another TEMP that holds the same value as long as it is read. All
    writes to it count, in branches and loops too, with any channels for component-wise results. Saturation of the MOV goes along.
    """

    name = "merge-moves"
    needs = (MOVES,)

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        merger = _Merger(form)
        changed = False
        for place, item in enumerate(form.values.items):
            if item is not None and item.opcode.is_copy and item.src[0].register.file is TEMP:
                changed |= merger.merge(place, item)
        return changed


class _Merger:
    def __init__(self, form: Form) -> None:
        self.form = form
        self.values: Values = form.values
        items = self.values.items
        self.emits = self.values.shows
        self.jumps = [] if self.values.layout.is_straight and not self.values.layout.jumps else _jumps(items)
        self.jump_places = [jump[0] for jump in self.jumps]

    def merge(self, move: int, item: Instruction) -> bool:
        """Drop a MOV if that is possible."""
        source, target = item.src[0], item.dst[0]
        if source.negate or source.absolute or not is_direct(source.register) or target.register.file not in (TEMP, OUT):
            return False
        if target.register.indirect is not None or target.register.dimension is not None:
            return False
        if target.register.cell == source.register.cell and source.register == target.register:
            return False
        values = self.values
        base = source.register.index * 16
        channels: dict[int, list[int]] = {}
        for c in CHANNELS[target.write_mask]:
            channels.setdefault(source.swizzle[c], []).append(c)
        old = [base + taken for taken in channels]
        goal = target.register.index * 16 + PLACES[target.register.file]
        new = [goal + c for group in channels.values() for c in group]
        if values.cells.of(source.register, (0,))[0] < 0 or values.cells.of(target.register, (0,))[0] < 0:
            return False
        if values.pinned and not values.pinned.isdisjoint(old + new):
            return False
        writers = sorted({place for cell in old for place in values.writers.get(cell, ())})
        if not writers or writers[-1] >= move or len(writers) > _MANY:
            return False
        first = writers[0]
        readers = self._readers(base, move, first, target.register.file is TEMP and not item.saturate)
        if readers is None or not self._is_free(first, move, new, target.register.file):
            return False
        for cell in old:
            if not values.is_assigned(cell, move, first):
                return False
        changes = {}
        allowed = set(old)
        for place in writers:
            changed = self._retargeted(place, allowed, channels, target.register, item.saturate)
            if changed is None:
                return False
            changes[place] = changed
        for place in readers:
            reader = changes.get(place) or values.items[place]
            changed = reread(values, reader, source.register, channels, target.register) if reader is not None else None
            if changed is None:
                return False
            changes[place] = changed
        values.remove(move)
        for place, changed in changes.items():
            values.put(place, changed)
        if target.register.file is TEMP:
            self.form.joined(target.register, source.register)
            self.form.is_stale = True
        return True

    def _readers(self, base: int, move: int, first: int, shared: bool) -> list[int] | None:
        """Return the other readers of the register that is moved, or None if one of them cannot read the target instead."""
        values = self.values
        others: dict[int, None] = {}
        readers = values.readers
        for cell in range(base, base + 4):
            for place in readers.get(cell, ()):
                if place != move:
                    if not shared or len(others) >= _MANY:
                        return None
                    others[place] = None
        for place in others:
            if place <= first:
                return None
            if place > move and not (values.dominates(move, place) and values.holds(move, place)):
                return None
        return list(others)

    def _is_free(self, first: int, move: int, new: list[int], file: File) -> bool:
        """Return true if nothing reads or writes the target between the first write and the MOV, and every lane comes to the MOV."""
        values, layout = self.values, self.values.layout
        if layout.repeated_between(first, move) >= 0:
            return False
        if file is OUT and bisect_left(self.emits, move) != bisect_left(self.emits, first):
            return False
        for cell in new:
            places = values.writers.get(cell, ())
            if bisect_left(places, move) != bisect_left(places, first):
                return False
            readers = values.readers.get(cell)
            if readers and (len(readers) > _MANY or any(first < place <= move for place in readers)):
                return False
        begin, end = bisect_left(self.jump_places, first), bisect_left(self.jump_places, move)
        if begin < end and (end - begin > _MANY or any(not (start > first and stop < move) for _, start, stop in self.jumps[begin:end])):
            return False
        region = layout.region[move]
        return layout.starts[region] <= first

    def _retargeted(
        self, place: int, allowed: set[int], channels: dict[int, list[int]], register: RegisterRef, saturate: bool
    ) -> Instruction | None:
        """Return a writer with the target as destination, or None if it cannot have it."""
        values = self.values
        item = values.items[place]
        assert item is not None
        opcode = item.opcode
        if len(item.dst) != 1 or opcode.flow is not None or not allowed.issuperset(values.writes[place]):
            return None
        mask = item.dst[0].write_mask
        straight = all(channels.get(c) == [c] for c in CHANNELS[mask])
        if saturate and (opcode.uses_64bit or not (opcode.is_computed or opcode.has_offsets)):
            return None
        if opcode.uses_64bit and any(operand.register == register for operand in item.src):
            return None
        if straight:
            writer = with_operands(item, (destination(register, mask),), item.src)
        elif opcode.is_computed and opcode.mode in (Mode.COMPONENTWISE, Mode.REPLICATE):
            taken = {c: old for old, group in channels.items() if mask >> old & 1 for c in group}
            writer = permuted(item, register, taken)
        else:
            return None
        return writer if not saturate or writer.saturate else _saturated(writer)


def reread(
    values: Values, item: Instruction, old: RegisterRef, channels: Mapping[int, Sequence[int]], new: RegisterRef
) -> Instruction | None:
    """Return an instruction that reads ``channels[c]`` of `new` instead of channel c of `old`; None if it reads `old` in another way."""
    sources = []
    for operand, mask in zip(item.src, source_masks(item)):
        if operand.register == old:
            read = [operand.swizzle[c] for c in range(4) if mask >> c & 1]
            if any(channel not in channels for channel in read):
                return None
            spare = channels[read[0]][0] if read else 0
            x, y, z, w = (channels[s][0] if s in channels else spare for s in operand.swizzle)
            operand = SrcOperand(new, (x, y, z, w), operand.negate, operand.absolute)
        sources.append(operand)
    if item.opcode.uses_64bit and any(target.register == new for target in item.dst):
        return None
    changed = with_operands(item, item.dst, tuple(sources))
    base = old.index * 16
    return None if any(base <= cell <= base + 3 for cell in values.cells.reads(changed)) else changed


def permuted(item: Instruction, register: RegisterRef, taken: dict[int, int]) -> Instruction:
    """Return an instruction whose result in channel c is that of channel ``taken[c]`` before."""
    mask = sum(1 << c for c in taken)
    if item.opcode.mode is Mode.REPLICATE:
        return with_operands(item, (destination(register, mask),), item.src)
    spare = next(iter(taken.values()))
    order = [taken.get(c, spare) for c in range(4)]
    sources = []
    for operand in item.src:
        x, y, z, w = (operand.swizzle[c] for c in order)
        sources.append(source_of(operand.register, (x, y, z, w), operand.negate, operand.absolute))
    return with_operands(item, (destination(register, mask),), tuple(sources))


def _saturated(item: Instruction) -> Instruction:
    return with_operands(item, item.dst, item.src, saturate=True)


def _jumps(items: list[Instruction | None]) -> list[tuple[int, int, int]]:
    """Return the place of every jump with the first and the last place of the block that it leaves; RET leaves everything."""
    jumps: list[tuple[int, int]] = []
    open_blocks: list[int] = []
    ends: dict[int, int] = {}
    for place, item in enumerate(items):
        flow = item.opcode.flow if item is not None else None
        if flow is None or item is None:
            continue
        if flow is LOOP or flow is SWITCH:
            open_blocks.append(place)
        elif flow is ENDLOOP or flow is ENDSWITCH:
            ends[open_blocks.pop()] = place
        elif flow is RETURN:
            jumps.append((place, -1))
        elif flow is BREAK:
            jumps.append((place, open_blocks[-1]))
        elif flow is CONTINUE:
            loops = (start for start in reversed(open_blocks) if (head := items[start]) is not None and head.opcode.flow is LOOP)
            jumps.append((place, next(loops)))
    return [(place, start, ends.get(start, len(items))) for place, start in jumps]
