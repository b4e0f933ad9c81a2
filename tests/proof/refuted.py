"""Rules that look right and are wrong: the solver finds words for which they differ. docs/passes.md shows them."""

from __future__ import annotations

from passes.optimise.rules.rule import read_rule

REFUTED = (
    read_rule("a float plus 0.0", "ADD(x, 0.0)", "x"),
    read_rule("a float plus -0.0 whose NaN may be any", "ADD(x, -0.0)", "x"),
    read_rule("a float times 1.0 whose NaN may be any", "MUL(x, 1.0)", "x"),
    read_rule("a float times 0.0", "MUL(x, 0.0)", "0.0"),
    read_rule("a float times -1.0", "MUL(x:number, -1.0)", "-x"),
    read_rule("a float less itself", "ADD(x, -x)", "0.0"),
    read_rule("a float divided by itself", "DIV(x, x)", "1.0"),
    read_rule("a float equal to itself", "FSEQ(x, x)", "~0"),
    read_rule("a float at least itself", "FSGE(x, x)", "~0"),
    read_rule("the opposite of less", "NOT(FSLT(x, y))", "FSGE(x, y)"),
    read_rule("less is 0.0", "SEQ(SLT(x, y), 0.0)", "SGE(x, y)"),
    read_rule("reciprocal twice", "RCP(RCP(x))", "x"),
    read_rule("product with a reciprocal", "MUL(x, RCP(y))", "DIV(x, y)"),
    read_rule("reciprocal of a reciprocal root", "RCP(RSQ(x))", "SQRT(x)"),
    read_rule("sums in another order", "ADD(ADD(x, k), m)", "ADD(x, ADD(k, m))"),
    read_rule("clamp as saturation", "MIN(MAX(x, 0.0), 1.0)", "MOV_SAT(x)"),
    read_rule("clamp as saturation, constants on the left", "MIN(1.0, MAX(0.0, x))", "MOV_SAT(x)"),
    read_rule("maximum of a value and its negation", "MAX(x, -x)", "|x|"),
    read_rule("float choice by at least 0.0", "CMP(-SGE(x, 0.0), y, z)", "CMP(x, z, y)"),
    read_rule("interpolation by 1.0", "LRP(1.0, x, y)", "x"),
    read_rule("interpolation by 0.0", "LRP(0.0, x, y)", "y"),
    read_rule("interpolation between equals", "LRP(x, y, y)", "y"),
    read_rule("value less its floor", "ADD(x, -FLR(x))", "FRC(x)"),
    read_rule("product and sum as a fused one", "MAD(x, y, z)", "FMA(x, y, z)"),
    read_rule("integer through a float, any size", "F2I(I2F(x))", "x"),
    read_rule("quotient by itself", "UDIV(x, x)", "1"),
    read_rule("absolute value is not negative", "ISGE(IABS(x), 0)", "~0"),
    read_rule("signed quotient by a power of two", "IDIV(x, k)", "ISHR(x, LSB(k))", "USEQ(POPC(k), 1)"),
    read_rule("signed order after a sum", "ISLT(UADD(x, k), m)", "ISLT(x, UADD(m, INEG(k)))"),
    read_rule("shift right of a shift left by the same", "USHR(SHL(x, k), k)", "x"),
    read_rule("a float times 1.0 where zero wins", "MUL(x:number, 1.0)", "x", product="any"),
)  # fmt: skip

WORDS = {
    "reciprocal twice": {"x": 0x00000001},
    "product with a reciprocal": {"x": 0x00000001, "y": 0x00000001},
    "product and sum as a fused one": {"x": 0x3F800001, "y": 0x3F800001, "z": 0xBF800002},
    "sums in another order": {"k": 0x497DC840, "m": 0x80800000},
    "signed quotient by a power of two": {"k": 8},
    "a float divided by itself": {"x": 0},
    "reciprocal of a reciprocal root": {"x": 0x40400000},
    "interpolation by 1.0": {"y": 0x7F800000},
}
"""Words for rules where the solver needs long to find some."""
