"""Generated code: answers messages of a client without pending work, as long as these ask for buffers or fill them."""

from __future__ import annotations

from backends.device.commands.client import BUSY_WAIT, PUT2, PUT2_WORDS, REPLY, WAIT_WORDS, AnswerRecord, BufferSlot
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.software.reading.tables import build_find

_HEAD, _REPLY = 8, 4 * len(REPLY)
_WAIT, _PUT2 = (_HEAD + 4 * len(words.split()) for words in (WAIT_WORDS, PUT2_WORDS))


def build_answers(module: Module) -> None:
    """answer(record): take messages until one comes that is left to Python, or the connection ends or is interrupted.

    There must be no pending work: then no resource is busy, and any bytes may be written. Messages that Python would refuse are left to it.
    """
    build_find(module)
    _build_fetch(module)
    f = Function(module, "answer", [PTR], None, shared=True)
    record = f.args[0]
    r = Record(f, record, AnswerRecord)
    with f.loop():
        with f.leaving(f.call(I32, "fetch", record, f.const(I32, _HEAD)).eq(0)):
            f.ret()
        head = _unread(f, r)
        words, number = f.load(I32, head, 0, 1), f.load(I32, head, 4, 1)
        is_wait = number.eq(BUSY_WAIT) & words.eq((_WAIT - _HEAD) // 4)
        is_put = number.eq(PUT2) & words.eq((_PUT2 - _HEAD) // 4)
        with f.leaving(~(is_wait | is_put)):
            f.ret()
        size = f.select(is_wait, f.const(I32, _WAIT), _PUT2)
        with f.leaving(f.call(I32, "fetch", record, size).eq(0)):
            f.ret()
        marks = r.get("marks")
        f.store(f.load(I64, marks, 0, 8) + 1, marks, 0, 8)
        f.store(number.zext(I64), marks, 8, 8)
        body = f.at(_unread(f, r), _HEAD)
        with f.else_of(is_wait) as put:
            _reply(f, r, body)
            put()
            _put(f, r, body)
        r.set("begin", r.get("begin") + size)
    f.ret()


def _build_fetch(module: Module) -> None:
    """fetch(record, size) -> 1 once there are `size` unread bytes, 0 if the connection has ended or the wait was interrupted."""
    f = Function(module, "fetch", [PTR, I32], I32, shared=True, internal=True)
    record, size = f.args
    r = Record(f, record, AnswerRecord)
    with f.loop():
        begin, have = r.get("begin"), r.get("end") - r.get("begin")
        with f.leaving(have >= size):
            f.ret(f.const(I32, 1))
        with f.if_(have.eq(0) | (begin + size > r.get("size"))):
            f.call(PTR, "memcpy", r.get("bytes"), _unread(f, r), have.zext(I64))
            r.set("begin", 0)
            r.set("end", have)
        end = r.get("end")
        target, room = f.at(r.get("bytes"), end), r.get("size") - end
        got = f.call_pointer(I64, r.get("receive"), r.get("socket"), target, room.zext(I64), f.const(I32, 0))
        with f.leaving(got < 1):
            f.ret(f.const(I32, 0))
        r.set("end", end + got.trunc(I32))
    f.ret(f.const(I32, 0))


def _unread(f: Function, r: Record) -> Val:
    return f.at(r.get("bytes"), r.get("begin"))


def _find(f: Function, table: Val, handle: Val) -> tuple[Val, Val]:
    """Address and size (i64) of the memory of a handle in a table. Returns from the function if the table has none."""
    found = f.call(I64, "find_buffer", table, handle)
    with f.leaving(found.eq(0)):
        f.ret()
    slot = Record(f, found.as_pointer(), BufferSlot)
    return slot.get("address"), slot.get("size")


def _reply(f: Function, r: Record, body: Val) -> None:
    """Say that a buffer is not busy."""
    _find(f, r.get("buffers"), f.load(I32, body, 0, 1))
    words = f.alloca(f"[{len(REPLY)} x i32]")
    for number, word in enumerate(REPLY):
        f.store(f.const(I32, word), words, 4 * number)
    sent = f.call_pointer(I64, r.get("send"), r.get("socket"), words, f.const(I64, _REPLY), f.const(I32, 0))
    with f.leaving(sent.ne(_REPLY)):
        f.ret()


def _put(f: Function, r: Record, body: Val) -> None:
    """Copy a range of the client's memory into a buffer, as `tgsi.tools.vtest.holdings.Holding.put` does."""
    given = {name: f.load(I32, body, 4 * place, 1) for place, name in enumerate(PUT2_WORDS.split())}
    target, size = _find(f, r.get("buffers"), given["handle"])
    source, most = _find(f, r.get("memories"), given["handle"])
    has_place = (given["level"] | given["y"] | given["z"]).ne(0) | given["height"].ne(1) | given["depth"].ne(1)
    x, width, offset = (given[name].zext(I64) for name in ("x", "width", "offset"))
    with f.leaving(has_place | width.eq(0) | (x + width > size) | (offset + width > most)):
        f.ret()
    f.call(PTR, "memcpy", (target + x).as_pointer(), (source + offset).as_pointer(), width)
