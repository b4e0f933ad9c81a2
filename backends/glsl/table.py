"""One expression of GLSL for each opcode that computes: the only place that says how.

A rule takes the sources as expressions of the types that the opcode's row names (`INTEGER` means the registers' type, int or uint) and
returns the result: for component-wise opcodes a vector, or a scalar for all channels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from backends.glsl.expressions import (
    AND,
    BOOL,
    EITHER,
    FLOAT,
    INT,
    OR,
    PRIMARY,
    PRODUCT,
    RELATION,
    SHIFT,
    SUM,
    UINT,
    UNARY,
    XOR,
    Expr,
    call,
    chosen,
    convert,
    infix,
    joined,
    literal,
    swizzled,
    type_name,
    widen,
)
from tgsi.language.record import record

INTEGER = "integer"
"""Type of operands that may be int or uint: that of the surrounding registers."""

Make = Callable[..., Expr]


@record
class Rule:
    """The expression of an opcode, the types of its sources if they differ from its row, and the helper that it calls."""

    make: Make
    types: tuple[str, ...] = ()
    helper: str = ""


def _same_size(values: tuple[Expr, ...]) -> list[Expr]:
    size = max(value.size for value in values)
    return [widen(value, size) for value in values]


def _operator(op: str, level: int, *types: str) -> Rule:
    return Rule(lambda a, b: infix(op, level, a, b), types)


def _function(name: str, *types: str, kind: str | None = None, helper: str = "") -> Rule:
    return Rule(lambda *values: call(name, *_same_size(values), kind=kind), types, helper)


def _limit(name: str, *types: str) -> Rule:
    """`min` and `max`, whose second argument may be a scalar."""

    def make(a: Expr, b: Expr) -> Expr:
        if a.size < b.size:
            a, b = b, a
        return call(name, a, b)

    return Rule(make, types)


def _compare(op: str, function: str, a: Expr, b: Expr) -> Expr:
    if a.size == b.size == 1:
        return infix(op, RELATION, a, b, BOOL)
    return call(function, *_same_size((a, b)), kind=BOOL)


_COMPARISONS = {"<": "lessThan", ">=": "greaterThanEqual", ">": "greaterThan", "<=": "lessThanEqual", "==": "equal", "!=": "notEqual"}


def _test(op: str, *types: str) -> Rule:
    """A comparison whose result is all bits or none: a bool."""
    return Rule(lambda a, b: _compare(op, _COMPARISONS[op], a, b), types)


def _truth(op: str) -> Rule:
    """A comparison whose result is 1.0 or 0.0."""

    def make(a: Expr, b: Expr) -> Expr:
        truth = _compare(op, _COMPARISONS[op], a, b)
        return call(type_name(FLOAT, truth.size), truth, kind=FLOAT)

    return Rule(make)


def _negated(a: Expr) -> Expr:
    return Expr(f"-{a.within(UNARY - 1)}", a.type, a.size, UNARY)


def _integer_sum(a: Expr, b: Expr) -> Expr:
    if a.words == (0,) and b.size >= a.size:
        return b
    if b.words == (0,) and a.size >= b.size:
        return a
    return infix("+", SUM, b, a) if a.words and not b.words else infix("+", SUM, a, b)


def _dot(size: int) -> Make:
    return lambda a, b: call("dot", widen(a, size), widen(b, size), size=1)


def _mad(a: Expr, b: Expr, c: Expr) -> Expr:
    return infix("+", SUM, infix("*", PRODUCT, a, b), c)


def _mix(a: Expr, b: Expr, c: Expr) -> Expr:
    size = max(a.size, b.size, c.size)
    return call("mix", widen(c, size), widen(b, size), a)


def _reciprocal(a: Expr) -> Expr:
    return infix("/", PRODUCT, literal((0x3F800000,), FLOAT), a)


def _less_than_zero(a: Expr, b: Expr, c: Expr) -> Expr:
    return chosen(_compare("<", "lessThan", a, literal((0,), FLOAT)), b, c)


def _shift(op: str) -> Make:
    def make(a: Expr, b: Expr) -> Expr:
        if b.words:
            b = literal([word & 31 for word in b.words], INT)
        else:
            b = infix("&", AND, b, literal((31,), b.type))
        if a.size < b.size:
            a = widen(a, b.size)
        return infix(op, SHIFT, a, b)

    return make


def _divided(op: str, name: str) -> Make:
    """Division: with the operator for literals, otherwise with a helper that checks for 0."""

    def make(a: Expr, b: Expr) -> Expr:
        if b.words and all(b.words) and (a.type == UINT or (op == "/" and all(word != 0xFFFFFFFF for word in b.words))):
            return infix(op, PRODUCT, a, b)
        return call(name, *_same_size((a, b)))

    return make


def _by_channel(make: Make) -> Make:
    """A function of scalars, called for each channel."""

    def all_channels(*values: Expr) -> Expr:
        size = max(value.size for value in values)
        return joined([make(*(swizzled(value, (c,)) for value in values)) for c in range(size)])

    return all_channels


def _complement(a: Expr) -> Expr:
    if a.type == BOOL:
        return Expr(f"!{a.within(UNARY)}", BOOL, 1, UNARY) if a.size == 1 else call("not", a)
    return Expr(f"~{a.within(UNARY)}", a.type, a.size, UNARY)


def _logic(op: str, level: int, scalar: str, scalar_level: int) -> Make:
    def make(a: Expr, b: Expr) -> Expr:
        if a.type != BOOL:
            return infix(op, level, a, b)
        if a.size == b.size == 1:
            return infix(scalar, scalar_level, a, b)
        a, b = _same_size((a, b))
        left, right = (Expr(f"{type_name(UINT, v.size)}({v})", UINT, v.size) for v in (a, b))
        inner = infix(op, level, left, right)
        return call(type_name(BOOL, a.size), inner, kind=BOOL)

    return make


def _lit(a: Expr) -> Expr:
    x, y, w = (swizzled(a, (c,)) for c in (0, 1, 2))
    return call("lit", x, y, w, size=4)


def _exp(a: Expr) -> Expr:
    return Expr(f"vec4(exp2(floor({a})), {a.within(SUM)} - floor({a}), exp2({a}), 1.0)", FLOAT, 4)


def _distance(a: Expr, b: Expr) -> Expr:
    y, z, other_y, w = swizzled(a, (0,)), swizzled(a, (1,)), swizzled(b, (0,)), swizzled(b, (1,))
    return Expr(f"vec4(1.0, {infix('*', PRODUCT, y, other_y)}, {z}, {w})", FLOAT, 4)


def _unpacked(name: str, size: int) -> Rule:
    def make(a: Expr) -> Expr:
        value = call(name, a, kind=FLOAT, size=size)
        return value if size == 4 else Expr(f"{value}.xyxy", FLOAT, 4, PRIMARY)

    return Rule(make)


def _field(name: str) -> Make:
    def make(a: Expr, *others: Expr) -> Expr:
        *middle, offset, bits = others
        plain = [convert(item, INT) for item in (offset, bits)]
        if all(item.size == 1 for item in plain):
            return call(name, *_same_size((a, *middle)), *plain, kind=a.type, size=max(v.size for v in (a, *middle)))
        return _by_channel(lambda *v: call(name, *v, kind=v[0].type, size=1))(a, *middle, *plain)

    return make


def _counted(name: str) -> Make:
    return lambda a: call(name, a, kind=INT)


_ONE_INT, _TWO_INT = (INTEGER,), (INTEGER, INTEGER)
_FLOOR_HALF = literal((0x3F000000,), FLOAT)

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "ADD": _operator("+", SUM),
        "MUL": _operator("*", PRODUCT),
        "DIV": _operator("/", PRODUCT),
        "MAD": Rule(_mad),
        "FMA": _function("fma"),
        "LRP": Rule(_mix),
        "MIN": _limit("min"),
        "MAX": _limit("max"),
        "RCP": Rule(_reciprocal),
        "RSQ": _function("inversesqrt"),
        "SQRT": _function("sqrt"),
        "EX2": _function("exp2"),
        "LG2": _function("log2"),
        "POW": _function("pow"),
        "SIN": _function("sin"),
        "COS": _function("cos"),
        "DP2": Rule(_dot(2)),
        "DP3": Rule(_dot(3)),
        "DP4": Rule(_dot(4)),
        "DST": Rule(_distance),
        "LIT": Rule(_lit, helper="lit"),
        "EXP": Rule(_exp),
        "LOG": Rule(lambda a: call("logarithm", a, size=4), helper="logarithm"),
        "FRC": _function("fract"),
        "FLR": _function("floor"),
        "CEIL": _function("ceil"),
        "TRUNC": _function("trunc"),
        "ROUND": _function("roundEven"),
        "SSG": _function("sign"),
        "CMP": Rule(_less_than_zero),
        "DDX": _function("dFdx"),
        "DDY": _function("dFdy"),
        "DDX_FINE": _function("dFdxFine"),
        "DDY_FINE": _function("dFdyFine"),
        "SLT": _truth("<"),
        "SGE": _truth(">="),
        "SGT": _truth(">"),
        "SLE": _truth("<="),
        "SEQ": _truth("=="),
        "SNE": _truth("!="),
        "FSLT": _test("<"),
        "FSGE": _test(">="),
        "FSEQ": _test("=="),
        "FSNE": _test("!="),
        "ISLT": _test("<"),
        "ISGE": _test(">="),
        "USLT": _test("<"),
        "USGE": _test(">="),
        "USEQ": _test("==", *_TWO_INT),
        "USNE": _test("!=", *_TWO_INT),
        "LDEXP": _function("ldexp", FLOAT, INT),
        "ARL": Rule(lambda a: call(type_name(INT, a.size), call("floor", a), kind=INT)),
        "ARR": Rule(lambda a: call(type_name(INT, a.size), call("floor", infix("+", SUM, a, _FLOOR_HALF)), kind=INT)),
        "UARL": Rule(lambda a: a, (INT,)),
        "I2F": Rule(lambda a: call(type_name(FLOAT, a.size), a, kind=FLOAT)),
        "U2F": Rule(lambda a: call(type_name(FLOAT, a.size), a, kind=FLOAT)),
        "F2I": Rule(lambda a: call(type_name(INT, a.size), a, kind=INT)),
        "F2U": Rule(lambda a: call(type_name(UINT, a.size), a, kind=UINT)),
        "UADD": Rule(_integer_sum, _TWO_INT),
        "UMUL": _operator("*", PRODUCT, *_TWO_INT),
        "UMAD": Rule(_mad, (INTEGER, INTEGER, INTEGER)),
        "INEG": Rule(_negated, _ONE_INT),
        "IABS": _function("abs"),
        "ISSG": _function("sign"),
        "IMIN": _limit("min"),
        "IMAX": _limit("max"),
        "UMIN": _limit("min"),
        "UMAX": _limit("max"),
        "IDIV": Rule(_divided("/", "divide"), helper="divide"),
        "UDIV": Rule(_divided("/", "divide"), helper="divide"),
        "MOD": Rule(_divided("%", "remainder"), helper="remainder"),
        "UMOD": Rule(_divided("%", "remainder"), helper="remainder"),
        "IMUL_HI": _function("highProduct", helper="highProduct"),
        "UMUL_HI": _function("highProduct", helper="highProduct"),
        "SHL": Rule(_shift("<<"), _TWO_INT),
        "ISHR": Rule(_shift(">>"), (INT, INTEGER)),
        "USHR": Rule(_shift(">>"), (UINT, INTEGER)),
        "AND": Rule(_logic("&", AND, "&&", 12), _TWO_INT),
        "OR": Rule(_logic("|", OR, "||", EITHER), _TWO_INT),
        "XOR": Rule(_logic("^", XOR, "^^", 13), _TWO_INT),
        "NOT": Rule(_complement, _ONE_INT),
        "IBFE": Rule(_field("bitfieldExtract")),
        "UBFE": Rule(_field("bitfieldExtract")),
        "BFI": Rule(_field("bitfieldInsert")),
        "BREV": _function("bitfieldReverse", UINT),
        "POPC": Rule(_counted("bitCount")),
        "LSB": Rule(_counted("findLSB")),
        "IMSB": Rule(_counted("findMSB")),
        "UMSB": Rule(_counted("findMSB")),
        "PK2H": Rule(lambda a: call("packHalves", widen(a, 2), kind=UINT, size=1), helper="packHalves"),
        "PK2US": Rule(lambda a: call("packUnorm2x16", widen(a, 2), kind=UINT, size=1)),
        "PK4B": Rule(lambda a: call("packBytes", widen(a, 4), kind=UINT, size=1), helper="packBytes"),
        "PK4UB": Rule(lambda a: call("packUnorm4x8", widen(a, 4), kind=UINT, size=1)),
        "UP2H": _unpacked("unpackHalf2x16", 2),
        "UP2US": _unpacked("unpackUnorm2x16", 2),
        "UP4B": _unpacked("unpackSnorm4x8", 4),
        "UP4UB": _unpacked("unpackUnorm4x8", 4),
    }
)
"""Rules by opcode."""

TRUTHS = frozenset(name for name, rule in RULES.items() if name[0] in "FIU" and name[1:] in ("SLT", "SGE", "SEQ", "SNE"))
"""Opcodes whose result is a bool."""

LOGIC = frozenset({"AND", "OR", "XOR", "NOT"})
"""Opcodes whose result is a bool where their sources are."""
