"""`tgsi.frames`: order, processes that die, executors of all kinds, and the same bytes as one process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from tests.unit.frames import drawn

ROOT = Path(__file__).parents[3]


@pytest.mark.nightly
def test_processes_draw_the_bytes_of_one_process_in_order() -> None:
    pictures = list(tgsi.frames(drawn.clear, range(6), workers=2))
    assert np.array_equal(pictures, [drawn.clear(frame) for frame in range(6)])


@pytest.mark.nightly
def test_frames_of_a_worker_that_died_are_drawn_again(tmp_path: Path) -> None:
    frames = [(number, str(tmp_path / "dead")) for number in range(7)]
    assert list(tgsi.frames(drawn.dies_once, frames, workers=2)) == list(range(7))
    assert (tmp_path / "dead").exists()


@pytest.mark.nightly
def test_frames_of_a_worker_that_is_killed_are_drawn_by_others() -> None:
    found = tgsi.frames(drawn.slow, range(20), workers=2)
    first, process = next(found)
    os.kill(process, signal.SIGKILL)
    rest = list(found)
    assert [first, *(frame for frame, _ in rest)] == list(range(20))
    assert process not in {other for _, other in rest[8:]}, "frames under way when it died, and none after"


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("kind", ["frames", pytest.param("verify", marks=pytest.mark.nightly)])
def test_workers_end_when_their_program_is_killed(kind: str) -> None:
    command = [sys.executable, "-m", "tests.unit.frames.killed", kind]
    program = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert program.stdout is not None
    with program, program.stdout:
        workers = {int(program.stdout.readline()) for _ in range(4)}
        program.kill()
    end = time.monotonic() + 60
    while any(map(is_running, workers)):
        assert time.monotonic() < end, "workers are left"
        time.sleep(0.02)


@pytest.mark.nightly
def test_an_executor_that_is_broken_for_good_is_told() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        found = tgsi.frames(drawn.dies, range(3), executor)
        assert next(found) == 0
        with pytest.raises(RuntimeError, match=r"frames: frame 1, 1: .*ProcessPoolExecutor has no new workers; .*executor=None"):
            list(found)


@pytest.mark.nightly
def test_a_frame_whose_workers_die_each_time_is_named() -> None:
    found = tgsi.frames(drawn.dies, range(3), workers=1)
    assert next(found) == 0
    with pytest.raises(RuntimeError, match=r"frames: frame 1, 1: its worker died 3 times; does drawing it end the process\?"):
        next(found)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ThreadPool])
def test_executors_and_pools_are_taken_as_they_are(kind: Any) -> None:
    with kind(2) as executor:
        assert list(tgsi.frames(drawn.square, iter(range(20)), executor)) == [k * k for k in range(20)]
        arrays = list(tgsi.frames(drawn.resource, range(3), executor))
        assert [array.shape for array in arrays] == [(1, 1, 1), (1, 2, 1), (1, 3, 1)]


def test_an_exception_of_a_frame_is_raised_in_its_place() -> None:
    with ThreadPoolExecutor(2) as executor:
        found = tgsi.frames(drawn.raises, range(9), executor)
        assert [next(found) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(ValueError, match="no third frame"):
            next(found)


def test_few_frames_are_under_way() -> None:
    taken: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    with ThreadPoolExecutor(1) as executor:
        found = tgsi.frames(drawn.square, numbers(), executor, workers=2)
        assert next(found) == 0
        assert len(taken) <= 8
        found.close()  # type: ignore[attr-defined]
    assert len(taken) <= 8


def test_progress_counts_frames() -> None:
    told: list[tuple[int, int | None]] = []
    with ThreadPoolExecutor(1) as executor:
        list(tgsi.frames(drawn.square, range(3), executor, progress=lambda done, total: told.append((done, total))))
        list(tgsi.frames(drawn.square, iter(range(1)), executor, progress=lambda done, total: told.append((done, total))))
    assert told == [(1, 3), (2, 3), (3, 3), (1, None)]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"draw": 3}, TypeError, "draw: expected a function"),
        ({"frames": 3}, TypeError, "frames: expected an iterable"),
        ({"frames": "abc"}, TypeError, "frames: expected an iterable"),
        ({"draw": lambda frame: frame}, TypeError, "cannot be sent to another process"),
        ({"executor": 3}, TypeError, "executor: expected a concurrent.futures.Executor"),
        ({"workers": 0}, ValueError, "workers: expected a number of at least 1"),
        ({"threads": -1}, ValueError, "threads: expected a number from 0"),
    ],
)
def test_wrong_arguments_are_named(given: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tgsi.frames(**{"draw": drawn.square, "frames": range(3), **given})


@pytest.mark.nightly
def test_a_program_without_a_main_guard_is_told(tmp_path: Path) -> None:
    (tmp_path / "film.py").write_text("import tgsi\ndef draw(k):\n    return k\nprint(list(tgsi.frames(draw, range(3), workers=1)))\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "film.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 1
    assert "put the call below `if __name__ == '__main__':`" in done.stderr


@pytest.mark.nightly
def test_dask_draws_the_bytes_of_one_process() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor: Executor = client.get_executor()
        pictures = list(tgsi.frames(drawn.clear, range(5), executor))
    assert np.array_equal(pictures, [drawn.clear(frame) for frame in range(5)])
