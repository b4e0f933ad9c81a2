"""Comparisons, selections and moves."""

from __future__ import annotations

from collections.abc import Callable

from backends.llvm.builder.function import I32, Val
from backends.llvm.translate.emit import Context, emits

Compare = Callable[[Val, Val], Val]


def _float_result(name: str, compare: Compare) -> None:
    """Register a comparison whose result is 1.0 or 0.0."""

    @emits(name)
    def emit_set(c: Context, a: Val, b: Val) -> Val:
        truth = compare(a, b)
        return c.f.select(truth, c.f.const(a.type.wide(truth.lanes), 1.0), 0.0)


def _mask_result(name: str, compare: Compare) -> None:
    """Register a comparison whose result is all ones or 0."""

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
    ("USLT", Val.ult),
    ("USGE", Val.uge),
)
for _name, _compare in _FLOAT_RESULTS:
    _float_result(_name, _compare)
for _name, _compare in _MASK_RESULTS:
    _mask_result(_name, _compare)


def truth_of(a: Val) -> Val:
    """Lanes (i1) in which a word has a bit set. The result of a comparison yields that comparison again."""
    return a.truth if a.truth is not None else a.ne(0)


def _is_zero(a: Val) -> bool:
    return a.name in ("0", "splat (i32 0)")


@emits("USNE")
def emit_usne(c: Context, a: Val, b: Val) -> Val:
    """Not equal, all ones or 0."""
    if a.truth is not None and _is_zero(b):
        return a.truth.sext(I32)
    return a.ne(b).sext(I32)


@emits("USEQ")
def emit_useq(c: Context, a: Val, b: Val) -> Val:
    """Equal, all ones or 0."""
    if a.truth is not None and _is_zero(b):
        return (~a.truth).sext(I32)
    return a.eq(b).sext(I32)


@emits("MOV")
def emit_mov(c: Context, a: Val) -> Val:
    """Copy the bits."""
    return a


@emits("CMP")
def emit_cmp(c: Context, a: Val, b: Val, e: Val) -> Val:
    """a < 0 ? b : e."""
    return c.f.select(a < 0.0, b, e)


@emits("UCMP")
def emit_ucmp(c: Context, a: Val, b: Val, e: Val) -> Val:
    """a has a bit set ? b : e."""
    if b.type.kind != e.type.kind:
        b, e = b.as_float(), e.as_float()
    return c.f.select(truth_of(a), b, e)
