"""Which TEMP and ADDR channels are still needed behind each instruction, over every way that a lane may go.

Sets are integers, bit 4*r+c for channel c of TEMP[r], those of ADDR behind them. An instruction whose results nobody needs needs
nothing itself. What derivatives and samples read under a branch is needed everywhere: they also see lanes that went elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from passes.optimise.access import (
    FLOW,
    OPENERS,
    indices_of,
    is_computed,
    is_removable,
    looks_at_other_lanes,
    narrows,
    read_channels,
    used_positions,
    written_channels,
)
from tgsi.enums import File
from tgsi.ir import Instruction, Program, RegisterRef
from tgsi.opcodes import Mode


@dataclass(slots=True)
class Effect:
    """What one instruction does to the sets. `by_channel`: read for each written channel; `always`: read in any case."""

    always: int
    by_channel: tuple[int, int, int, int] | None
    may_write: int
    surely_writes: int
    removable: bool


class Liveness:
    """The analysis of one program; `after[i]` is the set behind instruction i."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._addresses = 4 * program.file_size(File.TEMP)
        self._arrays = {item.array_id: item for item in program.declared(File.TEMP) if item.array_id}
        self._ranges: dict[tuple[int, int, int], int] = {}
        self.effects = [self._effect(item) for item in program.instructions]
        self.pinned = self._pinned()
        self.successors = _successors(program)
        self.after = [0] * len(program.instructions)
        self._solve()

    def cells(self, register: RegisterRef, mask: int) -> int:
        """The set of some channels of a register; all that may be meant by an indirect one."""
        if register.file is File.ADDR:
            return mask << self._addresses + 4 * register.index
        if register.file is not File.TEMP:
            return 0
        if register.indirect is None:
            return mask << 4 * register.index
        array = self._arrays.get(register.array_id)
        first, last = (0, self._addresses // 4 - 1) if array is None else (array.first, array.last)
        key = (first, last, mask)
        if key not in self._ranges:
            self._ranges[key] = int(f"{mask:x}" * (last + 1 - first) or "0", 16) << 4 * first
        return self._ranges[key]

    def live_mask(self, number: int) -> int:
        """The channels of the only destination of an instruction that somebody needs; of other destinations all."""
        item, effect = self.program.instructions[number], self.effects[number]
        target = item.dst[0]
        if not narrows(item.opcode) or target.register.indirect is not None or not effect.may_write:
            return target.write_mask
        return target.write_mask & self.after[number] >> self._shift(target.register)

    def is_dead(self, number: int) -> bool:
        """The instruction does nothing that anybody needs."""
        return self._dead(self.effects[number], self.after[number])

    @staticmethod
    def _dead(effect: Effect, live: int) -> bool:
        return effect.removable and not effect.may_write & live

    def _shift(self, register: RegisterRef) -> int:
        return 4 * register.index + (self._addresses if register.file is File.ADDR else 0)

    def _effect(self, item: Instruction) -> Effect:
        may = sure = always = 0
        others = False
        for operand in item.dst:
            register = operand.register
            if register.file in (File.TEMP, File.ADDR):
                may |= self.cells(register, written_channels(item, operand))
                if register.indirect is None and not item.opcode.uses_64bit:
                    sure |= self.cells(register, operand.write_mask)
            elif register.file is not File.NULL:
                others = True
            for index in indices_of(register):
                always |= self.cells(RegisterRef(index.file, index.index), 1 << index.component)
        by_channel = [0, 0, 0, 0]
        componentwise = (
            is_computed(item.opcode) and item.opcode.mode is Mode.COMPONENTWISE and bool(may) and item.dst[0].register.indirect is None
        )
        positions = used_positions(item)
        for source in item.src:
            for index in indices_of(source.register):
                always |= self.cells(RegisterRef(index.file, index.index), 1 << index.component)
            if componentwise:
                for c in range(4):
                    by_channel[c] |= self.cells(source.register, read_channels(source, positions & 1 << c))
            else:
                always |= self.cells(source.register, read_channels(source, positions))
        for offset in item.offsets:
            always |= self.cells(offset.register, 15)
            for index in indices_of(offset.register):
                always |= self.cells(RegisterRef(index.file, index.index), 1 << index.component)
        x, y, z, w = by_channel
        return Effect(always, (x, y, z, w) if componentwise else None, may, sure, is_removable(item.opcode) and not others)

    def _pinned(self) -> int:
        found = depth = 0
        returned = False
        for item, effect in zip(self.program.instructions, self.effects):
            name = item.opcode.name
            if name in OPENERS:
                depth += 1
            elif name.startswith("END") and name in FLOW and name != "END":
                depth -= 1
            elif name == "RET":
                returned = True
            elif looks_at_other_lanes(item.opcode) and (depth or returned):
                found |= effect.always
        return found

    def before(self, number: int, live: int) -> int:
        """The set in front of an instruction, from the one behind it."""
        effect = self.effects[number]
        if self._dead(effect, live):
            return live
        needed = effect.always
        if effect.by_channel is not None:
            target = self.program.instructions[number].dst[0]
            wanted = target.write_mask & live >> self._shift(target.register)
            for channel in range(4):
                if wanted >> channel & 1:
                    needed |= effect.by_channel[channel]
        return live & ~effect.surely_writes | needed | self.pinned

    def _solve(self) -> None:
        """Go backward until nothing changes; only jumps back to loops need a second round."""
        count = len(self.program.instructions)
        entry = [self.pinned] * (count + 1)
        changed = True
        while changed:
            changed = False
            for number in range(count - 1, -1, -1):
                ways = self.successors.get(number)
                if ways is None:
                    live = entry[number + 1]
                else:
                    live = self.pinned
                    for way in ways:
                        live |= entry[way]
                self.after[number] = live
                new = self.before(number, live)
                if new != entry[number]:
                    entry[number] = new
                    changed = True


def _successors(program: Program) -> dict[int, list[int]]:
    """Where a lane may go from each instruction of control flow; all others lead to the next."""
    items = program.instructions
    names = [item.opcode.name for item in items]
    found: dict[int, list[int]] = {}
    stack: list[list[int]] = []  # heads: IF and ELSE, BGNLOOP, SWITCH and its arms, BGNSUB
    waiting: list[list[tuple[int, str]]] = []  # BRK and CONT that ask for the end of what is open
    returns: dict[int, list[int]] = {}
    exits: dict[int, list[int]] = {}
    sub = -1
    for number, name in enumerate(names):
        if name in OPENERS:
            stack.append([number])
            waiting.append([])
            if name == "BGNSUB":
                sub = number
            if name in ("BGNLOOP", "IF", "UIF"):
                found[number] = [number + 1]
        elif name in ("CASE", "DEFAULT"):
            found.setdefault(stack[-1][-1], []).append(number)
            found[number] = [number + 1]
            _resolve(found, waiting[-1], "switch", number)
            stack[-1].append(number)
        elif name == "ELSE":
            found[stack[-1][0]].append(number + 1)
            stack[-1].append(number)
        elif name in ("BRK", "CONT"):
            depth = _target(names, stack, name)
            waiting[depth].append((number, name if names[stack[depth][0]] == "BGNLOOP" else "switch"))
        elif name == "RET":
            exits.setdefault(sub, []).append(number)
        elif name == "CAL":
            target = _sub(names, items[number].label)
            found[number] = [target + 1]
            returns.setdefault(target, []).append(number + 1)
        elif name == "END":
            found[number] = []
        elif name in FLOW:
            heads, asked = stack.pop(), waiting.pop()
            if name == "ENDIF":
                found.setdefault(heads[-1], []).append(number)
            elif name == "ENDLOOP":
                found[number] = [heads[0] + 1, number + 1]
                _resolve(found, asked, "BRK", number + 1)
                _resolve(found, asked, "CONT", number)
            elif name == "ENDSWITCH":
                found.setdefault(heads[-1], []).append(number)
                _resolve(found, asked, "switch", number)
            else:
                found[heads[0]] = [number + 1]  # main goes past the subroutine
                exits.setdefault(sub, []).append(number)
                sub = -1
    for place, numbers in exits.items():
        for number in numbers:
            found[number] = returns.get(place, [])
    return found


def _resolve(found: dict[int, list[int]], asked: list[tuple[int, str]], kind: str, target: int) -> None:
    for number, wanted in list(asked):
        if wanted == kind:
            found[number] = [target]
            asked.remove((number, wanted))


def _target(names: list[str], stack: list[list[int]], name: str) -> int:
    """The depth of the loop or switch that a jump leaves."""
    kinds = ("BGNLOOP", "SWITCH") if name == "BRK" else ("BGNLOOP",)
    return max(depth for depth, heads in enumerate(stack) if names[heads[0]] in kinds)


def _sub(names: list[str], label: int | None) -> int:
    known = -1 if label is None else label
    return next(index for index in (known, known - 1) if 0 <= index < len(names) and names[index] == "BGNSUB")
