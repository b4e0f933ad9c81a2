"""Generated conversions equal the numpy conversions bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from backends.formats import Format
from backends.formats.arrays import pack, pack_depth_stencil, unpack, unpack_depth, unpack_stencil
from backends.llvm.builder.function import I32, Function, Val
from backends.llvm.library import packing as staged
from backends.llvm.library.pixels import fetch_attribute, load_row, load_texels, store_row
from tests.unit.formats.kernels import compile_loops, from_blocks, load_channels, store_channels, to_blocks
from tests.unit.formats.samples import block_bytes, float_words

pytestmark = pytest.mark.light

LANES = 16
ROWS = [f for f in Format if f.block_bytes in (1, 2, 4, 8, 16)]
COLORS = [f for f in ROWS if not f.is_depth_stencil]
DEPTHS = [f for f in Format if f.has_depth]


def size_of(format: Format) -> int:
    return format.block_bytes


def sixteen(_: Format) -> int:
    return 16


def emit_unpack(f: Function, format: Format, source: Val, target: Val, lanes: int) -> None:
    store_channels(f, staged.unpack(f, format, load_row(f, format, source, lanes)), target, lanes)


def emit_pack(f: Function, format: Format, source: Val, target: Val, lanes: int) -> None:
    store_row(f, format, staged.pack(f, format, load_channels(f, source, lanes)), target)


@pytest.mark.parametrize("cpu", ["host", "x86-64"])
def test_unpack_equals_numpy(cpu: str) -> None:
    _, run = compile_loops(ROWS, size_of, sixteen, emit_unpack, LANES, cpu)
    for format in ROWS:
        data = block_bytes(format)
        want = unpack(format, data).view(np.uint32)
        got = from_blocks(run(format, data, len(want)), LANES, 4)
        assert np.array_equal(got, want), format


@pytest.mark.parametrize("cpu", ["host", "x86-64"])
def test_pack_equals_numpy(cpu: str) -> None:
    _, run = compile_loops(COLORS, sixteen, size_of, emit_pack, LANES, cpu)
    channels = np.stack([float_words(2048, seed) for seed in range(4)], axis=1)
    rng = np.random.default_rng(5)
    integers = (rng.integers(-(2**31), 2**31, channels.shape) >> rng.integers(0, 32, channels.shape)).astype(np.int32).view(np.uint32)
    for format in COLORS:
        words = integers if format.is_integer else channels
        want = pack(format, words.view({"float": np.float32, "uint": np.uint32, "sint": np.int32}[format.kind]))
        got = run(format, to_blocks(words, LANES), len(words))
        assert np.array_equal(got, want), format


def test_pack_of_unpack_gives_the_pixel_back() -> None:
    for format in COLORS:
        if format.is_shared_exponent or any(c.letter == "X" for c in format.channels):
            continue
        data = block_bytes(format)
        again = unpack(format, pack(format, unpack(format, data)))
        first = unpack(format, data)
        assert ((again == first) | ((again != again) & (first != first))).all(), format


def test_srgb_encoding_equals_its_definition_at_every_threshold() -> None:
    from backends.formats.arrays import linear_to_srgb, srgb_thresholds

    edges = srgb_thresholds()[1:].view(np.uint32).astype(np.int64)
    words = np.clip((edges[:, None] + np.arange(-8, 9)).reshape(-1), 0, 0x3F800000).astype(np.uint32)
    words = np.resize(words, (len(words) + 15) // 16 * 16)
    _, run = compile_loops([Format.R8_SRGB], sixteen, size_of, emit_pack, LANES)
    channels = np.zeros((len(words), 4), np.uint32)
    channels[:, 0] = words
    got = run(Format.R8_SRGB, to_blocks(channels, LANES), len(words))
    assert np.array_equal(got, np.rint(linear_to_srgb(words.view(np.float32)) * 255.0))


def test_attributes_of_every_format_equal_numpy() -> None:
    colors = [f for f in Format if not f.is_depth_stencil]

    def emit(f: Function, format: Format, source: Val, target: Val, lanes: int) -> None:
        pointers = [f.at(source, k * format.block_bytes) for k in range(lanes)]
        store_channels(f, fetch_attribute(f, format, pointers), target, lanes)

    for lanes in (4, 16):
        _, run = compile_loops(colors, size_of, sixteen, emit, lanes)
        for format in colors:
            data = block_bytes(format, 64)
            want = unpack(format, data).view(np.uint32)
            got = from_blocks(run(format, data, len(want)), lanes, 4)
            assert np.array_equal(got, want), format


def test_scattered_texels_equal_a_row() -> None:
    def emit(f: Function, format: Format, source: Val, target: Val, lanes: int) -> None:
        offsets = f.lanes_const(I32.wide(lanes), [(k * 5 % lanes) * format.block_bytes for k in range(lanes)])
        store_channels(f, staged.unpack(f, format, load_texels(f, format, source, offsets)), target, lanes)

    formats = list(Format)
    _, run = compile_loops(formats, size_of, sixteen, emit, LANES)
    order = np.array([k * 5 % LANES for k in range(LANES)])
    for format in formats:
        data = block_bytes(format, 64)[: 64 * format.block_bytes]
        want = unpack(format, data).view(np.uint32).reshape(-1, LANES, 4)[:, order].reshape(-1, 4)
        got = from_blocks(run(format, data, len(want)), LANES, 4)
        assert np.array_equal(got, want), format


def test_depth_and_stencil_equal_numpy_and_keep_the_other_part() -> None:
    def emit(f: Function, format: Format, source: Val, target: Val, lanes: int) -> None:
        depth, stencil = load_channels(f, source, lanes, 2)
        old = [f.const(I32.wide(lanes), 0x5A5A5A5A)] * format.block_words
        bits = staged.encode_depth(f, format, depth)
        store_row(f, format, staged.pack_depth_stencil(f, format, bits, None, old), target)
        size = format.block_bytes * lanes
        store_row(f, format, staged.pack_depth_stencil(f, format, None, stencil.as_int(), old), f.at(target, size))
        store_row(f, format, staged.pack_depth_stencil(f, format, bits, stencil.as_int(), old), f.at(target, 2 * size))

    words = float_words(1024)
    stencil = (words ^ words >> 7) & 0xFF
    given = to_blocks(np.stack([words, stencil], axis=1), LANES)
    _, run = compile_loops(DEPTHS, lambda _: 8, lambda f: 3 * f.block_bytes, emit, LANES)
    for format in DEPTHS:
        old = np.full(len(words) * format.block_bytes, 0x5A, np.uint8)
        got = run(format, given, len(words)).reshape(-1, 3, LANES * format.block_bytes)
        depth = words.view(np.float32)
        both = (depth, None), (None, stencil), (depth, stencil)
        for k, (z, s) in enumerate(both):
            if k == 1 and not format.has_stencil:
                continue
            want = pack_depth_stencil(format, z, s, old)
            assert np.array_equal(got[:, k].reshape(-1), want), (format, k)
        if format.has_stencil:
            assert np.array_equal(unpack_stencil(format, want), stencil)
        if format is not Format.Z32_FLOAT and format is not Format.Z32_FLOAT_S8X24_UINT:
            assert np.array_equal(pack_depth_stencil(format, unpack_depth(format, want), None, want), want)


def test_24_bit_depth_decodes_correctly_rounded() -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([np.arange(65536), (1 << 24) - 1 - np.arange(65536), rng.integers(0, 1 << 24, 1 << 17)]).astype(np.uint32)
    _, run = compile_loops([Format.Z24X8_UNORM], size_of, sixteen, emit_unpack, LANES)
    got = from_blocks(run(Format.Z24X8_UNORM, values.view(np.uint8), len(values)), LANES, 4)[:, 0]
    want = (values.astype(np.longdouble) / ((1 << 24) - 1)).astype(np.float32)
    assert np.array_equal(got.view(np.float32), want)


@pytest.mark.parametrize("cpu", ["host", "x86-64"])
def test_24_bit_depth_is_rounded_once_to_nearest_even(cpu: str) -> None:
    def emit(f: Function, format: Format, source: Val, target: Val, lanes: int) -> None:
        store_row(
            f,
            format,
            staged.pack_depth_stencil(
                f,
                format,
                staged.encode_depth(f, format, load_row(f, format, source, lanes)[0].as_float()),
                None,
                [f.const(I32.wide(lanes), 0)],
            ),
            target,
        )

    top = (1 << 24) - 1
    random = np.random.default_rng(4).integers(0, top, 1 << 15)
    ties = (np.concatenate([random, random >> 1, random >> 9, [0, top // 2, top]]) + 0.5) / top
    edges = [0.5, 1.0, 0.0, -0.0, -1.0, 2.0, np.inf, -np.inf, np.nan, 1e-45, 3e-8, 5.9604645e-08]
    near = np.float32(np.concatenate([ties, edges]))
    depths = np.concatenate([near, np.nextafter(near, np.float32(0)), np.nextafter(near, np.float32(1))])
    depths = np.resize(depths, -(-depths.size // LANES) * LANES).astype(np.float32)
    _, run = compile_loops([Format.Z24X8_UNORM], size_of, size_of, emit, LANES, cpu)
    got = run(Format.Z24X8_UNORM, depths.view(np.uint8), len(depths)).view(np.uint32) & top
    want = np.rint(np.clip(np.nan_to_num(depths.astype(np.float64), nan=0.0), 0.0, 1.0) * top).astype(np.uint32)
    assert np.array_equal(got, want)
