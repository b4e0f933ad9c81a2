"""Accuracy against float64, exact special values, equal bits on every target and width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.llvm.builder.function import F32, I32
from backends.llvm.library import math, powers
from backends.llvm.library.mathlib import lanes_of
from tests.unit.llvm.support import map_blocks, runnable_levels

Words = NDArray[np.uint32]

SPECIAL = np.array(
    [
        s | v
        for v in (0, 1, 0x7FFFFF, 0x800000, 0x33800000, 0x38800000, 0x3EFFFFFF, 0x3F000000, 0x3F3504F3, 0x3F7FFFFF, 0x3F800000, 0x3F800001)
        + (
            0x40000000,
            0x40490FDB,
            0x43000000,
            0x43160000,
            0x46FFFFFF,
            0x47000000,
            0x477FF000,
            0x4B800000,
            0x7F7FFFFF,
            0x7F800000,
            0x7FC00000,
        )
        + (0x7F800001,)
        for s in (0, 0x80000000)
    ],
    np.uint32,
)


def _samples(seed: int, count: int = 8192) -> Words:
    random = np.random.default_rng(seed)
    parts = [
        SPECIAL,
        random.integers(0, 1 << 32, count // 2, dtype=np.uint32),
        (random.standard_normal(count // 4) * 50).astype(np.float32).view(np.uint32),
        np.exp2(random.uniform(-8, 24, count - count // 2 - count // 4 - SPECIAL.size)).astype(np.float32).view(np.uint32),
    ]
    return np.concatenate(parts)


def _units(got: Words, exact: NDArray[np.float64]) -> float:
    """Largest distance in units in the last place over finite results. All other results must agree in kind."""
    values = got.view(np.float32)
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
    assert np.array_equal(np.isnan(values), np.isnan(rounded))
    infinite = np.isinf(values) | np.isinf(rounded)
    edge = np.abs(exact) > 3.4028233e38  # within one unit of the largest float
    assert np.array_equal(values[infinite & ~edge], rounded[infinite & ~edge])
    kept = np.isfinite(values) & np.isfinite(rounded)
    with np.errstate(all="ignore"):
        unit = np.exp2(np.maximum(np.floor(np.log2(np.abs(exact[kept]))), -126) - 23)
    unit = np.where(np.isfinite(unit) & (unit > 0), unit, 2.0**-149)
    return float(np.max(np.abs(values[kept].astype(np.float64) - exact[kept]) / unit))


UNARY: list[tuple[str, Callable[[Any], Any], float]] = [
    ("ex2", np.exp2, 1.26),
    ("lg2", np.log2, 1.45),
    ("rcp", lambda x: 1 / x, 0.501),
    ("rsq", lambda x: 1 / np.sqrt(x), 1.5),
]


@pytest.mark.parametrize(("name", "exact", "bound"), UNARY)
def test_functions_stay_within_their_bound(name: str, exact: Callable[[Any], Any], bound: float) -> None:
    words = _samples(1)
    got = map_blocks(getattr(powers if name == "pow" else math, name), 16, "host", words)
    with np.errstate(all="ignore"):
        assert _units(got, exact(words.view(np.float32).astype(np.float64))) <= bound


@pytest.mark.parametrize(("name", "exact"), [("sin", np.sin), ("cos", np.cos)])
def test_sine_and_cosine_are_absolutely_exact_to_23_bits(name: str, exact: Callable[[Any], Any]) -> None:
    words = _samples(2)
    with np.errstate(invalid="ignore"):
        x = words.view(np.float32).astype(np.float64)
    got = map_blocks(getattr(powers if name == "pow" else math, name), 16, "host", words).view(np.float32).astype(np.float64)
    finite = np.isfinite(x)
    assert np.abs(got[finite] - exact(x[finite])).max() <= 2.0**-23
    assert np.isnan(got[~finite]).all()
    assert np.abs(got[finite]).max() <= 1.0


def test_sine_is_odd_in_every_bit_also_where_large_arguments_begin() -> None:
    edge = int(np.float32(np.pi * (1 << 15)).view(np.uint32))
    words = np.concatenate([_samples(5), np.arange(edge - 2048, edge + 2048, dtype=np.uint32)]) & 0x7FFFFFFF
    words = words[words < 0x7F800000]
    words = words[: words.size // 16 * 16]
    positive, negative = (map_blocks(math.sin, 16, "host", w) for w in (words, words | 0x80000000))
    assert np.array_equal(positive ^ 0x80000000, negative)
    exact = np.sin(words.view(np.float32).astype(np.float64))
    assert np.abs(positive.view(np.float32) - exact).max() <= 2.0**-23


def test_a_large_angle_leaves_the_other_lanes_as_they_are() -> None:
    random = np.random.default_rng(8)
    x = random.uniform(-1e5, 1e5, 4096).astype(np.float32)
    x[::16] = 1.0
    far = x.copy()
    far[::16] = 1e9
    for function in (math.sin, math.cos):
        near, mixed = (map_blocks(function, 16, "host", v.view(np.uint32)).reshape(-1, 16)[:, 1:] for v in (x, far))
        assert np.array_equal(near, mixed)


def test_power_stays_within_its_bound() -> None:
    random = np.random.default_rng(3)
    x = np.exp2(random.uniform(-20, 20, 8192)).astype(np.float32)
    y = (random.uniform(-150, 127, 8192) / np.log2(x.astype(np.float64))).astype(np.float32)
    got = map_blocks(powers.pow, 16, "host", x.view(np.uint32), y.view(np.uint32))
    with np.errstate(all="ignore"):
        assert _units(got, np.power(x.astype(np.float64), y.astype(np.float64))) <= 1.38


def _bases_of_whole_powers(exponents: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Bases of both signs whose powers spread over all floats and beyond, with every special number and denormal ones."""
    random = np.random.default_rng(11)
    with np.errstate(over="ignore"):
        x = np.exp2(random.uniform(-160, 135, exponents.size) / exponents.astype(np.float64)).astype(np.float32)
    x *= random.choice(np.array([-1, 1], np.float32), exponents.size)
    words = x.view(np.uint32).copy()
    words[::97] = _samples(6, words.size)[::97]
    return words


