"""IR builder: operators, conversions, memory access, control flow."""

from __future__ import annotations

import numpy as np
import pytest

from backends.llvm.builder.function import BOOL, F32, I32, I64, PTR, Function, Module, Type, Val
from backends.llvm.engine.engine import compile_module
from tests.unit.llvm.support import entry, evaluate, runnable_levels

X = np.array([0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, 8388607.5, -8388607.5, 1e30, -1e30, np.inf, -np.inf, 3.7, -3.7, 1e-40], np.float32)
N = np.arange(-8, 8, dtype=np.int32)


def test_operators_take_numbers_and_splat_scalars() -> None:
    assert np.array_equal(evaluate(lambda f, x: (x * 2 + 1) - f.const(F32, 0.5), X), X * 2 + np.float32(1) - np.float32(0.5))
    assert np.array_equal(evaluate(lambda f, x: 1.0 / (2.0 - x), X[:8]), np.float32(1) / (np.float32(2) - X[:8]))


def test_integer_operators_wrap_and_shift() -> None:
    words = N.view(np.uint32)
    assert np.array_equal(
        evaluate(lambda f, x: x * 0x10000001 ^ 0xFF, N, type=I32, out=np.uint32), words * np.uint32(0x10000001) ^ np.uint32(0xFF)
    )
    assert np.array_equal(evaluate(lambda f, x: x >> 1, N, type=I32, out=np.int32), N >> 1)
    assert np.array_equal(evaluate(lambda f, x: x.lshr(1), N, type=I32, out=np.uint32), words >> np.uint32(1))


def test_different_types_do_not_mix() -> None:
    f = Function(Module("m"), "k", [F32, I32, F32.wide(4), F32.wide(8)])
    with pytest.raises(TypeError, match="meets"):
        f.args[0] + f.args[1]
    with pytest.raises(TypeError, match="splatted"):
        f.args[2] + f.args[3]
    with pytest.raises(TypeError, match="no such operation"):
        f.args[0] & f.args[2]


def test_a_value_has_no_truth_while_building() -> None:
    f = Function(Module("m"), "k", [F32])
    with pytest.raises(TypeError, match="truth"):
        bool(f.args[0] > 0)


@pytest.mark.parametrize("cpu", runnable_levels())
def test_rounding_is_exact_on_every_level(cpu: str) -> None:
    for ours, theirs in (("floor", np.floor), ("ceil", np.ceil), ("truncate", np.trunc), ("round", np.rint)):
        got = evaluate(lambda f, x, name=ours: getattr(f, name)(x), X, cpu=cpu, out=np.uint32)
        assert np.array_equal(got, theirs(X).view(np.uint32)), ours


def test_to_int_is_zero_out_of_range() -> None:
    got = evaluate(lambda f, x: f.to_int(x), np.array([2.9, -2.9, 2147483648.0, np.nan], np.float32), out=np.int32)
    assert got.tolist() == [2, -2, 0, 0]


def test_min_and_max_give_the_second_for_nan() -> None:
    nan = np.full(4, np.nan, np.float32)
    one = np.ones(4, np.float32)
    assert np.array_equal(evaluate(lambda f, a, b: f.min(a, b), nan, one), one)
    assert np.isnan(evaluate(lambda f, a, b: f.max(a, b), one, nan)).all()


def test_words_keep_every_bit() -> None:
    for word in (0x7F800001, 0x80000000, 0xFFC12345, 1):
        assert evaluate(lambda f, x, w=word: f.word(w, 4) if True else x, X[:4], out=np.uint32).tolist() == [word] * 4


def test_a_scalar_condition_picks_a_whole_vector() -> None:
    got = evaluate(lambda f, x: f.select(x[0].eq(0.0), x, x + 1), X[:4])
    assert np.array_equal(got, X[:4])


def test_transpose_is_its_own_inverse() -> None:
    def body(f: Function, x: Val) -> Val:
        rows = [x * float(i + 1) for i in range(4)]
        return f.transpose4(f.transpose4(rows))[2]

    assert np.array_equal(evaluate(body, N.astype(np.float32)), N.astype(np.float32) * 3)


