"""Generated code that records a call of any method, by writing the Python objects of its arguments as words.

The words are those of `Encoder.call`: CALL or STATE, with DATA before it. Numbers, sequences, mappings, bytes and arrays are read in place;
the words of handles, names and members of enumerations are looked up (`backends.device.commands.known_objects`). A call with any other
value is left to Python, which records it and adds its words to the table.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_uint64

from backends.device.calls.table import OBJECT_BIT, STATE_BIT
from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.client import MAX_WORDS
from backends.device.commands.known_objects import CLASS, MIX, WordsSlot
from backends.device.commands.layout import INLINE, MORE, MOST_DEPTH, MOST_PIECE, WORD, Command, Tag, header
from backends.entries.python_table import (
    BUFFER_AXES,
    BUFFER_DATA,
    BUFFER_FORMAT,
    BUFFER_LENGTH,
    BUFFER_SHAPE,
    BUFFER_SIZE,
    BYTES_DATA,
    FLOAT_VALUE,
    LIST_ITEMS,
    OBJECT_TYPE,
    SIZE,
    PythonTable,
)
from backends.entries.recording import lacks_room
from backends.llvm.builder.function import I8, I32, I64, PTR, Function, Module, Type, Val
from backends.llvm.builder.record import Record

_HEAD = 3 * WORD  # header, method, result
_SCRATCH = 2048  # bytes of the words of a call, in front of which DATA may stand
_MOST_ITEMS = _SCRATCH // WORD
_MOST_AXES = 4
_WHOLE_ITEMS = 0x3C  # PyBUF_C_CONTIGUOUS | PyBUF_FORMAT
_SIZES = {
    "i1": "b",
    "i2": "h",
    "i4": "i",
    "i8": "lq",
    "u1": "B",
    "u2": "H",
    "u4": "I",
    "u8": "LQ",
    "b1": "?",
    "f2": "e",
    "f4": "f",
    "f8": "d",
}
_TYPES = {letter: ("|" if kind[1] == "1" else "<") + kind for kind, letters in _SIZES.items() for letter in letters}
"""Formats of items of buffers, as the texts by which `array_types` names the types of numpy."""


class Writing(ctypes.Structure):
    """A call that is being written. at, end: the scratch memory of its words. data_at: after the DATA commands so far."""

    _fields_ = [("at", c_uint64), ("end", c_uint64), ("data_at", c_uint64), ("blocks", c_int32), ("pad", c_int32)]


class _Words:
    """Writer of a call's words, in a function under construction that returns 0 if they cannot be written."""

    def __init__(self, f: Function, writing: Val) -> None:
        self.f, self.writing = f, Record(f, writing, Writing)

    def need(self, size: Val | int) -> None:
        """Return 0 from the function unless `size` bytes (i64) are free."""
        f = self.f
        with f.leaving(self.writing.get("at") + size > self.writing.get("end")):
            f.ret(f.const(I32, 0))

    def put(self, *words: Val | int) -> None:
        """Add words (i32)."""
        f, at = self.f, self.writing.get("at")
        self.need(WORD * len(words))
        for place, word in enumerate(words):
            f.store(f.const(I32, word), at.as_pointer(), WORD * place, WORD)
        self.writing.set("at", at + WORD * len(words))

    def tag(self, tag: Tag | Val, small: Val) -> None:
        """Add a tag with a small number (i32)."""
        self.put((small << 8) | (tag if isinstance(tag, Val) else int(tag)))

    def copy(self, source: Val, size: Val) -> None:
        """Add bytes, padded with zeros to whole words. size: i64."""
        f, at, padded = self.f, self.writing.get("at"), _padded(size)
        self.need(padded)
        with f.if_(size.ne(padded)):
            f.store(f.const(I32, 0), (at + padded - WORD).as_pointer(), 0, 1)
        f.call(PTR, "memcpy", at.as_pointer(), source, size)
        self.writing.set("at", at + padded)

    def done(self) -> None:
        """Return 1 from the function, for success."""
        self.f.ret(self.f.const(I32, 1))


