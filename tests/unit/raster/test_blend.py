"""Blending, color masks and logic operations for every kind of color format, compared with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.formats import ChannelType, Format
from backends.formats.arrays import pack, unpack
from backends.pipe.enums import BlendFactor, BlendFunc, ColorMask, LogicOp, Prim
from backends.pipe.state import BlendState, RenderTargetBlend
from backends.raster.tile.buffer_keys import TargetKey
from tests.texts import VS_POSITION
from tests.unit.raster.canvas import FS_CONSTANT, RGBA8, Canvas, pixels

pytestmark = pytest.mark.light

Array = NDArray[Any]
QUAD = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1], [1, 1, 0, 1]], "f4")
SIZE = 16
COLOR = (0.8, 0.35, 0.1, 0.6)
CONSTANT = (0.3, 0.9, 0.5, 0.2)
FORMATS = [
    RGBA8,
    Format.B8G8R8A8_UNORM,
    Format.B8G8R8X8_UNORM,
    Format.A8R8G8B8_UNORM,
    Format.R8G8B8A8_SRGB,
    Format.R8G8B8A8_SNORM,
    Format.B5G6R5_UNORM,
    Format.R10G10B10A2_UNORM,
    Format.R8_UNORM,
    Format.L8A8_UNORM,
    Format.R16G16B16A16_UNORM,
    Format.R16G16B16A16_FLOAT,
    Format.R32G32B32A32_FLOAT,
]
FACTORS = [f for f in BlendFactor if "SRC1" not in f.name]


def fill_randomly(c: Canvas, seed: int = 3) -> Array:
    """Fill the first target with random colors. Returns the colors as stored."""
    surface = c.colors[0]
    rng = np.random.default_rng(seed)
    shown = pixels(surface)
    data = pack(surface.format, rng.uniform(0, 1, (SIZE * SIZE, 4)).astype("f4"))
    shown[:] = data.reshape(SIZE, SIZE, -1)
    return shown.copy().reshape(-1)


def draw(format: Format, blend: BlendState, fs: str = FS_CONSTANT, color: Any = COLOR, lanes: int | None = None) -> tuple[Array, Array]:
    """Bytes of the target before and after a draw."""
    with Canvas(SIZE, SIZE, color=(format,), lanes=lanes) as c:
        before = fill_randomly(c)
        c.draw_arrays(VS_POSITION, fs, [QUAD], Prim.TRIANGLE_STRIP, blend=blend, blend_color=CONSTANT, constants=color)
        return before, c.image().reshape(-1)


def factor(x: BlendFactor, s: Array, d: Array) -> Array:
    k = np.broadcast_to(np.array(CONSTANT), d.shape)
    plain = {
        "ONE": np.ones_like(d),
        "ZERO": np.zeros_like(d),
        "SRC_COLOR": s,
        "SRC_ALPHA": s[:, 3:].repeat(4, 1),
        "DST_COLOR": d,
        "DST_ALPHA": d[:, 3:].repeat(4, 1),
        "CONST_COLOR": k,
        "CONST_ALPHA": k[:, 3:].repeat(4, 1),
    }
    if x is BlendFactor.SRC_ALPHA_SATURATE:
        f = np.minimum(s[:, 3], 1 - d[:, 3])
        return np.stack([f, f, f, np.ones_like(f)], 1)
    name = x.name.removeprefix("INV_")
    return 1 - plain[name] if name != x.name else plain[name]


def equation(func: BlendFunc, a: Array, b: Array) -> Array:
    match func:
        case BlendFunc.ADD:
            return a + b
        case BlendFunc.SUBTRACT:
            return a - b
        case BlendFunc.REVERSE_SUBTRACT:
            return b - a
        case BlendFunc.MIN:
            return np.minimum(a, b)
        case _:
            return np.maximum(a, b)


def blended(format: Format, rt: RenderTargetBlend, before: Array) -> Array:
    d = unpack(format, before).astype("f8")
    s = np.broadcast_to(np.array(COLOR), d.shape)
    out = np.empty_like(d)
    for part, channels in (("rgb", slice(0, 3)), ("alpha", slice(3, 4))):
        fs, fd = (factor(getattr(rt, f"{part}_{n}_factor"), s, d) for n in ("src", "dst"))
        out[:, channels] = equation(getattr(rt, f"{part}_func"), s * fs, d * fd)[:, channels]
    return out


def steps(format: Format, found: Array, wanted: Array) -> float:
    """Distance of two colors in steps of the format's coarsest channel."""
    floats = any(c.type is ChannelType.FLOAT for c in format.channels)
    size = max(c.size for c in format.channels)
    signed = any(c.type is ChannelType.SNORM for c in format.channels)
    step = 2.0 ** -(9 if size == 16 else 20) if floats else 1 / (2 ** (min(c.size for c in format.channels) - signed) - 1)
    limit = np.abs(wanted) if floats else 1
    return float((np.abs(found - wanted) / (step * np.maximum(limit, 1))).max())


