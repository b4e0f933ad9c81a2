"""A grid that is launched again: its arguments are not checked again, and its memory is that of now."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from backends.compute.dispatch import Dispatcher
from tests.unit.gallium.compute_cases import ADD_ONE, NUMBERS, SUM, buffer, words, zeros
from tgsi import gallium as g
from tgsi.language import budgets
from tgsi.language.diagnostics import TimeLimitError

pytestmark = pytest.mark.light

SCALED = """COMP
DCL SV[0], BLOCK_ID
DCL CONST[0]
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {4, 0, 0, 0}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx
UADD TEMP[1].x, TEMP[1].xxxx, CONST[0].xxxx
STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1].xxxx
END
"""
"""Adds a constant to a word for each block."""


def run(ctx: Any, seed: int) -> list[bytes]:
    """The words that random launches leave, with random buffers and constants."""
    rng, buffers = Random(seed), [buffer(ctx, np.arange(512, dtype=np.uint32) * (k + 1)) for k in range(4)]
    kinds = {ADD_ONE: [{"block": (4, 1, 1)}, {"block": (4, 1, 1), "grid": (5, 1, 1)}]}
    kinds |= {SCALED: [{"block": (1, 1, 1), "grid": (7, 1, 1)}, {"block": (1, 1, 1), "grid": (2, 1, 1)}]}
    kinds |= {NUMBERS: [{"block": (2, 2, 1), "grid": (3, 2, 1)}], SUM: [{"grid": (3, 1, 1)}]}
    shaders = {text: ctx.create_compute_state(text) for text in kinds}
    for _ in range(60):
        text = rng.choice([*kinds])
        ctx.bind_compute_state(shaders[text])
        ctx.set_shader_buffers("COMPUTE", rng.sample(buffers, 2))
        for _ in range(rng.randrange(1, 4)):
            if rng.random() < 0.4:
                ctx.set_constant_buffer("COMPUTE", np.full(4, rng.randrange(100), np.uint32))
            ctx.launch_grid(**rng.choice(kinds[text]))
            if rng.random() < 0.2:
                ctx.set_shader_buffers("COMPUTE", rng.sample(buffers, 2))
    return [words(item).tobytes() for item in buffers]


@pytest.mark.parametrize("seed", range(4))
def test_grids_that_come_again_do_what_they_would_do_alone(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with g.Screen(threads=0).context_create() as ctx:
        again = run(ctx, seed)
    launch = Dispatcher.launch

    def forgetful(self: Any, *arguments: Any) -> None:
        self._latest = None
        launch(self, *arguments)

    monkeypatch.setattr(Dispatcher, "launch", forgetful)
    with g.Screen(threads=1).context_create() as ctx:
        assert run(ctx, seed) == again


def test_constants_in_a_buffer_are_those_of_the_time_of_each_launch(ctx: g.Context) -> None:
    constants, found = buffer(ctx, np.full(4, 7, np.uint32)), zeros(ctx, 2)
    ctx.bind_compute_state(ctx.create_compute_state(SCALED))
    ctx.set_shader_buffers("COMPUTE", [found])
    ctx.set_constant_buffer("COMPUTE", constants)
    for value in (7, 100, 1000):
        ctx.buffer_subdata(constants, np.full(4, value, np.uint32))
        ctx.launch_grid(block=(1, 1, 1), grid=(2, 1, 1))
    assert list(words(found)) == [1107, 1107]


def test_arguments_that_are_equal_and_of_another_type_are_checked(ctx: g.Context) -> None:
    ctx.bind_compute_state(ctx.create_compute_state(ADD_ONE))
    ctx.set_shader_buffers("COMPUTE", [zeros(ctx, 64)])
    for _ in range(2):
        ctx.launch_grid(block=(4, 1, 1), grid=(1, 1, 1))
    for wrong in ((4.0, 1, 1), (4, 1.0, 1)):
        with pytest.raises((TypeError, ValueError), match="block"):
            ctx.launch_grid(block=wrong, grid=(1, 1, 1))  # type: ignore[arg-type]


def test_a_shader_that_was_destroyed_is_refused_at_the_next_launch(ctx: g.Context) -> None:
    shader = ctx.create_compute_state(ADD_ONE)
    ctx.bind_compute_state(shader)
    ctx.set_shader_buffers("COMPUTE", [zeros(ctx, 64)])
    ctx.launch_grid(block=(4, 1, 1))
    ctx.destroy_compute_state(shader)
    with pytest.raises(ValueError, match="launch_grid: the shader was destroyed"):
        ctx.launch_grid(block=(4, 1, 1))


@pytest.mark.parametrize("text", [ADD_ONE, SUM], ids=["without a loop", "with a loop"])
def test_a_grid_that_comes_again_looks_at_its_time_limit(ctx: g.Context, text: str) -> None:
    ctx.bind_compute_state(ctx.create_compute_state(text))
    ctx.set_shader_buffers("COMPUTE", [zeros(ctx, 400), zeros(ctx, 64)])
    given: dict[str, Any] = {"block": (4, 1, 1)} if text == ADD_ONE else {}
    for _ in range(2):
        ctx.launch_grid(**given, grid=(2, 1, 1))
    with budgets.limited("launch_grid", 1e-9, "a test"), pytest.raises(TimeLimitError):
        ctx.launch_grid(**given, grid=(2, 1, 1))
    ctx.launch_grid(**given, grid=(2, 1, 1))
