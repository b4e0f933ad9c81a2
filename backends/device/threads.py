"""Helper threads that share the work of a calling thread."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from functools import partial

from backends.system import cpu_count


def most_workers() -> int:
    """The number of CPUs left for workers in addition to the caller, at least one."""
    return max(cpu_count() - 1, 1)


def workers_for(threads: int | None) -> tuple[int, bool]:
    """The number of native workers in addition to the caller, and whether the caller keeps a CPU of its own.

    None: one for each CPU but the caller's. At most `most_workers` are started: further ones would have to be woken for each phase of a
    frame and only compete for the CPUs. ValueError for a negative number.
    """
    cpus = cpu_count()
    if threads is None:
        threads = max(cpus - 1, 0)
    if threads < 0:
        raise ValueError(f"threads must not be negative, not {threads}")
    workers = min(threads, most_workers())
    return workers, workers < cpus


class _Task:
    """A call for a helper thread. error: the exception that it raised."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.call = call
        self.has_begun = self.is_done = False
        self.error: BaseException | None = None


class _Pool:
    """Threads that carry out tasks. They refer to this object instead of their owner, so that the owner can be collected."""

    def __init__(self, count: int, name: str) -> None:
        self._count, self._name = count, name
        self._tasks: list[_Task] = []
        self._threads: list[threading.Thread] = []
        self._changed = threading.Condition()
        self._idle = 0
        self._is_closed = False

    def submit(self, task: _Task) -> None:
        """Queue a task. RuntimeError if this needs another thread and the system refuses one."""
        with self._changed:
            if self._idle <= len(self._tasks) and len(self._threads) < self._count:
                thread = threading.Thread(target=self._serve, name=f"{self._name}-{len(self._threads)}", daemon=True)
                thread.start()
                self._threads.append(thread)
            self._tasks.append(task)
            self._changed.notify_all()

    def wait_for(self, tasks: list[_Task], end: Callable[[], None]) -> None:
        """Drop tasks that have not begun, and wait for the others.

        If the caller is interrupted, ``end()`` is called to make them return early.
        """
        interruption: BaseException | None = None
        is_over = False
        while not is_over:
            try:
                with self._changed:
                    self._tasks = [task for task in self._tasks if task not in tasks]
                    while not all(task.is_done for task in tasks if task.has_begun):
                        self._changed.wait()
                is_over = True
            except BaseException as error:  # raised by a signal handler
                interruption = error
                end()
        if interruption is not None:
            raise interruption

    def end(self) -> None:
        """Let the threads end after their present tasks."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def close(self) -> None:
        """End the threads, and wait for that."""
        self.end()
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._tasks and not self._is_closed:
                    self._changed.wait()
                self._idle -= 1
                if not self._tasks:
                    return
                task = self._tasks.pop(0)
                task.has_begun = True
            try:
                task.call()
            except BaseException as error:
                task.error = error
            with self._changed:
                task.is_done = True
                self._changed.notify_all()
            del task  # release its objects before waiting for the next task


class Helpers:
    """At most `count` threads, started on first use, and again after a fork.

    A pool of `concurrent.futures` would do, but its import takes 5 ms, and its hooks for forks must not be set while a fork waits
    (`tgsi.language._forks`).
    """

    def __init__(self, count: int, name: str) -> None:
        self._count, self._name = count, name
        self._pool: tuple[int, _Pool] | None = None

    def run(self, workers: int, work: Callable[[int], None], end: Callable[[], None]) -> None:
        """Call ``work(worker)`` for 0 to `workers` - 1 at once, the first one on this thread; for fewer if the system refuses threads.

        `work` takes pieces until none remains. A helper that has not begun when the caller is done is cancelled: on a busy
        machine it may not get a CPU for a while. If a call raises, or the caller is interrupted, ``end()`` must make all others return
        early. All calls have returned when this method returns or raises their error, because they write memory that the caller owns.
        """

        def help_with(worker: int) -> None:
            try:
                work(worker)
            except BaseException:
                end()
                raise

        pool = self._own_pool()
        tasks = [_Task(partial(help_with, worker)) for worker in range(1, workers)]
        try:
            with contextlib.suppress(RuntimeError):  # the system refuses more threads
                for task in tasks:
                    pool.submit(task)
            work(0)
        except BaseException:
            end()
            raise
        finally:
            pool.wait_for(tasks, end)
        for task in tasks:
            if task.error is not None:
                raise task.error

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None and self._pool[0] == os.getpid():
            self._pool[1].close()
        self._pool = None

    def __del__(self) -> None:
        if self._pool is not None and self._pool[0] == os.getpid():
            self._pool[1].end()

    def _own_pool(self) -> _Pool:
        if self._pool is None or self._pool[0] != os.getpid():  # threads do not survive a fork
            self._pool = os.getpid(), _Pool(self._count, self._name)
        return self._pool[1]
