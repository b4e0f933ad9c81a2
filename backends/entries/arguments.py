"""Steps that native entries share: finding the record, known objects, integers, and the call of the Python method."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from backends.device.calls.arguments import REQUIRED
from backends.device.calls.table import CALLS, RECORDED_ALONE
from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.known_objects import MIX, Kind, KnownSlot
from backends.entries.names import KEYWORDS
from backends.entries.python_table import BUFFER_DATA, BUFFER_LENGTH, BUFFER_SIZE, BYTES_DATA, LIST_ITEMS, OBJECT_TYPE, SIZE, PythonTable
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.builder.values import Var

CALL_RECORDED = "call_recorded"
_MOST_ARGUMENTS = 62


class Entry:
    """An entry that is being written: PyCFunctionFastWithKeywords. All Python objects are i64 addresses.

    Attributes:
        record: the context's BoundRecord.
        python: the PythonTable.
        records: the context is observed.
        recorded_as: number under which generated code records the call, even if Python carries it out (see RECORDED_ALONE); 0: Python
            records it.
        count: number of positional arguments.
        keywords: number of arguments by keyword.
        method: its name.
    """

    def __init__(self, module: Module, name: str, number: int, slot_offset: int, *, records: bool = False) -> None:
        """records: the context is observed, and the entry appends the call to its recording."""
        self.records = records
        self.recorded_as = RECORDED_ALONE.get(name, 0)
        self._written: Val | None = None
        self.f = f = Function(module, name, [PTR, PTR, I64, I64], I64, shared=True)
        self._self, self._arguments, self.count, self._names = f.args
        self._number, self.method = number, name
        holder = f.load(I64, self._self, slot_offset, 8)
        with f.leaving(holder.eq(0)):
            f.ret(f.const(I64, 0))
        self.record = Record(f, f.load(PTR, holder.as_pointer(), BYTES_DATA, 8), BoundRecord)
        self.python = Record(f, f.load(PTR, self.record.get("python").as_pointer(), 0, 8), PythonTable)
        keywords = f.var(I64, 0)
        with f.if_(self._names.ne(0)):
            keywords.set(f.load(I64, self._names.as_pointer(), SIZE, 8))
        self.keywords = keywords.get()

    def enter(self, *, has_own_words: bool = False) -> None:
        """Leave the call to the Python method if another thread is in the context, or if the call cannot be recorded.

        has_own_words: the entry records its own command.
        """
        f, owner = self.f, self.record.get("owner")
        with f.if_(owner.ne(0)):
            self.fall_back(owner.ne(f.call_pointer(I64, self.python.get("thread").as_pointer())))
        if not self.records or has_own_words:
            return
        if not self.recorded_as:  # a read, which histories do not record
            self.fall_back(self.record.get("records_calls").eq(0) | self.record.get("recorded_end").eq(0))
            return
        self._written = self.write_call(self.recorded_as)

    def write_call(self, method: int) -> Val:
        """Write the call as values before it is carried out, without adding it to the recording; or leave it to Python.

        Returns the size, for `append`.
        """
        arguments = self._arguments, self.count, self._names, self.f.const(I32, method)
        size = self.f.call(I64, "write_call", self.record.pointer, self.python.pointer, *arguments)
        self.fall_back(size.eq(0))
        return size

    def append(self, size: Val) -> None:
        """Add the written call to the recording, after it was carried out."""
        self.record.set("recorded_at", self.record.get("recorded_at") + size)
        self.record.set("recorded_constants", self.f.const(I64, 0))

    def fall_back(self, condition: Val, recorded_as: int | None = None) -> None:
        """Leave the call to the Python method if the condition holds."""
        with self.f.leaving(condition):
            self.leave(recorded_as)

    def leave(self, recorded_as: int | None = None) -> None:
        """Return the result of the Python method. recorded_as: replaces the entry's number; None keeps it."""
        number = self.recorded_as if recorded_as is None else recorded_as
        self.f.ret(self._call(self._of_table("fallbacks"), self._of_table("guarded"), number))

    def call_plain(self) -> Val:
        """The result of the variant of the Python method that does not record; 0 if it raised an error."""
        plain = self._of_table("plain")
        return self._call(plain, plain, 0)

    def _of_table(self, name: str) -> Val:
        return self.python.get(name, self._number)

    def _call(self, plain: Val, guarded: Val, method: int) -> Val:
        more = (self._of_table("plain"), self.f.const(I32, method)) if self.records else ()
        arguments = (self._self, self._arguments, self.count, self._names)
        return self.f.call(I64, "fall_back", *arguments, plain, guarded, self.record.pointer, *more)

    def argument(self, number: Val | int) -> Val:
        """An argument; those by keyword follow the positional ones."""
        f = self.f
        return f.load(I64, self._arguments, 8 * number if isinstance(number, int) else number << 3, 8)

    def keyword(self, number: Val) -> Val:
        """The name of an argument by keyword."""
        return self.f.load(I64, self._names.as_pointer(), (number << 3) + self.python.get("items"), 8)

    def name(self, name: str) -> Val:
        """The interned name of an argument."""
        return self.python.get("names", KEYWORDS.index(name))

    def known(self, thing: Val, kind: Kind) -> Val:
        """The value of a known object, or 0."""
        return self.f.call(I64, "known", self.record.pointer, thing, self.f.const(I32, int(kind)))

    def integer(self, thing: Val, least: int, most: int) -> Val:
        """An exact int as i64. Everything else, and numbers outside of `least` to `most`, fall back to the Python method."""
        f = self.f
        self.fall_back(f.load(I64, thing.as_pointer(), OBJECT_TYPE, 8).ne(self.python.get("long_type")))
        overflow = f.alloca("i32")
        value = f.call_pointer(I64, self.python.get("as_long").as_pointer(), thing.as_pointer(), overflow)
        self.fall_back(f.load(I32, overflow).ne(0) | (value < least) | (value > most))
        return value

    def truth(self, thing: Val) -> Val:
        """True as 1 and False as 0 (i64). Everything else is left to the Python method."""
        is_true = thing.eq(self.python.get("true"))
        self.fall_back(~(is_true | thing.eq(self.python.get("false"))))
        return is_true.zext(I64)

    def bytes_of(self, thing: Val, *, is_written: bool = False) -> tuple[Val, Val, Val]:
        """Memory of bytes or an array: the view, which has to be released, the address and the length (i64 both)."""
        f, python = self.f, self.python
        view = f.alloca(f"[{BUFFER_SIZE} x i8]", 16)
        got = f.call_pointer(I32, python.get("get_buffer").as_pointer(), thing.as_pointer(), view, f.const(I32, int(is_written)))
        with f.leaving(got.ne(0)):
            f.call_pointer(None, python.get("clear_error").as_pointer())
            self.leave()
        return view, f.load(I64, view, BUFFER_DATA, 8), f.load(I64, view, BUFFER_LENGTH, 8)

    def release(self, view: Val) -> None:
        """Release a view of `bytes_of`."""
        self.f.call_pointer(None, self.python.get("release_buffer").as_pointer(), view)

    def items(self, thing: Val, least: int, most: int) -> tuple[Val, Val]:
        """Pointer to the items of a list or tuple, and their number (i32). Everything else is left to the Python method."""
        f, python = self.f, self.python
        kind = f.load(I64, thing.as_pointer(), OBJECT_TYPE, 8)
        is_list = kind.eq(python.get("list_type"))
        self.fall_back(~(is_list | kind.eq(python.get("tuple_type"))))
        size = f.load(I64, thing.as_pointer(), SIZE, 8)
        self.fall_back((size < least) | (size > most))
        items = f.var(I64, thing + python.get("items"))
        with f.if_(is_list):
            items.set(f.load(I64, thing.as_pointer(), LIST_ITEMS, 8))
        return items.get().as_pointer(), size.trunc(I32)

    def done(self, result: str = "none") -> None:
        """Return an object that lives as long as the process, by its name in the PythonTable. Now the call is recorded."""
        f, thing = self.f, self.python.get(result)
        if self._written is not None:
            self.append(self._written)
        f.call_pointer(None, self.python.get("take_reference").as_pointer(), thing.as_pointer())
        f.ret(thing)


