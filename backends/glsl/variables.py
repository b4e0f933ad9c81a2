"""The registers of a program as variables: type, size, place of the declaration, and how often each is written and read.

A register that is all bits or none in every write is a bool. Every other variable has the type that most instructions use; registers that
are copied to each other vote together. Other uses are converted, bit for bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from backends.glsl.expressions import BOOL, FLOAT, INT, UINT, is_mask
from backends.glsl.table import INTEGER, LOGIC, RULES, TRUTHS
from passes.analysis.cells import stored_channels
from passes.analysis.regions import Block, Call, If, Loop, Region, Regions, Switch
from tgsi.language.channels import read_mask, source_channels
from tgsi.language.facts.enums import File, ImmediateType
from tgsi.language.ir import IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program

Key = tuple[str, int]
"""A variable: a file's name with the number of a register, or "array" with that of an array."""

_FILES = {File.TEMP: "TEMP", File.ADDR: "ADDR", File.OUT: "OUT", File.IN: "IN", File.BUFFER: "BUFFER", File.MEMORY: "MEMORY"}
_WORDS = {"float": FLOAT, "int": INT, "uint": UINT}
WHOLE = 0
"""The array number for all registers of the file."""


@dataclass(kw_only=True)
class Variable:
    """A register or array, and the facts of its uses.

    `surely`: channels that every run writes; `is_copied`: its last reader is a copy.
    """

    key: Key
    mask: int = 0
    type: str = FLOAT
    writes: int = 0
    reads: int = 0
    first: int = -1
    path: tuple[int, ...] = ()
    read_channels: tuple[int, ...] = ()
    whole_first: bool = False
    dominated: bool = True
    is_copied: bool = False
    surely: int = 0
    votes: Counter[str] = field(default_factory=Counter)

    @property
    def is_declared_at_write(self) -> bool:
        """True if the first instruction that names the variable writes all of it, and all others come after it in its block."""
        return self.whole_first and self.dominated

    @property
    def channels(self) -> tuple[int, ...]:
        """The channels that the variable has: one, or all up to the last that is used."""
        used = [c for c in range(4) if self.mask >> c & 1]
        return tuple(used) if len(used) < 2 else tuple(range(used[-1] + 1))


