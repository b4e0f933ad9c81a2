"""Values: for each channel that a source reads, the instructions that may have written it, and the readers of every result.

`Values` is the form that optimising passes work on. It holds the instructions of a program in a list (None: removed), and for each cell
(`passes.analysis.cells`) the places that write and that read it, which `put` and `remove` keep right. After `split-registers` most cells
have one writer, so that a cell is a value, as in static single assignment. For cells with several writers (variables of loops, joins of
arms, arrays), the structure of the control flow shows which writer reaches a place.

All answers are about a single lane on its path. Opcodes that read other lanes also see registers of lanes on other paths: `is_uniform` is
true at places that all lanes reach together, and `pinned` has the cells that such opcodes read elsewhere.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence, Set
from copy import copy

from passes.analysis import facts
from passes.analysis.access import indexed_registers, is_carried_out, reads_alike
from passes.analysis.cells import CellMap, Cells, source_masks, touched_by_subs
from passes.analysis.layout import Layout
from passes.analysis.makers import SHOWS, UNMADE, Opcodes
from passes.analysis.reading import plain_accesses
from tgsi.language.facts.traits import Flow
from tgsi.language.ir import CHOSEN, STILL, Instruction, SrcOperand
from tgsi.language.program import Program

UNWRITTEN = -1
"""The definition of a channel that nothing writes before it is read: it is 0."""

_NOWHERE: set[int] = set()

_UNKNOWN = tuple((None,) * count for count in range(8))
"""The definitions of sources that read no cell, by their number."""

_FIRST = tuple((mask & -mask).bit_length() - 1 for mask in range(16))
"""The first channel of a mask."""


class Values:
    """The instructions of a program with the writers and readers of every cell.

    items: the instructions. opcodes: their opcodes. writers: places by cell, in order. readers: places by cell.
    is_indexed: whether an address chooses a register of some operand. shared: cells that subroutines touch.
    pinned: cells that an opcode reads from other lanes where these may have diverged; no write to one may be removed or moved.
    makers: by cell, at least the bits of the opcodes that write it (`bits_of`); cells without an entry are never written. several: at least
    the cells with several writers.
    may_overwrite_outputs: false if every channel of OUT is written in one place at most. touched: the places that changed since this set
    was last cleared. version: the number of changes so far. unread_at: the last version in which every result had a reader.
    webs_at: a version with the result of `several_webs` in it.
    """

    __slots__ = (
        *("program", "items", "opcodes", "cells", "layout", "reads", "writes", "writers", "_readers", "_origins", "_shows", "version"),
        *("makers", "several", "shared", "pinned", "is_indexed", "may_overwrite_outputs", "touched", "unread_at", "webs_at"),
    )

    def __init__(self, program: Program) -> None:
        self.program = program
        self.items: list[Instruction | None] = list(program.instructions)
        accesses = plain_accesses(program)
        self.cells = CellMap(program)
        self.opcodes = Opcodes(program.instructions)
        self.layout = Layout(self.items, self.opcodes.counts)
        self.is_indexed = bool(facts.of(program, indexed_registers))
        self.writers: dict[int, list[int]] = {}
        self.makers: dict[int, int] = {}
        self.several: set[int] = set()
        self.touched: set[int] = set()
        self.version, self.unread_at = 0, -1
        self.webs_at: tuple[int, set[int]] = -1, set()
        self._readers: dict[int, set[int]] | None = None
        self.may_overwrite_outputs = False
        self.shared = touched_by_subs(self.items, self.cells) if self.layout.has_subs else ()
        if accesses is None:
            accesses = list(map(self.cells.reads, program.instructions)), list(map(self.cells.writes, program.instructions))
        self.reads, self.writes = accesses
        if self.shared:
            for place, item in enumerate(program.instructions):
                if item.opcode.flow is Flow.CALL:
                    self.reads[place] = self.writes[place] = self.shared
        self._index()
        self.find_pinned()
        self._origins: tuple[int, Sequence[int | None]] = -1, ()
        self._shows: list[int] | None = None

    def copied(self) -> Values:
        """Return a copy, for queries about reads and writes alone."""
        duplicate = copy(self)
        duplicate.items, duplicate.reads, duplicate.writes = self.items.copy(), self.reads.copy(), self.writes.copy()
        duplicate.opcodes = self.opcodes.copy()
        return duplicate

    def rename(self, renamed: Mapping[int, Instruction], *, touch: bool) -> None:
        """Replace instructions by copies with different TEMP and ADDR registers, which no address reaches.

        touch: whether readers of the old registers are also marked as touched.
        """
        if touch:
            for place in renamed:
                self.touched |= self.users(place)
        if len(renamed) < len(self.items) >> 3:
            for place, item in renamed.items():
                self.put(place, item)
            return
        items = self.items
        self.version += 1
        for place, item in renamed.items():  # only calls are without registers
            items[place] = item
            self.reads[place] = self.cells.reads(item)
            self.writes[place] = self.cells.writes(item)
        self.touched.update(renamed)
        self._readers, self.writers = None, {}
        self.makers, self.several = {}, set()
        self._index()
        self._origins = -1, ()

    @property
    def readers(self) -> dict[int, set[int]]:
        """The places that read each cell, computed on first use, since many programs need none."""
        if self._readers is None:
            readers: dict[int, set[int]] = {}
            for place, reads in enumerate(self.reads):
                for cell in reads:
                    if cell in readers:
                        readers[cell].add(place)
                    else:
                        readers[cell] = {place}
            self._readers = readers
        return self._readers

    def definition(self, place: int, operand: int, channel: int) -> int | None:
        """Return the place of the only instruction whose result source number `operand` reads in `channel` (before its swizzle).

        UNWRITTEN if the channel is 0 from the start. None if several instructions may have written it, the register is indirect, or it is
        not a TEMP, ADDR or OUT.
        """
        item = self.items[place]
        assert item is not None
        source = item.src[operand]
        if source.register.indirect is not None:
            return None
        cells = self.cells.of(source.register, (source.swizzle[channel],))
        return self.writer(cells[0], place) if cells else None

    def origins(self, place: int) -> Sequence[int | None]:
        """Return, by source, the definition of the first channel that is read from a TEMP; see `definition`.

        Rules need definitions with certain opcodes, and the first channel nearly always rules them out. The passes of a walk query the same
        place in turn, so the last answer is cached until an instruction changes.
        """
        asked, origins = self._origins
        if asked != place:
            item = self.items[place]
            assert item is not None
            origins = self._found_origins(place, item) if self.reads[place] else _UNKNOWN[len(item.src)]
            self._origins = place, origins
        return origins

    def _found_origins(self, place: int, item: Instruction) -> Sequence[int | None]:
        is_plain, is_straight, writers = not self.cells.groups, self.layout.is_straight, self.writers
        origins: list[int | None] = []
        for operand, mask in zip(item.src, source_masks(item)):
            cell = operand.register.cell
            if cell < 0 or cell & 12 or not mask:  # no TEMP
                origins.append(None)
                continue
            channel = operand.swizzle[_FIRST[mask]]
            cell = cell + channel if is_plain else self.cells.of(operand.register, (channel,))[0]
            places = writers.get(cell)
            if is_straight and cell >= 0 and places and len(places) == 1:  # same result as `writer`
                origins.append(places[0] if places[0] < place else None)
            else:
                origins.append(self.writer(cell, place))
        return origins

    def writer(self, cell: int, place: int) -> int | None:
        """Return the place of the only write that reaches a read of a cell at `place`; see `definition`."""
        places = self.writers.get(cell)
        if not places:
            return UNWRITTEN if cell >= 0 else None
        at = bisect_left(places, place) - 1
        if cell < 0 or at < 0:
            return None
        layout = self.layout
        if layout.is_straight:
            return places[at]
        while layout.are_apart(places[at], place):
            at -= 1
            if at < 0:
                return None
        writer = places[at]
        if not layout.dominates(writer, place):
            return None
        loop = layout.repeated_between(writer, place)
        return None if loop >= 0 and self._changes(places, layout.loops[loop][0], layout.loops[loop][1], -1) else writer

    def _changes(self, places: list[int], first: int, end: int, later: int) -> bool:
        """Return true if there is a write at `first` to `end` - 1, except in the other arm of an IF around `later`."""
        at = bisect_left(places, first)
        while at < len(places) and places[at] < end:
            if later < 0 or not self.layout.are_apart(places[at], later):
                return True
            at += 1
        return False

    def is_assigned(self, cell: int, place: int, first: int) -> bool:
        """Return true if every lane at `place` has written a cell since it reached `first`, with no loop in between."""
        places = self.writers.get(cell, [])
        layout = self.layout
        inner: dict[int, set[int]] = {}
        for writer in places[bisect_left(places, first) : bisect_left(places, place)]:
            if layout.dominates(writer, place):
                return True
            region = layout.region[writer]
            inner.setdefault(region, set()).add(writer)
        return bool(inner) and layout.covers(set(inner), place)

    def keeps(self, cells: Cells, first: int, later: int) -> bool:
        """Return true if cells have the same values when `later` reads them as when `first` read them. `first` must dominate `later`."""
        if not cells:
            return True
        loop = self.layout.repeated_between(first, later) if self.layout.loops else -1
        end = self.layout.loops[loop][1] if loop >= 0 else later
        for cell in cells:
            places = self.writers.get(cell)
            if places and places[-1] >= first and self._changes(places, first, end, -1 if loop >= 0 else later):
                return False
        return True

    def holds(self, first: int, later: int) -> bool:
        """Return true if the results of the instruction at `first` are still in their registers at `later`, which `first` dominates."""
        loop = self.layout.repeated_between(first, later) if self.layout.loops else -1
        end = self.layout.loops[loop][1] if loop >= 0 else later
        for cell in self.writes[first]:
            places = self.writers[cell]
            if len(places) > 1 and self._changes(places, first + 1, end, -1 if loop >= 0 else later):
                return False
        return True

    def keeps_operand(self, operand: SrcOperand, mask: int, first: int, later: int) -> bool:
        """Return true if `later`, reading `operand` in the channels of `mask`, gets the same values as `first`: see `keeps`."""
        register = operand.register
        if register.cell == STILL:
            return True
        cells = self.cells.source(operand, mask)
        if register.cell == CHOSEN:
            cells += self.cells.index_cells(register)
        return not cells or self.keeps(cells, first, later)

    def dominates(self, first: int, later: int) -> bool:
        """Return true if every lane that runs `later` ran `first` before it, in the same round of every loop around `first`."""
        return self.layout.dominates(first, later)

    def is_uniform(self, place: int) -> bool:
        """Return true if all lanes run this place."""
        return self.layout.is_uniform(place)

    def makers_of(self, place: int) -> int:
        """Return a mask of the opcodes that may write the operands of an instruction; UNMADE is an operand that nothing wrote."""
        mask, makers = 0, self.makers
        for cell in self.reads[place]:
            mask |= makers.get(cell, UNMADE)
        return mask

    def users(self, place: int) -> set[int]:
        """Return the places that may read a result of the instruction at `place`. Results in OUT are also read by EMIT and at the end."""
        users: set[int] = set()
        for cell in self.writes[place]:
            users |= self.readers.get(cell, _NOWHERE)
        return users

    def is_only_for(self, place: int, reader: int) -> bool:
        """Return true if only `reader` reads results of the instruction at `place`, which writes no pinned cell or output."""
        for cell in self.writes[place]:
            if cell < 0 or cell & 8 or cell in self.pinned:
                return False
            for other in self.readers.get(cell, _NOWHERE):
                if other != reader:
                    return False
        return True

    @property
    def shows(self) -> list[int]:
        """The places where the contents of outputs may be observed, at the first call: EMIT, and calls."""
        if self._shows is None:
            items = () if SHOWS.isdisjoint(self.opcodes.counts) else enumerate(self.items)
            self._shows = [place for place, item in items if item is not None and item.opcode in SHOWS]
        return self._shows

    def put(self, place: int, item: Instruction) -> None:
        """Replace the instruction at a place. The replacement must not be a jump or a part of a block, since control flow cannot change."""
        self._origins = -1, ()
        self.version += 1
        old = self.items[place]
        if old is None or not is_carried_out(old, item):
            self.touched.add(place)
        self.items[place] = item
        if old is None or item.src is not old.src or self.is_indexed or not reads_alike(old, item):
            reads = self.cells.reads(item)
            if reads != self.reads[place]:
                self._note_reads(place, reads)
        if old is None or item.dst is not old.dst or item.opcode.uses_64bit or old.opcode.uses_64bit or item.opcode.is_store:
            writes = self.cells.writes(item)
            if writes != self.writes[place]:
                self._note_writes(place, writes)
        if old is None or item.opcode is not old.opcode:
            if old is not None:
                self.opcodes.drop(old.opcode)
            self.opcodes.add(item.opcode)
            bit, makers = 2 << item.opcode.number, self.makers
            for cell in self.writes[place]:
                makers[cell] |= bit

    def remove(self, place: int) -> None:
        """Remove the instruction at a place."""
        self._origins = -1, ()
        self.version += 1
        self.touched.discard(place)
        if self.reads[place]:
            self._note_reads(place, ())
        if self.writes[place]:
            self._without_writes(place, self.writes[place])
            self.writes[place] = ()
        if (old := self.items[place]) is not None:
            self.opcodes.drop(old.opcode)
        self.items[place] = None

    def _index(self) -> None:
        """Find the writers of every cell, and their opcodes."""
        writers, makers, items = self.writers, self.makers, self.items
        for place, writes in enumerate(self.writes):
            if not writes or (item := items[place]) is None:
                continue
            bit = 2 << item.opcode.number
            for cell in writes:
                if cell not in writers:
                    writers[cell] = [place]
                    makers[cell] = bit
                elif writers[cell][-1] != place:
                    writers[cell].append(place)
                    makers[cell] |= bit
                    self.several.add(cell)
                    if cell & 8:
                        self.may_overwrite_outputs = True

    def _note_reads(self, place: int, reads: Cells) -> None:
        readers = self._readers
        if readers is not None:
            for cell in self.reads[place]:
                readers[cell].discard(place)
            for cell in reads:
                readers.setdefault(cell, set()).add(place)
        self.reads[place] = reads

    def _note_writes(self, place: int, writes: Cells) -> None:
        before = self.writes[place]
        self.writes[place] = writes
        self._without_writes(place, set(before).difference(writes) if writes else before)
        writers, makers, item = self.writers, self.makers, self.items[place]
        bit = 2 << item.opcode.number if item is not None else 0
        for cell in set(writes).difference(before):
            makers[cell] = makers.get(cell, 0) | bit
            places = writers.get(cell)
            if not places:
                writers[cell] = [place]
                continue
            insort(places, place)
            self.several.add(cell)
            if cell & 8:
                self.may_overwrite_outputs = True

    def _without_writes(self, place: int, cells: Iterable[int]) -> None:
        """Note that the instruction at a place no longer writes some cells."""
        writers = self.writers
        for cell in cells:
            places = writers[cell]
            if len(places) == 1:
                if places[0] == place:  # cells of groups may occur twice
                    places.clear()
                    self.makers[cell] |= UNMADE
            elif (at := bisect_left(places, place)) < len(places) and places[at] == place:
                del places[at]

    def find_pinned(self) -> None:
        """Find the cells read by opcodes that also see registers of lanes on other paths."""
        pinned: set[int] = set()
        self.pinned: Set[int] = pinned
        layout = self.layout
        if layout.is_straight and not layout.jumps:
            return  # all lanes run every instruction
        for place, item in enumerate(self.items):
            if item is None or item.opcode.flow is not None or not item.opcode.looks_at_other_lanes or layout.is_uniform(place):
                continue
            for cell in self.reads[place]:
                writer = self.writer(cell, place)
                if writer is None or (
                    writer >= 0 and (not layout.is_uniform(writer) or self._changes(self.writers[cell], writer + 1, place, -1))
                ):
                    pinned.add(cell)  # last, because lanes in another arm may have written it since