class Taken:
    """Arguments of a call, in the form of its row. Anything else falls back to the Python method."""

    def __init__(self, entry: Entry) -> None:
        self._entry, self._row = entry, CALLS[entry.method]
        self._takers: dict[str, Callable[[Val], None]] = {}

    def by(self, name: str, take: Callable[[Val], None]) -> None:
        """Hand an argument to a function, if it is given."""
        self._takers[name] = take

    def known(self, name: str, kind: Kind, *, or_none: bool = False) -> Var:
        """The value of a known object (i64), 0 if it is not given. or_none: None is 0, too."""
        entry, value = self._entry, self._entry.f.var(I64, 0)

        def take(thing: Val) -> None:
            value.set(entry.known(thing, kind))
            is_none = thing.eq(entry.python.get("none")) if or_none else entry.f.const(I32, 0).ne(0)
            entry.fall_back(value.get().eq(0) & ~is_none)

        self.by(name, take)
        return value

    def integer(self, name: str, most: int | None = None) -> Var:
        """An integer (i64) in the range of the row, or up to `most`; the default of the row if it is not given."""
        argument = self._row.arguments[name]
        number = self._entry.f.var(I64, argument.default)
        self.by(name, lambda thing: number.set(self._entry.integer(thing, argument.low, argument.high if most is None else most)))
        return number

    def given(self, name: str) -> Var:
        """The argument itself (i64), 0 if it is not given."""
        number = self._entry.f.var(I64, 0)
        self.by(name, number.set)
        return number

    def truth(self, name: str) -> Var:
        """True or False as 1 or 0 (i64)."""
        entry = self._entry
        truth = entry.f.var(I64, int(self._row.arguments[name].default))
        self.by(name, lambda thing: truth.set(entry.truth(thing)))
        return truth

    def parse(self) -> None:
        """Take all arguments."""
        entry, row, takers = self._entry, self._row, self._takers
        f, positional = entry.f, [name for name in row.positional if name in takers]
        needed = sum(row.arguments[name].default is REQUIRED for name in positional)
        named = [name for name in takers if name in row.keywords or name in positional[needed:]]
        entry.fall_back((entry.count < needed) | (entry.count > len(positional)) | (entry.keywords > len(named)))
        for number, name in enumerate(positional):
            if number < needed:
                takers[name](entry.argument(number))
                continue
            with f.if_(entry.count > number):
                takers[name](entry.argument(number))
        if named:
            with f.range(0, entry.keywords.trunc(I32)) as k:
                self._take_named(entry.keyword(k.zext(I64)), entry.argument(entry.count + k.zext(I64)), named)

    def _take_named(self, name: Val, thing: Val, rest: Sequence[str]) -> None:
        entry, first, places = self._entry, rest[0], list(self._row.positional)
        is_it = name.eq(entry.name(first))
        if first in places:
            is_it = is_it & (entry.count <= places.index(first))
        if len(rest) == 1:
            entry.fall_back(~is_it)
            self._takers[first](thing)
            return
        with entry.f.else_of(is_it) as others:
            self._takers[first](thing)
            others()
            self._take_named(name, thing, rest[1:])


