"""Integer functions of SPV_INTEL_shader_integer_functions2: counts of zeros, differences, averages, sums that saturate.

No intermediate result overflows, because bounds are shifted instead of sums.
"""

from __future__ import annotations

from frontends.spirv.emit.arithmetic import integers, narrow, opposite, two
from frontends.spirv.emit.code import Ref, Refs, immediate
from frontends.spirv.emit.registry import emits
from frontends.spirv.emit.state import State
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import components, is_wide


class _Values:
    """Arithmetic on integers of the width of an instruction's operands."""

    def __init__(self, s: State, op: Op) -> None:
        kind = s.kind(op.id(0))
        self.s, self.wide, self.count = s, is_wide(kind), components(kind)
        self.least = 1 << (63 if self.wide else 31)

    def number(self, value: int) -> list[Ref]:
        return immediate(*((value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF) if self.wide else (value & 0xFFFFFFFF,)) * self.count)

    def two(self, opcode: str, wide: str, a: Refs, b: Refs) -> list[Ref]:
        return two(self.s, opcode, wide, a, b, self.wide)

    def add(self, a: Refs, b: Refs) -> list[Ref]:
        return self.two("UADD", "U64ADD", a, b)

    def subtract(self, a: Refs, b: Refs) -> list[Ref]:
        return self.add(a, self.s.code.pairs("I64NEG", b) if self.wide else opposite(self.s, b))

    def least_of(self, a: Refs, b: Refs, signed: bool) -> list[Ref]:
        return self.two("IMIN" if signed else "UMIN", "I64MIN" if signed else "U64MIN", a, b)

    def greatest_of(self, a: Refs, b: Refs, signed: bool) -> list[Ref]:
        return self.two("IMAX" if signed else "UMAX", "I64MAX" if signed else "U64MAX", a, b)

    def half(self, a: Refs, signed: bool) -> list[Ref]:
        if self.wide:
            return self.s.code.pairs("I64SHR" if signed else "U64SHR", a, immediate(1) * self.count, narrow=(1,))
        return self.s.code.lanes("ISHR" if signed else "USHR", a, immediate(1) * self.count)


@emits("UCountLeadingZerosINTEL", "UCountTrailingZerosINTEL")
def _zeros(s: State, op: Op) -> None:
    narrow(s, op)
    value = integers(s, op.id(0))
    if op.name == "OpUCountLeadingZerosINTEL":  # UMSB gives -1 for 0
        s.bind(op, s.code.lanes("UADD", immediate(31) * len(value), opposite(s, s.code.lanes("UMSB", value))))
    else:  # LSB too, which is the greatest word
        s.bind(op, s.code.lanes("UMIN", s.code.lanes("LSB", value), immediate(32) * len(value)))


@emits("AbsISubINTEL", "AbsUSubINTEL")
def _difference(s: State, op: Op) -> None:
    v, signed, (a, b) = _Values(s, op), "ISub" in op.name, _operands(s, op)
    s.bind(op, v.subtract(v.greatest_of(a, b, signed), v.least_of(a, b, signed)))


@emits("UAddSatINTEL", "USubSatINTEL")
def _unsigned_sum(s: State, op: Op) -> None:
    v, (a, b) = _Values(s, op), _operands(s, op)
    if "Sub" in op.name:
        s.bind(op, v.subtract(v.greatest_of(a, b, False), b))
    else:
        s.bind(op, v.add(a, v.least_of(b, s.code.lanes("NOT", a), False)))


@emits("IAddSatINTEL", "ISubSatINTEL")
def _signed_sum(s: State, op: Op) -> None:
    v, (a, b) = _Values(s, op), _operands(s, op)
    least, greatest = v.number(v.least), v.number(v.least - 1)
    if "Sub" in op.name:  # b is at least a - greatest and at most a - least, where these do not overflow
        low = v.subtract(v.greatest_of(a, v.number(-1), True), greatest)
        high = v.subtract(v.least_of(a, v.number(-1), True), least)
        s.bind(op, v.subtract(a, v.least_of(v.greatest_of(b, low, True), high, True)))
    else:
        low = v.subtract(least, v.least_of(a, v.number(0), True))
        high = v.subtract(greatest, v.greatest_of(a, v.number(0), True))
        s.bind(op, v.add(a, v.least_of(v.greatest_of(b, low, True), high, True)))


@emits("IAverageINTEL", "UAverageINTEL", "IAverageRoundedINTEL", "UAverageRoundedINTEL")
def _average(s: State, op: Op) -> None:
    v, (a, b) = _Values(s, op), _operands(s, op)
    half = v.half(s.code.lanes("XOR", a, b), op.name.startswith("OpI"))
    if "Rounded" in op.name:
        s.bind(op, v.subtract(s.code.lanes("OR", a, b), half))
    else:
        s.bind(op, v.add(s.code.lanes("AND", a, b), half))


@emits("IMul32x16INTEL", "UMul32x16INTEL")
def _product(s: State, op: Op) -> None:
    narrow(s, op)
    a, b = _operands(s, op)
    part = s.code.lanes("IBFE" if "IMul" in op.name else "UBFE", b, immediate(0) * len(b), immediate(16) * len(b))
    s.bind(op, s.code.lanes("UMUL", a, part))


def _operands(s: State, op: Op) -> tuple[list[Ref], list[Ref]]:
    return integers(s, op.id(0)), integers(s, op.id(1))
