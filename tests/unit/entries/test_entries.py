"""Native entries behave like the Python methods that they replace, without Python for known draws."""

from __future__ import annotations

import ctypes
import inspect
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.entries import install as installing
from backends.entries.names import ENTRIES
from backends.entries.python_table import FALLBACKS, NAMES, PythonTable
from backends.gallium.context.buffers import BufferBindings
from backends.gallium.context.context import Context
from backends.gallium.context.draws import Draws
from tests.calls import calls_in
from tgsi import gallium as g

pytestmark = [pytest.mark.light, pytest.mark.skipif(not installing.fits(), reason="native entries need a plain CPython 3.11 to 3.14")]

VERTEX = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0][0]\nADD OUT[0], IN[0], CONST[0][0]\nEND\n"
FRAGMENT = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nMOV OUT[0], CONST[0][0]\nEND\n"
CORNERS = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]] * 3, "f4")


class Picture:
    """A context with a bound target, two shaders and a vertex buffer."""

    def __init__(self, screen: tgsi.Screen, kind: type[Context] | None = None) -> None:
        self.ctx: Any = screen.context_create() if kind is None else kind(screen, screen._device_factory.make_device(screen))
        ctx = self.ctx
        self.target = screen.resource_create(width0=8, height0=8, format="R32G32B32A32_FLOAT")
        ctx.set_framebuffer_state(cbufs=[self.target])
        ctx.clear(color=(0, 0, 0, 0))
        ctx.set_viewport_states([g.ViewportState((4.0, 4.0, 0.5), (4.0, 4.0, 0.5))])
        self.vertex, self.fragment = ctx.create_vs_state(VERTEX), ctx.create_fs_state(FRAGMENT)
        ctx.bind_vs_state(self.vertex)
        ctx.bind_fs_state(self.fragment)
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        ctx.set_vertex_buffers([CORNERS])
        ctx.set_constant_buffer("VERTEX", np.zeros(4, "f4"))
        self.color(0.25)

    def color(self, value: float) -> None:
        self.ctx.set_constant_buffer("FRAGMENT", np.full(4, value, "f4"))

    def pixel(self) -> float:
        with self.ctx.transfer_map(self.target, usage="READ") as mapped:
            return float(mapped.data[3, 3, 0])


@pytest.fixture
def picture() -> Iterator[Picture]:
    with tgsi.Screen(threads=0) as screen:
        made = Picture(screen)
        yield made
        made.ctx.destroy()


def test_every_entry_is_a_builtin_with_the_signature_and_the_words_of_its_method(picture: Picture) -> None:
    for name in ENTRIES:
        entry = inspect.getattr_static(Context, name)
        method = next(vars(part)[name] for part in Context.__mro__[1:] if name in vars(part))
        assert inspect.ismethoddescriptor(entry)
        assert not inspect.isfunction(entry)
        assert inspect.getdoc(entry) == inspect.getdoc(method)
        assert list(inspect.signature(getattr(picture.ctx, name)).parameters) == list(inspect.signature(method).parameters)[1:]


def test_every_other_method_stands_behind_the_guard_with_its_signature_and_words(picture: Picture) -> None:
    kind = type(inspect.getattr_static(Context, "flush"))
    guarded = [name for name, method in vars(Context).items() if type(method) is kind]
    assert {"flush", "transfer_map", "create_blend_state", "delete_blend_state", "clear_texture"} <= set(guarded)
    for name in guarded:
        method = next(vars(part)[name] for part in Context.__mro__[1:] if name in vars(part))
        entry, own = inspect.signature(getattr(Context, name)), inspect.signature(method)
        assert [(p.name, p.kind) for p in entry.parameters.values()][1:] == [(p.name, p.kind) for p in own.parameters.values()][1:], name
        assert [p.default for p in entry.parameters.values()] == [p.default for p in own.parameters.values()], name
        assert list(inspect.signature(getattr(picture.ctx, name)).parameters) == list(own.parameters)[1:], name
        assert inspect.getdoc(getattr(Context, name)) == inspect.getdoc(method), name
    assert repr(picture.ctx.flush).startswith("<bound method Context.flush of <Context")


def test_a_guarded_method_of_another_object_is_the_python_method() -> None:
    guarded: Any = Context.flush
    with pytest.raises(AttributeError, match="'int' object has no attribute"):
        guarded(5)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        guarded()
    with pytest.raises(AttributeError):
        guarded(object.__new__(Context))


def test_a_guarded_method_lets_go_of_the_context_after_an_error(picture: Picture) -> None:
    with pytest.raises(ValueError, match="flush: flags"):
        picture.ctx.flush("NOTHING")
    assert picture.ctx._gate.word[0] == 0
    picture.ctx.flush()


