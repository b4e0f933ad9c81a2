"""Gallium over a device that only records: the calls that each method makes, without any module of the CPU device."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.device.framebuffer import Framebuffer
from backends.device.resolve_job import Resolve
from backends.device.scale_job import Scale
from backends.gallium.screen.screen import Screen
from tests.texts import VS_POSITION
from tests.unit.gallium.recording_device import LANES, SAMPLES, Recorder
from tgsi import gallium as g

COMPUTE = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 4\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\nEND\n"


class Stage:
    """Context over the recorder with a bound target and a vertex shader. The calls of the setup are already taken."""

    def __init__(self) -> None:
        self.recorder = Recorder()
        self.screen = Screen(0, device=self.recorder, cache_dir="")
        self.ctx = self.screen.context_create()
        self.target = self.screen.resource_create(width0=16, height0=16, bind="RENDER_TARGET|SAMPLER_VIEW", last_level=2)
        self.shader = self.ctx.create_vs_state(VS_POSITION)
        self.ctx.bind_vs_state(self.shader)
        self.ctx.set_framebuffer_state(cbufs=[self.target])

    def calls(self) -> list[str]:
        return self.recorder.take()

    def last(self) -> Any:
        return self.recorder.jobs[-1]


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    assert made.calls() == ["make_device"]
    with made.screen:
        yield made


def test_the_factory_gets_the_settings_of_the_screen(stage: Stage) -> None:
    settings = stage.recorder.jobs[0]
    assert settings is stage.screen
    assert (stage.screen.threads, stage.screen.cache_dir) == (0, None)


def test_a_clear_binds_the_targets_first(stage: Stage) -> None:
    stage.ctx.clear("COLOR0", color=(0.0, 1.0, 0.0, 1.0))
    assert stage.calls() == ["set_framebuffer", "clear"]
    bound = stage.recorder.jobs[-2]
    assert isinstance(bound, Framebuffer)
    assert bound.cbufs[0] is not None
    assert bound.cbufs[0].address == stage.target.address
    assert stage.last() == (int(g.Clear.COLOR0), (0, 0x3F800000, 0, 0x3F800000), 1.0, 0)


def test_a_draw_hands_over_what_is_bound(stage: Stage) -> None:
    corners = np.zeros((3, 4), np.float32)
    stage.ctx.set_vertex_buffers([corners])
    stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
    assert stage.calls() == ["set_framebuffer", "draw"]
    shader, buffers, info = stage.last()
    assert shader is stage.shader
    assert (buffers[0].stride, buffers[0].size) == (16, 48)
    assert info == g.DrawInfo(mode=g.Prim.TRIANGLES, count=3)


def test_buffers_that_are_bound_again_are_the_same_object(stage: Stage) -> None:
    stage.ctx.set_vertex_buffers([np.zeros((3, 4), np.float32)])
    first = stage.ctx.state.vertex_buffers
    stage.ctx.set_vertex_buffers([None])
    empty = stage.ctx.rebind_vertex_buffers(first)
    stage.ctx.draw_vbo(count=3)
    assert empty == ()
    assert stage.last()[1] is first


def test_looking_at_what_was_drawn_flushes_once(stage: Stage) -> None:
    stage.ctx.draw_vbo(count=3)
    with stage.ctx.transfer_map(stage.target):
        assert stage.calls() == ["set_framebuffer", "draw", "flush"]
    with stage.ctx.transfer_map(stage.target):
        assert stage.calls() == []


def test_a_copy_waits_for_the_draws_and_moves_bytes_itself(stage: Stage) -> None:
    other = stage.screen.resource_create(width0=16, height0=16)
    stage.target.texels()[...] = 5
    stage.ctx.draw_vbo(count=3)
    stage.ctx.resource_copy_region(other, stage.target)
    assert stage.calls() == ["set_framebuffer", "draw", "flush"]
    assert (other.texels() == 5).all()


def test_a_blit_is_one_scale(stage: Stage) -> None:
    small = stage.screen.resource_create(width0=4, height0=8, format="B8G8R8A8_UNORM")
    stage.ctx.blit(small, src=stage.target, filter="LINEAR", mask="RGB")
    assert stage.calls() == ["scale"]
    job = stage.last()
    assert isinstance(job, Scale)
    assert (job.source.shape, job.target.shape) == ((1, 16, 16, 4), (1, 8, 4, 4))
    assert (job.source_format, job.target_format) == (g.Format.R8G8B8A8_UNORM, g.Format.B8G8R8A8_UNORM)
    assert job.mask == g.ColorMask.R | g.ColorMask.G | g.ColorMask.B
    assert [axis.second is not None for axis in job.axes] == [False, True, True]
    assert job.axes[2].first.tolist() == [1, 5, 9, 13]


def test_mipmaps_are_a_scale_for_each_level(stage: Stage) -> None:
    stage.ctx.generate_mipmap(stage.target)
    assert stage.calls() == ["scale", "scale"]


def test_a_resolve_is_a_job_of_its_own(stage: Stage) -> None:
    samples = stage.screen.resource_create(width0=16, height0=16, nr_samples=4, bind="RENDER_TARGET")
    stage.ctx.blit(stage.target, src=samples)
    assert stage.calls() == ["resolve"]
    job = stage.last()
    assert isinstance(job, Resolve)
    assert (job.source.address, job.source.samples, job.box) == (samples.address, 4, (0, 0, 16, 16))


def test_a_grid_goes_to_a_dispatcher_that_is_made_for_it(stage: Stage) -> None:
    shader = stage.ctx.create_compute_state(COMPUTE)
    stage.ctx.bind_compute_state(shader)
    stage.ctx.launch_grid(grid=(3, 2, 1))
    assert stage.calls() == ["make_dispatcher", "launch"]
    program, grid = stage.last()
    assert program is shader.program
    assert (grid.grid, grid.block) == ((3, 2, 1), (4, 1, 1))
    assert stage.ctx.get_compute_state_info(shader).preferred_simd_size == LANES
    assert stage.calls() == ["lanes_for"]


def test_a_query_is_a_difference_of_the_devices_counters(stage: Stage) -> None:
    query = stage.ctx.create_query("OCCLUSION_COUNTER")
    stage.ctx.draw_vbo(count=3)
    stage.ctx.begin_query(query)
    stage.ctx.draw_vbo(count=3)
    stage.ctx.draw_vbo(count=3)
    stage.ctx.end_query(query)
    assert stage.calls() == ["set_framebuffer", "draw", "draw", "draw"]
    assert stage.ctx.get_query_result(query) == 2 * SAMPLES


def test_a_render_condition_keeps_draws_and_clears_but_no_grids_from_the_device(stage: Stage) -> None:
    query = stage.ctx.create_query("OCCLUSION_PREDICATE")
    stage.ctx.begin_query(query)
    stage.ctx.end_query(query)
    stage.ctx.bind_compute_state(stage.ctx.create_compute_state(COMPUTE))
    stage.ctx.render_condition(query)
    stage.calls()
    stage.ctx.draw_vbo(count=3)
    stage.ctx.clear()
    stage.ctx.launch_grid(grid=(1, 1, 1))
    assert set(stage.calls()) == {"set_framebuffer", "make_dispatcher", "launch"}
    stage.ctx.render_condition(None)
    stage.ctx.draw_vbo(count=3)
    assert stage.calls() == ["draw"]


def test_a_deferred_fence_flushes_when_it_is_finished(stage: Stage) -> None:
    stage.ctx.draw_vbo(count=3)
    fence = stage.ctx.flush("DEFERRED")
    assert stage.calls() == ["set_framebuffer", "draw"]
    assert not stage.screen.fence_finish(fence, timeout=0)
    assert stage.screen.fence_finish(fence)
    assert stage.calls() == ["flush"]
    assert stage.screen.fence_finish(fence)
    assert stage.calls() == []


def test_destroying_the_screen_closes_device_and_dispatcher(stage: Stage) -> None:
    stage.ctx.bind_compute_state(stage.ctx.create_compute_state(COMPUTE))
    stage.ctx.launch_grid(grid=(1, 1, 1))
    stage.calls()
    stage.screen.destroy()
    assert stage.calls() == ["flush", "close", "close_dispatcher"]


def test_the_public_screen_takes_another_device_too() -> None:
    recorder = Recorder()
    with tgsi.Screen(threads=0, device=recorder) as screen:
        context = screen.context_create()
    assert context.is_destroyed
    assert recorder.take() == ["make_device", "flush", "close"]


def test_no_module_of_the_cpu_device_is_loaded() -> None:
    code = """
import sys
from tests.unit.gallium.test_second_device import Stage
stage = Stage()
stage.ctx.clear()
stage.ctx.draw_vbo(count=3)
stage.ctx.generate_mipmap(stage.target)
stage.screen.destroy()
devices = ("backends.software", "backends.raster", "backends.geometry", "backends.compute", "backends.llvm", "llvmlite")
print([name for name in sys.modules if name.startswith(devices)])
"""
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr
