"""The pass join-writes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable

from passes.analysis.access import is_direct
from passes.analysis.cells import source_masks
from passes.analysis.values import Values
from passes.edit import destination, with_operands
from passes.form import Form, FormPass
from passes.optimise.moves import permuted, reread
from passes.optimise.split import SplitRegisters
from tgsi.language.facts.enums import IMM, OUT, TEMP
from tgsi.language.ir import XYZW, Instruction, RegisterRef, SrcOperand
from tgsi.language.record import record


@record(slots=False)
class JoinWrites(FormPass):
    """Make one instruction of two that do the same on different channels.

    Opcode, flags and the registers of all sources are equal, where constants may differ. The results lie in one register; a TEMP that
    holds nothing else moves into free channels of the other's register.
    """

    name = "join-writes"

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        if not form.is_split:
            SplitRegisters().rewrite(form)
        parts: list[int] = []
        alike: set[int] = set()
        for place, item in enumerate(form.values.items):
            if item is not None and item.opcode.is_divisible and item.dst[0].write_mask != XYZW:
                parts.append(place)
                alike.add(_likeness(item))
        if len(alike) == len(parts):
            return False
        joiner = Joiner(form)
        for place in parts:
            joiner.visit(place)
        if joiner.changed:
            form.is_stale = True
        return joiner.changed


def _likeness(item: Instruction) -> int:
    """Return a number that is equal for instructions that may be joined: of opcode and registers of the sources, constants aside."""
    key: int = item.opcode.number
    for operand in item.src:
        register = operand.register
        key = key << 20 | (register.file if register.file is IMM else register.index << 4 | register.file)
    return key


class Joiner:
    """Search for pairs of instructions that write different channels of one register and may become one."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.values: Values = form.values
        self.changed = False
        self._known: dict[Hashable, int] = {}
        self._emits = self.values.shows

    def visit(self, place: int) -> None:
        """Join an instruction with an earlier one, or remember it."""
        item = self.values.items[place]
        if item is None or not item.opcode.is_divisible or item.dst[0].write_mask == XYZW:
            return
        opcode, target = item.opcode, item.dst[0]
        if target.register.dimension is not None or not is_direct(target.register):
            return
        sources = []
        for operand in item.src:
            register = operand.register
            if register.indirect is not None or register.dimension is not None:
                return
            sources.append((register.file, -1 if register.file is IMM else register.index, operand.negate, operand.absolute))
        region = self.values.layout.region[place]
        key = (opcode.name, item.saturate, item.precise, region, tuple(sources))
        for full in ((key, target.register.file, target.register.index), key):
            first = self._known.get(full)
            earlier = self.values.items[first] if first is not None else None
            if first is None or earlier is None or earlier.opcode is not opcode:
                continue
            joined = self._join(first, earlier, place, item)
            if joined is not None:
                self.changed = True
                instruction = self.values.items[joined]
                assert instruction is not None
                self._remember(joined, instruction, key)
                return
        self._remember(place, item, key)

    def _remember(self, place: int, item: Instruction, key: Hashable) -> None:
        register = item.dst[0].register
        if self.is_alone(place, item):
            self._known[key] = place
        self._known[key, register.file, register.index] = place

    def _join(self, first: int, earlier: Instruction, later: int, item: Instruction) -> int | None:
        """Join two instructions and return the place, that of one of them; None if joining changes a result."""
        one, two = earlier.dst[0], item.dst[0]
        moved: dict[int, list[int]] = {}
        readers: dict[int, Instruction] = {}
        if one.register != two.register:
            if not (self.is_alone(first, earlier) and self.is_alone(later, item)):
                return None
            free = [c for c in range(4) if not one.write_mask >> c & 1]
            channels = [c for c in range(4) if two.write_mask >> c & 1]
            if len(free) < len(channels):
                return None
            moved = {old: [new] for old, new in zip(channels, [c for c in channels if c in free] + [c for c in free if c not in channels])}
            if not self._reread(later, two.register, moved, one.register, readers):
                return None
            changed = permuted(item, one.register, {new[0]: old for old, new in moved.items()})
        else:
            changed = item
        if one.write_mask & changed.dst[0].write_mask or (
            not (down := self.sinks(first, earlier, later)) and not self.rises(first, later, item)
        ):
            return None
        joined = self._joined(earlier, changed)
        if joined is None:
            return None
        for reader, new in readers.items():
            self.values.put(reader, new)
        if moved:
            self.form.joined(one.register, two.register)
        place, other = (later, first) if down else (first, later)
        self.values.remove(other)
        self.values.put(place, joined)
        return place

    def is_alone(self, place: int, item: Instruction) -> bool:
        """Return true if a TEMP holds nothing but the result of one instruction."""
        register = item.dst[0].register
        values = self.values
        if register.file is not TEMP or values.cells.is_shared(register) or register.cell in self.form.zeros:
            return False
        base = register.index * 16
        for cell in range(base, base + 4):
            places = values.writers.get(cell)
            if places and places != [place]:
                return False
            if cell in values.pinned or (not places and values.readers.get(cell)):
                return False
        return True

    def _reread(self, later: int, old: RegisterRef, moved: dict[int, list[int]], new: RegisterRef, readers: dict[int, Instruction]) -> bool:
        for channel in range(4):
            for place in self.values.readers.get(old.index * 16 + channel, ()):
                if place in readers:
                    continue
                item = self.values.items[place]
                changed = reread(self.values, item, old, moved, new) if item is not None and place > later else None
                if changed is None:
                    return False
                readers[place] = changed
        return True

    def sinks(self, first: int, earlier: Instruction, later: int) -> bool:
        """Return true if the earlier instruction may stand at the later place."""
        values = self.values
        if not self._is_calm(first, later, values.writes[first], earlier):
            return False
        return all(values.keeps_operand(operand, mask, first, later) for operand, mask in zip(earlier.src, source_masks(earlier)))

    def rises(self, first: int, later: int, item: Instruction) -> bool:
        """Return true if the later instruction may stand at the earlier place."""
        values = self.values
        if not self._is_calm(first, later, values.writes[later], item):
            return False
        return all(values.keeps_operand(operand, mask, first, later) for operand, mask in zip(item.src, source_masks(item)))

    def _is_calm(self, first: int, later: int, cells: tuple[int, ...], item: Instruction) -> bool:
        """Return true if nothing reads or writes some cells between two places, and no lane leaves."""
        values = self.values
        jumps = values.layout.jumps
        if bisect_left(jumps, first) != bisect_left(jumps, later):
            return False
        if item.dst[0].register.file is OUT and bisect_left(self._emits, first) != bisect_left(self._emits, later):
            return False
        for cell in cells:
            if cell < 0 or cell in values.pinned:
                return False
            places = values.writers.get(cell, [])
            begin, end = bisect_right(places, first), bisect_left(places, later)
            if begin < end:
                return False
            readers = values.readers.get(cell, ())
            if len(readers) > 64 or any(first < place <= later for place in readers):
                return False
        return True

    def _joined(self, one: Instruction, two: Instruction) -> Instruction | None:
        """Return one instruction for the channels of both, or None if there is no room for its constants."""
        sources = []
        mask = two.dst[0].write_mask
        for a, b, kind in zip(one.src, two.src, one.opcode.src_types):
            x, y, z, w = (b.swizzle[c] if mask >> c & 1 else a.swizzle[c] for c in range(4))
            if a.register.file is IMM and a.register != b.register:
                items = self.form.immediates.items
                both = one.dst[0].write_mask | mask
                words = [
                    None if not both >> c & 1 else items[(b if mask >> c & 1 else a).register.index].words[(x, y, z, w)[c]]
                    for c in range(4)
                ]
                constant = self.form.immediates.source(words, kind)
                if constant is None:
                    return None
                sources.append(SrcOperand(constant.register, constant.swizzle, a.negate, a.absolute))
            else:
                sources.append(SrcOperand(a.register, (x, y, z, w), a.negate, a.absolute))
        return with_operands(one, (destination(one.dst[0].register, one.dst[0].write_mask | mask),), tuple(sources))
