"""The places where NaNs become canonical, found by `nan_bits`; code that shows no bits has none. Runs: tests/unit/test_nan_bits.py."""

from __future__ import annotations

import re

import pytest

import tgsi
from backends.llvm.kernels.listing import generate
from backends.llvm.kernels.stages import build_run_kernel, build_vertex_kernel
from backends.llvm.program.nan_bits import NanBits, nan_bits, relevant_outputs
from tgsi.language.program import Program

HEAD = "VERT\nDCL IN[0..1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL TEMP[0..3]\nDCL CONST[0..1]\n"
HEAD += "IMM[0] FLT32 {0.0, 1.0, 2.0, 3.0}\nIMM[1] UINT32 {1, 2, 3, 4294967295}\n"
CANONICAL = re.compile(r"select <\d+ x i1> %\S+, <\d+ x i32> %\S+, <\d+ x i32> splat \(i32 2143289344\)")


def parsed(*lines: str) -> Program:
    program = tgsi.parse(HEAD + "\n".join([*lines, "END", ""]))
    tgsi.validate(program)
    return program


def found(*lines: str, outputs: int = -1) -> NanBits:
    return nan_bits(parsed(*lines), outputs)


def sources(bits: NanBits) -> dict[int, dict[str, int]]:
    return {number: {str(operand.register.index): mask for operand, mask in places.items()} for number, places in bits.sources.items()}


def test_floats_that_only_arithmetic_reads_need_nothing() -> None:
    bits = found("MUL TEMP[0], IN[0], IN[1]", "FSLT TEMP[1], TEMP[0], IN[0]", "UCMP OUT[0], TEMP[1], IMM[0], IMM[1]")
    assert bits == NanBits()


def test_a_sum_that_an_integer_opcode_reads_is_canonical_where_it_is_read() -> None:
    bits = found("ADD TEMP[0], IN[0], IN[1]", "MUL TEMP[1], TEMP[0], TEMP[0]", "XOR OUT[0].x, TEMP[0].yyyy, IMM[1].xxxx")
    assert sources(bits) == {2: {"0": 2}}
    assert not bits.results


def test_an_output_is_canonical_once_after_the_loop_that_adds() -> None:
    bits = found("MOV TEMP[0], IMM[0].xxxx", "BGNLOOP", "MAD TEMP[0], TEMP[0], IN[0], IN[1]", "ENDLOOP", "MOV OUT[1], TEMP[0]")
    assert bits == NanBits(outputs=frozenset((1, channel) for channel in range(4)))


def test_an_output_whose_bits_do_not_leave_the_kernel_needs_nothing() -> None:
    lines = ("ADD OUT[0], IN[0], IN[1]", "MUL OUT[1], IN[0], IN[1]")
    assert found(*lines, outputs=0) == NanBits()
    assert {register for register, _ in found(*lines, outputs=1).outputs} == {0}


def test_a_register_that_may_hold_an_integer_is_canonical_where_the_float_is_written() -> None:
    bits = found("UADD TEMP[0], IN[0], IN[1]", "IF IN[0].xxxx", "ADD TEMP[0].xy, IN[0], IN[1]", "ENDIF", "MOV OUT[1].x, TEMP[0].xxxx")
    assert bits.results == {2: 1}
    assert not bits.sources
    assert not bits.outputs


def test_moves_and_selections_hand_the_question_on() -> None:
    made, used = "ADD TEMP[0], IN[0], IN[1]", "AND OUT[0].x, TEMP[2], IMM[1]"
    bits = found(made, "MOV TEMP[1], TEMP[0].wzyx", "MAX TEMP[2], TEMP[1], IMM[0].xxxx", used)
    assert sources(bits) == {3: {"2": 1}}
    bits = found(made, "MAX TEMP[2], TEMP[0], IN[0]", used)
    assert sources(bits) == {1: {"0": 1}}


def test_a_negated_nan_is_made_canonical_before_its_sign_changes() -> None:
    bits = found("ADD TEMP[0], IN[0], IN[1]", "MOV OUT[1], -TEMP[0]")
    assert sources(bits) == {1: {"0": 15}}
    assert not bits.outputs


def test_doubles_that_stay_in_place_need_nothing_until_a_word_of_one_is_read() -> None:
    chain = ("F2D TEMP[0], IN[0]", "DMUL TEMP[0], TEMP[0], TEMP[0]", "DSLT TEMP[1].x, TEMP[0], TEMP[0].zwxy", "MOV OUT[1].x, TEMP[1].xxxx")
    assert found(*chain) == NanBits()
    assert found(*chain, "MOV OUT[1].y, TEMP[0].yyyy").results == {0: 15, 1: 3}


def test_inputs_that_integer_opcodes_read_are_named() -> None:
    assert found("AND OUT[0].xy, IN[0].zwzw, IMM[1]").inputs == {(0, 2), (0, 3)}


def test_outputs_that_arithmetic_does_not_write_change_no_kernel() -> None:
    assert relevant_outputs(parsed("MOV OUT[1], IN[1]", "DP4 OUT[0], IN[0], CONST[0]"), 2) == 0
    assert relevant_outputs(parsed("MOV OUT[1], IN[1]", "DP4 OUT[0], IN[0], CONST[0]"), 3) == 3


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v4", "aarch64-linux-gnu", "riscv64-linux-gnu"])
def test_code_makes_each_channel_that_is_shown_canonical_and_no_other(cpu: str) -> None:
    program = parsed("ADD OUT[0], IN[0], IN[1]", "MUL OUT[1].xy, IN[0], IN[1]")
    assert len(CANONICAL.findall(build_run_kernel(program, 8, cpu=cpu).text())) == 6
    assert len(CANONICAL.findall(build_vertex_kernel(program, 8, cpu=cpu, exposed=2).text())) == 2
    assert not CANONICAL.search(build_vertex_kernel(program, 8, cpu=cpu, exposed=0).text())


def test_code_for_arm_compares_each_sum_with_itself() -> None:
    program = parsed("ADD OUT[0], IN[0], IN[1]")
    text = str(generate(program, "asm", cpu="aarch64-linux-gnu", lanes=4).data)
    assert len(re.findall(r"fcmeq\s+v\d+\.4s, (v\d+)\.4s, \1\.4s", text)) == 4
    assert len(re.findall(r"\b(?:bif|bit|bsl)\s+v\d+\.16b", text)) == 4
