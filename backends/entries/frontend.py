"""C functions of a frontend of Gallium: what its clients call thousands of times, without Python where state is known.

Each function looks up the state of the calling thread's context and does its work on the bound record; everything that Python has to look
at goes to the fallback of the same arguments. `frontend_records` has the memory, `tgsi.native` the public interface.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence

from backends.device.commands.bound_record import BoundRecord, DrawCall
from backends.device.commands.constant_memory import MAX_BYTES
from backends.entries.frontend_records import (
    DRAWS,
    MOST_FUNCTIONS,
    NOTED,
    NOTES,
    PLACES,
    STAGES,
    SYMBOL,
    THREADS,
    VERTICES,
    Block,
    FrontendState,
    FrontendTable,
    Place,
    Uniforms,
)
from backends.entries.setters import carry_out, copy_constants, hinders, put_constants, put_index_buffer, room_of
from backends.llvm.builder.function import F32, F64, I8, I32, I64, PTR, Function, Module, Type, Val
from backends.llvm.builder.record import Record
from tgsi.language.record import record

LETTERS: Mapping[str, Type] = {"i": I32, "I": I32, "B": I32, "C": I32, "f": F32, "d": F64, "p": PTR, "q": I64}
"""Types of arguments and results; `B` and `C` are bytes, of which `C` is a part of 255."""
_CALL = f"[{ctypes.sizeof(DrawCall) // 4} x i32]"
_UNSIGNED_BYTE = 0x1401  # GL_UNSIGNED_BYTE; short and int follow at distances of 2


@record
class Form:
    """An action of a function, by a name of FORMS; letters of its arguments and of its result ("" for none); a number for its form."""

    name: str
    arguments: str
    result: str = ""
    number: int = 0


class _Writer:
    """A function that is being written."""

    def __init__(self, module: Module, name: str, number: int, form: Form) -> None:
        self.form, self._number = form, number
        self.returns = LETTERS[form.result] if form.result else None
        self.f = f = Function(module, name, [LETTERS[letter] for letter in form.arguments], self.returns, shared=True)
        self.args: Sequence[Val] = f.args
        self.table = Record(f, f.call(PTR, SYMBOL), FrontendTable)
        thread = f.call_pointer(I64, self.table.get("thread").as_pointer())
        slot = (thread.lshr(12) & (THREADS - 1)) << 3
        state = f.load(I64, f.at(self.table.address("states"), slot), 0, 8)
        self.fall_back(state.eq(0))
        self.state = Record(f, state.as_pointer(), FrontendState)
        self.fall_back(self.state.get("thread").ne(thread))

    def fall_back(self, condition: Val) -> None:
        """Leave the call to Python if the condition holds."""
        with self.f.leaving(condition):
            self.leave()

    def leave(self) -> None:
        """Return what the fallback returns; nothing, or 0, if there is none any more."""
        f, target = self.f, self.table.get("fallbacks", self._number)
        with f.leaving(target.eq(0)):
            self.done()
        result = f.call_pointer(self.returns, target.as_pointer(), *self.args)
        f.ret() if self.returns is None else f.ret(result)

    def done(self, value: int = 0) -> None:
        """Return nothing, or a number."""
        f = self.f
        f.ret() if self.returns is None else f.ret(f.const(self.returns, value))

    def need(self, bit: int) -> None:
        """Leave the call to Python unless a part of the state is valid."""
        self.fall_back((self.state.get("valid") & bit).eq(0))

    def place(self) -> Record:
        """The place of the location in argument 0. Location -1 returns."""
        f, location = self.f, self.args[0]
        self.need(PLACES)
        with f.leaving(location.eq(-1)):
            self.done()
        self._uniforms = uniforms = Record(f, self.state.get("places").as_pointer(), Uniforms)
        self.fall_back((location < 0) | (location >= uniforms.get("count")))
        at = f.at(uniforms.pointer, location.zext(I64) * ctypes.sizeof(Place) + ctypes.sizeof(Uniforms))
        found = Record(f, at, Place)
        self.fall_back(found.get("kind").ne(self.form.number))
        return found

    def write(self, place: Record, put: Callable[[Val], object]) -> None:
        """Write values to both addresses of a place, and note the stages."""
        for number in range(2):
            address = place.get("addresses", number)
            with self.f.if_(address.ne(0)):
                put(address.as_pointer())
        self._uniforms.set("stale", self._uniforms.get("stale") | place.get("stages"))
        self.done()


def _noted(w: _Writer) -> None:
    """A binding of what is bound already: the argument `form.number // NOTED` is the noted value `form.number % NOTED`."""
    w.need(NOTES)
    w.fall_back(w.args[w.form.number // NOTED].zext(I64).ne(w.state.get("noted", w.form.number % NOTED)))
    w.done()


def _error(w: _Writer) -> None:
    """0 while Python holds no error."""
    w.fall_back(w.state.get("has_error").ne(0))
    w.done()


def _values(w: _Writer) -> None:
    """(location, values...)."""
    place, values = w.place(), w.args[1:]

    def put(at: Val) -> None:
        for k, value in enumerate(values):
            w.f.store(value, at, 4 * k, 4)

    w.write(place, put)


def _arrays(w: _Writer) -> None:
    """(location, count, address), and before the address a byte that says whether to transpose."""
    f, count, source = w.f, w.args[1], w.args[-1]
    if w.form.arguments[2] == "B":
        w.fall_back((w.args[2] & 0xFF).ne(0))
    place = w.place()
    w.fall_back((count < 1) | (count > place.get("most")) | source.as_address().eq(0))
    size = (count * place.get("bytes")).zext(I64)
    w.write(place, lambda at: f.call(PTR, "memcpy", at, source, size))


def _begin_draw(w: _Writer, mode: Val, count: Val) -> Record:
    """A DrawCall with mode and count."""
    f = w.f
    w.need(DRAWS)
    w.fall_back((mode < 0) | (mode > 31) | (count < 1))
    w.fall_back((w.state.get("modes").lshr(mode) & 1).eq(0))
    memory = f.alloca(_CALL)
    f.call(PTR, "memset", memory, f.const(I32, 0), f.const(I64, ctypes.sizeof(DrawCall)))
    call = Record(f, memory, DrawCall)
    call.set("mode", mode)
    call.set("count", count)
    call.set("restart_index", -1)
    call.set("instance_count", 1)
    return call


def _end_draw(w: _Writer, call: Record, offset: Val) -> None:
    """Draw, with Python's lock. offset (i64): of the first index."""
    f = w.f
    held = f.call_pointer(I32, w.table.get("ensure").as_pointer())
    code = f.call(I32, "frontend_draw", w.state.pointer, call.pointer, offset)
    f.call_pointer(None, w.table.get("release").as_pointer(), held)
    w.fall_back(code.ne(0))
    w.done()


