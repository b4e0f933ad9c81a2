"""New combinations of known state objects: generated code puts their templates together, with the pictures of templates made alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.software.commands import executor as executor_module
from backends.software.commands.template_fields import STEPS
from tests.calls import calls_in
from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE = 16
VERTEX = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nMOV OUT[0], IN[0]\nMAD OUT[1], IN[0], {0}, {0}\nEND\n"
VERTICES = [VERTEX.replace("MAD OUT[1], IN[0], {0}, {0}", text) for text in ("MOV OUT[1], IN[0]", "ADD OUT[1], IN[0], IN[0].wzyx")]
FRAGMENTS = [
    "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n",
    "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nADD OUT[0], IN[0], IN[0].yzwx\nEND\n",
]
CORNERS = np.array([[-1, -1, 0.5, 1], [1, -1, 0.2, 1], [0, 1, 0.7, 1], [1, 1, 0.4, 1], [-1, 0.5, 0.1, 1], [0.5, -1, 0.9, 1]], "f4")
FIRST = (0, 0, 0, 0, 0, 0)


class Scene:
    """A context with several objects of each kind."""

    def __init__(self, screen: tgsi.Screen) -> None:
        self.ctx: Any = screen.context_create()
        ctx, self.screen = self.ctx, screen
        self.target, depth = (screen.resource_create(width0=SIZE, height0=SIZE, format=f) for f in ("R32G32B32A32_FLOAT", "Z32_FLOAT"))
        ctx.set_framebuffer_state(cbufs=[self.target], zsbuf=ctx.create_surface(depth))
        ctx.clear(color=(0, 0, 0, 0), depth=1.0)
        ctx.set_viewport_states([g.ViewportState((SIZE / 2, SIZE / 2, 0.5), (SIZE / 2, SIZE / 2, 0.5))])
        ctx.set_vertex_buffers([CORNERS])
        factors: dict[str, Any] = {f"{part}_{k}_factor": "ONE" for part in ("rgb", "alpha") for k in ("src", "dst")}
        test = {"enabled": True, "writemask": True, "func": "LESS"}
        self.kinds: list[tuple[Callable[[Any], None], list[Any]]] = [
            (ctx.bind_rasterizer_state, [ctx.create_rasterizer_state(**f) for f in ({}, {"flatshade": True}, {"cull_face": "BACK"})]),
            (ctx.bind_blend_state, [ctx.create_blend_state(blend_enable=True, **factors), ctx.create_blend_state()]),
            (
                ctx.bind_depth_stencil_alpha_state,
                [ctx.create_depth_stencil_alpha_state(), ctx.create_depth_stencil_alpha_state(depth=test)],
            ),
            (
                ctx.bind_vertex_elements_state,
                [ctx.create_vertex_elements_state([(0, f)]) for f in ("R32G32B32A32_FLOAT", "R32G32B32_FLOAT")],
            ),
            (ctx.bind_vs_state, [ctx.create_vs_state(text) for text in VERTICES]),
            (ctx.bind_fs_state, [ctx.create_fs_state(text) for text in FRAGMENTS]),
        ]

    @property
    def executor(self) -> Any:
        return self.ctx.device._executor

    def draw(self, choice: Sequence[int]) -> None:
        for (bind, items), number in zip(self.kinds, choice):
            bind(items[number])
        self.ctx.draw_vbo(mode="TRIANGLES", count=6)

    def choices(self) -> list[tuple[int, ...]]:
        return [*itertools.product(*(range(len(items)) for _, items in self.kinds))]

    def pairs(self) -> list[tuple[int, ...]]:
        """Choices in which each pair of objects meets once: all others are the first of their kinds."""
        return [choice for choice in self.choices() if sum(map(bool, choice)) <= 2]

    def pixels(self) -> bytes:
        with self.ctx.transfer_map(self.target, usage="READ") as mapped:
            return bytes(mapped.data)


@pytest.fixture
def scene() -> Iterator[Scene]:
    with tgsi.Screen(threads=0) as screen:
        made = Scene(screen)
        yield made
        made.ctx.destroy()


def learnt(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows with each combination for which Python makes parts."""
    found: list[int] = []
    learn = scene.executor.learn

    def note(*given: Any) -> Any:
        found.append(len(found))
        return learn(*given)

    monkeypatch.setattr(scene.executor, "learn", note)
    return found