def build_call_words(module: Module) -> None:
    """write_call(record, python, arguments, count, names, method) -> size of the command written at `recorded_at`, 0: Python must write it.

    `recorded_at` does not advance. method: number of the method, perhaps with STATE_BIT or OBJECT_BIT.
    """
    _build_known_words(module)
    _build_write_data(module)
    _build_write_bytes(module)
    _build_write_array(module)
    _build_write_map(module)
    _build_write_value(module)
    _build_write_call(module)


def _padded(size: Val) -> Val:
    return (size + (WORD - 1)) & -WORD


def _internal(module: Module, name: str, *params: Type, returns: Type = I32) -> Function:
    return Function(module, name, params, returns, shared=True, internal=True)


def _build_known_words(module: Module) -> None:
    """known_words(record, object) -> address (i64) of its block, 0 if it is unknown."""
    f = _internal(module, "known_words", PTR, I64, returns=I64)
    b, thing = Record(f, f.args[0], BoundRecord), f.args[1]
    slots, mask = b.get("recorded_words").as_pointer(), b.get("recorded_words_mask")
    place = f.var(I32, (thing * (MIX - (1 << 64))).lshr(32).trunc(I32) & mask)
    with f.loop() as probe:
        slot = Record(f, f.at(slots, place.get().zext(I64) * ctypes.sizeof(WordsSlot)), WordsSlot)
        found = slot.get("object")
        with f.leaving(found.eq(thing)):
            f.ret(slot.get("words"))
        probe.break_if(found.eq(0))
        place.set((place.get() + 1) & mask)
    f.ret(f.const(I64, 0))


def _build_write_data(module: Module) -> None:
    """write_data(record, writing, bytes, size): a block of DATA, and its tag among the words."""
    f = _internal(module, "write_data", PTR, PTR, PTR, I64)
    record, writing, data, size = f.args
    b, w = Record(f, record, BoundRecord), _Words(f, writing)
    pieces = (size + (MOST_PIECE - 1)).udiv(MOST_PIECE)
    needed = _padded(size) + pieces * (2 * WORD) + _SCRATCH
    with f.if_(w.writing.get("data_at").eq(b.get("recorded_at"))):
        with f.leaving(lacks_room(b, needed)):
            f.ret(f.const(I32, 0))
        w.writing.set("data_at", b.get("recorded_at"))  # earlier commands may have gone to the file
    with f.leaving(w.writing.get("data_at") + needed > b.get("recorded_end")):
        f.ret(f.const(I32, 0))
    at, begin = f.var(I64, w.writing.get("data_at")), f.var(I64, 0)
    with f.loop() as loop:
        left = size - begin.get()
        piece = f.min(left, f.const(I64, MOST_PIECE))
        words = _padded(piece).lshr(2).trunc(I32)
        f.store(((words + 1) << 16) | int(Command.DATA), at.get().as_pointer(), 0, WORD)
        f.store(piece.trunc(I32) | f.select(left > MOST_PIECE, f.const(I32, MORE), 0), at.get().as_pointer(), WORD, WORD)
        with f.if_(words > 0):
            f.store(f.const(I32, 0), (at.get() + 2 * WORD + _padded(piece) - WORD).as_pointer(), 0, WORD)
        f.call(None, "copy_data", record, (at.get() + 2 * WORD).as_pointer(), f.at(data, begin.get()), piece)
        at.set(at.get() + 2 * WORD + _padded(piece))
        begin.set(begin.get() + piece)
        loop.break_if(begin.get() >= size)
    blocks = w.writing.get("blocks")
    w.tag(Tag.DATA, blocks)
    w.writing.set("blocks", blocks + 1)
    w.writing.set("data_at", at.get())
    w.done()


