"""Traces: a played trace has the bytes of the traced context, or reports the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
import tgsi.gallium as g
from backends.device.calls.errors import RecordingError
from backends.device.calls.table import NUMBERS, OF_NUMBER
from backends.device.commands.layout import CHANGING, MAGIC, PREFIX, VERSION, Command, pack, slot_detail
from backends.entries.install import fits
from backends.gallium.context.context import Context
from backends.gallium.context.recording.decoder import items
from backends.gallium.tracing import trace_file
from backends.gallium.tracing.printing import printed
from backends.gallium.tracing.trace_player import Digest, TracePlayer
from tests.unit.gallium.test_bundles import FRAGMENT, TRIANGLE, Stage, f4

pytestmark = pytest.mark.light


class Traced(Stage):
    """The stage of the tests of bundles, with every call traced."""

    def __init__(self, screen: tgsi.Screen, path: Path) -> None:
        self.path = path
        create = screen.context_create
        screen.context_create = lambda: create(trace=path)  # type: ignore[method-assign, misc, assignment]
        super().__init__(screen)

    def played(self, *, threads: int = 0, digests_flushes: bool = False) -> list[Digest]:
        """End the trace and play it."""
        self.ctx.destroy()
        return play(bytearray(self.path.read_bytes()), threads=threads, digests_flushes=digests_flushes)


def play(data: bytearray, *, threads: int = 0, digests_flushes: bool = False) -> list[Digest]:
    found: list[Digest] = []
    with tgsi.Screen(threads=threads) as screen:
        context = screen.context_create()
        TracePlayer(screen, context, found.append, digests_flushes=digests_flushes).play(data)
        context.destroy()
    return found


def names(path: Path) -> list[str]:
    return [shown.get("call", shown["name"]) for shown in printed(bytearray(path.read_bytes()))]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Traced]:
    with tgsi.Screen(threads=0) as screen:
        yield Traced(screen, tmp_path / "a.trace")


def same(found: list[Digest]) -> bool:
    assert found
    return all(digest.is_same for digest in found)


@pytest.mark.parametrize("threads", [0, 2])
def test_a_played_trace_gives_the_digests_of_the_traced_context(stage: Traced, threads: int) -> None:
    stage.calls(stage.ctx)
    stage.pixels()
    stage.calls(stage.ctx)
    found = stage.played(threads=threads)
    assert same(found)
    assert [digest.source.split(":")[0] for digest in found] == ["texture_read", "end", "end", "end"]


def test_traced_and_untraced_contexts_give_the_same_bytes(stage: Traced) -> None:
    stage.calls(stage.ctx)
    with tgsi.Screen(threads=0) as screen:
        plain = Stage(screen)
        plain.calls(plain.ctx)
        assert plain.pixels() == stage.pixels()


def test_each_flush_can_have_a_digest(stage: Traced) -> None:
    stage.calls(stage.ctx)
    stage.ctx.flush()
    stage.ctx.clear(color=(1, 0, 0, 1))
    stage.ctx.flush()
    first, second, *_ = stage.played(digests_flushes=True)
    assert first.recorded is second.recorded is None
    assert first.value != second.value


def test_replayed_bundles_are_in_the_trace(stage: Traced) -> None:
    with stage.ctx.record() as bundle:
        stage.calls(bundle)
    stage.ctx.replay(bundle, 2)
    wanted = stage.pixels()
    assert same(stage.played())
    assert names(stage.path).count("draw_vbo") == 24
    assert any(wanted)


def test_writes_to_mappings_are_recorded(stage: Traced) -> None:
    ctx, texture = stage.ctx, stage.screen.resource_create(width0=8, height0=8, last_level=2)
    with ctx.transfer_map(texture, level=1, usage="WRITE", box=(1, 1, 2, 2)) as mapped:
        mapped.data[...] = 7
    with ctx.transfer_map(stage.buffer, usage="READ|WRITE") as mapped:
        mapped.data[3] = 99
    ctx.transfer_map(texture, usage="WRITE").data[...] = 5  # and never unmapped
    ctx.transfer_unmap(ctx.transfer_map(stage.target))
    found = stage.played()
    assert same(found)
    assert names(stage.path).count("write_mapped") == 3


def test_a_mapping_that_is_written_between_draws_is_recorded_before_each(tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, tmp_path / "a.trace")
        buffer = screen.resource_create(target="BUFFER", width0=48, flags="MAP_PERSISTENT")
        stage.state(stage.ctx)
        stage.ctx.set_vertex_buffers([{"buffer": buffer, "stride": 16}])
        mapped = stage.ctx.transfer_map(buffer, usage=["WRITE", "PERSISTENT"])
        pictures = set()
        for k in range(3):
            mapped.data[...] = (TRIANGLE * f4([1 + k / 4, 1, 1, 1])).reshape(-1).view("u1")
            stage.ctx.clear(color=(0, 0, 0, 0))
            stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
            pictures.add(stage.pixels())
        assert len(pictures) == 3
        assert same(stage.played())


def test_reads_with_gaps_have_the_digests_of_what_was_read(stage: Traced) -> None:
    stage.calls(stage.ctx)
    into = np.full(3000, 17, np.uint8)
    stage.ctx.texture_read(stage.target, into, box=(3, 4, 5, 6), stride=64)
    stage.ctx.texture_read(stage.buffer, into, box=(8, 4))
    stage.ctx.buffer_read(stage.buffer, into[:40], offset=4)
    assert into[20] == 17 or into[2999] == 17
    assert same(stage.played())


def test_calls_that_were_refused_are_refused_again(stage: Traced) -> None:
    with pytest.raises(ValueError, match="no vertex shader is bound"):
        stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
    with pytest.raises(ValueError, match="set_sample_mask: mask"):
        stage.ctx.set_sample_mask(-1)
    stage.state(stage.ctx)
    stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
    assert same(stage.played())


def test_objects_that_ended_are_forgotten(stage: Traced) -> None:
    for _ in range(3):
        stage.ctx.set_vertex_buffers([stage.screen.resource_create(target="BUFFER", width0=64)])
        stage.ctx.delete_fs_state(stage.ctx.create_fs_state(FRAGMENT))
    stage.ctx.set_vertex_buffers([None])
    stage.ctx.flush()
    stage.ctx.flush()
    assert same(stage.played())
    assert sum(len(s["handles"]) for s in printed(bytearray(stage.path.read_bytes())) if s["name"] == "FORGET") == 6


def ended_query(ctx: g.Context) -> Any:
    query = ctx.create_query("OCCLUSION_PREDICATE")
    ctx.begin_query(query)
    ctx.end_query(query)
    return query


DEAD: dict[str, tuple[Command, Callable[[Traced], Any], Callable[[Traced, Any], object], Callable[[Traced, Any], object]]] = {
    "blend": (
        Command.BIND,
        lambda s: s.ctx.create_blend_state(dither=True),
        lambda s, thing: s.ctx.bind_blend_state(thing),
        lambda s, thing: s.ctx.destroy_blend_state(thing),
    ),
    "view": (
        Command.SAMPLER_VIEWS,
        lambda s: s.ctx.create_sampler_view(s.target),
        lambda s, thing: s.ctx.set_sampler_views("FRAGMENT", [thing]),
        lambda s, thing: s.ctx.sampler_view_destroy(thing),
    ),
    "surface": (
        Command.FRAMEBUFFER,
        lambda s: s.ctx.create_surface(s.target),
        lambda s, thing: s.ctx.set_framebuffer_state(cbufs=[thing]),
        lambda s, thing: s.ctx.surface_destroy(thing),
    ),
    "query": (
        Command.CONDITION,
        lambda s: ended_query(s.ctx),
        lambda s, thing: s.ctx.render_condition(thing),
        lambda s, thing: s.ctx.destroy_query(thing),
    ),
}


@pytest.mark.parametrize("kind", DEAD)
def test_a_command_with_a_destroyed_object_is_refused_though_equal_ones_were_repeated(stage: Traced, kind: str) -> None:
    command, create, bind, destroy = DEAD[kind]
    thing = create(stage)
    for _ in range(3):
        bind(stage, thing)
        bind(stage, None)
    destroy(stage, thing)
    stage.ctx.destroy()
    data = bytearray(stage.path.read_bytes())
    words = memoryview(data)[PREFIX.size :].cast("I")
    found = [item for item in items(words) if item.command is command][-2]
    copy = bytes(words[found.at : found.at + 1 + len(found.words)])
    at = PREFIX.size + 4 * next(item.at for item in items(words) if item.command is Command.FORGET)
    with pytest.raises(RecordingError, match="was destroyed"):
        play(data[:at] + copy + data[at:])


def test_queries_are_compared_and_clocks_are_not(stage: Traced) -> None:
    stage.state(stage.ctx)
    kinds = "OCCLUSION_COUNTER", "PIPELINE_STATISTICS", "TIME_ELAPSED"
    queries = [stage.ctx.create_query(kind) for kind in kinds]
    for query in queries:
        assert stage.ctx.begin_query(query) is True
    stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
    for query in queries:
        stage.ctx.end_query(query)
        stage.ctx.get_query_result(query)
        stage.ctx.get_query_result_resource(query, stage.uniforms, result_type="U64", offset=8)
    assert same(stage.played())


REFUSED: list[tuple[str, Callable[[Traced], object], str]] = [
    (
        "memory of the caller",
        lambda s: s.ctx.set_vertex_buffers([s.screen.resource_from_user_memory(bytearray(64))]),
        "uses memory of the caller",
    ),
    ("another context", lambda s: s.ctx.bind_fs_state(Context.create_fs_state(s.ctx, FRAGMENT)), "created by another context"),
    ("addresses", lambda s: s.ctx.rebind_vertex_buffers(()), "addresses of memory"),
    ("iterator", lambda s: cast(Any, s.ctx).set_clip_state(iter(range(32))), "an object of type range_iterator cannot be recorded"),
]


@pytest.mark.parametrize(("act", "message"), [(act, message) for _, act, message in REFUSED], ids=[name for name, _, _ in REFUSED])
def test_what_a_trace_cannot_hold_is_refused_and_not_done(stage: Traced, act: Callable[[Traced], object], message: str) -> None:
    stage.state(stage.ctx)
    before = bytes(stage.ctx.state.record.words)
    with pytest.raises(TypeError, match=message):
        act(stage)
    assert bytes(stage.ctx.state.record.words) == before
    stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
    assert same(stage.played())


SAME_DRAW = g.DrawInfo(mode=g.Prim.TRIANGLES, count=3)


def draws_with_constants(ctx: Any, count: int) -> None:
    for k in range(count):
        ctx.set_constant_buffer("VERTEX", f4([k % 16 / 16, k % 9 / 9, 0, 0]))
        ctx.draw_vbo(SAME_DRAW)


CONTROL = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], POSITION
DCL OUT[][0], POSITION
DCL OUT[1], TESSOUTER
DCL OUT[2], TESSINNER
DCL SV[0], INVOCATIONID
DCL ADDR[0]
IMM[0] FLT32 {2.0, 2.0, 2.0, 2.0}
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
MOV OUT[1], IMM[0]
MOV OUT[2], IMM[0]
END
"""
EVALUATION = """TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL IN[][0], POSITION
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL TEMP[0]
MUL TEMP[0], IN[0][0], SV[0].xxxx
MAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]
MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]
END
"""


