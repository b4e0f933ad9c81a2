"""Mesa's programs of hundreds of nested blocks and thousands of registers are drawn through the server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tgsi
from tests.mesa_glsl.large_client import VERTEX, WIDTH, text
from tests.unit.glsl.glslang import needs_glslang

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.nightly, pytest.mark.peers, needs_glslang]


def through_the_server(kind: str, count: int) -> list[float]:
    """The first row of the client's picture."""
    pytest.importorskip("moderngl")
    command = [sys.executable, "-m", "tgsi.tools.vtest.cli", "run", "--headless", "--quiet", "--"]
    client = [sys.executable, "-m", "tests.mesa_glsl.large_client", kind, str(count)]
    ran = subprocess.run([*command, *client], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    if not ran.stdout.startswith("["):
        pytest.skip(f"no picture came from Mesa: {ran.stderr[-300:]}")
    assert "refused" not in ran.stderr
    row: list[float] = json.loads(ran.stdout)
    return row


def in_a_context(kind: str, count: int) -> list[float]:
    """The same row, drawn from the GLSL."""
    with tgsi.Screen() as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=WIDTH, height0=1)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (WIDTH / 2, -0.5, 0.5), "translate": (WIDTH / 2, 0.5, 0.5)}])
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_fs_state(ctx.create_fs_state(text(kind, count)))
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        return [float(value) for value in np.asarray(target).reshape(WIDTH, 4)[:, 0]]


@pytest.mark.parametrize("count", [110, 300])
@pytest.mark.parametrize("kind", ["elseif", "switch", "ternary"])
def test_chains_that_mesa_nests_are_drawn(kind: str, count: int) -> None:
    expected = [float(k * (count // WIDTH)) for k in range(WIDTH)]
    assert through_the_server(kind, count) == expected
    assert in_a_context(kind, count) == expected


def test_thousands_of_registers_are_drawn() -> None:
    drawn = through_the_server("values", 900)
    assert np.allclose(drawn, in_a_context("values", 900), atol=1e-3)
    assert len({round(value, 3) for value in drawn}) > WIDTH // 2
