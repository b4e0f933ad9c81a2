"""Workers that begin before a flush change neither bytes nor counts, and touch no memory that is gone."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from backends.device.bound import DrawState
from backends.device.copy_job import Copy
from backends.device.counters import Statistics
from backends.device.framebuffer import Framebuffer
from backends.device.region import aligned
from backends.formats import Format
from backends.pipe.enums import Prim
from backends.pipe.state import DrawInfo, RasterizerState, ScissorState, VertexElement
from backends.raster.control.pool import Pool
from tests.property.test_spans import HEIGHT, WIDTH, Scene
from tests.unit.raster.canvas import ADD, RGBA32F, VS_COLOR, Canvas, changed, fs_color, of_draws, with_shaders
from tests.unit.raster.triangles import random_triangles

pytestmark = pytest.mark.usefixtures("quick_collections")

WAYS: list[dict[str, Any]] = [
    {"threads": 1},
    {"threads": 2, "window": 2},
    {"threads": 7, "window": 5, "batch": 64},
    {"threads": 2, "arena": 1, "window": 3},
    {"threads": 1, "arena": 1, "batch": 300},
    {"threads": 3, "batch": 7, "spans": 3},
]
SIZE = 96


def opened(width: int = SIZE, height: int = SIZE, **options: Any) -> Canvas:
    """A canvas whose workers begin as soon as there is a full batch: its threads run."""
    canvas = Canvas(width, height, **{"helps": True, "ahead": 1} | options)
    canvas.wipe()
    canvas.flush()
    return canvas


def wait(canvas: Canvas) -> None:
    """Wait until the workers have nothing to do."""
    end = time.monotonic() + 30
    while not canvas._pool.is_idle:
        assert time.monotonic() < end
        time.sleep(1e-4)


def begun(canvas: Canvas) -> int:
    """Number of pending batches that workers have begun with."""
    wait(canvas)
    scene = canvas._pool.scene
    return int(scene.shared.next_batch) if scene.window.is_open else 0


def begin_with_all(canvas: Canvas, draws: Draws, times: int) -> None:
    """Queue draws and let workers begin with all of them at once."""
    commands = canvas._executor.record
    commands.ahead = 1 << 40
    draws(times)
    commands.ahead = 0
    draws(1)


class Draws:
    """Draws of ten triangles each, of a combination that is known from the second one on."""

    def __init__(self, canvas: Canvas, **changes: Any) -> None:
        self.canvas, position = canvas, np.concatenate([random_triangles("small", 8, 2), random_triangles("huge", 2, 3)]).reshape(-1, 4)
        color = np.full((len(position), 4), 1 / 255, "f4")  # no sum of a test reaches 1
        bound = {
            "vertex_elements": tuple(VertexElement(0, RGBA32F, k) for k in range(2)),
            "vertex_buffers": (canvas.vertex_buffer(position), canvas.vertex_buffer(color)),
            "blend": ADD,
        }
        self.state = with_shaders(changed(canvas.state, **bound | changes), VS_COLOR, fs_color("PERSPECTIVE"))
        self.info = DrawInfo(mode=Prim.TRIANGLES, count=len(position))

    def __call__(self, times: int) -> None:
        for _ in range(times):
            self.canvas.draw(self.state, self.info)


def drawn(seed: int, **options: Any) -> tuple[bytes, Statistics]:
    with opened(WIDTH, HEIGHT, depth=Format.Z32_FLOAT, **options) as canvas:
        canvas.state.count_statistics = canvas.state.count_samples = True
        scene, data = Scene(canvas, seed), b""
        for k in range(3):
            canvas.wipe((0.1, 0.2, 0.3, 0.4))
            scene.draw()
            if k == 1:
                wait(canvas)
            canvas.wipe((0.3, 0.2, 0.1, k / 2), 0.7) if k == 2 else None
            scene.draw()
            data += canvas.image().tobytes() + canvas.depth_bytes().tobytes()
        return data, of_draws(canvas.statistics())


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))])
def test_bytes_and_counts_are_those_of_one_thread(seed: int) -> None:
    for options in WAYS:
        assert drawn(seed + 20, **options) == drawn(seed + 20, **options | {"threads": 0}), options


@pytest.mark.parametrize("threads", [1, 3])
def test_workers_begin_before_the_flush(threads: int) -> None:
    with opened(threads=threads, batch=20) as canvas:
        draws = Draws(canvas)
        draws(60)
        assert begun(canvas) > 0
        runs = canvas.runs
        canvas.flush()
        assert canvas.runs == runs + 1
        assert begun(canvas) == 0


@pytest.mark.parametrize("options", [{"threads": 0}, {"threads": 1, "ahead": 0}, {"threads": 2, "helps": False}])
def test_workers_wait_for_the_flush_where_no_cpu_is_free_or_the_option_is_off(options: dict[str, Any]) -> None:
    with opened(batch=20, **options) as canvas:
        Draws(canvas)(60)
        assert begun(canvas) == 0


def test_windows_are_those_of_a_flush_in_one_part() -> None:
    found = []
    for options in ({"threads": 0}, {"threads": 1}):
        with opened(batch=20, window=8, **options) as canvas:
            draws = Draws(canvas)
            for _ in range(9):
                draws(10)
                wait(canvas)
            canvas.flush()
            found.append(int(canvas._pool.scene.totals.num_windows))
    assert found[0] == found[1] > 4


def test_tiles_of_a_full_window_are_drawn_before_the_flush() -> None:
    with opened(threads=1, batch=20, window=4) as canvas:
        before = canvas.colors[0].keepalive.copy()  # type: ignore[attr-defined]
        draws = Draws(canvas)
        for _ in range(6):
            draws(10)
            wait(canvas)
        assert not np.array_equal(canvas.colors[0].keepalive, before)  # type: ignore[arg-type]
        assert canvas.uses(canvas.colors[0].address, 1, for_reading=True)


@pytest.mark.parametrize("window", [4, 64])
def test_copies_between_draws_leave_what_was_begun_intact(window: int) -> None:
    images = []
    for threads in (0, 1):
        with opened(threads=threads, batch=20, window=window) as canvas:
            draws, source = Draws(canvas), canvas.memory(np.arange(50000).astype("u1"))
            target = canvas.memory(np.zeros(50000, "u1"))
            for _ in range(3):
                for _ in range(4):
                    draws(6)
                    wait(canvas)
                canvas.copy(Copy(source.address, 50000, target.address, 50000, 50000, 1))
            images.append(canvas.image().tobytes())
            assert np.array_equal(source.keepalive[:50000], target.keepalive[:50000])  # type: ignore[index]
    assert images[0] == images[1]


@pytest.mark.parametrize("window", [4, 64])
def test_what_was_begun_is_binned_again_for_more_layers(window: int) -> None:
    images = []
    for threads in (0, 1):
        with opened(threads=threads, batch=20, window=window) as canvas:
            one = canvas.colors[0]
            memory = aligned(4 * len(one.keepalive))  # type: ignore[arg-type]
            canvas.colors[0] = replace(
                one, address=memory.ctypes.data, layer_stride=len(memory) // 4, layers=4, keepalive=memory[: len(memory) // 4]
            )
            canvas.set_framebuffer(Framebuffer(SIZE, SIZE, (canvas.colors[0],), None, 4))
            draws = Draws(canvas)
            for layers in (1, 4):
                canvas._resize(layers)  # as a draw that names layers does
                assert canvas._pool.scene.shared.next_batch == canvas._pool.scene.window.first_batch
                for _ in range(4):
                    draws(6)
                    wait(canvas)
            canvas.flush()
            images.append(memory.tobytes())
    assert images[0] == images[1]
    assert any(images[0])


def test_a_clear_comes_after_tiles_that_workers_draw() -> None:
    """No batch follows the clear: the last draw lets workers begin, but has no pixel itself."""
    with opened(768, 768, threads=1, batch=20, window=1) as canvas:
        draws = Draws(canvas, rasterizer=RasterizerState(scissor=True), scissors=(ScissorState(0, 0, 768, 768),))
        for k in range(60):
            color = (k % 7 / 7, 0.2, 0.4, 1.0)
            draws(8)
            canvas.wipe()
            draws.state.scissors = (ScissorState(5, 5, 5, 5),)
            draws(1)
            time.sleep(k % 10 * 1e-4)
            canvas.wipe(color)
            canvas.flush()
            draws.state.scissors = (ScissorState(0, 0, 768, 768),)
            assert (canvas.image().reshape(-1, 4) == np.rint(np.array(color) * 255).astype("u1")).all()


class Owner:
    """An attribute that looks at a pool when its object is taken apart."""

    def __init__(self, pool: Pool, found: list[bool]) -> None:
        self.pool, self.found = pool, found

    def __del__(self) -> None:
        self.found.append(self.pool.is_idle)


@pytest.mark.parametrize("of_state", [False, True])
def test_a_forgotten_renderer_ends_what_its_workers_began(of_state: bool) -> None:
    found: list[bool] = []
    for _ in range(5):
        canvas = opened(1024, 1024, threads=1, batch=20, window=1)
        draws = Draws(canvas)
        owner = draws.state if of_state else canvas
        vars(owner)["owner"] = Owner(canvas._pool, found)
        begin_with_all(canvas, draws, 60)
        kept = canvas if of_state else draws.state  # the one goes before the other
        draws.canvas = None  # type: ignore[assignment]
        del canvas, draws, owner
        gc.collect()
        del kept
        gc.collect()
    assert found == [True] * 5


def test_a_closed_renderer_wakes_no_worker() -> None:
    canvas = opened(threads=1, batch=20)
    draws = Draws(canvas)
    draws(60)
    canvas.close()
    draws(60)
    assert begun(canvas) == 0
    with pytest.raises(ValueError, match="closed"):
        canvas.flush()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_waits_for_workers_and_both_processes_go_on() -> None:
    with opened(512, 512, threads=1, batch=20, window=3) as canvas, opened(512, 512, threads=0) as plain:
        draws, others = Draws(canvas), Draws(plain)
        others(201)
        wanted = plain.image()
        for _ in range(5):
            canvas.wipe()
            begin_with_all(canvas, draws, 180)
            child = os.fork()
            draws(20)
            if child == 0:
                was_idle = canvas._pool.is_idle
                grandchild = os.fork()
                is_wrong = not was_idle or not np.array_equal(canvas.image(), wanted)
                os._exit(int(is_wrong or bool(grandchild and os.waitpid(grandchild, 0)[1])))
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert np.array_equal(canvas.image(), wanted)
        draws(60)
        assert begun(canvas) > 0


def test_a_program_may_end_while_workers_draw() -> None:
    text = """