def _take(w: _Writer, call: Record, names: Sequence[str], values: Sequence[Val]) -> None:
    for name, value in zip(names, values):
        if name == "instance_count":
            w.fall_back(value < 1)
        call.set(name, value)


def _draw_arrays(w: _Writer) -> None:
    """(mode, first, count[, instances[, base instance]])."""
    mode, first, count, *rest = w.args
    w.fall_back(first < 0)
    call = _begin_draw(w, mode, count)
    call.set("start", first)
    _take(w, call, ("instance_count", "start_instance"), rest)
    _end_draw(w, call, w.f.const(I64, 0))


_ORDERS = {0: (), 1: ("instance_count",), 2: ("index_bias",), 3: ("instance_count", "index_bias")}


def _draw_elements(w: _Writer) -> None:
    """(mode, count, type, offset, ...): what follows is _ORDERS[form.number % 4]; with 4 added, two numbers stand before the count."""
    f, args = w.f, list(w.args)
    if w.form.number & 4:
        w.fall_back(args[2].ult(args[1]))
        del args[1:3]
    mode, count, kind, offset, *rest = args
    shift = (kind - _UNSIGNED_BYTE).lshr(1)
    w.fall_back((kind & 1).eq(0) | (shift > 2) | (shift < 0))
    call, at = _begin_draw(w, mode, count), offset.as_address()
    w.fall_back(w.state.get("index_address").eq(0) | (at < 0) | (at >= w.state.get("index_bytes")))
    call.set("index_size", f.const(I32, 1) << shift)
    _take(w, call, _ORDERS[w.form.number & 3], rest)
    _end_draw(w, call, at)


_NORMALIZED = {"C": 255.0}
"""Letters of integers that are parts of a largest one."""
_FILL = (0.0, 0.0, 0.0, 1.0)


