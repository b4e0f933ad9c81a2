"""Opcodes that a device may lack: expand-opcodes, lower-opcodes."""

from __future__ import annotations

from passes.base import Pass
from passes.lower.arithmetic.table import EXPANSIONS, expanded, read_names
from passes.lower.operands.roomy import with_room
from tgsi.language.program import Program
from tgsi.language.record import record

_EXACT = {name: row for name, row in EXPANSIONS.items() if row.is_exact}


@record(slots=False)
class ExpandOpcodes(Pass):
    """Write opcodes that a device may lack with simpler ones of the same results.

    `only` names them, joined by +; the empty text means the usual ones. docs/passes.md lists the expansions. Results keep every bit. An
    expansion that needs a temporary or an immediate stays away where a program indexes all of them by an address.
    """

    name = "expand-opcodes"
    only: str = ""

    def __post_init__(self) -> None:
        """Check `only`.

        Raises:
            ValueError: `only` names an opcode that this pass does not know, or two that are written with each other.
        """
        read_names(self.only, f"pass {self.name}: only", _EXACT)

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        return expanded(program, read_names(self.only, self.name, _EXACT), must=False)


@record(slots=False)
class LowerOpcodes(Pass):
    """Write opcodes that a device lacks with simpler ones, also where the last places of results change (LIT, POW, DIV, SQRT).

    `opcodes` names them, joined by +; the empty text means the usual ones. docs/passes.md lists the expansions. None of these opcodes is
    left, also in expansions of others. Where a program indexes all of its TEMPs or immediates by an address, `lower-indirect` takes these
    addresses away first.
    """

    name = "lower-opcodes"
    opcodes: str = ""

    def __post_init__(self) -> None:
        """Check `opcodes`.

        Raises:
            ValueError: `opcodes` names an opcode that this pass does not know, or two that are written with each other.
        """
        read_names(self.opcodes, f"pass {self.name}: opcodes", EXPANSIONS)

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        names = read_names(self.opcodes, self.name, EXPANSIONS)
        return with_room(program, lambda given: expanded(given, names, must=True))