class Variables:
    """The variables of a program by their keys."""

    def __init__(self, program: Program, regions: Regions) -> None:
        self.program = program
        self.by_key: dict[Key, Variable] = {}
        self.arrays = _arrays(program)
        self._links: dict[Key, Key] = {}
        self._imms = program.immediates
        self._items = list(_walked(regions))
        for place, (item, path) in enumerate(self._items):
            self._count(place, item, path)
        self._bools = self._find_bools()
        for item, _ in self._items:
            self._vote(item)
        self._decide()

    def key_of(self, register: RegisterRef) -> Key | None:
        """The variable of a register, None for files without."""
        name = _FILES.get(register.file)
        if name is None:
            return None
        if register.file is File.TEMP:
            number = self.arrays.get(register.index if register.indirect is None else -1 - register.array_id)
            if number is not None:
                return "array", number
            if WHOLE in self.arrays.values():
                return "array", WHOLE
        return name, 0 if register.file is File.MEMORY else register.index

    def of(self, register: RegisterRef) -> Variable | None:
        """Find the facts of a register; None for files without variables."""
        key = self.key_of(register)
        return None if key is None else self.by_key.get(key)

    # Uses.

    def _get(self, register: RegisterRef) -> Variable | None:
        key = self.key_of(register)
        if key is None:
            return None
        if key not in self.by_key:
            self.by_key[key] = Variable(key=key)
        return self.by_key[key]

    def _mention(self, variable: Variable, place: int, path: tuple[int, ...], mask: int, whole: bool) -> None:
        if variable.first < 0:
            variable.first, variable.path, variable.whole_first = place, path, whole
            variable.mask = mask
            return
        if mask & ~variable.mask:
            variable.whole_first = False
        variable.mask |= mask
        if path[: len(variable.path)] != variable.path:
            variable.dominated = False

    def _count(self, place: int, item: Instruction, path: tuple[int, ...]) -> None:
        refs = []
        for number, operand in enumerate(item.src):
            refs += indices_of(operand.register)
            variable = self._get(operand.register)
            if variable is not None:
                channels = source_channels(item, number)
                self._mention(variable, place, path, read_mask(item, number), False)
                variable.reads += 1
                variable.is_copied = item.opcode.is_copy
                variable.read_channels = tuple(operand.swizzle[c] for c in range(4) if channels >> c & 1)
        for offset in item.offsets:
            refs += indices_of(offset.register)
            variable = self._get(offset.register)
            if variable is not None:
                self._mention(variable, place, path, sum({1 << c for c in offset.swizzle}), False)
                variable.reads += 2
        for number, target in enumerate(item.dst):
            refs += indices_of(target.register)
            variable = self._get(target.register)
            if variable is not None:
                mask = target.write_mask if item.opcode.stores_to_dst else _mask(stored_channels(item, number)) or target.write_mask
                self._mention(variable, place, path, mask, target.register.indirect is None and not _reads_itself(item, target.register))
                variable.writes += 1
                if len(path) == 1 and target.register.indirect is None:
                    variable.surely |= mask
        for ref in refs:
            variable = self._get(RegisterRef(ref.file, ref.index))
            if variable is not None:
                self._mention(variable, place, path, 1 << ref.component, False)
                variable.reads += 1
                variable.read_channels = (ref.component,)
                variable.votes[INT] += 2

    # Bools.

    def _find_bools(self) -> set[Key]:
        writes: dict[Key, list[Instruction]] = {}
        for item, _ in self._items:
            for target in item.dst:
                key = self.key_of(target.register)
                if key is not None:
                    writes.setdefault(key, []).append(item)
        candidates = {key for key in writes if key[0] == "TEMP"}
        while True:
            remaining = {key for key in candidates if all(self.gives_bool(item, candidates) for item in writes[key])}
            if remaining == candidates:
                return candidates
            candidates = remaining

    def gives_bool(self, item: Instruction, bools: set[Key] | None = None) -> bool:
        """True if all bits or none are in every channel that the instruction writes."""
        name = item.opcode.name
        if item.saturate:
            return False
        if name in TRUTHS:
            return True
        if name in LOGIC or item.opcode.is_copy:
            return all(self.is_bool(item, number, bools) for number in range(len(item.src)))
        return False

    def is_bool(self, item: Instruction, number: int, bools: set[Key] | None = None) -> bool:
        """True if a source is a bool, or a literal of all bits or none."""
        operand = item.src[number]
        if operand.negate or operand.absolute:
            return False
        if operand.register.file is File.IMM:
            words = self._imms[operand.register.index].words
            return item.opcode.name in LOGIC and is_mask([words[c] for c in range(4) if read_mask(item, number) >> c & 1])
        return self.key_of(operand.register) in (self._bools if bools is None else bools)

    # Votes.

    def _vote(self, item: Instruction) -> None:
        opcode = item.opcode
        types = source_types(item)
        target = self._get(item.dst[0].register) if item.dst else None
        joins_bool = opcode.name == "AND" and sum(self.is_bool(item, k) for k in range(2)) == 1
        for number, operand in enumerate(item.src):
            kind = types[number] if number < len(types) else "untyped"
            if joins_bool:
                kind = "untyped"
            if (operand.negate or operand.absolute) and kind == "untyped":
                kind = FLOAT
            variable = self._get(operand.register)
            if kind == "untyped":
                self._link(target, variable, operand)
            elif variable is not None:
                variable.votes[_WORDS.get(kind, INTEGER)] += 1
        for number, destination in enumerate(item.dst):
            variable = self._get(destination.register)
            if variable is None or joins_bool:
                continue
            kind = opcode.dst_types[number] if number < len(opcode.dst_types) else "untyped"
            if item.saturate or kind == FLOAT:
                variable.votes[FLOAT] += 1
            elif kind in ("int", "uint") and opcode.name not in TRUTHS:
                rule = RULES.get(opcode.name)
                variable.votes[INTEGER if rule is not None and INTEGER in rule.types else kind] += 1
            elif opcode.is_texture:
                variable.votes[FLOAT] += 1
        if item.memory is not None and opcode.is_atomic:
            variable = self._get(item.src[0].register)
            if variable is not None:
                variable.votes[opcode.dst_types[0]] += 1

    def _link(self, target: Variable | None, source: Variable | None, operand: SrcOperand) -> None:
        if target is None:
            return
        if source is not None:
            if source.key not in self._bools and target.key not in self._bools:
                self._links[self._root(source.key)] = self._root(target.key)
        elif operand.register.file is File.IMM:
            immediate = self._imms[operand.register.index]
            words = [immediate.words[c] for c in set(operand.swizzle)]
            if immediate.type is ImmediateType.FLT32 or (any(words) and all(_is_like_a_float(word) for word in words)):
                target.votes[FLOAT] += 0.5  # type: ignore[assignment]
            elif any(words):
                target.votes[INTEGER] += 0.5  # type: ignore[assignment]
        elif operand.register.file in (File.CONST, File.IN):
            target.votes[FLOAT] += 0.25  # type: ignore[assignment]

    def _root(self, key: Key) -> Key:
        while self._links.get(key, key) != key:
            key = self._links[key]
        return key

    def _decide(self) -> None:
        groups: dict[Key, Counter[str]] = {}
        for key, variable in self.by_key.items():
            groups.setdefault(self._root(key), Counter()).update(variable.votes)
        for key, variable in self.by_key.items():
            votes = groups[self._root(key)]
            whole = votes[INT] + votes[UINT] + votes[INTEGER]
            if key in self._bools:
                variable.type = BOOL
            elif key[0] == "ADDR":
                variable.type = INT
            elif whole > votes[FLOAT]:
                variable.type = UINT if votes[UINT] > votes[INT] else INT
            elif key[0] in ("BUFFER", "MEMORY") and not votes[FLOAT]:
                variable.type = UINT