def _build_write_bytes(module: Module) -> None:
    """write_bytes(record, writing, bytes, size)."""
    f = _internal(module, "write_bytes", PTR, PTR, PTR, I64)
    record, writing, data, size = f.args
    with f.leaving(size > INLINE):
        f.ret(f.call(I32, "write_data", record, writing, data, size))
    w = _Words(f, writing)
    w.tag(Tag.BYTES, size.trunc(I32))
    w.copy(data, size)
    w.done()


def _build_write_array(module: Module) -> None:
    """write_array(record, python, writing, array): whole items of a plain type, in C's order."""
    f = _internal(module, "write_array", PTR, PTR, PTR, I64)
    record, table, writing, thing = f.args
    python, w = Record(f, table, PythonTable), _Words(f, writing)
    view = f.alloca(f"[{BUFFER_SIZE} x i8]", 16)
    got = f.call_pointer(I32, python.get("get_buffer").as_pointer(), thing.as_pointer(), view, f.const(I32, _WHOLE_ITEMS))
    with f.leaving(got.ne(0)):
        f.call_pointer(None, python.get("clear_error").as_pointer())
        f.ret(f.const(I32, 0))
    f_at, axes = f.load(I64, view, BUFFER_FORMAT, 8).as_pointer(), f.load(I32, view, BUFFER_AXES)
    letters = f.load(I8, f_at, 0, 1).zext(I32), f.load(I8, f_at, 1, 1).zext(I32)
    numbers = [int.from_bytes(_TYPES.get(chr(letter), "").encode(), "little") for letter in range(128)]
    text = f.load(I32, f.value(PTR, module.constant("item_types", I32, numbers)), (letters[0] & 127) << 2)
    written = f.var(I32, 0)
    is_plain = (letters[0] < 128) & letters[1].eq(0) & text.ne(0) & (axes > 0) & (axes <= _MOST_AXES)
    with f.if_(is_plain & (w.writing.get("at") + WORD * (_MOST_AXES + 3) <= w.writing.get("end"))):
        at = w.writing.get("at")
        f.store((axes << 8) | int(Tag.ARRAY), at.as_pointer(), 0, WORD)
        end = f.var(I64, at + WORD)
        fits = f.var(I32, 1)
        shape = f.load(I64, view, BUFFER_SHAPE, 8).as_pointer()
        with f.range(0, axes) as axis:
            length = f.load(I64, shape, axis << 3, 8)
            fits.set(f.select(length.ne(length.trunc(I32).zext(I64) & 0x7FFFFFFF), 0, fits.get()))
            f.store(length.trunc(I32), end.get().as_pointer(), 0, WORD)
            end.set(end.get() + WORD)
        f.store(f.const(I32, int(Tag.TEXT) | 3 << 8), end.get().as_pointer(), 0, WORD)
        f.store(text, end.get().as_pointer(), WORD, WORD)
        w.writing.set("at", end.get() + 2 * WORD)
        with f.if_(fits.get().ne(0)):
            data, size = f.load(I64, view, BUFFER_DATA, 8).as_pointer(), f.load(I64, view, BUFFER_LENGTH, 8)
            written.set(f.call(I32, "write_bytes", record, writing, data, size))
    f.call_pointer(None, python.get("release_buffer").as_pointer(), view)
    f.ret(written.get())


def _build_write_map(module: Module) -> None:
    """write_map(record, python, writing, dict, depth): keys are texts."""
    f = _internal(module, "write_map", PTR, PTR, PTR, I64, I32)
    record, table, writing, thing, depth = f.args
    python, w = Record(f, table, PythonTable), _Words(f, writing)
    count = f.call_pointer(I64, python.get("dict_size").as_pointer(), thing.as_pointer())
    with f.leaving(count > _MOST_ITEMS):
        f.ret(f.const(I32, 0))
    w.tag(Tag.MAP, count.trunc(I32))
    place, pair = f.alloca("i64"), f.alloca("[2 x i64]")
    f.store(f.const(I64, 0), place, 0, 8)
    step = thing.as_pointer(), place, pair, f.at(pair, 8)
    with f.loop() as loop:
        loop.break_if(f.call_pointer(I32, python.get("dict_next").as_pointer(), *step).eq(0))
        key = f.load(I64, pair, 0, 8)
        with f.leaving(f.load(I64, key.as_pointer(), OBJECT_TYPE, 8).ne(python.get("text_type"))):
            f.ret(f.const(I32, 0))
        for item in (key, f.load(I64, pair, 8, 8)):
            _write(f, record, table, writing, item, depth + 1)
    w.done()


