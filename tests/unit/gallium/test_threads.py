"""Threads: a context has one caller at a time, and fences may be finished by any thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from backends.device.commands.bound_record import Holder
from backends.gallium.screen.screen import Screen
from backends.gallium.threads.gate import one_at_a_time
from tests.texts import VS_POSITION
from tests.unit.gallium.recording_device import Recorder
from tgsi import gallium as g

RED = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"
SLOW = """FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 {1.0, 0.0, 3.9, 0.001}
IMM[1] INT32 {0, 1, 2000, 0}
MOV TEMP[1].x, IMM[1].xxxx
MUL TEMP[1].y, IN[0].xxxx, IMM[0].wwww
BGNLOOP
USGE TEMP[0].x, TEMP[1].xxxx, IMM[1].zzzz
UIF TEMP[0].xxxx
BRK
ENDIF
ADD TEMP[0].y, IMM[0].xxxx, -TEMP[1].yyyy
MUL TEMP[0].y, TEMP[0].yyyy, TEMP[1].yyyy
MUL TEMP[1].y, TEMP[0].yyyy, IMM[0].zzzz
UADD TEMP[1].x, TEMP[1].xxxx, IMM[1].yyyy
ENDLOOP
MAD OUT[0], TEMP[1].yyyy, IMM[0].yyyy, IMM[0].xyyx
END
"""
"""RED after 2000 rounds of a recurrence that no compiler can leave out."""
SIZE = 128


class Stage:
    """Context whose draws of three vertices fill a target of SIZE x SIZE pixels with red."""

    def __init__(self, screen: g.Screen, fragment: str = RED) -> None:
        self.screen, self.ctx = screen, screen.context_create()
        self.target = screen.resource_create(width0=SIZE, height0=SIZE, bind="RENDER_TARGET")
        self.ctx.set_framebuffer_state(cbufs=[self.target])
        self.ctx.bind_vs_state(self.ctx.create_vs_state(VS_POSITION))
        self.ctx.bind_fs_state(self.ctx.create_fs_state(fragment))
        self.ctx.bind_vertex_elements_state(self.ctx.create_vertex_elements_state([(0, "R32G32_FLOAT")]))
        self.ctx.set_viewport_states([g.ViewportState((SIZE / 2, SIZE / 2, 0.5), (SIZE / 2, SIZE / 2, 0.5))])
        self.ctx.set_vertex_buffers([np.array([[-1, -1], [3, -1], [-1, 3]], np.float32)])

    def draw(self, times: int = 1) -> None:
        for _ in range(times):
            self.ctx.draw_vbo(mode="TRIANGLES", count=3)

    @property
    def is_red(self) -> bool:
        with self.ctx.transfer_map(self.target, usage="READ") as mapped:
            return bool((mapped.data == (255, 0, 0, 255)).all())


@pytest.fixture
def stage() -> Iterator[Stage]:
    with g.Screen(threads=1) as screen:
        made = Stage(screen)
        made.draw(2)
        made.ctx.flush()
        made.ctx.clear_render_target(made.target, color=(0, 0, 0, 0))
        yield made


@pytest.fixture
def slow() -> Iterator[Stage]:
    """Stage that has a draw of about half a second pending."""
    with g.Screen(threads=1) as screen:
        made = Stage(screen, SLOW)
        made.draw()
        made.ctx.flush()
        made.draw(40)
        yield made


def in_thread(call: Callable[[], object]) -> object:
    """Result of a call in another thread, or its error."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(call())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    assert found, "the call hangs"
    return found[0]


def test_another_thread_finishes_a_deferred_fence(stage: Stage) -> None:
    stage.draw()
    fence = stage.ctx.flush("DEFERRED")
    assert in_thread(lambda: stage.screen.fence_finish(fence)) is True
    assert fence.is_signaled
    assert stage.is_red


def test_another_thread_finishes_fences_while_the_context_draws(stage: Stage) -> None:
    fences: list[g.Fence] = []
    is_over = threading.Event()

    def finish() -> int:
        finished = 0
        while not is_over.is_set() or fences:
            while fences:
                finished += stage.screen.fence_finish(fences.pop())
            time.sleep(0)
        return finished

    found: list[object] = []
    other = threading.Thread(target=lambda: found.append(in_thread(finish)))
    other.start()
    for _ in range(60):
        stage.draw(5)
        fences.append(stage.ctx.flush("DEFERRED"))
    is_over.set()
    other.join(60)
    assert found == [60]
    assert stage.is_red


