"""The threads, the caller among them, that work on the chunks of a draw."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from backends.abi.records import Watch
from backends.device.threads import Helpers


class ChunkThreads:
    """`workers` threads, the caller among them, started on first use."""

    def __init__(self, workers: int, watch: Watch | None = None) -> None:
        """watch: interrupts native code."""
        self.workers, self._watch = max(workers, 1), watch or Watch(0)
        self._helpers = Helpers(self.workers - 1, "stream")
        self._is_ended = False  # a call raised an error, or the caller was interrupted

    @property
    def is_ended(self) -> bool:
        """True if long calls should return early."""
        return self._is_ended or bool(self._watch.record.stop)

    def run(self, first: int, chunks: int, work: Callable[[int, int], None], has_room: Callable[[], bool], is_alone: bool = False) -> int:
        """Call ``work(worker, chunk)`` for the chunks from `first` on, each once, in any order, while ``has_room()`` is true.

        A worker works on one chunk at a time; with `is_alone` the caller does all of them in order. Returns the first remaining chunk; at
        least one is always done. An error of a call, or the exception that ends the watch, is raised after all workers have stopped.
        """
        workers = 1 if is_alone else min(self.workers, chunks - first)
        lock, next_chunk = Lock(), first
        watch, self._is_ended = self._watch, False

        def take() -> int:
            nonlocal next_chunk
            with lock:
                if next_chunk >= chunks or watch.look() or not (next_chunk == first or has_room()):
                    return chunks
                next_chunk += 1
                return next_chunk - 1

        def serve(worker: int) -> None:
            while (number := take()) < chunks:
                work(worker, number)

        def end() -> None:
            nonlocal next_chunk
            self._is_ended = True
            watch.stop()
            with lock:
                next_chunk = chunks

        try:
            watch.begin()
            self._helpers.run(workers, serve, end)
        except BaseException:
            watch.forget()
            raise
        watch.end()
        return next_chunk

    def close(self) -> None:
        """End the threads."""
        self._helpers.close()
