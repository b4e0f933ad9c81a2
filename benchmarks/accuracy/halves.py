"""Accuracy of conversions to and from half: PK2H, UP2H, and images of half texels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import tgsi
from backends.run.textures import TextureData
from tgsi.gallium import Format

COUNT = 1 << 20
WIDTH = 1024
STORE = """VERT
DCL IN[0..1]
DCL OUT[0], GENERIC[0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R16G16B16A16_FLOAT, WR
MOV OUT[0], IN[0]
STORE IMAGE[0], IN[1], IN[0], 2D
END
"""
LOAD = """VERT
DCL IN[0..1]
DCL OUT[0], GENERIC[0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R16G16B16A16_FLOAT
DCL TEMP[0]
LOAD TEMP[0], IMAGE[0], IN[1], 2D
MOV OUT[0], TEMP[0]
END
"""
PACK = "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nPK2H OUT[0].x, IN[0].xyyy\nPK2H OUT[0].y, IN[0].zwww\nEND\n"
UNPACK = "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nUP2H OUT[0].xy, IN[0].xxxx\nEND\n"

Words = NDArray[np.uint32]


@dataclass(frozen=True)
class HalfLine:
    """Measurement of one conversion in one engine: number of inputs, number of results that break the promise, and the promise."""

    name: str
    engine: str
    count: int
    wrong: int
    promise: str

    def __str__(self) -> str:
        return f"{self.name:22} {self.engine:7} {self.count:>9,} inputs: {self.wrong or 'none'} differ from {self.promise}"


def float_inputs(count: int = COUNT) -> Words:
    """Float words: any bits, values in and around the range of halves, and every half with its neighbors, including ties."""
    random = np.random.default_rng(7)
    any_bits = random.integers(0, 1 << 32, count // 2, dtype=np.uint32)
    exponents = random.integers(127 - 26, 127 + 18, count // 2, dtype=np.uint32) << np.uint32(23)
    ranged = (
        exponents
        | random.integers(0, 1 << 23, count // 2, dtype=np.uint32)
        | random.integers(0, 2, count // 2, dtype=np.uint32) << np.uint32(31)
    )
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32).view(np.uint32)
    ties = np.nextafter(halves.view(np.float32), np.float32(0)).view(np.uint32)
    middle = ((halves[:-1].view(np.float32) + halves[1:].view(np.float32)) / 2).view(np.uint32)
    words = np.concatenate([any_bits, ranged, halves, ties, middle, middle - np.uint32(1), middle + np.uint32(1)])
    return words[: len(words) // 4 * 4]


def nearest_half(words: Words) -> NDArray[np.uint16]:
    """IEEE 754 conversion by numpy: to nearest, ties to even, infinity from 65520 on."""
    with np.errstate(over="ignore", invalid="ignore"):
        return words.view(np.float32).astype(np.float16).view(np.uint16)


def _differ(got: NDArray[np.uint16], expected: NDArray[np.uint16]) -> int:
    both_nan = np.isnan(got.view(np.float16)) & np.isnan(expected.view(np.float16))
    return int(((got != expected) & ~both_nan).sum())


def _places(count: int) -> Words:
    texel = np.arange(count, dtype=np.uint32)
    return np.stack([texel % WIDTH, texel // WIDTH, 0 * texel, 0 * texel], axis=1)


def _store(engine: str, words: Words) -> HalfLine:
    texels = words.reshape(-1, 4)
    image = TextureData(Format.R16G16B16A16_FLOAT, (np.zeros((1, -(-len(texels) // WIDTH), WIDTH, 8), np.uint8),))
    given = np.stack([texels, _places(len(texels))], axis=1)
    made = tgsi.run(tgsi.parse(STORE), given, images={0: image}, engine=engine).images[0]
    got = np.ascontiguousarray(made).view(np.uint16).reshape(-1)[: len(words)]
    return HalfLine("STORE to half texels", engine, len(words), _differ(got, nearest_half(words)), "round to nearest even")


def _load(engine: str) -> HalfLine:
    halves = np.arange(1 << 16, dtype=np.uint16)
    image = TextureData(Format.R16G16B16A16_FLOAT, (halves.view(np.uint8).reshape(1, -1, WIDTH, 8),))
    given = np.stack([np.zeros((1 << 14, 4), np.uint32), _places(1 << 14)], axis=1)
    got = tgsi.run(tgsi.parse(LOAD), given, images={0: image}, engine=engine).floats.reshape(-1)
    return HalfLine("LOAD of half texels", engine, len(halves), _unequal(got, halves), "the exact value")


def _unequal(got: NDArray[np.float32], halves: NDArray[np.uint16]) -> int:
    expected = halves.view(np.float16).astype(np.float32)
    both_nan = np.isnan(got) & np.isnan(expected)
    return int(((got.view(np.uint32) != expected.view(np.uint32)) & ~both_nan).sum())


def _pack(engine: str, words: Words) -> HalfLine:
    made = tgsi.run(tgsi.parse(PACK), words.reshape(-1, 1, 4), engine=engine).outputs[:, 0, :2]
    got = np.ascontiguousarray(made).view(np.uint16).reshape(-1)
    with np.errstate(invalid="ignore"):  # signaling NaNs raise the invalid flag
        value, half = words.view(np.float32).astype(np.float64), got.view(np.float16).astype(np.float64)
    size = np.abs(value)
    unit = np.ldexp(1.0, np.clip(np.frexp(size)[1] - 1, -14, 15) - 10)
    with np.errstate(invalid="ignore"):
        inside = np.where(size < 65520, ~(np.abs(half - value) <= 0.5 * unit), False)
        large = np.where((size > 65536) & (size < np.inf), np.abs(half) != 65504, False)
        special = np.where(np.isinf(value), half != value, np.where(np.isnan(value), got != 0x7E00, False))
    wrong = int((inside | large | special | ((got >> 15 != words >> 31) & ~np.isnan(value))).sum())
    return HalfLine("PK2H", engine, len(words), wrong, "the nearest half; 65504 from 65536 on; 0x7e00 for NaN")


def _unpack(engine: str) -> HalfLine:
    halves = np.arange(1 << 16, dtype=np.uint16)
    given = np.zeros((1 << 15, 1, 4), np.uint32)
    given[:, 0, 0] = halves.view(np.uint32)
    got = np.ascontiguousarray(tgsi.run(tgsi.parse(UNPACK), given, engine=engine).floats[:, 0, :2]).reshape(-1)
    return HalfLine("UP2H", engine, len(halves), _unequal(got, halves), "the exact value")


def measure_halves(engine: str, count: int = COUNT) -> list[HalfLine]:
    """Measure all four conversions in one engine."""
    words = float_inputs(count)
    return [_store(engine, words), _load(engine), _pack(engine, words), _unpack(engine)]
