"""Setters over the bound record, in generated code: one for each effect of a call. Native entries and the reader of commands share them."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import STOPS, ConstantSlot, Hindrance, VertexBufferSlot
from backends.device.region import ALIGNMENT
from backends.llvm.builder.function import I32, I64, PTR, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_VERTEX_BUFFERS

VERTEX_SLOT = ctypes.sizeof(VertexBufferSlot)
SLOTS = f"[{MAX_VERTEX_BUFFERS * VERTEX_SLOT} x i8]"
"""Memory for as many vertex buffers as there are."""
SLOT_FIELDS = ("address", "size", "stride", "lead")


def tick(bound: Record) -> Val:
    """The next revision."""
    f, clock = bound.f, bound.get("clock")
    now = f.load(I64, clock, 0, 8) + 1
    f.store(now, clock, 0, 8)
    return now


def hinders(bound: Record, bits: int = int(STOPS)) -> Val:
    """True if one of some hindrances is set."""
    return (bound.get("hindrances") & bits).ne(0)


def put_word(bound: Record, place: Val | int, number: Val) -> None:
    """Give a word of the bound state a value. place: of the word (i32)."""
    f = bound.f
    at = f.at(bound.address("words"), f.const(I32, place).zext(I64) << 3)
    with f.if_(f.load(I64, at, 0, 8).ne(number)):
        f.store(number, at, 0, 8)
        bound.set("are_words_new", f.const(I32, 1))


# -- constants ---------------------------------------------------------------------------------------------------------------
def constant_slot(bound: Record, stage: Val, index: Val) -> Record:
    """The slot of a constant buffer of a stage (i64 both)."""
    f = bound.f
    return Record(f, f.at(bound.address("constants"), (stage * MAX_CONSTANT_BUFFERS + index) * ctypes.sizeof(ConstantSlot)), ConstantSlot)


def room_of(size: Val) -> Val:
    """Bytes that constants take in the memory of constants."""
    return (size + (ALIGNMENT - 1)) & -ALIGNMENT


def copy_constants(bound: Record, source: Val, size: Val) -> Val:
    """Copy constants to the memory of constants, which has room (all i64), as `ConstantMemory.put` does. Returns their address (i64)."""
    f, address, room = bound.f, bound.get("constants_at"), room_of(size)
    f.call(PTR, "memcpy", address.as_pointer(), source, size)
    bound.set("constants_at", address + room)
    bound.set("constants_room", bound.get("constants_room") - room)
    return address


def put_constants(bound: Record, stage: Val, index: Val, address: Val | int, size: Val | int, room: Val | int) -> None:
    """Bind constants to a slot of a stage (i64 both). room: see ConstantSlot; size and room are i32."""
    slot = constant_slot(bound, stage, index)
    slot.set("address", address)
    slot.set("size", size)
    slot.set("room", room)
    slot.set("is_native", 0 if isinstance(address, int) else 1)
    bound.f.store(tick(bound), bound.address("constant_revision"), stage << 3, 8)


# -- vertex and index buffers ------------------------------------------------------------------------------------------------
def fill_vertex_slot(slot: Record, memory: tuple[Val, Val], offset: Val, stride: Val) -> None:
    """Write a slot: the memory of a buffer, address and size, from an offset on (all i64). Offsets after the end leave nothing."""
    begin = slot.f.min(offset, memory[1])
    slot.set("address", memory[0] + begin)
    slot.set("size", memory[1] - begin)
    slot.set("stride", stride)
    slot.set("lead", slot.f.const(I64, 0))


def put_vertex_buffers(bound: Record, source: Val, first: Val | int, number: Val, total: Val) -> None:
    """Bind `number` slots at `source` from slot `first` on; slots after `total` are empty. Those between stay. All are i32."""
    f, target, begin = bound.f, bound.address("vertex_buffers"), bound.f.const(I32, first)
    for low, high in ((bound.get("num_vertex_buffers"), begin), (total, bound.get("num_vertex_buffers"))):
        with f.range(low, high) as k:
            f.call(PTR, "memset", f.at(target, k.zext(I64) * VERTEX_SLOT), f.const(I32, 0), f.const(I64, VERTEX_SLOT))
    f.call(PTR, "memcpy", f.at(target, begin.zext(I64) * VERTEX_SLOT), source, number.zext(I64) * VERTEX_SLOT)
    bound.set("num_vertex_buffers", total)
    bound.set("are_vertex_buffers_native", f.const(I32, 1))
    bound.set("vertex_revision", tick(bound))


def put_index_buffer(bound: Record, memory: tuple[Val, Val] | None, offset: Val | int = 0) -> None:
    """Bind the memory of an index buffer, address and size, from an offset on (all i64); None unbinds."""
    f = bound.f
    if memory is not None:
        begin = f.min(f.const(I64, offset), memory[1])
        memory = memory[0] + begin, memory[1] - begin
    bound.set("index_address", 0 if memory is None else memory[0])
    bound.set("index_bytes", 0 if memory is None else memory[1])
    bound.set("is_index_buffer_native", f.const(I32, 1))


# -- work --------------------------------------------------------------------------------------------------------------------
def carry_out(bound: Record, entry: str, call: Val) -> Val:
    """Let the device take a draw or a clear. entry: the field of its function. Returns 0 (i32) if it was taken."""
    return bound.f.call_pointer(I32, bound.get(entry).as_pointer(), bound.get("executor").as_pointer(), bound.pointer, call)


USER_MEMORY = int(Hindrance.USER_MEMORY)


def write_buffer(bound: Record, target: Val, source: Val, size: Val) -> Val:
    """Let the device write bytes to a buffer, now or in their turn among the pending draws. Returns 0 (i32) if it has taken them."""
    executor = bound.get("executor").as_pointer()
    return bound.f.call_pointer(I32, bound.get("upload_entry").as_pointer(), executor, target, source, size)
