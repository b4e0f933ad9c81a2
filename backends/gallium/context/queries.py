"""Queries and conditional rendering.

The device's counters are running totals (backends/device/counters.py); a query is the difference of two of them. The kinds of
queries are rows of `query_kinds.QUERY_KINDS`.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from backends.device.commands.condition import Condition
from backends.device.commands.known_objects import Kind
from backends.device.counters import Statistics
from backends.device.interface import Device
from backends.gallium.context.core import ContextCore
from backends.gallium.context.query_kinds import QUERY_KINDS, Needs, Query, QueryKind, Result
from backends.gallium.context.shared.counting import is_done
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.threads.fence import Fence
from backends.pipe.checks import integer, sequence, truth
from backends.pipe.enums import DriverQuery, QueryType, RenderCond, lookup
from tgsi.language.diagnostics import UnsupportedError


class Queries(ContextCore):
    """Queries and the render condition: create_query, begin_query, end_query, get_query_result, render_condition."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._of_statistics = 0  # number of active queries

    def _learn_query(self, query: Query) -> None:
        """Let entries begin and end a query that counts samples from now on."""
        if not query.is_shared:
            self.counting.share(query)
        self.state.known.learn(query, Kind.QUERY, ctypes.addressof(query.record))

    def create_query(self, kind: QueryType | DriverQuery | int | str, *, index: int = 0) -> Query:
        """Create a query. `index` is the vertex stream, for queries of primitives and of stream output.

        Queries of the driver's own counters (`Screen.get_driver_query_info`) carry out nothing.

        (context.rst, "Queries")
        """
        of_driver = kind in DriverQuery.__members__ if isinstance(kind, str) else isinstance(kind, int) and kind >= min(DriverQuery)
        name = "create_query: kind"
        query_type: QueryType | DriverQuery = lookup(DriverQuery, kind, name) if of_driver else lookup(QueryType, kind, name)
        return Query(self, query_type, integer(index, "create_query: index", 0, 3))

    def create_batch_query(self, kinds: Sequence[int]) -> Query:
        """Raise an error for a query of several driver counters: this driver has only single ones. (p_context.h)"""
        count = len(sequence(kinds, "create_batch_query: kinds"))
        raise UnsupportedError.at("B063", f"create_batch_query: no counter of this driver is for batches ({count} asked for)")

    def destroy_query(self, query: Query) -> None:
        """Destroy a query; an active one ends first. (context.rst, "Queries")"""
        self._check_query(query, "destroy_query")
        if query.is_active:
            self.end_query(query)
        if query.samples is not None:
            self.counting.forget(query.samples)
            self.state.known.forget(query)
        query.is_destroyed = True

    def begin_query(self, query: Query) -> bool:
        """Start counting and drop earlier results. Returns True. ValueError if the query is active already or its kind has no beginning.

        (context.rst, "Queries")
        """
        self._check_query(query, "begin_query")
        kind = query.row
        if query.is_active or not kind.has_begin:
            raise ValueError(f"begin_query: query: a {query.kind.name} query {'is active' if query.is_active else 'has no beginning'}")
        query.forget_result()
        if query.samples is not None:
            self.state.count_queries(1)
            self.counting.open(query.samples)
            self._learn_query(query)
        elif query.counts:
            query.base = self._statistics(kind)
            self._count_pipeline(kind, 1)
        elif kind.is_timed:
            self.order.synchronize()
            query.started = time.monotonic_ns()
        query.is_active = True
        self.counting.active.add(query)
        return True

    def end_query(self, query: Query) -> bool:
        """Stop counting and take the result. Returns True. (context.rst, "Queries")"""
        self._check_query(query, "end_query")
        kind = query.row
        if not query.is_active and kind.has_begin:
            raise ValueError("end_query: query: it was not begun")
        query.is_active = False
        self.counting.active.discard(query)
        if query.samples is not None:
            self.state.count_queries(-1)
            self.counting.shut(query.samples)
            query.finish_later()
            return True
        if query.counts:
            if not self.counting.is_paused:
                query.hold(self._statistics(kind))
            self._count_pipeline(kind, -1)
        elif kind.is_timed:
            self.order.synchronize()
        elif kind.is_fence:
            query.fence = Fence(self, self.order.next_fence(), self.screen)
        query.finish()
        return True

    def get_query_result(self, query: Query, *, wait: bool = True) -> Result:
        """Return the result: an int, a bool, or a tuple (pipeline statistics: thirteen numbers, in the order of the documents).

        The counted work is carried out, at the latest now. GPU_FINISHED alone, which does not wait, is False before that unless `wait`.

        (context.rst, "Queries")
        """
        self._check_query(query, "get_query_result")
        if query.is_active:
            raise ValueError("get_query_result: query: it is active")
        if query.is_due:
            self.counting.settle(query)
        if query.result is None:
            raise ValueError("get_query_result: query: it was never ended")
        return is_done(query.fence, wait) if query.fence is not None else query.result

    def get_query_result_resource(
        self, query: Query, resource: Resource, *, wait: bool = True, result_type: str = "U32", index: int = 0, offset: int = 0
    ) -> None:
        """Write a part of a result into a buffer as I32, U32, I64 or U64, clamped to the type.

        Index -1 writes 1 if the result is there, otherwise 0. (p_context.h)
        """
        name = "get_query_result_resource"
        self.checks.resource(resource, f"{name}: resource")
        types = {"I32": np.int32, "U32": np.uint32, "I64": np.int64, "U64": np.uint64}
        if not isinstance(result_type, str) or result_type not in types:
            raise ValueError(f"{name}: result_type: {result_type!r} is not one of {', '.join(types)}")
        dtype: np.dtype[Any] = np.dtype(types[result_type])
        top = (1 << 8 * dtype.itemsize - (result_type[0] == "I")) - 1
        start = integer(offset, f"{name}: offset", 0, max(0, resource.size - dtype.itemsize))
        if not resource.is_buffer or resource.size < dtype.itemsize:
            raise ValueError(f"{name}: resource: expected a buffer of at least {dtype.itemsize} bytes")
        result = self.get_query_result(query, wait=wait)
        values = result if isinstance(result, tuple) else (result,)
        which = integer(index, f"{name}: index", -1, len(values) - 1)
        is_there = not query.row.is_fence or bool(result)
        value = int(is_there if which < 0 else values[which])
        self.order.begin_write(resource)
        clamped = min(value, top)
        resource.storage[start : start + dtype.itemsize] = np.array([clamped], dtype).view(np.uint8)
        resource.push()

    def set_active_query_state(self, enable: bool) -> None:
        """Pause (False) or resume (True) all active queries. (p_context.h)"""
        enable = truth(enable, "set_active_query_state: enable")
        if enable is not self.counting.is_paused:
            return
        self.counting.catch_up()
        counting = [query for query in self.counting.active if query.counts]
        now = self._statistics(None) if counting else Statistics()
        for query in counting:
            if enable:
                query.base = now
            else:
                query.hold(now)
        self.state.pause_counting(is_paused=not enable)
        for query in self.counting.active:
            if query.samples is not None:
                if enable:
                    self.counting.open(query.samples)
                else:
                    self.counting.shut(query.samples)
        self._let_draws_count()

    def render_condition(self, query: Query | None, *, condition: bool = False, mode: RenderCond | int | str = RenderCond.WAIT) -> None:
        """Skip draws and clears while the result of `query`, as a boolean, equals `condition`. None as the query ends that.

        It holds for draw_vbo, draw_mesh_tasks, clear, clear_render_target and clear_depth_stencil, and for `blit` on request.

        ValueError for a query that is active or was never ended, and for a kind whose result is not a condition. Conditions are occlusion
        queries, overflow predicates and GPU_FINISHED.

        (context.rst, "Conditional Rendering")
        """
        how = lookup(RenderCond, mode, "render_condition: mode")
        wanted = truth(condition, "render_condition: condition")
        if query is not None:
            self._check_condition(query)
        waits = how in (RenderCond.WAIT, RenderCond.BY_REGION_WAIT)
        self.state.condition = None if query is None else Condition(query, query.answer, wanted, waits)

    def _statistics(self, kind: QueryKind | None) -> Statistics:
        """Running totals of draws and grids: all of them, or those for a kind of queries."""
        flushes = kind is None or kind.needs not in (Needs.STREAMS, Needs.DEVICE)
        return replace(self.device.statistics(flushes=flushes), cs_invocations=self._cs_invocations)

    def _count_pipeline(self, kind: QueryKind, change: int) -> None:
        """Add to the number of active queries of a kind."""
        if kind.needs is Needs.STATISTICS:
            self._of_statistics += change
            self._let_draws_count()

    def _let_draws_count(self) -> None:
        """Let draws count statistics of the pipeline if active queries need them."""
        self.state.count_statistics = self._of_statistics > 0 and not self.counting.is_paused

    def _check_condition(self, query: Query) -> None:
        """Check a query whose result is to decide about draws."""
        name = "render_condition"
        self._check_query(query, name)
        if not query.row.is_condition:
            kinds = ", ".join(kind.name for kind, row in QUERY_KINDS.items() if row.is_condition)
            raise ValueError(f"{name}: query: the result of {query.kind.name} is not a condition; those of {kinds} are")
        if query.is_active:
            raise ValueError(f"{name}: query: it is active, and its result is not known before end_query")
        if query.result is None and not query.is_due:
            raise ValueError(f"{name}: query: it was never ended, so it has no result; call begin_query, draw, and end_query first")

    def _check_query(self, query: Any, name: str) -> None:
        if query.__class__ is Query and query.context is self and not query.is_destroyed:
            if query.is_shared:
                query.catch_up()
            return
        if not isinstance(query, Query):
            raise TypeError(f"{name}: query: expected an object from create_query, not {type(query).__name__}")
        if query.context is not self:
            raise ValueError(f"{name}: query: it belongs to another context")
        if query.is_destroyed:
            raise ValueError(f"{name}: query: it was destroyed")
