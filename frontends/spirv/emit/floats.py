"""Float arithmetic of 32 and 64 bits by the same names, for functions that exist in both widths."""

from __future__ import annotations

import struct

from frontends.spirv.emit.arithmetic import absolute, doubled, negated
from frontends.spirv.emit.code import Ref, Refs, immediate
from frontends.spirv.emit.composites import dot
from frontends.spirv.emit.state import State
from tgsi.language.literals import float_bits
from tgsi.language.record import record

_COMPARE = {"lt": "SLT", "ge": "SGE", "eq": "SEQ", "ne": "SNE"}


@record
class Floats:
    """Functions on values of one width. Sizes follow the first operand; `number` makes constants."""

    s: State
    wide: bool

    @property
    def step(self) -> int:
        """Words of a scalar."""
        return 2 if self.wide else 1

    def count(self, value: Refs) -> int:
        """Scalars of a value."""
        return len(value) // self.step

    def number(self, value: float, count: int = 1) -> list[Ref]:
        """A constant, several times."""
        if self.wide:
            low, high = struct.unpack("<II", struct.pack("<d", value))
            return immediate(low, high) * count
        return immediate(float_bits(value)) * count

    def spread(self, value: Refs, count: int) -> list[Ref]:
        """A scalar, several times."""
        return list(value) * count

    def two(self, name: str, a: Refs, b: Refs) -> list[Ref]:
        """A component-wise opcode, whose name has a D in front for 64 bits."""
        code = self.s.code
        return code.pairs(f"D{name}", a, b, precise=self.s.precise) if self.wide else code.lanes(name, a, b, precise=self.s.precise)

    def one(self, name: str, a: Refs) -> list[Ref]:
        """A component-wise opcode of one operand."""
        return self.s.code.pairs(f"D{name}", a) if self.wide else self.s.code.lanes(name, a)

    def add(self, a: Refs, b: Refs) -> list[Ref]:
        """a + b."""
        return self.two("ADD", a, b)

    def subtract(self, a: Refs, b: Refs) -> list[Ref]:
        """a - b."""
        return self.two("ADD", a, self.minus(b))

    def multiply(self, a: Refs, b: Refs) -> list[Ref]:
        """a * b."""
        return self.two("MUL", a, b)

    def divide(self, a: Refs, b: Refs) -> list[Ref]:
        """a / b."""
        return self.two("DIV", a, b)

    def multiply_add(self, a: Refs, b: Refs, c: Refs) -> list[Ref]:
        """a * b + c, rounded twice."""
        code = self.s.code
        return code.pairs("DMAD", a, b, c, precise=self.s.precise) if self.wide else code.lanes("MAD", a, b, c, precise=self.s.precise)

    def minus(self, a: Refs) -> list[Ref]:
        """-a."""
        return self.s.code.pairs("DNEG", a) if self.wide else negated(a)

    def absolute(self, a: Refs) -> list[Ref]:
        """The value without its sign."""
        return self.s.code.pairs("DABS", a) if self.wide else absolute(a)

    def minimum(self, a: Refs, b: Refs) -> list[Ref]:
        """The lower of two values."""
        return self.two("MIN", a, b)

    def maximum(self, a: Refs, b: Refs) -> list[Ref]:
        """The higher of two values."""
        return self.two("MAX", a, b)

    def floor(self, a: Refs) -> list[Ref]:
        """The largest whole number that is not above the value."""
        return self.one("FLR", a)

    def truncate(self, a: Refs) -> list[Ref]:
        """The whole number toward 0."""
        return self.one("TRUNC", a)

    def each(self, name: str, a: Refs) -> list[Ref]:
        """An opcode that gives 32-bit results one by one, and 64-bit ones pair by pair."""
        return self.s.code.pairs(f"D{name}", a) if self.wide else self.s.code.each(name, a)

    def test(self, name: str, a: Refs, b: Refs) -> list[Ref]:
        """A comparison (lt, ge, eq, ne), with a condition for each word of the values."""
        code, opcode = self.s.code, _COMPARE[name]
        return doubled(code.compare_pairs(f"D{opcode}", a, b)) if self.wide else code.lanes(f"F{opcode}", a, b)

    def choose(self, test: Refs, a: Refs, b: Refs) -> list[Ref]:
        """a where the test holds, elsewhere b."""
        return self.s.code.lanes("UCMP", test, a, b)

    def dot(self, a: Refs, b: Refs) -> list[Ref]:
        """The scalar product."""
        return dot(self.s, a, b, self.wide)

    def length(self, a: Refs) -> list[Ref]:
        """The length of a vector."""
        return self.absolute(a) if self.count(a) == 1 else self.each("SQRT", self.dot(a, a))

    def polynomial(self, x: Refs, coefficients: tuple[float, ...]) -> list[Ref]:
        """The value of a polynomial, coefficients in the order of powers."""
        count = self.count(x)
        total = self.number(coefficients[-1], count)
        for value in reversed(coefficients[:-1]):
            total = self.multiply_add(total, x, self.number(value, count))
        return total
