"""The render condition: the answer of a query as a word that generated code reads, and the answer with which draws are skipped."""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_uint64
from dataclasses import field
from enum import IntEnum

from backends.device.commands.numbers import Described
from tgsi.language.record import record


class Answer(IntEnum):
    """The result of a query, as a boolean."""

    NONE = 0  # no result: draws are not skipped
    FALSE = 1
    TRUE = 2
    ASKED = 3  # unknown: Python has to get it, perhaps after a flush


class QueryRecord(ctypes.Structure):
    """A query that counts samples, as Python and generated code see it. Intervals: see `backends.device.counters`; 0: no interval."""

    _fields_ = [
        ("answer", c_int32),  # an Answer
        ("is_active", c_int32),
        ("is_due", c_int32),  # it has ended, and its result is computed on demand
        ("is_again", c_int32),  # generated code has begun it again: Python's copy of its state is stale
        ("opened", c_int64),  # the interval in which it has begun to count
        ("first", c_int64),  # intervals that generated code has ended, and that Python has not taken yet: the first one
        ("end", c_int64),  # the one after the last
        ("is_predicate", c_int32),  # the result is whether any sample has passed, otherwise their number
        ("pad", c_int32),
    ]


@record
class Condition:
    """A render condition.

    Attributes:
        query: whose result it is.
        answer: an Answer, which changes with the result.
        skipped: the result with which draws are skipped. waits: draws wait for a pending result.
    """

    query: object
    answer: c_int32 = field(compare=False, repr=False)  # the query's own
    skipped: bool
    waits: bool


class ConditionValues(ctypes.Structure):
    """A render condition as generated code reads it."""

    _fields_ = [
        ("answer", c_uint64),  # address of the answer
        ("skipped", c_int32),  # the answer with which draws are skipped
        ("pad", c_int32),
    ]


def describe_condition(condition: Condition | None) -> Described:
    """All conditions are of one class, because no generated code depends on them."""
    if condition is None:
        return Described()
    return Described(0, ConditionValues(ctypes.addressof(condition.answer), Answer.TRUE if condition.skipped else Answer.FALSE))
