"""Colors as bytes: the clamps of packing instructions replace those of floats, with the same bytes for every f32."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.formats import FORMATS
from backends.formats.arrays import pack as pack_array
from backends.llvm.builder.function import F32, Function, Val
from backends.llvm.library.packing import pack
from tests.unit.llvm.support import map_blocks, runnable_levels

FORMAT = FORMATS["R8G8B8A8_UNORM"]
LANES = [8, 16, 32]


def floats() -> NDArray[np.float32]:
    """Every sign and exponent with mantissas of all kinds, the neighbors of all ties of bytes, and those of the limits of integers."""
    high = np.arange(1 << 16, dtype=np.uint32) << 16
    words = [high, high | 1, high | 0xFFFF]
    edges = np.concatenate([(np.arange(-3, 259) + 0.5) / 255, np.array([2.0**15, 2.0**16, 2.0**31, 2.0**32]) / 255]).astype(np.float32)
    near = edges.view(np.uint32)[:, None] + np.arange(-40, 41, dtype=np.int64)
    words += [near.ravel().astype(np.uint32), near.ravel().astype(np.uint32) ^ 0x80000000]
    found = np.concatenate(words)
    return np.resize(found, -(-found.size // 128) * 128).view(np.float32)


def bytes_of(x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Packed words of colors (x, y, 0.5, y), by numpy."""
    color = np.stack([x, y, np.full_like(x, 0.5), y], axis=1)
    return pack_array(FORMAT, color).reshape(-1, 4).view(np.uint32).ravel()


def packed(x: NDArray[np.float32], y: NDArray[np.float32], lanes: int, cpu: str, is_usual: bool) -> NDArray[np.uint32]:
    """Packed words of colors (x, y, 0.5, y), by a kernel. is_usual: it takes x and y for numbers that are hardly ever denormal."""

    def body(f: Function, x: Val, y: Val) -> Val:
        x.is_usual = y.is_usual = is_usual
        return pack(f, FORMAT, [x, y, f.const(F32.wide(lanes), 0.5), y])[0]

    return map_blocks(body, lanes, cpu, x, y)


@pytest.mark.parametrize("is_usual", [False, True])
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("cpu", runnable_levels())
def test_every_float_has_the_byte_of_its_clamped_value(cpu: str, lanes: int, is_usual: bool) -> None:
    x = floats()
    y = x[::-1].copy()
    assert np.array_equal(packed(x, y, lanes, cpu, is_usual), bytes_of(x, y))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("cpu", runnable_levels())
def test_one_odd_lane_changes_no_other_lane(cpu: str, lanes: int) -> None:
    odd = np.array([np.nan, np.inf, -np.inf, 2.0**31, -(2.0**31), 129.0, -129.0, 1e-40], np.float32)
    x = np.tile(np.linspace(0, 1, lanes, dtype=np.float32), lanes * odd.size)
    for k in range(lanes * odd.size):
        x[k * lanes + k % lanes] = odd[k // lanes]
    y = np.full_like(x, 0.25)
    assert np.array_equal(packed(x, y, lanes, cpu, True), bytes_of(x, y))


@pytest.mark.parametrize("cpu", runnable_levels())
def test_constant_channels_have_the_byte_of_their_value(cpu: str) -> None:
    zero = np.zeros(16, np.float32)
    for value in [0.0, 1.0, 0.1, 0.7, 254.5 / 255, 0.5 / 255, 1.5, -2.0, 3e38, float("inf"), float("-inf"), float("nan"), 130815 / 131072]:
        found = map_blocks(lambda f, x: pack(f, FORMAT, [f.const(x.type, value), x, x, x])[0], 16, cpu, zero)  # noqa: B023
        assert np.array_equal(found, bytes_of(np.full_like(zero, value), zero) & 0xFF)
