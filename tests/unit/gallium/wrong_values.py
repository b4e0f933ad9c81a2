"""Two hundred values that hardly any argument takes: of other types, out of every range, endless, recursive, or with methods that raise."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import sys
import types
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np


class OfTheCallerError(Exception):
    """Raised by objects of the caller; it must come through as it is."""


class Odd:
    """An object that is good for nothing."""


class BadIndex:
    def __index__(self) -> int:
        raise OfTheCallerError


class BadFloat:
    def __float__(self) -> float:
        raise OfTheCallerError


class BadLength:
    def __len__(self) -> int:
        return -1  # noqa: PLE0303  the wrong value on purpose

    def __getitem__(self, key: object) -> Any:
        raise OfTheCallerError


class BadIteration:
    def __iter__(self) -> Iterator[Any]:
        raise OfTheCallerError


class BadTruth:
    def __bool__(self) -> bool:
        raise OfTheCallerError


class BadComparison:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise OfTheCallerError


class BadAttributes:
    def __getattr__(self, name: str) -> Any:
        raise OfTheCallerError


class Color(enum.Enum):
    RED = 1


def wrong_values() -> dict[str, Any]:
    """Return the values by a short text. Iterators and arrays are fresh each time."""
    values = chain(_objects(), _texts(), _numbers(), _groups(), _arrays())
    return {f"{number}: {type(value).__name__}": value for number, value in enumerate(values)}


def _objects() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    mapping: dict[str, Any] = {}
    mapping["a"] = mapping
    odd = [None, True, False, ..., object(), type, int, len, lambda: 0, slice(1), sys, Odd(), Odd, Color.RED, Color]
    bad = [BadIndex(), BadFloat(), BadLength(), BadIteration(), BadTruth(), BadComparison(), BadAttributes()]
    nothing: tuple[int, ...] = ()
    lazy = [(item for item in nothing), iter([1]), range(3), range(10**9), set(), frozenset({1}), {1}]
    numeric = [complex(1, 2), decimal.Decimal("1.5"), fractions.Fraction(1, 3), datetime.date(2020, 1, 1)]
    return [*odd, *bad, *lazy, *numeric, ring, mapping, Path("x"), types.SimpleNamespace(x=1), memoryview(b"abc"), bytearray(b"abc")]


def _texts() -> list[Any]:
    return ["", "x", "TRIANGLES", "R8_UNORM", "\0", "\ud800", "a" * 100_000, "é", "COLOR|DEPTH", "-1", "1", "None", " "]


def _numbers() -> list[Any]:
    small = [0, 1, 2, 3, 5, 7, -1, -2, -5, 127, 128, 255, 256, -128]
    signs = ((1, 0), (1, -1), (-1, 0))
    powers = [sign * ((1 << bits) + more) for bits in (15, 16, 20, 24, 29, 31, 32, 40, 63, 64, 100) for sign, more in signs]
    floats = [0.0, -0.0, 0.5, 1.5, -1.5, 1e10, 1e38, 1e39, 1e300, -1e300, float("inf"), float("-inf"), float("nan"), 5e-324]
    return [*small, *powers, 10**500, *floats]


def _groups() -> list[Any]:
    nan = float("nan")
    lists = [[], [0], [1], [-1], [None], [None] * 40, [0] * 1000, [[]], [[0]], [[[]]], [""], ["x"], [b""], [{}], [1.5], [nan], [1 << 40]]
    longer = [[Odd()], [BadIndex()], [True], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5], ["a", 1], [0, None]]
    tuples = [(), (0,), (1, 2), (None,), ((),), (1, 2, 3, 4), (1.0, 2.0, 3.0, 4.0), ("a", "b")]
    pieces = [b"", b"x", b"xyzw", bytes(16), bytes(1000)]
    names = ["buffer", "resource", "buffer_size", "size", "x", "width", "scale", "minx", "texture", "format", "offset", "", "data"]
    mappings = [{name: value} for name in names for value in (None, -1, 1 << 40)]
    return [*lists, *longer, *tuples, *pieces, {}, {1: 2}, {None: None}, *mappings]


def _arrays() -> list[Any]:
    kinds = ("u1", "i1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "?", "S4", "U4", "O", "M8[s]", "V8", ">f4")
    records = [np.zeros((2, 3), [("start", "u4"), ("count", "u4")]), np.zeros(3, [("a", "u4")])]
    shapes = [np.zeros(0, "u1"), np.zeros((2, 2), "f4"), np.zeros((4, 4, 4, 4), "f4"), np.zeros((), "f4"), np.zeros(8, "f4")[::2]]
    views = [np.zeros(8, "f4")[::-1], np.broadcast_to(np.float32(1), (4,)), np.full(4, np.nan, "f4"), np.array([1 << 40]), np.array(["a"])]
    scalars = [np.float32(1), np.int64(5), np.uint64(1 << 63), np.float32("nan"), np.bool_(True), np.str_("x"), np.array([None])]
    return [*(np.zeros(4, kind) for kind in kinds), *records, *shapes, *views, *scalars]
