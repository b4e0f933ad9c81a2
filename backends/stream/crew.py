"""Threads that work on the chunks of a draw beside the caller."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock


class Crew:
    """`workers` threads, the caller among them, started when there is something for them."""

    def __init__(self, workers: int) -> None:
        self.workers = max(workers, 1)
        self._pool: tuple[int, ThreadPoolExecutor] | None = None

    def run(self, first: int, chunks: int, work: Callable[[int, int], None], has_room: Callable[[], bool], is_alone: bool = False) -> int:
        """Calls ``work(worker, chunk)`` for the chunks from `first` on, each once, in any order, as long as ``has_room()``.

        A worker works on one chunk at a time; the caller does all, in order, where it `is_alone`. Returns the first chunk that is left;
        one is always done. Raises what a call raises, when all workers have stopped.
        """
        workers = 1 if is_alone else min(self.workers, chunks - first)
        lock, left = Lock(), first

        def take() -> int:
            nonlocal left
            with lock:
                if left >= chunks or not (left == first or has_room()):
                    return chunks
                left += 1
                return left - 1

        def serve(worker: int) -> None:
            nonlocal left
            try:
                while (number := take()) < chunks:
                    work(worker, number)
            except BaseException:
                with lock:  # the others end early
                    left = chunks
                raise

        helpers: list[Future[None]] = []
        try:
            try:
                for worker in range(1, workers):
                    helpers.append(self._submit(serve, worker))
            except RuntimeError:  # no more threads can be had
                self._give_up()
            serve(0)
        finally:
            _wait_for(helpers)
        for helper in helpers:
            if not helper.cancelled():
                helper.result()
        return left

    def close(self) -> None:
        """Ends the threads."""
        if self._pool is not None and self._pool[0] == os.getpid():
            self._pool[1].shutdown()
        self._pool = None

    def _submit(self, task: Callable[[int], None], worker: int) -> Future[None]:
        if self._pool is None or self._pool[0] != os.getpid():  # threads do not survive a fork
            self._pool = os.getpid(), ThreadPoolExecutor(self.workers - 1, "stream")
        return self._pool[1].submit(task, worker)

    def _give_up(self) -> None:
        if self._pool is not None:
            self._pool[1].shutdown(cancel_futures=True)
        self._pool = None


def _wait_for(helpers: list[Future[None]]) -> None:
    """Until all have ended, however often the caller is interrupted: they write memory of the draw."""
    interruption: KeyboardInterrupt | None = None
    while not all(helper.done() for helper in helpers):
        try:
            wait(helpers)
        except KeyboardInterrupt as error:
            interruption = error
    if interruption is not None:
        raise interruption
