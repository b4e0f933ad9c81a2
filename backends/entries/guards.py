"""The guard: one entry in front of all methods that have none. It lets one thread at a time into a context.

A guarded method is a builtin function that CPython binds as a method. Its own object is a tuple: the Python function, the function that
takes the context itself, the class of contexts, and the address of the PythonTable as bytes.
"""

from __future__ import annotations

from backends.device.commands.bound_record import BoundRecord
from backends.entries.arguments import call_alone
from backends.entries.names import GUARD
from backends.entries.python_table import BYTES_DATA, OBJECT_TYPE, PythonTable
from backends.llvm.builder.function import I32, I64, PTR, Function, Module
from backends.llvm.builder.record import Record


def build_guard(module: Module, slot_offset: int, items: int) -> None:
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
    f.ret(call_alone(record, python, (plain, guarded), arguments, count, names))
