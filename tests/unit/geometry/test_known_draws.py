"""Draws with tessellation, geometry shaders and stream output that were seen before: no Python, and memory in the order of the calls."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.entries import install as installing
from backends.geometry import stages
from backends.geometry.tessellation import stage as patches
from backends.geometry.tessellation.key import MAX_POINTS, MAX_PRIMITIVES
from backends.software.commands import executor as executing
from tests.calls import calls_in
from tests.property.test_stage_sequences import CONTROL, EVALUATION, Scene
from tests.property.test_staged_draws import POINTS, SIZE, VERTEX
from tests.unit.geometry.programs import passthrough
from tests.unit.raster.canvas import of_draws
from tgsi import gallium as g

pytestmark = pytest.mark.light

PASS_ON = "VERT\nDCL IN[0..1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"
WITHOUT_ENTRIES = pytest.mark.skipif(not installing.fits(), reason="native entries need a plain CPython 3.11 to 3.14")


def streamed(scene: Scene) -> None:
    scene.ctx.bind_vs_state(scene.vertex[1])
    scene.ctx.set_stream_output_targets([scene.places[2]], offsets=[0])


def controlled(scene: Scene) -> None:
    scene.ctx.bind_tcs_state(scene.controls[1])
    scene.ctx.bind_tes_state(scene.evaluations[1])


def shaped(scene: Scene) -> None:
    scene.ctx.bind_gs_state(scene.geometry[POINTS][1])


def discarded(scene: Scene) -> None:
    streamed(scene)
    scene.ctx.bind_rasterizer_state(scene.rasterizers[1])


def controlled_and_streamed(scene: Scene) -> None:
    controlled(scene)
    streamed(scene)


def plain_patches(scene: Scene) -> None:
    scene.ctx.bind_tes_state(scene.evaluations[2])


def sampling(scene: Scene) -> None:
    scene.ctx.bind_tes_state(scene.sampling)


def passing(scene: Scene) -> None:
    scene.ctx.bind_gs_state(scene.geometry[passthrough("TRIANGLES")][0])


COUNTING = "DCL BUFFER[0]\nDCL TEMP[9]\nIMM[k] UINT32 {0, 1, 4, 0}\nATOMUADD TEMP[9].x, BUFFER[0], IMM[k].xxxx, IMM[k].yyyy\n"
"""Counts invocations in the first word of a buffer."""
ORDERED = "ATOMXCHG TEMP[9].x, BUFFER[0], IMM[k].zzzz, TEMP[9].xxxx\n"
"""Swaps their numbers with the second word."""


def counting(text: str, more: str = "") -> str:
    """A program with instructions in front of its first one."""
    lines = text.splitlines(keepends=True)
    first = next(k for k, line in enumerate(lines) if k and not line.startswith(("PROPERTY", "DCL", "IMM")))
    inserted = (COUNTING + more).replace("IMM[k]", f"IMM[{sum(line.startswith('IMM') for line in lines)}]")
    return "".join([*lines[:first], inserted, *lines[first:]])


def reaching(scene: Scene, *stages: str) -> None:
    """Bind a buffer to stages: the last one of the scene."""
    buffer = scene.screen.resource_create(target="BUFFER", width0=64)
    scene.ctx.buffer_subdata(buffer, np.zeros(16, "u4"))
    for stage in stages:
        scene.ctx.set_shader_buffers(stage, [buffer])
    scene.buffers.append(buffer)


def storing(scene: Scene) -> None:
    reaching(scene, "VERTEX")
    scene.ctx.bind_vs_state(scene.ctx.create_vs_state(counting(VERTEX)))


def storing_in_order(scene: Scene) -> None:
    reaching(scene, "VERTEX")
    scene.ctx.bind_vs_state(scene.ctx.create_vs_state(counting(VERTEX, ORDERED)))


def storing_and_streamed(scene: Scene) -> None:
    reaching(scene, "VERTEX")
    scene.ctx.bind_vs_state(scene.ctx.create_vs_state(counting(VERTEX), stream_output=scene.streams[1]))
    scene.ctx.set_stream_output_targets([scene.places[2]], offsets=[0])


def painting(scene: Scene) -> None:
    scene.ctx.set_shader_images("VERTEX", [scene.texture])
    store = "DCL IMAGE[0], 2D, WR\nSTORE IMAGE[0], SV[1].xxxx, IN[1], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT\n"
    scene.ctx.bind_vs_state(scene.ctx.create_vs_state(VERTEX.replace("U2F TEMP[0].x", store + "U2F TEMP[0].x")))


def storing_patches(scene: Scene) -> None:
    reaching(scene, "TESS_CTRL", "TESS_EVAL")
    control = CONTROL.format(barrier="BARRIER", inner="MOV OUT[3], TEMP[1].yyyy")
    scene.ctx.bind_tcs_state(scene.ctx.create_tcs_state(counting(control)))
    scene.ctx.bind_tes_state(scene.ctx.create_tes_state(counting(EVALUATION.format(mode=4))))


def storing_shape(scene: Scene) -> None:
    reaching(scene, "GEOMETRY")
    scene.ctx.bind_gs_state(scene.ctx.create_gs_state(counting(POINTS, ORDERED)))


KINDS: dict[str, tuple[Callable[[Scene], None], str, dict[str, Any]]] = {
    "patches": (plain_patches, "PATCHES", {"vertices_per_patch": 3}),
    "patches with a control shader": (controlled, "PATCHES", {}),
    "patches with stream output": (controlled_and_streamed, "PATCHES", {}),
    "stream output": (streamed, "TRIANGLES", {}),
    "stream output alone": (discarded, "TRIANGLES", {}),
    "stream output of a loop": (discarded, "LINE_LOOP", {}),
    "stream output of strips": (streamed, "TRIANGLE_STRIP", {"index_size": 2, "primitive_restart": True, "restart_index": 0xFFFF}),
    "patches that sample": (sampling, "PATCHES", {}),
    "stream output of many": (discarded, "POINTS", {"count": 2000}),
    "a geometry shader and many triangles": (passing, "TRIANGLES", {"count": 3000}),
    "a geometry shader": (shaped, "POINTS", {}),
    "a geometry shader, many points": (shaped, "POINTS", {"count": 100}),
    "vertices that count themselves": (storing, "TRIANGLE_STRIP", {}),
    "vertices that count themselves, of many": (storing, "TRIANGLES", {"count": 3000}),
    "vertices that have an order": (storing_in_order, "TRIANGLES", {"index_size": 2}),
    "vertices that count themselves and are streamed out": (storing_and_streamed, "LINE_LOOP", {}),
    "vertices that paint": (painting, "TRIANGLES", {}),
    "patches that count themselves": (storing_patches, "PATCHES", {}),
    "a geometry shader that counts its invocations": (storing_shape, "POINTS", {}),
}


def made(kind: str, screen: Any) -> tuple[Scene, Callable[[], None]]:
    """A scene, and its draw."""
    scene = Scene(screen)
    bind, mode, given = KINDS[kind]
    scene.ctx.bind_vs_state(scene.vertex[0])
    bind(scene)
    draw, info = scene.ctx.draw_vbo, {"count": 12, **given}
    return scene, lambda: draw(mode=mode, **info)


@WITHOUT_ENTRIES
@pytest.mark.parametrize("kind", KINDS)
def test_no_python_function_runs_from_the_second_draw_on(kind: str) -> None:
    scene, draw = made(kind, tgsi.Screen(threads=0))
    draw()
    draw()  # names of modes and numbers are learnt at the first draw, and templates made
    values = np.full(4, 2.0, "f4")
    assert calls_in(draw) == []
    scene.ctx.set_constant_buffer("TESS_EVAL", values)
    assert calls_in(draw) == []
    assert scene.ctx.device.statistics(flushes=False).other_draws <= 1


@WITHOUT_ENTRIES
def test_a_vertex_shader_before_other_stages_is_bound_without_python() -> None:
    scene, draw = made("a geometry shader", tgsi.Screen(threads=0))
    ctx, shaders = scene.ctx, [scene.vertex[0], scene.ctx.create_vs_state(PASS_ON)]
    for _ in range(2):
        for shader in shaders:
            ctx.bind_vs_state(shader)
            draw()
    assert calls_in(lambda: (ctx.bind_vs_state(shaders[0]), draw(), ctx.bind_vs_state(shaders[1]), draw()), path="backends") == []
    assert ctx.state.vertex.shader is shaders[1]
    ctx.bind_gs_state(None)
    streamed(scene)
    assert ctx.state.has_stages
    ctx.bind_vs_state(shaders[0])
    assert not ctx.state.has_stages


@WITHOUT_ENTRIES
def test_shaders_between_vertices_and_the_rasterizer_are_bound_without_python() -> None:
    scene, draw = made("a geometry shader", tgsi.Screen(threads=0))
    ctx, shader = scene.ctx, scene.geometry[POINTS][1]

    def turns() -> None:
        for geometry, evaluation in ((None, scene.evaluations[2]), (shader, None), (None, None)):
            ctx.bind_gs_state(geometry)
            ctx.bind_tes_state(evaluation)
            ctx.bind_tcs_state(None)
            if evaluation is None:
                draw()

    turns()
    turns()
    assert calls_in(turns, path="backends") == []
    assert not ctx.state.has_stages
    ctx.bind_gs_state(shader)
    assert ctx.state.has_stages
    assert ctx.state.last_shader() is shader
    streamed(scene)
    ctx.bind_gs_state(None)
    assert ctx.state.has_stages, "the vertex shader is streamed out"
    ctx.destroy_gs_state(shader)
    with pytest.raises(ValueError, match=r"bind_gs_state: .*destroyed"):
        ctx.bind_gs_state(shader)
    with pytest.raises((TypeError, ValueError), match="bind_tes_state"):
        ctx.bind_tes_state(scene.vertex[0])


@WITHOUT_ENTRIES
def test_targets_of_stream_output_are_bound_without_python() -> None:
    scene, _ = made("stream output", tgsi.Screen(threads=0))
    ctx, (first, second, third), rng = scene.ctx, scene.places, random.Random(7)
    shapes = [None, scene.geometry[POINTS][0], scene.geometry[POINTS][1]]

    def turn() -> None:
        choice = rng.choice(((), (first,), [second, None], (None, third, first, second)))
        offsets = [rng.choice((-1, (1 << 32) - 1, 0, 64)) for _ in range(rng.randrange(len(choice) + 2))][:4]
        before = [target.offset for target in scene.places]
        ctx.set_stream_output_targets(choice, offsets=offsets)
        ctx.bind_vs_state(rng.choice(scene.vertex))
        ctx.bind_gs_state(rng.choice(shapes))
        wanted = dict(zip(scene.places, before))
        wanted |= {t: place for t, place in zip(choice, offsets) if t is not None and place in (0, 64)}
        assert [target.offset for target in scene.places] == [*wanted.values()]
        assert list(ctx.state.stream_targets) == [*choice, None][: max((k for k, t in enumerate(choice, 1) if t is not None), default=0)]
        hindrances = ctx.state.record.hindrances
        ctx._choose_stages()
        assert ctx.state.record.hindrances == hindrances

    for _ in range(100):
        turn()
    assert calls_in(lambda: (ctx.set_stream_output_targets([first, None, third], offsets=[64, 0]), ctx.set_stream_output_targets())) == []
    assert calls_in(lambda: ctx.bind_vs_state(scene.vertex[1])) == []


def test_targets_that_are_wrong_or_destroyed_are_refused_and_let_go_of() -> None:
    scene = Scene(tgsi.Screen(threads=0))
    ctx, target = scene.ctx, scene.places[2]
    for _ in range(2):
        ctx.set_stream_output_targets([target], offsets=[0])
        for wrong in (2, -4):
            with pytest.raises(ValueError, match=r"offsets\[0\]"):
                ctx.set_stream_output_targets([target], offsets=[wrong])
        with pytest.raises((TypeError, ValueError), match="5 are too many"):
            ctx.set_stream_output_targets([target] * 5)
    resource = target.resource
    scene.screen.resource_destroy(resource)
    ctx.stream_output_target_destroy(target)
    assert target.keepalive is not None, "it is bound"
    with pytest.raises(ValueError, match="it was destroyed"):
        ctx.set_stream_output_targets([target])
    ctx.set_stream_output_targets([scene.places[1]])
    assert target.keepalive is None
    assert ctx.state.stream_targets == (scene.places[1],)


def test_a_known_draw_samples_what_was_drawn_before_it() -> None:
    """A target is sampled by patches, from one draw to the next while it stays bound, and from one pass to the next."""
    results = []
    for waits in (False, True):
        scene = Scene(tgsi.Screen(threads=2))
        ctx = scene.ctx
        ctx.bind_vs_state(scene.vertex[0])
        sampling(scene)
        ctx.set_tess_state([4.0] * 4, [4.0] * 2)
        ctx.set_sampler_views("TESS_EVAL", [ctx.create_sampler_view(scene.target)])
        other = scene.screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
        for target in (scene.target, scene.target, scene.target, other, scene.target, other):
            ctx.set_framebuffer_state(cbufs=[target])
            ctx.draw_vbo(mode="PATCHES", count=30, vertices_per_patch=3)
            if waits:
                ctx.flush()
        ctx.flush()
        results.append([np.array(target.storage).tobytes() for target in (scene.target, other)])
        assert ctx.device.statistics(flushes=False).other_draws == 1
    assert results[0] == results[1]
    assert all(map(any, results[0]))


def test_a_known_draw_samples_known_targets_that_were_drawn_to_before_it() -> None:
    """Targets that generated code has bound in the place of others without work are those that a staged draw must not sample early."""
    results = []
    for waits in (False, True):
        scene = Scene(tgsi.Screen(threads=0))
        ctx = scene.ctx
        other = scene.screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
        known = ctx.create_surface(scene.target)
        ctx.bind_vs_state(scene.vertex[0])
        sampling(scene)
        ctx.set_tess_state([4.0] * 4, [4.0] * 2)
        ctx.set_sampler_views("TESS_EVAL", [ctx.create_sampler_view(scene.target)])
        for _ in range(6):
            ctx.set_framebuffer_state(cbufs=[ctx.create_surface(other)])
            ctx.draw_vbo(mode="PATCHES", count=30, vertices_per_patch=3)
            ctx.flush()
            ctx.set_framebuffer_state(cbufs=[known])
            ctx.clear("COLOR0", color=(0.75, 0.25, 0.5, 1))
            if waits:
                ctx.flush()
            ctx.draw_vbo(mode="PATCHES", count=30, vertices_per_patch=3)
        ctx.flush()
        results.append([np.array(target.storage).tobytes() for target in (scene.target, other)])
    assert results[0] == results[1]


def contents(scene: Scene, place: int) -> Any:
    resource = scene.places[place].resource
    with scene.ctx.transfer_map(resource, usage="READ") as mapped:
        return np.array(mapped.data).ravel().copy()


def test_a_draw_reads_what_the_known_draw_before_it_has_streamed_out() -> None:
    """Move vertices from one half of a buffer to another ten times; they end where the sum of the moves takes them."""
    scene = Scene(tgsi.Screen(threads=2))
    ctx = scene.ctx
    ctx.bind_rasterizer_state(scene.rasterizers[1])
    moving = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nADD OUT[0], IN[0], IN[1]\nMOV OUT[1], IN[1]\nEND\n"
    whole = g.StreamOutputInfo((8,), (g.StreamOutput(0), g.StreamOutput(1, dst_offset=4)))
    ctx.bind_vs_state(ctx.create_vs_state(moving, stream_output=whole))
    start = np.arange(32, dtype="f4").reshape(4, 8)
    buffers = [scene.buffer(start), scene.buffer(np.zeros((4, 8)))]
    targets = [ctx.create_stream_output_target(b, buffer_size=128) for b in buffers]
    for step in range(10):
        ctx.set_vertex_buffers([g.VertexBuffer(buffers[step % 2], stride=32)])
        ctx.set_stream_output_targets([targets[(step + 1) % 2]], offsets=[0])
        ctx.draw_vbo(mode="POINTS", count=4)
    found = np.array(buffers[0].storage[:128]).view("f4").reshape(4, 8)
    np.testing.assert_array_equal(found, np.hstack([start[:, :4] + 10 * start[:, 4:], start[:, 4:]]))
    assert ctx.device.statistics(flushes=False).other_draws == 0
    assert ctx.device.statistics(flushes=False).flushes_draw == 0


def test_a_known_draw_waits_for_pending_draws_that_read_its_target() -> None:
    results = []
    for waits in (False, True):
        scene = Scene(tgsi.Screen(threads=2))
        ctx = scene.ctx
        ctx.bind_vs_state(scene.vertex[1])
        other = ctx.create_stream_output_target(scene.buffers[0], buffer_size=32 * 64)
        for _ in range(3):  # the first one reads the buffer that each writes at its beginning
            ctx.set_vertex_buffers([g.VertexBuffer(scene.buffers[0], stride=32)])
            ctx.set_stream_output_targets([other], offsets=[0])
            ctx.draw_vbo(mode="TRIANGLES", count=30, start=3)
            if waits:
                ctx.flush()
        flushes = ctx.device.statistics(flushes=False).flushes_draw
        assert bool(flushes) is not waits
        ctx.flush()
        results.append((np.array(scene.target.storage).tobytes(), np.array(scene.buffers[0].storage).tobytes()))
    assert results[0] == results[1]


def test_the_amount_of_a_draw_from_a_target_follows_known_draws() -> None:
    scene = Scene(tgsi.Screen(threads=0))
    ctx, target = scene.ctx, scene.places[2]
    discarded(scene)
    for count in (3, 9, 6):
        ctx.draw_vbo(mode="TRIANGLES", count=count)
    assert (target.offset, target.stride) == (18 * 32, 32)
    query = ctx.create_query("PIPELINE_STATISTICS")
    for stride, first in ((32, 0), (16, 32), (64, 48)):
        ctx.set_vertex_buffers([g.VertexBuffer(scene.buffers[0], stride=stride)])
        ctx.set_stream_output_targets([target], offsets=[first])
        ctx.draw_vbo(mode="TRIANGLES", count=18)
        ctx.set_stream_output_targets([])
        ctx.begin_query(query)
        ctx.draw_vbo(mode="POINTS", count=5, count_from_stream_output=target)
        ctx.draw_vbo(mode="POINTS", count_from_stream_output=target, count=5)
        ctx.end_query(query)
        assert ctx.get_query_result(query)[0] == 2 * ((18 * 32 + first) // stride)


@WITHOUT_ENTRIES
def test_a_draw_from_a_target_runs_no_python_and_a_destroyed_one_is_refused() -> None:
    scene = Scene(tgsi.Screen(threads=0))
    ctx = scene.ctx
    target = ctx.create_stream_output_target(scene.buffers[1], buffer_size=1024)
    ctx.bind_vs_state(scene.vertex[1])
    ctx.set_stream_output_targets([target], offsets=[0])
    ctx.draw_vbo(mode="TRIANGLES", count=9)
    ctx.set_stream_output_targets([])
    ctx.draw_vbo(mode="TRIANGLES", count_from_stream_output=target)
    assert calls_in(lambda: ctx.draw_vbo(mode="TRIANGLES", count_from_stream_output=target)) == []
    ctx.stream_output_target_destroy(target)
    with pytest.raises(ValueError, match="it was destroyed"):
        ctx.draw_vbo(mode="TRIANGLES", count_from_stream_output=target)


def test_queries_of_known_draws_count_what_was_streamed_out_and_what_had_no_room() -> None:
    scene = Scene(tgsi.Screen(threads=0))
    ctx = scene.ctx
    controlled_and_streamed(scene)
    kinds = ("PRIMITIVES_GENERATED", "PRIMITIVES_EMITTED", "SO_STATISTICS", "SO_OVERFLOW_PREDICATE", "PIPELINE_STATISTICS")
    found: list[list[Any]] = []
    for _ in range(3):
        ctx.set_stream_output_targets([scene.places[2]], offsets=[0])
        queries = [ctx.create_query(kind) for kind in kinds]
        for query in queries:
            ctx.begin_query(query)
        ctx.draw_vbo(mode="PATCHES", count=30)
        for query in queries:
            ctx.end_query(query)
        found.append([ctx.get_query_result(query) for query in queries])
    assert found[0] == found[1] == found[2]
    written, needed = found[0][2]
    assert 0 < written < needed
    assert found[0][0] == needed


def test_pieces_of_a_draw_are_as_large_as_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small pieces, small memory and a short queue give the bytes of large ones."""

    def result() -> tuple[bytes, bytes, int]:
        scene = Scene(tgsi.Screen(threads=0))
        ctx = scene.ctx
        controlled_and_streamed(scene)
        ctx.bind_vs_state(scene.vertex[0])
        ctx.set_constant_buffer("TESS_CTRL", np.array([11.0, 9.0, 7.0, 5.0], "f4"))
        for shape in (None, scene.geometry[next(t for t in scene.geometry if "TRIANGLES\n" in t)][0]):
            ctx.bind_gs_state(shape)
            for _ in range(3):
                ctx.draw_vbo(mode="PATCHES", count=90)
        others = ctx.device.statistics().other_draws
        return np.array(scene.target.storage).tobytes(), contents(scene, 2).tobytes(), others

    whole = result()
    assert whole[2] == 2
    monkeypatch.setattr(patches, "PIECE_POINTS", MAX_POINTS)
    monkeypatch.setattr(patches, "PIECE_PRIMITIVES", MAX_PRIMITIVES)
    monkeypatch.setattr(stages, "_PIECE_BYTES", 1)
    monkeypatch.setattr(executing, "CHUNK", 1 << 14)
    monkeypatch.setattr(executing, "MOST_SPANS", 1 << 6)
    assert result() == whole


