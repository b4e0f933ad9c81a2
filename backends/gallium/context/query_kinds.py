"""Queries, and their kinds (PIPE_QUERY_*), one row each: the counters that a kind needs, its clock, and its answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from ctypes import c_int32
from enum import Enum, auto
from typing import Protocol

from backends.device.commands.condition import Answer, QueryRecord
from backends.device.counters import IN_PIPELINE, Intervals, Statistics, difference, total
from backends.gallium.threads.fence import Fence
from backends.pipe.enums import DriverQuery, QueryType
from tgsi.language.record import record

Result = int | bool | tuple[int | bool, ...]

CLOCK_HZ = 1_000_000_000


class Needs(Enum):
    """Counters of the device that a query reads."""

    NOTHING = auto()
    SAMPLES = auto()  # the rasterizer counts them in intervals while DrawState.count_samples is set
    STATISTICS = auto()  # the rasterizer counts them while DrawState.count_statistics is set
    STREAMS = auto()  # stream output always counts
    DEVICE = auto()  # the device always counts its own work


class Counted(Protocol):
    """The part of a query from which it is answered.

    Attributes:
        held: events between begin and end.
        passed: samples that passed in the meantime.
        stream: vertex stream of the query.
        started: time of its start in nanoseconds.
    """

    held: Statistics
    passed: int
    stream: int
    started: int


@record
class QueryKind:
    """A kind of queries.

    Attributes:
        answer: computes the result: at end_query, and where samples are counted, when it is asked for.
        is_timed: the context carries out all pending work before the clock is read.
        has_begin: begin_query is allowed; otherwise end_query alone takes the result.
        is_fence: the answer is whether the work before end_query is carried out, which end_query does not wait for.
        is_condition: draws may depend on the answer.
    """

    answer: Callable[[Counted], Result]
    needs: Needs = Needs.NOTHING
    is_timed: bool = False
    has_begin: bool = True
    is_fence: bool = False
    is_condition: bool = False


def _overflows(query: Counted) -> bool:
    return query.held.needed[query.stream] > query.held.written[query.stream]


def _is_passed(query: Counted) -> bool:
    return query.passed > 0


def _own(name: str) -> QueryKind:
    """The row of a counter of the device about its own work, which no query changes."""
    return QueryKind(lambda query: int(getattr(query.held, name)), Needs.DEVICE)


QUERY_KINDS: dict[QueryType | DriverQuery, QueryKind] = {
    QueryType.OCCLUSION_COUNTER: QueryKind(lambda query: query.passed, Needs.SAMPLES, is_condition=True),
    QueryType.OCCLUSION_PREDICATE: QueryKind(_is_passed, Needs.SAMPLES, is_condition=True),
    QueryType.OCCLUSION_PREDICATE_CONSERVATIVE: QueryKind(_is_passed, Needs.SAMPLES, is_condition=True),
    QueryType.TIMESTAMP: QueryKind(lambda _: time.monotonic_ns(), is_timed=True, has_begin=False),
    QueryType.TIMESTAMP_DISJOINT: QueryKind(lambda _: (CLOCK_HZ, False)),
    QueryType.TIME_ELAPSED: QueryKind(lambda query: time.monotonic_ns() - query.started, is_timed=True),
    QueryType.PRIMITIVES_GENERATED: QueryKind(lambda query: query.held.generated[query.stream], Needs.STATISTICS),
    QueryType.PRIMITIVES_EMITTED: QueryKind(lambda query: query.held.written[query.stream], Needs.STREAMS),
    QueryType.SO_STATISTICS: QueryKind(lambda query: (query.held.written[query.stream], query.held.needed[query.stream]), Needs.STREAMS),
    QueryType.SO_OVERFLOW_PREDICATE: QueryKind(_overflows, Needs.STREAMS, is_condition=True),
    QueryType.SO_OVERFLOW_ANY_PREDICATE: QueryKind(lambda query: query.held.needed != query.held.written, Needs.STREAMS, is_condition=True),
    QueryType.GPU_FINISHED: QueryKind(lambda _: True, has_begin=False, is_fence=True, is_condition=True),
    QueryType.PIPELINE_STATISTICS: QueryKind(lambda query: tuple(getattr(query.held, name) for name in IN_PIPELINE), Needs.STATISTICS),
    **{kind: _own(kind.name.lower()) for kind in DriverQuery},
}

_NOTHING = Statistics()


class Samples:
    """The samples of a query, in intervals (`backends.device.counters.Intervals`).

    taken: samples read from finished intervals. spans: intervals that were not read yet, as (first, end).
    record: of the query.
    """

    def __init__(self, record: QueryRecord) -> None:
        self.taken, self.spans, self.record = 0, list[tuple[int, int]](), record

    @property
    def opened(self) -> int:
        """The interval in which counting has begun; 0: nothing is counted now."""
        return int(self.record.opened)

    @opened.setter
    def opened(self, interval: int) -> None:
        self.record.opened = interval

    def clear(self) -> None:
        """Forget all samples."""
        self.taken = 0
        self.spans.clear()

    def shut(self, end: int) -> None:
        """Count no more, from interval `end` on."""
        opened = self.opened
        if opened:
            self.spans.append((opened, end))
            self.opened = 0

    def take(self, intervals: Intervals) -> int:
        """Read the intervals, whose draws are carried out. Returns the number of all samples so far."""
        for first, end in self.spans:
            self.taken += intervals.passed(first, end)
        self.spans.clear()
        return self.taken


class Query:
    """A query that create_query returned.

    held: the events counted while it was active, until the last pause. samples: for kinds that count these. passed: how many did, in the
    result. row: of its kind. context: that made it. record: what generated code sees, too; is_shared: it may begin and end the query.
    """

    def __init__(self, context: object, kind: QueryType | DriverQuery, index: int) -> None:
        self.context = context
        self.kind = kind
        self.row = QUERY_KINDS[kind]
        self.stream = index
        self.record = QueryRecord(is_predicate=self.row.answer is _is_passed)
        self.is_destroyed = self.is_shared = False
        self.result: Result | None = None
        self.answer = c_int32.from_buffer(self.record, QueryRecord.answer.offset)
        self.base = self.held = _NOTHING
        self.samples = Samples(self.record) if self.row.needs is Needs.SAMPLES else None
        self.passed = self.started = 0
        self.fence: Fence | None = None

    def __repr__(self) -> str:
        return f"<Query {self.kind.name} {'active' if self.is_active else self.result}>"

    @property
    def is_active(self) -> bool:
        """True from `begin_query` to `end_query`."""
        return bool(self.record.is_active)

    @is_active.setter
    def is_active(self, is_active: bool) -> None:
        self.record.is_active = is_active

    @property
    def is_due(self) -> bool:
        """True if it has ended, and its result is computed on demand."""
        return bool(self.record.is_due)

    @is_due.setter
    def is_due(self, is_due: bool) -> None:
        self.record.is_due = is_due

    def catch_up(self) -> None:
        """Update the state from generated code."""
        record, samples = self.record, self.samples
        if record.is_again and samples is not None:
            self.result, record.is_again = None, 0
            samples.clear()
        if record.end and samples is not None:
            samples.spans.append((record.first, record.end))
            record.first = record.end = 0

    @property
    def counts(self) -> bool:
        """True for kinds that read the device's totals."""
        return self.row.needs not in (Needs.NOTHING, Needs.SAMPLES)

    def forget_result(self) -> None:
        """Drop the result."""
        self.result, self.held, self.answer.value = None, _NOTHING, Answer.NONE
        self.is_due = False
        if self.samples is not None:
            self.samples.clear()

    def finish_later(self) -> None:
        """Postpone the computation of the result until it is requested."""
        self.is_due, self.answer.value = True, Answer.ASKED

    def finish(self) -> None:
        """Compute the result."""
        self.result = result = self.row.answer(self)
        self.is_due = False
        self.answer.value = Answer.ASKED if self.fence is not None else Answer.TRUE if truth_of(result) else Answer.FALSE

    def hold(self, now: Statistics) -> None:
        """Add the events since `base` to `held`."""
        self.held = total(self.held, difference(now, self.base))


def truth_of(result: Result) -> bool:
    """A result as a boolean: whether any part of it is not 0."""
    return any(result) if isinstance(result, tuple) else bool(result)