def buffer_of(stage: Stage, data: NDArray[np.float32]) -> g.Resource:
    made = stage.screen.resource_create(target="BUFFER", width0=data.nbytes)
    stage.ctx.buffer_subdata(made, data)
    return made


@pytest.mark.parametrize("args", [(), (g.DrawInfo(mode=g.Prim.PATCHES, count=8, vertices_per_patch=4),)])
def test_patches_that_are_drawn_again_keep_their_number_of_vertices(stage: Traced, args: tuple[g.DrawInfo, ...]) -> None:
    stage.state(stage.ctx)
    corners = np.concatenate([TRIANGLE, TRIANGLE[:1], TRIANGLE * f4([-1, -1, 1, 1]), TRIANGLE[:1]])
    stage.ctx.set_vertex_buffers([{"buffer": buffer_of(stage, corners), "stride": 16}])
    stage.ctx.bind_tcs_state(stage.ctx.create_tcs_state(CONTROL))
    stage.ctx.bind_tes_state(stage.ctx.create_tes_state(EVALUATION))
    pictures = set()
    for _ in range(4):
        stage.ctx.clear(color=(0, 0, 0, 0))
        if args:
            stage.ctx.draw_vbo(*args)
        else:
            stage.ctx.draw_vbo(mode="PATCHES", count=8, vertices_per_patch=4)
        pictures.add(stage.pixels())
    assert len(pictures) == 1
    assert any(pictures.pop())
    assert same(stage.played())