def test_whole_powers_are_rounded_nearly_right() -> None:
    y = np.repeat(np.arange(1, 256, dtype=np.float32), 128)
    x = _bases_of_whole_powers(y)
    got = map_blocks(powers.pow, 16, "host", x, y.view(np.uint32))
    with np.errstate(all="ignore"):
        assert _units(got, np.power(x.view(np.float32).astype(np.float64), y.astype(np.float64))) <= 0.5001


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 31, 50, 64, 100, 127, 128, 200, 255])
def test_a_known_exponent_gives_the_bits_of_one_that_is_not(n: int) -> None:
    y = np.full(4096, n, np.float32)
    x = _bases_of_whole_powers(y)
    others = y.copy()
    others[1::3] = 2.5  # lanes with other exponents, whole or not, beside
    others[2::3] = 300 - n
    known = map_blocks(lambda f, v: powers.pow(f, v, f.const(v.type, n)), 16, "host", x)
    beside = map_blocks(powers.pow, 16, "host", x, others.view(np.uint32))
    assert np.array_equal(map_blocks(powers.pow, 16, "host", x, y.view(np.uint32)), known)
    assert np.array_equal(beside[::3], known[::3])


@pytest.mark.parametrize("n", [0.125, 0.45454547, 1.5, 2.2, 2.5, 24.5, 300.5, 300.0, -0.5])
def test_an_exponent_of_all_lanes_gives_the_bits_of_one_beside_others(n: float) -> None:
    y = np.full(8192, n, np.float32)
    x = _bases_of_whole_powers(y)
    others = y.copy()
    others[1::2] = 2.25
    alone, beside = (map_blocks(powers.pow, 16, "host", x, exponents.view(np.uint32)) for exponents in (y, others))
    assert np.array_equal(alone[::2], beside[::2])


@pytest.mark.filterwarnings("ignore")
def test_power_has_the_special_cases_of_c() -> None:
    import math as c_math

    def power(x: float, y: float) -> float:
        try:
            return c_math.pow(x, y)
        except OverflowError:
            return c_math.inf if x > 0 or y != c_math.floor(y) or y % 2 == 0 else -c_math.inf
        except ValueError:
            return c_math.nan if x != 0 else (-c_math.inf if c_math.copysign(1, x) < 0 and y % 2 == 1 else c_math.inf)

    special = np.array([0, 1, 2, 3, 0.5, 1.5, 2.5, np.inf, np.nan, 1e-40, 16777216.0, 8388609.0], np.float32)
    special = np.concatenate([special, -special])
    x, y = np.repeat(special, special.size), np.tile(special, special.size)
    got = map_blocks(powers.pow, 16, "host", x.view(np.uint32), y.view(np.uint32)).view(np.float32)
    want = np.array([power(float(a), float(b)) for a, b in zip(x, y)]).astype(np.float32)
    assert np.array_equal(np.isnan(got), np.isnan(want))
    exact = np.isinf(want) | (want == 0) | (np.abs(want) == 1)
    assert np.array_equal(got[exact].view(np.uint32), want[exact].view(np.uint32))


