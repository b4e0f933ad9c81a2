"""A process that is forked while threads compile and draw: the child compiles and draws, too."""

from __future__ import annotations

import os
import sys
import threading
import time
from functools import partial
from importlib import _bootstrap, import_module
from pathlib import Path

import numpy as np
import pytest

import tgsi
from backends.gallium.resource.layout import Accounting
from backends.llvm.engine import linking
from backends.llvm.engine.variants import VariantCache
from tests.children import exit_code, start
from tests.texts import VS_POSITION
from tgsi.language import _forks
from tgsi.language._forks import cached_property

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")

FRAGMENT = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {{ {0}, 0.5, 0.25, 1.0 }}\nMOV OUT[0], IMM[0]\nEND\n"
CORNERS = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32)


def picture(red: float) -> bytes:
    """Draw one triangle over a whole target with a program that no cache has. red: makes the program."""
    with tgsi.Screen(cache_dir="", threads=1) as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R8G8B8A8_UNORM", width0=8, height0=8)
        prepare(ctx, target, red)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        with ctx.transfer_map(target, usage="READ") as pixels:
            return np.array(pixels).tobytes()


def prepare(ctx: tgsi.gallium.Context, target: tgsi.gallium.Resource, red: float) -> None:
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.set_viewport_states([{"scale": (4, 4, 0.5), "translate": (4, 4, 0.5)}])
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
    ctx.set_vertex_buffers([CORNERS])
    ctx.bind_vs_state(ctx.create_vs_state(VS_POSITION))
    ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT.format(red)))


def expected(red: float) -> bytes:
    return bytes([round(min(red, 1) * 255), 128, 64, 255]) * 64


