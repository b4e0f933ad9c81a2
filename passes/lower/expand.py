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
    """Expand opcodes that a device may lack to simpler ones with the same bits.

    `only` names the opcodes, joined by +; the empty text means the usual ones. docs/passes.md lists the expansions. If an expansion takes
    a temporary or an immediate and an address may reach all of those of the program, the instruction is kept.
    """

    name = "expand-opcodes"
    only: str = ""

    def __post_init__(self) -> None:
        """Check `only`.

        Raises:
            ValueError: `only` names an opcode without such an expansion, or two whose expansions need each other.
        """
        read_names(self.only, f"pass {self.name}: only", _EXACT)

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        return expanded(program, read_names(self.only, self.name, _EXACT), must=False)


@record(slots=False)
class LowerOpcodes(Pass):
    """Expand opcodes that a device lacks to simpler ones, even if the last places of results change (LIT, POW, DIV, SQRT).

    `opcodes` names the opcodes, joined by +; the empty text means the usual ones. docs/passes.md lists the expansions. The result contains
    none of these opcodes, not even inside of other expansions. If an expansion needs room and an address may reach all TEMPs or immediates
    of the program, `lower-indirect` removes such addresses first.
    """

    name = "lower-opcodes"
    opcodes: str = ""

    def __post_init__(self) -> None:
        """Check `opcodes`.

        Raises:
            ValueError: `opcodes` names an opcode without an expansion, or two whose expansions need each other.
        """
        read_names(self.opcodes, f"pass {self.name}: opcodes", EXPANSIONS)

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        names = read_names(self.opcodes, self.name, EXPANSIONS)
        return with_room(program, lambda original: expanded(original, names, must=True))
