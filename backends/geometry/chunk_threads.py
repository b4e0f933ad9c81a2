"""Threads that work on the chunks of a draw beside the caller."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from backends.device.threads import Helpers


class ChunkThreads:
    """`workers` threads, the caller among them, started when there is something for them."""

    def __init__(self, workers: int) -> None:
        self.workers = max(workers, 1)
        self._helpers = Helpers(self.workers - 1, "stream")

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
            while (number := take()) < chunks:
                work(worker, number)

        def end() -> None:
            nonlocal left
            with lock:
                left = chunks

        self._helpers.run(workers, serve, end)
        return left

    def close(self) -> None:
        """Ends the threads."""
        self._helpers.close()
