"""Calls that take the fields of a template by keyword: type checkers see the fields, and `help` lists them.

Every `type: ignore` here is a wrong call that mypy must report: `./dev lint` fails when one of them is not needed.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields

import pytest

import tgsi.gallium as g
from backends.pipe.checks import hints_of
from tests.promises.keywords import KINDS, MODULE, module


@pytest.fixture(scope="module")
def ctx() -> Iterator[g.Context]:
    with g.Screen(threads=0) as screen, screen.context_create() as context:
        yield context


def test_the_module_for_type_checkers_is_up_to_date() -> None:
    assert MODULE.read_text(encoding="utf-8") == module(), "run `python -m tests.promises.keywords`"


def test_a_wrong_keyword_of_a_draw_is_an_error_for_mypy_and_when_it_runs(ctx: g.Context) -> None:
    with pytest.raises(TypeError, match="draw_vbo: DrawInfo has no field cont"):
        ctx.draw_vbo(mode="TRIANGLES", cont=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="draw_vbo: count"):
        ctx.draw_vbo(mode="TRIANGLES", count="three")  # type: ignore[arg-type]


def test_a_wrong_keyword_of_a_state_object_is_an_error_for_mypy_and_when_it_runs(ctx: g.Context) -> None:
    with pytest.raises(TypeError, match="create_rasterizer_state: RasterizerState has no field cull_mode"):
        ctx.create_rasterizer_state(cull_mode="BACK")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="create_sampler_state: SamplerState has no field min_filter"):
        ctx.create_sampler_state(min_filter="LINEAR")  # type: ignore[call-arg]
    ctx.bind_compute_state(ctx.create_compute_state("COMP\nEND\n"))
    with pytest.raises(TypeError, match="launch_grid: GridInfo has no field groups"):
        ctx.launch_grid(groups=(1, 1, 1))  # type: ignore[call-arg]


def test_fields_by_name_number_and_member_are_right_for_mypy_and_when_they_run(ctx: g.Context) -> None:
    assert ctx.create_rasterizer_state(cull_face="BACK").state.cull_face is g.Face.BACK
    assert ctx.create_rasterizer_state(cull_face=g.Face.BACK, line_width=2).state.line_width == 2.0
    assert ctx.create_blend_state(blend_enable=True, dither=True).state.dither
    assert ctx.create_depth_stencil_alpha_state(depth={"enabled": True}).state.depth.enabled


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_help_lists_every_field_with_its_type_and_default(kind: type, ctx: g.Context) -> None:
    methods = {
        "RenderTargetBlend": ctx.create_blend_state,
        "BlendState": ctx.create_blend_state,
        "DepthStencilAlphaState": ctx.create_depth_stencil_alpha_state,
        "RasterizerState": ctx.create_rasterizer_state,
        "SamplerState": ctx.create_sampler_state,
        "DrawInfo": ctx.draw_vbo,
        "GridInfo": ctx.launch_grid,
        "Template": ctx.screen.can_create_resource,
    }
    text = inspect.getdoc(methods[kind.__name__]) or ""
    assert f"Keywords, the fields of {kind.__name__}:" in text
    for item in fields(kind):
        assert f"    {item.name}: {item.type}" in text
        assert item.name in hints_of(kind)
