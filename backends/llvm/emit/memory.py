"""LOAD, STORE, atomics and RESQ on buffers and constant buffers.

Addresses count bytes, their two low bits are ignored. A word outside of its resource reads 0, is not written, and an atomic on it
gives 0. Lanes act one after the other, the lowest first, in a loop of scalar code; killed lanes and helpers read, but change nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

from backends.llvm.abi import MAX_CONSTANT_BUFFERS, BufferRecord, ShaderEnv
from backends.llvm.builder import F32, I32, PTR, Function, Val
from backends.llvm.emit import Context, Vector, emits, images
from backends.llvm.interface import MAX_BUFFERS, Memory
from backends.llvm.structs import Record
from tgsi.diagnostics import UnsupportedError
from tgsi.enums import File
from tgsi.ir import RegisterRef


def _refuse(c: Context, what: str) -> UnsupportedError:
    return UnsupportedError.at("B004", f"{c.instruction.opcode.name} {what} is not supported by the code generator", c.instruction.span)


def _memory(c: Context) -> Memory:
    interface = c.interface
    if not isinstance(interface, Memory):
        raise _refuse(c, "in this kind of kernel")
    return interface


class _Column:
    """Vectors on the stack, so that scalar code can take one lane after the other."""

    def __init__(self, c: Context, value: Val | None = None) -> None:
        self.f, self.lanes = c.f, c.lane_map.lanes
        self.place = self.f.alloca(f"[{self.lanes} x i32]")
        self.set(value if value is not None else self.f.const(I32, 0))

    def set(self, value: Val) -> None:
        """All lanes."""
        self.f.store(self.f.splat(value.as_int(), self.lanes), self.place)

    def get(self) -> Val:
        """All lanes."""
        return self.f.load(I32.wide(self.lanes), self.place)

    def at(self, offset: Val) -> Val:
        """The lane whose word lies `offset` bytes into the vector."""
        return self.f.load(I32, self.place, offset)

    def put(self, offset: Val, value: Val) -> None:
        """Set one lane."""
        self.f.store(value.as_int(), self.place, offset)


@dataclass(frozen=True, slots=True)
class _Resource:
    """The resource that a register names, lane by lane; numbers out of range name an empty one."""

    c: Context
    register: RegisterRef
    numbers: _Column | None

    def words(self, offset: Val) -> tuple[Val, Val]:
        """Pointer to the words of a lane's resource, and how many there are."""
        f, env = self.c.f, self.c.interface.env
        constants = self.register.file is File.CONSTBUF
        limit = MAX_CONSTANT_BUFFERS if constants else MAX_BUFFERS
        number = self.numbers.at(offset) if self.numbers is not None else f.const(I32, self.register.index)
        exists = number.ult(limit)
        safe = f.select(exists, number, 0)
        if constants:
            base = f.load(PTR, f.at(env, ShaderEnv.constants.offset), safe << 3, align=8)
            count = f.load(I32, f.at(env, ShaderEnv.constant_words.offset), safe << 2)
        else:
            record = Record(f, f.at(_memory(self.c).buffers(), safe * ctypes.sizeof(BufferRecord)), BufferRecord)
            base, count = record.get("base"), record.get("words")
        return base, f.select(exists, count, 0)


def _resource(c: Context, register: RegisterRef) -> _Resource:
    _memory(c)
    if register.file not in (File.BUFFER, File.CONSTBUF) or register.dimension is not None:
        raise _refuse(c, f"on {register.file.name} registers")
    if register.file is File.CONSTBUF and c.instruction.opcode.is_store:
        raise _refuse(c, "on CONSTBUF registers")
    if register.indirect is None:
        return _Resource(c, register, None)
    return _Resource(c, register, _Column(c, c.operands.address(c.instruction, register.indirect, register.index)))


def _changing(c: Context) -> Val:
    """The lanes whose writes count."""
    return c.execution_mask() & c.alive_mask() & _memory(c).present()


def _zeros(c: Context) -> Val:
    return c.f.const(I32.wide(c.lane_map.lanes), 0)


