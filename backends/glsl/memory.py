"""Buffers, images, shared memory and atomic counters."""

from __future__ import annotations

from backends.glsl.code import Code
from backends.glsl.expressions import (
    FLOAT,
    INT,
    PRODUCT,
    SHIFT,
    SUM,
    UINT,
    Expr,
    convert,
    infix,
    joined,
    literal,
    swizzled,
    type_name,
    widen,
)
from backends.glsl.places import refuse
from tgsi.language.facts.enums import TARGETS, File
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Instruction, RegisterRef

_ATOMICS = {
    "ATOMUADD": "Add",
    "ATOMXCHG": "Exchange",
    "ATOMCAS": "CompSwap",
    "ATOMAND": "And",
    "ATOMOR": "Or",
    "ATOMXOR": "Xor",
    "ATOMUMIN": "Min",
    "ATOMUMAX": "Max",
    "ATOMIMIN": "Min",
    "ATOMIMAX": "Max",
}
_CLASSES = ((1, "memoryBarrierBuffer"), (2, "memoryBarrierAtomicCounter"), (4, "memoryBarrierImage"), (8, "memoryBarrierShared"))
_GROUP, _ALL = 16, 15


def emit(code: Code, item: Instruction) -> None:
    """Write an instruction that reads or writes memory, waits, or queries a size."""
    traits = item.opcode.traits
    if Trait.BARRIER in traits:
        code.flush()
        return code.line("barrier();")
    if not item.dst:
        return barrier(code, item)
    register = item.dst[0].register if item.opcode.stores_to_dst else item.src[0].register
    if register.indirect is not None or (register.dimension is not None and register.dimension.indirect is not None):
        refuse(f"a {register.file.name} that is chosen by an address", item.span)
    if Trait.QUERY in traits:
        return _query(code, item, register)
    code.flush()
    if register.file is File.IMAGE:
        return _image(code, item, register)
    if register.file is File.HWATOMIC:
        return _counter(code, item, register)
    if register.file not in (File.BUFFER, File.MEMORY):
        refuse(f"memory of file {register.file.name}", item.span)
    return _words(code, item, register)


def barrier(code: Code, item: Instruction) -> None:
    """Write the barriers of the classes of MEMBAR."""
    bits = code.source(item, 0, UINT)
    if not bits.words:
        refuse("a MEMBAR of classes that are not an immediate", item.span)
    code.flush()
    word = bits.words[0]
    if word & _GROUP:
        return code.line("groupMemoryBarrier();")
    if word & _ALL == _ALL:
        return code.line("memoryBarrier();")
    for bit, name in _CLASSES:
        if word & bit:
            code.line(f"{name}();")
    return None


def _array(code: Code, register: RegisterRef) -> tuple[str, str]:
    variable = code.variable(register)
    kind = variable.type if variable is not None else UINT
    names = code.resources.buffers if register.file is File.BUFFER else code.resources.memory
    name = names.get(register.index) or next(iter(names.values()), "")
    if not name:
        refuse(f"the undeclared register {register.file.name}[{register.index}]", code.span)
    return name, kind


def _element(code: Code, item: Instruction, number: int, count: int) -> list[str]:
    """The indices of `count` words from the byte address in a source."""
    address = code.source(item, number, "integer", (0,))
    if address.words:
        return [str((address.words[0] >> 2) + k) for k in range(count)]
    address = convert(address, UINT)
    word = infix(">>", SHIFT, address, literal((2,), INT))
    if count == 1:
        return [word.text]
    name = code.names.give("word")
    code.line(f"uint {name} = {word};")
    return [name if k == 0 else f"{name} + {k}u" for k in range(count)]


def _words(code: Code, item: Instruction, register: RegisterRef) -> None:
    name, kind = _array(code, register)
    opcode = item.opcode
    if opcode.is_atomic:
        return _atomic(code, item, name, kind)
    if opcode.stores_to_dst:
        mask = [c for c in range(4) if item.dst[0].write_mask >> c & 1]
        value = code.source(item, 1, kind, mask)
        places = _element(code, item, 0, mask[-1] + 1)
        if value.size > 1 and not value.text.isidentifier() and not value.words:
            held = code.names.give("stored")
            code.line(f"{type_name(kind, value.size)} {held} = {value};")
            value = Expr(held, kind, value.size)
        for n, c in enumerate(mask):
            code.line(f"{name}[{places[c]}] = {swizzled(value, (n,))};")
        return None
    channels = [item.src[0].swizzle[c] for c in range(4) if item.dst[0].write_mask >> c & 1]
    places = _element(code, item, 1, max(channels) + 1)
    return code.store(item, joined([Expr(f"{name}[{places[c]}]", kind) for c in channels]), keep=True)