MANY = ["stream output of many", "a geometry shader and many triangles", "vertices that count themselves, of many"]


@pytest.mark.parametrize("kind", MANY)
def test_draws_of_several_chunks_give_and_count_what_those_of_python_do(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def result() -> tuple[list[bytes], dict[str, Any]]:
        scene, draw = made(kind, tgsi.Screen(threads=1))
        scene.ctx.set_index_buffer(np.random.default_rng(5).integers(0, 128, 12288).astype("u2"))
        for count in (3000, 600, 12288):
            draw()
            scene.ctx.draw_vbo(mode=KINDS[kind][1], count=min(count, 4096) if "POINTS" in KINDS[kind] else count, index_size=2)
        counts = asdict(of_draws(scene.ctx.device.statistics()))
        memory = [scene.target.storage, contents(scene, 2), scene.buffers[-1].storage]
        return [np.array(data).tobytes() for data in memory], counts

    known = result()
    monkeypatch.setattr(executing.Executor, "learn_staged", lambda *_: None)
    assert result() == known


@pytest.mark.parametrize("kind", ["a geometry shader", "stream output", "vertices that count themselves"])
def test_a_frame_of_known_draws_is_flushed_without_python(kind: str) -> None:
    scene, draw = made(kind, tgsi.Screen(threads=0))
    results = []
    for known in (False, True, True):
        scene.ctx.clear(color=(0, 0, 0, 0))
        draw()
        assert ("_finish" in calls_in(scene.ctx.device.flush)) is not known
        results.append(np.array(scene.target.storage).tobytes())
    assert results[0] == results[1] == results[2]
    assert any(results[0])


def test_vertices_that_write_memory_wait_only_for_pending_draws_that_read_it() -> None:
    scene, draw = made("vertices that paint", tgsi.Screen(threads=2))
    ctx, paint = scene.ctx, scene.ctx.state.vertex.shader
    other = scene.screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
    sample = "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 0, 0, 0}\nTXF OUT[0], IMM[0], SAMP[0], 2D\nEND\n"
    ctx.bind_fs_state(ctx.create_fs_state(sample))
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
    flushes = []
    for texture in (other, scene.texture):
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])
        draw()
        before = ctx.device.statistics(flushes=False)
        for _ in range(5):
            draw()
        after = ctx.device.statistics(flushes=False)
        assert after.other_draws == before.other_draws
        flushes.append(after.flushes_draw - before.flushes_draw)
    assert flushes == [0, 5], "each draw reads what the next one writes"
    assert ctx.state.vertex.shader is paint


