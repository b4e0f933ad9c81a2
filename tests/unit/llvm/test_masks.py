"""Lane masks: operations, selections and counts give the same on every level, whether a mask is bits or words there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from backends.llvm.builder.compress import store_compressed
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.masks import MaskVar
from backends.llvm.engine.engine import compile_module
from tests.unit.llvm.support import entry, map_blocks, runnable_levels

X = np.random.default_rng(7).integers(0, 1 << 16, 256).astype(np.int32)
LOW, ODD = X < 30000, (X & 1) != 0
MASKS: dict[str, tuple[Callable[[Function, Val, Val], Val], np.ndarray]] = {
    "and": (lambda f, a, b: a & b, LOW & ODD),
    "or": (lambda f, a, b: a | b, LOW | ODD),
    "xor": (lambda f, a, b: a ^ b, LOW ^ ODD),
    "not": (lambda f, a, b: ~a, ~LOW),
    "equal": (lambda f, a, b: a.eq(b), LOW == ODD),
    "select": (lambda f, a, b: f.select(a, b, ~b), np.where(LOW, ODD, ~ODD)),
}


@pytest.mark.parametrize("cpu", runnable_levels())
@pytest.mark.parametrize("lanes", [4, 8, 16, 32])
@pytest.mark.parametrize("name", MASKS)
def test_masks_combine(name: str, lanes: int, cpu: str) -> None:
    combine, expected = MASKS[name]
    got = map_blocks(lambda f, x: combine(f, x < 30000, (x & 1).ne(0)).sext(I32), lanes, cpu, X, type=I32).view(np.int32)
    assert np.array_equal(got != 0, expected)


@pytest.mark.parametrize("cpu", runnable_levels())
def test_masks_are_shuffled(cpu: str) -> None:
    backward = list(range(7, -1, -1))
    got = map_blocks(lambda f, x: f.shuffle(x < 30000, x < 30000, backward).sext(I32), 8, cpu, X, type=I32).view(np.int32)
    assert np.array_equal(got.reshape(-1, 8) != 0, LOW.reshape(-1, 8)[:, ::-1])


@pytest.mark.parametrize("cpu", runnable_levels())
@pytest.mark.parametrize("lanes", [8, 16, 32])
def test_a_mask_that_crosses_blocks_selects_as_before(lanes: int, cpu: str) -> None:
    def body(f: Function, x: Val) -> Val:
        mask = MaskVar(f, lanes)
        mask.set(x < 30000)
        count = f.var(I32, 0)
        with f.range(0, 3):
            mask.remove((x & 1).ne(0))
            count.add(1)
        with f.if_(f.any(mask.get())):
            count.add(10)
        with f.if_(f.all(mask.get())):
            count.add(100)
        return f.select(mask.get(), x, -1) + f.splat(count.get(), lanes)

    kept = (LOW & ~ODD).reshape(-1, lanes)
    count = 3 + 10 * kept.any(1) + 100 * kept.all(1)
    got = map_blocks(body, lanes, cpu, X, type=I32).view(np.int32)
    assert np.array_equal(got.reshape(-1, lanes), np.where(kept, X.reshape(-1, lanes), -1) + count[:, None])


@pytest.mark.parametrize("cpu", runnable_levels())
@pytest.mark.parametrize("lanes", [8, 16])
def test_any_and_all_see_every_lane(lanes: int, cpu: str) -> None:
    single = np.zeros((lanes + 1, lanes), np.int32)
    single[np.arange(lanes), np.arange(lanes)] = 1

    def body(f: Function, x: Val) -> Val:
        some, every = f.any(x.ne(0)), f.all(x.eq(0))
        return f.splat(some.zext(I32) + every.zext(I32) * 2, lanes)

    got = map_blocks(body, lanes, cpu, single.ravel(), type=I32).view(np.int32).reshape(-1, lanes)
    assert np.array_equal(got, np.repeat([1] * lanes + [2], lanes).reshape(-1, lanes))


@pytest.mark.parametrize("cpu", runnable_levels())
def test_living_lanes_are_stored_side_by_side(cpu: str) -> None:
    lanes = 16
    module = Module("compress", cpu)
    f = Function(module, "kernel", [PTR, PTR, PTR])
    words, bits, target = f.args
    with f.range(0, 1024) as i:
        alive = f.load(I32.wide(lanes), bits, i.zext(I64) * (4 * lanes)).ne(0)
        store_compressed(f, f.load(I32.wide(lanes), words, i.zext(I64) * (4 * lanes)), alive, f.at(target, i.zext(I64) * (8 * lanes)))
    f.ret()
    random = np.random.default_rng(3)
    source = random.integers(0, 1 << 31, (1024, lanes)).astype(np.int32)
    chosen = random.integers(0, 2, (1024, lanes)).astype(np.int32)
    chosen[:2] = [[0] * lanes, [1] * lanes]
    result = np.zeros((1024, 2 * lanes), np.int32)
    entry(compile_module(module), "kernel", 3)(source, chosen, result)
    for row, words_, mask in zip(result, source, chosen != 0):
        assert np.array_equal(row[: mask.sum()], words_[mask])