needs_entries = pytest.mark.skipif(not fits(), reason="native entries do not fit this interpreter")


@needs_entries
def test_a_draw_again_with_two_new_words_of_constants_takes_twelve_bytes(stage: Traced) -> None:
    stage.state(stage.ctx)
    draws_with_constants(stage.ctx, 40)
    before = stage.ctx.state.record.recorded_at
    draws_with_constants(stage.ctx, 40)
    assert stage.ctx.state.record.recorded_at - before == 40 * 12
    stage.pixels()
    assert same(stage.played())
    assert names(stage.path).count("draw_vbo") == 80
    assert [n for n in names(stage.path) if n in ("draw_vbo", "set_constant_buffer")][-4:] == ["set_constant_buffer", "draw_vbo"] * 2


PARTLY: list[tuple[str, int, Callable[[Any, int], object]]] = [
    ("start", 8, lambda ctx, k: ctx.draw_vbo(mode="TRIANGLES", count=3, start=k)),
    ("start and count", 12, lambda ctx, k: ctx.draw_vbo(mode="TRIANGLES", count=3 * k, start=k)),
    ("restart index and drawid", 12, lambda ctx, k: ctx.draw_vbo(mode="TRIANGLES", count=3, restart_index=k, drawid=k)),
    ("nothing", 4, lambda ctx, k: ctx.set_constant_buffer("FRAGMENT", f4([0, 1, 0, 1]))),
    ("sign of zero", 8, lambda ctx, k: ctx.set_constant_buffer("FRAGMENT", f4([-0.0 if k % 2 else 0.0, 1, 0, 1]))),
    ("last of sixteen words", 8, lambda ctx, k: ctx.set_constant_buffer("FRAGMENT", f4([1] * 15 + [k]))),
    ("last of seventeen words", 72, lambda ctx, k: ctx.set_constant_buffer("FRAGMENT", f4([1] * 16 + [k]))),
    ("last slot", 8, lambda ctx, k: ctx.set_constant_buffer("GEOMETRY", f4([k]), index=15)),
    ("number of words", 20, lambda ctx, k: ctx.set_constant_buffer("FRAGMENT", f4([1] * (3 + k % 3)))),
]