def test_draws_by_keyword_whose_numbers_are_always_new_execute_no_python_after_the_first(picture: Picture) -> None:
    picture.ctx.draw_vbo(mode="TRIANGLES", count=3, start_instance=0)

    def draw() -> None:
        for number in range(1, 20):
            picture.ctx.draw_vbo(mode="TRIANGLES", count=3, start_instance=number)

    assert calls_in(draw) == []


def test_a_known_draw_executes_no_python(picture: Picture) -> None:
    ctx, info, array = picture.ctx, g.DrawInfo(mode=g.Prim.TRIANGLES, count=3), np.ones(4, "f4")
    blend = ctx.create_blend_state(dither=True)

    def draw() -> None:
        ctx.bind_blend_state(blend)
        ctx.bind_vs_state(picture.vertex)
        ctx.bind_fs_state(picture.fragment)
        ctx.set_constant_buffer("FRAGMENT", array, index=0)
        ctx.set_constant_buffer("FRAGMENT", b"12345678" * 2, index=3)
        ctx.draw_vbo(info)
        ctx.draw_vbo(mode="TRIANGLES", count=3, start=3, primitive_restart=False, drawid=2, max_index=8)

    draw()
    draw()
    assert calls_in(draw) == []
    assert picture.pixel() == 1.0


def test_a_program_may_override_a_method(picture: Picture) -> None:
    seen = []

    class Watching(Context):
        def draw_vbo(self, *given: Any, **named: Any) -> None:
            seen.append((given, named))
            super().draw_vbo(*given, **named)

    with tgsi.Screen(threads=0) as screen:
        other = Picture(screen, Watching)
        other.ctx.draw_vbo(mode="TRIANGLES", count=3)
        other.ctx.draw_vbo(mode="TRIANGLES", count=3)
        assert seen == [((), {"mode": "TRIANGLES", "count": 3})] * 2
        assert other.pixel() == 0.25
        other.ctx.destroy()


