"""Calls that native entries and the guard record: the same as those that Python records, without Python."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.device.calls.table import OF_NUMBER, RECORDED_ALONE
from backends.device.commands.layout import MOST_PIECE, PREFIX
from backends.entries.install import fits
from backends.gallium.context.recording.values import ValueReader, ValueWriter
from backends.gallium.tracing import known_words
from backends.gallium.tracing.history import HistoryContext
from backends.gallium.tracing.printing import Handle
from backends.gallium.tracing.steps import read_steps
from tests.calls import calls_in
from tgsi import gallium as g

pytestmark = pytest.mark.skipif(not fits(), reason="native entries need a plain CPython 3.11 to 3.14")

VERTEX = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0]\nADD OUT[0], IN[0], CONST[0]\nEND\n"
FRAGMENT = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND\n"
CORNERS = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]] * 3, "f4")


class Recording:
    """A context with a history, and what a frame needs."""

    def __init__(self, screen: tgsi.Screen, *, is_native: bool = True) -> None:
        self.screen, self.ctx = screen, screen.context_create()
        ctx: Any = self.ctx
        if not is_native:
            ctx.state.record.records_calls = 0
        self.color = screen.resource_create(width0=8, height0=8)
        self.depth = screen.resource_create(width0=8, height0=8, format="Z24_UNORM_S8_UINT")
        self.surfaces = [ctx.create_surface(self.color), ctx.create_surface(self.depth)]
        self.buffer = screen.buffer_from(CORNERS)
        self.indices = screen.buffer_from(np.array([0, 1, 2], np.uint16))
        self.texture = screen.texture_from(np.full((4, 4, 4), 200, np.uint8))
        self.view, self.sampler = ctx.create_sampler_view(self.texture), ctx.create_sampler_state()
        self.blend, self.dsa = ctx.create_blend_state(dither=True), ctx.create_depth_stencil_alpha_state()
        self.rasterizer, self.query = ctx.create_rasterizer_state(scissor=True), ctx.create_query("OCCLUSION_COUNTER")
        self.elements = ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")])
        self.vs, self.fs = ctx.create_vs_state(VERTEX), ctx.create_fs_state(FRAGMENT)
        self.viewports = [g.ViewportState((4.0, 4.0, 0.5), (4.0, 4.0, 0.5))]
        self.scissors = [g.ScissorState(0, 0, 8, 8)]
        self.paint = g.BlendColor((0.5, 0.5, 0.5, 1.0))
        self.reference = g.StencilRef((1, 2))

    def frame(self) -> None:
        """Call each setter that programs call for a draw, with arguments that native entries take, and draw."""
        ctx: Any = self.ctx
        ctx.set_framebuffer_state(cbufs=[self.surfaces[0]], zsbuf=self.surfaces[1])
        ctx.clear("COLOR0", color=(0.0, 0.25, 1, 1.0), depth=0.5)
        ctx.bind_blend_state(self.blend)
        ctx.bind_depth_stencil_alpha_state(self.dsa)
        ctx.bind_rasterizer_state(self.rasterizer)
        ctx.bind_vertex_elements_state(self.elements)
        ctx.bind_vs_state(self.vs)
        ctx.bind_fs_state(self.fs)
        ctx.bind_gs_state(None)
        ctx.set_viewport_states(self.viewports)
        ctx.set_scissor_states(self.scissors)
        ctx.set_blend_color(self.paint)
        ctx.set_stencil_ref(self.reference)
        ctx.set_sampler_views("FRAGMENT", [self.view, None])
        ctx.bind_sampler_states("FRAGMENT", [self.sampler])
        ctx.set_vertex_buffers([{"buffer": self.buffer, "stride": 16, "buffer_offset": 0}])
        ctx.set_index_buffer(self.indices)
        ctx.buffer_subdata(self.buffer, CORNERS, offset=0)
        ctx.buffer_subdata(self.buffer, CORNERS[0].tobytes())
        ctx.set_constant_buffer("VERTEX", np.zeros(4, "f4"))
        ctx.set_constant_buffer("FRAGMENT", np.array([0.5, 1, 0, 1], "f4"), index=0)
        ctx.begin_query(self.query)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.draw_vbo(mode="TRIANGLES", count=3, index_size=2)
        ctx.end_query(self.query)

    def others(self) -> None:
        """Calls that Python carries out."""
        ctx: Any = self.ctx
        ctx.set_viewport_states([{"scale": (4.0, 4.0, 0.5), "translate": (4.0, 4.0, 0.5)}])
        ctx.set_scissor_states([g.ScissorState(0, 0, 8, 7)], start=0)
        ctx.set_blend_color((0.25, 0.5, 0.75, 1))
        ctx.set_stencil_ref(3)
        ctx.set_sample_mask(0xFFFFFFFF)
        ctx.set_clip_state([(0.0, 1.0, 0.0, -1.0)])
        ctx.set_vertex_buffers([CORNERS])
        ctx.set_vertex_buffers([g.VertexBuffer(self.buffer, 16)])
        ctx.set_constant_buffer("FRAGMENT", self.buffer, size=16)
        ctx.set_constant_buffer("FRAGMENT", None, index=1)
        ctx.texture_subdata(self.texture, np.full((4, 4, 4), 100, np.uint8), level=0)
        ctx.clear_render_target(self.surfaces[0], color=(1, 0, 0, 1), x=1, width=2)
        ctx.resource_copy_region(self.color, self.color, dstx=4, src_box=(0, 0, 2, 2))
        ctx.draw_vbo(mode="TRIANGLES", index=np.array([2, 1, 0], np.uint32))
        ctx.emit_string_marker("a marker")

    def calls(self) -> list[tuple[Any, ...]]:
        """The recorded calls, with handles in the place of objects."""
        (part, *_) = self.ctx.recorded_parts()  # type: ignore[attr-defined]
        found = [step.call for step in read_steps(bytearray(part.data))]
        return [(c.row.name, plain(c.args), plain(c.given), c.raises) for c in found if c is not None]


def plain(value: Any) -> Any:
    """A value that can be compared."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    return repr(value) if isinstance(value, (Handle, g.VertexBuffer)) else value


@pytest.fixture
def screen() -> Iterator[tgsi.Screen]:
    with tgsi.Screen(threads=0, history=True) as made:
        yield made


def test_known_calls_are_recorded_without_python(screen: tgsi.Screen) -> None:
    stage = Recording(screen)
    for _ in range(4):
        stage.frame()
    assert calls_in(stage.frame) == []


def test_calls_that_python_carries_out_are_recorded_without_the_recorder(screen: tgsi.Screen) -> None:
    stage = Recording(screen)
    stage.frame()
    for _ in range(2):
        stage.others()
    assert [name for name in calls_in(stage.others) if "encoder" in str(name) or "tracing" in str(name)] == []


def test_generated_code_records_the_calls_that_python_records(screen: tgsi.Screen) -> None:
    def recorded(is_native: bool) -> list[tuple[Any, ...]]:
        stage = Recording(screen, is_native=is_native)
        for _ in range(4):
            stage.frame()
            stage.others()
        with pytest.raises(ValueError, match="mask"):
            stage.ctx.set_sample_mask(-1)
        return stage.calls()

    native, expected = recorded(True), recorded(False)
    assert len(native) > 4 * 35
    assert native == expected


class _Member(IntEnum):
    TEN = 10


F4 = np.arange(6, dtype="f4").reshape(2, 3)
VALUES: dict[str, Any] = {
    "numbers": (None, True, False, 0, -1, 2**31 - 1, -(2**31), 2**31, -(2**63), 2**63 - 1, 0.5, -0.0, float("inf")),
    "sequences": ([], (), [1, [2, (3,)]], {}, {"a": {"b": [1]}}),
    "texts": ("", "a", "abcd", "äöü", _Member.TEN),
    "bytes": (b"", b"a", b"abcd", b"x" * 239, b"x" * 240, b"x" * 241),
    "large bytes": (bytes(range(256)) * 1100,),
    "pieces": (b"\1" * MOST_PIECE, b"\2" * (MOST_PIECE + 1), b"\3" * 5),
    "arrays": tuple(np.arange(5).astype(kind) for kind in ("i1", "u1", "?", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")),
    "large arrays": (np.arange(1000, dtype="f8"), F4),
    "arrays for python": (F4.T, F4[:, ::2], F4.astype(">f4"), np.zeros(2, [("x", "f4")]), np.float32(2), np.array(3)),
    "records": (g.ViewportState((1.0, 2.0, 3.0), (4, 5, 6)), g.ScissorState(1, 2, 3, 4), g.DrawInfo(mode=g.Prim.POINTS, count=7)),
    "deep": ([[[[[[[[[[[1]]]]]]]]]]],),
    "formats": (g.Format.R8G8B8A8_UNORM, g.Prim.TRIANGLES, g.Clear.COLOR0 | g.Clear.DEPTH),
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_every_value_is_recorded_as_it_is(screen: tgsi.Screen, values: tuple[Any, ...]) -> None:
    stage = Recording(screen)
    ctx: Any = stage.ctx
    for _ in range(3):
        for value in values:
            with pytest.raises(TypeError):
                ctx.emit_string_marker(value, None)
            with pytest.raises(TypeError):
                ctx.emit_string_marker(text=value, more=value)
    read = [read_again(value) for value in values]
    expected: list[Any] = []
    for value in read:
        expected.append(("emit_string_marker", (value, None), {}, True))
        expected.append(("emit_string_marker", (), {"text": value, "more": value}, True))
    assert repr([call for call in stage.calls() if call[0] == "emit_string_marker"]) == repr(expected * 3)


def read_again(value: Any) -> Any:
    """A value from the words that Python writes of it."""
    writer = ValueWriter(lambda thing: None)
    writer.write(value)
    return plain(ValueReader(memoryview(writer.words), writer.data, lambda handle: None).read())


REFUSED: dict[str, Callable[[Any], Any]] = {
    "an integer of 65 bits": lambda ctx: ctx.set_sample_mask(1 << 64),
    "a sequence inside of itself": lambda ctx: ctx.set_clip_state(_endless()),
}


def _endless() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


@pytest.mark.parametrize("act", REFUSED.values(), ids=REFUSED)
def test_a_value_without_words_is_a_gap_of_the_history(screen: tgsi.Screen, act: Callable[[Any], Any]) -> None:
    ctx: Any = Recording(screen).ctx
    with pytest.raises((ValueError, TypeError, RecursionError)):
        act(ctx)
    assert ctx.recorded_parts()[0].gaps


def test_an_interrupted_call_is_not_recorded(screen: tgsi.Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Recording(screen)
    ctx: Any = stage.ctx
    for mask in (1, 2):
        ctx.set_sample_mask(mask)
    before = stage.calls()

    def interrupted(value: Any, *more: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("backends.gallium.context.parameters.integer", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ctx.set_sample_mask(3)
    monkeypatch.undo()
    ctx.set_sample_mask(4)
    assert stage.calls() == [*before, ("set_sample_mask", (4,), {}, False)]


def test_a_new_object_at_the_address_of_an_old_one_has_its_own_handle(screen: tgsi.Screen) -> None:
    stage = Recording(screen)
    ctx: Any = stage.ctx
    for _ in range(300):
        view = ctx.create_sampler_view(stage.texture)
        for _ in range(3):
            ctx.set_sampler_views("FRAGMENT", [view])
        ctx.set_sampler_views("FRAGMENT", [None])
        del view
        gc.collect(0)
    bound = [call[1][1] for call in stage.calls() if call[0] == "set_sampler_views"]
    handles = [item for (item,) in bound if item is not None]
    assert len(handles) == 900
    assert len(set(handles)) == 300
    assert len(ctx._tracer._words[0]._of_handle) < 50


def test_names_without_end_do_not_fill_the_memory(screen: tgsi.Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_words, "MOST_NAMES", 16)
    stage = Recording(screen)
    texts = [f"marker {k}" for k in range(100)]
    for text in texts:
        stage.ctx.emit_string_marker(text)
    assert len(stage.ctx._tracer._words[0]._names) <= 16  # type: ignore[attr-defined]
    assert [call[1][0] for call in stage.calls() if call[0] == "emit_string_marker"] == texts


def test_calls_that_a_call_makes_are_not_recorded(screen: tgsi.Screen) -> None:
    stage = Recording(screen)
    ctx: Any = stage.ctx
    stage.frame()
    words = screen.buffer_from(np.array([[3, 1, 0, 0]] * 2, np.uint32))
    for _ in range(3):
        ctx.draw_vbo(mode="TRIANGLES", indirect=words, draw_count=2)
    assert [call[0] for call in stage.calls()[-3:]] == ["draw_vbo"] * 3
    assert [call[0] for call in stage.calls()].count("draw_vbo") == 2 + 3


def test_every_method_with_arguments_alone_is_written_by_generated_code(screen: tgsi.Screen) -> None:
    assert {row.name for row in OF_NUMBER if row.does.name == "SET"} - set(RECORDED_ALONE) == {"get_query_result_resource"}
    assert isinstance(Recording(screen).ctx, HistoryContext)


def test_the_recording_of_a_history_begins_like_a_file(screen: tgsi.Screen) -> None:
    stage = Recording(screen)
    stage.frame()
    (part,) = stage.ctx.recorded_parts()  # type: ignore[attr-defined]
    assert bytes(part.data[:8]) == b"TGSI-CMD"
    assert len(part.data) > PREFIX.size


def test_a_context_destroyed_in_the_middle_of_a_frame_has_no_native_records(screen: tgsi.Screen) -> None:
    stage = Recording(screen)
    stage.frame()
    stage.ctx.destroy()
    with pytest.raises(ValueError, match="destroyed"):
        stage.ctx.set_sample_mask(1)