def _atomic(code: Code, item: Instruction, name: str, kind: str) -> None:
    function = _ATOMICS.get(item.opcode.name)
    wanted = item.opcode.dst_types[0]
    if function is None or kind == FLOAT:
        refuse(f"{item.opcode.name} on {'floats' if kind == FLOAT else 'memory'}", item.span)
    if function in ("Min", "Max") and wanted != kind:
        refuse(f"{item.opcode.name} on words that other instructions use as {kind}", item.span)
    place = f"{name}[{_element(code, item, 1, 1)[0]}]"
    operands = [code.source(item, k, kind, (0,)) for k in range(2, len(item.src))]
    code.store(item, Expr(f"atomic{function}({', '.join([place, *map(str, operands)])})", kind), keep=True)


def _counter(code: Code, item: Instruction, register: RegisterRef) -> None:
    buffer = register.dimension.index if register.dimension is not None else 0
    name = code.resources.counters.get((buffer, register.index))
    address = code.source(item, 1, UINT, (0,)) if not item.opcode.stores_to_dst else None
    if name is None or address is None or address.words != (0,):
        refuse("an atomic counter at an address", item.span)
    opcode = item.opcode.name
    if not item.opcode.is_atomic:
        return code.store(item, Expr(f"atomicCounter({name})", UINT), keep=True)
    operands = [code.source(item, k, UINT, (0,)) for k in range(2, len(item.src))]
    if opcode == "ATOMUADD" and operands[0].words == (1,):
        return code.store(item, Expr(f"atomicCounterIncrement({name})", UINT), keep=True)
    if opcode == "ATOMUADD" and operands[0].words == (0xFFFFFFFF,):
        return code.store(item, Expr(f"atomicCounterDecrement({name}) + 1u", UINT, 1, SUM), keep=True)
    function = _ATOMICS.get(opcode)
    if function is None or opcode in ("ATOMIMIN", "ATOMIMAX") or code.version.es or code.version.number < 460:
        refuse(f"{opcode} on an atomic counter in GLSL {code.version}", item.span, "GLSL 460 has more operations on counters")
    return code.store(item, Expr(f"atomicCounter{function}({', '.join([name, *map(str, operands)])})", UINT), keep=True)


def _image(code: Code, item: Instruction, register: RegisterRef) -> None:
    name, kind = code.resources.images[register.index]
    assert item.memory is not None
    target = TARGETS[item.memory.target]
    number = 0 if item.opcode.stores_to_dst else 1
    code.hold(item.src[number])
    place = widen(code.source(item, number, INT, range(target.coords)), target.coords)
    sample = f", {code.source(item, number, INT, (3,))}" if "MSAA" in target.name else ""
    if item.opcode.stores_to_dst:
        value = widen(code.source(item, 1, kind, range(4)), 4)
        return code.line(f"imageStore({name}, {place}{sample}, {value});")
    if item.opcode.is_atomic:
        function = _ATOMICS.get(item.opcode.name)
        if function is None or kind == FLOAT:
            refuse(f"{item.opcode.name} on this image", item.span)
        operands = [code.source(item, k, kind, (0,)) for k in range(2, len(item.src))]
        return code.store(item, Expr(f"imageAtomic{function}({name}, {place}{sample}, {', '.join(map(str, operands))})", kind), keep=True)
    channels = [item.src[0].swizzle[c] for c in range(4) if item.dst[0].write_mask >> c & 1]
    return code.store(item, swizzled(Expr(f"imageLoad({name}, {place}{sample})", kind, 4), channels), keep=True)


def _query(code: Code, item: Instruction, register: RegisterRef) -> None:
    mask = [c for c in range(4) if item.dst[0].write_mask >> c & 1]
    if register.file is File.BUFFER:
        if mask != [0]:
            refuse("other channels than the size of a buffer", item.span)
        name, _ = _array(code, register)
        return code.store(item, infix("*", PRODUCT, Expr(f"{name}.length()", INT), literal((4,), INT)), keep=True)
    if register.file is not File.IMAGE or item.memory is None:
        refuse(f"the size of a {register.file.name}", item.span)
    name, _ = code.resources.images[register.index]
    target = TARGETS[item.memory.target]
    count = 2 if target.name == "CUBE" else min(target.coords, 3)
    if any(c >= count for c in mask):
        refuse("channels of a size that the image does not have", item.span)
    return code.store(item, swizzled(Expr(f"imageSize({name})", INT, count), mask), keep=True)