def test_a_new_combination_of_parts_that_are_known_runs_no_python(scene: Scene) -> None:
    for choice in scene.pairs():
        scene.draw(choice)
    made, composed = scene.executor.templates_made, scene.executor.record.templates_composed
    scene.draw((0, 1, 1, 1, 1, 0))
    new = [c for c in scene.choices() if sum(map(bool, c)) > 2 and (c[1], c[2], c[5]) == (1, 1, 0) and c[0] != 1]
    assert len(new) > 5
    for choice in new:
        assert calls_in(lambda choice=choice: scene.draw(choice), path="backends") == []  # type: ignore[misc]
    assert scene.executor.templates_made - made <= 1
    assert scene.executor.record.templates_composed - composed >= len(new)


def test_python_makes_few_parts_for_many_combinations(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    made = learnt(scene, monkeypatch)
    for choice in scene.choices():
        scene.draw(choice)
    assert scene.executor.record.templates_composed == len(scene.choices())
    assert len(made) < len(scene.choices()) / 2
    made.clear()
    for choice in scene.choices():
        scene.draw(choice)
    assert made == []


def test_combinations_that_are_put_together_have_the_pictures_of_those_made_alone() -> None:
    with tgsi.Screen(threads=0) as screen:
        together, pictures = Scene(screen), []
        for choice in together.choices():
            together.ctx.clear(color=(0, 0, 0, 0), depth=1.0)
            together.draw(FIRST)
            together.draw(choice)
            pictures.append(together.pixels())
        together.ctx.destroy()
        for choice, picture in list(zip(together.choices(), pictures))[::7]:
            alone = Scene(screen)
            alone.ctx.device._draw_known = lambda *_, **__: False
            alone.draw(FIRST)
            alone.draw(choice)
            assert alone.pixels() == picture, choice
            alone.ctx.destroy()
    assert len(set(pictures)) > 20


@pytest.mark.parametrize("stage", ["VERTEX", "FRAGMENT"])
def test_formats_of_images_belong_to_a_combination(scene: Scene, stage: str) -> None:
    image = "DCL IMAGE[0], 2D, PIPE_FORMAT_NONE\n"
    read = f"{image}DCL TEMP[0]\nIMM[0] UINT32 {{0, 0, 0, 0}}\nLOAD TEMP[0], IMAGE[0], IMM[0].xxxx, 2D\n"
    kind, text = (4, VERTICES[0]) if stage == "VERTEX" else (5, FRAGMENTS[0])
    if stage == "VERTEX":
        text = text.replace("MOV OUT[1]", f"{read}MOV OUT[1]").replace("MOV OUT[1], IN[0]", "MOV OUT[1], TEMP[0]")
    else:
        text = text.replace("MOV OUT[0], IN[0]\nE", f"{read}MOV OUT[0], TEMP[0]\nE")
    scene.kinds[kind][1][1] = getattr(scene.ctx, "create_vs_state" if stage == "VERTEX" else "create_fs_state")(text)
    images = []
    for name, data in (("R32G32B32A32_FLOAT", np.full((4, 4, 4), 0.25, "f4")), ("R8G8B8A8_UNORM", np.full((4, 4, 4), 255, "u1"))):
        images.append(scene.screen.resource_create(width0=4, height0=4, format=name, bind="SHADER_IMAGE"))
        scene.ctx.texture_subdata(images[-1], data)
    pictures: dict[int, set[bytes]] = {0: set(), 1: set()}
    for number in (0, 1, 0, 1):
        scene.ctx.set_shader_images(stage, [images[number]])
        scene.ctx.clear(color=(0, 0, 0, 0), depth=1.0)
        for _ in range(3):
            scene.draw([int(k == kind) for k in range(6)])
        known = scene.executor.record.known_draws
        scene.draw([int(k == kind) for k in range(6)])
        assert scene.executor.record.known_draws == known + 1
        pictures[number].add(scene.pixels())
    assert len(pictures[0]) == len(pictures[1]) == 1
    assert not pictures[0] & pictures[1]


def test_parts_are_forgotten_after_frames_in_which_they_did_not_serve(scene: Scene) -> None:
    for choice in scene.choices():
        scene.draw(choice)
    scene.ctx.flush()
    parts, numbers = len(scene.executor._parts), len(scene.ctx.state.numbers)
    for _ in range(3 * executor_module.LIFE):
        scene.draw(FIRST)
        scene.ctx.flush()
    assert len(scene.executor._table) == 1
    assert len(scene.executor._parts) < parts / 2
    assert len(scene.ctx.state.numbers) < numbers
    scene.draw((2, 1, 1, 1, 1, 0))
    assert scene.pixels()


def test_parts_are_not_kept_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = []
    for limit in (25, 1000):
        monkeypatch.setattr(executor_module, "MOST_PARTS", limit)
        with tgsi.Screen(threads=0) as screen:
            scene, most = Scene(screen), 0
            for choice in scene.choices():
                scene.draw(choice)
                most = max(most, len(scene.executor._parts))
            assert most < limit + len(STEPS)
            assert (scene.ctx.device.runs > 0) is (limit == 25)
            pictures.append(scene.pixels())
            scene.ctx.destroy()
    assert pictures[0] == pictures[1]


def test_templates_find_room_again_after_they_were_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor_module, "MOST_TEMPLATES", 7)
    with tgsi.Screen(threads=0) as screen:
        scene, whole = Scene(screen), Scene(screen)
        for _ in range(3):
            for choice in scene.choices():
                scene.draw(choice)
                whole.draw(choice)
                assert len(scene.executor._table) <= 7
        assert scene.pixels() == whole.pixels()
        scene.ctx.destroy()
        whole.ctx.destroy()


