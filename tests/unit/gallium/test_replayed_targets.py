"""Render targets that a recording binds again are bound without Python, and give the bytes of the calls."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import tgsi
from tests.calls import calls_in
from tests.unit.gallium.test_bundles import Stage, f4

pytestmark = pytest.mark.light

SAMPLED = "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL CONST[0][0]\nDCL TEMP[0]\nIMM[0] FLT32 {0.5, 0.5, 0, 0}\n"
SAMPLED += "TEX TEMP[0], IMM[0], SAMP[0], 2D\nADD OUT[0], TEMP[0], CONST[0][0]\nEND\n"
SIZES = (48, 20, 130, 48)


class Targets(Stage):
    """The stage with targets of several sizes and kinds, views of them, and a shader that samples."""

    def __init__(self, screen: tgsi.Screen, formats: tuple[str, ...] = ("R8G8B8A8_UNORM",) * 4) -> None:
        super().__init__(screen)
        self.state(self.ctx)
        self.targets = [screen.resource_create(width0=n, height0=n, format=kind) for n, kind in zip(SIZES, formats)]
        self.surfaces = [self.ctx.create_surface(target) for target in self.targets]
        self.views = [self.ctx.create_sampler_view(target) for target in self.targets]
        self.depth = screen.resource_create(width0=48, height0=48, format="Z32_FLOAT", bind="DEPTH_STENCIL")
        self.sampled, self.sampler = self.ctx.create_fs_state(SAMPLED), self.ctx.create_sampler_state()

    def draw(self, to: Any, k: int) -> None:
        """A triangle in some color at some place."""
        to.set_constant_buffer("FRAGMENT", f4([k % 7 / 16, k % 5 / 16, k % 3 / 16, 1 / 64]))
        to.set_constant_buffer("VERTEX", f4([k % 4 / 4, k % 3 / 4, 0, 0]))
        to.draw_vbo(mode="TRIANGLES", count=3)

    def passes(self, to: Any, count: int) -> None:
        """Draws to one target after the other, each of which samples the one before."""
        to.bind_sampler_states("FRAGMENT", [self.sampler])
        to.bind_fs_state(self.sampled)
        for k in range(count):
            to.set_sampler_views("FRAGMENT", [self.views[k % 4]])
            to.set_framebuffer_state(cbufs=[self.surfaces[(k + 1) % 4]], zsbuf=self.depth if k % 4 == 2 else None)
            self.draw(to, k)
            if k % 3 == 0:
                self.draw(to, k + 1)

    def clear(self) -> None:
        for k, target in enumerate(self.targets):
            self.ctx.clear_render_target(target, color=(k / 8, 0, 0, 0))

    def read(self) -> list[bytes]:
        """The bytes of all targets."""
        self.ctx.flush()
        return [target.blocks().tobytes() for target in self.targets]


KINDS = {"one kind": ("R8G8B8A8_UNORM",) * 4, "two kinds": ("R8G8B8A8_UNORM", "R32G32B32A32_FLOAT") * 2}


@pytest.mark.parametrize("threads", [0, 1, 2])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [3, 50, 1500])
def test_passes_of_a_recording_give_the_bytes_of_the_calls(threads: int, kind: str, count: int) -> None:
    with tgsi.Screen(threads=threads) as screen:
        stage = Targets(screen, KINDS[kind])
        stage.clear()
        for _ in range(3):
            stage.passes(stage.ctx, count)
        wanted = stage.read()
        stage.clear()
        with stage.ctx.record() as bundle:
            stage.passes(bundle, count)
        for k in range(3):
            stage.ctx.replay(bundle)
            if k == 1:
                stage.ctx.flush()
        assert stage.read() == wanted
        assert stage.ctx.targets.cbufs == (stage.surfaces[count % 4],)


def test_targets_that_were_bound_before_run_no_python() -> None:
    with tgsi.Screen(threads=0) as screen:
        stage = Targets(screen)
        with stage.ctx.record() as bundle:
            stage.passes(bundle, 200)
        stage.ctx.replay(bundle, 2)
        assert len(calls_in(lambda: stage.ctx.replay(bundle, 3))) < 150
        stage.ctx.flush()
        assert len(calls_in(lambda: stage.ctx.replay(bundle, 1))) < 60, "the first pass after a flush, too"


def test_python_goes_on_with_targets_that_generated_code_has_bound() -> None:
    with tgsi.Screen(threads=0) as screen:
        stage = Targets(screen)
        ctx = stage.ctx
        with ctx.record() as bundle:
            bundle.set_framebuffer_state(cbufs=[stage.surfaces[0]])
            stage.draw(bundle, 1)
            bundle.set_framebuffer_state(cbufs=[stage.surfaces[2]])
        ctx.replay(bundle, 3)
        ctx.clear(color=(0, 1, 0, 0))
        assert ctx.targets.framebuffer.width == SIZES[2]
        assert set(stage.read()[2]) <= {0, 255}
        ctx.replay(bundle)
        ctx.set_framebuffer_state(cbufs=[stage.surfaces[3]])
        ctx.clear(color=(0, 0, 1, 0))
        ctx.replay(bundle)
        stage.draw(ctx, 2)
        assert ctx.targets.framebuffer.width == SIZES[2]
        assert set(stage.read()[3]) <= {0, 255}


def test_a_recording_that_goes_leaves_its_targets_bound_and_lets_go_of_others() -> None:
    with tgsi.Screen(threads=0) as screen:
        stage = Targets(screen)
        ctx = stage.ctx
        gone = screen.resource_create(width0=48, height0=48)
        with ctx.record() as bundle:
            bundle.set_framebuffer_state(cbufs=[gone])
            stage.draw(bundle, 1)
            bundle.set_framebuffer_state(cbufs=[stage.surfaces[1]])
            stage.draw(bundle, 1)
        ctx.replay(bundle, 3)  # work is pending
        memory = weakref.ref(gone.storage.base if gone.storage.base is not None else gone.storage)
        other = stage.targets[1]
        del bundle, gone
        with ctx.record() as bundle:
            stage.draw(bundle, 3)
        ctx.replay(bundle, 2)
        gc.collect()
        assert ctx.targets.cbufs[0] is not None
        assert ctx.targets.cbufs[0].texture is other
        assert np.frombuffer(stage.read()[1], np.uint8).any()
        gc.collect()
        ctx.replay(bundle)  # takes note of what has ended
        ctx.flush()
        assert memory() is None


def test_surfaces_with_samples_of_their_own_are_left_to_python() -> None:
    with tgsi.Screen(threads=0) as screen:
        stage = Targets(screen)
        ctx = stage.ctx
        smooth = ctx.create_surface(stage.targets[0], nr_samples=4)

        def calls(to: Any) -> None:
            for k in range(6):
                to.set_framebuffer_state(cbufs=[smooth if k % 2 else stage.surfaces[3]])
                stage.draw(to, k)

        for _ in range(3):
            calls(ctx)
        wanted = stage.read()
        stage.clear()
        ctx.flush()
        with ctx.record() as bundle:
            calls(bundle)
        stage.targets[0].blocks()[:], stage.targets[3].blocks()[:] = 0, 0
        ctx.replay(bundle, 3)
        assert stage.read()[0] == wanted[0]