def random_equations(count: int) -> list[RenderTargetBlend]:
    """Two common blend equations, then `count` random ones."""
    rng = np.random.default_rng(8)
    over: Any = dict.fromkeys(("rgb_src_factor", "alpha_src_factor"), BlendFactor.SRC_ALPHA)
    under: Any = dict.fromkeys(("rgb_dst_factor", "alpha_dst_factor"), BlendFactor.INV_SRC_ALPHA)
    found = [RenderTargetBlend(blend_enable=True, **over, **under), RenderTargetBlend(blend_enable=True, **under)]
    for _ in range(count):
        fields: dict[str, Any] = {f"{p}_func": BlendFunc(int(rng.choice([0, 0, 0, 1, 2, 3, 4]))) for p in ("rgb", "alpha")}
        fields |= {f"{p}_{n}_factor": FACTORS[rng.integers(len(FACTORS))] for p in ("rgb", "alpha") for n in ("src", "dst")}
        found.append(RenderTargetBlend(blend_enable=True, **fields))
    return found


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_blend_equations(format: Format) -> None:
    for rt in random_equations(6 if format is not RGBA8 else 24):
        before, after = draw(format, BlendState((rt,)))
        wanted = unpack(format, pack(format, blended(format, rt, before).astype("f4")))
        found = unpack(format, after)
        assert steps(format, found, wanted) <= 1.01, rt


def test_integer_and_float_paths_agree_within_a_step() -> None:
    """Compares the eight-bit path of RGBA8 with the float path of a format with another order."""
    for rt in random_equations(12):
        before, after = draw(RGBA8, BlendState((rt,)))
        wanted = np.rint(np.clip(blended(RGBA8, rt, before), 0, 1) * 255)
        assert np.abs(after.reshape(-1, 4) - wanted).max() <= 1, rt


def test_dual_source_blending_reads_the_second_color() -> None:
    fs = "FRAG\nDCL CONST[0]\nDCL OUT[0], COLOR[0]\nDCL OUT[1], COLOR[1]\nIMM[0] FLT32 {0.25, 0.5, 0.75, 1.0}\n"
    fs += "MOV OUT[0], CONST[0]\nMOV OUT[1], IMM[0]\nEND\n"
    rt = RenderTargetBlend(blend_enable=True, rgb_src_factor=BlendFactor.SRC1_COLOR, rgb_dst_factor=BlendFactor.INV_SRC1_COLOR)
    before, after = draw(RGBA8, BlendState((rt,)), fs)
    d, weight = before.reshape(-1, 4)[:, :3] / 255, np.array([0.25, 0.5, 0.75])
    wanted = np.array(COLOR[:3]) * weight + d * (1 - weight)
    assert np.abs(after.reshape(-1, 4)[:, :3] - wanted * 255).max() <= 1


@pytest.mark.parametrize("format", [RGBA8, Format.B5G6R5_UNORM, Format.R16G16B16A16_FLOAT, Format.R8_UNORM], ids=str)
@pytest.mark.parametrize("mask", [0, 1, 6, 8, 13])
def test_color_masks_keep_bits(format: Format, mask: int) -> None:
    before, after = draw(format, BlendState((RenderTargetBlend(colormask=ColorMask(mask)),)))
    old = unpack(format, before)
    new = unpack(format, pack(format, np.broadcast_to(np.array(COLOR, "f4"), old.shape)))
    wanted = np.where([bool(mask >> k & 1) for k in range(4)], new, old)
    found = unpack(format, after)
    stored = [k for k, c in enumerate("RGBA") if c in "".join(x.letter for x in format.channels)]
    assert np.array_equal(found[:, stored], wanted[:, stored])


