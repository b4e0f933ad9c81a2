"""Each class of tolerance, with artificial pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.formats import Format
from backends.formats.arrays import pack, pack_depth_stencil
from tgsi.tools.replay.compare import Tolerance, Verdict, compare_floats, compare_image, compare_query, compare_words
from tgsi.tools.replay.scene import Layout


def judge(format: Format, ours: bytes, reference: bytes, max_diff: float = 0, max_pixels: float = 0.0) -> Verdict:
    """Compare rows of pixels, over a background that differs from every reference pixel."""
    count = len(reference) // format.block_bytes
    cleared = bytes(b ^ 0x55 for b in reference)
    return compare_image("c0", Layout(format, count, 1, 1), ours, reference, cleared, Tolerance(max_diff, max_pixels))


def floats(*values: float) -> bytes:
    return np.array(values, np.float32).tobytes()


def shorts(*values: int) -> bytes:
    return np.array(values, np.uint16).tobytes()


def near(format: Format, ours: bytes, reference: bytes, least: int) -> None:
    """Check that the pair passes from exactly `least` units on."""
    if least:
        assert not judge(format, ours, reference, least - 1).passed
    assert judge(format, ours, reference, least).passed


@pytest.mark.parametrize(
    ("format", "ours", "reference", "least"),
    [
        (Format.R8G8B8A8_UNORM, bytes((10, 20, 30, 40)), bytes((10, 20, 30, 40)), 0),
        (Format.R8G8B8A8_UNORM, bytes((10, 20, 30, 40)), bytes((10, 21, 30, 37)), 3),
        (Format.R8G8B8A8_SRGB, bytes((10, 20, 30, 40)), bytes((10, 20, 28, 40)), 2),
        (Format.R8G8B8A8_SNORM, bytes((0, 0, 0, 0xFF)), bytes((0, 0, 0, 1)), 2),
        (Format.R8_SNORM, bytes((0x80,)), bytes((0x81,)), 0),
        (Format.B5G6R5_UNORM, shorts(31 << 11 | 5 << 5), shorts(29 << 11 | 6 << 5), 2),
        (Format.R10G10B10A2_UNORM, (1023 << 10 | 1).to_bytes(4, "little"), (1019 << 10).to_bytes(4, "little"), 4),
        (Format.R16_UNORM, shorts(65535), shorts(65530), 5),
        (Format.R16_FLOAT, shorts(0x3C00), shorts(0x3C02), 2),
        (Format.R16_FLOAT, shorts(0x8001), shorts(0x0001), 2),
        (Format.R16_FLOAT, shorts(0x8000), shorts(0x0000), 0),
        (Format.R16_FLOAT, shorts(0x7C01), shorts(0xFE00), 0),
        (Format.R11G11B10_FLOAT, (5 | 7 << 11 | 9 << 22).to_bytes(4, "little"), (5 | 8 << 11 | 12 << 22).to_bytes(4, "little"), 3),
        (Format.R32_UNORM, (100).to_bytes(4, "little"), (107).to_bytes(4, "little"), 7),
        (Format.R32_FLOAT, floats(np.nan), floats(-np.nan), 0),
        (Format.R32_FLOAT, floats(np.inf), floats(np.inf), 0),
        (Format.Z16_UNORM, shorts(65535), shorts(65532), 3),
        (Format.R8G8B8X8_UNORM, bytes((1, 2, 3, 4)), bytes((1, 2, 3, 200)), 0),
    ],
)
def test_stored_units(format: Format, ours: bytes, reference: bytes, least: int) -> None:
    near(format, ours, reference, least)


def test_float32_is_relative_or_absolute_whichever_is_larger() -> None:
    assert judge(Format.R32_FLOAT, floats(100.0009), floats(100.0), 1).passed
    assert not judge(Format.R32_FLOAT, floats(100.0011), floats(100.0), 1).passed
    assert judge(Format.R32_FLOAT, floats(100.0011), floats(100.0), 2).passed
    assert judge(Format.R32_FLOAT, floats(0.9e-6), floats(0.0), 1).passed
    assert not judge(Format.R32_FLOAT, floats(1.1e-6), floats(0.0), 1).passed
    assert not judge(Format.R32_FLOAT, floats(1e-30), floats(0.0), 0).passed


@pytest.mark.parametrize(("ours", "reference"), [(np.nan, 1.0), (1.0, np.nan), (np.inf, -np.inf), (np.inf, 3.4e38)])
def test_wild_floats_are_never_near(ours: float, reference: float) -> None:
    found = judge(Format.R32_FLOAT, floats(ours), floats(reference), 1e9)
    assert not found.passed
    assert "a NaN or an infinity" in found.reason


def test_shared_exponent_counts_in_the_larger_unit() -> None:
    one = pack(Format.R9G9B9E5_FLOAT, np.array([[1.0, 0.5, 0.25, 1.0]], np.float32))
    same_by_another_exponent = (128 | 64 << 9 | 32 << 18 | 17 << 27).to_bytes(4, "little")
    near(Format.R9G9B9E5_FLOAT, one.tobytes(), same_by_another_exponent, 0)
    near(Format.R9G9B9E5_FLOAT, (one.view(np.uint32) + np.uint32(2)).tobytes(), one.tobytes(), 2)


def depth(format: Format, z: NDArray[Any], stencil: int = 0) -> bytes:
    return pack_depth_stencil(format, z.astype(np.float32), np.full(len(z), stencil, np.uint8)).tobytes()


@pytest.mark.parametrize("format", [Format.Z24X8_UNORM, Format.X8Z24_UNORM, Format.Z24_UNORM_S8_UINT, Format.Z32_UNORM, Format.Z32_FLOAT])
def test_depth_is_judged_by_two_to_the_minus_22(format: Format) -> None:
    z = np.array([0.25, 0.5])
    near(format, depth(format, z + 2.0**-22), depth(format, z), 1)
    near(format, depth(format, z + 3 * 2.0**-22), depth(format, z), 3)


def test_stencil_is_exact_beside_depth() -> None:
    format, z = Format.Z24_UNORM_S8_UINT, np.array([0.5])
    assert not judge(format, depth(format, z, 7), depth(format, z, 8), 100).passed
    assert judge(format, depth(format, z, 7), depth(format, z, 7), 0).passed


def test_padding_beside_depth_is_not_looked_at() -> None:
    ours, reference = (5 | 0xAB << 24).to_bytes(4, "little"), (5).to_bytes(4, "little")
    assert judge(Format.Z24X8_UNORM, ours, reference, 0).passed


@pytest.mark.parametrize("format", [Format.R8G8B8A8_UINT, Format.R16G16_SINT, Format.R32_UINT, Format.S8_UINT])
def test_pure_integers_are_exact(format: Format) -> None:
    reference = bytes(range(format.block_bytes))
    assert judge(format, reference, reference, 0).passed
    assert not judge(format, bytes((1, *reference[1:])), reference, 255).passed


def test_a_fraction_of_the_drawn_pixels_may_differ() -> None:
    layout = Layout(Format.R8_UNORM, 100, 2, 1)
    cleared = bytes(200)
    reference = bytes([200] * 100 + [0] * 100)
    ours = bytes([0] * 2 + [200] * 98 + [0] * 100)
    assert compare_image("c0", layout, ours, reference, cleared, Tolerance(1, 0.02)).passed
    found = compare_image("c0", layout, ours, reference, cleared, Tolerance(1, 0.019))
    assert (found.passed, found.differing, found.allowed, found.changed, found.worst) == (False, 2, 1, 100, 200.0)
    assert found.reason == "c0: 2 pixels differ (1 of 100 drawn may), R by up to 200 steps; first at (0, 0): (0) instead of (200)"


def test_where_nothing_was_drawn_nothing_may_differ() -> None:
    layout = Layout(Format.R8_UNORM, 100, 100, 1)
    cleared = bytes(10000)
    assert not compare_image("c0", layout, b"\xff" + bytes(9999), cleared, cleared, Tolerance(1, 1.0)).passed
    assert compare_image("c0", layout, cleared, cleared, cleared, Tolerance(1, 0.0)).passed


def test_the_first_difference_is_named_with_its_layer() -> None:
    layout = Layout(Format.R8G8_UNORM, 4, 3, 2)
    reference = bytes(48)
    ours = bytearray(reference)
    ours[(12 + 2 * 4 + 1) * 2 + 1] = 9
    found = compare_image("c0", layout, bytes(ours), reference, reference, Tolerance())
    assert "first at (1, 2) of layer 1: (0 9) instead of (0 0)" in found.reason
    assert found.mask is not None
    assert found.mask.shape == (2, 3, 4)
    assert list(np.argwhere(found.mask)[0]) == [1, 2, 1]


def test_integer_buffers_are_exact() -> None:
    assert compare_words("ssbo0", b"\1\2\3\4", b"\1\2\3\4").passed
    found = compare_words("ssbo0", bytes(8) + b"\5\0\0\0", bytes(12))
    assert found.reason == "ssbo0: 1 of 12 bytes differ; first at byte 8: 05000000 instead of 00000000"


def test_stream_output_is_near_as_floats_and_exact_as_integers() -> None:
    one = Tolerance(1)
    assert compare_floats("so0", floats(1.000001, 0.0), floats(1.0, 0.0), one).passed
    assert not compare_floats("so0", floats(1.000001), floats(1.0), Tolerance()).passed
    assert not compare_floats("so0", floats(1.0001), floats(1.0), one).passed
    integers = [np.array(v, np.int32).tobytes() for v in ([3, -1, 70000], [3, -2, 70000], [4, -1, 70000])]
    assert compare_floats("so0", integers[0], integers[0], one).passed
    assert not compare_floats("so0", integers[1], integers[0], one).passed
    assert not compare_floats("so0", integers[2], integers[0], one).passed
    assert compare_floats("so0", floats(np.nan), floats(-np.nan), one).passed


def test_bytes_behind_the_last_word_count() -> None:
    assert not compare_floats("so0", floats(1.0) + b"\1", floats(1.0) + b"\0", Tolerance(1)).passed


def test_queries_are_exact_but_for_what_was_never_counted() -> None:
    assert compare_query(0, "OCCLUSION_COUNTER", (5,), (5,)).passed
    assert compare_query(3, "SO_STATISTICS", (2, 3), (2, 7)).reason == "query 3 (SO_STATISTICS): [2, 3] instead of [2, 7]"
    counts = (1, 2, 3, 4, 5, 6, 7)
    assert compare_query(0, "PIPELINE_STATISTICS", (*counts, 99), (*counts, 0)).passed
    assert not compare_query(0, "PIPELINE_STATISTICS", (0, *counts), (1, *counts)).passed
