"""The needs of a compute program: bindings, kinds of memory and threads that wait for each other; found once a program."""

from __future__ import annotations

from backends.device.needs import ShaderNeeds
from backends.llvm.kernels.grids import memory_kinds
from backends.llvm.program.plan import plan_of
from passes.analysis import facts
from tgsi.language.facts.enums import MemoryType
from tgsi.language.program import Program
from tgsi.language.record import record


@record
class Needs:
    """The resources that a compute program uses.

    bindings: constants, textures, images and effects on memory; images: number of image units; memory: kinds of MEMORY; waits: threads wait
    for each other at barriers; meets: blocks change memory in order, so that one thread has to run all of them.
    """

    bindings: ShaderNeeds
    images: int
    memory: frozenset[MemoryType]
    waits: bool
    meets: bool


def find_needs(program: Program) -> Needs:
    """Derive the needs from declarations and operands. Errors: as for the control tree."""
    bindings = ShaderNeeds.of(program)
    return Needs(
        bindings=bindings,
        images=bindings.images,
        memory=memory_kinds(program),
        waits=plan_of(program).waits,
        meets=bindings.effects.is_ordered,
    )


def needs_of(program: Program) -> Needs:
    """Return the needs of a program, which are kept with the program."""
    return facts.of(program, find_needs)
