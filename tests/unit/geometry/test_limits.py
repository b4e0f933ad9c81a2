"""Programs and states that ask for too much, for nothing, or for missing resources."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.software.renderer import Renderer
from tests.unit.geometry.programs import WHOLE, geometry, passthrough, streamed, words
from tests.unit.picture import GENERIC, PASS, Picture
from tgsi import UnsupportedError
from tgsi import gallium as g

pytestmark = pytest.mark.light

POINTS = np.array([[x / 8 - 0.5, 0, 0, 1] for k in range(3) for x in range(8)], np.float32)


def drawn(text: str, size: int = 1 << 16, info: g.StreamOutputInfo = WHOLE, points: Any = POINTS, **options: Any) -> tuple[Picture, Any]:
    picture = Picture()
    geometry(picture, text, info)
    (buffer,) = streamed(picture, size)
    picture.draw(GENERIC, PASS, points, np.ones_like(points), mode="POINTS", **options)
    return picture, words(buffer)


FLOOD = """GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1024
PROPERTY GS_INVOCATIONS 32
DCL IN[][0], POSITION
DCL SV[0], PRIM_ID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
{more}
IMM[0] UINT32 {{0, 0, 0, 0}}
BGNLOOP
  MOV OUT[0], IN[0][0]
  MOV OUT[1], SV[0].xxxx
  EMIT IMM[0].xxxx
ENDLOOP
END
"""


def test_programs_that_never_stop_emit_as_much_as_they_may_and_memory_stays_bounded() -> None:
    more = "\n".join(f"DCL OUT[{k}], GENERIC[{k}]" for k in range(2, 30))
    info = g.StreamOutputInfo((1,), (g.StreamOutput(1, num_components=1),))
    picture = Picture()
    geometry(picture, FLOOD.format(more=more), info)
    (buffer,) = streamed(picture, 4 * 32 * 1024 * 24)
    picture.draw(GENERIC, PASS, POINTS, mode="POINTS", rasterizer={"rasterizer_discard": True})
    np.testing.assert_array_equal(words(buffer), np.repeat(np.arange(24), 32 * 1024))
    assert isinstance(picture.ctx.device, Renderer)
    stages = picture.ctx.device._pipeline
    assert stages is not None
    assert stages.held < 1 << 20


def test_a_draw_of_more_than_waits_at_once_is_drawn_in_waves() -> None:
    picture = Picture(8, 8)
    geometry(picture, FLOOD.format(more="DCL OUT[2], GENERIC[1]\nDCL OUT[3], GENERIC[2]\nDCL OUT[4], GENERIC[3]"))
    fragment = GENERIC.replace("PERSPECTIVE", "CONSTANT")
    picture.draw(fragment, PASS, POINTS, mode="POINTS")
    assert set(picture.pixels()[..., 0].view(np.uint32).ravel().tolist()) <= {0, *range(24)}
    assert picture.pixels().view(np.uint32)[..., 0].max() == 23


@pytest.mark.parametrize("missing", ["EMIT IMM[0].xxxx", "MOV OUT[0], IN[0][0]"])
def test_programs_may_emit_nothing_or_leave_outputs_unwritten(missing: str) -> None:
    picture, found = drawn(passthrough("POINTS").replace(missing, "NOP"))
    if missing.startswith("EMIT"):
        assert (found == 0xCDCDCDCD).all()
        assert not picture.pixels().any()
    else:
        assert not found[: 24 * 8].reshape(24, 8)[:, :4].any()


def test_programs_without_outputs_are_drawn_as_nothing() -> None:
    text = "\n".join(line for line in passthrough("POINTS").splitlines() if "OUT[" not in line) + "\n"
    picture = Picture()
    geometry(picture, text)
    picture.draw(GENERIC, PASS, POINTS, mode="POINTS")
    assert not picture.covered().any()


def test_vertices_of_no_stream_vanish() -> None:
    text = passthrough("POINTS").replace("IMM[0] UINT32 {0,", "IMM[0] UINT32 {4,")
    _, found = drawn(text)
    assert (found == 0xCDCDCDCD).all()


def test_reads_outside_of_the_primitive_are_0() -> None:
    text = passthrough("POINTS").replace("IMM[0] UINT32 {0, 0, 0, 0}", "DCL ADDR[0]\nIMM[0] UINT32 {0, 1, 4000000000, 0}")
    text = text.replace("MOV OUT[1], IN[0][1]", "UARL ADDR[0].x, IMM[0].zzzz\nMOV OUT[1], IN[ADDR[0].x][1]")
    _, found = drawn(text)
    assert not found[: 24 * 8].reshape(24, 8)[:, 4:].any()


def test_a_geometry_program_that_needs_what_is_not_there_is_refused_by_name() -> None:
    text = (
        passthrough("POINTS")
        .replace("DCL OUT[0]", "DCL SV[0], SAMPLEID\nDCL OUT[0]", 1)
        .replace("MOV OUT[1], IN[0][1]", "MOV OUT[1], SV[0]")
    )
    with pytest.raises(UnsupportedError, match="SAMPLEID"):
        drawn(text)


def test_a_target_may_be_full_from_the_start_or_end_before_its_offset() -> None:
    picture = Picture()
    ctx = picture.ctx
    geometry(picture, passthrough("POINTS"), WHOLE)
    buffer = picture.buffer(np.zeros(64, np.uint32))
    for size, offset in ((0, 0), (16, 0), (64, 4096), (256, 0xFFFFFFF0)):
        ctx.set_stream_output_targets([ctx.create_stream_output_target(buffer, buffer_size=size)], offsets=[offset])
        picture.draw(GENERIC, PASS, POINTS, mode="POINTS")
    assert not words(buffer).any()


def test_a_broken_draw_leaves_the_context_usable() -> None:
    picture = Picture()
    geometry(picture, passthrough("TRIANGLES"))
    with pytest.raises(ValueError, match="mode"):
        picture.draw(GENERIC, PASS, POINTS, mode="LINES")
    geometry(picture, None)
    assert picture.draw(GENERIC, PASS, POINTS, np.ones_like(POINTS), mode="LINES").covered().any()


def test_binding_nothing_ends_what_was_bound() -> None:
    picture, _ = drawn(passthrough("POINTS"))
    ctx = picture.ctx
    assert ctx.state.has_stages
    ctx.bind_gs_state(None)
    ctx.set_stream_output_targets([])
    assert not ctx.state.has_stages
