"""Generated code that reads commands does what their Python functions do, and asks them about everything else."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backends.device.calls.table import ROWS
from backends.device.commands.client import Kind
from backends.software.renderer import Renderer
from tests.fuzz.guard import Guard
from tests.vtest.encoder import (
    COVER,
    FRAGMENT,
    RECT,
    RGBA8,
    SAMPLED,
    TARGET,
    VERTEX,
    Commands,
    Result,
    Runner,
    Stream,
    draw,
    floats,
    read,
    run,
    target,
    vertices,
)
from tests.vtest.random_streams import TEXTURE_FS, mutated, valid, views
from tgsi.gallium import Screen
from tgsi.tools.vtest.commands import table
from tgsi.tools.vtest.protocol.wire import FileWire
from tgsi.tools.vtest.session.messages import answer
from tgsi.tools.vtest.session.session import Session

RED = (255, 0, 0, 255)
WAIT = 12  # bytes of the reply to a wait
GIVEN = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class GuardedWire(FileWire):
    """Messages that end at inaccessible memory."""

    def __init__(self, data: bytes, replies: io.BytesIO, guard: Guard) -> None:
        super().__init__(io.BytesIO(data), replies)
        self._guard = guard

    def read(self, size: int) -> bytearray:
        data = super().read(size)
        if len(data) < 64 or len(data) % 4:
            return data
        placed = self._guard.zeros(len(data), "uint8")
        placed[:] = memoryview(data)
        return placed.data  # type: ignore[return-value]  # the session takes any buffer


def guarded(screen: Screen, stream: Stream) -> Result:
    """Serve a stream from guarded memory."""
    lines: list[str] = []
    replies = io.BytesIO()
    guard = Guard()
    try:
        answer(Session(screen, GuardedWire(bytes(stream.data), replies, guard), lines.append, protocol=0))
    finally:
        guard.release()
    return Result(replies.getvalue(), lines)


def in_python(screen: Screen, stream: Stream) -> Result:
    """Serve a stream without generated code that reads commands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Renderer, "reader_entry", lambda self, name="read": 0)
        return run(screen, stream)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Number of times that the Python function of each command was called."""
    counts: Counter[str] = Counter()

    def counting(row: table.Row) -> table.Row:
        def work(sub: object, words: memoryview, run: Callable[..., None] = row.run) -> None:
            counts[row.name] += 1
            run(sub, words)

        return replace(row, run=work)

    for number, row in table.COMMANDS.items():
        monkeypatch.setitem(table.COMMANDS, number, counting(row))
    return counts


@GIVEN
@given(st.integers(0, 1 << 32))
def test_a_stream_gives_the_same_pictures_with_and_without_generated_code(screen: Screen, seed: int) -> None:
    stream = valid(seed)
    native, python = run(screen, stream), in_python(screen, stream)
    assert native.lines == python.lines == []
    assert native.replies == python.replies


@GIVEN
@given(st.integers(0, 1 << 32))
def test_a_wrong_stream_gives_the_same_complaints_and_pictures_and_nothing_beyond_it_is_read(screen: Screen, seed: int) -> None:
    stream = mutated(seed)
    native, python = guarded(screen, stream), in_python(screen, stream)
    assert native.lines == python.lines
    assert native.replies == python.replies


def test_commands_that_came_before_are_carried_out_without_python(serve: Runner, calls: Counter[str]) -> None:
    stream, c = target().buffer(2, vertices(*COVER)), views(Commands(), ())
    stream.resource(7, 2, RGBA8, SAMPLED, 4, 4).submit(views(c, (41,)))
    frame = Commands().add("SET_SUB_CTX", 0).bind("BLEND", 30).bind("RASTERIZER", 32).bind("DSA", 31).bind("VERTEX_ELEMENTS", 33)
    frame.add("BIND_SHADER", 20, VERTEX).add("BIND_SHADER", 21, FRAGMENT).add("BIND_SHADER", 0, 2)
    frame.add("SET_SAMPLER_VIEWS", FRAGMENT, 0, 41).add("BIND_SAMPLER_STATES", FRAGMENT, 0, 40).constants(VERTEX, 1, 2, 3, 4)
    frame.add("SET_VIEWPORT_STATE", 0, *floats(8, 8, 0.5, 8, 8, 0.5)).add("SET_SCISSOR_STATE", 0, 0, 16 | 16 << 16).add(
        "SET_BLEND_COLOR", 0, 0, 0, 0
    )
    frame.add("SET_STENCIL_REF", 3).add("SET_SAMPLE_MASK", 1).add("SET_UNIFORM_BUFFER", FRAGMENT, 1, 0, 16, 2)
    frame.add("SET_VERTEX_BUFFERS", 32, 0, 2).add("SET_INDEX_BUFFER", 2, 4, 0).add("DRAW_VBO", *draw(), 3, 0)
    frame.add("CLEAR", 4, *floats(0, 1, 0.5, 1), 0, 0x3FF00000, 0x1FF)
    result = serve(stream.submit(frame).submit(frame))
    assert not result.lines
    first = calls.copy()
    calls.clear()
    assert not serve(stream.submit(frame).submit(frame)).lines
    calls.subtract(first)
    assert +calls == Counter()


def test_the_kinds_of_the_table_are_all_in_use() -> None:
    of_recordings = {Kind(row.kind) for _, row in ROWS}
    assert {row.kind for row in table.COMMANDS.values()} | of_recordings == set(Kind)


@pytest.mark.parametrize("kind", ["BLEND", "SAMPLER_VIEW"])
def test_an_object_that_ended_is_missed_however_often_it_was_bound(serve: Runner, kind: str) -> None:
    stream = start_of_units()
    bind = Commands().bind("BLEND", 35) if kind == "BLEND" else Commands().add("SET_SAMPLER_VIEWS", FRAGMENT, 0, 41)
    handle = 35 if kind == "BLEND" else 41
    for _ in range(3):
        stream.submit(bind)
    assert not serve(stream).lines
    stream.submit(Commands().add("DESTROY_OBJECT", handle, kind=kind)).submit(bind)
    assert [f"there is no object {handle}" in line for line in serve(stream).lines] == [True]


def test_a_view_keeps_a_texture_that_ended_however_often_it_was_bound(serve: Runner) -> None:
    bind = Commands().add("SET_SAMPLER_VIEWS", FRAGMENT, 0, 41)
    stream = start_of_units().submit(bind).submit(bind).message(3, 7).submit(bind)
    assert not serve(stream).lines


def test_a_buffer_that_ended_is_missed_but_stays_bound(serve: Runner) -> None:
    bind = Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2)
    stream = target().buffer(2, vertices(*COVER)).submit(bind).submit(bind).message(3, 2)
    for handle in range(100, 140):
        stream.buffer(handle, bytes(96))  # would take its place in memory
    stream.submit(Commands().add("DRAW_VBO", *draw())).wait().submit(Commands().add("DRAW_VBO", *draw())).submit(bind)
    result = serve(read(stream))
    assert ["there is no resource 2" in line for line in result.lines] == [True]
    assert (result.pixels(16, 16, WAIT) == RED).all()


def test_what_is_repeated_survives_any_number_of_frames(serve: Runner) -> None:
    stream = target().buffer(2, vertices(*COVER))
    hidden = Commands().create("BLEND", 35, 0, 12, *[0] * 8).bind("BLEND", 35).add("SET_VERTEX_BUFFERS", 32, 0, 2)
    stream.submit(hidden.bind("BLEND", 30).bind("BLEND", 35))
    for _ in range(100):
        stream.submit(Commands().add("DRAW_VBO", *draw())).wait()
    stream.submit(Commands().bind("BLEND", 30).add("DRAW_VBO", *draw()))
    result = serve(read(stream))
    assert not result.lines
    assert (result.pixels(16, 16, 100 * WAIT) == RED).all()


def test_a_sampler_bound_by_generated_code_is_unnormalized_for_a_rectangle_texture(screen: Screen) -> None:
    stream = start_of_units()
    bind = Commands().add("BIND_SAMPLER_STATES", FRAGMENT, 0, 44).add("BIND_SAMPLER_STATES", FRAGMENT, 0, 40)
    stream.submit(bind).submit(bind).submit(bind).resource(9, RECT, RGBA8, SAMPLED, 4, 4).put(9, 0, (0, 0, 0, 4, 4, 1), bytes(range(64)))
    c = Commands().shader(25, FRAGMENT, TEXTURE_FS.replace("2D", "RECT")).add("BIND_SHADER", 25, FRAGMENT)
    c.create("SAMPLER_VIEW", 43, 9, RGBA8 | RECT << 24, 0, 0, 0 | 1 << 3 | 2 << 6 | 3 << 9).add("SET_SAMPLER_VIEWS", FRAGMENT, 0, 43)
    c.add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())
    stream.submit(c)
    read(stream)
    native, python = run(screen, stream), in_python(screen, stream)
    assert native.lines == python.lines == []
    assert native.replies == python.replies
    assert native.pixels(16, 16)[0, 0].any()


def start_of_units() -> Stream:
    """A target with vertices, textures 7 and 8, their views 41 and 42, samplers 40 and 44, and blend 35."""
    stream = target().buffer(2, vertices(*COVER, color=(2, 3, 0, 1)))
    for handle in (7, 8):
        stream.resource(handle, 2, RGBA8, SAMPLED | TARGET, 4, 4)
    return stream.submit(views(Commands().create("BLEND", 35, 0, 12, *[7 << 27] * 8)))
