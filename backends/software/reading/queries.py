"""Generated code: beginnings and ends of queries that count samples. They only number intervals; draws count in them."""

from __future__ import annotations

from backends.device.commands.bound_record import Word
from backends.device.commands.client import ReaderRecord
from backends.device.commands.condition import Answer, QueryRecord
from backends.llvm.builder.function import I32, I64, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MOST_INTERVALS
from backends.software.reading.bindings import begin_taker, find_range, refuse


def build_query(module: Module) -> None:
    """query(reader, words, count) -> 1 if a query was begun or ended. Refuses what Python would, and all while counting is paused."""
    f, reader, bound, words, _ = begin_taker(module, "query")
    is_end = (f.load(I32, words, -4).lshr(8) & 0xFF).ne(0)
    address, _ = find_range(f, Record(f, reader, ReaderRecord).get("queries"), f.load(I32, words))
    q, now = Record(f, address.as_pointer(), QueryRecord), bound.get("latest_interval") + 1
    refuse(f, bound.get("counting_word").eq(0) | bound.get("is_counting_paused").ne(0) | (now >= MOST_INTERVALS))
    refuse(f, q.get("is_active").ne(is_end.zext(I32)))
    refuse(f, is_end & (q.get("opened").eq(0) | q.get("first").ne(0)))
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
    counts, word = bound.get("counting").ne(0), bound.address("words", Word.COUNT_SAMPLES)
    bound.set("interval", f.select(counts, now, 0))
    wanted = f.select(counts, bound.get("counting_word"), 0)
    with f.if_(f.load(I64, word, 0, 8).ne(wanted)):
        f.store(wanted, word, 0, 8)
        bound.set("are_words_new", f.const(I32, 1))
    f.ret(f.const(I32, 1))


def _put(q: Record, **values: Val) -> None:
    for name, value in values.items():
        q.set(name, value)
