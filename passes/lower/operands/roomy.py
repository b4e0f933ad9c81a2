"""Work that needs registers and immediates, in programs that cannot get any as they are."""

from __future__ import annotations

from collections.abc import Callable

from passes.lower.expansion import Full
from passes.lower.operands.indirect import LowerIndirect
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.program import Program


def with_room(program: Program, run: Callable[[Program], Program]) -> Program:
    """Return what `run` makes of a program.

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
        raise UnsupportedError.at("B052", "the program has too many registers or immediates for what has to be written", None) from None
