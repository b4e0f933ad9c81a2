"""Loads, stores and atomic operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from backends.spirv.arithmetic import store, written
from backends.spirv.images import Images
from backends.spirv.invocation import DEVICE, WORKGROUP
from backends.spirv.resources import Words
from backends.spirv.state import State
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction, MemoryAccess, RegisterRef

_ATOMICS = {
    "ATOMUADD": "AtomicIAdd",
    "ATOMXCHG": "AtomicExchange",
    "ATOMAND": "AtomicAnd",
    "ATOMOR": "AtomicOr",
    "ATOMXOR": "AtomicXor",
    "ATOMUMIN": "AtomicUMin",
    "ATOMUMAX": "AtomicUMax",
    "ATOMIMIN": "AtomicSMin",
    "ATOMIMAX": "AtomicSMax",
    "ATOMCAS": "AtomicCompareExchange",
}


def _qualifiers(item: Instruction) -> int:
    return (item.memory or MemoryAccess()).qualifiers


def _words(s: State) -> Words:
    shared = s.shared.setdefault("words", Words(s))
    assert isinstance(shared, Words)
    return shared


def _images(s: State) -> Images:
    shared = s.shared.setdefault("images", Images(s))
    assert isinstance(shared, Images)
    return shared


def _one(s: State, register: RegisterRef) -> RegisterRef:
    """A resource with a constant number. Error M031 for others."""
    if register.file not in (File.BUFFER, File.IMAGE, File.MEMORY, File.CONSTBUF, File.HWATOMIC):
        s.fail("M031", f"a handle in a register of file {register.file.name} is not a resource in SPIR-V")
    if register.indirect is not None and register.file in (File.IMAGE, File.MEMORY, File.CONSTBUF):
        s.fail("M031", f"a register of file {register.file.name} that is indexed has no place in SPIR-V")
    return register


def each(s: State, register: RegisterRef, work: Callable[[RegisterRef], None]) -> None:
    """Do something with a buffer; with one among all where its number is found when the program runs."""
    if register.indirect is None:
        work(register)
        return
    index = s.registers.address(register.indirect, register.index)
    numbers = [number for item in s.program.declared(register.file) for number in range(item.first, item.last + 1)]
    for number in numbers:
        one = RegisterRef(register.file, number, register.dimension)
        s.guarded(s.test("IEqual", index, s.module.uint(number)), lambda one=one: work(one))  # type: ignore[misc]


def _load(s: State, item: Instruction) -> None:
    register = _one(s, item.src[0].register)
    channels = written(item.dst[0])
    if not channels:
        return
    if register.file is File.IMAGE:
        texel = _images(s).read(register.index, item, item.src[1])
        store(s, item, s.select(texel, "uint", [item.src[0].swizzle[c] for c in channels]), "uint")
        return
    if register.indirect is not None:  # no such buffer: 0
        store(s, item, s.whole(0, len(channels)), "uint")
    each(s, register, lambda one: _load_words(s, item, one, channels))


def _load_words(s: State, item: Instruction, register: RegisterRef, channels: list[int]) -> None:
    m = s.module
    places = [item.src[0].swizzle[c] for c in channels]
    if register.file is File.HWATOMIC:
        pointer = _counter(s, register)
        word = m.op("AtomicLoad", m.scalar("uint"), pointer, m.uint(DEVICE), m.uint(0))
        store(s, item, s.splat(word, "uint", len(channels)), "uint")
        return
    address = s.registers.source(item.src[1], "uint", [0])
    words = _words(s)
    loaded: dict[int, int] = {}
    for place in sorted(set(places)):
        number = words.number(address, place)
        if register.file is File.CONSTBUF:
            loaded[place] = _constant_word(s, register.index, number)
            continue
        pointer, inside = words.pointer(words.variable(register, _qualifiers(item)), number)
        word = s.load(pointer, m.scalar("uint"))
        loaded[place] = word if inside is None else s.choose(inside, word, m.uint(0), "uint", 1)
    store(s, item, s.vector("uint", [loaded[place] for place in places]), "uint")


def _constant_word(s: State, buffer: int, number: int) -> int:
    m = s.module
    known = s.registers.block(buffer)
    if known is None:
        return m.uint(0)
    variable, storage = known
    uint = m.scalar("uint")
    row = m.op("ShiftRightLogical", uint, number, m.uint(2))
    column = m.op("BitwiseAnd", uint, number, m.uint(3))
    value = s.load(s.chain(storage, m.scalar("float"), variable, m.uint(0), row, column), m.scalar("float"))
    return s.cast(value, "float", "uint", 1)


def _store(s: State, item: Instruction) -> None:
    register = _one(s, item.dst[0].register)
    channels = written(item.dst[0])
    if not channels:
        return
    if register.file is File.IMAGE:
        _images(s).write(register.index, item)
        return
    each(s, register, lambda one: _store_words(s, item, one, channels))


def _store_words(s: State, item: Instruction, register: RegisterRef, channels: list[int]) -> None:
    m = s.module
    words = _words(s)
    address = s.registers.source(item.src[0], "uint", [0])
    value = s.parts(s.registers.source(item.src[1], "uint", channels, "float"), "uint", len(channels))
    for channel, word in zip(channels, value):
        pointer, _ = words.pointer(words.variable(register, _qualifiers(item)), words.number(address, channel))
        m.do("Store", pointer, word)


def _counter(s: State, register: RegisterRef) -> int:
    """A pointer to an atomic counter."""
    m = s.module
    m.need("AtomicStorage")
    buffer = register.dimension.index if register.dimension is not None else 0
    size = max((d.last + 1 for d in s.program.declared(File.HWATOMIC) if (d.dimension or 0) == buffer), default=register.index + 1)
    key = ("counters", buffer)
    uint = m.scalar("uint")
    if key not in m.known:
        m.known[key] = variable = m.variable("AtomicCounter", m.array(uint, size), s.named(f"counters{buffer}", f"HWATOMIC[{buffer}][0]"))
        m.decorate(variable, "Binding", s.options.layout.binding("HWATOMIC", buffer, buffer, -1) or 0)
        m.decorate(variable, "Offset", 0)
    index = m.uint(register.index) if register.indirect is None else s.registers.address(register.indirect, register.index)
    return s.chain("AtomicCounter", uint, m.known[key], index)


def _atomic(s: State, item: Instruction) -> None:
    register = _one(s, item.src[0].register)
    if register.file is File.BUFFER and register.indirect is not None:
        channels = written(item.dst[0]) if item.dst else []
        if channels:
            store(s, item, s.whole(0, len(channels)), "uint")
        each(s, register, lambda one: _act(s, item, one))
    else:
        _act(s, item, register)


def _act(s: State, item: Instruction, register: RegisterRef) -> None:
    m = s.module
    inside: int | None = None
    scope = DEVICE
    if register.file is File.HWATOMIC:
        pointer = _counter(s, register)
    elif register.file is File.IMAGE:
        pointer = _images(s).texel(register.index, item, item.src[1])
    elif register.file is File.CONSTBUF:
        s.fail("M031", "a constant buffer is not written")
    else:
        words = _words(s)
        known = words.variable(register, _qualifiers(item))
        pointer, inside = words.pointer(known, words.number(s.registers.source(item.src[1], "uint", [0]), 0))
        scope = WORKGROUP if known[1] == "Workgroup" else DEVICE
    name = _ATOMICS[item.opcode.name]
    values = [s.registers.source(operand, "uint", [0]) for operand in item.src[2:]]
    head = (pointer, m.uint(scope), m.uint(0))
    uint = m.scalar("uint")
    if name == "AtomicCompareExchange":
        old = m.op(name, uint, *head, m.uint(0), values[1], values[0])
    else:
        old = m.op(name, uint, *head, values[0])
    channels = written(item.dst[0]) if item.dst else []
    if channels:
        word = old if inside is None else s.choose(inside, old, m.uint(0), "uint", 1)
        store(s, item, s.splat(word, "uint", len(channels)), "uint")


def _query(s: State, item: Instruction) -> None:
    m = s.module
    register = _one(s, item.src[0].register)
    channels = written(item.dst[0])
    if not channels:
        return
    if register.file is File.IMAGE:
        sizes = _images(s).sizes(register.index, item)
        store(s, item, s.select(sizes, "uint", channels), "uint")
        return
    if register.file is not File.BUFFER or register.indirect is not None:
        s.fail("M030", "only buffers and images with a constant number have a size in SPIR-V")
    variable, _, _ = _words(s).variable(register)
    length = m.op("ArrayLength", m.scalar("uint"), variable, 0)
    size = m.op("ShiftLeftLogical", m.scalar("uint"), length, m.uint(2))
    store(s, item, s.vector("uint", [m.uint(0) if channel else size for channel in channels]), "uint")


EMITTERS: Mapping[str, Callable[[State, Instruction], None]] = MappingProxyType(
    {"LOAD": _load, "STORE": _store, "RESQ": _query, **dict.fromkeys(_ATOMICS, _atomic)}
)
"""Emitters by opcode."""
