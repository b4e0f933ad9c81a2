"""Helper threads that share the work of a calling thread."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from backends.system import cpu_count


def most_workers() -> int:
    """The number of CPUs left for workers in addition to the caller, at least one."""
    return max(cpu_count() - 1, 1)


def workers_for(threads: int | None) -> tuple[int, bool]:
    """The number of native workers in addition to the caller, and whether a CPU is left for the caller.

    None: one for each CPU but the caller's. More workers than `most_workers` are not started: each would have to be woken for the phases
    of a frame, and would take the CPU of another one. ValueError for a negative number.
    """
    cpus = cpu_count()
    if threads is None:
        threads = max(cpus - 1, 0)
    if threads < 0:
        raise ValueError(f"threads must not be negative, not {threads}")
    workers = min(threads, most_workers())
    return workers, workers < cpus


class Helpers:
    """At most `count` threads, started when there is work for them, and again in a process that was forked."""

    def __init__(self, count: int, name: str) -> None:
        self._count, self._name = count, name
        self._pool: tuple[int, ThreadPoolExecutor] | None = None

    def run(self, workers: int, work: Callable[[int], None], end: Callable[[], None]) -> None:
        """Call ``work(worker)`` for 0 to `workers` - 1 at once, the first one on this thread; for fewer if the system has no more threads.

        `work` takes remaining pieces until none is left. A helper that has not begun when the caller is done makes no call, and is not
        waited for: on a busy machine it has no CPU yet. If a call raises, or the caller is interrupted, ``end()`` must make all others
        return early. All calls have returned when this method returns or raises their error, because they write memory that the caller
        owns.
        """

        def help_with(worker: int) -> None:
            try:
                work(worker)
            except BaseException:
                end()
                raise

        helpers: list[Future[None]] = []
        try:
            try:
                for worker in range(1, workers):
                    helpers.append(self._submit(help_with, worker))
            except RuntimeError:  # no more threads can be had
                self._give_up()
            work(0)
        except BaseException:
            end()
            raise
        finally:
            _wait_for(helpers, end)
        for helper in helpers:
            if not helper.cancelled():
                helper.result()

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None and self._pool[0] == os.getpid():
            self._pool[1].shutdown()
        self._pool = None

    def _submit(self, task: Callable[[int], None], worker: int) -> Future[None]:
        if self._pool is None or self._pool[0] != os.getpid():  # threads do not survive a fork
            self._pool = os.getpid(), ThreadPoolExecutor(self._count, self._name)
        return self._pool[1].submit(task, worker)

    def _give_up(self) -> None:
        """End the existing threads and drop queued tasks: a failed submission leaves its task in the queue, and it would run later."""
        if self._pool is not None:
            self._pool[1].shutdown(cancel_futures=True)
        self._pool = None


def _wait_for(helpers: list[Future[None]], end: Callable[[], None]) -> None:
    """Wait for all helpers that have begun, however often the caller is interrupted; then ``end()`` makes them return early."""
    interruption: BaseException | None = None
    while not all(helper.done() for helper in helpers):
        try:
            wait([helper for helper in helpers if not helper.cancel()])
        except BaseException as error:  # of a signal handler
            interruption = error
            end()
    if interruption is not None:
        raise interruption
