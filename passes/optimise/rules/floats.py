"""Rules of 32-bit floats.

Arithmetic makes every NaN canonical, so x * 1.0 is not x unless x is a `number`. `OPERANDS` has the rules that hold up to the bits of a
NaN: a source that does not show those bits may read x in its place.
"""

from __future__ import annotations

from passes.optimise.rules.rule import read_rule

FLOATS = (
    # neutral constants
    read_rule("float product with 1.0", "MUL(x:number, 1.0)", "x"),
    read_rule("float sum with -0.0", "ADD(x:number, -0.0)", "x"),
    read_rule("float sum with 0.0", "ADD(x:unsigned, 0.0)", "x"),
    read_rule("float sum of a whole number and 0.0", "ADD(x:whole, 0.0)", "x"),
    read_rule("float quotient by 1.0", "DIV(x:number, 1.0)", "x"),
    read_rule("float product and sum with factor 1.0", "MAD(x, 1.0, y)", "ADD(x, y)"),
    read_rule("float product and sum with factor -1.0", "MAD(x, -1.0, y)", "ADD(-x, y)"),
    read_rule("float product and sum with summand -0.0", "MAD(x, y, -0.0)", "MUL(x, y)", product="any"),
    read_rule("fused product and sum with factor 1.0", "FMA(x, 1.0, y)", "ADD(x, y)", bound="10^6 pairs in the interpreter"),
    read_rule("float product of constants and sum", "MAD(k, m, x)", "ADD(x, MUL(k, m))"),
    read_rule("float product with 0.0 of a whole number", "MUL(x:unit, 0.0)", "0.0", product="any"),
    read_rule("float quotient by a power of two", "DIV(x, k)", "MUL(x, RCP(k))", "USEQ(AND(k, 0x807FFFFF), 0)", "USLT(UADD(k, 0xFF800000), 0x7E000000)"),  # noqa: E501
    # less instructions for the same roundings
    read_rule("product and sum", "ADD(MUL(x, y), z)", "MAD(x, y, z)", product="any"),
    read_rule("negated product and sum", "ADD(-MUL(x, y), z)", "MAD(-x, y, z)"),
    read_rule("interpolation", "MAD(x, ADD(y, -z), z)", "LRP(x, y, z)", product="any"),
    read_rule("reciprocal of a root", "RCP(SQRT(x))", "RSQ(x)"),
    read_rule("quotient of 1.0", "DIV(1.0, x)", "RCP(x)"),
    read_rule("product of negations", "MUL(-x, -y)", "MUL(x, y)"),
    read_rule("product of negations and sum", "MAD(-x, -y, z)", "MAD(x, y, z)"),
    read_rule("quotient of negations", "DIV(-x, -y)", "DIV(x, y)"),
    # minimum and maximum
    read_rule("float minimum with itself", "MIN(x, x)", "x"),
    read_rule("float maximum with itself", "MAX(x, x)", "x"),
    read_rule("float minimum repeated", "MIN(MIN(x, y), y)", "MIN(x, y)"),
    read_rule("float maximum repeated", "MAX(MAX(x, y), y)", "MAX(x, y)"),
    read_rule("float minimum repeated on the right", "MIN(y, MIN(x, y))", "MIN(x, y)"),
    read_rule("float minimum repeated from the left", "MIN(x, MIN(x, y))", "MIN(x, y)"),
    read_rule("float maximum repeated on the right", "MAX(y, MAX(x, y))", "MAX(x, y)"),
    read_rule("float maximum repeated from the left", "MAX(x, MAX(x, y))", "MAX(x, y)"),
    read_rule("float maximum of a minimum", "MAX(MIN(x, y), y)", "y"),
    read_rule("float minimum of a maximum", "MIN(MAX(x, y), y)", "y"),
    read_rule("float minimum of a minimum", "MIN(MIN(x, k), m)", "MIN(x, MIN(k, m))", "FSEQ(k, k)", "FSEQ(m, m)"),
    read_rule("float maximum of a maximum", "MAX(MAX(x, k), m)", "MAX(x, MAX(k, m))", "FSEQ(k, k)", "FSEQ(m, m)"),
    read_rule("maximum of a float with sign 0 and 0.0", "MAX(0.0, x:unsigned)", "x"),
    read_rule("maximum of 1.0 or 0.0 and 0.0", "MAX(x:unit, 0.0)", "x"),
    read_rule("minimum of 1.0 or 0.0 and 1.0", "MIN(x:unit, 1.0)", "x"),
    # saturation
    read_rule("saturation twice", "MOV_SAT(x:saturated)", "x"),
    read_rule("saturated minimum with 1.0", "MIN_SAT(1.0, x)", "MOV_SAT(x)"),
    read_rule("clamp of a whole number", "MIN(MAX(x:whole, 0.0), 1.0)", "MOV_SAT(x)"),
    read_rule("clamp of a whole number, from above", "MAX(MIN(x:whole, 1.0), 0.0)", "MOV_SAT(x)"),
    read_rule("clamp of a float with sign 0", "MIN(1.0, x:unsigned)", "MOV_SAT(x)"),
    read_rule("saturated sum", "MOV_SAT(ADD(x, y))", "ADD_SAT(x, y)"),
    read_rule("saturated product", "MOV_SAT(MUL(x, y))", "MUL_SAT(x, y)", product="any"),
    read_rule("saturated product and sum", "MOV_SAT(MAD(x, y, z))", "MAD_SAT(x, y, z)", product="any"),
    read_rule("saturated interpolation", "MOV_SAT(LRP(x, y, z))", "LRP_SAT(x, y, z)", product="any"),
    read_rule("saturated float choice", "MOV_SAT(CMP(x, y, z))", "CMP_SAT(x, y, z)"),
    read_rule("saturated choice", "MOV_SAT(UCMP(x, y, z))", "UCMP_SAT(x, y, z)"),
    read_rule("saturated minimum", "MOV_SAT(MIN(x, y))", "MIN_SAT(x, y)"),
    read_rule("saturated maximum", "MOV_SAT(MAX(x, y))", "MAX_SAT(x, y)"),
    read_rule("saturated quotient", "MOV_SAT(DIV(x, y))", "DIV_SAT(x, y)"),
    read_rule("saturated reciprocal", "MOV_SAT(RCP(x))", "RCP_SAT(x)"),
    read_rule("saturated reciprocal root", "MOV_SAT(RSQ(x))", "RSQ_SAT(x)"),
    read_rule("saturated root", "MOV_SAT(SQRT(x))", "SQRT_SAT(x)"),
    # integers among floats
    read_rule("floor of an integral number", "FLR(x:integral)", "x"),
    read_rule("ceiling of an integral number", "CEIL(x:integral)", "x"),
    read_rule("integer part of an integral number", "TRUNC(x:integral)", "x"),
    read_rule("rounded integral number", "ROUND(x:integral)", "x"),
    read_rule("fraction of a whole number", "FRC(x:whole)", "0.0"),
    read_rule("float sign twice", "SSG(SSG(x))", "SSG(x)"),
    read_rule("integer of an integer part", "F2I(TRUNC(x))", "F2I(x)"),
    read_rule("unsigned integer of an integer part", "F2U(TRUNC(x))", "F2U(x)"),
    read_rule("address of a floor", "ARL(FLR(x))", "ARL(x)"),
    # powers
    read_rule("power 0.0", "POW(x, 0.0)", "1.0", bound="10^6 words in both engines"),
    read_rule("power of 1.0", "POW(1.0, x)", "1.0", bound="10^6 words in both engines"),
)  # fmt: skip

OPERANDS = (
    # for every source that takes the modifiers of an integer
    read_rule("negation as a modifier", "INEG(x)", "-x"),
    read_rule("absolute value as a modifier", "IABS(x)", "|x|"),
    # for every source that does not show the bits of a NaN
    read_rule("product with 1.0 as a source", "MUL(x, 1.0)", "x"),
    read_rule("product with -1.0 as a source", "MUL(x, -1.0)", "-x"),
    read_rule("sum with -0.0 as a source", "ADD(x, -0.0)", "x"),
    read_rule("quotient by -1.0 as a source", "DIV(x, -1.0)", "-x"),
)
"""Rules of one source: its definition is read through, in sources that take the modifiers."""