def test_a_draw_without_a_pixel_asks_for_no_kernel(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    kernels = scene.ctx.device.kernels
    shade = kernels.shade

    def note(*key: Any) -> Any:
        asked.append("shade")
        return shade(*key)

    monkeypatch.setattr(kernels, "shade", note)
    scene.kinds[0][1].append(scene.ctx.create_rasterizer_state(scissor=True))
    scene.ctx.set_scissor_states([{"minx": 5, "miny": 5, "maxx": 5, "maxy": 5}])
    scene.draw((3, 0, 0, 0, 0, 0))
    assert asked == []
    scene.draw(FIRST)
    assert asked == ["shade"]


def test_draws_to_layers_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    vertex = "VERT\nDCL IN[0]\nDCL SV[0], INSTANCEID\nDCL OUT[0], POSITION\nDCL OUT[1], LAYER\nMOV OUT[0], IN[0]\nMOV OUT[1], SV[0]\nEND\n"
    fragment = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n"
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        target = screen.resource_create(target="TEXTURE_2D_ARRAY", width0=SIZE, height0=SIZE, array_size=3)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([g.ViewportState((SIZE / 2, SIZE / 2, 0.5), (SIZE / 2, SIZE / 2, 0.5))])
        ctx.bind_vs_state(ctx.create_vs_state(vertex))
        ctx.bind_fs_state(ctx.create_fs_state(fragment))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        ctx.set_vertex_buffers([CORNERS])
        device: Any = ctx.device
        for _ in range(3):
            ctx.clear(color=(0, 0, 0, 0))
            ctx.draw_vbo(mode="TRIANGLES", count=6, instance_count=3)
            ctx.flush()
        assert device._executor.record.known_draws == 3
        with ctx.transfer_map(target, box=(0, 0, 0, SIZE, SIZE, 3), usage="READ") as mapped:
            assert [bool(np.asarray(mapped.data)[layer].any()) for layer in range(3)] == [True] * 3
