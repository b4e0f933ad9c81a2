"""Conversions between 64-bit numbers and other types, on words; each follows the rules of docs/execution.md to the bit."""

from __future__ import annotations

from dataclasses import replace

from passes.lower.arithmetic.words import INFINITE, MAGNITUDE, QUIET, SIGN, Pair, Scalar, Words

_BIAS = 1023
_WHOLE = _BIAS + 52
"""Biased exponent of doubles whose last bit counts 1."""
_WIDER = (_BIAS - 127) << 20
_FLOAT_INFINITE, _FLOAT_QUIET = 0x7F800000, 0x7FC00000


def double_of_float(work: Words, a: Pair) -> Pair:
    """A float as a double. A denormal number is shifted until its highest bit is that of a normal one."""
    word = a[0]
    size = work.op("AND", word, work.word(MAGNITUDE))
    top = work.op("UMSB", size)
    shifted = work.op("SHL", size, _minus(work, 23, top))
    rest = work.op("AND", shifted, work.word(0x007FFFFF))
    exponent = work.op("SHL", work.op("UADD", top, work.word(_BIAS - 149)), work.word(20))
    small = work.op("SHL", rest, work.word(29)), work.op("OR", exponent, work.op("USHR", rest, work.word(3)))
    usual = work.op("SHL", size, work.word(29)), work.op("UADD", work.op("USHR", size, work.word(3)), work.word(_WIDER))
    low, high = work.choose(work.op("USLT", size, work.word(0x00800000)), small, usual)
    is_finite, is_some = work.op("USLT", size, work.word(_FLOAT_INFINITE)), work.op("USNE", size, work.word(0))
    low = work.both(low, work.both(is_finite, is_some))
    high = work.op("UCMP", is_finite, work.both(high, is_some), work.word(INFINITE))
    high = work.op("OR", high, work.op("AND", word, work.word(SIGN)))
    return low, work.op("UCMP", work.op("USLT", work.word(_FLOAT_INFINITE), size), work.word(QUIET), high)


def double_of_unsigned(work: Words, a: Pair) -> Pair:
    """A 32-bit integer as a double: shifted until bit 31 is set, which the double leaves out."""
    top = work.op("UMSB", a[0])
    rest = work.op("SHL", work.op("SHL", a[0], work.op("NOT", top)), work.word(1))  # ~top is 31 - top
    exponent = work.op("SHL", work.op("UADD", top, work.word(_BIAS)), work.word(20))
    high = work.op("OR", exponent, work.op("USHR", rest, work.word(12)))
    return work.op("SHL", rest, work.word(20)), work.both(high, work.op("USNE", a[0], work.word(0)))


def double_of_signed(work: Words, a: Pair) -> Pair:
    """A signed 32-bit integer as a double."""
    low, high = double_of_unsigned(work, (work.op("IABS", a[0]), a[1]))
    return low, work.op("OR", high, work.op("AND", a[0], work.word(SIGN)))


def _minus(work: Words, value: int, word: Scalar) -> Scalar:
    """A constant minus a word."""
    return work.op("UADD", work.word(value), replace(word, negate=True))


# doubles to integers


def _exponent(work: Words, a: Pair) -> Scalar:
    return work.op("UBFE", a[1], work.word(20), work.word(11))


def _mantissa(work: Words, a: Pair) -> Pair:
    return a[0], work.op("OR", work.op("AND", a[1], work.word(0x000FFFFF)), work.word(0x00100000))


def signed_of_double(work: Words, a: Pair) -> Pair:
    """The integer part, signed: the mantissa shifted by the exponent. Values out of range, and NaN, become the smallest integer."""
    exponent, mantissa = _exponent(work, a), _mantissa(work, a)
    more = work.op("UADD", exponent, work.word(-_WHOLE & 0xFFFFFFFF))
    larger, smaller = work.left(mantissa, more), work.right(mantissa, replace(more, negate=True), "USHR")
    size = work.choose(work.op("USLT", exponent, work.word(_WHOLE)), smaller, larger)
    number = work.choose(work.is_negative(a), work.negative(size), size)
    number = work.choose(work.op("USLT", exponent, work.word(_BIAS)), (work.word(0), work.word(0)), number)
    return work.choose(work.op("USLT", exponent, work.word(_BIAS + 63)), number, (work.word(0), work.word(SIGN)))


def unsigned_of_double(work: Words, a: Pair) -> Pair:
    """The integer part, unsigned: negative numbers wrap, numbers from 2^64 on give 0, NaNs and numbers below -2^63 give 2^63."""
    exponent = _exponent(work, a)
    is_large = work.both(work.op("USGE", exponent, work.word(_BIAS + 63)), work.no(work.either(work.is_negative(a), work.is_nan(a))))
    large = work.left(_mantissa(work, a), work.word(11))
    is_exact = work.op("USEQ", exponent, work.word(_BIAS + 63))
    large = work.both(large[0], is_exact), work.both(large[1], is_exact)
    return work.choose(is_large, large, signed_of_double(work, a))


