"""Functions that emitted programs define for operations that TGSI defines and GLSL leaves undefined."""

from __future__ import annotations

from collections.abc import Collection

from backends.glsl.expressions import INT, UINT, type_name


def _divide(kind: str) -> str:
    zero, none = ("0", "0") if kind == INT else ("0u", "0xffffffffu")
    test = f"b == {zero} ? {none} : "
    last = "b == -1 ? -a : a / b" if kind == INT else "a / b"
    return f"{kind} divide({kind} a, {kind} b) {{ return {test}{last}; }}"


def _remainder(kind: str) -> str:
    if kind == INT:
        return "int remainder(int a, int b) { return b == 0 ? -1 : a - b * divide(a, b); }"
    return "uint remainder(uint a, uint b) { return b == 0u ? 0xffffffffu : a % b; }"


def _high(kind: str) -> str:
    name = "imulExtended" if kind == INT else "umulExtended"
    return f"{kind} highProduct({kind} a, {kind} b) {{ {kind} high, low; {name}(a, b, high, low); return high; }}"


_SCALARS = {"divide": _divide, "remainder": _remainder, "highProduct": _high}
_NEEDS = {("remainder", INT): ("divide", INT)}

_WHOLE = {
    "lit": """vec4 lit(float x, float y, float w)
{
    float power = w < 128.0 ? max(w, -128.0) : 128.0;
    float specular = power == 0.0 ? 1.0 : pow(y > 0.0 ? y : 0.0, power);
    return vec4(1.0, x > 0.0 ? x : 0.0, x > 0.0 ? specular : 0.0, 1.0);
}""",
    "logarithm": """vec4 logarithm(float a)
{
    int exponent;
    float x = abs(a), whole = log2(x), part = frexp(x, exponent);
    return x > 0.0 && !isinf(x) ? vec4(float(exponent - 1), 2.0 * part, whole, 1.0) : vec4(whole, x - x, whole, 1.0);
}""",
    "packHalves": """uint packHalves(vec2 a)
{
    uvec2 above = (floatBitsToUint(a) & 0x7fffffffu) - 0x47800000u; // from 65536 to infinity
    return packHalf2x16(mix(a, clamp(a, -65504.0, 65504.0), lessThan(above, uvec2(0x38000000u))));
}""",
    "packBytes": "uint packBytes(vec4 a) { return packSnorm4x8(mix(vec4(0.0), a, equal(a, a))); }",
}
"""Functions with one signature, whole."""


def definitions(used: Collection[tuple[str, str, int]]) -> list[str]:
    """Lines that define the called functions, given by names, types and sizes."""
    lines = [_WHOLE[name] for name in sorted({name for name, _, _ in used} & _WHOLE.keys())]
    wanted = {(name, kind, size) for name, kind, size in used if name not in _WHOLE}
    wanted |= {(name, kind, 1) for name, kind, _ in wanted}
    wanted |= {(*_NEEDS[name, kind], 1) for name, kind, _ in wanted if (name, kind) in _NEEDS}
    order = list(_SCALARS)
    for name, kind, size in sorted(wanted, key=lambda item: (order.index(item[0]), item[1] == UINT, item[2])):
        if size == 1:
            lines.append(_SCALARS[name](kind))
        else:
            vector = type_name(kind, size)
            parts = ", ".join(f"{name}(a.{c}, b.{c})" for c in "xyzw"[:size])
            lines.append(f"{vector} {name}({vector} a, {vector} b) {{ return {vector}({parts}); }}")
    return lines
