"""Vertex elements of 64-bit floats: shaders read them as 32-bit floats, rounded to nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.formats import WIDE, WideFormat
from tests.unit.picture import GENERIC, PASS
from tgsi import gallium as g

COUNT = 37
SPECIAL = (np.inf, -np.inf, np.nan, -np.nan, 1e300, -1e300, 1e-300, 2.0**-149, 1.5 * 2.0**-149, 1 + 2.0**-24, 1 + 3 * 2.0**-24, -0.0)


def values(channels: int) -> NDArray[np.float64]:
    found = np.random.default_rng(channels).normal(0, 100, (COUNT, channels))
    found[: len(SPECIAL), 0] = SPECIAL
    return found


def expected(doubles: NDArray[np.float64]) -> NDArray[np.uint32]:
    with np.errstate(all="ignore"):
        singles = doubles.astype(np.float32)
    found = np.tile(np.array([0, 0, 0, 1], np.float32), (len(doubles), 1))
    found[:, : doubles.shape[1]] = singles
    return np.where(np.isnan(found), np.uint32(0x7FC00000), found.view(np.uint32))


def drawn(ctx: g.Context, screen: g.Screen, format: Any, doubles: NDArray[Any], offset: int = 0, **given: Any) -> NDArray[np.uint32]:
    """Bits of the attribute, as a fragment shader gets them from one point for each vertex."""
    target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=COUNT, height0=1)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.set_viewport_states([{"scale": (COUNT / 2, 0.5, 0.5), "translate": (COUNT / 2, 0.5, 0.5)}])
    places = np.zeros((COUNT, 4), np.float32)
    places[:, 0], places[:, 3] = (np.arange(COUNT) + 0.5) / COUNT * 2 - 1, 1
    element = {"src_offset": offset, "src_format": format, "vertex_buffer_index": 1}
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), {**element, **given}]))
    ctx.set_vertex_buffers([places, doubles])
    ctx.bind_vs_state(ctx.create_vs_state(PASS))
    ctx.bind_fs_state(ctx.create_fs_state(GENERIC.replace("PERSPECTIVE", "CONSTANT")))
    ctx.draw_vbo(mode="POINTS", count=COUNT)
    bits: NDArray[np.uint32] = np.array(ctx.transfer_map(target, usage="READ"))[0].view(np.uint32)
    return bits


@pytest.mark.parametrize("format", WideFormat)
def test_doubles_are_rounded_to_singles_and_missing_channels_are_0_0_0_1(format: WideFormat, screen: g.Screen, ctx: g.Context) -> None:
    doubles = values(len(format.channels))
    assert np.array_equal(drawn(ctx, screen, format, doubles), expected(doubles))


def test_doubles_may_lie_anywhere_and_outside_of_the_buffer_they_are_zero(screen: g.Screen, ctx: g.Context) -> None:
    raw = np.zeros((COUNT, 27), np.uint8)
    doubles = values(2)
    raw[:, 5:21] = doubles.view(np.uint8)
    assert np.array_equal(drawn(ctx, screen, "PIPE_FORMAT_R64G64_FLOAT", raw, offset=5), expected(doubles))
    seen = drawn(ctx, screen, "R64G64_FLOAT", doubles[:20])
    assert np.array_equal(seen[:20], expected(doubles[:20]))
    assert (seen[20:] == (0, 0, 0, 0x3F800000)).all()


def test_instances_step_doubles(screen: g.Screen, ctx: g.Context) -> None:
    doubles = values(3)
    assert (drawn(ctx, screen, "R64G64B64_FLOAT", doubles[12:], instance_divisor=1) == expected(doubles[12:13])).all()


def test_every_thread_and_lane_count_reads_the_same() -> None:
    doubles, seen = values(4), []
    for threads, lanes in ((0, 8), (1, 16), (2, 32)):
        with g.Screen(threads=threads, lanes=lanes) as screen:
            seen.append(drawn(screen.context_create(), screen, "R64G64B64A64_FLOAT", doubles))
    assert all(np.array_equal(other, seen[0]) for other in seen)


def test_formats_of_doubles_are_for_vertex_elements_alone(screen: g.Screen) -> None:
    for name in WIDE:
        assert screen.is_format_supported(name, target="BUFFER", bind="VERTEX_BUFFER")
        assert not screen.is_format_supported(name, target="BUFFER", bind="SAMPLER_VIEW")
        assert not screen.is_format_supported(name)
    with pytest.raises(ValueError, match="R64_FLOAT is a format of vertex elements only"):
        screen.resource_create(format="R64_FLOAT")