@pytest.mark.parametrize(
    "named",
    [
        {"mode": "TRIANGLES", "count": 1 << 32},
        {"mode": "TRIANGLES", "count": -1},
        {"mode": "TRIANGLES", "count": 1 << 70},
        {"mode": "TRIANGLES", "count": "three"},
        {"mode": "TRIANGLES", "count": 3.0},
        {"mode": "HEXAGONS", "count": 3},
        {"mode": "TRIANGLES", "count": 3, "index_bias": 1 << 31},
        {"mode": "TRIANGLES", "count": 3, "index_bias": -(1 << 31) - 1},
        {"mode": "TRIANGLES", "count": 3, "index_size": 3},
        {"mode": "TRIANGLES", "count": 3, "index_size": 2},
        {"mode": "TRIANGLES", "count": 3, "vertices_per_patch": 33},
        {"mode": "TRIANGLES", "count": 3, "colour": 1},
        {"mode": "PATCHES", "count": 3},
        {"info": "TRIANGLES"},
        {"mode": ["TRIANGLES"]},
    ],
    ids=str,
)
def test_a_wrong_draw_raises_what_the_method_raises(picture: Picture, named: dict[str, Any]) -> None:
    ctx = picture.ctx
    for _ in range(2):
        ctx.draw_vbo(mode="TRIANGLES", count=3)
    errors = []
    for draw in (ctx.draw_vbo, lambda **given: Draws.draw_vbo(ctx, **given)):
        with pytest.raises((TypeError, ValueError, tgsi.UnsupportedError)) as caught:
            draw(**dict(named))
        errors.append((type(caught.value), str(caught.value)))
    assert errors[0] == errors[1]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("VERTEX",), {}),
        (("VERTEX", Ellipsis), {}),
        (("VERTEX", np.zeros(8, "f4")[::2], 0), {}),
        (("NOWHERE", b""), {}),
        (("VERTEX", b"1234"), {"index": 16}),
        (("VERTEX", b"1234"), {"index": -1}),
        (("VERTEX", b"1234"), {"index": True, "offset": 2}),
        (("VERTEX", b"1234"), {"size": 5}),
        (("VERTEX", b"1234"), {"place": 5}),
    ],
    ids=str,
)
def test_a_wrong_constant_buffer_raises_what_the_method_raises(picture: Picture, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    ctx = picture.ctx
    ctx.set_constant_buffer("VERTEX", np.zeros(4, "f4"), index=2)
    errors = []
    for bind in (ctx.set_constant_buffer, lambda *a, **k: BufferBindings.set_constant_buffer(ctx, *a, **k)):
        with pytest.raises((TypeError, ValueError)) as caught:
            bind(*given, **named)
        errors.append((type(caught.value), str(caught.value)))
    assert errors[0] == errors[1]


def test_constants_of_an_entry_and_of_the_method_are_the_same(picture: Picture) -> None:
    ctx = picture.ctx
    whole = np.arange(24, dtype="f4").reshape(2, 3, 4)
    for buffer in (
        whole,
        whole[1],
        whole.T,
        whole[:, :, ::2],
        b"",
        b"123",
        bytearray(b"12345678"),
        memoryview(b"abcd" * 40),
        bytes(70_000),
    ):
        found = []
        for bind in (ctx.set_constant_buffer, lambda *a: BufferBindings.set_constant_buffer(ctx, *a)):
            for _ in range(2):
                bind("FRAGMENT", buffer)
                memory = ctx.state.fragment.constants[0]
                found.append((memory.size, getattr(memory, "room", 0), ctypes.string_at(memory.address, memory.size)))
        assert all(item == found[0] for item in found), buffer


def test_a_destroyed_handle_is_refused_by_the_entry(picture: Picture) -> None:
    ctx = picture.ctx
    blend, shader = ctx.create_blend_state(dither=True), ctx.create_fs_state(FRAGMENT)
    for _ in range(2):
        ctx.bind_blend_state(blend)
        ctx.bind_fs_state(shader)
    ctx.destroy_blend_state(blend)
    ctx.destroy_fs_state(shader)
    with pytest.raises(ValueError, match="bind_blend_state: the object was destroyed"):
        ctx.bind_blend_state(blend)
    with pytest.raises(ValueError, match="bind_fs_state: the shader was destroyed"):
        ctx.bind_fs_state(shader)


def test_a_destroyed_context_says_so(picture: Picture) -> None:
    picture.ctx.draw_vbo(mode="TRIANGLES", count=3)
    picture.ctx.destroy()
    with pytest.raises(ValueError, match="destroyed"):
        picture.ctx.draw_vbo(mode="TRIANGLES", count=3)


def test_references_are_as_many_after_many_calls_as_before(picture: Picture) -> None:
    ctx, info, array = picture.ctx, g.DrawInfo(mode=g.Prim.TRIANGLES, count=3), np.ones(4, "f4")
    name = "FRAGMENT"
    things = (info, array, name, picture.fragment, None, ctx)

    def work(count: int) -> None:
        for _ in range(count):
            ctx.set_constant_buffer(name, array)
            ctx.bind_fs_state(picture.fragment)
            ctx.draw_vbo(info)

    work(10)
    before = [sys.getrefcount(thing) for thing in things]
    work(1000)
    after = [sys.getrefcount(thing) for thing in things]
    assert all(abs(b - a) < 20 for b, a in zip(before, after)), (before, after)


def test_a_context_that_was_never_made_raises_an_error() -> None:
    with tgsi.Screen(threads=0) as screen:
        Picture(screen).ctx.destroy()
    with pytest.raises(SystemError):
        object.__new__(Context).draw_vbo(mode="TRIANGLES", count=3)


def test_too_many_arguments_raise_an_error(picture: Picture) -> None:
    with pytest.raises(TypeError):
        picture.ctx.draw_vbo(**{f"field{k}": k for k in range(80)})
    with pytest.raises(TypeError):
        picture.ctx.draw_vbo(*range(80))


def test_names_and_entries_fit_their_tables() -> None:
    assert len(ENTRIES) <= FALLBACKS
    assert PythonTable.names.size == 8 * NAMES
    with tgsi.Screen(threads=0) as screen:
        Picture(screen).ctx.destroy()
    assert installing.slot_offset(Context) > 0
    assert installing.slot_offset(tgsi.Screen) == 0


@pytest.mark.parametrize("change", ["viewport", "scissor", "framebuffer", "condition", "shader"])
def test_what_python_binds_is_seen_by_the_next_entry(picture: Picture, change: str) -> None:
    ctx, info = picture.ctx, g.DrawInfo(mode=g.Prim.TRIANGLES, count=3)
    for _ in range(3):
        ctx.draw_vbo(info)
    picture.color(0.5)
    if change == "viewport":
        ctx.set_viewport_states([g.ViewportState((1.0, 1.0, 0.5), (1.0, 1.0, 0.5))])
    elif change == "scissor":
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(scissor=True))
        ctx.set_scissor_states([{"minx": 0, "miny": 0, "maxx": 2, "maxy": 2}])
    elif change == "framebuffer":
        ctx.set_framebuffer_state()
    elif change == "condition":
        query = ctx.create_query("OCCLUSION_PREDICATE")
        ctx.begin_query(query)
        ctx.end_query(query)
        ctx.render_condition(query, condition=False)
        ctx.get_query_result(query)
    else:
        ctx.bind_fs_state(ctx.create_fs_state("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.25, 0, 0, 0}\nMOV OUT[0], IMM[0]\nEND\n"))
    ctx.draw_vbo(info)
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    assert picture.pixel() == 0.25
