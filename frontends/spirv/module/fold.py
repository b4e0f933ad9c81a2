"""Results of instructions for constants (OpSpecConstantOp)."""

from __future__ import annotations

from collections.abc import Callable


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> width - 1 & 1 else value


def _quotient(a: int, b: int) -> int:
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return 0 if b == 0 else a - b * _quotient(a, b)


_SIGNED: dict[str, Callable[[int, int], int]] = {
    "SDiv": _quotient,
    "SRem": _remainder,
    "SMod": lambda a, b: a % b if b else 0,
    "SGreaterThan": lambda a, b: a > b,
    "SGreaterThanEqual": lambda a, b: a >= b,
    "SLessThan": lambda a, b: a < b,
    "SLessThanEqual": lambda a, b: a <= b,
}
_UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "IAdd": lambda a, b: a + b,
    "ISub": lambda a, b: a - b,
    "IMul": lambda a, b: a * b,
    "UDiv": lambda a, b: a // b if b else 0,
    "UMod": lambda a, b: a % b if b else 0,
    "BitwiseOr": lambda a, b: a | b,
    "BitwiseXor": lambda a, b: a ^ b,
    "BitwiseAnd": lambda a, b: a & b,
    "IEqual": lambda a, b: a == b,
    "INotEqual": lambda a, b: a != b,
    "UGreaterThan": lambda a, b: a > b,
    "UGreaterThanEqual": lambda a, b: a >= b,
    "ULessThan": lambda a, b: a < b,
    "ULessThanEqual": lambda a, b: a <= b,
    "LogicalEqual": lambda a, b: bool(a) == bool(b),
    "LogicalNotEqual": lambda a, b: bool(a) != bool(b),
    "LogicalOr": lambda a, b: bool(a) or bool(b),
    "LogicalAnd": lambda a, b: bool(a) and bool(b),
}
_ONE: dict[str, Callable[[int], int]] = {
    "SNegate": lambda a: -a,
    "Not": lambda a: ~a,
    "LogicalNot": lambda a: not a,
    "UConvert": lambda a: a,
    "Bitcast": lambda a: a,
}
COMPARISONS = frozenset(name for name in (*_SIGNED, *_UNSIGNED) if name.startswith(("SG", "SL", "UG", "UL", "IE", "IN", "Logical"))) | {
    "LogicalNot"
}
"""Instructions with a result of type bool."""


def fold(name: str, values: list[int], width: int, shift_width: int = 32) -> int | None:
    """The result for scalar operands of `width` bits as an unsigned number, not cut to its width. None: the instruction is not folded."""
    if name in _ONE and len(values) == 1:
        return int(_ONE[name](values[0]))
    if name == "SConvert" and len(values) == 1:
        return _signed(values[0], width)
    if len(values) == 3 and name == "Select":
        return values[1] if values[0] else values[2]
    if len(values) != 2:
        return None
    a, b = values
    if name in _SIGNED:
        return int(_SIGNED[name](_signed(a, width), _signed(b, width)))
    if name in _UNSIGNED:
        return int(_UNSIGNED[name](a, b))
    count = b & width - 1
    if name == "ShiftLeftLogical":
        return a << count
    if name == "ShiftRightLogical":
        return a >> count
    if name == "ShiftRightArithmetic":
        return _signed(a, width) >> count
    return None