@needs_entries
@pytest.mark.parametrize(("size", "act"), [row[1:] for row in PARTLY], ids=[row[0] for row in PARTLY])
def test_words_that_do_not_change_are_not_recorded(stage: Traced, size: int, act: Callable[[Any, int], object]) -> None:
    stage.state(stage.ctx)
    stage.ctx.set_vertex_buffers([{"buffer": stage.screen.resource_create(target="BUFFER", width0=1 << 12), "stride": 16}])
    for k in range(1, 4):
        act(stage.ctx, k)
    before = stage.ctx.state.record.recorded_at
    for k in range(4, 40):
        act(stage.ctx, k)
    assert stage.ctx.state.record.recorded_at - before == 36 * size
    stage.ctx.draw_vbo(SAME_DRAW)
    stage.pixels()
    assert same(stage.played())


def refused_draw(stage: Traced) -> None:
    with pytest.raises(ValueError, match="count"):
        stage.ctx.draw_vbo(mode="TRIANGLES", count=-1)


BETWEEN: list[tuple[str, Callable[[Traced], object]]] = [
    ("a buffer", lambda s: s.ctx.set_constant_buffer("FRAGMENT", s.uniforms)),
    ("nothing", lambda s: s.ctx.set_constant_buffer("FRAGMENT", None)),
    ("bytes of another length", lambda s: s.ctx.set_constant_buffer("FRAGMENT", b"12345678901234567890")),
    ("bytes that are not words", lambda s: s.ctx.set_constant_buffer("FRAGMENT", b"123456789012345")),
    ("many draws", lambda s: s.ctx.draw_many(np.ones(3, [("fragment_constants", "f4", 4)]), mode="TRIANGLES", count=3)),
    ("no draws", lambda s: s.ctx.draw_many(np.ones(0, [("fragment_constants", "f4", 4)]), mode="TRIANGLES", count=3)),
    ("a refused draw", refused_draw),
    ("a clear", lambda s: s.ctx.clear_render_target(s.target, color=(1, 1, 1, 1))),
    ("a copy", lambda s: s.ctx.resource_copy_region(s.target, s.target, dstx=20, dsty=20, src_box=(0, 0, 8, 8))),
    ("a flush", lambda s: s.ctx.flush()),
    ("a draw with its own indices", lambda s: s.ctx.draw_vbo(mode="TRIANGLES", index=np.array([2, 1, 0], "u2"))),
    ("a bundle", lambda s: s.ctx.replay(bundle_of(s))),
]


