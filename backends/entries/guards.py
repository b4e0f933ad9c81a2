"""The guard: one entry in front of all methods that have none. It lets one thread at a time into a context, and records calls.

A guarded method is a builtin function that CPython binds as a method. Its own object is a tuple: the Python function, its variant that
locks the context itself, the class of contexts, and the address of the PythonTable as bytes. In an observed context two more items follow:
the variant that does not record, and as bytes the number under which generated code records the call (`RECORDED_ALONE`).
"""

from __future__ import annotations

from backends.device.calls.table import OBJECT_BIT
from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.layout import RAISES, WORD, Command
from backends.entries.arguments import CALL_RECORDED, call_alone
from backends.entries.names import GUARD
from backends.entries.python_table import BYTES_DATA, OBJECT_TYPE, PythonTable
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record


def build_guard(module: Module, slot_offset: int, items: int, *, records: bool = False) -> None:
    """GUARD: PyCFunctionFastWithKeywords, whose first argument is the context. items: place of the first item in a tuple."""
    f = Function(module, GUARD, [PTR, PTR, I64, I64], I64, shared=True)
    parts, arguments, count, names = f.args
    plain, guarded, owner, table = (f.load(I64, parts, items + 8 * k, 8) for k in range(4))
    python = Record(f, f.load(PTR, table.as_pointer(), BYTES_DATA, 8), PythonTable)
    holder = f.var(I64, 0)
    with f.if_(count > 0):
        thing = f.load(I64, arguments, 0, 8)
        kind = f.load(I64, thing.as_pointer(), OBJECT_TYPE, 8)
        is_context = f.var(I32, 1)
        with f.if_(kind.ne(owner)):
            is_context.set(f.call_pointer(I32, python.get("is_subtype").as_pointer(), kind.as_pointer(), owner.as_pointer()))
        with f.if_(is_context.get().ne(0)):
            holder.set(f.load(I64, thing.as_pointer(), slot_offset, 8))
    with f.leaving(holder.get().eq(0)):
        f.ret(f.call_pointer(I64, python.get("vectorcall").as_pointer(), plain.as_pointer(), arguments, count, names.as_pointer()))
    record = Record(f, f.load(PTR, holder.get().as_pointer(), BYTES_DATA, 8), BoundRecord)
    if records:
        silent, number = (f.load(I64, parts, items + 8 * k, 8) for k in (4, 5))
        more = silent, f.load(I32, number.as_pointer(), BYTES_DATA)
        f.ret(f.call(I64, CALL_RECORDED, record.pointer, python.pointer, plain, guarded, arguments, count, names, *more))
        return
    f.ret(call_alone(record, python, (plain, guarded), arguments, count, names))


def build_call_recorded(module: Module) -> None:
    """call_recorded(record, python, function, its guarded variant, arguments, count, names, plain, method) -> the result of a method.

    Records the call, then has `plain`, which does not record, carry it out. If the words cannot be written, or `method` is 0, `function`
    carries it out and records it. arguments: the context is the first one.
    """
    f = Function(module, CALL_RECORDED, [PTR, PTR, I64, I64, PTR, I64, I64, I64, I32], I64, shared=True, internal=True)
    record, table, function, guarded, arguments, count, names, plain, method = f.args
    b, python = Record(f, record, BoundRecord), Record(f, table, PythonTable)
    size, owner = f.var(I64, 0), b.get("owner")
    with f.if_(method.ne(0) & b.get("has_listener").eq(0)):
        is_free = f.var(I32, owner.eq(0).zext(I32))
        with f.if_(owner.ne(0)):
            is_free.set(owner.eq(f.call_pointer(I64, python.get("thread").as_pointer())).zext(I32))
        with f.if_(is_free.get().ne(0)):
            size.set(f.call(I64, "write_call", record, table, f.at(arguments, 8), count - 1, names, method))
    with f.leaving(size.get().eq(0)):
        f.ret(call_alone(b, python, (function, guarded), arguments, count, names))
    first, recording, call = (b.get(name) for name in ("recorded_at", "recording", "recorded_call"))
    b.set("recorded_at", first + size.get())
    b.set("recorded_constants", f.const(I64, 0))
    b.set("recorded_end", f.const(I64, 0))
    b.set("is_inside_call", f.const(I32, 1))
    result = call_alone(b, python, (plain, plain), arguments, count, names)
    with f.if_(b.get("is_inside_call").ne(0) & b.get("recording").eq(recording)):
        b.set("is_inside_call", f.const(I32, 0))
        b.set("recorded_end", b.get("recorded_limit"))
        with f.if_(result.eq(0)):
            is_error = f.call_pointer(I32, python.get("is_error").as_pointer(), python.get("exception").as_pointer())
            is_kept = is_error.ne(0) & (method & OBJECT_BIT).eq(0)  # without a new object, nothing has changed
            _note_error(f, b, is_kept, call, first, size.get())
    f.ret(result)


def _note_error(f: Function, b: Record, is_kept: Val, call: Val, first: Val, size: Val) -> None:
    """Mark the recorded call as one that raised an error, or remove it from the recording if it was interrupted."""
    with f.if_(b.get("recorded_from").ule(first)):  # otherwise the call was already written to the file
        with f.else_of(is_kept) as otherwise:
            head = f.load(I32, call.as_pointer())
            f.store((head & ~255) | int(Command.CALL), call.as_pointer(), 0, WORD)
            f.store(f.load(I32, call.as_pointer(), WORD) | (RAISES << 16), call.as_pointer(), WORD, WORD)
            otherwise()
            with f.if_(b.get("recorded_at").eq(first + size)):
                b.set("recorded_at", first)