def _four(w: _Writer) -> list[Val]:
    """The arguments as four floats: numbers, or the address of some. Letter and count are in the form's number."""
    f, letter, count = w.f, chr(w.form.number >> 16), w.form.number & 0xFF
    if w.form.arguments == "p":
        source = w.args[0]
        w.fall_back(source.as_address().eq(0))
        type, size = {"f": (F32, 4), "d": (F64, 8), "C": (I8, 1)}[letter]
        values = [f.load(type, source, size * k, 1) for k in range(count)]
    else:
        values = list(w.args)
    if letter in _NORMALIZED:
        values = [(value.zext(I32) if value.type is I8 else value & 0xFF).cast("uitofp", F64) / _NORMALIZED[letter] for value in values]
    floats = [value.cast("fptrunc", F32) if value.type is F64 else value for value in values]
    return [*floats, *(f.const(F32, number) for number in _FILL[count:])]


def _attribute(w: _Writer) -> None:
    """An attribute of the open primitive, at the location in the form's number."""
    w.need(VERTICES)
    offset = w.state.get("columns", w.form.number >> 8 & 0xFF)
    w.fall_back(offset.eq(0))
    at = w.f.at(w.state.get("row").as_pointer(), offset.zext(I64))
    for k, value in enumerate(_four(w)):
        w.f.store(value, at, 4 * k, 4)
    w.done()


def _vertex(w: _Writer) -> None:
    """A vertex of the open primitive, with its attributes."""
    w.need(VERTICES)
    state, place = w.state, w.state.get("next_row")
    w.fall_back(place.eq(state.get("end_row")))
    row = state.get("row").as_pointer()
    for k, value in enumerate(_four(w)):
        w.f.store(value, row, 4 * k, 4)
    size = state.get("row_bytes")
    w.f.call(PTR, "memcpy", place.as_pointer(), row, size)
    state.set("next_row", place + size)
    w.done()


FORMS: Mapping[str, Callable[[_Writer], None]] = {
    "noted": _noted,
    "error": _error,
    "values": _values,
    "arrays": _arrays,
    "draw arrays": _draw_arrays,
    "draw elements": _draw_elements,
    "attribute": _attribute,
    "vertex": _vertex,
}
"""Actions of functions, by name."""


def build_frontend(module: Module, forms: Mapping[str, Form]) -> None:
    """One function for each form, at most MOST_FUNCTIONS."""
    assert len(forms) <= MOST_FUNCTIONS
    _build_draw(module)
    for number, (name, form) in enumerate(forms.items()):
        writer = _Writer(module, name, number, form)
        FORMS[form.name](writer)


def _build_draw(module: Module) -> None:
    """frontend_draw(state, call, offset of the indices) -> 0 if the draw was taken. Constants that are stale are uploaded before it."""
    f = Function(module, "frontend_draw", [PTR, PTR, I64], I32, shared=True, internal=True)
    state, call = Record(f, f.args[0], FrontendState), Record(f, f.args[1], DrawCall)
    b = Record(f, state.get("bound").as_pointer(), BoundRecord)
    refuses = b.get("owner").ne(0) | hinders(b) | b.get("executor").eq(0) | b.get("recording").ne(0)  # a recording needs the call
    with f.leaving(refuses):
        f.ret(f.const(I32, 1))
    uniforms = Record(f, state.get("places").as_pointer(), Uniforms)
    with f.if_(state.get("places").ne(0)):
        with f.if_(uniforms.get("stale").ne(0)):
            _upload(f, b, uniforms)
    with f.if_(call.get("index_size").ne(0)):
        put_index_buffer(b, (state.get("index_address"), state.get("index_bytes")), f.args[2])
    f.ret(carry_out(b, "draw_entry", call.pointer))


def _upload(f: Function, b: Record, uniforms: Record) -> None:
    """Upload the constants of stale stages; returns 1 from the function if they have no room."""
    with f.range(0, STAGES) as stage:
        bit = f.const(I32, 1) << stage
        with f.if_((uniforms.get("stale") & bit).ne(0)):
            block = Record(f, f.at(uniforms.address("blocks"), stage.zext(I64) * ctypes.sizeof(Block)), Block)
            size = block.get("size")
            room = room_of(size)
            with f.leaving(size.eq(0) | (size > MAX_BYTES) | (room > b.get("constants_room"))):
                f.ret(f.const(I32, 1))
            address = copy_constants(b, block.get("address").as_pointer(), size)
            shared = f.select((size & 3).ne(0), f.const(I64, 0), room).trunc(I32)
            put_constants(b, stage.zext(I64), f.const(I64, 0), address, size.trunc(I32), shared)
            uniforms.set("stale", uniforms.get("stale") & ~bit)
