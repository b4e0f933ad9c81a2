"""Work that needs registers and immediates, in programs that have no room for more."""

from __future__ import annotations

from collections.abc import Callable

from passes.lower.expansion import Full
from passes.lower.operands.indirect import LowerIndirect
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.program import Program


def with_room(program: Program, run: Callable[[Program], Program]) -> Program:
    """Return the result of `run` for a program.

    A program that indexes all of its TEMPs or immediates by an address would see more of them. If `run` raises Full, such operands are
    chosen by comparisons first, as by `lower-indirect`, and `run` is called again.

    Raises:
        UnsupportedError: the program has too many registers or immediates.
    """
    try:
        return run(program)
    except Full:
        pass
    try:
        return run(LowerIndirect("TEMP+IMM").run(program))
    except Full:
        raise UnsupportedError.at("B052", "the program has no room for the registers or immediates of the lowering", None) from None