def test_vec4s_are_loaded_and_stored_by_pointer() -> None:
    module = Module("m")
    f = Function(module, "k", [PTR, PTR])
    channels = f.load_vec4s([f.at(f.args[0], 16 * (7 - k)) for k in range(8)])
    f.store_vec4s(channels, [f.at(f.args[1], 16 * k) for k in range(8)], 0)
    f.ret()
    data, out = np.arange(32, dtype=np.float32).reshape(8, 4), np.zeros((8, 4), np.float32)
    entry(compile_module(module), "k", 2)(data, out)
    assert np.array_equal(out, data[::-1])


def test_gather_and_scatter_touch_only_their_mask() -> None:
    module = Module("m")
    f = Function(module, "k", [PTR, PTR])
    index = f.lanes_const(I32.wide(4), [12, 0, 1 << 30, 4])
    mask = f.lanes_const(BOOL.wide(4), [1, 1, 0, 1])
    f.scatter(f.gather(I32, f.args[0], index, mask) + 100, f.args[1], index, mask)
    f.ret()
    data, out = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    entry(compile_module(module), "k", 2)(data, out)
    assert out.tolist() == [100, 101, 0, 103]


@pytest.mark.parametrize("cpu", runnable_levels())
@pytest.mark.parametrize("lanes", [4, 8, 16, 32, 64])
@pytest.mark.parametrize("index", [I32, I64])
def test_gathers_and_scatters_of_every_width_are_the_same(cpu: str, lanes: int, index: Type) -> None:
    random = np.random.default_rng(lanes)
    places, mask = random.permutation(lanes) * 4, random.integers(0, 2, lanes)
    module = Module("m", cpu)
    f = Function(module, "k", [PTR, PTR])
    offsets = f.lanes_const(index.wide(lanes), places.tolist())
    chosen = f.lanes_const(BOOL.wide(lanes), mask.tolist())
    for number, lane_mask in enumerate((chosen, None)):
        f.store(f.gather(I32, f.args[0], offsets, lane_mask), f.args[1], 4 * lanes * number)
    f.scatter(f.lanes_const(F32.wide(lanes), list(range(lanes))), f.args[1], offsets + 8 * lanes, chosen)
    crowded = f.lanes_const(index.wide(lanes), (np.arange(lanes) % 3 * 4).tolist())
    f.scatter(f.lanes_const(I32.wide(lanes), list(range(lanes))), f.args[1], crowded + 12 * lanes, chosen)
    f.ret()
    data, out = random.integers(1, 99, lanes, np.int32), np.zeros((4, lanes), np.int32)
    entry(compile_module(module, cpu=cpu), "k", 2)(data, out)
    expected = np.zeros((4, lanes), np.int32)
    expected[0], expected[1] = np.where(mask, data[places // 4], 0), data[places // 4]
    for lane in np.flatnonzero(mask):
        expected[2].view(np.float32)[places[lane] // 4], expected[3, lane % 3] = lane, lane
    assert out.tolist() == expected.tolist()


def test_generated_control_flow() -> None:
    module = Module("m")
    f = Function(module, "k", [PTR])
    total = f.var(I32, 0)
    with f.range(0, 10) as i:
        with f.else_of((i & 1).eq(0)) as otherwise:
            total.add(i)
            otherwise()
            total.add(1)
        with f.if_(i.eq(9), unlikely=True):
            total.add(1000)
    with f.loop() as loop:
        loop.break_if(total.get() > 2000)
        total.add(total.get())
        loop.continue_if(total.get() < 2000)
    f.store(total.get(), f.args[0])
    f.ret()
    out = np.zeros(1, np.int32)
    entry(compile_module(module), "k", 1)(out)
    assert out[0] == 2050


def test_masks_become_bits() -> None:
    got = evaluate(lambda f, x: f.splat(f.mask_bits(x < 0), 16), N, type=I32, out=np.uint32)
    assert got[0] == 0x00FF
    assert evaluate(lambda f, x: f.splat(f.any(x < -7).zext(I32), 16), N, type=I32, out=np.uint32)[0] == 1
    assert evaluate(lambda f, x: f.splat(f.all(x < 7).zext(I32), 16), N, type=I32, out=np.uint32)[0] == 0