def bundle_of(stage: Traced) -> Any:
    with stage.ctx.record() as bundle:
        draws_with_constants(bundle, 2)
        bundle.set_constant_buffer("FRAGMENT", f4([0, 0, 1, 1]))
    return bundle


@pytest.mark.parametrize("act", [act for _, act in BETWEEN], ids=[name for name, _ in BETWEEN])
def test_changes_refer_to_what_is_bound_whatever_came_between(stage: Traced, act: Callable[[Traced], object]) -> None:
    stage.state(stage.ctx)
    for k in range(3):
        for green in (0, k):
            stage.ctx.set_constant_buffer("FRAGMENT", f4([k / 4, green / 4, 0, 1]))
            stage.ctx.set_constant_buffer("VERTEX", f4([k / 4, green / 4, 0, 0]))
            stage.ctx.draw_vbo(mode="TRIANGLES", count=3 - green // 2)
        act(stage)
    stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
    stage.pixels()
    assert same(stage.played())


def test_a_recording_of_the_version_before_is_played(stage: Traced) -> None:
    stage.state(stage.ctx)
    stage.ctx.draw_vbo(SAME_DRAW)
    stage.pixels()
    stage.ctx.destroy()
    data = stage.path.read_bytes()[PREFIX.size :]
    assert not CHANGING.intersection(item.command for item in items(memoryview(data).cast("I")))
    assert same(play(bytearray(PREFIX.pack(MAGIC, 2, 0) + data)))


@pytest.mark.parametrize("is_native", [True, False])
def test_a_recording_that_is_larger_than_its_memory_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_native: bool) -> None:
    monkeypatch.setattr(trace_file, "_GATHERED", 1 << 10)
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, tmp_path / "a.trace")
        if not is_native:
            stage.ctx.state.record.recorded_write = 0
        stage.state(stage.ctx)
        draws_with_constants(stage.ctx, 500)
        stage.ctx.set_constant_buffer("FRAGMENT", np.ones(2000, "f4"))  # more than the memory holds
        draws_with_constants(stage.ctx, 500)
        stage.pixels()
        assert same(stage.played())
    assert names(stage.path).count("draw_vbo") == 1000


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_an_error_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_file, "_GATHERED", 1 << 14)
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, Path("/dev/full"))
        stage.state(stage.ctx)
        with pytest.raises(OSError, match="No space left"):
            draws_with_constants(stage.ctx, 2000)
        with pytest.raises(OSError, match="No space left"):
            stage.ctx.destroy()


def test_bytes_that_were_written_behind_the_context_are_named(stage: Traced) -> None:
    stage.state(stage.ctx)
    stage.buffer.blocks()[...] = 5
    wrong = [digest for digest in stage.played() if not digest.is_same]
    assert len(wrong) == 1
    assert "BUFFER R8_UNORM 48 bytes" in wrong[0].source


def test_a_context_without_a_trace_is_a_plain_one() -> None:
    with tgsi.Screen(threads=0) as screen:
        assert type(screen.context_create()) is Context


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen, pytest.raises(OSError, match="No such file"):
        screen.context_create(trace=tmp_path / "nowhere" / "a.trace")