def test_each_draw_whose_vertices_write_memory_is_drawn_with_its_own_vertices() -> None:
    """Vertices lie in memory until the rasterizer is done with them, however many such draws are pending."""
    results = []
    for waits in (False, True):
        scene, draw = made("vertices that count themselves", tgsi.Screen(threads=0))
        for place in np.linspace(-0.5, 0.5, 9):
            scene.ctx.set_constant_buffer("VERTEX", np.full(4, place, "f4"))
            draw()
            if waits:
                scene.ctx.flush()
        scene.ctx.flush()
        assert scene.ctx.device.statistics(flushes=False).other_draws == 1
        results.append((np.array(scene.target.storage).tobytes(), scene.buffers[-1].storage.tobytes()))
    assert results[0] == results[1]
    assert any(results[0][0])
    assert any(results[0][1])


def test_an_error_in_the_middle_of_a_known_draw_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, draw = made("patches", tgsi.Screen(threads=0))
    draw()
    draw()
    executor = scene.ctx.device._executor
    executor.record.room = 1 << 14  # enough to prepare the draw
    scene.ctx.set_tess_state([60.0] * 4, [60.0] * 2)
    monkeypatch.setattr(executor._region, "allocate", lambda size: (_ for _ in ()).throw(MemoryError("no more")))
    with pytest.raises(MemoryError, match="no more"):
        draw()
    monkeypatch.undo()
    draw()
    scene.ctx.flush()
