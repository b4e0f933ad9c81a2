"""HLSL's arithmetic as a table: statements, an expression, and what Direct3D's compilers make of it, by hand or by numpy.

`f` and `n` are buffers of the numbers below, so that no compiler folds them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

F = (-5.5, 2.0, -7.0, 3.0, 1.25, 0.5, 4.0, -2.5, 6.5, 8.0, -0.75, 9.0)
N = (-7, 3, 7, -3, 5, 2, -(1 << 31), 1, 31, 33, 0, 12)

HEAD = """
RWStructuredBuffer<float> o : register(u0); RWStructuredBuffer<float> f : register(u1); RWStructuredBuffer<int> n : register(u2);
static const int K = -7; static const float3x3 S = {1, 2, 3, 4, 5, 6, 7, 8, 9}; static const float3x3 ONE = (float3x3)1;
static const float2x2 T[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}; static const float C = -5.5; static const float D = C % 2.0;
struct V { float a; float3x3 m; int k; };
float3x3 one() { return 1; }
float3x3 same(float3x3 m) { return m; }
float2x2 by_mul(float2x2 m) { return mul(m, m); }
float2x2 by_star(float2x2 m) { return m * m; }
void give(float a, out float b) { b = a * 3; }
void add(inout float a) { a = a + 1; }
void both(inout float a, inout float b) { a += 1; b += 11; }
void grow(inout float2x2 m) { m = m + 1; }
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
"""


@dataclass(frozen=True)
class Row:
    """A row: statements before, an expression, its numbers, and whether they are whole."""

    expression: str
    expected: tuple[float, ...]
    before: str = ""
    is_whole: bool = False


def _row(expression: str, *expected: float, before: str = "") -> Row:
    return Row(expression, expected, before)


def _whole(expression: str, *expected: int, before: str = "") -> Row:
    return Row(expression, expected, before, True)


_U7 = (1 << 32) - 7
_A = np.array(F[:4], np.float64).reshape(2, 2)
_B = np.array(F[5:9], np.float64).reshape(2, 2)
_S = np.arange(1.0, 10.0).reshape(3, 3)
_P = "float2x2 a = float2x2(f[0], f[1], f[2], f[3]), b = float2x2(f[5], f[6], f[7], f[8]);"
_Q = "float2x3 a = float2x3(f[0], f[1], f[2], f[3], f[4], f[5]), b = float2x3(f[5], f[6], f[7], f[8], f[9], f[10]);"
_A6, _B6 = F[5], F[10]

REMAINDERS = (
    _row("f[0] % f[1]", -1.5),
    _row("f[3] % f[2]", 3),
    _row("f[0] % 2", -1.5),
    _row("-5.5 % 2.0", -1.5),
    _row("5.5 % -2.0", 1.5),
    _row("(-5.5) % (2.0)", -1.5),
    _row("-5.5f % 2", -1.5),
    _row("-1e1 % 3.0", -1),
    _row("abs(-5.5) % 2.0", 1.5),
    _row("C % 2.0", -1.5),
    _row("D", -1.5),
    _row("x % y", -1.5, before="const float x = -5.5, y = 2.0;"),
    _row("fmod(x, y)", -1.5, before="const float x = -5.5, y = 2.0;"),
    _row("fmod(f[0], f[1])", -1.5),
    _row("fmod(-5.5, 2.0)", -1.5),
    _row("fmod(float2(-5.5, 3.0), float2(2.0, -7.0))", -1.5, 3),
    _row("float2(-5.5, 3.0) % float2(2.0, -7.0)", -1.5, 3),
    _row("float2(f[0], f[3]) % f[1]", -1.5, 1),
    _row("f[0] % float2(f[1], f[3])", -1.5, -2.5),
    _row("v", -1.5, 3, before="float2 v = float2(f[0], f[3]); v %= float2(f[1], f[2]);"),
    _row("v", -1.5, before="float v = f[0]; v %= 2;"),
    _row("float(n[0]) % n[1]", -1),
    _row("n[0] % f[1]", -1),
    _row("float(double(f[0]) % double(f[1]))", -1.5),
    _row("float(half(f[0]) % half(f[1]))", -1.5),
    _whole("n[0] % n[1]", -1),
    _whole("n[2] % n[3]", 1),
    _whole("n[0] % n[3]", -1),
    _whole("-7 % 3", -1),
    _whole("K % 3", -1),
    _whole("n[1] % -2", 1),
    _whole("k % 3", -1, before="const int k = -7;"),
    _whole("int2(n[0], n[2]) % int2(n[1], n[3])", -1, 1),
    _whole("int2(n[0], n[2]) % 3", -1, 1),
    _whole("v", -1, 1, before="int2 v = int2(n[0], n[2]); v %= int2(n[1], n[3]);"),
    _whole("v", -1, before="int v = n[0]; v %= 3;"),
    _whole("uint(n[0]) % 10u", _U7 % 10),
    _whole("n[0] % uint(3)", _U7 % 3),
    _whole("uint2(n[0], n[2]) % uint2(10, 4)", _U7 % 10, 3),
    _whole("v", _U7 % 10, before="uint v = uint(n[0]); v %= 10;"),
    _whole("n[0] / n[1]", -2),
    _whole("uint(n[0]) / 10u", _U7 // 10),
    _row("(a % b)[1][2]", _A6, before=_Q),
    _row("a[1][2]", _A6, before=_Q + " a %= b;"),
    _row("(a % f[3])[0][0]", -2.5, before=_Q),
    _row("(3 % a)[1][0]", 0, before=_Q),
    _row("(S % 4.0)[2][2]", 1),
    _row("(-S % 4)[2][2]", -1),
)  # fmt: skip

_BOTH = "float2x2 b = {1, 2, 3, 4}, c = b, a = b; do { a = a * b;\n c = mul(a, b);\n"
_BOTH += "} while ((a * b)[0][0] < 0\n && mul(a, b)[0][0] < 0);"

PRODUCTS = (
    _row("(a * b)[1][0]", _A[1, 0] * _B[1, 0], before=_P),
    _row("a[1][0]", _A[1, 0] * _B[1, 0], before=_P + " a *= b;"),
    _row("mul(a, b)[1][0]", (_A @ _B)[1, 0], before=_P),
    _row("(mul(a, b)\n * a)[1][0]", ((_A @ _B) * _A)[1, 0], before=_P),
    _row("mul(\na * a\n, b)[1][0]", ((_A * _A) @ _B)[1, 0], before=_P),
    _row("mul(mul(a, b), a)[0][1]", (_A @ _B @ _A)[0, 1], before=_P),
    _row("(a * a * b)[0][1]", (_A * _A * _B)[0, 1], before=_P),
    _row("(S * S)[1][2]", 36),
    _row("(S * S * S)[1][2]", 216),
    _row("mul(S, S)[1][2]", (_S @ _S)[1, 2]),
    _row("(T[0] * T[1])[0][1]", 12),
    _row("(x * y)[1][1]", 20, before="const float2x2 x = {1, 2, 3, 4}, y = {1, 2, 3, 5};"),
    _row("(float2x2(1, 2, 3, 4) * float2x2(1, 2, 3, 4))[0][1]", 4),
    _row("((float2x2)2 * (float2x2)3)[0][1]", 6),
    _row("by_star(T[0])[0][1]", 4),
    _row("by_mul(T[0])[0][1]", 10),
    _row("a[0][0]", 1, before="float3x3 a = ONE; int i = 0; do { a = a * ONE;\n i++; } while (mul(a, ONE)[0][0] < 0);"),
    _row("float2(a[0][1], c[0][1])", 4, 18, before=_BOTH),
    _row("mul(S, float3(1, 2, 3))", *(_S @ [1, 2, 3])),
    _row("mul(float3(1, 2, 3), S)", *(np.array([1, 2, 3]) @ _S)),
    _row("mul(2.0, S)[1][2]", 12),
    _row("(2 * S)[1][2]", 12),
    _row("mul(float3(f[0], f[1], f[2]), float3(f[3], f[4], f[5]))", -17.5),
    _row("transpose(S)[1][2]", 8),
    _row("(a + b)[1][2]", _A6 + _B6, before=_Q),
    _row("(a - b)[1][2]", _A6 - _B6, before=_Q),
    _row("(a / b)[1][2]", _A6 / _B6, before=_Q),
    _row("(a + 3)[1][2]", _A6 + 3, before=_Q),
    _row("(3 / a)[1][2]", 6, before=_Q),
    _row("(a * n[1])[1][2]", 1.5, before=_Q),
    _row("a[1][2]", 1.5, before=_Q + " a *= 3;"),
    _row("(-a)[1][2]", -_A6, before=_Q),
    _row("m[1][1]", 4, before="float2x2 m = {f[0], f[1], f[2], f[3]}; m++;"),
)  # fmt: skip

_CAST = {"0": 0, "1": 1, "-2": -2, "(2)": 2, "n[1]": 3, "uint(n[1])": 3, "(n[1] > 2)": 1, "f[0]": -5.5}
_CAST |= {"0.5": 0.5, "true": 1, "K": -7, "1u": 1, "(1 + 1)": 2}
_INITIAL = {"0": 0, "1": 1, "n[1]": 3, "S": 6, "one()": 1, "same(1)": 1}
CASTS = (
    *(_row(f"((float3x3){text})[1][2]", value) for text, value in _CAST.items()),
    _row("((float2x3)0)[1][2]", 0),
    _row("((float4x4)0)[1][2]", 0),
    _row("((float2x3)n[1])[1][2]", 3),
    _row("float3x3(1, 2, 3, 4, 5, 6, 7, 8, 9)[1][2]", 6),
    _row("ONE[1][2]", 1),
    *(_row("m[1][2]", value, before=f"float3x3 m = {text};") for text, value in _INITIAL.items()),
    _row("m[1][2]", 1, before="float3x3 m = n[1] > 2 ? (float3x3)1 : (float3x3)0;"),
    _row("m[1][2]", 0, before="V s = (V)0; float3x3 m = s.m;"),
    _row("q[1][1][2]", 1, before="float3x3 q[2] = {(float3x3)0, (float3x3)1};"),
    _row("((float2x2)int4(n[0], n[1], n[2], n[3]))[1][0]", 7),
    _row("((float2x2)float4(f[0], f[1], f[2], f[3]))[1][0]", -7),
    _row("((float3x3)float4x4(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))[1][2]", 7),
    _whole("v", -3, before="int v = n[0]; v *= 0.5;"),
    _whole("v", -3, 1, before="int2 v = int2(n[0], n[1]); v *= 0.5;"),
    _whole("v", -3, 3, before="int2 v = int2(n[0], n[1]); v.x *= 0.5;"),
    _whole("v", -6, before="int v = n[0]; v += 0.5;"),
    _whole("s.k", -3, before="V s; s.k = n[0]; s.k *= f[5];"),
    _whole("v", 1, before="uint v = 3; v *= 0.5;"),
    _whole("v", -21, before="int v = n[0]; v *= n[1];"),
    _whole("v", 0, before="int v = n[0]; v *= (int)0.5;"),
    _row("v", -16.5, before="float v = f[0]; v *= n[1];"),
    _whole("int(f[0])", -5),
    _whole("7 / 2", 3),
    _row("7 / 2.0", 3.5),
    _row("n[0] * f[5]", -3.5),
    _row("float(n[0] < uint(3))", 0),
    _row("float(n[0] < 3)", 1),
    _whole("uint(1) - uint(2)", -1),
)  # fmt: skip

FUNCTIONS = (
    _row("ldexp(f[5], 3)", 4),
    _row("ldexp(f[5], f[3])", 4),
    _row("ldexp(f[5], n[1])", 4),
    _row("ldexp(0.5, 3)", 4),
    _row("ldexp(f[5], f[5])", math.sqrt(0.5)),
    _row("ldexp(float2(f[5], f[4]), float2(f[3], f[1]))", 4, 5),
    _row("ldexp(a, (float2x2)f[1])[1][1]", 12, before=_P),
    _row("float2(frexp(f[9], e), e)", 0.5, 4, before="float e;"),
    _row("float2(modf(f[0], e), e)", -0.5, -5, before="float e;"),
    _row("mad(f[0], f[1], f[2])", -18),
    _whole("mad(n[0], n[1], n[2])", -14),
    _whole("mad(uint(3), uint(4), uint(n[1]))", 15),
    _whole("mad(int2(n[0], n[1]), int2(n[1], n[2]), int2(1, 2))", -20, 23),
    _row("lit(0.5, f[1], 3)", 1, 0.5, 8, 1),
    _row("lit(f[0], f[1], 3)", 1, 0, 0, 1),
    _row("saturate(a)[0][1]", 1, before=_P),
    _row("lerp(a, b, 0.5)[1][1]", 4.75, before=_P),
    _row("clamp(a, 0.0, 4.0)[0][1]", 2, before=_P),
    _row("fmod(a, b)[0][0]", math.fmod(-5.5, 0.5), before=_P),
    _row("min(a, b)[1][1]", 3, before=_P),
    _row("abs(a)[0][0]", 5.5, before=_P),
    _row("determinant(S)", 0),
    _row("round(f[5] + f[1])", 2),
    _row("round(f[5] + f[3])", 4),
    _row("frac(f[0])", 0.5),
    _row("atan2(f[1], f[2])", math.atan2(2, -7)),
    _row("smoothstep(f[1], f[6], f[3])", 0.5),
    _row("dst(float4(1, 2, 3, 4), float4(5, f[11], 7, 8))", 1, 18, 3, 8),
    _whole("countbits(uint2(3, 7))", 2, 3),
    _whole("firstbithigh(n[0])", 2),
    _whole("firstbithigh(uint(n[10]))", -1),
    _whole("firstbitlow(uint(n[11]))", 2),
    _whole("reversebits(uint(n[7]))", -(1 << 31)),
    _whole("n[0] >> 1", -4),
    _whole("uint(n[0]) >> 1", _U7 >> 1),
    _whole("1 << n[9]", 2),
    _whole("dot(int2(n[0], n[1]), int2(n[2], n[4]))", -34),
    _whole("max(uint(n[0]), uint(n[1]))", -7),
    _row("float2(float2(f[0], f[1]) == float2(f[0], f[2]))", 1, 0),
    _row("float2(n[1] > 2, n[1] < 2) ? float2(1, 2) : float2(3, 4)", 1, 4),
    _row("f16tof32(f32tof16(f[4]))", 1.25),
    _row("v", 6, before="float v; give(f[1], v);"),
    _row("v", 3, before="float v = f[1]; add(v);"),
    _row("v", 3, -5.5, before="float2 v = float2(f[1], f[0]); add(v.x);"),
    _row("v[1]", 2, before="float v[2]; v[0] = 0; v[1] = 1; add(v[n[7]]);"),
    _whole("v", 6, before="int v; give(f[1], v);"),
    _row("v", 13, before="float v = f[1]; both(v, v);"),
    _row("m[1][1]", 4, before="float2x2 m = {f[0], f[1], f[2], f[3]}; grow(m);"),
    _row("m[1][1]", 4, before="float2x2 m = {f[0], f[1], f[2], f[3]}; add(m[1][1]);"),
)  # fmt: skip

TABLES = {"remainders": REMAINDERS, "products": PRODUCTS, "casts": CASTS, "functions": FUNCTIONS}


def text_of(rows: tuple[Row, ...]) -> str:
    """A compute shader that writes the numbers of rows to buffer 0, one after the other."""
    lines = [HEAD]
    place = 0
    for row in rows:
        size = len(row.expected)
        kind = ("int" if row.is_whole else "float") + (str(size) if size > 1 else "")
        lines.append(f"{{ {row.before}\n{kind} result = {row.expression};")
        for number in range(size):
            part = f"result[{number}]" if size > 1 else "result"
            lines.append(f"o[{place}] = {f'asfloat({part})' if row.is_whole else part};")
            place += 1
        lines.append("}")
    return "\n".join([*lines, "}", ""])
