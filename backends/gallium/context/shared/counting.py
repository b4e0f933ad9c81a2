"""Counting of samples in intervals, and the render condition, which reads results."""

from __future__ import annotations

import weakref
from typing import Any

from backends.device.bound import DrawState
from backends.device.commands.bound_record import Word
from backends.device.interface import Device
from backends.gallium.context.query_kinds import Query, Samples, truth_of
from backends.gallium.context.shared.order import Order
from backends.gallium.threads.fence import Fence
from backends.pipe.limits import MOST_INTERVALS


class Counting:
    """Active queries, and the samples of those that count samples.

    active: queries that were begun and did not end.
    """

    def __init__(self, state: DrawState, device: Device, order: Order) -> None:
        self._state, self._device, self._order = state, device, order
        self.active: set[Query] = set()
        self._unsettled = set[Samples]()  # those that have spans, or count now
        self._shared = weakref.WeakSet[Query]()  # those that generated code may begin and end

    @property
    def is_paused(self) -> bool:
        """True while active queries are paused."""
        return bool(self._state.record.is_counting_paused)

    def share(self, query: Query) -> None:
        """Let generated code begin and end a query that counts samples."""
        query.is_shared = True
        self._shared.add(query)
        self._state.share_counting()

    def catch_up(self) -> None:
        """Update queries from generated code."""
        for query in self._shared:
            query.catch_up()
            if query.is_active:
                self.active.add(query)
            else:
                self.active.discard(query)
            if query.samples is not None and (query.samples.opened or query.samples.spans):
                self._unsettled.add(query.samples)

    def open(self, samples: Samples) -> None:
        """Count samples from now on, unless counting is paused."""
        if not self.is_paused:
            samples.opened = number = self._next_interval()
            self._unsettled.add(samples)
            self._state.count_in(number)

    def shut(self, samples: Samples) -> None:
        """Count no more samples. Other active queries continue."""
        if samples.opened:
            end, record = self._next_interval(), self._state.record
            samples.shut(end)
            self._state.count_in(end if record.counting and not record.is_counting_paused else 0)

    def forget(self, samples: Samples) -> None:
        """Drop the samples of a query that is destroyed."""
        self._unsettled.discard(samples)

    def settle(self, query: Query) -> None:
        """Compute the result of a query that is due."""
        assert query.samples is not None
        self._carry_out_counted()
        query.passed = query.samples.take(self._device.intervals)
        self._unsettled.discard(query.samples)
        query.finish()

    def _next_interval(self) -> int:
        """Begin an interval. When all are in use, flush and count from zero."""
        interval: int = self._state.record.latest_interval + 1
        if interval >= MOST_INTERVALS:
            self._carry_out_counted()
            self.catch_up()
            for samples in self._unsettled:
                is_open = samples.opened > 0
                samples.shut(interval)
                samples.take(self._device.intervals)
                samples.opened = int(is_open)
            self._unsettled = {samples for samples in self._unsettled if samples.opened}
            self._device.intervals.forget()
            interval = 1
        self._state.begin_interval(interval)
        return interval

    def _carry_out_counted(self) -> None:
        if self._device.pending:
            self._order.synchronize()

    # -- the render condition --------------------------------------------------------------------------------------------
    @property
    def is_conditional(self) -> bool:
        """True if a render condition is set."""
        return bool(self._state.record.words[Word.CONDITION])

    def allows_rendering(self) -> bool:
        """Return True if the render condition lets draws and clears through."""
        condition = self._state.condition
        if condition is None:
            return True
        query: Any = condition.query
        if query.is_shared:
            query.catch_up()
        if query.is_due:
            self.settle(query)
        if query.result is None:
            return True
        if query.fence is not None and not condition.waits and not query.fence.is_signaled:
            return True
        return truth_of(query.result if query.fence is None else is_done(query.fence, wait=True)) is not condition.skipped


def is_done(fence: Fence, wait: bool) -> bool:
    """The result of a query for a fence: whether it is signaled, after its work if the caller waits."""
    return fence.finish() if wait else fence.is_signaled
