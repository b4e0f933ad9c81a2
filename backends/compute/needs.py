"""What a compute program asks of its surroundings, found once a program."""

from __future__ import annotations

from dataclasses import dataclass

from backends.device.needs import ShaderNeeds
from backends.llvm.kernels.grids import memory_kinds
from backends.llvm.program.plan import plan_of
from passes.analysis import facts
from tgsi.language.facts.enums import MemoryType
from tgsi.language.program import Program


@dataclass(frozen=True, slots=True)
class Needs:
    """What a program asks for.

    bindings: constants and textures; images: how many units; memory: kinds of MEMORY; waits: threads wait for each other at barriers;
    meets: blocks change memory in turns, so that one thread has to run them.
    """

    bindings: ShaderNeeds
    images: int
    memory: frozenset[MemoryType]
    waits: bool
    meets: bool


def find_needs(program: Program) -> Needs:
    """Computed from declarations and operands. Errors: those of the control tree."""
    bindings = ShaderNeeds.of(program)
    return Needs(
        bindings=bindings,
        images=bindings.images,
        memory=memory_kinds(program),
        waits=plan_of(program).waits,
        meets=bindings.effects.is_ordered,
    )


def needs_of(program: Program) -> Needs:
    """The needs of a program, kept as long as it lives."""
    return facts.of(program, find_needs)
