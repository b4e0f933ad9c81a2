"""Passes take linear time on long programs: many loops that write one register, many loops that are written out, many branches that depend
on each other."""

from __future__ import annotations

import time

import pytest

from passes.form import Form
from passes.optimise.hoist import HoistInvariants
from passes.optimise.split import SplitRegisters
from passes.optimise.unroll import UnrollLoops
from passes.pipeline import Pipeline
from passes.registry import DEFAULT
from tgsi.language.text.parser import parse

_HEAD = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..1]
"""
_LOOP = """BGNLOOP
ADD TEMP[0].x, TEMP[0], IN[0]
SGE TEMP[1].x, TEMP[0], IN[0].yyyy
IF TEMP[1].xxxx
BRK
ENDIF
ENDLOOP
"""


def seconds(loops: int) -> float:
    """Processor time of hoist-invariants for a program of many loops, tables excluded."""
    form = Form(parse(_HEAD + _LOOP * loops + "MOV OUT[0], TEMP[0].xxxx\nEND\n"))
    SplitRegisters().rewrite(form)
    assert len(form.values.layout.loops) == loops
    start = time.process_time()
    HoistInvariants().rewrite(form)
    return time.process_time() - start


def test_hoisting_from_many_loops_takes_time_that_grows_with_their_number() -> None:
    few = min(seconds(100) for _ in range(5))
    assert min(seconds(3200) for _ in range(2)) < 100 * few  # 32 times as many loops: quadratic time would be 1000 times as long


def branches(count: int) -> str:
    """Text of a program in which most branches are needed by later branches alone, and nothing needs the last of these."""
    lines = ["FRAG", "DCL OUT[0], COLOR", "DCL CONST[0..63]", "DCL TEMP[0..63]"]
    for number in range(count):
        a, b = number % 64, (7 * number + 1) % 64
        lines += [f"SLT TEMP[{a}].x, TEMP[{b}].xxxx, CONST[{b}].yyyy", f"IF TEMP[{a}].xxxx", f"ADD TEMP[{b}], TEMP[{a}], CONST[{a}]"]
        lines += ["ELSE", f"MUL TEMP[{b}], TEMP[{b}], CONST[{b}]", "ENDIF"]
    return "\n".join([*lines, "MOV OUT[0], TEMP[0]", "END"])


def optimising_seconds(count: int) -> float:
    """Processor time of the default pipeline for `branches`."""
    program = parse(branches(count))
    start = time.process_time()
    Pipeline.parse(DEFAULT).run(program)
    return time.process_time() - start


def test_optimising_many_branches_takes_time_that_grows_with_their_number() -> None:
    few = min(optimising_seconds(100) for _ in range(5))
    assert min(optimising_seconds(3200) for _ in range(2)) < 100 * few  # 32 times as many branches took 200 times as long


_COUNTED = """MOV TEMP[0].x, IMM[0].xxxx
BGNLOOP
ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
ADD TEMP[2], TEMP[2], IN[0]
SGE TEMP[1].x, TEMP[0].xxxx, IMM[0].yyyy
IF TEMP[1].xxxx
BRK
ENDIF
ENDLOOP
"""


def unrolling(loops: int) -> float:
    """Processor time of unroll-loops for a program of many loops, all of which go."""
    head = _HEAD.replace("0..1", "0..2") + "IMM[0] FLT32 {0.0, 1.0, 0.0, 0.0}\n"
    program = parse(head + _COUNTED * loops + "MOV OUT[0], TEMP[2]\nEND\n")
    start = time.process_time()
    made = UnrollLoops().run(program)
    taken = time.process_time() - start
    assert all(item.opcode.name != "BGNLOOP" for item in made.instructions)
    return taken


@pytest.mark.nightly
def test_unrolling_many_loops_takes_time_that_grows_with_their_number() -> None:
    few = min(unrolling(50) for _ in range(5))
    assert unrolling(1600) < 100 * few