@emits("LOAD")
def emit_load(c: Context, resource: None, address: Vector) -> list[Val]:
    """Four words in a row, in the order of the resource's swizzle."""
    f, operand = c.f, c.instruction.src[0]
    if images.names_image(operand.register):
        return images.emit_load(c, address)
    found, places = _resource(c, operand.register), _Column(c, address[0].as_int().lshr(2))
    columns = {component: _Column(c) for component in sorted(set(operand.swizzle))}
    active = _Column(c, c.execution_mask().zext(I32))
    with f.range(0, 4 * c.lane_map.lanes, 4) as lane, f.if_(active.at(lane).ne(0)):
        base, count = found.words(lane)
        for component, column in columns.items():
            place = places.at(lane) + component
            with f.if_(place.ult(count)):
                column.put(lane, f.load(I32, base, place << 2))
    values = {component: column.get() for component, column in columns.items()}
    return [values[component] for component in operand.swizzle]


@emits("STORE")
def emit_store(c: Context, address: Vector, value: Vector) -> list[Val]:
    """The channels of the write mask, each at its own place behind the address."""
    f, target = c.f, c.instruction.dst[0]
    if images.names_image(target.register):
        return images.emit_store(c, address, value)
    found, places = _resource(c, target.register), _Column(c, address[0].as_int().lshr(2))
    columns = {channel: _Column(c, value[channel]) for channel in range(4) if target.write_mask >> channel & 1}
    changing = _Column(c, _changing(c).zext(I32))
    with f.range(0, 4 * c.lane_map.lanes, 4) as lane, f.if_(changing.at(lane).ne(0)):
        base, count = found.words(lane)
        for channel, column in columns.items():
            place = places.at(lane) + channel
            with f.if_(place.ult(count)):
                f.store(column.at(lane), base, place << 2)
    return []


Update = Callable[[Function, Val, Val], Val]


_UPDATES: dict[str, Update] = {
    "ATOMUADD": lambda f, old, e: old + e,
    "ATOMXCHG": lambda f, old, e: e,
    "ATOMAND": lambda f, old, e: old & e,
    "ATOMOR": lambda f, old, e: old | e,
    "ATOMXOR": lambda f, old, e: old ^ e,
    "ATOMUMIN": lambda f, old, e: f.select(e.ult(old), e, old),
    "ATOMUMAX": lambda f, old, e: f.select(e.ugt(old), e, old),
    "ATOMIMIN": lambda f, old, e: f.select(e < old, e, old),
    "ATOMIMAX": lambda f, old, e: f.select(e > old, e, old),
    "ATOMFADD": lambda f, old, e: old.bits_as(F32) + e.bits_as(F32),
    "ATOMINC_WRAP": lambda f, old, e: f.select(old.uge(e), 0, old + 1),
    "ATOMDEC_WRAP": lambda f, old, e: f.select(old.eq(0) | old.ugt(e), e, old - 1),
}
"""The new word, from the old one and the operand."""


@emits(*_UPDATES, "ATOMCAS")
def emit_atomic(c: Context, resource: None, address: Vector, operand: Vector, replacement: Vector | None = None) -> list[Val]:
    """The old word goes to the destination, the new one to memory; ATOMCAS stores its last source where the old word equals e."""
    f, register = c.f, c.instruction.src[0].register
    update = _UPDATES.get(c.instruction.opcode.name)
    if images.names_image(register):
        return images.emit_atomic(c, address, operand, replacement, update)
    found, places, operands = _resource(c, register), _Column(c, address[0].as_int().lshr(2)), _Column(c, operand[0])
    replacements = _Column(c, replacement[0]) if replacement is not None else None
    seen, active, changing = _Column(c), _Column(c, c.execution_mask().zext(I32)), _Column(c, _changing(c).zext(I32))
    with f.range(0, 4 * c.lane_map.lanes, 4) as lane, f.if_(active.at(lane).ne(0)):
        base, count = found.words(lane)
        place = places.at(lane)
        with f.if_(place.ult(count)):
            old, given = f.load(I32, base, place << 2), operands.at(lane)
            seen.put(lane, old)
            with f.if_(changing.at(lane).ne(0)):
                if replacements is not None:
                    new = f.select(old.eq(given), replacements.at(lane), old)
                else:
                    assert update is not None
                    new = update(f, old, given)
                f.store(new.as_int(), base, place << 2)
    return [seen.get()] * 4


@emits("RESQ")
def emit_resq(c: Context, resource: None) -> list[Val]:
    """x: the size in bytes; y, z and w: 0."""
    f = c.f
    if images.names_image(c.instruction.src[0].register):
        return images.emit_resq(c)
    found, sizes = _resource(c, c.instruction.src[0].register), _Column(c)
    with f.range(0, 4 * c.lane_map.lanes, 4) as lane:
        _, count = found.words(lane)
        sizes.put(lane, count << 2)
    return [sizes.get(), _zeros(c), _zeros(c), _zeros(c)]
