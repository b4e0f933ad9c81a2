"""Scan of all 2^32 inputs of a function of one number in about a minute: generated code runs the program and a reference in f64.

The reference uses float64 vectors and shares no code with the emitters: Taylor series of at least twice the accuracy, exact division
and square root, and for sine and cosine a range reduction per binade with 96 bits of 2^e / (2 pi). mpmath measures its accuracy
(`reference_values`). Units and rules are those of `accuracy.measure`.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import tgsi
from backends.llvm.builder.environment import default_environment
from backends.llvm.builder.function import F32, F64, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.record import Record
from backends.llvm.engine.engine import compile_module
from backends.llvm.translate.translator import translate

LANES = 16
BINADES = 512
SIZE = 1 << 23
"""Number of inputs of one sign and exponent."""

_LIMIT, _SMALL, _LARGE = 2.0**128, 2.0**-149, 2.0**127
_ROOT = 0x3FE6A09E667F3BCD
"""Bits of sqrt(1/2)."""


class ScanRecord(ctypes.Structure):
    """Arguments and results of one call, for `count` inputs of one binade from the word `first` on.

    worst, at: largest error of each lane, and its input. total: sum of errors. wrong: number of results that wrongly are or are not NaN.
    turns_high, turns_low: for SIN and COS, the fraction of 2^(exponent of the last place) / (2 pi), in units of 2^-64 and 2^-96. values:
    output array of `reference`.
    """

    _fields_ = [
        ("worst", ctypes.c_double * LANES),
        ("total", ctypes.c_double * LANES),
        ("at", ctypes.c_uint32 * LANES),
        ("wrong", ctypes.c_uint32 * LANES),
        ("turns_high", ctypes.c_int64),
        ("turns_low", ctypes.c_int64),
        ("values", ctypes.c_void_p),
        ("first", ctypes.c_int32),
        ("count", ctypes.c_int32),
    ]


@dataclass(frozen=True)
class Found:
    """Result of a scan: the mean error, and the candidates for the largest error with their inputs."""

    count: int
    mean: float
    wrong: int
    candidates: tuple[tuple[float, int], ...]


Reference = Callable[[Function, Val, Val, Record], Val]
"""Emitter of the exact result in f64 lanes, given the argument in f64 lanes and its word."""


def _exp2(f: Function, x: Val, word: Val, record: Record) -> Val:
    inside = f.min(f.max(x, -200.0), 140.0)
    whole = f.round(inside)
    fraction = (inside - whole) * math.log(2)
    p = f.const(x.type, 1 / math.factorial(15))
    for k in range(14, -1, -1):
        p = p * fraction + 1 / math.factorial(k)
    scale = ((whole + 6755399441055744.0).bits_as(I64.wide(LANES)) - (0x4338 << 48) + 1023) << 52
    return f.select(x.eq(x), p * scale.bits_as(F64.wide(LANES)), x)


def _log2(f: Function, x: Val, word: Val, record: Record) -> Val:
    bits = x.bits_as(I64.wide(LANES))
    exponent = (bits - _ROOT) >> 52
    mantissa = (bits - (exponent << 52)).bits_as(F64.wide(LANES))
    s = (mantissa - 1.0) / (mantissa + 1.0)
    z = s * s
    p = f.const(x.type, 1 / 29)
    for k in range(27, 0, -2):
        p = p * z + 1 / k
    result = exponent.cast("sitofp", F64) + s * p * (2 / math.log(2))
    result = f.select(x.eq(math.inf), x, result)
    return f.select(x > 0.0, result, f.select(x.eq(0.0), f.const(x.type, -math.inf), math.nan))


def _turn(f: Function, x: Val, word: Val, record: Record, cosine: bool) -> Val:
    mantissa = ((word & 0x7FFFFF) | f.select((word & 0x7F800000).eq(0), f.const(word.type, 0), 0x800000)).zext(I64)
    phase = mantissa * record.get("turns_high") + (mantissa * record.get("turns_low")).lshr(32)
    quarter = ((phase + (1 << 61)).lshr(62)) + (1 if cosine else 0)
    rest = (phase - ((phase + (1 << 61)).lshr(62) << 62)).cast("sitofp", F64) * (math.pi / 2.0**63)
    z = rest * rest
    even, odd = f.const(x.type, 1 / math.factorial(20)), f.const(x.type, 1 / math.factorial(21))
    for k in range(18, -1, -2):
        even = 1 / math.factorial(k) - even * z
        odd = 1 / math.factorial(k + 1) - odd * z
    value = f.select((quarter & 1).eq(0), rest * odd, even)
    value = f.select((quarter & 2).eq(0), value, 0.0 - value)
    if not cosine:
        value = f.select(word < 0, 0.0 - value, value)
    return f.select((word & 0x7F800000).eq(0x7F800000), f.const(x.type, math.nan), value)


REFERENCES: Mapping[str, Reference] = {
    "EX2": _exp2,
    "LG2": _log2,
    "SIN": lambda f, x, word, record: _turn(f, x, word, record, False),
    "COS": lambda f, x, word, record: _turn(f, x, word, record, True),
    "RCP": lambda f, x, word, record: 1.0 / x,
    "RSQ": lambda f, x, word, record: 1.0 / f.sqrt(x),
    "SQRT": lambda f, x, word, record: f.sqrt(x),
}


@dataclass(frozen=True, slots=True)
class _One:
    """Interface of a program with a single input channel."""

    f: Function
    x: Val
    lane_map: LaneMap

    @property
    def env(self) -> Val:
        return self.f.value(PTR, "null")

    def input(self, register: int, channel: int) -> Val:
        return self.x

    def system_value(self, register: int, channel: int) -> Val:
        return self.f.const(I32.wide(self.lane_map.lanes), 0)

    def texture_key(self, unit: int) -> None:
        return None

    def sampler_key(self, unit: int) -> None:
        return None


def _build(name: str, absolute: bool, cpu: str) -> Module:
    """Module with the entry points `scan(record)` and `reference(record)`."""
    module = Module("scan", cpu)
    f = Function(module, "shade", [F32.wide(LANES)], F32.wide(LANES), internal=True)
    program = tgsi.parse(f"VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\n{name} OUT[0].x, IN[0].xxxx\nEND\n")
    f.ret(translate(f, program, _One(f, f.args[0], LaneMap(LANES))).get(0, 0))
    for entry, body in (("scan", _scan), ("reference", _values)):
        f = Function(module, entry, [PTR])
        with default_environment(f):
            f.call(None, f"{entry}_all", *f.args)
        f.ret()
        f = Function(module, f"{entry}_all", [PTR], internal=True)
        body(f, Record(f, f.args[0], ScanRecord), REFERENCES[name], absolute)
        f.ret()
    return module


def _inputs(f: Function, record: Record, number: Val) -> tuple[Val, Val]:
    word = f.splat(record.get("first") + number, LANES) + f.lanes_const(I32.wide(LANES), list(range(LANES)))
    return word, word.as_float().to_double()


def _scan(f: Function, record: Record, reference: Reference, absolute: bool) -> None:
    wide, words = F64.wide(LANES), I32.wide(LANES)
    worst, total, at, wrong = f.var(wide, 0.0), f.var(wide, 0.0), f.var(words, 0), f.var(words, 0)
    with f.range(0, record.get("count"), LANES) as number:
        word, x = _inputs(f, record, number)
        got = f.call(F32.wide(LANES), "shade", word.as_float()).to_double()
        exact = reference(f, x, word, record)
        limited, result = (f.min(f.max(value, -_LIMIT), _LIMIT) for value in (exact, got))
        error = f.abs(result - limited)
        if not absolute:
            exponent = f.min(f.max(f.abs(limited), _SMALL), _LARGE).bits_as(I64.wide(LANES)).lshr(52)
            error = error / ((f.max(exponent, 1023 - 126) - 23) << 52).bits_as(F64.wide(LANES))
        is_number = exact.eq(exact)
        error = f.select(is_number & got.eq(got), error, 0.0)
        is_worse = error > worst.get()
        at.set(f.select(is_worse, word, at.get()))
        worst.set(f.select(is_worse, error, worst.get()))
        total.add(error)
        wrong.add((is_number ^ got.eq(got)).zext(I32))
    for name, variable in (("worst", worst), ("total", total), ("at", at), ("wrong", wrong)):
        f.store(variable.get(), f.args[0], getattr(ScanRecord, name).offset)


def _values(f: Function, record: Record, reference: Reference, absolute: bool) -> None:
    with f.range(0, record.get("count"), LANES) as number:
        word, x = _inputs(f, record, number)
        f.store(reference(f, x, word, record), f.at(record.get("values"), number.zext(I64) << 3))


class Scan:
    """Compiled scan of one function (a key of `REFERENCES`)."""

    def __init__(self, name: str, absolute: bool, cpu: str = "host") -> None:
        library = compile_module(_build(name, absolute, cpu))
        self._library = library
        self._scan, self._reference = (ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.address[n]) for n in ("scan", "reference"))

    def binade(self, number: int, start: int = 0, count: int = SIZE) -> Found:
        """Scan inputs of one sign and exponent: binade `number` is negative from 256 on. `start` and `count` are multiples of LANES."""
        record = _record(number, start, count)
        self._scan(ctypes.addressof(record))
        candidates = tuple(sorted(zip(record.worst, record.at), reverse=True))
        return Found(count, sum(record.total) / count, sum(record.wrong), candidates)

    def reference_values(self, number: int, start: int, count: int) -> NDArray[np.float64]:
        """Results of the reference for the same inputs as `binade`."""
        values = np.zeros(count)
        record = _record(number, start, count)
        record.values = values.ctypes.data
        self._reference(ctypes.addressof(record))
        return values


def _record(number: int, start: int, count: int) -> ScanRecord:
    turns = _turns(number % 256)
    first = number * SIZE + start
    record = ScanRecord(first=first - (1 << 32) if first >> 31 else first, count=count)
    record.turns_high, record.turns_low = ctypes.c_int64(turns >> 32).value, turns & 0xFFFFFFFF
    return record


def _turns(exponent: int) -> int:
    """Fraction of a turn in 2^e radians, in units of 2^-96, with e the exponent of the last place of floats with this exponent field."""
    import mpmath

    with mpmath.mp.workprec(400):
        turns = mpmath.mpf(2) ** (max(exponent, 1) - 150) / (2 * mpmath.pi)
        return int(mpmath.floor((turns - mpmath.floor(turns)) * mpmath.mpf(2) ** 96))
