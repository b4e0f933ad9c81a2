"""Misuse: wrong types name the argument, and objects of another context or screen are refused, for every method of the documents."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.unit.gallium.test_screen import CONTEXT_METHODS, SCREEN_METHODS
from tests.unit.gallium.wrong_values import OfTheCallerError, wrong_values
from tgsi import gallium as g
from tgsi.language.diagnostics import TgsiError

pytestmark = pytest.mark.light


METHODS = [*(("context", name) for name in CONTEXT_METHODS), *(("screen", name) for name in SCREEN_METHODS)]
NO_CALLS = {"destroy"}
FILES = ("context_create", "trace")
"""Names a file, which would be written."""
CALLED = ("flush_frontbuffer", "winsys")
"""A function that is called: its errors are its own."""


@pytest.fixture(scope="module")
def stage() -> Iterator[dict[str, Any]]:
    """A good object for each parameter that needs one."""
    with g.Screen(threads=0) as screen, screen.context_create() as ctx:
        yield staged(screen, ctx)


def staged(screen: g.Screen, ctx: g.Context) -> dict[str, Any]:
    texture = screen.resource_create(width0=16, height0=16)
    return {
        "screen": screen,
        "context": ctx,
        "resource": texture,
        "texture": texture,
        "dst": texture,
        "src": texture,
        "buffer": screen.resource_create(target="BUFFER", width0=256),
        "stage": "FRAGMENT",
    }


def made(ctx: g.Context, name: str, stage: dict[str, Any]) -> Any:
    """A fresh object for a parameter."""
    makers: dict[str, Callable[[], Any]] = {
        "target": lambda: ctx.create_surface(stage["texture"]),
        "view": lambda: ctx.create_sampler_view(stage["texture"]),
        "query": lambda: ctx.create_query("TIMESTAMP"),
        "fence": ctx.flush,
        "data": lambda: bytes(1024),
        "transfer": lambda: ctx.transfer_map(stage["texture"]),
    }
    return makers[name]() if name in makers else stage.get(name)


@pytest.mark.parametrize(("owner", "name"), METHODS, ids=[f"{owner}.{name}" for owner, name in METHODS])
def test_two_hundred_wrong_arguments_are_named_or_taken(owner: str, name: str) -> None:
    with g.Screen(threads=0, memory_limit=1 << 28) as screen, screen.context_create() as ctx:
        try_all(staged(screen, ctx), owner, name, wrong_values())


def try_all(stage: dict[str, Any], owner: str, name: str, values: Mapping[str, Any]) -> None:
    """Call a method with each value for each parameter. An error is one of TypeError, ValueError, MemoryError and our own, and its text
    names the parameter or begins with the method. What an object of the caller raises comes through.
    """
    if name in NO_CALLS:
        return
    method = getattr(stage[owner], name)
    wanted = [p for p in inspect.signature(method).parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    for parameter in wanted:
        for kind, wrong in values.items():
            if (name, parameter.name) == FILES and isinstance(wrong, (str, Path)):
                continue
            given = {p.name: made(stage["context"], p.name, stage) for p in wanted if p.default is p.empty}
            given[parameter.name] = wrong
            places = [given.pop(p.name) for p in wanted if p.kind is p.POSITIONAL_ONLY and p.name in given]
            try:
                method(*places, **given)
            except OfTheCallerError:
                pass
            except (TypeError, ValueError, MemoryError, TgsiError) as error:
                if (name, parameter.name) == CALLED:
                    continue
                words = str(error)
                is_named = parameter.name in words or words.startswith((f"{name}:", "error["))
                assert is_named, f"{name}({parameter.name}={kind}): {words}"


def test_the_examples_of_wrong_types(stage: dict[str, Any]) -> None:
    ctx: Any = stage["context"]
    with pytest.raises(TypeError, match="set_framebuffer_state: cbufs: expected a sequence, not Resource"):
        ctx.set_framebuffer_state(cbufs=stage["texture"])
    with pytest.raises(TypeError, match="set_viewport_states: states: expected a sequence, not int"):
        ctx.set_viewport_states(5)
    with pytest.raises(TypeError, match="texture_subdata: stride: "):
        ctx.texture_subdata(stage["texture"], bytes(1024), stride="16")


UNKNOWN = 1 << 29
FLAGS: dict[str, Callable[[dict[str, Any]], object]] = {
    "flush: flags": lambda stage: stage["context"].flush(UNKNOWN),
    "texture_barrier: flags": lambda stage: stage["context"].texture_barrier(UNKNOWN | 1),
    "memory_barrier: flags": lambda stage: stage["context"].memory_barrier(UNKNOWN),
    "transfer_map: usage": lambda stage: stage["context"].transfer_map(stage["texture"], usage=UNKNOWN | 2),
    "clear: buffers": lambda stage: stage["context"].clear(UNKNOWN),
    "blit: mask": lambda stage: stage["context"].blit(dst=stage["dst"], src=stage["src"], mask=UNKNOWN),
    "set_shader_images: images\\[0\\]: access": lambda stage: stage["context"].set_shader_images(
        "FRAGMENT", [{"resource": stage["texture"], "access": UNKNOWN}]
    ),
    "create_rasterizer_state: cull_face": lambda stage: stage["context"].create_rasterizer_state(cull_face=UNKNOWN),
    "context_create: flags": lambda stage: stage["screen"].context_create(flags=UNKNOWN),
    "resource_create: bind": lambda stage: stage["screen"].resource_create(width0=4, bind=UNKNOWN),
    "resource_create: flags": lambda stage: stage["screen"].resource_create(width0=4, flags=UNKNOWN),
    "is_format_supported: bind": lambda stage: stage["screen"].is_format_supported("R8_UNORM", bind=UNKNOWN),
}


@pytest.mark.parametrize("argument", FLAGS)
def test_bits_that_are_no_flag_are_named(stage: dict[str, Any], argument: str) -> None:
    with pytest.raises(ValueError, match=f"^{argument}: 0x20000000 of 0x2000000. is not a flag of "):
        FLAGS[argument](stage)


# -- after the end ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [name for name in CONTEXT_METHODS if name != "destroy"])
def test_every_method_of_a_destroyed_context_says_so(name: str) -> None:
    ctx = g.Screen(threads=0).context_create()
    ctx.destroy()
    with pytest.raises(ValueError, match=f"^(destroy_|)(delete_|){name.removeprefix('delete_')}: the context was destroyed"):
        getattr(ctx, name)(*[None] * (name == "fence_server_sync"))
    ctx.destroy()


# -- objects of others --------------------------------------------------------------------------------------------------------
class Pair:
    """Two contexts of one screen, and a third of another."""

    def __init__(self) -> None:
        self.screen, self.foreign = g.Screen(threads=0), g.Screen(threads=0)
        self.ctx, self.other, self.third = self.screen.context_create(), self.screen.context_create(), self.foreign.context_create()
        self.texture = self.screen.resource_create(width0=16, height0=16)
        self.buffer = self.screen.resource_create(target="BUFFER", width0=64)

    def view(self) -> g.SamplerView:
        return self.ctx.create_sampler_view(self.texture)

    def query(self) -> Any:
        return self.ctx.create_query("TIMESTAMP")


OF_CONTEXTS: dict[str, Callable[[Pair], object]] = {
    "set_sampler_views": lambda pair: pair.other.set_sampler_views("FRAGMENT", [pair.view()]),
    "sampler_view_destroy": lambda pair: pair.other.sampler_view_destroy(pair.view()),
    "create_texture_handle": lambda pair: pair.other.create_texture_handle(pair.view()),
    "end_query": lambda pair: pair.other.end_query(pair.query()),
    "begin_query": lambda pair: pair.other.begin_query(pair.query()),
    "get_query_result": lambda pair: pair.other.get_query_result(pair.query()),
    "destroy_query": lambda pair: pair.other.destroy_query(pair.query()),
    "render_condition": lambda pair: pair.other.render_condition(pair.query()),
    "set_stream_output_targets": lambda pair: pair.other.set_stream_output_targets([pair.ctx.create_stream_output_target(pair.buffer)]),
    "stream_output_target_destroy": lambda pair: pair.other.stream_output_target_destroy(pair.ctx.create_stream_output_target(pair.buffer)),
    "draw_vbo": lambda pair: pair.other.draw_vbo(count_from_stream_output=pair.ctx.create_stream_output_target(pair.buffer)),
    "transfer_unmap": lambda pair: pair.other.transfer_unmap(pair.ctx.transfer_map(pair.texture)),
    "transfer_flush_region": lambda pair: pair.other.transfer_flush_region(pair.ctx.transfer_map(pair.texture)),
}


@pytest.mark.parametrize("name", OF_CONTEXTS)
def test_objects_of_another_context_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: .*: it belongs to another context"):
        OF_CONTEXTS[name](Pair())


OF_SCREENS: dict[str, Callable[[Pair], object]] = {
    "create_sampler_view": lambda pair: pair.third.create_sampler_view(pair.texture),
    "create_surface": lambda pair: pair.third.create_surface(pair.texture),
    "surface_destroy": lambda pair: pair.third.surface_destroy(pair.ctx.create_surface(pair.texture)),
    "set_framebuffer_state": lambda pair: pair.third.set_framebuffer_state(cbufs=[pair.ctx.create_surface(pair.texture)]),
    "create_stream_output_target": lambda pair: pair.third.create_stream_output_target(pair.buffer),
    "stream_output_target_destroy": lambda pair: pair.third.stream_output_target_destroy(pair.ctx.create_stream_output_target(pair.buffer)),
    "set_vertex_buffers": lambda pair: pair.third.set_vertex_buffers([g.VertexBuffer(pair.buffer, 4)]),
    "set_constant_buffer": lambda pair: pair.third.set_constant_buffer("FRAGMENT", pair.buffer),
    "set_index_buffer": lambda pair: pair.third.set_index_buffer(pair.buffer),
    "transfer_map": lambda pair: pair.third.transfer_map(pair.texture),
    "blit": lambda pair: pair.third.blit(dst=pair.texture, src=pair.texture),
    "resource_destroy": lambda pair: pair.foreign.resource_destroy(pair.texture),
    "resource_changed": lambda pair: pair.foreign.resource_changed(pair.texture),
    "check_resource_capability": lambda pair: pair.foreign.check_resource_capability(pair.texture, "SAMPLER_VIEW"),
    "flush_frontbuffer": lambda pair: pair.foreign.flush_frontbuffer(pair.texture),
    "fence_finish": lambda pair: pair.foreign.fence_finish(pair.ctx.flush()),
    "fence_get_fd": lambda pair: pair.foreign.fence_get_fd(pair.ctx.flush()),
}


@pytest.mark.parametrize("name", OF_SCREENS)
def test_objects_of_another_screen_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: .*: it belongs to another screen"):
        OF_SCREENS[name](Pair())


STATES: dict[str, Callable[[g.Context], Any]] = {
    "blend": lambda ctx: ctx.create_blend_state(),
    "rasterizer": lambda ctx: ctx.create_rasterizer_state(),
    "depth_stencil_alpha": lambda ctx: ctx.create_depth_stencil_alpha_state(),
    "vertex_elements": lambda ctx: ctx.create_vertex_elements_state([(0, "R32_FLOAT")]),
    "sampler": lambda ctx: ctx.create_sampler_state(),
    "link": lambda ctx: ctx.create_link_state({"GENERIC[0]": "GENERIC[1]"}),
}


def bind(ctx: g.Context, kind: str, handle: Any) -> None:
    if kind == "sampler":
        ctx.bind_sampler_states("FRAGMENT", [handle])
    else:
        getattr(ctx, f"bind_{kind}_state")(handle)


@pytest.mark.parametrize("kind", STATES)
def test_a_state_object_belongs_to_its_context(kind: str) -> None:
    pair = Pair()
    handle = STATES[kind](pair.ctx)
    bind(pair.ctx, kind, handle)
    for stranger in (pair.other, pair.third):
        with pytest.raises(ValueError, match=r"^bind_\w+: .*the object belongs to another context"):
            bind(stranger, kind, handle)
        with pytest.raises(ValueError, match=f"^destroy_{kind}_state: the object belongs to another context"):
            getattr(stranger, f"destroy_{kind}_state")(handle)
    bind(pair.ctx, kind, handle)
    getattr(pair.ctx, f"destroy_{kind}_state")(handle)


def test_a_sampler_of_another_context_makes_no_handle_and_takes_no_border() -> None:
    pair = Pair()
    sampler = pair.other.create_sampler_state()
    with pytest.raises(ValueError, match=r"^create_texture_handle: sampler: the object belongs to another context"):
        pair.ctx.create_texture_handle(pair.view(), sampler)
    with pytest.raises(ValueError, match=r"^set_border_words: the object belongs to another context"):
        pair.ctx.set_border_words(sampler, [0, 0, 0, 0])


BLOCK = "PROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
MESH = "PROPERTY MS_OUTPUT_PRIMITIVE POINTS\nPROPERTY MS_MAX_OUTPUT_VERTICES 1\nPROPERTY MS_MAX_OUTPUT_PRIMITIVES 1\n"
SHADERS = {
    "vs": "VERT\nDCL OUT[0], POSITION\nEND\n",
    "fs": "FRAG\nEND\n",
    "gs": "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\nEND\n",
    "tcs": "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nEND\n",
    "tes": "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL OUT[0], POSITION\nEND\n",
    "ts": f"TASK\n{BLOCK}END\n",
    "ms": f"MESH\n{BLOCK}{MESH}END\n",
    "compute": "COMP\nEND\n",
}


@pytest.mark.parametrize("call", SHADERS)
def test_a_shader_belongs_to_its_screen_and_serves_every_context_of_it(call: str) -> None:
    pair = Pair()
    shader = getattr(pair.ctx, f"create_{call}_state")(SHADERS[call])
    calls = [f"bind_{call}_state", f"destroy_{call}_state"] + ["get_compute_state_info"] * (call == "compute")
    for name in calls:
        with pytest.raises(ValueError, match=f"^{name}: the shader belongs to another screen"):
            getattr(pair.third, name)(shader)
    for ctx in (pair.ctx, pair.other):
        getattr(ctx, f"bind_{call}_state")(shader)
    getattr(pair.other, f"destroy_{call}_state")(shader)


@pytest.mark.parametrize("call", SHADERS)
def test_a_shader_that_one_context_destroyed_is_refused_by_the_others_that_know_it(call: str) -> None:
    pair = Pair()
    shader = getattr(pair.ctx, f"create_{call}_state")(SHADERS[call])
    for _ in range(3):  # the native entry knows the shader afterwards
        getattr(pair.ctx, f"bind_{call}_state")(shader)
    getattr(pair.other, f"destroy_{call}_state")(shader)
    with pytest.raises(ValueError, match=f"^bind_{call}_state: the shader was destroyed"):
        getattr(pair.ctx, f"bind_{call}_state")(shader)


@pytest.mark.parametrize(("bind", "expected"), [("RENDER_TARGET", False), ("SAMPLER_VIEW", True)])
def test_what_can_be_created_is_created(bind: str, expected: bool) -> None:
    screen = g.Screen(threads=0)
    template = g.Template(width0=16, height0=16, format=g.Format.R32G32B32_FLOAT, bind=g.Bind[bind])
    assert screen.can_create_resource(template) is expected
    if expected:
        assert screen.resource_create(template).bind == g.Bind[bind]
    else:
        with pytest.raises(ValueError, match="bind"):
            screen.resource_create(template)


def test_a_screen_with_a_limit_cannot_create_what_exceeds_it() -> None:
    with g.Screen(threads=0, memory_limit=1 << 16) as screen:
        assert screen.can_create_resource(g.Template(width0=64, height0=64))
        assert not screen.can_create_resource(g.Template(width0=256, height0=256))