def test_a_block_of_zero_bases_gives_what_single_lanes_give() -> None:
    y = np.repeat(_samples(8, 512), 16)
    for base in (0, 0x80000000):
        x = np.full(y.size, base, np.uint32)
        mixed = x.copy()
        mixed[::16] = 0x40000000
        block, lanes = (map_blocks(powers.pow, 16, "host", v, y).reshape(-1, 16)[:, 1:] for v in (x, mixed))
        assert np.array_equal(block, lanes)


def test_exact_values() -> None:
    integers = np.arange(-149, 128, dtype=np.float32)
    assert np.array_equal(map_blocks(math.ex2, 1, "host", integers.view(np.uint32)).view(np.float32), np.exp2(integers.astype(np.float64)))
    powers = np.exp2(integers.astype(np.float64)).astype(np.float32)
    assert np.array_equal(map_blocks(math.lg2, 1, "host", powers.view(np.uint32)).view(np.float32), integers)
    zero = np.array([0, 0x80000000] * 8, np.uint32)
    assert np.array_equal(map_blocks(math.sin, 16, "host", zero), zero)
    assert (map_blocks(math.cos, 16, "host", zero) == 0x3F800000).all()
    assert (map_blocks(math.lg2, 16, "host", zero) == 0xFF800000).all()
    assert map_blocks(math.rcp, 16, "host", zero).tolist() == [0x7F800000, 0xFF800000] * 8


def test_halves_are_those_of_numpy() -> None:
    halves = np.arange(1 << 16, dtype=np.uint32)
    got = map_blocks(math.half_to_float, 64, "host", halves, type=I32)
    want = halves.astype(np.uint16).view(np.float16).astype(np.float32).view(np.uint32)
    quiet = np.where((halves & 0x7C00 == 0x7C00) & (halves & 0x3FF != 0), want | 0x400000, want)
    assert np.array_equal(got, quiet)
    words = _samples(4)
    kept = words[~np.isnan(words.view(np.float32))]
    kept = kept[: kept.size // 16 * 16]
    with np.errstate(over="ignore"):
        exact = kept.view(np.float32).astype(np.float16).view(np.uint16)
    assert np.array_equal(map_blocks(math.float_to_half, 16, "host", kept), exact)


def _exponents(bases: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """As many exponents of any bits; a third of them whole, up to 300."""
    words = np.roll(bases, 7)
    words[::3] = np.random.default_rng(12).integers(1, 300, words[::3].size).astype(np.float32).view(np.uint32)
    return words


def test_logarithms_of_numbers_up_to_1_are_not_above_0() -> None:
    """Sampling relies on it: what magnifies needs no logarithm."""
    numbers = np.arange(0x3F000001, 0x3F800001, dtype=np.uint32)  # from 1/2 on; the exponent is added exactly
    assert (map_blocks(math.lg2, 16, "host", numbers).view(np.float32) <= 0).all()


@pytest.mark.parametrize("name", ["ex2", "lg2", "sin", "cos", "rcp", "rsq", "pow", "float_to_half", "half_to_float"])
def test_bits_depend_on_neither_target_nor_width(name: str) -> None:
    words = _samples(5, 1024)
    arguments = [words, _exponents(words)] if name == "pow" else [words & 0xFFFF] if name == "half_to_float" else [words]
    kind = I32 if name == "half_to_float" else F32
    body = getattr(powers if name == "pow" else math, name)
    reference = map_blocks(body, 16, "host", *arguments, type=kind)
    for cpu, lanes in [("host", 1), ("host", 4), ("host", 64), *((level, 8) for level in runnable_levels())]:
        assert np.array_equal(map_blocks(body, lanes, cpu, *arguments, type=kind), reference), (cpu, lanes)


def test_symbols_of_the_library_name_their_width() -> None:
    assert lanes_of(powers.pow_symbol(32)) == 32
    with pytest.raises(ValueError, match="mathematics"):
        lanes_of("tgsi_math_pow")
