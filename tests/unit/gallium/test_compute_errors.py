"""Wrong arguments of launch_grid and of its bindings."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.gallium.compute_cases import ONE, SUM, zeros
from tgsi import gallium as g

WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "block: it must be given"),
    ({"block": (1, 1)}, "block: expected 3 values"),
    ({"block": (0, 1, 1)}, "block: x: 0 is not in 1"),
    ({"block": (64, 32, 1)}, "are more than 1024 threads"),
    ({"block": (1, 1, 1), "grid": (1, 1 << 16, 1)}, "grid: y: 65536"),
    ({"block": (1, 1, 1), "grid": (1, -1, 1)}, "grid: y: -1"),
    ({"block": (2, 1, 1), "last_block": (3, 0, 0)}, "last_block"),
    ({"block": (1, 1, 1), "work_dim": 4}, "work_dim: 4"),
    ({"block": (1, 1, 1), "input": bytes(1 << 17)}, "input: 131072 bytes"),
    ({"block": (1, 1, 1), "pc": 9}, "pc: instruction 9"),
    ({"block": (1, 1, 1), "variable_shared_mem": 1}, "variable_shared_mem: 32769"),
    ({"block": (1, 1, 1), "indirect": 3}, "indirect: expected a Resource"),
    ({"block": (1, 1, 1), "blocks": 3}, "has no field blocks"),
    ({"block": (1, 1, 1), "draw_count": 2}, "draw_count: a launch runs one grid"),
    ({"block": (1, 1, 1), "indirect_draw_count": 3}, "indirect_draw_count: a launch runs one grid"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_wrong_arguments_are_named(ctx: g.Context, given: dict[str, Any], message: str) -> None:
    ctx.bind_compute_state(ctx.create_compute_state(ONE))
    with pytest.raises((TypeError, ValueError), match=f"launch_grid: .*{message}"):
        ctx.launch_grid(**given)


def test_wrong_bindings_are_named(ctx: g.Context) -> None:
    data, texture = zeros(ctx, 4), ctx.screen.resource_create(width0=4, height0=4)
    for call, message in (
        (lambda: ctx.set_shader_buffers("COMPUTE", [texture]), r"buffers\[0\]: a texture"),
        (lambda: ctx.set_shader_buffers("COMPUTE", [None, {"buffer": data, "buffer_offset": 2}]), r"buffers\[1\]: buffer_offset: 2"),
        (lambda: ctx.set_shader_buffers("COMPUTE", [{"buffer": data, "buffer_size": 17}]), "buffer_size: 17"),
        (lambda: ctx.set_shader_buffers("COMPUTE", [data] * 2, start=31), "slot 32 does not exist"),
        (lambda: ctx.set_shader_buffers("COMPUTE", "data"), "buffers: expected a sequence"),
        (lambda: ctx.set_shader_images("COMPUTE", [{"resource": texture, "level": 1}]), r"images\[0\]: level: 1"),
        (lambda: ctx.set_shader_images("COMPUTE", [{"resource": texture, "first_layer": 1}]), "first_layer: 1"),
        (lambda: ctx.set_shader_images("COMPUTE", [{"resource": texture, "format": "R8_UNORM"}]), "format: R8_UNORM has 8 bits"),
        (lambda: ctx.set_shader_images("COMPUTE", [{"resource": texture, "format": "Z32_FLOAT"}]), "cannot be an image"),
        (lambda: ctx.set_shader_images("COMPUTE", [{"texture": texture}]), "keys of a ImageView"),
        (lambda: ctx.set_global_binding([texture]), r"resources\[0\]: a texture"),
        (lambda: ctx.set_hw_atomic_buffers([3]), r"buffers\[0\]: expected a Resource"),
        (lambda: ctx.create_compute_state(ONE, req_local_mem=1 << 20), "req_local_mem: 1048576"),
        (lambda: ctx.create_compute_state("FRAG\nEND\n"), "a COMP program"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            call()


def test_the_shader_must_be_there(ctx: g.Context) -> None:
    with pytest.raises(ValueError, match="no compute shader is bound"):
        ctx.launch_grid(block=(1, 1, 1))
    shader = ctx.create_compute_state(ONE)
    ctx.bind_compute_state(shader)
    assert ctx.get_compute_state_info(shader).max_threads == 1024
    ctx.destroy_compute_state(shader)
    with pytest.raises(ValueError, match="destroyed"):
        ctx.launch_grid(block=(1, 1, 1))
    with pytest.raises(ValueError, match="destroyed"):
        ctx.bind_compute_state(shader)
    with pytest.raises(TypeError, match="an object from create_compute_state"):
        ctx.bind_compute_state("COMP")  # type: ignore[arg-type]
    ctx.bind_compute_state(None)
    with pytest.raises(ValueError, match="no compute shader is bound"):
        ctx.launch_grid(block=(1, 1, 1))


def test_a_shader_that_wants_input_must_get_it(ctx: g.Context) -> None:
    ctx.bind_compute_state(ctx.create_compute_state(ONE, req_input_mem=8))
    with pytest.raises(ValueError, match="input: 4 bytes, the shader wants 8"):
        ctx.launch_grid(block=(1, 1, 1), input=bytes(4))


def test_blocks_that_the_program_fixes_cannot_be_others(ctx: g.Context) -> None:
    ctx.bind_compute_state(ctx.create_compute_state(SUM))
    with pytest.raises(ValueError, match=r"block: .* the program fixes"):
        ctx.launch_grid(block=(50, 1, 1))
