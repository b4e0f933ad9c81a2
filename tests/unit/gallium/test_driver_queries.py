"""Queries of the driver's own counters: flushes by reasons, known draws, templates, kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from backends.device.counters import FlushReason
from backends.gallium.context.query_kinds import QUERY_KINDS
from backends.pipe.enums import DriverQuery
from backends.software import renderer as renderer_module
from tests.unit.gallium.test_repeated_draws import SIZE, Scene
from tgsi import gallium as g

pytestmark = pytest.mark.light


class Counting(Scene):
    """A scene with one query of each kind of the driver."""

    def __init__(self, screen: Any) -> None:
        super().__init__(screen)
        self.screen = screen
        self.other = screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
        self.ctx.draw_vbo(self.info[0])
        self.ctx.flush()

    def count(self, work: Callable[[], None]) -> dict[str, int]:
        """The events that happen in `work`, by kinds, those left out that do not happen."""
        queries = [(kind, self.ctx.create_query(kind)) for kind in DriverQuery]
        for _, query in queries:
            self.ctx.begin_query(query)
        work()
        for _, query in queries:
            self.ctx.end_query(query)
        results = {kind.name.lower(): self.ctx.get_query_result(query) for kind, query in queries}
        return {name: count for name, count in results.items() if count}

    def draw(self) -> None:
        self.ctx.draw_vbo(self.info[0])


@pytest.fixture
def scene(screen: Any) -> Counting:
    return Counting(screen)


def test_the_screen_describes_every_kind_and_a_context_makes_it_by_number_and_by_name(screen: Any, scene: Counting) -> None:
    assert screen.get_driver_query_info() == len(DriverQuery)
    for index, kind in enumerate(DriverQuery):
        info = screen.get_driver_query_info(index)
        assert info["query_type"] == kind
        assert info["name"] == kind.name.lower().replace("_", "-")
        assert scene.ctx.create_query(info["query_type"]).kind is kind
        assert scene.ctx.create_query(kind.name).kind is kind
        assert QUERY_KINDS[kind].has_begin
    assert screen.get_driver_query_info(len(DriverQuery)) is None
    assert {reason.value for reason in FlushReason} <= {kind.name.lower() for kind in DriverQuery}
    with pytest.raises(ValueError, match="create_query: kind"):
        scene.ctx.create_query(max(DriverQuery) + 1)


def test_queries_of_the_driver_carry_out_nothing(scene: Counting) -> None:
    assert scene.count(scene.draw) == {"known_draws": 1}
    assert scene.ctx.device.pending


def test_known_draws_and_templates_are_counted(scene: Counting) -> None:
    def work() -> None:
        for k in range(6):
            scene.blend(k % 2, 0.0, 0)
            scene.draw()

    assert scene.count(work)["templates_made"] == 2
    assert scene.count(work) == {"known_draws": 6}


STORES = """FRAG
DCL OUT[0], COLOR
DCL {memory}
IMM[0] FLT32 {{0.0, 0.5, 1.0, 1.0}}
IMM[1] UINT32 {{0, 0, 0, 0}}
STORE {store}, IMM[1].xxxx, IMM[0].yyyy{suffix}
MOV OUT[0], IMM[0]
END
"""


def test_a_draw_is_counted_once_as_known_or_as_one_that_python_took(scene: Counting) -> None:
    target = {"buffer": scene.screen.resource_create(target="BUFFER", width0=256, bind=g.Bind.SHADER_BUFFER)}
    target["image"] = scene.screen.resource_create(target="TEXTURE_2D", format="R32_FLOAT", width0=4, height0=4, bind=g.Bind.SHADER_IMAGE)
    scene.ctx.set_shader_buffers("FRAGMENT", [target["buffer"]])
    scene.ctx.set_shader_images("FRAGMENT", [g.ImageView(target["image"])])

    def work(text: str) -> None:
        scene.ctx.bind_fs_state(scene.ctx.create_fs_state(text))
        scene.draw()

    image = {"memory": "IMAGE[0], 2D, PIPE_FORMAT_R32_FLOAT, WR", "store": "IMAGE[0]", "suffix": ", 2D, PIPE_FORMAT_R32_FLOAT"}
    for names, counts in (({"memory": "BUFFER[0]", "store": "BUFFER[0].x", "suffix": ""}, (1, 0)), (image, (1, 0))):
        found = scene.count(partial(work, STORES.format(**names)))
        assert (found.get("known_draws", 0), found.get("other_draws", 0)) == counts, names
    scene.ctx.bind_rasterizer_state(scene.ctx.create_rasterizer_state(line_stipple_enable=True, line_stipple_pattern=0xAAAA))
    found = scene.count(lambda: scene.ctx.draw_vbo(mode="LINES", count=2))
    assert (found.get("known_draws", 0), found.get("other_draws", 0)) == (0, 1)


def test_kernels_that_were_compiled_are_counted_with_their_time(scene: Counting) -> None:
    text = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.125, 0.5, 0.3752, 0.5}\nADD OUT[0], IMM[0], IMM[0].wzyx\nEND\n"

    def work() -> None:
        scene.ctx.bind_fs_state(scene.ctx.create_fs_state(text))
        scene.draw()

    cache = scene.ctx.device.kernels.cache
    before = cache.compiled, cache.compile_ns, cache.loaded
    found = scene.count(work)
    assert found.get("kernels_compiled", 0) == cache.compiled - before[0]
    assert found.get("compile_ns", 0) == cache.compile_ns - before[1]
    assert found.get("kernels_loaded", 0) == cache.loaded - before[2]


def bind_other(s: Counting) -> None:
    s.ctx.set_framebuffer_state(cbufs=[s.other])
    s.draw()


def read(s: Counting) -> None:
    with s.ctx.transfer_map(s.target, usage="READ"):
        pass


def fill(s: Counting) -> None:
    s.ctx.device._executor.record.most_spans = s.ctx.device._executor.record.num_spans
    s.draw()


def store(s: Counting) -> None:
    text = (
        "FRAG\nDCL BUFFER[0]\nDCL OUT[0], COLOR\nIMM[0] UINT32 {0, 1, 2, 3}\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\n"
        "MOV OUT[0], IMM[0]\nEND\n"
    )
    s.ctx.set_shader_buffers("FRAGMENT", [s.vertex_buffer])
    s.ctx.bind_fs_state(s.ctx.create_fs_state(text))
    s.draw()
    s.ctx.bind_fs_state(s.fragments[0])
    s.ctx.set_vertex_buffers([{"buffer": s.vertex_buffer, "stride": 16}])
    s.draw()


WORK: dict[FlushReason, Callable[[Counting], object]] = {
    FlushReason.ASKED: lambda s: s.ctx.flush(),
    FlushReason.TARGETS: bind_other,
    FlushReason.MEMORY: read,
    FlushReason.FULL: fill,
    FlushReason.DRAW: store,
}
"""Work after a draw that carries the draw out, for each reason that does not depend on the kind of targets."""


def test_memory_that_pending_draws_read_is_read_without_a_flush(scene: Counting) -> None:
    def work() -> None:
        scene.ctx.set_vertex_buffers([{"buffer": scene.vertex_buffer, "stride": 16}])
        scene.draw()
        with scene.ctx.transfer_map(scene.vertex_buffer, usage="READ"), scene.ctx.transfer_map(scene.views[0].texture, usage="READ"):
            pass
        scene.ctx.buffer_read(scene.vertex_buffer, bytearray(16))
        scene.ctx.texture_read(scene.views[0].texture, bytearray(64))

    assert not any(name.startswith("flushes") for name in scene.count(work))
    assert scene.ctx.device.pending


def test_a_part_of_a_buffer_that_no_pending_draw_reads_is_written_without_a_flush(scene: Counting) -> None:
    ctx, data = scene.ctx, b"1234"

    def before() -> None:
        ctx.set_vertex_buffers([{"buffer": scene.vertex_buffer, "stride": 16, "buffer_offset": 32}])
        scene.draw()
        ctx.buffer_subdata(scene.vertex_buffer, data, offset=8)
        with ctx.transfer_map(scene.vertex_buffer, usage="WRITE", box=(16, 16)) as mapped:
            mapped.data[:4] = 1

    assert not any(name.startswith("flushes") for name in scene.count(before))
    assert scene.count(lambda: ctx.transfer_map(scene.vertex_buffer, usage="WRITE", box=(40, 4)).unmap()) == {"flushes_memory": 1}
    assert bytes(scene.vertex_buffer.storage[8:12]) == data


@pytest.mark.parametrize("reason", WORK, ids=lambda reason: reason.name)
def test_flushes_are_counted_by_their_reasons(scene: Counting, reason: FlushReason, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderer_module, "MOST_PASSES", 1)

    def work() -> None:
        scene.draw()
        WORK[reason](scene)

    found = scene.count(work)
    assert {name: count for name, count in found.items() if name.startswith("flushes")} == {reason.value: 1}