def source_types(item: Instruction) -> tuple[str, ...]:
    """The types of an instruction's sources, with `INTEGER` where int and uint are alike."""
    rule = RULES.get(item.opcode.name)
    return rule.types if rule is not None and rule.types else item.opcode.src_types


def indices_of(register: RegisterRef) -> list[IndirectRef]:
    """The registers that are added to the indices of a register."""
    outer = register.dimension.indirect if register.dimension is not None else None
    return [ref for ref in (register.indirect, outer) if ref is not None]


def _mask(channels: Sequence[int]) -> int:
    return sum(1 << c for c in channels)


def _is_like_a_float(word: int) -> bool:
    return word in (0, 1 << 31) or 0x33000000 <= word & 0x7FFFFFFF <= 0x4F000000


def _reads_itself(item: Instruction, register: RegisterRef) -> bool:
    named = [operand.register for operand in item.src] + [offset.register for offset in item.offsets]
    return any((other.file, other.index) == (register.file, register.index) for other in named)


def _arrays(program: Program) -> dict[int, int]:
    """The array of each TEMP that an address may reach, and by -1 - ARRAY number that of an access with this number."""
    used: set[int] = set()
    for item in program.instructions:
        registers = [*(o.register for o in item.src), *(o.register for o in item.dst), *(o.register for o in item.offsets)]
        for register in registers:
            if register.file is File.TEMP and register.indirect is not None:
                used.add(register.array_id)
    ranges = {d.array_id: d for d in program.declared(File.TEMP) if d.array_id}
    if not used:
        return {}
    if WHOLE in used or not used <= set(ranges):
        size = program.file_size(File.TEMP)
        return dict.fromkeys(range(size), WHOLE) | {-1 - number: WHOLE for number in (WHOLE, *ranges)}
    arrays = {-1 - number: number for number in used}
    for number in used:
        arrays.update((index, number) for index in range(ranges[number].first, ranges[number].last + 1))
    return arrays


def _walked(regions: Regions) -> Iterator[tuple[Instruction, tuple[int, ...]]]:
    """Every instruction in the order of the text, with the numbers of the blocks around it."""
    numbers = iter(range(1 << 30))
    enter: Callable[[tuple[int, ...]], tuple[int, ...]] = lambda path: (*path, next(numbers))  # noqa: E731

    def region(nodes: Region, path: tuple[int, ...]) -> Iterator[tuple[Instruction, tuple[int, ...]]]:
        for node in nodes:
            match node:
                case Block():
                    yield from ((item, path) for item in node.instructions)
                case If():
                    yield node.head, path
                    yield from region(node.then, enter(path))
                    yield from region(node.otherwise, enter(path))
                case Loop():
                    yield from region(node.body, enter(path))
                case Switch():
                    yield node.head, path
                    for arm in node.arms:
                        yield arm.head, path
                        yield from region(arm.body, enter(path))
                case Call():
                    pass
                case _:
                    pass

    yield from region(regions.main, enter(()))
    for sub in regions.subs.values():
        yield from region(sub.body, enter(()))
