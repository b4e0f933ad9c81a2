"""Liveness is safe: overwriting a dead channel changes no output."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tgsi
from passes.analysis.liveness import Liveness
from tgsi.language.builder.program_builder import ProgramBuilder
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand

STRUCTURE = frozenset({"IF", "UIF", "ELSE", "ENDIF", "BGNLOOP", "ENDLOOP", "BRK", "END"})


@st.composite
def built(draw: st.DrawFn) -> ProgramBuilder:
    b = ProgramBuilder("VERT")
    value, out = b.input(), b.output("GENERIC")
    temporaries = [b.temporary() for _ in range(3)]
    masks, orders = st.sampled_from(["x", "y", "xy", "zw", "xyzw"]), st.sampled_from(["xyzw", "xxxx", "wzyx", "yyzz"])

    def statements(depth: int) -> None:
        for _ in range(draw(st.integers(1, 4))):
            kind = draw(st.integers(0, 6))
            target = draw(st.sampled_from([*temporaries, out]))
            first, second = (draw(st.sampled_from([value, *temporaries])) for _ in range(2))
            if kind == 0 and depth:
                with b.if_(first.x):
                    statements(depth - 1)
                with b.else_():
                    statements(depth - 1)
            elif kind == 1 and depth:
                with b.loop():
                    statements(depth - 1)
                    with b.if_(first.y):
                        b.BRK()
                    statements(depth - 1)
                    b.BRK()
            else:
                b.ADD(getattr(target, draw(masks)), getattr(first, draw(orders)), getattr(second, draw(orders)))

    statements(2)
    b.MOV(out.w, temporaries[0])
    return b


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(built())
def test_dead_channels_may_be_overwritten(b: ProgramBuilder) -> None:
    program = b.build()
    liveness = Liveness(program)
    poison = len(program.immediates)
    code: list[Instruction] = []
    for item, live in zip(program.instructions, liveness.after):
        code.append(item)
        if item.opcode.name in STRUCTURE:
            continue
        for index in range(3):
            dead = sum(1 << c for c in range(4) if not live & liveness.bit(File.TEMP, index, c))
            if dead:
                target = DstOperand(RegisterRef(File.TEMP, index), dead)
                code.append(Instruction(OPCODES["MOV"], (target,), (SrcOperand(RegisterRef(File.IMM, poison)),)))
    marked = tgsi.parse("VERT\nIMM FLT32 {12345.0, 23456.0, 34567.0, 45678.0}\nEND").immediates
    changed = replace(program, instructions=tuple(code), immediates=(*program.immediates, *marked))
    inputs = np.array([[(a, c, 1.0, -1.0)] for a in (0.0, 1.0) for c in (0.0, 2.0)], np.float32)
    first = tgsi.run(program, inputs, engine="interp").outputs
    assert (tgsi.run(changed, inputs, engine="interp").outputs == first).all()
