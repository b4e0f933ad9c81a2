"""Expressions of ``#if`` and ``#elif``: whole numbers, and the operators of GLSL by their precedence."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from frontends.glsl.preprocess.scan import Token, is_word

_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*")
_BITS = 64


class Fault:
    """A value that an expression must not use: the message and the token. It is an error only if it is used."""

    def __init__(self, message: str, token: Token) -> None:
        self.message, self.token = message, token


Value = int | Fault

_LEVELS: Mapping[str, int] = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
"""Binary operators -> precedence."""
_UNARY = 11

_BINARY: Mapping[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<<": lambda a, b: a << (b % _BITS),
    ">>": lambda a, b: a >> (b % _BITS),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
}
_SINGLE: Mapping[str, Callable[[int], int]] = {"+": lambda a: a, "-": lambda a: -a, "~": lambda a: ~a, "!": lambda a: not a}


def evaluate(tokens: Sequence[Token], directive: Token, *, unknown_is_zero: bool) -> Value:
    """The value of an expression whose macros are expanded, and in which ``defined`` has become 0 or 1.

    Parentheses and signs may nest to any depth, since they are kept on a stack. A name that is not a macro is 0, or an error in OpenGL ES.
    """
    values: list[Value] = []
    operators: list[tuple[str, int, Token]] = []
    wants_value = True
    for token in tokens:
        text = token[0]
        if wants_value:
            if text == "(" or text in _SINGLE:
                operators.append((text, 0 if text == "(" else _UNARY, token))
                continue
            values.append(_value(token, unknown_is_zero))
            if isinstance(values[-1], Fault) and values[-1].message.startswith("`"):
                return values[-1]
            wants_value = False
        elif text == ")":
            _reduce(values, operators, 1)
            if not operators:
                return Fault("there is no parenthesis that this one closes", token)
            operators.pop()
        elif text in _LEVELS:
            _reduce(values, operators, _LEVELS[text])
            operators.append((text, _LEVELS[text], token))
            wants_value = True
        else:
            return Fault(f"`{text[:40]}` is not an operator of a condition", token)
    if wants_value:
        return Fault("the condition lacks a value", operators[-1][2] if operators else directive)
    _reduce(values, operators, 1)
    if operators:
        return Fault("this parenthesis is not closed", operators[-1][2])
    return values[0]


def _value(token: Token, unknown_is_zero: bool) -> Value:
    text = token[0]
    number = _NUMBER.fullmatch(text)
    if number is not None:
        digits = number[1]
        if len(digits) > 40:
            return Fault("`" + digits[:16] + "...` is too large", token)
        is_octal = digits[0] == "0" and len(digits) > 1 and digits[1] in "01234567" and not set("89") & set(digits)
        return _wrapped(int(digits, 8 if is_octal else 16 if digits[:2] in ("0x", "0X") else 10))
    if is_word(text):
        return 0 if unknown_is_zero else Fault(f"{text[:40]} is not a macro, and OpenGL ES gives it no value", token)
    return Fault(f"`{text[:40]}` is not a whole number", token)


def _reduce(values: list[Value], operators: list[tuple[str, int, Token]], level: int) -> None:
    """Apply the operators of at least this precedence, down to the last parenthesis."""
    while operators and operators[-1][0] != "(" and operators[-1][1] >= level:
        operator, kind, token = operators.pop()
        right = values.pop()
        if kind == _UNARY:
            values.append(right if isinstance(right, Fault) else _wrapped(_SINGLE[operator](right)))
        else:
            values.append(_applied(operator, values.pop(), right, token))


def _applied(operator: str, left: Value, right: Value, token: Token) -> Value:
    if isinstance(left, Fault):
        return left
    if operator in ("&&", "||") and bool(left) == (operator == "||"):
        return int(bool(left))  # the right operand is not evaluated
    if isinstance(right, Fault):
        return right
    if operator in ("&&", "||"):
        return int(bool(right))
    if operator in "/%" and right == 0:
        return Fault("a division by zero", token)
    return _wrapped(_BINARY[operator](left, right))


def _wrapped(value: int) -> int:
    """A number wrapped to 64 bits."""
    half = 1 << (_BITS - 1)
    return (value + half) % (1 << _BITS) - half
