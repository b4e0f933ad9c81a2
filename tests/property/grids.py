"""Run generated compute programs through a Context, with the arguments and results of `tgsi.run`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import tgsi
from backends.run.result import RunResult
from backends.run.textures import TextureData, texture_targets
from tests.property.engines import result_differences
from tgsi import gallium as g
from tgsi.language.program import Program

GALLIUM_KINDS = {"CUBEARRAY": "CUBE_ARRAY"}


def compute_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Reduce arguments to those that a Context accepts, too: multisampled textures are left out."""
    textures = {unit: data for unit, data in arguments["textures"].items() if data.samples == 1}
    return {**arguments, "textures": textures}


def run_grid(ctx: g.Context, text: str | Program, arguments: Mapping[str, Any]) -> RunResult:
    """Result of a COMP program in the form of `tgsi.run`, computed by launch_grid. No other test may use the context's bindings."""
    program = tgsi.parse(text) if isinstance(text, str) else text
    targets = texture_targets(program)
    for number, data in arguments["constants"].items():
        ctx.set_constant_buffer("COMPUTE", np.ascontiguousarray(data), index=number)
    for unit, data in arguments["textures"].items():
        ctx.set_sampler_views("COMPUTE", [_view(ctx, data, min(targets.get(unit, {"2D"})))], start=unit)
        ctx.bind_sampler_states("COMPUTE", [ctx.create_sampler_state(arguments["samplers"][unit])], start=unit)
    buffers = {number: _buffer(ctx, data) for number, data in arguments["buffers"].items()}
    counters = {number: _buffer(ctx, data) for number, data in arguments["counters"].items()}
    images = {unit: _image(ctx, data) for unit, data in arguments["images"].items()}
    ctx.set_shader_buffers("COMPUTE", [buffers.get(number) for number in range(32)])
    ctx.set_hw_atomic_buffers([counters.get(number) for number in range(32)])
    ctx.set_shader_images("COMPUTE", [images.get(unit) for unit in range(32)])
    memory = {"GLOBAL": _buffer(ctx, arguments["memory"]["GLOBAL"])}
    ctx.set_global_binding([memory["GLOBAL"]])
    own = arguments["shared_memory"]
    ctx.bind_compute_state(ctx.create_compute_state(program, req_local_mem=own, req_private_mem=own))
    ctx.launch_grid(grid=arguments["grid"], block=arguments.get("block"), input=arguments["memory"]["INPUT"])
    given = np.ascontiguousarray(arguments["memory"]["INPUT"]).view(np.uint8)
    return RunResult(
        np.zeros((0, 0, 4), np.uint32),
        np.zeros(0, np.bool_),
        np.zeros(0, np.bool_),
        buffers={number: _bytes(resource) for number, resource in buffers.items()},
        counters={number: _bytes(resource) for number, resource in counters.items()},
        images={unit: resource.blocks().copy() for unit, resource in images.items()},
        memory={"GLOBAL": _bytes(memory["GLOBAL"]), "INPUT": given},
    )


def _buffer(ctx: g.Context, data: Any) -> g.Resource:
    content = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
    made = ctx.screen.resource_create(target="BUFFER", width0=content.size)
    made.texels().reshape(-1)[:] = content
    return made


def _bytes(resource: g.Resource) -> Any:
    return resource.texels().reshape(-1).copy()


def _view(ctx: g.Context, data: TextureData, target: str) -> g.SamplerView:
    layers, height, width, _ = data.levels[0].shape
    if target == "BUFFER":
        return ctx.create_sampler_view(_buffer(ctx, data.levels[0]), format=data.format, swizzle=[int(s) for s in data.swizzle])
    made = ctx.screen.resource_create(
        target=f"TEXTURE_{GALLIUM_KINDS.get(target, target)}",
        format=data.format,
        width0=width,
        height0=height,
        depth0=layers if target == "3D" else 1,
        array_size=1 if target == "3D" else layers,
        last_level=len(data.levels) - 1,
    )
    for number, level in enumerate(data.levels):
        made.blocks(number)[...] = level
    return ctx.create_sampler_view(made, swizzle=[int(s) for s in data.swizzle])


def _image(ctx: g.Context, data: TextureData) -> g.Resource:
    layers, height, width, _ = data.levels[0].shape
    made = ctx.screen.resource_create(target="TEXTURE_2D_ARRAY", format=data.format, width0=width, height0=height, array_size=layers)
    made.blocks()[...] = data.levels[0]
    return made


def grid_differences(text: str, arguments: Mapping[str, Any], **screen: Any) -> list[str]:
    """Differences between the results of a Context and of the interpreter."""
    taken = compute_arguments(arguments)
    expected = tgsi.run(tgsi.parse(text), engine="interp", **taken)
    with g.Screen(**screen).context_create() as ctx:
        found = run_grid(ctx, text, taken)
    seen = replace(found, outputs=expected.outputs, alive=expected.alive, exhausted=expected.exhausted)  # a grid does not return these
    return result_differences(expected, seen)
