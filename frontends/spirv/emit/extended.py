"""The functions of GLSL.std.450 and of SPV_AMD_shader_trinary_minmax."""

from __future__ import annotations

import math
from collections.abc import Callable

from frontends.spirv.emit import chain, trigonometry
from frontends.spirv.emit.arithmetic import integers
from frontends.spirv.emit.code import Ref, Refs, immediate
from frontends.spirv.emit.composites import columns
from frontends.spirv.emit.floats import Floats
from frontends.spirv.emit.matrices import determinant, inverse
from frontends.spirv.emit.memory import pick, register_of
from frontends.spirv.emit.packing import Function, frexp, modf, pack_halves, packed, unpack_signed, unpacked
from frontends.spirv.emit.places import Registers
from frontends.spirv.emit.registry import emits
from frontends.spirv.emit.state import State
from frontends.spirv.module.errors import Op
from frontends.spirv.module.grammar import LIBRARIES
from frontends.spirv.module.types import Float, Matrix, is_wide, scalar
from tgsi.language.facts.enums import File, Processor
from tgsi.language.ir import SrcOperand


@emits("ExtInst")
def _function(s: State, op: Op) -> None:
    library = s.tables.extended.get(op.id(0), "")
    if library.startswith("NonSemantic."):
        return
    if library not in LIBRARIES:
        s.fail("M020", f"the instructions of {library or 'an unknown set'} are not supported", op)
    name = LIBRARIES[library].get(op.id(1))
    function = _FUNCTIONS.get(name or "")
    if name is None or function is None:
        s.fail("M021", f"the function {name or op.id(1)} of {library} is not supported", op)
    first = op.id(2)
    if name in _ON_POINTERS:
        s.bind(op, function(s, op, Floats(s, False), []))
        return
    kind = s.kind(first)
    is_float = isinstance(kind, Matrix) or isinstance(scalar(kind), Float)
    values = [s.value(id) if is_float else integers(s, id) for id in op.ids(2) if id not in s.places and id not in s.tables.globals]
    floats = Floats(s, is_float and is_wide(kind))
    if floats.wide and name in _NARROW:
        s.fail("M021", f"the function {name} of {library} is not supported for 64 bits", op)
    s.bind(op, function(s, op, floats, values))