def _write(f: Function, record: Val, python: Val, writing: Val, thing: Val, depth: Val) -> None:
    """Write a value, or return 0 from the function."""
    with f.leaving(f.call(I32, "write_value", record, python, writing, thing, depth).eq(0)):
        f.ret(f.const(I32, 0))


def _build_write_value(module: Module) -> None:
    """write_value(record, python, writing, object, depth) -> 1, or 0 for an object whose words are not known."""
    f = _internal(module, "write_value", PTR, PTR, PTR, I64, I32)
    record, table, writing, thing, depth = f.args
    python, w = Record(f, table, PythonTable), _Words(f, writing)
    with f.leaving(thing.eq(0) | (depth > MOST_DEPTH)):
        f.ret(f.const(I32, 0))
    for name, tag in (("none", Tag.NONE), ("true", Tag.TRUE), ("false", Tag.FALSE)):
        with f.leaving(thing.eq(python.get(name))):
            w.put(tag)
            w.done()
    kind = f.load(I64, thing.as_pointer(), OBJECT_TYPE, 8)
    with f.leaving(kind.eq(python.get("long_type"))):
        _write_integer(f, python, w, thing)
    with f.leaving(kind.eq(python.get("float_type"))):
        w.put(Tag.FLOAT, *(f.load(I32, thing.as_pointer(), FLOAT_VALUE + half) for half in (0, WORD)))
        w.done()
    is_list = kind.eq(python.get("list_type"))
    with f.leaving(is_list | kind.eq(python.get("tuple_type"))):
        size = f.load(I64, thing.as_pointer(), SIZE, 8)
        with f.leaving(size > _MOST_ITEMS):
            f.ret(f.const(I32, 0))
        items = f.var(I64, thing + python.get("items"))
        with f.if_(is_list):
            items.set(f.load(I64, thing.as_pointer(), LIST_ITEMS, 8))
        w.tag(f.select(is_list, f.const(I32, int(Tag.LIST)), int(Tag.TUPLE)), size.trunc(I32))
        with f.range(0, size.trunc(I32)) as k:
            _write(f, record, table, writing, f.load(I64, items.get().as_pointer(), k << 3, 8), depth + 1)
        w.done()
    with f.leaving(kind.eq(python.get("dict_type"))):
        f.ret(f.call(I32, "write_map", record, table, writing, thing, depth))
    with f.leaving(kind.eq(python.get("bytes_type"))):
        f.ret(f.call(I32, "write_bytes", record, writing, (thing + BYTES_DATA).as_pointer(), f.load(I64, thing.as_pointer(), SIZE, 8)))
    with f.leaving(kind.eq(python.get("array_type"))):
        f.ret(f.call(I32, "write_array", record, table, writing, thing))
    _write_known(f, record, table, writing, w, thing, kind, depth)


def _write_integer(f: Function, python: Record, w: _Words, thing: Val) -> None:
    overflow = f.alloca("i32")
    value = f.call_pointer(I64, python.get("as_long").as_pointer(), thing.as_pointer(), overflow)
    with f.leaving(f.load(I32, overflow).ne(0)):
        f.ret(f.const(I32, 0))
    low = value.trunc(I32)
    with f.else_of(low.sext(I64).eq(value)) as otherwise:
        w.put(Tag.INT, low)
        otherwise()
        w.put(Tag.LONG, low, value.lshr(32).trunc(I32))
    w.done()


