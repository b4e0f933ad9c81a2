"""Resources of LOAD, STORE, atomics and RESQ as words of memory.

BUFFER, CONSTBUF and buffers of HWATOMIC counters have numbers; a number out of range names an empty resource. The declaration of
a MEMORY register gives its kind; a register without declaration is SHARED.
"""

from __future__ import annotations

import ctypes

from backends.abi.records import BufferRecord, ShaderEnv
from backends.llvm.builder.function import I32, I64, PTR, Val
from backends.llvm.builder.record import Record
from backends.llvm.translate.emit import Context
from backends.llvm.translate.emit.lane_stack import Column
from backends.llvm.translate.interface import Counters, Covered, GridMemory, Memory, Words
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_SHADER_BUFFERS
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, MemoryType
from tgsi.language.ir import Dimension, RegisterRef
from tgsi.language.record import record


def _refuse(c: Context, what: str, hint: str = "") -> UnsupportedError:
    message = f"{c.instruction.opcode.name} {what} is not supported by the code generator"
    return UnsupportedError.at("B004", message, c.instruction.span, hint=hint)


def changing(c: Context) -> Val:
    """Lanes whose writes are carried out, executing or not. Killed lanes and helper lanes only read."""
    mask = c.alive_mask()
    return mask & c.interface.counted() if isinstance(c.interface, Covered) else mask


@record
class Resource:
    """Resource that an operand names. words: the words of the same resource for all lanes; None: `numbers` has each lane's resource.

    counter: number of the word that HWATOMIC names, i32 lanes or a scalar, independent of the address; None: the address names the word.
    """

    c: Context
    file: File
    counter: Val | None
    words: Words | None
    numbers: Column | None = None
    offsets: Column | None = None

    def places(self, address: Val) -> Val:
        """Number of the word at each byte address, i32 lanes. Addresses before the first word wrap to numbers beyond any resource."""
        f = self.c.f
        return f.splat(address.as_int().lshr(2) if self.counter is None else self.counter, self.c.lane_map.lanes)

    def of_lane(self, lane: Val) -> tuple[Val, Val]:
        """Pointer to the words of one lane, and their count. `lane`: byte offset of the lane's word in a column."""
        f = self.c.f
        if self.words is not None:
            base, count = self.words.base, self.words.count
            return (base, count) if self.offsets is None else (f.at(base, self.offsets.at(lane)), count)
        assert self.numbers is not None
        number = self.numbers.at(lane)
        if self.file is not File.MEMORY:
            words = _numbered(self.c, self.file, number)
            return words.base, words.count
        return _memory_of(self.c, number, lane)


def find_resource(c: Context, register: RegisterRef, *, lane_by_lane: bool = True) -> Resource:
    """Resource that a register names. `lane_by_lane`: the caller will use `of_lane`.

    UnsupportedError for a resource missing from the kernel, and for writes to constants.
    """
    if register.file is File.CONSTBUF and c.instruction.opcode.is_store:
        raise _refuse(c, "on CONSTBUF registers")
    named: RegisterRef | Dimension = register
    counter: Val | None = None
    if register.file is File.HWATOMIC:
        named = register.dimension or Dimension(0)
        counter = c.f.const(I32, register.index)
        if register.indirect is not None:
            counter = c.operands.address(c.instruction, register.indirect, register.index)
    elif register.file is File.MEMORY and not isinstance(c.interface, GridMemory):
        raise _refuse(c, f"on MEMORY registers in {c.program.processor.name} programs", "only COMP, TASK and MESH programs have MEMORY")
    if named.indirect is not None:
        numbers = Column(c, c.operands.address(c.instruction, named.indirect, named.index))
        return Resource(c, register.file, counter, None, numbers)
    if register.file is File.MEMORY:
        words = _memory(c, _kinds(c).get(named.index, MemoryType.SHARED))
    else:
        words = _numbered(c, register.file, c.f.const(I32, named.index))
    offsets = Column(c, words.offset) if lane_by_lane and words.offset is not None else None
    return Resource(c, register.file, counter, words, None, offsets)


def _numbered(c: Context, file: File, number: Val) -> Words:
    """Words of the resource with a number (i32 scalar)."""
    f, env = c.f, c.interface.env
    exists = number.ult(MAX_CONSTANT_BUFFERS if file is File.CONSTBUF else MAX_SHADER_BUFFERS)
    safe = f.select(exists, number, 0)
    if file is File.CONSTBUF:
        base = f.load(PTR, f.at(env, ShaderEnv.constants.offset), safe << 3, align=8)
        count = f.load(I32, f.at(env, ShaderEnv.constant_words.offset), safe << 2)
    else:
        record = Record(f, f.at(_records(c, file), safe * ctypes.sizeof(BufferRecord)), BufferRecord)
        base, count = record.get("base"), record.get("words")
    return Words(base, f.select(exists, count, 0))


def _records(c: Context, file: File) -> Val:
    if file is File.HWATOMIC and isinstance(c.interface, Counters):
        return c.interface.counters()
    if file is File.BUFFER and isinstance(c.interface, Memory):
        return c.interface.buffers()
    raise _refuse(c, f"on {file.name} registers in this kind of kernel")


def _kinds(c: Context) -> dict[int, MemoryType]:
    kinds: dict[int, MemoryType] = {}
    for d in c.program.declared(File.MEMORY):
        kinds |= dict.fromkeys(range(d.first, d.last + 1), MemoryType.SHARED if d.memory is None else d.memory)
    return kinds


def _memory(c: Context, kind: MemoryType) -> Words:
    assert isinstance(c.interface, GridMemory)
    return c.interface.memory(kind)


def _memory_of(c: Context, number: Val, lane: Val) -> tuple[Val, Val]:
    """Pointer and count of the words of MEMORY number `number` (i32 scalar) for a lane."""
    f, kinds = c.f, dict.fromkeys([MemoryType.SHARED, *_kinds(c).values()])
    address, count = f.var(I64, 0), f.var(I32, 0)
    for kind in kinds:  # SHARED first, because it is the default for other numbers
        words = _memory(c, kind)
        meant = number.eq(number) if kind is MemoryType.SHARED else number.ne(number)
        for other, its_kind in _kinds(c).items():
            if its_kind is kind:
                meant = meant | number.eq(other)
        base = words.base.as_address()
        if words.offset is not None:
            base = base + Column(c, words.offset).at(lane).zext(I64)
        address.set(f.select(meant, base, address.get()))
        count.set(f.select(meant, words.count, count.get()))
    return address.get().as_pointer(), count.get()
