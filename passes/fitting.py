"""Large programs in a form that engines accept: blocks are nested less deep, and temporaries share numbers."""

from __future__ import annotations

from passes.analysis import facts
from passes.analysis.regions import MAX_DEPTH
from tgsi.language.facts.enums import TEMP
from tgsi.language.facts.limits import MANY_TEMPORARIES
from tgsi.language.program import Program


def fitted(program: Program) -> Program:
    """Return an equivalent valid program that engines accept: nearly always `program` itself, because few programs are too large.

    Clients send chains of a thousand `else if`, each nested in the one before, and a register for each of ten thousand values.

    Raises:
        UnsupportedError: blocks are nested too deep, and cannot be written one after another; see `FlattenBranches`.
    """
    return facts.of(program, _fit)


def _fit(program: Program) -> Program:
    changed = program
    if program.file_size(TEMP) > MANY_TEMPORARIES:
        from passes.optimise.merge import MergeTemporaries  # loaded only for large programs

        changed = MergeTemporaries().run(changed)
    if len(program.instructions) > 2 * MAX_DEPTH:
        from passes.optimise.flatten import FlattenBranches

        changed = FlattenBranches().run(changed)
    return changed
