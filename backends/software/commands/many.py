"""Generated code: draws the rows of a structured array, up to the first that needs Python."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import BoundRecord, ConstantSlot
from backends.device.commands.many_draws import ManyRecord
from backends.device.region import ALIGNMENT
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.software.commands.memory import leave
from backends.software.commands.records import Code


def build_draw_many(module: Module) -> None:
    """draw_many(executor, bound, many) -> Code of the row `next`; DONE if all rows were drawn.

    MEMORY may also mean that constant memory ran out.
    """
    f = Function(module, "draw_many", [PTR, PTR, PTR], I32, shared=True)
    executor, bound, many = f.args
    b, m = Record(f, bound, BoundRecord), Record(f, many, ManyRecord)
    call = m.address("call")
    rows, stride, count = m.get("rows").as_pointer(), m.get("stride"), m.get("count")
    with f.loop() as loop:
        number = m.get("next")
        loop.break_if(number >= count)
        row = f.at(rows, number * stride)
        with f.range(0, m.get("num_fields")) as k:
            value = f.load(I32, row, f.load(I32, m.address("source"), k << 2).zext(I64), 1)
            f.store(value, f.at(call, f.load(I32, m.address("target"), k << 2).zext(I64)))
        with f.range(0, m.get("num_constants")) as k:
            _bind_constants(f, b, m, row, k)
        code = f.call(I32, "draw", executor, bound, call)
        with f.leaving(code.ne(int(Code.DONE))):
            f.ret(code)
        m.set("next", number + 1)
    f.ret(f.const(I32, int(Code.DONE)))


def _bind_constants(f: Function, b: Record, m: Record, row: Val, k: Val) -> None:
    """Copy a row's constants of one stage to constant memory and bind them; see `ConstantMemory.put`."""
    size = f.load(I32, m.address("bytes"), k << 2).zext(I64)
    room, available, address = (size + (ALIGNMENT - 1)) & -ALIGNMENT, b.get("constants_room"), b.get("constants_at")
    leave(f, room > available, Code.MEMORY)
    f.call(PTR, "memcpy", address.as_pointer(), f.at(row, f.load(I32, m.address("constants"), k << 2).zext(I64)), size)
    b.set("constants_at", address + room)
    b.set("constants_room", available - room)
    slot = f.load(I32, m.address("slot"), k << 2).zext(I64) * ctypes.sizeof(ConstantSlot)
    c = Record(f, f.at(b.address("constants"), slot), ConstantSlot)
    c.set("address", address)
    c.set("size", size.trunc(I32))
    c.set("room", room.trunc(I32))
    c.set("is_native", f.const(I32, 1))
    clock = b.get("clock")
    now = f.load(I64, clock, 0, 8) + 1
    f.store(now, clock, 0, 8)
    f.store(now, f.at(b.pointer, BoundRecord.constant_revision.offset), f.load(I32, m.address("stage"), k << 2) << 3, 8)