def call_alone(record: Record, python: Record, functions: tuple[Val, Val], arguments: Val, count: Val, names: Val) -> Val:
    """Result of a method, as i64, which is called while its thread is the owner of the context.

    functions: the method, and a variant that claims the context itself. The variant is called if another thread is in the context, or if
    the end of the method must be noticed.
    """
    f, (plain, guarded) = record.f, functions
    owner, me = record.get("owner"), f.call_pointer(I64, python.get("thread").as_pointer())
    is_free = owner.eq(0) & record.get("has_listener").eq(0)
    function = f.select(is_free | owner.eq(me), plain, guarded)
    with f.if_(is_free):
        record.set("owner", me)
    result = f.call_pointer(I64, python.get("vectorcall").as_pointer(), function.as_pointer(), arguments, count, names.as_pointer())
    with f.if_(is_free):
        record.set("owner", f.const(I64, 0))
    return result


def build_common(module: Module, *, records: bool = False) -> None:
    """fall_back(...) and known(record, object, kind), which all entries call. records: for observed contexts."""
    more = [I64, I32] if records else []
    f = Function(module, "fall_back", [PTR, PTR, I64, I64, I64, I64, PTR, *more], I64, shared=True, internal=True)
    this, arguments, count, names, plain, guarded, record = f.args[:7]
    b = Record(f, record, BoundRecord)
    python = Record(f, f.load(PTR, b.get("python").as_pointer(), 0, 8), PythonTable)
    total = f.var(I64, count)
    with f.if_(names.ne(0)):
        total.set(count + f.load(I64, names.as_pointer(), SIZE, 8))
    with f.leaving(total.get() > _MOST_ARGUMENTS):
        f.call_pointer(I32, python.get("bad_argument").as_pointer())
        f.ret(f.const(I64, 0))
    stack = f.alloca(f"[{_MOST_ARGUMENTS + 2} x i64]")
    f.store(this, stack, 0, 8)
    with f.range(0, total.get().trunc(I32)) as k:
        f.store(f.load(I64, arguments, k << 3, 8), f.at(stack, k << 3), 8, 8)
    if records:
        f.ret(f.call(I64, CALL_RECORDED, record, python.pointer, plain, guarded, stack, count + 1, names, *f.args[7:]))
    else:
        f.ret(call_alone(b, python, (plain, guarded), stack, count + 1, names))

    f = Function(module, "known", [PTR, I64, I32], I64, shared=True, internal=True)
    record, thing, kind = f.args
    b = Record(f, record, BoundRecord)
    slots, mask = b.get("known").as_pointer(), b.get("known_mask")
    place = f.var(I32, (thing * (MIX - (1 << 64))).lshr(32).trunc(I32) & mask)
    with f.loop() as probe:
        slot = Record(f, f.at(slots, place.get().zext(I64) * ctypes.sizeof(KnownSlot)), KnownSlot)
        stored = slot.get("object")
        with f.leaving(stored.eq(thing) & slot.get("kind").eq(kind)):
            end, is_over = slot.get("end"), f.var(I32, f.load(I32, slot.get("gone").as_pointer()))
            with f.if_(end.ne(0)):
                is_over.set(is_over.get() | f.load(I32, end.as_pointer()))
            f.ret(f.select(is_over.get().eq(0), slot.get("value"), 0))
        probe.break_if(stored.eq(0))
        place.set((place.get() + 1) & mask)
    f.ret(f.const(I64, 0))
