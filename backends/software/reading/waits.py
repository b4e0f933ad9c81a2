"""Generated code: answers a client's requests to wait for memory, and receives more of them, until Python is needed.

Clients that fill buffers between draws send a request for each draw, and stall until the answer.
"""

from __future__ import annotations

import socket

from backends.device.commands.bound_record import STOPS, BoundRecord, Hindrance
from backends.device.commands.client import BufferSlot, WireRecord
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record

_STOPS = int(STOPS | Hindrance.OWN_SAMPLES | Hindrance.FENCE)
_BUSY_WAIT, _BODY = 7, 2  # number of the request, and words after its head
_REQUEST, _HEAD, _ANSWER = 16, 8, 12  # bytes: a whole request, its head, an answer
_AT_ONCE, _NO_SIGNAL = (int(getattr(socket, name, 0)) for name in ("MSG_DONTWAIT", "MSG_NOSIGNAL"))


def build_answer_waits(module: Module) -> None:
    """answer_waits(wire, bound): returns on any other message, when idle with pending work, or on disconnect."""
    f = Function(module, "answer_waits", [PTR, PTR], shared=True)
    wire, bound = f.args
    w, b = Record(f, wire, WireRecord), Record(f, bound, BoundRecord)
    answer = f.alloca("[4 x i32]", 16)
    for k, word in enumerate((1, _BUSY_WAIT, 0)):
        f.store(f.const(I32, word), answer, 4 * k)
    with f.loop() as loop:
        begin, count = w.get("begin"), w.get("end") - w.get("begin")
        with f.else_of(count >= _REQUEST) as otherwise:
            request = f.at(w.get("buffer"), begin.zext(I64))
            is_wait = f.load(I32, request).eq(_BODY) & f.load(I32, request, 4).eq(_BUSY_WAIT)
            _return_if(f, ~is_wait)
            _finish_uses(f, b, w, f.load(I32, request, _HEAD))
            w.set("begin", begin + _REQUEST)
            _note(f, w)
            sent = f.call_pointer(I64, w.get("send"), w.get("descriptor"), answer, f.const(I64, _ANSWER), f.const(I32, _NO_SIGNAL))
            w.set("unsent", _ANSWER - f.max(sent.trunc(I32), 0))
            _return_if(f, w.get("unsent").ne(0))
            otherwise()
            with f.if_(count >= _HEAD):
                _return_if(f, f.load(I32, f.at(w.get("buffer"), begin.zext(I64)), 4).ne(_BUSY_WAIT))
            _receive(f, b, w)
        loop.break_if(b.get("executor").eq(0))
    f.ret()


def _return_if(f: Function, condition: Val) -> None:
    with f.leaving(condition):
        f.ret()


def _finish_uses(f: Function, b: Record, w: Record, handle: Val) -> None:
    """Carry out pending work that uses the memory of a handle; returns from the function if this needs Python."""
    _return_if(f, b.get("executor").eq(0) | (b.get("hindrances") & _STOPS).ne(0))
    entry = f.call(I64, "find_buffer", w.get("memory"), handle)
    _return_if(f, entry.eq(0))
    slot = Record(f, entry.as_pointer(), BufferSlot)
    code = f.call_pointer(I32, b.get("wait_entry").as_pointer(), b.get("executor").as_pointer(), slot.get("address"), slot.get("size"))
    _return_if(f, code.ne(0))


def _note(f: Function, w: Record) -> None:
    """Count a message."""
    marks = w.get("marks")
    f.store(f.load(I64, marks, 0, 8) + 1, marks, 0, 8)
    f.store(f.const(I64, _BUSY_WAIT), marks, 8, 8)
    w.set("answered", w.get("answered") + 1)


def _receive(f: Function, b: Record, w: Record) -> None:
    """Receive more bytes. Returns from the function at the end, for errors, if the buffer is full, and when idle with pending work."""
    with f.if_(w.get("begin").eq(w.get("end"))):
        w.set("begin", 0)
        w.set("end", 0)
    room = w.get("capacity") - w.get("end")
    _return_if(f, (room <= 0) | b.get("executor").eq(0))
    place = f.at(w.get("buffer"), w.get("end").zext(I64))
    has_work = f.call_pointer(I32, b.get("work_entry").as_pointer(), b.get("executor").as_pointer())
    flags = f.select(has_work.ne(0), f.const(I32, _AT_ONCE), 0)
    got = f.call_pointer(I64, w.get("receive"), w.get("descriptor"), place, room.zext(I64), flags)
    _return_if(f, got <= 0)
    w.set("end", w.get("end") + got.trunc(I32))
