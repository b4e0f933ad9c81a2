"""A reader of vpternlog in assembly: the masked ones of a text, and what such an instruction computes."""

from __future__ import annotations

import re

from backends.llvm.engine.codegen import optimized_module
from backends.llvm.targets.llvm_machines import create_machine
from tgsi.language.record import record

_INSTRUCTION = re.compile(r"^\tvpternlog[dq]\t\$(-?\d+), (.+?), (%\w+), (%\w+) \{%k\d\}$", re.MULTILINE)

RIGHT = frozenset({0xCA, 0xAC, 0xE2, 0xD8})
"""Immediates of c ? a : b under a mask, as LLVM's correct patterns have them: c is the target, or the constant is second or last."""


@record
class Ternary:
    """A masked vpternlog that merges with its target. third and second: operands as assembly names them."""

    immediate: int
    third: str
    second: str
    target: str

    def compute(self, target: int, second: int, third: int) -> int:
        """Result of one bit of each operand, in lanes of the mask."""
        return self.immediate >> (target << 2 | second << 1 | third) & 1


def masked(assembly: str) -> list[Ternary]:
    """The masked vpternlogs of a text that keep their target in lanes outside of the mask."""
    return [Ternary(int(m[1]) & 255, m[2], m[3], m[4]) for m in _INSTRUCTION.finditer(assembly)]


def first_assembly(text: str, cpu: str) -> str:
    """Assembly of LLVM text as LLVM makes it, before the generator looks at the result."""
    machine = create_machine(cpu)
    return str(machine.emit_assembly(optimized_module(text, machine)))