def test_numbers_of_methods_change_with_the_version_only() -> None:
    assert VERSION == 3
    names = [method.name for method in OF_NUMBER]
    assert [NUMBERS[name] for name in names] == list(range(116))
    assert (names[0], names[79], names[114], names[115]) == ("create_blend_state", "draw_vbo", "check_content", "set_sample_locations")
    assert sha256(" ".join(names).encode()).hexdigest()[:16] == "59e15730d2bf9de1"  # of all the names, in order


def changes(bits: int, *words: int, stage: int = 0) -> Callable[[bytearray], bytearray]:
    head = bytes((Command.CHANGES, slot_detail(stage, 0), bits & 255, bits >> 8))
    return lambda d: d[:-4] + head + b"".join(word.to_bytes(4, "little") for word in words) + d[-4:]


def redraw(bits: int, word: int) -> Callable[[bytearray], bytearray]:
    draw = pack(Command.DRAW, 4, 3, 0, 0, 1, 0, 0, 0, 0, 0)
    return lambda d: d[:-4] + draw + bytes((Command.REDRAW, 0, bits & 255, bits >> 8)) + word.to_bytes(4, "little") + d[-4:]


CUT: list[tuple[str, Callable[[bytearray], bytearray], str]] = [
    ("empty", lambda d: bytearray(), "the file is empty"),
    ("no magic", lambda d: bytearray(b"PNG") + d[3:], "the file is not a trace"),
    ("version", lambda d: d[:8] + b"\x09" + d[9:], "version 9"),
    ("odd", lambda d: d[:-1], "inside of a word: it was cut off"),
    ("no end", lambda d: d[:-4], "without END: it was cut off"),
    ("half a command", lambda d: d[: PREFIX.size + 12], r"command 0 \(CALL\) at byte 16: \d+ words follow its header, 2 are there"),
    ("after the end", lambda d: d + d[-4:], r"\(END\) at byte \d+: commands follow"),
    ("number", lambda d: d[:-4] + b"\xff\0\0\0", r"\(number 255\) at byte \d+: 0xff is not a header"),
    ("version 1", lambda d: d[:8] + b"\x01" + d[9:], "version 1.0; this player reads 2.0 to 3.0"),
    ("unbound", changes(1, 0, stage=2), r"\(CHANGES\) at byte \d+: it changes constants, but none are bound as bytes to slot 0 of stage 2"),
    ("place", changes(0x11, 0, 0), r"\(CHANGES\) at byte \d+: the bound constants have 4 words, and no word 4"),
    ("bits without words", changes(0xF, 0), r"\(CHANGES\) at byte \d+: 4 words follow its header, 2 are there"),
    ("no draw", lambda d: d[:-4] + bytes((Command.REDRAW, 0, 0, 0)) + d[-4:], r"\(REDRAW\) at byte \d+: there is no draw before"),
    ("word of a draw", redraw(0x400, 3), r"\(REDRAW\) at byte \d+: a draw has no word 10"),
    ("handle", lambda d: d[:-4] + bytes((Command.FORGET, 0, 1, 0, 200, 0, 0, 0)), r"\(FORGET\) at byte \d+: 200 is not a handle"),
]


@pytest.mark.parametrize("is_native", [True, False])
def test_no_part_of_a_recording_repeats_the_draw_of_a_part_before(stage: Traced, is_native: bool) -> None:
    stage.calls(stage.ctx)
    stage.ctx.destroy()
    again = bytes((Command.REDRAW, 0, 0, 0))
    with tgsi.Screen(threads=0) as screen:
        player = TracePlayer(screen, screen.context_create(), lambda digest: None, is_native=is_native)
        player.advance(stage.path.read_bytes()[PREFIX.size : -4] + again)
        with pytest.raises(RecordingError, match=r"\(REDRAW\) at byte 0: there is no draw before"):
            player.advance(again)


@pytest.mark.parametrize(("cut", "message"), [(cut, message) for _, cut, message in CUT], ids=[name for name, _, _ in CUT])
def test_a_wrong_file_is_refused_with_command_place_and_reason(stage: Traced, cut: Callable[[bytearray], bytearray], message: str) -> None:
    stage.state(stage.ctx)
    stage.ctx.destroy()
    with pytest.raises(RecordingError, match=message):
        play(cut(bytearray(stage.path.read_bytes())))