def assert_children_draw(forks: int) -> None:
    """Fork again and again while one thread compiles and another one draws."""
    stop, serial = threading.Event(), iter(range(1 << 30))

    def compile_and_draw() -> None:
        while not stop.is_set():
            picture(1 + next(serial) / 1024)

    threads = [threading.Thread(target=compile_and_draw) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(forks):
            time.sleep(0.01 * (number % 7))

            def draw(number: int = number) -> None:
                assert picture(number / 256) == expected(number / 256)

            assert exit_code(start(draw)) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_child_of_a_process_that_compiles_compiles() -> None:
    assert_children_draw(5)


@pytest.mark.nightly
def test_a_hundred_children_compile_and_draw() -> None:
    assert_children_draw(100)


def test_a_fork_waits_for_modules_that_other_threads_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "takes_long.py").write_text("import time\ntime.sleep(0.3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    thread = threading.Thread(target=import_module, args=("takes_long",))
    thread.start()
    while "takes_long" not in sys.modules:
        time.sleep(0.001)
    code = exit_code(start(partial(import_module, "takes_long")))
    thread.join()
    assert code == 0


PACKAGE = """
import os, threading, time
from half_done import whole
while threading.current_thread() is not threading.main_thread() and not os.path.exists({go!r}):
    time.sleep(0.001)
VALUE = 5
"""


def test_a_child_imports_anew_what_a_thread_of_the_parent_has_imported_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import may begin between the fork and the wait for imports, or take longer than the wait."""
    go = tmp_path / "go"
    (tmp_path / "half_done").mkdir()
    (tmp_path / "half_done" / "__init__.py").write_text(PACKAGE.format(go=str(go)))
    (tmp_path / "half_done" / "whole.py").write_text("VALUE = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_forks, "_PATIENCE", 0.0)
    thread = threading.Thread(target=import_module, args=("half_done",))
    thread.start()
    while "half_done.whole" not in sys.modules or sys.modules["half_done.whole"].__spec__._initializing:  # type: ignore[union-attr]
        time.sleep(0.001)

    def use() -> None:
        assert import_module("half_done").VALUE == 5
        assert import_module("half_done.whole").VALUE == 7

    child = start(use)
    code = exit_code(child)
    go.touch()
    thread.join()
    assert code == 0
    assert sys.modules["half_done"].VALUE == 5


def test_a_child_takes_no_lock_of_a_module_that_a_thread_of_the_parent_was_about_to_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "begun_late.py").write_text("VALUE = 5\n")
    monkeypatch.syspath_prepend(tmp_path)
    lock = _bootstrap._get_module_lock("begun_late")  # type: ignore[attr-defined]
    with lock.lock:
        child = start(partial(import_module, "begun_late"))
    assert exit_code(child) == 0


def test_a_module_that_forks_while_it_is_imported_goes_on_in_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import sys\nfrom tests.children import exit_code, start\n"
    text += (
        "def work():\n    assert sys.modules[__name__].__spec__._initializing\n    import forks_inside\n    assert forks_inside.BEFORE\n"
    )
    (tmp_path / "forks_inside.py").write_text(text + "BEFORE = 1\nCODE = exit_code(start(work))\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert import_module("forks_inside").CODE == 0


def test_a_property_that_a_thread_of_the_parent_works_out_is_worked_out_by_the_child() -> None:
    begun, go = threading.Event(), threading.Event()

    class Slow:
        @cached_property
        def value(self) -> int:
            if threading.current_thread() is thread:
                begun.set()
                go.wait(60)
            return 5

    thread = threading.Thread(target=lambda: Slow().value)
    thread.start()
    assert begun.wait(60)
    child = start(lambda: Slow().value)
    go.set()
    assert exit_code(child) == 0
    thread.join()
    assert Slow().value == 5


def test_what_a_thread_of_the_parent_builds_is_built_by_the_child() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def build(key: int) -> int:
        begun.set()
        go_on.wait(20)
        return key + 1

    cache = VariantCache[int, int](build)
    thread = threading.Thread(target=cache.get, args=(1,))
    thread.start()
    begun.wait()

    def get() -> None:
        go_on.set()
        assert cache.get(1) == 2

    code = exit_code(start(get))
    go_on.set()
    thread.join()
    assert code == 0


def test_a_fork_waits_for_what_another_thread_does_in_llvm() -> None:
    held, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        with linking.lock:
            held.set()
            time.sleep(0.2)
            go_on.set()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    begin = time.monotonic()

    def take() -> None:
        assert go_on.is_set()
        assert linking.lock.acquire(timeout=5)

    assert exit_code(start(take)) == 0
    assert time.monotonic() - begin > 0.1
    thread.join()


def test_a_context_goes_on_in_a_child_and_its_fences_end() -> None:
    with tgsi.Screen(threads=1) as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R8G8B8A8_UNORM", width0=8, height0=8)
        prepare(ctx, target, 0.5)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        fence = ctx.flush("DEFERRED")

        def go_on() -> None:
            assert screen.fence_finish(fence, timeout=5_000_000_000)
            ctx.draw_vbo(mode="TRIANGLES", count=3)
            with ctx.transfer_map(target, usage="READ") as pixels:
                assert np.array(pixels).tobytes() == expected(0.5)

        assert exit_code(start(go_on)) == 0
        go_on()


def test_a_context_that_a_thread_of_the_parent_was_in_is_refused_by_name() -> None:
    with tgsi.Screen(threads=1) as screen:
        ctx = screen.context_create()
        fence = ctx.flush("DEFERRED")
        ctx._gate.word[0] = threading.get_ident() + 4096  # as in another thread's method

        def ask() -> None:
            with pytest.raises(RuntimeError, match="flush: another thread was in the context when this process was forked"):
                ctx.flush()
            screen.fence_finish(fence, timeout=1_000_000)
            screen.destroy()

        code = exit_code(start(ask))
        ctx._gate.word[0] = 0
        assert code == 0


def test_memory_that_the_collector_gives_back_within_a_count_is_counted() -> None:
    """The collector may run at any place of Python, so while another allocation is counted, too."""
    accounting, done = Accounting(), threading.Event()

    def collect() -> None:
        with accounting._lock:
            accounting.give(0)
        done.set()

    threading.Thread(target=collect, daemon=True).start()
    assert done.wait(5)
