"""Expressions of the generator, as templates by type.

Placeholders: ``{a}`` an expression of the same type, ``{e}`` floats of the same size that are the same words on both sides, ``{f}`` a
float, ``{v}`` a vector of floats of any size, ``{i}`` an int, ``{I}`` and ``{U}`` ints and uints of the same size, ``{b}`` a condition,
``{B}`` conditions of the same size, ``{T}`` the type, ``{n}`` the size, ``{M}`` the uniform matrix of the size, ``{c}`` a component,
``{u}`` the suffix of a literal.
"""

from __future__ import annotations

FLOATS = """
({a} + {a}) * 0.5 ; ({a} - {a}) * 0.5 ; {a} * {a} * 0.5 ; {a} * 0.3 + {a} * 0.6 ; -{a} ; mix({a}, {a}, clamp({a}, 0.0, 1.0))
mix({a}, {a}, 0.25) ; sin({a}) ; cos({a}) ; tan({a} * 0.4) ; exp2({a}) * 0.5 ; exp({a}) * 0.25 ; log2(abs({a}) + 0.5) ; log(abs({a}) + 0.5)
sqrt(abs({a}) + 0.25) ; inversesqrt(abs({a}) + 0.5) ; pow(abs({a}) * 0.5 + 0.25, {T}(1.5)) ; pow(abs({a}) * 0.5 + 0.25, abs({a}))
{a} / (abs({a}) + 1.0) ; min({a}, {a}) ; max({a}, {a}) ; clamp({a}, -1.0, 1.0) ; abs({a}) ; smoothstep(-1.5, 1.5, {a}) ; tanh({a})
sinh({a}) * 0.5 ; cosh({a}) * 0.5 ; fma({a}, {a}, {a}) * 0.3 ; radians({a} * 50.0) ; floor({e}) ; ceil({e}) ; trunc({e}) ; roundEven({e})
fract({e}) ; mod({e}, 0.7) ; sign({e}) ; step({e}, {e}) ; {b} ? {a} : {a} ; {T}({I} & 255) * (1.0 / 128.0) - 1.0 ; abs({e}) ; {e} * 0.5
"""
"""Templates for every size. Lines and semicolons part them."""
# abs stands before a computed index: Mesa 22.3 takes that component of a uniform itself, and drops the swizzle between (seed 1058)
SCALARS = """
dot({v}, {v}) * 0.12 ; length({v}) * 0.5 ; distance({v}, {v} + 2.0) * 0.25 ; table[{i} & 3] ; k[{i} & 3].{c} ; abs({v})[{i} & 1]
determinant(mat3(m) + mat3(4.0)) * (1.0 / 128.0) ; intBitsToFloat(floatBitsToInt({e})) ; ldexp({e}, {i} & 1)
"""
VECTORS = """
{T}({f}) ; normalize({a} + 3.0) ; ({M} * {a}) * 0.2 ; ({a} * {M}) * 0.2 ; (transpose({M}) * {a}) * 0.2 ; inverse({M} + mat{n}(5.0)) * {a}
outerProduct({a}, {a})[{i} & 1] * 0.5 ; matrixCompMult({M}, outerProduct({a}, {a}))[1] * 0.3 ; faceforward({a}, {e}, {e})
reflect({a}, normalize({e} + 3.0)) * 0.3 ; mix({a}, {a}, {B}) ; {T}(lessThan({e}, {e}))
"""
SIZED = {
    2: "vec2({f}, {f}) ; unpackHalf2x16(packHalf2x16({e})) ; unpackUnorm2x16(uint({i})) ; unpackSnorm2x16(uint({i}))",
    3: "vec3({f}, {f}, {f}) ; cross({a}, {a}) * 0.25 ; vec3({f}, {a}.zx)",
    4: """vec4({a}.xw, {f}, {f}) ; vec4({a}.yzx, {f}) ; unpackUnorm4x8(uint({i})) ; unpackSnorm4x8(uint({i})) ; textureLod(s0, {a}.xz, 0.0)
          texelFetch(s0, ivec2({i} & 7, {i} & 7), 0) ; textureGather(s0, {e}.xy, 1)""",
}

WHOLE = """
{a} + {a} ; {a} - {a} ; {a} * {a} ; {a} & {a} ; {a} | {a} ; {a} ^ {a} ; ~{a} ; {a} << ({a} & 31{u}) ; {a} >> ({a} & 31{u})
({a} & 32767{u}) / (({a} & 255{u}) + 1{u}) ; ({a} & 32767{u}) % (({a} & 255{u}) + 1{u}) ; min({a}, {a}) ; max({a}, {a})
clamp({a}, {T}(3), {T}(1000)) ; bitfieldReverse({a}) ; bitfieldExtract({a}, 3, 9) ; bitfieldExtract({a}, {i} & 15, 7)
bitfieldInsert({a}, {a}, 5, 11) ; bitfieldInsert({a}, {a}, {i} & 15, 3) ; {b} ? {a} : {a}
"""
WHOLE_BY_KIND = {
    "int": """
-{a} ; abs({a}) ; sign({a}) ; bitCount({a}) ; findLSB({a}) ; findMSB({a}) ; {T}({e} * 4.0)
floatBitsToInt({e}) ; {a} / 7 ; {T}({U})""",
    "uint": "{a} / ({a} | 1u) ; {a} % ({a} | 1u) ; {T}(abs({e}) * 4.0) ; floatBitsToUint({e}) ; {T}({I}) ; {a} >> 3u",
}
WHOLE_SCALARS = {
    "int": "numbers[{i} & 3]",
    "uint": "packUnorm4x8(vec4({e})) ; packSnorm2x16(vec2({e}, -0.25)) ; packHalf2x16(vec2({e}, 0.5)) ; uint(numbers[{i} & 3])",
}
CONDITIONS = """
{i} < {i} ; {i} <= {i} ; {i} > {i} ; {i} >= {i} ; {i} == {i} ; {i} != {i} ; uint({i}) < uint({i}) ; {e} < {e} ; {e} >= {e}
any({B}) ; all({B}) ; {b} && {b} ; {b} || {b} ; {b} ^^ {b} ; !{b}
"""
PAIRS = (
    "lessThan({e}, {e}) ; greaterThanEqual({e}, {e}) ; lessThan({I}, {I}) ; equal({I}, {I}) ; notEqual({U}, {U}) ; greaterThan({U}, {U})"
)
"""Vectors of conditions."""


def templates(*tables: str) -> list[str]:
    """The templates of tables, each in brackets."""
    found = []
    for table in tables:
        for line in table.strip().splitlines():
            found += [f"({one.strip()})" for one in line.split(" ; ")]
    return found