import tests.unit.raster.test_ahead as t
canvas = t.opened(1024, 1024, threads=1, batch=20, window=3)
t.Draws(canvas)(20000)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_thread_may_wait_for_workers() -> None:
    with opened(512, 512, threads=1, batch=20, window=1) as canvas:
        draws = Draws(canvas)
        for _ in range(5):
            begin_with_all(canvas, draws, 100)
            other = threading.Thread(target=canvas._pool.wait)
            other.start()
            other.join()
            assert begun(canvas) > 40
            canvas.flush()


def test_new_targets_come_after_what_workers_began() -> None:
    with opened(threads=1, batch=20, window=3) as canvas, opened(threads=0) as plain:
        images = []
        for c in (canvas, plain):
            draws, other = Draws(c), Canvas(SIZE, SIZE)
            draws(100)
            c.set_framebuffer(Framebuffer(SIZE, SIZE, tuple(other.colors), None))
            draws(100)
            c.flush()
            images.append(c.colors[0].keepalive.copy())  # type: ignore[attr-defined]
            images.append(other.colors[0].keepalive.copy())  # type: ignore[attr-defined]
        assert np.array_equal(images[0], images[2])
        assert np.array_equal(images[1], images[3])
        assert images[1].any()
        assert isinstance(draws.state, DrawState)


