"""Conversions, copies and derivatives."""

from __future__ import annotations

from frontends.spirv.emit.arithmetic import absolute, integers
from frontends.spirv.emit.builtins import has_quads
from frontends.spirv.emit.code import Ref, Refs, immediate
from frontends.spirv.emit.registry import emits
from frontends.spirv.emit.state import State
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import Bool, Float, Int, scalar
from tgsi.language.facts.enums import Processor

_CONVERSIONS: dict[tuple[str, int, int], str] = {
    ("ConvertFToU", 32, 32): "F2U",
    ("ConvertFToS", 32, 32): "F2I",
    ("ConvertSToF", 32, 32): "I2F",
    ("ConvertUToF", 32, 32): "U2F",
    ("ConvertFToU", 32, 64): "F2U64",
    ("ConvertFToS", 32, 64): "F2I64",
    ("ConvertFToU", 64, 32): "D2U",
    ("ConvertFToS", 64, 32): "D2I",
    ("ConvertFToU", 64, 64): "D2U64",
    ("ConvertFToS", 64, 64): "D2I64",
    ("ConvertSToF", 32, 64): "I2D",
    ("ConvertUToF", 32, 64): "U2D",
    ("ConvertSToF", 64, 32): "I642F",
    ("ConvertUToF", 64, 32): "U642F",
    ("ConvertSToF", 64, 64): "I642D",
    ("ConvertUToF", 64, 64): "U642D",
    ("FConvert", 32, 64): "F2D",
    ("FConvert", 64, 32): "D2F",
    ("UConvert", 32, 64): "U2I64",
    ("SConvert", 32, 64): "I2I64",
}


@emits("ConvertFToU", "ConvertFToS", "ConvertSToF", "ConvertUToF", "FConvert", "UConvert", "SConvert")
def _convert(s: State, op: Op) -> None:
    source, target = scalar(s.kind(op.id(0))), scalar(s.result(op))
    if isinstance(source, Bool) or isinstance(target, Bool):
        s.fail("M006", "a bool is not converted", op)
    value = s.value(op.id(0)) if isinstance(source, Float) and source.width == 32 else integers(s, op.id(0))
    if isinstance(source, Int) and isinstance(target, Int) and (source.width, target.width) != (32, 64):
        s.bind(op, value if source.width == target.width else value[::2])
        return
    opcode = _CONVERSIONS.get((op.name[2:], source.width, target.width))
    if opcode is None:
        s.fail("M006", f"there is no conversion from {source.width} to {target.width} bits", op)
    if source.width == target.width:
        s.bind(op, s.code.pairs(opcode, value) if source.width == 64 else s.code.lanes(opcode, value))
    else:
        s.bind(op, s.code.narrowed(opcode, value) if source.width == 64 else s.code.widened(opcode, value))


@emits("QuantizeToF16")
def _quantize(s: State, op: Op) -> None:
    words: list[Ref] = []
    for ref in s.value(op.id(0)):
        half = s.code.one("PK2H", s.code.source([ref]))
        words += s.code.one("UP2H", s.code.source(half))
    s.bind(op, words)


@emits("Bitcast", "CopyObject", "CopyLogical")
def _copy(s: State, op: Op) -> None:
    if op.id(0) in s.sampled:
        s.sampled[op.result] = s.sampled[op.id(0)]
    elif op.id(0) in s.places:
        s.places[op.result] = s.places[op.id(0)]
    elif op.name == "OpBitcast":
        s.bind(op, integers(s, op.id(0)))
    else:
        s.bind(op, s.value(op.id(0)))


@emits("Undef")
def _undefined(s: State, op: Op) -> None:
    s.bind(op, immediate(*(0,) * s.result(op).words))


# derivatives


_DERIVATIVES = {"DPdx": "DDX", "DPdy": "DDY", "DPdxFine": "DDX_FINE", "DPdyFine": "DDY_FINE", "DPdxCoarse": "DDX", "DPdyCoarse": "DDY"}


def derivative(s: State, opcode: str, value: Refs) -> list[Ref]:
    """A derivative of floats. It is 0 in compute shaders without quads."""
    if s.processor is not Processor.FRAG and not has_quads(s):
        return immediate(*(0,) * len(value))
    return s.code.lanes(opcode, value)


@emits(*_DERIVATIVES)
def _derivative(s: State, op: Op) -> None:
    s.bind(op, derivative(s, _DERIVATIVES[op.name[2:]], s.value(op.id(0))))


@emits("Fwidth", "FwidthFine", "FwidthCoarse")
def _width(s: State, op: Op) -> None:
    fine = "_FINE" if op.name == "OpFwidthFine" else ""
    value = s.value(op.id(0))
    across, down = (derivative(s, f"{name}{fine}", value) for name in ("DDX", "DDY"))
    s.bind(op, s.code.lanes("ADD", absolute(across), absolute(down)))
