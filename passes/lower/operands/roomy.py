"""Passes that add registers or immediates, in programs without room for them."""

from __future__ import annotations

from collections.abc import Callable

from passes.lower.expansion import Full
from passes.lower.operands.indirect import LowerIndirect
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.program import Program


def with_room(program: Program, run: Callable[[Program], Program]) -> Program:
    """Return the result of `run` for a program; if it raises Full, remove indirect TEMPs and immediates (`lower-indirect`) and try again.

    Indirect operands without an array may reach all TEMPs or immediates, so that a program could observe added ones.

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
