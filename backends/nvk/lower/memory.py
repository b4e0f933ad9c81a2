"""Shared memory and payload: LOAD, STORE, atomics and RESQ on MEMORY as reads and writes of ATTR.

Words outside of the memory read 0 and are not written, as in TGSI. ISBE has no atomics, so the lanes of the single warp take turns.
"""

from __future__ import annotations

from collections.abc import Callable

from backends.nvk.lower.code import Access, Address
from backends.nvk.lower.context import Context, Space
from backends.nvk.lower.writer import Writer, has_modifier, nth_channel, whole
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import DstOperand, Instruction, SrcOperand
from tgsi.language.program import Program


def takes_turns(program: Program) -> bool:
    """True if lanes take turns somewhere: in atomics on shared memory or the payload."""
    atomics = (item for item in program.instructions if Trait.ATOMIC in item.opcode.traits)
    return any(item.src[0].register.file is File.MEMORY for item in atomics)


def load(c: Context, item: Instruction, sources: list[SrcOperand]) -> list[SrcOperand]:
    """Channels of a LOAD, or of a RESQ or an atomic: four scalars. `sources` are the instruction's, lowered."""
    w = c.writer
    space = c.space(item, item.src[0].register)
    if Trait.ATOMIC in item.opcode.traits:
        return [_atomic(c, item, space, sources)] * 4
    if Trait.LOAD not in item.opcode.traits:  # a question about the resource
        return [w.constant(space.size), *[w.constant(0)] * 3]
    place = _place(w, sources[1])
    values: dict[int, SrcOperand] = {}
    for channel, component in enumerate(item.src[0].swizzle):
        if component not in values and item.dst[0].write_mask >> channel & 1:
            values[component] = _read(w, space, place, component)
    return [values.get(component, w.constant(0)) for component in item.src[0].swizzle]


def store(c: Context, item: Instruction, sources: list[SrcOperand]) -> None:
    """Write the channels of a STORE's mask, each to its own word."""
    w = c.writer
    space = c.space(item, item.dst[0].register)
    place, value = _place(w, sources[0]), sources[1]
    if has_modifier(value):
        copy = w.register()
        w.items.append(Instruction(OPCODES["MOV"], (DstOperand(copy),), (value,)))
        value = whole(copy)
    for channel in range(4):
        if item.dst[0].write_mask >> channel & 1:
            inside = _inside(w, space, place, channel)
            if inside is not False:
                predicate = None if inside is True else inside
                w.write(_access(space, place, channel), nth_channel(value, channel), predicate)


Place = int | SrcOperand
"""Byte address of a word: constant, or in a temporary."""


def _place(w: Writer, operand: SrcOperand) -> Place:
    register = operand.register
    if register.file is File.IMM and register.indirect is None and not has_modifier(operand):
        return w.immediates[register.index].words[operand.swizzle[0]] & ~3
    return w.op("AND", nth_channel(operand, 0), w.constant(~3))


def _access(space: Space, place: Place, component: int = 0) -> Access:
    start = space.start + 4 * component
    return Access(side=space.side, address=Address(start + place) if isinstance(place, int) else Address(start, place))


def _inside(w: Writer, space: Space, place: Place, component: int = 0) -> SrcOperand | bool:
    """Predicate of lanes whose word lies in the memory; True or False if it is constant."""
    last = (space.size & ~3) - 4 * (component + 1)
    if last < 0:
        return False
    return place <= last if isinstance(place, int) else w.op("USGE", w.constant(last), place)


def _read(w: Writer, space: Space, place: Place, component: int) -> SrcOperand:
    inside = _inside(w, space, place, component)
    if inside is False:
        return w.constant(0)
    return w.read(_access(space, place, component), None if inside is True else inside)


_Value = Callable[[Writer, SrcOperand, list[SrcOperand]], SrcOperand]


def _operation(name: str) -> _Value:
    return lambda w, old, operands: w.op(name, old, operands[0])


def _increment(w: Writer, old: SrcOperand, operands: list[SrcOperand]) -> SrcOperand:
    wraps = w.op("USGE", old, operands[0])
    return w.op("UCMP", wraps, w.constant(0), w.op("UADD", old, w.constant(1)))


def _decrement(w: Writer, old: SrcOperand, operands: list[SrcOperand]) -> SrcOperand:
    wraps = w.op("OR", w.op("USEQ", old, w.constant(0)), w.op("USLT", operands[0], old))
    return w.op("UCMP", wraps, operands[0], w.op("UADD", old, w.constant(-1)))


_NEW_WORDS: dict[str, _Value] = {
    "ATOMUADD": _operation("UADD"),
    "ATOMXCHG": lambda w, old, operands: operands[0],
    "ATOMCAS": lambda w, old, operands: w.op("UCMP", w.op("USEQ", old, operands[0]), operands[1], old),
    "ATOMAND": _operation("AND"),
    "ATOMOR": _operation("OR"),
    "ATOMXOR": _operation("XOR"),
    "ATOMUMIN": _operation("UMIN"),
    "ATOMUMAX": _operation("UMAX"),
    "ATOMIMIN": _operation("IMIN"),
    "ATOMIMAX": _operation("IMAX"),
    "ATOMFADD": _operation("ADD"),
    "ATOMINC_WRAP": _increment,
    "ATOMDEC_WRAP": _decrement,
}
"""The word that an atomic leaves, from the old word and the operands."""


def _atomic(c: Context, item: Instruction, space: Space, sources: list[SrcOperand]) -> SrcOperand:
    """Old word of an atomic, which each lane of the warp carries out in its turn."""
    w = c.writer
    if item.opcode.name not in _NEW_WORDS:
        raise UnsupportedError.at(
            "B070", f"{item.opcode.name} on shared memory: ISBE has no atomics, and no loop is known for it", item.span
        )
    place = _place(w, sources[1])
    operands = []
    for operand in sources[2:]:
        copy = w.scalar()
        w.set(copy, nth_channel(operand, 0))
        operands.append(copy)
    old, turn = w.scalar(), w.scalar()
    w.set(old, w.constant(0))
    inside = _inside(w, space, place)
    if inside is False:
        return old
    w.set(turn, w.constant(0))
    with w.loop(turn, c.warp, 1):
        mine = w.both(w.op("USEQ", turn, c.lane), None if inside is True else inside)
        w.read(_access(space, place), mine, into=old)
        w.write(_access(space, place), _NEW_WORDS[item.opcode.name](w, old, operands), mine)
    return old
