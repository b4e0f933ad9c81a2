"""Programs that are slow to compile are compiled with less effort, and compute the same results."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tgsi
from backends.llvm.builder.scalarize import MOST
from backends.llvm.engine import opt_level
from backends.llvm.engine.engine import compile_module
from backends.llvm.engine.opt_level import DEFAULT, code_generation_level
from backends.llvm.kernels.run import run
from backends.llvm.kernels.stages import build_run_kernel
from tests.unit.llvm.support import runnable_levels

HEAD = """VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL TEMP[0..3]
DCL TEMP[4..19], ARRAY(1), LOCAL
DCL ADDR[0]
UARL ADDR[0].x, IN[0].xxxx
MOV TEMP[0], IN[1]
MOV TEMP[4], IN[1]
"""
MOVES = "".join(f"MOV TEMP[ADDR[0].x+{4 + (i + 1) % 15}](1), TEMP[ADDR[0].x+{4 + i % 15}](1)\n" for i in range(60))
DIVISIONS = "U64DIV TEMP[0], TEMP[0], IN[1]\nU64ADD TEMP[0], TEMP[0], IN[1]\n" * 150
TAIL = "ADD OUT[0], TEMP[0], TEMP[7]\nEND\n"


def test_the_level_falls_with_the_lanes_that_are_taken_one_by_one() -> None:
    program = tgsi.parse(HEAD + MOVES + TAIL)
    few = tgsi.parse(HEAD + "MOV TEMP[1], TEMP[ADDR[0].x+4](1)\n" + TAIL)
    assert [code_generation_level(build_run_kernel(program, lanes, cpu="x86-64-v4").text()) for lanes in (4, 8, 16, 64)] == [2, 1, 1, 0]
    assert code_generation_level(build_run_kernel(few, 64, cpu="x86-64-v4").text()) == DEFAULT == 2


@pytest.mark.parametrize("cpu", runnable_levels())
@pytest.mark.parametrize("lanes", [8, 64])
def test_few_lanes_are_written_out_where_no_instruction_gathers(cpu: str, lanes: int) -> None:
    text = build_run_kernel(tgsi.parse(HEAD + MOVES + TAIL), lanes, cpu=cpu).text()
    written = sum(int(count) for count in re.findall(r"call [^@\n]*@llvm\.masked\.(?:gather|scatter)\.v(\d+)", text))
    expected = {"x86-64-v4": 8 * 60 * lanes, "x86-64-v3": MOST // 2 if lanes == 8 else 0}  # v3 has a load for each lane of a gather
    assert written == expected.get(cpu, MOST if lanes == 8 else 0)


def test_wide_code_of_a_long_program_is_made_with_the_least_effort() -> None:
    program = tgsi.parse(HEAD + "MAD TEMP[0], TEMP[0].yzwx, IN[1], TEMP[4](1)\n" * 800 + TAIL)
    assert [code_generation_level(build_run_kernel(program, lanes, cpu="x86-64-v3").text()) for lanes in (4, 8, 16, 64)] == [2, 2, 2, 0]


def test_loops_of_gathers_stand_once_a_type_and_end_no_block_of_the_program() -> None:
    """Written out in place, 500 of them made so many blocks that a program took 13 s to compile."""
    text, few = (
        build_run_kernel(tgsi.parse(body), 64, cpu="x86-64-v3").text()
        for body in (HEAD + MOVES + TAIL, HEAD + MOVES[: MOVES.index("\n") + 1] + TAIL)
    )
    assert re.findall(r"define internal void @((?:gather|scatter)\S+)\(", text) == ["gather.i32.v64i32", "scatter.i32.v64i32"]
    assert len(re.findall(r"call void @(?:gather|scatter)", text)) == 8 * 60
    assert text.count("br i1") == few.count("br i1")


def test_the_channels_of_a_register_share_the_offsets_of_their_lanes() -> None:
    program = tgsi.parse(HEAD + "MOV TEMP[1], TEMP[ADDR[0].x+4](1)\n" + TAIL)
    text = build_run_kernel(program, 64, cpu="x86-64-v3").text()
    assert len(re.findall(r"call void @gather", text)) == 4
    places = re.findall(r"call void @gather\S+\(ptr %\w+, ptr (%\w+)", text)
    assert len(set(places)) == 1
    assert len(re.findall(rf"store <64 x i32> \S+ ptr {places[0]},", text)) == 1


@pytest.mark.parametrize("body", [MOVES, DIVISIONS])
@pytest.mark.parametrize("lanes", [4, 16])
def test_every_level_of_effort_gives_the_same(body: str, lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = np.random.default_rng(5).integers(0, 1 << 32, (64, 2, 4), np.uint32)
    inputs[:, 0, 0] = np.arange(64) % 3
    program = tgsi.parse(HEAD + "".join(body.splitlines(keepends=True)[:15]) + TAIL)
    want = tgsi.run(program, inputs, engine="interp")
    module = build_run_kernel(program, lanes)
    assert code_generation_level(module.text()) == DEFAULT
    code = set()
    for level in range(DEFAULT + 1):
        monkeypatch.setattr(opt_level, "DEFAULT", level)
        library = compile_module(module)
        code.add(library.image)
        found = run(program, inputs, lanes=lanes, library=library)
        assert np.array_equal(found.outputs, want.outputs), level
    assert len(code) >= 2  # levels 1 and 2 differ by a scheduler that LLVM has for AMD's processors, and not for Intel's
