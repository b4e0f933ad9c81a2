"""Workers come and go between and within flushes without changing the picture."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from backends.raster.control import pool
from tests.unit.raster.canvas import VS_COLOR, Canvas, fs_color
from tests.unit.raster.triangles import random_triangles


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


@pytest.mark.parametrize(
    ("cache", "participants", "expected"), [(None, 1, 1 << 20), (512 << 10, 2, 1 << 20), (1 << 20, 2, 2 << 20), (2 << 20, 64, 4 << 20)]
)
def test_a_window_fits_the_second_level_caches(
    cache: int | None, participants: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "cache_bytes", lambda level: cache)
    assert pool.window_bytes.__wrapped__(participants) == expected
