"""A TGSI program under construction: instructions, immediates and declarations; every value has its own temporaries.

A value is a list of `Ref`, one for each of its 32-bit words: a channel of a register, or the word of an immediate. Parts of values are
therefore parts of lists, and cost nothing. Operands are assembled when an instruction is written: channels from one register need one
instruction, each further register one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import NamedTuple

from tgsi.language.facts.enums import File, ImmediateType, MemoryType
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import Declaration, DstOperand, Immediate, Instruction, MemoryAccess, RegisterRef, SrcOperand, TexOffset
from tgsi.language.record import record

NEGATE, ABSOLUTE = 1, 2
"""Bits of `Ref.sign`; the absolute value is taken first."""

MAX_INSTRUCTIONS = 1 << 17
"""Maximum number of instructions of a program."""


class Ref(NamedTuple):
    """One word of a value: a channel of a register, or (register None) an immediate word."""

    register: RegisterRef | None
    channel: int
    sign: int = 0


class TooLong(Exception):
    """The program has more instructions than `MAX_INSTRUCTIONS`."""


Refs = Sequence[Ref]
_KINDS = {"float": ImmediateType.FLT32, "int": ImmediateType.INT32, "uint": ImmediateType.UINT32}
_FULL = (1 << 0, 1 << 1, 1 << 2, 1 << 3)


def immediate(*words: int) -> list[Ref]:
    """A value with constant words."""
    return [Ref(None, word & 0xFFFFFFFF) for word in words]


@record(frozen=False)
class _Pool:
    """Immediates: equal words share a channel, and new words fill free channels."""

    entries: list[tuple[ImmediateType, list[int]]] = field(default_factory=list)
    known: dict[tuple[ImmediateType, tuple[int, ...]], int] = field(default_factory=dict)

    def find(self, words: Sequence[int], kind: ImmediateType) -> tuple[int, list[int]]:
        """The register that holds up to four words, and its words."""
        wanted = tuple(dict.fromkeys(words))
        place = self.known.get((kind, wanted))
        if place is None:
            place = self._place(wanted, kind)
            self.known[kind, wanted] = place
        return place, self.entries[place][1]

    def _place(self, wanted: tuple[int, ...], kind: ImmediateType) -> int:
        for place in range(len(self.entries) - 1, max(-1, len(self.entries) - 33), -1):
            entry, have = self.entries[place]
            more = [word for word in wanted if word not in have]
            if entry is kind and len(have) + len(more) <= 4:
                have += more
                return place
        self.entries.append((kind, list(wanted)))
        return len(self.entries) - 1


@record(frozen=False, kw_only=True)
class Code:
    """The program so far. `place` and `serial` number the temporaries of the instruction that is being read.

    The same place always has the same temporaries, so code that is emitted twice leaves its values in one place.
    """

    instructions: list[Instruction] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    arrays: list[tuple[int, int]] = field(default_factory=list)
    pool: _Pool = field(default_factory=_Pool)
    temporaries: int = 0
    homes: dict[tuple[object, int], int] = field(default_factory=dict)
    place: object = None
    serial: int = 0
    addresses: set[int] = field(default_factory=set)
    indexed: set[int] = field(default_factory=set)

    # registers

    def begin(self, place: object) -> None:
        """Set the instruction that is read next."""
        self.place, self.serial = place, 0

    def temporary(self) -> RegisterRef:
        """The next temporary of the instruction."""
        key = self.place, self.serial
        self.serial += 1
        if key not in self.homes:
            self.homes[key] = self.temporaries
            self.temporaries += 1
        return RegisterRef(File.TEMP, self.homes[key])

    def new(self, words: int) -> list[Ref]:
        """Channels of new temporaries."""
        refs: list[Ref] = []
        while len(refs) < words:
            register = self.temporary()
            refs += [Ref(register, channel) for channel in range(min(4, words - len(refs)))]
        return refs

    def array(self, size: int) -> tuple[int, int]:
        """Consecutive temporaries that can be indexed: the first of them, and the number of the array."""
        key = self.place, self.serial
        self.serial += 1
        if key not in self.homes:
            self.homes[key] = self.temporaries
            self.arrays.append((self.temporaries, size))
            self.temporaries += size
        first = self.homes[key]
        return first, next(number for number, (start, _) in enumerate(self.arrays) if start == first) + 1

    def address(self, value: Ref, number: int = 0) -> tuple[int, int]:
        """Put an index into a channel of an address register. The number and channel of the register."""
        self.addresses.add(number)
        self.emit("UARL", DstOperand(RegisterRef(File.ADDR, number), 1), self.source([value], "int"))
        return number, 0

    # operands

    def source(self, refs: Refs, kind: str = "uint") -> SrcOperand:
        """An operand of up to four words that lie in one register; the last one is repeated."""
        first = refs[0]
        if first.register is None:
            place, have = self.pool.find([ref.channel for ref in refs], _KINDS.get(kind, ImmediateType.UINT32))
            order = [have.index(ref.channel) for ref in refs]
            register = RegisterRef(File.IMM, place)
        else:
            register, order = first.register, [ref.channel for ref in refs]
        order += [order[-1]] * (4 - len(order))
        return SrcOperand(register, (order[0], order[1], order[2], order[3]), bool(first.sign & NEGATE), bool(first.sign & ABSOLUTE))

    def packed(self, refs: Refs, kind: str = "uint", *, plain: bool = False) -> SrcOperand:
        """An operand of up to four words from anywhere: moved together if they do not lie in one register. `plain`: without signs."""
        if len({(ref.register, ref.sign) for ref in refs}) > 1 or (plain and refs[0].sign):
            refs = self.copy(refs)
        return self.source(refs, kind)

    def lanes_source(self, refs: Sequence[tuple[int, Ref]], kind: str) -> SrcOperand:
        """An operand whose channel c is a given word, for some channels c."""
        by_channel = dict(refs)
        filler = refs[0][1]
        return self.source([by_channel.get(channel, filler) for channel in range(max(by_channel) + 1)], kind)

    # instructions

    def emit(
        self,
        name: str,
        dst: DstOperand | tuple[DstOperand, ...] = (),
        *src: SrcOperand,
        precise: bool = False,
        saturate: bool = False,
        texture: str | None = None,
        offsets: tuple[TexOffset, ...] = (),
        memory: MemoryAccess | None = None,
    ) -> None:
        """Append an instruction."""
        if len(self.instructions) >= MAX_INSTRUCTIONS:
            raise TooLong
        info = OPCODES[name]
        self.instructions.append(
            Instruction(
                info,
                dst if isinstance(dst, tuple) else (dst,),
                src,
                precise=precise,
                saturate=saturate,
                texture=texture,
                offsets=offsets,
                memory=memory or (MemoryAccess() if info.has_memory else None),
            )
        )

    def lanes(self, name: str, *sources: Refs, precise: bool = False, into: Refs | None = None, saturate: bool = False) -> list[Ref]:
        """A component-wise instruction on values of 32-bit scalars, all as long as the first. `into`: where the result goes."""
        count = len(sources[0])
        result = list(into) if into is not None else self.new(count)
        kinds = OPCODES[name].src_types
        groups: dict[tuple[object, ...], list[int]] = {}
        for place in range(count):
            key = (result[place].register, *((source[place].register, source[place].sign) for source in sources))
            groups.setdefault(key, []).append(place)
        for places in groups.values():
            operands = [
                self.lanes_source([(result[place].channel, source[place]) for place in places], kind)
                for source, kind in zip(sources, kinds, strict=True)
            ]
            self.emit(name, _destination([result[place] for place in places]), *operands, precise=precise, saturate=saturate)
        return result

    def each(self, name: str, *sources: Refs, precise: bool = False) -> list[Ref]:
        """An instruction with a scalar result, once for each scalar."""
        result = self.new(len(sources[0]))
        kinds = OPCODES[name].src_types
        for place, target in enumerate(result):
            operands = [self.source([source[place]], kind) for source, kind in zip(sources, kinds, strict=True)]
            self.emit(name, _destination([target]), *operands, precise=precise)
        return result

    def one(self, name: str, *operands: SrcOperand, words: int = 1, precise: bool = False) -> list[Ref]:
        """An instruction with a new result of `words` channels."""
        result = self.new(words)
        self.emit(name, _destination(result), *operands, precise=precise)
        return result

    def pairs(self, name: str, *sources: Refs, narrow: Sequence[int] = (), precise: bool = False) -> list[Ref]:
        """A component-wise instruction on 64-bit scalars with a result of 64-bit scalars.

        Sources numbered in `narrow` have 32-bit scalars, of which the instruction reads channel x for the first pair and z for the second.
        """
        count = len(next(source for number, source in enumerate(sources) if number not in narrow)) // 2
        result = self.new(2 * count)
        kinds = OPCODES[name].src_types
        for place in range(count):
            operands = []
            for number, source in enumerate(sources):
                words = [source[place]] * 2 if number in narrow else self._pair(source, place)
                operands.append(self.source([*words, *words], kinds[number]))
            self.emit(name, _destination(result[2 * place : 2 * place + 2]), *operands, precise=precise)
        return result

    def compare_pairs(self, name: str, *sources: Refs) -> list[Ref]:
        """A comparison of 64-bit scalars: one word for each."""
        result = []
        for place in range(len(sources[0]) // 2):
            operands = [self.source([*self._pair(source, place)] * 2) for source in sources]
            result += self.one(name, *operands)
        return result

    def narrowed(self, name: str, source: Refs) -> list[Ref]:
        """A conversion of 64-bit scalars to 32-bit ones."""
        result = self.new(len(source) // 2)
        for place, target in enumerate(result):
            self.emit(name, _destination([target]), self.source([*self._pair(source, place)] * 2))
        return result

    def widened(self, name: str, source: Refs) -> list[Ref]:
        """A conversion of 32-bit scalars to 64-bit ones."""
        result = self.new(2 * len(source))
        for place, ref in enumerate(source):
            self.emit(name, _destination(result[2 * place : 2 * place + 2]), self.source([ref], OPCODES[name].src_types[0]))
        return result

    def _pair(self, source: Refs, place: int) -> list[Ref]:
        words = list(source[2 * place : 2 * place + 2])
        if words[0].register != words[1].register:
            words = self.new(4)[:2]
            self.move(words, source[2 * place : 2 * place + 2])
        return words

    def copy(self, refs: Refs) -> list[Ref]:
        """The value in new temporaries, without signs."""
        result = self.new(len(refs))
        self._moves(result, refs)
        return result

    def plain(self, refs: Refs) -> list[Ref]:
        """The value without signs."""
        return self.copy(refs) if any(ref.sign for ref in refs) else list(refs)

    def move(self, targets: Refs, refs: Refs) -> None:
        """Write a value to channels at once, so the value may itself read these channels."""
        pairs = [(target, ref) for target, ref in zip(targets, refs, strict=True) if target != ref]
        groups = {(target.register, ref.register, ref.sign) for target, ref in pairs}
        written = {target.register for target, _ in pairs}
        if len(groups) > 1 and any(ref.register in written for _, ref in pairs):
            pairs = list(zip([target for target, _ in pairs], self.copy([ref for _, ref in pairs]), strict=True))
        if pairs:
            self._moves([target for target, _ in pairs], [ref for _, ref in pairs])

    def _moves(self, targets: Refs, refs: Refs) -> None:
        groups: dict[tuple[object, ...], list[tuple[Ref, Ref]]] = {}
        for target, ref in zip(targets, refs, strict=True):
            groups.setdefault((target.register, ref.register, ref.sign), []).append((target, ref))
        for items in groups.values():
            kind = "float" if items[0][1].register is None else "untyped"
            operand = self.lanes_source([(target.channel, ref) for target, ref in items], kind)
            self.emit("MOV", _destination([target for target, _ in items]), operand)

    # declarations

    def declare(self, item: Declaration) -> None:
        """Add a declaration unless it is there."""
        if item not in self.declarations:
            self.declarations.append(item)

    def shared(self) -> RegisterRef:
        """Declare the shared memory of a workgroup."""
        self.declare(Declaration(File.MEMORY, 0, 0, memory=MemoryType.SHARED))
        return RegisterRef(File.MEMORY, 0)

    def immediates(self) -> tuple[Immediate, ...]:
        """The immediates of the program."""
        items = []
        for kind, words in self.pool.entries:
            filled = [*words, 0, 0, 0, 0]
            items.append(Immediate(kind, (filled[0], filled[1], filled[2], filled[3])))
        return tuple(items)


def destination(refs: Refs) -> DstOperand:
    """Channels of one register as a destination."""
    return _destination(refs)


def _destination(refs: Refs) -> DstOperand:
    register = refs[0].register
    if register is None:
        raise TypeError("an immediate is not a destination")
    mask = 0
    for ref in refs:
        mask |= _FULL[ref.channel]
    return DstOperand(register, mask)
