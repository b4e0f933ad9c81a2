"""Depth and stencil tests for every format, function and operation, compared with plain integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.formats import ChannelType, Format
from backends.formats.arrays import pack_depth_stencil, unpack_depth, unpack_stencil
from backends.pipe.enums import CompareFunc, Face, Prim, StencilOp
from backends.pipe.state import AlphaState, DepthState, DepthStencilAlphaState, RasterizerState, StencilState
from backends.raster.tile.buffer_keys import DepthKey
from tests.texts import VS_POSITION
from tests.unit.raster.canvas import ADD, FS_CONSTANT, FS_ONE, FS_WHITE, Canvas, pixels

pytestmark = pytest.mark.light

Array = NDArray[Any]
SIZE = 16
DEPTHS = [
    Format.Z16_UNORM,
    Format.Z24X8_UNORM,
    Format.X8Z24_UNORM,
    Format.Z24_UNORM_S8_UINT,
    Format.S8_UINT_Z24_UNORM,
    Format.Z32_UNORM,
    Format.Z32_FLOAT,
    Format.Z32_FLOAT_S8X24_UINT,
]
STENCILS = [Format.Z24_UNORM_S8_UINT, Format.S8_UINT_Z24_UNORM, Format.Z32_FLOAT_S8X24_UINT, Format.S8_UINT]
COMPARE: dict[CompareFunc, Any] = {
    CompareFunc.NEVER: lambda a, b: np.zeros(np.broadcast(a, b).shape, bool),
    CompareFunc.LESS: np.less,
    CompareFunc.EQUAL: np.equal,
    CompareFunc.LEQUAL: np.less_equal,
    CompareFunc.GREATER: np.greater,
    CompareFunc.NOTEQUAL: np.not_equal,
    CompareFunc.GEQUAL: np.greater_equal,
    CompareFunc.ALWAYS: lambda a, b: np.ones(np.broadcast(a, b).shape, bool),
}
OPERATIONS: dict[StencilOp, Any] = {
    StencilOp.KEEP: lambda s, r: s,
    StencilOp.ZERO: lambda s, r: s * 0,
    StencilOp.REPLACE: lambda s, r: s * 0 + r,
    StencilOp.INCR: lambda s, r: np.minimum(s + 1, 255),
    StencilOp.DECR: lambda s, r: np.maximum(s - 1, 0),
    StencilOp.INCR_WRAP: lambda s, r: (s + 1) & 255,
    StencilOp.DECR_WRAP: lambda s, r: (s - 1) & 255,
    StencilOp.INVERT: lambda s, r: s ^ 255,
}


def quad(z: float) -> Array:
    """Full-screen strip whose window depth is z."""
    return np.array([[-1, -1, 2 * z - 1, 1], [1, -1, 2 * z - 1, 1], [-1, 1, 2 * z - 1, 1], [1, 1, 2 * z - 1, 1]], "f4")


def prepare(c: Canvas, format: Format, z: float) -> tuple[Array, Array]:
    """Fill the buffer with depths around z (and z itself) and random stencil values. Returns both."""
    rng = np.random.default_rng(9)
    depth = np.clip(z + rng.integers(-1, 2, SIZE * SIZE) * rng.choice([2.0**-15, 0.1], SIZE * SIZE), 0, 1).astype("f4")
    stencil = rng.integers(0, 256, SIZE * SIZE).astype("u1")
    assert c.depth_surface is not None
    data = pack_depth_stencil(format, depth if format.has_depth else None, stencil if format.has_stencil else None)
    pixels(c.depth_surface)[:] = data.reshape(SIZE, SIZE, -1)
    return (unpack_depth(format, data) if format.has_depth else depth), stencil


@pytest.mark.parametrize("format", DEPTHS, ids=str)
@pytest.mark.parametrize("func", list(CompareFunc), ids=lambda f: f.name)
def test_depth_functions(format: Format, func: CompareFunc) -> None:
    z = 0.625
    for write in (True, False):
        with Canvas(SIZE, SIZE, depth=format) as c:
            c.wipe()
            c.flush()
            before, stencil = prepare(c, format, z)
            state = DepthStencilAlphaState(depth=DepthState(True, write, func))
            c.draw_arrays(VS_POSITION, FS_WHITE, [quad(z)], Prim.TRIANGLE_STRIP, depth_stencil_alpha=state)
            passed = c.image()[..., 0].reshape(-1) > 0
            after = c.depth_bytes().reshape(-1)
        stored = unpack_depth(format, pack_depth_stencil(format, np.array([z], "f4"), None))[0]
        expected = COMPARE[func](np.float32(z if format.depth and format.depth.type is ChannelType.FLOAT else stored), before)
        assert np.array_equal(passed, expected)
        assert np.allclose(unpack_depth(format, after), np.where(expected & write, np.float32(stored), before), atol=2**-24)
        if format.has_stencil:
            assert np.array_equal(unpack_stencil(format, after), stencil)


def stencil_outcome(s: StencilState, ref: int, old: Array, depth_pass: Array) -> tuple[Array, Array]:
    old = old.astype(int)
    ok = COMPARE[s.func](np.int64(ref & s.valuemask), old & s.valuemask)
    new = np.where(
        ok, np.where(depth_pass, OPERATIONS[s.zpass_op](old, ref), OPERATIONS[s.zfail_op](old, ref)), OPERATIONS[s.fail_op](old, ref)
    )
    return (old & ~s.writemask) | (new & s.writemask), ok


@pytest.mark.parametrize("format", STENCILS, ids=str)
def test_stencil_functions_operations_and_masks(format: Format) -> None:
    rng, z, ref = np.random.default_rng(2), 0.5, 0x5A
    for func in CompareFunc:
        ops = [StencilOp(int(v)) for v in rng.integers(0, 8, 3)]
        s = StencilState(
            enabled=True,
            func=func,
            fail_op=ops[0],
            zpass_op=ops[1],
            zfail_op=ops[2],
            valuemask=int(rng.choice([255, 0x3C])),
            writemask=int(rng.choice([255, 0xF1])),
        )
        with Canvas(SIZE, SIZE, depth=format) as c:
            c.wipe()
            c.flush()
            before, stencil = prepare(c, format, z)
            depth = DepthState(format.has_depth, True, CompareFunc.LESS)
            state = DepthStencilAlphaState(depth, (s, StencilState()))
            c.draw_arrays(VS_POSITION, FS_WHITE, [quad(z)], Prim.TRIANGLE_STRIP, depth_stencil_alpha=state, stencil_ref=(ref, 0))
            passed = c.image()[..., 0].reshape(-1) > 0
            after = c.depth_bytes().reshape(-1)
        stored = unpack_depth(format, pack_depth_stencil(format, np.array([z], "f4"), None))[0] if format.has_depth else 0
        depth_pass = np.less(stored, before) if format.has_depth else np.ones(SIZE * SIZE, bool)
        wanted, ok = stencil_outcome(s, ref, stencil, depth_pass)
        assert np.array_equal(passed, ok & depth_pass), s
        assert np.array_equal(unpack_stencil(format, after), wanted), s
        if format.has_depth:
            assert np.allclose(unpack_depth(format, after), np.where(ok & depth_pass, stored, before), atol=2**-24)


def test_two_sided_stencil_follows_the_facing() -> None:
    triangles = np.array([[-1, -1, 0, 1], [0, -1, 0, 1], [-1, 1, 0, 1], [1, -1, 0, 1], [0, -1, 0, 1], [1, 1, 0, 1]], "f4")
    increase = StencilState(enabled=True, func=CompareFunc.ALWAYS, zpass_op=StencilOp.REPLACE, valuemask=255, writemask=255)
    for ccw in (False, True):
        with Canvas(SIZE, SIZE, depth=Format.Z24_UNORM_S8_UINT) as c:
            c.wipe(stencil=3)
            state = DepthStencilAlphaState(
                stencil=(increase, StencilState(enabled=True, func=CompareFunc.ALWAYS, zpass_op=StencilOp.INVERT, writemask=255))
            )
            r = RasterizerState(front_ccw=ccw)
            c.draw_arrays(VS_POSITION, FS_WHITE, [triangles], rasterizer=r, depth_stencil_alpha=state, stencil_ref=(7, 9))
            stencil = unpack_stencil(Format.Z24_UNORM_S8_UINT, c.depth_bytes().reshape(-1)).reshape(SIZE, SIZE)
        left, right = int(stencil[1, 1]), int(stencil[1, -2])
        assert (left, right) == ((252, 7) if ccw else (7, 252))  # window y grows downward: the left one is clockwise


@pytest.mark.parametrize("func", list(CompareFunc), ids=lambda f: f.name)
def test_alpha_test_drops_color_depth_and_stencil(func: CompareFunc) -> None:
    ramp = "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.0625, 0.0, 0.0, 0.0}\n"
    ramp += "MUL OUT[0], IN[0].xxxx, IMM[0].xxxx\nEND\n"
    format = Format.Z24_UNORM_S8_UINT
    s = StencilState(enabled=True, func=CompareFunc.ALWAYS, zpass_op=StencilOp.INCR, valuemask=255, writemask=255)
    alpha = AlphaState(True, func, 8.5 / 16)
    with Canvas(SIZE, SIZE, depth=format) as c:
        c.wipe((0, 0, 1, 0))
        state = DepthStencilAlphaState(DepthState(True, True, CompareFunc.LESS), (s, StencilState()), alpha)
        c.draw_arrays(VS_POSITION, ramp, [quad(0.25)], Prim.TRIANGLE_STRIP, depth_stencil_alpha=state)
        drawn = c.image()[..., 2] != 255
        data = c.depth_bytes().reshape(-1)
    expected = np.broadcast_to(COMPARE[func]((np.arange(SIZE, dtype="f4") + 0.5) / 16, np.float32(8.5 / 16)), (SIZE, SIZE))
    assert np.array_equal(drawn, expected)
    assert np.array_equal(unpack_stencil(format, data).reshape(SIZE, SIZE), expected)
    assert np.array_equal(unpack_depth(format, data).reshape(SIZE, SIZE) < 0.5, expected)


KILLS = "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {-8.0, 1.0, 0.0, 0.0}\n"
KILLS += "ADD TEMP[0], IN[0].xxxx, IMM[0].xxxx\nKILL_IF TEMP[0]\nMOV OUT[0], IMM[0].yyyy\nEND\n"


@pytest.mark.parametrize("with_stencil", [False, True])
@pytest.mark.parametrize("early", [False, True])
def test_kill_stops_depth_writes_unless_tests_are_early(with_stencil: bool, early: bool) -> None:
    format = Format.Z24_UNORM_S8_UINT
    s = StencilState(enabled=with_stencil, func=CompareFunc.ALWAYS, zpass_op=StencilOp.INCR, valuemask=255, writemask=255)
    fs = KILLS.replace("FRAG\n", "FRAG\nPROPERTY FS_EARLY_DEPTH_STENCIL 1\n") if early else KILLS
    with Canvas(SIZE, SIZE, depth=format) as c:
        c.wipe()
        state = DepthStencilAlphaState(DepthState(True, True, CompareFunc.LESS), (s, StencilState()))
        c.draw_arrays(VS_POSITION, fs, [quad(0.25)], Prim.TRIANGLE_STRIP, depth_stencil_alpha=state)
        drawn = c.image()[..., 0] > 0
        data = c.depth_bytes().reshape(-1)
    alive = np.broadcast_to(np.arange(SIZE) >= 8, (SIZE, SIZE))
    assert np.array_equal(drawn, alive)
    assert np.array_equal(unpack_depth(format, data).reshape(SIZE, SIZE) < 0.5, alive | early)
    assert np.array_equal(unpack_stencil(format, data).reshape(SIZE, SIZE), (alive | early) & with_stencil)


def test_shader_depth_replaces_the_interpolated_one() -> None:
    fs = "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nIMM[0] FLT32 {0.0625, 1.0, 0.0, 0.0}\n"
    fs += "MUL OUT[0].z, IN[0].xxxx, IMM[0].xxxx\nMOV OUT[1], IMM[0].yyyy\nEND\n"
    with Canvas(SIZE, SIZE, depth=Format.Z32_FLOAT) as c:
        c.wipe(depth=0.5)
        state = DepthStencilAlphaState(DepthState(True, True, CompareFunc.LESS))
        c.draw_arrays(VS_POSITION, fs, [quad(0.9)], Prim.TRIANGLE_STRIP, depth_stencil_alpha=state)
        depth = c.depth_bytes().view("f4")[..., 0]
        drawn = c.image()[0, :, 0] > 0
    ramp = (np.arange(SIZE, dtype="f4") + 0.5) / 16
    assert np.array_equal(depth[3], np.where(ramp < 0.5, ramp, np.float32(0.5)))
    assert np.array_equal(drawn, ramp < 0.5)


def test_depth_bounds_look_at_the_stored_depth() -> None:
    with Canvas(SIZE, SIZE, depth=Format.Z32_FLOAT) as c:
        c.wipe()
        c.flush()
        before, _ = prepare(c, Format.Z32_FLOAT, 0.5)
        state = DepthStencilAlphaState(DepthState(bounds_test=True, bounds_min=0.45, bounds_max=0.55))
        c.draw_arrays(VS_POSITION, FS_WHITE, [quad(0.1)], Prim.TRIANGLE_STRIP, depth_stencil_alpha=state)
        assert np.array_equal(c.image()[..., 0].reshape(-1) > 0, (before >= np.float32(0.45)) & (before <= np.float32(0.55)))


@pytest.mark.parametrize("units", [False, True])
def test_polygon_offset_moves_depth(units: bool) -> None:
    for format, unit in ((Format.Z24X8_UNORM, 2.0**-24), (Format.Z16_UNORM, 2.0**-16), (Format.Z32_FLOAT, 2.0**-24)):
        slope = 0.0 if units else 0.5
        corners = quad(0.5)
        corners[:, 2] += corners[:, 0] * slope
        changes = {"offset_units": 64.0} if units else {"offset_scale": 2.0}
        results = []
        for on in (False, True):
            with Canvas(SIZE, SIZE, depth=format) as c:
                c.wipe()
                r = RasterizerState(offset_tri=on, **changes)  # type: ignore[arg-type]
                state = DepthStencilAlphaState(DepthState(True, True, CompareFunc.ALWAYS))
                c.draw_arrays(VS_POSITION, FS_WHITE, [corners], Prim.TRIANGLE_STRIP, depth_stencil_alpha=state, rasterizer=r)
                results.append(unpack_depth(format, c.depth_bytes().reshape(-1)).astype("f8"))
        wanted = 64 * unit if units else 2 * slope / SIZE
        assert np.allclose(results[1] - results[0], wanted, atol=2.1 * unit)


@pytest.mark.parametrize("lanes", [8, 16, 32])
def test_runs_that_leave_the_depth_range_are_clamped_pixel_by_pixel(lanes: int) -> None:
    width, height, steps = 256, 128, 64  # depths of -1.5 to 2.5 in steps of 1/64: tiles before, at, between and after the ends of the range
    corners = np.array([[x, y, 2 * (0.5 + 2 * x) - 1, 1] for y in (-1, 1) for x in (-1, 1)], "f4")
    state = DepthStencilAlphaState(depth=DepthState(True, True, CompareFunc.ALWAYS))
    with Canvas(width, height, depth=Format.Z32_FLOAT, lanes=lanes) as canvas:
        canvas.wipe()
        canvas.draw_arrays(
            VS_POSITION, FS_WHITE, [corners], Prim.TRIANGLE_STRIP, depth_stencil_alpha=state, rasterizer=RasterizerState(depth_clip=False)
        )
        found = canvas.depth_bytes().view(np.float32)[..., 0]
    want = np.clip(-1.5 + (np.arange(width, dtype=np.float32) + np.float32(0.5)) / steps, 0, 1)
    assert np.array_equal(found, np.broadcast_to(want, found.shape))


def test_without_depth_clip_depth_is_clamped() -> None:
    z = quad(0.5)
    z[:, 2] = [-3, 3, -3, 3]
    state = DepthStencilAlphaState(DepthState(True, True, CompareFunc.ALWAYS))
    images = []
    for clip in (True, False):
        with Canvas(SIZE, SIZE, depth=Format.Z32_FLOAT) as c:
            c.wipe(depth=0.7)
            c.draw_arrays(
                VS_POSITION, FS_WHITE, [z], Prim.TRIANGLE_STRIP, depth_stencil_alpha=state, rasterizer=RasterizerState(depth_clip=clip)
            )
            images.append((c.image()[0, :, 0] > 0, c.depth_bytes().view("f4")[0, :, 0]))
    assert 0 < images[0][0].sum() < SIZE
    assert images[1][0].all()
    assert images[1][1][0] == 0
    assert images[1][1][-1] == 1


@pytest.mark.parametrize("halfz", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_near_and_far_clip_apart_and_depth_is_clamped_where_one_does_not(halfz: bool, wide: bool) -> None:
    columns = (np.arange(SIZE) + 0.5) / SIZE
    z = quad(0.5) * (3.0 if wide else 1.0)  # the wide one reaches beyond the frustum's sides
    z[:, 2], z[:, 3] = 3 * z[:, 0], 1
    shown = 6 * columns - 3
    state = DepthStencilAlphaState(DepthState(True, True, CompareFunc.ALWAYS))
    for near, far in ((True, True), (True, False), (False, True), (False, False)):
        rules = RasterizerState(depth_clip_near=near, depth_clip_far=far, clip_halfz=halfz)
        with Canvas(SIZE, SIZE, depth=Format.Z32_FLOAT) as c:
            c.wipe(depth=0.7)
            c.draw_arrays(VS_POSITION, FS_WHITE, [z], Prim.TRIANGLE_STRIP, depth_stencil_alpha=state, rasterizer=rules)
            covered, depths = c.image()[0, :, 0] > 0, c.depth_bytes().view("f4")[0, :, 0]
        inside = ~((shown < (0 if halfz else -1)) & near) & ~((shown > 1) & far)
        window = np.clip(shown / 2 + 0.5, 0.5 if halfz else 0, 1)  # of a viewport with scale and translation 0.5
        assert (covered == inside).all(), (near, far)
        np.testing.assert_allclose(depths, np.where(inside, window, 0.7), atol=1e-5)


@pytest.mark.parametrize("lanes", [8, 16, 32])
def test_counting_samples(lanes: int) -> None:
    rng = np.random.default_rng(3)
    position = rng.uniform(-1.2, 1.2, (300, 4)).astype("f4")
    position[:, 3] = 1
    position[:150, :2] = position[:150, :2] * 0.05 + rng.uniform(-1, 1, (50, 1, 2)).repeat(3, 1).reshape(150, 2)
    with Canvas(100, 75, lanes=lanes, threads=1) as c:
        c.wipe()
        c.draw_arrays(VS_POSITION, FS_ONE, [position], blend=ADD, count_samples=True)
        total = int(c.image()[..., 0].sum())
        c.flush()
        assert c.intervals.passed(0, 1) == total > 1000


def test_keys_of_tests_that_do_nothing_are_none() -> None:
    always = DepthStencilAlphaState(DepthState(True, False, CompareFunc.ALWAYS))
    assert DepthKey.of(always, Format.Z16_UNORM) is None
    assert DepthKey.of(DepthStencilAlphaState(), Format.Z24_UNORM_S8_UINT) is None
    assert DepthKey.of(always, None) is None


def test_culling_and_facing() -> None:
    triangles = np.array([[-1, -1, 0, 1], [0, -1, 0, 1], [-1, 1, 0, 1], [1, -1, 0, 1], [0, -1, 0, 1], [1, 1, 0, 1]], "f4")
    for ccw in (False, True):
        for cull in Face:
            with Canvas(SIZE, SIZE) as c:
                c.wipe()
                c.draw_arrays(
                    VS_POSITION, FS_CONSTANT, [triangles], rasterizer=RasterizerState(front_ccw=ccw, cull_face=cull), constants=[1, 1, 1, 1]
                )
                image = c.image()[..., 0] > 0
            clockwise, counter = bool(image[1, 1]), bool(image[1, -2])
            front, back = (counter, clockwise) if ccw else (clockwise, counter)
            assert front == (not cull & Face.FRONT)
            assert back == (not cull & Face.BACK)
