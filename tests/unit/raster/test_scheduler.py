"""Workers come and go between and within flushes without changing the picture."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from backends.device import threads as helpers
from backends.raster.control import pool
from tests.unit.raster.canvas import VS_COLOR, Canvas, fs_color
from tests.unit.raster.triangles import random_triangles

MOST_WORKERS = helpers.most_workers  # before conftest.py lets tests run more


@pytest.mark.parametrize(("threads", "helps"), [(1, True), (3, True), (3, False), (7, False)])
def test_hundreds_of_small_flushes_with_late_workers(threads: int, helps: bool) -> None:
    rng = np.random.default_rng(1)
    position = np.concatenate([random_triangles("small", 300, 2), random_triangles("huge", 6, 3)]).reshape(-1, 4)
    color = rng.uniform(0, 1, (len(position), 4)).astype("f4")
    with Canvas(256, 192) as alone:
        alone.draw_arrays(VS_COLOR, fs_color("PERSPECTIVE"), [position, color])
        wanted = alone.image()
    with Canvas(256, 192, threads=threads, helps=helps, batch=64, window=2) as c:
        for k in range(150):
            c.wipe()
            c.draw_arrays(VS_COLOR, fs_color("PERSPECTIVE"), [position, color])
            c.flush()
            if k % 10 == 0:
                assert np.array_equal(c.image(), wanted)


def test_renderers_of_several_threads_do_not_disturb_each_other() -> None:
    position = random_triangles("small", 200, 2).reshape(-1, 4)
    color = np.ones((len(position), 4), "f4")
    found = []

    def work() -> None:
        with Canvas(128, 128, threads=2, batch=50, window=2) as c:
            for _ in range(40):
                c.wipe()
                c.draw_arrays(VS_COLOR, fs_color("PERSPECTIVE"), [position, color])
                c.flush()
            found.append(c.image().tobytes())

    owners = [threading.Thread(target=work) for _ in range(3)]
    for t in owners:
        t.start()
    for t in owners:
        t.join()
    assert len(found) == 3
    assert len(set(found)) == 1


def test_sixteen_threads_on_two_cpus_draw_the_same_bytes_in_parts_and_at_once() -> None:
    position = np.concatenate([random_triangles("small", 700, 2), random_triangles("huge", 6, 3)]).reshape(-1, 4)
    color = np.random.default_rng(1).uniform(0, 1, (len(position), 4)).astype("f4")
    found = set()
    for threads, ahead in ((0, 2048), (15, 2048), (15, 64), (63, 64)):
        with Canvas(256, 192, threads=threads, helps=True, batch=64, window=4, ahead=ahead) as c:
            for _ in range(10):
                c.wipe()
                for _ in range(3):
                    c.draw_arrays(VS_COLOR, fs_color("PERSPECTIVE"), [position, color])
                c.flush()
                found.add(c.image().tobytes())
    assert len(found) == 1


@pytest.mark.parametrize("threads", [15, 63])
def test_frames_of_many_threads_on_two_cpus_take_little_more_processor_time_than_those_of_two(threads: int) -> None:
    """At most 1.25 of it, so that busy processors draw at least 0.8 of the frames. The least time counts: other load adds to most."""
    position = random_triangles("small", 30_000, 2).reshape(-1, 4)
    color = np.random.default_rng(1).uniform(0, 1, (len(position), 4)).astype("f4")
    with Canvas(1024, 768, threads=1, helps=True) as two, Canvas(1024, 768, threads=threads, helps=True) as many:
        best, found = {two: float("inf"), many: float("inf")}, set()
        for turn in range(100):
            for canvas in best:
                start = time.process_time()
                canvas.wipe()
                canvas.draw_arrays(VS_COLOR, fs_color("PERSPECTIVE"), [position, color])
                canvas.flush()
                best[canvas] = min(best[canvas], time.process_time() - start)
            if turn % 20 == 19:
                found |= {canvas.image().tobytes() for canvas in best}
                if best[two] >= 0.8 * best[many]:
                    break
        assert len(found) == 1
        assert best[two] >= 0.8 * best[many]


def test_workers_beyond_the_cpus_of_the_process_are_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helpers, "most_workers", MOST_WORKERS)
    for cpus, wanted in ((1, {0: 0, 1: 1, 16: 1}), (2, {0: 0, 1: 1, 16: 1}), (64, {0: 0, 1: 1, 16: 16, 64: 63, None: 63})):
        monkeypatch.setattr(helpers, "cpu_count", lambda cpus=cpus: cpus)
        assert {threads: helpers.workers_for(threads)[0] for threads in wanted} == wanted
        assert {threads: helpers.workers_for(threads)[1] for threads in wanted} == {
            threads: number < cpus for threads, number in wanted.items()
        }


@pytest.mark.parametrize(
    ("cache", "participants", "expected"), [(None, 1, 1 << 20), (512 << 10, 2, 1 << 20), (1 << 20, 2, 2 << 20), (2 << 20, 64, 4 << 20)]
)
def test_a_window_fits_the_second_level_caches(
    cache: int | None, participants: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "cache_bytes", lambda level: cache)
    assert pool.window_bytes.__wrapped__(participants) == expected
