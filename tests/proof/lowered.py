"""Programs of the passes in passes/lower as terms of the solver: what straight code makes of its inputs, channel by channel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from tests.proof.model import IEEE, Arithmetic, Bits, apply, modified, saturated, word
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import Mode
from tgsi.language.facts.traits import Flow
from tgsi.language.program import Program

Register = tuple[File, int, int]
"""File, number and channel."""


def outcome(program: Program, inputs: Mapping[Register, Bits], arithmetic: Arithmetic = IEEE) -> dict[Register, Bits]:
    """The words of all registers after straight code of component-wise opcodes, and of replicated ones that read x.

    Channels without a value hold 0. KeyError: an opcode is not modelled.
    """
    values: dict[Register, Bits] = dict(inputs)
    for number, immediate in enumerate(program.immediates):
        values |= {(File.IMM, number, channel): word(value) for channel, value in enumerate(immediate.words)}
    for item in program.instructions:
        if item.opcode.flow is Flow.END:
            break
        target = item.dst[0]
        made = {}
        for channel in range(4):
            if not target.write_mask >> channel & 1:
                continue
            read = 0 if item.opcode.mode is Mode.REPLICATE else channel
            sources = []
            for operand, kind in zip(item.src, item.opcode.modifier_types):
                held = values.get((operand.register.file, operand.register.index, operand.swizzle[read]), word(0))
                sources.append(modified(held, kind, operand.negate, operand.absolute))
            found = apply(item.opcode.name, sources, arithmetic)
            made[target.register.file, target.register.index, channel] = saturated(found) if item.saturate else found
        values |= made
    return values


def solved(*claims: Any, seconds: float) -> str:
    """`unsat` if no words fit all claims, `sat` if some do, otherwise `unknown`; in a context of its own."""
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", int(seconds * 1000))
    solver.add(*[claim.translate(solver.ctx) for claim in claims])
    return str(solver.check())
