"""64-bit numbers as two words: the arithmetic of `lower-64-bit` in 32-bit opcodes. Each result gets its own scratch channel."""

from __future__ import annotations

from dataclasses import replace

from passes.lower.expansion import Expansion, broadcast
from tgsi.language.ir import SrcOperand

SIGN, MAGNITUDE, INFINITE = 0x80000000, 0x7FFFFFFF, 0x7FF00000
QUIET = 0x7FF80000

Scalar = SrcOperand
Pair = tuple[Scalar, Scalar]
"""Low and high word."""


class Words(Expansion):
    """The expansion of a 64-bit instruction for one pair of channels."""

    taken = 0
    """Scratch channels in use."""

    def op(self, name: str, *sources: Scalar) -> Scalar:
        """Compute one word, and return it."""
        slot, channel = divmod(self.taken, 4)
        self.taken += 1
        return broadcast(self.make(name, slot, 1 << channel, *sources), channel)

    def word(self, value: int) -> Scalar:
        """Return a constant word."""
        return self.room.words([value] * 4)

    def choose(self, flag: Scalar, yes: Pair, no: Pair) -> Pair:
        """Return one of two pairs."""
        return self.op("UCMP", flag, yes[0], no[0]), self.op("UCMP", flag, yes[1], no[1])

    def both(self, a: Scalar, b: Scalar) -> Scalar:
        """Return a flag: both are set."""
        return self.op("AND", a, b)

    def either(self, a: Scalar, b: Scalar) -> Scalar:
        """Return a flag: one is set."""
        return self.op("OR", a, b)

    def no(self, flag: Scalar) -> Scalar:
        """Return the opposite of a flag."""
        return self.op("NOT", flag)

    # integers

    def is_zero(self, a: Pair) -> Scalar:
        """Return a flag: all bits are 0."""
        return self.op("USEQ", self.op("OR", *a), self.word(0))

    def equal(self, a: Pair, b: Pair) -> Scalar:
        """Return a flag: all bits are equal."""
        return self.both(self.op("USEQ", a[0], b[0]), self.op("USEQ", a[1], b[1]))

    def less(self, a: Pair, b: Pair, compare: str) -> Scalar:
        """Return a flag: a is below b. `compare` is the opcode for the high words, signed or not."""
        low = self.both(self.op("USEQ", a[1], b[1]), self.op("USLT", a[0], b[0]))
        return self.either(self.op(compare, a[1], b[1]), low)

    def add(self, a: Pair, b: Pair) -> Pair:
        """Return the sum; the carry is ~0, which is -1, where the low sum is below a summand."""
        low = self.op("UADD", a[0], b[0])
        carry = self.op("USLT", low, a[0])
        return low, self.op("UADD", self.op("UADD", a[1], b[1]), replace(carry, negate=True))

    def negative(self, a: Pair) -> Pair:
        """Return the negative."""
        borrow = self.op("USEQ", a[0], self.word(0))
        return self.op("INEG", a[0]), self.op("UADD", self.op("NOT", a[1]), replace(borrow, negate=True))

    def product(self, a: Pair, b: Pair) -> Pair:
        """Return the low half of the product."""
        high = self.op("UMUL_HI", a[0], b[0])
        high = self.op("UADD", high, self.op("UMUL", a[0], b[1]))
        return self.op("UMUL", a[0], b[0]), self.op("UADD", high, self.op("UMUL", a[1], b[0]))

    def left(self, a: Pair, count: Scalar) -> Pair:
        """Return a shifted left. Shifts of words take five bits of a count; ~count is 31 - count."""
        low = self.op("SHL", a[0], count)
        carried = self.op("USHR", self.op("USHR", a[0], self.word(1)), self.op("NOT", count))
        high = self.op("OR", self.op("SHL", a[1], count), carried)
        is_far = self._is_far(count)
        return self.op("UCMP", is_far, self.word(0), low), self.op("UCMP", is_far, low, high)

    def right(self, a: Pair, count: Scalar, shift: str) -> Pair:
        """Return a shifted right. `shift` is the opcode for the high word, filled with zeros or the sign."""
        high = self.op(shift, a[1], count)
        carried = self.op("SHL", self.op("SHL", a[1], self.word(1)), self.op("NOT", count))
        low = self.op("OR", self.op("USHR", a[0], count), carried)
        fill = self.op("ISHR", a[1], self.word(31)) if shift == "ISHR" else self.word(0)
        is_far = self._is_far(count)
        return self.op("UCMP", is_far, high, low), self.op("UCMP", is_far, fill, high)

    def _is_far(self, count: Scalar) -> Scalar:
        return self.op("AND", count, self.word(32))

    # doubles

    def is_nan(self, a: Pair) -> Scalar:
        """Return a flag: a double is a NaN."""
        size = self.op("AND", a[1], self.word(MAGNITUDE))
        rest = self.op("UMIN", a[0], self.word(1))  # 1 if a low bit is set
        return self.op("USLT", self.word(INFINITE), self.op("OR", size, rest))

    def is_null(self, a: Pair) -> Scalar:
        """Return a flag: a double is 0 or -0."""
        return self.is_zero((a[0], self.op("AND", a[1], self.word(MAGNITUDE))))

    def is_negative(self, a: Pair) -> Scalar:
        """Return a flag: the sign bit is set."""
        return self.op("ISLT", a[1], self.word(0))

    def below(self, a: Pair, b: Pair) -> Scalar:
        """Return a flag: a double is below another one."""
        usual, turned = self.less(a, b, "ISLT"), self.less(b, a, "ISLT")
        truth = self.op("UCMP", self.both(self.is_negative(a), self.is_negative(b)), turned, usual)
        null = self.both(self.is_null(a), self.is_null(b))
        return self.both(truth, self.no(self.either(null, self.either(self.is_nan(a), self.is_nan(b)))))

    def same(self, a: Pair, b: Pair) -> Scalar:
        """Return a flag: two doubles are equal."""
        truth = self.either(self.equal(a, b), self.both(self.is_null(a), self.is_null(b)))
        return self.both(truth, self.no(self.is_nan(a)))

    def size(self, a: Pair) -> Pair:
        """Return the absolute value: negative numbers and NaNs change their sign, -0 does not."""
        below = self.both(self.is_negative(a), self.no(self.is_null(a)))
        change = self.both(self.either(below, self.is_nan(a)), self.word(SIGN))
        return a[0], self.op("XOR", a[1], change)

    def opposite(self, a: Pair) -> Pair:
        """Return a double with the other sign."""
        return a[0], self.op("XOR", a[1], self.word(SIGN))
