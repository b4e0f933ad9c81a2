"""Random sequences of calls, traced and played, or recorded as a bundle and replayed, give the bytes of the calls in every resource."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.gallium.tracing.trace_player import Digest, TracePlayer
from tests.property.test_executor import SIZE, Scene
from tests.property.test_order_of_work import Scene as OrderScene
from tests.property.test_order_of_work import calls_of

pytestmark = pytest.mark.light


class Wider(Scene):
    """The scene of the executor's tests with calls that write memory in other ways."""

    def __init__(self, screen: tgsi.Screen, seed: int) -> None:
        super().__init__(screen, seed)
        self.copy = screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")

    def changes(self) -> list[Any]:
        ctx, rng = self.ctx, self.rng

        def write_mapping() -> None:
            with ctx.transfer_map(self.uniforms, usage="WRITE", box=(int(rng.integers(0, 8)) * 16, 16)) as mapped:
                mapped.data[...] = rng.uniform(0, 0.4, 4).astype("f4").view("u1")

        more = [
            lambda: ctx.clear("COLOR0", color=tuple(rng.uniform(0, 1, 4).tolist())),
            lambda: ctx.clear_render_target(self.target, color=(0, 1, 0, 1), x=int(rng.integers(0, 20)), y=3, width=5, height=9),
            lambda: ctx.blit(self.copy, src=self.target, src_box=(0, 0, 20, 20), filter="LINEAR"),
            lambda: ctx.resource_copy_region(self.target, self.copy, src_box=(0, 0, 9, 9), dstx=int(rng.integers(0, 9))),
            lambda: ctx.set_blend_color(rng.uniform(0, 1, 4).tolist()),
            ctx.flush,
            lambda: ctx.set_sample_mask(int(rng.integers(0, 2)) or 0xFFFFFFFF),
            write_mapping,
        ]
        return [*super().changes(), *more] if hasattr(self, "copy") else super().changes()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("threads", [0, 2])
def test_a_played_trace_gives_the_bytes_of_every_resource(seed: int, threads: int, tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen:
        create = screen.context_create
        screen.context_create = lambda: create(trace=tmp_path / "a.trace")  # type: ignore[method-assign, misc, assignment]
        scene = Wider(screen, seed)
        traced = scene.run()
        scene.ctx.destroy()
    with tgsi.Screen(threads=0) as screen:
        plain = Wider(screen, seed)
        assert plain.run() == traced
    found: list[Digest] = []
    with tgsi.Screen(threads=threads, lanes=16) as screen:
        context = screen.context_create()
        TracePlayer(screen, context, found.append).play(bytearray((tmp_path / "a.trace").read_bytes()))
        context.destroy()
    assert len(found) >= 6
    assert all(digest.is_same for digest in found)


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(k, marks=pytest.mark.nightly) for k in range(4, 200))])
def test_a_played_trace_of_any_calls_has_the_digests_of_the_calls(seed: int, tmp_path: Path) -> None:
    calls, path = calls_of(seed), tmp_path / "a.trace"
    with tgsi.Screen(threads=0) as screen:
        create = screen.context_create
        screen.context_create = lambda: create(trace=path)  # type: ignore[method-assign, misc, assignment]
        scene = OrderScene(screen)
        traced = scene.run(calls, lambda: None)
        scene.ctx.destroy()
    with tgsi.Screen(threads=0) as screen:
        assert OrderScene(screen).run(calls, lambda: None) == traced
    found: list[Digest] = []
    with tgsi.Screen(threads=2) as screen:
        context = screen.context_create()
        TracePlayer(screen, context, found.append).play(bytearray(path.read_bytes()))
        context.destroy()
    assert len(found) > 20
    assert all(digest.is_same for digest in found)


class Recording:
    """A context whose calls go to a bundle where a bundle records them, and otherwise to the context."""

    def __init__(self, ctx: Any, bundle: Any) -> None:
        self.ctx, self.bundle = ctx, bundle

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bundle, name) if name in dir(self.bundle) else getattr(self.ctx, name)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("threads", [0, 2])
def test_a_replayed_bundle_gives_the_bytes_of_the_calls(seed: int, threads: int) -> None:
    with tgsi.Screen(threads=threads) as screen:
        scene = Scene(screen, seed)
        ctx, rng = scene.ctx, scene.rng

        def act() -> None:
            for change in scene.changes():
                change()
            for _ in range(40):
                for _ in range(int(rng.choice([0, 1, 3]))):
                    changes = scene.changes()
                    changes[int(rng.integers(0, len(changes)))]()
                scene.draw()

        def pixels() -> bytes:
            found = np.zeros((SIZE, SIZE, 4), np.float32)
            ctx.texture_read(scene.target, found)
            return found.tobytes()

        before = rng.bit_generator.state
        ctx.clear(color=(0, 0, 0, 0))
        act()
        wanted = pixels(), bytes(scene.uniforms.blocks())
        assert len(set(wanted[0])) > 20
        rng.bit_generator.state = before
        with ctx.record() as bundle:
            scene.ctx = Recording(ctx, bundle)
            act()
        for _ in range(3):
            ctx.clear(color=(0, 0, 0, 0))
            ctx.replay(bundle)
            assert (pixels(), bytes(scene.uniforms.blocks())) == wanted
