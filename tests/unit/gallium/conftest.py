"""Fixtures: a screen without worker threads, and a context for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit import picture
from tgsi import gallium as g

PASS_THROUGH = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
"""

COLOR = """FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
"""


@pytest.fixture
def screen() -> g.Screen:
    return picture.screen()


@pytest.fixture
def ctx(screen: g.Screen) -> Iterator[g.Context]:
    with screen.context_create() as context:
        yield context


@pytest.fixture
def drawing(ctx: g.Context) -> g.Context:
    """Context with shaders and elements bound: position (2 floats), color (4 floats). The viewport maps increasing y to increasing rows."""
    ctx.bind_vs_state(ctx.create_vs_state(PASS_THROUGH))
    ctx.bind_fs_state(ctx.create_fs_state(COLOR))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT"), (8, "R32G32B32A32_FLOAT")]))
    ctx.set_viewport_states([g.ViewportState((8.0, 8.0, 0.5), (8.0, 8.0, 0.5))])
    return ctx