@pytest.mark.parametrize("mask", range(1, 16))
@pytest.mark.parametrize("format", [Format.L8_UNORM, Format.L8A8_UNORM, Format.I8_UNORM, Format.L16_SNORM], ids=str)
def test_luminance_and_intensity_obey_the_mask_of_red(format: Format, mask: int) -> None:
    """Both are stored from red; piglit's fbo-colormask-formats wants the same."""
    before, after = draw(format, BlendState((RenderTargetBlend(colormask=ColorMask(mask)),)))
    old, found = (np.ascontiguousarray(image.reshape(SIZE * SIZE, -1)) for image in (before, after))
    texel = pack(format, np.broadcast_to(np.array(COLOR, "f4"), (SIZE * SIZE, 4))).reshape(old.shape)
    size = old.shape[1] // len(format.channels)
    for number, channel in enumerate(format.channels):
        own = slice(number * size, number * size + size)
        takes = mask >> (3 if channel.letter == "A" else 0) & 1
        assert np.array_equal(found[:, own], (texel if takes else old)[:, own]), channel


@pytest.mark.parametrize("op", list(LogicOp), ids=lambda op: op.name)
def test_logic_operations_are_their_truth_tables(op: LogicOp) -> None:
    before, after = draw(RGBA8, BlendState((RenderTargetBlend(blend_enable=True),), logicop_enable=True, logicop_func=op))
    source = np.unpackbits(np.rint(np.array(COLOR * (SIZE * SIZE)) * 255).astype("u1"))
    table = [int(op) >> k & 1 for k in range(4)]
    wanted = np.packbits(np.array(table, "u1")[2 * source + np.unpackbits(before)])
    assert np.array_equal(after, wanted)


def test_logic_operations_leave_floats_alone() -> None:
    _, after = draw(Format.R32G32B32A32_FLOAT, BlendState(logicop_enable=True, logicop_func=LogicOp.XOR))
    assert np.array_equal(unpack(Format.R32G32B32A32_FLOAT, after)[0], np.array(COLOR, "f4"))


@pytest.mark.parametrize("format", [Format.R8G8B8A8_UINT, Format.R16G16B16A16_SINT, Format.R32G32B32A32_UINT], ids=str)
def test_integer_targets_take_bits_and_are_not_blended(format: Format) -> None:
    fs = "FRAG\nDCL OUT[0], COLOR\nIMM[0] UINT32 {1, 70000, 4294967295, 200}\nMOV OUT[0], IMM[0]\nEND\n"
    blend = BlendState((RenderTargetBlend(blend_enable=True, rgb_dst_factor=BlendFactor.ONE, alpha_dst_factor=BlendFactor.ONE),))
    with Canvas(SIZE, SIZE, color=(format,)) as c:
        c.draw_arrays(VS_POSITION, fs, [QUAD], Prim.TRIANGLE_STRIP, blend=blend)
        after = c.image().reshape(-1)
    wanted = {
        Format.R8G8B8A8_UINT: [1, 255, 255, 200],
        Format.R16G16B16A16_SINT: [1, 32767, -1, 200],
        Format.R32G32B32A32_UINT: [1, 70000, 4294967295, 200],
    }
    assert unpack(format, after)[0].tolist() == wanted[format]


def test_keys_of_equal_states_are_equal() -> None:
    off = BlendState((RenderTargetBlend(blend_enable=False, rgb_src_factor=BlendFactor.ZERO),))
    copy = BlendState((RenderTargetBlend(blend_enable=True),))
    assert TargetKey.of(off, 0, RGBA8) == TargetKey.of(copy, 0, RGBA8) == TargetKey(RGBA8, 15)
    assert TargetKey.of(BlendState((RenderTargetBlend(colormask=ColorMask(0)),)), 0, RGBA8) is None


@pytest.mark.parametrize("lanes", [8, 16, 32])
def test_wide_texels_at_every_width(lanes: int) -> None:
    for format in (Format.R32G32B32A32_FLOAT, Format.R16G16B16A16_FLOAT, Format.R8G8_UNORM, Format.R8_UNORM):
        over = random_equations(0)[0]
        before, after = draw(format, BlendState((over,)), lanes=lanes)
        wanted = unpack(format, pack(format, blended(format, over, before).astype("f4")))
        assert steps(format, unpack(format, after), wanted) <= 1.01
