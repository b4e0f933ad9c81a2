"""Threads that work on chunks."""

from __future__ import annotations

import threading

import pytest

from backends.geometry.chunk_threads import ChunkThreads

pytestmark = pytest.mark.light


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_chunk_is_done_once_and_by_one_worker_at_a_time(workers: int) -> None:
    crew, done, busy = ChunkThreads(workers), [], [threading.Lock() for _ in range(workers)]

    def work(worker: int, chunk: int) -> None:
        assert busy[worker].acquire(blocking=False)
        done.append(chunk)
        busy[worker].release()

    assert crew.run(3, 50, work, lambda: True) == 50
    assert sorted(done) == list(range(3, 50))
    crew.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_without_room_a_wave_ends_but_one_chunk_is_always_done(workers: int) -> None:
    crew, done = ChunkThreads(workers), set()
    first = 0
    while first < 20:
        end = crew.run(first, 20, lambda _, chunk: done.add(chunk), lambda: False)
        assert end > first
        assert done == set(range(end))
        first = end
    crew.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_ends_the_wave_and_is_raised(workers: int) -> None:
    crew, done = ChunkThreads(workers), []

    def work(worker: int, chunk: int) -> None:
        if chunk == 5:
            raise ValueError("five")
        done.append(chunk)

    with pytest.raises(ValueError, match="five"):
        crew.run(0, 10_000, work, lambda: True)
    assert len(done) < 10_000 or workers == 1
    assert crew.run(0, 4, lambda _, chunk: done.append(chunk), lambda: True) == 4
    crew.close()


def test_one_alone_works_in_order() -> None:
    crew, done = ChunkThreads(4), []
    assert crew.run(0, 30, lambda worker, chunk: done.append((worker, chunk)), lambda: True, True) == 30
    assert done == [(0, chunk) for chunk in range(30)]
    crew.close()


@pytest.mark.parametrize("workers", [1, 2])
def test_long_calls_can_see_that_the_wave_has_ended(workers: int) -> None:
    crew = ChunkThreads(workers)

    def work(worker: int, chunk: int) -> None:
        if chunk == 0:
            raise KeyError
        while not crew.is_ended:
            pass

    with pytest.raises(KeyError):
        crew.run(0, workers, work, lambda: True)
    assert crew.run(0, 3, lambda worker, chunk: None, lambda: True) == 3
    assert not crew.is_ended
    crew.close()
