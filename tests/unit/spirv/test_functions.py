"""Functions of GLSL on floats, integers, doubles and matrices, on both engines, against numpy in double precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import tgsi
from tests.unit.spirv.modules import f32, module

pytestmark = pytest.mark.light
ENGINES = ["jit", "interp"]
Table = Sequence[tuple[str, Callable[..., Any]]]


def outputs(name: str, inputs: np.ndarray, engine: str) -> np.ndarray:
    """Outputs of a vertex shader by location: (outputs, invocations, 4)."""
    program = tgsi.read_spirv(module(name), name=name)
    result = tgsi.run(program, inputs, engine=engine)
    return np.moveaxis(result.outputs, 1, 0)


def unit(a: Any) -> Any:
    return 2 * np.float64(np.float32(a) - np.floor(a)) - 1


FLOATS: Table = [
    ("round", lambda a, b: np.round(np.float32(a) * np.float32(3) + np.float32(0.2))),
    ("roundEven", lambda a, b: np.round(a * 2)),
    ("trunc", lambda a, b: np.trunc(a)),
    ("abs", lambda a, b: np.abs(a)),
    ("sign", lambda a, b: np.sign(a)),
    ("floor", lambda a, b: np.floor(a)),
    ("ceil", lambda a, b: np.ceil(a)),
    ("fract", lambda a, b: a - np.floor(a)),
    ("radians", lambda a, b: np.radians(a)),
    ("degrees", lambda a, b: np.degrees(a)),
    ("sin", lambda a, b: np.sin(a)),
    ("cos", lambda a, b: np.cos(a)),
    ("tan", lambda a, b: np.tan(a)),
    ("asin", lambda a, b: np.arcsin(unit(a))),
    ("acos", lambda a, b: np.arccos(unit(a))),
    ("atan", lambda a, b: np.arctan(a)),
    ("atan2", np.arctan2),
    ("sinh", lambda a, b: np.sinh(a)),
    ("cosh", lambda a, b: np.cosh(a)),
    ("tanh", lambda a, b: np.tanh(a)),
    ("asinh", lambda a, b: np.arcsinh(a)),
    ("acosh", lambda a, b: np.arccosh(np.float64(np.float32(1) + np.float32(np.abs(a))))),
    ("atanh", lambda a, b: np.arctanh(0.9 * unit(a))),
    ("pow", lambda a, b: np.abs(a) ** b),
    ("exp", lambda a, b: np.exp(a)),
    ("log", lambda a, b: np.log(np.abs(a))),
    ("exp2", lambda a, b: np.exp2(a)),
    ("log2", lambda a, b: np.log2(np.abs(a))),
    ("sqrt", lambda a, b: np.sqrt(np.abs(a))),
    ("inversesqrt", lambda a, b: 1 / np.sqrt(np.abs(a))),
    ("mod", lambda a, b: a - b * np.floor(a / b)),
]


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    """Inputs of both signs, small and large: (invocations, 2, 4)."""
    random = np.random.default_rng(7)
    small = random.uniform(-3, 3, (48, 2, 4))
    small[40:] *= 0.01
    return f32(small)


@pytest.mark.parametrize("engine", ENGINES)
def test_functions_of_one_and_two_floats(vectors: np.ndarray, engine: str) -> None:
    found = outputs("floats.vert", vectors, engine).view(np.float32)
    a, b = vectors[:, 0].astype(np.float64), vectors[:, 1].astype(np.float64)
    wrong = [name for k, (name, f) in enumerate(FLOATS) if not np.allclose(found[k], f(a, b), rtol=2e-5, atol=2e-6)]
    assert wrong == []


def norm(a: Any) -> Any:
    return np.sqrt((a * a).sum(1, keepdims=True))


def refract(i: Any, n: Any, eta: float) -> Any:
    d = (i * n).sum(1, keepdims=True)
    k = 1 - eta * eta * (1 - d * d)
    return np.where(k < 0, 0, eta * i - (eta * d + np.sqrt(np.maximum(k, 0))) * n)


def chosen(a: Any, b: Any) -> Any:
    rows = np.arange(len(a))
    i = np.int32(np.abs(np.float32(a[:, 0]) * np.float32(10))) & 3
    r = np.stack([a[rows, i], b[rows, 3 - i], 0 * a[:, 0], 0 * a[:, 0]], 1)
    r[rows, i ^ 1] += 5
    return r


def smooth(a: Any) -> Any:
    t = np.clip((a + 2) / 4, 0, 1)
    return t * t * (3 - 2 * t)


def columns(*items: Any) -> Any:
    return np.stack(np.broadcast_arrays(*items), 1)


MORE_FLOATS: Table = [
    ("min", lambda a, b, c: np.minimum(a, b)),
    ("max", lambda a, b, c: np.maximum(a, b)),
    ("clamp", lambda a, b, c: np.clip(a, -np.abs(b), np.abs(b))),
    ("mix", lambda a, b, c: a * (1 - c) + b * c),
    ("step", lambda a, b, c: b >= a),
    ("smoothstep", lambda a, b, c: smooth(a)),
    ("fma", lambda a, b, c: a * b + c),
    ("modf", lambda a, b, c: a - np.trunc(a)),
    ("modf whole", lambda a, b, c: np.trunc(a)),
    ("frexp", lambda a, b, c: np.frexp(a)[0]),
    ("frexp exponent", lambda a, b, c: np.frexp(a)[1]),
    ("ldexp", lambda a, b, c: np.ldexp(a, [1, -2, 3, 4]) + np.ldexp(0.75, [128, -100, 60, 0]) * 1e-38),
    ("length", lambda a, b, c: columns(norm(a)[:, 0], norm(a - b)[:, 0], (a * b).sum(1), np.abs(a[:, 0]))),
    ("cross", lambda a, b, c: np.c_[np.cross(a[:, :3], b[:, :3]), 0 * a[:, 0]]),
    ("normalize", lambda a, b, c: a / norm(a)),
    ("faceforward", lambda a, b, c: np.where((c * b).sum(1, keepdims=True) < 0, a, -a)),
    ("reflect", lambda a, b, c: a - 2 * (b / norm(b) * a).sum(1, keepdims=True) * b / norm(b)),
    ("refract", lambda a, b, c: refract(a / norm(a), b / norm(b), 0.7)),
    ("mix of bools", lambda a, b, c: np.where(a < b, b, a)),
    ("isnan, isinf", lambda a, b, c: 1 + 2 + 0 * a),
    ("negations", lambda a, b, c: -a * 2 - np.abs(b)),
    ("any, all", lambda a, b, c: columns((a < b).any(1), (a > b).all(1), (a == b).all(1), (a != b).any(1))),
    ("comparisons", lambda a, b, c: (a <= b) + 2.0 * (a >= b) + 4.0 * (a == b) + 8.0 * (a != b)),
    ("choice", lambda a, b, c: np.c_[np.where(a[:, :1] > b[:, :1], a[:, 1:3], b[:, [2, 1]]), a[:, :2]]),
    ("written swizzle", lambda a, b, c: np.c_[b[:, 3], b[:, 2], a[:, 2:]]),
    ("conversions", lambda a, b, c: np.trunc(np.float32(a) * np.float32(10)) + np.trunc(np.abs(np.float32(b)) * np.float32(7))),
    ("components by index", lambda a, b, c: chosen(a, b)),
    ("unorm 4x8", lambda a, b, c: np.round(np.clip(a, 0, 1) * 255) / 255),
    ("snorm 4x8", lambda a, b, c: np.round(np.clip(a, -1, 1) * 127) / 127),
    ("half, snorm 2x16", lambda a, b, c: np.c_[np.float16(a[:, :2]), np.round(np.clip(b[:, :2], -1, 1) * 32767) / 32767]),
    ("unorm 2x16, bools", lambda a, b, c: np.c_[np.round(np.clip(a[:, :2], 0, 1) * 65535) / 65535, 1 + (a[:, 0] > 0), a[:, 0] <= 0]),
]


@pytest.mark.parametrize("engine", ENGINES)
def test_functions_of_several_floats(vectors: np.ndarray, engine: str) -> None:
    vectors = vectors.copy()
    vectors[5, 0] = vectors[5, 1]
    found = outputs("more_floats.vert", vectors, engine).view(np.float32)
    a, b = vectors[:, 0].astype(np.float64), vectors[:, 1].astype(np.float64)
    wrong = [name for k, (name, f) in enumerate(MORE_FLOATS) if not np.allclose(found[k], f(a, b, a[:, ::-1]), rtol=1e-5, atol=1e-6)]
    assert wrong == []


def bits(function: Callable[[int], int]) -> Callable[..., Any]:
    return lambda a, b: np.vectorize(function, otypes=[np.int64])(a.view(np.uint32))


def signed_bit(x: int) -> int:
    return (x ^ 0xFFFFFFFF if x >> 31 else x).bit_length() - 1


def high(a: Any, b: Any) -> Any:
    return (a.astype(object) * b.astype(object)) >> 32


U = np.uint32
INTEGERS: Table = [
    ("+", lambda a, b: a + b),
    ("-", lambda a, b: a - b),
    ("*", lambda a, b: a * b),
    ("/", lambda a, b: np.trunc(a / np.float64(b | 1))),
    ("% (OpSMod, the sign of the divisor)", lambda a, b: np.mod(a, b | 1)),
    ("/ unsigned", lambda a, b: a.view(U) // (b.view(U) | U(1))),
    ("% unsigned", lambda a, b: a.view(U) % (b.view(U) | U(1))),
    ("&", lambda a, b: a & b),
    ("|", lambda a, b: a | b),
    ("^", lambda a, b: a ^ b),
    ("~", lambda a, b: ~a),
    ("negation", lambda a, b: -a),
    ("<<", lambda a, b: a << (b & 31)),
    (">>", lambda a, b: a >> (b & 31)),
    (">> unsigned", lambda a, b: a.view(U) >> (b.view(U) & U(31))),
    ("abs", lambda a, b: np.abs(a)),
    ("sign", lambda a, b: np.sign(a)),
    ("min", np.minimum),
    ("max", np.maximum),
    ("min unsigned", lambda a, b: np.minimum(a.view(U), b.view(U))),
    ("max unsigned", lambda a, b: np.maximum(a.view(U), b.view(U))),
    ("clamp", lambda a, b: np.clip(a, -5, 5)),
    ("bitCount", bits(lambda x: bin(x).count("1"))),
    ("bitfieldReverse", bits(lambda x: int(f"{x:032b}"[::-1], 2))),
    ("findLSB", bits(lambda x: (x & -x).bit_length() - 1)),
    ("findMSB", bits(signed_bit)),
    ("findMSB unsigned", bits(lambda x: x.bit_length() - 1)),
    ("bitfieldExtract", lambda a, b: (a << 22) >> 25),
    ("bitfieldExtract unsigned", lambda a, b: a.view(U) >> U(3) & U(127)),
    ("bitfieldInsert", lambda a, b: (a & ~(511 << 5)) | (b & 511) << 5),
]
MORE_INTEGERS: Table = [
    ("uaddCarry", lambda a, b: a + b),
    ("carry", lambda a, b: (a.view(U).astype(np.uint64) + b.view(U)) >> np.uint64(32)),
    ("usubBorrow", lambda a, b: a - b),
    ("borrow", lambda a, b: a.view(U) < b.view(U)),
    ("umulExtended high", lambda a, b: high(a.view(U), b.view(U))),
    ("umulExtended low", lambda a, b: a * b),
    ("imulExtended high", high),
    ("imulExtended low", lambda a, b: a * b),
    ("<", lambda a, b: (a < b) + 2 * (a.view(U) < b.view(U))),
    (">=", lambda a, b: (a >= b) + 2 * (a.view(U) >= b.view(U))),
    ("==", lambda a, b: (a == b) + 2 * (a != b)),
    ("float of int", lambda a, b: a.astype(np.float32).view(np.int32)),
    ("float of uint", lambda a, b: a.view(U).astype(np.float32).view(np.int32)),
    ("sign bit", lambda a, b: a ^ np.int32(-(2**31))),
]


def words(value: np.ndarray) -> np.ndarray:
    """Integers of any kind as 32 bits."""
    if value.dtype.kind in "fb":
        value = value.astype(np.int64)
    return (value.astype(object) & 0xFFFFFFFF).astype(np.uint32)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "table"), [("integers.vert", INTEGERS), ("more_integers.vert", MORE_INTEGERS)])
def test_functions_of_integers(name: str, table: Table, engine: str) -> None:
    random = np.random.default_rng(8)
    inputs = random.integers(-(2**31), 2**31, (40, 2, 4)).astype(np.int32)
    inputs[20:] >>= 24
    inputs[0], inputs[1, 0], inputs[2, 1] = 5, 0, -1
    found = outputs(name, inputs, engine)
    with np.errstate(over="ignore"):
        wrong = [label for k, (label, f) in enumerate(table) if (found[k] != words(np.asarray(f(inputs[:, 0], inputs[:, 1])))).any()]
    assert wrong == []


@pytest.mark.parametrize("engine", ENGINES)
def test_functions_of_matrices(engine: str) -> None:
    random = np.random.default_rng(9)
    inputs = random.uniform(-1, 1, (16, 4, 4)).astype(np.float32) + 2 * np.eye(4, dtype=np.float32)
    found = outputs("matrices.vert", inputs, engine).view(np.float32)
    for n, columns_ in enumerate(inputs.astype(np.float64)):
        m = columns_.T
        a, b, c, d = columns_
        result = found[:, n]
        assert np.allclose(result[0], m @ d, atol=1e-5)
        assert np.allclose(result[1], d @ m, atol=1e-5)
        assert np.allclose(result[2:6], m, atol=1e-5)
        assert np.allclose(result[6:10].T, np.linalg.inv(m), atol=1e-4)
        assert np.allclose(result[10:14].T, m @ m.T, atol=1e-5)
        assert np.allclose(result[14:18].T, np.outer(a, b), atol=1e-5)
        s = np.stack([a[:2], b[:2], c[:2]], 1)
        assert np.allclose(result[18], [*(s @ a[:3]), np.linalg.det(m), np.linalg.det(m[:3, :3])], atol=1e-4)
        q = a.reshape(2, 2).T * b.reshape(2, 2).T + 2 * c.reshape(2, 2).T
        q[0, 1] = 7
        q = -(q @ d.reshape(2, 2).T)
        expected = [*q.T.ravel()] + np.r_[np.linalg.inv(a.reshape(2, 2).T)[:, 0], np.linalg.inv(m[:3, :3])[:2, 1]]
        assert np.allclose(result[19], expected, atol=1e-3)


@pytest.mark.parametrize("engine", ENGINES)
def test_functions_of_64_bits(engine: str) -> None:
    random = np.random.default_rng(10)
    x, y = random.uniform(-9, 9, (2, 8, 4))
    program = tgsi.read_spirv(module("doubles.comp"))
    buffers = {0: x.tobytes(), 1: y.tobytes(), 2: bytes(8 * 24 * 32), 3: bytes(8 * 12 * 32)}
    result = tgsi.run(program, buffers=buffers, engine=engine)
    r = np.frombuffer(result.buffers[2].tobytes(), np.float64).reshape(8, 24, 4)
    l = np.frombuffer(result.buffers[3].tobytes(), np.int64).reshape(8, 12, 4)
    dot = (x * y).sum(1)
    rows = {
        0: x + y,
        1: x - y,
        2: x * y,
        3: x / y,
        4: np.sqrt(np.abs(x)),
        5: np.floor(x),
        6: np.minimum(x, y),
        7: np.maximum(x, y),
        8: np.abs(x),
        9: -x,
        10: x - np.floor(x),
        11: np.sign(x),
        12: x * 0.75 + y * 0.25,
        13: x * y + x,
        14: columns(dot, norm(x)[:, 0], np.where(x[:, 0] < y[:, 0], x[:, 2], y[:, 3]), x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]),
        15: np.float32(x),
        16: np.trunc(x * 10),
        17: x * y[:, :1] + y * y[:, 1:2] + x * y * y[:, 2:3] + y[:, 3:],
        18: columns(x[:, 3], y[:, 3], x[:, 1], x[:, 0]),
        19: np.trunc(np.abs(x) * 3),
        20: np.trunc(x),
        21: columns(*np.frexp(x[:, 0]), x[:, 1] * 8, y[:, 0] >= x[:, 0]),
        22: x - y * np.floor(x / y),
        23: x < y,
    }
    assert [k for k, value in rows.items() if not np.allclose(r[:, k], value, rtol=1e-14, atol=1e-13)] == []
    p, q = np.int64(x * 1e15), np.int64(y * 1e9) | 1
    quotient = np.vectorize(lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1), otypes=[np.int64])(
        p.astype(object), q.astype(object)
    )
    with np.errstate(over="ignore"):
        wholes = {
            0: p + q,
            1: p - q,
            2: p * q,
            3: quotient,
            4: np.mod(p, q),
            5: p << 5,
            6: p >> 7,
            7: (p.view(np.uint64) >> np.uint64(9)).view(np.int64),
            8: np.minimum(p, q),
            9: np.abs(p),
            10: (p & q) ^ ~(p | q),
            11: p.astype(np.int32) + (p < q),
        }
    assert [k for k, value in wholes.items() if (l[:, k] != value).any()] == []