def _write_known(f: Function, record: Val, table: Val, writing: Val, w: _Words, thing: Val, kind: Val, depth: Val) -> None:
    """An object with known words, or a record of a known class."""
    block = f.call(I64, "known_words", record, thing)
    with f.leaving(block.ne(0)):
        count = f.load(I32, block.as_pointer())
        with f.leaving(count <= 0):  # it is gone, or a class itself
            f.ret(f.const(I32, 0))
        w.copy((block + WORD).as_pointer(), count.zext(I64) << 2)
        w.done()
    fields = f.call(I64, "known_words", record, kind)
    with f.leaving(fields.eq(0)):
        f.ret(f.const(I32, 0))
    count = f.load(I32, fields.as_pointer())
    with f.leaving(count >= 0):
        f.ret(f.const(I32, 0))
    w.tag(Tag.RECORD, f.load(I32, fields.as_pointer(), WORD))
    with f.range(0, count & (CLASS - 1)) as k:
        offset = f.load(I32, fields.as_pointer(), (k << 2) + 2 * WORD)
        _write(f, record, table, writing, f.load(I64, thing.as_pointer(), offset, 8), depth + 1)
    w.done()


def _build_write_call(module: Module) -> None:
    f = _internal(module, "write_call", PTR, PTR, PTR, I64, I64, I32, returns=I64)
    record, table, arguments, count, names, method = f.args
    b, python, none = Record(f, record, BoundRecord), Record(f, table, PythonTable), f.const(I64, 0)
    with f.leaving(b.get("records_calls").eq(0) | lacks_room(b, f.const(I64, _SCRATCH))):
        f.ret(none)
    scratch, writing = f.alloca(f"[{_SCRATCH} x i8]"), f.alloca(f"[{ctypes.sizeof(Writing)} x i8]")
    w = Record(f, writing, Writing)
    begin = scratch.as_address()
    for name, value in (("at", begin + _HEAD), ("end", begin + _SCRATCH), ("data_at", b.get("recorded_at")), ("blocks", f.const(I32, 0))):
        w.set(name, value)
    keywords = f.var(I64, 0)
    with f.if_(names.ne(0)):
        keywords.set(f.load(I64, names.as_pointer(), SIZE, 8))
    with f.leaving(count + keywords.get() > _MOST_ITEMS // 4):
        f.ret(none)

    def put(tag: Tag, number: Val) -> None:
        at = w.get("at")
        f.store((number.trunc(I32) << 8) | int(tag), at.as_pointer(), 0, WORD)
        w.set("at", at + WORD)

    def write(thing: Val) -> None:
        with f.leaving(f.call(I32, "write_value", record, table, writing, thing, f.const(I32, 1)).eq(0)):
            f.ret(none)

    put(Tag.TUPLE, count)
    with f.range(0, count.trunc(I32)) as k:
        write(f.load(I64, arguments, k << 3, 8))
    with f.leaving(w.get("at") + WORD > w.get("end")):
        f.ret(none)
    put(Tag.MAP, keywords.get())
    with f.range(0, keywords.get().trunc(I32)) as k:
        write(f.load(I64, names.as_pointer(), (k << 3).zext(I64) + python.get("items"), 8))
        write(f.load(I64, arguments, (count + k.zext(I64)) << 3, 8))
    size = w.get("at") - begin
    words = size.lshr(2).trunc(I32) - 1
    is_state = (method & STATE_BIT).ne(0) & w.get("blocks").eq(0) & (words < MAX_WORDS)
    command = f.select(is_state, f.const(I32, header(Command.STATE, 0)), header(Command.CALL, 0))
    f.store(command | (words << 16), scratch, 0, WORD)
    f.store(method & (STATE_BIT - 1), scratch, WORD, WORD)
    f.store(f.select((method & OBJECT_BIT).ne(0), b.get("recorded_next"), 0), scratch, 2 * WORD, WORD)
    place = w.get("data_at")
    f.call(PTR, "memcpy", place.as_pointer(), scratch, size)
    b.set("recorded_call", place)
    f.ret(place + size - b.get("recorded_at"))
