"""Messages of kind "perf_info": kernels that were compiled, and work that had to be carried out early."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import tgsi
from backends.device.counters import FlushReason
from tests.texts import VS_POSITION
from tests.unit.gallium.test_driver_queries import WORK, Counting

pytestmark = pytest.mark.light

CAUSES = {
    FlushReason.MEMORY: ("transfer_map", "memory that it uses was read, written or mapped"),
    FlushReason.FULL: ("draw_vbo", "it took too much memory"),
    FlushReason.DRAW: ("draw_vbo", "a draw had to wait for it"),
}


@pytest.fixture
def scene(screen: Any) -> Counting:
    return Counting(screen)


def heard(scene: Counting, work: Callable[[], object]) -> list[str]:
    """The messages of `work`, without those about kernels."""
    seen: list[tuple[str, str]] = []
    scene.ctx.set_debug_callback(lambda kind, text: seen.append((kind, text)))
    work()
    scene.ctx.set_debug_callback(None)
    return [text for kind, text in seen if kind == "perf_info" and "compiled" not in text]


@pytest.mark.parametrize("reason", CAUSES, ids=lambda reason: reason.name)
def test_work_that_had_to_be_carried_out_early_is_told_with_its_method_and_cause(scene: Counting, reason: FlushReason) -> None:
    def work() -> None:
        scene.draw()
        WORK[reason](scene)

    method, cause = CAUSES[reason]
    assert heard(scene, work) == [f"{method}: pending work was carried out: {cause}"]


def test_a_clear_and_a_resolve_that_have_to_wait_are_told(scene: Counting) -> None:
    ctx, screen = scene.ctx, scene.screen

    def clear_after_stores() -> None:
        scene.draw()
        WORK[FlushReason.DRAW](scene)
        ctx.set_shader_buffers("FRAGMENT", [scene.vertex_buffer])
        text = "FRAG\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 1, 2, 3}\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\nEND\n"
        ctx.bind_fs_state(ctx.create_fs_state(text))
        scene.draw()
        ctx.clear("COLOR0")

    assert "clear: pending work was carried out: a clear had to wait for it" in heard(scene, clear_after_stores)
    samples, single = (screen.resource_create(width0=32, height0=32, nr_samples=n, bind="RENDER_TARGET|SAMPLER_VIEW") for n in (4, 0))

    def resolve_into_a_texture_of_the_draw() -> None:
        declared = "DCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nIMM[0] FLT32 {0, 0, 0, 0}\n"
        text = f"FRAG\n{declared}TEX OUT[0], IMM[0], SAMP[0], 2D\nEND\n"
        ctx.bind_fs_state(ctx.create_fs_state(text))
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(single)])
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
        ctx.set_framebuffer_state(cbufs=[samples])
        scene.draw()
        ctx.blit(single, src=samples)

    assert heard(scene, resolve_into_a_texture_of_the_draw) == ["blit: pending work was carried out: a resolve had to wait for it"]


def test_flushes_that_were_asked_for_and_other_targets_are_not_told(scene: Counting) -> None:
    def work() -> None:
        for reason in (FlushReason.ASKED, FlushReason.TARGETS):
            scene.draw()
            WORK[reason](scene)

    assert heard(scene, work) == []


def test_kernels_that_were_compiled_are_told_with_their_time(tmp_path: Any) -> None:
    """An empty cache on disk: every kernel of the draw is compiled."""
    seen: list[tuple[str, str]] = []
    with tgsi.Screen(threads=0, cache_dir=str(tmp_path)) as screen, screen.context_create() as ctx:
        ctx.set_debug_callback(lambda kind, text: seen.append((kind, text)))
        target = screen.resource_create(width0=8, height0=8, bind="RENDER_TARGET")
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (4, 4, 0.5), "translate": (4, 4, 0.5)}])
        ctx.bind_vs_state(ctx.create_vs_state(VS_POSITION))
        ctx.bind_fs_state(ctx.create_fs_state("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 0, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n"))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT")]))
        ctx.set_vertex_buffers([bytes(24)])
        for _ in range(2):
            ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.flush()
    told = [text for kind, text in seen if kind == "perf_info"]
    assert told
    match = re.fullmatch(r"draw_vbo: (\d+) kernels were compiled in (\d+\.\d) ms", told[0])
    assert match is not None
    assert int(match[1]) > 3
    assert float(match[2]) > 0
    assert len([text for text in told if text.startswith("draw_vbo") and "compiled" in text]) == 1


def test_a_callback_may_call_the_context(scene: Counting) -> None:
    seen: list[str] = []

    def answer(kind: str, text: str) -> None:
        seen.append(text)
        scene.ctx.flush()
        scene.draw()

    scene.draw()
    scene.ctx.set_debug_callback(answer)
    WORK[FlushReason.MEMORY](scene)
    assert len(seen) == 1
    WORK[FlushReason.MEMORY](scene)
    assert len(seen) == 2