def test_workers_do_not_come_to_a_pass_whose_targets_change() -> None:
    """A draw without a pixel lets workers begin, but leaves the open pass without work, so that others take its place."""
    with opened(768, 768, threads=1, batch=20, window=1) as canvas:
        pool, commands, whole = canvas._pool, canvas._executor.record, (ScissorState(0, 0, 768, 768),)
        small, wide = (Framebuffer(w, h, tuple(Canvas(w, h).colors), None) for w, h in ((20, 20), (2048, 1024)))
        draws = Draws(canvas, rasterizer=RasterizerState(scissor=True), scissors=whole)
        for framebuffer in (small, pool.passes.framebuffer):
            canvas.set_framebuffer(framebuffer)
            draws(2)
            canvas.flush()
        count, guarded = len(pool.coarse), np.full(1024, 7, np.float32)
        guarded[:count] = pool.coarse
        pool.coarse, pool.scene.tiles.farthest = guarded[:count], guarded.ctypes.data
        commands.ahead = 1 << 40
        draws(300)
        canvas.set_framebuffer(small)
        draws.state.scissors, commands.ahead = (ScissorState(5, 5, 5, 5),), 0
        draws(1)
        canvas.set_framebuffer(wide)
        draws.state.scissors = whole
        draws(1)
        canvas.flush()
        assert (guarded[count:] == 7).all()


def test_work_at_once_that_does_not_begin_leaves_pending_work_as_it_was() -> None:
    with opened(threads=0, batch=20) as canvas:
        pool, draws = canvas._pool, Draws(canvas)
        draws(3)
        before = pool.passes.count, bytes(pool.scene.tiles)
        with pytest.raises(TypeError):
            pool.run_tiles(None, 3, 3)  # type: ignore[arg-type]
        assert (pool.passes.count, bytes(pool.scene.tiles)) == before
