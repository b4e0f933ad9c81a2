"""Smooth primitives in explanations: the coverage of each fragment, which its alpha is multiplied by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tgsi
from tests.unit.insight import coverage
from tests.unit.insight.programs import FS, FULL, SIZE, VS, Stage
from tgsi.insight.events import Fate

pytestmark = pytest.mark.light
BLEND = {"blend_enable": True, "rgb_src_factor": "SRC_ALPHA", "rgb_dst_factor": "INV_SRC_ALPHA"}
ENDS = np.array([[4.3, 5.1], [27.6, 21.4]])


@pytest.fixture
def stage() -> Iterator[Stage]:
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        stage = Stage(ctx)
        stage.blend(**BLEND)
        ctx.clear("COLOR", color=(0, 0, 1, 1))
        yield stage


def ndc(window: Any) -> Any:
    """Corners from -1 to 1 of places in the window."""
    return (np.asarray(window, np.float64) / (SIZE / 2) - 1) * np.array([1, -1])


def fragments(stage: Stage, x: int, y: int) -> tuple[Any, ...]:
    """The fragments of the last draw at a pixel, whose computed color equals the stored one."""
    found = stage.ctx.explain(x, y)
    assert [event.proof for event in found.events if event.proof] == []
    return found.events[-1].fragments  # type: ignore[no-any-return]


def test_the_coverage_of_a_smooth_line_is_told_and_proved(stage: Stage) -> None:
    stage.rasterizer(line_smooth=True, line_width=2.5)
    stage.triangle(ndc(ENDS), mode="LINES")
    for x, y in ((15, 12), (16, 15), (14, 13), (27, 21)):
        (item,) = fragments(stage, x, y)
        assert abs(item.coverage - coverage.line(ENDS, 2.5, x + 0.5, y + 0.5)) <= coverage.CLOSE
    text = str(stage.ctx.explain(16, 15))
    assert "coverage 0.2" in text
    assert "by which alpha is multiplied" in text


def test_the_coverage_of_a_smooth_point_is_told_and_proved(stage: Stage) -> None:
    stage.rasterizer(point_smooth=True, point_size=9.0)
    stage.triangle(ndc([[12.25, 16.5]]), mode="POINTS")
    shares = {fragments(stage, x, 16)[0].coverage for x in (7, 12)}
    assert 1.0 in shares
    assert len(shares) == 2
    assert abs(min(shares) - coverage.disk(np.array([12.25, 16.5]), 9.0, 7.5, 16.5)) <= coverage.CLOSE


def test_two_smooth_triangles_that_share_an_edge_cover_a_pixel_together(stage: Stage) -> None:
    stage.rasterizer(poly_smooth=True)
    a, b, c, d = [2, 2], [29, 26], [28, 3], [3, 28]
    stage.triangle(ndc([a, b, c, a, b, d]))
    shares = [item.coverage for item in fragments(stage, 15, 13)]
    assert len(shares) == 2
    assert sum(shares) == 1
    assert coverage.inside(np.array([a, b, c], np.float64), (15, 13))[0] / 16 <= shares[0]


def test_the_alpha_test_counts_coverage(stage: Stage) -> None:
    stage.rasterizer(line_smooth=True, line_width=2.5)
    stage.tests(alpha={"enabled": True, "func": "GREATER", "ref_value": 0.75})
    stage.triangle(ndc(ENDS), mode="LINES")
    assert {fragments(stage, 15, y)[0].fate for y in (12, 14)} == {Fate.PASSED, Fate.ALPHA}


def test_layers_and_many_fragments_keep_their_own_coverage() -> None:
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        stage = Stage(ctx)
        array = screen.resource_create(
            target="TEXTURE_2D_ARRAY", width0=SIZE, height0=SIZE, array_size=3, format="R8G8B8A8_UNORM", bind="RENDER_TARGET"
        )
        ctx.set_framebuffer_state(cbufs=[array])
        stage.blend(**BLEND)
        vs = VS.replace("DCL OUT[1]", "DCL SV[0], VERTEXID\nDCL OUT[2], LAYER\nDCL OUT[1]").replace(
            "MOV OUT[1]", "IMM[0] INT32 {2, 0, 0, 0}\nUDIV OUT[2].x, SV[0].xxxx, IMM[0].xxxx\nMOV OUT[1]"
        )
        stage.programs(vs, FS)
        stage.rasterizer(line_smooth=True, line_width=2.5)
        ends = [ENDS, ENDS + 0.3, ENDS - 0.3]
        stage.triangle(ndc(np.concatenate(ends)), mode="LINES")
        for layer, line in enumerate(ends):
            found = ctx.explain(16, 15, layer=layer)
            assert [event.proof for event in found.events if event.proof] == []
            (item,) = [item for item in found.events[-1].fragments if item.fate is Fate.PASSED]
            assert abs(item.coverage - coverage.line(line, 2.5, 16.5, 15.5)) <= coverage.CLOSE


def test_programs_of_other_primitives_have_no_coverage(stage: Stage) -> None:
    stage.rasterizer(line_smooth=True)
    stage.triangle(FULL)
    (item,) = fragments(stage, 9, 9)
    assert item.coverage == 1
    assert "coverage" not in str(stage.ctx.explain(9, 9))
