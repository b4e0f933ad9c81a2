"""Runs chunks of a draw on all threads, in waves limited by memory. Results are taken in the order of the draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from backends.abi.records import Watch
from backends.geometry.chunk_threads import ChunkThreads
from backends.geometry.shaded import MAX_KEPT, Worker
from backends.raster.draw.packet import Packet

T = TypeVar("T")
Range = tuple[int, int]


class Sink(Protocol):
    """Interface of the renderer for draws with stages."""

    def enqueue(self, packet: Packet) -> None:
        """Take a packet; packets are drawn in the order in which they are taken."""
        ...

    def carry_out(self) -> None:
        """Draw all pending packets; their memory stays valid."""
        ...

    def settle(self, reads: Sequence[Range], writes: Sequence[Range]) -> None:
        """Draw all pending packets if they write memory that `reads` names, or read or write memory that `writes` names."""
        ...


class Waves:
    """The threads of one renderer's stages, and their memory. `workers`: number of threads, with the caller. watch: ends their work."""

    def __init__(self, sink: Sink, workers: int, watch: Watch) -> None:
        self.sink, self._crew = sink, ChunkThreads(workers, watch)
        self.workers: list[Worker] = []  # created for the first draw

    @property
    def count(self) -> int:
        """The number of threads."""
        return self._crew.workers

    @property
    def held(self) -> int:
        """Bytes of vertices and primitives that wait for the rasterizer."""
        return sum(worker.kept.taken + worker.brief.taken for worker in self.workers)

    @property
    def is_ended(self) -> bool:
        """True after an error or an interruption: work in progress is discarded."""
        return self._crew.is_ended

    def start(self) -> None:
        """Allocate the memory of the threads, unless it exists."""
        if not self.workers:
            self.workers = [Worker.of(self._crew.workers) for _ in range(self._crew.workers)]

    def run(self, chunks: int, work: Callable[[Worker, int], Sequence[T]], take: Callable[[T], None], is_alone: bool) -> None:
        """Call ``work(worker, chunk)`` for each chunk, on all threads, and ``take(piece)`` for each piece of the results, in order.

        With `is_alone`, one thread does all chunks in order. Pieces that wait for the rasterizer are in `Worker.kept`; when they take too
        much memory, the rasterizer runs.
        """
        done: dict[int, Sequence[T]] = {}

        def serve(number: int, chunk: int) -> None:
            worker = self.workers[number]
            done[chunk] = work(worker, chunk)
            worker.work.reset()

        start = 0
        while start < chunks:
            if self.held > MAX_KEPT // 2:
                self.sink.carry_out()
                self.reset()
            done.clear()
            end = self._crew.run(start, chunks, serve, lambda: self.held < MAX_KEPT, is_alone)
            for chunk in range(start, end):
                for piece in done[chunk]:
                    take(piece)
            for worker in self.workers:
                worker.brief.reset()
            start = end

    def reset(self) -> None:
        """Free the memory of pieces, after the rasterizer has drawn all of them."""
        for worker in self.workers:
            worker.kept.reset()

    def close(self) -> None:
        """End the threads and free their memory."""
        self._crew.close()
        self.workers.clear()
