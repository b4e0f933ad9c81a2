"""Cache of compiled variants in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import field
from typing import Generic, TypeVar

from tgsi.language._forks import freed_after_fork, renew_after_fork
from tgsi.language.diagnostics import TimeLimitError
from tgsi.language.record import record

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@record(frozen=False, eq=False)
class _Pending(Generic[V]):
    """A value that a thread is building."""

    done: threading.Event = field(default_factory=threading.Event)
    value: V | None = None
    error: BaseException | None = None


class VariantCache(Generic[K, V]):
    """Values by key. A missing value is built once; the least recently used values are dropped first.

    max_count limits the number of values, max_weight the sum of their weights. The lock is not held while a value is built, so other keys
    can be requested at the same time; threads that request the same key wait for the one that builds it. A build that raises stores
    nothing, and every waiting thread gets the exception. Dropped values live on while they are in use.
    """

    def __init__(
        self,
        build: Callable[[K], V],
        *,
        max_count: int = 1024,
        max_weight: int = 1 << 20,
        weight: Callable[[V], int] = lambda value: 1,
    ) -> None:
        if max_count < 1 or max_weight < 1:
            raise ValueError("max_count and max_weight must be positive")
        self._build, self._weigh = build, weight
        self.max_count, self.max_weight = max_count, max_weight
        self._lock = freed_after_fork(threading.Lock())
        self._values: OrderedDict[K, tuple[V, int, K]] = OrderedDict()
        self._pending: dict[K, _Pending[V]] = {}
        self._total = 0
        renew_after_fork(self)

    def renew_in_child(self) -> None:
        """Forget values under construction by threads of the parent process; `get` builds them again."""
        self._pending.clear()
        self._total = sum(weight for _, weight, _ in self._values.values())

    def __len__(self) -> int:
        return len(self._values)

    @property
    def total_weight(self) -> int:
        """Sum of the weights of all values."""
        return self._total

    def get(self, key: K) -> V:
        """Value of `key`, which is built if it is missing."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(value[2])  # the stored key itself, whose look-ups compare identity before fields
                return value[0]
            pending = self._pending.get(key)
            owner = pending is None
            if pending is None:
                pending = self._pending[key] = _Pending()
        if not owner:
            pending.done.wait()
            if isinstance(pending.error, TimeLimitError) or not isinstance(pending.error, Exception | None):
                return self.get(key)  # another thread's call was interrupted
            if pending.error is not None:
                raise pending.error
            return pending.value  # type: ignore[return-value]
        try:
            pending.value = self._build(key)
            self._store(key, pending.value)
        except BaseException as error:
            pending.error = error
            raise
        finally:
            with self._lock:
                del self._pending[key]
            pending.done.set()
        return pending.value

    def _store(self, key: K, value: V) -> None:
        weight = self._weigh(value)
        with self._lock:
            self._values[key] = (value, weight, key)
            self._total += weight
            while len(self._values) > 1 and (len(self._values) > self.max_count or self._total > self.max_weight):
                _, (_, gone, _) = self._values.popitem(last=False)
                self._total -= gone

    def clear(self) -> None:
        """Drop all values except those under construction."""
        with self._lock:
            self._values.clear()
            self._total = 0
