"""Queries that count samples: beginnings and ends only number intervals, draws count in them, and results are sums of intervals."""

from __future__ import annotations

from collections.abc import Callable

from backends.device.commands.bound_record import STOPS, Hindrance, Word
from backends.device.commands.condition import Answer, QueryRecord
from backends.device.commands.known_objects import Kind
from backends.entries.arguments import Entry, Taken
from backends.entries.setters import hinders, put_word
from backends.llvm.builder.function import BOOL, I32, I64, PTR, Function, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MOST_INTERVALS

_STOPS = int(STOPS | Hindrance.OWN_SAMPLES | Hindrance.FENCE)


def change_query(f: Function, bound: Record, q: Record, is_end: Val, leave: Callable[[Val], None]) -> None:
    """Begin or end a query. leave: takes a condition under which Python has to do it, and then leaves the function.

    Errors, and all calls while counting is paused, fall back to Python.
    """
    now = bound.get("latest_interval") + 1
    leave(bound.get("counting_word").eq(0) | bound.get("is_counting_paused").ne(0) | (now >= MOST_INTERVALS))
    leave(q.get("is_active").ne(is_end.zext(I32)))
    leave(is_end & (q.get("opened").eq(0) | q.get("first").ne(0)))
    bound.set("latest_interval", now)
    with f.else_of(is_end) as beginning:
        q.set("first", q.get("opened"))
        q.set("end", now)
        _put(q, opened=f.const(I64, 0), is_active=f.const(I32, 0), is_due=f.const(I32, 1), answer=f.const(I32, int(Answer.ASKED)))
        bound.set("counting", bound.get("counting") - 1)
        beginning()
        _put(q, first=f.const(I64, 0), end=f.const(I64, 0), is_again=f.const(I32, 1), is_due=f.const(I32, 0))
        _put(q, opened=now, is_active=f.const(I32, 1), answer=f.const(I32, int(Answer.NONE)))
        bound.set("counting", bound.get("counting") + 1)
    counts = bound.get("counting").ne(0)
    bound.set("interval", f.select(counts, now, 0))
    put_word(bound, Word.COUNT_SAMPLES, f.select(counts, bound.get("counting_word"), 0))


def _put(q: Record, **values: Val) -> None:
    for name, value in values.items():
        q.set(name, value)


def build_query_entry(entry: Entry) -> None:
    """begin_query(query) and end_query(query): queries that Python has begun before."""
    entry.enter()
    f, taken = entry.f, Taken(entry)
    query = taken.known("query", Kind.QUERY)
    taken.parse()
    is_end = Val(f, BOOL, "true" if entry.method == "end_query" else "false")
    change_query(f, entry.record, Record(f, query.get().as_pointer(), QueryRecord), is_end, entry.fall_back)
    entry.done("true")


def build_result_entry(entry: Entry) -> None:
    """get_query_result(query, *, wait=True): a query that entries have begun and ended since Python last read it. Its state does not
    change.

    Other threads run Python while pending work is carried out, but cannot enter the context.
    """
    entry.enter()
    f, b, python, taken = entry.f, entry.record, entry.python, Taken(entry)
    query = taken.known("query", Kind.QUERY)
    taken.truth("wait")  # samples are waited for in any case
    taken.parse()
    entry.fall_back(b.get("executor").eq(0) | b.get("has_listener").ne(0) | hinders(b, _STOPS))
    q = Record(f, query.get().as_pointer(), QueryRecord)
    entry.fall_back(q.get("is_active").ne(0) | q.get("is_due").eq(0) | q.get("is_again").eq(0) | q.get("end").eq(0))
    code, executor = f.var(I32, 0), b.get("executor").as_pointer()
    with f.if_(f.call_pointer(I32, b.get("work_entry").as_pointer(), executor).ne(0)):
        owner, thread = b.get("owner"), f.call_pointer(I64, python.get("thread").as_pointer())
        b.set("owner", thread)
        state = f.call_pointer(PTR, python.get("save_thread").as_pointer())
        code.set(f.call_pointer(I32, b.get("flush_entry").as_pointer(), executor))
        f.call_pointer(None, python.get("restore_thread").as_pointer(), state)
        b.set("owner", owner)
    entry.fall_back(code.get().ne(0))
    passed = f.call_pointer(I64, b.get("samples_entry").as_pointer(), executor, q.get("first"), q.get("end"))
    with f.leaving(q.get("is_predicate").eq(0)):
        f.ret(f.call_pointer(I64, python.get("from_long").as_pointer(), passed))
    with f.leaving(passed.ne(0)):
        entry.done("true")
    entry.done("false")
