"""Functions whose errors are measured: the program, the exact results, the inputs that matter, and the promised bound of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]
Doubles = NDArray[np.float64]

NAN, INF, NEG_INF, ZERO, NEG_ZERO, ONE, NEG_ONE = 0x7FC00000, 0x7F800000, 0xFF800000, 0, 0x80000000, 0x3F800000, 0xBF800000
ANY_NAN = (0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF)
"""NaNs of both signs, quiet and signaling."""


@dataclass(frozen=True)
class MeasuredFunction:
    """Function under measurement.

    statement: computes channel {c} of OUT[0] from channel {c} of IN[0] (and IN[1]). reference: float64 results of float64 arguments.
    exact: result of mpmath, given its module and numbers; not called where `reference` is infinite or NaN. bound: promised error in units
    in the last place, or absolute if `absolute`. dense: interval that contains half of the random inputs. worst: inputs with the largest
    errors among all 2^32. specials: inputs and the expected result word, None for any NaN.
    """

    name: str
    statement: str
    reference: Callable[..., Doubles]
    exact: Callable[..., Any]
    bound: float
    absolute: bool = False
    arguments: int = 1
    dense: tuple[float, float] = (-4.0, 4.0)
    worst: tuple[int, ...] = ()
    specials: tuple[tuple[tuple[int, ...], int | None], ...] = ()

    @property
    def text(self) -> str:
        """Program that evaluates the function for four inputs per invocation."""
        lines = "\n".join(self.statement.format(c=c, s=c * 4) for c in "xyzw")
        declared = "".join(f"DCL IN[{k}]\n" for k in range(self.arguments))
        return f"VERT\n{declared}DCL OUT[0], GENERIC[0]\nDCL TEMP[0..1]\nIMM FLT32 {{1, 0, 0, 0}}\n{lines}\nEND\n"


def _each(inputs: tuple[int, ...], result: int | None) -> tuple[tuple[tuple[int, ...], int | None], ...]:
    return tuple(((word,), result) for word in inputs)


def _rsqrt(x: Doubles) -> Doubles:
    return np.asarray(1.0 / np.sqrt(x))


def _pow_pairs() -> tuple[tuple[tuple[int, ...], int | None], ...]:
    two, half, three, minus_two = 0x40000000, 0x3F000000, 0x40400000, 0xC0000000
    rows: list[tuple[tuple[int, int], int | None]] = [((x, ZERO), ONE) for x in (ZERO, NEG_ZERO, INF, NEG_INF, NAN, NEG_ONE, two)]
    rows += [((ONE, y), ONE) for y in (INF, NEG_INF, NAN, half)]
    rows += [((NEG_ONE, INF), ONE), ((NEG_ONE, NEG_INF), ONE), ((NAN, two), None), ((two, NAN), None), ((minus_two, half), None)]
    rows += [
        ((ZERO, two), ZERO),
        ((NEG_ZERO, three), NEG_ZERO),
        ((NEG_ZERO, two), ZERO),
        ((ZERO, NEG_ONE), INF),
        ((NEG_ZERO, NEG_ONE), NEG_INF),
    ]
    rows += [
        ((INF, two), INF),
        ((INF, minus_two), ZERO),
        ((NEG_INF, three), NEG_INF),
        ((NEG_INF, two), INF),
        ((NEG_INF, NEG_ONE), NEG_ZERO),
    ]
    rows += [((two, INF), INF), ((two, NEG_INF), ZERO), ((half, INF), ZERO), ((half, NEG_INF), INF), ((minus_two, three), 0xC1000000)]
    return tuple(rows)


def _lit(x: Doubles, y: Doubles) -> Doubles:
    """Third component of LIT with its x = 1: y is the base, w the exponent."""
    base = np.where(x > 0, x, 0.0)
    return np.asarray(np.power(base, np.where(y < 128, np.where(y > -128, y, -128.0), 128.0)))


def _mp_lit(mp: Any, x: Any, y: Any) -> Any:
    return mp.power(max(x, mp.mpf(0)), min(max(y, mp.mpf(-128)), mp.mpf(128)))


def _mp_floor_log2(mp: Any, x: Any) -> Any:
    return mp.frexp(abs(x))[1] - 1


def _floor_log2(x: Doubles) -> Doubles:
    with np.errstate(divide="ignore"):
        whole = np.where((x == 0) | ~np.isfinite(x), np.log2(np.abs(x)), np.frexp(x)[1] - 1.0)
    return np.asarray(whole)


def _mantissa(x: Doubles) -> Doubles:
    return np.asarray(np.where(np.isfinite(x), np.abs(2.0 * np.frexp(x)[0]), np.nan))


def _through(opcode: str, component: str) -> str:
    return f"{opcode} TEMP[0].{component}, IN[0].{{s}}\nMOV OUT[0].{{c}}, TEMP[0].{component * 4}"


_ROWS = (
    MeasuredFunction(
        "EX2",
        "EX2 OUT[0].{c}, IN[0].{s}",
        np.exp2,
        lambda mp, x: mp.power(2, x),
        1.26,
        dense=(-152.0, 130.0),
        worst=(0x3F01BB3A, 0xC2FCD2B5),
        specials=(
            *_each(ANY_NAN, None),
            *(((INF,), INF), ((NEG_INF,), ZERO), ((ZERO,), ONE), ((NEG_ZERO,), ONE), ((1,), ONE)),
            *(((0x43000000,), INF), ((0xC3160000,), ZERO), ((0xC3150000,), 1), ((0x42FE0000,), 0x7F000000), ((0xC2FC0000,), 0x00800000)),
        ),
    ),
    MeasuredFunction(
        "LG2",
        "LG2 OUT[0].{c}, IN[0].{s}",
        np.log2,
        lambda mp, x: mp.log(x, 2),
        1.45,
        dense=(0.25, 4.0),
        worst=(0x3FB43153, 0x3F332F04, 0x3EB3CDE2),
        specials=(
            *_each((*ANY_NAN, NEG_ONE, NEG_INF, 0x80000001), None),
            *(((ZERO,), NEG_INF), ((NEG_ZERO,), NEG_INF), ((INF,), INF), ((ONE,), ZERO), ((1,), 0xC3150000), ((0x00800000,), 0xC2FC0000)),
        ),
    ),
    MeasuredFunction(
        "SIN",
        "SIN OUT[0].{c}, IN[0].{s}",
        np.sin,
        lambda mp, x: mp.sin(x),
        2.0**-23,
        absolute=True,
        dense=(-100.0, 100.0),
        worst=(0x4E542EE9, 0x4AF45311, 0x45970492, 0x424FEB1B, 0x41CF5EDA, 0xBF489C2D),
        specials=(*_each((*ANY_NAN, INF, NEG_INF), None), ((ZERO,), ZERO), ((NEG_ZERO,), NEG_ZERO), ((1,), 1)),
    ),
    MeasuredFunction(
        "COS",
        "COS OUT[0].{c}, IN[0].{s}",
        np.cos,
        lambda mp, x: mp.cos(x),
        2.0**-23,
        absolute=True,
        dense=(-100.0, 100.0),
        worst=(0xD6F38504, 0x494052CC, 0xC4EC1C3E, 0x407AB352, 0x3F483FCA),
        specials=(*_each((*ANY_NAN, INF, NEG_INF), None), ((ZERO,), ONE), ((NEG_ZERO,), ONE), ((1,), ONE)),
    ),
    MeasuredFunction(
        "POW",
        "POW OUT[0].{c}, IN[0].{s}, IN[1].{s}",
        np.power,
        lambda mp, x, y: mp.power(x, y),
        1.4,
        arguments=2,
        worst=(0x3F47582B, 0x427950A0, 0x3F852A42, 0xC4DBF9C8, 0x32DB2774, 0x400CCCCD, 0xCC2EB738, 0xBF800000),
        specials=_pow_pairs(),
    ),
    MeasuredFunction(
        "RCP",
        "RCP OUT[0].{c}, IN[0].{s}",
        np.reciprocal,
        lambda mp, x: 1 / x,
        0.5,
        specials=(*_each(ANY_NAN, None), ((ZERO,), INF), ((NEG_ZERO,), NEG_INF), ((INF,), ZERO), ((NEG_INF,), NEG_ZERO), ((ONE,), ONE)),
    ),
    MeasuredFunction(
        "RSQ",
        "RSQ OUT[0].{c}, IN[0].{s}",
        _rsqrt,
        lambda mp, x: 1 / mp.sqrt(x),
        1.5,
        dense=(0.0, 4.0),
        worst=(0x0080CAB3,),
        specials=(*_each((*ANY_NAN, NEG_ONE, NEG_INF), None), ((ZERO,), INF), ((NEG_ZERO,), NEG_INF), ((INF,), ZERO), ((ONE,), ONE)),
    ),
    MeasuredFunction(
        "SQRT",
        "SQRT OUT[0].{c}, IN[0].{s}",
        np.sqrt,
        lambda mp, x: mp.sqrt(x),
        0.5,
        dense=(0.0, 4.0),
        specials=(*_each((*ANY_NAN, NEG_ONE, NEG_INF), None), ((ZERO,), ZERO), ((NEG_ZERO,), NEG_ZERO), ((INF,), INF), ((ONE,), ONE)),
    ),
    MeasuredFunction(
        "EXP.x", _through("EXP", "x"), lambda x: np.exp2(np.floor(x)), lambda mp, x: mp.power(2, mp.floor(x)), 0.5, dense=(-152.0, 130.0)
    ),
    MeasuredFunction(
        "EXP.y",
        _through("EXP", "y"),
        lambda x: x - np.floor(x),
        lambda mp, x: x - mp.floor(x),
        0.5,
        specials=_each((*ANY_NAN, INF, NEG_INF), None),
    ),
    MeasuredFunction(
        "EXP.z", _through("EXP", "z"), np.exp2, lambda mp, x: mp.power(2, x), 1.26, dense=(-152.0, 130.0), worst=(0x3F01BB3A,)
    ),
    MeasuredFunction("LOG.x", _through("LOG", "x"), _floor_log2, _mp_floor_log2, 0.0, specials=((((ZERO,), NEG_INF)), ((INF,), INF))),
    MeasuredFunction(
        "LOG.y",
        _through("LOG", "y"),
        _mantissa,
        lambda mp, x: 2 * abs(mp.frexp(x)[0]),
        0.0,
        specials=(*_each((*ANY_NAN, INF, NEG_INF), None), ((ZERO,), ZERO)),
    ),
    MeasuredFunction(
        "LOG.z",
        _through("LOG", "z"),
        lambda x: np.log2(np.abs(x)),
        lambda mp, x: mp.log(abs(x), 2),
        1.45,
        worst=(0x3FB43153,),
        specials=(((ZERO,), NEG_INF), ((NEG_ZERO,), NEG_INF), ((NEG_INF,), INF), ((NEG_ONE,), ZERO)),
    ),
    MeasuredFunction(
        "LIT.z",
        "MOV TEMP[1].xz, IMM[0].xxxx\nMOV TEMP[1].y, IN[0].{s}\nMOV TEMP[1].w, IN[1].{s}\n"
        "LIT TEMP[0].z, TEMP[1]\nMOV OUT[0].{c}, TEMP[0].zzzz",
        _lit,
        _mp_lit,
        1.4,
        arguments=2,
        worst=(0x3F47582B, 0x427950A0),
        specials=(
            *(((ZERO, ZERO), ONE), ((NAN, ONE), ZERO), ((NEG_ONE, ONE), ZERO), ((0x40000000, NAN), INF), ((ONE, NAN), ONE)),
            *(((0x3F000000, INF), 1 << 21), ((0x40000000, NEG_INF), 1 << 21)),
        ),
    ),
)

FUNCTIONS: Mapping[str, MeasuredFunction] = MappingProxyType({row.name: row for row in _ROWS})
"""Functions by name, in the order of the table."""


def sample(function: MeasuredFunction, count: int, seed: int) -> tuple[Words, ...]:
    """About `count` inputs: equally many of each exponent and sign, mantissas at the ends, the dense interval, and the known worst
    inputs.
    """
    random = np.random.default_rng(seed)
    if function.arguments == 2:
        return _pairs(function, count, random)
    exponents = np.repeat(np.arange(512, dtype=np.uint32) << np.uint32(23), max(1, count // 1024))
    strata = exponents | random.integers(0, 1 << 23, len(exponents), dtype=np.uint32)
    edges = (np.arange(512, dtype=np.uint32)[:, None] << np.uint32(23)) + np.array([0, 1, 2, 0x3504F3, 0x7FFFFE, 0x7FFFFF], np.uint32)
    dense = random.uniform(*function.dense, count // 2).astype(np.float32).view(np.uint32)
    near = [
        np.float32(base).view(np.uint32) + np.arange(-64, 64) for base in (0.5, 1.0, 2.0, np.pi / 4, np.pi / 2, np.pi, 32768.0, 2.0**28)
    ]
    known = np.array([word ^ sign for word in function.worst for sign in (0, 1 << 31)], np.uint32)
    return (np.concatenate([strata, edges.ravel(), dense, np.concatenate(near).astype(np.uint32), known]),)


def _pairs(function: MeasuredFunction, count: int, random: np.random.Generator) -> tuple[Words, ...]:
    """Pairs of inputs: any bits; results spread over all exponents, for any base and for bases near 1; results near the limits; whole
    exponents.
    """
    part = max(8, count // 8)

    def bases(kind: int) -> Doubles:
        if kind == 0:
            return np.exp2(random.uniform(-149, 128, part))
        return random.uniform(0.5, 2.0, part) if kind == 1 else 1.0 + random.normal(0, 2.0**-8, part)

    with np.errstate(all="ignore"):
        made = [random.integers(0, 1 << 32, (2, part), dtype=np.uint32)]
        for kind in range(3):
            x = bases(kind).astype(np.float32)
            made.append(np.stack([x, (random.uniform(-151, 129, part) / np.log2(x.astype(np.float64))).astype(np.float32)]).view(np.uint32))
        x = bases(0).astype(np.float32)
        ends = random.choice([-149.0, -126.0, 127.99], part) + random.normal(0, 0.5, part)
        made.append(np.stack([x, (ends / np.log2(x.astype(np.float64))).astype(np.float32)]).view(np.uint32))
        x = (random.uniform(0.5, 2.0, part) * random.choice([-1.0, 1.0], part)).astype(np.float32)
        made.append(np.stack([x, (random.integers(-300, 300, part) / 2.0).astype(np.float32)]).view(np.uint32))
        x = (np.exp2(random.uniform(-149, 128, part)) * random.choice([-1.0, 1.0], part)).astype(np.float32)
        made.append(np.stack([x, random.integers(-6, 7, part).astype(np.float32)]).view(np.uint32))
        made.append(np.stack([random.uniform(0, 1, part), random.uniform(0, 64, part)]).astype(np.float32).view(np.uint32))
    made.append(np.array(function.worst, np.uint32).reshape(-1, 2).T)
    both = np.concatenate(made, axis=1)
    return both[0], both[1]