def word_of_double(work: Words, a: Pair) -> Scalar:
    """The integer part as a signed word; values out of range, and NaN, become the smallest one."""
    fits = work.op("USLT", _exponent(work, a), work.word(_BIAS + 31))
    return work.op("UCMP", fits, signed_of_double(work, a)[0], work.word(SIGN))


# 64-bit integers to floating point


def _normalised(work: Words, a: Pair) -> tuple[Scalar, Pair]:
    """The number of the highest bit that is set, and the integer shifted until that is bit 63."""
    high = work.op("UADD", work.op("UMSB", a[1]), work.word(32))
    top = work.op("UCMP", a[1], high, work.op("UMSB", a[0]))
    return top, work.left(a, _minus(work, 63, top))


def _rounded(work: Words, bits: Scalar, rest: Scalar, half: int) -> Scalar:
    """A flag: the discarded part rounds the number up; ties go to even."""
    return work.op("USLT", work.word(half), work.op("UADD", rest, work.op("AND", bits, work.word(1))))


def double_of_unsigned64(work: Words, a: Pair) -> Pair:
    """The nearest double of an unsigned integer."""
    top, (low, high) = _normalised(work, a)
    exponent = work.op("SHL", work.op("UADD", top, work.word(_BIAS)), work.word(20))
    upper = work.op("UADD", exponent, work.op("USHR", work.op("AND", high, work.word(MAGNITUDE)), work.word(11)))
    lower = work.op("OR", work.op("USHR", low, work.word(11)), work.op("SHL", high, work.word(21)))
    up = _rounded(work, lower, work.op("AND", low, work.word(0x7FF)), 0x400)
    total = work.add((lower, upper), (work.op("AND", up, work.word(1)), work.word(0)))
    is_some = work.no(work.is_zero(a))
    return work.both(total[0], is_some), work.both(total[1], is_some)


def double_of_signed64(work: Words, a: Pair) -> Pair:
    """The nearest double of a signed integer."""
    low, high = double_of_unsigned64(work, _size(work, a))
    return low, work.op("OR", high, work.op("AND", a[1], work.word(SIGN)))


def float_of_unsigned64(work: Words, a: Pair) -> Scalar:
    """The nearest float of an unsigned integer."""
    top, (low, high) = _normalised(work, a)
    exponent = work.op("SHL", work.op("UADD", top, work.word(127)), work.word(23))
    bits = work.op("UADD", exponent, work.op("USHR", work.op("AND", high, work.word(MAGNITUDE)), work.word(8)))
    rest = work.op("UMAD", work.op("AND", high, work.word(0xFF)), work.word(2), work.op("UMIN", low, work.word(1)))
    up = _rounded(work, bits, rest, 0x100)
    return work.both(work.op("UADD", bits, replace(up, negate=True)), work.no(work.is_zero(a)))


def float_of_signed64(work: Words, a: Pair) -> Scalar:
    """The nearest float of a signed integer."""
    return work.op("OR", float_of_unsigned64(work, _size(work, a)), work.op("AND", a[1], work.word(SIGN)))


def _size(work: Words, a: Pair) -> Pair:
    return work.choose(work.is_negative(a), work.negative(a), a)


def float_of_double(work: Words, a: Pair) -> Scalar:
    """The float nearest to a double, denormals included. Doubles at least half a unit above the largest float become infinite."""
    size = work.op("AND", a[1], work.word(MAGNITUDE))
    bits = work.op("SHL", work.op("UADD", size, work.word(-_WIDER & 0xFFFFFFFF)), work.word(3))
    bits = work.op("OR", bits, work.op("USHR", a[0], work.word(29)))
    up = _rounded(work, bits, work.op("AND", a[0], work.word(0x1FFFFFFF)), 0x10000000)
    usual = work.op("UADD", bits, replace(up, negate=True))
    is_large = work.op("USGE", size, work.word((_BIAS + 128) << 20))
    usual = work.op("UCMP", is_large, work.word(_FLOAT_INFINITE), usual)
    word = work.op("UCMP", work.op("USLT", size, work.word(_WIDER + (1 << 20))), _denormal(work, a), usual)
    word = work.op("OR", word, work.op("AND", a[1], work.word(SIGN)))
    return work.op("UCMP", work.is_nan(a), work.word(_FLOAT_QUIET), word)


def _denormal(work: Words, a: Pair) -> Scalar:
    """The bits of a denormal float: units of 2^-149 of a double below 2^-126, without its sign."""
    exponent, mantissa = _exponent(work, a), _mantissa(work, a)
    shift = _minus(work, _WHOLE - 149, exponent)
    whole = work.right(mantissa, shift, "USHR")[0]
    low, high = work.left(mantissa, replace(shift, negate=True))  # the discarded part, as a fraction of 2^64
    odd = work.op("OR", low, work.op("AND", whole, work.word(1)))
    is_half = work.both(work.op("USEQ", high, work.word(SIGN)), work.op("USNE", odd, work.word(0)))
    up = work.either(work.op("USLT", work.word(SIGN), high), is_half)
    word = work.op("UADD", whole, replace(up, negate=True))
    return work.op("UCMP", work.op("USLT", exponent, work.word(_WHOLE - 149 - 53)), work.word(0), word)
