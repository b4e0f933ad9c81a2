"""Kinds of queries (PIPE_QUERY_*), one row each: the counters that a kind needs, its clock, and its answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum, auto
from typing import Protocol

from backends.device.counters import IN_PIPELINE, Statistics
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
        passed: samples that passed meanwhile.
        stream: the vertex stream that the query was made for.
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
    """

    answer: Callable[[Counted], Result]
    needs: Needs = Needs.NOTHING
    is_timed: bool = False
    has_begin: bool = True
    is_fence: bool = False


def _overflows(query: Counted) -> bool:
    return query.held.needed[query.stream] > query.held.written[query.stream]


def _is_passed(query: Counted) -> bool:
    return query.passed > 0


def _own(name: str) -> QueryKind:
    """The row of a counter of the device about its own work, which no query changes."""
    return QueryKind(lambda query: int(getattr(query.held, name)), Needs.DEVICE)


QUERY_KINDS: dict[QueryType | DriverQuery, QueryKind] = {
    QueryType.OCCLUSION_COUNTER: QueryKind(lambda query: query.passed, Needs.SAMPLES),
    QueryType.OCCLUSION_PREDICATE: QueryKind(_is_passed, Needs.SAMPLES),
    QueryType.OCCLUSION_PREDICATE_CONSERVATIVE: QueryKind(_is_passed, Needs.SAMPLES),
    QueryType.TIMESTAMP: QueryKind(lambda _: time.monotonic_ns(), is_timed=True, has_begin=False),
    QueryType.TIMESTAMP_DISJOINT: QueryKind(lambda _: (CLOCK_HZ, False)),
    QueryType.TIME_ELAPSED: QueryKind(lambda query: time.monotonic_ns() - query.started, is_timed=True),
    QueryType.PRIMITIVES_GENERATED: QueryKind(lambda query: query.held.generated[query.stream], Needs.STATISTICS),
    QueryType.PRIMITIVES_EMITTED: QueryKind(lambda query: query.held.written[query.stream], Needs.STREAMS),
    QueryType.SO_STATISTICS: QueryKind(lambda query: (query.held.written[query.stream], query.held.needed[query.stream]), Needs.STREAMS),
    QueryType.SO_OVERFLOW_PREDICATE: QueryKind(_overflows, Needs.STREAMS),
    QueryType.SO_OVERFLOW_ANY_PREDICATE: QueryKind(lambda query: query.held.needed != query.held.written, Needs.STREAMS),
    QueryType.GPU_FINISHED: QueryKind(lambda _: True, has_begin=False, is_fence=True),
    QueryType.PIPELINE_STATISTICS: QueryKind(lambda query: tuple(getattr(query.held, name) for name in IN_PIPELINE), Needs.STATISTICS),
    **{kind: _own(kind.name.lower()) for kind in DriverQuery},
}
