"""Limits on the requests of hostile or runaway callers."""

from __future__ import annotations

import numpy as np
import pytest

from backends.software.renderer import Renderer
from tests.unit.gallium.test_draw import QUAD, colored, pixels, target_of
from tgsi import UnsupportedError
from tgsi import gallium as g

pytestmark = pytest.mark.light


@pytest.mark.parametrize("count", [100_000_000, 2**31, 2**32 - 1])
def test_a_huge_line_loop_is_refused_before_memory_is_taken(screen: g.Screen, drawing: g.Context, count: int) -> None:
    target_of(screen, drawing)
    with pytest.raises(UnsupportedError, match="at most"):
        drawing.draw_vbo(mode="LINE_LOOP", count=count)


def test_waiting_draws_do_not_hold_memory_without_end(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    quad = np.repeat(colored(QUAD, (0, 0, 1, 1)), 250_000, 0)  # 24 MB
    held = 0
    for _ in range(30):
        drawing.set_vertex_buffers([quad])
        drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
        assert isinstance(drawing.device, Renderer)
        held = max(held, sum(size for _, size in drawing.device._executor.all_reads()))
    assert 0 < held <= 300 << 20
    drawing.set_vertex_buffers([colored(QUAD, (0, 0, 1, 1))])
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    assert (pixels(drawing, target) == (0, 0, 255, 255)).all()


def test_a_sample_mask_without_bit_0_draws_nothing(screen: g.Screen, drawing: g.Context) -> None:
    target = target_of(screen, drawing)
    drawing.set_vertex_buffers([colored(QUAD, (0, 0, 1, 1))])
    drawing.set_sample_mask(0xFFFFFFFE)
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    assert not pixels(drawing, target).any()
    drawing.set_sample_mask(1)
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    assert (pixels(drawing, target) == (0, 0, 255, 255)).all()


@pytest.mark.parametrize("multisample", [True, False])
def test_a_sample_mask_output_without_bit_0_discards_the_fragment_under_multisample_rules(
    screen: g.Screen, drawing: g.Context, multisample: bool
) -> None:
    target = target_of(screen, drawing)
    drawing.set_vertex_buffers([colored(QUAD, (0, 0, 1, 1))])
    text = """FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], POSITION, LINEAR
    DCL OUT[0], COLOR
    DCL OUT[1], SAMPLEMASK
    MOV OUT[0], IN[0]
    F2I OUT[1].x, IN[1].xxxx
    END
    """
    drawing.bind_fs_state(drawing.create_fs_state(text))
    drawing.bind_rasterizer_state(drawing.create_rasterizer_state(multisample=multisample))
    drawing.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    drawn = np.any(pixels(drawing, target), axis=-1)
    assert drawn[:, 1::2].all()
    assert drawn[:, ::2].any() != multisample
