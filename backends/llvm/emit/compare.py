"""Comparisons, selections and moves."""

from __future__ import annotations

from collections.abc import Callable

from backends.llvm.builder import I32, Val
from backends.llvm.emit import Context, emits

Compare = Callable[[Val, Val], Val]


def _float_result(name: str, compare: Compare) -> None:
    """1.0 or 0.0."""

    @emits(name)
    def emit_set(c: Context, a: Val, b: Val) -> Val:
        truth = compare(a, b)
        return c.f.select(truth, c.f.const(a.type.wide(truth.lanes), 1.0), 0.0)


def _mask_result(name: str, compare: Compare) -> None:
    """All ones or 0."""

    @emits(name)
    def emit_set(c: Context, a: Val, b: Val) -> Val:
        return compare(a, b).sext(I32)


_FLOAT_RESULTS: tuple[tuple[str, Compare], ...] = (
    ("SLT", Val.__lt__),
    ("SGE", Val.__ge__),
    ("SEQ", Val.eq),
    ("SGT", Val.__gt__),
    ("SLE", Val.__le__),
    ("SNE", Val.ne),
)
_MASK_RESULTS: tuple[tuple[str, Compare], ...] = (
    ("FSLT", Val.__lt__),
    ("FSGE", Val.__ge__),
    ("FSEQ", Val.eq),
    ("FSNE", Val.ne),
    ("ISLT", Val.__lt__),
    ("ISGE", Val.__ge__),
    ("USEQ", Val.eq),
    ("USNE", Val.ne),
    ("USLT", Val.ult),
    ("USGE", Val.uge),
)
for _name, _compare in _FLOAT_RESULTS:
    _float_result(_name, _compare)
for _name, _compare in _MASK_RESULTS:
    _mask_result(_name, _compare)


@emits("MOV")
def emit_mov(c: Context, a: Val) -> Val:
    """The bits."""
    return a


@emits("CMP")
def emit_cmp(c: Context, a: Val, b: Val, e: Val) -> Val:
    """a < 0 ? b : e."""
    return c.f.select(a < 0.0, b, e)


@emits("UCMP")
def emit_ucmp(c: Context, a: Val, b: Val, e: Val) -> Val:
    """Bits of a not 0 ? b : e."""
    if b.type.kind != e.type.kind:
        b, e = b.as_float(), e.as_float()
    return c.f.select(a.ne(0), b, e)
