"""Webs: groups of writes to a register that must share a name, because some read may get the result of any of them.

The walk follows a lane through structured control flow and keeps, for each cell, the node that defines its value: a write, the start of the
program, or a join of several nodes. Joins of cells that are not read afterwards have no effect. Cells that an address may reach, that
subroutines touch, or that other lanes may read (`Values.pinned`) have no nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from passes.analysis.access import indices_of
from passes.analysis.blocks import Block, written_inside
from passes.analysis.cells import source_masks, stored_channels
from passes.analysis.several import several_webs
from passes.analysis.slots import DESTINATION, OFFSET, SOURCE, Mention, slot
from passes.analysis.values import Values
from tgsi.language.facts.enums import ADDR, OUT, TEMP
from tgsi.language.facts.traits import CASE, ELSE, ENDIF, ENDLOOP, ENDSUBROUTINE, ENDSWITCH, IF, JUMPS, LOOP, SUBROUTINE, SWITCH, Flow
from tgsi.language.ir import CHOSEN, PLACES, STILL, Instruction, RegisterRef

_FILES = (TEMP, ADDR)
_RESULT = slot(DESTINATION, 0)


class Webs:
    """The webs of a program.

    mentions: by place, the registers with webs; in a program without branches, only those that may have several webs. roots: by node, a
    number that is the same for nodes of one web.
    starts: nodes of values from before the program that are read. carried: nodes of values at the heads of loops that are read.
    """

    def __init__(self, values: Values) -> None:
        self.program = values.program
        self.cells = values.cells
        self._writes = values.writes
        self._items = values.items
        self.mentions: dict[int, list[Mention]] = {}
        self._fixed = frozenset(cell & ~3 | c for cell in (*values.shared, *values.pinned) if cell >= 0 for c in range(4))
        self._parent: list[int] = []
        self._inputs: dict[int, list[int]] = {}
        self._used: list[int] = []
        self._entry: dict[int, int] = {}
        self._heads: list[int] = []
        self._env: dict[int, int] = {}
        self._blocks: list[Block] = []
        self._dead = False
        self._written = written_inside(values, self._fixed)
        if values.layout.is_straight and not self.cells.groups:
            self._straight(values)
        else:
            self._walk()
        used = self._bind_joins()
        self.roots: list[int] = []
        for node, parent in enumerate(self._parent):  # which is an earlier node, or the same
            self.roots.append(node if parent == node else self.roots[parent])
        self.starts = [node for node in self._entry.values() if node in used]
        self.carried = [node for node in self._heads if node in used]

    @property
    def without_nodes(self) -> set[int]:
        """TEMP and ADDR registers without webs, by the cell of channel x.

        They stay in this set even when no address or subroutine reaches them any more.
        """
        cells = {cell & ~3 for cell in self._fixed if cell >= 0 and not cell & 8}
        if self.cells.groups:
            for item in self.program.declarations:
                if item.file in _FILES:
                    registers = range(item.first, item.last + 1)
                    cells.update(index * 16 + PLACES[item.file] for index in registers if self.cells.group(item.file, index))
        return cells

    def _web(self, node: int) -> int:
        """Return the representative of a node's web so far."""
        parent = self._parent
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    # Nodes.

    def _new(self) -> int:
        self._parent.append(len(self._parent))
        return len(self._parent) - 1

    def _bind(self, first: int, second: int) -> int:
        a, b = self._web(first), self._web(second)
        if a != b:
            self._parent[max(a, b)] = min(a, b)
        return min(a, b)

    def _get(self, cell: int) -> int:
        node = self._env.get(cell)
        if node is None:
            node = self._entry.get(cell)
            if node is None:
                node = self._entry[cell] = self._new()
        return node

    def _set(self, cell: int, node: int) -> None:
        if self._blocks:
            block = self._blocks[-1]
            if cell not in block.before:
                block.before[cell] = self._env.get(cell)
            if block.flow is SWITCH:
                self._inputs[block.heads[cell]].append(node)
        self._env[cell] = node

    def _join(self, inputs: Iterable[int]) -> int:
        node = self._new()
        self._inputs[node] = list(inputs)
        return node

    def _bind_joins(self) -> set[int]:
        """Bind the inputs of the joins that are read, and return the nodes that are read."""
        seen = set(self._used)
        pending = list(seen)  # each once: a switch of many arms reads the same nodes in each
        while pending and self._inputs:
            node = pending.pop()
            for other in self._inputs.get(node, ()):
                self._bind(node, other)
                if other not in seen:
                    seen.add(other)
                    pending.append(other)
        return seen

    # The walk.

    def _walk(self) -> None:
        in_sub = False
        for place, item in enumerate(self._items):
            if item is None:
                continue
            flow = item.opcode.flow
            if flow is None and not in_sub:
                self._instruction(place, item)
                continue
            if flow is SUBROUTINE:
                in_sub = True
            if in_sub:
                in_sub = flow is not ENDSUBROUTINE
                continue
            if flow is CASE:
                self._arm()
            if item.src:
                self._instruction(place, item)
            if flow is not None:
                self._flow(place, flow)

    def _straight(self, values: Values) -> None:
        """Walk over a program without blocks, subroutines and arrays: as `_walk` does, over the registers that may have several webs."""
        env, used, parent, cells = self._env, self._used, self._parent, self.cells
        several = several_webs(values)
        if not several:
            return
        place = -1
        for item, reads, written in zip(self._items, values.reads, values.writes):
            place += 1
            if item is None or (several.isdisjoint(reads) and several.isdisjoint(written)):
                continue
            targets = item.dst
            opcode = item.opcode
            if item.offsets or len(targets) > 1 or opcode.uses_64bit or opcode.stores_to_dst:
                self._instruction(place, item)
                continue
            mentions = self.mentions[place] = []
            masks: Sequence[int] = ()
            for number, operand in enumerate(item.src):
                cell = operand.register.cell
                if cell & 8 and cell != CHOSEN:  # of OUT, or only read
                    continue
                masks = masks or source_masks(item)
                read = cells.source(operand, masks[number])
                if read and read[0] in several:
                    first = read[0]
                    node = env.get(first)
                    if node is None:
                        node = self._get(first)
                    used.append(node)
                    if len(read) > 1:
                        self._bind_reads(node, read)
                    mentions.append((number << 2, node, first))
                if cell == CHOSEN:
                    self._indices(mentions, operand.register, SOURCE, number)
            if targets and targets[0].register.cell == CHOSEN:
                self._indices(mentions, targets[0].register, DESTINATION, 0)
            if written and written[0] in several:
                node = len(parent)
                parent.append(node)
                mentions.append((_RESULT, node, written[0]))
                for cell in written:
                    env[cell] = node

    def _instruction(self, place: int, item: Instruction) -> None:
        cells, fixed = self.cells, self._fixed
        mentions = self.mentions[place] = []
        masks: Sequence[int] = ()
        for number, operand in enumerate(item.src):
            register = operand.register
            if register.cell != STILL:
                if register.file is not OUT:
                    masks = masks or source_masks(item)
                    read = cells.source(operand, masks[number])
                    if read and read[0] >= 0 and read[0] not in fixed:
                        mentions.append((number << 2, self._read(read), read[0]))  # the slot of a source
                if register.cell == CHOSEN:
                    self._indices(mentions, register, SOURCE, number)
        if item.offsets:
            self._offsets(item, mentions)
        for number, target in enumerate(item.dst):
            if target.register.cell == CHOSEN:
                self._indices(mentions, target.register, DESTINATION, number)
        if item.opcode.stores_to_dst:
            register = item.dst[0].register
            read = cells.of(register, (0,))
            if read and self._free(register, read[0]):
                mentions.append((slot(DESTINATION, 0), self._read(read), read[0]))
        elif len(item.dst) == 1 and not item.opcode.uses_64bit:
            written = self._writes[place]
            if written and written[0] >= 0 and not written[0] & 8 and written[0] not in fixed:
                self._parent.append(node := len(self._parent))
                mentions.append((_RESULT, node, written[0]))
                self._assign(written, node)
        else:
            self._results(item, mentions)

    def _offsets(self, item: Instruction, mentions: list[Mention]) -> None:
        for number, offset in enumerate(item.offsets):
            read = self.cells.of(offset.register, tuple(set(offset.swizzle)))
            if read and self._free(offset.register, read[0]):
                mentions.append((slot(OFFSET, number), self._read(read), read[0]))
            self._indices(mentions, offset.register, OFFSET, number)

    def _results(self, item: Instruction, mentions: list[Mention]) -> None:
        tied = self._tied(item, mentions) if item.opcode.uses_64bit else {}
        for number, target in enumerate(item.dst):
            register = target.register
            if (register.file is not TEMP and register.file is not ADDR) or register.indirect is not None:
                continue
            written = self.cells.of(register, stored_channels(item, number))
            first = written[0] if written else self.cells.of(register, (0,))[0]
            if not self._free(register, first):
                continue
            node = self._new()
            if register in tied:
                self._bind(node, tied[register])
            mentions.append((slot(DESTINATION, number), node, first))
            self._assign(written, node)

    def _assign(self, cells: Sequence[int], node: int) -> None:
        if self._blocks:
            for cell in cells:
                self._set(cell, node)
        else:
            for cell in cells:
                self._env[cell] = node

    def _tied(self, item: Instruction, mentions: Sequence[Mention]) -> dict[RegisterRef, int]:
        """Return the nodes of the registers that a 64-bit instruction both reads and writes: the second pair may see the first result."""
        nodes: dict[RegisterRef, int] = {}
        for number, node, _ in mentions:
            if number >> 16 == SOURCE and not number & 3:
                register = item.src[number >> 2].register
                nodes[register] = self._bind(node, nodes[register]) if register in nodes else node
        return nodes

    def _free(self, register: RegisterRef, cell: int) -> bool:
        return register.file is not OUT and cell >= 0 and cell not in self._fixed

    def _indices(self, mentions: list[Mention], register: RegisterRef, kind: int, number: int) -> None:
        for ref in indices_of(register):
            if ref.file is not TEMP and ref.file is not ADDR:
                continue
            read = self.cells.index_cell(ref)
            if read and read[0] >= 0 and read[0] not in self._fixed:
                mentions.append((slot(kind, number, 1 if ref is register.indirect else 2), self._read(read), read[0]))

    def _read(self, cells: Sequence[int]) -> int:
        env = self._env
        node = env.get(cells[0])
        if node is None:
            node = self._get(cells[0])
        self._used.append(node)
        if len(cells) > 1:
            self._bind_reads(node, cells)
        return node

    def _bind_reads(self, node: int, cells: Sequence[int]) -> None:
        """Bind the nodes of all cells that one source reads to that of the first."""
        env = self._env
        for cell in cells:
            other = env.get(cell)
            if other is None:
                other = self._get(cell)
            if other != node:
                self._used.append(other)
                self._bind(node, other)

    def _flow(self, place: int, flow: Flow) -> None:
        if flow is IF:
            self._blocks.append(Block(flow, self._dead))
        elif flow is ELSE:
            block = self._blocks[-1]
            block.then = {cell: self._env[cell] for cell in block.before}
            block.then_dead, self._dead = self._dead, block.dead
            self._restore(block)
        elif flow is ENDIF:
            self._end_if()
        elif flow is LOOP:
            heads = {cell: self._join([self._get(cell)]) for cell in self._written[place]}
            for cell, node in heads.items():
                self._set(cell, node)
            self._heads += heads.values()
            exits = {cell: self._join(()) for cell in heads}
            self._blocks.append(Block(flow, self._dead, heads=heads, exits=exits))
        elif flow is SWITCH:
            heads = {cell: self._join([self._get(cell)]) for cell in self._written[place]}
            for cell, node in heads.items():
                self._set(cell, node)
            self._blocks.append(Block(flow, self._dead, heads=heads))
            self._dead = True
        elif flow is Flow.DEFAULT:
            self._arm()
        elif flow is ENDSWITCH:
            self._arm()
            block = self._blocks.pop()
            self._dead = block.dead
        elif flow is ENDLOOP:
            self._leave(self._blocks[-1].heads)
            self._leave(self._blocks[-1].exits)  # lanes whose fuel has run out
            block = self._blocks.pop()
            self._dead = block.dead
            for cell, node in block.exits.items():
                self._set(cell, node)
        elif flow in JUMPS:
            self._jump(flow)

    def _arm(self) -> None:
        block = self._blocks[-1]
        for cell in block.before:
            self._env[cell] = block.heads[cell]
        block.before.clear()
        self._dead = False

    def _end_if(self) -> None:
        block = self._blocks.pop()
        now_dead = self._dead
        if block.then is None:  # no ELSE
            block.then = {cell: self._env[cell] for cell in block.before}
            block.then_dead, now_dead = now_dead, block.dead
            self._restore(block)
        other = {cell: self._env[cell] for cell in block.before}
        for cell in {**block.then, **other}:
            base = block.before[cell] if cell in block.before else self._env.get(cell)
            first, second = block.then.get(cell, base), other.get(cell, base)
            if block.then_dead:
                joined = second
            elif now_dead or first == second:
                joined = first
            else:
                joined = self._join([self._at(cell, first), self._at(cell, second)])
            if base is None:
                self._env.pop(cell, None)
            else:
                self._env[cell] = base
            if joined is not None and joined != base:
                self._set(cell, joined)
        self._dead = block.then_dead and now_dead

    def _at(self, cell: int, node: int | None) -> int:
        if node is not None:
            return node
        if cell not in self._entry:
            self._entry[cell] = self._new()
        return self._entry[cell]

    def _restore(self, block: Block) -> None:
        for cell, node in block.before.items():
            if node is None:
                del self._env[cell]
            else:
                self._env[cell] = node
        block.before = {}

    def _leave(self, joins: Mapping[int, int]) -> None:
        if not self._dead:
            for cell, node in joins.items():
                self._inputs[node].append(self._get(cell))

    def _jump(self, flow: Flow) -> None:
        if flow is not Flow.RETURN:
            kinds = (LOOP,) if flow is Flow.CONTINUE else (LOOP, SWITCH)
            block = next(block for block in reversed(self._blocks) if block.flow in kinds)
            if flow is Flow.CONTINUE or block.flow is SWITCH:
                self._leave(block.heads)
            self._leave(block.exits)  # after CONT, lanes whose fuel has run out
        self._dead = True
