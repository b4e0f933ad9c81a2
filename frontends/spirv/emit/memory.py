"""Loads and stores of places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from frontends.spirv.emit.code import Ref, Refs, destination, immediate
from frontends.spirv.emit.places import Memory, Registers, Terms, layout
from frontends.spirv.emit.state import State
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import MAX_WORDS, Array, Matrix, Struct, Type, Vector, name
from tgsi.language.facts.enums import File
from tgsi.language.facts.stages import GROUP_STAGES
from tgsi.language.ir import Dimension, IndirectRef, MemoryAccess, RegisterRef, SrcOperand

REGISTER_BYTES = 16


def total(s: State, terms: Terms, divisor: int = 1) -> Ref:
    """The sum of `terms` divided by `divisor`, which divides every factor."""
    sum_of_terms: Refs | None = None
    for ref, factor in terms:
        factor //= divisor
        if sum_of_terms is not None:
            sum_of_terms = s.code.lanes("UMAD", [ref], immediate(factor), sum_of_terms)
        elif factor == 1:
            sum_of_terms = s.code.plain([ref])
        else:
            sum_of_terms = s.code.lanes("UMUL", [ref], immediate(factor))
    assert sum_of_terms is not None
    return sum_of_terms[0]


def load(s: State, place: Registers | Memory, op: Op | None = None) -> list[Ref]:
    """The words of a place. Values in known registers are not copied."""
    if place.kind.words >= MAX_WORDS:
        s.fail("M023", f"a value of type {name(place.kind)} is too large", op)
    if isinstance(place, Memory):
        return _load_memory(s, place, op)
    if place.pick is not None:
        return pick(s, load(s, _whole(place), op), place.pick, place.kind.words)
    registers = _Addressed(s, place)
    refs = [Ref(registers(register), channel) for register, channel in words_of(place)]
    is_shared = place.file is File.OUT and s.processor in GROUP_STAGES
    return s.code.copy(refs) if place.terms or isinstance(place.row, Ref) or is_shared else refs


def store(s: State, place: Registers | Memory, refs: Refs, op: Op | None = None) -> None:
    """Write the words of a place."""
    if len(refs) != place.kind.words:
        s.fail("M006", f"the value does not fit a place of type {name(place.kind)}", op)
    if isinstance(place, Memory):
        _store_memory(s, place, refs, op)
        return
    if not place.mutable:
        s.fail("M006", "the pointer names what cannot be written", op)
    if place.pick is not None:
        if place.file is File.OUT and s.processor in GROUP_STAGES:
            _store_alone(s, place, place.pick, refs)
        else:
            store(s, _whole(place), put(s, load(s, _whole(place), op), place.pick, refs), op)
        return
    if place.terms or place.row is not None:
        s.detach([register for register in s.aliases if register.file is place.file])
    registers = _Addressed(s, place)
    targets = [Ref(registers(register), channel) for register, channel in words_of(place)]
    s.detach([target.register for target in targets])
    s.code.move(targets, refs)


def _store_alone(s: State, place: Registers, index: Ref, refs: Refs) -> None:
    """Write one scalar of an output whose other channels other invocations may write."""
    s.detach([register for register in s.aliases if register.file is place.file])
    whole = _whole(place)
    registers, words = _Addressed(s, whole), words_of(whole)
    for number in range(place.width):
        part = words[number * len(refs) : (number + 1) * len(refs)]
        s.code.emit("UIF", (), s.code.source(s.code.lanes("USEQ", [index], immediate(number))))
        s.code.move([Ref(registers(register), channel) for register, channel in part], refs)
        s.code.emit("ENDIF")


def pick(s: State, refs: Refs, index: Ref, words: int) -> list[Ref]:
    """One scalar of several, chosen while the program runs; the first one if the index is out of range."""
    picked = list(refs[:words])
    for number in range(1, len(refs) // words):
        test = s.code.lanes("USEQ", [index], immediate(number)) * words
        picked = s.code.lanes("UCMP", test, refs[number * words : number * words + words], picked)
    return picked


def put(s: State, refs: Refs, index: Ref, new: Refs) -> list[Ref]:
    """The value with one scalar replaced, chosen while the program runs."""
    words = len(new)
    count = len(refs) // words
    test = s.code.lanes("USEQ", [index] * count, immediate(*range(count)))
    wide = [ref for ref in test for _ in range(words)]
    return s.code.lanes("UCMP", wide, list(new) * count, refs)


def _whole(place: Registers) -> Registers:
    """The vector or packed array that contains a chosen scalar."""
    kind = Array(place.kind, place.width, 0, min(place.kind.words * place.width, MAX_WORDS))
    return replace(place, kind=kind, pick=None, packed=True)


def words_of(place: Registers) -> list[tuple[int, int]]:
    """Register (relative to the place's) and channel of each word."""
    if place.packed:
        return [((place.channel + word) // 4, (place.channel + word) % 4) for word in range(place.kind.words)]
    return [(register, place.channel + channel) for register, channel in layout(place.kind)]


def register_of(s: State, place: Registers) -> RegisterRef:
    """The first register of a place."""
    return _Addressed(s, place)(0)


class _Addressed:
    """The registers of a place, with their indices in address registers."""

    def __init__(self, s: State, place: Registers) -> None:
        self.place = place
        self.indirect = self.dimension = None
        if place.terms:
            s.code.indexed.add(place.array)
            number, channel = s.code.address(total(s, place.terms))
            self.indirect = IndirectRef(File.ADDR, number, channel)
        if isinstance(place.row, Ref):
            number, channel = s.code.address(s.code.plain([place.row])[0], 1)
            self.dimension = Dimension(0, IndirectRef(File.ADDR, number, channel))
        elif place.row is not None:
            self.dimension = Dimension(place.row)
        elif place.buffer is not None:
            self.dimension = Dimension(place.buffer)

    def __call__(self, register: int) -> RegisterRef:
        place = self.place
        array = place.array if self.indirect is not None else 0
        return RegisterRef(place.file, place.index + register, self.dimension, self.indirect, array)


def offsets(s: State, kind: Type, stride: int = 0, row_major: bool = False, step: int = 0) -> list[int]:
    """Byte offset of each word of a value in memory."""
    if not kind.words:  # the elements of an array that is as long as the memory may be larger than any memory
        return []
    match kind:
        case Vector():
            size = 4 * kind.element.words
            return [place * (step or size) + 4 * word for place in range(kind.size) for word in range(kind.element.words)]
        case Matrix():
            size = 4 * kind.element.element.words
            rows = kind.element.size
            stride = stride or (kind.size if row_major else rows) * size
            across, down = (size, stride) if row_major else (stride, size)
            return [
                column * across + row * down + 4 * word for column in range(kind.size) for row in range(rows) for word in range(size // 4)
            ]
        case Array():
            inner = offsets(s, kind.element, stride, row_major)
            return [place * array_stride(kind) + offset for place in range(kind.size) for offset in inner]
        case Struct():
            starts = []
            for number, member in enumerate(kind.members):
                first = member_offset(s, kind, number)
                starts += [first + offset for offset in offsets(s, member, *matrix_layout(s, kind, number))]
            return starts
    return [4 * word for word in range(kind.words)]


def array_stride(kind: Array) -> int:
    """Bytes from one element to the next."""
    return kind.stride or 4 * kind.element.words


def member_offset(s: State, kind: Struct, number: int) -> int:
    """Bytes before a member."""
    known = s.tables.member(kind.id, number, "Offset")
    return 4 * sum(item.words for item in kind.members[:number]) if known is None else known


def matrix_layout(s: State, kind: Struct, number: int) -> tuple[int, bool]:
    """MatrixStride of a member, and true if it is row-major."""
    return s.tables.member(kind.id, number, "MatrixStride") or 0, s.tables.member(kind.id, number, "RowMajor") is not None


def _byte_offsets(s: State, place: Memory) -> list[int]:
    starts = offsets(s, place.kind, place.stride, place.row_major, place.scalar_step)
    return [place.offset + offset for offset in starts]


def _load_memory(s: State, place: Memory, op: Op | None) -> list[Ref]:
    words = _byte_offsets(s, place)
    if place.file is not File.CONST:
        return _load_runs(s, place, resource(s, place), words)
    if any(factor % REGISTER_BYTES for _, factor in place.terms):
        return _load_runs(s, place, resource(s, replace(place, file=File.CONSTBUF)), words)
    buffer = Dimension(place.number)
    if place.chosen:
        number, channel = s.code.address(total(s, place.chosen), 1)
        buffer = Dimension(place.number, IndirectRef(File.ADDR, number, channel))
    indirect = None
    if place.terms:
        number, channel = s.code.address(total(s, place.terms, REGISTER_BYTES))
        indirect = IndirectRef(File.ADDR, number, channel)
    refs = [Ref(RegisterRef(File.CONST, word // REGISTER_BYTES, buffer, indirect), word % REGISTER_BYTES // 4) for word in words]
    return s.code.copy(refs) if place.terms or place.chosen else refs


def resource(s: State, place: Memory) -> RegisterRef:
    """The register of a resource."""
    if not place.chosen:
        return RegisterRef(place.file, place.number)
    number, channel = s.code.address(total(s, place.chosen), 1)
    return RegisterRef(place.file, place.number, None, IndirectRef(File.ADDR, number, channel))


def address(s: State, place: Memory, offset: int) -> Ref:
    """The address of a byte of a place; `offset` counts from the beginning of the resource."""
    if not place.terms:
        return immediate(offset)[0]
    base = total(s, place.terms)
    return s.code.lanes("UADD", [base], immediate(offset))[0] if offset else base


def runs(words: Sequence[int]) -> list[tuple[int, int]]:
    """Start and length of each run of up to four adjacent words."""
    spans: list[tuple[int, int]] = []
    for place, word in enumerate(words):
        if spans and spans[-1][1] < 4 and word == words[spans[-1][0]] + 4 * spans[-1][1]:
            spans[-1] = spans[-1][0], spans[-1][1] + 1
        else:
            spans.append((place, 1))
    return spans


def _load_runs(s: State, place: Memory, register: RegisterRef, words: Sequence[int]) -> list[Ref]:
    base = total(s, place.terms) if place.terms else None
    found: list[Ref] = []
    for first, length in runs(words):
        where = _at(s, base, words[first])
        target = s.code.new(length)
        s.code.emit("LOAD", destination(target), SrcOperand(register), s.code.source([where]), memory=MemoryAccess(place.qualifiers))
        found += target
    return found


def _store_memory(s: State, place: Memory, refs: Refs, op: Op | None) -> None:
    if place.file not in (File.BUFFER, File.MEMORY):
        s.fail("M006", "the pointer names what cannot be written", op)
    words = _byte_offsets(s, place)
    register = resource(s, place)
    base = total(s, place.terms) if place.terms else None
    for first, length in runs(words):
        where = _at(s, base, words[first])
        value = s.code.packed(refs[first : first + length], plain=True)
        target = destination([Ref(register, channel) for channel in range(length)])
        s.code.emit("STORE", target, s.code.source([where]), value, memory=MemoryAccess(place.qualifiers))


def _at(s: State, base: Ref | None, offset: int) -> Ref:
    if base is None:
        return immediate(offset)[0]
    return s.code.lanes("UADD", [base], immediate(offset))[0] if offset else base