def _lanes(opcode: str, wide: str = "") -> Function:
    def function(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
        if is_wide(s.result(op)):
            if not wide:
                s.fail("M021", "the function is not supported for 64 bits", op)
            return s.code.pairs(wide, *values, precise=s.precise)
        return s.code.lanes(opcode, *values, precise=s.precise)

    return function


def _each(opcode: str, wide: str = "") -> Function:
    def function(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
        return s.code.pairs(wide, *values) if f.wide else s.code.each(opcode, *values)

    return function


def _clamp(low: str, high: str, wide_low: str, wide_high: str) -> Function:
    def function(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
        raised = _lanes(high, wide_high)(s, op, f, values[:2])
        return _lanes(low, wide_low)(s, op, f, [raised, values[2]])

    return function


def _of_three(*opcodes: str) -> Function:
    """The minimum or maximum of three values with one opcode; the median with both opcodes."""

    def function(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
        a, b, c = values
        low, high = opcodes[0], opcodes[-1]
        first = s.code.lanes(low, a, b)
        if low == high:
            return s.code.lanes(low, first, c)
        return s.code.lanes(high, first, s.code.lanes(low, s.code.lanes(high, a, b), c))

    return function


def _number(opcode: str) -> Function:
    """The minimum or maximum of two values; if one is NaN, the other one."""

    def function(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
        a, b = values
        return f.choose(f.test("ne", b, b), a, f.two(opcode, a, b))

    return function


def _number_clamp(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    return _number("MIN")(s, op, f, [_number("MAX")(s, op, f, values[:2]), values[2]])


def _scaled(factor: float) -> Function:
    return lambda s, op, f, values: f.multiply(values[0], f.number(factor, f.count(values[0])))


def _fract(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    return s.code.pairs("DFRAC", values[0]) if f.wide else s.code.lanes("FRC", values[0])


def _power(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    return s.code.each("POW", *values)


def _mix(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    x, y, a = values
    if not f.wide:
        return s.code.lanes("LRP", a, y, x, precise=s.precise)
    return f.add(f.multiply(x, f.subtract(f.number(1, f.count(a)), a)), f.multiply(y, a))


def _step(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    edge, x = values
    count = f.count(x)
    return f.choose(f.test("lt", x, edge), f.number(0, count), f.number(1, count))


def _smooth_step(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    low, high, x = values
    count = f.count(x)
    t = f.divide(f.subtract(x, low), f.subtract(high, low))
    t = f.minimum(f.maximum(t, f.number(0, count)), f.number(1, count))
    return f.multiply(f.multiply(t, t), f.multiply_add(f.number(-2, count), t, f.number(3, count)))


def _fused(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    return s.code.pairs("DFMA", *values) if f.wide else s.code.lanes("FMA", *values)


def _length(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    return s.code.plain(f.length(values[0]))


def _distance(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    return s.code.plain(f.length(f.subtract(*values)))


def _cross(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    def turned(value: Refs, first: int) -> list[Ref]:
        places = [(first + place) % 3 for place in range(3)]
        return [ref for place in places for ref in value[place * f.step : (place + 1) * f.step]]

    a, b = values
    back = f.multiply(turned(a, 2), turned(b, 1))
    return f.multiply_add(turned(a, 1), turned(b, 2), f.minus(back))


def _normalize(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    value = values[0]
    return f.multiply(value, f.spread(f.each("RSQ", f.dot(value, value)), f.count(value)))


def _face_forward(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    normal, incident, reference = values
    test = f.test("lt", f.dot(reference, incident), f.number(0))
    return f.choose(f.spread(test, f.count(normal)), normal, f.minus(normal))


def _reflect(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    incident, normal = values
    twice = f.multiply(f.dot(normal, incident), f.number(-2))
    return f.multiply_add(f.spread(twice, f.count(normal)), normal, incident)


def _refract(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    incident, normal, eta = values
    if f.wide and len(eta) == 1:
        eta = s.code.widened("F2D", eta)
    count = f.count(normal)
    d = f.dot(normal, incident)
    one = f.number(1)
    k = f.subtract(one, f.multiply(f.multiply(eta, eta), f.subtract(one, f.multiply(d, d))))
    factor = f.multiply_add(eta, d, f.each("SQRT", f.maximum(k, f.number(0))))
    bent = f.subtract(f.multiply(f.spread(eta, count), incident), f.multiply(f.spread(factor, count), normal))
    return f.choose(f.spread(f.test("lt", k, f.number(0)), count), f.number(0, count), bent)


def _determinant(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    return determinant(f, columns(s, op.id(2), op))


def _inverse(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    return inverse(f, columns(s, op.id(2), op))


def _ldexp(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    value, exponent = values[0], s.code.plain(values[1])
    if f.wide:
        return s.code.pairs("DLDEXP", value, exponent, narrow=(1,))
    half = s.code.lanes("ISHR", exponent, immediate(1) * len(exponent))  # 2^exponent may overflow, so scale in two halves
    rest = s.code.lanes("UADD", exponent, s.code.lanes("INEG", half))
    return s.code.lanes("LDEXP", s.code.lanes("LDEXP", value, half), rest)


def _interpolate(s: State, op: Op, f: Floats, values: list[list[Ref]]) -> list[Ref]:
    place = chain.place_of(s, op.id(2), op)
    if not isinstance(place, Registers) or place.file is not File.IN or s.processor is not Processor.FRAG:
        s.fail("M006", "an input of a fragment shader is interpolated", op)
    words = place.kind.words if place.pick is None else place.width
    order = [place.channel + word for word in range(words)]
    order += [order[-1]] * (4 - len(order))
    extra = [s.code.packed(s.value(op.id(3)), "float", plain=True)] if len(op.operands) > 3 else []
    operand = SrcOperand(register_of(s, place), (order[0], order[1], order[2], order[3]))
    name = {76: "INTERP_CENTROID", 77: "INTERP_SAMPLE", 78: "INTERP_OFFSET"}[op.id(1)]
    result = s.code.one(name, operand, *extra, words=words)
    return result if place.pick is None else pick(s, result, place.pick, 1)


def _trigonometric(name: str) -> Function:
    function = getattr(trigonometry, name)
    return lambda s, op, f, values: function(f, *values)


def _named(function: Callable[[Floats, str, Refs], list[Ref]], name: str) -> Function:
    return lambda s, op, f, values: function(f, name, values[0])


_KINDS = {"F": "", "U": "U", "S": "I"}
"""Letter of the number type in a function's name (F, U, S) -> prefix of the opcode."""

_FUNCTIONS: dict[str, Function] = {
    "Round": _lanes("ROUND", "DROUND"),
    "RoundEven": _lanes("ROUND", "DROUND"),
    "Trunc": _lanes("TRUNC", "DTRUNC"),
    "FAbs": lambda s, op, f, values: f.absolute(values[0]),
    "SAbs": _lanes("IABS", "I64ABS"),
    "FSign": _lanes("SSG", "DSSG"),
    "SSign": _lanes("ISSG", "I64SSG"),
    "Floor": _lanes("FLR", "DFLR"),
    "Ceil": _lanes("CEIL", "DCEIL"),
    "Fract": _fract,
    "Radians": _scaled(math.pi / 180),
    "Degrees": _scaled(180 / math.pi),
    "Sin": _each("SIN"),
    "Cos": _each("COS"),
    "Tan": _trigonometric("tangent"),
    "Asin": _trigonometric("arc_sine"),
    "Acos": _trigonometric("arc_cosine"),
    "Atan": _trigonometric("arc_tangent"),
    "Atan2": _trigonometric("arc_tangent_two"),
    "Sinh": _named(trigonometry.hyperbolic, "Sinh"),
    "Cosh": _named(trigonometry.hyperbolic, "Cosh"),
    "Tanh": _named(trigonometry.hyperbolic, "Tanh"),
    "Asinh": _named(trigonometry.inverse_hyperbolic, "Asinh"),
    "Acosh": _named(trigonometry.inverse_hyperbolic, "Acosh"),
    "Atanh": _named(trigonometry.inverse_hyperbolic, "Atanh"),
    "Pow": _power,
    "Exp": _trigonometric("exponential"),
    "Log": _trigonometric("logarithm"),
    "Exp2": _each("EX2"),
    "Log2": _each("LG2"),
    "Sqrt": _each("SQRT", "DSQRT"),
    "InverseSqrt": _each("RSQ", "DRSQ"),
    "Determinant": _determinant,
    "MatrixInverse": _inverse,
    "Modf": modf,
    "ModfStruct": modf,
    "FMin": _lanes("MIN", "DMIN"),
    "UMin": _lanes("UMIN", "U64MIN"),
    "SMin": _lanes("IMIN", "I64MIN"),
    "FMax": _lanes("MAX", "DMAX"),
    "UMax": _lanes("UMAX", "U64MAX"),
    "SMax": _lanes("IMAX", "I64MAX"),
    "FClamp": _clamp("MIN", "MAX", "DMIN", "DMAX"),
    "UClamp": _clamp("UMIN", "UMAX", "U64MIN", "U64MAX"),
    "SClamp": _clamp("IMIN", "IMAX", "I64MIN", "I64MAX"),
    "FMix": _mix,
    "Step": _step,
    "SmoothStep": _smooth_step,
    "Fma": _fused,
    "Frexp": frexp,
    "FrexpStruct": frexp,
    "Ldexp": _ldexp,
    "PackSnorm4x8": packed(8, True),
    "PackUnorm4x8": packed(8, False),
    "PackSnorm2x16": packed(16, True),
    "PackUnorm2x16": packed(16, False),
    "PackHalf2x16": pack_halves,
    "PackDouble2x32": lambda s, op, f, values: values[0],
    "UnpackSnorm2x16": unpack_signed,
    "UnpackUnorm2x16": unpacked("UP2US"),
    "UnpackHalf2x16": unpacked("UP2H"),
    "UnpackSnorm4x8": unpacked("UP4B"),
    "UnpackUnorm4x8": unpacked("UP4UB"),
    "UnpackDouble2x32": lambda s, op, f, values: values[0],
    "Length": _length,
    "Distance": _distance,
    "Cross": _cross,
    "Normalize": _normalize,
    "FaceForward": _face_forward,
    "Reflect": _reflect,
    "Refract": _refract,
    "FindILsb": _lanes("LSB"),
    "FindSMsb": _lanes("IMSB"),
    "FindUMsb": _lanes("UMSB"),
    "InterpolateAtCentroid": _interpolate,
    "InterpolateAtSample": _interpolate,
    "InterpolateAtOffset": _interpolate,
    "NMin": _number("MIN"),
    "NMax": _number("MAX"),
    "NClamp": _number_clamp,
    **{f"{kind}Min3": _of_three(f"{letter}MIN") for kind, letter in _KINDS.items()},
    **{f"{kind}Max3": _of_three(f"{letter}MAX") for kind, letter in _KINDS.items()},
    **{f"{kind}Mid3": _of_three(f"{letter}MIN", f"{letter}MAX") for kind, letter in _KINDS.items()},
}
_ON_POINTERS = frozenset({"InterpolateAtCentroid", "InterpolateAtSample", "InterpolateAtOffset"})
_NARROW = frozenset(
    {"Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Atan2", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh"}
    | {"Pow", "Exp", "Log", "Exp2", "Log2"}
)
"""Functions that GLSL has for 32 bits only."""