def test_another_context_waits_for_a_fence(stage: Stage) -> None:
    stage.draw()
    fence = stage.ctx.flush("DEFERRED")
    other = stage.screen.context_create()
    assert in_thread(lambda: other.fence_server_sync(fence)) is None
    assert fence.is_signaled


def test_two_contexts_that_wait_for_each_other_both_end(stage: Stage) -> None:
    other = Stage(stage.screen)
    for _ in range(20):
        stage.draw()
        other.draw()
        fences = [stage.ctx.flush("DEFERRED"), other.ctx.flush("DEFERRED")]
        threads = [threading.Thread(target=made.ctx.fence_server_sync, args=(f,)) for made, f in zip((stage, other), reversed(fences))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert [fence.is_signaled for fence in fences] == [True, True]


def test_a_timeout_ends_before_the_work_that_goes_on(slow: Stage) -> None:
    fence = slow.ctx.flush("DEFERRED")
    begin = time.perf_counter()
    assert not slow.screen.fence_finish(fence, timeout=1_000)
    assert not slow.screen.fence_finish(fence, timeout=5_000_000)
    waited = time.perf_counter() - begin
    assert slow.screen.fence_finish(fence)
    assert waited < (time.perf_counter() - begin) / 2
    assert slow.is_red


def test_a_timeout_that_is_long_enough_returns_with_the_work(slow: Stage) -> None:
    fence = slow.ctx.flush("DEFERRED")
    begin = time.perf_counter()
    assert slow.screen.fence_finish(fence, timeout=3600 * 10**9)
    assert time.perf_counter() - begin < 600
    assert slow.screen.fence_finish(slow.ctx.flush("DEFERRED"), timeout=(1 << 64) - 2)


def test_no_timeout_begins_the_work_only_for_the_context_of_the_fence(stage: Stage) -> None:
    stage.draw()
    fence, other = stage.ctx.flush("DEFERRED"), stage.screen.context_create()
    assert not stage.screen.fence_finish(fence, timeout=0, context=other)
    time.sleep(0.01)
    assert not fence.is_signaled
    stage.screen.fence_finish(fence, timeout=0, context=stage.ctx)
    fence.begin().join(60)
    assert stage.screen.fence_finish(fence, timeout=0)


def test_methods_wait_for_a_fence_that_another_thread_finishes(slow: Stage) -> None:
    fence = slow.ctx.flush("DEFERRED")
    slow.screen.fence_finish(fence, timeout=1_000)
    while slow.ctx._gate.word[0] == Holder.NOBODY and not fence.is_signaled:
        time.sleep(1e-4)
    slow.draw()  # a native entry
    assert fence.is_signaled
    assert slow.is_red


VIEWPORT = g.ViewportState((4.0, 4.0, 0.5), (4.0, 4.0, 0.5))
CALLS: dict[str, Callable[[Stage], object]] = {
    "draw_vbo": lambda stage: stage.draw(),
    "set_constant_buffer": lambda stage: stage.ctx.set_constant_buffer("FRAGMENT", np.ones(4, np.float32)),
    "bind_blend_state": lambda stage: stage.ctx.bind_blend_state(None),
    "set_scissor_states": lambda stage: stage.ctx.set_scissor_states([g.ScissorState(0, 0, 1, 1)]),
    "set_viewport_states": lambda stage: stage.ctx.set_viewport_states([VIEWPORT]),
    "set_stencil_ref": lambda stage: stage.ctx.set_stencil_ref(3),
    "set_sampler_views": lambda stage: stage.ctx.set_sampler_views("FRAGMENT", [None]),
    "bind_sampler_states": lambda stage: stage.ctx.bind_sampler_states("FRAGMENT", [None]),
    "set_vertex_buffers": lambda stage: stage.ctx.set_vertex_buffers([None]),
    "set_index_buffer": lambda stage: stage.ctx.set_index_buffer(None),
    "buffer_subdata": lambda stage: stage.ctx.buffer_subdata(stage.screen.resource_create(target="BUFFER", width0=4), b"1234"),
    "flush": lambda stage: stage.ctx.flush(),
    "draw_many": lambda stage: stage.ctx.draw_many(np.zeros(1, [("count", "i4")]), mode="TRIANGLES"),
    "create_query": lambda stage: stage.ctx.create_query("TIMESTAMP"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_second_thread_in_a_context_gets_an_error(slow: Stage, name: str) -> None:
    flusher = threading.Thread(target=slow.ctx.flush)
    flusher.start()
    while slow.ctx._gate.word[0] == Holder.NOBODY:
        time.sleep(1e-4)
    with pytest.raises(RuntimeError, match=f"{name}: the context is in use by another thread; give each thread its own context"):
        CALLS[name](slow)
    flusher.join(60)
    CALLS[name](slow)


def test_threads_that_use_one_context_at_once_get_errors_and_break_nothing(stage: Stage) -> None:
    errors: list[Exception] = []
    begin = threading.Barrier(3)

    def run() -> None:
        begin.wait(60)
        end = time.monotonic() + 30
        try:
            while not errors and time.monotonic() < end:
                stage.draw(5)
                stage.ctx.flush()
        except RuntimeError as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors
    assert all("in use by another thread" in str(error) for error in errors)
    stage.draw()
    assert stage.is_red


def test_threads_may_take_turns_with_a_context(stage: Stage) -> None:
    for _ in range(3):
        assert in_thread(stage.draw) is None
        stage.draw()
        assert in_thread(stage.ctx.flush) is not None
    assert stage.is_red


def test_a_callback_may_call_its_context_but_not_destroy_it(stage: Stage) -> None:
    found: list[object] = []

    def callback(kind: str, text: str) -> None:
        if kind != "marker":
            return
        found.append(stage.ctx.get_timestamp() > 0)
        stage.draw()
        with pytest.raises(ValueError, match="destroy: a method of the context is running"):
            stage.ctx.destroy()

    stage.ctx.set_debug_callback(callback)
    stage.ctx.emit_string_marker("now")
    assert found == [True]
    assert stage.is_red


def test_a_screen_is_destroyed_while_its_context_draws(slow: Stage) -> None:
    fence = slow.ctx.flush("DEFERRED")
    other = threading.Thread(target=lambda: in_thread(slow.ctx.flush))
    other.start()
    slow.screen.destroy()
    other.join(60)
    assert fence.is_signaled
    with pytest.raises(ValueError, match="flush: the context was destroyed"):
        slow.ctx.flush()


def test_an_error_lets_go_of_the_context(stage: Stage) -> None:
    with pytest.raises(TypeError):
        stage.ctx.draw_vbo(nothing=1)  # type: ignore[call-arg]
    assert stage.ctx._gate.word[0] == Holder.NOBODY


def test_fences_of_another_screen_are_refused(stage: Stage) -> None:
    with g.Screen(threads=0) as other, other.context_create() as ctx:
        fence = ctx.flush()
        for call in (stage.screen.fence_finish, stage.screen.fence_reference, stage.ctx.fence_server_sync):
            with pytest.raises(ValueError, match="fence: it belongs to another screen"):
                call(fence)
        with pytest.raises(ValueError, match="context: it belongs to another screen"):
            other.fence_finish(fence, context=stage.ctx)


def test_every_public_method_takes_the_context_with_any_device() -> None:
    ctx: Any = Screen(0, device=Recorder(), cache_dir="").context_create()
    ctx._gate.word[0] = 12345
    for name in ("flush", "clear", "create_blend_state", "transfer_map", "launch_grid", "blit"):
        with pytest.raises(RuntimeError, match=f"{name}: the context is in use"):
            getattr(ctx, name)()
    ctx._gate.word[0] = Holder.NOBODY
    ctx.destroy()


def test_methods_for_parts_are_left_alone() -> None:
    class Whole:
        def _inner(self) -> None: ...

        def outer(self) -> None: ...

    inner, outer = Whole._inner, Whole.outer
    one_at_a_time(Whole)
    assert Whole._inner is inner
    assert Whole.outer is not outer
