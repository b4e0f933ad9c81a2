"""Lints agree with the interpreter: registers that begin with a pattern instead of 0 reveal reads before writes, and unwritten outputs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tgsi
from passes.lint import lint
from tests.property.test_liveness import built
from tgsi.language.builder.program_builder import ProgramBuilder
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand

_INPUTS = np.array([[(a, b, 1.0, 3.0)] for a in (0.0, 1.0) for b in (0.0, 2.0)], np.float32)
_POISON = (12345.0, 23456.0, 34567.0, 45678.0)
_SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
_TEMPORARIES = 3


def _poisoned(program: tgsi.Program, file: File, index: int, mask: int) -> tgsi.Program:
    """The program, with a pattern in channels of a register at its start."""
    marked = tgsi.parse(f"VERT\nIMM FLT32 {{{', '.join(map(str, _POISON))}}}\nEND").immediates
    source = SrcOperand(RegisterRef(File.IMM, len(program.immediates)))
    first = Instruction(OPCODES["MOV"], (DstOperand(RegisterRef(file, index), mask),), (source,))
    return replace(program, instructions=(first, *program.instructions), immediates=(*program.immediates, *marked))


def _run(program: tgsi.Program) -> np.ndarray:
    return tgsi.run(program, _INPUTS, engine="interp", fuel=50).outputs


def _reported(program: tgsi.Program, *codes: str) -> set[tuple[str, int]]:
    """Registers and channels that findings with these codes name."""
    found = set()
    for item in lint(program):
        if item.code in codes:
            name, _, letters = item.message.split(" ")[0].partition(".")
            found |= {(name, "xyzw".index(letter)) for letter in letters or "xyzw"}
    return found


@_SETTINGS
@given(built())
def test_channels_that_show_a_pattern_from_before_the_start_are_reported(b: ProgramBuilder) -> None:
    program = b.build()
    before = _run(program)
    reported = _reported(program, "L001", "L002")
    for index in range(_TEMPORARIES):
        for channel in range(4):
            if (_run(_poisoned(program, File.TEMP, index, 1 << channel)) != before).any():
                assert (f"TEMP[{index}]", channel) in reported


@_SETTINGS
@given(built())
def test_programs_that_write_every_register_first_have_no_finding(b: ProgramBuilder) -> None:
    program = b.build()
    for index in range(_TEMPORARIES):
        program = _poisoned(program, File.TEMP, index, 15)
    assert _reported(_poisoned(program, File.OUT, 0, 15), "L001", "L002", "L003", "L004") == set()


@_SETTINGS
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 15), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=8))
def test_in_straight_code_exactly_the_channels_that_show_are_reported(code: list[tuple[int, int, int, int]]) -> None:
    lines = [
        f"ADD TEMP[{d}].{''.join(c for k, c in enumerate('xyzw') if mask >> k & 1)}, TEMP[{a}], TEMP[{b}].yzwx" for d, mask, a, b in code
    ]
    program = tgsi.parse(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0..2]\n" + "\n".join(lines) + "\nADD OUT[0], TEMP[0], IN[0]\nEND\n"
    )
    before = _run(program)
    showing = {
        (f"TEMP[{index}]", channel)
        for index in range(_TEMPORARIES)
        for channel in range(4)
        if (_run(_poisoned(program, File.TEMP, index, 1 << channel)) != before).any()
    }
    assert _reported(program, "L001", "L002") == showing


@_SETTINGS
@given(built())
def test_output_channels_that_keep_a_pattern_are_reported(b: ProgramBuilder) -> None:
    program = b.build()
    ever = {c for item in program.instructions for d in item.dst if d.register.file is File.OUT for c in range(4) if d.write_mask >> c & 1}
    kept = (_run(_poisoned(program, File.OUT, 0, 15)).view(np.float32) == np.array(_POISON, np.float32)).any(axis=(0, 1))
    reported = _reported(program, "L004")
    assert {("OUT[0]", channel) for channel in ever if kept[channel]} <= reported


@_SETTINGS
@given(built())
def test_instructions_whose_result_is_never_read_and_code_that_is_never_reached_can_go(b: ProgramBuilder) -> None:
    program = tgsi.parse(str(b.build()))
    idle = {item.span.line for item in lint(program) if item.code in ("L011", "L020") and item.span is not None}
    kept = [item for item in program.instructions if item.span is None or item.span.line not in idle or item.opcode.flow is not None]
    assert (_run(replace(program, instructions=tuple(kept))) == _run(program)).all()


def test_lints_of_the_corpus_are_those_that_were_looked_at(shared: Path) -> None:
    """Each of them is true: registers that Mesa's passes left over, outputs written twice, one value that a select does not take."""
    count: Counter[str] = Counter()
    for path in sorted((shared / "corpus").glob("*.tgsi")):
        count.update(item.code for item in lint(tgsi.parse(path.read_text(), name=path.name)))
    assert count == {"L002": 1, "L003": 1, "L010": 1034, "L011": 6}


def test_faults_that_are_planted_in_the_corpus_are_found(shared: Path) -> None:
    """A read of a register that nothing writes, before the end of each program."""
    planted = found = 0
    for path in sorted((shared / "corpus").glob("FRAG-*.tgsi"))[::9]:
        program = tgsi.parse(path.read_text())
        size = program.file_size(File.TEMP)
        if not size or program.instructions[-1].opcode.name != "END":
            continue
        text = str(program).replace("FRAG\n", f"FRAG\nDCL TEMP[{size}]\nDCL OUT[77], GENERIC[77]\n", 1)
        faulty = tgsi.parse(text.rpartition("END")[0].rstrip(" 0123456789:") + f"\nMOV OUT[77], TEMP[{size}].xyxy\nEND\n")
        planted += 1
        found += any(item.code == "L001" and item.message.startswith(f"TEMP[{size}].xy ") for item in lint(faulty))
    assert planted == found > 10
